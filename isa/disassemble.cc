// SPDX-License-Identifier: Apache-2.0
// Text of an instruction, generic from the table:
//
//   @!P0 FFMA.RZ R4, -R5, c[0][0x10], R7
//
// The b operand tells the form: a register (R), c[bank][byte] (C), a decimal number or 0x3f80<<16 (S),
// eight hexadecimal digits (L). Fields that the op does not use and that are not at rest are written in
// braces at the end, so that nothing of the word is lost.
#include <fmt/format.h>

#include "isa/isa.h"
#include "isa/text.h"

namespace heddle::isa {
namespace {

std::string reg(unsigned r) { return r == kRz ? "RZ" : fmt::format("R{}", r); }
std::string pred(unsigned p) { return (p & 7) == kPt ? "PT" : fmt::format("P{}", p & 7); }

class Printer {
 public:
  Printer(const Instruction& i, uint32_t pc) : i_(i), op_(info(i.op)), pc_(pc) {}

  std::string print() {
    if (i_.guard != kPt || i_.guard_negated) out_ = fmt::format("@{}{} ", i_.guard_negated ? "!" : "", pred(i_.guard));
    out_ += op_.mnemonic;
    modifiers();
    destination();
    sources();
    predicates();
    rest();
    return out_;
  }

 private:
  unsigned value(const FieldInfo& f) const { return i_.mod >> f.lsb & ((1u << f.width) - 1); }

  void operand(std::string_view s) {
    out_ += first_ ? " " : ", ";
    out_ += s;
    first_ = false;
  }
  void leftover(std::string_view name, unsigned value) {
    rest_ += fmt::format("{}{}={:#x}", rest_.empty() ? "" : " ", name, value);
  }

  void modifiers() {
    uint32_t known = 0;
    for (const FieldInfo& f : op_.fields) {
      known |= ((1u << f.width) - 1) << f.lsb;
      const unsigned v = value(f);
      if (text::is_pred(f) || text::is_decoration(f)) continue;
      if (text::is_enum(f)) {
        const std::string_view t = enum_text(f.kind, v);
        if (v == 0 && text::has_default(f)) continue;
        if (t.empty()) out_ += fmt::format(".{}={}", text::upper(f.name), v);
        else if (text::is_ambiguous(op_, f)) out_ += fmt::format(".{}={}", text::upper(f.name), t);
        else out_ += fmt::format(".{}", t);
      } else if (v && f.kind == "Flag") {
        out_ += "." + text::upper(f.name);
      } else if (v) {
        out_ += fmt::format(".{}={}", text::upper(f.name), v);
      }
    }
    if (i_.mod & ~known) leftover("mod", i_.mod & ~known);
  }

  void destination() {
    switch (op_.dst) {
      case Operand::None:
        if (i_.rd != kRz) leftover("rd", i_.rd);
        break;
      case Operand::P2:
        operand(pred(i_.rd));
        operand(pred(i_.rd >> 3));
        if (i_.rd >> 6) leftover("rd", i_.rd & 0xc0);
        break;
      case Operand::Bar:
        operand(fmt::format("B{}", i_.rd & 15));
        if (i_.rd >> 4) leftover("rd", i_.rd & 0xf0);
        break;
      default: operand(reg(i_.rd));
    }
  }

  std::string decorated(std::string s, char which) const {
    const FieldInfo* abs = text::decoration(op_, "abs_", which);
    const FieldInfo* neg = text::decoration(op_, "neg_", which);
    if (abs && value(*abs)) s = "|" + s + "|";
    if (neg && value(*neg)) s = is_number(s) ? "-(" + s + ")" : "-" + s;
    return s;
  }

  static bool is_number(std::string_view s) { return s[0] == '-' || (s[0] >= '0' && s[0] <= '9'); }

  std::string b_text() const {
    switch (i_.form) {
      case Form::R: return reg(i_.rb);
      case Form::C: return fmt::format("c[{}][{:#x}]", i_.bank, i_.imm * 4);
      case Form::S:
        if (op_.b == Operand::F32) return fmt::format("{:#06x}<<16", i_.imm & 0xffff);
        return fmt::format("{}", i_.imm);
      default: return fmt::format("{:#010x}", static_cast<uint32_t>(i_.imm));
    }
  }

  void sources() {
    if (text::is_address(op_, i_.form)) {
      operand(fmt::format("[{}{:+d}]", reg(i_.ra), i_.imm));
    } else {
      if (op_.a != Operand::None) operand(decorated(reg(i_.ra), 'a'));
      else if (i_.ra != kRz) leftover("ra", i_.ra);
      b_source();
    }
    if (op_.c != Operand::None && i_.form != Form::L) operand(decorated(reg(i_.rc), 'c'));
    else if (i_.rc != kRz) leftover("rc", i_.rc);
  }

  void b_source() {
    if (text::is_relative(i_.op)) {
      operand(fmt::format("{:#x}", pc_ + kInstructionBytes + static_cast<uint32_t>(i_.imm)));
    } else if (i_.op == Opcode::S2r || i_.op == Opcode::S2r64) {
      const std::string_view t =
          i_.imm < 0 ? std::string_view{} : enum_text("SpecialReg", static_cast<unsigned>(i_.imm));
      operand(t.empty() ? fmt::format("{}", i_.imm) : std::string(t));
    } else if (op_.b != Operand::None || i_.form == Form::C) {
      operand(decorated(b_text(), 'b'));
    } else if (i_.form == Form::R) {
      if (i_.rb != kRz) leftover("rb", i_.rb);
    } else if (i_.imm != 0) {
      operand(b_text());
    }
  }

  void predicates() {
    for (const FieldInfo& f : op_.fields) {
      if (!text::is_pred(f)) continue;
      const unsigned v = value(f);
      operand(fmt::format("{}{}", v & 8 ? "!" : "", pred(v)));
    }
  }

  void rest() {
    // neg_b without a b operand to write it at, and the like.
    for (const FieldInfo& f : op_.fields)
      if (text::is_decoration(f) && value(f) && !written(f.name[4])) leftover("mod", value(f) << f.lsb);
    if (!rest_.empty()) out_ += " {" + rest_ + "}";
  }
  bool written(char which) const { return !(which == 'c' && i_.form == Form::L); }

  const Instruction& i_;
  const OpInfo& op_;
  uint32_t pc_;
  bool first_ = true;
  std::string out_, rest_;
};

}  // namespace

std::string disassemble(uint64_t word, uint32_t pc) {
  const std::optional<Instruction> i = decode(word);
  if (!i) return fmt::format(".word {:#018x}", word);
  return Printer(*i, pc).print();
}

}  // namespace heddle::isa
