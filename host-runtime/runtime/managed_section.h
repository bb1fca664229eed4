// SPDX-License-Identifier: Apache-2.0
// Which of the program's variables are marked __managed__. The toolkit's headers put them into a section of that name
// (host_defines.h), since clang has nothing of its own to tell them by.
#pragma once

namespace heddle::cudart {

// Whether the address lies in such a section of the program or of a library of it. Reads the file once.
bool in_managed_section(const void* address);

}  // namespace heddle::cudart
