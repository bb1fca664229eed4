// SPDX-License-Identifier: Apache-2.0
// Libraries of kernels: an image that every context gets a module of when it first uses it. Their kernels are functions
// of the context that is current.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "heddle/result.h"
#include "host-runtime/formats/cubin.h"
#include "host-runtime/runtime/contexts.h"

struct CUlib_st;
struct CUkern_st;
struct CUmod_st;

namespace heddle::cudart {

struct Library {
  std::optional<formats::Cubin> image;
  std::optional<Error> failure;  // why there is no image: said when it is used
  std::map<ContextHandle, CUmod_st*> modules;
};

struct LibraryKernel {
  CUlib_st* library = nullptr;
  std::string name;
};

}  // namespace heddle::cudart
