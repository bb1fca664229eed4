// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/frame.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace heddle::compiler {

using isa::Opcode;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;

namespace {

constexpr uint32_t kStackAlign = 16;

uint32_t align_up(uint32_t v, uint32_t align) { return (v + align - 1) / align * align; }

class FrameLayout {
 public:
  FrameLayout(Function& f, const Allocation& allocation) : f_(f), allocation_(allocation) {}

  Result<FrameInfo> run() {
    find_registers();
    if (auto s = place_objects(); !s) return s.error();
    for (mir::Block& b : f_.blocks)
      for (Instruction& i : b.body)
        if (auto s = resolve(i); !s) return s.error();
    if (f_.is_kernel) kernel_prologue();
    else function_prologue_and_epilogue();
    return FrameInfo{size_, registers_, f_.is_kernel ? RegMask{} : saved_};
  }

 private:
  void touch(unsigned reg, unsigned words) {
    registers_ = std::max(registers_, reg + words);
    for (unsigned r = reg; r < reg + words; r++)
      if (is_callee_saved(r)) saved_.set(r);
  }

  void find_registers() {
    if (uses_stack_pointer(f_)) registers_ = kStackPointer + 1;
    for (mir::VReg v = 0; v < f_.vregs.size(); v++)
      if (f_.vregs[v] != mir::RegClass::P && allocation_.color[v] != kNoColor)
        touch(allocation_.color[v], words_of(f_.vregs[v]));
    auto phys = [&](const Operand& o) {
      if (o.is_phys()) touch(o.id, o.count);
    };
    for (const mir::Block& b : f_.blocks)
      for (const Instruction& i : b.body) phys(i.dst), phys(i.a), phys(i.b), phys(i.c), phys(i.metadata);
    for (const mir::Call& c : f_.calls) {
      for (const Operand& o : c.reads) phys(o);
      for (const Operand& o : c.writes) phys(o);
    }
    if (!f_.is_kernel) registers_ = std::max(registers_, kReturnPc + 1);
    if (f_.has_alloca && !f_.is_kernel) touch(kFrameBase, 1);
  }

  Status place_objects() {
    offset_.assign(f_.frame.size(), 0);
    for (size_t n = 0; n < f_.frame.size(); n++) {
      const mir::FrameObject& o = f_.frame[n];
      if (o.abi_offset == kNone) continue;
      offset_[n] = o.abi_offset;
      size_ = std::max(size_, align_up(o.abi_offset + o.size, kStackAlign));
    }
    // Small ones first: their offsets go into instructions.
    std::vector<size_t> order;
    for (size_t n = 0; n < f_.frame.size(); n++)
      if (f_.frame[n].abi_offset == kNone) order.push_back(n);
    std::stable_sort(order.begin(), order.end(),
                     [&](size_t a, size_t b) { return f_.frame[a].size < f_.frame[b].size; });
    if (!f_.is_kernel)
      for (unsigned r = 0; r < kMaxRegisters; r++)
        if (saved_.test(r)) {
          save_offset_[r] = size_;
          size_ += 4;
        }
    for (size_t n : order) {
      const mir::FrameObject& o = f_.frame[n];
      if (o.align > kStackAlign && !f_.is_kernel)
        return Error(fmt::format("{}: local variable '{}' is aligned to {} bytes; device functions keep 16", f_.name,
                                 o.name, o.align));
      size_ = align_up(size_, std::max(1u, o.align));
      offset_[n] = size_;
      size_ += o.size;
    }
    size_ = align_up(size_, kStackAlign);
    return {};
  }

  // A frame offset as register + displacement: kernels begin at 0, functions end at R1 or begin at R3.
  std::pair<Operand, int64_t> address(int64_t offset) const {
    if (f_.is_kernel) return {Operand{}, offset};
    if (f_.has_alloca) return {mir::phys(kFrameBase), offset};
    return {mir::phys(kStackPointer), offset - size_};
  }

  Status resolve(Instruction& i) {
    if (i.a.is_frame()) {
      const auto [base, displacement] = address(offset_[i.a.id] + i.a.imm + (i.b.is_imm() ? i.b.imm : 0));
      if (displacement < -32768 || displacement > 32767)
        return Error(fmt::format("{}: the frame is too large ({} bytes)", f_.name, size_));
      i.a = base;
      i.b = mir::imm(displacement);
    }
    if (i.b.is_frame()) {  // MOV
      const auto [base, displacement] = address(offset_[i.b.id] + i.b.imm);
      i.b = mir::imm(displacement);
      if (!base.is_none()) {
        i.op = Opcode::Iadd;
        i.a = base;
      }
    }
    return {};
  }

  Instruction stack_add(unsigned to, unsigned from, int64_t by) const {
    Instruction i;
    i.op = Opcode::Iadd;
    i.dst = mir::phys(to);
    i.a = mir::phys(from);
    i.b = mir::imm(by);
    i.loc = f_.loc;
    return i;
  }

  void kernel_prologue() {
    if (!uses_stack_pointer(f_)) return;
    Instruction i;
    i.op = Opcode::Mov;
    i.dst = mir::phys(kStackPointer);
    i.b = mir::imm(size_);
    i.loc = f_.loc;
    f_.blocks[0].body.insert(f_.blocks[0].body.begin(), i);
  }

  void function_prologue_and_epilogue() {
    std::vector<Instruction> prologue;
    if (size_) prologue.push_back(stack_add(kStackPointer, kStackPointer, size_));
    auto save = [&](unsigned r) {
      Instruction i;
      i.op = Opcode::Stl;
      i.a = mir::phys(kStackPointer);
      i.b = mir::imm(static_cast<int64_t>(save_offset_[r]) - size_);
      i.c = mir::phys(r);
      i.set_field("size", static_cast<unsigned>(isa::MemSize::B32));
      i.loc = f_.loc;
      prologue.push_back(i);
    };
    for (unsigned r = 0; r < kMaxRegisters; r++)
      if (saved_.test(r)) save(r);
    if (f_.has_alloca) prologue.push_back(stack_add(kFrameBase, kStackPointer, -static_cast<int64_t>(size_)));
    std::vector<Instruction>& first = f_.blocks[0].body;
    first.insert(first.begin(), prologue.begin(), prologue.end());
    for (mir::Block& b : f_.blocks)
      if (b.end.kind == mir::Terminator::Kind::Return) epilogue(b);
  }

  void epilogue(mir::Block& b) const {
    if (f_.has_alloca) b.body.push_back(stack_add(kStackPointer, kFrameBase, size_));
    for (unsigned r = 0; r < kMaxRegisters; r++) {
      if (!saved_.test(r)) continue;
      Instruction i;
      i.op = Opcode::Ldl;
      i.dst = mir::phys(r);
      i.a = mir::phys(kStackPointer);
      i.b = mir::imm(static_cast<int64_t>(save_offset_[r]) - size_);
      i.set_field("size", static_cast<unsigned>(isa::MemSize::B32));
      i.loc = b.end.loc;
      b.body.push_back(i);
    }
    if (size_) b.body.push_back(stack_add(kStackPointer, kStackPointer, -static_cast<int64_t>(size_)));
  }

  Function& f_;
  const Allocation& allocation_;
  RegMask saved_;
  std::array<uint32_t, 256> save_offset_{};
  std::vector<uint32_t> offset_;
  uint32_t size_ = 0;
  unsigned registers_ = 0;
};

}  // namespace

Result<FrameInfo> lay_out_frame(Function& f, const Allocation& allocation) { return FrameLayout(f, allocation).run(); }

}  // namespace heddle::compiler
