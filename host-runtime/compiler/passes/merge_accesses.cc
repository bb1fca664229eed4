// SPDX-License-Identifier: Apache-2.0
// Of the accesses of a block of instructions, each belongs to a block of 16 bytes of memory: base, offset and what is
// known of the base's lowest bits tell which, and which of its four words. A group is the accesses to one such block
// that may become one: loads where the first is, stores where the last is. It ends at what none of its accesses may be
// moved across: fences, a write to its base or guard, an access to the same memory. An aligned access lies in one block
// of 16 bytes, all of which a buffer of a multiple of 16 bytes has or lacks. Only at the end of one that is smaller can
// a lane be reported at the address of the wide access, where before it was that of the piece which lies outside, after
// the pieces inside were done.
#include "host-runtime/compiler/passes/merge_accesses.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <utility>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Area;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::RegClass;

namespace {

constexpr uint32_t kReach = 96;  // instructions from a group's first access to its last: bounds registers and work
constexpr size_t kGlance = 8;    // accesses among which neighbours are looked for, before more is asked
constexpr unsigned kRoom = 8;    // registers that must be left beyond those that the function needs
constexpr int64_t kBlockBytes = 16;
constexpr unsigned kBlockWords = 4;

// The block that the access lies in, and the first of its words there.
struct Place {
  int64_t block;
  unsigned word;
  bool half;  // the block is one of 8 bytes
};

struct Member {
  uint32_t index;  // in the body
  unsigned word;   // of the block of 16 bytes
  unsigned words;
};

struct Group {
  bool load = false;
  int64_t block = 0;
  unsigned usable = 0;   // bit by bit: words of the block that members may have
  unsigned covered = 0;  // words that they have
  bool ended = false;
  std::vector<Member> members;
};

// Accesses that become one.
struct Merge {
  unsigned word;
  unsigned words;
  std::vector<Member> members;
  mir::VReg whole = kNone;
};

constexpr unsigned mask_of(unsigned word, unsigned words) { return ((1u << words) - 1) << word; }

class Merger {
 public:
  explicit Merger(mir::Function& f) : f_(f), units_(f) {}

  // Whether it is worth looking at all.
  static bool has_neighbours(const mir::Function& f) {
    return std::any_of(f.blocks.begin(), f.blocks.end(), [](const mir::Block& b) { return has_neighbours(b.body); });
  }

  unsigned run(KnownBits::SymbolAlign symbol_align) {
    known_.emplace(f_, units_, std::move(symbol_align));
    find_places();
    std::vector<std::vector<Merge>> merges(f_.blocks.size());
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++) collect(f_.blocks[b].body, merges[b]);
    known_.reset();
    for (mir::BlockId b = 0; b < f_.blocks.size(); b++)
      if (!merges[b].empty()) rewrite(f_.blocks[b].body, merges[b]);
    return merged_;
  }

 private:
  // ---- which accesses

  static bool may_merge(const Instruction& i) {
    if (i.pseudo != mir::Pseudo::None) return false;
    const bool load = i.op == Opcode::Ldg || i.op == Opcode::Lds || i.op == Opcode::Ld || i.op == Opcode::Ldc;
    const bool store = i.op == Opcode::Stg || i.op == Opcode::Sts || i.op == Opcode::St;
    if (!load && !store) return false;
    const auto size = static_cast<isa::MemSize>(i.field("size"));
    if (size != isa::MemSize::B32 && size != isa::MemSize::B64) return false;
    if (i.field("order") != 0 || i.field("cache") == static_cast<unsigned>(isa::CacheOp::Cv)) return false;
    // What a guarded load's register held before would have to be in the wide one, too.
    if (load && (i.guard.present() || i.guard.negated || !i.dst.is_reg())) return false;
    if (i.op == Opcode::Ldc) return i.b.is_const() && i.b.aux == mir::kConstBank && (i.a.is_reg() || i.a.is_none());
    if (store && !i.c.is_reg() && !i.c.is_imm() && !i.c.is_none()) return false;
    return (i.a.is_reg() || i.a.is_none()) && (i.b.is_imm() || i.b.is_none());
  }

