// SPDX-License-Identifier: Apache-2.0
// Recorded answers of a real GPU: a folder with ptx_ops.json (per op: name, PTX body, types, place in the
// binary) and ptx_ops.bin (little-endian u64 words, one row a vector: inputs, then outputs, each
// zero-extended); with order.json (what became of lanes that wrote to one place); with mma.json and mma.bin,
// mma_sp.json and mma_sp.bin (what matrix instructions made of tiles); with atomics.json, atomics.bin and atomics.ptx
// (what atomics left in memory and returned); or with several of these.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/driver/context.h"

namespace heddle::tools {

struct SiliconOp {
  enum class Kind : uint8_t { Instruction, Atomic, Warp, ManyWarps };  // what is counted together
  std::string name, body;
  std::vector<std::string> inputs, outputs;  // type names; empty: a word that tells nothing
  std::vector<uint64_t> rows;                // count x (inputs + outputs)
  size_t count = 0;
  std::vector<std::string> input_names{"a", "b", "c", "d"}, output_names{"o", "o2"};  // of registers; as many, or more
  Kind kind = Kind::Instruction;
  size_t case_rows = 1, block = 32;    // rows that are right or wrong together; threads of a block
  size_t cluster = 1;                  // blocks of which the grid is a multiple
  std::string module{}, entry = "op";  // PTX where it is not made of the body; its kernel's name

  size_t columns() const { return inputs.size() + outputs.size(); }
};

// Every op is checked against the binary's size. Those of ptx_ops.json have at most four inputs and two outputs.
Result<std::vector<SiliconOp>> read_silicon(const std::filesystem::path& folder);

// The ops of an order.json: a kind of access each, 32 rows a case.
Result<std::vector<SiliconOp>> read_silicon_order(const std::filesystem::path& file);

// The ops of a folder's mma.json or mma_sp.json, by its name without .json: a shape each, 32 rows a tile.
Result<std::vector<SiliconOp>> read_silicon_mma(const std::filesystem::path& folder, const std::string& name);

// The ops of a folder's atomics.json: a form each, then a warp instruction each (32 rows a case), then a grid each.
Result<std::vector<SiliconOp>> read_silicon_atomics(const std::filesystem::path& folder);

// A module with one kernel, `op(in, out)`: thread i reads four words, or as many as there are inputs, at row i of `in`,
// executes the body, writes two words or more to row i of `out`; made as the recorder made it. `op.module` where the op
// has one.
std::string silicon_ptx(const SiliconOp& op);

// Shell patterns (with * ? [) or parts of names, separated by commas; empty matches all.
bool matches(const std::string& pattern, const std::string& name);

// What the device answered: count x outputs words.
Result<std::vector<uint64_t>> run_silicon(driver::Context& context, const driver::Kernel& kernel, const SiliconOp& op);

}  // namespace heddle::tools
