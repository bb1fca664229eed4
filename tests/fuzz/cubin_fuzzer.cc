// SPDX-License-Identifier: Apache-2.0
// libFuzzer's entry: damaged cubins.
#include "tests/fuzz/inputs.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  heddle::fuzz::take_cubin({data, size});
  return 0;
}
