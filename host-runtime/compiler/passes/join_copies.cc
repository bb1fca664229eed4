// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/compiler/passes/join_copies.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "host-runtime/compiler/mir/access.h"
#include "host-runtime/compiler/passes/liveness.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Instruction;
using mir::Operand;
using mir::Pred;
using mir::RegClass;

namespace {

constexpr uint32_t kReach = 32;  // instructions from the first load to the second store
constexpr unsigned kRoom = 8;    // registers that must be left beyond those that the function needs
constexpr int64_t kHalf = 8, kWhole = 16;

int64_t offset(const Instruction& i) { return i.b.is_imm() ? i.b.imm : 0; }

bool is_half(const Instruction& i) {
  if (i.pseudo != mir::Pseudo::None || i.guard.present() || i.guard.negated) return false;
  const bool load = i.op == Opcode::Ldg || i.op == Opcode::Ld, store = i.op == Opcode::Stg || i.op == Opcode::St;
  if (!load && !store) return false;
  return i.field("size") == static_cast<unsigned>(isa::MemSize::B64) && i.field("order") == 0 &&
         i.field("cache") != static_cast<unsigned>(isa::CacheOp::Cv) && i.a.is_reg() && i.a.count == 2 &&
         (i.b.is_imm() || i.b.is_none()) && (load ? i.dst : i.c).is_reg();
}

// Of one place and the next: the same but for the offsets, which differ by a half.
bool are_neighbours(const Instruction& x, const Instruction& y) {
  return x.op == y.op && x.a == y.a && x.mod == y.mod && std::abs(offset(x) - offset(y)) == kHalf;
}

// Two loads, each with the store of what it loaded.
struct Copy {
  std::array<uint32_t, 2> loads{}, stores{};
};

class Joiner {
 public:
  explicit Joiner(mir::Function& f) : f_(f), units_(f) {}

  unsigned run() {
    unsigned joined = 0;
    const auto blocks = static_cast<mir::BlockId>(f_.blocks.size());
    for (mir::BlockId b = 0; b < blocks; b++) {
      const std::vector<Instruction>& body = f_.blocks[b].body;
      std::vector<Copy> copies;
      for (uint32_t n = 0; n < body.size(); n++) {
        if (const std::optional<Copy> c = copy_from(body, n)) {
          copies.push_back(*c);
          n = c->stores[1];
        }
      }
      if (!copies.empty()) rewrite(b, copies);
      joined += static_cast<unsigned>(copies.size());
    }
    return joined;
  }

 private:
  // The next access, if nothing before it may not be crossed.
  std::optional<uint32_t> next(const std::vector<Instruction>& body, uint32_t from, uint32_t last) const {
    for (uint32_t n = from; n < body.size() && n <= last; n++) {
      if (mir::is_motion_fence(body[n])) return std::nullopt;
      if (mir::is_memory(body[n]) && mir::area_of(body[n]) != mir::Area::None) return n;
    }
    return std::nullopt;
  }

  std::optional<Copy> copy_from(const std::vector<Instruction>& body, uint32_t first) {
    if (!is_half(body[first]) || !mir::is_load(body[first])) return std::nullopt;
    Copy c;
    c.loads[0] = first;
    const uint32_t last = first + kReach;
    const auto store = next(body, first + 1, last);
    const auto load = store ? next(body, *store + 1, last) : std::nullopt;
    const auto store2 = load ? next(body, *load + 1, last) : std::nullopt;
    if (!store2) return std::nullopt;
    c.loads[1] = *load;
    c.stores = {*store, *store2};
    const std::array<const Instruction*, 2> from{&body[first], &body[*load]}, to{&body[*store], &body[*store2]};
    for (int k = 0; k < 2; k++)
      if (!is_half(*from[k]) || !mir::is_load(*from[k]) || !is_half(*to[k]) || !mir::is_store(*to[k]) ||
          !(to[k]->c == from[k]->dst))
        return std::nullopt;
    if (!are_neighbours(*from[0], *from[1]) || !are_neighbours(*to[0], *to[1])) return std::nullopt;
    const int64_t low = std::min(offset(*from[0]), offset(*from[1])), to_low = std::min(offset(*to[0]), offset(*to[1]));
    if (low % kWhole || to_low % kWhole || (offset(*from[0]) == low) != (offset(*to[0]) == to_low)) return std::nullopt;
    return stays(body, c) ? std::optional(c) : std::nullopt;
  }

  // All of it moves to the first store: nothing on the way writes the addresses, or touches what is copied.
  bool stays(const std::vector<Instruction>& body, const Copy& c) {
    const Operand &a = body[c.loads[0]].a, &b = body[c.stores[0]].a, &x = body[c.loads[0]].dst,
                  &y = body[c.loads[1]].dst;
    const auto overlaps = [&](const std::vector<mir::UnitRange>& ranges, const Operand& o) {
      const mir::Unit first = units_.of(o);
      return std::any_of(ranges.begin(), ranges.end(), [&](const mir::UnitRange& r) {
        return r.first < first + o.count && first < r.first + r.count;
      });
    };
    mir::Accesses accesses;
    for (uint32_t n = c.loads[0]; n <= c.stores[1]; n++) {
      accesses.collect(f_, units_, body[n]);
      if (accesses.clobbers) return false;
      if (overlaps(accesses.writes, a) || (n > c.stores[0] && overlaps(accesses.writes, b))) return false;
      if (n == c.loads[0] || n == c.loads[1] || n == c.stores[0] || n == c.stores[1]) continue;
      for (const Operand* o : {&x, &y})
        if (overlaps(accesses.reads, *o) || overlaps(accesses.writes, *o)) return false;
    }
    return !overlap(x, y) && !overlap(x, a) && !overlap(x, b) && !overlap(y, a) && !overlap(y, b);
  }
  bool overlap(const Operand& o, const Operand& p) const {
    return units_.of(o) < units_.of(p) + p.count && units_.of(p) < units_.of(o) + o.count;
  }

