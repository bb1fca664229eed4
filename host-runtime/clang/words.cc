// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/clang/words.h"

namespace heddle::nvcc {

std::vector<std::string> shell_words(const std::string& text, const std::string& separators) {
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  bool any = false;  // a word has begun, perhaps with nothing between quotes
  const auto finish = [&] {
    if (any) words.push_back(word);
    word.clear();
    any = false;
  };
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && quote != '\'' && i + 1 < text.size() && text[i + 1] == '\n') {  // the line goes on
      ++i;
      continue;
    }
    if (!quote && separators.find(c) != std::string::npos) {
      finish();
      continue;
    }
    any = true;
    if (quote ? c == quote : c == '"' || c == '\'') quote = quote ? 0 : c;
    else if (c == '\\' && quote != '\'' && i + 1 < text.size()) word += text[++i];
    else word += c;
  }
  finish();
  return words;
}

}  // namespace heddle::nvcc
