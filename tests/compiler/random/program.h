// SPDX-License-Identifier: Apache-2.0
// Random programs with structured control flow: made, evaluated in C++, and written as PTX.
//
// A program has phases; between two of them all threads meet at a block barrier. Registers come in five files
// (H 16, W 32, D 64 bits, F f32, P predicates); all are set before they are read. Memory: words of the input; a slice of
// shared memory and a local array of each thread, each in two halves, integers and f32 (so that no NaN's bits are seen);
// at a phase's start a thread may read what another one's slice held when the last phase ended.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::compiler::test {

enum class File : uint8_t { H, W, D, F, P };
inline constexpr int kFiles = 5;
inline constexpr unsigned kRegisters[kFiles] = {4, 8, 6, 6, 4};  // in each function and the kernel
inline constexpr unsigned kThreads = 64;
inline constexpr unsigned kInputWords = 256;   // 64 bits each
inline constexpr unsigned kSliceBytes = 64;    // a thread's shared memory, and its local array
inline constexpr unsigned kRecordBytes = 128;  // a thread's output: all registers but P

enum class Type : uint8_t { U16, S16, U32, S32, U64, S64, F32 };
File file_of(Type t);
unsigned bits_of(Type t);
bool is_signed(Type t);
// A file by its letter in operations.h.
File file_of(char letter);

struct Value {
  bool immediate = false;
  unsigned reg = 0;
  uint64_t bits = 0;  // an immediate's
};

struct Guard {
  int reg = -1;  // none
  bool negated = false;
};

enum class Op : uint8_t {
  Add, Sub, MulLo, MulHi, MulWide, MadLo, MadWide, Div, Rem, Min, Max, Neg, Abs, And, Or, Xor, Not, Shl, Shr, Popc, Clz,
  Brev, Bfe, Bfi, Prmt, FunnelLeft, FunnelRight, Lop3, AddCarry, Selp, Mov, Cvt,  // integers (Selp, Mov, Cvt: also f32)
  FAdd, FSub, FMul, FFma, FDiv, FSqrt, FMin, FMax, FNeg, FAbs,
  Setp, SetpAnd, PAnd, PXor, PNot,
  Table,  // of operations.h, number `extra`
  LoadInput, LoadShared, StoreShared, LoadLocal, StoreLocal, LoadByte, StoreByte,
  LoadOther, Shuffle, Ballot, Match, Redux,  // at a phase's start, where all threads are
};

struct Instruction {
  Op op = Op::Mov;
  Type type = Type::U32;   // of the sources; of the data of a memory access
  Type to = Type::U32;     // Cvt
  unsigned compare = 0;    // Setp: index into the type's comparisons
  // Lop3: table; Cvt: rounding; Bfi: position, length; funnel shifts: clamp; SetpAnd: and, or, xor; PAnd, PXor: the other
  // predicate; accesses: words (1, 2), LoadOther: distance to the other thread; LoadByte, StoreByte: 1 signed + 2 generic + 4 shared, else local; Shuffle: mode, lanes a segment; Redux: which.
  unsigned extra = 0;
  Guard guard;
  unsigned dst = 0;
  unsigned dst2 = 0;       // second word of a vector, second predicate of SetpAnd
  Value a, b, c;           // accesses: a = index (W), b = data, c = second word
  Guard predicate;         // Selp, SetpAnd, PAnd …: a predicate source
};

struct Statement;
using Body = std::vector<Statement>;

// (statements; predicate) joined from left to right by && or ||, evaluated as in C.
struct Term {
  Body before;
  Guard predicate;
  bool is_or = false;  // joins the term with what is left of it
};

struct Statement {
  enum class Kind : uint8_t { Plain, If, Loop, Break, Continue, Call, Return, Switch };
  Kind kind = Kind::Plain;
  Instruction instruction;       // Plain
  std::vector<Term> condition;   // If; Break, Continue, Return (one term or more)
  std::vector<Body> bodies;      // If: then, else; Loop: body; Switch: cases
  unsigned counter = 0;          // Loop: its own register; Switch: W register
  unsigned trips = 0;            // Loop: at most
  Value bound;                   // Loop: W, masked to 7
  bool test_at_end = false;      // Loop
  unsigned callee = 0;           // Call: f(W, D, F, H) -> W, D or F
  Value arguments[4];
  unsigned dst = 0;
};

struct Function {
  Body body;
  File result = File::W;
  unsigned loops = 0;  // counters needed
};

struct Program {
  std::vector<Function> functions;  // a function calls those behind it only
  std::vector<Function> phases;     // the kernel
  bool silent_return = false;       // a thread that returns early from the kernel leaves no record
};

struct Shape {
  unsigned phases = 1;
  unsigned functions = 0;
  unsigned statements = 12;  // about so many a body
  unsigned depth = 3;        // of nesting
  bool f64 = true;           // the machine has unit Fp64
};

bool is_collective(Op op);

Program random_program(std::mt19937_64& random, const Shape& shape);

// What each thread leaves in its record. False when the program runs for
// too long to be of use.
bool evaluate(const Program& program, const std::vector<uint64_t>& input, std::vector<uint8_t>& records);

// A kernel k(buffer): records, then the input.
std::string to_ptx(const Program& program);

// The record's layout: byte offset of a register.
unsigned record_offset(File file, unsigned reg);

}  // namespace heddle::compiler::test
