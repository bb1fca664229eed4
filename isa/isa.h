// SPDX-License-Identifier: Apache-2.0
// The instruction set as C++ sees it: one enumerator an opcode, a table of their properties, and the
// 64-bit encoding. All of it comes from isa.def, which also describes the encoding.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace heddle::isa {

enum class Opcode : uint8_t {
#define HEDDLE_OP(name, mnemonic, code, ...) name = code,
#include "isa/isa.def"
};

enum class Unit : uint8_t {
#define HEDDLE_UNIT(name, doc) name,
#include "isa/isa.def"
};
enum class Latency : uint8_t {
#define HEDDLE_LATENCY(name, doc) name,
#include "isa/isa.def"
};
enum class Status : uint8_t { Built, Reserved };
// How an operand field is used; see isa.def.
enum class Operand : uint8_t { None, R32, F32, R64, RSz, P2, Bar, Var, FragA, FragB, FragC };
enum class Form : uint8_t { R = 0, C = 1, S = 2, L = 3 };

// Modifier values, in isa.def's order; isa.cc checks each against the table at compile time.
enum class Rounding : uint8_t { Rn, Rz, Rm, Rp };
enum class ICmp : uint8_t { Lt, Le, Gt, Ge, Eq, Ne, Any, None };
enum class FCmp : uint8_t { Lt, Le, Gt, Ge, Eq, Ne, Num, Nan, Ltu, Leu, Gtu, Geu, Equ, Neu };
enum class BoolOp : uint8_t { And, Or, Xor };
enum class LogicOp : uint8_t { And, Or, Xor, Andn };
enum class LeadMode : uint8_t { Bit, Shift, Clz };
enum class PrmtMode : uint8_t { Idx, F4e, B4e, Rc8, Ecl, Ecr, Rc16 };
enum class IntWidth : uint8_t { W32, W16, W8 };
enum class FloatFormat : uint8_t { F32, F16, Bf16, E4m3, E5m2 };
enum class MufuOp : uint8_t { Rcp, Rsq, Sqrt, Sin, Cos, Ex2, Lg2, Tanh };
enum class MemSize : uint8_t { U8, S8, U16, S16, B32, B64, B128 };
enum class CacheOp : uint8_t { Ca, Cg, Cs, Lu, Cv, Nc };
enum class MemOrder : uint8_t { Weak, Relaxed, Acquire, Release };
enum class Scope : uint8_t { Cta, Cluster, Gpu, Sys };
enum class CctlOp : uint8_t { Prefetch, PrefetchL2, Invalidate, InvalidateAll };
enum class AtomOp : uint8_t { Add, Min, Max, Inc, Dec, And, Or, Xor, Exch, Cas, Arrive };
enum class AtomType : uint8_t { U, S, F32, F64, F16x2, Bf16x2 };
enum class BarMode : uint8_t { Sync, Arrive, Red };
enum class BarRed : uint8_t { Popc, And, Or };
enum class VoteMode : uint8_t { All, Any, Uni };
enum class ShflMode : uint8_t { Up, Down, Bfly, Idx };
enum class ReduxOp : uint8_t { Add, Min, Max, And, Or, Xor };
enum class MmaFormat : uint8_t { F16, Bf16, Tf32 };
// S2R's imm16.
enum class SpecialReg : uint8_t {
  // clang-format off
  TidX, TidY, TidZ, LaneId, NtidX, NtidY, NtidZ, WarpId, CtaidX, CtaidY, CtaidZ, SmId, NctaidX, NctaidY,
  NctaidZ, NSmId, LanemaskEq, LanemaskLt, LanemaskLe, LanemaskGt, LanemaskGe, NWarpId, GridId, ActiveMask,
  Clock, ClockHi, GlobaltimerLo, GlobaltimerHi, DynSmemSize, TotalSmemSize, LocalSize, Envreg0 = 32, Envreg1,
  ClusterCtaidX, ClusterCtaidY, ClusterCtaidZ, ClusterNctaidX, ClusterNctaidY, ClusterNctaidZ, ClusterCtaRank,
  ClusterNctaRank, ClusterExplicit,
  // clang-format on
};

