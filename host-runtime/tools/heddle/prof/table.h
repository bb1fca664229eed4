// SPDX-License-Identifier: Apache-2.0
// A table of text in Nsight Compute's layout: lines of dashes above, below the names, and at the end.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace heddle::tools::prof {

class Table {
 public:
  // `right`: for each column whether its cells are aligned to the right.
  Table(std::vector<std::string> names, std::vector<int> right) : right_(std::move(right)) { add(std::move(names)); }

  void add(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  // Empty when there is no row.
  std::string text() const {
    if (rows_.size() < 2) return {};
    std::vector<size_t> width(right_.size());
    for (const auto& row : rows_)
      for (size_t i = 0; i < row.size(); i++) width[i] = std::max(width[i], row[i].size());
    std::string rule = "    ";
    for (const size_t w : width) rule += std::string(w, '-') + " ";
    rule.back() = '\n';
    std::string out = rule;
    for (size_t n = 0; n < rows_.size(); n++) {
      std::string line = "    ";
      for (size_t i = 0; i < rows_[n].size(); i++) {
        const std::string space(width[i] - rows_[n][i].size(), ' ');
        line += (right_[i] ? space + rows_[n][i] : rows_[n][i] + space) + " ";
      }
      line.erase(line.find_last_not_of(' ') + 1);
      out += line + "\n";
      if (n == 0) out += rule;
    }
    return out + rule;
  }

 private:
  std::vector<int> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace heddle::tools::prof
