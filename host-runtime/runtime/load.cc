// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/load.h"
namespace heddle::cudart {
Result<compiler::Cubin> load_fat_binary(const void*, const Preset&) { return Error("x", 209); }
}  // namespace heddle::cudart
