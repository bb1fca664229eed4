// SPDX-License-Identifier: Apache-2.0
// From a fat binary in the program's data to a cubin that the driver can place.
#pragma once

#include <vector>

#include "heddle/result.h"
#include "host-runtime/formats/cubin.h"
#include "presets/preset.h"

namespace heddle::cudart {

// Picks the machine code made for this preset's compute capability; else compiles what a linked program was made of, or
// the newest PTX that the preset can run. Codes: cudaErrorNoKernelImageForDevice (nothing fits),
// cudaErrorInvalidKernelImage (damaged), cudaErrorInvalidPtx (the compiler's message, with places).
Result<formats::Cubin> load_fat_binary(const void* container, const Preset& preset);

// What nvcc linked of these containers, one an object: their PTX, linked anew. Codes as above; NoKernelImageForDevice
// also when one of them has no PTX.
Result<formats::Cubin> load_linked_binaries(const std::vector<const void*>& containers, const Preset& preset);

// PTX of one module or several, linked, to a cubin for this preset, with the device runtime (printf, assert) in it.
Result<formats::Cubin> compile_ptx(const std::vector<formats::CubinSource>& modules, const Preset& preset);

}  // namespace heddle::cudart
