// SPDX-License-Identifier: Apache-2.0
// The page that `heddle prof` writes, of the files in page/, with {{DATA}} where its data go. The build makes it.
#pragma once

namespace heddle::tools::prof {

extern const char* const kPage;

}  // namespace heddle::tools::prof
