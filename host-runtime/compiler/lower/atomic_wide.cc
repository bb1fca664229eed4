// SPDX-License-Identifier: Apache-2.0
// Exchange, compare and swap, and strong stores of 128 bits: the machine's atomics end at 64, so these take a lock,
// which their address chooses among the context's. The load and store below it move the 128 bits as one, for those who
// only read.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler::lower {

// do { if (got = swap(lock, 0 -> 1) == 0) { old = *where; if (old == compare) *where = value; lock = 0; } } while
// (!got) Who has the lock gives it back inside the loop, where it waits for nobody: lanes of a warp may contend. Of
// those the lowest tries alone: they come in ascending order, as silicon's do.
void FunctionLowering::wide_swap(const Insn& insn, const Address& where, Operand d, Operand compare, Operand value) {
  const auto on_space = [&](Op global, Op shared, Op generic) {
    return where.space == Space::kGlobal ? global : where.space == Space::kShared ? shared : generic;
  };
  const auto access = [&](Op op, Operand to, Operand data) {
    emit(op, to, where.base, where.offset, data)
        .set("size", isa::MemSize::B128)
        .set("cache", isa::CacheOp::Cg)
        .set("order", isa::MemOrder::Relaxed)
        .set("scope", scope_of(insn));
  };
  // Neighbouring addresses have different locks, and so have those that are a KiB apart. Of an address the lower word
  // chooses, the same in all the ways to name it.
  const Operand low = where.base.is_none() ? in_register(where.offset) : iadd(word(where.base, 0), where.offset);
  const Operand mixed = lop(isa::LogicOp::Xor, shr(low, mir::imm(2), false), shr(low, mir::imm(8), false));
  const Operand chosen = lop(isa::LogicOp::And, mixed, mir::imm(4 * (formats::kWideLockCount - 1)));
  const Operand lock = add64(address_of(program_.wide_locks()), pair(chosen, in_register(mir::imm(0))));
  const Operand taken = t32(), old = b_.reg(b_.r128());
  const auto on_lock = [&](isa::AtomOp op, Operand to, Operand b, Operand c) {
    emit(Op::Atomg, to, lock, b, c)
        .set("size", isa::MemSize::B32)
        .set("op", op)
        .set("type", isa::AtomType::U)
        .set("order", isa::MemOrder::Relaxed)
        .set("scope", isa::Scope::Gpu);
  };
  const Operand before = lower_lanes_with(chosen);
  const mir::BlockId again = b_.new_block(), body = b_.new_block(), put = b_.new_block(), leave = b_.new_block(),
                     latch = b_.new_block(), done = b_.new_block();
  start_block(again);
  const mir::VReg turn = first_waiting(before, {});
  b_.mov(taken, mir::imm(1));
  b_.set_guard(when(turn));
  on_lock(isa::AtomOp::Cas, taken, mir::imm(0), in_register(mir::imm(1)));
  b_.set_guard({});
  const mir::VReg mine = isetp(isa::ICmp::Eq, false, taken, mir::imm(0));
  b_.branch(when(mine), body, latch);
  set_block(body);
  fence(isa::Scope::Gpu, false);
  access(on_space(Op::Ldg, Op::Lds, Op::Ld), old, {});
  if (compare.is_none()) {
    b_.jump(put);
  } else {
    Operand differs = lop(isa::LogicOp::Xor, old.word(0), compare.word(0));
    for (unsigned n = 1; n < 4; n++)
      differs = lop(isa::LogicOp::Or, differs, lop(isa::LogicOp::Xor, old.word(n), compare.word(n)));
    b_.branch(when(isetp(isa::ICmp::Eq, false, differs, mir::imm(0))), put, leave);
  }
  set_block(put);
  access(on_space(Op::Stg, Op::Sts, Op::St), {}, value);
  b_.jump(leave);
  set_block(leave);
  fence(isa::Scope::Gpu, false);
  on_lock(isa::AtomOp::Exch, {}, in_register(mir::imm(0)), {});
  b_.jump(latch);
  set_block(latch);
  b_.branch(when(isetp(isa::ICmp::Eq, false, taken, mir::imm(0))), done, again);
  set_block(done);
  if (!d.is_none()) copy(d, old);
}

}  // namespace heddle::compiler::lower
