/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the core it is given as other libcudarts would: older ones, which know less, and newer ones. */
#include "host-runtime/runtime/connect.h"

#include <dlfcn.h>
#include <stdio.h>

static int newest(void* function) {
  int version = 0;
  return function && ((int (*)(int*))function)(&version) == 0 ? version : -1;
}

int main(int count, char** files) {
  void* core = count == 2 ? dlopen(files[1], RTLD_NOW) : 0;
  heddle_connect* ask = core ? (heddle_connect*)dlsym(core, HEDDLE_CONNECT_NAME) : 0;
  if (!ask) return 1;
  const char* const names[] = {"cudaRuntimeGetVersion", "cudaOfTomorrow"};
  void* functions[] = {core, core}; /* not null */
  struct heddle_connect_request request = {1, sizeof request, 11080, 2, names, functions};
  if (ask(&request) || newest(functions[0]) != 11080 || functions[1]) return 2;
  request.runtime = 13000;
  if (ask(&request) || newest(functions[0]) != 13000) return 3;
  request.bytes += 16; /* members at the end that this core does not know */
  if (ask(&request)) return 4;
  request.interface = HEDDLE_CONNECT_INTERFACE + 1;
  const char* refused = ask(&request);
  printf("%s\n", refused ? refused : "taken");
  return 0;
}
