// SPDX-License-Identifier: Apache-2.0
// Hand-written kernels as machine code. Each takes a 64-bit device address as its parameter.
#pragma once

#include <cstdint>
#include <vector>

namespace heddle::test {

// address[blockIdx.x * blockDim.x + threadIdx.x] = that index, as 32-bit words.
std::vector<uint64_t> index_kernel();
// Waits until the word at the address is not 0, then adds 100 to it. One thread.
std::vector<uint64_t> wait_kernel();
// Stores to address 0: a fault.
std::vector<uint64_t> fault_kernel();

}  // namespace heddle::test
