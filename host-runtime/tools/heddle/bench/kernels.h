// SPDX-License-Identifier: Apache-2.0
// The PTX of kernels.cu, tensor.cu and peaks.cu, embedded by the build.
#pragma once

namespace heddle::tools::bench {

extern const char* const kKernels;
extern const char* const kTensorKernels;
extern const char* const kPeakKernels;

}  // namespace heddle::tools::bench
