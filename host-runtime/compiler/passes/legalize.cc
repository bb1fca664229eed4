// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/legalize.h"

#include <map>
#include <tuple>
#include <utility>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/fold.h"

namespace heddle::compiler {

using isa::Form;
using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Slot;

namespace {

constexpr unsigned kHoistedWords = 24;  // at most, over all loops of a function

constexpr uint32_t kShortFrame = 24 << 10;  // its objects are reached by imm16, spill slots included

constexpr bool fits16(int64_t v) { return v >= -32768 && v <= 32767; }

bool is_register(const Operand& o) { return o.is_none() || o.is_reg() || o.is_phys(); }

// Predicate sources and results encoded in mod: bits that choose_form must count as used.
uint32_t effective_mod(const Instruction& i) {
  uint32_t mod = i.mod;
  for (const isa::FieldInfo& f : i.info().fields)
    if (f.kind == "PredSrc" || f.kind == "PredDst") mod |= ((1u << f.width) - 1) << f.lsb;
  if (i.op == Opcode::Iadd || i.op == Opcode::Iadd64) {
    if (i.p.present() || i.p.negated) mod |= 0xf << 3;
    if (i.pd != kNone) mod |= 7u << 7;
  }
  return mod;
}

bool fits_short(const Instruction& i, int64_t v) {
  const isa::Operand kind = i.info().b;
  if (kind == isa::Operand::F32) return (static_cast<uint32_t>(v) & 0xffff) == 0;
  if (kind == isa::Operand::R64) return fits16(v);
  return fits16(static_cast<int32_t>(v));
}

}  // namespace

std::optional<Form> choose_form(const Instruction& i) {
  const isa::OpInfo& op = i.info();
  const uint32_t mod = effective_mod(i);
  if (op.forms == "L") return Form::L;
  if (op.forms == "C") return Form::C;  // LDC
  if (op.forms == "S" && op.b == isa::Operand::None)
    return i.b.is_none() || i.b.is_frame() || (i.b.is_imm() && fits16(i.b.imm)) ? std::optional(Form::S) : std::nullopt;
  if (is_register(i.b) && op.has_form(Form::R)) return Form::R;
  if (i.b.is_const())
    return op.has_form(Form::C) && mod >> 10 == 0 && i.b.id % 4 == 0 ? std::optional(Form::C) : std::nullopt;
  if (i.b.is_imm() && op.has_form(Form::S) && mod >> 10 == 0 && fits_short(i, i.b.imm)) return Form::S;
  const bool word = i.b.is_imm() || i.b.is_symbol() || i.b.is_frame() || i.b.is_table();
  if (word && op.has_form(Form::L) && mod < 4 && i.c.is_none() && op.b != isa::Operand::R64) return Form::L;
  return std::nullopt;
}

namespace {

class Legalizer {
 public:
  explicit Legalizer(Function& f) : f_(f), graph_(block_graph(f)), dominators_(graph_, 0), loops_(graph_, 0) {
    hoisted_.resize(f.blocks.size());
    uint32_t frame_bytes = 0;
    for (const mir::FrameObject& o : f.frame) frame_bytes += o.size + o.align;
    short_frame_ = frame_bytes <= kShortFrame;
  }

  void run() {
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      block_ = b;
      local_.clear();
      out_.clear();
      for (Instruction& i : f_.blocks[b].body) {
        if (i.pseudo == mir::Pseudo::None) instruction(i);
        out_.push_back(std::move(i));
      }
      std::swap(f_.blocks[b].body, out_);
    }
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      std::vector<Instruction>& body = f_.blocks[b].body;
      body.insert(body.end(), hoisted_[b].begin(), hoisted_[b].end());
    }
  }

 private:
  // What tells one constant from another; a pair has two.
  using Key = std::tuple<int, uint32_t, int64_t, uint8_t, unsigned>;

  void instruction(Instruction& i) {
    loc_ = i.loc;
    const isa::OpInfo& op = i.info();
    if (mir::is_memory(i) && op.forms == "S" && op.a != isa::Operand::None) return address(i);
    if (i.op == Opcode::Ldc) {
      if (i.a.is_imm() && i.b.is_const()) {
        i.b.id += static_cast<uint32_t>(i.a.imm);
        i.a = {};
      }
      if (const uint32_t rest = i.b.id % 4; rest != 0) {  // c[][] holds a multiple of 4
        Instruction add;
        add.loc = loc_;
        add.op = Opcode::Iadd;
        add.dst = f_.reg(f_.new_vreg(mir::RegClass::R32));
        add.a = in_register(i.a, 1);
        add.b = mir::imm(rest);
        out_.push_back(add);
        i.a = add.dst;
        i.b.id -= rest;
      }
      i.a = in_register(i.a, 1);
      return;
    }
    if (!is_register(i.a) && is_register(i.b)) swap_sources(i);
    const auto words = [&](Slot s) { return std::max(1u, slot_words(i, s)); };
    if (!is_register(i.a)) i.a = in_register(i.a, words(Slot::A));
    if (!is_register(i.c)) i.c = in_register(i.c, words(Slot::C));
    if (op.b == isa::Operand::None) return;
    if (i.b.is_imm(0) && op.has_form(Form::R) && i.c.is_none() && !op.has_form(Form::S)) i.b = {};
    // With c and b both constant products, c in a register is unavoidable; b then needs the short form.
    if (!choose_form(i)) i.b = in_register(i.b, words(Slot::B));
    if (i.b.is_none() && !op.has_form(Form::R)) i.b = mir::imm(0);
  }

