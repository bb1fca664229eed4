// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/litmus/translate.h"

#include <algorithm>
#include <optional>
#include <set>

namespace heddle::tools::litmus {
namespace {

constexpr int kBarriers = 16, kWarp = 32;

using Kind = Instruction::Kind;

bool has_barriers(const Test& test) {
  return std::any_of(test.threads.begin(), test.threads.end(), [](const Thread& t) {
    return std::any_of(t.code.begin(), t.code.end(), [](const Instruction& i) { return i.kind == Kind::Barrier; });
  });
}

// A block's barriers count whole warps. Where there are any, all lanes of a warp go the first one's way, which alone
// accesses memory; else the others end at once.
class ThreadText {
 public:
  ThreadText(const Test& test, size_t number, bool spread, uint32_t turns)
      : test_(test), thread_(test.threads[number]), spread_(spread), turns_(turns), number_(number) {
    label_ = std::string("T").append(std::to_string(number)).append("_");
    if (has_barriers(test)) lead_ = "@%lead ";
  }

  std::string text() {
    begin();
    for (const Instruction& i : thread_.code) {
      if (spread_ && i.kind != Kind::Label && &i != thread_.code.data()) gap();
      instruction(i);
    }
    end();
    return std::move(text_);
  }

 private:
  void line(const std::string& l) { text_ += l + "\n"; }
  std::string fresh(const char* what) { return label_ + what + std::to_string(labels_++); }
  static std::string reg(const std::string& name) { return std::string("%r_").append(name); }
  static std::string variable(const std::string& name) { return std::string("[%v_").append(name).append("]"); }
  static std::string operand(const Value& v) { return v.is_register ? reg(v.name) : std::to_string(v.constant); }

  void begin() {
    line(label_ + "begin:\nmov.u32 %round, 0;\n" + label_ + "round:");
    line("mad.lo.u32 %slot, %round, %instances, %instance;");
    line("mad.lo.u32 %t, %slot, " + std::to_string(test_.threads.size()) + ", " + std::to_string(number_) + ";");
    line("mul.wide.u32 %at, %t, " + std::to_string(4 * kPlanWords) + "; add.u64 %at, %plan, %at;");
    line("ld.global.v4.u32 {%delay, %gaps, %warm, %t}, [%at];");
    line("mul.wide.u32 %at, %slot, " + std::to_string(4 * test_.variables.size()) + "; add.u64 %at, %place, %at;");
    size_t n = 0;
    for (const auto& [name, value] : test_.variables) {
      line("ld.global.u32 %t, [%at+" + std::to_string(4 * n++) + "]; cvt.u64.u32 %v_" + name + ", %t; add.u64 %v_" +
           name + ", %vars, %v_" + name + ";");
    }
    n = 0;
    line("mov.u32 %t, 0; mov.u32 %sum, 0;");
    for (const auto& [name, value] : test_.variables) {
      line("and.b32 %d, %warm, " + std::to_string(1u << (n++ % 32)) + "; setp.ne.u32 %p, %d, 0;");
      line("@%p ld.global.u32 %t, " + variable(name) + "; add.u32 %sum, %sum, %t;");
    }
    for (const auto& [name, value] : thread_.registers)
      line("mov.b32 " + reg(name) + ", " + std::to_string(value) + ";");
    line("mov.u32 %turns, " + std::to_string(turns_) + "; mul.wide.u32 %at, %slot, 4; add.u64 %at, %meet, %at;");
    line(lead_ + "red.relaxed.gpu.global.add.u32 [%at], 1; mov.u32 %d, " + std::to_string(2 * turns_) + ";");
    line(label_ + "meet:\nld.relaxed.gpu.global.u32 %t, [%at]; setp.ge.u32 %p, %t, " +
         std::to_string(test_.threads.size()) + "; @%p bra " + label_ + "met;");
    line("sub.u32 %d, %d, 1; setp.ne.u32 %p, %d, 0; @%p bra " + label_ + "meet;");
    line(label_ + "met:");
    wait("%delay");
  }

