// SPDX-License-Identifier: Apache-2.0
// Register file of a sub-partition: RegisterRows rows of 32 lanes in RegisterBanks banks (row % banks). Each
// bank reads one row and writes one row a cycle; data comes a cycle after the address. Contents live
// on from warp to warp, as in the golden model.
module register_file #(
  localparam int unsigned Banks = config_pkg::RegisterBanks,
  localparam int unsigned RowW  = config_pkg::RowW,
  localparam int unsigned BankW = $clog2(Banks)
) (
  input  logic            clk_i,
  // Read, a row a bank.
  input  logic [Banks-1:0]             rd_valid_i,
  input  logic [Banks-1:0][RowW-1:0]   rd_row_i,
  output sm_pkg::row_t                 rd_data_o [Banks],
  // Write lanes of mask.
  input  logic            wr_valid_i,
  input  logic [RowW-1:0] wr_row_i,
  input  sm_pkg::mask_t   wr_mask_i,
  input  sm_pkg::row_t    wr_data_i
);

  localparam int unsigned BankRows = config_pkg::RegisterRows / Banks;

  function automatic sm_pkg::row_t merge(input sm_pkg::mask_t mask, input sm_pkg::row_t data, input sm_pkg::row_t old);
    sm_pkg::row_t row;
    for (int unsigned lane = 0; lane < sm_pkg::WarpSize; lane++) row[lane] = mask[lane] ? data[lane] : old[lane];
    return row;
  endfunction

  for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
    sm_pkg::row_t mem_q [BankRows];
    sm_pkg::row_t data_q;
    assign rd_data_o[b] = data_q;
    always_ff @(posedge clk_i) begin
      if (wr_valid_i && wr_row_i[BankW-1:0] == BankW'(b)) begin
        // Whole, or as a multiplexer of lanes with the old row, which synthesis turns into lane enables: a
        // loop of conditional lane writes costs the simulator ten times as much.
        if (wr_mask_i == '1) mem_q[wr_row_i[RowW-1:BankW]] <= wr_data_i;
        else mem_q[wr_row_i[RowW-1:BankW]] <= merge(wr_mask_i, wr_data_i, mem_q[wr_row_i[RowW-1:BankW]]);
      end
    end
    always_ff @(posedge clk_i) begin
      if (rd_valid_i[b]) data_q <= mem_q[rd_row_i[b][RowW-1:BankW]];
    end
  end

endmodule
