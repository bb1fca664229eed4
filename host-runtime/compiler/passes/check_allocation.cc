// SPDX-License-Identifier: Apache-2.0
// Forward data flow. State: the units whose machine register holds their value. A write of register r makes every other
// unit that lives in r invalid; a copy within one register makes its target valid. At joins a unit is valid when it
// is so on every way in. Units never written before (live at the entry) start valid: nobody may take their register
// before their last read either.
#include "host-runtime/compiler/passes/check_allocation.h"

#include <fmt/format.h>

namespace heddle::compiler {

using mir::Accesses;
using mir::kMachineUnits;
using mir::kNone;
using mir::Unit;

namespace {

constexpr unsigned kPredicateBase = 256;
constexpr unsigned kLocations = 256 + isa::kNumPredicates;

class Checker {
 public:
  Checker(const mir::Function& f, const Allocation& allocation, unsigned limit)
      : f_(f),
        allocation_(allocation),
        limit_(limit),
        units_(f),
        location_(units_.count(), kNone),
        residents_(kLocations) {}

  std::optional<std::string> run() {
    if (!place()) return error_;
    const Graph g = block_graph(f_);
    const size_t words = (units_.count() + 63) / 64;
    std::vector<std::vector<uint64_t>> in(f_.blocks.size(), std::vector<uint64_t>(words, ~uint64_t{0}));
    const std::vector<BlockId> order = reverse_post_order(g, 0);
    for (bool changed = true; changed && !error_;) {
      changed = false;
      for (BlockId b : order) {
        valid_ = in[b];
        block(b, false);
        for (BlockId s : g.succs[b])
          for (size_t w = 0; w < words; w++) {
            const uint64_t next = in[s][w] & valid_[w];
            changed |= next != in[s][w];
            in[s][w] = next;
          }
      }
    }
    for (BlockId b : order) {
      valid_ = in[b];
      block(b, true);
      if (error_) break;
    }
    return error_;
  }

 private:
  bool is_pred(mir::VReg v) const { return f_.vregs[v] == mir::RegClass::P; }

  // Every register has an aligned place inside the limit.
  bool place() {
    for (Unit u = 0; u < kMachineUnits; u++) {
      location_[u] = u;
      residents_[u].push_back(u);
    }
    for (mir::VReg v = 0; v < f_.vregs.size(); v++) {
      const uint8_t c = allocation_.color[v];
      if (c == kNoColor) continue;
      const unsigned n = is_pred(v) ? 1 : words_of(f_.vregs[v]);
      if (is_pred(v) ? c >= isa::kNumPredicates : c % n != 0 || c + n > limit_) {
        error_ = fmt::format("v{} is placed at {}", v, c);
        return false;
      }
      for (unsigned w = 0; w < n; w++) {
        const unsigned l = is_pred(v) ? kPredicateBase + c : c + w;
        location_[units_.of(v) + w] = l;
        residents_[l].push_back(units_.of(v) + w);
      }
    }
    return true;
  }

  bool valid(Unit u) const { return valid_[u / 64] >> u % 64 & 1; }
  void set(Unit u, bool value) {
    const uint64_t bit = uint64_t{1} << u % 64;
    valid_[u / 64] = value ? valid_[u / 64] | bit : valid_[u / 64] & ~bit;
  }
  void write(Unit u) {
    if (location_[u] == kNone) return;
    for (Unit other : residents_[location_[u]]) set(other, false);
    set(u, true);
  }

  void reads(const std::string& where) {
    for (const mir::UnitRange& r : accesses_.reads)
      for (Unit u = r.first; u < r.first + r.count; u++)
        if (!error_ && (location_[u] == kNone || !valid(u)))
          error_ = fmt::format("{}: {} is lost", where,
                               u < kMachineUnits ? fmt::format("R{}", u) : fmt::format("v{}", units_.vreg(u)));
  }

  void block(BlockId b, bool report) {
    const std::vector<mir::Instruction>& body = f_.blocks[b].body;
    for (size_t n = 0; n < body.size(); n++) {
      const mir::Instruction& i = body[n];
      accesses_.collect(f_, units_, i);
      if (report) reads(fmt::format("{} block {} instruction {}: {}", f_.name, b, n, to_string(f_, i)));
      if (i.pseudo == mir::Pseudo::Copy && !i.guard.present()) {
        copy(i);
        continue;
      }
      if (accesses_.clobbers) clobber();
      for (const mir::UnitRange& w : accesses_.writes)
        for (Unit u = w.first; u < w.first + w.count; u++) write(u);
      overlap(i, report);
    }
    accesses_.collect(f_, units_, f_.blocks[b].end);
    if (report) reads(fmt::format("{} end of block {}", f_.name, b));
  }

  void copy(const mir::Instruction& i) {
    const unsigned n = i.pd != kNone ? 1 : i.dst.count;
    for (unsigned k = 0; k < n; k++) {
      const Unit to = (i.pd != kNone ? units_.of(i.pd) : units_.of(i.dst)) + k;
      const Unit from =
          i.pd != kNone ? (i.p.present() && !i.p.negated ? units_.of(i.p.reg) : kNone) : units_.of(i.a) + k;
      if (from != kNone && location_[from] == location_[to]) set(to, valid(from));
      else write(to);
    }
  }

  void clobber() {
    const RegMask mask = caller_saved();
    for (unsigned r = 0; r < 256; r++)
      if (mask.test(r))
        for (Unit u : residents_[r]) set(u, false);
    for (unsigned p = 0; p < isa::kNumPredicates; p++)
      for (Unit u : residents_[kPredicateBase + p]) set(u, false);
  }

  // Two results of one instruction in one place.
  void overlap(const mir::Instruction& i, bool report) {
    if (!report || error_) return;
    for (const mir::UnitRange& w : accesses_.writes)
      for (Unit u = w.first; u < w.first + w.count; u++)
        if (location_[u] != kNone && !valid(u))
          error_ = fmt::format("{}: {} results collide", f_.name, to_string(f_, i));
  }

  const mir::Function& f_;
  const Allocation& allocation_;
  unsigned limit_;
  mir::Units units_;
  std::vector<unsigned> location_;
  std::vector<std::vector<Unit>> residents_;
  std::vector<uint64_t> valid_;
  Accesses accesses_;
  std::optional<std::string> error_;
};

}  // namespace

std::optional<std::string> check_allocation(const mir::Function& f, const Allocation& allocation, unsigned limit) {
  return Checker(f, allocation, limit).run();
}

}  // namespace heddle::compiler
