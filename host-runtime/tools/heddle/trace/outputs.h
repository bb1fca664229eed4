// SPDX-License-Identifier: Apache-2.0
// Launches as files that viewers open.
#pragma once

#include <string>
#include <vector>

#include "heddle/result.h"
#include "host-runtime/tools/heddle/trace/events.h"

namespace heddle::tools::trace {

// Chrome's trace format: the host's timeline (HEDDLE_TRACE's file, which may be cut off) and tracks of each SM.
// `notes`: what is not as it could be.
Status write_chrome(const std::string& file, const std::string& timeline, const std::vector<Launch>& launches,
                    const std::vector<std::string>& notes);

// Kanata 0004: the stages of each warp instruction that issued in the window.
Status write_konata(const std::string& file, const Launch& launch, const Window& window);

}  // namespace heddle::tools::trace
