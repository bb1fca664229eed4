// SPDX-License-Identifier: Apache-2.0
// A preset: one .toml file that sizes and times the machine, for hardware, model and API alike.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "heddle/result.h"

namespace heddle {

// What a machine may leave out: hardware refuses its instructions. Behind each what it is, and by what the compiler
// then computes the same.
struct Features {
  bool fp64 = true;           // unit Fp64; without it calls of the functions of firmware/devrt/soft_f64.cu
  bool fp16 = true;           // unit Fp16; f32 instructions
  bool tensor = true;         // a tensor unit; nothing does
  bool matrix_load = true;    // LDSM; lanes shuffle addresses and load a word each
  bool async_copy = true;     // LDGSTS and what waits for it; a load and a store at once
  bool dmma = true;           // DMMA; lanes shuffle elements and multiply them with DFMA
  bool float_atomics = true;  // memory adds f32, f64, f16x2 and bf16x2, has minimum and maximum of the last two; a loop
                              // compares and swaps
  bool clusters = true;       // of several blocks; nothing does
};

struct Preset {
  std::string name;  // the file's name without .toml

  // [structure]: fixed at elaboration; keys as in the file, in its order, for config_pkg and the hash.
  struct Structure {
    int compute_major, compute_minor;
    int sms, sub_partitions, warps_per_sub_partition, blocks_per_sm;
    int cluster_blocks = 1;  // of a cluster at most, all on one SM; 1: no clusters
    int row_lanes, int_lanes, imad_lanes, fp32_lanes, cvt_lanes, sfu_lanes;
    int fp64_lanes, fp16_lanes;  // 0: no such unit
    int tensor_fma;              // f16 products a cycle; 0: no such unit
    int float_atomics;           // 1: memory adds f32, f64, f16x2 and bf16x2, has min and max of the last two
    int register_rows, register_banks, collectors;
    int icache_bytes, icache_l0_bytes;  // of an SM, of a sub-partition (0: none)
    int constant_cache_bytes, shared_bytes;
    int l1_bytes, l1_ways;
    int lsu_entries, l1_mshrs;                   // memory instructions in flight an SM; lines being fetched
    int write_combine_lines;                     // in which a warp's stores are joined before they leave an SM; 0: none
    int l2_slices, l2_bytes, l2_ways, l2_mshrs;  // bytes of all slices, MSHRs of each
    int l2_links;                                // on which an SM gets answers, each of some slices
    int l2_distance;                             // cycles that a request waits on its way from an SM to the L2
    int memory_channels;                         // ports to device memory, each for some of the slices
    int axi_data_bits, rings;                    // bits of a channel

    int warps_per_sm() const { return sub_partitions * warps_per_sub_partition; }
    int registers_per_sm() const { return sub_partitions * register_rows * 32; }
    Features features() const {
      const bool whole = row_lanes == 32;
      return {.fp64 = fp64_lanes > 0,
              .fp16 = fp16_lanes > 0,
              .tensor = tensor_fma > 0,
              .matrix_load = whole,
              .async_copy = whole,
              .dmma = whole && tensor_fma > 0 && fp64_lanes > 0,
              .float_atomics = float_atomics > 0,
              .clusters = cluster_blocks > 1};
    }
  } structure;

  // [latency]: cycles by which the readers of a result wait longer than the hardware needs, by the classes of
  // isa/isa.def in its order; fixed at elaboration. A class that the file does not name: 0, as all are without the
  // section.
  struct Latency {
    std::string name;  // the key: the class in lower case
    int cycles;
  };
  std::vector<Latency> latency;

  struct Runtime {
    std::string scheduler;  // lrr, gto, two_level
    int yield_branches;
    uint64_t mem_bytes;
    int clock_khz;
  } runtime;

  struct Dram {  // of all channels together; cycles of the device's clock
    int banks, row_bytes, row_hit_cycles, row_miss_cycles, bytes_per_cycle, queue;
  } dram;

  struct Limits {
    int registers_per_thread, threads_per_block, shared_per_block, shared_per_block_optin;
    int register_allocation, shared_allocation;
  } limits;

  // The [structure] as key and value, in a fixed order.
  std::vector<std::pair<std::string, int>> structure_items() const;
  // Of structure and latencies: the device's PresetHash register.
  uint32_t structure_hash() const;
};

// Reads a preset file. One with `base = "name"` above its sections says only what differs from that preset, of the same
// folder. Errors name the file, the line or the key, and what was expected.
Result<Preset> load_preset(const std::string& file);

}  // namespace heddle
