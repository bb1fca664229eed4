// SPDX-License-Identifier: Apache-2.0
// Every arithmetic instruction of the model, in both compilations, against what an H200 answered
// (tests/silicon/h200). Each recorded PTX operation is written here as the instructions that mean
// it: inputs in R0:R1, R2:R3, R4:R5, R6:R7, outputs in R8:R9, R10:R11.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/model/float_environment.h"
#include "sim/model/ops.h"
#include "tests/unit/model/program.h"

namespace heddle::test {
namespace {

using Programs = std::map<std::string, std::string>;

void add_integer(Programs& p) {
  for (const std::string s : {"u32", "s32"}) {
    const std::string sign = s == "s32" ? ".SIGN" : "";
    p["add." + s] = "IADD R8, R0, R2";
    p["sub." + s] = "IADD R8, R0, -R2";
    p["mul.lo." + s] = "IMAD R8, R0, R2, RZ";
    p["mad.lo." + s] = "IMAD R8, R0, R2, R4";
    p["mul.hi." + s] = "IMAD.HI" + sign + " R8, R0, R2, RZ";
    p["mad.hi." + s] = "IMAD.HI" + sign + " R8, R0, R2, R4";
    p["mul.wide." + s] = "IMAD.WIDE" + sign + " R8, R0, R2, RZ";
    p["mad.wide." + s] = "IMAD.WIDE" + sign + " R8, R0, R2, R4";
    p["min." + s] = "IMNMX" + sign + " R8, R0, R2";
    p["max." + s] = "IMNMX.MAX" + sign + " R8, R0, R2";
    p["sad." + s] = "SAD" + sign + " R8, R0, R2, R4";
    p["shr." + s] = "SHR" + sign + " R8, R0, R2";
    p["bfind." + s] = "FLO" + std::string(".BIT") + sign + " R8, R0";
    p["bfind.shiftamt." + s] = "FLO" + std::string(".SHIFT") + sign + " R8, R0";
    p["bfe." + s] =
        "LOP.AND R3, R4, 255\nSHL R3, R3, 8\nLOP.AND R2, R2, 255\nLOP.OR R2, R2, R3\n"
        "BFE" +
        sign + " R8, R0, R2";
    for (const std::string t : {"u32", "s32"}) {
      const std::string signs = (s == "s32" ? std::string(".SIGN_A") : "") + (t == "s32" ? ".SIGN_B" : "");
      p["dp4a." + s + "." + t] = "DP4A" + signs + " R8, R0, R2, R4";
      p["dp2a.lo." + s + "." + t] = "DP2A" + signs + " R8, R0, R2, R4";
      p["dp2a.hi." + s + "." + t] = "DP2A" + signs + ".HI R8, R0, R2, R4";
    }
  }
  for (const std::string s : {"u64", "s64"}) {
    const std::string sign = s == "s64" ? ".SIGN" : "";
    p["add." + s] = "IADD.64 R8, R0, R2";
    p["sub." + s] = "IADD.64 R8, R0, -R2";
    p["min." + s] = "IMNMX.64" + sign + " R8, R0, R2";
    p["max." + s] = "IMNMX.64.MAX" + sign + " R8, R0, R2";
    p["shr." + s] = "SHR.64" + sign + " R8, R0, R2";
    // The low 64 bits of a product, from three pieces.
    p["mul.lo." + s] = "IMAD.WIDE R8, R0, R2, RZ\nIMAD R9, R0, R3, R9\nIMAD R9, R1, R2, R9";
  }
  p["add.sat.s32"] = "IADD.SAT R8, R0, R2";
  p["sub.sat.s32"] = "IADD.SAT R8, R0, -R2";
  p["abs.s32"] = "IABS R8, R0";
  p["neg.s32"] = "IADD R8, RZ, -R0";
  p["neg.s64"] = "IADD.64 R8, RZ, -R0";
  p["add.cc+addc.u32"] = "IADD.COUT_PLUS1=1 R8, R0, R2\nIADD.USE_CIN R10, R4, R6";
  p["sub.cc+subc.u32"] = "IADD.COUT_PLUS1=1 R8, R0, -R2\nIADD.USE_CIN R10, R4, -R6";
  p["add.cc+addc.u64"] = "IADD.64.COUT_PLUS1=1 R8, R0, R2\nIADD.64.USE_CIN R10, R4, R6";
  p["shl.b32"] = "SHL R8, R0, R2";
  p["shl.b64"] = "SHL.64 R8, R0, R2";
}

void add_bits(Programs& p) {
  for (const std::string op : {"AND", "OR", "XOR"}) {
    std::string lower;
    for (char c : op) lower += static_cast<char>(std::tolower(c));
    p[lower + ".b32"] = "LOP." + op + " R8, R0, R2";
    p[lower + ".b64"] = "LOP." + op + " R8, R0, R2\nLOP." + op + " R9, R1, R3";
  }
  p["not.b32"] = "MOV R12, -1\nLOP.ANDN R8, R12, R0";
  p["brev.b32"] = "BREV R8, R0";
  p["popc.b32"] = "POPC R8, R0";
  p["clz.b32"] = "FLO.CLZ R8, R0";
  p["bfi.b32"] =
      "LOP.AND R6, R6, 255\nSHL R6, R6, 8\nLOP.AND R4, R4, 255\nLOP.OR R4, R4, R6\n"
      "BFI R8, R0, R4, R2";
  p["shf.l.clamp.b32"] = "SHF R8, R0, R4, R2";
  p["shf.l.wrap.b32"] = "SHF.WRAP R8, R0, R4, R2";
  p["shf.r.clamp.b32"] = "SHF.RIGHT R8, R0, R4, R2";
  p["shf.r.wrap.b32"] = "SHF.RIGHT.WRAP R8, R0, R4, R2";
  for (const std::string lut : {"0x80", "0xca", "0xe8", "0x96", "0x1b", "0x7f"})
    p["lop3.b32." + lut] = "LOP3.LUT=" + std::to_string(std::stoul(lut, nullptr, 0)) + " R8, R0, R2, R4";
  p["prmt.b32"] = "PRMT.IDX R8, R0, R4, R2";
  for (const std::string mode : {"f4e", "b4e", "rc8", "ecl", "ecr", "rc16"}) {
    std::string upper;
    for (char c : mode) upper += static_cast<char>(std::toupper(c));
    p["prmt.b32." + mode] = "PRMT." + upper + " R8, R0, R4, R2";
  }
}

const std::string kPick = "\nMOV R12, 1\nSEL R8, R12, RZ, P0";

void add_compares(Programs& p) {
  for (const std::string c : {"LT", "LE", "GT", "GE", "EQ", "NE"}) {
    std::string lower;
    for (char x : c) lower += static_cast<char>(std::tolower(x));
    p["setp." + lower + ".u32"] = "ISETP." + c + " P0, PT, R0, R2, PT" + kPick;
    p["setp." + lower + ".s32"] = "ISETP." + c + ".SIGN P0, PT, R0, R2, PT" + kPick;
    p["setp." + lower + ".u64"] = "ISETP.64." + c + " P0, PT, R0, R2, PT" + kPick;
    p["setp." + lower + ".s64"] = "ISETP.64." + c + ".SIGN P0, PT, R0, R2, PT" + kPick;
  }
  for (const std::string c :
       {"LT", "LE", "GT", "GE", "EQ", "NE", "NUM", "NAN", "LTU", "LEU", "GTU", "GEU", "EQU", "NEU"}) {
    std::string lower;
    for (char x : c) lower += static_cast<char>(std::tolower(x));
    p["setp." + lower + ".f32"] = "FSETP." + c + " P0, PT, R0, R2, PT" + kPick;
    p["setp." + lower + ".f64"] = "DSETP." + c + " P0, PT, R0, R2, PT" + kPick;
    p["setp." + lower + ".ftz.f32"] = "FSETP." + c + ".FTZ P0, PT, R0, R2, PT" + kPick;
  }
}

// Of a rounding's name in PTX.
std::string rounding_suffix(const std::string& rnd) {
  return rnd == "rn" ? "" : std::string{'.', 'R', static_cast<char>(std::toupper(rnd[1]))};
}

void add_floats(Programs& p) {
  for (const std::string rnd : {"rn", "rz", "rm", "rp"}) {
    const std::string mode = rounding_suffix(rnd);
    for (const std::string x : {"", ".ftz", ".sat"}) {
      const std::string m = mode + (x == ".ftz" ? ".FTZ" : x == ".sat" ? ".SAT" : "");
      p["add." + rnd + x + ".f32"] = "FADD" + m + " R8, R0, R2";
      p["sub." + rnd + x + ".f32"] = "FADD" + m + " R8, R0, -R2";
      p["mul." + rnd + x + ".f32"] = "FMUL" + m + " R8, R0, R2";
      p["fma." + rnd + x + ".f32"] = "FFMA" + m + " R8, R0, R2, R4";
    }
    p["cvt." + rnd + "i.f32.f32"] = "FRND" + mode + ".INTEGRAL R8, R0";
    p["cvt." + rnd + ".f32.f64"] = "D2F" + mode + " R8, R0";
    for (const std::string sign : {"u", "s"}) {
      const std::string s = sign == "s" ? ".SIGN" : "";
      p["cvt." + rnd + ".f32." + sign + "32"] = "I2F" + mode + s + " R8, R0";
      p["cvt." + rnd + ".f32." + sign + "64"] = "I2F.64" + mode + s + " R8, R0";
      p["cvt." + rnd + "i." + sign + "8.f32"] = "F2I" + mode + s + ".W8 R8, R0";
      p["cvt." + rnd + "i." + sign + "16.f32"] = "F2I" + mode + s + ".W16 R8, R0";
      p["cvt." + rnd + "i." + sign + "32.f32"] = "F2I" + mode + s + " R8, R0";
      p["cvt." + rnd + "i." + sign + "64.f32"] = "F2I.64" + mode + s + " R8, R0";
    }
  }
  p["cvt.f64.f32"] = "F2D R8, R0";
  p["cvt.sat.f32.f32"] = "FRND.SAT R8, R0";
  p["cvt.ftz.f32.f32"] = "FRND.FTZ R8, R0";
  for (const std::string op : {"min", "max"}) {
    const std::string m = op == "max" ? ".MAX" : "";
    p[op + ".f32"] = "FMNMX" + m + " R8, R0, R2";
    p[op + ".ftz.f32"] = "FMNMX" + m + ".FTZ R8, R0, R2";
    p[op + ".NaN.f32"] = "FMNMX" + m + ".NAN R8, R0, R2";
    p[op + ".xorsign.abs.f32"] = "FMNMX" + m + ".XORSIGN_ABS R8, R0, R2";
  }
  p["abs.f32"] = "MOV R2, -0\nFADD R8, |R0|, -RZ";
  p["neg.f32"] = "FADD R8, -R0, -RZ";
}

void add_doubles(Programs& p) {
  for (const std::string rnd : {"rn", "rz", "rm", "rp"}) {
    const std::string mode = rounding_suffix(rnd);
    p["add." + rnd + ".f64"] = "DADD" + mode + " R8, R0, R2";
    p["sub." + rnd + ".f64"] = "DADD" + mode + " R8, R0, -R2";
    p["mul." + rnd + ".f64"] = "DMUL" + mode + " R8, R0, R2";
    p["fma." + rnd + ".f64"] = "DFMA" + mode + " R8, R0, R2, R4";
    p["cvt." + rnd + "i.f64.f64"] = "DRND" + mode + ".INTEGRAL R8, R0";
    for (const std::string sign : {"u", "s"}) {
      const std::string s = sign == "s" ? ".SIGN" : "";
      p["cvt." + rnd + ".f64." + sign + "32"] = "I2D" + mode + s + " R8, R0";
      p["cvt." + rnd + ".f64." + sign + "64"] = "I2D.64" + mode + s + " R8, R0";
      p["cvt." + rnd + "i." + sign + "8.f64"] = "D2I" + mode + s + ".W8 R8, R0";
      p["cvt." + rnd + "i." + sign + "16.f64"] = "D2I" + mode + s + ".W16 R8, R0";
      p["cvt." + rnd + "i." + sign + "32.f64"] = "D2I" + mode + s + " R8, R0";
      p["cvt." + rnd + "i." + sign + "64.f64"] = "D2I.64" + mode + s + " R8, R0";
    }
  }
  p["min.f64"] = "DMNMX R8, R0, R2";
  p["max.f64"] = "DMNMX.MAX R8, R0, R2";
  p["abs.f64"] = "DADD R8, |R0|, -RZ";
  p["neg.f64"] = "DADD R8, -R0, -RZ";
}

int width(const std::string& type) {
  if (type == "u8" || type == "s8") return 8;
  if (type == "u16" || type == "s16") return 16;
  return type.find("64") != std::string::npos ? 64 : 32;
}

std::vector<char> read_file(const std::string& name) {
  std::ifstream in(name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

// Runs all recorded operations that have a program; returns how many operations were exact.
int check(const model::OpTable& table) {
  const model::FloatEnvironment environment;
  Programs programs;
  add_integer(programs);
  add_bits(programs);
  add_compares(programs);
  add_floats(programs);
  add_doubles(programs);
  const std::string dir = HEDDLE_SILICON_DATA;
  std::ifstream in(dir + "/ptx_ops.json");
  const nlohmann::json record = nlohmann::json::parse(in);
  const std::vector<char> bytes = read_file(dir + "/ptx_ops.bin");
  int exact = 0;
  for (const auto& op : record["ops"]) {
    const std::string name = op["name"];
    const auto program = programs.find(name);
    if (program == programs.end()) continue;
    std::vector<model::Decoded> code;
    for (uint64_t word : assemble(program->second)) code.push_back(model::decode(word));
    const auto inputs = op["inputs"].get<std::vector<std::string>>();
    const auto outputs = op["outputs"].get<std::vector<std::string>>();
    const size_t words = inputs.size() + outputs.size();
    const size_t count = op["count"], offset = op["offset"];
    bool all = true;
    for (size_t first = 0; first < count; first += 32) {
      std::vector<model::Row> rows(16);
      uint32_t predicates[8] = {0, 0, 0, 0, 0, 0, 0, ~0u};
      std::vector<std::vector<uint64_t>> vectors(32, std::vector<uint64_t>(words));
      for (size_t lane = 0; lane < 32; lane++) {
        std::memcpy(vectors[lane].data(), &bytes[offset + 8 * words * (first + lane)], 8 * words);
        for (size_t k = 0; k < inputs.size(); k++) {
          rows[2 * k].lane[lane] = static_cast<uint32_t>(vectors[lane][k]);
          rows[2 * k + 1].lane[lane] = static_cast<uint32_t>(vectors[lane][k] >> 32);
        }
      }
      for (const model::Decoded& d : code) {
        model::Lanes l{rows.data(), predicates, nullptr, ~0u, ~0u, nullptr};
        l.b = d.b == model::Source::Immediate ? &d.imm_row : d.rb == isa::kRz ? &model::kZeroRow : &rows[d.rb];
        table[static_cast<size_t>(d.op)](d, l);
      }
      for (size_t lane = 0; lane < 32; lane++) {
        for (size_t k = 0; k < outputs.size(); k++) {
          const uint64_t wide = rows[8 + 2 * k].lane[lane] | uint64_t{rows[9 + 2 * k].lane[lane]} << 32;
          const int bits = width(outputs[k]);
          const uint64_t got = bits == 64 ? wide : wide & ((uint64_t{1} << bits) - 1);
          const uint64_t want = vectors[lane][inputs.size() + k];
          if (got != want && all) {
            ADD_FAILURE() << name << std::hex << ": inputs " << vectors[lane][0] << ", " << vectors[lane][1] << " gave "
                          << got << ", silicon " << want;
          }
          all = all && got == want;
        }
      }
    }
    exact += all;
  }
  return exact;
}

TEST(Silicon, AgreesInTheGenericCompilation) { EXPECT_GE(check(model::generic_op_table()), 300); }
TEST(Silicon, AgreesInTheCompilationThisProcessorUses) { EXPECT_GE(check(model::op_table()), 300); }

}  // namespace
}  // namespace heddle::test
