// SPDX-License-Identifier: Apache-2.0
// A program of NVRTC, with what was made of it.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "nvrtc.h"

namespace heddle::test {

class RtcProgram {
 public:
  using Headers = std::vector<std::pair<const char*, const char*>>;  // name, text

  explicit RtcProgram(const char* source, const char* name = "program.cu", const Headers& headers = {}) {
    std::vector<const char*> names, texts;
    for (const auto& [header, text] : headers) {
      names.push_back(header);
      texts.push_back(text);
    }
    EXPECT_EQ(nvrtcCreateProgram(&handle, source, name, static_cast<int>(headers.size()), texts.data(), names.data()),
              NVRTC_SUCCESS);
  }
  ~RtcProgram() {
    if (handle) {
      EXPECT_EQ(nvrtcDestroyProgram(&handle), NVRTC_SUCCESS);
    }
    EXPECT_EQ(handle, nullptr);
  }
  RtcProgram(const RtcProgram&) = delete;
  RtcProgram& operator=(const RtcProgram&) = delete;

  nvrtcResult compile(const std::vector<const char*>& options = {}) {
    return nvrtcCompileProgram(handle, static_cast<int>(options.size()), options.data());
  }
  // Compiles, or fails the test with the log.
  std::string ptx(const std::vector<const char*>& options = {}) {
    EXPECT_EQ(compile(options), NVRTC_SUCCESS) << log();
    size_t bytes = 0;
    if (nvrtcGetPTXSize(handle, &bytes) != NVRTC_SUCCESS) return {};
    std::string text(bytes, 'x');
    EXPECT_EQ(nvrtcGetPTX(handle, text.data()), NVRTC_SUCCESS);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  std::string cubin() {
    size_t bytes = 0;
    EXPECT_EQ(nvrtcGetCUBINSize(handle, &bytes), NVRTC_SUCCESS);
    std::string all(bytes, 'x');
    EXPECT_EQ(nvrtcGetCUBIN(handle, all.data()), bytes ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM);
    return all;
  }
  std::string log() {
    size_t bytes = 0;
    EXPECT_EQ(nvrtcGetProgramLogSize(handle, &bytes), NVRTC_SUCCESS);
    std::string text(bytes, 'x');
    EXPECT_EQ(nvrtcGetProgramLog(handle, text.data()), NVRTC_SUCCESS);
    EXPECT_EQ(text.back(), '\0');
    text.pop_back();
    return text;
  }
  void add(const char* expression) { EXPECT_EQ(nvrtcAddNameExpression(handle, expression), NVRTC_SUCCESS); }
  std::string lowered(const char* expression) {
    const char* name = nullptr;
    EXPECT_EQ(nvrtcGetLoweredName(handle, expression, &name), NVRTC_SUCCESS) << expression;
    return name ? name : "";
  }

  nvrtcProgram handle = nullptr;
};

}  // namespace heddle::test