  void address(Instruction& i) {
    const unsigned words = slot_words(i, Slot::A);
    if (!is_register(i.c)) i.c = in_register(i.c, slot_words(i, Slot::C));
    if (i.a.is_imm() && words == 1 && (i.b.is_none() || i.b.is_imm())) {
      const int64_t sum = static_cast<int32_t>(i.a.imm + (i.b.is_imm() ? i.b.imm : 0));
      if (sum >= 0 && sum <= 32767) {
        i.a = {};
        i.b = mir::imm(sum);
        return;
      }
    }
    if (!is_register(i.a) && !(i.a.is_frame() && short_frame_)) i.a = in_register(i.a, words);
    if (i.b.is_none() || (i.b.is_imm() && fits16(i.b.imm))) {
      if (i.b.is_none()) i.b = mir::imm(0);
      return;
    }
    // The offset does not fit: add it.
    Instruction add;
    add.loc = loc_;
    add.op = words == 2 ? Opcode::Iadd64 : Opcode::Iadd;
    add.dst = f_.reg(f_.new_vreg(words == 2 ? mir::RegClass::R64 : mir::RegClass::R32));
    add.a = i.a.is_frame() ? in_register(i.a, 1) : i.a;
    add.b = i.b;
    if (!choose_form(add)) add.b = in_register(i.b, words);
    out_.push_back(add);
    i.a = add.dst;
    i.b = mir::imm(0);
  }

  static Key key(const Operand& o, unsigned words) { return {static_cast<int>(o.kind), o.id, o.imm, o.aux, words}; }

  // A register that holds the constant, made anew or before.
  Operand in_register(const Operand& o, unsigned words) {
    if (is_register(o)) return o;
    if (words == 1 && o.is_imm() && static_cast<uint32_t>(o.imm) == 0) return {};
    if (words == 2 && o.is_imm(0)) return {};
    const Key k = key(words == 1 && o.is_imm() ? mir::imm(static_cast<uint32_t>(o.imm)) : o, words);
    const BlockId outside = before_loops();
    auto& known = outside == kNone ? local_ : global_[outside];
    if (auto it = known.find(k); it != known.end()) return it->second;
    std::vector<Instruction>& to = outside == kNone ? out_ : hoisted_[outside];
    const Operand r = f_.reg(f_.new_vreg(words == 2 ? mir::RegClass::R64 : mir::RegClass::R32));
    for (unsigned w = 0; w < words; w++) {
      Instruction mov;
      mov.op = Opcode::Mov;
      mov.loc = loc_;
      mov.dst = r.word(w);
      mov.b = o;
      if (o.is_imm()) mov.b = mir::imm(static_cast<uint32_t>(o.imm >> (32 * w)));
      else if (o.is_const()) mov.b.id += 4 * w;
      to.push_back(mov);
    }
    if (outside != kNone) hoisted_words_ += words;
    known.emplace(k, r);
    return r;
  }

  // The nearest dominator outside of all loops; kNone for code that is in none or seldom runs, or when enough is
  // hoisted.
  BlockId before_loops() const {
    if (loops_.depth(block_) == 0 || f_.blocks[block_].rare || hoisted_words_ >= kHoistedWords) return kNone;
    BlockId b = block_;
    while (b != kNone && loops_.depth(b) > 0) b = dominators_.idom(b);
    return b;
  }

  Function& f_;
  Graph graph_;
  DominatorTree dominators_;
  LoopNest loops_;
  BlockId block_ = 0;
  mir::Loc loc_;
  std::vector<Instruction> out_;
  std::map<Key, Operand> local_;
  std::map<BlockId, std::map<Key, Operand>> global_;
  std::vector<std::vector<Instruction>> hoisted_;
  unsigned hoisted_words_ = 0;
  bool short_frame_ = true;
};

}  // namespace

void legalize(Function& f) { Legalizer(f).run(); }

}  // namespace heddle::compiler