  static bool alike(const Instruction& x, const Instruction& y) {
    return x.op == y.op && x.a == y.a && x.guard == y.guard && x.field("cache") == y.field("cache");
  }
  static int64_t offset(const Instruction& i) { return i.b.is_const() ? i.b.id : i.b.is_imm() ? i.b.imm : 0; }

  static bool has_neighbours(const std::vector<Instruction>& body) {
    std::vector<const Instruction*> near;
    for (const Instruction& i : body) {
      if (!may_merge(i)) continue;
      for (const Instruction* other : near)
        if (alike(i, *other) && std::abs(offset(i) - offset(*other)) < kBlockBytes) return true;
      if (near.size() == kGlance) near.erase(near.begin());
      near.push_back(&i);
    }
    return false;
  }

  // Nothing where the base's lowest bits are unknown. Of a base that is known to be a multiple of 8 only, the two
  // halves of a block are blocks of their own.
  std::optional<Place> place(const Instruction& i) {
    const KnownWord base = known_->word(i.a);
    const bool quads = base.knows_low(4);
    if (!quads && !base.knows_low(3)) return std::nullopt;
    const unsigned inside = quads ? 15 : 7;
    const int64_t at = offset(i) + (base.ones & inside);
    if (at % mir::access_bytes(i)) return std::nullopt;
    return Place{at >> (quads ? 4 : 3), static_cast<unsigned>(at & inside) / 4, !quads};
  }

  // ---- groups

  void collect(const std::vector<Instruction>& body, std::vector<Merge>& out) {
    open_.clear();
    mir::Accesses accesses;
    for (uint32_t n = 0; n < body.size(); n++) {
      const Instruction& i = body[n];
      const std::optional<Place> at = may_merge(i) ? place(i) : std::nullopt;
      if (open_.empty() && !at) continue;
      accesses.collect(f_, units_, i);
      const bool fence = mir::is_motion_fence(i) || accesses.clobbers;
      Group* own = nullptr;
      for (Group& g : open_) {
        if (fence || n - g.members.front().index > kReach) g.ended = true;
        else if (at && takes(body, g, i, *at)) own = &g;
        else if ((mir::is_load(i) || mir::is_store(i)) && conflicts(body, g, i, at)) g.ended = true;
      }
      if (at) {
        if (!own) {
          own = &open_.emplace_back();
          own->load = mir::is_load(i);
          own->block = at->block;
          own->usable = at->half ? 3 : 15;
        }
        const unsigned words = mir::access_bytes(i) / 4;
        own->members.push_back({n, at->word, words});
        own->covered |= mask_of(at->word, words);
      }
      for (Group& g : open_) {
        if (writes_sources(body[g.members.front().index], accesses)) g.ended = true;
        if (g.ended) finish(body, g, out);
      }
      std::erase_if(open_, [](const Group& g) { return g.ended; });
    }
    for (const Group& g : open_) finish(body, g, out);
  }

  static bool same_block(const Group& g, const Instruction& own, const Instruction& i, const Place& at) {
    return g.block == at.block && alike(own, i);
  }

  static bool takes(const std::vector<Instruction>& body, const Group& g, const Instruction& i, const Place& at) {
    const unsigned mask = mask_of(at.word, mir::access_bytes(i) / 4);
    return same_block(g, body[g.members.front().index], i, at) && !(g.covered & mask) && (g.usable & mask) == mask;
  }

