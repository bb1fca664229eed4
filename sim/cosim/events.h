// SPDX-License-Identifier: Apache-2.0
// What the lockstep checker is told: plain structs that mirror rtl/pkg/trace_pkg.sv field by field,
// and the frame around them (kernels, blocks, faults). Whoever simulates the hardware fills them,
// in the order in which things happened; within one cycle: BlockStart, L2, L1, Load, SharedStore,
// Retire, Issue, Fault, BlockEnd. Lane l is bit l of a mask and element l of a row.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

namespace heddle::cosim {

using Row = std::array<uint32_t, 32>;    // a register of a warp: one word a lane
using Sector = std::array<uint32_t, 8>;  // 32 bytes, the lowest address in the low byte of word 0
using Mask = uint32_t;                   // one bit a lane

// trace_pkg::issue_t
struct Issue {
  uint8_t sm;
  uint8_t warp;  // warp slot in the SM
  uint16_t seq;  // the warp's instructions from 0 at block start
  uint32_t pc;
  Mask active;  // the running split, before the guard
};

// trace_pkg::retire_t with its sm_pkg::tag_t
struct Retire {
  uint8_t sm;
  uint8_t warp;
  uint16_t seq;
  uint8_t rd;
  uint8_t pd, pq;  // 7: none
  bool row_we;     // row was written to rd + index for lanes of mask
  uint8_t index;
  bool p_we;  // p was written to pd, q to pq for lanes of mask
  bool last;
  Mask mask;  // lanes that execute: active and guard holds
  Mask p, q;
  alignas(32) Row row;
};

enum class LoadSource : uint8_t { Shared, L1, Fill, Const };

// trace_pkg::load_t: lanes whose bytes were read now
struct Load {
  uint8_t sm;
  LoadSource source;
  uint16_t id;  // Fill: of sector 0 of the line
  uint8_t warp;
  uint16_t seq;
  Mask lanes;
};

// trace_pkg::shared_t that stores
struct SharedStore {
  uint8_t sm;
  uint8_t warp;
  uint16_t seq;
  Mask lanes;
};

enum class L1Kind : uint8_t { Fill, Write, Evict, InvalidateAll };

// trace_pkg::l1_t
struct L1 {
  uint8_t sm;
  L1Kind kind;
  bool installed;
  uint16_t id;
  uint64_t sector;  // address / 32
  uint32_t mask;    // bytes
  alignas(32) Sector data;
};

// Reduce: an atomic whose old value goes to nobody.
enum class RequestKind : uint8_t { Read, Write, Atomic, Reduce };

// trace_pkg::l2_t with its mem_pkg::req_t
struct L2 {
  uint8_t client;  // SM number; the copy engine is number Sms
  RequestKind kind;
  uint16_t id;
  bool wide;          // atomic: words of 64 bits
  uint8_t offset;     // atomic: byte in the sector, of its first word
  uint8_t atom_op;    // isa::AtomOp
  uint8_t atom_type;  // isa::AtomType
  uint8_t warp;
  uint16_t seq;
  uint8_t lane;
  uint32_t mask;  // write: bytes; atomic: those of its words, each with its operand in place, or none: one word at the
                  // offset
  uint64_t sector;
  alignas(32) Sector old;   // atomic: the sector, or the word, before it
  alignas(32) Sector data;  // write, atomic: the request's data; read: what was read
};

// gpu_pkg::kernel_t and the settings that instructions see; before the kernel's first block.
struct KernelStart {
  uint32_t entry_pc;
  uint32_t registers;
  uint32_t shared_bytes, dynamic_shared, local_bytes;
  uint32_t grid[3], block[3];
  uint64_t param_base;
  uint32_t param_bytes;
  uint64_t const_base, local_base;
  uint32_t envreg0, envreg1, grid_id;
  uint64_t code_base;
  uint32_t code_size;
  uint8_t cluster[3];  // blocks; of a launch that did not ask for clusters 1
  bool clusters;       // it did
  uint64_t mem_end;    // first address past device memory
};

// After the last event of a kernel; status is a contract::kStatus value. Ok asks for conservation:
// every store visible once, every instruction complete, every lane ended.
struct KernelEnd {
  uint32_t status;
};

// gpu_pkg::block_t as an SM takes it
struct BlockStart {
  uint8_t sm;
  uint8_t slot;
  uint8_t first_warp;
  uint32_t shared_base;
  uint32_t ctaid[3];
};

struct BlockEnd {
  uint8_t sm;
  uint8_t slot;
};

// gpu_pkg::fault_t as the device records it
struct Fault {
  uint8_t sm;
  uint8_t warp;
  uint16_t thread;  // linear index in the block
  uint32_t kind;    // contract::kFault…
  uint32_t code;
  uint32_t pc;
  uint64_t address;
  uint32_t ctaid[3];
};

// The host stores a word in a register of the device (contract.def).
struct RegisterWrite {
  uint32_t offset, value;
};

// Host memory's answer to a read; a write that it takes. 32 bytes, aligned.
struct HostRead {
  uint64_t address;
  bool error;  // refused: no data
  alignas(32) Sector data;
};
struct HostWrite {
  uint64_t address;
  uint32_t mask;  // bytes
  alignas(32) Sector data;
};

// The host is about to write a sector through its window on device memory.
struct WindowWrite {
  uint64_t sector;
  uint32_t mask;  // bytes
  alignas(32) Sector data;
};

// Device memory is set from outside, by no access of the device: bytes [first, first + count) of a sector.
struct MemoryLoad {
  uint64_t sector;
  uint32_t first, count;
  alignas(32) Sector data;
};

enum class EventKind : uint8_t {
  KernelStart,
  KernelEnd,
  BlockStart,
  BlockEnd,
  Issue,
  Retire,
  Load,
  SharedStore,
  L1,
  L2,
  Fault,
  RegisterWrite,
  HostRead,
  HostWrite,
  WindowWrite,
  MemoryLoad,
};

// One event; copyable bytes, so that it crosses threads in a ring buffer.
struct alignas(64) Event {
  EventKind kind;
  uint64_t cycle;  // for messages
  union {
    KernelStart kernel_start;
    KernelEnd kernel_end;
    BlockStart block_start;
    BlockEnd block_end;
    Issue issue;
    Retire retire;
    Load load;
    SharedStore shared_store;
    L1 l1;
    L2 l2;
    Fault fault;
    RegisterWrite register_write;
    HostRead host_read;
    HostWrite host_write;
    WindowWrite window_write;
    MemoryLoad memory_load;
  };

