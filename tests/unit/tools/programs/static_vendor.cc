// SPDX-License-Identifier: Apache-2.0
// Stands for a program with another vendor's CUDA runtime linked in statically.
extern "C" void** __cudaRegisterFatBinary(void*) { return nullptr; }

int main() { return __cudaRegisterFatBinary(nullptr) != nullptr; }
