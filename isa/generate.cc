// SPDX-License-Identifier: Apache-2.0
// Prints what is generated from the tables: `isa_generate sv` the SystemVerilog package of the
// instruction set, `isa_generate device` that of the device contract, `isa_generate doc` the reference
// page. The outputs are kept in the tree; a test compares them with a fresh run.
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "isa/isa.h"

namespace {

using heddle::isa::FieldInfo;
using heddle::isa::OpInfo;

constexpr const char* kHead = "// SPDX-License-Identifier: Apache-2.0\n";

std::string upper_camel(std::string_view snake) {
  std::string out;
  bool up = true;
  for (char c : snake) {
    if (c == '_') {
      up = true;
    } else {
      out += up ? static_cast<char>(std::toupper(c)) : c;
      up = false;
    }
  }
  return out;
}

struct Enumerator {
  const char* type;
  int value;
  const char* name;
};
constexpr Enumerator kEnumerators[] = {
#define HEDDLE_ENUM(type, value, name, text) {#type, value, #name},
#include "isa/isa.def"
};
struct Field {
  const char* set;
  const char* name;
  int lsb;
  int width;
  const char* kind;
};
constexpr Field kFields[] = {
#define HEDDLE_FIELD(set, name, lsb, width, kind) {#set, #name, lsb, width, #kind},
#include "isa/isa.def"
};
struct Stall {
  const char *name, *doc;
};
constexpr Stall kStalls[] = {
#define HEDDLE_STALL(name, word, doc) {#name, doc},
#include "host-runtime/device/counters.def"
};
struct Named {
  const char *name, *doc;
};
constexpr Named kUnits[] = {
#define HEDDLE_UNIT(name, doc) {#name, doc},
#include "isa/isa.def"
};
constexpr Named kLatencies[] = {
#define HEDDLE_LATENCY(name, doc) {#name, doc},
#include "isa/isa.def"
};
struct Op {
  const char* name;
  const char* mnemonic;
  int code;
  const char *unit, *latency, *dst, *a, *b, *c, *forms, *mods, *status, *doc;
};
constexpr Op kOps[] = {
#define HEDDLE_OP(name, mnemonic, code, unit, latency, dst, a, b, c, forms, mods, status, doc) \
  {#name, mnemonic, code, #unit, #latency, #dst, #a, #b, #c, forms, #mods, #status, doc},
#include "isa/isa.def"
};

void print_sv() {
  std::printf(
      "%s// Generated from isa/isa.def by isa_generate; do not edit.\n"
      "// Encodings of instructions: opcodes, modifier fields, and what each opcode reads and writes.\n"
      "package isa_pkg;\n\n",
      kHead);
  std::printf("  typedef enum logic [7:0] {\n");
  for (const Op& op : kOps)
    std::printf("    Op%s = 8'h%02x%s\n", op.name, op.code, &op == std::end(kOps) - 1 ? "" : ",");
  std::printf("  } opcode_e;\n\n");
  auto list = [](const char* type, const char* prefix, const std::vector<const char*>& names, int width) {
    if (names.size() > std::size_t{1} << width) {
      std::fprintf(stderr, "isa_generate: %s has %zu names, more than %d bits tell apart\n", type, names.size(), width);
      std::exit(1);
    }
    std::printf("  typedef enum logic [%d:0] {\n", width - 1);
    int i = 0;
    for (const char* n : names) {
      std::printf("    %s%s = %d%s\n", prefix, n, i, i + 1 == static_cast<int>(names.size()) ? "" : ",");
      i++;
    }
    std::printf("  } %s;\n\n", type);
  };
  std::vector<const char*> units;
  int built_units = 0;
  for (const Named& unit : kUnits) {
    units.push_back(unit.name);
    for (const Op& op : kOps)
      if (std::string(op.unit) == unit.name && std::string(op.status) == "Built")
        built_units = static_cast<int>(units.size());
  }
  list("unit_e", "Unit", units, 4);
  std::printf("  // Those that some instruction needs; they come first.\n  localparam int unsigned Units = %d;\n\n",
              built_units);
  std::vector<const char*> latencies;
  for (const Named& latency : kLatencies) latencies.push_back(latency.name);
  list("latency_e", "Lat", latencies, 6);
  std::printf("  localparam int unsigned Latencies = %zu;\n\n", std::size(kLatencies));
  list("operand_e", "Opnd", {"None", "R32", "F32", "R64", "RSz", "P2", "Bar", "Var", "FragA", "FragB", "FragC"}, 4);
  list("form_e", "Form", {"R", "C", "S", "L"}, 2);

  std::string type;
  for (const Enumerator& e : kEnumerators) {
    if (type != e.type) {
      type = e.type;
      std::printf("\n  // %s\n", e.type);
    }
    std::printf("  localparam int unsigned %s%s = %d;\n", e.type, e.name, e.value);
  }
  std::printf("\n  // Modifier fields: bit positions within the 18-bit modifier.\n");
  for (const Field& f : kFields) {
    const std::string n = std::string(f.set) + upper_camel(f.name);
    std::printf("  localparam int unsigned %sLsb = %d;\n", n.c_str(), f.lsb);
    if (f.width > 1) std::printf("  localparam int unsigned %sWidth = %d;\n", n.c_str(), f.width);
  }
  std::printf(
      "\n  // What decode needs of an opcode. built is 0 for reserved encodings and holes.\n"
      "  typedef struct packed {\n"
      "    logic     built;\n"
      "    unit_e    unit;\n"
      "    latency_e latency;\n"
      "    operand_e dst;\n"
      "    operand_e a;\n"
      "    operand_e b;\n"
      "    operand_e c;\n"
      "    logic [3:0] forms;  // bit form_e: the op has that form\n"
      "  } op_props_t;\n\n"
      "  function automatic op_props_t op_props(input logic [7:0] opcode);\n"
      "    unique case (opcode)\n");
  for (const Op& op : kOps) {
    if (std::string(op.status) != "Built") continue;
    int forms = 0;
    for (const char* f = op.forms; *f; f++) forms |= 1 << std::string("RCSL").find(*f);
    std::printf("      8'h%02x: return '{1'b1, Unit%s, Lat%s, Opnd%s, Opnd%s, Opnd%s, Opnd%s, 4'd%d};  // %s\n",
                op.code, op.unit, op.latency, op.dst, op.a, op.b, op.c, forms, op.mnemonic);
  }
  std::printf(
      "      default: return '{1'b0, UnitCtl, LatCtl, OpndNone, OpndNone, OpndNone, OpndNone, 4'd0};\n"
      "    endcase\n  endfunction\n\nendpackage\n");
}

struct Segment {
  unsigned c0, c1, c2, shift;
};
constexpr Segment kSegments[] = {
#define HEDDLE_MUFU_SEGMENT(c0, c1, c2, shift) {c0, c1, c2, shift},
#include "isa/mufu.def"
};

void print_mufu() {
  std::printf(
      "%s// Generated from isa/mufu.def by isa_generate; do not edit.\n"
      "// The tables of the special function unit, 64 segments a group: shift, c2, c1, c0.\n"
      "package sfu_table_pkg;\n\n"
      "  localparam int unsigned C0W = 27;\n  localparam int unsigned C1W = 17;\n"
      "  localparam int unsigned C2W = 14;\n  localparam int unsigned ShiftW = 3;\n"
      "  localparam int unsigned Segments = %zu;\n\n"
      "  typedef struct packed {\n    logic [ShiftW-1:0] shift;\n    logic [C2W-1:0]    c2;\n"
      "    logic [C1W-1:0]    c1;\n    logic [C0W-1:0]    c0;\n  } segment_t;\n\n"
      "  localparam logic [Segments-1:0][60:0] Table = '{\n",
      kHead, std::size(kSegments));
  for (size_t i = std::size(kSegments); i-- > 0;) {
    const Segment& s = kSegments[i];
    const unsigned long long word = static_cast<unsigned long long>(s.shift) << 58 |
                                    static_cast<unsigned long long>(s.c2) << 44 |
                                    static_cast<unsigned long long>(s.c1) << 27 | s.c0;
    std::printf("    61'h%016llx%s%s", word, i ? "," : "", i % 4 ? " " : "\n");
  }
  std::printf("  };\n\nendpackage\n");
}

struct Constant {
  const char* group;
  const char* name;
  unsigned long long value;
  const char* doc;
};
constexpr Constant kDevice[] = {
#define HEDDLE_DEVICE(group, name, value, doc) {#group, #name, value, doc},
#include "host-runtime/device/contract.def"
};

void print_device() {
  std::printf(
      "%s// Generated from host-runtime/device/contract.def by isa_generate; do not edit.\n"
      "// The device contract: registers, command layout, status codes.\npackage device_pkg;\n",
      kHead);
  std::string group;
  for (const Constant& c : kDevice) {
    if (group != c.group) {
      group = c.group;
      std::printf("\n  // %s\n", c.group);
    }
    if (c.value >> 32)
      std::printf("  localparam logic [63:0] %s%s = 64'h%llx;  // %s\n", c.group, c.name, c.value, c.doc);
    else std::printf("  localparam logic [31:0] %s%s = 32'h%llx;  // %s\n", c.group, c.name, c.value, c.doc);
  }
  std::printf("\n  // What a resident warp does in a cycle (counters.def)\n");
  for (const Stall& stall : kStalls)
    std::printf("  localparam logic [4:0] Stall%s = 5'd%td;  // %s\n", stall.name, &stall - kStalls, stall.doc);
  std::printf("\nendpackage\n");
}

void print_doc() {
  std::printf(
      "<!-- Generated from isa/isa.def by isa_generate; do not edit. -->\n"
      "# Instruction set reference\n\n"
      "Every instruction is 64 bits wide.\n\n"
      "| form | bits | b operand |\n| --- | --- | --- |\n"
      "| R | 37:30 rb, 45:38 mod[17:10], 53:46 rc, 63:54 mod[9:0] | register rb |\n"
      "| C | 43:30 word offset, 45:44 bank, 53:46 rc, 63:54 mod[9:0] | constant[bank][4 x offset] |\n"
      "| S | 45:30 imm16, 53:46 rc, 63:54 mod[9:0] | imm16 sign-extended; shifted up 16 bits for an f32 source |\n"
      "| L | 31:30 mod[1:0], 63:32 imm32 | imm32 |\n\n"
      "All forms: 7:0 opcode, 10:8 guard predicate, 11 guard negated, 19:12 rd, 27:20 ra, 29:28 form.\n\n"
      "| opcode | mnemonic | unit | latency | dst | a | b | c | forms | modifiers | status | operation |\n"
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |\n");
  for (const Op& op : kOps)
    std::printf("| 0x%02x | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s | %s |\n", op.code, op.mnemonic, op.unit,
                op.latency, op.dst, op.a, op.b, op.c, op.forms, op.mods, op.status, op.doc);
  std::printf("\n## Units\n\n| number | unit | executes |\n| --- | --- | --- |\n");
  for (const Named& unit : kUnits) std::printf("| %td | %s | %s |\n", &unit - kUnits, unit.name, unit.doc);
  std::printf("\n## Latency classes\n\n| class | instructions |\n| --- | --- |\n");
  for (const Named& latency : kLatencies) std::printf("| %s | %s |\n", latency.name, latency.doc);
  std::printf("\n## Modifiers\n\n| set | field | bits | kind |\n| --- | --- | --- | --- |\n");
  for (const Field& f : kFields)
    std::printf("| %s | %s | %d:%d | %s |\n", f.set, f.name, f.lsb + f.width - 1, f.lsb, f.kind);
  std::printf("\n## Values\n\n| type | value | text |\n| --- | --- | --- |\n");
  for (const Enumerator& e : kEnumerators)
    std::printf("| %s | %d | %s |\n", e.type, e.value,
                std::string(heddle::isa::enum_text(e.type, static_cast<unsigned>(e.value))).c_str());
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "sv") print_sv();
  else if (what == "device") print_device();
  else if (what == "mufu") print_mufu();
  else if (what == "doc") print_doc();
  else {
    std::fprintf(stderr, "usage: isa_generate sv|device|mufu|doc\n");
    return 2;
  }
  return 0;
}
