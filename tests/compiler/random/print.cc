// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "tests/compiler/random/matrix.h"
#include "tests/compiler/random/print_instruction.h"

namespace heddle::compiler::test {
namespace {

using Kind = Statement::Kind;

class Printer : InstructionPrinter {
 public:
  explicit Printer(const Program& p) : p_(p) {}

  std::string run() {
    std::string functions;
    for (size_t n = 0; n < p_.functions.size(); n++) functions += signature(n) + ";\n";
    for (size_t n = 0; n < p_.functions.size(); n++) functions += function(n);
    const std::string kernel_text = kernel(functions);
    const auto uses = [&](const char* name) {
      return functions.find(name) != functions.npos || kernel_text.find(name) != kernel_text.npos;
    };
    const bool long_vectors = uses(".v8.") || uses(".v4.b64") || uses(".v4.u64") || uses(".v4.s64") || uses(".v4.f64");
    std::string head = fmt::format(".version {}\n.target sm_{}\n.address_size 64\n",
                                   long_vectors                       ? "8.8"
                                   : uses(".e4m3.") || uses(".e5m2.") ? "8.7"
                                   : uses("ordered_metadata")         ? "8.5"
                                   : uses("b128")                     ? "8.4"
                                                                      : "8.0",
                                   long_vectors ? 100 : 90);
    if (uses("constants")) {
      head += fmt::format(".const .align 16 .b64 constants[{}] = {{", kConstWords);
      for (unsigned n = 0; n < kConstWords; n++) head += fmt::format("{}{}", n ? ", " : "", constant_word(n));
      head += "};\n";
    }
    if (uses("near_cells")) head += fmt::format(".shared .align 8 .b64 near_cells[{}];\n", kCellCount);
    if (uses("far_cells")) head += fmt::format(".global .align 8 .b64 far_cells[{}];\n", kCellCount * kBlocks);
    if (uses("near_sums")) head += fmt::format(".shared .align 16 .b8 near_sums[{}];\n", kSumBytes * kSumCount);
    if (uses("far_sums")) head += fmt::format(".global .align 16 .b8 far_sums[{}];\n", kSumBytes * kSumCount * kBlocks);
    return head + functions + kernel_text;
  }

 private:
  void label(const std::string& name) { out_ += name + ":\n"; }
  std::string new_label() { return fmt::format("L{}", labels_++); }

  std::string signature(size_t n) const {
    return fmt::format(
        ".func (.param .{} back) f{}(.param .b32 pw, .param .b64 pd, .param .f32 pf, .param .b16 ph, .param .b64 pg, "
        ".param .b32 pn, .param .b32 pm)",
        kBits[static_cast<int>(p_.functions[n].result)], n);
  }

