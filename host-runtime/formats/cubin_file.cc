// SPDX-License-Identifier: Apache-2.0
// The file: sections .text, .data, .rodata.const, .debug_*, and four of our own, .heddle.info (kernels, variables,
// relocations), .heddle.lines, .heddle.ptx_lines and .heddle.ptx (for the device linker). Numbers are little-endian;
// lists begin with their 32-bit count.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "host-runtime/formats/bytes.h"
#include "host-runtime/formats/cubin.h"
#include "host-runtime/formats/elf.h"

namespace heddle::formats {
namespace {

constexpr uint32_t kInfoMagic = 0x4b444c48;  // "HLDK"
constexpr uint32_t kInfoVersion = 3;         // 1: %envreg0 and 1 led to the runtime block; 2: no clusters
constexpr uint64_t kMaxSegment = uint64_t{1} << 40;

// One description of every record serves for writing and for reading.
struct Put {
  ByteWriter& w;
  template <typename T>
  void number(const T& v) {
    if constexpr (std::is_enum_v<T>) w.put(static_cast<uint8_t>(v));
    else w.put(v);
  }
  void string(const std::string& s) { w.put_string(s); }
  template <typename T, typename F>
  void list(const std::vector<T>& v, F each) {
    w.put(static_cast<uint32_t>(v.size()));
    for (const T& x : v) each(x);
  }
};
struct Get {
  ByteReader& r;
  template <typename T>
  void number(T& v) {
    if constexpr (std::is_enum_v<T>) v = static_cast<T>(r.get<uint8_t>());
    else if constexpr (std::is_same_v<T, bool>) v = r.get<uint8_t>() != 0;
    else r.get(v);
  }
  void string(std::string& s) { s = r.get_string(); }
  template <typename T, typename F>
  void list(std::vector<T>& v, F each) {
    v.resize(r.get_count(1));
    for (T& x : v) {
      if (!r.ok()) return;
      each(x);
    }
  }
};

template <typename Io, typename K>
void kernel(Io io, K& k) {
  io.string(k.name);
  io.number(k.entry), io.number(k.bytes), io.number(k.registers), io.number(k.shared_bytes), io.number(k.local_bytes);
  io.number(k.needs_stack), io.number(k.dynamic_shared), io.number(k.param_bytes), io.number(k.barriers);
  for (auto& n : k.max_threads) io.number(n);
  for (auto& n : k.required_threads) io.number(n);
  for (auto& n : k.required_cluster) io.number(n);
  io.number(k.explicit_cluster), io.number(k.max_cluster_blocks);
  io.number(k.min_blocks_per_sm), io.number(k.spill_stores), io.number(k.spill_loads);
  io.list(k.params, [&](auto& p) { io.string(p.name), io.number(p.offset), io.number(p.size); });
}

template <typename Io, typename R>
void reloc(Io io, R& r) {
  io.number(r.where), io.number(r.offset), io.number(r.kind), io.number(r.size), io.number(r.shift), io.number(r.space);
  io.number(r.target), io.number(r.value), io.string(r.name), io.number(r.addend);
}

template <typename Io, typename C>
void info(Io io, C& c) {
  io.string(c.target);
  io.number(c.global_bytes), io.number(c.global_align), io.number(c.const_bytes);
  io.list(c.kernels, [&](auto& k) { kernel(io, k); });
  io.list(c.functions, [&](auto& f) { io.string(f.name), io.number(f.entry), io.number(f.bytes); });
  io.list(c.variables, [&](auto& v) {
    io.string(v.name), io.number(v.segment), io.number(v.visible), io.number(v.managed);
    io.number(v.offset), io.number(v.size), io.number(v.align);
  });
  io.list(c.relocs, [&](auto& r) { reloc(io, r); });
}

template <typename Io, typename L>
void line_table(Io io, L& lines) {
  io.list(lines, [&](auto& l) { io.number(l.pc), io.number(l.file), io.number(l.line); });
}

template <typename Io, typename C>
void lines(Io io, C& c) {
  io.list(c.files, [&](auto& f) { io.string(f); });
  line_table(io, c.lines);
}

template <typename Io, typename C>
void ptx_lines(Io io, C& c) {
  line_table(io, c.ptx_lines);
  io.list(c.ptx, [&](auto& s) { io.number(s.module), io.number(s.line), io.string(s.text); });
}

template <typename Io, typename C>
void sources(Io io, C& c) {
  io.list(c.sources, [&](auto& s) { io.string(s.name), io.string(s.text); });
}

// Why the parts do not fit each other; empty when they do.
std::string inconsistency(const Cubin& c) {
  const uint64_t code = c.code.size() * 8;
  const auto size_of = [&](Segment s) {
    return s == Segment::Code ? code : s == Segment::Global ? c.global_bytes : c.const_bytes;
  };
  if (c.global_bytes > kMaxSegment || c.global_init.size() > c.global_bytes) return "its global segment is too large";
  if (c.const_bytes > 1 << 16 || c.const_init.size() > c.const_bytes) return "its constant segment is too large";
  if (c.global_align == 0 || (c.global_align & (c.global_align - 1))) return "its global segment is misaligned";
  for (const CubinKernel& k : c.kernels) {
    if (k.entry % 8 || k.entry > code || code - k.entry < k.bytes || k.bytes == 0)
      return fmt::format("kernel '{}' lies outside the code", k.name);
    if (k.registers > 255 || k.barriers > 16 || k.local_bytes % 16 || k.param_bytes > 1 << 16)
      return fmt::format("kernel '{}' has impossible resources", k.name);
    for (const CubinParam& p : k.params)
      if (p.offset > k.param_bytes || k.param_bytes - p.offset < p.size)
        return fmt::format("a parameter of kernel '{}' lies outside the parameter block", k.name);
  }
  for (const CubinFunction& f : c.functions)
    if (f.entry % 8 || f.entry > code || code - f.entry < f.bytes)
      return fmt::format("function '{}' lies outside the code", f.name);
  for (const CubinVariable& v : c.variables)
    if (v.segment > Segment::Const || v.offset > size_of(v.segment) || size_of(v.segment) - v.offset < v.size)
      return fmt::format("variable '{}' lies outside its segment", v.name);
  for (const CubinReloc& r : c.relocs) {
    if (r.where > Segment::Const || r.target > Segment::Const || r.kind > CubinReloc::Kind::Abs || r.shift > 63 ||
        (r.size != 1 && r.size != 2 && r.size != 4 && r.size != 8))
      return "a relocation is damaged";
    const uint64_t bytes = r.where == Segment::Code ? 8 : r.size;
    if (r.offset > size_of(r.where) || size_of(r.where) - r.offset < bytes ||
        (r.where == Segment::Code && r.offset % 8))
      return "a relocation lies outside its segment";
  }
  const auto in_order = [&](const std::vector<CubinLine>& lines) {
    return std::is_sorted(lines.begin(), lines.end(),
                          [](const CubinLine& a, const CubinLine& b) { return a.pc < b.pc; }) &&
           (lines.empty() || lines.back().pc <= code);
  };
  if (!in_order(c.lines) || std::any_of(c.lines.begin(), c.lines.end(),
                                        [&](const CubinLine& l) { return l.line && l.file >= c.files.size(); }))
    return "its line table is damaged";
  if (!in_order(c.ptx_lines) ||
      !std::is_sorted(c.ptx.begin(), c.ptx.end(), [](const CubinStatement& a, const CubinStatement& b) {
        return std::tie(a.module, a.line) < std::tie(b.module, b.line);
      }))
    return "its table of PTX lines is damaged";
  return {};
}

std::vector<uint8_t> code_bytes(const std::vector<uint64_t>& code) {
  ByteWriter w;
  for (uint64_t word : code) w.put(word);
  return w.take();
}

}  // namespace

std::vector<uint8_t> serialize(const Cubin& c) {
  ByteWriter i, l;
  i.put(kInfoMagic), i.put(kInfoVersion);
  info(Put{i}, c);
  lines(Put{l}, c);
  constexpr uint64_t kWrite = 1, kAlloc = 2, kExec = 4;
  std::vector<ElfSection> sections;
  sections.push_back({".text", 1, kAlloc | kExec, kCodeAlign, code_bytes(c.code)});
  sections.push_back({".data", 1, kAlloc | kWrite, c.global_align, c.global_init});
  sections.push_back({".rodata.const", 1, kAlloc, 16, c.const_init});
  sections.push_back({".heddle.info", 1, 0, 8, i.take()});
  sections.push_back({".heddle.lines", 1, 0, 8, l.take()});
  if (!c.ptx_lines.empty()) {
    ByteWriter p;
    ptx_lines(Put{p}, c);
    sections.push_back({".heddle.ptx_lines", 1, 0, 8, p.take()});
  }
  if (!c.sources.empty()) {
    ByteWriter s;
    sources(Put{s}, c);
    sections.push_back({".heddle.ptx", 1, 0, 8, s.take()});
  }
  for (const CubinSection& s : c.debug) sections.push_back({s.name, 1, 0, 1, s.bytes});
  std::vector<ElfSymbol> symbols;
  for (const CubinKernel& k : c.kernels) symbols.push_back({k.name, 2, true, 1, k.entry, k.bytes});
  for (const CubinFunction& f : c.functions) symbols.push_back({f.name, 2, false, 1, f.entry, f.bytes});
  for (const CubinVariable& v : c.variables)
    symbols.push_back(
        {v.name, 1, v.visible, static_cast<uint16_t>(v.segment == Segment::Global ? 2 : 3), v.offset, v.size});
  return write_elf(sections, symbols);
}

bool looks_like_cubin(std::span<const uint8_t> bytes) { return is_our_elf(bytes); }

Result<Cubin> parse_cubin(std::span<const uint8_t> bytes) {
  const auto damaged = [](std::string_view why) { return Error(fmt::format("not a Heddle cubin: {}", why)); };
  const Result<ElfView> elf = read_elf(bytes);
  if (!elf) return damaged(elf.error().message());
  const auto section = [&](std::string_view name) {
    const ElfView::Section* s = elf->find(name);
    return s ? s->bytes : std::span<const uint8_t>{};
  };
  const ElfView::Section* info_section = elf->find(".heddle.info");
  if (!info_section) return damaged("it has no .heddle.info section (made by another compiler?)");
  Cubin c;
  ByteReader r(info_section->bytes);
  if (r.get<uint32_t>() != kInfoMagic) return damaged(".heddle.info is damaged");
  if (const auto version = r.get<uint32_t>(); version != kInfoVersion)
    return damaged(fmt::format("its version is {}, this program reads {}: compile it again", version, kInfoVersion));
  info(Get{r}, c);
  if (!r.ok() || !r.at_end()) return damaged(".heddle.info is damaged");
  ByteReader l(section(".heddle.lines"));
  lines(Get{l}, c);
  if (!l.ok() || !l.at_end()) return damaged(".heddle.lines is damaged");
  if (elf->find(".heddle.ptx_lines")) {
    ByteReader p(section(".heddle.ptx_lines"));
    ptx_lines(Get{p}, c);
    if (!p.ok() || !p.at_end()) return damaged(".heddle.ptx_lines is damaged");
  }
  if (elf->find(".heddle.ptx")) {
    ByteReader s(section(".heddle.ptx"));
    sources(Get{s}, c);
    if (!s.ok() || !s.at_end()) return damaged(".heddle.ptx is damaged");
  }
  const std::span<const uint8_t> text = section(".text");
  if (text.size() % 8) return damaged("its code is no multiple of 8 bytes");
  ByteReader words(text);
  while (!words.at_end()) c.code.push_back(words.get<uint64_t>());
  const auto copy = [](std::span<const uint8_t> s) { return std::vector<uint8_t>(s.begin(), s.end()); };
  c.global_init = copy(section(".data"));
  c.const_init = copy(section(".rodata.const"));
  for (const ElfView::Section& s : elf->sections)
    if (s.name.starts_with(".debug_")) c.debug.push_back({s.name, copy(s.bytes)});
  if (const std::string why = inconsistency(c); !why.empty()) return damaged(why);
  return c;
}

}  // namespace heddle::formats
