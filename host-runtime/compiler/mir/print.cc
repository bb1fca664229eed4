// SPDX-License-Identifier: Apache-2.0
// Textual dump of machine IR.
#include <fmt/format.h>

#include "host-runtime/compiler/mir/mir.h"

namespace heddle::compiler::mir {
namespace {

std::string text(VReg v) { return fmt::format("p{}", v); }
std::string text(Pred p) { return fmt::format("{}{}", p.negated ? "!" : "", p.present() ? text(p.reg) : "pt"); }

std::string text(const AbiValue& v) { return fmt::format("{}:{}", to_string(v.value), v.size); }

std::string list(const std::vector<AbiValue>& values) {
  std::string out;
  for (const AbiValue& v : values) out += (out.empty() ? "" : ", ") + text(v);
  return out;
}
std::string list(const std::vector<Operand>& values) {
  std::string out;
  for (const Operand& v : values) out += (out.empty() ? "" : ", ") + to_string(v);
  return out;
}

// "IADD.SAT": the fields that are not zero.
std::string mnemonic(const Instruction& i) {
  std::string out(i.info().mnemonic);
  for (const isa::FieldInfo& f : i.info().fields) {
    if (f.kind == "PredSrc" || f.kind == "PredDst") continue;
    const unsigned v = i.mod >> f.lsb & ((1u << f.width) - 1);
    const std::string_view e = isa::enum_text(f.kind, v);
    if (!e.empty() && (v || f.name == "cmp" || f.name == "size")) out += fmt::format(".{}", e);
    else if (v && f.kind == "Flag") out += fmt::format(".{}", f.name);
    else if (v) out += fmt::format(".{}={}", f.name, v);
  }
  return out;
}

const char* class_name(RegClass c) {
  switch (c) {
    case RegClass::R32: return "r32";
    case RegClass::R64: return "r64";
    case RegClass::R128: return "r128";
    default: return "p";
  }
}

std::string text(const Function& f, const Terminator& t) {
  auto block = [&](size_t n) { return n < t.targets.size() ? fmt::format("b{}", t.targets[n]) : std::string("?"); };
  switch (t.kind) {
    case Terminator::Kind::None: return "(none)";
    case Terminator::Kind::Jump: return "jump " + block(0);
    case Terminator::Kind::Branch:
      return fmt::format("branch{} {} {} else {}", t.uniform ? ".uni" : "", text(t.cond), block(0), block(1));
    case Terminator::Kind::Indexed:
    case Terminator::Kind::Table: {
      std::string out =
          fmt::format("{} {}", t.kind == Terminator::Kind::Table ? "table" : "indexed", to_string(t.index));
      for (size_t n = 0; n < t.targets.size(); n++) out += " " + block(n);
      return out;
    }
    case Terminator::Kind::Exit: return "exit";
    case Terminator::Kind::Return:
      return fmt::format("return {}", f.live_at_return.empty() ? list(f.results) : list(f.live_at_return));
    default: return "unreachable";
  }
}

}  // namespace

std::string to_string(const Operand& o) {
  switch (o.kind) {
    case Operand::Kind::None: return "rz";
    case Operand::Kind::Reg:
      return o.sub || o.count != 1 ? fmt::format("v{}.{}:{}", o.id, o.sub, o.count) : fmt::format("v{}", o.id);
    case Operand::Kind::Phys: return o.count == 1 ? fmt::format("R{}", o.id) : fmt::format("R{}:{}", o.id, o.count);
    case Operand::Kind::Imm: return o.imm > 9 || o.imm < -9 ? fmt::format("{:#x}", o.imm) : fmt::format("{}", o.imm);
    case Operand::Kind::Const: return fmt::format("c[{}][{:#x}]", o.aux, o.id);
    case Operand::Kind::Symbol: {
      static constexpr const char* kParts[] = {"lo", "hi", "space"};
      return fmt::format("{}(sym{}{:+})", kParts[o.aux % 3], o.id, o.imm);
    }
    case Operand::Kind::Block: return fmt::format("b{}", o.id);
    case Operand::Kind::Table: return fmt::format("table of b{}", o.id);
    default: return fmt::format("frame{}{:+}", o.id, o.imm);
  }
}

std::string to_string(const Function& f, const Instruction& i) {
  std::string out;
  if (i.guard.present() || i.guard.negated) out = fmt::format("@{}{} ", text(i.guard), i.fresh ? "~" : "");
  switch (i.pseudo) {
    case Pseudo::Copy:
      if (i.pd != kNone) return out + fmt::format("copy {} = {}", text(i.pd), text(i.p));
      return out + fmt::format("copy {} = {}", to_string(i.dst), to_string(i.a));
    case Pseudo::Undef: return out + fmt::format("undef {}", i.pd != kNone ? text(i.pd) : to_string(i.dst));
    case Pseudo::Call: {
      const Call& c = f.calls[i.call];
      const std::string callee = c.callee != kNone ? fmt::format("sym{}", c.callee) : to_string(c.target);
      return out + fmt::format("call {} ({}) -> ({})", callee, c.lowered ? list(c.reads) : list(c.args),
                               c.lowered ? list(c.writes) : list(c.results));
    }
    case Pseudo::None: break;
  }
  out += mnemonic(i);
  std::string separator = " ";
  auto add = [&](const std::string& s) {
    out += separator + s;
    separator = ", ";
  };
  if (i.info().dst == isa::Operand::Bar) add(fmt::format("B{}", i.barrier));
  if (!i.dst.is_none()) add(to_string(i.dst));
  if (i.pd != kNone || i.pq != kNone) add(i.pd != kNone ? text(i.pd) : "_");
  if (i.pq != kNone) add(text(i.pq));
  const int last = !i.c.is_none() ? 3 : !i.b.is_none() ? 2 : !i.a.is_none() ? 1 : 0;
  if (last >= 1) add(to_string(i.a));
  if (last >= 2) add(to_string(i.b));
  if (last >= 3) add(to_string(i.c));
  if (!i.metadata.is_none()) add(to_string(i.metadata));
  if (i.p.present() || i.p.negated) add(text(i.p));
  if (i.p2.present() || i.p2.negated) add(text(i.p2));
  return out;
}

std::string to_string(const Function& f) {
  std::string out =
      fmt::format("{} {}({}) -> ({})\n", f.is_kernel ? "kernel" : "function", f.name, list(f.params), list(f.results));
  for (size_t n = 0; n < f.frame.size(); n++)
    out += fmt::format("  frame{} {} size {} align {}\n", n, f.frame[n].name, f.frame[n].size, f.frame[n].align);
  std::string classes;
  for (VReg v = 0; v < f.vregs.size(); v++)
    if (f.vregs[v] != RegClass::R32) classes += fmt::format(" v{}:{}", v, class_name(f.vregs[v]));
  if (!classes.empty()) out += "  vregs" + classes + "\n";
  for (BlockId b = 0; b < f.blocks.size(); b++) {
    out += fmt::format("b{}: {}\n", b, f.blocks[b].name);
    for (const Instruction& i : f.blocks[b].body) out += "    " + to_string(f, i) + "\n";
    out += "    " + text(f, f.blocks[b].end) + "\n";
  }
  return out;
}

std::string to_string(const Module& m) {
  std::string out = fmt::format("module target {} ptx {}\n", m.target, m.ptx_version);
  for (size_t n = 0; n < m.symbols.size(); n++) out += fmt::format("  sym{} {}\n", n, m.symbols[n].name);
  for (const Variable& v : m.variables)
    out += fmt::format("  variable {} size {} align {} init {} relocations {}\n", v.name, v.size, v.align,
                       v.init.size(), v.relocs.size());
  for (const Function& f : m.functions) out += to_string(f);
  return out;
}

}  // namespace heddle::compiler::mir
