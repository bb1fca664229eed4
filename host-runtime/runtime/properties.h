// SPDX-License-Identifier: Apache-2.0
// What the API says about a device, made from its preset.
#pragma once

#include <optional>

#include "cuda_runtime_api.h"
#include "presets/preset.h"

namespace heddle::cudart {

// Of a copy in two or three dimensions, at most.
inline constexpr size_t kMaxPitch = 0x7fffffff;

cudaDeviceProp device_properties(const Preset& preset);

// nullopt: no such attribute.
std::optional<int> device_attribute(const Preset& preset, cudaDeviceAttr attribute);

}  // namespace heddle::cudart
