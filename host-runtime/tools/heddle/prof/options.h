// SPDX-License-Identifier: Apache-2.0
// The words of `heddle prof`, checked.
#pragma once

#include <cstdint>
#include <regex>
#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/tools/heddle/prof/metrics.h"
#include "host-runtime/tools/heddle/prof/pages.h"

namespace heddle::tools::prof {

struct Options {
  std::string device, preset = "cc80", kernel_name, page = "details", print_source = "sass", set = "full", output,
                      import, html, baseline, seed, cycle_limit;
  std::vector<std::string> section;
  uint64_t launch_skip = 0, launch_count = 0;
  bool csv = false, json = false;

  bool chooses() const { return !kernel_name.empty() || launch_skip || launch_count; }
};

// Error: an unknown page or source, or a section that none is; the message names those there are.
Result<Page> page(const Options& options);
Result<std::vector<Section>> sections(const Options& options);

// Of a file's launches those that the options choose; of their partners, where there are any, those of these.
Result<std::vector<Profile>> choose(std::vector<Profile> launches, const Options& options,
                                    std::vector<const Profile*>* partners = nullptr);

// The whole output for these launches.
std::string print(const std::vector<Profile>& launches, const Options& options, Page page,
                  const std::vector<Section>& sections, const Baseline* baseline = nullptr);

}  // namespace heddle::tools::prof