  // Whether the group must end in front of the access, which is not one of its own. From one base it is known which
  // words a store touches: no load that comes later may be moved in front of it. Loads of the same words begin a new
  // group.
  static bool conflicts(const std::vector<Instruction>& body, Group& g, const Instruction& i,
                        const std::optional<Place>& at) {
    const Member& first = g.members.front();
    const Instruction& own = body[first.index];
    const bool loads = g.load && mir::is_load(i);
    if (loads || own.op == Opcode::Ldc || i.op == Opcode::Ldc) return loads && at && same_block(g, own, i, *at);
    const Area x = mir::area_of(own), y = mir::area_of(i);
    if (x != y && x != Area::Generic && y != Area::Generic) return false;
    if (x != y || !(own.a == i.a) || !(i.b.is_imm() || i.b.is_none())) return true;
    const int64_t begin = offset(i) - offset(own) + int64_t{4} * first.word, end = begin + mir::access_bytes(i);
    unsigned touched = 0;
    for (unsigned w = 0; w < kBlockWords; w++)
      if (begin < int64_t{4} * (w + 1) && int64_t{4} * w < end) touched |= 1u << w;
    if (g.load) g.usable &= ~touched;
    return !g.load && (g.covered & touched) != 0;
  }

  bool writes_sources(const Instruction& i, const mir::Accesses& accesses) const {
    const auto writes = [&](mir::Unit first, unsigned count) {
      return std::any_of(accesses.writes.begin(), accesses.writes.end(),
                         [&](const mir::UnitRange& w) { return w.first < first + count && first < w.first + w.count; });
    };
    return (i.a.is_reg() && writes(units_.of(i.a), i.a.count)) ||
           (i.guard.present() && writes(units_.of(i.guard.reg), 1));
  }

  // All four words, else each half.
  void finish(const std::vector<Instruction>& body, const Group& g, std::vector<Merge>& out) {
    if (g.covered == 15 && accept(body, {0, 4, g.members}, out)) return;
    for (const unsigned word : {0u, 2u}) {
      Merge half{word, 2, {}};
      for (const Member& m : g.members)
        if (m.words == 1 && m.word / 2 == word / 2) half.members.push_back(m);
      if (half.members.size() == 2) accept(body, std::move(half), out);
    }
  }

  // ---- whether registers come together without moves

  // A register of one word that is, by a copy, a word of a wider one.
  struct Part {
    mir::VReg whole = kNone;
    unsigned word = 0;
  };

  void find_places() {
    parts_.assign(f_.vregs.size(), {});
    const auto note = [&](const Operand& small, const Operand& large) {
      if (mir::words_of(f_.vregs[small.id]) == small.count && mir::words_of(f_.vregs[large.id]) > large.count)
        parts_[small.id] = {large.id, large.sub};
    };
    for (const mir::Block& b : f_.blocks)
      for (const Instruction& i : b.body)
        if (i.pseudo == mir::Pseudo::Copy && i.dst.is_reg() && i.a.is_reg()) note(i.dst, i.a), note(i.a, i.dst);
  }

  Part part(const Operand& o) const {
    if (mir::words_of(f_.vregs[o.id]) > o.count) return {o.id, o.sub};
    return parts_[o.id];
  }

  static const Operand& data(const Instruction& i) { return mir::is_load(i) ? i.dst : i.c; }

