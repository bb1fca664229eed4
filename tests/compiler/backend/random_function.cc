// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/backend/random_function.h"

#include "host-runtime/compiler/mir/builder.h"

namespace heddle::compiler::test {

using isa::Opcode;
using mir::imm;
using mir::Operand;
using mir::Pred;
using mir::VReg;

namespace {

class Writer {
 public:
  Writer(std::mt19937_64& random, const RandomShape& shape, mir::Module& m, unsigned index)
      : random_(random), shape_(shape), m_(m), index_(index), f_(m.functions[index]), b_(f_) {}

  void signature() {
    const unsigned n = 1 + pick(4);
    for (unsigned k = 0; k < n; k++) f_.params.push_back(value());
    const unsigned results = pick(3);
    for (unsigned k = 0; k < results; k++) f_.results.push_back(value());
    f_.params.push_back({"fuel", 4, 4, b_.reg(b_.r32())});
  }

  void body() {
    b_.new_block("entry");
    for (unsigned n = 0; n < shape_.registers; n++) r32_.push_back(b_.r32());
    for (unsigned n = 0; n < shape_.registers / 2; n++) r64_.push_back(b_.r64());
    for (unsigned n = 0; n < shape_.registers / 6 + 1; n++) r128_.push_back(b_.r128());
    for (unsigned n = 0; n < shape_.registers / 2 + 2; n++) preds_.push_back(b_.pred());
    object_ = static_cast<mir::FrameId>(f_.frame.size());
    f_.frame.push_back({.name = "local", .size = 64, .align = 16});
    fuel_ = f_.is_kernel ? b_.r32() : f_.params.back().value.id;
    initialise();
    const unsigned first = 1;
    for (unsigned n = 0; n < shape_.blocks; n++) b_.new_block();
    done_ = b_.new_block("done");
    b_.jump(first);
    for (unsigned n = 0; n < shape_.blocks; n++) {
      b_.set_block(first + n);
      for (unsigned k = 0; k < shape_.instructions; k++) instruction();
      end(first + n);
    }
    b_.set_block(done_);
    finish();
  }

 private:
  unsigned pick(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return pick(100) < percent; }

  mir::AbiValue value() {
    const unsigned kind = pick(5);
    if (kind < 2) return {"x", 4, 4, b_.reg(b_.r32())};
    if (kind < 4) return {"y", 8, 8, b_.reg(b_.r64())};
    f_.frame.push_back({.name = "aggregate", .size = 24, .align = 8});
    return {"z", 24, 8, mir::frame(static_cast<mir::FrameId>(f_.frame.size() - 1))};
  }

  void initialise() {
    const VReg tid = b_.r32();
    if (f_.is_kernel) b_.op(Opcode::S2r, b_.reg(tid), {}, imm(0));
    else b_.copy(b_.reg(tid), f_.params[0].value.is_reg() ? f_.params[0].value.word(0) : b_.reg(fuel_));
    if (f_.is_kernel) b_.mov(b_.reg(fuel_), imm(60));
    auto word = [&](Operand dst) {
      b_.op(Opcode::Imad, dst, b_.reg(tid), imm(static_cast<int32_t>(random_())), Operand{});
    };
    for (VReg v : r32_) word(b_.reg(v));
    for (VReg v : r64_) word(b_.reg(v).word(0)), word(b_.reg(v).word(1));
    for (VReg v : r128_)
      for (unsigned w = 0; w < 4; w++) word(b_.reg(v).word(w));
    for (VReg p : preds_) b_.op(Opcode::Isetp, {}, r32(), r32()).set("cmp", pick(8)).pd(p);
    for (mir::FrameId o = 0; o < f_.frame.size(); o++) {
      bool incoming = false;
      for (const mir::AbiValue& v : f_.params) incoming |= v.value.is_frame() && v.value.id == o;
      for (unsigned at = 0; at < f_.frame[o].size && !incoming; at += 4) store(o, at, r32(), isa::MemSize::B32);
    }
  }

  Operand r32() {
    switch (pick(6)) {
      case 0: return b_.reg(r64_[pick(static_cast<unsigned>(r64_.size()))]).word(pick(2));
      case 1: return b_.reg(r128_[pick(static_cast<unsigned>(r128_.size()))]).word(pick(4));
      default: return b_.reg(r32_[pick(static_cast<unsigned>(r32_.size()))]);
    }
  }
  Operand r64() {
    if (pick(4) == 0) return b_.reg(r128_[pick(static_cast<unsigned>(r128_.size()))]).pair(pick(2));
    return b_.reg(r64_[pick(static_cast<unsigned>(r64_.size()))]);
  }
  Operand r128() { return b_.reg(r128_[pick(static_cast<unsigned>(r128_.size()))]); }
  Operand source() {
    if (chance(25)) return imm(static_cast<int32_t>(pick(2) ? random_() : random_() % 64));
    return r32();
  }
  Pred pred() { return {preds_[pick(static_cast<unsigned>(preds_.size()))], chance(50)}; }
  VReg pred_reg() { return preds_[pick(static_cast<unsigned>(preds_.size()))]; }

