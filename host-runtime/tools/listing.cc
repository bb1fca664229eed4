// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/listing.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/isa.h"

namespace heddle::tools {
namespace {

using namespace formats;

std::string target_name(const Cubin& cubin, const CubinReloc& r) {
  static constexpr const char* kParts[] = {"lo", "hi", "address"};
  std::string name = r.name;
  if (name.empty() && r.target == Segment::Code)
    name = std::string(cubin.find_function(static_cast<uint32_t>(r.value)));
  for (const auto& v : cubin.variables)
    if (name.empty() && v.segment == r.target && r.value >= v.offset &&
        r.value < v.offset + std::max<uint64_t>(v.size, 1))
      name = v.name;
  return fmt::format("{}({}{})", kParts[static_cast<size_t>(r.kind)], name,
                     r.addend ? fmt::format("{:+}", r.addend) : "");
}

void print_code(const Cubin& cubin, uint32_t entry, uint32_t bytes, const Listing& how) {
  const CubinLine* last = nullptr;
  for (uint32_t pc = entry; pc < entry + bytes; pc += 8) {
    const CubinLine* line = cubin.find_line(pc);
    if (how.lines && line && (!last || last->file != line->file || last->line != line->line))
      fmt::print("    // {}:{}\n", cubin.files[line->file], line->line);
    last = line;
    const uint64_t word = cubin.code[pc / 8];
    std::string note;
    for (const CubinReloc& r : cubin.relocs)
      if (r.where == Segment::Code && r.offset == pc) note = "  // " + target_name(cubin, r);
    fmt::print("  {:06x}  {}{}{}\n", pc, how.hex ? fmt::format("{:016x}  ", word) : "", isa::disassemble(word, pc),
               note);
  }
}

void print_kernel(const CubinKernel& k) {
  fmt::print("kernel {}  // {} registers, {} B shared{}, {} B local{}, {} B parameters, {} barriers\n", k.name,
             k.registers, k.shared_bytes, k.dynamic_shared ? " + dynamic" : "", k.local_bytes,
             k.needs_stack ? " + stack" : "", k.param_bytes, k.barriers);
}

}  // namespace

bool print_listing(const Cubin& cubin, const Listing& how) {
  const auto wanted = [&](const std::string& name) {
    return how.only.empty() || std::find(how.only.begin(), how.only.end(), name) != how.only.end();
  };
  bool found = how.only.empty();
  for (const CubinKernel& k : cubin.kernels) {
    if (!wanted(k.name)) continue;
    found = true;
    print_kernel(k);
    if (how.code) print_code(cubin, k.entry, k.bytes, how);
  }
  for (const CubinFunction& f : cubin.functions) {
    if (!wanted(f.name)) continue;
    found = true;
    fmt::print("function {}\n", f.name);
    if (how.code) print_code(cubin, f.entry, f.bytes, how);
  }
  if (how.only.empty() && how.variables)
    for (const CubinVariable& v : cubin.variables)
      fmt::print("variable {}  // {} bytes at {} of the {} segment\n", v.name, v.size, v.offset,
                 v.segment == Segment::Const ? "constant" : "global");
  return found;
}

}  // namespace heddle::tools
