// SPDX-License-Identifier: Apache-2.0
// The register file with the data of up to four banks as ports.
module register_file_top (
  input  logic              clk_i,
  output logic [31:0]       sizes_o,     // {rows, 8 bits of banks} of the preset
  input  logic [3:0]        rd_valid_i,
  input  logic [3:0][15:0]  rd_row_i,
  output logic [1023:0]     bank0_o,
  output logic [1023:0]     bank1_o,
  output logic [1023:0]     bank2_o,
  output logic [1023:0]     bank3_o,
  input  logic              wr_valid_i,
  input  logic [15:0]       wr_row_i,
  input  logic [31:0]       wr_mask_i,
  input  logic [1023:0]     wr_data_i
);

  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned RowW = config_pkg::RowW;

  assign sizes_o = {24'(config_pkg::RegisterRows), 8'(Banks)};

  logic [Banks-1:0][RowW-1:0] rd_row;
  sm_pkg::row_t               data [Banks];
  logic [3:0][1023:0]         banks;
  always_comb begin
    banks = '0;
    for (int unsigned b = 0; b < Banks; b++) begin
      rd_row[b] = RowW'(rd_row_i[b]);
      banks[b] = data[b];
    end
  end
  assign {bank3_o, bank2_o, bank1_o, bank0_o} = banks;

  register_file u_register_file (
    .clk_i      (clk_i),
    .rd_valid_i (rd_valid_i[Banks-1:0]),
    .rd_row_i   (rd_row),
    .rd_data_o  (data),
    .wr_valid_i (wr_valid_i),
    .wr_row_i   (RowW'(wr_row_i)),
    .wr_mask_i  (wr_mask_i),
    .wr_data_i  (wr_data_i)
  );

endmodule
