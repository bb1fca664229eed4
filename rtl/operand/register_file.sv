// SPDX-License-Identifier: Apache-2.0
// Register file of a sub-partition: RegisterRows rows of 32 lanes in RegisterBanks banks (row % banks). Each
// bank reads one slice of a row and writes one a cycle; data comes a cycle after the address. Whole rows: of a pair both
// are written at once, each in its bank. Contents live on from warp to warp, as in the golden model.
module register_file #(
  localparam int unsigned Banks = config_pkg::RegisterBanks,
  localparam int unsigned RowW  = config_pkg::RowW,
  localparam int unsigned BankW = $clog2(Banks)
) (
  input  logic                         clk_i,
  // Read, a slice of a row a bank.
  input  logic           [Banks-1:0]             rd_valid_i,
  input  logic           [Banks-1:0][RowW-1:0]   rd_row_i,
  input  sm_pkg::slice_t [Banks-1:0]             rd_slice_i,
  output core_pkg::bank_rows_t                   rd_data_o,
  // Write lanes of a slice.
  input  logic            wr_valid_i,
  input  logic [RowW-1:0] wr_row_i,
  input  sm_pkg::slice_t  wr_slice_i,
  input  sm_pkg::lanes_t  wr_lanes_i,
  input  sm_pkg::row_t    wr_data_i,
  input  logic            wr_pair_i,    // the row after it, too, with the same lanes
  input  sm_pkg::row_t    wr_data_hi_i
);

  localparam int unsigned BankSlices = config_pkg::RegisterRows / Banks * sm_pkg::RowSlices;
  localparam bit Through = core_pkg::WakeAhead > 0;  // a row that is written while it is read is read as it will be
  localparam int unsigned AddrW = $clog2(BankSlices);

  function automatic logic [AddrW-1:0] address(input logic [RowW-1:0] row, input sm_pkg::slice_t slice);
    return AddrW'(row[RowW-1:BankW]) * AddrW'(sm_pkg::RowSlices) + AddrW'(slice);
  endfunction

  function automatic sm_pkg::row_t merge(input sm_pkg::lanes_t lanes, input sm_pkg::row_t data, input sm_pkg::row_t old);
    sm_pkg::row_t row;
    for (int unsigned lane = 0; lane < sm_pkg::RowLanes; lane++) row[lane] = lanes[lane] ? data[lane] : old[lane];
    return row;
  endfunction

  for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
    (* no_rw_check *) sm_pkg::row_t mem_q [BankSlices];
    // A bank of odd number may have a pair's upper row.
    logic upper, writes;
    assign upper = sm_pkg::RowSlices == 1 && b % 2 == 1 && wr_pair_i && !wr_row_i[0];
    assign writes = wr_valid_i && (wr_row_i[BankW-1:0] | BankW'(upper)) == BankW'(b);
    always_ff @(posedge clk_i) begin
      if (writes) begin
        // Whole, or as a multiplexer of lanes with the old row, which synthesis turns into lane enables: a
        // loop of conditional lane writes costs the simulator ten times as much.
        if (wr_lanes_i == '1) mem_q[address(wr_row_i, wr_slice_i)] <= upper ? wr_data_hi_i : wr_data_i;
        else begin
          mem_q[address(wr_row_i, wr_slice_i)] <= merge(wr_lanes_i, upper ? wr_data_hi_i : wr_data_i, mem_q[address(wr_row_i, wr_slice_i)]);
        end
      end
    end
    always_ff @(posedge clk_i) begin
      if (rd_valid_i[b]) begin
        if (Through && writes && wr_row_i[RowW-1:BankW] == rd_row_i[b][RowW-1:BankW])
          rd_data_o[b] <= merge(wr_lanes_i, upper ? wr_data_hi_i : wr_data_i, mem_q[address(rd_row_i[b], rd_slice_i[b])]);
        else rd_data_o[b] <= mem_q[address(rd_row_i[b], rd_slice_i[b])];
      end
    end
  end

endmodule
