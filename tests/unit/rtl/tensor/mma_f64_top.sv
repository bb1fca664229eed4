// SPDX-License-Identifier: Apache-2.0
// mma_f64 with a port for each field.
module mma_f64_top (
  input  logic                     clk_i,
  input  logic                     rst_ni,
  input  logic                     step_valid_i,
  output logic                     step_ready_o,
  input  logic [15:0]              seq_i,
  input  sm_pkg::mask_t            mask_i,
  input  logic [1:0]               step_i,
  input  sm_pkg::row_t [5:0]       row_i,
  output logic                     fma_wants_o,
  output logic                     fma_valid_o,
  input  logic                     fma_ready_i,
  output logic                     fma_chained_o,
  output sm_pkg::row_elements_t    fma_x_o,
  output sm_pkg::column_elements_t fma_y_o,
  output sm_pkg::wide_row_t        fma_z_o,
  input  logic                     fma_done_i,
  input  sm_pkg::row_t [1:0]       fma_rows_i,
  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output logic [15:0]              seq_o,
  output sm_pkg::mask_t            mask_o,
  output logic [1:0]               index_o,
  output logic                     last_o,
  output sm_pkg::row_t [1:0]       rows_o,
  output logic                     busy_o
);
  sm_pkg::exec_req_t step;
  sm_pkg::exec_rsp_t rsp;

  always_comb begin
    step = '0;
    step.tag.seq = seq_i;
    step.tag.mask = mask_i;
    step.op = isa_pkg::OpDmma;
    step.step = step_i;
    step.row = row_i;
  end

  mma_f64 u_mma_f64 (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .step_valid_i  (step_valid_i),
    .step_ready_o  (step_ready_o),
    .step_i        (step),
    .fma_wants_o   (fma_wants_o),
    .fma_valid_o   (fma_valid_o),
    .fma_ready_i   (fma_ready_i),
    .fma_chained_o (fma_chained_o),
    .fma_x_o       (fma_x_o),
    .fma_y_o       (fma_y_o),
    .fma_z_o       (fma_z_o),
    .fma_done_i    (fma_done_i),
    .fma_d_i       (fma_rows_i[0]),
    .fma_d_hi_i    (fma_rows_i[1]),
    .rsp_valid_o   (rsp_valid_o),
    .rsp_ready_i   (rsp_ready_i),
    .rsp_o         (rsp),
    .busy_o        (busy_o)
  );

  assign seq_o = rsp.tag.seq;
  assign mask_o = rsp.tag.mask;
  assign index_o = rsp.index;
  assign last_o = rsp.last;
  assign rows_o = {rsp.d_hi, rsp.d};
endmodule
