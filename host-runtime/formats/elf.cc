// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/formats/elf.h"

#include <algorithm>
#include <cstring>

#include "host-runtime/formats/bytes.h"

namespace heddle::formats {
namespace {

constexpr uint8_t kMagic[8] = {0x7f, 'E', 'L', 'F', 2, 1, 1, 0};  // 64 bits, little-endian
constexpr size_t kHeaderBytes = 64;
constexpr size_t kSectionBytes = 64, kPartBytes = 56;
constexpr uint32_t kSymtab = 2, kStrtab = 3, kNobits = 8;
constexpr uint32_t kLoad = 1;        // PT_LOAD
constexpr uint8_t kRelocatable = 1;  // ET_REL

class StringTable {
 public:
  StringTable() { text_.push_back(0); }
  uint32_t add(std::string_view s) {
    const auto at = static_cast<uint32_t>(text_.size());
    text_.insert(text_.end(), s.begin(), s.end());
    text_.push_back(0);
    return at;
  }
  std::vector<uint8_t> take() { return std::move(text_); }

 private:
  std::vector<uint8_t> text_;
};

struct Placed {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info, align, entry_size;
};

void put_section(ByteWriter& w, const Placed& s) {
  w.put(s.name), w.put(s.type), w.put(s.flags), w.put(s.address), w.put(s.offset), w.put(s.size);
  w.put(s.link), w.put(s.info), w.put(uint64_t{s.align}), w.put(uint64_t{s.entry_size});
}

// What of each program header's part lies in the file: debug information kept alone has headers of what it lacks.
std::vector<ElfView::LoadedPart> read_parts(std::span<const uint8_t> bytes) {
  ByteReader h(bytes.subspan(32));
  const auto table = h.get<uint64_t>();
  ByteReader sizes(bytes.subspan(54));
  const auto entry = sizes.get<uint16_t>();
  const auto count = sizes.get<uint16_t>();
  std::vector<ElfView::LoadedPart> parts;
  if (entry != kPartBytes || table > bytes.size()) return parts;
  ByteReader r(bytes.subspan(table));
  for (size_t n = 0; n < count; n++) {
    ElfView::LoadedPart p;
    r.get(p.type), r.get<uint32_t>();
    const auto offset = r.get<uint64_t>();
    r.get(p.address), r.get<uint64_t>();
    const auto in_file = r.get<uint64_t>();
    r.get<uint64_t>(), r.get<uint64_t>();
    if (!r.ok()) break;
    if (offset < bytes.size()) p.bytes = bytes.subspan(offset, std::min<uint64_t>(in_file, bytes.size() - offset));
    parts.push_back(p);
  }
  return parts;
}

}  // namespace

std::vector<uint8_t> write_elf(std::span<const ElfSection> sections, std::span<const ElfSymbol> symbols) {
  StringTable names, symbol_names;
  ByteWriter table;  // .symtab: local symbols first
  const auto put_symbol = [&](uint32_t name, uint8_t info, uint16_t section, uint64_t value, uint64_t size) {
    table.put(name), table.put(info), table.put(uint8_t{0}), table.put(section), table.put(value), table.put(size);
  };
  put_symbol(0, 0, 0, 0, 0);
  uint32_t locals = 1;
  for (const bool global : {false, true})
    for (const ElfSymbol& s : symbols) {
      if (s.global != global) continue;
      put_symbol(symbol_names.add(s.name), static_cast<uint8_t>((global ? 1 : 0) << 4 | s.type), s.section, s.value,
                 s.size);
      locals += !global;
    }
  std::vector<ElfSection> all(sections.begin(), sections.end());
  all.push_back({".symtab", kSymtab, 0, 8, table.take()});
  all.push_back({".strtab", kStrtab, 0, 1, symbol_names.take()});
  all.push_back({".shstrtab", kStrtab, 0, 1, {}});
  std::vector<Placed> headers{{}};
  for (const ElfSection& s : all) {
    Placed p{};
    p.name = names.add(s.name);
    p.type = s.type;
    p.flags = s.flags;
    p.align = std::max(1u, s.align);
    if (s.type == kSymtab) {
      p.link = static_cast<uint32_t>(all.size() - 1);  // .strtab
      p.info = locals;
      p.entry_size = 24;
    }
    headers.push_back(p);
  }
  all.back().bytes = names.take();
  ByteWriter w;
  w.put_bytes(kMagic);
  w.put(uint64_t{0});
  const size_t fields = w.size();
  // Filled in below, once the section table's place is known.
  std::vector<uint8_t> head(kHeaderBytes - fields);
  w.put_bytes(head);
  for (size_t n = 0; n < all.size(); n++) {
    w.align(std::max<size_t>(8, headers[n + 1].align));
    headers[n + 1].offset = w.size();
    headers[n + 1].size = all[n].bytes.size();
    w.put_bytes(all[n].bytes);
  }
  w.align(8);
  const uint64_t table_at = w.size();
  for (const Placed& p : headers) put_section(w, p);
  std::vector<uint8_t> out = w.take();
  ByteWriter h;
  h.put(uint16_t{2}), h.put(kElfMachine), h.put(uint32_t{1});  // ET_EXEC, machine, version
  h.put(uint64_t{0}), h.put(uint64_t{0}), h.put(table_at), h.put(uint32_t{0});
  h.put(uint16_t{kHeaderBytes}), h.put(uint16_t{0}), h.put(uint16_t{0});
  h.put(uint16_t{kSectionBytes}), h.put(static_cast<uint16_t>(headers.size()));
  h.put(static_cast<uint16_t>(headers.size() - 1));
  const std::vector<uint8_t> rest = h.take();
  std::copy(rest.begin(), rest.end(), out.begin() + static_cast<ptrdiff_t>(fields));
  return out;
}

const ElfView::Section* ElfView::find(std::string_view name) const {
  for (const Section& s : sections)
    if (s.name == name) return &s;
  return nullptr;
}

const ElfView::Section* ElfView::linked(const Section& section) const {
  return section.link == 0 || section.link > sections.size() ? nullptr : &sections[section.link - 1];
}

std::span<const uint8_t> ElfView::at(uint64_t address) const {
  for (const LoadedPart& p : parts)
    if (p.type == kLoad && address - p.address < p.bytes.size()) return p.bytes.subspan(address - p.address);
  return {};
}

std::string_view elf_text(std::span<const uint8_t> table, uint64_t offset) {
  if (offset >= table.size()) return {};
  const auto rest = table.subspan(offset);
  const auto end = std::find(rest.begin(), rest.end(), 0);
  if (end == rest.end()) return {};
  return {reinterpret_cast<const char*>(rest.data()), static_cast<size_t>(end - rest.begin())};
}

bool is_elf(std::span<const uint8_t> bytes) {
  return bytes.size() >= kHeaderBytes && std::memcmp(bytes.data(), kMagic, 7) == 0;
}

uint64_t elf_bytes(const ReadFile& read) {
  constexpr uint64_t kLargest = uint64_t{1} << 40;  // so that sums stay small
  uint8_t header[kHeaderBytes], section[kSectionBytes];
  if (!read(0, header, sizeof header) || !std::equal(header, header + 7, kMagic)) return 0;
  const auto number = [](const uint8_t* at, size_t bytes) {
    uint64_t value = 0;
    std::memcpy(&value, at, bytes);
    return value;
  };
  const uint64_t parts = number(header + 32, 8), sections = number(header + 40, 8);
  const uint64_t part_count = number(header + 56, 2), section_count = number(header + 60, 2);
  if (parts > kLargest || sections > kLargest) return 0;
  uint64_t end = std::max<uint64_t>(kHeaderBytes, sections + section_count * kSectionBytes);
  end = std::max(end, parts + part_count * kPartBytes);
  for (uint64_t i = 0; i < section_count; ++i) {
    if (!read(sections + i * kSectionBytes, section, sizeof section)) return 0;
    const uint64_t offset = number(section + 24, 8), bytes = number(section + 32, 8);
    if (number(section + 4, 4) == kNobits) continue;
    if (offset > kLargest || bytes > kLargest) return 0;
    end = std::max(end, offset + bytes);
  }
  return end;
}

bool is_our_elf(std::span<const uint8_t> bytes) { return is_elf(bytes) && (bytes[18] | bytes[19] << 8) == kElfMachine; }

bool is_elf_object(std::span<const uint8_t> bytes) {
  return is_elf(bytes) && (bytes[16] | bytes[17] << 8) == kRelocatable;
}

Result<ElfView> read_elf(std::span<const uint8_t> bytes) {
  if (bytes.size() < kHeaderBytes) return Error("the file is shorter than an ELF header");
  if (!is_elf(bytes)) return Error("not an ELF64 file");
  if (!is_our_elf(bytes)) return Error("an ELF file for another machine");
  return read_any_elf(bytes);
}

Result<ElfView> read_any_elf(std::span<const uint8_t> bytes) {
  if (!is_elf(bytes)) return Error("not an ELF64 file");
  ElfView view;
  view.parts = read_parts(bytes);
  ByteReader h(bytes.subspan(40));
  const auto table = h.get<uint64_t>();
  ByteReader sizes(bytes.subspan(58));
  const auto entry = sizes.get<uint16_t>();
  const auto count = sizes.get<uint16_t>();
  const auto names_index = sizes.get<uint16_t>();
  if (table == 0 && count == 0) return view;  // programs run without
  if (entry != kSectionBytes || count == 0 || names_index >= count) return Error("the ELF section table is damaged");
  if (table > bytes.size() || (bytes.size() - table) / kSectionBytes < count)
    return Error("the ELF section table lies outside the file");
  std::vector<Placed> placed;
  for (size_t n = 0; n < count; n++) {
    ByteReader r(bytes.subspan(table + n * kSectionBytes, kSectionBytes));
    Placed s{};
    r.get(s.name), r.get(s.type), r.get(s.flags), r.get(s.address), r.get(s.offset), r.get(s.size), r.get(s.link);
    if (n > 0 && s.type != kNobits && (s.offset > bytes.size() || bytes.size() - s.offset < s.size))
      return Error("an ELF section lies outside the file");
    placed.push_back(s);
  }
  if (names_index == 0 || placed[names_index].type == kNobits) return Error("the ELF section table is damaged");
  const std::span<const uint8_t> names = bytes.subspan(placed[names_index].offset, placed[names_index].size);
  for (size_t n = 1; n < count; n++) {
    const Placed& s = placed[n];
    if (s.name >= names.size()) return Error("an ELF section's name lies outside its table");
    const auto first = names.begin() + s.name;
    const auto end = std::find(first, names.end(), 0);
    if (end == names.end()) return Error("an ELF section's name has no end");
    view.sections.push_back({std::string(first, end),
                             s.type == kNobits ? std::span<const uint8_t>{} : bytes.subspan(s.offset, s.size), s.type,
                             s.link, s.address, s.size});
  }
  return view;
}

}  // namespace heddle::formats
