// SPDX-License-Identifier: Apache-2.0
// Machine IR: the program between lowering and encoding. Instructions are the ISA's own (isa.def) over
// virtual registers, plus three pseudo instructions. It is not SSA: a register may be written many
// times, and a part of it (a sub-register) may be written alone.
//
// How the lowering expresses things
//   registers   one vreg a PTX register: R32 (also f32, b16, b8, f16x2), R64 (an even pair, low word first),
//               R128 (an aligned quad), P (predicate). `v.word(1)` names the high word of a pair as a 32-bit
//               operand, `v.pair(1)` the upper half of a quad.
//   moves       register to register: the pseudo Copy (builder.copy), any width, also predicates. Packing
//               {lo,hi} -> pair is two copies into its words, unpacking two copies out: the coalescer makes
//               them free. Constants, symbols, constant-bank words, frame addresses: isa MOV with that `b`.
//   immediates  any 32-bit source may be an Imm of any value (f32: its bits); 64-bit sources as well (of
//               IADD.64, ISETP.64, …). Legalisation picks the form or makes a MOV; it also swaps the
//               sources of commutative ops. A source left None reads RZ.
//   predicates  `guard` on every instruction; results in `pd`, `pq`; sources in `p`, `p2`:
//                 ISETP FSETP …  pd, pq (either may be absent), p = the field pc (absent: PT)
//                 PLOP           pd, pq, p = pa, p2 = pb            SEL  p
//                 IADD IADD.64   p = carry in (absent: none), pd = carry out
//                 SHFL MATCH     pd                                 VOTE BALLOT ELECT  p (VOTE's result: pd, pq)
//                 BAR            p = predicate reduced; result: pd (and, or) or dst (popc)
//               HMMA and IMMA with `sparse` have a fourth source register, `metadata`.
//               These fields of `mod` are filled in at encoding; the lowering sets the other fields.
//   memory      a = address (R64 global and generic, R32 shared and local), b = Imm byte offset (any value;
//               legalised), c = data of a store, mod size/cache/order/scope. Vectors: ld.v2.b32 is a
//               64-bit access to an R64, v4 a 128-bit one to an R128; then copies out of its words.
//   LDC         a = byte address register (None: 0), b = constant(bank, byte offset) or a Const symbol.
//   parameters  of kernels: constant(kParamBank, offset) as `b` of any op that has form C, or LDC.
//               of device functions: Function::params, see AbiValue.
//   local       .local variables are frame objects: `a` of LDL/STL = frame(object), b = Imm offset, or
//               MOV r32, frame(object, addend) for its address (the low word of a generic address; the
//               high word is isa::kLocalWindow).
//   symbols     symbol(id, addend, part). Global, Const: Lo and Hi are the halves of its device (generic)
//               address; Const: Space is its offset in constant bank kConstBank. Shared: Space is the
//               offset in the block's shared memory (high word isa::kSharedWindow makes it generic).
//               Functions: Lo is the entry's program counter, Hi is 0.
//   control     only in a block's Terminator. A guarded `exit` in mid-block is an ordinary EXIT
//               instruction; a guarded `ret` of a device function must be split into a Branch.
//               brx.idx is the Terminator kind Indexed. trap is the instruction TRAP (not a terminator).
//   calls       the pseudo Call: `call` indexes Function::calls. The backend does the ABI (docs/abi.md).
//   convergence the lowering emits no BSSY/BSYNC; a pass places them. WARPSYNC comes from bar.warp.sync and
//               from the masks of .sync instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/isa.h"