  // A loop of as many turns as the register has; the register is 0 then.
  void wait(const std::string& turns) {
    const std::string again = fresh("wait"), done = fresh("go");
    line(again + ": setp.eq.u32 %p, " + turns + ", 0; @%p bra " + done + "; sub.u32 " + turns + ", " + turns +
         ", 1; bra " + again + ";\n" + done + ":");
  }

  void gap() {
    line("shr.u32 %d, %gaps, " + std::to_string(4 * (gaps_++ % 8)) + "; and.b32 %d, %d, 15;");
    wait("%d");
  }

  void end() {
    line("mov.u32 %state, " + std::to_string(kEnded) + "; bra " + label_ + "end;");
    line(label_ + "stuck: mov.u32 %state, " + std::to_string(kOutOfTurns) + ";\n" + label_ + "end:");
    const OutRow row(test_);
    line("mul.wide.u32 %at, %slot, " + std::to_string(4 * row.words) + "; add.u64 %at, %out, %at; mov.u32 %t, %smid;");
    size_t n = 0;
    for (const Observed& o : test_.observed) {
      if (o.thread < 0) continue;
      if (o.thread == static_cast<int>(number_)) put(n, reg(o.name));
      ++n;
    }
    put(row.status(number_), "%state");
    put(row.sm(number_), "%t");
    put(row.sm(number_) + 1, "%sum");
    line("add.u32 %round, %round, 1; setp.lt.u32 %p, %round, %rounds; @%p bra " + label_ + "round;\nret;");
  }
  void put(size_t word, const std::string& value) {
    line(lead_ + "st.global.b32 [%at+" + std::to_string(4 * word) + "], " + value + ";");
  }

  void instruction(const Instruction& i) {
    const std::string access = "." + i.order + (i.scope.empty() ? "" : "." + i.scope) + ".global";
    switch (i.kind) {
      case Kind::Load: return line(lead_ + "ld" + access + ".b32 " + reg(i.target) + ", " + variable(i.place) + ";");
      case Kind::Store:
        return line(lead_ + "st" + access + ".b32 " + variable(i.place) + ", " + operand(i.values[0]) + ";");
      case Kind::Atomic:
      case Kind::Reduction: return atomic(i, access);
      case Kind::Fence: return line("fence." + i.order + "." + i.scope + ";");
      case Kind::Barrier: return barrier(i);
      case Kind::Move: return line("mov.b32 " + reg(i.target) + ", " + operand(i.values[0]) + ";");
      case Kind::Arithmetic: {
        line("mov.b32 %x, " + operand(i.values[0]) + ";");
        const std::string low = i.operation == "mul" ? ".lo" : "";
        return line(i.operation + low + ".s32 " + reg(i.target) + ", %x, " + operand(i.values[1]) + ";");
      }
      case Kind::Label: return line(label_ + "at_" + i.place + ":");
      case Kind::Goto: turn(i); return line("bra " + label_ + "at_" + i.place + ";");
      case Kind::Branch:
        turn(i);
        line("mov.b32 %x, " + operand(i.values[0]) + ";");
        line("setp." + i.operation + ".s32 %p, %x, " + operand(i.values[1]) + ";");
        if (!lead_.empty()) line("and.pred %p, %p, %lead; vote.sync.any.pred %p, %p, -1;");
        line("@%p bra " + label_ + "at_" + i.place + ";");
    }
  }

  // A way back has as many turns as are left.
  void turn(const Instruction& i) {
    const auto is_target = [&](const Instruction& l) { return l.kind == Kind::Label && l.place == i.place; };
    if (std::none_of(thread_.code.data(), &i, is_target)) return;
    line("sub.u32 %turns, %turns, 1; setp.eq.u32 %p, %turns, 0; @%p bra " + label_ + "stuck;");
  }

