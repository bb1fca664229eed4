// SPDX-License-Identifier: Apache-2.0
// The register file with the data of up to four banks as ports, a slice in the lower lanes of a row.
module register_file_top (
  input  logic              clk_i,
  output logic [31:0]       sizes_o,     // {rows, 8 bits of slices a row, 8 of banks} of the preset
  input  logic [3:0]        rd_valid_i,
  input  logic [3:0][15:0]  rd_row_i,
  input  logic [3:0][7:0]   rd_slice_i,
  output logic [1023:0]     bank0_o,
  output logic [1023:0]     bank1_o,
  output logic [1023:0]     bank2_o,
  output logic [1023:0]     bank3_o,
  input  logic              wr_valid_i,
  input  logic [15:0]       wr_row_i,
  input  logic [7:0]        wr_slice_i,
  input  logic [31:0]       wr_lanes_i,
  input  logic [1023:0]     wr_data_i,
  input  logic              wr_pair_i,
  input  logic [1023:0]     wr_data_hi_i
);

  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned RowW = config_pkg::RowW;

  assign sizes_o = {16'(config_pkg::RegisterRows), 8'(sm_pkg::RowSlices), 8'(Banks)};

  logic [Banks-1:0][RowW-1:0] rd_row;
  sm_pkg::slice_t [Banks-1:0] rd_slice;
  core_pkg::bank_rows_t       data;
  logic [3:0][1023:0]         banks;
  always_comb begin
    banks = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      rd_row[b] = RowW'(rd_row_i[b]);
      rd_slice[b] = sm_pkg::slice_t'(rd_slice_i[b]);
      banks[b] = 1024'(data[b]);
    end
  end
  assign {bank3_o, bank2_o, bank1_o, bank0_o} = banks;

  register_file u_register_file (
    .clk_i      (clk_i),
    .rd_valid_i (rd_valid_i[Banks-1:0]),
    .rd_row_i   (rd_row),
    .rd_slice_i (rd_slice),
    .rd_data_o  (data),
    .wr_valid_i (wr_valid_i),
    .wr_row_i   (RowW'(wr_row_i)),
    .wr_slice_i (sm_pkg::slice_t'(wr_slice_i)),
    .wr_lanes_i (sm_pkg::lanes_t'(wr_lanes_i)),
    .wr_data_i  (wr_data_i[32*sm_pkg::RowLanes-1:0]),
    .wr_pair_i  (wr_pair_i),
    .wr_data_hi_i (wr_data_hi_i[32*sm_pkg::RowLanes-1:0])
  );

endmodule
