// SPDX-License-Identifier: Apache-2.0
// The inverse of disassemble.cc: reads what it prints.
#include <charconv>
#include <optional>

#include "isa/isa.h"
#include "isa/text.h"

namespace heddle::isa {
namespace {

// Every reader returns false at the first thing that it does not understand.
class Reader {
 public:
  Reader(std::string_view text, uint32_t pc) : text_(text), pc_(pc) {}

  std::optional<uint64_t> read() {
    skip();
    if (take(".word")) {
      int64_t value = 0;
      skip();
      return number(value) && done() ? std::optional(static_cast<uint64_t>(value)) : std::nullopt;
    }
    if (!guard() || !mnemonic() || !modifiers() || !operands() || !leftovers() || !done()) return std::nullopt;
    return encode(i_);
  }

 private:
  void skip() {
    while (!text_.empty() && text_.front() == ' ') text_.remove_prefix(1);
  }
  bool take(std::string_view s) {
    if (text_.substr(0, s.size()) != s) return false;
    text_.remove_prefix(s.size());
    return true;
  }
  bool done() {
    skip();
    return text_.empty();
  }
  std::string_view word() {
    size_t n = 0;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_')) n++;
    const std::string_view w = text_.substr(0, n);
    text_.remove_prefix(n);
    return w;
  }

  bool number(int64_t& value) {
    const bool negative = take("-");
    if (!negative) take("+");
    const bool hex = take("0x");
    uint64_t v = 0;
    const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), v, hex ? 16 : 10);
    if (error != std::errc{}) return false;
    text_.remove_prefix(static_cast<size_t>(end - text_.data()));
    value = static_cast<int64_t>(negative ? 0 - v : v);
    return true;
  }

  bool reg(uint8_t& r) {
    if (take("RZ")) {
      r = kRz;
      return true;
    }
    int64_t v = 0;
    if (!take("R") || !number(v) || v < 0 || v >= kRz) return false;
    r = static_cast<uint8_t>(v);
    return true;
  }

  bool pred(unsigned& p) {
    if (take("PT")) {
      p = kPt;
      return true;
    }
    int64_t v = 0;
    if (!take("P") || !number(v) || v < 0 || v >= kNumPredicates) return false;
    p = static_cast<unsigned>(v);
    return true;
  }

  bool guard() {
    if (!take("@")) return true;
    i_.guard_negated = take("!");
    unsigned p = 0;
    if (!pred(p)) return false;
    i_.guard = static_cast<uint8_t>(p);
    skip();
    return true;
  }

  // The longest mnemonic that the text begins with ("IADD.64" before "IADD").
  bool mnemonic() {
    for (const OpInfo& op : all()) {
      const std::string_view m = op.mnemonic;
      if (text_.substr(0, m.size()) != m || (op_ && op_->mnemonic.size() > m.size())) continue;
      const char next = text_.size() > m.size() ? text_[m.size()] : ' ';
      if (next == ' ' || next == '.') op_ = &op;
    }
    if (!op_) return false;
    i_.op = op_->op;
    return take(op_->mnemonic);
  }

  bool modifiers() {
    while (take(".")) {
      const std::string_view name = word();
      if (name.empty()) return false;
      if (take("=")) {
        if (!named(name)) return false;
      } else if (!bare(name)) {
        return false;
      }
    }
    return true;
  }

  bool named(std::string_view name) {
    for (const FieldInfo& f : op_->fields) {
      if (text::upper(f.name) != name) continue;
      const std::string_view saved = text_;
      if (text::is_enum(f))
        if (const auto v = enum_value(f.kind, word())) return i_.set_field(f.name, *v);
      text_ = saved;
      int64_t v = 0;
      return number(v) && v >= 0 && i_.set_field(f.name, static_cast<unsigned>(v));
    }
    return false;
  }

  bool bare(std::string_view name) {
    for (const FieldInfo& f : op_->fields) {
      if (f.kind == "Flag" && text::upper(f.name) == name) return i_.set_field(f.name, 1);
      if (text::is_enum(f) && !text::is_ambiguous(*op_, f))
        if (const auto v = enum_value(f.kind, name)) return i_.set_field(f.name, *v);
    }
    return false;
  }

  bool separator() {
    skip();
    if (first_) {
      first_ = false;
      return true;
    }
    if (!take(",")) return false;
    skip();
    return true;
  }

  bool operands() {
    // The form when the b operand does not tell it: the op's only one.
    i_.form = static_cast<Form>(std::string_view("RCSL").find(op_->forms[0]));
    return destination() && sources() && predicates();
  }

  bool destination() {
    if (op_->dst == Operand::None) return true;
    if (!separator()) return false;
    if (op_->dst == Operand::P2) {
      unsigned pd = 0, pq = 0;
      if (!pred(pd) || !separator() || !pred(pq)) return false;
      i_.rd = static_cast<uint8_t>(pd | pq << 3);
      return true;
    }
    if (op_->dst == Operand::Bar) {
      int64_t v = 0;
      if (!take("B") || !number(v) || v < 0 || v >= kNumConvergenceBarriers) return false;
      i_.rd = static_cast<uint8_t>(v);
      return true;
    }
    return reg(i_.rd);
  }

