// SPDX-License-Identifier: Apache-2.0
// mma_unit with a port for each field.
module mma_top #(
  parameter int unsigned Width = 256
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [15:0]        seq_i,
  input  logic [7:0]         rd_i,
  input  logic [3:0]         slice_i,
  input  sm_pkg::mask_t      mask_i,
  input  logic [7:0]         op_i,
  input  logic [17:0]        mod_i,
  input  logic [1:0]         step_i,
  input  sm_pkg::row_t [5:0] row_i,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic [15:0]        seq_o,
  output logic [7:0]         rd_o,
  output logic [3:0]         slice_o,
  output sm_pkg::mask_t      mask_o,
  output logic               step_o,
  output logic               last_o,
  output sm_pkg::row_t [1:0] row_o,
  output logic               busy_o
);
  sm_pkg::exec_req_t req;
  sm_pkg::exec_rsp_t rsp;

  always_comb begin
    req = '0;
    req.tag.seq = seq_i;
    req.tag.rd = rd_i;
    req.tag.slice = sm_pkg::slice_t'(slice_i);
    req.tag.mask = mask_i;
    req.op = op_i;
    req.mod = mod_i;
    req.step = step_i;
    req.row = row_i;
  end

  mma_unit #(.Width(Width)) u_mma_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_soon_o  (),
    .req_i       (req),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .rsp_o       (rsp),
    .busy_o      (busy_o)
  );

  assign seq_o = rsp.tag.seq;
  assign rd_o = rsp.tag.rd;
  assign slice_o = 4'(rsp.tag.slice);
  assign mask_o = rsp.tag.mask;
  assign step_o = rsp.index[1];
  assign last_o = rsp.last;
  assign row_o = {rsp.d_hi, rsp.d};
endmodule
