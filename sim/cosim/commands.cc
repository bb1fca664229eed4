// SPDX-License-Identifier: Apache-2.0
#include "sim/cosim/commands.h"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::cosim {

namespace c = heddle::contract;

namespace {

uint8_t byte_of(const Sector& s, uint64_t i) { return static_cast<uint8_t>(s[i / 4] >> i % 4 * 8); }

// No device refuses the launch for its shape alone.
bool possible(const contract::Command& launch) {
  const auto within = [&](uint64_t word, uint64_t most) {
    return launch.words[word] >= 1 && launch.words[word] <= most;
  };
  return within(c::kWordGridX, 0xffffffff) && within(c::kWordGridY, 0xffff) && within(c::kWordGridZ, 0xffff) &&
         within(c::kWordBlockX, 1024) && within(c::kWordBlockY, 1024) && within(c::kWordBlockZ, 64) &&
         launch.words[c::kWordClusterX] <= 16 && launch.words[c::kWordClusterY] <= 16 &&
         launch.words[c::kWordClusterZ] <= 16 &&
         uint64_t{launch.words[c::kWordBlockX]} * launch.words[c::kWordBlockY] * launch.words[c::kWordBlockZ] <= 1024 &&
         launch.words[c::kWordRegisters] <= 255 && launch.words[c::kWordSharedBytes] < 1u << 18 &&
         launch.words[c::kWordParamBytes] < 1u << 17;
}

}  // namespace

bool Commands::known() const {
  return std::any_of(rings_.begin(), rings_.end(), [](const Ring& r) { return r.address != 0; });
}

void Commands::register_written(const RegisterWrite& e) {
  if (e.offset == c::kRegControl && (e.value & c::kControlReset)) {
    whole_ = faulted_ = false;
    abandoned_ = true;
    sectors_ = 0;
    for (Ring& r : rings_) r.head = r.tail = 0;
    return;
  }
  if (e.offset < c::kRegRingBase) return;
  const uint64_t ring = (e.offset - c::kRegRingBase) / c::kRegRingStride;
  if (ring >= 16) return;
  if (rings_.size() <= ring) rings_.resize(ring + 1);
  Ring& r = rings_[ring];
  switch ((e.offset - c::kRegRingBase) % c::kRegRingStride) {
    case c::kRingAddressLo: r.address = (r.address & ~uint64_t{0xffffffff}) | e.value; return;
    case c::kRingAddressHi: r.address = (r.address & 0xffffffff) | uint64_t{e.value} << 32; return;
    case c::kRingEntries: r.entries = e.value; return;
    case c::kRingTail: r.tail = e.value; return;
    default: return;
  }
}

Commands::Ring* Commands::ring_of(uint64_t address) {
  for (Ring& r : rings_)
    if (r.address && address >= r.address && address - r.address < uint64_t{r.entries} * c::kCommandBytes) return &r;
  return nullptr;
}

bool Commands::is_launch() const { return (command_.words[c::kWordOpcode] & 0xff) == c::kCommandLaunch; }

bool Commands::copies() const {
  const uint32_t opcode = command_.words[c::kWordOpcode] & 0xff;
  return opcode == c::kCommandCopy || opcode == c::kCommandFill;
}

std::string Commands::unfinished() const {
  if (!whole_ || faulted_) return {};
  if (left_) return fmt::format("a command is fetched before the copy has written its last {} bytes", left_);
  if (is_launch() && kernel_ == Kernel::Runs) return "a command is fetched before the last one's kernel has ended";
  if (is_launch() && kernel_ == Kernel::None && possible(command_))
    return "a command is fetched, but the last one's kernel never started";
  return {};
}

// A sector of a command. One that is refused ends all work; the entry counts as taken.
std::string Commands::fetched(Ring& ring, const HostRead& e) {
  const uint64_t entry = ring.head & (ring.entries - 1), at = entry * c::kCommandBytes + sectors_ * kSectorBytes;
  const bool next = ring.head != ring.tail && e.address - ring.address == at;
  if (abandoned_ && !next) return {};  // from before the reset
  if (ring.head == ring.tail)
    return fmt::format("entry {} of a ring is fetched, which the host has not handed over",
                       (e.address - ring.address) / c::kCommandBytes);
  if (!next)
    return fmt::format("byte {:#x} of a ring is fetched, where byte {:#x}, of its entry {}, comes next",
                       e.address - ring.address, at, entry);
  if (sectors_ == 0) {
    if (const std::string wrong = unfinished(); !wrong.empty()) return wrong;
    whole_ = false;
  }
  if (e.error) faulted_ = true;
  std::copy(e.data.begin(), e.data.end(), command_.words + sectors_ * 8);
  if (++sectors_ < c::kCommandBytes / kSectorBytes) return {};
  sectors_ = 0;
  ring.head++;
  begin();
  return {};
}

