// SPDX-License-Identifier: Apache-2.0
// lsu_select with the fields of operations and passes as ports.
module lsu_select_top (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               valid_i,
  output logic               taken_o,
  input  logic [2:0]         cls_i,
  input  logic [2:0]         size_i,
  input  logic [15:0]        seq_i,
  input  logic [31:0]        lanes_i,
  input  logic [31:0]        shared_i,
  input  logic [31:0][31:0]  addr_i,
  input  logic [31:0][7:0]   addr_hi_i,
  input  sm_pkg::row_t [3:0] data_i,
  output logic               pass_valid_o,
  input  logic               pass_ready_i,
  output logic [2:0]         cls_o,
  output logic [2:0]         size_o,
  output logic [15:0]        seq_o,
  output logic               shared_o,
  output logic               first_o,
  output logic               last_o,
  output logic [31:0]        lanes_o,
  output logic [3:0][31:0]   sector_lanes_o,
  output logic [63:0]        line_o,
  output lsu_pkg::offsets_t  offset_o,
  output logic [31:0]        bank_used_o,
  output logic [31:0][15:0]  bank_row_o,
  output sm_pkg::row_t [3:0] data_o
);

  lsu_pkg::op_t   op;
  lsu_pkg::pass_t pass;
  always_comb begin
    op = '0;
    op.cls = lsu_pkg::class_e'(cls_i);
    op.size = size_i;
    op.seq = seq_i;
  end
  assign cls_o = pass.op.cls;
  assign size_o = pass.op.size;
  assign seq_o = pass.op.seq;
  assign shared_o = pass.shared;
  assign first_o = pass.first;
  assign last_o = pass.last;
  assign lanes_o = pass.lanes;
  assign sector_lanes_o = pass.sector_lanes;
  assign line_o = 64'(pass.line);

  lsu_select u_lsu_select (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .valid_i      (valid_i),
    .taken_o      (taken_o),
    .op_i         (op),
    .lanes_i      (lanes_i),
    .shared_i     (shared_i),
    .addr_i       (addr_i),
    .addr_hi_i    (addr_hi_i),
    .data_i       (data_i),
    .pass_valid_o (pass_valid_o),
    .pass_ready_i (pass_ready_i),
    .pass_o       (pass),
    .offset_o     (offset_o),
    .bank_used_o  (bank_used_o),
    .bank_row_o   (bank_row_o),
    .data_o       (data_o)
  );

endmodule