  // Each word that is part of another wide register, or a number, or in two places, takes a move. They must be fewer
  // than the accesses that go.
  bool accept(const std::vector<Instruction>& body, Merge m, std::vector<Merge>& out) {
    if (m.members.size() < 2) return false;
    size_t moves = 0;
    std::array<mir::VReg, kBlockWords> wholes{kNone, kNone, kNone, kNone};
    for (const Member& k : m.members) {
      const Operand& o = data(body[k.index]);
      const bool twice = std::any_of(m.members.begin(), m.members.end(), [&](const Member& other) {
        return other.index < k.index && data(body[other.index]) == o;
      });
      if (!o.is_reg() || twice) {
        moves += k.words;
        continue;
      }
      const Part p = part(o);
      if (p.whole == kNone) continue;
      const unsigned size = mir::words_of(f_.vregs[p.whole]), to = k.word - m.word;
      const bool aligned = size <= m.words && to >= p.word && (to - p.word) % size == 0;
      mir::VReg& whole = wholes[aligned ? to - p.word : 0];
      if (!aligned || (whole != kNone && whole != p.whole)) moves += k.words;
      else whole = p.whole;
    }
    if (moves >= m.members.size() - 1) return false;
    m.whole = f_.new_vreg(m.words == 4 ? RegClass::R128 : RegClass::R64);
    parts_.resize(f_.vregs.size());
    for (const Member& k : m.members) {
      const Operand& o = data(body[k.index]);
      if (o.is_reg() && mir::words_of(f_.vregs[o.id]) == o.count) parts_[o.id] = {m.whole, k.word - m.word};
    }
    merged_ += static_cast<unsigned>(m.members.size()) - 1;
    out.push_back(std::move(m));
    return true;
  }

  // ---- writing

  void rewrite(std::vector<Instruction>& body, const std::vector<Merge>& merges) {
    struct Change {
      const Merge* merge = nullptr;
      const Member* member = nullptr;
    };
    std::vector<Change> changes(body.size());
    for (const Merge& m : merges)
      for (const Member& k : m.members) changes[k.index] = {&m, &k};
    std::vector<Instruction> out;
    out.reserve(body.size() + 2 * merges.size());
    for (uint32_t n = 0; n < body.size(); n++) {
      if (!changes[n].merge) {
        out.push_back(std::move(body[n]));
        continue;
      }
      const Merge& m = *changes[n].merge;
      const Member& k = *changes[n].member;
      const Instruction i = body[n];
      const Operand whole = f_.reg(m.whole),
                    to = k.words == 2 ? whole.pair((k.word - m.word) / 2) : whole.word(k.word - m.word);
      if (mir::is_load(i)) {
        if (n == m.members.front().index) out.push_back(wide(body, m, i));
        copy(out, i, i.dst, to);
      } else {
        copy(out, i, to, i.c);
        if (n == m.members.back().index) out.push_back(wide(body, m, i));
      }
    }
    body = std::move(out);
  }

  Instruction wide(const std::vector<Instruction>& body, const Merge& m, Instruction i) const {
    for (const Member& k : m.members)
      if (k.word == m.word) i.b = body[k.index].b;
    i.set_field("size", static_cast<unsigned>(m.words == 4 ? isa::MemSize::B128 : isa::MemSize::B64));
    (mir::is_load(i) ? i.dst : i.c) = f_.reg(m.whole);
    return i;
  }

  // A number goes word by word.
  static void copy(std::vector<Instruction>& out, const Instruction& at, const Operand& to, const Operand& from) {
    const bool is_register = from.is_reg() || from.is_phys();
    for (unsigned w = 0; w < (is_register ? 1u : to.count); w++) {
      Instruction& c = out.emplace_back();
      c.loc = at.loc;
      if (is_register) {
        c.pseudo = mir::Pseudo::Copy;
        c.dst = to;
        c.a = from;
      } else {
        c.op = Opcode::Mov;
        c.dst = to.word(w);
        c.b = from.is_imm() ? mir::imm(static_cast<uint32_t>(from.imm >> (32 * w))) : mir::imm(0);
      }
    }
  }

  mir::Function& f_;
  const mir::Units units_;
  std::optional<KnownBits> known_;
  std::vector<Group> open_;
  std::vector<Part> parts_;
  unsigned merged_ = 0;
};

}  // namespace

unsigned merge_accesses(mir::Function& f, unsigned register_limit, KnownBits::SymbolAlign symbol_align) {
  if (!Merger::has_neighbours(f) || max_pressure(f).registers + kRoom > register_limit) return 0;
  return Merger(f).run(std::move(symbol_align));
}

}  // namespace heddle::compiler
