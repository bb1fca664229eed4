// SPDX-License-Identifier: Apache-2.0
// Atomics, fences, prefetches.
#include "host-runtime/compiler/lower/function.h"
#include "host-runtime/compiler/lower/memory_modifiers.h"

namespace heddle::compiler::lower {

namespace {

// What the machine has for the space: atomics on global memory, shared memory, generic addresses.
isa::Opcode atomic_on(Space space) {
  return space == Space::kGlobal   ? isa::Opcode::Atomg
         : space == Space::kShared ? isa::Opcode::Atoms
                                   : isa::Opcode::Atom;
}

}  // namespace

void FunctionLowering::lower_atom(const Insn& insn) {
  if (insn.has("async")) return lower_with_bytes(insn);
  Type type = insn.type();
  int bits = ptx::type_bits(type);
  const isa::AtomOp op = operation_of(insn);
  const bool sum = is_atomic_arithmetic(insn), narrow = is_narrow_swap(insn);
  const bool loop = narrow || bits == 128 || (sum && bits == 16);
  if ((bits != 32 && bits != 64 && !loop) || (vector_width(insn) > 1 && !sum)) return unsupported(insn);

  const bool reduction = insn.opcode == "red";
  const size_t at = reduction ? 0 : 1;
  Address where = address(insn, insn.operands[at]);
  if (where.space != Space::kGlobal && where.space != Space::kShared && where.space != Space::kNone) {
    return unsupported(insn);
  }
  // Atomics have no offset field.
  if (where.offset.is_imm() && !where.offset.is_imm(0)) {
    where.base = where.space != Space::kShared ? add64(where.base, where.offset)
                 : where.base.is_none()        ? in_register(where.offset)
                                               : iadd(where.base, where.offset);
    where.offset = mir::imm(0);
  }
  const bool release = insn.has("release") || insn.has("acq_rel");
  const bool acquire = insn.has("acquire") || insn.has("acq_rel");
  if (release) fence(scope_of(insn), false);
  if (vector_width(insn) > 1) {
    if (const auto kind = memory_computes(insn)) atomic_words(insn, where, *kind);
    else atomic_elements(insn, where);
    if (acquire) fence(scope_of(insn), false);
    return;
  }
  if (bits == 128) {
    const bool compares = op == isa::AtomOp::Cas, unused = !insn.operands[0].is_register();
    wide_swap(insn, where, unused ? Operand{} : dst(insn.operands[0], type),
              compares ? src(insn.operands[at + 1], type) : Operand{},
              src(insn.operands[compares ? at + 2 : at + 1], type));
    if (acquire) fence(scope_of(insn), false);
    return;
  }
  Operand b = src(insn.operands[at + 1], type);
  if (bits == 64) b = in_register64(b);
  Operand d = reduction ? Operand{} : dst(insn.operands[0], type);
  if (narrow) {
    narrow_swap(insn, where, d, source(insn.operands[at + 1], type), source(insn.operands[at + 2], type));
  } else if (is_loop_on_shared(insn)) {
    if (where.space == Space::kShared) shared_loop(insn, where, d, b);
    else generic_loop(insn, where, d, b);
  } else if (sum) {
    atomic_sum(insn, where, d, in_register(b));
  } else {
    Operand c = op == isa::AtomOp::Cas ? src(insn.operands[at + 2], type) : Operand{};
    if (bits == 64 && !c.is_none()) c = in_register64(c);
    emit_atomic(insn, where, op, d, b, c);
  }
  if (acquire) fence(scope_of(insn), false);
}

void FunctionLowering::emit_atomic(const Insn& insn, const Address& where, isa::AtomOp op, Operand d, Operand b,
                                   Operand c) {
  emit_atomic(insn, where, op, ptx::is_signed(insn.type()) ? isa::AtomType::S : isa::AtomType::U, d, b, c);
}

void FunctionLowering::emit_atomic(const Insn& insn, const Address& where, isa::AtomOp op, isa::AtomType type,
                                   Operand d, Operand b, Operand c) {
  emit(atomic_on(where.space), d, where.base, b, c)
      .set("size", ptx::type_bits(insn.type()) == 64 ? isa::MemSize::B64 : isa::MemSize::B32)
      .set("op", op)
      .set("type", type)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope_of(insn));
}

