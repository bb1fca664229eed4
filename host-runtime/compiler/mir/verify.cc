// SPDX-License-Identifier: Apache-2.0
// Checks the rules of mir.h on a function.
#include <fmt/format.h>

#include <functional>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::mir {
namespace {

class Verifier {
 public:
  Verifier(const Module& m, const Function& f) : m_(m), f_(f) {}

  std::optional<std::string> run() {
    if (f_.blocks.empty()) return fmt::format("{}: no blocks", f_.name);
    for (BlockId b = 0; b < f_.blocks.size() && !error_; b++) {
      for (size_t n = 0; n < f_.blocks[b].body.size() && !error_; n++) {
        const Instruction& i = f_.blocks[b].body[n];
        where_ = [this, b, n, &i] {
          return fmt::format("{}: block {}, instruction {} ({})", f_.name, b, n, to_string(f_, i));
        };
        instruction(i);
      }
      if (error_) break;
      where_ = [this, b] { return fmt::format("{}: end of block {}", f_.name, b); };
      terminator(f_.blocks[b].end);
    }
    return error_;
  }

 private:
  void fail(const std::string& what) {
    if (!error_) error_ = where_() + ": " + what;
  }

  void operand(const Operand& o, const char* name) {
    switch (o.kind) {
      case Operand::Kind::Reg:
        if (o.id >= f_.vregs.size()) return fail(fmt::format("{} names no register", name));
        if (f_.vregs[o.id] == RegClass::P) return fail(fmt::format("{} is a predicate", name));
        if (o.count != 1 && o.count != 2 && o.count != 4) return fail(fmt::format("{} has {} words", name, o.count));
        if (o.sub + o.count > words_of(f_.vregs[o.id]) || o.sub % o.count)
          fail(fmt::format("{} reaches out of its register", name));
        break;
      case Operand::Kind::Symbol:
        if (o.id >= m_.symbols.size()) fail(fmt::format("{} names no symbol", name));
        break;
      case Operand::Kind::Frame:
        if (o.id >= f_.frame.size()) fail(fmt::format("{} names no frame object", name));
        break;
      case Operand::Kind::Const:
        if (o.aux > 3 || o.id >= 1u << 16) fail(fmt::format("{} is outside the constant banks", name));
        break;
      case Operand::Kind::Block:
      case Operand::Kind::Table:
        if (o.id >= f_.blocks.size()) fail(fmt::format("{} names no block", name));
        break;
      case Operand::Kind::Phys:
        if (o.id + o.count > 255) fail(fmt::format("{} is no machine register", name));
        break;
      default: break;
    }
  }

  void pred(VReg v, const char* name) {
    if (v == kNone) return;
    if (v >= f_.vregs.size() || f_.vregs[v] != RegClass::P) fail(fmt::format("{} is no predicate", name));
  }

  void slot(const Instruction& i, const Operand& o, Slot s, const char* name) {
    operand(o, name);
    if (slot_is_free(i, s)) return;
    const unsigned want = slot_words(i, s);
    const isa::Form only = static_cast<isa::Form>(std::string_view("RCSL").find(i.info().forms[0]));
    const bool offset = s == Slot::B && (only == isa::Form::S || only == isa::Form::L) && want == 0;
    if (o.is_reg() || o.is_phys()) {
      if (want == 0) fail(fmt::format("{} is not an operand", name));
      else if (o.count != want) fail(fmt::format("{} wants {} registers, has {}", name, want, o.count));
    } else if (!o.is_none() && want == 0 && !offset && !(i.op == isa::Opcode::Ldc && s == Slot::B)) {
      fail(fmt::format("{} is not an operand", name));
    }
    if (s == Slot::Dst && !o.is_none() && !o.is_reg() && !o.is_phys()) fail("dst is not a register");
  }

  void instruction(const Instruction& i) {
    pred(i.guard.reg, "guard"), pred(i.pd, "pd"), pred(i.pq, "pq");
    pred(i.p.reg, "p"), pred(i.p2.reg, "p2");
    if (i.pseudo == Pseudo::Call) {
      if (i.call >= f_.calls.size()) return fail("names no call");
      const Call& c = f_.calls[i.call];
      if (c.callee != kNone && c.callee >= m_.symbols.size()) fail("callee names no symbol");
      for (const AbiValue& v : c.args) abi(v, "argument");
      for (const AbiValue& v : c.results) abi(v, "result");
      return;
    }
    if (i.pseudo == Pseudo::Copy) {
      operand(i.dst, "dst"), operand(i.a, "a");
      if (i.pd == kNone && (i.dst.count != i.a.count || i.dst.count == 0)) fail("copies unlike widths");
      return;
    }
    if (i.pseudo == Pseudo::Undef) return operand(i.dst, "dst");
    if (!isa::info(static_cast<uint8_t>(i.op))) return fail("unknown opcode");
    slot(i, i.dst, Slot::Dst, "dst");
    slot(i, i.a, Slot::A, "a");
    slot(i, i.b, Slot::B, "b");
    slot(i, i.c, Slot::C, "c");
    operand(i.metadata, "metadata");
    if (i.metadata.is_none() == (i.field("sparse") != 0)) fail("metadata belongs to a sparse matrix");
    if (!i.metadata.is_none() && i.metadata.count != 1) fail("metadata is one register");
  }

  void abi(const AbiValue& v, const char* name) {
    operand(v.value, name);
    if (v.value.is_reg() && v.size <= 8 && v.value.count != (v.size > 4 ? 2u : 1u))
      fail(fmt::format("{} of {} bytes has {} registers", name, v.size, v.value.count));
  }

  void terminator(const Terminator& t) {
    for (BlockId b : t.targets)
      if (b >= f_.blocks.size() || b == 0) return fail("branches to no block, or to the entry");
    pred(t.cond.reg, "condition");
    operand(t.index, "index");
    const size_t n = t.targets.size();
    switch (t.kind) {
      case Terminator::Kind::None: return fail("no terminator");
      case Terminator::Kind::Jump:
        if (n != 1) fail("a jump has one target");
        break;
      case Terminator::Kind::Branch:
        if (n != 2) fail("a branch has two targets");
        break;
      case Terminator::Kind::Indexed:
      case Terminator::Kind::Table:
        if (n == 0 || !t.index.is_reg()) fail("an indexed branch has targets and a register");
        break;
      case Terminator::Kind::Return:
        if (f_.is_kernel) fail("a kernel does not return");
        [[fallthrough]];
      default:
        if (n) fail("targets of no use");
    }
  }

  const Module& m_;
  const Function& f_;
  std::optional<std::string> error_;
  std::function<std::string()> where_;
};

}  // namespace

std::optional<std::string> verify(const Module& m, const Function& f) { return Verifier(m, f).run(); }

}  // namespace heddle::compiler::mir
