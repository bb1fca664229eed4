// SPDX-License-Identifier: Apache-2.0
// Device memory at the ports m_axi_* of a verilated model: packed arrays by channel, which Verilator makes integers or
// arrays of words, the first channel in the lowest bits.
//
//   MemoryPorts memory(preset);
//   memory.connect(model);                       // before the first cycle
//   each cycle:  memory.gather(model); rising edge; memory.answer(model);
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "presets/preset.h"
#include "sim/memory/dram.h"

namespace heddle::rtl {

class MemoryPorts {
 public:
  explicit MemoryPorts(const Preset& preset)
      : dram_(preset),
        wires_(dram_.channels().size()),
        beat_bits_(static_cast<unsigned>(preset.structure.axi_data_bits)),
        id_bits_(slice_id_bits(preset) + static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(
                                             preset.structure.l2_slices / preset.structure.memory_channels)))) {}

  dram::Dram& dram() { return dram_; }

  template <typename Model>
  void connect(Model& model) {
    for (unsigned c = 0; c < wires_.size(); c++) set(model, c);
  }

  // Takes the model's outputs as they stand before the rising edge.
  template <typename Model>
  void gather(const Model& model) {
    for (unsigned c = 0; c < wires_.size(); c++) {
      dram::Axi& w = wires_[c];
      w.awvalid = model.m_axi_awvalid_o >> c & 1;
      w.wvalid = model.m_axi_wvalid_o >> c & 1;
      w.arvalid = model.m_axi_arvalid_o >> c & 1;
      w.bready = model.m_axi_bready_o >> c & 1;
      w.rready = model.m_axi_rready_o >> c & 1;
      if (w.awvalid) {
        w.awaddr = field(model.m_axi_awaddr_o, c, kAddressBits);
        w.awlen = static_cast<uint8_t>(field(model.m_axi_awlen_o, c, 8));
        w.awid = static_cast<uint8_t>(field(model.m_axi_awid_o, c, id_bits_));
      }
      if (w.arvalid) {
        w.araddr = field(model.m_axi_araddr_o, c, kAddressBits);
        w.arlen = static_cast<uint8_t>(field(model.m_axi_arlen_o, c, 8));
        w.arid = static_cast<uint8_t>(field(model.m_axi_arid_o, c, id_bits_));
      }
      if (w.wvalid) {
        w.wlast = model.m_axi_wlast_o >> c & 1;
        w.wstrb = static_cast<uint32_t>(field(model.m_axi_wstrb_o, c, beat_bits_ / 8));
        std::memcpy(w.wdata.data(), bytes_of(model.m_axi_wdata_o) + c * beat_bits_ / 8, beat_bits_ / 8);
      }
    }
  }

  // Lets memory answer, after the rising edge.
  template <typename Model>
  void answer(Model& model) {
    for (unsigned c = 0; c < wires_.size(); c++) {
      dram::Channel& channel = dram_.channels()[c];
      if (channel.quiet(wires_[c])) {
        channel.skip(1);
      } else {
        channel.step(wires_[c]);
        set(model, c);
      }
    }
  }

 private:
  static constexpr unsigned kAddressBits = 40;  // gpu_pkg::AddrW
  // l2_pkg::SliceIdW
  static unsigned slice_id_bits(const Preset& preset) {
    return std::max(4u, static_cast<unsigned>(std::countr_zero(static_cast<unsigned>(preset.structure.l2_mshrs))));
  }

  template <typename Port>
  static auto bytes_of(Port& port) {
    using Byte = std::conditional_t<std::is_const_v<Port>, const uint8_t, uint8_t>;
    return reinterpret_cast<Byte*>(&port);
  }

  // Field `index` of those of `width` bits each, 56 at most.
  template <typename Port>
  static uint64_t field(const Port& port, unsigned index, unsigned width) {
    const unsigned at = index * width, byte = at / 8;
    uint64_t word = 0;
    std::memcpy(&word, bytes_of(port) + byte, std::min(sizeof word, sizeof port - byte));
    return word >> at % 8 & ((uint64_t{1} << width) - 1);
  }
  template <typename Port>
  static void set_field(Port& port, unsigned index, unsigned width, uint64_t value) {
    const unsigned at = index * width, byte = at / 8;
    const size_t size = std::min(sizeof value, sizeof port - byte);
    const uint64_t mask = ((uint64_t{1} << width) - 1) << at % 8;
    uint64_t word = 0;
    std::memcpy(&word, bytes_of(port) + byte, size);
    word = (word & ~mask) | (value << at % 8 & mask);
    std::memcpy(bytes_of(port) + byte, &word, size);
  }

  template <typename Model>
  void set(Model& model, unsigned c) {
    const dram::Axi& w = wires_[c];
    set_field(model.m_axi_awready_i, c, 1, w.awready);
    set_field(model.m_axi_wready_i, c, 1, w.wready);
    set_field(model.m_axi_arready_i, c, 1, w.arready);
    set_field(model.m_axi_bvalid_i, c, 1, w.bvalid);
    set_field(model.m_axi_rvalid_i, c, 1, w.rvalid);
    if (w.bvalid) {
      set_field(model.m_axi_bid_i, c, id_bits_, w.bid);
      set_field(model.m_axi_bresp_i, c, 2, w.bresp);
    }
    if (w.rvalid) {
      set_field(model.m_axi_rid_i, c, id_bits_, w.rid);
      set_field(model.m_axi_rresp_i, c, 2, w.rresp);
      set_field(model.m_axi_rlast_i, c, 1, w.rlast);
      std::memcpy(bytes_of(model.m_axi_rdata_i) + c * beat_bits_ / 8, w.rdata.data(), beat_bits_ / 8);
    }
  }

  dram::Dram dram_;
  std::vector<dram::Axi> wires_;
  unsigned beat_bits_, id_bits_;  // of a channel's data, of its ids
};

}  // namespace heddle::rtl
