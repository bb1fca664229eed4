// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/call_graph.h"

#include <algorithm>
#include <utility>

#include "host-runtime/compiler/passes/cfg.h"

namespace heddle::compiler {

using mir::kNone;
using mir::Module;
using mir::Symbol;

namespace {

const Symbol* resolve(const Module& m, mir::SymbolId symbol) {
  for (size_t hops = 0; hops <= m.symbols.size() && symbol < m.symbols.size(); hops++) {
    const Symbol& s = m.symbols[symbol];
    if (s.kind != Symbol::Kind::Alias) return &s;
    symbol = s.index;
  }
  return nullptr;
}

}  // namespace

uint32_t function_of(const Module& m, mir::SymbolId symbol) {
  const Symbol* s = resolve(m, symbol);
  return s && s->kind == Symbol::Kind::Function ? s->index : kNone;
}

uint32_t variable_of(const Module& m, mir::SymbolId symbol) {
  const Symbol* s = resolve(m, symbol);
  return s && s->kind == Symbol::Kind::Variable ? s->index : kNone;
}

CallGraph::CallGraph(const Module& m)
    : callees(m.functions.size()),
      calls_unknown(m.functions.size()),
      address_taken(m.functions.size()),
      recursive(m.functions.size()) {
  auto take = [&](mir::SymbolId s) {
    if (const uint32_t f = function_of(m, s); f != kNone) address_taken[f] = 1;
  };
  for (const mir::Variable& v : m.variables)
    for (const mir::DataReloc& r : v.relocs) take(r.symbol);
  for (uint32_t f = 0; f < m.functions.size(); f++) {
    for (const mir::Call& c : m.functions[f].calls) {
      const uint32_t callee = c.callee == kNone ? kNone : function_of(m, c.callee);
      if (callee == kNone) calls_unknown[f] = 1;
      else if (std::find(callees[f].begin(), callees[f].end(), callee) == callees[f].end())
        callees[f].push_back(callee);
    }
    for (const mir::Block& b : m.functions[f].blocks)
      for (const mir::Instruction& i : b.body)
        for (const mir::Operand* o : {&i.a, &i.b, &i.c})
          if (o->is_symbol()) take(o->id);
  }
  // A node 0 that calls all makes one graph of it; function f is node f + 1.
  Graph g(m.functions.size() + 1);
  for (uint32_t f = 0; f < m.functions.size(); f++) {
    g.edge(0, f + 1);
    for (uint32_t c : callees[f]) g.edge(f + 1, c + 1);
  }
  bottom_up = reverse_post_order(g, 0);
  std::reverse(bottom_up.begin(), bottom_up.end());
  bottom_up.pop_back();
  for (uint32_t& f : bottom_up) f--;
  const LoopNest loops(g, 0);
  for (uint32_t f = 0; f < m.functions.size(); f++) recursive[f] = loops.depth(f + 1) > 0;
}

std::vector<char> CallGraph::reachable(uint32_t function) const {
  std::vector<char> seen(callees.size());
  std::vector<uint32_t> work{function};
  bool all_taken = false;
  while (!work.empty()) {
    const uint32_t f = work.back();
    work.pop_back();
    if (seen[f]) continue;
    seen[f] = 1;
    work.insert(work.end(), callees[f].begin(), callees[f].end());
    if (calls_unknown[f] && !all_taken) {
      all_taken = true;
      for (uint32_t g = 0; g < address_taken.size(); g++)
        if (address_taken[g]) work.push_back(g);
    }
  }
  return seen;
}

void remove_unreached_functions(Module& m) {
  const CallGraph graph(m);
  std::vector<char> needed(m.functions.size());
  auto need = [&](uint32_t f) {
    const std::vector<char> reached = graph.reachable(f);
    for (size_t n = 0; n < reached.size(); n++) needed[n] = needed[n] || reached[n];
  };
  for (uint32_t f = 0; f < m.functions.size(); f++)
    if (m.functions[f].is_kernel || graph.address_taken[f]) need(f);
  std::vector<uint32_t> number(m.functions.size(), kNone);
  std::vector<mir::Function> kept;
  for (uint32_t f = 0; f < m.functions.size(); f++) {
    if (!needed[f]) continue;
    number[f] = static_cast<uint32_t>(kept.size());
    kept.push_back(std::move(m.functions[f]));
  }
  for (Symbol& s : m.symbols)
    if (s.kind == Symbol::Kind::Function) {
      s.index = s.index < number.size() ? number[s.index] : kNone;
      if (s.index == kNone) s.kind = Symbol::Kind::ExternFunction;
    }
  m.functions = std::move(kept);
}

}  // namespace heddle::compiler