  // PTX's reductions only relax or release, and nothing subtracts.
  void atomic(const Instruction& i, const std::string& access) {
    std::string value = operand(i.values[0]), operation = i.operation;
    if (operation == "sub") {
      line("mov.b32 %x, " + value + "; neg.s32 %x, %x;");
      value = "%x", operation = "add";
    }
    const bool bits =
        operation == "exch" || operation == "cas" || operation == "and" || operation == "or" || operation == "xor";
    const bool reduces = i.kind == Kind::Reduction && (i.order == "relaxed" || i.order == "release");
    const std::string to = i.kind == Kind::Reduction ? "%d" : reg(i.target);
    line(lead_ + (reduces ? "red" : "atom") + access + "." + operation +
         (bits                 ? ".b32 "
          : operation == "add" ? ".u32 "
                               : ".s32 ") +
         (reduces ? "" : to + ", ") + variable(i.place) + ", " + value +
         (operation == "cas" ? ", " + operand(i.values[1]) : "") + ";");
  }

  void barrier(const Instruction& i);

  const Test& test_;
  const Thread& thread_;
  bool spread_;
  uint32_t turns_;
  size_t number_;
  std::string label_, text_, lead_;  // guard of what only the first lane does
  size_t labels_ = 0, gaps_ = 0;
};

bool is_written(const Thread& thread, const std::string& name) {
  return std::any_of(thread.code.begin(), thread.code.end(), [&](const Instruction& i) { return i.target == name; });
}

// The number: the second operand if there is one, else the first. Nothing: it is not known before the run.
std::optional<int> barrier_number(const Thread& thread, const Instruction& i) {
  if (i.values.empty()) return i.instance;
  const Value& v = i.values[0];
  if (!v.is_register) return v.constant;
  if (is_written(thread, v.name)) return {};
  return thread.registers.at(v.name);
}

// Of the cta's threads, how many have a barrier of that number.
int threads_at(const Test& test, const Thread& own, int number) {
  const auto has = [&](const Thread& t) {
    return t.cta == own.cta && std::any_of(t.code.begin(), t.code.end(), [&](const Instruction& i) {
             return i.kind == Kind::Barrier && barrier_number(t, i) == number;
           });
  };
  return static_cast<int>(std::count_if(test.threads.begin(), test.threads.end(), has));
}

void ThreadText::barrier(const Instruction& i) {
  const std::optional<int> number = barrier_number(thread_, i);
  line("mov.b32 %x, " + (number ? std::to_string(*number) : operand(i.values[0])) + ";");
  line("shfl.sync.idx.b32 %x, %x, 0, 31, -1;");
  if (i.values.size() > 1)
    line("mov.b32 %d, " + operand(i.values[1]) + "; shfl.sync.idx.b32 %d, %d, 0, 31, -1; shl.b32 %d, %d, 5;");
  else line("mov.b32 %d, " + std::to_string(kWarp * threads_at(test_, thread_, *number)) + ";");
  line("bar." + i.operation + " %x, %d;");
}

// Barriers that the machine lacks or that cannot be counted.
Status check_barriers(const Test& test) {
  for (const Thread& t : test.threads)
    for (const Instruction& i : t.code) {
      if (i.kind != Kind::Barrier) continue;
      const Error place(test.file + ":" + std::to_string(i.line));
      const auto number = barrier_number(t, i);
      if (!number && i.values.size() < 2)
        return Error("a barrier whose number is computed needs its count of threads").context(place.message());
      if (number && (*number < 0 || *number >= kBarriers))
        return Error("barrier " + std::to_string(*number) + "; there are 16").context(place.message());
      const auto own_cta = [&](const Thread& other) { return other.cta == t.cta; };
      const auto threads = std::count_if(test.threads.begin(), test.threads.end(), own_cta);
      if (i.values.size() > 1 && !i.values[1].is_register &&
          (i.values[1].constant < 1 || i.values[1].constant > threads))
        return Error("a barrier for " + std::to_string(i.values[1].constant) + " threads, of which the cta has " +
                     std::to_string(threads))
            .context(place.message());
      for (const Thread& other : test.threads)
        for (const Instruction& j : other.code)
          if (j.kind == Kind::Barrier && other.cta == t.cta && i.values.empty() != j.values.empty())
            return Error("barriers with and without a number of their own in one cta").context(place.message());
    }
  return {};
}

std::string kernel(const Test& test, const char* name, bool spread, uint32_t turns) {
  std::string t = std::string(".visible .entry ") + name +
                  "(.param .u64 pmap, .param .u64 pplan, .param .u64 pplace, .param .u64 pvars, .param .u64 pout, "
                  ".param .u64 pmeet, .param .u32 prounds, .param .u32 pinstances)\n{\n"
                  ".reg .pred %p, %lead; .reg .b64 %plan, %place, %vars, %out, %meet, %at;\n"
                  ".reg .b32 %round, %rounds, %instance, %instances, %cta, %warp, %slot, %delay, %gaps, %warm, %sum, "
                  "%turns, %state, %t, %d, %x;\n";
  std::set<std::string> registers;
  for (const Thread& thread : test.threads)
    for (const auto& [r, value] : thread.registers) registers.insert(r);
  for (const std::string& r : registers) t += ".reg .b32 %r_" + r + ";\n";
  for (const auto& [v, value] : test.variables) t += ".reg .b64 %v_" + v + ";\n";
  t += "mov.u32 %t, %tid.x; and.b32 %d, %t, 31; setp.eq.u32 %lead, %d, 0; shr.u32 %warp, %t, 5;\n";
  if (!has_barriers(test)) t += "@!%lead ret;\n";
  for (const char* array : {"plan", "place", "vars", "out", "meet"})
    t += std::string("ld.param.u64 %") + array + ", [p" + array + "];\n";
  t += "ld.param.u32 %rounds, [prounds]; ld.param.u32 %instances, [pinstances]; ld.param.u64 %at, [pmap];\n"
       "mov.u32 %t, %ctaid.x; mad.wide.u32 %at, %t, 4, %at; ld.global.u32 %t, [%at];\n";
  const std::string ctas = std::to_string(test.ctas());
  t += "div.u32 %instance, %t, " + ctas + "; rem.u32 %cta, %t, " + ctas + ";\nmad.lo.u32 %t, %cta, 32, %warp;\n";
  std::vector<int> warps(static_cast<size_t>(test.ctas()));
  for (size_t k = 0; k < test.threads.size(); ++k) {
    const int cta = test.threads[k].cta, warp = warps[static_cast<size_t>(cta)]++;
    t += "setp.eq.u32 %p, %t, " + std::to_string(32 * cta + warp) + "; @%p bra T" + std::to_string(k) + "_begin;\n";
  }
  t += "ret;\n";
  for (size_t k = 0; k < test.threads.size(); ++k) t += ThreadText(test, k, spread, turns).text();
  return t + "}\n";
}

}  // namespace

OutRow::OutRow(const Test& test) {
  for (const Observed& o : test.observed) registers += o.thread >= 0;
  words = registers + kThreadWords * test.threads.size();
}

uint32_t rounds_of(const Test& test, uint32_t most) {
  for (const Thread& t : test.threads) {
    bool barrier = false, branch = false, quorum = false;
    for (const Instruction& i : t.code) {
      barrier |= i.kind == Kind::Barrier;
      branch |= i.kind == Kind::Branch || i.kind == Kind::Goto;
      quorum |= i.kind == Kind::Barrier && i.values.size() > 1;
    }
    if (quorum || (barrier && branch)) return 1;
  }
  return most;
}

uint32_t warps_of(const Test& test) {
  std::map<int, uint32_t> warps;
  uint32_t most = 0;
  for (const Thread& t : test.threads) most = std::max(most, ++warps[t.cta]);
  return most;
}

Result<std::string> translate(const Test& test, uint32_t turns) {
  if (!test.refused.empty()) return Error(test.refused);
  if (Status s = check_barriers(test); !s) return s.error();
  return ".version 8.4\n.target sm_90\n.address_size 64\n" + kernel(test, kTight, false, turns) +
         kernel(test, kSpread, true, turns);
}

}  // namespace heddle::tools::litmus
