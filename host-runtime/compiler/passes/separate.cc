// SPDX-License-Identifier: Apache-2.0
// Each write begins a value, and so does each block for each register that lives at its start; where a block ends its
// values meet those with which the blocks after it start. Values that meet are one register.
#include "host-runtime/compiler/passes/separate.h"

#include <numeric>
#include <vector>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using mir::BlockId;
using mir::Function;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::Pseudo;
using mir::VReg;

namespace {

class Separator {
 public:
  explicit Separator(Function& f)
      : f_(f), graph_(block_graph(f)), current_(f.vregs.size(), kNone), writes_(f.vregs.size()) {}

  void run() {
    if (!find_candidates()) return;
    find_starts();
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      begin(b);
      walk(b, [&](VReg& v, bool writes) { values_.push_back(next_value(v, writes)); });
      meet(b);
    }
    choose_names();
    size_t seen = 0;
    for (BlockId b = 0; b < f_.blocks.size(); b++) walk(b, [&](VReg& v, bool) { v = name_[find(values_[seen++])]; });
  }

 private:
  using Value = uint32_t;
  struct Start {
    VReg vreg;
    Value value;
  };

  // Replaces all that was in its register. A call's results do not count.
  bool writes_whole(const Instruction& i, const Operand& o) const {
    return &o == &i.dst && unguarded(i) && o.count == words_of(f_.vregs[o.id]);
  }
  static bool unguarded(const Instruction& i) {
    return !i.guard.present() && !i.guard.negated && i.pseudo != Pseudo::Call;
  }

  // Registers that are written more than once as a whole, but for a function's results, which its end reads.
  bool find_candidates() {
    for (mir::Block& b : f_.blocks)
      for (Instruction& i : b.body) {
        if (i.dst.is_reg() && writes_whole(i, i.dst)) writes_[i.dst.id]++;
        if (!unguarded(i)) continue;
        if (i.pd != kNone) writes_[i.pd]++;
        if (i.pq != kNone) writes_[i.pq]++;
      }
    for (const mir::AbiValue& r : f_.results)
      if (r.value.is_reg()) writes_[r.value.id] = 0;
    for (const unsigned n : writes_)
      if (n > 1) return true;
    return false;
  }
  bool is_candidate(VReg v) const { return v < writes_.size() && writes_[v] > 1; }

  // What each block starts with.
  void find_starts() {
    const mir::Units units(f_);
    const Liveness liveness(f_, units, graph_);
    starts_.resize(f_.blocks.size());
    LiveSet live(units.count());
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      liveness.at_start(b, live);
      for (const mir::Unit u : live.items()) {
        const VReg v = units.vreg(u);
        if (v == kNone || !is_candidate(v) || current_[v] != kNone) continue;
        current_[v] = new_value(v);
        starts_[b].push_back({v, current_[v]});
      }
      for (const Start& s : starts_[b]) current_[s.vreg] = kNone;
      live.clear();
    }
  }

  // Registers of the block's instructions in an order that has reads before writes, and of its end.
  template <typename F>
  void walk(BlockId b, F visit) {
    const auto read = [&](VReg& v) {
      if (is_candidate(v)) visit(v, false);
    };
    for (Instruction& i : f_.blocks[b].body) {
      bool whole = false;
      mir::for_each_operand(
          f_, i,
          [&](Operand& o) {
            if (writes_whole(i, o)) whole = true;
            else read(o.id);
          },
          [&](VReg& v) {
            if (!unguarded(i) || (&v != &i.pd && &v != &i.pq)) read(v);
          });
      if (whole && is_candidate(i.dst.id)) visit(i.dst.id, true);
      if (!unguarded(i)) continue;
      if (i.pd != kNone && is_candidate(i.pd)) visit(i.pd, true);
      if (i.pq != kNone && is_candidate(i.pq)) visit(i.pq, true);
    }
    mir::for_each_operand(
        f_.blocks[b].end, [&](Operand& o) { read(o.id); }, read);
  }

  void begin(BlockId b) {
    for (const VReg v : touched_) current_[v] = kNone;
    touched_.clear();
    for (const Start& s : starts_[b]) set(s.vreg, s.value);
  }
  void set(VReg v, Value value) {
    current_[v] = value;
    touched_.push_back(v);
  }
  Value next_value(VReg v, bool writes) {
    if (writes || current_[v] == kNone) set(v, new_value(v));
    return current_[v];
  }
  void meet(BlockId b) {
    for (const BlockId s : graph_.succs[b])
      for (const Start& start : starts_[s]) unite(start.value, next_value(start.vreg, false));
  }

  Value new_value(VReg v) {
    parent_.push_back(static_cast<Value>(parent_.size()));
    vreg_.push_back(v);
    return parent_.back();
  }
  Value find(Value v) {
    while (parent_[v] != v) v = parent_[v] = parent_[parent_[v]];
    return v;
  }
  void unite(Value a, Value b) {
    a = find(a), b = find(b);
    parent_[std::max(a, b)] = std::min(a, b);  // what blocks start with comes first, the function's before all
  }

  // The first value keeps the register.
  void choose_names() {
    name_.assign(parent_.size(), kNone);
    std::vector<char> kept(f_.vregs.size());
    for (Value n = 0; n < parent_.size(); n++) {
      if (find(n) != n) continue;
      const VReg v = vreg_[n];
      name_[n] = kept[v] ? f_.new_vreg(f_.vregs[v]) : v;
      kept[v] = 1;
    }
  }

  Function& f_;
  const Graph graph_;
  std::vector<Value> current_;              // by vreg
  std::vector<unsigned> writes_;            // by vreg
  std::vector<std::vector<Start>> starts_;  // by block
  std::vector<VReg> touched_;
  std::vector<Value> values_;  // as walk() comes to them
  std::vector<Value> parent_;  // by value; who has none is its own
  std::vector<VReg> vreg_;     // by value
  std::vector<VReg> name_;     // by value
};

}  // namespace

void separate_values(Function& f) { Separator(f).run(); }

}  // namespace heddle::compiler
