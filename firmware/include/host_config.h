// SPDX-License-Identifier: Apache-2.0
// What the host compiler must be. clang 14 and later are accepted; 19 is the floor for everything.
#if !defined(__HOST_CONFIG_H__)
#define __HOST_CONFIG_H__

#if defined(__CUDA__) && defined(__clang_major__) && __clang_major__ < 14
#error "Heddle's CUDA headers need clang 14 or later (clang 19 for every feature)"
#endif

#endif  // __HOST_CONFIG_H__
