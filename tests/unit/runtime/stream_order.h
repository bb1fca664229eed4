// SPDX-License-Identifier: Apache-2.0
// A judge of what many threads submitted to many streams: in which order it must have run, by CUDA's rules alone
// ("Streams" and "Implicit Synchronization" of the programming guide), and whether it did. It knows nothing of the
// runtime. Of two calls the first is the one that returned before the other began; calls that overlap have no order.
//
//   legacy stream     thread 0: k1 [1, 2]                             k4 [7, 8]
//   blocking stream   thread 1:            k2 [3, 4]                             behind k1; k4 is behind it
//   another one       thread 2:               k3 [4, 6]                          behind k1; k2 and it: any order
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace heddle::test {

enum class StreamKind { Legacy, Blocking, NonBlocking };  // a thread's own stream is a blocking one

struct StreamOp {
  enum Kind {
    Kernel,  // counts: `value` is the count, its own included
    Copy,    // `value`: the count that it copied
    Record,  // of an event
    Wait,    // of a stream for an event
    Sync     // a wait of the host, for a stream, an event (`event` 0 or more) or everything (`stream` -1); `value`: the
             // count that the host saw afterwards
  } kind;
  int stream;
  int event = -1;       // recorded once, or waited for after that call returned
  uint64_t begin, end;  // tickets of the call's begin and end, all different
  uint32_t value = 0;
};

// The first operation that came too early; empty: none.
std::string judge(const std::vector<StreamKind>& streams, std::vector<StreamOp> ops);

}  // namespace heddle::test
