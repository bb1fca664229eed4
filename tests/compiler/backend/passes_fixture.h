// SPDX-License-Identifier: Apache-2.0
// A function that begins with an address and a number x, for tests of single passes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "host-runtime/compiler/mir/builder.h"
#include "host-runtime/compiler/passes/dead_code.h"
#include "host-runtime/compiler/passes/simplify.h"

namespace heddle::compiler {

using isa::Opcode;
using mir::Builder;
using mir::imm;
using mir::Instruction;
using mir::kNone;
using mir::Operand;
using mir::VReg;

struct PassFixture : testing::Test {
  PassFixture() : b(f) {
    f.is_kernel = true;
    b.new_block();
    address = b.reg(b.r64());
    x = b.reg(b.r32());
    b.op(Opcode::ImadWide, address, {}, imm(0));
    b.op(Opcode::S2r, x, {}, imm(0));
  }
  void store(Operand data) { b.op(Opcode::Stg, {}, address, imm(0), data).set("size", isa::MemSize::B32); }
  void optimise() {
    for (int n = 0; n < 4 && simplify(f); n++) remove_dead_code(f);
    remove_dead_code(f);
  }
  size_t count(Opcode op) const {
    size_t n = 0;
    for (const mir::Block& block : f.blocks)
      n += static_cast<size_t>(
          std::count_if(block.body.begin(), block.body.end(), [&](const Instruction& i) { return i.is(op); }));
    return n;
  }
  const Instruction* find(Opcode op) const {
    for (const mir::Block& block : f.blocks)
      for (const Instruction& i : block.body)
        if (i.is(op)) return &i;
    return nullptr;
  }
  mir::Function f;
  Builder b;
  Operand address, x;
};

}  // namespace heddle::compiler
