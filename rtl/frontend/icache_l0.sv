// SPDX-License-Identifier: Apache-2.0
// Instruction cache of a sub-partition, before the SM's: direct mapped, a sector a line, so that the warps of one
// sub-partition that run the same code do not wait for those of the others.
//
//   cycle 0  request, tag compared; a miss is a request to the SM's cache in the same cycle
//         1  a hit is answered
//
// The SM's cache answers one request of the sub-partition at a time, and its answers go first: a hit that is due in the
// same cycle waits. Sectors that could not be fetched are not kept.
module icache_l0 #(
  parameter int unsigned Sectors = config_pkg::IcacheL0Bytes > 0 ? config_pkg::IcacheL0Bytes / 32 : 16   // a power of two, at least 2
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic                   empty_i,        // forget all; nothing is under way
  // Fetch.
  input  logic                   req_valid_i,
  output logic                   req_ready_o,
  input  core_pkg::warp_t        req_warp_i,
  input  logic [31:5]            req_sector_i,
  output logic                   rsp_valid_o,
  output core_pkg::warp_t        rsp_warp_o,
  output core_pkg::fetch_error_e rsp_error_o,
  output logic [255:0]           rsp_data_o,
  // The SM's cache: answers come in the order of requests, the earliest in the next cycle, and none is taken before the
  // cycle of the last one's answer.
  output logic                   miss_valid_o,
  input  logic                   miss_ready_i,
  output core_pkg::warp_t        miss_warp_o,
  output logic [31:5]            miss_sector_o,
  input  logic                   came_valid_i,
  input  core_pkg::warp_t        came_warp_i,
  input  core_pkg::fetch_error_e came_error_i,
  input  logic [255:0]           came_data_i
);

  localparam int unsigned IndexW = $clog2(Sectors);
  typedef logic [31:5+IndexW] tag_t;
  typedef logic [IndexW-1:0]  index_t;

  logic [255:0]       data_q [Sectors];
  tag_t               tag_q [Sectors];
  logic [Sectors-1:0] valid_q;

  logic            hit;
  index_t          index;
  logic            hit_q;      // its answer is due
  core_pkg::warp_t hit_warp_q;
  logic [255:0]    hit_data_q;
  logic [31:5]     missed_q;   // what the SM's cache was asked for last
  index_t          came_index;

  assign index = req_sector_i[5+:IndexW];
  assign hit = req_valid_i && valid_q[index] && tag_q[index] == req_sector_i[31:5+IndexW];
  assign req_ready_o = hit ? !(hit_q && came_valid_i) : miss_ready_i;
  assign miss_valid_o = req_valid_i && !hit;
  assign miss_warp_o = req_warp_i;
  assign miss_sector_o = req_sector_i;

  assign rsp_valid_o = came_valid_i || hit_q;
  assign rsp_warp_o = came_valid_i ? came_warp_i : hit_warp_q;
  assign rsp_error_o = came_valid_i ? came_error_i : core_pkg::FetchOk;
  assign rsp_data_o = came_valid_i ? came_data_i : hit_data_q;

  assign came_index = missed_q[5+:IndexW];
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      hit_q <= 1'b0;
      valid_q <= '0;
    end else begin
      hit_q <= (hit && req_ready_o) || (hit_q && came_valid_i);
      if (empty_i) valid_q <= '0;
      else if (came_valid_i && came_error_i == core_pkg::FetchOk) valid_q[came_index] <= 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (hit && req_ready_o) begin
      hit_warp_q <= req_warp_i;
      hit_data_q <= data_q[index];
    end
    if (miss_valid_o && miss_ready_i) missed_q <= req_sector_i;
    if (came_valid_i && came_error_i == core_pkg::FetchOk) begin
      tag_q[came_index] <= missed_q[31:5+IndexW];
      data_q[came_index] <= came_data_i;
    end
  end

endmodule
