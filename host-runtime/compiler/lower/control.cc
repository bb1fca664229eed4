// SPDX-License-Identifier: Apache-2.0
// Branches, returns, barriers of blocks and clusters.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {

void FunctionLowering::lower_bra(const Insn& insn) {
  mir::BlockId target = block_of(*insn.operands[0].ref.label);
  if (!insn.guarded) return b_.jump(target);
  mir::BlockId next = b_.new_block();
  b_.branch(guard_, target, next, insn.has("uni"));
  set_block(next);
}

void FunctionLowering::lower_brx(const Insn& insn) {
  std::vector<mir::BlockId> targets;
  for (const ptx::Operand& t : insn.operands[1].ref.targets->targets) {
    if (t.ref.kind != ptx::Ref::Kind::kLabel) return unsupported(insn);
    targets.push_back(block_of(*t.ref.label));
  }
  b_.indexed(in_register(src(insn.operands[0], Type::kU32)), std::move(targets), insn.has("uni"));
}

void FunctionLowering::lower_ret(const Insn& insn) {
  if (function_.is_entry) return lower_exit(insn);
  if (!insn.guarded) return leave();
  mir::BlockId last = b_.new_block(), next = b_.new_block();
  b_.branch(guard_, last, next);
  set_block(last);
  leave();
  set_block(next);
}

void FunctionLowering::lower_exit(const Insn& insn) {
  if (!insn.guarded) return b_.exit();
  emit(Op::Exit, {}).guard(guard_);
}

void FunctionLowering::lower_trap(const Insn&) { emit(Op::Trap, {}, {}, mir::imm(0)); }

// No debugger is there that would let the kernel go on.
void FunctionLowering::lower_brkpt(const Insn&) { emit(Op::Trap, {}, {}, mir::imm(0)); }

void FunctionLowering::lower_nanosleep(const Insn& insn) {
  emit(Op::Nanosleep, {}, {}, src(insn.operands[0], Type::kU32));
}

// bar.sync a{, b}   bar.arrive a, b   bar.red.popc d, a{, b}, p   bar.warp.sync mask
void FunctionLowering::lower_bar(const Insn& insn) {
  if (insn.has("cluster")) {
    // A cluster lies on one SM: the barrier orders memory as a block's does, relaxed or not.
    emit(Op::Cbar, {}).set("wait", insn.has("wait"));
    return;
  }
  if (insn.has("warp")) return lower_warp_barrier(insn);
  size_t at = insn.has("red") ? 1 : 0;
  size_t threads_at = at + 1;
  bool counted = insn.operands.size() > threads_at + at;  // .red has its predicate after the count
  Operand number = src(insn.operands[at], Type::kU32);
  Operand threads = counted ? src(insn.operands[threads_at], Type::kU32) : Operand{};
  if (!insn.has("red")) {
    emit(Op::Bar, {}, {}, number, threads).set("mode", insn.has("arrive") ? isa::BarMode::Arrive : isa::BarMode::Sync);
    return;
  }
  Pred p = pred(insn.operands[insn.operands.size() - 1]);
  if (insn.has("popc")) {
    emit(Op::Bar, dst(insn.operands[0], Type::kU32), {}, number, threads)
        .set("mode", isa::BarMode::Red)
        .set("red", isa::BarRed::Popc)
        .p(p);
  } else {
    emit(Op::Bar, {}, {}, number, threads)
        .set("mode", isa::BarMode::Red)
        .set("red", insn.has("or") ? isa::BarRed::Or : isa::BarRed::And)
        .pd(pred_dst(insn.operands[0]))
        .p(p);
  }
}

}  // namespace heddle::compiler::lower
