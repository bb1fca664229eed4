// SPDX-License-Identifier: Apache-2.0
// From a fat binary in the program's data to a cubin that the driver can place.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/cubin.h"
#include "presets/preset.h"

namespace heddle::cudart {

// Clang's and nvcc's wrapper around a container.
inline constexpr int kFatWrapperMagic = 0x466243b1;
struct FatWrapper {
  int magic, version;
  const void* data;
  const void* const* linked;  // version 2: the containers of which `data` was linked; null at the end
};
inline constexpr int kLinkedVersion = 2;
// Null: it is none.
const FatWrapper* wrapper_of(const void* data);

// What a program asks of the compiler, and what that said.
struct Jit {
  unsigned max_registers = 0;  // a thread's; 0: as many as there are
  unsigned optimization = 2;   // 0 … 3
  std::string warnings;        // rendered; empty when there are none
};

// Picks the machine code made for this preset's compute capability; else compiles what a linked program was made of, or
// the newest PTX that the preset can run. Codes: cudaErrorNoKernelImageForDevice (nothing fits),
// cudaErrorInvalidKernelImage (damaged), cudaErrorInvalidPtx (the compiler's message, with places),
// cudaErrorUnsupportedPtxVersion.
Result<formats::Cubin> load_fat_binary(const void* container, const Preset& preset, Jit* jit = nullptr);

// What nvcc linked of these containers, one an object: their PTX, linked anew. Codes as above; NoKernelImageForDevice
// also when one of them has no PTX.
Result<formats::Cubin> load_linked_binaries(const std::vector<const void*>& containers, const Preset& preset);

// PTX of one module or several, linked, to a cubin for this preset, with the device runtime (printf, assert) in it.
Result<formats::Cubin> compile_ptx(const std::vector<formats::CubinSource>& modules, const Preset& preset,
                                   Jit* jit = nullptr);

// Whether it can be linked with other modules; what it calls may be theirs.
Status check_ptx(const formats::CubinSource& module);

// What a program loads by itself: a cubin, a fat binary (or the wrapper that compilers put around one), PTX that a NUL
// ends. Codes as above; `name` is what diagnostics call the PTX.
Result<formats::Cubin> load_image(const void* image, const std::string& name, const Preset& preset, Jit& jit);

}  // namespace heddle::cudart
