// SPDX-License-Identifier: Apache-2.0
// Graph colouring as for registers, with words of local memory: two slots interfere when one is written where a word of
// the other is still to be read. Wide slots are placed first, each at the lowest offset that is free.
#include "host-runtime/compiler/passes/spill_slots.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "host-runtime/compiler/passes/cfg.h"
#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;

namespace {

constexpr unsigned kWord = 4;

// Words of slots: what one instruction reads or writes of them.
struct Access {
  uint32_t first = 0;
  unsigned words = 0;  // 0: none
  bool reads = false;
  bool writes = false;  // surely
};

class SlotSharer {
 public:
  SlotSharer(mir::Function& f, mir::FrameId first) : f_(f), first_(first), graph_(block_graph(f)) {
    for (mir::FrameId s = first; s < f.frame.size(); s++) {
      base_.push_back(static_cast<uint32_t>(owner_.size()));
      owner_.insert(owner_.end(), f.frame[s].size / kWord, s - first);
    }
    at_end_.assign(f.blocks.size(), Bits((owner_.size() + 63) / 64));
    at_start_ = at_end_;
    interferes_.resize(base_.size());
    place_.resize(base_.size());
  }

  void run() {
    find_liveness();
    find_interference();
    place();
    rewrite();
  }

 private:
  using Bits = std::vector<uint64_t>;  // by word
  static void set(Bits& bits, uint32_t w, bool on) {
    const uint64_t bit = uint64_t{1} << w % 64;
    bits[w / 64] = on ? bits[w / 64] | bit : bits[w / 64] & ~bit;
  }
  static bool test(const Bits& bits, uint32_t w) { return bits[w / 64] >> w % 64 & 1; }

  Access access(const Instruction& i) const {
    if (!i.a.is_frame() || i.a.id < first_) return {};
    const bool load = i.is(Opcode::Ldl);
    return {base_[i.a.id - first_] + static_cast<uint32_t>(i.b.imm / kWord), load ? i.dst.count : i.c.count, load,
            !load && !i.guard.present()};
  }

  template <typename Set>
  static void step_back(const Access& a, const Set& set_live) {
    for (uint32_t w = a.first; w < a.first + a.words; w++)
      if (a.reads || a.writes) set_live(w, a.reads);
  }

  void find_liveness() {
    const std::vector<BlockId> order = reverse_post_order(graph_, 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (size_t n = order.size(); n-- > 0;) {
        const BlockId b = order[n];
        Bits live(at_end_[b].size());
        for (BlockId s : graph_.succs[b])
          std::transform(live.begin(), live.end(), at_start_[s].begin(), live.begin(), std::bit_or<>());
        at_end_[b] = live;
        const std::vector<Instruction>& body = f_.blocks[b].body;
        for (size_t k = body.size(); k-- > 0;)
          step_back(access(body[k]), [&](uint32_t w, bool on) { set(live, w, on); });
        if (live == at_start_[b]) continue;
        at_start_[b] = std::move(live);
        changed = true;
      }
    }
  }

  void find_interference() {
    LiveSet live(static_cast<mir::Unit>(owner_.size()));
    for (BlockId b = 0; b < f_.blocks.size(); b++) {
      live.clear();
      for (uint32_t w = 0; w < owner_.size(); w++)
        if (test(at_end_[b], w)) live.insert(w);
      const std::vector<Instruction>& body = f_.blocks[b].body;
      for (size_t k = body.size(); k-- > 0;) {
        const Access a = access(body[k]);
        if (a.words != 0 && !a.reads)
          for (mir::Unit w : live.items())
            if (owner_[w] != owner_[a.first]) {
              interferes_[owner_[w]].push_back(owner_[a.first]);
              interferes_[owner_[a.first]].push_back(owner_[w]);
            }
        step_back(a, [&](uint32_t w, bool on) { on ? live.insert(w) : live.erase(w); });
      }
    }
  }

  uint32_t words(uint32_t slot) const { return f_.frame[first_ + slot].size / kWord; }

  void place() {
    std::vector<uint32_t> order(base_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return words(a) > words(b); });
    std::vector<bool> placed(base_.size());
    for (uint32_t slot : order) {
      std::vector<bool> taken(words_ + words(slot));
      for (uint32_t other : interferes_[slot])
        if (placed[other]) std::fill_n(taken.begin() + place_[other], words(other), true);
      uint32_t at = 0;
      while (std::any_of(taken.begin() + at, taken.begin() + at + words(slot), [](bool t) { return t; })) {
        at += words(slot);
        taken.resize(std::max<size_t>(taken.size(), at + words(slot)));
      }
      place_[slot] = at;
      placed[slot] = true;
      words_ = std::max(words_, at + words(slot));
    }
  }

  void rewrite() {
    uint32_t align = kWord;
    for (mir::FrameId s = first_; s < f_.frame.size(); s++) align = std::max(align, f_.frame[s].align);
    for (mir::Block& b : f_.blocks)
      for (Instruction& i : b.body) {
        if (!i.a.is_frame() || i.a.id < first_) continue;
        i.b.imm += int64_t{kWord} * place_[i.a.id - first_];
        i.a.id = first_;
      }
    f_.frame.resize(first_);
    f_.frame.push_back({.name = "spill", .size = kWord * words_, .align = align});
  }

  mir::Function& f_;
  const mir::FrameId first_;
  const Graph graph_;
  std::vector<uint32_t> base_;   // by slot: its first word
  std::vector<uint32_t> owner_;  // by word: its slot
  std::vector<Bits> at_start_, at_end_;
  std::vector<std::vector<uint32_t>> interferes_;
  std::vector<uint32_t> place_;  // by slot, in words of the common piece
  uint32_t words_ = 0;           // of the common piece
};

}  // namespace

void share_spill_slots(mir::Function& f, mir::FrameId first) {
  if (first + 1 < f.frame.size()) SlotSharer(f, first).run();
}

}  // namespace heddle::compiler