// What memory computes on for a sum, minimum or maximum of floating-point numbers, if it does: a word or doubleword.
// Single f16 and bf16 are halves of words, of which a vector has whole ones.
std::optional<isa::AtomType> FunctionLowering::memory_computes(const Insn& insn) {
  const Type type = insn.type();
  if (!program_.options().has.float_atomics) return {};
  if (is_half(type)) {
    if (!is_half_pair(type) && vector_width(insn) == 1) return {};
    return narrow_format(type) == isa::FloatFormat::Bf16 ? isa::AtomType::Bf16x2 : isa::AtomType::F16x2;
  }
  if (operation_of(insn) != isa::AtomOp::Add) return {};
  return ptx::type_bits(type) == 64 ? isa::AtomType::F64 : isa::AtomType::F32;
}

// A vector's words one by one, by memory: of f16 and bf16 two elements at once.
void FunctionLowering::atomic_words(const Insn& insn, const Address& where, isa::AtomType kind) {
  const Type type = insn.type();
  const bool reduction = insn.opcode == "red", halves = ptx::type_bits(type) == 16;
  const auto from = elements(insn.operands[reduction ? 1 : 2]);
  std::vector<Operand> values;  // all read before a result overwrites one
  for (size_t n = 0; n < from.size(); n += halves ? 2 : 1) {
    Operand low = src(from[n], type);
    values.push_back(t32());
    if (!halves) copy(values.back(), low);
    else emit(Op::Prmt, values.back(), in_register(low), mir::imm(0x5410), in_register(src(from[n + 1], type)));
  }
  for (size_t n = 0; n < values.size(); n++) {
    Address part = where;
    if (n) part.base = add64(where.base, mir::imm(static_cast<int64_t>(n) * 4));
    if (reduction) {
      emit_atomic(insn, part, operation_of(insn), kind, {}, values[n], {});
      continue;
    }
    const auto results = elements(insn.operands[0]);
    Operand old = halves ? t32() : dst(results[n], type);
    emit_atomic(insn, part, operation_of(insn), kind, old, values[n], {});
    if (!halves) continue;
    const ptx::Operand &low = results[2 * n], &high = results[2 * n + 1];
    if (low.is_register()) copy(dst(low, type), old);  // the upper half of a 16-bit value is anything
    if (high.is_register()) copy(dst(high, type), shr(old, mir::imm(16), false));
  }
}

// A vector's elements one by one, each by a loop.
void FunctionLowering::atomic_elements(const Insn& insn, const Address& where) {
  const Type type = insn.type();
  const bool reduction = insn.opcode == "red";
  const auto results = elements(insn.operands[0]);
  std::vector<Operand> values;  // all read before a result overwrites one
  for (const ptx::Operand& value : elements(insn.operands[reduction ? 1 : 2])) {
    values.push_back(t32());
    copy(values.back(), src(value, type));
  }
  // Between elements lanes wait for each other: on each they come in ascending order, as silicon's do.
  Operand together = t32();
  emit(Op::Ballot, together).p(Pred{});
  for (size_t n = 0; n < values.size(); n++) {
    Address part = where;
    if (n) emit(Op::Warpsync, {}, {}, together);
    if (n) part.base = add64(where.base, mir::imm(static_cast<int64_t>(n) * ptx::type_bits(type) / 8));
    atomic_sum(insn, part, reduction ? Operand{} : dst(results[n], type), values[n]);
  }
}

