// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/driver/failure.h"

#include <cinttypes>
#include <cstdio>

#include "host-runtime/device/contract.h"
#include "host-runtime/driver/code_segment.h"

namespace heddle::driver {
namespace {

namespace c = contract;

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%" PRIx64, value);
  return text;
}

// The thread of a block by its linear index.
Dim3 thread_index(uint32_t linear, const Dim3& block) {
  const uint32_t x = block.x ? block.x : 1, y = block.y ? block.y : 1;
  return {linear % x, linear / x % y, linear / (x * y)};
}

const char* space(uint32_t code) {
  switch (code & 0xf) {
    case c::kFaultSpaceShared: return "shared";
    case c::kFaultSpaceLocal: return "local";
    case c::kFaultSpaceConst: return "constant";
    default: return "global";
  }
}

const char* access(uint32_t code) {
  if (code & c::kFaultAtomic) return "atomic on";
  return code & c::kFaultWrite ? "store to" : "load from";
}

// Calls check their pointer; a damaged return address can still lead to the code segment's first bytes, which are no
// code.
bool bad_call(const Failure& f) { return f.code == formats::kTrapBadCall; }
bool outside_code(const Failure& f) { return f.pc < CodeSegment::kAlignment; }

std::string memory_access(const Failure& f) {
  return std::string(access(f.code)) + " " + space(f.code) + " address " + hex(f.address);
}

// A kernel whose depth is not known accesses local memory beyond the thread's end: its stack grew there.
bool stack_overflow(const Failure& f, const FailureContext& context) {
  return f.status == c::kStatusFault && f.kind == c::kFaultIllegalAddress && (f.code & 0xf) == c::kFaultSpaceLocal &&
         context.stack_bytes != 0 && static_cast<uint32_t>(f.address) >= context.local_bytes;
}

std::string headline(const Failure& f, const FailureContext& context) {
  switch (f.status) {
    case c::kStatusTimeout:
      return "the kernel ran longer than the limit of " + std::to_string(context.cycle_limit) +
             " cycles and was stopped";
    case c::kStatusDeadlock: return "deadlock: a barrier can never complete";
    case c::kStatusBadCommand: return "the device refused the command";
    case c::kStatusAborted: return "the device was stopped by an earlier fault";
    case c::kStatusFault: break;
    default: return f.backend_text;
  }
  switch (f.kind) {
    case c::kFaultIllegalAddress:
      if (stack_overflow(f, context))
        return "stack overflow: " + memory_access(f) + ", a thread has " + std::to_string(context.local_bytes) +
               " bytes (cudaLimitStackSize, " + std::to_string(context.stack_bytes) +
               ", is raised with cudaDeviceSetLimit)";
      return "illegal address: " + memory_access(f) +
             ((f.code & 0xf) == c::kFaultSpaceGlobal && f.address < 4096 ? " (null pointer)" : "");
    case c::kFaultMisaligned: return "misaligned address: " + memory_access(f);
    case c::kFaultIllegalInstruction:
      return outside_code(f) ? "control went to " + hex(f.pc) + ", where no code is" : "illegal instruction";
    case c::kFaultIllegalPc: return "instruction fetch from illegal address " + hex(f.pc);
    case c::kFaultTrap:
      return bad_call(f) ? "call through a null function pointer, or one that is no function's address"
                         : "trap with code " + std::to_string(f.code);
    case c::kFaultBus: return "memory answered with an error: " + memory_access(f);
    default: return "unknown fault " + std::to_string(f.kind);
  }
}

std::string warp_list(uint64_t mask) {
  std::string out;
  for (int w = 0; w < 64; ++w)
    if (mask >> w & 1) out += (out.empty() ? "" : ",") + std::to_string(w);
  return out.empty() ? "none" : out;
}

}  // namespace

std::string to_string(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

Failure read_failure(device::Backend& backend, uint32_t status) {
  Failure f;
  f.status = status;
  f.kind = backend.read32(c::kRegFaultKind);
  f.sm = backend.read32(c::kRegFaultSm);
  f.warp = backend.read32(c::kRegFaultWarp);
  f.thread = backend.read32(c::kRegFaultThread);
  f.pc = backend.read32(c::kRegFaultPc);
  f.address = backend.read64(c::kRegFaultAddressLo);
  f.block = {backend.read32(c::kRegFaultBlockX), backend.read32(c::kRegFaultBlockY),
             backend.read32(c::kRegFaultBlockZ)};
  f.code = backend.read32(c::kRegFaultCode);
  if (status != c::kStatusDeadlock && status != c::kStatusTimeout) return f;
  const uint32_t sms = backend.read32(c::kRegNumSms);
  for (uint32_t sm = 0; sm < sms; ++sm) {
    const uint64_t base = c::kRegSmBase + sm * c::kRegSmStride;
    f.warps.push_back({sm, backend.read64(base + c::kSmWaitingLo), backend.read64(base + c::kSmResidentLo)});
  }
  return f;
}

Code cuda_code(const Failure& f) {
  switch (f.status) {
    case c::kStatusTimeout: return Code::LaunchTimeout;
    case c::kStatusFault: break;
    case 0: return f.gone ? Code::LaunchFailure : Code::Unknown;
    default: return Code::LaunchFailure;
  }
  switch (f.kind) {
    case c::kFaultIllegalAddress: return Code::IllegalAddress;
    case c::kFaultMisaligned: return Code::MisalignedAddress;
    case c::kFaultIllegalInstruction: return outside_code(f) ? Code::InvalidPc : Code::IllegalInstruction;
    case c::kFaultTrap: return bad_call(f) ? Code::InvalidPc : Code::LaunchFailure;
    case c::kFaultIllegalPc: return Code::InvalidPc;
    default: return Code::LaunchFailure;
  }
}

Error describe(const Failure& f, const FailureContext& context) {
  std::string text = headline(f, context);
  if (!context.kernel.empty())
    text += "\n  kernel " + context.kernel + ", grid " + to_string(context.grid) + ", block size " +
            to_string(context.block_dim);
  if (f.status == c::kStatusFault) {
    text += "\n  block " + to_string(f.block) + ", thread " + to_string(thread_index(f.thread, context.block_dim)) +
            ", SM " + std::to_string(f.sm) + ", warp slot " + std::to_string(f.warp) + ", PC " + hex(f.pc);
    if (!context.instruction.empty()) text += ": " + context.instruction;
    if (!context.function.empty()) text += "\n  in " + context.function;
    if (!context.source.empty()) text += "\n  at " + context.source;
    if (!context.neighbourhood.empty()) text += "\n  " + context.neighbourhood;
  }
  for (const auto& sm : f.warps) {
    if (!sm.resident) continue;
    text += "\n  SM " + std::to_string(sm.sm) + ": warps waiting at a barrier: " + warp_list(sm.waiting) +
            "; resident: " + warp_list(sm.resident);
  }
  return Error(text, stack_overflow(f, context) ? Code::HardwareStackError : cuda_code(f));
}

}  // namespace heddle::driver