  // What the text needs: registers, prototypes, first values of the registers that it names.
  std::string frame(const Function& f, const std::string& text) {
    const auto uses = [&](const std::string& name) { return text.find(name) != text.npos; };
    out_.clear();
    for (int file = 0; file < kFiles; file++)
      if (file != static_cast<int>(File::X) || uses("%x"))
        line(".reg .{} %{}<{}>", kBits[file], kLetter[file], kRegisters[file]);
    if (f.loops) line(".reg .b32 %i<{0}>, %n<{0}>", f.loops);
    if (f.masks) line(".reg .b32 %m<{}>", f.masks);
    for (const char* more : {"b16 %th, %h_in, %e<8>", "b32 %tw, %tx, %ty, %tz, %tv, %w_in, %depth, %members, %s<4>",
                             "b64 %td, %tg, %at, %d_in, %given", "f32 %f_in", "pred %q, %r"})
      line(".reg .{}", more);
    if (uses("%ma")) line(".reg .b32 %ma<{0}>, %mb<{0}>, %mc<{0}>, %md<{0}>", kWmmaRegisters);
    if (uses("%dma")) line(".reg .f64 %dma<1>, %dmb<1>, %dmc<2>, %dmd<2>");
    if (uses("mine")) line(".local .align 16 .b8 mine[{}]", kSliceBytes);
    for (const int result : {1, 2, 3})
      if (uses(fmt::format("proto_{};", kBits[result])))
        line(
            "proto_{0}: .callprototype (.param .{0} _) _ (.param .b32 _, .param .b64 _, .param .f32 _, .param .b16 _, "
            ".param .b64 _, .param .b32 _, .param .b32 _)",
            kBits[result]);
    return std::exchange(out_, {});
  }
  std::string start(const std::string& text) {
    const auto uses = [&](const std::string& name) { return text.find(name) != text.npos; };
    out_.clear();
    for (unsigned k = 0; k < kRegisters[1]; k++)
      if (uses(fmt::format("%w{}", k))) line("mad.lo.u32 %w{}, %w_in, {}, {}", k, 2654435761u + 2 * k, 77 * k);
    for (unsigned k = 0; k < kRegisters[2]; k++)
      if (uses(fmt::format("%d{}", k)))
        line("mad.lo.u64 %d{}, %d_in, {}, {}", k, 0x9e3779b97f4a7c15 + 2 * k, 1234567 * k);
    constexpr unsigned kScale[] = {0x3e800000, 0x3f000000, 0x3f800000, 0x40000000, 0x40800000, 0x41000000};
    for (unsigned k = 0; k < kRegisters[3]; k++)
      if (uses(fmt::format("%f{}", k))) line("mul.rn.f32 %f{}, %f_in, 0f{:08X}", k, kScale[k]);
    for (unsigned k = 0; k < kRegisters[0]; k++)
      if (uses(fmt::format("%h{}", k))) line("mad.lo.u16 %h{}, %h_in, {}, {}", k, 40503 + 2 * k, k);
    for (unsigned k = 0; k < kRegisters[4]; k++) {
      if (!uses(fmt::format("%p{}", k))) continue;
      line("mad.lo.u32 %tw, %w_in, {}, {}", 2654435761u + 2 * k, 77 * k);
      line("and.b32 %tw, %tw, {}", 128u << k);
      line("setp.ne.u32 %p{}, %tw, 0", k);
    }
    for (unsigned k = 0; k < kRegisters[6]; k++) {
      if (!uses(fmt::format("%x{}", k))) continue;
      line("mad.lo.u64 %td, %d_in, {}, {}", 0xd1b54a32d192ed03 + 4 * k, 2 * k);
      line("mad.lo.u64 %tg, %d_in, {}, {}", 0xd1b54a32d192ed05 + 4 * k, 2 * k + 1);
      line("mov.b128 %x{}, {{%td, %tg}}", k);
    }
    for (unsigned k = 0; k < kRegisters[5]; k++)
      if (uses(fmt::format("%a{}", k))) line("mov.f32 %a{}, 0f00000000", k);
    if (uses("mine"))
      for (unsigned at = 0; at < kSliceBytes; at += 8) line("st.local.u64 [mine+{}], 0", at);
    return std::exchange(out_, {});
  }

  std::string function(size_t n) {
    const Function& f = p_.functions[n];
    const char* type = kBits[static_cast<int>(f.result)];
    result_ = &f;
    end_ = new_label();
    if (!f.together.empty()) {  // members: 0 when each lane came for itself
      const std::string alone = new_label();
      line("setp.eq.u32 %q, %members, 0");
      line("@%q bra {}", alone);
      members_ = "%members";
      body(f.together);
      members_ = "-1";
      label(alone);
    }
    body(f.body);
    label(end_);
    line("st.param.{} [back], {}", type, reg(f.result, 0));
    line("ret");
    const std::string text = std::exchange(out_, {});
    std::string whole = signature(n) + "\n{\n" + frame(f, text);
    for (const char* load : {"b32 %w_in, [pw]", "b64 %d_in, [pd]", "f32 %f_in, [pf]", "b16 %h_in, [ph]",
                             "b64 %given, [pg]", "b32 %depth, [pn]", "b32 %members, [pm]"})
      line("ld.param.{}", load);
    whole += std::exchange(out_, {});
    return whole + start(text) + text + "}\n";
  }