// A sum, minimum or maximum of floating-point numbers: by memory where it computes on the type, else compare and swap
// until nobody came between.
//   old = what is there; do { was = old; old = CAS(address, was, was + b) } while (old != was)
// As silicon has it, f32 sums in global memory flush subnormal numbers, those in shared memory and in bulk do not; f16
// and bf16 never do. A single one of those is half of a word. Sums of f64 in shared memory are shared_loop's.
void FunctionLowering::atomic_sum(const Insn& insn, Address where, Operand d, Operand b, bool keeps_subnormals) {
  const Type type = insn.type();
  const bool wide = b.count == 2, half = is_half(type), single = half && !is_half_pair(type);
  const bool unflushed = type == Type::kF32 && keeps_subnormals;
  if (const auto kind = memory_computes(insn); kind && !unflushed)
    return emit_atomic(insn, where, operation_of(insn), *kind, d, b, {});
  auto fresh = [&] { return wide ? t64() : t32(); };
  Operand take, put;  // bytes of a word that become the number, and of both that become the word
  if (single) {
    if (where.base.is_none()) where.base = in_register(mir::imm(0));
    mir::VReg lower = isetp(isa::ICmp::Eq, false, lop(isa::LogicOp::And, where.base.word(0), mir::imm(2)), mir::imm(0));
    take = select(when(lower), in_register(mir::imm(0x10)), mir::imm(0x32));
    put = select(when(lower), in_register(mir::imm(0x3254)), mir::imm(0x5410));
    Operand word = where.base.count == 2 ? t64() : t32();
    emit(Op::Lop, word.word(0), where.base.word(0), mir::imm(~2u))
        .set("op", isa::LogicOp::And);  // an odd address faults
    if (word.count == 2) copy(word.word(1), where.base.word(1));
    where.base = word;
  }
  Operand old = fresh(), was = fresh(), now = fresh();
  load_word(insn, where, old);
  mir::VReg in_shared = mir::kNone;
  if (type == Type::kF32 && where.space == Space::kNone) {
    in_shared = isetp(isa::ICmp::Eq, false, where.base.word(1), mir::imm(isa::kSharedWindow));
  }
  mir::BlockId again = b_.new_block(), done = b_.new_block();
  start_block(again);
  copy(was, old);
  auto number = [&](Operand word) {
    Operand n = t32();
    emit(Op::Prmt, n, word, take, word);
    return n;
  };
  if (wide) {
    emit(Op::Dadd, now, b, was);
    // Global memory passes a NaN as it is, the operand's before its own.
    const auto is_nan = [&](Operand x) {
      return isetp64(isa::ICmp::Gt, false, shl64(x, mir::imm(1)), constant64(static_cast<int64_t>(0xffe0000000000000)));
    };
    copy(now, select64(when(is_nan(b)), b, select64(when(is_nan(was)), was, now)));
  } else if (half) {
    Operand sum = single ? t32() : now;
    const bool plus = operation_of(insn) == isa::AtomOp::Add;
    auto arithmetic = emit(plus ? Op::Hadd2 : Op::Hmnmx2, sum, single ? number(was) : was, b);
    arithmetic.set("bf16", narrow_format(type) == isa::FloatFormat::Bf16);
    if (!plus) arithmetic.set("max", insn.has("max"));
    if (single) emit(Op::Prmt, now, was, put, sum);
  } else {
    emit(Op::Fadd, now, was, b).set("ftz", where.space != Space::kShared && !unflushed);
    if (in_shared != mir::kNone) {
      Operand exact = t32();
      emit(Op::Fadd, exact, was, b);
      copy(now, select(when(in_shared), exact, now));
    }
  }
  emit_atomic(insn, where, isa::AtomOp::Cas, old, was, now);
  mir::VReg same = wide ? isetp64(isa::ICmp::Eq, false, old, was) : isetp(isa::ICmp::Eq, false, old, was);
  b_.branch(when(same), done, again);
  set_block(done);
  if (!d.is_none()) copy(d, single ? number(old) : old);
}

// Operations of 64 bits on shared memory, but exchange, and compare and swap, are loops on silicon, and the order in
// which lanes come is the loop's. Nobody can tell where integers are computed on and no lane has its result; there the
// banks' own instruction does. What is said to lie in the cluster's shared memory has an instruction there, too, from
// the lowest lane to the highest.
bool FunctionLowering::is_loop_on_shared(const Insn& insn) const {
  if ((insn.opcode != "atom" && insn.opcode != "red") || insn.has("global") || insn.has("shared::cluster") ||
      vector_width(insn) > 1 || ptx::type_bits(insn.type()) != 64)
    return false;
  const isa::AtomOp op = operation_of(insn);
  if (op == isa::AtomOp::Exch || op == isa::AtomOp::Cas) return false;
  return ptx::is_float(insn.type()) || (insn.opcode == "atom" && is_read(insn.operands[0]));
}

