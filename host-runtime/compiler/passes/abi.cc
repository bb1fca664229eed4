// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/abi.h"

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/passes/machine.h"
#include "host-runtime/formats/cubin.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::AbiValue;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::VReg;

namespace {

void place_values(std::span<const AbiValue> values, std::vector<AbiPlace>& places, uint32_t& memory) {
  unsigned next = kFirstArgument;
  for (const AbiValue& v : values) {
    AbiPlace p;
    p.words = v.size > 4 ? 2 : 1;
    if (!v.value.is_frame() && v.size <= 8) {
      const unsigned at = (next + p.words - 1) / p.words * p.words;
      if (at + p.words - 1 <= kLastArgument) {
        p.in_register = true;
        p.reg = at;
        next = at + p.words;
      }
    }
    if (!p.in_register) {
      const uint32_t align = std::max({4u, v.align, v.value.is_frame() ? 4u : 4 * p.words});
      memory = (memory + align - 1) / align * align;
      p.offset = memory;
      memory += std::max(4u, (v.size + 3) / 4 * 4);
    }
    places.push_back(p);
  }
}

// Code in front of one point: instructions collected, then spliced in.
class Emitter {
 public:
  Emitter(Function& f, std::vector<Instruction>& out) : f_(f), out_(out) {}

  void set_loc(mir::Loc loc) { loc_ = loc; }
  void copy(const Operand& dst, const Operand& src) {
    if (src.is_reg() || src.is_phys()) {
      Instruction& i = add();
      i.pseudo = mir::Pseudo::Copy;
      i.dst = dst;
      i.a = src;
      return;
    }
    for (unsigned w = 0; w < dst.count; w++) {
      Instruction& i = add();
      i.op = Opcode::Mov;
      i.dst = dst.word(w);
      i.b = dst.count == 1 || !src.is_imm() ? src : mir::imm(static_cast<uint32_t>(src.imm >> (32 * w)));
      if (src.is_none()) i.b = mir::imm(0);
    }
  }
  void load(const Operand& dst, const Operand& base, int64_t offset, isa::MemSize size) {
    Instruction& i = add();
    i.op = Opcode::Ldl;
    i.dst = dst;
    i.a = base;
    i.b = mir::imm(offset);
    i.set_field("size", static_cast<unsigned>(size));
  }
  void store(const Operand& base, int64_t offset, const Operand& data, isa::MemSize size) {
    Instruction& i = add();
    i.op = Opcode::Stl;
    i.a = base;
    i.b = mir::imm(offset);
    i.c = data;
    i.set_field("size", static_cast<unsigned>(size));
  }
  // Registers from anything that an argument can be.
  Operand in_register(const Operand& o, unsigned words) {
    if (o.is_reg()) return o;
    const Operand t = f_.reg(f_.new_vreg(words == 2 ? mir::RegClass::R64 : mir::RegClass::R32));
    copy(t, o);
    return t;
  }
  // Copies an object in local memory, in the widest pieces that the alignment allows.
  void copy_memory(const Operand& to, int64_t to_offset, const Operand& from, int64_t from_offset, uint32_t size,
                   uint32_t align) {
    for (uint32_t done = 0; done < size;) {
      uint32_t step = std::min(align, 8u);
      while (step > size - done) step /= 2;
      const isa::MemSize kind = step == 8   ? isa::MemSize::B64
                                : step == 4 ? isa::MemSize::B32
                                : step == 2 ? isa::MemSize::U16
                                            : isa::MemSize::U8;
      const Operand t = f_.reg(f_.new_vreg(step == 8 ? mir::RegClass::R64 : mir::RegClass::R32));
      load(t, from, from_offset + done, kind);
      store(to, to_offset + done, t, kind);
      done += step;
    }
  }

  Instruction& add() {
    Instruction& i = out_.emplace_back();
    i.loc = loc_;
    return i;
  }