  std::string kernel(const std::string& functions) {
    result_ = nullptr;
    end_ = new_label();
    constexpr const char* kBarriers[] = {"bar.sync 0", "barrier.sync 0", "bar.cta.sync 1, 64",
                                         "barrier.cta.sync.aligned 2"};
    for (size_t n = 0; n < p_.phases.size(); n++) {
      const Function& f = p_.phases[n];
      line("{}", kBarriers[n % std::size(kBarriers)]);
      body(f.reads);
      if (!f.reads.empty()) line("bar.sync 0");
      body(f.together);
      body(f.body);
    }
    if (!p_.silent_return) label(end_);
    for (const File f : {File::H, File::W, File::D, File::F, File::A, File::X})
      for (unsigned r = 0; r < kRegisters[static_cast<int>(f)]; r++)
        if (p_.records(f, r))
          line("st.global.{} [%out+{}], {}", kBits[static_cast<int>(f)], record_offset(f, r), reg(f, r));
    if (p_.silent_return) label(end_);
    line("ret");
    const std::string text = std::exchange(out_, {});

    const auto uses = [&](const char* name) {
      return text.find(name) != text.npos || functions.find(name) != functions.npos;
    };
    const bool shared = uses("%slice") || uses(" all"), far = uses("%far") || uses("%block");
    Function all;
    for (const Function& f : p_.phases)
      all.loops = std::max(all.loops, f.loops), all.masks = std::max(all.masks, f.masks);
    std::string whole = ".visible .entry k(.param .u64 buffer)\n{\n" + frame(all, text);
    line(".reg .b64 %out, %in, %far, %block");
    line(".reg .b32 %me, %slice");
    if (shared) line(".shared .align 32 .b8 all[{}]", kThreads * kSliceBytes);
    line("ld.param.u64 %out, [buffer]");
    line("cvta.to.global.u64 %out, %out");
    line("add.u64 %in, %out, {}", kThreads * kRecordBytes);
    line("mov.u32 %me, %tid.x");
    if (far) {
      line("mov.u32 %tx, %ctaid.x");
      line("add.u64 %block, %in, {}", kInputWords * 8);
      line("mad.wide.u32 %block, %tx, {}, %block", kThreads * kSliceBytes);
      line("mad.wide.u32 %far, %me, {}, %block", kSliceBytes);
    }
    line("mad.wide.u32 %out, %me, {}, %out", kRecordBytes);
    for (const char* first : {"mov.u32 %w_in", "cvt.u64.u32 %d_in", "cvt.rn.f32.u32 %f_in", "cvt.u16.u32 %h_in"})
      line("{}, %me", first);
    line("mov.u32 %depth, {}", p_.depth);
    if (shared) {
      line("mov.u32 %slice, all");
      line("mad.lo.u32 %slice, %me, {}, %slice", kSliceBytes);
      for (unsigned at = 0; at < kSliceBytes; at += 8) line("st.shared.u64 [%slice+{}], 0", at);
    }
    for (const char* what : {"near_cells", "far_cells", "near_sums", "far_sums"}) {
      if (!uses(what)) continue;
      const std::string done = new_label();
      line("setp.ne.u32 %q, %me, 0");
      line("@%q bra {}", done);
      first_values(what);
      label(done);
    }
    whole += std::exchange(out_, {});
    return whole + start(text) + text + "}\n";
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
    const File result = p_.functions[s.callees[0]].result;
    const char* type = kBits[static_cast<int>(result)];
    const std::string skip = new_label();
    const std::string guard =
        s.predicate.reg < 0 ? "" : fmt::format("@{}%p{} ", s.predicate.negated ? "!" : "", s.predicate.reg);
    line("setp.eq.u32 %q, %depth, 0");
    line("@%q bra {}", skip);
    const std::string given = generic_slice(s.given);
    std::string callee = fmt::format("f{}", s.callees[0]), prototype;
    if (s.indirect) {
      line("mov.u64 %td, f{}", s.callees[0]);
      if (s.callees.size() > 1) line("rem.u32 %tw, %w{}, {}", s.counter, s.callees.size());
      for (size_t n = 1; n < s.callees.size(); n++) {
        line("mov.u64 %tg, f{}", s.callees[n]);
        line("setp.eq.u32 %q, %tw, {}", n);
        line("selp.b64 %td, %tg, %td, %q");
      }
      callee = "%td", prototype = fmt::format(", proto_{}", type);
    }
    line("sub.u32 %tx, %depth, 1");
    out_ += "    {\n";
    for (const char* argument : {"b32 aw", "b64 ad", "f32 af", "b16 ah", "b64 ag", "b32 an", "b32 am"})
      line(".param .{}", argument);
    line(".param .{} ret", type);
    line("st.param.b32 [aw], {}", value(Type::U32, s.arguments[0]));
    line("st.param.b64 [ad], {}", value(Type::U64, s.arguments[1]));
    line("st.param.f32 [af], {}", value(Type::F32, s.arguments[2]));
    line("st.param.b16 [ah], {}", value(Type::U16, s.arguments[3]));
    line("st.param.b64 [ag], {}", given);
    line("st.param.b32 [an], %tx");
    line("st.param.b32 [am], {}", s.together ? members_ : "0");
    line("{}call (ret), {}, (aw, ad, af, ah, ag, an, am){}", guard, callee, prototype);
    line("{}ld.param.{} {}, [ret]", guard, type, reg(result, s.dst));
    out_ += "    }\n";
    label(skip);
  }

