#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# edges.sh CONFIG_PKG RTL_DIR PRESETS_DIR: lint.sh on presets at the ends of what a preset may say: one warp, one block,
# counts that are no power of two, the smallest and the largest memories, units of one lane and of a whole row.
# A preset here is one of PRESETS_DIR with other values; with one multiprocessor where their number does not matter, for each is looked at
# by itself. Prints each warning; fails if there is one.
set -eu
config_pkg=${1:?usage: edges.sh CONFIG_PKG RTL_DIR PRESETS_DIR}
rtl=${2:?usage: edges.sh CONFIG_PKG RTL_DIR PRESETS_DIR}
presets=${3:?usage: edges.sh CONFIG_PKG RTL_DIR PRESETS_DIR}
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# preset NAME BASE KEY=VALUE...
preset() {
  name=$1 file=$work/$1.toml
  cp "$presets/$2.toml" "$file"
  shift 2
  for setting in "$@"; do
    key=${setting%%=*}
    grep -q "^$key *= *[0-9]" "$file" || { echo "edges: $file has no $key"; exit 1; }
    sed -i "s/^$key *= *[0-9]*/$key = ${setting#*=}/" "$file"
  done
  mkdir "$work/$name"
  "$config_pkg" "$file" >"$work/$name/config_pkg.sv"
  sh "$here/lint.sh" "$rtl" "$work/$name/config_pkg.sv" || failed=1
}

preset one_block tiny blocks_per_sm=1
preset one_warp_in_slices tiny warps_per_sub_partition=1 blocks_per_sm=1 threads_per_block=32
preset one_warp cc80 sms=1 icache_l0_bytes=64 write_combine_lines=2 warps_per_sub_partition=1 blocks_per_sm=1 threads_per_block=128
preset odd_in_slices tiny sms=3 warps_per_sub_partition=31 blocks_per_sm=31 rings=3
preset odd cc80 sms=3 warps_per_sub_partition=5 blocks_per_sm=7 threads_per_block=512
preset smallest_memories tiny icache_bytes=1024 constant_cache_bytes=256 l1_bytes=1024 l1_ways=2 lsu_entries=2 l1_mshrs=2 \
  l2_bytes=4096 l2_ways=2 l2_mshrs=2 axi_data_bits=32
preset largest_memories cc80 sms=1 write_combine_lines=64 blocks_per_sm=32 register_rows=4096 register_banks=8 collectors=8 icache_bytes=1048576 icache_l0_bytes=65536 \
  constant_cache_bytes=65536 shared_bytes=262016 l1_bytes=1048576 l1_ways=16 lsu_entries=64 l1_mshrs=256 l2_bytes=67108864 l2_ways=16 \
  rings=16
preset links_of_slices tiny row_lanes=16 lsu_entries=2 axi_data_bits=256 l2_slices=2 l2_links=2
preset slices_in_pieces tiny l2_slices=4
preset one_lane cc80 sms=1 int_lanes=1 imad_lanes=1 fp32_lanes=1 cvt_lanes=1 fp64_lanes=0 fp16_lanes=1 sfu_lanes=1 tensor_fma=0
preset one_lane_of_16 tiny sub_partitions=2 row_lanes=16 int_lanes=1 imad_lanes=1 fp32_lanes=1 fp64_lanes=1 fp16_lanes=1
preset whole_rows cc80 sms=1 int_lanes=32 imad_lanes=32 fp32_lanes=32 cvt_lanes=32 fp64_lanes=32 fp16_lanes=32 sfu_lanes=32 tensor_fma=512
exit "$failed"
