// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/mir_eval.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "sim/model/mufu.h"
#include "tests/compiler/lower/float_eval.h"

namespace heddle::compiler::lower::test {
namespace {

using Op = isa::Opcode;
using mir::Operand;

int64_t sign_extend(uint32_t v) { return static_cast<int32_t>(v); }

struct Value {
  uint32_t w[4] = {};
  uint64_t low64() const { return w[0] | uint64_t{w[1]} << 32; }
};

Value of64(uint64_t v) { return {{static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}}; }

bool compare(isa::ICmp cmp, bool is_signed, uint64_t a, uint64_t b) {
  auto sa = static_cast<int64_t>(a), sb = static_cast<int64_t>(b);
  bool less = is_signed ? sa < sb : a < b;
  switch (cmp) {
    case isa::ICmp::Lt:
      return less;
    case isa::ICmp::Le:
      return less || a == b;
    case isa::ICmp::Gt:
      return !less && a != b;
    case isa::ICmp::Ge:
      return !less;
    case isa::ICmp::Eq:
      return a == b;
    case isa::ICmp::Ne:
      return a != b;
  }
  return false;
}

bool combine(unsigned op, bool a, bool b) { return op == 0 ? a && b : op == 1 ? a || b : a != b; }

uint32_t extract(uint32_t a, uint32_t spec, bool is_signed) {
  uint32_t pos = spec & 0xFF, len = spec >> 8 & 0xFF, out = 0;
  uint32_t top = std::min(pos + len - 1, 31u);
  bool fill = is_signed && len != 0 && (a >> top & 1);
  for (uint32_t i = 0; i < 32; ++i) {
    bool bit = i < len && pos + i <= 31 ? (a >> (pos + i) & 1) != 0 : fill;
    out |= static_cast<uint32_t>(bit) << i;
  }
  return out;
}

uint32_t insert(uint32_t a, uint32_t spec, uint32_t c) {
  uint32_t pos = spec & 0xFF, len = spec >> 8 & 0xFF;
  for (uint32_t i = 0; i < len && pos + i <= 31; ++i) {
    c = (c & ~(1u << (pos + i))) | (a >> i & 1) << (pos + i);
  }
  return c;
}

uint32_t permute(unsigned mode, uint32_t a, uint32_t sel, uint32_t c) {
  uint64_t bytes = a | uint64_t{c} << 32;
  auto byte = [&](unsigned i) { return static_cast<uint32_t>(bytes >> (8 * (i & 7)) & 0xFF); };
  uint32_t out = 0;
  unsigned n = sel & 3;
  for (unsigned i = 0; i < 4; ++i) {
    uint32_t v = 0;
    switch (mode) {
      case 0: {
        unsigned s = sel >> (4 * i) & 15;
        v = byte(s);
        if (s & 8) v = v & 0x80 ? 0xFF : 0;
        break;
      }
      case 1:
        v = byte(n + i);
        break;
      case 2:
        v = byte((n + 8 - i) & 7);
        break;
      case 3:
        v = byte(n);
        break;
      case 4:
        v = byte(std::max(i, n));
        break;
      case 5:
        v = byte(std::min(i, n));
        break;
      case 6:
        v = byte((n & 1) * 2 + (i & 1));
        break;
    }
    out |= v << (8 * i);
  }
  return out;
}

uint32_t leading(uint32_t a, unsigned mode, bool is_signed) {
  if (mode == 2) return static_cast<uint32_t>(std::countl_zero(a));
  if (is_signed && a >> 31) a = ~a;
  if (a == 0) return 0xFFFFFFFF;
  uint32_t pos = 31 - static_cast<uint32_t>(std::countl_zero(a));
  return mode == 0 ? pos : 31 - pos;
}

uint32_t dot(uint32_t a, uint32_t b, uint32_t c, bool sa, bool sb, bool quad, bool hi) {
  int parts = quad ? 4 : 2, width = quad ? 8 : 16;
  for (int i = 0; i < parts; ++i) {
    int64_t x = extract(a, static_cast<uint32_t>(i * width | width << 8), sa);
    uint32_t bi = static_cast<uint32_t>(quad ? i : i + (hi ? 2 : 0));
    int64_t y = extract(b, bi * 8 | 8 << 8, sb);
    c += static_cast<uint32_t>((sa ? sign_extend(static_cast<uint32_t>(x)) : x) *
                               (sb ? sign_extend(static_cast<uint32_t>(y)) : y));
  }
  return c;
}

}  // namespace

// One call of one function.
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
        case mir::Terminator::Kind::Jump:
          block = end.targets[0];
          break;
        case mir::Terminator::Kind::Branch:
          block = end.targets[pred(end.cond) ? 0 : 1];
          break;
        case mir::Terminator::Kind::Indexed:
          block = end.targets[get(end.index).w[0]];
          break;
        case mir::Terminator::Kind::Exit:
          exited_ = true;
          return "";
        case mir::Terminator::Kind::Return:
          return "";
        default:
          return "no way on";
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
      case Operand::Kind::Imm:
        v = of64(static_cast<uint64_t>(o.imm));
        break;
      case Operand::Kind::Const:
        if (o.aux == mir::kParamBank) {
          std::memcpy(v.w, thread_.params.data() + o.id,
                      std::min<size_t>(8, thread_.params.size() - o.id));
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
      case Operand::Kind::Frame:
        v.w[0] = frame_[o.id] + static_cast<uint32_t>(o.imm);
        break;
      default:
        break;
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
      case Op::Sts:
        return thread_.shared.data() + static_cast<uint32_t>(address);
      case Op::Ldl:
      case Op::Stl:
        return local_.data() + static_cast<uint32_t>(address);
      case Op::Ld:
      case Op::St:
        if (address >> 32 == isa::kSharedWindow) {
          return thread_.shared.data() + static_cast<uint32_t>(address);
        }
        if (address >> 32 == isa::kLocalWindow) {
          return local_.data() + static_cast<uint32_t>(address);
        }
        break;
      default:
        break;
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
  static void pass(Frame& from, const Operand& source, Frame& to, const Operand& target,
                   uint32_t size) {
    if (target.is_frame()) {
      std::memcpy(to.local_.data() + to.frame_[target.id],
                  from.local_.data() + from.frame_[source.id], size);
    } else {
      to.put(target, from.get(source));
    }
  }
  void call(const mir::Call& call);
  void execute(const mir::Instruction& i);
  bool execute_integer(const mir::Instruction& i, Value a, Value b, Value c);
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

void Frame::call(const mir::Call& call) {
  mir::SymbolId symbol = call.callee != mir::kNone ? call.callee : get(call.target).w[0];
  const mir::Function* callee = eval_.function_of(symbol);
  if (!callee || callee->params.size() != call.args.size() ||
      callee->results.size() != call.results.size()) {
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

bool Frame::execute_integer(const mir::Instruction& i, Value a, Value b, Value c) {
  uint32_t x = a.w[0], y = b.w[0], z = c.w[0];
  uint64_t lx = a.low64(), ly = b.low64(), lz = c.low64();
  bool sign = i.field("sign");
  switch (i.op) {
    case Op::Mov:
      put(i.dst, b);
      break;
    case Op::S2r:
      put32(i.dst, y == 0 ? thread_.tid : y == 4 ? 32 : 0);
      break;
    case Op::Iadd: {
      int64_t p = i.field("neg_a") ? -sign_extend(x) : sign_extend(x);
      int64_t q = i.field("neg_b") ? -sign_extend(y) : sign_extend(y);
      uint64_t carry = i.p.present() && pred(i.p);
      if (i.field("sat")) {
        put32(i.dst, static_cast<uint32_t>(std::clamp<int64_t>(p + q, INT32_MIN, INT32_MAX)));
        break;
      }
      put_pred(i.pd, (uint64_t{x} + y + carry) >> 32 != 0);
      put32(i.dst, static_cast<uint32_t>(p + q) + static_cast<uint32_t>(carry));
      break;
    }
    case Op::Iadd64: {
      uint64_t carry = i.p.present() && pred(i.p);
      put_pred(i.pd, lx + ly < lx || lx + ly + carry < carry);
      put(i.dst, of64(lx + (i.field("neg_b") ? -ly : ly) + carry));
      break;
    }
    case Op::Imad: {
      uint64_t product =
          sign ? static_cast<uint64_t>(sign_extend(x) * sign_extend(y)) : uint64_t{x} * y;
      put32(i.dst, static_cast<uint32_t>(i.field("hi") ? product >> 32 : product) + z);
      break;
    }
    case Op::ImadWide: {
      uint64_t product =
          sign ? static_cast<uint64_t>(sign_extend(x) * sign_extend(y)) : uint64_t{x} * y;
      put(i.dst, of64(product + lz));
      break;
    }
    case Op::Isetp: {
      auto cmp = static_cast<isa::ICmp>(i.field("cmp"));
      bool r = sign ? compare(cmp, true, static_cast<uint64_t>(sign_extend(x)),
                              static_cast<uint64_t>(sign_extend(y)))
                    : compare(cmp, false, x, y);
      put_compare(i, r);
      break;
    }
    case Op::Isetp64:
      put_compare(i, compare(static_cast<isa::ICmp>(i.field("cmp")), sign, lx, ly));
      break;
    case Op::Imnmx: {
      bool less = sign ? sign_extend(x) < sign_extend(y) : x < y;
      put32(i.dst, less != static_cast<bool>(i.field("max")) ? x : y);
      break;
    }
    case Op::Imnmx64: {
      bool less = sign ? static_cast<int64_t>(lx) < static_cast<int64_t>(ly) : lx < ly;
      put(i.dst, of64(less != static_cast<bool>(i.field("max")) ? lx : ly));
      break;
    }
    case Op::Iabs:
      put32(i.dst, y >> 31 ? -y : y);
      break;
    case Op::Lop: {
      static constexpr auto kLogic = [](unsigned op, uint32_t p, uint32_t q) {
        return op == 0 ? p & q : op == 1 ? p | q : op == 2 ? p ^ q : p & ~q;
      };
      put32(i.dst, kLogic(i.field("op"), x, y));
      break;
    }
    case Op::Lop3: {
      uint32_t out = 0, lut = i.field("lut");
      for (int n = 0; n < 32; ++n) {
        unsigned at = (x >> n & 1) << 2 | (y >> n & 1) << 1 | (z >> n & 1);
        out |= (lut >> at & 1) << n;
      }
      put32(i.dst, out);
      break;
    }
    case Op::Plop: {
      bool r = combine(i.field("op"), pred(i.p), pred(i.p2));
      put_pred(i.pd, r);
      put_pred(i.pq, !r);
      break;
    }
    case Op::Sel:
      put32(i.dst, pred(i.p) ? x : y);
      break;
    case Op::Shl:
      put32(i.dst, y > 31 ? 0 : x << y);
      break;
    case Op::Shr:
      put32(i.dst, sign ? static_cast<uint32_t>(static_cast<int32_t>(x) >> std::min(y, 31u))
                        : (y > 31 ? 0 : x >> y));
      break;
    case Op::Shl64:
      put(i.dst, of64(y > 63 ? 0 : lx << y));
      break;
    case Op::Shr64:
      put(i.dst, of64(sign ? static_cast<uint64_t>(static_cast<int64_t>(lx) >> std::min(y, 63u))
                           : (y > 63 ? 0 : lx >> y)));
      break;
    case Op::Shf: {
      uint64_t both = x | uint64_t{z} << 32;
      uint32_t n = i.field("wrap") ? y & 31 : std::min(y, 32u);
      put32(i.dst, static_cast<uint32_t>(i.field("right") ? both >> n : (both << n) >> 32));
      break;
    }
    case Op::Bfe:
      put32(i.dst, extract(x, y, sign));
      break;
    case Op::Bfi:
      put32(i.dst, insert(x, y, z));
      break;
    case Op::Brev: {
      uint32_t out = 0;
      for (int n = 0; n < 32; ++n) out |= (y >> n & 1) << (31 - n);
      put32(i.dst, out);
      break;
    }
    case Op::Popc:
      put32(i.dst, static_cast<uint32_t>(std::popcount(y)));
      break;
    case Op::Flo:
      put32(i.dst, leading(y, i.field("mode"), sign));
      break;
    case Op::Prmt:
      put32(i.dst, permute(i.field("mode"), x, y, z));
      break;
    case Op::Sad: {
      bool less = sign ? sign_extend(x) < sign_extend(y) : x < y;
      put32(i.dst, (less ? y - x : x - y) + z);
      break;
    }
    case Op::Dp4a:
    case Op::Dp2a:
      put32(i.dst,
            dot(x, y, z, i.field("sign_a"), i.field("sign_b"), i.op == Op::Dp4a, i.field("hi")));
      break;
    default:
      return false;
  }
  return true;
}

bool Frame::execute_float(const mir::Instruction& i, Value a, Value b, Value c) {
  uint32_t x = a.w[0], y = b.w[0], z = c.w[0];
  FloatMode mode{static_cast<isa::Rounding>(i.field("rnd")), i.field("ftz") != 0,
                 i.field("sat") != 0};
  switch (i.op) {
    case Op::Fadd:
      if (i.field("abs_a")) x &= 0x7FFFFFFF;
      if (i.field("abs_b")) y &= 0x7FFFFFFF;
      if (i.field("neg_a")) x ^= 0x80000000;
      if (i.field("neg_b")) y ^= 0x80000000;
      put32(i.dst, f32_add(x, y, mode));
      break;
    case Op::Fmul:
      put32(i.dst, f32_mul(x, y, mode));
      break;
    case Op::Ffma:
      if (i.field("neg_p")) x ^= 0x80000000;
      if (i.field("neg_c")) z ^= 0x80000000;
      put32(i.dst, f32_fma(x, y, z, mode));
      break;
    case Op::Fmnmx:
      put32(i.dst, f32_minmax(x, y, i.field("max"), i.field("nan"), i.field("xorsign_abs"), mode));
      break;
    case Op::Fsetp:
      put_compare(i, f32_compare(static_cast<isa::FCmp>(i.field("cmp")), x, y, mode.ftz));
      break;
    case Op::I2f:
      put32(i.dst, i.field("sign") ? f32_of_s64(sign_extend(y), mode) : f32_of_u64(y, mode));
      break;
    case Op::I642f:
      put32(i.dst, i.field("sign") ? f32_of_s64(static_cast<int64_t>(b.low64()), mode)
                                   : f32_of_u64(b.low64(), mode));
      break;
    case Op::F2i: {
      unsigned width = i.field("width") == 0 ? 32 : i.field("width") == 1 ? 16 : 8;
      put32(i.dst, static_cast<uint32_t>(int_of_f32(y, width, i.field("sign"), mode)));
      break;
    }
    case Op::F2i64:
      put(i.dst, of64(int_of_f32(y, 64, i.field("sign"), mode)));
      break;
    case Op::Frnd:
      put32(i.dst, f32_round(y, i.field("integral"), mode));
      break;
    case Op::Mufu:  // by the model's tables: there is no other source of these bits
      put32(i.dst, model::mufu(static_cast<isa::MufuOp>(i.field("op")), y));
      break;
    case Op::F2d:
      put(i.dst, of64(f64_of_f32(y, mode)));
      break;
    case Op::D2f:
      put32(i.dst, f32_of_f64(b.low64(), mode));
      break;
    default:
      return false;
  }
  return true;
}

bool Frame::execute_memory(const mir::Instruction& i, Value a, Value c) {
  static constexpr int kBytes[] = {1, 1, 2, 2, 4, 8, 16};
  switch (i.op) {
    case Op::Ldg:
    case Op::Lds:
    case Op::Ldl:
    case Op::Ld:
      load(i, memory(i, a.low64()));
      break;
    case Op::Stg:
    case Op::Sts:
    case Op::Stl:
    case Op::St:
      std::memcpy(memory(i, a.low64()), c.w, static_cast<size_t>(kBytes[i.field("size")]));
      break;
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
    case Op::Nanosleep:
      break;
    case Op::Trap:
      error_ = "trap";
      break;
    default:
      return false;
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
