// SPDX-License-Identifier: Apache-2.0
// Opened by clang's wrapper after its texture intrinsics. Fetches by texture reference left CUDA in
// version 12; fetches by object are in texture_indirect_functions.h.
#if !defined(HEDDLE_TEXTURE_FETCH_FUNCTIONS_H)
#define HEDDLE_TEXTURE_FETCH_FUNCTIONS_H

#endif  // HEDDLE_TEXTURE_FETCH_FUNCTIONS_H