  void store(mir::FrameId o, unsigned at, Operand data, isa::MemSize size) {
    b_.op(Opcode::Stl, {}, mir::frame(o), imm(at), data).set("size", size);
  }

  void instruction() {
    if (chance(15)) b_.set_guard(pred());
    switch (pick(19)) {
      case 0: b_.op(Opcode::Iadd, r32(), source(), source()).set("neg_b", pick(2)); break;
      case 1: b_.op(Opcode::Imad, r32(), source(), source(), chance(50) ? r32() : Operand{}); break;
      case 2: b_.op(Opcode::Lop, r32(), source(), source()).set("op", pick(4)); break;
      case 3: b_.op(Opcode::Shl, r32(), r32(), chance(70) ? imm(pick(34)) : r32()); break;
      case 4: b_.op(Opcode::Shr, r32(), r32(), chance(70) ? imm(pick(34)) : r32()).set("sign", pick(2)); break;
      case 5: b_.op(Opcode::Sel, r32(), source(), source()).p(pred()); break;
      case 6:
      case 7: {
        auto i = b_.op(Opcode::Isetp, {}, source(), source());
        i.set("cmp", pick(8)).set("sign", pick(2)).set("op", pick(3)).pd(pred_reg());
        if (chance(50)) i.p(pred());
        if (chance(30)) {
          const VReg q = pred_reg();
          if (q != i->pd) i.pq(q);
        }
        break;
      }
      case 8: b_.op(Opcode::Plop, {}, {}, {}).set("op", pick(3)).p(pred()).p2(pred()).pd(pred_reg()); break;
      case 9: b_.op(Opcode::Iadd64, r64(), r64(), chance(30) ? imm(static_cast<int64_t>(random_())) : r64()); break;
      case 10:
        b_.op(Opcode::ImadWide, r64(), r32(), source(), chance(50) ? r64() : Operand{}).set("sign", pick(2));
        break;
      case 11: b_.copy(r32(), r32()); break;
      case 12:
        if (chance(60)) b_.copy(r64(), r64());
        else b_.copy(r128(), r128());
        break;
      case 13: b_.copy_pred(pred_reg(), pred()); break;
      case 14: b_.op(Opcode::Iadd, r32(), r32(), r32()).pd(pred_reg()); break;
      case 15:
        if (chance(50)) store(object_, 8 * pick(8), r64(), isa::MemSize::B64);
        else b_.op(Opcode::Ldl, r128(), mir::frame(object_), imm(16 * pick(4))).set("size", isa::MemSize::B128);
        break;
      case 16: b_.op(Opcode::Imnmx, r32(), source(), r32()).set("max", pick(2)).set("sign", pick(2)); break;
      case 17: guarded_value(); break;
      default: b_.set_guard({}); call();
    }
    b_.set_guard({});
  }

  // As an if becomes: what is new goes to others under the same guard, at once or later.
  void guarded_value() {
    const Pred guard = pred();
    const bool wide = chance(50);
    const Operand value = b_.reg(wide ? b_.r128() : b_.r32());
    b_.set_guard(guard);
    if (wide)
      b_.op(Opcode::Ldl, value, mir::frame(object_), imm(16 * pick(4))).set("size", isa::MemSize::B128)->fresh = true;
    else b_.op(Opcode::Iadd, value, source(), source())->fresh = true;
    b_.set_guard({});
    for (unsigned n = pick(3); n > 0; n--) b_.op(Opcode::Iadd, r32(), source(), source());
    b_.set_guard(guard);
    if (wide && chance(30)) b_.copy(r128(), value);
    for (unsigned w = 0; w < (wide ? 4u : 1u); w++)
      if (!wide || chance(80)) b_.copy(r32(), wide ? value.word(w) : value);
  }

