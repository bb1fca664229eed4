// SPDX-License-Identifier: Apache-2.0
// The PTX of kernels.cu and tensor.cu, embedded by the build.
#pragma once

namespace heddle::tools::bench {

extern const char* const kKernels;
extern const char* const kTensorKernels;

}  // namespace heddle::tools::bench
