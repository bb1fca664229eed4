// SPDX-License-Identifier: Apache-2.0
#include "host-runtime/device/board/board.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <iterator>
#include <string_view>
#include <utility>

#include "host-runtime/device/contract.h"

namespace heddle::board {
namespace {

constexpr uint64_t kLookMs = 1000;     // between looks at the board's clock
constexpr uint64_t kAnswerMs = 20000;  // for a register on a link that works: never reached but by broken hardware

std::string hex(uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
  return text;
}

bool number(const std::string& text, uint64_t& value) {
  const bool is_hex = text.starts_with("0x");
  const char* begin = text.data() + (is_hex ? 2 : 0);
  const char* end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value, is_hex ? 16 : 10);
  return error == std::errc{} && rest == end && begin != end;
}

// One system call that answers EFAULT where a plain access would kill the process.
bool transfer(bool write, uint64_t address, void* data, size_t bytes) {
  const iovec here{data, bytes}, there{reinterpret_cast<void*>(address), bytes};
  const ssize_t n =
      write ? process_vm_writev(getpid(), &here, 1, &there, 1, 0) : process_vm_readv(getpid(), &here, 1, &there, 1, 0);
  if (n == static_cast<ssize_t>(bytes)) return true;
  if (n >= 0 || (errno != ENOSYS && errno != EPERM)) return false;
  // Forbidden here (some containers): trust the driver, which gave the device these addresses.
  if (write) std::memcpy(there.iov_base, data, bytes);
  else std::memcpy(data, there.iov_base, bytes);
  return true;
}

// Of a 64-bit pair of registers: reading it latches the upper half.
bool is_lower_half(uint32_t offset) {
  struct Register {
    std::string_view group, name;
    uint64_t offset;
  };
  static constexpr Register kRegisters[] = {
#define HEDDLE_DEVICE(group, name, value, doc) {#group, #name, value},
#include "host-runtime/device/contract.def"
  };
  return std::any_of(std::begin(kRegisters), std::end(kRegisters), [&](const Register& r) {
    return r.offset == offset && r.group == "Reg" && r.name.ends_with("Lo");
  });
}

// Several presets may be of one structure, as `tiny` and its netlist are.
std::string preset_of(uint32_t hash, const std::vector<Preset>& presets) {
  std::string names;
  for (const Preset& p : presets)
    if (p.structure_hash() == hash) names += (names.empty() ? "preset '" : " or '") + p.name + "'";
  return names.empty() ? "a preset that is not installed here (hash " + hex(hash) + ")" : names;
}

}  // namespace

bool read_process(uint64_t address, void* data, size_t bytes) { return transfer(false, address, data, bytes); }
bool write_process(uint64_t address, const void* data, size_t bytes) {
  return transfer(true, address, const_cast<void*>(data), bytes);
}

Result<Address> parse_address(const std::string& device) {
  const auto bad = [&](const std::string& why) {
    return Error("device '" + device + "': " + why +
                 "; board:PATH[,baud=N][,timeout=SECONDS][,bitstream=ID] is expected");
  };
  constexpr const char* kPrefix = "board:";
  if (!device.starts_with(kPrefix)) return bad("no serial port is named");
  Address address;
  size_t at = std::strlen(kPrefix), comma = device.find(',', at);
  address.path = device.substr(at, comma == std::string::npos ? comma : comma - at);
  if (address.path.empty()) return bad("no serial port is named");
  while (comma != std::string::npos) {
    at = comma + 1;
    comma = device.find(',', at);
    const std::string option = device.substr(at, comma == std::string::npos ? comma : comma - at);
    const size_t equals = option.find('=');
    const std::string key = option.substr(0, equals);
    uint64_t value = 0;
    if (equals == std::string::npos || !number(option.substr(equals + 1), value))
      return bad("'" + option + "' is not understood");
    if (key == "baud" && value > 0 && value <= UINT32_MAX) {
      address.baud = static_cast<unsigned>(value);
    } else if (key == "timeout" && value > 0 && value <= 3600) {
      address.limits.connect_ms = address.limits.silence_ms = 1000 * value;
    } else if (key == "bitstream" && value <= UINT32_MAX) {
      address.bitstream = static_cast<uint32_t>(value);
    } else {
      return bad("'" + option + "' is not understood");
    }
  }
  return address;
}

