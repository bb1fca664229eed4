// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has and this library refuses: each says so by name, once, and returns cudaErrorNotSupported, so
// that a program that asks and goes on without still works. None looks at its arguments, so none needs to know them
// here.
#include "host-runtime/runtime/refusal.h"

#define REFUSE(symbol, name, what) \
  extern "C" int symbol(...) { return heddle::cudart::refuse(#symbol, #name, what); }
#define REFUSE_None(name, what)
#define REFUSE_Ptsz(name, what) REFUSE(name##_ptsz, name, what)
#define REFUSE_Ptds(name, what) REFUSE(name##_ptds, name, what)
#define REFUSED(name, variant, what) \
  REFUSE(name, name, what)           \
  REFUSE_##variant(name, what)
#include "host-runtime/runtime/functions.def"
