// SPDX-License-Identifier: Apache-2.0
// Units of a sub-partition: INT, FP32, conversion, special function, exchange between lanes and, if the preset has them, FP16,
// FP64 and the tensor core; and the way of all results to the register file. All see one request.
module execution #(
  localparam int unsigned RowW = config_pkg::RowW
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_valid_i,     // first register row of a warp
  input  core_pkg::warp_t       start_warp_i,
  input  logic [RowW-1:0]       start_row_i,
  // The request, and for which unit it is (one bit).
  input  core_pkg::units_t      valid_i,
  output core_pkg::units_t      ready_o,
  input  sm_pkg::exec_req_t     req_i,
  // Whole rows: units for which an instruction is there, whose result is a pair, and those that take it in the next cycle.
  input  core_pkg::units_t      wants_i,
  input  core_pkg::units_t      pairs_i,
  output core_pkg::units_t      soon_o,
  // Results from elsewhere: the load/store unit, the convergence unit.
  input  logic                  lsu_valid_i,
  output logic                  lsu_ready_o,
  input  sm_pkg::lsu_rsp_t      lsu_rsp_i,
  input  logic                  control_valid_i,
  output logic                  control_ready_o,
  input  sm_pkg::tag_t          control_tag_i,
  input  logic                  control_ends_i,
  input  logic                  control_we_i,
  input  logic                  control_p_we_i,
  input  logic [31:0]           control_value_i,
  // Rows to the register file; what the scoreboard and the predicates learn, in slices a cycle later.
  output logic                  row_valid_o,
  output logic [RowW-1:0]       row_row_o,
  output sm_pkg::slice_t        slice_o,
  output sm_pkg::lanes_t        lanes_o,
  output sm_pkg::row_t          row_o,
  output core_pkg::outcome_t    outcome_o,
  output core_pkg::wake_t       wake_o,
  output logic                  busy_o,            // some unit
  output trace_pkg::retire_t    trace_retire_o
);

  logic              int_rsp_valid, int_rsp_ready, fp32_rsp_valid, fp32_rsp_ready, cvt_rsp_valid, cvt_rsp_ready;
  logic              warp_rsp_valid, warp_rsp_ready, fp64_rsp_valid, fp64_rsp_ready;
  sm_pkg::exec_rsp_t int_rsp, fp32_rsp, cvt_rsp, warp_rsp, fp64_rsp;
  logic              int_busy, fp32_busy, cvt_busy, warp_busy, fp64_busy;
  logic              sfu_rsp_valid, sfu_rsp_ready, sfu_busy;
  sm_pkg::exec_rsp_t sfu_rsp;
  logic              fp16_rsp_valid, fp16_rsp_ready, fp16_busy;
  sm_pkg::exec_rsp_t fp16_rsp;
  logic              tensor_rsp_valid, tensor_rsp_ready, tensor_busy;
  mma_pkg::result_t  tensor_rsp;
  logic              end_valid, p_valid;
  core_pkg::warp_t   end_warp;
  sm_pkg::tag_t      end_tag;
  sm_pkg::lanes_t    p, q;
  assign busy_o = int_busy || fp32_busy || fp16_busy || cvt_busy || sfu_busy || warp_busy || fp64_busy || tensor_busy;

  // A unit that can take the next request is given one only if the cycle of its result is free; in slices it waits.
  core_pkg::units_t soon, now;
  logic             upper;
  // The collectors answer for the load/store and the convergence unit.
  assign {ready_o[core_pkg::ToCtl], ready_o[core_pkg::ToLsu], soon[core_pkg::ToCtl], soon[core_pkg::ToLsu]} = '0;
  if (sm_pkg::RowSlices == 1) begin : g_booked
    logic wakes;
    // Predicates have no way to who reads them early. The clock is what it was at the write: S2R does not hurry.
    assign wakes = req_i.tag.rd != 8'd255 && !(req_i.op inside {isa_pkg::OpS2r, isa_pkg::OpS2r64});
    result_cycles u_result_cycles (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .wants_i (wants_i & soon),
      .pairs_i (pairs_i),
      .open_o  (soon_o),
      .take_i  (valid_i),
      .wide_i  (req_i.wide),
      .wakes_i (wakes),
      .warp_i  (core_pkg::warp_t'(32'(req_i.tag.warp) / core_pkg::SubPartitions)),
      .entry_i (req_i.tag.entry),
      .wait_i  (lsu_valid_i || warp_rsp_valid || tensor_rsp_valid || control_valid_i),
      .now_o   (now),
      .upper_o (upper),
      .wake_o  (wake_o)
    );
  end else begin : g_unbooked
    assign soon_o = soon;
    assign {now, upper, wake_o} = '0;
  end

  int_unit #(.Lanes(config_pkg::IntLanes)) u_int_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (valid_i[core_pkg::ToInt]),
    .req_ready_o (ready_o[core_pkg::ToInt]),
    .req_soon_o  (soon[core_pkg::ToInt]),
    .req_i       (req_i),
    .rsp_valid_o (int_rsp_valid),
    .rsp_ready_i (int_rsp_ready),
    .rsp_o       (int_rsp),
    .busy_o      (int_busy)
  );
  fp32_unit #(.Lanes(config_pkg::Fp32Lanes)) u_fp32_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (valid_i[core_pkg::ToFp32]),
    .req_ready_o (ready_o[core_pkg::ToFp32]),
    .req_soon_o  (soon[core_pkg::ToFp32]),
    .req_i       (req_i),
    .rsp_valid_o (fp32_rsp_valid),
    .rsp_ready_i (fp32_rsp_ready),
    .rsp_o       (fp32_rsp),
    .busy_o      (fp32_busy)
  );
  cvt_unit #(.Lanes(config_pkg::CvtLanes)) u_cvt_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (valid_i[core_pkg::ToCvt]),
    .req_ready_o (ready_o[core_pkg::ToCvt]),
    .req_soon_o  (soon[core_pkg::ToCvt]),
    .req_i       (req_i),
    .rsp_valid_o (cvt_rsp_valid),
    .rsp_ready_i (cvt_rsp_ready),
    .rsp_o       (cvt_rsp),
    .busy_o      (cvt_busy)
  );
  warp_unit u_warp_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (valid_i[core_pkg::ToWarp]),
    .req_ready_o (ready_o[core_pkg::ToWarp]),
    .req_soon_o  (soon[core_pkg::ToWarp]),
    .req_i       (req_i),
    .rsp_valid_o (warp_rsp_valid),
    .rsp_ready_i (warp_rsp_ready),
    .rsp_o       (warp_rsp),
    .busy_o      (warp_busy)
  );
  if (core_pkg::HasFp64) begin : gen_fp64
    fp64_unit #(.Lanes(config_pkg::Fp64Lanes)) u_fp64_unit (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .req_valid_i (valid_i[core_pkg::ToFp64]),
      .req_ready_o (ready_o[core_pkg::ToFp64]),
      .req_soon_o  (soon[core_pkg::ToFp64]),
      .req_i       (req_i),
      .rsp_valid_o (fp64_rsp_valid),
      .rsp_ready_i (fp64_rsp_ready),
      .rsp_o       (fp64_rsp),
      .busy_o      (fp64_busy)
    );
  end else begin : gen_no_fp64  // decode refuses what would come here
    assign {ready_o[core_pkg::ToFp64], soon[core_pkg::ToFp64]} = '1;
    assign {fp64_rsp_valid, fp64_rsp, fp64_busy} = '0;
  end

  if (core_pkg::HasFp16) begin : gen_fp16
    fp16_unit #(.Lanes(config_pkg::Fp16Lanes)) u_fp16_unit (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .req_valid_i (valid_i[core_pkg::ToFp16]),
      .req_ready_o (ready_o[core_pkg::ToFp16]),
      .req_soon_o  (soon[core_pkg::ToFp16]),
      .req_i       (req_i),
      .rsp_valid_o (fp16_rsp_valid),
      .rsp_ready_i (fp16_rsp_ready),
      .rsp_o       (fp16_rsp),
      .busy_o      (fp16_busy)
    );
  end else begin : gen_no_fp16  // decode refuses what would come here
    assign {ready_o[core_pkg::ToFp16], soon[core_pkg::ToFp16]} = '1;
    assign {fp16_rsp_valid, fp16_rsp, fp16_busy} = '0;
  end

  sfu_unit #(.Lanes(config_pkg::SfuLanes)) u_sfu_unit (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (valid_i[core_pkg::ToSfu]),
    .req_ready_o (ready_o[core_pkg::ToSfu]),
    .req_soon_o  (soon[core_pkg::ToSfu]),
    .req_i       (req_i),
    .rsp_valid_o (sfu_rsp_valid),
    .rsp_ready_i (sfu_rsp_ready),
    .rsp_o       (sfu_rsp),
    .busy_o      (sfu_busy)
  );

  if (core_pkg::HasTensor) begin : gen_tensor
    mma_unit u_mma_unit (
      .clk_i       (clk_i),
      .rst_ni      (rst_ni),
      .req_valid_i (valid_i[core_pkg::ToTensor]),
      .req_ready_o (ready_o[core_pkg::ToTensor]),
      .req_i       (req_i),
      .rsp_valid_o (tensor_rsp_valid),
      .rsp_ready_i (tensor_rsp_ready),
      .rsp_o       (tensor_rsp),
      .busy_o      (tensor_busy)
    );
    // A free place for a step stays free until one comes.
    assign soon[core_pkg::ToTensor] = ready_o[core_pkg::ToTensor] && !valid_i[core_pkg::ToTensor];
  end else begin : gen_no_tensor  // decode refuses what would come here
    assign {ready_o[core_pkg::ToTensor], soon[core_pkg::ToTensor]} = '1;
    assign {tensor_rsp_valid, tensor_rsp, tensor_busy} = '0;
  end

  writeback u_writeback (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (start_warp_i),
    .start_row_i     (start_row_i),
    .now_i           (now),
    .upper_i         (upper),
    .int_valid_i     (int_rsp_valid),
    .int_ready_o     (int_rsp_ready),
    .int_rsp_i       (int_rsp),
    .fp32_valid_i    (fp32_rsp_valid),
    .fp32_ready_o    (fp32_rsp_ready),
    .fp32_rsp_i      (fp32_rsp),
    .fp16_valid_i    (fp16_rsp_valid),
    .fp16_ready_o    (fp16_rsp_ready),
    .fp16_rsp_i      (fp16_rsp),
    .cvt_valid_i     (cvt_rsp_valid),
    .cvt_ready_o     (cvt_rsp_ready),
    .cvt_rsp_i       (cvt_rsp),
    .sfu_valid_i     (sfu_rsp_valid),
    .sfu_ready_o     (sfu_rsp_ready),
    .sfu_rsp_i       (sfu_rsp),
    .warp_valid_i    (warp_rsp_valid),
    .warp_ready_o    (warp_rsp_ready),
    .warp_rsp_i      (warp_rsp),
    .fp64_valid_i    (fp64_rsp_valid),
    .fp64_ready_o    (fp64_rsp_ready),
    .fp64_rsp_i      (fp64_rsp),
    .tensor_valid_i  (tensor_rsp_valid),
    .tensor_ready_o  (tensor_rsp_ready),
    .tensor_rsp_i    (tensor_rsp),
    .lsu_valid_i     (lsu_valid_i),
    .lsu_ready_o     (lsu_ready_o),
    .lsu_rsp_i       (lsu_rsp_i),
    .control_valid_i (control_valid_i),
    .control_ready_o (control_ready_o),
    .control_tag_i   (control_tag_i),
    .control_ends_i  (control_ends_i),
    .control_we_i    (control_we_i),
    .control_p_we_i  (control_p_we_i),
    .control_value_i (control_value_i),
    .row_valid_o     (row_valid_o),
    .row_row_o       (row_row_o),
    .slice_o         (slice_o),
    .lanes_o         (lanes_o),
    .row_o           (row_o),
    .p_valid_o       (p_valid),
    .p_o             (p),
    .q_o             (q),
    .end_valid_o     (end_valid),
    .end_warp_o      (end_warp),
    .end_tag_o       (end_tag),
    .trace_retire_o  (trace_retire_o)
  );

  core_pkg::outcome_t outcome;
  assign outcome = '{ends: end_valid, p_valid: p_valid, warp: end_warp,
                     has_entry: end_tag.rd != 8'd255 || end_tag.pd != 3'd7 || end_tag.pq != 3'd7, entry: end_tag.entry,
                     pd: end_tag.pd, pq: end_tag.pq, slice: slice_o, lanes: lanes_o, p: p, q: q};
  if (sm_pkg::RowSlices == 1) begin : g_outcome_now
    assign outcome_o = outcome;
  end else begin : g_outcome_next
    core_pkg::outcome_t outcome_q;
    always_ff @(posedge clk_i) begin
      outcome_q <= outcome;
      if (!rst_ni) {outcome_q.ends, outcome_q.p_valid} <= '0;
    end
    assign outcome_o = outcome_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_one: assert ((valid_i & (valid_i - core_pkg::units_t'(1))) == '0) else $error("execution: one request for two units");
    end
  end

endmodule