// One modifier field of an instruction: bits [lsb, lsb + width) of the 18-bit modifier.
struct FieldInfo {
  std::string_view name;
  uint8_t lsb;
  uint8_t width;
  std::string_view kind;  // "Flag", "Uint", "PredSrc", "PredDst" or an enumeration of isa.def
};

struct OpInfo {
  Opcode op;
  std::string_view name;      // the enumerator
  std::string_view mnemonic;  // as the disassembler prints it
  Unit unit;
  Latency latency;
  Operand dst, a, b, c;
  std::string_view forms;  // letters of "RCSL"
  std::span<const FieldInfo> fields;
  Status status;
  std::string_view doc;

  bool has_form(Form form) const { return forms.find("RCSL"[static_cast<int>(form)]) != std::string_view::npos; }
};

inline constexpr uint8_t kRz = 255;  // reads zero
inline constexpr uint8_t kPt = 7;    // always true
inline constexpr int kInstructionBytes = 8;
inline constexpr int kWarpSize = 32;
inline constexpr int kNumPredicates = 7;
inline constexpr int kNumConvergenceBarriers = 16;
inline constexpr int kNumBlockBarriers = 16;
// Upper words of a generic address that select the shared and the local window.
inline constexpr uint32_t kSharedWindow = 15;
inline constexpr uint32_t kLocalWindow = 14;

// The properties of an opcode byte; nullptr for a byte that encodes nothing.
const OpInfo* info(uint8_t opcode);
inline const OpInfo& info(Opcode op) { return *info(static_cast<uint8_t>(op)); }
// By mnemonic ("IADD.64"); nullptr when there is none.
const OpInfo* find(std::string_view mnemonic);
std::span<const OpInfo> all();

// The text of an enumeration's value ("RZ"), empty when out of range.
std::string_view enum_text(std::string_view type, unsigned value);
std::optional<unsigned> enum_value(std::string_view type, std::string_view text);

// An instruction with its fields apart. In forms S and L `imm` is the b operand as encoded (imm16 sign-
// extended, imm32 as is); in form C `bank` and `imm` = word offset.
struct Instruction {
  Opcode op = Opcode::Nop;
  uint8_t guard = kPt;
  bool guard_negated = false;
  uint8_t rd = kRz, ra = kRz, rb = kRz, rc = kRz;
  Form form = Form::R;
  uint8_t bank = 0;
  int32_t imm = 0;
  uint32_t mod = 0;  // 18 bits

  // The field's value (0 when the op has no such field) and its setter (false when there is none or
  // the value does not fit).
  unsigned field(std::string_view name) const;
  bool set_field(std::string_view name, unsigned value);
  // b as the execution unit sees it, in forms S and L: imm16 of an F32 source is shifted up.
  uint32_t immediate() const;
};

// nullopt when a part does not fit its field or the op lacks the form.
std::optional<uint64_t> encode(const Instruction& instruction);
// nullopt when the opcode byte is unknown or the op lacks the form.
std::optional<Instruction> decode(uint64_t word);

// Registers that an operand of this kind covers: 0, 1, 2 or 4 (RSz by the instruction's size field).
unsigned operand_registers(Operand kind, const Instruction& instruction);
// Those of FragA, FragB, FragC of a tensor instruction; 0 for other kinds, and for modifiers that no instruction has.
unsigned fragment_registers(Operand kind, Opcode op, uint32_t mod);

// The registers and predicates that an instruction reads and writes, a bit each; RZ and PT are neither.
inline constexpr unsigned kFirstPredicateBit = 256;
using RegisterSet = std::bitset<kFirstPredicateBit + kNumPredicates>;
struct Accesses {
  RegisterSet reads, writes;
};
Accesses accesses(const Instruction& instruction);

// "@!P0 FFMA.RZ R4, R5, c[0][0x10], R7"; `pc` makes branch targets absolute. Undecodable words print
// as ".word 0x…". assemble() reads back exactly what disassemble() printed.
std::string disassemble(uint64_t word, uint32_t pc = 0);
std::optional<uint64_t> assemble(std::string_view text, uint32_t pc = 0);

}  // namespace heddle::isa
