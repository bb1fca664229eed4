// SPDX-License-Identifier: Apache-2.0
// Random programs: made, evaluated in C++, and written as PTX.
//
// A program has phases; between two of them all threads meet at a block barrier. Registers come in files (H 16, W 32, D
// 64 bits, F f32, P predicates, A: f32 that .approx left, of which nothing else is made, X 128 bits); all are set
// before they are read.
//
// Memory: words of the input, constants, and slices of 64 bytes that belong to a thread: of shared, global and local
// memory, and the one whose generic address a function was given. Each has two halves, integers and f32 (so that no
// NaN's bits are seen). Cells in shared and global memory belong to all threads: each takes one kind of atomic
// operation, whose order does not matter; sums are of floating-point numbers: to an element all add the same number or
// nothing. Matrices in memory are slices of a warp's threads, one below the other. At a phase's start threads read
// cells, sums, and what others' slices held when the last phase ended.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace heddle::compiler::test {

enum class File : uint8_t { H, W, D, F, P, A, X };
inline constexpr int kFiles = 7;
inline constexpr unsigned kRegisters[kFiles] = {4, 8, 6, 6, 4, 4, 3};  // in each function and the kernel
inline constexpr unsigned kThreads = 64;
inline constexpr unsigned kInputWords = 256;  // 64 bits each
inline constexpr unsigned kConstWords = 32;
inline constexpr unsigned kSliceBytes = 64;
inline constexpr unsigned kRecordBytes = 176;  // a thread's output: all registers but P
inline constexpr unsigned kBlocks = 3;         // at most

enum class Type : uint8_t { U16, S16, U32, S32, U64, S64, F32, U8, S8, B128 };
File file_of(Type t);  // 8 bits: H
unsigned bits_of(Type t);
bool is_signed(Type t);
// A file by its letter in operations.h.
File file_of(char letter);
const char* name_of(Type t);

enum class Space : uint8_t { Input, Const, Shared, Local, Global, Given };
inline constexpr unsigned kSpecials = 16, kFenceKinds = 16;  // special registers, instructions that change nothing

struct Value {
  bool immediate = false;
  unsigned reg = 0;
  uint64_t bits = 0;  // an immediate's
};

struct Guard {
  int reg = -1;  // none
  bool negated = false;
};

// clang-format off
enum class Op : uint8_t {
  Pack, Unpack,  // file X; Mov, Load, Store and Atom take B128, too
  Add, Sub, MulLo, MulHi, MulWide, MadLo, MadWide, Div, Rem, Min, Max, Neg, Abs, And, Or, Xor, Not, Shl, Shr, Popc, Clz,
  Brev, Bfe, Bfi, Prmt, FunnelLeft, FunnelRight, Lop3, AddCarry, Selp, Mov, Cvt,  // integers (Selp, Mov, Cvt: also f32)
  FAdd, FSub, FMul, FFma, FDiv, FSqrt, FMin, FMax, FNeg, FAbs,
  Setp, SetpAnd, PAnd, PXor, PNot,
  Table,   // of operations.h, number `extra`
  Approx,  // likewise
  Special, Fence, Prefetch, IsSpace, Load, Store, Copy, Atom, Cell, Sum,
  LoadOther, LoadCell, LoadSum, BarrierReduce,  // at a phase's start, where all threads of the block are
  Shuffle, Vote, Ballot, Match, MatchAll, Redux, Elect,  // by all lanes of a mask: Function::together
  Numbers, Mma, LoadMatrix, StoreMatrix, MoveMatrix, Wmma,  // by whole warps, in the kernel: matrix.h
  Count
};
// clang-format on

// Of atomic operations.
enum class Atomic : uint8_t {
  Add,
  Min,
  Max,
  And,
  Or,
  Xor,
  Inc,
  Dec,
  Exch,
  Cas,
  AddF,
  AddF16,
  AddBf16
};  // U32 of the last two: pairs
uint64_t apply(Atomic op, Type type, uint64_t old, uint64_t b, uint64_t c);
struct CellKind {
  Atomic op;
  Type type;
  uint64_t first;
};
inline constexpr CellKind kCells[] = {{Atomic::Add, Type::U32, 0}, {Atomic::Min, Type::S32, 0x7fffffff},
                                      {Atomic::Max, Type::U32, 0}, {Atomic::And, Type::U32, 0xffffffff},
                                      {Atomic::Or, Type::U32, 0},  {Atomic::Xor, Type::U32, 0},
                                      {Atomic::Add, Type::U64, 0}, {Atomic::Max, Type::S64, uint64_t{1} << 63},
                                      {Atomic::Inc, Type::U32, 0}, {Atomic::Min, Type::U64, ~uint64_t{0}},
                                      {Atomic::Dec, Type::U32, 0}, {Atomic::Xor, Type::U64, 0}};