namespace heddle::compiler::mir {

using VReg = uint32_t;  // index into Function::vregs
using BlockId = uint32_t;
using SymbolId = uint32_t;
using FrameId = uint32_t;
inline constexpr uint32_t kNone = ~uint32_t{0};

inline constexpr unsigned kParamBank = 0;          // kernel parameters, from offset 0
inline constexpr unsigned kConstBank = 1;          // the module's .const variables
inline constexpr uint32_t kConstBytes = 64 << 10;  // of a bank

enum class RegClass : uint8_t { R32, R64, R128, P };
// 32-bit registers that a vreg of the class takes; 0 for a predicate.
inline constexpr unsigned words_of(RegClass c) {
  return c == RegClass::R32 ? 1 : c == RegClass::R64 ? 2 : c == RegClass::R128 ? 4 : 0;
}

// file is an index into Module::files, kNone when unknown.
struct Loc {
  uint32_t file = kNone;
  uint32_t line = 0;
  uint32_t column = 0;
  uint32_t module = kNone;  // of the PTX, as lower() was given them
  uint32_t ptx_line = 0;    // 0: made by the compiler
  bool operator==(const Loc&) const = default;
};

// Which 32 bits of a symbol's address an operand or relocation takes.
enum class SymbolPart : uint8_t { Lo, Hi, Space };

struct Operand {
  enum class Kind : uint8_t { None, Reg, Phys, Imm, Const, Symbol, Frame, Block, Table };

  Kind kind = Kind::None;
  uint8_t sub = 0;    // Reg: first word within the vreg
  uint8_t count = 0;  // Reg, Phys: words (1, 2, 4)
  uint8_t aux = 0;    // Const: bank; Symbol: SymbolPart
  uint32_t id = 0;    // Reg: vreg; Phys: register number; Symbol, Frame, Block, Table: id; Const: byte offset
  int64_t imm = 0;    // Imm: value; Symbol, Frame: addend in bytes

  bool is_none() const { return kind == Kind::None; }
  bool is_reg() const { return kind == Kind::Reg; }
  bool is_phys() const { return kind == Kind::Phys; }
  bool is_imm() const { return kind == Kind::Imm; }
  bool is_imm(int64_t v) const { return kind == Kind::Imm && imm == v; }
  bool is_const() const { return kind == Kind::Const; }
  bool is_symbol() const { return kind == Kind::Symbol; }
  bool is_frame() const { return kind == Kind::Frame; }
  bool is_block() const { return kind == Kind::Block; }
  bool is_table() const { return kind == Kind::Table; }
  SymbolPart part() const { return static_cast<SymbolPart>(aux); }
  // Of a register operand: its i-th word as a 32-bit operand, its i-th pair as a 64-bit one.
  Operand word(unsigned i) const { return part_of(i, 1); }
  Operand pair(unsigned i) const { return part_of(2 * i, 2); }
  bool operator==(const Operand&) const = default;

 private:
  Operand part_of(unsigned first, unsigned words) const {
    Operand o = *this;
    if (kind == Kind::Phys) o.id += first;
    else o.sub = static_cast<uint8_t>(sub + first);
    o.count = static_cast<uint8_t>(words);
    return o;
  }
};

inline Operand imm(int64_t value) { return {.kind = Operand::Kind::Imm, .imm = value}; }
// The 32-bit word at `byte_offset` (a multiple of 4, below 64 KiB) of a constant bank.
inline Operand constant(unsigned bank, uint32_t byte_offset) {
  return {.kind = Operand::Kind::Const, .aux = static_cast<uint8_t>(bank), .id = byte_offset};
}
inline Operand symbol(SymbolId id, int64_t addend, SymbolPart part) {
  return {.kind = Operand::Kind::Symbol, .aux = static_cast<uint8_t>(part), .id = id, .imm = addend};
}
inline Operand frame(FrameId id, int64_t addend = 0) { return {.kind = Operand::Kind::Frame, .id = id, .imm = addend}; }
// The table of branches at the end of a block: only for MOV. The linker fills in its address.
inline Operand block_table(BlockId id) { return {.kind = Operand::Kind::Table, .id = id}; }
// The start of a block: only for BSSY, written by the convergence pass.
inline Operand block_start(BlockId id) { return {.kind = Operand::Kind::Block, .id = id}; }
// A machine register by number: only for R1 (the stack pointer) before register allocation.
inline Operand phys(unsigned reg, unsigned words = 1) {
  return {.kind = Operand::Kind::Phys, .count = static_cast<uint8_t>(words), .id = reg};
}

// A predicate read: absent (kNone) means PT, absent and negated means false.
struct Pred {
  VReg reg = kNone;
  bool negated = false;
  bool present() const { return reg != kNone; }
  Pred operator!() const { return {reg, !negated}; }
  bool operator==(const Pred&) const = default;
};

enum class Pseudo : uint8_t {
  None,   // the instruction is `op`
  Copy,   // dst = a (registers, 1, 2 or 4 words), or pd = p (predicates)
  Call,   // calls[call]
  Undef,  // dst or pd gets any value
};

struct Instruction {
  isa::Opcode op = isa::Opcode::Nop;
  Pseudo pseudo = Pseudo::None;
  uint32_t mod = 0;  // as isa::Instruction::mod, predicate fields excepted
  Pred guard;
  Operand dst, a, b, c;
  Operand metadata;  // HMMA, IMMA: of a sparse matrix A, a register
  VReg pd = kNone, pq = kNone;
  Pred p, p2;
  uint32_t call = kNone;
  uint8_t barrier = 0;    // BSSY, BSYNC, BREAK
  bool for_next = false;  // WARPSYNC as a part of the warp instruction behind it, not a barrier of its own
  bool fresh = false;     // guarded, and nobody wants what its results held before where the guard fails
  Loc loc;

