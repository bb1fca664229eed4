// SPDX-License-Identifier: Apache-2.0
#include "isa/isa.h"

#include <algorithm>
#include <vector>

namespace heddle::isa {
namespace {

// Every enumerator of isa.h has the value that isa.def gives it.
#define HEDDLE_CHECK(type, value, name) static_assert(static_cast<int>(type::name) == value);
#define HEDDLE_ENUM(type, value, name, text) HEDDLE_ENUM_##type(type, value, name)
#define HEDDLE_ENUM_Rounding HEDDLE_CHECK
#define HEDDLE_ENUM_ICmp HEDDLE_CHECK
#define HEDDLE_ENUM_FCmp HEDDLE_CHECK
#define HEDDLE_ENUM_BoolOp HEDDLE_CHECK
#define HEDDLE_ENUM_LogicOp HEDDLE_CHECK
#define HEDDLE_ENUM_LeadMode HEDDLE_CHECK
#define HEDDLE_ENUM_PrmtMode HEDDLE_CHECK
#define HEDDLE_ENUM_IntWidth HEDDLE_CHECK
#define HEDDLE_ENUM_FloatFormat HEDDLE_CHECK
#define HEDDLE_ENUM_MufuOp HEDDLE_CHECK
#define HEDDLE_ENUM_MemSize HEDDLE_CHECK
#define HEDDLE_ENUM_CacheOp HEDDLE_CHECK
#define HEDDLE_ENUM_MemOrder HEDDLE_CHECK
#define HEDDLE_ENUM_Scope HEDDLE_CHECK
#define HEDDLE_ENUM_CctlOp HEDDLE_CHECK
#define HEDDLE_ENUM_AtomOp HEDDLE_CHECK
#define HEDDLE_ENUM_AtomType HEDDLE_CHECK
#define HEDDLE_ENUM_BarMode HEDDLE_CHECK
#define HEDDLE_ENUM_BarRed HEDDLE_CHECK
#define HEDDLE_ENUM_VoteMode HEDDLE_CHECK
#define HEDDLE_ENUM_ShflMode HEDDLE_CHECK
#define HEDDLE_ENUM_ReduxOp HEDDLE_CHECK
#define HEDDLE_ENUM_MmaFormat HEDDLE_CHECK
#define HEDDLE_ENUM_SpecialReg HEDDLE_CHECK
#include "isa/isa.def"

struct NamedField {
  std::string_view set;
  FieldInfo info;
};
struct EnumEntry {
  std::string_view type;
  unsigned value;
  std::string_view text;
};

constexpr NamedField kFields[] = {
#define HEDDLE_FIELD(set, name, lsb, width, kind) {#set, {#name, lsb, width, #kind}},
#include "isa/isa.def"
};
constexpr EnumEntry kEnums[] = {
#define HEDDLE_ENUM(type, value, name, text) {#type, value, text},
#include "isa/isa.def"
};

struct Table {
  std::vector<FieldInfo> fields;  // kFields without the set names, so that a set is a span
  std::vector<OpInfo> ops;
  std::array<const OpInfo*, 256> by_code{};

  std::span<const FieldInfo> set(std::string_view name) const {
    const auto first =
        std::find_if(std::begin(kFields), std::end(kFields), [&](const NamedField& f) { return f.set == name; });
    const auto last = std::find_if(first, std::end(kFields), [&](const NamedField& f) { return f.set != name; });
    return {fields.data() + (first - std::begin(kFields)), static_cast<size_t>(last - first)};
  }