// All of the command is here.
void Commands::begin() {
  whole_ = true;
  abandoned_ = refused_ = false;
  kernel_ = Kernel::None;
  source_.clear();
  order_.clear();
  // More than any memory holds is refused by the device.
  constexpr uint64_t kMost = uint64_t{1} << 40;
  const uint64_t bytes = command_.get64(c::kWordBytes), rows = uint64_t{command_.words[c::kWordMoreRows]} + 1;
  left_ = !copies() ? 0 : bytes < kMost / rows ? bytes * rows : kMost;
  written_.assign(left_ < kMost ? left_ : 0, false);
}

void Commands::arrived(uint64_t sector, const Sector& data) {
  if (source_.insert_or_assign(sector, data).second) order_.push_back(sector);
  if (order_.size() <= kKept) return;
  source_.erase(order_.front());
  order_.pop_front();
}

// Whether the last row that begins in the sector or before it reaches it.
bool Commands::in_source(uint64_t sector) const {
  const uint64_t source = command_.get64(c::kWordSource), pitch = command_.words[c::kWordSourcePitch];
  const uint64_t first = sector * kSectorBytes, last = first + kSectorBytes - 1;
  if (last < source) return false;
  const uint64_t row = pitch ? std::min<uint64_t>((last - source) / pitch, command_.words[c::kWordMoreRows]) : 0;
  return source + row * pitch + command_.get64(c::kWordBytes) > first;
}

std::string Commands::host_read(const HostRead& e) {
  if (!known()) return {};
  if (Ring* ring = ring_of(e.address)) return fetched(*ring, e);
  if (abandoned_) return {};
  const bool asked = whole_ && (command_.words[c::kWordOpcode] & 0xff) == c::kCommandCopy &&
                     (command_.words[c::kWordOpcode] & c::kFlagSourceHost);
  if (!asked || !in_source(e.address / kSectorBytes))
    return fmt::format("host memory is read at {:#x}, which no command asks for", e.address);
  if (e.error) refused_ = true;
  else arrived(e.address / kSectorBytes, e.data);
  return {};
}

std::string Commands::host_write(const HostWrite& e) {
  if (!known() || abandoned_) return {};
  const uint64_t record = command_.get64(c::kWordCompletion);
  if (!record || e.address / kSectorBytes != record / kSectorBytes)
    return moved(true, e.address / kSectorBytes, e.mask, e.data);
  if (!(e.mask >> 4 & 1)) return {};  // a part of the record, not that with the status
  const uint32_t tag = e.data[0], status = e.data[1];
  if (tag != command_.words[c::kWordTag])
    return fmt::format("the completion record has tag {:#x}, the command {:#x}", tag, command_.words[c::kWordTag]);
  if (!whole_) return "a completion record is written though no command has been taken since the last one";
  if (const std::string wrong = ends_as(status); !wrong.empty()) return wrong;
  if (status == c::kStatusOk && refused_) return "a copy completes though part of its source was refused";
  if (status == c::kStatusOk && left_)
    return fmt::format("a copy completes that has not written its last {} bytes", left_);
  whole_ = false;
  left_ = 0;
  return {};
}

bool Commands::by_window(uint64_t sector, uint32_t mask, const Sector& data) {
  if (!window_ || window_->sector != sector || window_->mask != mask) return false;
  for (uint64_t i = 0; i < kSectorBytes; i++)
    if ((mask >> i & 1) && byte_of(data, i) != byte_of(window_->data, i)) return false;
  window_.reset();
  return true;
}

std::string Commands::device_write(uint64_t sector, uint32_t mask, const Sector& data) {
  return known() && !by_window(sector, mask, data) && !abandoned_ ? moved(false, sector, mask, data) : std::string{};
}

