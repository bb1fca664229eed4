/* SPDX-License-Identifier: Apache-2.0 */
/* What libcudart (shim.c, in C) asks of the core, libheddle.so.0, which holds the runtime. A program may hold an older
 * or a newer libcudart_static.a than the core it finds, so functions go by their names, and members are only ever added
 * at the end. */
#pragma once

#define HEDDLE_CORE "libheddle.so.0"
/* The one symbol of the core. The heddle command knows Heddle's libcudart by this text, too. */
#define HEDDLE_CONNECT heddle_runtime_connect
#define HEDDLE_CONNECT_NAME "heddle_runtime_connect"
/* Of the structure and of what it stands for. A core takes all up to its own. */
#define HEDDLE_CONNECT_INTERFACE 1

struct heddle_connect_request {
  unsigned interface, bytes; /* HEDDLE_CONNECT_INTERFACE, and the structure's size, as the shim knows them */
  unsigned runtime;          /* the CUDA that the shim stands for, 1000 * major + 10 * minor */
  unsigned count;
  const char* const* names; /* of functions */
  void** functions;         /* filled by the core; null where it has no function of that name */
};

/* Null, or why it cannot be. May be called in several threads at once. */
typedef const char* heddle_connect(const struct heddle_connect_request* request);
