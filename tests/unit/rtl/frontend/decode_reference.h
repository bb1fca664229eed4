// SPDX-License-Identifier: Apache-2.0
// What decoding must give, from isa::decode and the table of operations.
#ifndef HEDDLE_TESTS_UNIT_RTL_FRONTEND_DECODE_REFERENCE_H_
#define HEDDLE_TESTS_UNIT_RTL_FRONTEND_DECODE_REFERENCE_H_

#include <array>
#include <cstdint>
#include <optional>
#include <ostream>

#include "isa/isa.h"

namespace heddle::test {

enum Fault { kNoFault = 0, kIllegalAddress = 1, kIllegalInstruction = 3, kIllegalPc = 4, kBusFault = 6 };

inline constexpr unsigned kUnits = static_cast<unsigned>(isa::Unit::Ctl) + 1;  // that are built

// Hardware with all units executes it; reserved encodings it refuses.
inline bool is_built(const isa::OpInfo& op) { return op.status == isa::Status::Built; }

// core_pkg::decoded_t, without what follows from the rest.
struct Decoded {
  std::uint32_t pc = 0;
  unsigned op = 0, to = static_cast<unsigned>(isa::Unit::Ctl), mod = 0, guard = 7, psrc = 7, psrc2 = 7;
  unsigned rd = 255, rows = 1, pd = 7, pq = 7, bar = 0;
  std::array<std::optional<unsigned>, 6> reads;  // registers, by operand row
  unsigned uses = 0;                             // operand rows that take part
  std::array<unsigned, 3> fragments{};           // tensor: registers of A, B and C, at rows 0, 2 and 4
  unsigned steps = 0, re = 255;
  bool b_imm = false, special = false, konst = false;
  unsigned bank = 0;
  std::optional<std::uint32_t> imm;  // none: does not matter
  bool drain = false, ordered = false, blocks = false, answers = false;
  unsigned fault = kNoFault;
};

#ifdef HEDDLE_CLUSTERS
inline constexpr bool kClusters = true;
#else
inline constexpr bool kClusters = false;
#endif

inline unsigned size_registers(const isa::Instruction& i) {
  switch (static_cast<isa::MemSize>(i.field("size"))) {
    case isa::MemSize::B64: return 2;
    case isa::MemSize::B128: return 4;
    default: return 1;
  }
}

// A range of registers is in the file (its size rounded up to even) and aligned.
inline bool good_registers(unsigned first, unsigned count, unsigned registers) {
  return first == isa::kRz || (first % count == 0 && first + count <= (registers + 1) / 2 * 2);
}

inline Decoded reference_decode(std::uint64_t word, std::uint32_t pc, unsigned registers) {
  using isa::Opcode;
  using isa::Operand;
  Decoded d;
  d.pc = pc;
  const auto decoded = isa::decode(word);
  if (!decoded || !is_built(isa::info(decoded->op))) {
    d.fault = kIllegalInstruction;
    return d;
  }
  const isa::Instruction& i = *decoded;
  const isa::OpInfo& info = isa::info(i.op);
  d.op = static_cast<unsigned>(i.op);
  if (const auto unit = static_cast<unsigned>(info.unit); unit < kUnits) d.to = unit;
  d.mod = i.mod;
  d.guard = i.guard | (i.guard_negated ? 8u : 0);
  bool good = i.op != Opcode::Cbar || kClusters;

  // Destinations.
  const bool reduces = i.op == Opcode::Bar && i.field("mode") == static_cast<unsigned>(isa::BarMode::Red);
  switch (info.dst) {
    // clang-format off
    case Operand::R32: case Operand::F32: d.rd = i.rd; break;
    case Operand::R64: d.rd = i.rd; d.rows = 2; break;
    case Operand::RSz: d.rd = i.rd; d.rows = size_registers(i); break;
    case Operand::P2: d.pd = i.rd & 7; d.pq = i.rd >> 3 & 7; break;
    // clang-format on
    case Operand::Bar: d.bar = i.rd & 15; break;
    default: break;
  }
  if (reduces && i.field("red") == static_cast<unsigned>(isa::BarRed::Popc)) d.rd = i.rd;
  else if (reduces) d.pd = i.rd & 7;
  if (i.op == Opcode::Match || i.op == Opcode::Shfl) d.pd = i.field("pd");
  if (i.field("cout_plus1") != 0) d.pd = i.field("cout_plus1") - 1;
  good = good && good_registers(d.rd, d.rows, registers);

  // Sources: count registers from first, at operand rows from row on.
  const auto source = [&](unsigned row, unsigned first, unsigned count) {
    good = good && good_registers(first, count, registers);
    for (unsigned k = 0; k < count; k++) {
      d.uses |= 1u << (row + k);
      if (first != isa::kRz) d.reads[row + k] = first + k;
    }
  };
  const bool atomic = i.op == Opcode::Atomg || i.op == Opcode::Atoms || i.op == Opcode::Atom;
  const auto count = [&](Operand kind) {
    if (atomic && kind == Operand::R32) return size_registers(i) == 2 ? 2u : 1u;
    return kind == Operand::R64 ? 2u : 1u;
  };
  const bool tensor = info.unit == isa::Unit::Tensor;
  if (tensor) {
    for (unsigned n = 0; n < 3; n++) {
      const unsigned first = n == 0 ? i.ra : n == 1 ? i.rb : i.rc;
      const Operand kind = n == 0 ? Operand::FragA : n == 1 ? Operand::FragB : Operand::FragC;
      d.fragments[n] = isa::fragment_registers(kind, i.op, i.mod);
      good = good && d.fragments[n] != 0 && good_registers(first, d.fragments[n], registers);
      d.uses |= 1u << 2 * n;
      if (first != isa::kRz) d.reads[2 * n] = first;
    }
    d.rd = i.rd;
    d.rows = d.fragments[2];
    d.steps = i.field("sparse") ? 2 : 1;
    if (i.field("sparse")) d.re = i.field("metadata");
    good = good && d.rows != 0 && good_registers(d.rd, d.rows, registers) && good_registers(d.re, 1, registers);
  }
  if (info.a != Operand::None && !tensor)
    source(0, i.ra, info.a == Operand::R64 ? 2 : 1);  // an atomic's address, whatever its size
  if (info.b != Operand::None && !tensor) {
    if (i.form == isa::Form::R) {
      source(2, i.rb, count(info.b));
    } else {
      d.b_imm = true;
      d.uses |= count(info.b) == 2 ? 0xcu : 4u;
    }
  }
  if (info.c == Operand::RSz) {
    source(2, i.rc, size_registers(i));  // the data of a store
  } else if (i.op == Opcode::Ldgsts) {
    source(2, i.rc, 1);  // where it stores
  } else if (info.c != Operand::None && !tensor &&
             (!atomic || i.field("op") == static_cast<unsigned>(isa::AtomOp::Cas))) {
    if (i.form == isa::Form::L) d.uses |= count(info.c) == 2 ? 0x30u : 0x10u;  // rc = RZ
    else source(4, i.rc, count(info.c));
  }
  d.special = i.op == Opcode::S2r || i.op == Opcode::S2r64;
  if (i.op == Opcode::S2r) d.uses |= 4;
  if (i.op == Opcode::S2r64) d.uses |= 0xc;
  d.konst = d.b_imm && i.form == isa::Form::C;
  d.bank = i.bank;
  if (i.form == isa::Form::C) d.imm = static_cast<std::uint32_t>(i.imm) * 4;
  else if (i.form != isa::Form::R) d.imm = i.immediate();
  else if (atomic) d.imm = 0;
  if (i.op == Opcode::Ldc) d.mod |= i.bank << 10;

  // Predicates read as data.
  switch (i.op) {
    // clang-format off
    case Opcode::Isetp: case Opcode::Isetp64: case Opcode::Fsetp: case Opcode::Dsetp: case Opcode::Hsetp2: d.psrc = i.field("pc"); break;
    case Opcode::Plop: d.psrc = i.field("pa"); d.psrc2 = i.field("pb"); break;
    case Opcode::Sel: case Opcode::Vote: case Opcode::Ballot: d.psrc = i.field("p"); break;
    case Opcode::Iadd: case Opcode::Iadd64: d.psrc = i.field("use_cin") ? i.field("cin") : 0xf; break;
    case Opcode::Bar: if (reduces) d.psrc = i.field("p"); break;
    // clang-format on
    default: break;
  }

  d.answers = i.op == Opcode::Call || i.op == Opcode::Callx;
  const bool block_fence = i.op == Opcode::Membar && i.field("scope") == static_cast<unsigned>(isa::Scope::Cta);
  const bool waits_for_copies = i.op == Opcode::Depbar || i.op == Opcode::Ldgdepbar;
  if (block_fence || waits_for_copies) d.to = static_cast<unsigned>(isa::Unit::Int);
  d.drain = d.answers || reduces || block_fence;
  d.ordered = i.op == Opcode::Bar || i.op == Opcode::Cbar;
  const auto order = static_cast<isa::MemOrder>(i.field("order"));
  switch (i.op) {
    case Opcode::Membar: d.blocks = !block_fence; break;
    case Opcode::Cctl: d.blocks = true; break;
    case Opcode::Ldg:
    case Opcode::Ld: d.blocks = order == isa::MemOrder::Acquire; break;
    // A release has its fence before it, an acquire after it.
    case Opcode::Atomg:
    case Opcode::Atoms:
    case Opcode::Atom: d.blocks = order == isa::MemOrder::Acquire || order == isa::MemOrder::Release; break;
    default: break;
  }
  const unsigned size = i.field("size");
  const auto type = static_cast<isa::AtomType>(i.field("type"));
  const auto op = static_cast<isa::AtomOp>(atomic ? i.field("op") : 0);
  if (atomic && op == isa::AtomOp::Arrive &&
      (i.op != Opcode::Atoms || type != isa::AtomType::U || size != static_cast<unsigned>(isa::MemSize::B64)))
    good = false;
  if (atomic && op != isa::AtomOp::Arrive && type > isa::AtomType::S) {
    const bool picks = (op == isa::AtomOp::Min || op == isa::AtomOp::Max) && type >= isa::AtomType::F16x2;
    const bool there = (op == isa::AtomOp::Add || picks) && type <= isa::AtomType::Bf16x2;
    const isa::MemSize sized = type == isa::AtomType::F64 ? isa::MemSize::B64 : isa::MemSize::B32;
    if (!there || size != static_cast<unsigned>(sized)) good = false;
  }
  if ((i.op == Opcode::Ldsm || i.op == Opcode::Ldgsts) &&
      (size < static_cast<unsigned>(isa::MemSize::B32) || size > static_cast<unsigned>(isa::MemSize::B128)))
    good = false;
  if (!good) {
    d.fault = kIllegalInstruction;
    d.to = static_cast<unsigned>(isa::Unit::Ctl);
    d.konst = d.drain = false;
  }
  return d;
}

}  // namespace heddle::test

#endif  // HEDDLE_TESTS_UNIT_RTL_FRONTEND_DECODE_REFERENCE_H_
