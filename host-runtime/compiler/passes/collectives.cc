// SPDX-License-Identifier: Apache-2.0
// Two places can be visited at a time when neither dominates the other: else the lanes at the second have been
// at the first, and so have all that belong to them. (Lanes that leave a loop one by one and meet the others'
// next turn elsewhere are not looked for, nor are places in different functions.)
#include "host-runtime/compiler/passes/collectives.h"

#include <algorithm>
#include <map>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/warp_sync.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Builder;
using mir::Function;
using mir::imm;
using mir::Instruction;
using mir::Module;
using mir::Operand;
using mir::VReg;

namespace {

// WARPSYNC and the instruction that it is for, in a block.
struct Place {
  BlockId block;
  size_t at;
};

bool is_place(const std::vector<Instruction>& body, size_t at) {
  return at + 1 < body.size() && body[at].is(Opcode::Warpsync) && body[at].for_next && !body[at].guard.present();
}

// The operation without what may differ from place to place: SHFL's bounds are an argument.
Instruction kind_of(const Instruction& i) {
  Instruction kind;
  kind.op = i.op;
  kind.mod = i.mod;
  if (i.op == Opcode::Shfl) {
    kind.set_field("clamp", 0);
    kind.set_field("narrow", 0);
  }
  return kind;
}

Operand bounds(const Instruction& shfl) {
  if (!shfl.c.is_none()) return shfl.c;  // then the modifiers say nothing
  const unsigned narrow = std::min(shfl.field("narrow"), 5u);
  return imm((0x1f00 & ~(0x1f00u >> narrow)) | (shfl.field("clamp") ? 31 : 0));
}

mir::AbiValue word(Operand value) { return {.name = "", .size = 4, .align = 4, .value = value}; }

// A function with the operation: arguments mask, then a, b, c or the predicate; results d and the predicate, as
// far as there are any.
class Helpers {
 public:
  explicit Helpers(Module& m) : m_(m) {}

  mir::SymbolId of(const Instruction& kind) {
    const auto key = std::pair(static_cast<unsigned>(kind.op), kind.mod);
    if (const auto known = symbols_.find(key); known != symbols_.end()) return known->second;
    const auto symbol = static_cast<mir::SymbolId>(m_.symbols.size());
    Function f;
    f.name = "$warp_" + std::to_string(key.first) + "_" + std::to_string(key.second);
    f.symbol = symbol;
    m_.symbols.push_back(
        {f.name, mir::Symbol::Kind::Function, static_cast<uint32_t>(m_.functions.size()), mir::Linkage::Internal, {}});
    write(f, kind);
    m_.functions.push_back(std::move(f));
    return symbols_[key] = symbol;
  }

 private:
  static void write(Function& f, const Instruction& kind) {
    Builder b(f);
    b.set_block(b.new_block());
    const auto argument = [&] {
      const Operand r = b.reg(b.r32());
      f.params.push_back(word(r));
      return r;
    };
    const auto result = [&] {
      const Operand r = b.reg(b.r32());
      f.results.push_back(word(r));
      return r;
    };
    const isa::OpInfo& info = kind.info();
    const Operand mask = argument();
    const Operand a = info.a != isa::Operand::None ? argument() : Operand{};
    const Operand lane = info.b != isa::Operand::None ? argument() : Operand{};
    const Operand c = info.c != isa::Operand::None ? argument() : Operand{};
    mir::Pred p;
    if (reads_predicate(kind)) {
      p.reg = b.pred();
      b.op(Opcode::Isetp, {}, argument(), imm(0)).set("cmp", isa::ICmp::Ne).pd(p.reg);
    }
    const Operand d = info.dst == isa::Operand::R32 ? result() : Operand{};
    b.op(Opcode::Warpsync, {}, {}, mask);
    Builder::Ref i = b.op(kind.op, d, a, lane, c);
    i->mod = kind.mod;
    i.p(p);
    if (writes_predicate(kind)) {
      const VReg pd = b.pred();
      i.pd(pd);
      b.op(Opcode::Sel, result(), imm(1), imm(0)).p({pd, false});
    }
    b.ret();
  }

 public:
  static bool reads_predicate(const Instruction& i) { return i.op == Opcode::Vote || i.op == Opcode::Ballot; }
  static bool writes_predicate(const Instruction& i) {
    return i.op == Opcode::Vote || i.op == Opcode::Match || i.op == Opcode::Shfl;
  }