inline constexpr unsigned kCellCount = 12;
inline constexpr uint64_t kCellBound = 77;  // of Inc and Dec: with one bound, order does not matter
struct SumKind {
  Atomic op;
  Type type;          // of an element
  unsigned elements;  // several: a vector in global memory
  uint64_t step;      // what is added
};
inline constexpr SumKind kSums[] = {
    {Atomic::AddF, Type::F32, 1, 0x3dcccccd},    {Atomic::AddF, Type::F32, 2, 0xbfc00001},
    {Atomic::AddF, Type::F32, 4, 0x3eaaaaab},    {Atomic::AddF16, Type::U16, 1, 0x2e66},
    {Atomic::AddBf16, Type::U16, 1, 0x3e9a},     {Atomic::AddF16, Type::U32, 1, 0xb8013555},
    {Atomic::AddBf16, Type::U32, 1, 0x3f813dcd}, {Atomic::AddF16, Type::U16, 2, 0x3c01},
    {Atomic::AddBf16, Type::U16, 4, 0xbdcd},     {Atomic::AddF16, Type::U16, 8, 0x3555},
    {Atomic::AddBf16, Type::U32, 2, 0x3eabbeab}, {Atomic::AddF16, Type::U32, 4, 0x2e663c00}};
inline constexpr unsigned kSumCount = 12, kSumBytes = 16;

// Of matrices in registers.
struct Product {
  // Float8: e4m3, or e5m2 where there is a sign. F16Sums, Float8Sums: C and D are of f16.
  enum class Of : uint8_t { F16, F16Sums, Bf16, Tf32, Float8, Float8Sums, F64, Bytes, Nibbles, Bits };
  enum class Size : uint8_t { Small, Half, Full };  // 8 x 8 results; 16 x 8 with half of the columns of A, with all
  Of of = Of::F16;
  Size size = Size::Full;
  bool sparse = false, sign_a = false, sign_b = false, clamps = false, is_xor = false;
  bool other_c = false;                  // C is of f32 where D is of f16, or the other way round
  bool column_a = false, row_b = false;  // layouts of mma; small ones of f16
  unsigned steps = 1;                    // of F64: A has four times as many columns
  unsigned selector = 0;
  unsigned metadata = 0;  // register W
};

// A matrix in the slices of a warp's threads or in the input: each of its rows (or columns) begins a slice's size
// behind the one before, or two where one has not the room, the first where slice `first` does.
struct MatrixPlace {
  Space space = Space::Input;
  unsigned first = 0;
  bool by_columns = false, generic = false;
};

// Words of matrices: scrambled bits, of which `keep` stay and `flip` are turned over, or instead of them (in `rare` of
// 2^32 words) `special`.
struct Pattern {
  uint32_t keep = ~0u, flip = 0, special = 0, rare = 0;
  bool pairs = false;     // lanes 2 n and 2 n + 1 have the same word,
  uint32_t opposite = 0;  // but for these bits
  uint32_t low = ~0u;     // of 64 bits the upper half is such a word; what of the lower half stays
};

struct Instruction {
  Op op = Op::Mov;
  Type type = Type::U32;  // of the sources; of the data of a memory access
  Type to = Type::U32;    // Cvt; Load, Store: of the registers
  unsigned compare = 0;   // Setp: index into the type's comparisons
  // Lop3: table; Cvt: rounding; Bfi: position, length; funnel shifts: clamp; SetpAnd: and, or, xor; PAnd, PXor: the
  // other predicate; LoadOther: distance to the other thread; Shuffle: mode, lanes a segment; Vote, Redux, Special,
  // Fence: which; Copy: whether of all bytes, or fewer, by a register, by a predicate; Atom: Atomic; Cell, LoadCell,
  // Sum: number; LoadSum: number | element << 8; IsSpace: the space asked about; Numbers: what the bits begin with;
  // Wmma: rows of D.
  unsigned extra = 0;
  Space space = Space::Local;  // of accesses
  bool generic = false;
  unsigned words = 1;  // Load, Store, Atom: of a vector; LoadMatrix, StoreMatrix: matrices
  unsigned variant =
      0;  // cache operators, orders, scopes, forms of addresses and barriers; Unpack: 1, 2: not its first, second half
  Guard guard;
  unsigned dst = 0;
  unsigned dst2 = 0;  // second predicate of SetpAnd; second half of Unpack; predicate of Shuffle, MatchAll, Elect
  Value a, b, c;      // accesses: a = index (W), b = data (Copy: bytes; c = index in shared memory)
  Guard predicate;    // Selp, SetpAnd, PAnd …: a predicate source
  // By whole warps (of `guard` the warp has what any lane has; kGuardOfAll: what all have). Mma: first registers of A,
  // B, C and D; type, to: of C and D. (Where a file has fewer, they begin again.)
  Product product;        // Mma, Wmma
  MatrixPlace places[4];  // Wmma: of A, B, C, D
  Pattern pattern;        // Numbers
};
// Bits of `variant`, by whole warps.
inline constexpr unsigned kGuardOfAll = 1, kTransposed = 2, kStrideInRegister = 4, kStrideLeftOut = 8,
                          kOrderedMetadata = 16, kSaysRounding = 32, kSaysBlock = 64, kWholeWarpVariants = 128;

