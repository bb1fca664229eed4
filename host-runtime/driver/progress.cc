// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/progress.h"

#include <algorithm>

namespace heddle::driver {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(500);  // short kernels show nothing
constexpr auto kEvery = std::chrono::milliseconds(200);
constexpr size_t kNameWidth = 32;

std::string duration(double seconds) {
  const auto s = static_cast<uint64_t>(seconds + 0.5);
  if (s < 100) return std::to_string(s) + " s";
  if (s < 6000) return std::to_string(s / 60) + " min";
  return std::to_string(s / 3600) + " h " + std::to_string(s / 60 % 60) + " min";
}

}  // namespace

std::string with_commas(uint64_t value) {
  std::string digits = std::to_string(value);
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
    digits.insert(static_cast<size_t>(i), ",");
  return digits;
}

std::string profiling_text(const std::string& kernel, uint64_t launch) {
  return "==PROF== Profiling \"" + kernel + "\" - " + std::to_string(launch) + ":";
}

std::string progress_text(const ProgressSample& s, double seconds) {
  std::string text = s.kernel.size() > kNameWidth ? s.kernel.substr(0, kNameWidth - 1) + "~" : s.kernel;
  if (s.profiled) text = profiling_text(text, s.profiled);
  text += "  block " + with_commas(s.blocks_done) + "/" + with_commas(s.blocks_total);
  if (s.cycles) {
    text += "  " + with_commas(s.cycles) + " cycles";
    if (seconds > 0)
      text += "  " + with_commas(static_cast<uint64_t>(double(s.cycles) / seconds / 1000 + 0.5)) + " kHz";
  }
  if (s.blocks_done && s.blocks_total > s.blocks_done) {
    const double left = seconds * double(s.blocks_total - s.blocks_done) / double(s.blocks_done);
    text += "  " + duration(left) + " left";
  }
  return text;
}

void Progress::begin() {
  begin_ = Clock::now();
  next_ = begin_ + kFirst;
}

bool Progress::due() { return out_ && Clock::now() >= next_; }

void Progress::show(const ProgressSample& sample) {
  if (!out_) return;
  const auto now = Clock::now();
  next_ = now + kEvery;
  const double seconds = std::chrono::duration<double>(now - begin_).count();
  std::fprintf(out_, "\r\033[K%s", progress_text(sample, seconds).c_str());
  std::fflush(out_);
  shown_ = true;
}

void Progress::clear() {
  if (!out_ || !shown_) return;
  std::fputs("\r\033[K", out_);
  std::fflush(out_);
  shown_ = false;
}

}  // namespace heddle::driver
