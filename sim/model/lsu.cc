// SPDX-License-Identifier: Apache-2.0
#include "sim/model/lsu.h"

#include <bit>
#include <cmath>

#include "host-runtime/device/contract.h"
#include "isa/mbarrier.h"
#include "sim/model/float.h"
#include "sim/model/float16.h"

namespace heddle::model {
namespace {

using isa::Opcode;

// Of f32 their sum; of two f16 or bf16 their sums, minima or maxima.
uint32_t float_atomic(isa::AtomOp op, isa::AtomType type, bool ftz, uint32_t a, uint32_t b) {
  if (type == isa::AtomType::F32) return f32_add(a, b, {.ftz = ftz});
  const bool bf16 = type == isa::AtomType::Bf16x2;
  const FloatFormat format = bf16 ? FloatFormat::Bf16 : FloatFormat::F16;
  const uint32_t one = bf16 ? 0x3f80 : 0x3c00;
  const auto half = [&](uint32_t x, uint32_t y) {
    x &= 0xffff, y &= 0xffff;
    if (op == isa::AtomOp::Add) return narrow_fma(format, x, one, y, {});
    const uint32_t wide = f32_minmax(f32_from_narrow(format, x, false, true), f32_from_narrow(format, y, false, true),
                                     op == isa::AtomOp::Max, false, false, false);
    return narrow_from_f32(format, wide, {});
  };
  return half(a, b) | half(a >> 16, b >> 16) << 16;
}

// Of f64. Global memory passes the operand's NaN as it is, else its own; shared memory its own, else the operand's,
// made quiet.
uint64_t sum64(bool shared, uint64_t old, uint64_t b) {
  const double x = std::bit_cast<double>(old), y = std::bit_cast<double>(b);
  if (std::isnan(x) && (shared || !std::isnan(y))) return shared ? f64_quiet(old) : old;
  if (std::isnan(y)) return shared ? f64_quiet(b) : b;
  if (std::isinf(x) && std::isinf(y) && x != y) return 0xfff8000000000000;
  return std::bit_cast<uint64_t>(x + y);
}

enum class Space : uint8_t { Global, Shared, Local, Const, Generic };

Space space_of(Opcode op) {
  switch (op) {
    case Opcode::Lds:
    case Opcode::Ldsm:
    case Opcode::Sts:
    case Opcode::Atoms: return Space::Shared;
    case Opcode::Ldl:
    case Opcode::Stl: return Space::Local;
    case Opcode::Ldc: return Space::Const;
    case Opcode::Ld:
    case Opcode::St:
    case Opcode::Atom: return Space::Generic;
    default: return Space::Global;
  }
}

uint32_t fault_space(Space s) {
  switch (s) {
    case Space::Shared: return contract::kFaultSpaceShared;
    case Space::Local: return contract::kFaultSpaceLocal;
    case Space::Const: return contract::kFaultSpaceConst;
    default: return contract::kFaultSpaceGlobal;
  }
}

const uint32_t* row(const Lanes& l, uint8_t r) { return r == isa::kRz ? kZeroRow.lane : l.rows[r].lane; }
const uint32_t* high_row(const Lanes& l, uint8_t r) { return r >= isa::kRz - 1 ? kZeroRow.lane : l.rows[r + 1].lane; }

// Where one lane's access lies.
struct Where {
  uint64_t address;
  bool in_range;
};

class Resolver {
 public:
  Resolver(const Decoded& d, const Lanes& l, uint32_t bytes) : launch_(*l.view->launch), view_(*l.view), bytes_(bytes) {
    if (d.op == Opcode::Ldc) constant_ = constant_bank(launch_, d.bank);
    local_ = launch_.local_base + (uint64_t{view_.sm} * view_.warps_per_sm + view_.slot) * launch_.local_bytes * kLanes;
  }

  Where global(uint64_t a) const {
    return {a, a >= contract::kMemoryBase && a < launch_.mem_end && launch_.mem_end - a >= bytes_};
  }
  Where shared(uint32_t a) const {
    const uint32_t block = a >> 24, o = a & 0xffffff;  // 0: the own one, else the cluster's of a rank
    uint64_t base = view_.shared_base;
    if (block) base += (uint64_t{block} - 1 - view_.rank) * launch_.shared_bytes;  // modulo 2^64
    return {base + o, block <= launch_.cluster_blocks() && inside(o, launch_.shared_bytes)};
  }
  Where constant(uint32_t o) const { return {constant_.base + o, inside(o, constant_.limit)}; }
  Where local(uint32_t o, uint32_t lane) const {
    return {local_ + uint64_t{o & ~15u} * kLanes + lane * 16 + ((o & 15) ^ (lane & 8)), inside(o, launch_.local_bytes)};
  }

 private:
  bool inside(uint64_t offset, uint64_t limit) const { return offset + bytes_ <= limit; }

