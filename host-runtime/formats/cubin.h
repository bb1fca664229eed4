// SPDX-License-Identifier: Apache-2.0
// A compiled module: machine code, kernels and what launching them needs, variables with initial contents, relocations,
// source lines. Kept in an ELF64 file (e_machine 190) that tools for ELF can list.
//
// Loading: the driver chooses a place in the code segment (byte offset, multiple of kCodeAlign), a device address for
// the global segment and one for the constant segment, calls link(), and copies the three images there.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heddle/result.h"
#include "isa/isa.h"

namespace heddle::formats {

inline constexpr uint32_t kCodeAlign = 128;
// The symbol, of no module, for the device address of the parameters of the kernel that runs (constant bank 0).
inline constexpr const char* kParameterBlock = "$parameters";
// Likewise that of the runtime block (firmware/devrt/runtime_block.h).
inline constexpr const char* kRuntimeBlock = "$runtime";
// And of the locks that atomics of 128 bits take, words that are zero at first: the context's, for two modules may
// change one address.
inline constexpr const char* kWideLocks = "$wide_locks";
inline constexpr uint32_t kWideLockCount = 64;  // a power of two
// Codes of TRAP: the PTX instruction trap; a call through a pointer that is no function's.
inline constexpr uint32_t kTrap = 0;
inline constexpr uint32_t kTrapBadCall = 1;

struct CubinParam {
  std::string name;
  uint32_t offset = 0;  // bytes in constant bank 0
  uint32_t size = 0;
};

struct CubinKernel {
  std::string name;
  uint32_t entry = 0;  // byte offset in code
  uint32_t bytes = 0;
  uint32_t registers = 0;       // a thread, callees included
  uint32_t shared_bytes = 0;    // static; dynamic shared memory begins there
  uint32_t local_bytes = 0;     // a thread, callees included as far as known; multiple of 16
  bool needs_stack = false;     // recursion, indirect calls or alloca: add the stack limit to local_bytes
  bool dynamic_shared = false;  // has an extern .shared variable
  uint32_t param_bytes = 0;
  uint32_t barriers = 0;                     // block barriers used (16 when chosen at run time)
  uint32_t max_threads[3] = {0, 0, 0};       // .maxntid; 0: not given
  uint32_t required_threads[3] = {0, 0, 0};  // .reqntid
  uint32_t required_cluster[3] = {0, 0, 0};  // .reqnctapercluster
  bool explicit_cluster = false;             // .explicitcluster: launched in clusters only
  uint32_t max_cluster_blocks = 0;           // .maxclusterrank; 0: not given
  uint32_t min_blocks_per_sm = 0;
  uint32_t spill_stores = 0, spill_loads = 0;  // bytes, static count
  std::vector<CubinParam> params;
};

// A device function, for disassembly and profiles.
struct CubinFunction {
  std::string name;
  uint32_t entry = 0;
  uint32_t bytes = 0;
};

enum class Segment : uint8_t { Code, Global, Const };

struct CubinVariable {
  std::string name;
  Segment segment = Segment::Global;
  bool visible = false;
  bool managed = false;
  uint64_t offset = 0;  // in its segment
  uint64_t size = 0;
  uint32_t align = 1;
};

struct CubinReloc {
  // Lo32, Hi32: halves of the target's address; Abs: all of it, shifted right and cut to `size` bytes (data only).
  enum class Kind : uint8_t { Lo32, Hi32, Abs };
  Segment where = Segment::Code;
  uint64_t offset = 0;  // in the segment; in code: of the instruction, whose imm32 it is
  Kind kind = Kind::Lo32;
  uint8_t size = 4;  // 1, 2, 4 or 8
  uint8_t shift = 0;
  bool space = false;  // the offset within the target's segment instead of its address
  // The target: a place in a segment, or a symbol of another module (name not empty).
  Segment target = Segment::Global;
  uint64_t value = 0;
  std::string name{};
  int64_t addend = 0;
};

// The instruction at `pc` and those up to the next entry come from this line. line 0: no source.
struct CubinLine {
  uint32_t pc = 0;
  uint32_t file = 0;  // index into files
  uint32_t line = 0;
};

// A PTX statement from which instructions come; what the compiler added belongs to those around it.
struct CubinStatement {
  uint32_t module = 0;  // of those that were compiled together
  uint32_t line = 0;
  std::string text;
};

struct CubinSection {  // debug information, as it was in the PTX
  std::string name;
  std::vector<uint8_t> bytes;
};

// A PTX module. A file for the device linker holds one and no code; a linked program keeps those it was made of, for
// machines that lack a unit or registers that its code uses.
struct CubinSource {
  std::string name;  // as diagnostics print it
  std::string text;
};

struct Cubin {
  std::string target;  // "sm_80"
  std::vector<CubinSource> sources;
  std::vector<uint64_t> code;
  std::vector<CubinKernel> kernels;
  std::vector<CubinFunction> functions;
  std::vector<CubinVariable> variables;
  uint64_t global_bytes = 0;
  uint32_t global_align = 1;
  std::vector<uint8_t> global_init;  // the first bytes of the global segment; the rest is zero
  uint64_t const_bytes = 0;
  std::vector<uint8_t> const_init;
  std::vector<CubinReloc> relocs;
  std::vector<std::string> files;
  std::vector<CubinLine> lines;      // sorted by pc
  std::vector<CubinLine> ptx_lines;  // likewise, of the PTX; file: the module
  std::vector<CubinStatement> ptx;   // sorted by module and line
  std::vector<CubinSection> debug;

  const CubinKernel* find_kernel(std::string_view name) const;
  const CubinVariable* find_variable(std::string_view name) const;
  // Where the instruction comes from; nullptr when unknown.
  const CubinLine* find_line(uint32_t pc) const;
  const CubinStatement* find_ptx(uint32_t pc) const;
  // The kernel's or function's name that holds the instruction; empty when none does.
  std::string_view find_function(uint32_t pc) const;
  // Made for the device linker: there is nothing to run yet.
  bool relocatable() const { return code.empty() && !sources.empty(); }
  // The first instruction's PC that needs the unit, which not every machine may have.
  std::optional<uint32_t> first_use(isa::Unit unit) const;
  std::optional<uint32_t> first_use(isa::Opcode op) const;
  std::optional<uint32_t> first_float_atomic() const;
};

std::vector<uint8_t> serialize(const Cubin& cubin);

// Refuses what is damaged: every offset, size and index is checked ("not a Heddle cubin: …").
Result<Cubin> parse_cubin(std::span<const uint8_t> bytes);
// The bytes begin as an ELF file of our machine.
bool looks_like_cubin(std::span<const uint8_t> bytes);

struct LinkAddresses {
  uint32_t code = 0;    // PC of code[0]
  uint64_t global = 0;  // device addresses
  uint64_t constant = 0;
  // The address of a variable of another module; nullopt: unknown. May be empty.
  std::function<std::optional<uint64_t>(std::string_view)> external;
};
struct LinkedImage {
  std::vector<uint64_t> code;
  std::vector<uint8_t> global;    // global_bytes
  std::vector<uint8_t> constant;  // const_bytes
};
// Applies the relocations. Fails on an unknown external symbol, naming it.
Result<LinkedImage> link(const Cubin& cubin, const LinkAddresses& at);

}  // namespace heddle::formats
