// SPDX-License-Identifier: Apache-2.0
// Launches beside those of an earlier run: what has changed.
#pragma once

#include <optional>
#include <vector>

#include "host-runtime/tools/heddle/prof/metrics.h"

namespace heddle::tools::prof {

// The n-th launch of a name goes with the n-th of that name in the earlier run.
struct Baseline {
  std::vector<const Profile*> partners;  // of each launch; null: it has none
  std::vector<const Profile*> left;      // of the earlier run, without a partner
};
Baseline match(const std::vector<Profile>& launches, const std::vector<Profile>& earlier);

// Of one launch. Nothing: no comparison is wanted; null: there is no partner.
using Partner = std::optional<const Profile*>;

struct Change {
  double before = 0, change = 0;
  std::optional<double> percent;  // none: it was 0
};
// None: there is no value here or there.
std::optional<Change> change(const Metric& metric, const Profile& now, const Profile* before);
// "+12", "-3.50", "0"; with a sign always unless nothing changed.
std::string signed_text(double value, const std::string& unit);

}  // namespace heddle::tools::prof
