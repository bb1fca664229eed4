// SPDX-License-Identifier: Apache-2.0
// Matrix products of a sub-partition: HMMA and IMMA in mma_unit, DMMA, where there is one, in mma_f64.
// Results leave as they are made; where both have some, those of f64 go first.
module tensor_unit #(
  parameter int unsigned Width = mma_pkg::DefaultWidth,
  parameter bit          Dmma  = 1'b0
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  output logic                     req_soon_o,   // ready in the next cycle
  input  sm_pkg::exec_req_t        req_i,

  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output sm_pkg::exec_rsp_t        rsp_o,

  // To the FP64 lanes: mma_f64.
  output logic                     fma_wants_o,
  output logic                     fma_valid_o,
  input  logic                     fma_ready_i,
  output logic                     fma_chained_o,
  output sm_pkg::row_elements_t    fma_x_o,
  output sm_pkg::column_elements_t fma_y_o,
  output sm_pkg::wide_row_t        fma_z_o,
  input  logic                     fma_done_i,
  input  sm_pkg::row_t             fma_d_i,
  input  sm_pkg::row_t             fma_d_hi_i,

  output logic                     busy_o
);

  logic              mma_ready, mma_valid, mma_turn, mma_busy;
  sm_pkg::exec_rsp_t mma_rsp;
  logic              is_f64;        // the request
  logic              f64_ready, f64_valid, f64_busy;
  assign req_ready_o = is_f64 ? f64_ready : mma_ready;
  // A free place for a step stays free until one comes.
  assign req_soon_o = mma_ready && f64_ready && !req_valid_i;
  assign rsp_valid_o = mma_valid || f64_valid;
  assign busy_o = mma_busy || f64_busy;

  logic unused_soon;  // as ours
  mma_unit #(.Width(Width)) u_mma (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i && !is_f64),
    .req_ready_o (mma_ready),
    .req_soon_o  (unused_soon),
    .req_i       (req_i),
    .rsp_valid_o (mma_valid),
    .rsp_ready_i (rsp_ready_i && mma_turn),
    .rsp_o       (mma_rsp),
    .busy_o      (mma_busy)
  );

  if (Dmma) begin : g_f64
    sm_pkg::exec_rsp_t f64_rsp;
    logic              waits_q;  // rows of mma_unit wait, and so stay
    assign is_f64 = req_i.op == isa_pkg::OpDmma;
    assign mma_turn = waits_q || !f64_valid;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) waits_q <= 1'b0;
      else waits_q <= mma_valid && mma_turn && !rsp_ready_i;
    end
    always_comb begin
      rsp_o = 'x;  // nobody looks at it otherwise
      if (f64_valid && !mma_turn) rsp_o = f64_rsp;
      else if (mma_valid) rsp_o = mma_rsp;
    end
    mma_f64 u_f64 (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .step_valid_i  (req_valid_i && is_f64),
      .step_ready_o  (f64_ready),
      .step_i        (req_i),
      .fma_wants_o   (fma_wants_o),
      .fma_valid_o   (fma_valid_o),
      .fma_ready_i   (fma_ready_i),
      .fma_chained_o (fma_chained_o),
      .fma_x_o       (fma_x_o),
      .fma_y_o       (fma_y_o),
      .fma_z_o       (fma_z_o),
      .fma_done_i    (fma_done_i),
      .fma_d_i       (fma_d_i),
      .fma_d_hi_i    (fma_d_hi_i),
      .rsp_valid_o   (f64_valid),
      .rsp_ready_i   (rsp_ready_i && !mma_turn),
      .rsp_o         (f64_rsp),
      .busy_o        (f64_busy)
    );
  end else begin : g_no_f64
    logic unused_fma;
    assign unused_fma = ^{fma_ready_i, fma_done_i, fma_d_i, fma_d_hi_i};
    assign {fma_wants_o, fma_valid_o, fma_chained_o, fma_x_o, fma_y_o, fma_z_o} = '0;
    assign {is_f64, f64_valid, f64_busy} = '0;
    assign {f64_ready, mma_turn} = '1;
    assign rsp_o = mma_rsp;
  end

endmodule
