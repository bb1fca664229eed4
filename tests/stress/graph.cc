// SPDX-License-Identifier: Apache-2.0
#include "tests/stress/graph.h"

#include <fmt/format.h>

namespace heddle::test {
namespace {

// Which bits of x choose among n, at block `block`: different ones at different blocks.
uint32_t choice(uint32_t x, unsigned block, size_t n) { return static_cast<uint32_t>((x >> (5 + block % 7)) % n); }
uint32_t change(const Block& b, uint32_t x) {
  x = x * b.factor + b.add;
  return x ^ x >> 13;
}

class Evaluation {
 public:
  explicit Evaluation(const GraphProgram& p) : p_(p) {}
  GraphResult run() {
    result_.x.assign(p_.threads, kUntouched);
    result_.fuel.assign(p_.threads, kUntouched);
    for (unsigned t = 0; t < p_.threads; t++) {
      uint32_t x = t * 2654435761u, fuel = p_.fuel;
      if (call(0, x, fuel)) result_.x[t] = x, result_.fuel[t] = fuel;
    }
    return std::move(result_);
  }

 private:
  // False when the thread has ended.
  bool call(unsigned function, uint32_t& x, uint32_t& fuel) {
    const Graph& graph = p_.functions[function];
    for (unsigned at = 0;;) {
      if (fuel == 0) return true;
      fuel--;
      const Block& b = graph[at];
      x = change(b, x);
      if (b.lock >= 0) result_.counts[static_cast<size_t>(b.lock)]++;
      if (!b.callees.empty() && !call(b.callees[choice(x, at + 3, b.callees.size())], x, fuel)) return false;
      if (b.end == Block::End::Exit) return false;
      if (b.end == Block::End::Return) return true;
      at = b.targets[choice(x, at, b.targets.size())];
    }
  }

  const GraphProgram& p_;
  GraphResult result_;
};

class Printer {
 public:
  explicit Printer(const GraphProgram& p) : p_(p) {}
  std::string run() {
    out_ = ".version 7.8\n.target sm_80\n.address_size 64\n";
    out_ += fmt::format(".global .align 8 .b32 locks[{0}];\n.global .align 8 .b32 counts[{0}];\n", kLocks);
    out_ += fmt::format(".shared .align 8 .b32 near[{}];\n", kLocks);
    out_ += ".func (.param .b32 o) grab(.param .b64 w)\n{\n";
    line(".reg .b64 %a");
    line(".reg .b32 %t");
    line("ld.param.b64 %a, [w]");
    line("atom.cas.b32 %t, [%a], 0, 1");
    line("st.param.b32 [o], %t");
    line("ret");
    out_ += "}\n";
    const auto signature = [](size_t f) {
      return fmt::format(".func (.param .align 8 .b8 r[8]) f{}(.param .b32 x, .param .b32 fuel)", f);
    };
    for (size_t f = 0; f < p_.functions.size(); f++) out_ += signature(f) + ";\n";
    for (size_t f = 0; f < p_.functions.size(); f++) {
      out_ += signature(f) + "\n{\n";
      function(f);
      out_ += "}\n";
    }
    out_ += ".visible .entry k(.param .u64 out)\n{\n";
    kernel();
    out_ += "}\n";
    return std::move(out_);
  }

 private:
  template <typename... T>
  void line(fmt::format_string<T...> text, T&&... args) {
    out_ += "    " + fmt::format(text, std::forward<T>(args)...) + ";\n";
  }
  void label(const std::string& name) { out_ += name + ":\n"; }

  void declare() {
    line(".reg .b32 %x, %f, %c, %t, %v");
    line(".reg .b64 %a, %g");
    line(".reg .pred %p");
    line("proto: .callprototype (.param .align 8 .b8 _[8]) _ (.param .b32 _, .param .b32 _)");
  }
  void choose(unsigned block, size_t n) {
    line("shr.u32 %c, %x, {}", 5 + block % 7);
    line("rem.u32 %c, %c, {}", n);
  }
  void call(const std::string& target, const std::string& proto) {
    out_ += "    {\n    .param .b32 ax, af;\n    .param .align 8 .b8 ar[8];\n";
    line("st.param.b32 [ax], %x");
    line("st.param.b32 [af], %f");
    line("call (ar), {}, (ax, af){}", target, proto);
    line("ld.param.b32 %x, [ar]");
    line("ld.param.b32 %f, [ar+4]");
    out_ += "    }\n";
  }

  void lock(const Block& b, unsigned block) {
    const unsigned n = static_cast<unsigned>(b.lock);
    const char* space = n % 2 ? "global" : "shared";
    const std::string at = fmt::format("{}+{}", n % 2 ? "locks" : "near", 4 * n);
    label(fmt::format("SPIN{}", block));
    if (b.hidden) {
      line("mov.u64 %a, {}", at);
      line("cvta.{}.u64 %a, %a", space);
      out_ += "    {\n    .param .b64 w;\n    .param .b32 o;\n";
      line("st.param.b64 [w], %a");
      line("call (o), grab, (w)");
      line("ld.param.b32 %t, [o]");
      out_ += "    }\n";
    } else {
      line("atom.{}.cas.b32 %t, [{}], 0, 1", space, at);
    }
    if (b.looped_by_table) {
      line("L{0}: .branchtargets GOT{0}, SPIN{0}", block);
      line("brx.idx %t, L{}", block);
      label(fmt::format("GOT{}", block));
    } else {
      line("setp.ne.u32 %p, %t, 0");
      line("@%p bra SPIN{}", block);
    }
    line("membar.gl");
    line("ld.volatile.global.u32 %v, [counts+{}]", 4 * n);
    line("add.u32 %v, %v, 1");
    line("st.volatile.global.u32 [counts+{}], %v", 4 * n);
    line("membar.gl");
    line("atom.{}.exch.b32 %t, [{}], 0", space, at);
  }

