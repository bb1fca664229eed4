// SPDX-License-Identifier: Apache-2.0
// NVTX in the timeline: a client of its binary interface, as NVTX's headers are one, and what the file holds of it.
#include "host-runtime/runtime/nvtx.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "host-runtime/driver/timeline.h"
#include "tests/unit/runtime/traced_fixture.h"

namespace heddle::test {
namespace {

using Json = nlohmann::json;
using Pointer = void (*)();

// The pointers of one library of a program, by NVTX's numbers: modules core (1) and core2 (5).
struct Client {
  Pointer core[16] = {}, core2[16] = {};
  Pointer *core_table[16] = {}, *core2_table[16] = {};

  Client() {
    for (int i = 1; i < 16; ++i) core_table[i] = &core[i], core2_table[i] = &core2[i];
  }
  // What headers do where no tool has set the pointer: nothing.
  template <typename Result, typename... Parameters, typename... Arguments>
  static Result call(Pointer p, Arguments... arguments) {
    return p ? reinterpret_cast<Result (*)(Parameters...)>(p)(arguments...) : Result();
  }
  int push(const char* name) { return call<int, const char*>(core[9], name); }
  int push(const wchar_t* name) { return call<int, const wchar_t*>(core[10], name); }
  int pop() { return call<int>(core[11]); }
  void mark(const char* name) { call<void, const char*>(core[2], name); }
  uint64_t start(const char* name) { return call<uint64_t, const char*>(core[5], name); }
  void end(uint64_t range) { call<void, uint64_t>(core[7], range); }
  void name_thread(const char* name) {
    call<void, uint32_t, const char*>(core[14], static_cast<uint32_t>(gettid()), name);
  }
  void* domain(const char* name) { return call<void*, const char*>(core2[12], name); }
  const void* registered(void* d, const char* name) {
    return call<const void*, void*, const char*>(core2[10], d, name);
  }
  void category(void* d, uint32_t number, const char* name) {
    call<void, void*, uint32_t, const char*>(core2[8], d, number, name);
  }
  int push(void* d, const void* attributes) { return call<int, void*, const void*>(core2[4], d, attributes); }
  int pop(void* d) { return call<int, void*>(core2[5], d); }
};
Client client, late;

const void* tables_of(Client& c) {
  static struct Callbacks {
    size_t bytes = sizeof(Callbacks);
    int (*module)(int, Pointer***, unsigned*);
  } callbacks[2];
  Callbacks& own = callbacks[&c == &late];
  own.bytes = sizeof own;
  own.module = &c == &late ? [](int module, Pointer*** table, unsigned* size) {
    *table = module == 1 ? late.core_table : late.core2_table, *size = 16;
    return int{module == 1 || module == 5};
  } : [](int module, Pointer*** table, unsigned* size) {
    *table = module == 1 ? client.core_table : client.core2_table, *size = 16;
    return int{module == 1 || module == 5};
  };
  return &own;
}
const void* client_tables(uint32_t id) { return id == 1 ? tables_of(client) : nullptr; }
const void* late_tables(uint32_t id) { return id == 1 ? tables_of(late) : nullptr; }

// An event's attributes, 48 bytes: by offset.
struct Attributes {
  alignas(8) char bytes[48] = {};
  template <typename T>
  Attributes& at(size_t offset, T value) {
    std::memcpy(bytes + offset, &value, sizeof value);
    return *this;
  }
  Attributes() { at(0, uint16_t{3}), at(2, uint16_t{48}); }
};

using Nvtx = Traced;

TEST_F(Nvtx, RangesMarksAndNamesAreInTheTimeline) {
  // A program's library may ask for the tool before the runtime is there, and after.
  void* library = dlopen(HEDDLE_BUILD_DIR "/lib/libheddle-nvtx.so", RTLD_NOW);
  ASSERT_TRUE(library) << dlerror();
  const auto initialize =
      reinterpret_cast<int (*)(cudart::NvtxExportTable)>(dlsym(library, "InitializeInjectionNvtx2"));
  const auto attach =
      reinterpret_cast<void (*)(int (*)(cudart::NvtxExportTable))>(dlsym(library, "heddle_nvtx_attach"));
  ASSERT_TRUE(initialize && attach);
  EXPECT_EQ(initialize(client_tables), 1);
  EXPECT_EQ(client.push("nobody listens yet"), 0);
  attach(cudart::attach_nvtx);
  EXPECT_EQ(initialize(late_tables), 1);
  EXPECT_EQ(cudart::attach_nvtx([](uint32_t) -> const void* { return nullptr; }), 0);

  client.name_thread("main loop");
  EXPECT_EQ(client.pop(), -1);
  EXPECT_EQ(client.push("outer \"quoted\""), 0);
  EXPECT_EQ(late.push(L"inn\u00e9r \U0001f600"), 1);
  int* d = device(32);
  EXPECT_EQ(launch(&stubs.store, 1, 32, d), cudaSuccess);
  client.mark("here");
  EXPECT_EQ(client.pop(), 1);
  EXPECT_EQ(client.pop(), 0);

  void* domain = client.domain("solver");
  EXPECT_EQ(domain, late.domain("solver"));
  client.category(domain, 7, "halo");
  Attributes a;
  a.at(4, uint32_t{7})
      .at(16, int32_t{2})
      .at(24, int64_t{-5})
      .at(32, int32_t{3})
      .at(40, client.registered(domain, "step"));
  EXPECT_EQ(client.push("around it"), 0);
  EXPECT_EQ(client.push(domain, &a), 0);
  EXPECT_EQ(client.pop(), 0);  // which leaves the domain's open
  EXPECT_EQ(client.pop(domain), 0);

  const uint64_t one = client.start("overlapping 1"), two = client.start("overlapping 2");
  EXPECT_NE(one, two);
  std::thread([&] {
    client.name_thread("helper");
    EXPECT_EQ(client.push("of the helper"), 0);
    client.end(one);
    EXPECT_EQ(client.pop(), 0);
  }).join();
  EXPECT_EQ(client.push("open at the end"), 0);
  EXPECT_EQ(client.push("and this"), 1);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);

