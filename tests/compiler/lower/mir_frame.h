// SPDX-License-Identifier: Apache-2.0
// One call of one function of machine IR: its registers, predicates and frame, and what each instruction does to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "tests/compiler/lower/mir_eval.h"

namespace heddle::compiler::lower::test {

using Op = isa::Opcode;
using mir::Operand;

struct Value {
  uint32_t w[4] = {};
  uint64_t low64() const { return w[0] | uint64_t{w[1]} << 32; }
};

inline Value of64(uint64_t v) { return {{static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}}; }

inline bool combine(unsigned op, bool a, bool b) { return op == 0 ? a && b : op == 1 ? a || b : a != b; }
inline int64_t sign_extend(uint32_t v) { return static_cast<int32_t>(v); }

class Frame {
 public:
  Frame(MirEval& eval, const mir::Function& f, Thread& thread)
      : eval_(eval), f_(f), thread_(thread), regs_(f.vregs.size()), preds_(f.vregs.size()) {
    uint32_t offset = 0;
    for (const mir::FrameObject& object : f.frame) {
      offset = (offset + object.align - 1) / object.align * object.align;
      frame_.push_back(offset);
      offset += object.size;
    }
    local_.resize(offset + 16);
  }

  std::string run() {
    mir::BlockId block = 0;
    uint64_t steps = 0;
    for (;;) {
      for (const mir::Instruction& i : f_.blocks[block].body) {
        if (++steps > thread_.max_steps) return "endless loop";
        if (!pred(i.guard)) continue;
        if (i.is(Op::Exit)) {
          exited_ = true;
          return "";
        }
        execute(i);
        if (exited_) return "";
        if (!error_.empty()) return mir::to_string(f_, i) + ": " + error_;
      }
      const mir::Terminator& end = f_.blocks[block].end;
      if (++steps > thread_.max_steps) return "endless loop";
      switch (end.kind) {
        case mir::Terminator::Kind::Jump: block = end.targets[0]; break;
        case mir::Terminator::Kind::Branch: block = end.targets[pred(end.cond) ? 0 : 1]; break;
        case mir::Terminator::Kind::Indexed: block = end.targets[get(end.index).w[0]]; break;
        case mir::Terminator::Kind::Exit: exited_ = true; return "";
        case mir::Terminator::Kind::Return: return "";
        default: return "no way on";
      }
    }
  }

 private:
  bool pred(mir::Pred p) const { return (p.reg == mir::kNone || preds_[p.reg]) != p.negated; }

  Value get(const Operand& o) const {
    Value v;
    switch (o.kind) {
      case Operand::Kind::Reg:
        for (unsigned i = 0; i < o.count; ++i) v.w[i] = regs_[o.id].w[o.sub + i];
        break;
      case Operand::Kind::Imm: v = of64(static_cast<uint64_t>(o.imm)); break;
      case Operand::Kind::Const:
        if (o.aux == mir::kParamBank) {
          std::memcpy(v.w, thread_.params.data() + o.id, std::min<size_t>(8, thread_.params.size() - o.id));
        }
        break;
      case Operand::Kind::Symbol: {
        uint64_t address = 0;
        auto var = eval_.variables_.find(o.id);
        if (var != eval_.variables_.end()) {
          address = reinterpret_cast<uint64_t>(var->second);
        }
        // A function's address is its symbol.
        if (eval_.function_of(o.id)) address = o.id;
        auto within = eval_.within_.find(o.id);
        const bool is_shared = within != eval_.within_.end() && var == eval_.variables_.end();
        if (is_shared || o.part() == mir::SymbolPart::Space) address = within->second;
        address += static_cast<uint64_t>(o.imm);
        v.w[0] = static_cast<uint32_t>(o.part() == mir::SymbolPart::Hi ? address >> 32 : address);
        break;
      }
      case Operand::Kind::Frame: v.w[0] = frame_[o.id] + static_cast<uint32_t>(o.imm); break;
      default: break;
    }
    return v;
  }

  void put(const Operand& d, Value v) {
    if (!d.is_reg()) return;
    for (unsigned i = 0; i < d.count; ++i) regs_[d.id].w[d.sub + i] = v.w[i];
  }
  void put32(const Operand& d, uint32_t v) { put(d, {{v}}); }
  void put_pred(mir::VReg p, bool v) {
    if (p != mir::kNone) preds_[p] = v;
  }
  void put_compare(const mir::Instruction& i, bool result) {
    bool with = pred(i.p);
    unsigned op = i.field("op");
    put_pred(i.pd, combine(op, result, with));
    put_pred(i.pq, combine(op, !result, with));
  }

  uint8_t* memory(const mir::Instruction& i, uint64_t address) {
    address += static_cast<uint64_t>(get(i.b).low64());
    switch (i.op) {
      case Op::Lds:
      case Op::Sts: return thread_.shared.data() + static_cast<uint32_t>(address);
      case Op::Ldl:
      case Op::Stl: return local_.data() + static_cast<uint32_t>(address);
      case Op::Ld:
      case Op::St:
        if (address >> 32 == isa::kSharedWindow) {
          return thread_.shared.data() + static_cast<uint32_t>(address);
        }
        if (address >> 32 == isa::kLocalWindow) {
          return local_.data() + static_cast<uint32_t>(address);
        }
        break;
      default: break;
    }
    return reinterpret_cast<uint8_t*>(address);
  }

  void load(const mir::Instruction& i, const uint8_t* from) {
    static constexpr int kBytes[] = {1, 1, 2, 2, 4, 8, 16};
    unsigned size = i.field("size");
    Value v;
    std::memcpy(v.w, from, static_cast<size_t>(kBytes[size]));
    if (size == 1) v.w[0] = static_cast<uint32_t>(static_cast<int8_t>(v.w[0]));
    if (size == 3) v.w[0] = static_cast<uint32_t>(static_cast<int16_t>(v.w[0]));
    put(i.dst, v);
  }

  // Values by value: registers and immediates as such, frame objects copied.
  static void pass(Frame& from, const Operand& source, Frame& to, const Operand& target, uint32_t size) {
    if (target.is_frame()) {
      std::memcpy(to.local_.data() + to.frame_[target.id], from.local_.data() + from.frame_[source.id], size);
    } else {
      to.put(target, from.get(source));
    }
  }
  void call(const mir::Call& call);
  void execute(const mir::Instruction& i);
  bool execute_integer(const mir::Instruction& i, Value a, Value b, Value c);  // mir_integer.cc
  bool execute_float(const mir::Instruction& i, Value a, Value b, Value c);
  bool execute_memory(const mir::Instruction& i, Value a, Value c);

  MirEval& eval_;
  const mir::Function& f_;
  Thread& thread_;
  std::vector<Value> regs_;
  std::vector<bool> preds_;
  std::vector<uint32_t> frame_;
  std::vector<uint8_t> local_;
  std::string error_;
  bool exited_ = false;
};

}  // namespace heddle::compiler::lower::test
