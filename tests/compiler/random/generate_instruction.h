// SPDX-License-Identifier: Apache-2.0
// Single instructions from random numbers. Not for other folders.
#pragma once

#include <initializer_list>
#include <random>
#include <string_view>
#include <vector>

#include "tests/compiler/random/program.h"

namespace heddle::compiler::test {

class InstructionGenerator {
 protected:
  InstructionGenerator(std::mt19937_64& random, const Shape& shape)
      : random_(random), f64_(shape.f64), f64_matrices_(shape.f64_matrices) {}

  unsigned below(unsigned n) { return static_cast<unsigned>(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename T, size_t N>
  T pick_from(const T (&list)[N]) {
    return list[below(N)];
  }
  template <typename T>
  T pick(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<unsigned>(list.size()))];
  }
  unsigned reg(File f) { return below(kRegisters[static_cast<int>(f)]); }
  Guard predicate() { return {static_cast<int>(reg(File::P)), chance(50)}; }
  uint64_t constant(Type t);
  Value value(Type t, unsigned constants = 25) {
    if (chance(constants)) return {true, 0, constant(t)};
    return {false, reg(file_of(t)), 0};
  }
  Value only_register(File f) { return {false, reg(f), 0}; }

  // Any of one thread, with a guard now and then.
  Instruction simple(unsigned guarded);
  Instruction predicate_instruction();
  // By all threads of the block, by all lanes of a mask.
  Instruction block_instruction();
  Instruction warp_instruction();
  // By a whole warp: one that multiplies or moves matrices, after those that make what it reads.
  std::vector<Instruction> matrix_instructions();

  bool in_function_ = false;
  bool wide_ = false;  // the program has registers of 128 bits

 private:
  Type integer() {
    return pick({Type::U16, Type::S16, Type::U32, Type::S32, Type::U32, Type::S32, Type::U64, Type::S64});
  }
  // A slice's space.
  Space slice() {
    return in_function_ ? pick({Space::Local, Space::Given}) : pick({Space::Local, Space::Shared, Space::Global});
  }
  Instruction integer_instruction();
  Instruction float_instruction();
  Instruction memory_instruction();
  Instruction copy_instruction();
  Instruction address_instruction();
  Instruction sum_instruction();
  Instruction atomic_instruction();
  Instruction wide_instruction();
  Instruction table_instruction();
  Instruction approximate_instruction();
  void operands(Instruction& i, std::string_view files);
  std::vector<Instruction> mma_instructions();
  Instruction wmma_instruction();
  Instruction move_matrix_instruction();
  Product product(bool float8);

  std::mt19937_64& random_;
  bool f64_, f64_matrices_;
};

}  // namespace heddle::compiler::test
