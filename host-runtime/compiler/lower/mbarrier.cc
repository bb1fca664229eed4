// SPDX-License-Identifier: Apache-2.0
// Mbarriers: words in shared memory (isa/mbarrier.h) on which one atomic, ATOMS.ARRIVE, does whatever moves a phase.
//   arrive n          pending -n                      expect_tx b    bytes +b
//   arrive_drop n     pending -n, expected -n         complete_tx b  bytes -b
//   arrive.expect_tx  pending -1, bytes +b, at once
// The token that an arrival gives is the word before it: a phase has completed when the word's parity is no longer the
// token's. An mbarrier lies in shared memory, so the lower word of a generic address is its address. There is nothing
// to make invalid: its bytes are bytes.
#include "isa/mbarrier.h"

#include <algorithm>
#include <vector>

#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

namespace {

// Cycles between the two looks of try_wait: without a hint, and at most.
constexpr int kRest = 32, kLongestRest = 64;

// Without a scope it is the block's.
isa::Scope scope_among(const ptx::Instruction& insn) {
  return insn.has("cluster") ? isa::Scope::Cluster : isa::Scope::Cta;
}

}  // namespace

// `count` as a field that stands lowest in its word.
FunctionLowering::Operand FunctionLowering::mbarrier_count(Operand count) {
  if (count.is_imm()) return mir::imm(static_cast<int64_t>(isa::kMbarrierPending.of(count.imm)));
  return lop(isa::LogicOp::And, count, mir::imm(static_cast<int64_t>(isa::kMbarrierPending.mask())));
}

// `pending` in the first field, the same in the second if `both`, and `bytes` in the third; all immediates or
// registers.
FunctionLowering::Operand FunctionLowering::mbarrier_word(Operand pending, bool both, Operand bytes) {
  Operand count = mbarrier_count(pending);
  const unsigned expected = isa::kMbarrierExpected.first, tx = isa::kMbarrierTx.first - 32;
  if (count.is_imm() && bytes.is_imm()) {
    const uint64_t next = both ? isa::kMbarrierExpected.of(count.imm) : 0;
    return constant64(static_cast<int64_t>(static_cast<uint64_t>(count.imm) | next | isa::kMbarrierTx.of(bytes.imm)));
  }
  count = in_register(count);
  Operand low = count, high = shl(in_register(bytes), mir::imm(tx));  // ARRIVE ignores what is beyond the field
  if (both) {
    low = lop(isa::LogicOp::Or, count, shl(count, mir::imm(expected)));
    high = lop(isa::LogicOp::Or, high, shr(count, mir::imm(32 - expected), false));
  }
  return pair(low, high);
}

FunctionLowering::Operand FunctionLowering::negative(Operand x) {
  return x.is_imm() ? mir::imm(-x.imm) : isub(in_register(mir::imm(0)), x);
}

void FunctionLowering::mbarrier_arrive(const Address& bar, Operand token, Operand word, isa::Scope scope) {
  emit(Op::Atoms, token, in_register(place_of(bar)), word)
      .set("size", isa::MemSize::B64)
      .set("op", isa::AtomOp::Arrive)
      .set("type", isa::AtomType::U)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope);
}

// Whether the word's parity is not the one in the sign of `token`, where the guard holds.
void FunctionLowering::mbarrier_test(const Address& bar, Operand token, isa::Scope scope, mir::VReg completed) {
  Operand high = t32();
  emit(Op::Lds, high, bar.base, mir::imm(bar.offset.imm + 4))
      .set("size", isa::MemSize::B32)
      .set("cache", isa::CacheOp::Cg)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope);
  emit(Op::Isetp, {}, lop(isa::LogicOp::Xor, high, token), mir::imm(0))
      .set("cmp", isa::ICmp::Lt)
      .set("sign", 1)
      .pd(completed);
}

// How long try_wait rests. Its hint is the most that it may take; a long one is cut, for a rest does not end when the
// phase does.
FunctionLowering::Operand FunctionLowering::mbarrier_rest(const Insn& insn) {
  if (insn.operands.size() < 4) return mir::imm(kRest);
  Operand hint = src(insn.operands[3], Type::kU32);
  if (hint.is_imm()) return mir::imm(std::min<uint32_t>(static_cast<uint32_t>(hint.imm), kLongestRest));
  Operand rest = t32();
  emit(Op::Imnmx, rest, hint, mir::imm(kLongestRest)).set("max", 0).set("sign", 0);
  return rest;
}

