// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/verilator/fst_reader.h"

#include "gtkwave/fstapi.h"

namespace heddle::test {

std::string FstContents::at(const std::string& name, uint64_t time) const {
  const auto signal = names.find(name);
  if (signal == names.end()) return {};
  std::string value;
  const auto changes = values.find(signal->second.first);
  if (changes == values.end()) return {};
  for (const auto& [when, text] : changes->second)
    if (when <= time) value = text;
  return value;
}

FstContents read_fst(const std::string& file) {
  FstContents contents;
  void* const reader = fstReaderOpen(file.c_str());
  if (!reader) return contents;
  contents.readable = true;
  contents.begin = fstReaderGetStartTime(reader);
  contents.end = fstReaderGetEndTime(reader);
  std::vector<std::string> scopes;
  while (const fstHier* entry = fstReaderIterateHier(reader)) {
    if (entry->htyp == FST_HT_SCOPE) scopes.emplace_back(entry->u.scope.name);
    else if (entry->htyp == FST_HT_UPSCOPE) scopes.pop_back();
    else if (entry->htyp == FST_HT_VAR) {
      std::string path;
      for (const auto& scope : scopes) path += scope + ".";
      contents.names[path + entry->u.var.name] = {entry->u.var.handle, entry->u.var.length};
    }
  }
  fstReaderSetFacProcessMaskAll(reader);
  fstReaderIterBlocks(
      reader,
      [](void* data, uint64_t time, fstHandle handle, const unsigned char* value) {
        static_cast<FstContents*>(data)->values[handle].emplace_back(time, reinterpret_cast<const char*>(value));
      },
      &contents, nullptr);
  fstReaderClose(reader);
  return contents;
}

}  // namespace heddle::test