  Event() : kind(EventKind::KernelEnd), cycle(0), kernel_end{} {}
  explicit Event(const KernelStart& e, uint64_t at = 0) : kind(EventKind::KernelStart), cycle(at), kernel_start(e) {}
  explicit Event(const KernelEnd& e, uint64_t at = 0) : kind(EventKind::KernelEnd), cycle(at), kernel_end(e) {}
  explicit Event(const BlockStart& e, uint64_t at = 0) : kind(EventKind::BlockStart), cycle(at), block_start(e) {}
  explicit Event(const BlockEnd& e, uint64_t at = 0) : kind(EventKind::BlockEnd), cycle(at), block_end(e) {}
  explicit Event(const Issue& e, uint64_t at = 0) : kind(EventKind::Issue), cycle(at), issue(e) {}
  explicit Event(const Retire& e, uint64_t at = 0) : kind(EventKind::Retire), cycle(at), retire(e) {}
  explicit Event(const Load& e, uint64_t at = 0) : kind(EventKind::Load), cycle(at), load(e) {}
  explicit Event(const SharedStore& e, uint64_t at = 0) : kind(EventKind::SharedStore), cycle(at), shared_store(e) {}
  explicit Event(const L1& e, uint64_t at = 0) : kind(EventKind::L1), cycle(at), l1(e) {}
  explicit Event(const L2& e, uint64_t at = 0) : kind(EventKind::L2), cycle(at), l2(e) {}
  explicit Event(const Fault& e, uint64_t at = 0) : kind(EventKind::Fault), cycle(at), fault(e) {}
  explicit Event(const RegisterWrite& e, uint64_t at = 0)
      : kind(EventKind::RegisterWrite), cycle(at), register_write(e) {}
  explicit Event(const HostRead& e, uint64_t at = 0) : kind(EventKind::HostRead), cycle(at), host_read(e) {}
  explicit Event(const HostWrite& e, uint64_t at = 0) : kind(EventKind::HostWrite), cycle(at), host_write(e) {}
  explicit Event(const WindowWrite& e, uint64_t at = 0) : kind(EventKind::WindowWrite), cycle(at), window_write(e) {}
  explicit Event(const MemoryLoad& e, uint64_t at = 0) : kind(EventKind::MemoryLoad), cycle(at), memory_load(e) {}
};
static_assert(std::is_trivially_copyable_v<Event>);

}  // namespace heddle::cosim
