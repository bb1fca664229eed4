// SPDX-License-Identifier: Apache-2.0
// Functions that CUDA has and this library refuses: each says so by name, once, and returns the error NotSupported, so
// that a program that asks and goes on without still works. None looks at its arguments, so none needs to know them
// here.
#include "host-runtime/runtime/refusal.h"

#define REFUSE(refuse, symbol, name, what) \
  extern "C" int symbol(...) { return heddle::cudart::refuse(#symbol, #name, what); }
#define REFUSE_None(refuse, name, what)
#define REFUSE_Ptsz(refuse, name, what) REFUSE(refuse, name##_ptsz, name, what)
#define REFUSE_Ptds(refuse, name, what) REFUSE(refuse, name##_ptds, name, what)
#define REFUSE_ALL(refuse, name, variant, what) \
  REFUSE(refuse, name, name, what)              \
  REFUSE_##variant(refuse, name, what)
#define REFUSED(name, variant, what) REFUSE_ALL(refuse, name, variant, what)
#include "host-runtime/runtime/functions.def"
#define REFUSED(name, variant, what) REFUSE_ALL(refuse_driver, name, variant, what)
#include "host-runtime/runtime/cu/functions.def"