// Silicon's loop, of the lanes that are here:
//   all that wait read their words, and compute
//   those of min and max whose word would stay as it is have done
//   of each half of the warp, of lanes whose words lie in one of 16 banks of eight bytes the lowest tries to swap:
//   lanes 0 to 15, then 16 to 31. It has done if its word still holds what it read
void FunctionLowering::shared_loop(const Insn& insn, Address where, Operand d, Operand b) {
  if (where.base.is_none()) where.base = in_register(mir::imm(0));
  const isa::AtomOp op = operation_of(insn);
  const Operand bank = lop(isa::LogicOp::And, where.base, mir::imm(0x78)), half = shr(lane_id(), mir::imm(4), false);
  const Operand before = lower_lanes_with(lop(isa::LogicOp::Or, bank, half));
  const Operand was = t64(), now = t64(), found = t64();
  const mir::VReg waits = tp(), any = tp();
  b_.copy_pred(waits, Pred{});

  const mir::BlockId again = b_.new_block(), done = b_.new_block();
  start_block(again);
  b_.set_guard(when(waits));
  load_word(insn, where, was);
  b_.set_guard({});
  const auto logic = [&](isa::LogicOp what) {
    for (unsigned n = 0; n < 2; n++) emit(Op::Lop, now.word(n), was.word(n), b.word(n)).set("op", what);
  };
  switch (op) {
    case isa::AtomOp::And: logic(isa::LogicOp::And); break;
    case isa::AtomOp::Or: logic(isa::LogicOp::Or); break;
    case isa::AtomOp::Xor: logic(isa::LogicOp::Xor); break;
    case isa::AtomOp::Min:
    case isa::AtomOp::Max:
      emit(Op::Imnmx64, now, b, was).set("max", op == isa::AtomOp::Max).set("sign", ptx::is_signed(insn.type()));
      b_.set_guard(when(waits));
      emit(Op::Isetp64, {}, now, was).set("cmp", isa::ICmp::Ne).pd(waits);
      b_.set_guard({});
      break;
    default:
      // Of two NaNs the sum is that which is there, made quiet.
      if (ptx::is_float(insn.type())) emit(Op::Dadd, now, b, was);
      else emit(Op::Iadd64, now, was, b);
  }
  b_.set_guard(when(first_waiting(before, when(waits))));
  emit_atomic(insn, where, isa::AtomOp::Cas, isa::AtomType::U, found, was, now);
  emit(Op::Isetp64, {}, found, was).set("cmp", isa::ICmp::Ne).pd(waits);
  b_.set_guard({});
  emit(Op::Vote, {}).set("mode", isa::VoteMode::Any).p(when(waits)).pd(any);
  b_.branch(when(any), again, done, true);
  set_block(done);
  if (!d.is_none()) copy(d, was);
}

void FunctionLowering::generic_loop(const Insn& insn, const Address& where, Operand d, Operand b) {
  const mir::BlockId shared = b_.new_block(), elsewhere = b_.new_block(), done = b_.new_block();
  b_.branch(when(isetp(isa::ICmp::Eq, false, where.base.word(1), mir::imm(isa::kSharedWindow))), shared, elsewhere);
  set_block(shared);
  Address word = where;
  word.space = Space::kShared;
  word.base = where.base.word(0);
  shared_loop(insn, word, d, b);
  b_.jump(done);
  set_block(elsewhere);
  if (ptx::is_float(insn.type())) atomic_sum(insn, where, d, b);
  else emit_atomic(insn, where, operation_of(insn), d, b, {});
  start_block(done);
}

