// SPDX-License-Identifier: Apache-2.0
// Ctrl-C during a run: the report is still written, then the process dies by SIGINT as usual.
//
// The handler only sets a flag and wakes a watcher thread. A wait in the driver sees the flag at its next
// slice, stops and calls finish_interrupt(); outside of a wait the watcher does. Either runs the hook,
// which takes the driver's lock and writes the report, and then lets the signal do its work. A second Ctrl-C kills at once. A program's own handler is left alone.
#pragma once

#include <functional>

namespace heddle::driver {

// Installs the handler unless SIGINT is handled or ignored already. `hook` runs after the first SIGINT; the
// process ends by SIGINT when it returns. The watcher and a waiting thread may both call it: it must
// take the lock that a waiting thread holds, and be recursive in it. Only the first call of a process
// counts.
void watch_interrupt(std::function<void()> hook);

// A SIGINT came.
bool interrupt_requested();

// Runs the hook and ends the process by SIGINT.
[[noreturn]] void finish_interrupt();

}  // namespace heddle::driver