  void block(const Block& b, unsigned at) {
    label(fmt::format("B{}", at));
    line("setp.eq.u32 %p, %f, 0");
    line("@%p bra DONE");
    line("sub.u32 %f, %f, 1");
    line("mad.lo.u32 %x, %x, {}, {}", b.factor, b.add);
    line("shr.u32 %c, %x, 13");
    line("xor.b32 %x, %x, %c");
    if (b.lock >= 0) lock(b, at);
    if (b.callees.size() == 1) call(fmt::format("f{}", b.callees[0]), "");
    if (b.callees.size() > 1) {
      choose(at + 3, b.callees.size());
      line("mov.u64 %a, f{}", b.callees[0]);
      for (size_t n = 1; n < b.callees.size(); n++) {
        line("mov.u64 %g, f{}", b.callees[n]);
        line("setp.eq.u32 %p, %c, {}", n);
        line("selp.b64 %a, %g, %a, %p");
      }
      call("%a", ", proto");
    }
    if (b.end == Block::End::Exit) return line("exit");
    if (b.end == Block::End::Return) return line("bra DONE");
    if (b.targets.size() == 1 && !b.indexed) return line("bra B{}", b.targets[0]);
    choose(at, b.targets.size());
    if (b.indexed || b.targets.size() > 2) {
      std::string list;
      // Every other table is so long that it is no tree of comparisons.
      for (unsigned n = 0; n < (at % 2 ? 8 : 1); n++)
        for (unsigned t : b.targets) list += fmt::format("{}B{}", list.empty() ? "" : ", ", t);
      line("T{}: .branchtargets {}", at, list);
      return line("brx.idx %c, T{}", at);
    }
    line("setp.ne.u32 %p, %c, 0");
    line("@%p bra B{}", b.targets[1]);
    line("bra B{}", b.targets[0]);
  }

  void function(size_t f) {
    declare();
    line("ld.param.b32 %x, [x]");
    line("ld.param.b32 %f, [fuel]");
    for (unsigned at = 0; at < p_.functions[f].size(); at++) block(p_.functions[f][at], at);
    label("DONE");
    line("st.param.b32 [r], %x");
    line("st.param.b32 [r+4], %f");
    line("ret");
  }

  void kernel() {
    line(".reg .b32 %me");
    declare();
    line("mov.u32 %me, %tid.x");
    line("ld.param.u64 %g, [out]");
    line("setp.ne.u32 %p, %me, 0");
    line("@%p bra START");
    for (unsigned n = 0; n < kLocks; n++) line("st.shared.u32 [near+{}], 0", 4 * n);
    line("mov.u64 %a, counts");
    line("cvta.global.u64 %a, %a");
    line("st.u64 [%g+{}], %a", 8 * p_.threads);
    label("START");
    line("bar.sync 0");
    line("mul.lo.u32 %x, %me, 2654435761");
    line("mov.u32 %f, {}", p_.fuel);
    call("f0", "");
    line("ld.param.u64 %g, [out]");
    line("mad.wide.u32 %g, %me, 8, %g");
    line("st.v2.u32 [%g], {{%x, %f}}");
    line("ret");
  }

  const GraphProgram& p_;
  std::string out_;
};

}  // namespace

GraphProgram random_graph_program(std::mt19937_64& random) {
  const auto below = [&](uint64_t n) { return static_cast<unsigned>(random() % n); };
  GraphProgram p;
  p.threads = 1 + below(below(3) ? 32 : 70);
  p.fuel = 4 + below(12);
  p.functions.resize(1 + below(3));
  const bool locks = below(3) == 0, calls = below(3) != 0;
  for (Graph& graph : p.functions) {
    graph.resize(2 + below(9));
    for (Block& b : graph) {
      b.factor = below(1u << 31) * 2 + 1;
      b.add = below(1u << 31);
      if (locks && below(4) == 0) b.lock = static_cast<int>(below(kLocks));
      if (b.lock >= 0) b.hidden = below(4) == 0, b.looped_by_table = below(4) == 0;
      if (calls && below(4) == 0)
        for (unsigned n = below(2) ? 1 : 1 + below(3); n > 0; n--) b.callees.push_back(below(p.functions.size()));
      const unsigned how = below(16);
      b.end = how == 0 ? Block::End::Exit : how == 1 ? Block::End::Return : Block::End::Branch;
      // Mostly forward, where structure comes from; else anywhere.
      const auto target = [&] {
        const unsigned here = static_cast<unsigned>(&b - graph.data()),
                       left = static_cast<unsigned>(graph.size()) - here;
        return below(3) && left > 1 ? here + 1 + below(left - 1) : below(graph.size());
      };
      for (unsigned n = how < 5 ? 1 : how < 13 ? 2 : 3 + below(4); n > 0; n--) b.targets.push_back(target());
      b.indexed = b.targets.size() > 2 || below(8) == 0;
    }
  }
  return p;
}

GraphResult evaluate(const GraphProgram& program) { return Evaluation(program).run(); }
std::string to_ptx(const GraphProgram& program) { return Printer(program).run(); }

}  // namespace heddle::test
