// SPDX-License-Identifier: Apache-2.0
// bank_conflict with ports for 32 lanes and banks, of which a narrower machine uses the first.
module bank_conflict_top #(
  parameter bit Joins = 1'b0
) (
  input  logic               en_i,
  input  logic [31:0]        lanes_i,
  input  logic [2:0]         words_i,
  input  logic               store_i,
  input  logic               alone_i,
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0]        busy_i,
  output logic [31:0]        lanes_o,
  output logic [31:0]        used_o,
  output logic [31:0][15:0]  row_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o,
  output logic [31:0]        shared_bytes_o,
  output logic               joins_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign joins_o = Joins;
  assign words_o = 8'(lsu_pkg::Words);
  assign shared_bytes_o = 32'(config_pkg::SharedBytes);

  sm_pkg::lanes_t      lanes;
  lsu_pkg::banks_t     used;
  lsu_pkg::bank_rows_t row;
  assign lanes_o = 32'(lanes);
  assign used_o = 32'(used);
  always_comb begin
    row_o = '0;
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) row_o[bank] = 16'(row[bank]);
  end

  bank_conflict #(.Joins(Joins)) u_bank_conflict (
    .en_i    (en_i),
    .lanes_i (lanes_i[Lanes-1:0]),
    .words_i (words_i),
    .store_i (store_i),
    .alone_i (alone_i),
    .addr_i  (addr_i[Lanes-1:0]),
    .busy_i  (lsu_pkg::banks_t'(busy_i)),
    .lanes_o (lanes),
    .used_o  (used),
    .row_o   (row)
  );

endmodule
