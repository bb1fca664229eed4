/* SPDX-License-Identifier: Apache-2.0 */
/* Included before Verilator's library (CMakeLists.txt): what a model prints goes to model_context.cc. */
#pragma once

#define VL_PRINTF heddle_model_print
#ifdef __cplusplus
extern "C"
#endif
    int
    heddle_model_print(const char* format, ...);
