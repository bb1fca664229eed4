// SPDX-License-Identifier: Apache-2.0
// Look-ups and linking; the file format is in cubin_file.cc.
#include "host-runtime/formats/cubin.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "isa/isa.h"

namespace heddle::formats {

const CubinKernel* Cubin::find_kernel(std::string_view name) const {
  for (const CubinKernel& k : kernels)
    if (k.name == name) return &k;
  return nullptr;
}

const CubinVariable* Cubin::find_variable(std::string_view name) const {
  for (const CubinVariable& v : variables)
    if (v.name == name) return &v;
  return nullptr;
}

std::optional<uint32_t> Cubin::first_use(isa::Unit unit) const {
  for (size_t n = 0; n < code.size(); n++) {
    const isa::OpInfo* info = isa::info(static_cast<uint8_t>(code[n]));
    if (info && info->unit == unit) return static_cast<uint32_t>(n * isa::kInstructionBytes);
  }
  return std::nullopt;
}

std::optional<uint32_t> Cubin::first_use(isa::Opcode op) const {
  for (size_t n = 0; n < code.size(); n++)
    if (static_cast<uint8_t>(code[n]) == static_cast<uint8_t>(op))
      return static_cast<uint32_t>(n * isa::kInstructionBytes);
  return std::nullopt;
}

std::optional<uint32_t> Cubin::first_float_atomic() const {
  for (size_t n = 0; n < code.size(); n++) {
    const auto op = static_cast<isa::Opcode>(code[n] & 0xff);
    if (op != isa::Opcode::Atomg && op != isa::Opcode::Atoms && op != isa::Opcode::Atom) continue;
    const auto instruction = isa::decode(code[n]);
    if (instruction && instruction->field("type") > static_cast<unsigned>(isa::AtomType::S))
      return static_cast<uint32_t>(n * isa::kInstructionBytes);
  }
  return std::nullopt;
}

namespace {

const CubinLine* line_at(const Cubin& cubin, const std::vector<CubinLine>& lines, uint32_t pc) {
  auto after =
      std::upper_bound(lines.begin(), lines.end(), pc, [](uint32_t p, const CubinLine& l) { return p < l.pc; });
  if (after == lines.begin()) return nullptr;
  const CubinLine& line = *(after - 1);
  return line.line == 0 || cubin.find_function(pc).empty() ? nullptr : &line;
}

}  // namespace

const CubinLine* Cubin::find_line(uint32_t pc) const { return line_at(*this, lines, pc); }

const CubinStatement* Cubin::find_ptx(uint32_t pc) const {
  const CubinLine* line = line_at(*this, ptx_lines, pc);
  if (!line) return nullptr;
  const auto at = std::lower_bound(ptx.begin(), ptx.end(), *line, [](const CubinStatement& s, const CubinLine& l) {
    return std::tie(s.module, s.line) < std::tie(l.file, l.line);
  });
  return at != ptx.end() && at->module == line->file && at->line == line->line ? &*at : nullptr;
}

std::string_view Cubin::find_function(uint32_t pc) const {
  for (const CubinKernel& k : kernels)
    if (pc >= k.entry && pc - k.entry < k.bytes) return k.name;
  for (const CubinFunction& f : functions)
    if (pc >= f.entry && pc - f.entry < f.bytes) return f.name;
  return {};
}

namespace {

uint64_t base_of(const LinkAddresses& at, Segment s) {
  return s == Segment::Code ? at.code : s == Segment::Global ? at.global : at.constant;
}

Status apply(LinkedImage& image, const CubinReloc& r, uint64_t address) {
  if (r.where == Segment::Code) {
    const size_t n = r.offset / 8;
    if (r.offset % 8 || n >= image.code.size()) return Error("a relocation lies outside the code");
    const uint64_t imm = r.kind == CubinReloc::Kind::Hi32 ? address >> 32 : address & 0xffffffff;
    image.code[n] = (image.code[n] & 0xffffffff) | imm << 32;
    return {};
  }
  std::vector<uint8_t>& data = r.where == Segment::Global ? image.global : image.constant;
  const uint64_t value = r.kind == CubinReloc::Kind::Hi32 ? address >> 32 : address >> r.shift;
  if (r.offset > data.size() || data.size() - r.offset < r.size) return Error("a relocation lies outside its segment");
  for (unsigned n = 0; n < r.size; n++) data[r.offset + n] = static_cast<uint8_t>(value >> 8 * n);
  return {};
}

}  // namespace

Result<LinkedImage> link(const Cubin& cubin, const LinkAddresses& at) {
  LinkedImage image;
  image.code = cubin.code;
  image.global = cubin.global_init;
  image.global.resize(cubin.global_bytes);
  image.constant = cubin.const_init;
  image.constant.resize(cubin.const_bytes);
  for (const CubinReloc& r : cubin.relocs) {
    uint64_t address = 0;
    if (r.name.empty()) {
      address = (r.space ? 0 : base_of(at, r.target)) + r.value;
    } else {
      const std::optional<uint64_t> found = at.external ? at.external(r.name) : std::nullopt;
      if (!found) return Error(fmt::format("undefined symbol '{}'", r.name));
      address = *found;
    }
    if (auto s = apply(image, r, address + static_cast<uint64_t>(r.addend)); !s) return s.error();
  }
  return image;
}

}  // namespace heddle::formats