  Table() {
    for (const NamedField& f : kFields) fields.push_back(f.info);
    ops = {
#define HEDDLE_OP(name, mnemonic, code, unit, latency, dst, a, b, c, forms, mods, status, doc)       \
  OpInfo{Opcode::name, #name,      mnemonic, Unit::unit, Latency::latency, Operand::dst, Operand::a, \
         Operand::b,   Operand::c, forms,    set(#mods), Status::status,   doc},
#include "isa/isa.def"
    };
    for (const OpInfo& op : ops) by_code[static_cast<uint8_t>(op.op)] = &op;
  }
};

const Table& table() {
  static const Table instance;
  return instance;
}

constexpr uint64_t bits(uint64_t word, unsigned lsb, unsigned width) {
  return word >> lsb & ((uint64_t{1} << width) - 1);
}

const FieldInfo* find_field(Opcode op, std::string_view name) {
  for (const FieldInfo& f : info(op).fields)
    if (f.name == name) return &f;
  return nullptr;
}

}  // namespace

const OpInfo* info(uint8_t opcode) { return table().by_code[opcode]; }

std::span<const OpInfo> all() { return table().ops; }

const OpInfo* find(std::string_view mnemonic) {
  for (const OpInfo& op : all())
    if (op.mnemonic == mnemonic) return &op;
  return nullptr;
}

std::string_view enum_text(std::string_view type, unsigned value) {
  for (const EnumEntry& e : kEnums)
    if (e.type == type && e.value == value) return e.text;
  return {};
}

std::optional<unsigned> enum_value(std::string_view type, std::string_view text) {
  for (const EnumEntry& e : kEnums)
    if (e.type == type && e.text == text) return e.value;
  return std::nullopt;
}

unsigned Instruction::field(std::string_view name) const {
  const FieldInfo* f = find_field(op, name);
  return f ? static_cast<unsigned>(bits(mod, f->lsb, f->width)) : 0;
}

bool Instruction::set_field(std::string_view name, unsigned value) {
  const FieldInfo* f = find_field(op, name);
  if (!f || value >> f->width) return false;
  const uint32_t mask = ((1u << f->width) - 1) << f->lsb;
  mod = (mod & ~mask) | value << f->lsb;
  return true;
}

uint32_t Instruction::immediate() const {
  const bool upper = form == Form::S && info(op).b == Operand::F32;
  return upper ? static_cast<uint32_t>(imm) << 16 : static_cast<uint32_t>(imm);
}

std::optional<uint64_t> encode(const Instruction& i) {
  const OpInfo* op = info(static_cast<uint8_t>(i.op));
  if (!op || !op->has_form(i.form) || i.guard > kPt || i.mod >> 18) return std::nullopt;
  uint64_t w = static_cast<uint64_t>(i.op) | uint64_t{i.guard} << 8 | uint64_t{i.guard_negated} << 11 |
               uint64_t{i.rd} << 12 | uint64_t{i.ra} << 20 | static_cast<uint64_t>(i.form) << 28;
  if (i.form == Form::L) {
    if (i.mod >> 2 || i.rc != kRz) return std::nullopt;
    return w | uint64_t{i.mod} << 30 | static_cast<uint64_t>(static_cast<uint32_t>(i.imm)) << 32;
  }
  w |= uint64_t{i.rc} << 46 | (uint64_t{i.mod} & 0x3ff) << 54;
  if (i.form == Form::R) return w | uint64_t{i.rb} << 30 | uint64_t{i.mod >> 10} << 38;
  if (i.mod >> 10) return std::nullopt;
  if (i.form == Form::C) {
    if (i.imm < 0 || i.imm >= 1 << 14 || i.bank > 3) return std::nullopt;
    return w | static_cast<uint64_t>(i.imm) << 30 | uint64_t{i.bank} << 44;
  }
  if (i.imm < -32768 || i.imm > 32767) return std::nullopt;
  return w | static_cast<uint64_t>(i.imm & 0xffff) << 30;
}

std::optional<Instruction> decode(uint64_t w) {
  const OpInfo* op = info(static_cast<uint8_t>(w));
  const auto form = static_cast<Form>(bits(w, 28, 2));
  if (!op || !op->has_form(form)) return std::nullopt;
  Instruction i;
  i.op = op->op;
  i.guard = static_cast<uint8_t>(bits(w, 8, 3));
  i.guard_negated = bits(w, 11, 1);
  i.rd = static_cast<uint8_t>(bits(w, 12, 8));
  i.ra = static_cast<uint8_t>(bits(w, 20, 8));
  i.form = form;
  if (form == Form::L) {
    i.mod = static_cast<uint32_t>(bits(w, 30, 2));
    i.imm = static_cast<int32_t>(w >> 32);
    return i;
  }
  i.rc = static_cast<uint8_t>(bits(w, 46, 8));
  i.mod = static_cast<uint32_t>(bits(w, 54, 10));
  switch (form) {
    case Form::R:
      i.rb = static_cast<uint8_t>(bits(w, 30, 8));
      i.mod |= static_cast<uint32_t>(bits(w, 38, 8)) << 10;
      break;
    case Form::C:
      i.imm = static_cast<int32_t>(bits(w, 30, 14));
      i.bank = static_cast<uint8_t>(bits(w, 44, 2));
      break;
    default: i.imm = static_cast<int16_t>(bits(w, 30, 16)); break;
  }
  return i;
}

unsigned operand_registers(Operand kind, const Instruction& instruction) {
  switch (kind) {
    case Operand::R32:
    case Operand::F32: return 1;
    case Operand::R64: return 2;
    case Operand::RSz: {
      const unsigned size = instruction.field("size");
      return size == static_cast<unsigned>(MemSize::B64) ? 2 : size == static_cast<unsigned>(MemSize::B128) ? 4 : 1;
    }
    case Operand::FragA:
    case Operand::FragB:
    case Operand::FragC: return fragment_registers(kind, instruction.op, instruction.mod);
    default: return 0;
  }
}

unsigned fragment_registers(Operand kind, Opcode op, uint32_t mod) {
  const auto field = [&](std::string_view name) {
    const FieldInfo* f = find_field(op, name);
    return f ? static_cast<unsigned>(bits(mod, f->lsb, f->width)) : 0;
  };
  unsigned a = 4, b = 2, c = 4;  // of 16 rows and all of K
  switch (op) {
    case Opcode::Hmma: {
      const auto format = static_cast<MmaFormat>(field("format"));
      const bool f16 = field("f16_d");
      if (format > MmaFormat::Tf32 || (f16 && format != MmaFormat::F16)) return 0;
      if (field("half_k")) a = 2, b = 1;
      if (field("sparse")) b *= 2;
      if (f16) c = 2;
      break;
    }
    case Opcode::Imma:
      if (field("sparse") && (field("m8") || field("bits"))) return 0;
      if (field("half_k")) a = 2, b = 1;
      if (field("sparse")) b *= 2;
      if (field("m8")) a = 1, b = 1, c = 2;
      break;
    case Opcode::Dmma: a = 2; break;
    default: return 0;
  }
  return kind == Operand::FragA ? a : kind == Operand::FragB ? b : kind == Operand::FragC ? c : 0;
}

Accesses accesses(const Instruction& i) {
  const OpInfo& op = info(i.op);
  Accesses all;
  const auto registers = [](RegisterSet& set, unsigned first, unsigned count) {
    for (unsigned r = first; r < first + count && r < kRz; r++) set.set(r);
  };
  const auto predicate = [](RegisterSet& set, unsigned number) {
    if ((number & 7) != kPt) set.set(kFirstPredicateBit + (number & 7));
  };
  const bool atomic = i.op == Opcode::Atomg || i.op == Opcode::Atoms || i.op == Opcode::Atom;
  const bool swaps = atomic && i.field("op") == static_cast<unsigned>(AtomOp::Cas);
  const unsigned sized = operand_registers(Operand::RSz, i);  // an atomic's operands
  predicate(all.reads, i.guard);
  registers(all.reads, i.ra, operand_registers(op.a, i));
  if (i.form == Form::R) registers(all.reads, i.rb, atomic ? sized : operand_registers(op.b, i));
  registers(all.reads, i.rc, !atomic ? operand_registers(op.c, i) : swaps ? sized : 0);
  if (i.field("sparse")) registers(all.reads, i.field("metadata"), 1);
  if (i.field("use_cin")) predicate(all.reads, i.field("cin"));
  if (i.field("cout_plus1")) predicate(all.writes, i.field("cout_plus1") - 1);
  registers(all.writes, i.rd, operand_registers(op.dst, i));
  if (op.dst == Operand::P2) predicate(all.writes, i.rd), predicate(all.writes, i.rd >> 3);
  const bool reduces = i.op == Opcode::Bar && i.field("mode") == static_cast<unsigned>(BarMode::Red);
  if (reduces && i.field("red") == static_cast<unsigned>(BarRed::Popc)) registers(all.writes, i.rd, 1);
  else if (reduces) predicate(all.writes, i.rd);
  for (const FieldInfo& field : op.fields) {
    if (field.kind == "PredSrc" && (i.op != Opcode::Bar || reduces)) predicate(all.reads, i.field(field.name));
    if (field.kind == "PredDst") predicate(all.writes, i.field(field.name));
  }
  return all;
}

}  // namespace heddle::isa