Result<std::unique_ptr<Board>> Board::open(std::unique_ptr<Port> port, const Address& address, const Preset& preset,
                                           const std::vector<Preset>& presets, uint32_t nonce) {
  const std::string where = "board at " + address.path + ": ";
  std::unique_ptr<Board> board(new Board);
  Board* self = board.get();
  auto link = Link::connect(std::move(port), nonce, address.limits,
                            [self](const std::vector<uint8_t>& message) { self->take(message); });
  if (!link) return link.error();
  board->link_ = std::move(*link);
  const Identity& id = board->identity();
  if (id.link_version != kLinkVersion)
    return Error(where + "its bitstream speaks version " + std::to_string(id.link_version) + " of the link, " +
                 std::to_string(kLinkVersion) + " is needed: load a bitstream of this release");
  if (address.bitstream && id.bitstream_id != *address.bitstream)
    return Error(where + "it holds bitstream " + hex(id.bitstream_id) + ", " + hex(*address.bitstream) +
                 " is wanted (bitstream=…)");
  if (id.preset_hash != preset.structure_hash())
    return Error(where + "its bitstream is of " + preset_of(id.preset_hash, presets) + ", preset '" + preset.name +
                 "' is wanted (HEDDLE_PRESET): load the other bitstream or name the other preset");
  if (id.window == 0 || id.clock_khz == 0 || id.memory_bytes == 0)
    return Error(where + "its identification is damaged");
  const uint64_t memory = std::min<uint64_t>(preset.runtime.mem_bytes, id.memory_bytes);
  board->write32(contract::kRegMemSizeLo, static_cast<uint32_t>(memory));
  board->write32(contract::kRegMemSizeHi, 0);
  board->write32(contract::kRegSchedPolicy, preset.runtime.scheduler == "gto"   ? 1
                                            : preset.runtime.scheduler == "lrr" ? 0
                                                                                : 2);
  board->write32(contract::kRegYieldBranches, static_cast<uint32_t>(preset.runtime.yield_branches));
  const uint32_t hash = board->read32(contract::kRegPresetHash);
  if (!board->alive()) return Error(board->failure());
  if (hash != id.preset_hash) return Error(where + "its registers answer wrongly");
  return board;
}

// ---- messages from the board
// -----------------------------------------------------------------------------

void Board::take(const std::vector<uint8_t>& m) {
  switch (m.empty() ? 0 : m[0]) {
    case kOpRegData:
      if (m.size() == 5) answers_.push_back(static_cast<uint32_t>(get_little(&m[1], 4)));
      return;
    case kOpIrq:
      if (m.size() == 2) irq_ = m[1] != 0;
      return;
    case kOpDmaRead: return dma_read(m);
    case kOpDmaWrite: return dma_write(m);
    default:
      link_->fail("it sends message " + std::to_string(m.empty() ? 0 : m[0]) + ", which version " +
                  std::to_string(kLinkVersion) + " of the link does not have");
  }
}

void Board::dma_read(const std::vector<uint8_t>& m) {
  std::vector<uint8_t> reply(2 + kSectorBytes);
  reply[0] = kOpDmaData;
  reply[1] = m.size() != kDmaReadBytes || !read_process(get_little(&m[1], 8), &reply[2], kSectorBytes);
  link_->send(std::move(reply));
}

