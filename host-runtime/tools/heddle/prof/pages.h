// SPDX-License-Identifier: Apache-2.0
// Profiles as text, in Nsight Compute's layout, as CSV and as JSON.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "host-runtime/tools/heddle/prof/baseline.h"
#include "host-runtime/tools/heddle/prof/metrics.h"
#include "host-runtime/tools/heddle/prof/profile.h"

namespace heddle::tools::prof {

enum class Page { Details, Raw, Source, SourcePtx, SourceCuda };  // sources: a row an instruction, statement, line
inline bool is_source(Page page) { return page >= Page::Source; }

// "(4, 1, 1)x(256, 1, 1), Device rtl, Preset cc80, CC 8.0", after the kernel's name.
std::string heading(const Profile& profile);
std::string text(const Profile& profile, Page page, const std::vector<Section>& sections, Partner partner = {});
// `baseline`: null where no comparison is wanted.
std::string csv(const std::vector<Profile>& profiles, Page page, const std::vector<Section>& sections,
                const Baseline* baseline = nullptr);
std::string json(const std::vector<Profile>& profiles, Page page, const std::vector<Section>& sections,
                 const Baseline* baseline = nullptr);
// One page that needs nothing else, with all of the profiles (page.html).
std::string html(const std::vector<Profile>& profiles, const Baseline* baseline = nullptr);

// What a device without a clock has to say of a section that is about time.
inline constexpr const char* kNoClock = "The golden model has no clock: only what can be counted without one is shown.";

// What a page of sources has rows for: the instructions; or sums of those of a PTX statement, or of a line of the
// program, in the order of that text.
std::vector<Line> source_rows(const Profile& profile, Page page);
// Lines of the program that instructions come from, and so many around each, by file, as far as files can be read.
using SourceText = std::map<std::string, std::map<uint32_t, std::string>>;
SourceText source_text(const std::vector<Line>& lines, uint32_t around);

// The instructions to look at first: by stalls, on a device without a clock by what they execute and move; at most so
// many.
std::vector<const Line*> hottest(const Profile& profile, size_t most);
// The stall of most cycles, and how many; "" where there is none.
std::string top_stall(const Line& line);

}  // namespace heddle::tools::prof
