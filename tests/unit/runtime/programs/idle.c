/* SPDX-License-Identifier: Apache-2.0 */
/* Calls no CUDA: whether the core was loaded all the same. */
#include <dlfcn.h>
#include <stdio.h>

int main(void) {
  puts(dlopen("libheddle.so.0", RTLD_NOW | RTLD_NOLOAD) ? "loaded" : "not loaded");
  return 0;
}
