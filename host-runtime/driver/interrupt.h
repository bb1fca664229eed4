// SPDX-License-Identifier: Apache-2.0
// Ctrl-C (SIGINT) and a polite kill (SIGTERM) during a run: the report is still written, then the process dies
// by the same signal as usual.
//
// The handler only sets a flag and wakes a watcher thread. A wait in the driver sees the flag at its next
// slice, stops and calls finish_interrupt(); outside of a wait the watcher does. Either runs the hook,
// which takes the driver's lock and writes the report, and then lets the signal do its work. A second signal
// kills at once, unless it comes so soon that it must be the first, sent to the process and to its group. A
// program's own handlers are left alone.
#pragma once

#include <functional>

namespace heddle::driver {

// Installs the handlers, except for a signal that is handled or ignored already. `hook` runs after the first
// one; the process ends by that signal when it returns. The watcher and a waiting thread may both call it: it
// must take the lock that a waiting thread holds, and be recursive in it. Only the first call of a process
// counts.
void watch_interrupt(std::function<void()> hook);

// A signal came.
bool interrupt_requested();

// Runs the hook and ends the process by the signal that came.
[[noreturn]] void finish_interrupt();

}  // namespace heddle::driver
