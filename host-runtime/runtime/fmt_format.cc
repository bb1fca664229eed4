// SPDX-License-Identifier: Apache-2.0
// Out-of-line functions of fmt for libcudart_static.a where the system has fmt as a shared library only
// (Debian's libfmt-dev): those that the libraries inside call.
#define FMT_HEADER_ONLY
#include <fmt/format.h>

namespace {
using Vformat = std::string (*)(fmt::string_view, fmt::format_args);
[[gnu::used]] const Vformat kVformat = &fmt::vformat;
}  // namespace
