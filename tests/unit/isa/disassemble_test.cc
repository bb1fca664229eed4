// SPDX-License-Identifier: Apache-2.0
// The disassembler loses nothing: assemble(disassemble(word)) == word for every op and form.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "isa/isa.h"

namespace heddle::isa {
namespace {

uint64_t seed() {
  const char* s = std::getenv("HEDDLE_SEED");
  const uint64_t value = s ? std::strtoull(s, nullptr, 0) : std::random_device{}();
  std::printf("HEDDLE_SEED=%llu\n", static_cast<unsigned long long>(value));
  return value;
}

void expect_round_trip(uint64_t word, uint32_t pc) {
  const std::string text = disassemble(word, pc);
  const std::optional<uint64_t> back = assemble(text, pc);
  ASSERT_TRUE(back.has_value()) << std::hex << word << ": " << text;
  ASSERT_EQ(*back, word) << std::hex << word << ": " << text << " -> " << disassemble(*back, pc);
}

TEST(Disassemble, RoundTripsRandomWordsOfEveryOpAndForm) {
  std::mt19937_64 random(seed());
  int checked = 0;
  for (const OpInfo& op : all()) {
    for (Form form : {Form::R, Form::C, Form::S, Form::L}) {
      if (!op.has_form(form)) continue;
      for (int n = 0; n < 500; n++) {
        const uint64_t word =
            (random() & ~uint64_t{0x300000ff}) | static_cast<uint64_t>(op.op) | static_cast<uint64_t>(form) << 28;
        ASSERT_TRUE(decode(word).has_value());
        expect_round_trip(word, static_cast<uint32_t>(random()) & ~7u);
        if (HasFatalFailure()) return;
        checked++;
      }
    }
  }
  EXPECT_GT(checked, 50000);
}

// Opcodes that there are not, forms that an op has not: data, which is read back, too.
TEST(Disassemble, RoundTripsAnyWord) {
  std::mt19937_64 random(seed());
  int data = 0;
  for (int n = 0; n < 300000; n++) {
    const uint64_t word = random();
    data += !decode(word);
    expect_round_trip(word, static_cast<uint32_t>(random()) & ~7u);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(data, 10000);
  EXPECT_LT(data, 290000);
}

// Every field of every op and form through all its values (of wide ones, through many), all else at random.
TEST(Disassemble, RoundTripsEveryValueOfEveryField) {
  std::mt19937_64 random(seed());
  for (const OpInfo& op : all())
    for (Form form : {Form::R, Form::C, Form::S, Form::L}) {
      if (!op.has_form(form)) continue;
      for (const FieldInfo& f : op.fields)
        for (unsigned v = 0; v<1u << f.width; v += f.width> 8 ? 37 : 1) {
          const uint64_t rest =
              (random() & ~uint64_t{0x300000ff}) | static_cast<uint64_t>(op.op) | static_cast<uint64_t>(form) << 28;
          Instruction i = *decode(rest);
          ASSERT_TRUE(i.set_field(f.name, v)) << op.mnemonic << " " << f.name;
          // A field that the form does not hold whole has no such value there.
          const std::optional<uint64_t> word = encode(i);
          if (word) expect_round_trip(*word, static_cast<uint32_t>(random()) & ~7u);
          if (HasFatalFailure()) return;
        }
    }
}

// What compilers emit: unused fields at rest, fields in range.
TEST(Disassemble, RoundTripsPlainInstructionsWithoutBraces) {
  std::mt19937_64 random(seed());
  for (const OpInfo& op : all()) {
    for (Form form : {Form::R, Form::C, Form::S, Form::L}) {
      if (!op.has_form(form)) continue;
      Instruction i;
      i.op = op.op;
      i.form = form;
      if (op.dst != Operand::None) i.rd = static_cast<uint8_t>(random() % 16);
      if (op.a != Operand::None) i.ra = static_cast<uint8_t>(random());
      if (op.b != Operand::None && form == Form::R) i.rb = static_cast<uint8_t>(random());
      if (op.c != Operand::None && form != Form::L) i.rc = static_cast<uint8_t>(random());
      const std::optional<uint64_t> word = encode(i);
      ASSERT_TRUE(word.has_value()) << op.mnemonic;
      EXPECT_EQ(disassemble(*word).find('{'), std::string::npos) << disassemble(*word);
      expect_round_trip(*word, 0);
    }
  }
}

TEST(Disassemble, PrintsGuardModifiersAndConstant) {
  Instruction i;
  i.op = Opcode::Ffma;
  i.form = Form::C;
  i.guard = 0;
  i.guard_negated = true;
  i.rd = 4;
  i.ra = 5;
  i.rc = 7;
  i.imm = 4;
  i.set_field("rnd", 1);
  EXPECT_EQ(disassemble(*encode(i)), "@!P0 FFMA.RZ R4, R5, c[0][0x10], R7");
  i.set_field("neg_c", 1);
  EXPECT_EQ(disassemble(*encode(i)), "@!P0 FFMA.RZ R4, R5, c[0][0x10], -R7");
}

TEST(Disassemble, PrintsBranchTargetsAbsolute) {
  Instruction i;
  i.op = Opcode::Bra;
  i.form = Form::L;
  i.imm = -16;
  EXPECT_EQ(disassemble(*encode(i), 0x100), "BRA 0xf8");
  EXPECT_EQ(assemble("BRA 0xf8", 0x100), encode(i));
}

TEST(Disassemble, PrintsUnknownWordsAsData) {
  EXPECT_EQ(disassemble(0xdeadbeef00000000), ".word 0xdeadbeef00000000");
  EXPECT_EQ(assemble(".word 0xdeadbeef00000000"), 0xdeadbeef00000000);
}

TEST(Assemble, RefusesWhatIsNotAnInstruction) {
  for (const char* text : {"", "FROB R1", "IADD", "IADD R1", "IADD R1, R2", "IADD R1, R2, R3, R4", "IADD R1, R2, R300",
                           "IADD.FOO R1, R2, R3", "@P9 NOP", "MOV R1, c[0][3]", "MOV R1, c[9][4]", "BSSY B16, 0x10",
                           "LDG.32 R1, R2", "SEL R1, R2, R3", "IADD R1, R2, 99999999999999999999"})
    EXPECT_FALSE(assemble(text).has_value()) << text;
}

}  // namespace
}  // namespace heddle::isa
