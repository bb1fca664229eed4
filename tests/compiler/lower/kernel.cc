// SPDX-License-Identifier: Apache-2.0
#include "tests/compiler/lower/kernel.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <sstream>

#include "host-runtime/compiler/ptx/check.h"
#include "host-runtime/compiler/ptx/parser.h"

namespace heddle::compiler::lower::test {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word);
  return out;
}

int width(const std::string& type) {
  if (type == "pred") return 32;
  return std::atoi(type.c_str() + type.find_first_of("0123456789"));
}

std::string kernel_text(const std::string& body, const std::vector<std::string>& in,
                        const std::vector<std::string>& out) {
  static const char* kIn[] = {"%a", "%b", "%c", "%d"};
  static const char* kOut[] = {"%o", "%o2"};
  std::string text = ".visible .entry op(.param .u64 in, .param .u64 out)\n{\n.reg .b64 %in, %out, %w;\n";
  auto declare = [&](const char* name, const std::string& type) {
    text += ".reg .b" + std::to_string(std::max(width(type), 16)) + " " + name + ";\n";
  };
  for (size_t i = 0; i < in.size(); ++i) declare(kIn[i], in[i]);
  for (size_t i = 0; i < out.size(); ++i) declare(kOut[i], out[i]);
  text += "ld.param.u64 %in, [in]; ld.param.u64 %out, [out];\n";
  for (size_t i = 0; i < in.size(); ++i) {
    std::string at = "[%in+" + std::to_string(8 * i) + "]";
    if (width(in[i]) == 64) {
      text += std::string("ld.global.u64 ") + kIn[i] + ", " + at + ";\n";
    } else {
      text += "ld.global.u64 %w, " + at + "; cvt.u" + std::to_string(std::max(width(in[i]), 16)) + ".u64 " + kIn[i] +
              ", %w;\n";
    }
  }
  text += body + "\n";
  for (size_t i = 0; i < out.size(); ++i) {
    std::string at = "[%out+" + std::to_string(8 * i) + "]";
    if (width(out[i]) == 64) {
      text += "st.global.u64 " + at + ", " + kOut[i] + ";\n";
    } else {
      text += "cvt.u64.u" + std::to_string(width(out[i])) + " %w, " + kOut[i] + "; st.global.u64 " + at + ", %w;\n";
    }
  }
  return text + "ret;\n}\n";
}

}  // namespace

Compiled compile_modules(const std::vector<std::string>& texts, const Options& options) {
  Compiled out;
  ptx::Diagnostics diagnostics;
  std::vector<std::unique_ptr<ptx::Module>> modules;
  std::vector<Input> inputs;
  for (const std::string& text : texts) {
    std::string name = modules.empty() ? "main.ptx" : "lib" + std::to_string(modules.size()) + ".ptx";
    auto source = std::make_shared<ptx::Source>(name, ".version 8.3\n.target sm_90\n.address_size 64\n" + text);
    modules.push_back(ptx::parse(source, diagnostics));
    if (!diagnostics.has_errors()) ptx::check(*modules.back(), diagnostics);
    inputs.push_back({modules.back().get(), modules.size() > 1});
  }
  if (!diagnostics.has_errors()) out.module = lower(inputs, options, diagnostics);
  out.complaints = diagnostics.render();
  if (!diagnostics.has_errors()) {
    for (const mir::Function& f : out.module.functions) {
      EXPECT_EQ(mir::verify(out.module, f).value_or(""), "");
    }
  }
  return out;
}

OpKernel::OpKernel(const std::string& body, const std::string& inputs, const std::string& outputs) {
  std::vector<std::string> out = words(outputs);
  outputs_ = out.size();
  compiled_ = std::make_unique<Compiled>(compile_modules({kernel_text(body, words(inputs), out)}));
  EXPECT_EQ(compiled_->complaints, "");
  if (compiled_->complaints.empty()) eval_ = std::make_unique<MirEval>(compiled_->module);
}

OpKernel::~OpKernel() = default;

std::vector<uint64_t> OpKernel::operator()(const std::vector<uint64_t>& inputs) const {
  std::vector<uint64_t> out(outputs_);
  if (!eval_) return out;
  const void* pointers[] = {inputs.data(), out.data()};
  Thread thread;
  thread.shared.resize(16);
  thread.params.resize(sizeof(pointers));
  std::memcpy(thread.params.data(), pointers, sizeof(pointers));
  EXPECT_EQ(eval_->run("op", thread), "");
  return out;
}

Values::Values() {
  const char* given = std::getenv("HEDDLE_SEED");
  seed_ = given ? std::strtoull(given, nullptr, 0) : std::random_device()();
  random_.seed(seed_);
}

uint64_t Values::integer(int bits) {
  uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  uint64_t full = random_();
  const uint64_t corners[] = {0, 1, 2, mask, mask - 1, mask >> 1, (mask >> 1) + 1};
  switch (random_() % 5) {
    case 0: return corners[full % 7];
    case 1: return (full % 80 - 40) & mask;
    case 2: return (full & mask) >> (random_() % static_cast<unsigned>(bits));
    default: return full & mask;
  }
}

uint32_t Values::f32() {
  static constexpr uint32_t kCorners[] = {0,          1,          2,          0x007FFFFF, 0x00800000,
                                          0x00800001, 0x3F800000, 0x3F800001, 0x3F7FFFFF, 0x7F7FFFFF,
                                          0x7F800000, 0x7FC00000, 0x7F800001, 0x4B000000, 0x7E800000};
  auto bits = static_cast<uint32_t>(random_());
  switch (random_() % 6) {
    case 0: return kCorners[bits % 15] | (bits & 0x80000000);
    case 1: return bits & 0x807FFFFF;  // subnormal
    case 2: return bits;
    // Near one, so that sums and quotients of two are ordinary.
    default: return (bits & 0x807FFFFF) | (103 + bits % 48) << 23;
  }
}

}  // namespace heddle::compiler::lower::test
