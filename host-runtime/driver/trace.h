// SPDX-License-Identifier: Apache-2.0
// Tasks in the timeline.
#pragma once

#include "host-runtime/driver/counters.h"
#include "host-runtime/driver/stream.h"

namespace heddle::driver {

// Makes the task tell the timeline of itself, if there is one. `stream` may be null.
void trace(Task& task, const Stream* stream, Counters& counters);

}  // namespace heddle::driver
