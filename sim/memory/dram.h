// SPDX-License-Identifier: Apache-2.0
// Device memory behind the GPU's AXI4 ports: by channel, a subordinate with the timing of a DRAM. Banks with one open
// row each; an access to an open row takes row_hit_cycles, another row_miss_cycles, and occupies its bank for
// the difference. Of what waits for a bank, accesses to one row go together, as controllers serve row hits first: rows
// that are read in turns are not opened anew for each access. All data share one bus of bytes_per_cycle, on which what
// is ready goes first. At most `queue` bursts are under way. All numbers come from the preset's [dram]; a channel has
// its part of banks, bus and queue, and of lines that follow each other one in memory_channels, which lie beside each
// other in its rows.
//
//   Dram dram(preset);
//   each cycle and channel:  fill `axi` from the model's outputs as they stand before the rising edge;
//                            if (!channel.quiet(axi)) channel.step(axi);   // sets what goes to the GPU in the next
//                            cycle copy axi.arready, rvalid … to the model's inputs
//
// Bursts are INCR of whole beats, within a 4 KiB page. Answers to one id come in order, to several ids as
// memory has them. Reads see the writes whose data came before them. Addresses outside: DECERR.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <vector>

#include "presets/preset.h"
#include "sim/memory/image.h"

namespace heddle::dram {

inline constexpr int kMaxBeatBytes = 32;
inline constexpr uint8_t kOkay = 0, kDecErr = 3;

// The wires of the port; beats use the first beat_bytes() of the data arrays.
struct Axi {
  // From the GPU.
  bool awvalid = false, wvalid = false, wlast = false, bready = false, arvalid = false, rready = false;
  uint8_t awlen = 0, awid = 0, arlen = 0, arid = 0;  // len: beats - 1
  uint64_t awaddr = 0, araddr = 0;
  std::array<uint8_t, kMaxBeatBytes> wdata{};
  uint32_t wstrb = 0;
  // To the GPU.
  bool awready = true, wready = true, bvalid = false, arready = true, rvalid = false, rlast = false;
  uint8_t bid = 0, bresp = kOkay, rid = 0, rresp = kOkay;
  std::array<uint8_t, kMaxBeatBytes> rdata{};
};

// What happened since construction.
struct Counters {
  uint64_t reads = 0, writes = 0;              // bursts
  uint64_t read_bytes = 0, written_bytes = 0;  // of beats that were given and taken
  uint64_t row_hits = 0, row_misses = 0;
};

class Channel {
 public:
  // `image`: what all channels keep.
  Channel(const Preset& preset, Image& image);

  const Counters& counters() const { return counters_; }
  int beat_bytes() const { return beat_bytes_; }
  uint64_t cycle() const { return cycle_; }

  // Nothing is asked and nothing is owed. step() would only count the cycle; skip(1) does that.
  bool quiet(const Axi& axi) const {
    return idle_ && !axi.arvalid && !axi.awvalid && !axi.wvalid && !axi.rvalid && !axi.bvalid;
  }
  void skip(uint64_t cycles) { cycle_ += cycles; }
  void step(Axi& axi);

 private:
  // A row that a bank has open, or will open when the one before is done: what comes for it until `end` finds it
  // open.
  struct Opening {
    uint64_t row;
    uint64_t end;  // cycle from which on the bank may open another, as far as known now
  };
  using Bank = std::deque<Opening>;  // in their order; the last stays open
  struct Burst {
    uint64_t address;
    uint64_t due;  // cycle of the first beat, or of the write's answer
    uint8_t id;
    uint8_t beats;
    uint8_t beat;  // next
    bool error;
  };
  struct Beat {
    std::array<uint8_t, kMaxBeatBytes> data;
    uint32_t strobe;
  };

  uint64_t schedule(uint64_t address, uint64_t bytes);
  uint64_t take_bus(uint64_t from, uint64_t bytes);
  void accept(const Axi& axi);
  void absorb_writes();
  void answer(Axi& axi);

  Image& image_;
  int beat_bytes_;
  uint64_t channels_;
  Preset::Dram timing_;  // of a channel
  std::vector<Bank> banks_;
  std::array<uint64_t, 256> last_due_{};      // of reads, by id: answers of an id stay in order
  static constexpr uint64_t kHorizon = 8192;  // cycles
  // Bytes of the bus given away in each cycle from bus_from_ on, of cycle n at n % kHorizon.
  std::array<uint32_t, kHorizon> bus_{};
  uint64_t bus_from_ = 0;
  uint64_t cycle_ = 0;
  bool idle_ = true;
  std::deque<Burst> reads_, writes_, answers_;  // reads by due time; writes wait for data; then answers
  std::deque<Beat> beats_;                      // write data that came before its address was used
  Counters counters_;
};

class Dram {
 public:
  explicit Dram(const Preset& preset);

  Image& image() { return image_; }
  std::vector<Channel>& channels() { return channels_; }
  Counters counters() const;  // of all channels

 private:
  Image image_;
  std::vector<Channel> channels_;
};

}  // namespace heddle::dram
