// SPDX-License-Identifier: Apache-2.0
// ram_1r1w whose words are Lanes parts of LaneW bits, each with a write enable: register rows (32 lanes of
// 32 bits), cache sectors (bytes). Reading the address written in the same cycle gives the old word.
//
//   Lanes = 4, LaneW = 8: wr_mask 0011, wr_data 44332211 leaves the two upper bytes as they were
module ram_1r1w_masked #(
  parameter int unsigned  Lanes = 32,
  parameter int unsigned  LaneW = 32,
  parameter int unsigned  Depth = 512,
  localparam int unsigned AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic                        clk_i,

  input  logic                        wr_en_i,
  input  logic [Lanes-1:0]            wr_mask_i,
  input  logic [AddrW-1:0]            wr_addr_i,
  input  logic [Lanes-1:0][LaneW-1:0] wr_data_i,

  input  logic                        rd_en_i,
  input  logic [AddrW-1:0]            rd_addr_i,
  output logic [Lanes-1:0][LaneW-1:0] rd_data_o
);

  logic [Lanes-1:0][LaneW-1:0] mem_q [Depth];
  logic [Lanes-1:0][LaneW-1:0] rd_data_q;
  assign rd_data_o = rd_data_q;

  // Merged and written whole: Verilator is six times faster so, and synthesis (Yosys opt_mem_feedback) turns
  // the word read back at the write address into write enables.
  always_ff @(posedge clk_i) begin
    if (wr_en_i) begin
      logic [Lanes-1:0][LaneW-1:0] merged;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        merged[lane] = wr_mask_i[lane] ? wr_data_i[lane] : mem_q[wr_addr_i][lane];
      end
      mem_q[wr_addr_i] <= merged;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rd_en_i) rd_data_q <= mem_q[rd_addr_i];
  end

endmodule
