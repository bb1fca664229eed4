// SPDX-License-Identifier: Apache-2.0
// Instructions made ready to execute: fields apart, immediates spread to a row, the handler looked
// up.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/isa.h"
#include "presets/preset.h"
#include "sim/model/fields.h"
#include "sim/model/row.h"

namespace heddle::model {

struct Lanes;
struct Decoded;
// Executes an arithmetic instruction: reads and writes the registers and predicates of `lanes`.
using Execute = void (*)(const Decoded& instruction, Lanes& lanes);

enum class Kind : uint8_t {
  Alu,      // `execute` does it all
  Branch,   // BRA
  Control,  // the rest of the front end's instructions
  Memory,
  Illegal,  // undecodable, or reserved
};

enum class Source : uint8_t { Register, Immediate, Constant };

struct Decoded {
  Execute execute = nullptr;
  Kind kind = Kind::Illegal;
  isa::Opcode op = isa::Opcode::Nop;
  uint8_t guard = isa::kPt;
  bool guard_negated = false;
  uint8_t rd = isa::kRz, ra = isa::kRz, rb = isa::kRz, rc = isa::kRz;
  Source b = Source::Register;
  uint8_t bank = 0;                               // Constant
  uint8_t rows = 0;                               // registers written at rd
  uint8_t ra_rows = 0, rb_rows = 0, rc_rows = 0;  // registers read
  uint8_t pd = isa::kPt;                          // predicates written; kPt: none
  uint8_t pq = isa::kPt;
  uint32_t mod = 0;
  uint32_t imm = 0;  // immediate b; Constant: byte offset
  uint64_t word = 0;
  Row imm_row{};  // imm in every lane

  uint32_t get(Field f) const { return f.of(mod); }
};

// `registers`: how many a thread of the kernel has; naming others, or a pair or quad out of line,
// makes an instruction illegal. So does the lack of what it needs.
Decoded decode(uint64_t word, uint32_t registers = isa::kRz, const Features& has = {});

// How a memory instruction moves data.
struct MemoryShape {
  uint8_t bytes;      // a lane's access
  uint8_t registers;  // 1, 2 or 4
  bool sign;          // narrow loads are sign-extended
};
MemoryShape memory_shape(isa::MemSize size);

// The kernel's code segment, decoded. Words are decoded again only when they have changed.
class Code {
 public:
  explicit Code(const Features& has = {}) : has_(has) {}
  // Takes `size` bytes at `image` for a kernel with `registers` registers a thread.
  void load(const uint8_t* image, uint32_t size, uint32_t registers);
  // nullptr when pc is misaligned or outside.
  const Decoded* at(uint32_t pc) const {
    const uint32_t index = pc / isa::kInstructionBytes;
    return pc % isa::kInstructionBytes == 0 && index < decoded_.size() ? &decoded_[index] : nullptr;
  }

 private:
  std::vector<Decoded> decoded_;
  uint32_t registers_ = 0;
  Features has_;
};

}  // namespace heddle::model
