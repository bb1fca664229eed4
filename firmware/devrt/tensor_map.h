// SPDX-License-Identifier: Apache-2.0
// What a CUtensorMap holds, which programs treat as 128 bytes without meaning: written by cuTensorMapEncodeTiled, read
// by the copies of tensor_copy.cu. Dimension 0 is the one whose elements lie side by side.
#pragma once

namespace heddle::devrt {

struct TensorMap {
  unsigned long long address;     // a multiple of 16
  unsigned long long strides[4];  // of dimensions 1 to 4, in bytes: multiples of 16
  unsigned dims[5];               // elements
  unsigned short box[5];          // elements that a copy reaches over, 1 to 256
  unsigned char steps[5];         // of which it takes each so many-th; of dimension 0 all
  unsigned char rank;             // 1 to 5; 0 in what is no map
  unsigned char type;             // CUtensorMapDataType
  unsigned char element;          // its bytes: 1, 2, 4, 8
  unsigned char swizzle;          // bytes that are exchanged among each other: 0, 32, 64, 128
  unsigned char fill;             // what lies beyond the tensor: 0 zeros, 1 NaNs
};
static_assert(sizeof(TensorMap) <= 128);

}  // namespace heddle::devrt