  void call() {
    if (index_ + 1 >= m_.functions.size()) return;
    const unsigned callee = index_ + 1 + pick(static_cast<unsigned>(m_.functions.size()) - index_ - 1);
    const mir::Function& g = m_.functions[callee];
    mir::Call c;
    c.callee = g.symbol;
    // Fuel is handed down in part, so that call trees stay small.
    const Operand fuel = b_.reg(b_.r32());
    b_.op(Opcode::Shr, fuel, b_.reg(fuel_), imm(2));
    for (const mir::AbiValue& p : g.params) {
      mir::AbiValue v = p;
      v.value = p.name == "fuel" ? fuel : argument(p);
      c.args.push_back(v);
    }
    for (const mir::AbiValue& r : g.results) {
      mir::AbiValue v = r;
      v.value = r.value.is_frame() ? mir::frame(object_) : r.size == 8 ? distinct64(c) : distinct32(c);
      c.results.push_back(v);
    }
    b_.call(c);
  }
  Operand argument(const mir::AbiValue& p) {
    if (p.value.is_frame()) return mir::frame(object_);
    if (p.size == 8) return r64();
    return chance(30) ? imm(static_cast<int32_t>(random_())) : r32();
  }
  // Results must not overlap.
  Operand distinct32(const mir::Call& c) { return b_.reg(r32_[c.results.size() % r32_.size()]); }
  Operand distinct64(const mir::Call& c) { return b_.reg(r64_[c.results.size() % r64_.size()]); }

  // Spends fuel; without any left the way leads to the end.
  void end(mir::BlockId) {
    const VReg empty = b_.pred();
    b_.op(Opcode::Iadd, b_.reg(fuel_), b_.reg(fuel_), imm(-1));
    b_.op(Opcode::Isetp, {}, b_.reg(fuel_), imm(0)).set("cmp", isa::ICmp::Le).set("sign", 1).pd(empty);
    const mir::BlockId more = b_.new_block();
    b_.branch({empty, false}, done_, more);
    b_.set_block(more);
    const auto target = [&] { return chance(12) ? done_ : 1 + pick(shape_.blocks); };
    switch (pick(5)) {
      case 0: return b_.jump(target());
      case 1: {
        const Operand index = b_.reg(b_.r32());
        b_.op(Opcode::Lop, index, r32(), imm(3)).set("op", isa::LogicOp::And);
        return b_.indexed(index, {target(), target(), target(), target()});
      }
      default: return b_.branch(pred(), target(), target());
    }
  }

  void finish() {
    for (const mir::AbiValue& r : f_.results) {
      if (!r.value.is_reg()) continue;
      if (r.size == 8) b_.copy(r.value, r64());
      else b_.copy(r.value, r32());
    }
    if (!f_.is_kernel) return b_.ret();
    const VReg address = b_.r64();
    const VReg base = b_.r64();
    const VReg tid = b_.r32();
    b_.op(Opcode::S2r, b_.reg(tid), {}, imm(0));
    b_.mov(b_.reg(base).word(0), mir::constant(mir::kParamBank, 0));
    b_.mov(b_.reg(base).word(1), mir::constant(mir::kParamBank, 4));
    b_.op(Opcode::ImadWide, b_.reg(address), b_.reg(tid), imm(4 * kOutputWords), b_.reg(base));
    unsigned at = 0;
    auto out = [&](Operand v) {
      if (at >= kOutputWords) return;
      b_.op(Opcode::Stg, {}, b_.reg(address), imm(4 * at++), v).set("size", isa::MemSize::B32);
    };
    for (VReg v : r32_) out(b_.reg(v));
    for (VReg v : r128_)
      for (unsigned w = 0; w < 4; w++) out(b_.reg(v).word(w));
    for (VReg v : r64_) out(b_.reg(v).word(0)), out(b_.reg(v).word(1));
    for (VReg p : preds_) {
      const VReg r = b_.r32();
      b_.op(Opcode::Sel, b_.reg(r), imm(1), imm(0)).p({p, false});
      out(b_.reg(r));
    }
    b_.exit();
  }

  std::mt19937_64& random_;
  const RandomShape& shape_;
  mir::Module& m_;
  unsigned index_;
  mir::Function& f_;
  mir::Builder b_;
  std::vector<VReg> r32_, r64_, r128_, preds_;
  mir::FrameId object_ = 0;
  VReg fuel_ = 0;
  mir::BlockId done_ = 0;
};

}  // namespace

mir::Module random_module(std::mt19937_64& random, const RandomShape& shape) {
  mir::Module m;
  m.target = "sm_80";
  for (unsigned n = 0; n <= shape.functions; n++) {
    mir::Function f;
    f.name = n == 0 ? "k" : "f" + std::to_string(n);
    f.symbol = n;
    f.is_kernel = n == 0;
    m.symbols.push_back({f.name, mir::Symbol::Kind::Function, n, mir::Linkage::Internal, {}});
    m.functions.push_back(std::move(f));
  }
  m.functions[0].kernel_params.push_back({"out", 0, 8, 8});
  m.functions[0].param_bytes = 8;
  for (unsigned n = 1; n <= shape.functions; n++) Writer(random, shape, m, n).signature();
  for (unsigned n = 0; n <= shape.functions; n++) Writer(random, shape, m, n).body();
  return m;
}

}  // namespace heddle::compiler::test