// test_wait, and try_wait, which rests a while where the phase is not complete and looks once more.
void FunctionLowering::mbarrier_wait(const Insn& insn, const Address& bar) {
  const isa::Scope scope = scope_among(insn);
  const ptx::Operand& phase = insn.operands[2];
  Operand token = insn.has("parity") ? shl(in_register(src(phase, Type::kU32)), mir::imm(31))
                                     : in_register(word(src(phase, Type::kB64), 1));
  const mir::VReg completed = pred_dst(insn.operands[0]);
  if (insn.has("try_wait")) {
    const mir::VReg early = tp();
    Operand rest = mbarrier_rest(insn);
    mbarrier_test(bar, token, scope, early);
    b_.copy_pred(completed, when(early));
    b_.set_guard(unless(early));
    emit(Op::Nanosleep, {}, {}, rest);
    mbarrier_test(bar, token, scope, completed);
    b_.set_guard({});
  } else {
    mbarrier_test(bar, token, scope, completed);
  }
  if (!insn.has("relaxed")) fence(scope, false);
}

void FunctionLowering::lower_mbarrier(const Insn& insn) {
  if (insn.has("inval")) return;
  if (insn.has("pending_count")) {
    Operand token = in_register(word(src(insn.operands[1], Type::kB64), 0));
    return copy(dst(insn.operands[0], Type::kU32), mbarrier_count(token));
  }
  const bool waits = insn.has("test_wait") || insn.has("try_wait"), drops = insn.has("arrive_drop");
  const bool arrives = insn.has("arrive") || drops;
  const Address bar = shared_address(insn, insn.operands[waits || arrives ? 1 : 0]);
  if (waits) return mbarrier_wait(insn, bar);
  const ptx::Operand& last = insn.operands.back();
  if (insn.has("init")) {
    Operand word = in_register64(mbarrier_word(src(last, Type::kU32), true, mir::imm(0)));
    emit(Op::Sts, {}, bar.base, bar.offset, word).set("size", isa::MemSize::B64);
    return;
  }
  const isa::Scope scope = scope_among(insn);
  if (!arrives) {
    Operand bytes = src(last, Type::kU32);
    Operand word = mbarrier_word(mir::imm(0), false, insn.has("complete_tx") ? negative(bytes) : bytes);
    return mbarrier_arrive(bar, {}, word, scope);
  }
  const bool expects = insn.has("expect_tx"), counts = insn.operands.size() > 2 && !expects;
  Operand pending = negative(counts ? src(last, Type::kU32) : mir::imm(1));
  Operand word = mbarrier_word(pending, drops, expects ? src(last, Type::kU32) : mir::imm(0));
  Operand token = is_read(insn.operands[0]) ? dst(insn.operands[0], Type::kB64) : Operand{};
  if (!insn.has("relaxed")) fence(scope, false);
  mbarrier_arrive(bar, token, word, scope);
}

// cp.async.mbarrier.arrive: the thread itself waits for its copies, and arrives. Where that must not change how many
// are pending, it first adds the one that it takes away, lest the phase completes meanwhile.
void FunctionLowering::lower_copy_arrive(const Insn& insn) {
  const Address bar = shared_address(insn, insn.operands[0]);
  const auto add = [&](int n) {
    mbarrier_arrive(bar, {}, mbarrier_word(mir::imm(n), false, mir::imm(0)), isa::Scope::Cta);
  };
  if (!insn.has("noinc")) add(1);
  if (program_.options().has.async_copy) emit(Op::Depbar, {}).set("all", 1);
  add(-1);
}

// st.async and red.async: the store or reduction, at once, and then an arrival that takes its bytes.
void FunctionLowering::lower_with_bytes(const Insn& insn) {
  if (!insn.has("mbarrier::complete_tx::bytes")) return unsupported(insn);
  Insn plain = insn;
  std::erase_if(plain.modifiers, [](auto m) { return m == "async" || m == "mbarrier::complete_tx::bytes"; });
  plain.operands.pop_back();
  if (insn.opcode == "st") lower_st(plain);
  else lower_atom(plain);
  const auto bytes = static_cast<int64_t>(elements(insn.operands[1]).size()) * ptx::type_bytes(insn.type());
  mbarrier_arrive(shared_address(insn, insn.operands[2]), {}, mbarrier_word(mir::imm(0), false, mir::imm(-bytes)),
                  isa::Scope::Cluster);
}

}  // namespace heddle::compiler::lower
