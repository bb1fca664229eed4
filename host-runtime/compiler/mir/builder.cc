// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/mir/builder.h"

#include <utility>

namespace heddle::compiler::mir {

BlockId Builder::new_block(std::string name) {
  f_.blocks.emplace_back();
  f_.blocks.back().name = std::move(name);
  return static_cast<BlockId>(f_.blocks.size() - 1);
}

Instruction& Builder::append() {
  Instruction& i = f_.blocks[block_].body.emplace_back();
  i.guard = guard_;
  i.loc = loc_;
  return i;
}

Builder::Ref Builder::op(isa::Opcode opcode, Operand dst, Operand a, Operand b, Operand c) {
  Instruction& i = append();
  i.op = opcode;
  i.dst = dst;
  i.a = a;
  i.b = b;
  i.c = c;
  return Ref(i);
}

Builder::Ref Builder::copy(Operand dst, Operand src) {
  if (!src.is_reg() && !src.is_phys()) return mov(dst, src);
  Instruction& i = append();
  i.pseudo = Pseudo::Copy;
  i.dst = dst;
  i.a = src;
  return Ref(i);
}

Builder::Ref Builder::copy_pred(VReg dst, Pred src) {
  Instruction& i = append();
  i.pseudo = Pseudo::Copy;
  i.pd = dst;
  i.p = src;
  return Ref(i);
}

void Builder::mov64(Operand dst, uint64_t value) {
  mov(dst.word(0), imm(static_cast<uint32_t>(value)));
  mov(dst.word(1), imm(static_cast<uint32_t>(value >> 32)));
}

Builder::Ref Builder::undef(Operand dst) {
  Instruction& i = append();
  i.pseudo = Pseudo::Undef;
  i.dst = dst;
  return Ref(i);
}

Builder::Ref Builder::call(Call call) {
  f_.calls.push_back(std::move(call));
  Instruction& i = append();
  i.pseudo = Pseudo::Call;
  i.call = static_cast<uint32_t>(f_.calls.size() - 1);
  return Ref(i);
}

Terminator& Builder::end(Terminator::Kind kind) {
  Terminator& t = f_.blocks[block_].end;
  t = Terminator{};
  t.kind = kind;
  t.loc = loc_;
  return t;
}

void Builder::jump(BlockId target) { end(Terminator::Kind::Jump).targets = {target}; }

void Builder::branch(Pred cond, BlockId taken, BlockId fallthrough, bool uniform) {
  Terminator& t = end(Terminator::Kind::Branch);
  t.cond = cond;
  t.uniform = uniform;
  t.targets = {taken, fallthrough};
}

void Builder::indexed(Operand index, std::vector<BlockId> targets, bool uniform) {
  Terminator& t = end(Terminator::Kind::Indexed);
  t.index = index;
  t.uniform = uniform;
  t.targets = std::move(targets);
}

void Builder::exit() { end(Terminator::Kind::Exit); }
void Builder::ret() { end(Terminator::Kind::Return); }
void Builder::unreachable() { end(Terminator::Kind::Unreachable); }

}  // namespace heddle::compiler::mir
