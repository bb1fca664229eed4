// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/runtime/contexts.h"

#include <vector>

#include "host-runtime/runtime/driver_call.h"

namespace heddle::cudart {
namespace {

std::vector<ContextHandle>& stack() {
  thread_local std::vector<ContextHandle> contexts;
  return contexts;
}

ContextHandle handle_of(uint64_t number) { return reinterpret_cast<ContextHandle>(number); }

constexpr uint64_t kPrimary = 0x1000;

}  // namespace

ContextHandle Contexts::primary() const { return handle_of(kPrimary); }

ContextHandle Contexts::current() const { return stack().empty() ? nullptr : stack().back(); }

ContextHandle Contexts::owner() const { return is_primary(current()) ? nullptr : current(); }

cudaError_t Contexts::enter() {
  if (!current()) {
    if (driver_call()) return cudaErrorDeviceUninitialized;
    set_current(primary());
  }
  if (is_primary(current()) && !driver_call()) {
    used_ = true;
    reset_ = false;
  }
  return lives(current()) ? cudaSuccess : cudaErrorContextIsDestroyed;
}

ContextHandle Contexts::create(unsigned flags, unsigned version) {
  static uint64_t last = kPrimary;
  const ContextHandle handle = last_ = handle_of(last += 0x10);
  own_[handle] = {.flags = flags, .version = version};
  return handle;
}

bool Contexts::destroy(ContextHandle handle) {
  if (own_.erase(handle) == 0) return false;
  if (current() == handle) stack().pop_back();
  return true;
}

OwnContext* Contexts::own(ContextHandle handle) {
  const auto found = own_.find(handle);
  return found == own_.end() ? nullptr : &found->second;
}

bool Contexts::lives(ContextHandle handle) {
  return is_primary(handle) ? primary_active() && !reset_ : own(handle) != nullptr;
}

void Contexts::clear() { own_.clear(); }

bool Contexts::release_primary() {
  if (retained_ == 0) return false;
  --retained_;
  return true;
}

void Contexts::primary_was_reset() {
  used_ = false;
  reset_ = true;
}

void Contexts::set_current(ContextHandle handle) {
  if (!stack().empty()) stack().pop_back();
  if (handle) stack().push_back(handle);
}

void Contexts::push(ContextHandle handle) { stack().push_back(handle); }

std::optional<ContextHandle> Contexts::pop() {
  if (stack().empty()) return std::nullopt;
  const ContextHandle top = stack().back();
  stack().pop_back();
  return top;
}

}  // namespace heddle::cudart