  // A branch through a table, by a W register. By every other one the targets stand in it four times, for a long table
  // is no tree of comparisons.
  void jump(unsigned selector, const std::vector<std::string>& targets) {
    const std::string table = new_label();
    std::vector<std::string> all;
    for (unsigned n = 0; n < (selector % 2 ? 4 : 1); n++) all.insert(all.end(), targets.begin(), targets.end());
    line("rem.u32 %tw, %w{}, {}", selector, all.size());
    out_ += fmt::format("{}: .branchtargets {};\n", table, fmt::join(all, ", "));
    line("brx.idx %tw, {}", table);
  }

  void choose(const Statement& s) {
    const std::string end = new_label();
    std::vector<std::string> cases;
    for (size_t n = 0; n < s.bodies.size(); n++) cases.push_back(new_label());
    jump(s.counter, cases);
    for (size_t n = 0; n < s.bodies.size(); n++) {
      label(cases[n]);
      body(s.bodies[n]);
      line("bra {}", end);
    }
    label(end);
  }

  void graph(const Statement& s) {
    std::vector<std::string> labels;
    for (size_t n = 0; n <= s.bodies.size(); n++) labels.push_back(new_label());
    graphs_.push_back(labels);
    line("mov.u32 %i{}, {}", s.counter, s.trips);
    for (size_t n = 0; n < s.bodies.size(); n++) {
      label(labels[n]);
      line("setp.eq.u32 %q, %i{}, 0", s.counter);
      line("@%q bra {}", labels.back());
      line("sub.u32 %i{0}, %i{0}, 1", s.counter);
      body(s.bodies[n]);
      const Exit& exit = s.exits[n];
      std::vector<std::string> targets;
      for (const unsigned t : exit.targets) targets.push_back(labels[t]);
      if (targets.size() > 2 || (targets.size() == 2 && exit.table)) {
        jump(exit.selector, targets);
        continue;
      }
      if (targets.size() == 2)
        line("@{}%p{} bra {}", exit.predicate.negated ? "!" : "", exit.predicate.reg, targets[1]);
      if (exit.targets[0] != n + 1) line("bra {}", targets[0]);
    }
    label(labels.back());
    graphs_.pop_back();
  }

