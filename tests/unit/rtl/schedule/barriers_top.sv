// SPDX-License-Identifier: Apache-2.0
// The barriers of an SM with plain ports: a message of each sub-partition in a 64-bit word.
module barriers_top (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [31:0]      sizes_o,          // {blocks, warps, sub-partitions} of the preset
  input  logic [10:0]      block_threads_i,
  input  logic [5:0]       block_warps_i,
  input  logic [4:0]       cluster_blocks_i,
  input  logic             block_valid_i,
  input  logic [7:0]       block_slot_i,
  input  logic [7:0]       block_first_i,
  input  logic [3:0]       block_rank_i,
  input  logic             warp_valid_i,
  input  logic [7:0]       warp_i,
  input  logic [3:0]       arrive_valid_i,
  output logic [3:0]       arrive_ready_o,
  input  logic [3:0][63:0] arrive_i,         // 0 ends, 1 cluster, 2 phase, 15:8 warp, 53:48 threads, 61:56 ones
  output logic [3:0]       release_valid_o,
  input  logic [3:0]       release_ready_i,
  output logic [3:0][7:0]  release_warp_o,
  output logic [3:0][7:0]  release_id_o,
  output logic             busy_o,
  output logic [3:0]       block_takes_o,    // the message, which the other barrier may have later or have had before
  output logic [3:0]       cluster_takes_o
);

  localparam int unsigned Parts = config_pkg::SubPartitions;

  assign sizes_o = {8'd0, 8'(config_pkg::BlocksPerSm), 8'(config_pkg::WarpsPerSm), 8'(Parts)};

  gpu_pkg::kernel_t   kernel;
  gpu_pkg::block_t    block;
  core_pkg::start_t   start;
  core_pkg::arrive_t  arrive [Parts];
  core_pkg::release_t opens [Parts];
  logic [Parts-1:0]   ready, valid;
  always_comb begin
    kernel = '0;
    kernel.block_threads = block_threads_i;
    kernel.block_warps = block_warps_i;
    kernel.cluster_blocks = cluster_blocks_i;
    block = '0;
    block.slot = config_pkg::BlockSlotW'(block_slot_i);
    block.first_warp = config_pkg::WarpW'(block_first_i);
    block.rank = block_rank_i;
    start = '0;
    start.block_slot = block.slot;
    start.rank = block_rank_i;
  end
  // All at the block's barrier 3, where they wait for all.
  for (genvar p = 0; p < int'(Parts); p++) begin : g_part
    assign arrive[p] = '{ends: arrive_i[p][0], cluster: arrive_i[p][1], phase: arrive_i[p][2],
                         warp: config_pkg::WarpW'(arrive_i[p][15:8]), waits: 1'b1, id: 4'd3, expected: '0,
                         threads: arrive_i[p][53:48], ones: arrive_i[p][61:56]};
    assign release_warp_o[p] = 8'(opens[p].warp);
    assign release_id_o[p] = 8'(opens[p].id);
  end
  assign arrive_ready_o = 4'(ready);
  assign release_valid_o = 4'(valid);

  assign block_takes_o = 4'(u_barriers.block_valid & u_barriers.block_ready);
  assign cluster_takes_o = 4'(u_barriers.g_clusters.cluster_valid & u_barriers.g_clusters.cluster_ready);

  barriers u_barriers (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .kernel_i        (kernel),
    .block_valid_i   (block_valid_i),
    .block_i         (block),
    .warp_valid_i    (warp_valid_i),
    .warp_i          (config_pkg::WarpW'(warp_i)),
    .start_i         (start),
    .arrive_valid_i  (arrive_valid_i[Parts-1:0]),
    .arrive_ready_o  (ready),
    .arrive_i        (arrive),
    .release_valid_o (valid),
    .release_ready_i (release_ready_i[Parts-1:0]),
    .release_o       (opens),
    .busy_o          (busy_o)
  );

endmodule
