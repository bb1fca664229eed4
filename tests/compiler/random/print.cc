// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

class Printer : InstructionPrinter {
 public:
  explicit Printer(const Program& p) : p_(p) {}

  std::string run() {
    out_ = ".version 7.8\n.target sm_80\n.address_size 64\n";
    for (size_t n = p_.functions.size(); n-- > 0;) function(n);
    kernel();
    return std::move(out_);
  }

 private:
  void label(const std::string& name) { out_ += name + ":\n"; }
  std::string new_label() { return fmt::format("L{}", labels_++); }

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
  std::string end_;
  std::vector<std::pair<std::string, std::string>> loops_;  // where continue and break go
  unsigned labels_ = 0;
};

}  // namespace

std::string to_ptx(const Program& program) { return Printer(program).run(); }

}  // namespace heddle::compiler::test
