// SPDX-License-Identifier: Apache-2.0
// cp.async from global to shared memory: LDGSTS, and LDGDEPBAR and DEPBAR for its groups. Of a copy of fewer bytes than
// its size only lanes that copy all of them are asynchronous: those that copy none store zeros, the others load, and
// store what they have and zeros. So do all where the machine has no LDGSTS; then a copy may be seen before its thread
// waits for it, and groups are nothing.
#include <algorithm>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

// Of a word that ends at byte `end` those before byte `bytes`; the others are zero.
FunctionLowering::Operand FunctionLowering::first_bytes(Operand word, Operand bytes, int end) {
  Operand beyond = t32();
  emit(Op::Imnmx, beyond, isub(in_register(mir::imm(end)), bytes), mir::imm(0)).set("max", 1).set("sign", 1);
  return lop(isa::LogicOp::And, word, shr(in_register(mir::imm(0xffffffff)), shl(beyond, mir::imm(3)), false));
}

void FunctionLowering::lower_copy_group(const Insn& insn) {
  constexpr uint64_t kMost = 7;  // closed groups that a warp may have under way
  if (!program_.options().has.async_copy) return;
  if (insn.has("commit_group")) emit(Op::Ldgdepbar, {});
  else if (insn.has("wait_all")) emit(Op::Depbar, {}).set("all", 1);
  else emit(Op::Depbar, {}, {}, mir::imm(static_cast<int64_t>(std::min(insn.operands[0].bits, kMost))));
}

// At once; `bytes`: how many are copied, if not all; `some`: whether any is.
void FunctionLowering::load_and_store(const Copy& copied, Operand bytes, Pred some) {
  const auto words = static_cast<unsigned>(copied.size) / 4;
  Operand data = words == 4 ? b_.reg(b_.r128()) : words == 2 ? t64() : t32();
  if (some.present()) {
    for (unsigned i = 0; i < words; ++i) copy(data.word(i), mir::imm(0));
    b_.set_guard(some);  // where nothing is copied, the address need not be one
  }
  emit(Op::Ldg, data, copied.from.base, copied.from.offset)
      .set("size", size_of(copied.size, false))
      .set("cache", copied.cache);
  if (some.present()) b_.set_guard({});
  for (unsigned i = 0; i < words && !bytes.is_none(); ++i)
    copy(data.word(i), first_bytes(data.word(i), bytes, static_cast<int>(4 * i + 4)));
  emit(Op::Sts, {}, copied.to.base, copied.to.offset, data).set("size", size_of(copied.size, false));
}

// Of lanes whose `whole` holds, if there is one; else the instruction's guard stands.
void FunctionLowering::copy_async(const Copy& copied, Pred whole) {
  const Operand to = in_register(place_of(copied.to));
  if (whole.present()) b_.set_guard(whole);
  emit(Op::Ldgsts, {}, copied.from.base, copied.from.offset, to)
      .set("size", size_of(copied.size, false))
      .set("cache", copied.cache);
  if (whole.present()) b_.set_guard({});
}

// The fourth operand says how many bytes are copied, or (a predicate) that none is.
void FunctionLowering::lower_copy(const Insn& insn) {
  if (insn.has("bulk") && !is_built_bulk(insn)) return unsupported(insn);
  if (insn.has("tensor")) return lower_tensor_copy(insn);
  if (insn.has("multicast::cluster")) return lower_multicast(insn);
  if (insn.has("bulk")) return lower_bulk(insn);
  if (insn.has("mbarrier")) return lower_copy_arrive(insn);
  const bool l2_only = insn.has("cg");
  if (!l2_only && !insn.has("ca")) return lower_copy_group(insn);
  const bool async = program_.options().has.async_copy;
  const Copy copied{address(insn.operands[0], Space::kShared), address(insn.operands[1], Space::kGlobal),
                    static_cast<int>(insn.operands[2].bits), l2_only ? isa::CacheOp::Cg : isa::CacheOp::Ca};
  if (!is_partial_copy(insn)) return async ? copy_async(copied, {}) : load_and_store(copied, {}, {});
  const ptx::Operand& part = insn.operands[3];
  const bool is_predicate = part.is_register() && function_.registers[part.ref.index] == Type::kPred;
  const Operand bytes = is_predicate ? Operand{} : in_register(src(part, Type::kU32));
  const Pred some = is_predicate ? !pred(part) : when(isetp(isa::ICmp::Ne, false, bytes, mir::imm(0)));
  if (!async) return load_and_store(copied, bytes, some);
  copy_async(copied, is_predicate ? some : when(isetp(isa::ICmp::Eq, false, bytes, mir::imm(copied.size))));
  b_.set_guard(!some);
  emit(Op::Sts, {}, copied.to.base, copied.to.offset).set("size", size_of(copied.size, false));  // zeros
  b_.set_guard({});
  if (is_predicate) return;
  const mir::BlockId in_part = b_.new_block(), done = b_.new_block();
  b_.branch(when(isetp(isa::ICmp::Lt, false, isub(bytes, mir::imm(1)), mir::imm(copied.size - 1))), in_part, done);
  start_block(in_part);
  load_and_store(copied, bytes, {});
  start_block(done);
}

}  // namespace heddle::compiler::lower