  ASSERT_TRUE(driver::Timeline::get()->finish());
  client.mark("after the end");
  const Json all = Json::parse(std::ifstream(file()));
  std::map<int, std::string> tracks;
  std::vector<Json> spans, notes;
  for (const Json& e : all) {
    if (e["pid"] != 1) continue;
    if (e["ph"] == "M" && e["name"] == "thread_name") tracks[e["tid"]] = e["args"]["name"];
    if (e["ph"] == "X") spans.push_back(e);
    if (e["ph"] != "X" && e["ph"] != "M") notes.push_back(e);
  }
  const auto span = [&](const std::string& name) {
    const auto found = std::find_if(spans.begin(), spans.end(), [&](const Json& e) { return e["name"] == name; });
    EXPECT_NE(found, spans.end()) << name;
    return found == spans.end() ? Json() : *found;
  };
  EXPECT_EQ(tracks.at(span("outer \"quoted\"")["tid"]), "main loop");
  EXPECT_EQ(tracks.at(span("inn\u00e9r \U0001f600")["tid"]), "main loop");
  EXPECT_EQ(tracks.at(span("cudaLaunchKernel")["tid"]), "main loop");
  EXPECT_EQ(tracks.at(span("of the helper")["tid"]), "helper");
  const Json step = span("step");
  EXPECT_EQ(step["args"], Json::parse(R"({"domain": "solver", "category": "halo", "payload": -5})"));
  (void)span("open at the end");
  (void)span("and this");
  for (const char* absent : {"nobody listens yet", "after the end"})
    EXPECT_EQ(all.dump().find(absent), std::string::npos) << absent;

  // Spans of a track lie in one another or apart.
  const auto first = [](const Json& e) { return e["ts"].get<double>(); };
  const auto last = [&](const Json& e) { return first(e) + e["dur"].get<double>(); };
  constexpr double kRounding = 1e-6;
  for (const Json& a_span : spans)
    for (const Json& b_span : spans) {
      if (a_span["tid"] != b_span["tid"] || first(a_span) > first(b_span)) continue;
      EXPECT_TRUE(last(b_span) <= last(a_span) + kRounding || first(b_span) >= last(a_span) - kRounding)
          << a_span << b_span;
    }
  EXPECT_LE(first(span("inn\u00e9r \U0001f600")), first(span("cudaLaunchKernel")));
  EXPECT_GE(last(span("inn\u00e9r \U0001f600")), last(span("cudaLaunchKernel")));

  // Marks, and what does not nest: pairs of a beginning and an end.
  const auto phases = [&](const std::string& name) {
    std::string of;
    for (const Json& e : notes)
      if (e["name"] == name) of += e["ph"].get<std::string>();
    return of;
  };
  EXPECT_EQ(phases("here"), "i");
  EXPECT_EQ(phases("around it"), "be");
  EXPECT_EQ(phases("overlapping 1"), "be");
  EXPECT_EQ(phases("overlapping 2"), "be");
}

}  // namespace
}  // namespace heddle::test
