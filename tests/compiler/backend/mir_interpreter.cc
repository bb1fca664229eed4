// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/backend/mir_interpreter.h"

#include <algorithm>
#include <stdexcept>

namespace heddle::compiler::test {

using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pred;

namespace {

struct Exit {};

class Activation {
 public:
  Activation(const mir::Module& m, const Function& f, Thread& t)
      : m_(m), f_(f), t_(t), words_(f.vregs.size()), preds_(f.vregs.size()) {
    for (const mir::FrameObject& o : f.frame) frame_.emplace_back(o.size);
  }

  void run() {
    mir::BlockId b = 0;
    while (true) {
      for (const Instruction& i : f_.blocks[b].body) step(i);
      const mir::Terminator& e = f_.blocks[b].end;
      count();
      switch (e.kind) {
        case mir::Terminator::Kind::Jump: b = e.targets[0]; break;
        case mir::Terminator::Kind::Branch: b = e.targets[holds(e.cond) ? 0 : 1]; break;
        case mir::Terminator::Kind::Indexed: b = e.targets.at(read(e.index, 0)); break;
        case mir::Terminator::Kind::Table: b = e.targets.at(read(e.index, 0) / isa::kInstructionBytes); break;
        case mir::Terminator::Kind::Exit: throw Exit{};
        case mir::Terminator::Kind::Return: return;
        default: throw std::runtime_error("bad terminator");
      }
    }
  }

  uint32_t read(const Operand& o, unsigned w) const {
    switch (o.kind) {
      case Operand::Kind::None: return 0;
      case Operand::Kind::Reg: return words_[o.id][o.sub + w];
      case Operand::Kind::Imm: return static_cast<uint32_t>(o.imm >> (32 * w));
      case Operand::Kind::Const: {
        uint32_t v = 0;
        for (unsigned n = 0; n < 4; n++) v |= uint32_t{t_.params.at(o.id + 4 * w + n)} << 8 * n;
        return v;
      }
      case Operand::Kind::Table: return 0;  // all begin there
      default: throw std::runtime_error("operand " + to_string(o));
    }
  }
  void write(const Operand& o, unsigned w, uint32_t v) {
    if (o.is_reg()) words_[o.id][o.sub + w] = v;
  }
  std::vector<uint8_t>& object(mir::FrameId id) { return frame_[id]; }

 private:
  void count() {
    if (++t_.steps > t_.limit) throw std::runtime_error("too many steps");
  }
  bool holds(const Pred& p) const { return (p.present() ? preds_[p.reg] != 0 : true) != p.negated; }
  void set(mir::VReg p, bool v) {
    if (p != kNone) preds_[p] = v;
  }
  uint64_t read64(const Operand& o) const { return read(o, 0) | uint64_t{read(o, 1)} << 32; }
  void write64(const Operand& o, uint64_t v) {
    write(o, 0, static_cast<uint32_t>(v));
    write(o, 1, static_cast<uint32_t>(v >> 32));
  }

  static bool compare(unsigned cmp, int64_t a, int64_t b) {
    switch (static_cast<isa::ICmp>(cmp)) {
      case isa::ICmp::Lt: return a < b;
      case isa::ICmp::Le: return a <= b;
      case isa::ICmp::Gt: return a > b;
      case isa::ICmp::Ge: return a >= b;
      case isa::ICmp::Eq: return a == b;
      case isa::ICmp::Any: return (a & b) != 0;
      case isa::ICmp::None: return (a & b) == 0;
      default: return a != b;
    }
  }
  static bool combine(unsigned op, bool a, bool b) { return op == 0 ? a && b : op == 1 ? a || b : a != b; }

