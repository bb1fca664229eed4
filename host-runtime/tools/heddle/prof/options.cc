// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/tools/heddle/prof/options.h"

#include <algorithm>
#include <cctype>

#include "host-runtime/driver/choice.h"
#include "host-runtime/tools/heddle/program.h"

namespace heddle::tools::prof {
namespace {

std::string lower(std::string text) {
  for (char& c : text) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

Result<std::regex> expression(const std::string& option, const std::string& text) {
  try {
    return std::regex(text, std::regex::icase);
  } catch (const std::regex_error& e) {
    return Error(option + " '" + text + "': no regular expression: " + e.what());
  }
}

}  // namespace

Result<Page> page(const Options& o) {
  Page source = Page::Source;
  if (o.print_source == "ptx") source = Page::SourcePtx;
  else if (o.print_source == "cuda") source = Page::SourceCuda;
  else if (o.print_source != "sass")
    return Error("--print-source '" + o.print_source + "': sass, ptx or cuda is expected");
  if (o.page == "details") return Page::Details;
  if (o.page == "raw") return Page::Raw;
  if (o.page == "source") return source;
  return Error("--page '" + o.page + "': details, raw or source is expected");
}

Result<std::vector<Section>> sections(const Options& o) {
  if (o.set != "basic" && o.set != "full") return Error("--set '" + o.set + "': basic or full is expected");
  std::vector<bool> wanted;
  for (const Section& s : sections()) wanted.push_back(o.section.empty() && (o.set == "full" || s.basic));
  for (const std::string& name : o.section) {
    const bool is_expression = name.starts_with("regex:");
    std::regex pattern;
    if (is_expression) {
      auto made = expression("--section", name.substr(6));
      if (!made) return made.error();
      pattern = *made;
    }
    bool found = false;
    for (size_t i = 0; i < wanted.size(); i++) {
      const Section& s = sections()[i];
      const bool here = is_expression ? std::regex_search(s.id, pattern) || std::regex_search(s.title, pattern)
                                      : lower(name) == lower(s.id) || lower(name) == lower(s.title);
      if (here) wanted[i] = found = true;
    }
    if (found) continue;
    std::string message = "--section '" + name + "': there is none; known:";
    for (const Section& s : sections()) message += std::string(" ") + s.id;
    return Error(message);
  }
  std::vector<Section> chosen;
  for (size_t i = 0; i < wanted.size(); i++)
    if (wanted[i]) chosen.push_back(sections()[i]);
  return chosen;
}

Result<std::vector<Profile>> choose(std::vector<Profile> launches, const Options& o,
                                    std::vector<const Profile*>* partners) {
  const std::string pattern = kernel_pattern(o.kernel_name);
  if (auto tried = expression("--kernel-name", pattern); !tried) return tried.error();
  const uint64_t last = o.launch_count ? o.launch_skip + o.launch_count : ~uint64_t{0};
  driver::Choice choice(pattern, o.launch_skip + 1, last);
  std::vector<Profile> chosen;
  std::vector<const Profile*> with;
  for (size_t i = 0; i < launches.size(); i++) {
    if (!choice.takes(launches[i].text("name"), launches[i].text("symbol"))) continue;
    chosen.push_back(std::move(launches[i]));
    if (partners) with.push_back((*partners)[i]);
  }
  if (partners) *partners = std::move(with);
  return chosen;
}

std::string print(const std::vector<Profile>& launches, const Options& o, Page page, const std::vector<Section>& chosen,
                  const Baseline* baseline) {
  if (o.csv) return csv(launches, page, chosen, baseline);
  if (o.json) return json(launches, page, chosen, baseline);
  std::string out;
  for (size_t i = 0; i < launches.size(); i++)
    out += text(launches[i], page, chosen, baseline ? Partner(baseline->partners[i]) : Partner());
  return out;
}

}  // namespace heddle::tools::prof