std::string Commands::moved(bool to_host, uint64_t sector, uint32_t mask, const Sector& data) {
  const uint32_t opcode = command_.words[c::kWordOpcode];
  const bool fill = (opcode & 0xff) == c::kCommandFill;
  const char* memory = to_host ? "host" : "device";
  if (!whole_ || !copies() || to_host != (!fill && (opcode & c::kFlagDestinationHost) != 0))
    return fmt::format("{} memory is written at {:#x}, which no command asks for", memory, sector * kSectorBytes);
  const uint64_t source = command_.get64(c::kWordSource), destination = command_.get64(c::kWordDestination);
  const uint64_t bytes = command_.get64(c::kWordBytes), more_rows = command_.words[c::kWordMoreRows];
  const uint64_t pitch = more_rows ? command_.words[c::kWordDestinationPitch] : 0;
  for (uint64_t i = 0; i < kSectorBytes; i++) {
    if (!(mask >> i & 1)) continue;
    const uint64_t address = sector * kSectorBytes + i, offset = address - destination;
    const uint64_t row = pitch ? offset / pitch : 0, column = offset - row * pitch, n = row * bytes + column;
    const uint64_t from = source + row * command_.words[c::kWordSourcePitch] + column;
    if (address < destination || row > more_rows || column >= bytes || n >= written_.size())
      return fmt::format("{} memory is written at {:#x}, outside the copy's destination", memory, address);
    if (written_[n]) return fmt::format("byte {:#x} of a copy's destination is written twice", address);
    uint8_t expected = static_cast<uint8_t>(command_.words[c::kWordPattern] >> address % 4 * 8);
    if (!fill && !refused_) {
      const auto read = source_.find(from / kSectorBytes);
      if (read == source_.end())
        return fmt::format("byte {:#x} is written before its source, {:#x}, was read", address, from);
      expected = byte_of(read->second, from % kSectorBytes);
    }
    if (!refused_ && byte_of(data, i) != expected)
      return fmt::format("{} of byte {:#x}: hardware {:#04x}, the command {:#04x}", fill ? "fill" : "copy", address,
                         byte_of(data, i), expected);
    written_[n] = true;
    left_--;
  }
  return {};
}

std::string Commands::ends_as(uint32_t status) const {
  if (!is_launch()) return {};
  if (kernel_ == Kernel::Runs) return "a launch completes while its kernel runs";
  if (kernel_ == Kernel::Ended && status != kernel_status_)
    return fmt::format("a launch completes with status {}, its kernel ended with {}", status, kernel_status_);
  if (kernel_ == Kernel::None && status != c::kStatusBadCommand && status != c::kStatusAborted)
    return fmt::format("a launch completes with status {}, and its kernel never started", status);
  return {};
}

void Commands::kernel_end(const KernelEnd& e) {
  kernel_ = Kernel::Ended;
  kernel_status_ = e.status;
  if (e.status != c::kStatusOk && e.status != c::kStatusBadCommand) faulted_ = true;
}

std::string Commands::kernel_start(const KernelStart& e) {
  if (!known()) return {};
  if (!whole_ || !is_launch()) return "a kernel starts, which no command asks for";
  if (kernel_ != Kernel::None) return "a command's kernel starts a second time";
  const auto word = [&](uint64_t at) -> uint64_t { return command_.words[at]; };
  const struct {
    const char* name;
    uint64_t hardware, command;
  } fields[] = {{"first PC", e.entry_pc, word(c::kWordEntryPc)},
                {"registers", e.registers, word(c::kWordRegisters)},
                {"shared bytes", e.shared_bytes, word(c::kWordSharedBytes)},
                {"dynamic shared bytes", e.dynamic_shared, word(c::kWordDynamicShared)},
                {"local bytes", e.local_bytes, word(c::kWordLocalBytes)},
                {"grid x", e.grid[0], word(c::kWordGridX)},
                {"grid y", e.grid[1], word(c::kWordGridY)},
                {"grid z", e.grid[2], word(c::kWordGridZ)},
                {"block x", e.block[0], word(c::kWordBlockX)},
                {"block y", e.block[1], word(c::kWordBlockY)},
                {"block z", e.block[2], word(c::kWordBlockZ)},
                {"cluster x", e.cluster[0], std::max(word(c::kWordClusterX), uint64_t{1})},
                {"cluster y", e.cluster[1], std::max(word(c::kWordClusterY), uint64_t{1})},
                {"cluster z", e.cluster[2], std::max(word(c::kWordClusterZ), uint64_t{1})},
                {"clusters", e.clusters, word(c::kWordClusterX) != 0},
                {"parameters' address", e.param_base, command_.get64(c::kWordParamBase)},
                {"parameters' bytes", e.param_bytes, word(c::kWordParamBytes)},
                {"constants' address", e.const_base, command_.get64(c::kWordConstBase)},
                {"local memory's address", e.local_base, command_.get64(c::kWordLocalBase)},
                {"envreg0", e.envreg0, word(c::kWordEnvreg0)},
                {"envreg1", e.envreg1, word(c::kWordEnvreg1)},
                {"grid id", e.grid_id, word(c::kWordGridId)}};
  for (const auto& f : fields)
    if (f.hardware != f.command)
      return fmt::format("the launch's {}: hardware {:#x}, the command {:#x}", f.name, f.hardware, f.command);
  kernel_ = Kernel::Runs;
  return {};
}

}  // namespace heddle::cosim