  void group(const Statement& s) {
    const std::string other = new_label(), end = new_label(), around = members_, own = fmt::format("%m{}", masks_++);
    line("vote.sync.ballot.b32 {}, {}%p{}, {}", own, s.predicate.negated ? "!" : "", s.predicate.reg, around);
    line("@{}%p{} bra {}", s.predicate.negated ? "" : "!", s.predicate.reg, other);
    members_ = own;
    body(s.bodies[0]);
    line("bra {}", end);
    label(other);
    line("xor.b32 {0}, {0}, {1}", own, around);
    body(s.bodies[1]);
    label(end);
    members_ = around, masks_--;
  }

  void group_loop(const Statement& s) {
    const std::string head = new_label(), end = new_label(), around = members_, own = fmt::format("%m{}", masks_++);
    line("and.b32 %n{}, {}, 7", s.counter, value(Type::U32, s.bound));
    line("min.u32 %n{0}, %n{0}, {1}", s.counter, s.trips);
    line("mov.u32 %i{}, 0", s.counter);
    line("mov.b32 {}, {}", own, around);
    label(head);
    line("setp.lt.u32 %q, %i{0}, %n{0}", s.counter);
    line("vote.sync.ballot.b32 %tx, %q, {}", own);
    line("@!%q bra {}", end);
    line("mov.b32 {}, %tx", own);
    line("add.u32 %i{0}, %i{0}, 1", s.counter);
    members_ = own;
    body(s.bodies[0]);
    line("bra {}", head);
    label(end);
    members_ = around, masks_--;
  }

  // Straight away where one predicate decides; in a function, of what it has then.
  void leave(const Statement& s) {
    const bool straight = s.indirect && s.condition.size() == 1 && (result_ || p_.silent_return);
    if (!straight) return branch(s.condition, end_, true);
    body(s.condition[0].before);
    if (result_) line("st.param.{} [back], {}", kBits[static_cast<int>(result_->result)], reg(result_->result, 0));
    const Guard p = s.condition[0].predicate;
    line("@{}%p{} {}", p.negated ? "!" : "", p.reg, result_ ? "ret" : "exit");
  }

  void statement(const Statement& s) {
    switch (s.kind) {
      case Kind::Plain: return instruction(s.instruction);
      case Kind::If: {
        const std::string other = new_label(), end = new_label();
        branch(s.condition, other, false);
        body(s.bodies[0]);
        if (s.bodies.size() > 1) line("bra.uni {}", end);
        label(other);
        if (s.bodies.size() > 1) body(s.bodies[1]);
        return label(end);
      }
      case Kind::Loop: return loop(s);
      case Kind::Break: return branch(s.condition, loops_.back().second, true);
      case Kind::Continue: return branch(s.condition, loops_.back().first, true);
      case Kind::Return: return leave(s);
      case Kind::Goto: return branch(s.condition, graphs_.back()[s.target], true);
      case Kind::Call: return call(s);
      case Kind::Switch: return choose(s);
      case Kind::Graph: return graph(s);
      case Kind::Group: return group(s);
      case Kind::GroupLoop: return group_loop(s);
    }
  }

  void body(const Body& statements) {
    for (const Statement& s : statements) statement(s);
  }

  const Program& p_;
  std::string end_;
  std::vector<std::pair<std::string, std::string>> loops_;  // where continue and break go
  std::vector<std::vector<std::string>> graphs_;            // their blocks' labels, and the end's
  const Function* result_ = nullptr;                        // of the function that is being written; none in the kernel
  unsigned labels_ = 0, masks_ = 0;
};

}  // namespace

std::string to_ptx(const Program& program) { return Printer(program).run(); }

}  // namespace heddle::compiler::test