 private:
  Function& f_;
  std::vector<Instruction>& out_;
  mir::Loc loc_;
};

isa::MemSize size_of(unsigned words) { return words == 2 ? isa::MemSize::B64 : isa::MemSize::B32; }

// CALLX takes the low word alone. An upper word, or an address where no function can be (null), must not get there: the
// lanes that hold one trap here, where the PC tells whose call it was.
void check_target(Function& f, Emitter& e, const Operand& target) {
  const Operand beyond = f.reg(f.new_vreg(mir::RegClass::R64));
  Instruction& subtract = e.add();
  subtract.op = Opcode::Iadd64;
  subtract.dst = beyond;
  subtract.a = target;
  subtract.b = mir::imm(-int64_t{formats::kCodeAlign});
  const VReg bad = f.new_vreg(mir::RegClass::P);
  Instruction& compare = e.add();
  compare.op = Opcode::Isetp;
  compare.a = beyond.word(1);
  compare.b = mir::imm(0);
  compare.set_field("cmp", static_cast<unsigned>(isa::ICmp::Ne));
  compare.pd = bad;
  Instruction& trap = e.add();
  trap.op = Opcode::Trap;
  trap.b = mir::imm(formats::kTrapBadCall);
  trap.guard = {bad, false};
}

void lower_call(Function& f, Emitter& e, Instruction call_instruction) {
  const uint32_t id = call_instruction.call;
  mir::Call call = std::move(f.calls[id]);
  const AbiLayout layout = abi_layout(call.args, call.results);
  const Operand stack = mir::phys(kStackPointer);
  e.set_loc(call_instruction.loc);
  if (call.target.is_reg()) {
    check_target(f, e, call.target);
    call.target = call.target.word(0);
  }
  // Memory first: these may need temporaries, which the argument registers must not be taken from.
  for (size_t n = 0; n < call.args.size(); n++) {
    const AbiPlace& p = layout.args[n];
    const AbiValue& v = call.args[n];
    if (p.in_register) continue;
    if (v.value.is_frame())
      e.copy_memory(stack, p.offset, mir::frame(v.value.id), v.value.imm, v.size, std::max(1u, v.align));
    else e.store(stack, p.offset, e.in_register(v.value, p.words), size_of(p.words));
  }
  for (size_t n = 0; n < call.args.size(); n++) {
    const AbiPlace& p = layout.args[n];
    if (!p.in_register) continue;
    e.copy(mir::phys(p.reg, p.words), call.args[n].value);
    call.reads.push_back(mir::phys(p.reg, p.words));
  }
  call.writes.push_back(mir::phys(kReturnPc));
  for (const AbiPlace& p : layout.results)
    if (p.in_register) call.writes.push_back(mir::phys(p.reg, p.words));
  e.add() = call_instruction;
  for (size_t n = 0; n < call.results.size(); n++) {
    const AbiPlace& p = layout.results[n];
    const AbiValue& v = call.results[n];
    if (v.value.is_none()) continue;
    if (v.value.is_frame())
      e.copy_memory(mir::frame(v.value.id), v.value.imm, stack, p.offset, v.size, std::max(1u, v.align));
    else if (p.in_register) e.copy(v.value, mir::phys(p.reg, p.words));
    else e.load(v.value, stack, p.offset, size_of(p.words));
  }
  call.lowered = true;
  call.args.clear();
  call.results.clear();
  f.calls[id] = std::move(call);
}

mir::FrameId incoming(Function& f, const AbiPlace& p) {
  f.frame.push_back({.name = "argument", .size = 4 * p.words, .align = 4 * p.words, .abi_offset = p.offset});
  return static_cast<mir::FrameId>(f.frame.size() - 1);
}

void lower_entry_and_return(Function& f) {
  const AbiLayout layout = abi_layout(f.params, f.results);
  std::vector<Instruction> entry;
  Emitter e(f, entry);
  e.set_loc(f.loc);
  const VReg return_pc = f.new_vreg(mir::RegClass::R32);
  e.copy(f.reg(return_pc), mir::phys(kReturnPc));
  for (int pass = 0; pass < 2; pass++)  // registers first: the loads need temporaries
    for (size_t n = 0; n < f.params.size(); n++) {
      const AbiPlace& p = layout.args[n];
      const Operand& v = f.params[n].value;
      if (v.is_frame()) f.frame[v.id].abi_offset = p.offset;
      if (!v.is_reg() || p.in_register != (pass == 0)) continue;
      if (p.in_register) e.copy(v, mir::phys(p.reg, p.words));
      else e.load(v, mir::frame(incoming(f, p)), 0, size_of(p.words));
    }
  for (size_t n = 0; n < f.results.size(); n++)
    if (f.results[n].value.is_frame()) f.frame[f.results[n].value.id].abi_offset = layout.results[n].offset;
  for (const AbiPlace& p : layout.args)
    if (p.in_register) f.live_at_entry.push_back(mir::phys(p.reg, p.words));
  std::vector<Instruction>& first = f.blocks[0].body;
  first.insert(first.begin(), entry.begin(), entry.end());
  for (mir::Block& block : f.blocks) {
    if (block.end.kind != mir::Terminator::Kind::Return) continue;
    Emitter r(f, block.body);
    r.set_loc(block.end.loc);
    for (size_t n = 0; n < f.results.size(); n++) {
      const AbiPlace& p = layout.results[n];
      const Operand& v = f.results[n].value;
      if (v.is_reg() && !p.in_register) r.store(mir::frame(incoming(f, p)), 0, v, size_of(p.words));
    }
    for (size_t n = 0; n < f.results.size(); n++) {
      const AbiPlace& p = layout.results[n];
      if (p.in_register && f.results[n].value.is_reg()) r.copy(mir::phys(p.reg, p.words), f.results[n].value);
    }
    // Through R2: callee-saved registers are restored before the return.
    r.copy(mir::phys(kReturnPc), f.reg(return_pc));
    block.end.index = mir::phys(kReturnPc);
  }
  for (const AbiPlace& p : layout.results)
    if (p.in_register) f.live_at_return.push_back(mir::phys(p.reg, p.words));
  f.live_at_return.push_back(mir::phys(kStackPointer));
  for (AbiValue& v : f.params) v.value = {};
  for (AbiValue& v : f.results) v.value = {};
}

}  // namespace

AbiLayout abi_layout(std::span<const AbiValue> args, std::span<const AbiValue> results) {
  AbiLayout layout;
  place_values(args, layout.args, layout.memory_bytes);
  layout.memory_bytes = (layout.memory_bytes + 15) / 16 * 16;
  place_values(results, layout.results, layout.memory_bytes);
  layout.memory_bytes = (layout.memory_bytes + 15) / 16 * 16;
  return layout;
}

void lower_calls(Function& f) {
  for (mir::Block& block : f.blocks) {
    if (std::none_of(block.body.begin(), block.body.end(),
                     [](const Instruction& i) { return i.pseudo == mir::Pseudo::Call; }))
      continue;
    std::vector<Instruction> out;
    Emitter e(f, out);
    for (Instruction& i : block.body) {
      if (i.pseudo == mir::Pseudo::Call) lower_call(f, e, i);
      else out.push_back(std::move(i));
    }
    block.body = std::move(out);
  }
  if (!f.is_kernel) lower_entry_and_return(f);
}

}  // namespace heddle::compiler