  template <typename F>
  bool decorated(char which, F operand) {
    const FieldInfo* neg = text::decoration(*op_, "neg_", which);
    const FieldInfo* abs = text::decoration(*op_, "abs_", which);
    const bool parentheses = neg && take("-(");
    const bool number = text_.size() > 1 && std::isdigit(static_cast<unsigned char>(text_[1]));
    if (parentheses || (neg && !number && take("-"))) i_.set_field(neg->name, 1);
    const bool bars = abs && take("|");
    if (bars) i_.set_field(abs->name, 1);
    return operand() && (!bars || take("|")) && (!parentheses || take(")"));
  }

  bool sources() {
    if (text::is_address(*op_, i_.form)) {
      int64_t v = 0;
      if (!separator() || !take("[") || !reg(i_.ra) || !number(v) || !take("]")) return false;
      i_.imm = static_cast<int32_t>(v);
    } else {
      if (op_->a != Operand::None && (!separator() || !decorated('a', [&] { return reg(i_.ra); }))) return false;
      if (!b_source()) return false;
    }
    if (op_->c == Operand::None || i_.form == Form::L) return true;
    return separator() && decorated('c', [&] { return reg(i_.rc); });
  }

  bool b_source() {
    if (text::is_relative(i_.op)) {
      int64_t v = 0;
      if (!separator() || !number(v)) return false;
      i_.imm = static_cast<int32_t>(static_cast<uint32_t>(v) - pc_ - kInstructionBytes);
      return true;
    }
    if (i_.op == Opcode::S2r || i_.op == Opcode::S2r64) return special();
    if (op_->b != Operand::None || i_.form == Form::C)
      return separator() && decorated('b', [&] { return b_operand(); });
    if (i_.form == Form::R) return true;
    skip();
    if (text_.empty() || text_.front() == '{') return true;
    // The op has more operands (predicates) and imm rests: nothing of b is written.
    const std::string_view saved = text_;
    const bool saved_first = first_;
    if (separator() && b_operand()) return true;
    text_ = saved;
    first_ = saved_first;
    i_.imm = 0;
    i_.form = static_cast<Form>(std::string_view("RCSL").find(op_->forms[0]));
    return true;
  }

  bool special() {
    if (!separator()) return false;
    const std::string_view saved = text_;
    size_t n = 0;
    while (n < text_.size() && text_[n] != ' ' && text_[n] != ',') n++;
    if (const auto v = enum_value("SpecialReg", text_.substr(0, n))) {
      text_.remove_prefix(n);
      i_.imm = static_cast<int32_t>(*v);
      return true;
    }
    text_ = saved;
    int64_t v = 0;
    if (!number(v)) return false;
    i_.imm = static_cast<int32_t>(v);
    return true;
  }

  bool b_operand() {
    int64_t v = 0;
    if (text_.substr(0, 1) == "R") {
      i_.form = Form::R;
      return reg(i_.rb);
    }
    if (take("c[")) {
      int64_t bank = 0;
      if (!number(bank) || !take("][") || !number(v) || !take("]") || v % 4 || bank < 0 || bank > 3) return false;
      i_.form = Form::C;
      i_.bank = static_cast<uint8_t>(bank);
      i_.imm = static_cast<int32_t>(v / 4);
      return true;
    }
    const bool hex = text_.substr(0, 2) == "0x";
    if (!number(v)) return false;
    i_.form = hex ? Form::L : Form::S;
    i_.imm = static_cast<int32_t>(v);
    if (take("<<16")) {
      i_.form = Form::S;
      i_.imm = static_cast<int16_t>(v);
    }
    return true;
  }

  bool predicates() {
    for (const FieldInfo& f : op_->fields) {
      if (!text::is_pred(f)) continue;
      if (!separator()) return false;
      const bool negated = take("!");
      unsigned p = 0;
      if (!pred(p) || !i_.set_field(f.name, p | (negated ? 8u : 0u))) return false;
    }
    return true;
  }

  bool leftovers() {
    skip();
    if (!take("{")) return true;
    while (!take("}")) {
      skip();
      const std::string_view name = word();
      int64_t v = 0;
      if (!take("=") || !number(v) || v < 0) return false;
      const auto u = static_cast<uint32_t>(v);
      if (name == "mod") i_.mod |= u;
      else if (name == "rd") i_.rd = static_cast<uint8_t>(op_->dst == Operand::None ? u : i_.rd | u);
      else if (name == "ra") i_.ra = static_cast<uint8_t>(u);
      else if (name == "rb") i_.rb = static_cast<uint8_t>(u);
      else if (name == "rc") i_.rc = static_cast<uint8_t>(u);
      else return false;
    }
    return true;
  }

  std::string_view text_;
  uint32_t pc_;
  bool first_ = true;
  const OpInfo* op_ = nullptr;
  Instruction i_;
};

}  // namespace

std::optional<uint64_t> assemble(std::string_view text, uint32_t pc) { return Reader(text, pc).read(); }

}  // namespace heddle::isa
