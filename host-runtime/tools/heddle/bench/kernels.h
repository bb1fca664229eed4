// SPDX-License-Identifier: Apache-2.0
// The PTX of kernels.cu, embedded by the build.
#pragma once

namespace heddle::tools::bench {

extern const char* const kKernels;

}  // namespace heddle::tools::bench
