// SPDX-License-Identifier: Apache-2.0
// register_rules with one bank that reads.
module register_rules_top (
    input logic       clk_i,
    input logic       rst_ni,
    input logic       rd_valid_i,
    input logic [7:0] rd_row_i,
    input logic       rd_slice_i,
    input logic       wr_valid_i,
    input logic [7:0] wr_row_i,
    input logic       wr_slice_i,
    input logic       apart_i
);
  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned RowW = config_pkg::RowW;
  logic           [Banks-1:0]           valid;
  logic           [Banks-1:0][RowW-1:0] row;
  sm_pkg::slice_t [Banks-1:0]           slice;
  always_comb begin
    {valid, row, slice} = '0;
    valid[1] = rd_valid_i;
    row[1] = RowW'(rd_row_i);
    slice[1] = sm_pkg::slice_t'(rd_slice_i);
  end
  register_rules u_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .rd_valid_i(valid), .rd_row_i(row), .rd_slice_i(slice),
    .wr_valid_i(wr_valid_i), .wr_row_i(RowW'(wr_row_i)), .wr_slice_i(sm_pkg::slice_t'(wr_slice_i)), .apart_i(apart_i));
endmodule
