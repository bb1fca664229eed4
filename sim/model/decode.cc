// SPDX-License-Identifier: Apache-2.0
#include "sim/model/decode.h"

#include <cstring>

#include "sim/model/ops.h"

namespace heddle::model {
namespace {

Kind kind_of(const isa::OpInfo& info) {
  if (info.status == isa::Status::Reserved) return Kind::Illegal;
  if (info.op == isa::Opcode::Bra) return Kind::Branch;
  if (info.unit == isa::Unit::Ctl) return Kind::Control;
  if (info.unit == isa::Unit::Lsu) return Kind::Memory;
  return Kind::Alu;
}

bool atomic(isa::Opcode op) { return op == isa::Opcode::Atomg || op == isa::Opcode::Atoms || op == isa::Opcode::Atom; }

bool is_there(const isa::OpInfo& info, const Features& has) {
  if (info.op == isa::Opcode::Ldsm) return has.matrix_load;
  if (info.op == isa::Opcode::Dmma) return has.dmma;
  if (info.op == isa::Opcode::Cbar) return has.clusters;
  if (info.op == isa::Opcode::Ldgsts || info.op == isa::Opcode::Depbar || info.op == isa::Opcode::Ldgdepbar)
    return has.async_copy;
  switch (info.unit) {
    case isa::Unit::Fp64: return has.fp64;
    case isa::Unit::Fp16: return has.fp16;
    case isa::Unit::Tensor: return has.tensor;
    default: return true;
  }
}

bool is_there(isa::Opcode at, isa::AtomOp op, isa::AtomType type, isa::MemSize size, const Features& has) {
  if (op == isa::AtomOp::Arrive)
    return at == isa::Opcode::Atoms && type == isa::AtomType::U && size == isa::MemSize::B64;
  if (type <= isa::AtomType::S) return op <= isa::AtomOp::Cas;
  const isa::MemSize sized = type == isa::AtomType::F64 ? isa::MemSize::B64 : isa::MemSize::B32;
  const bool pairs = type == isa::AtomType::F16x2 || type == isa::AtomType::Bf16x2;
  const bool computes = op == isa::AtomOp::Add || (pairs && (op == isa::AtomOp::Min || op == isa::AtomOp::Max));
  return has.float_atomics && type <= isa::AtomType::Bf16x2 && computes && size == sized;
}

// Registers that an operand of `kind` takes; `sized`: those of an access.
uint32_t span(const Decoded& d, isa::Operand kind, uint32_t sized) {
  switch (kind) {
    case isa::Operand::R32:
    case isa::Operand::F32: return 1;
    case isa::Operand::R64: return 2;
    case isa::Operand::RSz: return sized;
    case isa::Operand::FragA:
    case isa::Operand::FragB:
    case isa::Operand::FragC: return isa::fragment_registers(kind, d.op, d.mod);
    default: return 0;
  }
}

bool fits(uint8_t first, uint32_t count, uint32_t registers) {
  if (first == isa::kRz || count == 0) return true;
  return first + count <= registers + (registers & 1) && first % count == 0;
}

bool registers_fit(Decoded& d, const isa::OpInfo& info, isa::Form form, uint32_t registers) {
  const bool atomic_op = atomic(d.op);
  const uint32_t sized =
      memory_shape(static_cast<isa::MemSize>(atomic_op ? d.get(field::Atomic_size) : d.get(field::Memory_size)))
          .registers;
  const bool cas = atomic_op && d.get(field::Atomic_op) == static_cast<uint32_t>(isa::AtomOp::Cas);
  d.ra_rows = static_cast<uint8_t>(span(d, info.a, sized));
  if (form == isa::Form::R) d.rb_rows = static_cast<uint8_t>(atomic_op ? sized : span(d, info.b, sized));
  d.rc_rows = static_cast<uint8_t>(atomic_op ? (cas ? sized : 0) : span(d, info.c, sized));
  const bool sparse = (d.op == isa::Opcode::Hmma && d.get(field::Hmma_sparse)) ||
                      (d.op == isa::Opcode::Imma && d.get(field::Imma_sparse));
  if (sparse && !fits(static_cast<uint8_t>(d.get(field::Hmma_metadata)), 1, registers)) return false;
  return fits(d.rd, d.rows, registers) && fits(d.ra, d.ra_rows, registers) && fits(d.rb, d.rb_rows, registers) &&
         fits(d.rc, d.rc_rows, registers);
}

}  // namespace

MemoryShape memory_shape(isa::MemSize size) {
  switch (size) {
    case isa::MemSize::U8: return {1, 1, false};
    case isa::MemSize::S8: return {1, 1, true};
    case isa::MemSize::U16: return {2, 1, false};
    case isa::MemSize::S16: return {2, 1, true};
    case isa::MemSize::B32: return {4, 1, false};
    case isa::MemSize::B64: return {8, 2, false};
    case isa::MemSize::B128: return {16, 4, false};
  }
  return {0, 0, false};  // the eighth encoding
}

Decoded decode(uint64_t word, uint32_t registers, const Features& has) {
  Decoded d;
  d.word = word;
  const auto instruction = isa::decode(word);
  if (!instruction) return d;
  const isa::OpInfo& info = isa::info(instruction->op);
  d.op = instruction->op;
  d.kind = kind_of(info);
  if (!is_there(info, has)) d.kind = Kind::Illegal;
  d.guard = instruction->guard;
  d.guard_negated = instruction->guard_negated;
  d.rd = instruction->rd;
  d.ra = instruction->ra;
  d.rb = instruction->rb;
  d.rc = instruction->rc;
  d.mod = instruction->mod;
  switch (instruction->form) {
    case isa::Form::R: break;
    case isa::Form::C:
      d.b = Source::Constant;
      d.bank = instruction->bank;
      d.imm = static_cast<uint32_t>(instruction->imm) * 4;
      break;
    case isa::Form::S:
    case isa::Form::L:
      d.b = Source::Immediate;
      d.imm = instruction->immediate();
      for (uint32_t& lane : d.imm_row.lane) lane = d.imm;
      break;
  }
  if (d.kind == Kind::Memory) {
    const auto size = static_cast<isa::MemSize>(atomic(d.op) ? d.get(field::Atomic_size) : d.get(field::Memory_size));
    const bool sized = d.op != isa::Opcode::Membar && d.op != isa::Opcode::Cctl && d.op != isa::Opcode::Depbar &&
                       d.op != isa::Opcode::Ldgdepbar;
    const bool valid =
        atomic(d.op) ? size == isa::MemSize::B32 || size == isa::MemSize::B64 : memory_shape(size).bytes != 0;
    if (sized && !valid) d.kind = Kind::Illegal;
    if ((d.op == isa::Opcode::Ldsm || d.op == isa::Opcode::Ldgsts) && memory_shape(size).bytes < 4)
      d.kind = Kind::Illegal;
    if (atomic(d.op) && !is_there(d.op, static_cast<isa::AtomOp>(d.get(field::Atomic_op)),
                                  static_cast<isa::AtomType>(d.get(field::Atomic_type)), size, has))
      d.kind = Kind::Illegal;
    if (info.dst == isa::Operand::RSz) d.rows = memory_shape(size).registers;
  } else if (info.dst == isa::Operand::R32) {
    d.rows = 1;
  } else if (info.dst == isa::Operand::R64) {
    d.rows = 2;
  } else if (info.dst == isa::Operand::FragC) {
    d.rows = static_cast<uint8_t>(isa::fragment_registers(info.dst, d.op, d.mod));
    if (d.rows == 0) d.kind = Kind::Illegal;
  } else if (info.dst == isa::Operand::P2) {
    d.pd = d.rd & 7;
    d.pq = d.rd >> 3 & 7;
  }
  if (d.op == isa::Opcode::Iadd || d.op == isa::Opcode::Iadd64) {
    const uint32_t cout = d.get(field::Add_cout_plus1);
    if (cout) d.pd = static_cast<uint8_t>(cout - 1);
  }
  if (d.op == isa::Opcode::Match) d.pd = static_cast<uint8_t>(d.get(field::Match_pd));
  if (d.op == isa::Opcode::Shfl) d.pd = static_cast<uint8_t>(d.get(field::Shuffle_pd));
  if (d.op == isa::Opcode::Bar && d.get(field::BlockBarrier_mode) == static_cast<uint32_t>(isa::BarMode::Red)) {
    if (d.get(field::BlockBarrier_red) == static_cast<uint32_t>(isa::BarRed::Popc)) d.rows = 1;
    else d.pd = d.rd & 7;
  }
  if (d.kind == Kind::Alu) {
    d.execute = op_table()[static_cast<uint8_t>(d.op)];
    if (!d.execute) d.kind = Kind::Illegal;
  }
  if (!registers_fit(d, info, instruction->form, registers)) d.kind = Kind::Illegal;
  return d;
}

void Code::load(const uint8_t* image, uint32_t size, uint32_t registers) {
  const size_t count = size / isa::kInstructionBytes;
  const size_t known = registers == registers_ ? decoded_.size() : 0;
  registers_ = registers;
  decoded_.resize(count);
  for (size_t i = 0; i < count; i++) {
    uint64_t word;
    std::memcpy(&word, image + i * isa::kInstructionBytes, sizeof word);
    if (i >= known || decoded_[i].word != word) decoded_[i] = decode(word, registers, has_);
  }
}

}  // namespace heddle::model
