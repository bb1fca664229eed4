// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/cu/jit_options.h"

#include <algorithm>
#include <cstring>

namespace heddle::cudart::cu {

void Log::put(const std::string& text) const {
  size_t bytes = 0;
  if (to && room) {
    bytes = std::min(text.size(), room - 1);
    std::memcpy(to, text.data(), bytes);
    to[bytes] = 0;
  }
  if (written) *written = reinterpret_cast<void*>(bytes);
}

cudaError_t read_options(unsigned count, const CUjit_option* names, void** values, JitOptions& o) {
  if (count && (!names || !values)) return cudaErrorInvalidValue;
  for (unsigned i = 0; i < count; ++i) {
    const auto number = static_cast<unsigned>(reinterpret_cast<uintptr_t>(values[i]));
    switch (names[i]) {
      case CU_JIT_MAX_REGISTERS: o.jit.max_registers = number; break;
      case CU_JIT_THREADS_PER_BLOCK: break;
      case CU_JIT_WALL_TIME: o.milliseconds = reinterpret_cast<float*>(&values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER: o.info.to = static_cast<char*>(values[i]); break;
      case CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES:
        o.info.room = number;
        o.info.written = &values[i];
        break;
      case CU_JIT_ERROR_LOG_BUFFER: o.error.to = static_cast<char*>(values[i]); break;
      case CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES:
        o.error.room = number;
        o.error.written = &values[i];
        break;
      case CU_JIT_OPTIMIZATION_LEVEL: o.jit.optimization = std::min(number, 3u); break;
      case CU_JIT_LOG_VERBOSE: o.verbose = number != 0; break;
      default:
        if (names[i] < 0 || names[i] >= CU_JIT_NUM_OPTIONS) return cudaErrorInvalidValue;
    }
  }
  return cudaSuccess;
}

}  // namespace heddle::cudart::cu
