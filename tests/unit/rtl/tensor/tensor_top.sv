// SPDX-License-Identifier: Apache-2.0
// tensor_unit and the FP64 lanes that make its products of f64, which DFMAs of others want, too.
module tensor_top #(
  parameter int unsigned Lanes = 16  // of FP64
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  // Matrix products.
  input  logic               step_valid_i,
  output logic               step_ready_o,
  output logic               step_soon_o,
  input  logic [15:0]        seq_i,
  input  logic [7:0]         op_i,
  input  logic [17:0]        mod_i,
  input  sm_pkg::mask_t      mask_i,
  input  logic [1:0]         step_i,
  input  sm_pkg::row_t [5:0] row_i,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic [15:0]        seq_o,
  output sm_pkg::mask_t      mask_o,
  output logic [1:0]         index_o,
  output logic               last_o,
  output sm_pkg::row_t [1:0] rows_o,
  // DFMA.
  input  logic               fma_valid_i,
  output logic               fma_soon_o,
  input  sm_pkg::row_t [5:0] fma_row_i,
  output logic               fma_valid_o,
  output sm_pkg::row_t [1:0] fma_rows_o,
  output logic               busy_o
);
  sm_pkg::exec_req_t step, fma;
  sm_pkg::exec_rsp_t rsp, fma_rsp;
  logic              wants, valid, ready, chained, done, tensor_busy, lanes_busy;
  sm_pkg::row_elements_t    x;
  sm_pkg::column_elements_t y;
  sm_pkg::wide_row_t        z;
  sm_pkg::row_t      d, d_hi;

  always_comb begin
    step = '0;
    step.tag.seq = seq_i;
    step.tag.mask = mask_i;
    step.op = op_i;
    step.mod = mod_i;
    step.step = step_i;
    step.row = row_i;
    fma = '0;
    fma.tag.mask = '1;
    fma.op = isa_pkg::OpDfma;
    fma.row = fma_row_i;
  end

  tensor_unit #(.Width(256), .Dmma(1'b1)) u_tensor_unit (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .req_valid_i   (step_valid_i),
    .req_ready_o   (step_ready_o),
    .req_soon_o    (step_soon_o),
    .req_i         (step),
    .fma_wants_o   (wants),
    .fma_valid_o   (valid),
    .fma_ready_i   (ready),
    .fma_chained_o (chained),
    .fma_x_o       (x),
    .fma_y_o       (y),
    .fma_z_o       (z),
    .fma_done_i    (done),
    .fma_d_i       (d),
    .fma_d_hi_i    (d_hi),
    .rsp_valid_o   (rsp_valid_o),
    .rsp_ready_i   (rsp_ready_i),
    .rsp_o         (rsp),
    .busy_o        (tensor_busy)
  );

  fp64_unit #(.Lanes(Lanes), .Fma(1'b1)) u_fp64_unit (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .req_valid_i   (fma_valid_i),
    .req_ready_o   (),
    .req_soon_o    (fma_soon_o),
    .req_i         (fma),
    .rsp_valid_o   (fma_valid_o),
    .rsp_ready_i   (1'b1),
    .rsp_o         (fma_rsp),
    .fma_wants_i   (wants),
    .fma_valid_i   (valid),
    .fma_ready_o   (ready),
    .fma_chained_i (chained),
    .fma_x_i       (x),
    .fma_y_i       (y),
    .fma_z_i       (z),
    .fma_done_o    (done),
    .fma_d_o       (d),
    .fma_d_hi_o    (d_hi),
    .busy_o        (lanes_busy)
  );

  assign seq_o = rsp.tag.seq;
  assign mask_o = rsp.tag.mask;
  assign index_o = rsp.index;
  assign last_o = rsp.last;
  assign rows_o = {rsp.d_hi, rsp.d};
  assign fma_rows_o = {fma_rsp.d_hi, fma_rsp.d};
  assign busy_o = tensor_busy || lanes_busy;
endmodule
