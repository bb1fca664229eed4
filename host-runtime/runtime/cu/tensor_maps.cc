// SPDX-License-Identifier: Apache-2.0
// Maps of tensors: what they may say, and how they are written down (firmware/devrt/tensor_map.h). The rules are those
// of the driver API's documentation; interleaved tensors and types that a copy converts are refused.
#include <algorithm>
#include <cstring>

#include "firmware/devrt/tensor_map.h"
#include "host-runtime/runtime/cu/calls.h"
#include "host-runtime/runtime/refusal.h"

namespace heddle::cudart::cu {

namespace {

using devrt::TensorMap;

constexpr cuuint32_t kMostDimensions = 5, kMostBox = 256, kMostStep = 8;
constexpr cuuint64_t kMostElements = cuuint64_t{1} << 32, kMostStride = cuuint64_t{1} << 40, kUnit = 16;

// Bytes of an element; 0: there is no such type.
unsigned element_of(CUtensorMapDataType type) {
  switch (type) {
    case CU_TENSOR_MAP_DATA_TYPE_UINT8: return 1;
    case CU_TENSOR_MAP_DATA_TYPE_UINT16:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT16:
    case CU_TENSOR_MAP_DATA_TYPE_BFLOAT16: return 2;
    case CU_TENSOR_MAP_DATA_TYPE_UINT32:
    case CU_TENSOR_MAP_DATA_TYPE_INT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT32_FTZ:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32:
    case CU_TENSOR_MAP_DATA_TYPE_TFLOAT32_FTZ: return 4;
    case CU_TENSOR_MAP_DATA_TYPE_UINT64:
    case CU_TENSOR_MAP_DATA_TYPE_INT64:
    case CU_TENSOR_MAP_DATA_TYPE_FLOAT64: return 8;
  }
  return 0;
}

bool is_real(CUtensorMapDataType type) { return type >= CU_TENSOR_MAP_DATA_TYPE_FLOAT16; }

bool is_aligned(const void* p, cuuint64_t bytes) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }

template <class T>
bool in_range(const T* values, cuuint32_t count, cuuint64_t least, cuuint64_t most) {
  return std::all_of(values, values + count, [&](T v) { return v >= least && v <= most; });
}

}  // namespace

namespace body {

CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, cuuint32_t rank, void* address,
                                const cuuint64_t* dims, const cuuint64_t* strides, const cuuint32_t* box,
                                const cuuint32_t* steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
  const unsigned element = element_of(type);
  if (!map || !is_aligned(map, 64) || element == 0 || rank < 1 || rank > kMostDimensions || !address ||
      !is_aligned(address, kUnit) || !dims || (rank > 1 && !strides) || !box || !steps)
    return CUDA_ERROR_INVALID_VALUE;
  if (interleave < CU_TENSOR_MAP_INTERLEAVE_NONE || interleave > CU_TENSOR_MAP_INTERLEAVE_32B ||
      swizzle < CU_TENSOR_MAP_SWIZZLE_NONE || swizzle > CU_TENSOR_MAP_SWIZZLE_128B ||
      promotion < CU_TENSOR_MAP_L2_PROMOTION_NONE || promotion > CU_TENSOR_MAP_L2_PROMOTION_L2_256B ||
      fill < CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE || fill > CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA)
    return CUDA_ERROR_INVALID_VALUE;
  if (!in_range(dims, rank, 1, kMostElements) || !in_range(box, rank, 1, kMostBox) ||
      !in_range(steps, rank, 1, kMostStep) || (rank > 1 && !in_range(strides, rank - 1, 0, kMostStride - 1)))
    return CUDA_ERROR_INVALID_VALUE;
  if (std::any_of(strides, strides + rank - 1, [](cuuint64_t s) { return s % kUnit != 0; }))
    return CUDA_ERROR_INVALID_VALUE;
  if (fill != CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE && !is_real(type)) return CUDA_ERROR_INVALID_VALUE;
  if (interleave != CU_TENSOR_MAP_INTERLEAVE_NONE)
    return static_cast<CUresult>(
        refuse_driver("cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", "interleaved tensors are"));
  if (type > CU_TENSOR_MAP_DATA_TYPE_BFLOAT16)
    return static_cast<CUresult>(
        refuse_driver("cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", "types that copies convert are"));
  const unsigned row = box[0] * element, span = swizzle == CU_TENSOR_MAP_SWIZZLE_NONE ? 0 : 16u << swizzle;
  if (row % kUnit != 0 || (span != 0 && row > span)) return CUDA_ERROR_INVALID_VALUE;

  TensorMap out{};
  out.address = reinterpret_cast<uint64_t>(address);
  for (cuuint32_t d = 0; d < rank; ++d) {
    if (d > 0) out.strides[d - 1] = strides[d - 1];
    out.dims[d] = static_cast<unsigned>(std::min(dims[d], kMostElements - 1));
    out.box[d] = static_cast<unsigned short>(box[d]);
    out.steps[d] = static_cast<unsigned char>(steps[d]);
  }
  out.rank = static_cast<unsigned char>(rank);
  out.type = static_cast<unsigned char>(type);
  out.element = static_cast<unsigned char>(element);
  out.swizzle = static_cast<unsigned char>(span);
  out.fill = static_cast<unsigned char>(fill);
  std::memset(map, 0, sizeof *map);
  std::memcpy(map, &out, sizeof out);
  return CUDA_SUCCESS;
}

CUresult cuTensorMapReplaceAddress(CUtensorMap* map, void* address) {
  if (!map || !is_aligned(map, 64) || !address || !is_aligned(address, kUnit)) return CUDA_ERROR_INVALID_VALUE;
  TensorMap held;
  std::memcpy(&held, map, sizeof held);
  if (held.rank == 0 || held.rank > kMostDimensions) return CUDA_ERROR_INVALID_VALUE;
  held.address = reinterpret_cast<uint64_t>(address);
  std::memcpy(map, &held, sizeof held);
  return CUDA_SUCCESS;
}

}  // namespace body
}  // namespace heddle::cudart::cu
