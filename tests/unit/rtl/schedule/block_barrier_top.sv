// SPDX-License-Identifier: Apache-2.0
// The block barriers with plain ports: a message of each sub-partition in a 64-bit word.
module block_barrier_top #(
  parameter int unsigned ArriveLag = 0
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic [31:0]      sizes_o,          // {blocks, warps, sub-partitions} of the preset
  input  logic             block_valid_i,
  input  logic [7:0]       block_slot_i,
  input  logic [7:0]       block_first_i,
  input  logic [10:0]      block_threads_i,
  input  logic [5:0]       block_warps_i,
  input  logic             warp_valid_i,
  input  logic [7:0]       warp_i,
  input  logic [7:0]       warp_slot_i,
  input  logic [3:0]       arrive_valid_i,
  output logic [3:0]       arrive_ready_o,
  input  logic [3:0][63:0] arrive_i,         // 0 ends, 1 waits, 15:8 warp, 19:16 id, 42:32 expected, 53:48 threads, 61:56 ones
  output logic [3:0]       release_valid_o,
  input  logic [3:0]       release_ready_i,
  output logic [3:0][7:0]  release_warp_o,
  output logic [4:0]       release_id_o,
  output logic [10:0]      release_ones_o,
  output logic             release_all_o,
  output logic             release_any_o,
  output logic             busy_o
);

  localparam int unsigned Parts = config_pkg::SubPartitions;

  assign sizes_o = {8'd0, 8'(config_pkg::BlocksPerSm), 8'(config_pkg::WarpsPerSm), 8'(Parts)};

  core_pkg::arrive_t  arrive [Parts];
  core_pkg::release_t opens [Parts];
  logic [Parts-1:0]   ready, valid;
  for (genvar p = 0; p < int'(Parts); p++) begin : g_part
    assign arrive[p] = '{ends: arrive_i[p][0], cluster: 1'b0, phase: 1'b0, warp: config_pkg::WarpW'(arrive_i[p][15:8]), waits: arrive_i[p][1],
                         id: arrive_i[p][19:16], expected: arrive_i[p][42:32], threads: arrive_i[p][53:48],
                         ones: arrive_i[p][61:56]};
    assign release_warp_o[p] = 8'(opens[p].warp);
  end
  assign arrive_ready_o = 4'(ready);
  assign release_valid_o = 4'(valid);
  for (genvar p = int'(Parts); p < 4; p++) begin : g_no_part
    assign release_warp_o[p] = '0;
  end
  assign {release_id_o, release_ones_o, release_all_o, release_any_o} =
      {opens[0].id, opens[0].ones, opens[0].all, opens[0].any};  // they differ in the warp alone

  block_barrier #(.ArriveLag(ArriveLag)) u_block_barrier (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .block_valid_i   (block_valid_i),
    .block_slot_i    (config_pkg::BlockSlotW'(block_slot_i)),
    .block_first_i   (config_pkg::WarpW'(block_first_i)),
    .block_threads_i (block_threads_i),
    .block_warps_i   (block_warps_i),
    .warp_valid_i    (warp_valid_i),
    .warp_i          (config_pkg::WarpW'(warp_i)),
    .warp_slot_i     (config_pkg::BlockSlotW'(warp_slot_i)),
    .arrive_valid_i  (arrive_valid_i[Parts-1:0]),
    .arrive_ready_o  (ready),
    .arrive_i        (arrive),
    .release_valid_o (valid),
    .release_ready_i (release_ready_i[Parts-1:0]),
    .release_o       (opens),
    .busy_o          (busy_o)
  );

endmodule