// Compare and swap of half a word: of the whole word, for as long as only its other half comes between.
//   old = the word; while ((half = old's) == compare && (was = old, old = CAS(word, was, was with value)) != was) {}
void FunctionLowering::narrow_swap(const Insn& insn, const Address& where, Operand d, Operand compare, Operand value) {
  Operand low = in_register(where.base.is_none() ? mir::imm(0) : where.base.word(0));
  // An odd address stays one, and faults.
  Operand aligned = lop(isa::LogicOp::And, low, mir::imm(~int64_t{2}));
  Address whole = where;
  whole.base = where.base.count == 2 ? pair(aligned, where.base.word(1)) : aligned;
  Operand shift = shl(lop(isa::LogicOp::And, low, mir::imm(2)), mir::imm(3));
  Operand others = shl(in_register(mir::imm(0xffff)), shift);
  others = lop(isa::LogicOp::Xor, others, mir::imm(-1));
  Operand put = shl(in_register(value), shift);
  compare = in_register(compare);

  Operand old = t32(), was = t32(), half = t32();
  load_word(insn, whole, old);
  mir::BlockId again = b_.new_block(), swap = b_.new_block(), done = b_.new_block();
  start_block(again);
  copy(half, lop(isa::LogicOp::And, shr(old, shift, false), mir::imm(0xffff)));
  b_.branch(when(isetp(isa::ICmp::Eq, false, half, compare)), swap, done);
  set_block(swap);
  copy(was, old);
  emit_atomic(insn, whole, isa::AtomOp::Cas, old, was, lop(isa::LogicOp::Or, lop(isa::LogicOp::And, was, others), put));
  b_.branch(when(isetp(isa::ICmp::Eq, false, old, was)), done, again);
  set_block(done);
  if (!d.is_none()) copy(d, half);
}

// What the word holds now, seen by no cache of an SM.
void FunctionLowering::load_word(const Insn& insn, const Address& where, Operand word) {
  emit(where.space == Space::kGlobal   ? Op::Ldg
       : where.space == Space::kShared ? Op::Lds
                                       : Op::Ld,
       word, where.base, where.offset)
      .set("size", word.count == 2 ? isa::MemSize::B64 : isa::MemSize::B32)
      .set("cache", isa::CacheOp::Cg)
      .set("order", isa::MemOrder::Relaxed)
      .set("scope", scope_of(insn));
}

// ---- fences, prefetch -----------------------------------------------------------------------

void FunctionLowering::fence(isa::Scope scope, bool sc) { emit(Op::Membar, {}).set("scope", scope).set("sc", sc); }

void FunctionLowering::lower_fence(const Insn& insn) {
  // All names of a place are one to the caches: between aliases the strong fence does.
  if (insn.has("alias")) return fence(isa::Scope::Sys, true);
  if (insn.has("async")) return;  // there is one proxy: bulk.cc
  if (insn.has("tensormap::generic")) return fence(scope_of(insn), false);
  if (insn.has("proxy") || insn.has("sync_restrict") || insn.modifiers.empty()) {
    return unsupported(insn);
  }
  // membar is the strong fence; fence without .sc orders acquire and release only.
  fence(scope_of(insn), insn.has("sc") || insn.opcode == "membar");
}

// Cache policies are hints that no cache here takes: what loads and stores are given as theirs is not looked at.
void FunctionLowering::lower_policy(const Insn& insn) {
  copy(dst(insn.operands[0], Type::kB64), in_register64(mir::imm(0)));
}

void FunctionLowering::lower_prefetch(const Insn& insn) {
  if (insn.operands.size() != 1 || insn.operands[0].kind != ptx::Operand::Kind::kAddress) return unsupported(insn);
  // A hint: local memory is this thread's own and needs none, and a tensor's map is read once.
  if (insn.has("local") || insn.has("tensormap")) return;
  Address where = address(insn, insn.operands[0]);
  bool l2 = !insn.has("L1");
  emit(Op::Cctl, {}, where.base, where.offset).set("op", l2 ? isa::CctlOp::PrefetchL2 : isa::CctlOp::Prefetch);
}

}  // namespace heddle::compiler::lower
