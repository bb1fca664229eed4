// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/random/execute.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <string_view>

#include "tests/compiler/random/compute.h"
#include "tests/compiler/random/numbers.h"
#include "tests/compiler/random/operations.h"

namespace heddle::compiler::test {
namespace {

uint64_t load(const uint8_t* from, unsigned bytes) {
  uint64_t v = 0;
  std::memcpy(&v, from, bytes);
  return v;
}

// Of a slice, by the access's own index.
unsigned place(const Instruction& i, const State& s, unsigned bytes) {
  const auto index = static_cast<unsigned>(s.read(File::W, i.a));
  return (index & (kSliceBytes / 2 - 1) & ~(bytes - 1)) + (i.type == Type::F32 ? kSliceBytes / 2 : 0);
}

// Where a load of so many bytes reads.
const uint8_t* source(const Instruction& i, State& s, const Memory& memory, unsigned size) {
  static const auto kConstants = [] {
    std::array<uint64_t, kConstWords> words;
    for (unsigned n = 0; n < kConstWords; n++) words[n] = constant_word(n);
    return words;
  }();
  const auto index = static_cast<unsigned>(s.read(File::W, i.a));
  if (i.space == Space::Input)
    return reinterpret_cast<const uint8_t*>(memory.input.data()) + (index & (kInputWords * 8 - 1) & ~(size - 1));
  if (i.space == Space::Const)
    return reinterpret_cast<const uint8_t*>(kConstants.data()) + (index & (kConstWords * 8 - 1) & ~(size - 1));
  return s.slice(i.space).bytes + place(i, s, size);
}

// Of 128 bits.
struct Wide {
  uint64_t low, high;
  bool operator==(const Wide&) const = default;
};
Wide wide(State& s, const Value& v) {
  const uint64_t* words = &s.reg(File::X, v.reg);
  return {words[0], words[1]};
}
void execute_wide(const Instruction& i, State& s, const Memory& memory) {
  if (i.op == Op::Unpack) {
    const Wide from = wide(s, i.a);
    if (i.variant != 1) s.reg(File::D, i.dst) = from.low;
    if (i.variant != 2) s.reg(File::D, i.dst2) = from.high;
    return;
  }
  Wide result = {};
  if (i.op == Op::Mov) {
    result = wide(s, i.a);
  } else if (i.op == Op::Pack) {
    result = {s.read(File::D, i.a), s.read(File::D, i.b)};
  } else if (i.op == Op::Load) {
    std::memcpy(&result, source(i, s, memory, sizeof(Wide)), sizeof(Wide));
  } else {
    uint8_t* at = s.slice(i.space).bytes + place(i, s, sizeof(Wide));
    const bool swaps = i.op == Op::Atom && static_cast<Atomic>(i.extra) == Atomic::Cas;
    const Wide b = wide(s, i.b), now = swaps ? wide(s, i.c) : b;
    std::memcpy(&result, at, sizeof(Wide));
    if (!swaps || result == b) std::memcpy(at, &now, sizeof(Wide));
    if (i.op == Op::Store) return;
  }
  uint64_t* to = &s.reg(File::X, i.dst);
  to[0] = result.low, to[1] = result.high;
}

void copy(const Instruction& i, State& s, const Memory& memory) {
  const unsigned bytes = bits_of(i.type) / 8 * i.words;
  const auto asked = static_cast<unsigned>(s.read(File::W, i.b)) & (2 * bytes - 1);
  const unsigned copied = i.extra == 0           ? bytes
                          : i.extra == 1         ? std::min(asked, bytes)
                          : s.holds(i.predicate) ? 0
                                                 : bytes;
  uint8_t* to = s.shared.bytes + (i.c.bits & (kSliceBytes / 2 - 1) & ~(bytes - 1));
  std::memset(to, 0, bytes);
  std::memcpy(to, source(i, s, memory, bytes), copied);
}

void access(const Instruction& i, State& s, Memory& memory) {
  const unsigned bytes = bits_of(i.type) / 8, size = bytes * i.words;
  const File file = file_of(i.to);
  const unsigned count = kRegisters[static_cast<int>(file)];
  if (i.op == Op::Store) {
    uint8_t* to = s.slice(i.space).bytes + place(i, s, size);
    for (unsigned n = 0; n < i.words; n++) std::memcpy(to + n * bytes, &s.reg(file, (i.b.reg + n) % count), bytes);
    return;
  }
  const uint8_t* from = source(i, s, memory, size);
  uint64_t words[8];
  for (unsigned n = 0; n < i.words; n++) words[n] = load(from + n * bytes, bytes);
  for (unsigned n = 0; n < i.words; n++) {
    const uint64_t v = is_signed(i.type) ? static_cast<uint64_t>(extend(words[n], 8 * bytes)) : words[n];
    s.reg(file, (i.dst + n) % count) = v & mask(8 * bytes_of(file));
  }
}

// As silicon adds: in global memory the operand's NaN comes out before memory's, as it is; in shared memory memory's
// before the operand's, made quiet.
uint64_t sum64(uint64_t old, uint64_t b, bool shared) {
  const uint64_t quiet = shared ? uint64_t{1} << 51 : 0;
  const auto is_nan = [](uint64_t v) { return std::isnan(decode(Format::F64, v)); };
  if (is_nan(old) && (shared || !is_nan(b))) return old | quiet;
  if (is_nan(b)) return b | quiet;
  const uint64_t r = sum(Format::F64, old, b, {});
  return std::isnan(decode(Format::F64, r)) ? 0xfff8000000000000 : r;
}

// Of floating-point numbers. f32 is flushed in global memory, not in shared memory.
uint64_t atomic_sum(Atomic op, Type type, bool shared, uint64_t old, uint64_t b) {
  if (op == Atomic::AddF) return type == Type::F32 ? sum(Format::F32, old, b, {.ftz = !shared}) : sum64(old, b, shared);
  uint64_t now = 0;
  for (unsigned k = 0; k < bits_of(type); k += 16)
    now |= sum(op == Atomic::AddF16 ? Format::F16 : Format::Bf16, old >> k & 0xffff, b >> k & 0xffff, {}) << k;
  return now;
}

void atomic(const Instruction& i, State& s) {
  const auto op = static_cast<Atomic>(i.extra);
  const unsigned bytes = bits_of(i.type) / 8;
  const File file = file_of(i.type);
  const unsigned count = kRegisters[static_cast<int>(file)];
  const Slice slice = s.slice(i.space);
  uint8_t* at = slice.bytes + place(i, s, bytes * i.words);
  const uint64_t c = s.read(file, i.c);
  uint64_t old[4] = {};
  for (unsigned n = 0; n < i.words; n++) {
    Value data = i.b;
    data.reg = (data.reg + n) % count;
    old[n] = load(at + n * bytes, bytes);
    const uint64_t b = s.read(file, data);
    const uint64_t now = op >= Atomic::AddF ? atomic_sum(op, i.type, slice.space == Space::Shared, old[n], b)
                                            : apply(op, i.type, old[n], b, c);
    std::memcpy(at + n * bytes, &now, bytes);
  }
  for (unsigned n = 0; n < i.words && i.dst2 == 0; n++) s.reg(file, (i.dst + n) % count) = old[n];
}

void add_to_sum(const Instruction& i, const State& s, Memory& memory) {
  const SumKind& kind = kSums[i.extra];
  const uint64_t bits = s.read(File::W, i.a);
  for (unsigned n = 0; n < kind.elements; n++) {
    uint64_t& element = memory.sums[i.space == Space::Global][i.extra][n];
    element = atomic_sum(kind.op, kind.type, i.space == Space::Shared, element, bits >> n & 1 ? kind.step : 0);
  }
}

uint64_t special(unsigned which, const State& s) {
  const unsigned lane = s.thread & 31;
  const uint64_t eq = uint64_t{1} << lane;
  switch (which) {
    case 0: return s.thread;
    case 1: return kThreads;
    case 2: return lane;
    case 3: return eq;
    case 4: return eq - 1;
    case 5: return 2 * eq - 1;
    case 6: return mask(32) & ~(2 * eq - 1);
    case 7: return mask(32) & ~(eq - 1);
    case 8: return 0;   // tid.y
    default: return 1;  // questions whose answer is yes
  }
}

double operand(char letter, uint64_t v) {
  return decode(letter == 'e' || letter == 'E' ? Format::F64 : letter == 'H' ? Format::F16 : Format::F32, v);
}

void approximate(const Instruction& i, State& s) {
  const Approximation& a = approximations()[i.extra];
  const double x = operand(a.files[1], s.read(file_of(a.files[1]), i.a));
  const double y = a.files.size() > 2 ? operand(a.files[2], s.read(file_of(a.files[2]), i.b)) : 0;
  const double exact = a.exact(x, y), bound = a.bound(x, y, exact);
  s.reg(File::A, i.dst) = encode(Format::F32, exact);
  s.bounds[i.dst] = std::isnan(bound) ? 0 : bound;
}

void apply_table(const Instruction& i, State& s) {
  const Operation& operation = operations()[i.extra];
  const Value* const sources[] = {&i.a, &i.b, &i.c};
  uint64_t v[3] = {};
  for (size_t k = 1; k < operation.files.size(); k++) v[k - 1] = s.read(file_of(operation.files[k]), *sources[k - 1]);
  uint64_t result = operation.compute(v[0], v[1], v[2]);
  if (operation.files[0] == 'e' && std::isnan(decode(Format::F64, result))) result = 0x7ff8000000000000;
  s.reg(file_of(operation.files[0]), i.dst) = result;
}

bool set_predicate(const Instruction& i, State& s) {
  uint64_t* predicates = s.files[static_cast<int>(File::P)];
  const File file = file_of(i.type);
  switch (i.op) {
    case Op::Setp: predicates[i.dst] = compare(i.type, i.compare, s.read(file, i.a), s.read(file, i.b)); return true;
    case Op::SetpAnd: {
      const bool r = compare(i.type, i.compare, s.read(file, i.a), s.read(file, i.b)), with = s.holds(i.predicate);
      const auto join = [&](bool x) { return i.extra == 0 ? x && with : i.extra == 1 ? x || with : x != with; };
      predicates[i.dst] = join(r);
      if (i.extra != 2) predicates[i.dst2] = join(!r);
      return true;
    }
    case Op::PAnd: predicates[i.dst] = predicates[i.predicate.reg] & predicates[i.extra]; return true;
    case Op::PXor: predicates[i.dst] = predicates[i.predicate.reg] ^ predicates[i.extra]; return true;
    case Op::PNot: predicates[i.dst] = predicates[i.predicate.reg] ^ 1; return true;
    default: return false;
  }
}

}  // namespace

Memory::Memory(const std::vector<uint64_t>& in)
    : input(in), shared(kThreads * kSliceBytes), global(kThreads * kSliceBytes) {
  for (auto& space : cells)
    for (unsigned n = 0; n < kCellCount; n++) space[n] = kCells[n].first;
}

void execute(const Instruction& i, State& s, Memory& memory) {
  if (!s.holds(i.guard) || set_predicate(i, s)) return;
  if (i.type == Type::B128 || i.op == Op::Pack || i.op == Op::Unpack) return execute_wide(i, s, memory);
  const File file = file_of(i.type);
  switch (i.op) {
    case Op::Table: return apply_table(i, s);
    case Op::Approx: return approximate(i, s);
    case Op::Special: s.reg(File::W, i.dst) = special(i.extra, s); return;
    case Op::Fence:
    case Op::Prefetch: return;
    case Op::IsSpace: s.reg(File::P, i.dst) = s.slice(i.space).space == static_cast<Space>(i.extra); return;
    case Op::Sum: return add_to_sum(i, s, memory);
    case Op::Load:
    case Op::Store: return access(i, s, memory);
    case Op::Copy: return copy(i, s, memory);
    case Op::Atom: return atomic(i, s);
    case Op::Cell: {
      const CellKind& kind = kCells[i.extra];
      uint64_t& cell = memory.cells[i.space == Space::Global][i.extra];
      const bool bound = kind.op == Atomic::Inc || kind.op == Atomic::Dec;
      cell = apply(kind.op, kind.type, cell, bound ? kCellBound : s.read(file, i.b), 0);
      return;
    }
    default: break;
  }
  const bool counts = i.op == Op::Shl || i.op == Op::Shr;
  const uint64_t a = s.read(file, i.a), b = s.read(counts || i.op == Op::Bfe ? File::W : file, i.b);
  File third = file;
  if (i.op == Op::Bfe) third = File::W;
  if (i.op == Op::MadWide) third = bits_of(i.type) == 16 ? File::W : File::D;
  const uint64_t c = s.read(third, i.c);
  if (i.op == Op::AddCarry) {
    s.reg(File::W, i.dst) = (a + b) & mask(32);
    s.reg(File::W, (i.dst + 1) % kRegisters[1]) = (c + a + ((a + b) >> 32)) & mask(32);
    return;
  }
  File to = file;
  if (i.op == Op::Cvt) to = file_of(i.to);
  if (i.op == Op::Popc || i.op == Op::Clz) to = File::W;
  if (i.op == Op::MulWide || i.op == Op::MadWide) to = bits_of(i.type) == 16 ? File::W : File::D;
  s.reg(to, i.dst) =
      compute(i, a, b, c, i.predicate.reg >= 0 && s.reg(File::P, static_cast<unsigned>(i.predicate.reg)));
}

void execute_by_block(const Instruction& i, std::vector<State>& threads, const Memory& memory) {
  unsigned count = 0;
  for (const State& s : threads) count += s.holds(i.predicate);
  for (State& s : threads) {
    if (i.op == Op::BarrierReduce) {
      if (i.extra == 0) s.reg(File::W, i.dst) = count;
      else s.reg(File::P, i.dst) = i.extra == 1 ? count == kThreads : count > 0;
    } else if (i.op == Op::LoadCell) {
      s.reg(file_of(kCells[i.extra].type), i.dst) = memory.cells[i.space == Space::Global][i.extra];
    } else if (i.op == Op::LoadSum) {
      const unsigned kind = i.extra & 255;
      s.reg(file_of(kSums[kind].type), i.dst) = memory.sums[i.space == Space::Global][kind][i.extra >> 8];
    } else {
      const unsigned bytes = bits_of(i.type) / 8, other = (s.thread + i.extra) % kThreads;
      const auto& before = i.space == Space::Global ? memory.global_before : memory.shared_before;
      s.reg(file_of(i.type), i.dst) = load(&before[other * kSliceBytes + place(i, s, bytes)], bytes);
    }
  }
}

// ---- by lanes of a warp
// ------------------------------------------------------------------------------------------------

namespace {

uint64_t reduce(unsigned how, uint64_t r, uint64_t v) {
  const bool less = extend(v, 32) < extend(r, 32);
  switch (how) {
    case 0: return (r + v) & mask(32);
    case 1: return std::min(r, v);
    case 2: return std::max(r, v);
    case 3: return less ? v : r;
    case 4: return less ? r : v;
    case 5: return r & v;
    case 6: return r ^ v;
    default: return r | v;
  }
}

}  // namespace

void execute_by_warp(const Instruction& i, State* warp, uint32_t members) {
  struct Result {
    uint64_t d = 0;
    bool p = false;
  } results[32];
  const auto is_member = [&](unsigned l) { return (members >> l & 1) != 0; };
  const File file = file_of(i.type);
  const auto value = [&](unsigned l) { return warp[l].read(file, i.a); };
  uint64_t ballot = 0, total = 0;
  unsigned first = 32;
  for (unsigned l = 32; l-- > 0;) {
    if (!is_member(l)) continue;
    ballot |= uint64_t{warp[l].holds(i.predicate)} << l;
    total = first == 32 ? value(l) : reduce(i.extra, total, value(l));
    first = l;
  }
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!is_member(lane)) continue;
    Result& r = results[lane];
    uint64_t same = 0;
    for (unsigned l = 0; l < 32; l++) same |= uint64_t{is_member(l) && value(l) == value(lane)} << l;
    switch (i.op) {
      case Op::Shuffle: {
        const unsigned segment = ~((1u << (i.extra >> 4)) - 1) & 31,
                       by = static_cast<unsigned>(warp[lane].read(File::W, i.b)) & 31;
        const unsigned mode = i.extra & 3, clamp = mode == 1 ? 0 : 31, bound = (lane & segment) | (clamp & ~segment);
        unsigned from = 0;
        switch (mode) {
          case 0: from = (lane & segment) | (by & ~segment); break;
          case 1: from = lane - by; break;
          case 2: from = lane + by; break;
          default: from = lane ^ by; break;
        }
        r.p = mode == 1 ? static_cast<int>(from) >= static_cast<int>(bound) : from <= bound;
        if (!r.p) from = lane;
        r.d = is_member(from) ? value(from) : 0;  // as silicon does; PTX leaves it open
        break;
      }
      case Op::Vote:
        r.p = i.extra == 0 ? ballot == members : i.extra == 1 ? ballot != 0 : ballot == 0 || ballot == members;
        break;
      case Op::Ballot: r.d = ballot; break;
      case Op::Match: r.d = same; break;
      case Op::MatchAll: r.p = same == members, r.d = r.p ? members : 0; break;
      case Op::Elect: r.d = first, r.p = lane == first; break;
      default: r.d = total; break;
    }
  }
  for (unsigned lane = 0; lane < 32; lane++) {
    if (!is_member(lane)) continue;
    if (i.op != Op::Vote) warp[lane].reg(File::W, i.dst) = results[lane].d;
    if (i.op == Op::Vote || i.op == Op::Shuffle || i.op == Op::MatchAll || i.op == Op::Elect)
      warp[lane].reg(File::P, i.dst2) = results[lane].p;
  }
}

}  // namespace heddle::compiler::test
