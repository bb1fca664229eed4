// SPDX-License-Identifier: Apache-2.0
// RAM with one write and one read port, read data a cycle after the address (block RAM). Reading the
// address written in the same cycle gives the old word. rd_data_o holds while rd_en_i is low.
module ram_1r1w #(
  parameter int unsigned  Width = 32,
  parameter int unsigned  Depth = 512,
  localparam int unsigned AddrW = (Depth > 1) ? $clog2(Depth) : 1
) (
  input  logic             clk_i,

  input  logic             wr_en_i,
  input  logic [AddrW-1:0] wr_addr_i,
  input  logic [Width-1:0] wr_data_i,

  input  logic             rd_en_i,
  input  logic [AddrW-1:0] rd_addr_i,
  output logic [Width-1:0] rd_data_o
);

  logic [Width-1:0] mem_q [Depth];
  logic [Width-1:0] rd_data_q;
  assign rd_data_o = rd_data_q;

  always_ff @(posedge clk_i) begin
    if (wr_en_i) mem_q[wr_addr_i] <= wr_data_i;
  end

  // Apart from the write: Verilator would shadow rd_data_q.
  always_ff @(posedge clk_i) begin
    if (rd_en_i) rd_data_q <= mem_q[rd_addr_i];
  end

endmodule
