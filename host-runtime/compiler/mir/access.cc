// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/mir/access.h"

namespace heddle::compiler::mir {

using isa::Opcode;

Units::Units(const Function& f) : count_(kMachineUnits) {
  base_.reserve(f.vregs.size());
  for (VReg v = 0; v < f.vregs.size(); v++) {
    base_.push_back(count_);
    const unsigned n = f.vregs[v] == RegClass::P ? 1 : words_of(f.vregs[v]);
    owner_.insert(owner_.end(), n, v);
    count_ += n;
  }
}

void Accesses::collect(const Function& f, const Units& units, const Instruction& i) {
  reads.clear();
  writes.clear();
  conditional = i.guard.present() && !i.fresh;
  clobbers = false;
  auto read = [&](const Operand& o) {
    if (o.is_reg() || o.is_phys()) reads.push_back({units.of(o), o.count});
  };
  auto write = [&](const Operand& o) {
    if (o.is_reg() || o.is_phys()) writes.push_back({units.of(o), o.count});
  };
  auto read_pred = [&](VReg v) {
    if (v != kNone) reads.push_back({units.of(v), 1});
  };
  auto write_pred = [&](VReg v) {
    if (v != kNone) writes.push_back({units.of(v), 1});
  };
  read(i.a), read(i.b), read(i.c), read(i.metadata);
  read_pred(i.guard.reg), read_pred(i.p.reg), read_pred(i.p2.reg);
  write(i.dst);
  write_pred(i.pd), write_pred(i.pq);
  if (i.pseudo == Pseudo::Call) {
    const Call& call = f.calls[i.call];
    read(call.target);
    if (call.lowered) {
      clobbers = true;
      for (const Operand& o : call.reads) read(o);
      for (const Operand& o : call.writes) write(o);
    } else {
      for (const AbiValue& v : call.args) read(v.value);
      for (const AbiValue& v : call.results) write(v.value);
    }
  }
  if (conditional) reads.insert(reads.end(), writes.begin(), writes.end());
}

void Accesses::collect(const Function& f, const Units& units, const Terminator& t) {
  reads.clear();
  writes.clear();
  conditional = clobbers = false;
  if (t.index.is_reg() || t.index.is_phys()) reads.push_back({units.of(t.index), t.index.count});
  if (t.cond.present()) reads.push_back({units.of(t.cond.reg), 1});
  if (t.kind == Terminator::Kind::Return) {
    for (const Operand& o : f.live_at_return) reads.push_back({units.of(o), o.count});
    for (const AbiValue& v : f.results)
      if (v.value.is_reg()) reads.push_back({units.of(v.value), v.value.count});
  }
}

namespace {

bool is_atomic_op(Opcode op) {
  return op == Opcode::Atomg || op == Opcode::Atoms || op == Opcode::Atom || op == Opcode::Red;
}

isa::Operand kind_of(const Instruction& i, Slot slot) {
  const isa::OpInfo& op = i.info();
  switch (slot) {
    case Slot::Dst: return op.dst;
    case Slot::A: return op.a;
    case Slot::B: return op.b;
    default: return op.c;
  }
}

}  // namespace

unsigned slot_words(const Instruction& i, Slot slot) {
  if (i.pseudo != Pseudo::None) return 0;
  isa::Operand kind = kind_of(i, slot);
  // Data of an atomic has the access's size.
  if (is_atomic_op(i.op) && kind == isa::Operand::R32 && (slot == Slot::B || slot == Slot::C)) kind = isa::Operand::RSz;
  if (kind != isa::Operand::RSz) {
    if (kind == isa::Operand::R64) return 2;
    if (kind == isa::Operand::R32 || kind == isa::Operand::F32) return 1;
    return isa::fragment_registers(kind, i.op, i.mod);
  }
  switch (static_cast<isa::MemSize>(i.field("size"))) {
    case isa::MemSize::B64: return 2;
    case isa::MemSize::B128: return 4;
    default: return 1;
  }
}

bool slot_is_free(const Instruction& i, Slot slot) {
  return i.pseudo != Pseudo::None || kind_of(i, slot) == isa::Operand::Var;
}

bool is_atomic(const Instruction& i) { return i.pseudo == Pseudo::None && is_atomic_op(i.op); }

bool is_memory(const Instruction& i) { return i.pseudo == Pseudo::None && i.info().unit == isa::Unit::Lsu; }

bool is_load(const Instruction& i) {
  if (i.pseudo != Pseudo::None) return false;
  switch (i.op) {
    case Opcode::Ldg:
    case Opcode::Lds:
    case Opcode::Ldsm:
    case Opcode::Ldl:
    case Opcode::Ld:
    case Opcode::Ldc: return true;
    default: return false;
  }
}

bool is_store(const Instruction& i) {
  if (i.pseudo != Pseudo::None) return false;
  switch (i.op) {
    case Opcode::Stg:
    case Opcode::Sts:
    case Opcode::Stl:
    case Opcode::St: return true;
    default: return false;
  }
}

Area area_of(const Instruction& i) {
  if (i.pseudo != Pseudo::None) return Area::None;
  switch (i.op) {
    case Opcode::Ldg:
    case Opcode::Stg: return Area::Global;
    case Opcode::Lds:
    case Opcode::Sts: return Area::Shared;
    case Opcode::Ldl:
    case Opcode::Stl: return Area::Local;
    case Opcode::Ld:
    case Opcode::St: return Area::Generic;
    default: return Area::None;
  }
}

unsigned access_bytes(const Instruction& i) {
  switch (static_cast<isa::MemSize>(i.field("size"))) {
    case isa::MemSize::U8:
    case isa::MemSize::S8: return 1;
    case isa::MemSize::U16:
    case isa::MemSize::S16: return 2;
    case isa::MemSize::B64: return 8;
    case isa::MemSize::B128: return 16;
    default: return 4;
  }
}

bool is_motion_fence(const Instruction& i) {
  if (i.pseudo == Pseudo::Call) return true;
  if (i.pseudo != Pseudo::None) return false;
  if (i.info().unit == isa::Unit::Ctl) return true;
  if (is_convergent(i) || is_volatile_read(i)) return true;
  return is_atomic(i) || (is_memory(i) && (area_of(i) == Area::None ? i.op != Opcode::Ldc : i.field("order") != 0));
}

bool has_side_effects(const Instruction& i) {
  if (i.pseudo == Pseudo::Call) return true;
  if (i.pseudo != Pseudo::None) return false;
  if (is_load(i)) return i.field("order") != 0;  // relaxed loads order and may be spun on
  const isa::OpInfo& op = i.info();
  switch (op.unit) {
    case isa::Unit::Ctl:
    case isa::Unit::Lsu:
    case isa::Unit::Warp: return true;
    case isa::Unit::Tex: return i.op == Opcode::Sust;
    default: return is_volatile_read(i);
  }
}

bool is_convergent(const Instruction& i) {
  if (i.pseudo == Pseudo::Call) return true;
  if (i.pseudo != Pseudo::None) return false;
  const isa::OpInfo& op = i.info();
  if (op.unit == isa::Unit::Warp || op.unit == isa::Unit::Tensor) return true;
  if (op.unit == isa::Unit::Ctl) return i.op != Opcode::Exit && i.op != Opcode::Nop && i.op != Opcode::Trap;
  return i.op == Opcode::Membar || i.op == Opcode::Ldsm ||
         (i.op == Opcode::S2r && i.b.is_imm(static_cast<int>(isa::SpecialReg::ActiveMask)));
}

bool is_volatile_read(const Instruction& i) {
  if (i.pseudo != Pseudo::None) return false;
  if (i.op == Opcode::S2r64) return true;
  if (i.op != Opcode::S2r || !i.b.is_imm()) return false;
  switch (static_cast<isa::SpecialReg>(i.b.imm)) {
    case isa::SpecialReg::ActiveMask:
    case isa::SpecialReg::Clock:
    case isa::SpecialReg::ClockHi:
    case isa::SpecialReg::GlobaltimerLo:
    case isa::SpecialReg::GlobaltimerHi:
    case isa::SpecialReg::SmId:
    case isa::SpecialReg::WarpId: return true;
    default: return false;
  }
}

unsigned Instruction::field(std::string_view name) const {
  for (const isa::FieldInfo& f : info().fields)
    if (f.name == name) return mod >> f.lsb & ((1u << f.width) - 1);
  return 0;
}

bool Instruction::set_field(std::string_view name, unsigned value) {
  for (const isa::FieldInfo& f : info().fields) {
    if (f.name != name) continue;
    if (value >> f.width) return false;
    const uint32_t mask = ((1u << f.width) - 1) << f.lsb;
    mod = (mod & ~mask) | value << f.lsb;
    return true;
  }
  return false;
}

}  // namespace heddle::compiler::mir