 private:
  Module& m_;
  std::map<std::pair<unsigned, uint32_t>, mir::SymbolId> symbols_;
};

// The two instructions at `at` become a call with what leads to it and away.
void replace(Function& f, const Place& place, mir::SymbolId helper) {
  std::vector<Instruction>& body = f.blocks[place.block].body;
  const Instruction sync = body[place.at], i = body[place.at + 1];
  std::vector<Instruction> rest(body.begin() + static_cast<ptrdiff_t>(place.at) + 2, body.end());
  body.resize(place.at);
  Builder b(f);
  b.set_block(place.block);
  b.set_loc(i.loc);
  mir::Call call;
  call.callee = helper;
  const isa::OpInfo& info = i.info();
  call.args.push_back(word(sync.b));
  if (info.a != isa::Operand::None) call.args.push_back(word(i.a));
  if (info.b != isa::Operand::None) call.args.push_back(word(i.b.is_none() ? imm(0) : i.b));
  if (info.c != isa::Operand::None) call.args.push_back(word(bounds(i)));
  if (Helpers::reads_predicate(i)) {
    const Operand p = b.reg(b.r32());
    b.op(Opcode::Sel, p, imm(1), imm(0)).p(i.p);
    call.args.push_back(word(p));
  }
  if (info.dst == isa::Operand::R32) call.results.push_back(word(i.dst));
  Operand p;
  if (Helpers::writes_predicate(i)) call.results.push_back(word(p = b.reg(b.r32())));
  b.call(std::move(call));
  if (i.pd != mir::kNone) b.op(Opcode::Isetp, {}, p, imm(0)).set("cmp", isa::ICmp::Ne).pd(i.pd);
  if (i.pq != mir::kNone) b.op(Opcode::Isetp, {}, p, imm(0)).set("cmp", isa::ICmp::Eq).pd(i.pq);
  std::vector<Instruction>& now = f.blocks[place.block].body;
  now.insert(now.end(), rest.begin(), rest.end());
}

// Places of one kind that are not all in one line.
std::vector<Place> meeting(const Function& f, const std::vector<Place>& places) {
  std::vector<Place> out;
  if (places.size() < 2) return out;
  const Graph graph = block_graph(f);
  const DominatorTree dominators(graph, 0);
  // A place in a slow path, which lanes pass by where all are there: where that is decided.
  const auto decided = [&](const Place& p) {
    BlockId b = p.block;
    while (f.blocks[b].rare && dominators.idom(b) != mir::kNone) b = dominators.idom(b);
    return b;
  };
  const auto apart = [&](const Place& x, const Place& y) {
    const BlockId a = decided(x), b = decided(y);
    return dominators.reaches(a) && dominators.reaches(b) && !dominators.dominates(a, b) && !dominators.dominates(b, a);
  };
  for (const Place& x : places)
    if (std::any_of(places.begin(), places.end(), [&](const Place& y) { return apart(x, y); })) out.push_back(x);
  return out;
}

}  // namespace

unsigned join_collectives(Module& m) {
  unsigned calls = 0;
  Helpers helpers(m);
  const size_t functions = m.functions.size();
  for (size_t n = 0; n < functions; n++) {
    drop_warp_syncs(m.functions[n]);
    std::map<std::pair<unsigned, uint32_t>, std::vector<Place>> kinds;
    const Function& f = m.functions[n];
    for (BlockId b = 0; b < f.blocks.size(); b++)
      for (size_t at = 0; at < f.blocks[b].body.size(); at++)
        if (is_place(f.blocks[b].body, at)) {
          const Instruction kind = kind_of(f.blocks[b].body[at + 1]);
          kinds[{static_cast<unsigned>(kind.op), kind.mod}].push_back({b, at});
        }
    std::vector<Place> all;
    for (const auto& [kind, places] : kinds)
      for (const Place& p : meeting(f, places)) all.push_back(p);
    // From the last one on, so that those before it stay where they are.
    std::sort(all.begin(), all.end(),
              [](const Place& x, const Place& y) { return std::pair(x.block, x.at) > std::pair(y.block, y.at); });
    for (const Place& p : all) {
      const mir::SymbolId helper = helpers.of(kind_of(m.functions[n].blocks[p.block].body[p.at + 1]));
      replace(m.functions[n], p, helper);
    }
    calls += static_cast<unsigned>(all.size());
  }
  return calls;
}

}  // namespace heddle::compiler
