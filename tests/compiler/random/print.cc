// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>

#include "tests/compiler/random/operations.h"
#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

constexpr char kLetter[] = {'h', 'w', 'd', 'f', 'p'};
constexpr const char* kBits[] = {"b16", "b32", "b64", "f32"};  // by file
constexpr const char* kTypes[] = {"u16", "s16", "u32", "s32", "u64", "s64", "f32"};
constexpr const char* kCompare[] = {"eq", "ne", "lt", "le", "gt", "ge", "equ", "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};

std::string reg(File f, unsigned n) { return fmt::format("%{}{}", kLetter[static_cast<int>(f)], n); }

class Printer {
 public:
  explicit Printer(const Program& p) : p_(p) {}

  std::string run() {
    out_ = ".version 7.8\n.target sm_80\n.address_size 64\n";
    for (size_t n = p_.functions.size(); n-- > 0;) function(n);
    kernel();
    return std::move(out_);
  }

 private:
  template <typename... T>
  void line(fmt::format_string<T...> text, T&&... args) {
    out_ += "    " + fmt::format(text, std::forward<T>(args)...) + ";\n";
  }
  void label(const std::string& name) { out_ += name + ":\n"; }
  std::string new_label() { return fmt::format("L{}", labels_++); }

  static std::string value(Type t, const Value& v) {
    if (!v.immediate) return reg(file_of(t), v.reg);
    if (t == Type::F32) return fmt::format("0f{:08X}", v.bits);
    if (!is_signed(t)) return fmt::format("{}", v.bits);
    const unsigned shift = 64 - bits_of(t);
    const int64_t s = static_cast<int64_t>(v.bits << shift) >> shift;
    return s == INT64_MIN ? "0x8000000000000000" : fmt::format("{}", s);
  }

  // `w`, `d`, `f`, `h`: registers with what the first values are made of.
  void declare(unsigned loops) {
    for (int f = 0; f < kFiles; f++)
      line(".reg .{} %{}<{}>", f == 4 ? "pred" : kBits[f], kLetter[f], kRegisters[f]);
    if (loops) line(".reg .b32 %i<{}>, %n<{}>", loops, loops);
    line(".reg .b16 %th");
    line(".reg .b32 %tw, %tx, %ty, %w_in");
    line(".reg .b64 %td, %at, %out, %in, %d_in");
    line(".reg .f32 %f_in");
    line(".reg .b16 %h_in");
    line(".reg .pred %q");
    line(".local .align 16 .b8 mine[{}]", kSliceBytes);
  }
  void start() {
    for (unsigned k = 0; k < kRegisters[1]; k++) line("mad.lo.u32 %w{}, %w_in, {}, {}", k, 2654435761u + 2 * k, 77 * k);
    for (unsigned k = 0; k < kRegisters[2]; k++)
      line("mad.lo.u64 %d{}, %d_in, {}, {}", k, 0x9e3779b97f4a7c15 + 2 * k, 1234567 * k);
    constexpr unsigned kScale[] = {0x3e800000, 0x3f000000, 0x3f800000, 0x40000000, 0x40800000, 0x41000000};
    for (unsigned k = 0; k < kRegisters[3]; k++) line("mul.rn.f32 %f{}, %f_in, 0f{:08X}", k, kScale[k]);
    for (unsigned k = 0; k < kRegisters[0]; k++) line("mad.lo.u16 %h{}, %h_in, {}, {}", k, 40503 + 2 * k, k);
    for (unsigned k = 0; k < kRegisters[4]; k++) {
      line("and.b32 %tw, %w{}, {}", k, 128u << k);
      line("setp.ne.u32 %p{}, %tw, 0", k);
    }
    for (unsigned at = 0; at < kSliceBytes; at += 8) line("st.local.u64 [mine+{}], 0", at);
  }

  void function(size_t n) {
    const Function& f = p_.functions[n];
    const char* type = kBits[static_cast<int>(f.result)];
    out_ += fmt::format(".func (.param .{} back) f{}(.param .b32 pw, .param .b64 pd, .param .f32 pf, .param .b16 ph)\n{{\n",
                        type, n);
    declare(f.loops);
    line("ld.param.b32 %w_in, [pw]");
    line("ld.param.b64 %d_in, [pd]");
    line("ld.param.f32 %f_in, [pf]");
    line("ld.param.b16 %h_in, [ph]");
    start();
    end_ = new_label();
    body(f.body);
    label(end_);
    line("st.param.{} [back], {}", type, reg(f.result, 0));
    line("ret");
    out_ += "}\n";
  }

  void kernel() {
    out_ += ".visible .entry k(.param .u64 buffer)\n{\n";
    unsigned loops = 0;
    for (const Function& f : p_.phases) loops = std::max(loops, f.loops);
    declare(loops);
    line(".reg .b32 %me, %slice");
    line(".shared .align 16 .b8 all[{}]", kThreads * kSliceBytes);
    line("ld.param.u64 %out, [buffer]");
    line("cvta.to.global.u64 %out, %out");
    line("add.u64 %in, %out, {}", kThreads * kRecordBytes);
    line("mov.u32 %me, %tid.x");
    line("mad.wide.u32 %out, %me, {}, %out", kRecordBytes);
    line("mov.u32 %slice, all");
    line("mad.lo.u32 %slice, %me, {}, %slice", kSliceBytes);
    line("mov.u32 %w_in, %me");
    line("cvt.u64.u32 %d_in, %me");
    line("cvt.rn.f32.u32 %f_in, %me");
    line("cvt.u16.u32 %h_in, %me");
    start();
    for (unsigned at = 0; at < kSliceBytes; at += 8) line("st.shared.u64 [%slice+{}], 0", at);
    end_ = new_label();
    for (const Function& f : p_.phases) {
      line("bar.sync 0");
      size_t first = 0;
      for (; first < f.body.size() && is_collective(f.body[first].instruction.op); first++) statement(f.body[first]);
      if (first) line("bar.sync 0");
      body({f.body.begin() + static_cast<ptrdiff_t>(first), f.body.end()});
    }
    if (!p_.silent_return) label(end_);
    for (const File f : {File::H, File::W, File::D, File::F})
      for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++)
        line("st.global.{} [%out+{}], {}", kBits[static_cast<int>(f)], record_offset(f, r), reg(f, r));
    if (p_.silent_return) label(end_);
    line("ret");
    out_ += "}\n";
  }

  void access(const Instruction& i, const std::string& guard) {
    const unsigned bytes = bits_of(i.type) / 8;
    const bool other = i.op == Op::LoadOther, input = i.op == Op::LoadInput;
    const unsigned words = other ? 1 : i.extra;
    const unsigned half = input ? kInputWords * 8 : kSliceBytes / 2;
    const unsigned base = i.type == Type::F32 && !input ? kSliceBytes / 2 : 0;
    line("and.b32 %tw, {}, {}", value(Type::U32, i.a), (half - 1) & ~(bytes * words - 1));
    std::string space = "shared", at = fmt::format("[%tw+{}]", base);
    if (input) {
      space = "global";
      line("cvt.u64.u32 %at, %tw");
      line("add.u64 %at, %at, %in");
      at = "[%at]";
    } else if (other) {
      line("add.u32 %tx, %me, {}", i.extra);
      line("and.b32 %tx, %tx, {}", kThreads - 1);
      line("mad.lo.u32 %tw, %tx, {}, %tw", kSliceBytes);
      line("mov.u32 %tx, all");
      line("add.u32 %tw, %tw, %tx");
    } else if (i.op == Op::LoadLocal || i.op == Op::StoreLocal) {
      space = "local";
      line("mov.u32 %tx, mine");
      line("add.u32 %tw, %tw, %tx");
    } else {
      line("add.u32 %tw, %tw, %slice");
    }
    const File f = file_of(i.type);
    const char* type = kTypes[static_cast<int>(i.type)];
    const bool store = i.op == Op::StoreShared || i.op == Op::StoreLocal;
    if (store && words == 2)
      line("{}st.{}.v2.{} {}, {{{}, {}}}", guard, space, type, at, value(i.type, i.b), value(i.type, i.c));
    else if (store) line("{}st.{}.{} {}, {}", guard, space, type, at, value(i.type, i.b));
    else if (words == 2) line("{}ld.{}.v2.{} {{{}, {}}}, {}", guard, space, type, reg(f, i.dst), reg(f, i.dst2), at);
    else line("{}ld.{}.{} {}, {}", guard, space, type, reg(f, i.dst), at);
  }

  void table(const Instruction& i, const std::string& guard) {
    const Operation& o = operations()[i.extra];
    const std::string_view files = o.files;
    const std::string d = reg(file_of(files[0]), i.dst);
    const Value* const sources[] = {&i.a, &i.b, &i.c};
    std::string operand[3], text = o.text;
    for (size_t k = 1; k < files.size(); k++) {
      constexpr std::string_view kLetters = "hwdf";
      constexpr Type kOf[] = {Type::U16, Type::U32, Type::U64, Type::F32};
      const size_t at = kLetters.find(static_cast<char>(files[k] | 32));
      const Value& v = *sources[k - 1];
      operand[k - 1] = at != kLetters.npos ? value(kOf[at], v) : v.immediate ? fmt::format("0d{:016X}", v.bits) : reg(File::D, v.reg);
    }
    if (text.find('{') == text.npos) {
      text += " {d}";
      for (size_t k = 1; k < files.size(); k++) text += fmt::format(", {{{}}}", "abc"[k - 1]);
    }
    // A NaN's bits are the machine's affair.
    if (files[0] == 'e') text += ";setp.nan.f64 %q, {d}, {d};selp.b64 {d}, 0x7ff8000000000000, {d}, %q";
    while (!text.empty()) {
      const size_t end = std::min(text.find(';'), text.size());
      line("{}{}", guard, fmt::format(fmt::runtime(text.substr(0, end)), fmt::arg("d", d), fmt::arg("a", operand[0]),
                                      fmt::arg("b", operand[1]), fmt::arg("c", operand[2])));
      text.erase(0, end + 1);
    }
  }

  void together(const Instruction& i) {
    const std::string d = reg(File::W, i.dst), a = reg(File::W, i.a.reg);
    constexpr const char* kModes[] = {"idx", "up", "down", "bfly"};
    constexpr const char* kRedux[] = {"add.u32", "min.u32", "max.u32", "min.s32", "max.s32", "and.b32", "xor.b32"};
    const unsigned mode = i.extra & 3, segment = (32u - (1u << (i.extra >> 4))) << 8;
    switch (i.op) {
      case Op::Shuffle:
        return line("shfl.sync.{}.b32 {}, {}, {}, {}, -1", kModes[mode], d, a, i.b.bits, segment | (mode == 1 ? 0 : 31));
      case Op::Ballot:
        return line("vote.sync.ballot.b32 {}, {}%p{}, -1", d, i.predicate.negated ? "!" : "", i.predicate.reg);
      case Op::Match:
        line("and.b32 %tw, {}, 3", a);
        return line("match.any.sync.b32 {}, %tw, -1", d);
      default:
        return line("redux.sync.{} {}, {}, -1", kRedux[i.extra], d, a);
    }
  }

  void divide(const Instruction& i, const std::string& guard) {
    const int file = static_cast<int>(file_of(i.type));
    const char* type = kTypes[static_cast<int>(i.type)];
    std::string divisor = value(i.type, i.b);
    if (!i.b.immediate) {
      divisor = fmt::format("%t{}", kLetter[file]);
      const uint64_t half = (uint64_t{1} << (bits_of(i.type) - 1)) - 1;
      line("and.{} {}, {}, {}", kBits[file], divisor, value(i.type, i.b), half);
      line("max.{} {}, {}, 1", type, divisor, divisor);
    }
    line("{}{}.{} {}, {}, {}", guard, i.op == Op::Div ? "div" : "rem", type, reg(file_of(i.type), i.dst), value(i.type, i.a),
         divisor);
  }

  void set_predicate(const Instruction& i, const std::string& guard) {
    const std::string d = reg(File::P, i.dst), p = reg(File::P, static_cast<unsigned>(std::max(0, i.predicate.reg)));
    const std::string sources = value(i.type, i.a) + ", " + value(i.type, i.b);
    const char* type = kTypes[static_cast<int>(i.type)];
    constexpr const char* kJoin[] = {"and", "or", "xor"};
    switch (i.op) {
      case Op::Setp:
        return line("{}setp.{}.{} {}, {}", guard, kCompare[i.compare], type, d, sources);
      case Op::SetpAnd:
        return line("{}setp.{}.{}.{} {}{}, {}, {}{}", guard, kCompare[i.compare], kJoin[i.extra], type, d,
                    i.extra == 2 ? "" : "|" + reg(File::P, i.dst2), sources, i.predicate.negated ? "!" : "", p);
      case Op::PNot:
        return line("{}not.pred {}, {}", guard, d, p);
      default:
        return line("{}{}.pred {}, {}, {}", guard, i.op == Op::PAnd ? "and" : "xor", d, p, reg(File::P, i.extra));
    }
  }

  void instruction(const Instruction& i) {
    std::string guard;
    if (i.guard.reg >= 0) guard = fmt::format("@{}%p{} ", i.guard.negated ? "!" : "", i.guard.reg);
    const std::string type = kTypes[static_cast<int>(i.type)], bits = kBits[static_cast<int>(file_of(i.type))];
    const std::string a = value(i.type, i.a), b = value(i.type, i.b), c = value(i.type, i.c), d = reg(file_of(i.type), i.dst);
    const auto three = [&](const std::string& name) { line("{}{} {}, {}, {}", guard, name, d, a, b); };
    const auto two = [&](const std::string& name) { line("{}{} {}, {}", guard, name, d, a); };
    switch (i.op) {
      case Op::Add: return three("add." + type);
      case Op::Sub: return three("sub." + type);
      case Op::MulLo: return three("mul.lo." + type);
      case Op::MulHi: return three("mul.hi." + type);
      case Op::MadLo: return line("{}mad.lo.{} {}, {}, {}, {}", guard, type, d, a, b, c);
      case Op::MulWide:
      case Op::MadWide: {
        const bool half = bits_of(i.type) == 16;
        const std::string to = reg(half ? File::W : File::D, i.dst);
        if (i.op == Op::MulWide) return line("{}mul.wide.{} {}, {}, {}", guard, type, to, a, b);
        return line("{}mad.wide.{} {}, {}, {}, {}", guard, type, to, a, b, value(half ? Type::U32 : Type::U64, i.c));
      }
      case Op::Div:
      case Op::Rem: return divide(i, guard);
      case Op::Min: return three("min." + type);
      case Op::Max: return three("max." + type);
      case Op::Neg: return two("neg." + type);
      case Op::Abs: return two("abs." + type);
      case Op::And: return three("and." + bits);
      case Op::Or: return three("or." + bits);
      case Op::Xor: return three("xor." + bits);
      case Op::Not: return two("not." + bits);
      case Op::Shl: return line("{}shl.{} {}, {}, {}", guard, bits, d, a, value(Type::U32, i.b));
      case Op::Shr: return line("{}shr.{} {}, {}, {}", guard, type, d, a, value(Type::U32, i.b));
      case Op::Popc: return line("{}popc.{} {}, {}", guard, bits, reg(File::W, i.dst), a);
      case Op::Clz: return line("{}clz.{} {}, {}", guard, bits, reg(File::W, i.dst), a);
      case Op::Brev: return two("brev." + bits);
      case Op::Bfe:
        return line("{}bfe.{} {}, {}, {}, {}", guard, type, d, a, value(Type::U32, i.b), value(Type::U32, i.c));
      case Op::Bfi: return line("{}bfi.{} {}, {}, {}, {}, {}", guard, bits, d, a, b, i.extra >> 8, i.extra & 255);
      case Op::Prmt: return line("{}prmt.b32 {}, {}, {}, {}", guard, d, a, b, c);
      case Op::FunnelLeft:
      case Op::FunnelRight:
        return line("{}shf.{}.{}.b32 {}, {}, {}, {}", guard, i.op == Op::FunnelLeft ? "l" : "r", i.extra & 1 ? "clamp" : "wrap",
                    d, a, b, c);
      case Op::Lop3: return line("{}lop3.b32 {}, {}, {}, {}, {}", guard, d, a, b, c, i.extra);
      case Op::AddCarry:
        line("{}add.cc.u32 %tx, {}, {}", guard, a, b);
        line("{}addc.u32 %ty, {}, {}", guard, c, a);
        line("{}mov.u32 {}, %tx", guard, d);
        return line("{}mov.u32 {}, %ty", guard, reg(File::W, (i.dst + 1) % kRegisters[1]));
      case Op::Selp: return line("{}selp.{} {}, {}, {}, %p{}", guard, type, d, a, b, i.predicate.reg);
      case Op::Mov: return two("mov." + type);
      case Op::Cvt: {
        constexpr const char* kRound[] = {"rn", "rz", "rm", "rp"};
        std::string mode;
        if (i.type == Type::F32) mode = std::string(".") + kRound[i.extra] + "i";
        else if (i.to == Type::F32) mode = std::string(".") + kRound[i.extra];
        return line("{}cvt{}.{}.{} {}, {}", guard, mode, kTypes[static_cast<int>(i.to)], type, reg(file_of(i.to), i.dst), a);
      }
      case Op::FAdd: return three("add.rn.f32");
      case Op::FSub: return three("sub.rn.f32");
      case Op::FMul: return three("mul.rn.f32");
      case Op::FFma: return line("{}fma.rn.f32 {}, {}, {}, {}", guard, d, a, b, c);
      case Op::FDiv: return three("div.rn.f32");
      case Op::FSqrt: return two("sqrt.rn.f32");
      case Op::FMin: return three("min.f32");
      case Op::FMax: return three("max.f32");
      case Op::FNeg: return two("neg.f32");
      case Op::FAbs: return two("abs.f32");
      case Op::Setp:
      case Op::SetpAnd:
      case Op::PAnd:
      case Op::PXor:
      case Op::PNot: return set_predicate(i, guard);
      case Op::Table: return table(i, guard);
      case Op::Shuffle:
      case Op::Ballot:
      case Op::Match:
      case Op::Redux: return together(i);
      default: return access(i, guard);
    }
  }

  // Goes to `yes` when the condition holds, else on; or the other way round.
  void branch(const std::vector<Term>& terms, const std::string& target, bool when) {
    // From left to right; what the rest decides alike may go at once.
    const std::string on = new_label();
    for (size_t n = 0; n < terms.size(); n++) {
      body(terms[n].before);
      const Guard p = terms[n].predicate;
      const auto jump = [&](bool if_true, const std::string& to) {
        line("@{}%p{} bra {}", p.negated == if_true ? "!" : "", p.reg, to);
      };
      if (n + 1 == terms.size()) {
        jump(when, target);
        break;
      }
      // With this value the terms up to `next` are skipped.
      for (const bool v : {false, true}) {
        size_t next = n + 1;
        while (next < terms.size() && terms[next].is_or == v) next++;
        if (next == n + 1) continue;
        if (next == terms.size()) jump(v, v == when ? target : on);
        else jump(v, term_label(on, next));
      }
      label(term_label(on, n + 1));
    }
    label(on);
  }
  static std::string term_label(const std::string& on, size_t n) { return fmt::format("{}_{}", on, n); }

  void loop(const Statement& s) {
    const std::string head = new_label(), test = new_label(), end = new_label();
    line("and.b32 %n{}, {}, 7", s.counter, value(Type::U32, s.bound));
    line("min.u32 %n{}, %n{}, {}", s.counter, s.counter, s.trips);
    line("mov.u32 %i{}, 0", s.counter);
    label(head);
    const auto leave = [&](bool when, const std::string& to) {
      line("setp.ge.u32 %q, %i{}, %n{}", s.counter, s.counter);
      line("@{}%q bra {}", when ? "" : "!", to);
    };
    if (!s.test_at_end) leave(true, end);
    line("add.u32 %i{}, %i{}, 1", s.counter, s.counter);
    loops_.push_back({s.test_at_end ? test : head, end});
    body(s.bodies[0]);
    loops_.pop_back();
    if (s.test_at_end) {
      label(test);
      leave(false, head);
    } else {
      line("bra.uni {}", head);
    }
    label(end);
  }

  void call(const Statement& s) {
    const File result = p_.functions[s.callee].result;
    const char* type = kBits[static_cast<int>(result)];
    out_ += "    {\n";
    line(".param .b32 aw");
    line(".param .b64 ad");
    line(".param .f32 af");
    line(".param .b16 ah");
    line(".param .{} ret", type);
    line("st.param.b32 [aw], {}", value(Type::U32, s.arguments[0]));
    line("st.param.b64 [ad], {}", value(Type::U64, s.arguments[1]));
    line("st.param.f32 [af], {}", value(Type::F32, s.arguments[2]));
    line("st.param.b16 [ah], {}", value(Type::U16, s.arguments[3]));
    line("call (ret), f{}, (aw, ad, af, ah)", s.callee);
    line("ld.param.{} {}, [ret]", type, reg(result, s.dst));
    out_ += "    }\n";
  }

  void choose(const Statement& s) {
    const std::string table = new_label(), end = new_label();
    std::string names;
    std::vector<std::string> cases;
    for (size_t n = 0; n < s.bodies.size(); n++) {
      cases.push_back(new_label());
      names += (n ? ", " : "") + cases.back();
    }
    line("rem.u32 %tw, %w{}, {}", s.counter, s.bodies.size());
    out_ += table + ": .branchtargets " + names + ";\n";
    line("brx.idx %tw, {}", table);
    for (size_t n = 0; n < s.bodies.size(); n++) {
      label(cases[n]);
      body(s.bodies[n]);
      line("bra {}", end);
    }
    label(end);
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Kind::Plain:
        return instruction(s.instruction);
      case Kind::If: {
        const std::string other = new_label(), end = new_label();
        branch(s.condition, other, false);
        body(s.bodies[0]);
        if (s.bodies.size() > 1) line("bra.uni {}", end);
        label(other);
        if (s.bodies.size() > 1) body(s.bodies[1]);
        return label(end);
      }
      case Kind::Loop:
        return loop(s);
      case Kind::Break:
        return branch(s.condition, loops_.back().second, true);
      case Kind::Continue:
        return branch(s.condition, loops_.back().first, true);
      case Kind::Return:
        return branch(s.condition, end_, true);
      case Kind::Call:
        return call(s);
      case Kind::Switch:
        return choose(s);
    }
  }

  void body(const Body& statements) {
    for (const Statement& s : statements) statement(s);
  }

  const Program& p_;
  std::string out_;
  std::string end_;
  std::vector<std::pair<std::string, std::string>> loops_;  // where continue and break go
  unsigned labels_ = 0;
};

}  // namespace

std::string to_ptx(const Program& program) { return Printer(program).run(); }

}  // namespace heddle::compiler::test