  // As isa::Instruction: 0, or false, when the op has no such field.
  unsigned field(std::string_view name) const;
  bool set_field(std::string_view name, unsigned value);
  const isa::OpInfo& info() const { return isa::info(op); }
  bool is(isa::Opcode o) const { return pseudo == Pseudo::None && op == o; }
};

struct Terminator {
  enum class Kind : uint8_t {
    None,         // not yet set (an error once the function is complete)
    Jump,         // to targets[0]
    Branch,       // to targets[0] where cond holds, else to targets[1]
    Indexed,      // to targets[index]; undefined when out of range
    Table,        // the same, at machine level: to the branch at `index`, in the table behind it
    Exit,         // the thread ends
    Return,       // of a device function; results are Function::results (`index`: return PC, set by the ABI pass)
    Unreachable,  // control never comes here
  };
  Kind kind = Kind::None;
  bool uniform = false;  // Branch, Indexed, Table: the source promises it (.uni)
  Pred cond;
  Operand index;
  std::vector<BlockId> targets;
  Loc loc;
};

struct Block {
  std::string name;  // for dumps; may be empty
  std::vector<Instruction> body;
  Terminator end;
  bool rare = false;       // seldom reached: few registers matter more there than few cycles
  bool no_unroll = false;  // a loop that begins here stays as it is: .pragma "nounroll"
};

// An object in the function's frame in local memory.
struct FrameObject {
  std::string name;
  uint32_t size = 0;
  uint32_t align = 4;           // a power of two, at most 16 KiB
  uint32_t abi_offset = kNone;  // set by the ABI pass: a parameter or result in memory, from the frame's start
};

// A value that crosses a call. By rule: one scalar of at most 8 bytes travels in a register (R32, or R64 for
// 8 bytes; narrower ones in the low bits, upper bits undefined), an array or wider value in memory.
// Caller and callee must classify alike: by the declared type alone.
struct AbiValue {
  std::string name;
  uint32_t size = 0;
  uint32_t align = 4;
  // In a signature: the vreg or frame object that stands for the parameter or result inside the function.
  // In a call: the argument (Reg, Imm, or Frame: passed by value) or the place of the result (Reg, Frame).
  Operand value;
};

struct Call {
  SymbolId callee = kNone;  // direct
  Operand target;           // indirect: R64, the function's address; from the ABI pass on its low word
  std::vector<AbiValue> args;
  std::vector<AbiValue> results;

