// SPDX-License-Identifier: Apache-2.0
#include "sim/verilator/model_context.h"

#include <array>
#include <cstdarg>
#include <cstdio>

#include "sim/verilator/model_print.h"

namespace heddle::rtl {

ModelContext::ModelContext(uint64_t seed) {
  randReset(2);
  // Verilator's seed has 31 bits, and 0 means none.
  randSeed(static_cast<int>(seed * 0x9e3779b97f4a7c15 >> 33) | 1);
}

// "[0] %Error: fifo.sv:101: Assertion failed in gpu.gpu.u_l2…: words\n": without time, severity, and the model's own
// name.
void ModelContext::stop(const std::string& otherwise) {
  if (stopped()) return;
  std::string text = said_.empty() ? otherwise : said_;
  if (const size_t at = text.find("%Error: "); at != std::string::npos) text.erase(0, at + 8);
  if (const size_t at = text.find(" gpu.gpu."); at != std::string::npos) text.erase(at + 1, 4);
  if (text.ends_with('\n')) text.pop_back();
  why_ = text;
}

namespace {

ModelContext& current() { return static_cast<ModelContext&>(*Verilated::threadContextp()); }

std::string at_line(const char* file, int line, const char* words) {
  return (file && *file ? std::string(file) + ":" + std::to_string(line) + ": " : "") + words;
}

}  // namespace
}  // namespace heddle::rtl

using heddle::rtl::current;

extern "C" int heddle_model_print(const char* format, ...) {
  std::array<char, 4096> text{};
  va_list arguments;
  va_start(arguments, format);
  const int length = std::vsnprintf(text.data(), text.size(), format, arguments);
  va_end(arguments);
  current().say(text.data());
  return length;
}

// Verilator calls these; its own end the process.
void vl_stop(const char* file, int line, const char*) { current().stop(heddle::rtl::at_line(file, line, "$stop")); }
void vl_fatal(const char* file, int line, const char*, const char* message) {
  current().say("");
  current().stop(heddle::rtl::at_line(file, line, message));
  throw heddle::rtl::ModelContext::Fatal();
}
