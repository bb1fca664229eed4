// SPDX-License-Identifier: Apache-2.0
// HEDDLE_TRACE: what the file holds.
#include "host-runtime/driver/timeline.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/unit/runtime/traced_fixture.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;

class TimelineOfARun : public Traced {
 protected:
  static Json events() {
    EXPECT_TRUE(driver::Timeline::get()->finish());
    return Json::parse(std::ifstream(file()));
  }
};

// Of one process of the file: spans by name of the track.
std::map<std::string, std::vector<Json>> tracks(const Json& all, const std::string& process) {
  std::map<std::string, std::vector<Json>> found;
  std::map<int, std::string> names;
  int id = 0;
  for (const Json& e : all)
    if (e["ph"] == "M" && e["name"] == "process_name" && e["args"]["name"].get<std::string>().starts_with(process))
      id = e["pid"];
  for (const Json& e : all)
    if (e["ph"] == "M" && e["name"] == "thread_name" && e["pid"] == id) names[e["tid"]] = e["args"]["name"];
  for (const Json& e : all)
    if (e["ph"] == "X" && e["pid"] == id) found[names.at(e["tid"])].push_back(e);
  return found;
}

TEST_F(TimelineOfARun, HoldsCallsOfThreadsAndWorkOfStreams) {
  cudaStream_t streams[2];
  for (auto& s : streams) ASSERT_EQ(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking), cudaSuccess);
  int* d = device(64);
  std::vector<int> host(64);
  for (int i = 0; i < 10; ++i) {
    void* args[] = {&d};
    EXPECT_EQ(cudaLaunchKernel(&stubs.store, dim3(1, 1, 1), dim3(32, 1, 1), args, 0, streams[i % 2]), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(host.data(), d, 128, cudaMemcpyDeviceToHost, streams[i % 2]), cudaSuccess);
  }
  EXPECT_EQ(cudaLaunchHostFunc(
                streams[0], [](void*) {}, nullptr),
            cudaSuccess);
  std::thread([] { EXPECT_EQ(cudaFree(reinterpret_cast<void*>(1)), cudaErrorInvalidValue); }).join();
  EXPECT_EQ(cudaMemset(d, 0, 256), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);

  const Json all = events();
  const auto calls = tracks(all, "host");
  ASSERT_EQ(calls.size(), 2u);
  const auto count = [](const std::vector<Json>& spans, const std::string& name) {
    return std::count_if(spans.begin(), spans.end(), [&](const Json& e) { return e["name"] == name; });
  };
  const auto& [other, theirs] =
      *std::find_if(calls.begin(), calls.end(), [](const auto& t) { return t.second.size() == 1; });
  EXPECT_EQ(theirs[0]["name"], "cudaFree");
  EXPECT_EQ(theirs[0]["args"]["result"], "cudaErrorInvalidValue");
  const auto& ours =
      std::find_if(calls.begin(), calls.end(), [&, &name = other](const auto& t) { return t.first != name; })->second;
  EXPECT_EQ(count(ours, "cudaLaunchKernel"), 10);
  EXPECT_EQ(count(ours, "cudaMemcpyAsync"), 10);

  auto work = tracks(all, "streams");
  EXPECT_EQ(work.size(), 3u);
  EXPECT_EQ(count(work.at("stream 1"), "store"), 5);
  EXPECT_EQ(count(work.at("stream 2"), "copy to host"), 5);
  EXPECT_EQ(count(work.at("stream 1"), "host function"), 1);
  EXPECT_EQ(count(work.at("default stream"), "fill"), 1);
  for (const Json& e : work.at("stream 2"))
    if (e["name"] == "copy to host") EXPECT_EQ(e["args"]["bytes"], 128);
  for (const Json& e : work.at("stream 2"))
    if (e["cat"] == "kernel") EXPECT_EQ(e["args"]["grid"], "(1,1,1)");

  // Work of a stream does not overlap; what began was submitted before, by a call that had begun.
  for (auto& [name, spans] : work) {
    std::sort(spans.begin(), spans.end(), [](const Json& a, const Json& b) { return a["ts"] < b["ts"]; });
    for (size_t i = 0; i < spans.size(); ++i) {
      EXPECT_LE(spans[i]["args"]["submitted_us"], spans[i]["ts"]) << spans[i];
      if (i)
        EXPECT_LE(spans[i - 1]["ts"].get<double>() + spans[i - 1]["dur"].get<double>(), spans[i]["ts"]) << spans[i];
    }
  }
  EXPECT_TRUE(tracks(all, "device").empty());  // the model has no clock
}

TEST(TimelineFile, CyclesAreTheDevicesOwnTime) {
  const std::string name = ::testing::TempDir() + "heddle_timeline_device_" + std::to_string(getpid()) + ".json";
  auto timeline = driver::Timeline::open(name);
  ASSERT_TRUE(timeline);
  driver::Timeline::Work work;
  work.name = "a \"quoted\" kernel";
  work.kind = "kernel";
  work.submitted = work.began = work.ended = driver::Timeline::Clock::now();
  work.first_cycle = 1000;
  work.last_cycle = 3000;
  work.kilohertz = 500000;  // two nanoseconds
  (*timeline)->work(work);
  ASSERT_TRUE((*timeline)->finish());
  const auto device = tracks(Json::parse(std::ifstream(name)), "device");
  ASSERT_EQ(device.size(), 1u);
  const Json& e = device.at("default stream")[0];
  EXPECT_EQ(e["name"], work.name);
  EXPECT_DOUBLE_EQ(e["ts"], 2.0);
  EXPECT_DOUBLE_EQ(e["dur"], 4.0);
  EXPECT_EQ(e["args"]["cycles"], 2000);
  std::remove(name.c_str());
}

TEST(TimelineFile, WhatCannotBeWrittenIsSaid) {
  EXPECT_NE(driver::Timeline::open("/no/such/folder/x.json").error().message().find("/no/such/folder"),
            std::string::npos);
  auto full = driver::Timeline::open("/dev/full");
  ASSERT_TRUE(full);
  EXPECT_NE((*full)->finish().error().message().find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace heddle::test
