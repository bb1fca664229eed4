// SPDX-License-Identifier: Apache-2.0
// predicate_file, with its sizes and the ports that differ from preset to preset widened.
module predicate_file_top (
  input  logic            clk_i,
  output logic [15:0]     sizes_o,   // {lanes of a slice, warps}
  input  logic            start_valid_i,
  input  logic [7:0]      start_warp_i,
  input  logic            rd_valid_i,
  input  logic [7:0]      rd_warp_i,
  input  logic [3:0]      guard_i,
  input  logic [3:0]      psrc_i,
  input  logic [3:0]      psrc2_i,
  output logic [31:0]     guard_o,
  output logic [31:0]     p_o,
  output logic [31:0]     p2_o,
  input  logic            wr_valid_i,
  input  logic [7:0]      wr_warp_i,
  input  logic [7:0]      wr_slice_i,
  input  logic [31:0]     wr_lanes_i,
  input  logic [2:0]      pd_i,
  input  logic [2:0]      pq_i,
  input  logic [31:0]     p_i,
  input  logic [31:0]     q_i
);

  assign sizes_o = {8'(sm_pkg::RowLanes), 8'(core_pkg::Warps)};

  predicate_file dut (
    .clk_i         (clk_i),
    .start_valid_i (start_valid_i),
    .start_warp_i  (core_pkg::warp_t'(start_warp_i)),
    .rd_valid_i    (rd_valid_i),
    .rd_warp_i     (core_pkg::warp_t'(rd_warp_i)),
    .guard_i       (guard_i),
    .psrc_i        (psrc_i),
    .psrc2_i       (psrc2_i),
    .guard_o       (guard_o),
    .p_o           (p_o),
    .p2_o          (p2_o),
    .wr_valid_i    (wr_valid_i),
    .wr_warp_i     (core_pkg::warp_t'(wr_warp_i)),
    .wr_slice_i    (sm_pkg::slice_t'(wr_slice_i)),
    .wr_lanes_i    (sm_pkg::lanes_t'(wr_lanes_i)),
    .pd_i          (pd_i),
    .pq_i          (pq_i),
    .p_i           (sm_pkg::lanes_t'(p_i)),
    .q_i           (sm_pkg::lanes_t'(q_i))
  );

endmodule
