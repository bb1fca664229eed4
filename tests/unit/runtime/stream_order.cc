// SPDX-License-Identifier: Apache-2.0
// Every operation has a place in the order that was seen: the n-th kernel 2 n, a copy of the count n 2 n + 1, behind
// that kernel and before the next. Of each stream the greatest place is kept of those operations whose calls have
// returned: what is submitted then may not come before it where the rules say that it waits for the stream. An event
// and a wait for one have no place of their own, but the one that they must be behind.
#include "tests/unit/runtime/stream_order.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <queue>

namespace heddle::test {
namespace {

constexpr const char* kNames[] = {"kernel", "copy", "record", "wait", "synchronization"};

struct Returned {
  uint64_t end;
  int stream;
  uint64_t place;
  bool operator>(const Returned& other) const { return end > other.end; }
};

}  // namespace

std::string judge(const std::vector<StreamKind>& streams, std::vector<StreamOp> ops) {
  std::sort(ops.begin(), ops.end(), [](const StreamOp& a, const StreamOp& b) { return a.begin < b.begin; });
  std::vector<uint64_t> reached(streams.size());  // by stream
  std::map<int, uint64_t> events;
  std::priority_queue<Returned, std::vector<Returned>, std::greater<>> calls;
  const auto all = [&](bool blocking_only) {
    uint64_t most = 0;
    for (size_t s = 0; s < streams.size(); s++)
      if (!blocking_only || streams[s] != StreamKind::NonBlocking) most = std::max(most, reached[s]);
    return most;
  };
  const auto behind = [&](int stream) {
    const auto s = static_cast<size_t>(stream);
    if (streams[s] == StreamKind::Legacy) return all(true);
    uint64_t most = reached[s];
    for (size_t l = 0; l < streams.size() && streams[s] == StreamKind::Blocking; l++)
      if (streams[l] == StreamKind::Legacy) most = std::max(most, reached[l]);
    return most;
  };
  for (const StreamOp& op : ops) {
    for (; !calls.empty() && calls.top().end < op.begin; calls.pop()) {
      uint64_t& place = reached[static_cast<size_t>(calls.top().stream)];
      place = std::max(place, calls.top().place);
    }
    const bool of_event = op.kind == StreamOp::Sync && op.event >= 0;
    uint64_t least = op.stream < 0 ? all(false) : of_event ? 0 : behind(op.stream);
    if (of_event || op.kind == StreamOp::Wait) least = std::max(least, events.at(op.event));
    uint64_t place = least;
    if (op.kind == StreamOp::Kernel) place = 2 * uint64_t{op.value};
    if (op.kind == StreamOp::Copy || op.kind == StreamOp::Sync) place = 2 * uint64_t{op.value} + 1;
    if (place < least || (op.kind == StreamOp::Kernel && op.value == 0))
      return fmt::format("a {} of stream {}, submitted in [{}, {}], came at {}, which is not behind {}",
                         kNames[op.kind], op.stream, op.begin, op.end, place, least);
    if (op.kind == StreamOp::Record) events[op.event] = least;
    if (op.kind != StreamOp::Sync) calls.push({op.end, op.stream, place});
  }
  return {};
}

}  // namespace heddle::test