  void step(const Instruction& i) {
    count();
    if (!holds(i.guard)) return;
    if (i.pseudo == mir::Pseudo::Copy) {
      if (i.pd != kNone) return set(i.pd, holds(i.p));
      uint32_t v[4];
      for (unsigned w = 0; w < i.dst.count; w++) v[w] = read(i.a, w);
      for (unsigned w = 0; w < i.dst.count; w++) write(i.dst, w, v[w]);
      return;
    }
    if (i.pseudo == mir::Pseudo::Call) return call(f_.calls[i.call]);
    if (i.pseudo == mir::Pseudo::Undef) return;
    const uint32_t a = read(i.a.is_frame() ? Operand{} : i.a, 0), b = read(i.b.is_block() ? Operand{} : i.b, 0),
                   c = read(i.c, 0);
    switch (i.op) {
      case Opcode::Bssy:
      case Opcode::Bsync:
      case Opcode::Break:
      case Opcode::Nop: return;
      case Opcode::Exit: throw Exit{};
      case Opcode::Mov: return write(i.dst, 0, b);
      case Opcode::S2r: return write(i.dst, 0, t_.tid);
      case Opcode::Iadd: {
        const uint64_t x = i.field("neg_a") ? uint32_t(~a) : a, y = i.field("neg_b") ? uint32_t(~b) : b;
        const uint64_t sum = x + y + (i.p.present() ? holds(i.p) : i.field("neg_a") + i.field("neg_b"));
        set(i.pd, sum >> 32);
        return write(i.dst, 0, static_cast<uint32_t>(sum));
      }
      case Opcode::Iadd3: return write(i.dst, 0, (i.field("neg_a") ? 0 - a : a) + (i.field("neg_b") ? 0 - b : b) + c);
      case Opcode::Iadd64: {
        const uint64_t x = read64(i.a), y = read64(i.b);
        return write64(i.dst, (i.field("neg_a") ? 0 - x : x) + (i.field("neg_b") ? 0 - y : y));
      }
      case Opcode::Imad: return write(i.dst, 0, a * b + c);
      case Opcode::ImadWide: {
        const uint64_t product =
            i.field("sign") ? static_cast<uint64_t>(int64_t{int32_t(a)} * int32_t(b)) : uint64_t{a} * b;
        return write64(i.dst, product + read64(i.c));
      }
      case Opcode::Imnmx: {
        const bool less = i.field("sign") ? int32_t(a) < int32_t(b) : a < b;
        return write(i.dst, 0, less != (i.field("max") != 0) ? a : b);
      }
      case Opcode::Lop:
        switch (i.field("op")) {
          case 0: return write(i.dst, 0, a & b);
          case 1: return write(i.dst, 0, a | b);
          case 2: return write(i.dst, 0, a ^ b);
          default: return write(i.dst, 0, a & ~b);
        }
      case Opcode::Lop3: {
        uint32_t value = 0;
        for (unsigned n = 0; n < 32; n++)
          value |= (i.field("lut") >> ((a >> n & 1) << 2 | (b >> n & 1) << 1 | (c >> n & 1)) & 1) << n;
        return write(i.dst, 0, value);
      }
      case Opcode::Bfe:  // of fields within the word, without sign
        return write(i.dst, 0, static_cast<uint32_t>((a >> (b & 255)) & ((uint64_t{1} << (b >> 8 & 255)) - 1)));
      case Opcode::Shl: return write(i.dst, 0, b > 31 ? 0 : a << b);
      case Opcode::Shr:
        if (i.field("sign")) return write(i.dst, 0, uint32_t(int32_t(a) >> (b > 31 ? 31 : b)));
        return write(i.dst, 0, b > 31 ? 0 : a >> b);
      case Opcode::Sel: return write(i.dst, 0, holds(i.p) ? a : b);
      case Opcode::Isetp: {
        const bool r =
            i.field("sign") ? compare(i.field("cmp"), int32_t(a), int32_t(b)) : compare(i.field("cmp"), a, b);
        const bool p = holds(i.p);
        set(i.pd, combine(i.field("op"), r, p));
        return set(i.pq, combine(i.field("op"), !r, p));
      }
      case Opcode::Plop: {
        const bool r = combine(i.field("op"), holds(i.p), holds(i.p2));
        set(i.pd, r);
        return set(i.pq, !r);
      }
      case Opcode::Ldl:
        return load(
            i, [&](uint64_t n) { return object(i.a.id).at(n); }, static_cast<uint64_t>(i.a.imm + i.b.imm));
      case Opcode::Stl:
        return store(
            i, [&](uint64_t n, uint8_t v) { object(i.a.id).at(n) = v; }, static_cast<uint64_t>(i.a.imm + i.b.imm));
      case Opcode::Ldg:
        return load(
            i,
            [&](uint64_t n) {
              const auto it = t_.memory->find(n);
              return it == t_.memory->end() ? uint8_t{0} : it->second;
            },
            read64(i.a) + static_cast<uint64_t>(i.b.imm));
      case Opcode::Stg:
        return store(
            i, [&](uint64_t n, uint8_t v) { (*t_.memory)[n] = v; }, read64(i.a) + static_cast<uint64_t>(i.b.imm));
      default: throw std::runtime_error("instruction " + to_string(f_, i));
    }
  }

  static unsigned words(const Instruction& i) { return i.field("size") == 6 ? 4 : i.field("size") == 5 ? 2 : 1; }
  template <typename G>
  void load(const Instruction& i, G get, uint64_t at) {
    for (unsigned w = 0; w < words(i); w++) {
      uint32_t v = 0;
      for (unsigned n = 0; n < 4; n++) v |= uint32_t{get(at + 4 * w + n)} << 8 * n;
      write(i.dst, w, v);
    }
  }
  template <typename P>
  void store(const Instruction& i, P put, uint64_t at) {
    for (unsigned w = 0; w < words(i); w++)
      for (unsigned n = 0; n < 4; n++) put(at + 4 * w + n, static_cast<uint8_t>(read(i.c, w) >> 8 * n));
  }

  void call(const mir::Call& c) {
    const mir::SymbolId symbol = c.callee != kNone ? c.callee : read(c.target, 0);
    const Function& callee = m_.functions.at(m_.symbols.at(symbol).index);
    Activation next(m_, callee, t_);
    for (size_t n = 0; n < c.args.size(); n++) {
      const Operand& from = c.args[n].value;
      const Operand& to = callee.params[n].value;
      if (to.is_frame()) std::copy_n(object(from.id).begin(), c.args[n].size, next.object(to.id).begin());
      else
        for (unsigned w = 0; w < to.count; w++) next.write(to, w, read(from, w));
    }
    next.run();
    for (size_t n = 0; n < c.results.size(); n++) {
      const Operand& to = c.results[n].value;
      const Operand& from = callee.results[n].value;
      if (to.is_frame()) std::copy_n(next.object(from.id).begin(), c.results[n].size, object(to.id).begin());
      else
        for (unsigned w = 0; w < to.count; w++) write(to, w, next.read(from, w));
    }
  }

  struct Words {
    uint32_t w[4] = {};
    uint32_t& operator[](unsigned n) { return w[n]; }
    uint32_t operator[](unsigned n) const { return w[n]; }
  };
  const mir::Module& m_;
  const Function& f_;
  Thread& t_;
  std::vector<Words> words_;
  std::vector<char> preds_;
  std::vector<std::vector<uint8_t>> frame_;
};

}  // namespace

void interpret(const mir::Module& module, const Function& kernel, Thread& thread) {
  try {
    Activation(module, kernel, thread).run();
  } catch (const Exit&) {
  }
}

}  // namespace heddle::compiler::test
