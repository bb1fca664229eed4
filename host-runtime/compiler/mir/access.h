// SPDX-License-Identifier: Apache-2.0
// What an instruction reads and writes, in a form that analyses can walk: every 32-bit word of every
// vreg, and every predicate, is a `unit`. Units 0 … 255 are the machine registers.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::mir {

using Unit = uint32_t;
inline constexpr Unit kMachineUnits = 256;

// Numbers the units of a function; invalid once vregs are added.
class Units {
 public:
  explicit Units(const Function& f);
  Unit count() const { return count_; }
  Unit of(VReg v) const { return base_[v]; }
  // The first unit of a Reg or Phys operand.
  Unit of(const Operand& o) const { return o.is_phys() ? o.id : base_[o.id] + o.sub; }
  // kNone for machine units.
  VReg vreg(Unit u) const { return u < kMachineUnits ? kNone : owner_[u - kMachineUnits]; }

 private:
  std::vector<Unit> base_;
  std::vector<VReg> owner_;
  Unit count_;
};

struct UnitRange {
  Unit first;
  unsigned count;
};

// The reads and writes of one instruction or terminator; reused from one to the next. A guarded write
// keeps the old value where the guard fails: then `conditional` is set and the written units are read too.
struct Accesses {
  std::vector<UnitRange> reads;
  std::vector<UnitRange> writes;
  bool conditional = false;
  bool clobbers = false;  // a lowered call: the caller-saved registers and all predicates

  void collect(const Function& f, const Units& units, const Instruction& i);
  void collect(const Function& f, const Units& units, const Terminator& t);
};

// Calls `visit(Operand&)` on every register operand (dst, a, b, c and those of calls), and
// `visit_pred(VReg&)` on every predicate. For rewriting; reads and writes alike.
template <typename V, typename P>
void for_each_operand(Function& f, Instruction& i, V visit, P visit_pred) {
  auto reg = [&](Operand& o) {
    if (o.is_reg()) visit(o);
  };
  auto pred = [&](VReg& v) {
    if (v != kNone) visit_pred(v);
  };
  reg(i.dst), reg(i.a), reg(i.b), reg(i.c), reg(i.metadata);
  pred(i.guard.reg), pred(i.pd), pred(i.pq), pred(i.p.reg), pred(i.p2.reg);
  if (i.pseudo == Pseudo::Call) {
    Call& call = f.calls[i.call];
    reg(call.target);
    if (call.lowered) return;
    for (AbiValue& v : call.args) reg(v.value);
    for (AbiValue& v : call.results) reg(v.value);
  }
}
template <typename V, typename P>
void for_each_operand(Terminator& t, V visit, P visit_pred) {
  if (t.index.is_reg()) visit(t.index);
  if (t.cond.reg != kNone) visit_pred(t.cond.reg);
}

enum class Slot : uint8_t { Dst, A, B, C };
// Registers that the instruction wants in the slot (0: none or any); predicates not counted.
unsigned slot_words(const Instruction& i, Slot slot);
// The words may be any number: operands of tensor and texture instructions.
bool slot_is_free(const Instruction& i, Slot slot);

// The instruction does more than write its registers: stores, control, synchronisation, traps.
bool has_side_effects(const Instruction& i);
bool is_memory(const Instruction& i);
bool is_load(const Instruction& i);
bool is_store(const Instruction& i);
bool is_atomic(const Instruction& i);

// Which memory a load or store touches; None: neither, or constant memory. Generic: any but constant memory.
enum class Area : uint8_t { None, Global, Shared, Local, Generic };
Area area_of(const Instruction& i);
// How many bytes a load or store touches.
unsigned access_bytes(const Instruction& i);
// No memory access may be moved across it: calls, barriers, fences, atomics, ordered accesses, control flow, warp
// instructions, clocks.
bool is_motion_fence(const Instruction& i);

// Depends on which lanes are active together, or synchronises: never moved across control flow or
// duplicated.
bool is_convergent(const Instruction& i);
// Reads a special register that may differ from one reading to the next.
bool is_volatile_read(const Instruction& i);

}  // namespace heddle::compiler::mir
