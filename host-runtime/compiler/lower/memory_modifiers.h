// SPDX-License-Identifier: Apache-2.0
// What the modifiers of loads, stores and atomics say.
// Not for other folders.
#pragma once

#include "host-runtime/compiler/ptx/ast.h"
#include "isa/isa.h"

namespace heddle::compiler::lower {

using ptx::Space;
using ptx::Type;

inline Space space_of(const ptx::Instruction& insn) {
  for (std::string_view m : insn.modifiers) {
    if (m.starts_with("shared::")) return Space::kShared;
    if (m.starts_with("param::")) return Space::kParam;
    if (auto space = ptx::space_by_name(m)) return *space;
  }
  return Space::kNone;
}

inline size_t vector_width(const ptx::Instruction& insn) {
  return insn.has("v2") ? 2 : insn.has("v4") ? 4 : insn.has("v8") ? 8 : 1;
}

inline isa::MemSize size_of(int bytes, bool is_signed) {
  switch (bytes) {
    case 1: return is_signed ? isa::MemSize::S8 : isa::MemSize::U8;
    case 2: return is_signed ? isa::MemSize::S16 : isa::MemSize::U16;
    case 4: return isa::MemSize::B32;
    case 8: return isa::MemSize::B64;
    default: return isa::MemSize::B128;
  }
}

// The loads and stores of each space; those of none take generic addresses.
inline isa::Opcode load_op(Space space) {
  switch (space) {
    case Space::kGlobal: return isa::Opcode::Ldg;
    case Space::kConst: return isa::Opcode::Ldc;
    case Space::kShared: return isa::Opcode::Lds;
    case Space::kLocal:
    case Space::kParam: return isa::Opcode::Ldl;
    default: return isa::Opcode::Ld;
  }
}

inline isa::Opcode store_op(Space space) {
  switch (space) {
    case Space::kGlobal: return isa::Opcode::Stg;
    case Space::kShared: return isa::Opcode::Sts;
    case Space::kLocal:
    case Space::kParam: return isa::Opcode::Stl;
    default: return isa::Opcode::St;
  }
}

inline isa::AtomOp operation_of(const ptx::Instruction& insn) {
  struct Row {
    std::string_view name;
    isa::AtomOp op;
  };
  static constexpr Row kOps[] = {{"min", isa::AtomOp::Min}, {"max", isa::AtomOp::Max},   {"inc", isa::AtomOp::Inc},
                                 {"dec", isa::AtomOp::Dec}, {"and", isa::AtomOp::And},   {"or", isa::AtomOp::Or},
                                 {"xor", isa::AtomOp::Xor}, {"exch", isa::AtomOp::Exch}, {"cas", isa::AtomOp::Cas}};
  for (const Row& row : kOps)
    if (insn.has(row.name)) return row.op;
  return isa::AtomOp::Add;
}

// These become loops.
inline bool is_narrow_swap(const ptx::Instruction& insn) {
  return insn.opcode == "atom" && insn.has("cas") && ptx::type_bits(insn.type()) == 16;
}
// Of 128 bits, between which no other may come.
inline bool is_wide_swap(const ptx::Instruction& insn) {
  return insn.has("b128") &&
         (insn.opcode == "atom" ||
          (insn.opcode == "st" && (insn.has("volatile") || insn.has("relaxed") || insn.has("release"))));
}
// A copy that is told how many of its bytes there are, and may not be told all: the rest are zeros.
inline bool is_partial_copy(const ptx::Instruction& insn) {
  if (insn.opcode != "cp" || insn.operands.size() <= (insn.has("L2::cache_hint") ? 4 : 3)) return false;
  return !insn.operands[3].is_int() || insn.operands[3].bits != insn.operands[2].bits;
}
// Of the copies in bulk those of whole units, of tensors as tiles.
inline bool is_built_bulk(const ptx::Instruction& insn) {
  if (insn.opcode != "cp" || !insn.has("bulk") || insn.has("cp_mask")) return false;
  for (std::string_view m : insn.modifiers)
    if (m.starts_with("im2col") || m.starts_with("tile::") || m.starts_with("cta_group")) return false;
  if (insn.has("mbarrier::complete_tx::bytes")) return true;
  return insn.has("bulk_group") || insn.has("commit_group") || insn.has("wait_group") || insn.has("prefetch");
}
inline bool is_atomic_arithmetic(const ptx::Instruction& insn) {
  return (insn.opcode == "atom" || insn.opcode == "red") && ptx::is_float(insn.type()) &&
         (insn.has("add") || insn.has("min") || insn.has("max"));
}

inline bool is_ordered(const ptx::Instruction& insn) {
  return insn.has("volatile") || insn.has("relaxed") || insn.has("acquire") || insn.has("release") || insn.has("mmio");
}

inline isa::CacheOp cache_of(const ptx::Instruction& insn) {
  // What others may write meanwhile must not come from this SM's L1.
  if (is_ordered(insn) && !insn.has("cta")) return isa::CacheOp::Cg;
  if (insn.has("nc")) return isa::CacheOp::Nc;
  if (insn.has("cg")) return isa::CacheOp::Cg;
  if (insn.has("cs")) return isa::CacheOp::Cs;
  if (insn.has("lu")) return isa::CacheOp::Lu;
  if (insn.has("cv") || insn.has("wt")) return isa::CacheOp::Cv;
  return isa::CacheOp::Ca;
}

}  // namespace heddle::compiler::lower