  const Launch& launch_;
  const WarpView& view_;
  ConstantBank constant_;
  uint64_t local_;
  uint32_t bytes_;
};

}  // namespace

MemoryClass memory_class(Opcode op) {
  switch (op) {
    case Opcode::Ldg:
    case Opcode::Lds:
    case Opcode::Ldsm:
    case Opcode::Ldl:
    case Opcode::Ld:
    case Opcode::Ldc: return MemoryClass::Load;
    case Opcode::Stg:
    case Opcode::Sts:
    case Opcode::Stl:
    case Opcode::St: return MemoryClass::Store;
    case Opcode::Atomg:
    case Opcode::Atoms:
    case Opcode::Atom: return MemoryClass::Atomic;
    case Opcode::Ldgsts: return MemoryClass::Copy;
    default: return MemoryClass::Other;
  }
}

Mask matrix_lanes(const Decoded& d) { return d.rows == 4 ? kAllLanes : (Mask{1} << 8 * d.rows) - 1; }

ConstantBank constant_bank(const Launch& launch, unsigned bank) {
  switch (bank) {
    case 0: return {launch.param_base, launch.param_bytes};
    case 1: return {launch.const_base, 0x10000};
    default: return {};
  }
}

bool resolve(const Decoded& d, const Lanes& l, Access& access, FaultInfo& fault) {
  const MemoryClass cls = memory_class(d.op);
  access.shape = memory_shape(
      static_cast<isa::MemSize>(cls == MemoryClass::Atomic ? d.get(field::Atomic_size) : d.get(field::Memory_size)));
  access.mask = l.mask;
  if (d.op == Opcode::Ldsm) {  // a lane's access is a row of a matrix
    access.shape = memory_shape(isa::MemSize::B128);
    access.mask &= matrix_lanes(d);
  }
  access.shared = access.halves = 0;
  const Space space = space_of(d.op);
  const bool wide = space == Space::Global || space == Space::Generic;
  const uint32_t* low = row(l, d.ra);
  const uint32_t* high = wide ? high_row(l, d.ra) : kZeroRow.lane;
  // Atomics have no offset; LDC's is unsigned.
  const uint64_t offset = cls == MemoryClass::Atomic ? 0
                          : space == Space::Const    ? d.imm
                                                     : static_cast<uint64_t>(int64_t{static_cast<int32_t>(d.imm)});
  const uint64_t limit = wide ? ~uint64_t{0} : 0xffffffffu;
  for (int i = 0; i < kLanes; i++) access.address[i] = ((low[i] | uint64_t{high[i]} << 32) + offset) & limit;

  const uint32_t bytes = access.shape.bytes;
  if (space == Space::Global && cls != MemoryClass::Copy) {  // the common case, all lanes at once
    const uint64_t first = contract::kMemoryBase, last = l.view->launch->mem_end - bytes;
    uint64_t bad = 0;
    for (int i = 0; i < kLanes; i++) {
      const uint64_t a = access.address[i];
      const uint64_t wrong = (a & (bytes - 1)) | uint64_t{a < first} | uint64_t{a > last};
      bad |= (l.mask >> i & 1) ? wrong : 0;
    }
    if (bad == 0) return true;
  }
  const Resolver resolver(d, l, bytes);
  for (Mask left = access.mask; left; left &= left - 1) {
    const int i = std::countr_zero(left);
    const uint64_t a = access.address[i];
    Space s = space;
    if (space == Space::Generic) {
      s = a >> 32 == isa::kSharedWindow ? Space::Shared : a >> 32 == isa::kLocalWindow ? Space::Local : Space::Global;
    }
    const auto o = static_cast<uint32_t>(a);
    const Where where = s == Space::Shared  ? resolver.shared(o)
                        : s == Space::Local ? resolver.local(o, static_cast<uint32_t>(i))
                        : s == Space::Const ? resolver.constant(o)
                                            : resolver.global(a);
    const bool aligned = (a & (bytes - 1)) == 0;
    if (!aligned || !where.in_range) {
      fault.kind = aligned ? contract::kFaultIllegalAddress : contract::kFaultMisaligned;
      fault.code = fault_space(s);
      if (cls == MemoryClass::Store) fault.code |= contract::kFaultWrite;
      if (cls == MemoryClass::Atomic) fault.code |= contract::kFaultAtomic;
      fault.lane = static_cast<uint32_t>(i);
      fault.address = a;
      return false;
    }
    access.address[i] = where.address;
    if (s == Space::Local && bytes == 16 && i & 8) {
      access.address[i] -= 8;
      access.halves |= 1u << i;
    }
    if (cls == MemoryClass::Copy) {
      const uint32_t to = row(l, d.rc)[i];
      const Where stored = resolver.shared(to);
      const bool in_line = (to & (bytes - 1)) == 0;
      if (!in_line || !stored.in_range) {
        fault.kind = in_line ? contract::kFaultIllegalAddress : contract::kFaultMisaligned;
        fault.code = contract::kFaultSpaceShared | contract::kFaultWrite;
        fault.lane = static_cast<uint32_t>(i);
        fault.address = to;
        return false;
      }
      access.copied_to[i] = static_cast<uint32_t>(stored.address);
    }
    if (s == Space::Shared) access.shared |= 1u << i;
  }
  return true;
}

uint64_t atomic(isa::AtomOp op, isa::AtomType type, bool wide, bool shared, uint64_t old, uint64_t b, uint64_t c) {
  if (type == isa::AtomType::F64) return sum64(shared, old, b);
  if (type > isa::AtomType::S)
    return float_atomic(op, type, !shared, static_cast<uint32_t>(old), static_cast<uint32_t>(b));
  const uint64_t flip = type == isa::AtomType::S ? uint64_t{1} << (wide ? 63 : 31) : 0;  // signed order
  switch (op) {
    case isa::AtomOp::Add: return old + b;
    case isa::AtomOp::Min: return (b ^ flip) < (old ^ flip) ? b : old;
    case isa::AtomOp::Max: return (b ^ flip) > (old ^ flip) ? b : old;
    case isa::AtomOp::Inc: return old >= b ? 0 : old + 1;
    case isa::AtomOp::Dec: return old == 0 || old > b ? b : old - 1;
    case isa::AtomOp::And: return old & b;
    case isa::AtomOp::Or: return old | b;
    case isa::AtomOp::Xor: return old ^ b;
    case isa::AtomOp::Exch: return b;
    case isa::AtomOp::Cas: return old == b ? c : old;
    case isa::AtomOp::Arrive: return isa::mbarrier_arrive(old, b);
  }
  return old;
}

}  // namespace heddle::model
