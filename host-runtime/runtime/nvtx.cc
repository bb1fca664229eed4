// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/nvtx.h"

#include <dlfcn.h>

#include <cstdlib>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "host-runtime/driver/timeline.h"
#include "host-runtime/runtime/state.h"

namespace heddle::cudart {
namespace {

using driver::Timeline;

// ---- NVTX's binary interface -------------------------------------------------------------------------

enum TableId : uint32_t { kCallbacks = 1 };
enum Module : int { kCore = 1, kCore2 = 5 };

// Places in the modules' tables; A: of chars, W: of wide ones, Ex: of attributes.
enum Core {
  kMarkEx = 1,
  kMarkA,
  kMarkW,
  kRangeStartEx,
  kRangeStartA,
  kRangeStartW,
  kRangeEnd,
  kRangePushEx,
  kRangePushA,
  kRangePushW,
  kRangePop,
  kNameCategoryA,
  kNameCategoryW,
  kNameOsThreadA,
  kNameOsThreadW,
};
enum Core2 {
  kDomainMarkEx = 1,
  kDomainRangeStartEx,
  kDomainRangeEnd,
  kDomainRangePushEx,
  kDomainRangePop,
  kDomainNameCategoryA = 8,
  kDomainNameCategoryW,
  kDomainRegisterStringA,
  kDomainRegisterStringW,
  kDomainCreateA,
  kDomainCreateW,
};

using Pointer = void (*)();
struct Callbacks {
  size_t bytes;  // of the structure as the program has it
  int (*module)(int module, Pointer*** table, unsigned* size);
};

struct Attributes {
  uint16_t version, bytes;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  union {
    uint64_t u64;
    int64_t i64;
    double f64;
    uint32_t u32;
    int32_t i32;
    float f32;
  } payload;
  int32_t message_type;
  union {
    const char* chars;
    const wchar_t* wide;
    const void* registered;
  } message;
};
static_assert(sizeof(Attributes) == 48);

enum MessageType { kChars = 1, kWide, kRegistered };
enum PayloadType { kU64 = 1, kI64, kF64, kU32, kI32, kF32 };

// ---- what programs have named ------------------------------------------------------------------------

struct Domain {
  std::string name;
  std::map<uint32_t, std::string> categories;
};

// Handles are addresses in here, which nobody destroys.
struct Names {
  std::mutex mutex;
  Domain none;                            // of calls that say no domain
  std::map<std::string, Domain> domains;  // of one name there is one
  std::map<std::string, int> strings;     // registered; a handle is a key's address
};
Names& names() {
  static auto* all = new Names;
  return *all;
}

std::string utf8(const wchar_t* wide) {
  std::string out;
  for (; wide && *wide; ++wide) {
    const auto c = static_cast<uint32_t>(*wide);
    const auto tail = [&](unsigned shift) { out += static_cast<char>(0x80 | (c >> shift & 0x3f)); };
    if (c < 0x80) {
      out += static_cast<char>(c);
    } else if (c < 0x800) {
      out += static_cast<char>(0xc0 | c >> 6), tail(0);
    } else if (c < 0x10000) {
      out += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
    } else {
      out += static_cast<char>(0xf0 | (c >> 18 & 7)), tail(12), tail(6), tail(0);
    }
  }
  return out;
}
std::string utf8(const char* chars) { return chars ? chars : ""; }

Domain& domain(void* handle) { return handle ? *static_cast<Domain*>(handle) : names().none; }

Timeline::Note note(void* handle, const void* attributes) {
  const auto* a = static_cast<const Attributes*>(attributes);
  const std::lock_guard lock(names().mutex);
  const Domain& in = domain(handle);
  Timeline::Note n;
  n.domain = in.name;
  if (!a) return n;
  switch (a->message_type) {
    case kChars: n.name = utf8(a->message.chars); break;
    case kWide: n.name = utf8(a->message.wide); break;
    case kRegistered:
      if (a->message.registered) n.name = *static_cast<const std::string*>(a->message.registered);
      break;
    default: break;
  }
  switch (a->payload_type) {
    case kU64: n.payload = a->payload.u64; break;
    case kI64: n.payload = a->payload.i64; break;
    case kF64: n.payload = a->payload.f64; break;
    case kU32: n.payload = uint64_t{a->payload.u32}; break;
    case kI32: n.payload = int64_t{a->payload.i32}; break;
    case kF32: n.payload = double{a->payload.f32}; break;
    default: break;
  }
  if (a->category) {
    const auto named = in.categories.find(a->category);
    n.category = named == in.categories.end() ? std::to_string(a->category) : named->second;
  }
  return n;
}
template <typename Char>
Timeline::Note note(const Char* name) {
  Timeline::Note n;
  n.name = utf8(name);
  return n;
}

// ---- callbacks: there is a timeline ------------------------------------------------------------------

Timeline& line() { return *Timeline::get(); }

template <typename... Name>
void mark(Name... name) {
  line().mark(thread_number(), note(name...));
}
template <typename... Name>
uint64_t start(Name... name) {
  return line().start(thread_number(), note(name...));
}
template <typename... Name>
int push(Name... name) {
  return line().push(thread_number(), note(name...));
}
void end(uint64_t range) { line().end(range); }
int pop(void* handle) { return line().pop(thread_number(), domain(handle).name); }

template <typename Char>
void name_category(void* handle, uint32_t category, const Char* name) {
  const std::lock_guard lock(names().mutex);
  domain(handle).categories[category] = utf8(name);
}
template <typename Char>
void name_thread(uint32_t thread, const Char* name) {
  line().name_thread(thread, utf8(name));
}
template <typename Char>
const void* register_string(void*, const Char* string) {
  const std::lock_guard lock(names().mutex);
  return &names().strings.try_emplace(utf8(string)).first->first;
}
template <typename Char>
void* create_domain(const Char* name) {
  const std::lock_guard lock(names().mutex);
  Domain& made = names().domains[utf8(name)];
  made.name = utf8(name);
  return &made;
}

// A module's table: an array of the addresses of the pointers.
class Table {
 public:
  Table(const Callbacks& callbacks, Module module) {
    if (!callbacks.module(module, &table_, &size_)) size_ = 0;
  }
  template <typename Function>
  void set(unsigned place, Function* function) {
    if (place < size_ && table_[place]) *table_[place] = reinterpret_cast<Pointer>(function);
  }
  explicit operator bool() const { return size_ != 0; }

