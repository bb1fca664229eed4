// SPDX-License-Identifier: Apache-2.0
// Which registers may not share a place: for each, a list of neighbours with the pairs of 32-bit words that meet, so
// that the dead word of a pair can hold something else. The source and the target of a copy do not interfere by the
// copy. For those who will make one register of both, that holds for copies under a guard, too, and for the definition
// of such a copy's source, if that is fresh under the same guard and nothing between the two has to do with the target:
//
//   @P LDG t, [a]      one register: where P fails it keeps what d held, and the copy does nothing
//   @P d = t
#pragma once

#include <cstdint>
#include <vector>

#include "host-runtime/compiler/passes/liveness.h"
#include "host-runtime/compiler/passes/machine.h"

namespace heddle::compiler {

struct Neighbour {
  mir::VReg vreg;
  uint16_t words;  // bit 4 * w + n: word w of the list's owner interferes with word n of `vreg`
};

class InterferenceGraph {
 public:
  // Of all registers, or of those that `wanted` (by vreg) names: a part of the graph costs less. The function's blocks
  // shall stay as long as the graph. `joins`: whom copies connect will be one register.
  explicit InterferenceGraph(const mir::Function& f, const std::vector<char>* wanted = nullptr, bool joins = false);

  const mir::Units& units() const { return units_; }
  // Each once, until registers are merged.
  const std::vector<Neighbour>& neighbours(mir::VReg v) const { return lists_[v]; }
  // Machine registers that the unit may not have. A predicate across a call: clobbered() is true.
  const RegMask& forbidden(mir::Unit u) const { return forbidden_[u]; }
  bool clobbered(mir::Unit u) const { return clobbered_[u]; }

  // `from` becomes the words of `into` from `word` on: what it interferes with is added to `into`. Lists that name
  // `from` stay as they are; who merges, renames what is in them.
  void merge(mir::VReg into, unsigned word, mir::VReg from);

  // The function no longer has the registers `gone`, but new ones; the others live where they lived. Only what is new
  // is looked for.
  void replace(const std::vector<mir::VReg>& gone);

 private:
  using List = std::vector<Neighbour>;
  enum class Kind : uint8_t { Unwanted, Register, Predicate };

  void add_registers(const std::vector<char>* wanted);
  void walk();
  // A word that is copied under a guard, with what is before the copy yet to be seen.
  struct GuardedCopy {
    mir::Unit to, from;
    mir::Pred guard;
  };
  void follow(const mir::Instruction& i, const mir::Accesses& a);
  bool is_copied_under(const mir::Instruction& i, mir::Unit from, mir::Unit to) const;
  void start_block(const Liveness& liveness, BlockId b);
  void step_back(const mir::Accesses& a);
  // What a definition that is new, or old, may meet for the first time.
  const LiveSet& to_meet(bool is_new) const { return is_new ? live_ : live_new_; }
  void instruction(const mir::Instruction& i, const mir::Accesses& a);
  void define(const mir::Instruction& i, const mir::UnitRange& w, mir::Unit source);
  void define_machine(const mir::UnitRange& w, mir::Unit source);
  void clobber(const mir::Accesses& a);
  void link(mir::VReg v, unsigned words, mir::VReg o, unsigned word);
  void make_room(mir::VReg v);
  void unite(List& list);

  const mir::Function& f_;
  const bool joins_;
  const Graph graph_;
  mir::Units units_;
  mir::VReg first_new_ = 0;  // registers from here on have no neighbours yet
  mir::Unit first_new_unit_ = 0;
  std::vector<GuardedCopy> guarded_;    // of the block
  LiveSet live_, live_new_;             // live_new_: of live_ what is new, unless all is
  std::vector<Kind> kind_;              // by vreg
  std::vector<List> lists_;             // by vreg
  std::vector<RegMask> forbidden_;      // by unit
  std::vector<char> clobbered_;         // by unit
  std::vector<uint32_t> linked_;        // by vreg: the definition that linked it last
  std::vector<uint32_t> place_;         // by vreg: where it then is in the list of what was defined
  std::vector<uint32_t> united_place_;  // by vreg: the same in the list that is united
  std::vector<size_t> united_at_;       // by vreg: size at which its list is united again
  List unordered_;
  uint32_t definition_ = 0;
};

}  // namespace heddle::compiler
