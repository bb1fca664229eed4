// SPDX-License-Identifier: Apache-2.0
// What a fuzzer feeds: any bytes. Each may be refused, with words; what is accepted must hold together. A compiler pass
// that finds its predecessor's work wrong is a mistake of ours: abort() then, as for whatever the sanitizers see.
#pragma once

#include <cstdint>
#include <span>

namespace heddle::fuzz {

// PTX text. Whether it was accepted: then its cubin was read back and linked, too.
bool take_ptx(std::span<const uint8_t> bytes);

// A cubin: read, linked, looked up, its code disassembled and assembled.
bool take_cubin(std::span<const uint8_t> bytes);

}  // namespace heddle::fuzz
