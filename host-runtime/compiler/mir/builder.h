// SPDX-License-Identifier: Apache-2.0
// Writes machine IR: keeps the current block, guard and source location, so that lowering reads like the
// instructions that it makes.
//
//   Builder b(function);
//   b.set_block(b.new_block("loop"));
//   VReg sum = b.r32();
//   b.op(Opcode::Iadd, b.reg(sum), b.reg(x), imm(4));
//   b.op(Opcode::Imad, …).set("hi", 1).set("sign", 1);
#pragma once

#include <initializer_list>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::mir {

class Builder {
 public:
  explicit Builder(Function& function) : f_(function) {}

  // What op() returns: sets further parts of the instruction just written. Valid until the next write.
  class Ref {
   public:
    explicit Ref(Instruction& i) : i_(&i) {}
    template <typename E>
    Ref& set(std::string_view field, E value) {
      ok_ &= i_->set_field(field, static_cast<unsigned>(value));
      return *this;
    }
    // clang-format off
    Ref& pd(VReg v) { i_->pd = v; return *this; }
    Ref& pq(VReg v) { i_->pq = v; return *this; }
    Ref& p(Pred v) { i_->p = v; return *this; }
    Ref& p2(Pred v) { i_->p2 = v; return *this; }
    Ref& guard(Pred v) { i_->guard = v; return *this; }
    // clang-format on
    bool ok() const { return ok_; }  // every set() named a field that holds the value
    Instruction* operator->() { return i_; }

   private:
    Instruction* i_;
    bool ok_ = true;
  };

  Function& function() { return f_; }
  VReg r32() { return f_.new_vreg(RegClass::R32); }
  VReg r64() { return f_.new_vreg(RegClass::R64); }
  VReg r128() { return f_.new_vreg(RegClass::R128); }
  VReg pred() { return f_.new_vreg(RegClass::P); }
  Operand reg(VReg v) const { return f_.reg(v); }

  BlockId new_block(std::string name = {});
  void set_block(BlockId b) { block_ = b; }
  BlockId block() const { return block_; }
  // The current block has its terminator; what follows would be unreachable.
  bool ended() const { return f_.blocks[block_].end.kind != Terminator::Kind::None; }
  void set_guard(Pred guard) { guard_ = guard; }
  Pred guard() const { return guard_; }
  const Loc& loc() const { return loc_; }
  void set_loc(Loc loc) { loc_ = loc; }

  // Instructions go to the end of the current block, with the current guard and location.
  Ref op(isa::Opcode opcode, Operand dst, Operand a = {}, Operand b = {}, Operand c = {});
  Ref copy(Operand dst, Operand src);  // registers of equal width, or one 32-bit Imm/Const/Symbol/Frame
  Ref copy_pred(VReg dst, Pred src);
  Ref mov(Operand dst, Operand b) { return op(isa::Opcode::Mov, dst, {}, b); }
  void mov64(Operand dst, uint64_t value);  // both words of a pair
  Ref undef(Operand dst);
  Ref call(Call call);

  void jump(BlockId target);
  void branch(Pred cond, BlockId taken, BlockId fallthrough, bool uniform = false);
  void indexed(Operand index, std::vector<BlockId> targets, bool uniform = false);
  void exit();
  void ret();
  void unreachable();

 private:
  Instruction& append();
  Terminator& end(Terminator::Kind kind);

  Function& f_;
  BlockId block_ = 0;
  Pred guard_;
  Loc loc_;
};

}  // namespace heddle::compiler::mir