  // Set by the ABI pass: the machine registers that the call reads and writes; args and results are then
  // spent, and the caller-saved registers and all predicates are clobbered.
  bool lowered = false;
  std::vector<Operand> reads;
  std::vector<Operand> writes;
};

struct KernelParam {
  std::string name;
  uint32_t offset = 0;  // bytes in constant bank kParamBank
  uint32_t size = 0;
  uint32_t align = 1;
};

struct LaunchBounds {
  uint32_t maxntid[3] = {0, 0, 0};  // all 0: not given
  uint32_t reqntid[3] = {0, 0, 0};
  uint32_t min_blocks_per_sm = 0;
  uint32_t max_registers = 0;  // .maxnreg
  uint32_t required_cluster[3] = {0, 0, 0};
  uint32_t max_cluster_blocks = 0;
  bool explicit_cluster = false;
};

enum class Linkage : uint8_t { Internal, Visible, Weak, Extern, Common };

struct Function {
  std::string name;
  SymbolId symbol = kNone;
  Linkage linkage = Linkage::Internal;
  bool is_kernel = false;
  bool noreturn = false;
  bool has_alloca = false;  // moves R1 itself: MOV/Copy of phys(1)
  Loc loc;

  std::vector<RegClass> vregs;
  std::vector<Block> blocks;  // blocks[0] is the entry; nothing branches to it
  std::vector<FrameObject> frame;
  std::vector<Call> calls;
  std::vector<KernelParam> kernel_params;  // kernels
  uint32_t param_bytes = 0;                // kernels: size of the parameter block
  std::vector<AbiValue> params;            // device functions
  std::vector<AbiValue> results;
  LaunchBounds bounds;
  // Set by the ABI pass: machine registers that hold the arguments, and the results.
  std::vector<Operand> live_at_entry;
  std::vector<Operand> live_at_return;

  VReg new_vreg(RegClass c) {
    vregs.push_back(c);
    return static_cast<VReg>(vregs.size() - 1);
  }
  Operand reg(VReg v) const {
    return {.kind = Operand::Kind::Reg, .count = static_cast<uint8_t>(words_of(vregs[v])), .id = v};
  }
};

// `size` bytes (1, 2, 4 or 8) at `offset` of the initialiser become ((address + addend) >> shift), masked to size.
struct DataReloc {
  uint32_t offset = 0;
  uint8_t size = 8;
  uint8_t shift = 0;
  bool space = false;  // the address within its state space instead of the generic one
  SymbolId symbol = kNone;
  int64_t addend = 0;
};

enum class Space : uint8_t { Global, Const, Shared };

struct Variable {
  std::string name;
  SymbolId symbol = kNone;
  Space space = Space::Global;
  Linkage linkage = Linkage::Internal;
  bool managed = false;
  uint32_t align = 1;
  uint64_t size = 0;          // extern .shared x[]: 0, the dynamic shared memory
  std::vector<uint8_t> init;  // at most size bytes; the rest is zero
  std::vector<DataReloc> relocs;
  Loc loc;
};

struct Symbol {
  enum class Kind : uint8_t { Function, Variable, ExternFunction, Alias };
  std::string name;
  Kind kind = Kind::Function;
  uint32_t index = kNone;  // Function, Variable: into the module's list; Alias: another SymbolId
  Linkage linkage = Linkage::Internal;
  Loc loc;
};

// A .section of the PTX (debug information), as bytes with references to labels resolved or relocated.
struct DebugSection {
  std::string name;
  std::vector<uint8_t> bytes;
  std::vector<DataReloc> relocs;  // to symbols
};

struct Module {
  std::string target;        // "sm_80"
  unsigned ptx_version = 0;  // 83 = 8.3
  bool debug = false;        // .target …, debug
  std::vector<std::string> files;
  std::vector<Symbol> symbols;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<DebugSection> debug_sections;
};

// Text for people and tests. One instruction: "@!p3 IADD v5, v4, 0x10".
std::string to_string(const Operand& operand);
std::string to_string(const Function& function, const Instruction& instruction);
std::string to_string(const Function& function);
std::string to_string(const Module& module);

// The first rule of this header that the function breaks ("block 3, IADD.64: a wants 2 registers"), or
// nothing. Run after lowering and between passes in debug builds and tests.
std::optional<std::string> verify(const Module& module, const Function& function);

}  // namespace heddle::compiler::mir