 private:
  Pointer** table_ = nullptr;
  unsigned size_ = 0;
};

using A = const char*;
using W = const wchar_t*;
using Ex = const void*;  // Attributes

// The library that NVTX loads, when it is ours.
[[gnu::constructor]] void meet_nvtx() {
  const char* file = std::getenv("NVTX_INJECTION64_PATH");
  if (!file || !std::getenv("HEDDLE_TRACE") || !std::string_view(file).ends_with("libheddle-nvtx.so")) return;
  void* library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  using Attach = void (*)(int (*)(NvtxExportTable));
  if (const auto attach = reinterpret_cast<Attach>(dlsym(library, "heddle_nvtx_attach"))) attach(attach_nvtx);
}

}  // namespace

int attach_nvtx(NvtxExportTable tables) {
  const auto* callbacks = tables ? static_cast<const Callbacks*>(tables(kCallbacks)) : nullptr;
  if (!callbacks || callbacks->bytes < sizeof *callbacks || !callbacks->module) return 0;
  Table core(*callbacks, kCore), core2(*callbacks, kCore2);
  if (!core || !Timeline::get()) return 0;
  // The program may use NVTX and no device: the file has to end all the same.
  static const int once = std::atexit([] { State::get().finish(); });
  (void)once;
  core.set(
      kMarkEx, +[](Ex e) { mark(static_cast<void*>(nullptr), e); });
  core.set(
      kMarkA, +[](A name) { mark(name); });
  core.set(
      kMarkW, +[](W name) { mark(name); });
  core.set(
      kRangeStartEx, +[](Ex e) { return start(static_cast<void*>(nullptr), e); });
  core.set(
      kRangeStartA, +[](A name) { return start(name); });
  core.set(
      kRangeStartW, +[](W name) { return start(name); });
  core.set(kRangeEnd, &end);
  core.set(
      kRangePushEx, +[](Ex e) { return push(static_cast<void*>(nullptr), e); });
  core.set(
      kRangePushA, +[](A name) { return push(name); });
  core.set(
      kRangePushW, +[](W name) { return push(name); });
  core.set(
      kRangePop, +[] { return pop(nullptr); });
  core.set(
      kNameCategoryA, +[](uint32_t category, A name) { name_category(nullptr, category, name); });
  core.set(
      kNameCategoryW, +[](uint32_t category, W name) { name_category(nullptr, category, name); });
  core.set(kNameOsThreadA, &name_thread<char>);
  core.set(kNameOsThreadW, &name_thread<wchar_t>);
  core2.set(kDomainMarkEx, &mark<void*, Ex>);
  core2.set(kDomainRangeStartEx, &start<void*, Ex>);
  core2.set(
      kDomainRangeEnd, +[](void*, uint64_t range) { end(range); });
  core2.set(kDomainRangePushEx, &push<void*, Ex>);
  core2.set(kDomainRangePop, &pop);
  core2.set(kDomainNameCategoryA, &name_category<char>);
  core2.set(kDomainNameCategoryW, &name_category<wchar_t>);
  core2.set(kDomainRegisterStringA, &register_string<char>);
  core2.set(kDomainRegisterStringW, &register_string<wchar_t>);
  core2.set(kDomainCreateA, &create_domain<char>);
  core2.set(kDomainCreateW, &create_domain<wchar_t>);
  return 1;
}

}  // namespace heddle::cudart