  // ---- writing

  // The block ends in front of each copy, and goes on behind it in another one.
  void rewrite(mir::BlockId first, const std::vector<Copy>& copies) {
    const std::vector<Instruction> body = std::move(f_.blocks[first].body);
    const mir::Terminator end = f_.blocks[first].end;
    const bool rare = f_.blocks[first].rare;
    mir::BlockId block = first;
    std::vector<Instruction> out;
    auto c = copies.begin();
    for (uint32_t n = 0; n < body.size(); n++) {
      if (c == copies.end() || n < c->loads[0]) out.push_back(body[n]);
      else if (n == c->stores[0]) block = write(block, rare, std::exchange(out, {}), body, *c);
      else if (n == c->stores[1]) ++c;
      else if (n != c->loads[0] && n != c->loads[1]) out.push_back(body[n]);
    }
    f_.blocks[block].body = std::move(out);
    f_.blocks[block].end = end;
  }

  mir::BlockId write(mir::BlockId before, bool rare, std::vector<Instruction> out, const std::vector<Instruction>& body,
                     const Copy& c) {
    const std::array<Instruction, 2> loads{body[c.loads[0]], body[c.loads[1]]},
        stores{body[c.stores[0]], body[c.stores[1]]};
    const mir::Loc loc = loads[0].loc;
    const auto append = [&](Opcode op, Operand dst, Operand a, Operand b) -> Instruction& {
      Instruction& i = out.emplace_back();
      i.loc = loc;
      i.op = op;
      i.dst = dst, i.a = a, i.b = b;
      return i;
    };
    const Operand both = f_.reg(f_.new_vreg(RegClass::R32));
    const mir::VReg off = f_.new_vreg(RegClass::P), any = f_.new_vreg(RegClass::P);
    append(Opcode::Lop, both, loads[0].a.word(0), stores[0].a.word(0))
        .set_field("op", static_cast<unsigned>(isa::LogicOp::Or));
    Instruction& test = append(Opcode::Isetp, {}, both, mir::imm(kWhole - 1));
    test.set_field("cmp", static_cast<unsigned>(isa::ICmp::Any));
    test.pd = off;
    Instruction& vote = append(Opcode::Vote, {}, {}, {});
    vote.set_field("mode", static_cast<unsigned>(isa::VoteMode::Any));
    vote.p = Pred{off, false};
    vote.pd = any;

    const auto block = [&](std::vector<Instruction> code, bool seldom) {
      mir::Block& b = f_.blocks.emplace_back();
      b.body = std::move(code);
      b.rare = seldom;
      return static_cast<mir::BlockId>(f_.blocks.size() - 1);
    };
    const Operand q = f_.reg(f_.new_vreg(RegClass::R128));
    const unsigned low = offset(loads[0]) < offset(loads[1]) ? 0 : 1;  // which of the two is the lower half
    std::vector<Instruction> whole;
    const auto access = [&](Instruction i) {
      (mir::is_load(i) ? i.dst : i.c) = q;
      i.set_field("size", static_cast<unsigned>(isa::MemSize::B128));
      whole.push_back(i);
    };
    access(loads[low]);
    access(stores[low]);
    for (const unsigned k : {0u, 1u}) {
      Instruction& i = whole.emplace_back();
      i.pseudo = mir::Pseudo::Copy;
      i.loc = loc;
      i.dst = loads[k].dst;
      i.a = q.pair(k == low ? 0 : 1);
    }
    const mir::BlockId after = block({}, rare), one = block(std::move(whole), rare),
                       two = block({loads[0], stores[0], loads[1], stores[1]}, true);
    mir::Terminator jump;
    jump.kind = mir::Terminator::Kind::Jump;
    jump.loc = loc;
    jump.targets = {after};
    f_.blocks[one].end = f_.blocks[two].end = jump;
    jump.kind = mir::Terminator::Kind::Branch;
    jump.uniform = true;
    jump.cond = Pred{any, false};
    jump.targets = {two, one};
    f_.blocks[before].body = std::move(out);
    f_.blocks[before].end = jump;
    return after;
  }

  mir::Function& f_;
  const mir::Units units_;
};

}  // namespace

unsigned join_copies(mir::Function& f, unsigned register_limit) {
  const auto has_halves = [](const mir::Block& b) {
    return std::count_if(b.body.begin(), b.body.end(), [](const Instruction& i) { return is_half(i); }) >= 4;
  };
  if (std::none_of(f.blocks.begin(), f.blocks.end(), has_halves)) return 0;
  if (max_pressure(f).registers + kRoom > register_limit) return 0;
  return Joiner(f).run();
}

}  // namespace heddle::compiler
