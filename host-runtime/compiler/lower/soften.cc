// SPDX-License-Identifier: Apache-2.0
// Double precision on a machine without unit Fp64: each of its instructions becomes a call of the device library's
// function that computes the same bits (firmware/devrt/soft_f64.cu), with the instruction's operands and modifiers. So
// whatever is expanded into such instructions (division, roots) needs nothing of its own.
#include "host-runtime/compiler/lower/function.h"

namespace heddle::compiler::lower {
namespace {

const char* library_name(isa::Opcode op) {
  switch (op) {
    case isa::Opcode::Dadd: return "__heddle_dadd";
    case isa::Opcode::Dmul: return "__heddle_dmul";
    case isa::Opcode::Dfma: return "__heddle_dfma";
    case isa::Opcode::Dmnmx: return "__heddle_dmnmx";
    case isa::Opcode::Dsetp: return "__heddle_dsetp";
    case isa::Opcode::I2d: return "__heddle_i2d";
    case isa::Opcode::I642d: return "__heddle_i2d_64";
    case isa::Opcode::D2i: return "__heddle_d2i";
    case isa::Opcode::D2i64: return "__heddle_d2i_64";
    case isa::Opcode::Drnd: return "__heddle_drnd";
    default: return nullptr;
  }
}

}  // namespace

void FunctionLowering::soften() {
  for (mir::BlockId block = 0; block < out_.blocks.size(); ++block) {
    std::vector<mir::Instruction> body = std::move(out_.blocks[block].body);
    out_.blocks[block].body.clear();
    b_.set_block(block);
    for (mir::Instruction& i : body) {
      if (i.pseudo == mir::Pseudo::None && i.info().unit == isa::Unit::Fp64) {
        soften_call(i);
      } else {
        out_.blocks[block].body.push_back(std::move(i));
      }
    }
  }
}

void FunctionLowering::soften_call(const mir::Instruction& i) {
  // The call itself is not guarded: it has no effect but its result.
  b_.set_guard({});
  b_.set_loc(i.loc);
  mir::Call call;
  call.callee = program_.library_function(module_, library_name(i.op), function_.loc);
  if (call.callee == mir::kNone) return;
  const auto value = [](Operand operand, uint32_t size) {
    mir::AbiValue v;
    v.size = v.align = size;
    v.value = operand;
    return v;
  };
  const auto argument = [&](const Operand& operand, isa::Operand kind) {
    if (kind == isa::Operand::None) return;
    const bool wide = kind == isa::Operand::R64;
    call.args.push_back(value(wide ? in_register64(operand) : in_register(operand), wide ? 8 : 4));
  };
  argument(i.a, i.info().a);
  argument(i.b, i.info().b);
  argument(i.c, i.info().c);
  call.args.push_back(value(in_register(mir::imm(i.mod)), 4));
  const bool wide = i.info().dst == isa::Operand::R64;
  const Operand result = wide ? t64() : t32();
  call.results.push_back(value(result, wide ? 8 : 4));
  b_.call(std::move(call));
  b_.set_guard(i.guard);
  if (i.op == isa::Opcode::Dsetp) {
    emit(Op::Isetp, {}, result, mir::imm(0))
        .set("cmp", isa::ICmp::Ne)
        .set("op", i.field("op"))
        .pd(i.pd)
        .pq(i.pq)
        .p(i.p);
  } else {
    copy(i.dst, result);
  }
  b_.set_guard({});
}

}  // namespace heddle::compiler::lower
