// SPDX-License-Identifier: Apache-2.0
// libheddle-nvtx.so: brings programs' NVTX and the runtime together, in whatever order they come (nvtx.h).
#include <cstdint>
#include <mutex>
#include <vector>

namespace {

using ExportTable = const void* (*)(uint32_t);
using Attach = int (*)(ExportTable);

std::mutex mutex;
Attach runtime = nullptr;
std::vector<ExportTable>& waiting() {
  static auto* tables = new std::vector<ExportTable>;
  return *tables;
}

}  // namespace

// By the runtime.
extern "C" [[gnu::visibility("default")]] void heddle_nvtx_attach(Attach attach) {
  const std::lock_guard lock(mutex);
  runtime = attach;
  for (const ExportTable tables : waiting()) (void)attach(tables);
  waiting().clear();
}

// By NVTX, once for each library of the program that holds it. 0: it need not ask again.
extern "C" [[gnu::visibility("default")]] int InitializeInjectionNvtx2(ExportTable tables) {
  const std::lock_guard lock(mutex);
  if (runtime) return runtime(tables);
  waiting().push_back(tables);
  return 1;
}