void Board::dma_write(const std::vector<uint8_t>& m) {
  bool ok = m.size() == kDmaWriteBytes;
  if (ok) {
    const uint64_t address = get_little(&m[1], 8);
    const auto enables = static_cast<uint32_t>(get_little(&m[9], 4));
    // Runs of enabled bytes: the others are the program's own.
    for (size_t i = 0; i < kSectorBytes;) {
      size_t end = i;
      while (end < kSectorBytes && (enables >> end & 1)) end++;
      if (end != i) ok &= write_process(address + i, &m[13 + i], end - i);
      i = end + 1;
    }
  }
  link_->send({kOpDmaDone, static_cast<uint8_t>(!ok)});
}

// ---- registers and interrupt
// -------------------------------------------------------------------------------

void Board::ask(uint32_t offset) {
  link_->send({kOpRegRead, static_cast<uint8_t>(offset), static_cast<uint8_t>(offset >> 8)});
}

uint32_t Board::read32(uint32_t offset) {
  if (!alive()) return 0;
  const std::optional<Upper> upper = std::exchange(upper_, std::nullopt);
  if (upper && upper->offset == offset) return upper->value;
  answers_.clear();
  ask(offset);
  const bool pair = is_lower_half(offset);
  if (pair) ask(offset + 4);
  // Silence ends this within the link; this bound is for a link that is alive before a device that
  // is not.
  const uint64_t begin = link_->now();
  const auto answered = [&] { return answers_.size() == (pair ? 2 : 1); };
  while (!answered()) {
    if (!link_->pump(100)) return 0;
    if (!answered() && link_->now() - begin > kAnswerMs) link_->fail("register " + hex(offset) + " is never answered");
  }
  if (pair) upper_ = {offset + 4, answers_[1]};
  return answers_[0];
}

void Board::write32(uint32_t offset, uint32_t value) {
  upper_.reset();
  if (!alive()) return;
  std::vector<uint8_t> m(7);
  m[0] = kOpRegWrite;
  put_little(&m[1], offset, 2);
  put_little(&m[3], value, 4);
  link_->send(std::move(m));
  if (offset == contract::kRegIrqStatus || offset == contract::kRegIrqEnable || offset == contract::kRegControl)
    irq_certain_ = false;
  // On its way now, not with the next call.
  (void)link_->pump(0).ok();
}

int Board::wait(uint64_t max_cycles) {
  if (!alive()) return -1;
  // A raised line may be of before that write: an answer of the board comes after the news that it
  // fell.
  if (irq_ && !irq_certain_) read32(contract::kRegIrqStatus);
  irq_certain_ = true;
  (void)link_->pump(0).ok();
  if (irq_ || !alive() || max_cycles == 0) return !alive() ? -1 : irq_ ? 1 : 0;
  // The board's own clock tells when to stop: a simulated one is slower than it says.
  uint32_t last = read32(contract::kRegCyclesLo);
  const uint64_t begin = link_->now();
  uint64_t passed = 0;
  while (!irq_ && alive() && passed < max_cycles) {
    const uint64_t ms = link_->now() - begin;
    const uint64_t per_ms = passed && ms ? std::max<uint64_t>(passed / ms, 1) : identity().clock_khz;
    const uint64_t until = link_->now() + std::clamp<uint64_t>((max_cycles - passed) / per_ms, 1, kLookMs);
    for (uint64_t now = link_->now(); !irq_ && alive() && now < until; now = link_->now())
      (void)link_->pump(until - now).ok();
    if (irq_) break;
    const uint32_t cycle = read32(contract::kRegCyclesLo);
    passed += uint32_t{cycle - last};  // the counter goes round in more than a minute
    last = cycle;
  }
  return !alive() ? -1 : irq_ ? 1 : 0;
}

const std::string& Board::failure() {
  if (failure_.empty() && !alive()) failure_ = link_->status().error().message();
  return failure_;
}

uint64_t Board::cycles() {
  const uint64_t low = read32(contract::kRegCyclesLo), high = read32(contract::kRegCyclesHi);
  if (alive()) cycles_ = low | high << 32;
  return cycles_;
}

}  // namespace heddle::board
