// SPDX-License-Identifier: Apache-2.0
// Rows of a page of sources, and the text of the program.
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <tuple>

#include "heddle/files.h"
#include "host-runtime/tools/heddle/prof/pages.h"

namespace heddle::tools::prof {
namespace {

constexpr size_t kLongestLine = 400;         // of a source
constexpr size_t kLargestSource = 16 << 20;  // bytes; a larger one is none that a person wrote

void add(Line& sum, const Line& l) {
  sum.executed += l.executed, sum.threads += l.threads, sum.active_threads += l.active_threads;
  sum.sectors += l.sectors, sum.wavefronts += l.wavefronts;
  if (sum.divergent && l.divergent) *sum.divergent += *l.divergent;
  for (size_t i = 0; i < l.stalls.size(); i++) sum.stalls[i] += l.stalls[i];
}

}  // namespace

std::vector<Line> source_rows(const Profile& profile, Page page) {
  if (page == Page::Source) return profile.lines();
  using Key = std::tuple<std::string, std::string, uint32_t>;  // function or file, and the line in it
  std::map<Key, Line> sums;
  for (const Line& l : profile.lines()) {
    const bool ptx = page == Page::SourcePtx;
    const Key key = ptx              ? Key(l.function, "", l.ptx_line)
                    : l.file.empty() ? Key("", l.function, 0)
                                     : Key(l.file, "", l.line);
    const auto [at, fresh] = sums.emplace(key, l);
    if (!fresh) {
      add(at->second, l);
      continue;
    }
    Line& row = at->second;
    row.mnemonic.clear(), row.unit.clear(), row.text.clear();
    if (!ptx) row.ptx.clear(), row.ptx_line = 0;
  }
  std::vector<Line> rows;
  for (auto& [key, row] : sums) rows.push_back(std::move(row));
  return rows;
}

SourceText source_text(const std::vector<Line>& lines, uint32_t around) {
  std::map<std::string, std::set<uint32_t>> wanted;
  for (const Line& l : lines)
    if (!l.file.empty())
      for (uint32_t n = l.line > around ? l.line - around : 1; n <= l.line + around; n++) wanted[l.file].insert(n);
  SourceText found;
  for (const auto& [file, numbers] : wanted) {
    std::error_code ec;
    if (!std::filesystem::is_regular_file(file, ec) || std::filesystem::file_size(file, ec) > kLargestSource) continue;
    const auto text = read_file(file);
    if (!text) continue;
    uint32_t number = 1;
    for (size_t at = 0; at < text->size(); number++) {
      const size_t end = std::min(text->find('\n', at), text->size());
      if (numbers.contains(number)) found[file][number] = text->substr(at, std::min(end - at, kLongestLine));
      at = end + 1;
    }
  }
  return found;
}

}  // namespace heddle::tools::prof