struct Statement;
using Body = std::vector<Statement>;

// (statements; predicate) joined from left to right by && or ||, evaluated as in C.
struct Term {
  Body before;
  Guard predicate;
  bool is_or = false;  // joins the term with what is left of it
};

// Where a block of a graph goes on: by a predicate with two targets, by a W register with more.
struct Exit {
  std::vector<unsigned> targets;  // blocks; their number: out of the graph
  Guard predicate;
  unsigned selector = 0;
  bool table = false;  // brx.idx
};

struct Statement {
  enum class Kind : uint8_t { Plain, If, Loop, Break, Continue, Call, Return, Switch, Graph, Goto, Group, GroupLoop };
  Kind kind = Kind::Plain;
  Instruction instruction;      // Plain
  std::vector<Term> condition;  // If; Break, Continue, Return, Goto (one term or more)
  // If: then, else; Loop: body; Switch: cases; Graph: blocks; Group, GroupLoop (by all lanes of a mask): then, else;
  // body
  std::vector<Body> bodies;
  unsigned counter = 0;           // Loop, GroupLoop, Graph: its own register; Switch, Call: W register that chooses
  unsigned trips = 0;             // Loop, GroupLoop, Graph: at most
  Value bound;                    // Loop, GroupLoop: W, masked to 7
  bool test_at_end = false;       // Loop
  std::vector<Exit> exits;        // Graph: of each block
  unsigned target = 0;            // Goto: a block of the graph around
  Guard predicate;                // Group; Call: guard
  std::vector<unsigned> callees;  // Call: functions with the same result; several: through a pointer
  bool indirect = false;          // Call
  bool together = false;          // Call: by all lanes of a mask, which the function is given
  Value arguments[4];             // Call: W, D, F, H
  Space given = Space::Local;     // Call: whose address it is given: Shared, Global, Local, Given
  unsigned dst = 0;
};

struct Function {
  Body reads, together;  // phases: by the whole block; by lanes of a warp, in a function those that called it together
  Body body;
  File result = File::W;
  unsigned loops = 0;  // counters needed
  unsigned masks = 0;
};

struct Program {
  std::vector<Function> functions;
  std::vector<Function> phases;  // the kernel
  unsigned depth = 0;            // of calls; beyond it a call is skipped
  bool silent_return = false;    // a thread that returns early from the kernel leaves no record
  uint64_t unrecorded = 0;       // registers that are not in the record: bit 8 * file + number
  bool records(File f, unsigned reg) const { return !(unrecorded >> (8 * static_cast<unsigned>(f) + reg) & 1); }
};

struct Shape {
  unsigned phases = 1;
  unsigned functions = 0;
  unsigned statements = 12;  // about so many a body
  unsigned depth = 3;        // of nesting
  bool f64 = true;           // arithmetic, which machines without unit Fp64 are slow at
  bool matrices = false;     // for machines with a tensor unit
  bool f64_matrices = true;  // among them, for machines with unit Fp64
};

Program random_program(std::mt19937_64& random, const Shape& shape);

// What a program leaves.
struct Outcome {
  std::vector<uint8_t> records;  // 0xcd where nothing is written
  std::vector<uint8_t> slices;   // of global memory
  std::vector<double> bounds;    // of file A's registers, thread by thread
  Outcome();
};
// False when the program runs for too long to be of use.
bool evaluate(const Program& program, const std::vector<uint64_t>& input, Outcome& outcome);

// A kernel k(buffer): records, then the input, then slices of global memory for each block.
std::string to_ptx(const Program& program);

// The record's layout: byte offset of a register.
unsigned record_offset(File file, unsigned reg);
unsigned bytes_of(File file);
uint64_t constant_word(unsigned n);

}  // namespace heddle::compiler::test
