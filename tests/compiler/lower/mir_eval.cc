// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/mir_eval.h"

#include <algorithm>
#include <cstring>

#include "sim/model/mufu.h"
#include "tests/compiler/lower/float_eval.h"
#include "tests/compiler/lower/mir_frame.h"

namespace heddle::compiler::lower::test {

void Frame::call(const mir::Call& call) {
  mir::SymbolId symbol = call.callee != mir::kNone ? call.callee : get(call.target).w[0];
  const mir::Function* callee = eval_.function_of(symbol);
  if (!callee || callee->params.size() != call.args.size() || callee->results.size() != call.results.size()) {
    error_ = "call of nothing, or with other parameters";
    return;
  }
  Frame inner(eval_, *callee, thread_);
  for (size_t n = 0; n < call.args.size(); ++n) {
    pass(*this, call.args[n].value, inner, callee->params[n].value, call.args[n].size);
  }
  error_ = inner.run();
  exited_ = inner.exited_;
  for (size_t n = 0; n < call.results.size(); ++n) {
    pass(inner, callee->results[n].value, *this, call.results[n].value, call.results[n].size);
  }
}

void Frame::execute(const mir::Instruction& i) {
  if (i.pseudo == mir::Pseudo::Copy) {
    if (i.pd != mir::kNone) {
      put_pred(i.pd, pred(i.p));
    } else {
      put(i.dst, get(i.a));
    }
    return;
  }
  if (i.pseudo == mir::Pseudo::Call) return call(f_.calls[i.call]);
  if (i.pseudo != mir::Pseudo::None) {
    error_ = "not executable";
    return;
  }
  Value a = get(i.a), b = get(i.b), c = get(i.c);
  if (!execute_integer(i, a, b, c) && !execute_float(i, a, b, c) && !execute_memory(i, a, c)) {
    error_ = "unknown instruction";
  }
}

bool Frame::execute_float(const mir::Instruction& i, Value a, Value b, Value c) {
  uint32_t x = a.w[0], y = b.w[0], z = c.w[0];
  FloatMode mode{static_cast<isa::Rounding>(i.field("rnd")), i.field("ftz") != 0, i.field("sat") != 0};
  switch (i.op) {
    case Op::Fadd:
      if (i.field("abs_a")) x &= 0x7FFFFFFF;
      if (i.field("abs_b")) y &= 0x7FFFFFFF;
      if (i.field("neg_a")) x ^= 0x80000000;
      if (i.field("neg_b")) y ^= 0x80000000;
      put32(i.dst, f32_add(x, y, mode));
      break;
    case Op::Fmul: put32(i.dst, f32_mul(x, y, mode)); break;
    case Op::Ffma:
      if (i.field("neg_p")) x ^= 0x80000000;
      if (i.field("neg_c")) z ^= 0x80000000;
      put32(i.dst, f32_fma(x, y, z, mode));
      break;
    case Op::Fmnmx: put32(i.dst, f32_minmax(x, y, i.field("max"), i.field("nan"), i.field("xorsign_abs"), mode)); break;
    case Op::Fsetp: put_compare(i, f32_compare(static_cast<isa::FCmp>(i.field("cmp")), x, y, mode.ftz)); break;
    case Op::I2f: put32(i.dst, i.field("sign") ? f32_of_s64(sign_extend(y), mode) : f32_of_u64(y, mode)); break;
    case Op::I642f:
      put32(i.dst, i.field("sign") ? f32_of_s64(static_cast<int64_t>(b.low64()), mode) : f32_of_u64(b.low64(), mode));
      break;
    case Op::F2i: {
      unsigned width = i.field("width") == 0 ? 32 : i.field("width") == 1 ? 16 : 8;
      put32(i.dst, static_cast<uint32_t>(int_of_f32(y, width, i.field("sign"), mode)));
      break;
    }
    case Op::F2i64: put(i.dst, of64(int_of_f32(y, 64, i.field("sign"), mode))); break;
    case Op::Frnd: put32(i.dst, f32_round(y, i.field("integral"), mode)); break;
    case Op::Mufu:  // by the model's tables: there is no other source of these bits
      if (i.field("abs")) y &= 0x7FFFFFFF;
      if (i.field("neg")) y ^= 0x80000000;
      put32(i.dst, model::mufu(static_cast<isa::MufuOp>(i.field("op")), y));
      break;
    case Op::F2d: put(i.dst, of64(f64_of_f32(y, mode))); break;
    case Op::D2f: put32(i.dst, f32_of_f64(b.low64(), mode)); break;
    default: return false;
  }
  return true;
}

bool Frame::execute_memory(const mir::Instruction& i, Value a, Value c) {
  static constexpr int kBytes[] = {1, 1, 2, 2, 4, 8, 16};
  switch (i.op) {
    case Op::Ldg:
    case Op::Lds:
    case Op::Ldl:
    case Op::Ld: load(i, memory(i, a.low64())); break;
    case Op::Stg:
    case Op::Sts:
    case Op::Stl:
    case Op::St: std::memcpy(memory(i, a.low64()), c.w, static_cast<size_t>(kBytes[i.field("size")])); break;
    case Op::Ldc:
      if (i.b.is_symbol()) {
        load(i, eval_.variables_.at(i.b.id) + i.b.imm + a.w[0]);
      } else {
        const uint32_t offset = i.b.id + a.w[0];
        load(i, (i.b.aux == mir::kConstBank ? eval_.constants_.data() : thread_.params.data()) + offset);
      }
      break;
    case Op::Membar:
    case Op::Cctl:
    case Op::Bar:
    case Op::Warpsync:
    case Op::Nanosleep: break;
    case Op::Trap: error_ = "trap"; break;
    default: return false;
  }
  return true;
}

const mir::Function* MirEval::function_of(mir::SymbolId symbol) const {
  for (const mir::Function& f : module_.functions) {
    if (f.symbol == symbol) return &f;
  }
  return nullptr;
}

MirEval::MirEval(const mir::Module& module) : module_(module) {
  // Segments in which each variable begins at a multiple of its alignment, or of the bytes that a load may take.
  const auto place = [](uint32_t& end, const mir::Variable& v) {
    const uint32_t align = std::max<uint32_t>(v.align, 16), at = (end + align - 1) / align * align;
    end = at + static_cast<uint32_t>(v.size);
    return at;
  };
  uint32_t shared = 0, global = 0, constant = 0;
  std::map<mir::SymbolId, uint32_t> at;
  for (const mir::Variable& v : module.variables) {
    if (v.space == mir::Space::Shared) within_[v.symbol] = place(shared, v);
    if (v.space == mir::Space::Global) at[v.symbol] = place(global, v);
    if (v.space == mir::Space::Const) at[v.symbol] = within_[v.symbol] = v.size ? place(constant, v) : 0;
  }
  globals_.resize(global + 16);
  constants_.resize(constant + 16);
  for (const mir::Variable& v : module.variables) {
    if (v.space == mir::Space::Shared) continue;
    uint8_t* bytes = (v.space == mir::Space::Const ? constants_ : globals_).data() + at[v.symbol];
    variables_[v.symbol] = bytes;
    std::copy(v.init.begin(), v.init.end(), bytes);
  }
  for (const mir::Variable& v : module.variables) {
    for (const mir::DataReloc& r : v.relocs) {
      uint64_t value = r.symbol;
      if (r.space) value = within_[r.symbol];
      else if (variables_.count(r.symbol)) value = reinterpret_cast<uint64_t>(variables_[r.symbol]);
      value = (value + static_cast<uint64_t>(r.addend)) >> r.shift;
      std::memcpy(variables_[v.symbol] + r.offset, &value, r.size);
    }
  }
}

std::string MirEval::run(const std::string& kernel, Thread& thread) {
  for (const mir::Function& f : module_.functions) {
    if (f.name == kernel) return Frame(*this, f, thread).run();
  }
  return "no kernel " + kernel;
}

}  // namespace heddle::compiler::lower::test
