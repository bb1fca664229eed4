// SPDX-License-Identifier: Apache-2.0
// A process that writes a timeline, to a file of its own.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/unit/runtime/cudart_fixture.h"

namespace heddle::test {

class Traced : public Cudart {
 protected:
  static void SetUpTestSuite() {
    file() = ::testing::TempDir() + "heddle_trace_" + std::to_string(getpid()) + ".json";
    setenv("HEDDLE_TRACE", file().c_str(), 1);  // before the first call
    Cudart::SetUpTestSuite();
  }
  static void TearDownTestSuite() { std::remove(file().c_str()); }
  static std::string& file() {
    static auto* name = new std::string;
    return *name;
  }
};

}  // namespace heddle::test
