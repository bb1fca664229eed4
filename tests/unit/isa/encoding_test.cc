// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>
#include <set>

#include "isa/isa.h"

namespace heddle::isa {
namespace {

TEST(Encoding, DecodeInvertsEncodeForEveryWord) {
  std::mt19937_64 random(1);
  int decoded = 0;
  for (int n = 0; n < 200000; n++) {
    const uint64_t word = random();
    const auto i = decode(word);
    if (!i) continue;
    decoded++;
    ASSERT_EQ(encode(*i), word);
  }
  EXPECT_GT(decoded, 10000);
}

TEST(Encoding, OpcodesAndMnemonicsAreUnique) {
  std::set<uint8_t> codes;
  std::set<std::string_view> names;
  for (const OpInfo& op : all()) {
    EXPECT_TRUE(codes.insert(static_cast<uint8_t>(op.op)).second) << op.mnemonic;
    EXPECT_TRUE(names.insert(op.mnemonic).second) << op.mnemonic;
    EXPECT_EQ(find(op.mnemonic), &op);
  }
}

TEST(Encoding, FieldsOfAnOpDoNotOverlap) {
  for (const OpInfo& op : all()) {
    uint32_t used = 0;
    for (const FieldInfo& f : op.fields) {
      const uint32_t mask = ((1u << f.width) - 1) << f.lsb;
      EXPECT_EQ(used & mask, 0u) << op.mnemonic << " " << f.name;
      EXPECT_EQ(mask >> 18, 0u) << op.mnemonic << " " << f.name;
      used |= mask;
    }
  }
}

std::string names(const RegisterSet& set) {
  std::string all;
  for (size_t n = 0; n < set.size(); n++)
    if (set[n])
      all += (all.empty() ? "" : " ") +
             (n < kFirstPredicateBit ? "R" + std::to_string(n) : "P" + std::to_string(n - kFirstPredicateBit));
  return all;
}

TEST(Encoding, AccessesAreRegistersAndPredicates) {
  const struct {
    const char *text, *reads, *writes;
  } cases[] = {
      {"@!P2 FFMA R4, R5, c[0][0x10], R7", "R5 R7 P2", "R4"},
      {"IADD R4, R5, 1", "R5", "R4"},
      {"LDG.128 R8, [R2+0]", "R2 R3", "R8 R9 R10 R11"},
      {"STG.64 [R2+8], R6", "R2 R3 R6 R7", ""},
      {"ISETP.LT P0, P1, R1, R2, !P3", "R1 R2 P3", "P0 P1"},
      {"SEL R1, R2, R3, P4", "R2 R3 P4", "R1"},
      {"MOV RZ, R9", "R9", ""},
      {"ATOMG.64.ADD.U R8, R12, R4, RZ", "R4 R5 R12 R13", "R8 R9"},
      {"@P0 BRA 0x40", "P0", ""},
      {"EXIT", "", ""},
  };
  for (const auto& c : cases) {
    const auto word = assemble(c.text);
    ASSERT_TRUE(word) << c.text;
    const Accesses a = accesses(*decode(*word));
    EXPECT_EQ(names(a.reads), c.reads) << c.text;
    EXPECT_EQ(names(a.writes), c.writes) << c.text;
  }
}

TEST(Encoding, RefusesWhatDoesNotFit) {
  Instruction i;
  i.op = Opcode::Iadd;
  i.form = Form::S;
  i.imm = 32767;
  EXPECT_TRUE(encode(i));
  i.imm = 32768;
  EXPECT_FALSE(encode(i));
  i.imm = 0;
  i.mod = 1 << 10;
  EXPECT_FALSE(encode(i));
  i.form = Form::R;
  EXPECT_TRUE(encode(i));
  i.form = Form::L;
  i.mod = 4;
  EXPECT_FALSE(encode(i));
  i.op = Opcode::Exit;
  i.form = Form::R;
  i.mod = 0;
  EXPECT_FALSE(encode(i));
}

TEST(Encoding, SetFieldKeepsOtherFields) {
  Instruction i;
  i.op = Opcode::Isetp;
  EXPECT_TRUE(i.set_field("cmp", 5));
  EXPECT_TRUE(i.set_field("pc", 0xf));
  EXPECT_TRUE(i.set_field("cmp", 2));
  EXPECT_EQ(i.field("cmp"), 2u);
  EXPECT_EQ(i.field("pc"), 0xfu);
  EXPECT_FALSE(i.set_field("cmp", 8));
  EXPECT_FALSE(i.set_field("nonsense", 0));
}

TEST(Encoding, ImmediateOfFloatSourceIsTheUpperHalf) {
  Instruction i;
  i.op = Opcode::Fadd;
  i.form = Form::S;
  i.imm = 0x3f80;
  EXPECT_EQ(i.immediate(), 0x3f800000u);
  i.form = Form::L;
  i.imm = 0x3f800001;
  EXPECT_EQ(i.immediate(), 0x3f800001u);
  i.op = Opcode::Iadd;
  i.form = Form::S;
  i.imm = -1;
  EXPECT_EQ(i.immediate(), 0xffffffffu);
}

}  // namespace
}  // namespace heddle::isa
