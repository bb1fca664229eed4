// SPDX-License-Identifier: Apache-2.0
// The rule of a sub-partition's register file where rows move in slices: none is read in the cycle in which it is written.
//
// Collectors read a row before its next result is made, and the scoreboard lets it be read after the last slice has come. It knows
// nothing of BAR.RED's results (apart_i): while lanes of a warp get theirs other lanes may read theirs, and a lane is a memory of its
// own, or has a write enable of its own. Where rows move whole a row that is written while it is read is read as it will be.
//
// Bound in hardware with checks (bound_rules.sv).
module register_rules #(
    localparam int unsigned Banks = config_pkg::RegisterBanks,
    localparam int unsigned RowW  = config_pkg::RowW
) (
    input logic                       clk_i,
    input logic                       rst_ni,
    input logic           [Banks-1:0] rd_valid_i,
    input logic [Banks-1:0][RowW-1:0] rd_row_i,
    input sm_pkg::slice_t [Banks-1:0] rd_slice_i,
    input logic                       wr_valid_i,
    input logic            [RowW-1:0] wr_row_i,
    input sm_pkg::slice_t             wr_slice_i,
    input logic                       apart_i
);
  if (core_pkg::WakeAhead == 0) begin : g_rule
    for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
      always_ff @(posedge clk_i) begin
        if (rst_ni && wr_valid_i && !apart_i && rd_valid_i[b]) begin
          a_apart: assert (wr_row_i != rd_row_i[b] || wr_slice_i != rd_slice_i[b]) else $error("%m: a row is read while it is written");
        end
      end
    end
  end
endmodule
