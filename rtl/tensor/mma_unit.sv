// SPDX-License-Identifier: Apache-2.0
// Tensor core of a sub-partition: HMMA and IMMA, dense and sparse, Width products of 16 bits a cycle (4, 8, 16 ... 512; twice
// as many bytes, 16 times as many bits, half as many tf32). The bits of a result are those of an NVIDIA H200 at every width.
//
//   HMMA R12, R0, R4, R8 (16 x 16 by 16 x 8) at Width 512; beats of a result row each; cycle 0 is that of the last step:
//   cycle       1        2          3            4          5      6           7          8
//   result 0    beat     decoded    exponent     sum        row
//   result 1             beat       decoded      exponent   sum    rows 0, 1
//   result 2                        beat         decoded    ...               row
//   result 3                                     beat       ...                          rows 2, 3
//
// Operands arrive in steps and results leave in steps (mma_pkg). An instruction's beats follow each other, and those of the
// next follow them where there are two operand sets: every max(2048 / Width, steps) cycles. There a beat of half K is two result
// rows, so that these take half as long. A result that is not taken stops all stages; from a width of 256 on one may wait, and the
// second stops them. All 32 lanes' registers are read; lanes outside tag.mask are computed, too, and whoever writes the rows leaves
// them out. DMMA goes elsewhere: its arithmetic is that of the FP64 unit.
module mma_unit #(
  parameter int unsigned Width = mma_pkg::DefaultWidth
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             req_valid_i,
  output logic             req_ready_o,
  output logic             req_soon_o,   // ready in the next cycle
  input  sm_pkg::exec_req_t req_i,

  output logic             rsp_valid_o,
  input  logic             rsp_ready_i,
  output sm_pkg::exec_rsp_t rsp_o,

  output logic             busy_o
);

  localparam int unsigned Lanes = mma_pkg::lanes_of(Width);
  localparam int unsigned Places = mma_pkg::places_of(Width);
  localparam int unsigned Quads = Lanes >= 4 ? Lanes / 4 : 1;
  localparam int unsigned RowLanes = sm_pkg::RowLanes;
  localparam int unsigned Groups = RowLanes / Lanes;
  localparam logic        Two = mma_pkg::two_of(Width);

  logic             go, full, take;
  mma_pkg::control_t control;
  logic             operands_busy, dot_busy;
  logic             decoded_valid_q;
  mma_pkg::control_t decoded_q;
  mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a;
  mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b;
  logic                  [Lanes-1:0][31:0]       c, c_hi;
  logic              sum_valid;
  mma_pkg::control_t sum_control;
  mma_sum_pkg::result_t [Lanes-1:0] result, result_hi;
  logic              made_valid_q;
  sm_pkg::exec_rsp_t made_q;   // rows that were made last
  logic              stuck;    // they wait, and nothing else has room for them

  assign go = !stuck;
  assign take = go && full;

  mma_sequence #(.Width(Width)) u_sequence (
    .clk_i  (clk_i),
    .rst_ni (rst_ni),
    .take_i (take),
    .op_i   (control.op),
    .beat_o (control.beat)
  );

  mma_operands #(.Width(Width)) u_operands (
    .clk_i        (clk_i),
    .rst_ni       (rst_ni),
    .step_valid_i (req_valid_i),
    .step_ready_o (req_ready_o),
    .step_i       (req_i),
    .full_o       (full),
    .op_o         (control.op),
    .tag_o        (control.tag),
    .take_i       (take),
    .beat_i       (control.beat),
    .a_o          (a),
    .b_o          (b),
    .c_o          (c),
    .c_hi_o       (c_hi),
    .busy_o       (operands_busy)
  );

  always_ff @(posedge clk_i) begin
    if (!rst_ni) decoded_valid_q <= 1'b0;
    else if (go) decoded_valid_q <= full;
  end
  always_ff @(posedge clk_i) if (take) decoded_q <= control;

  mma_dot #(.Width(Width)) u_dot (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .go_i        (go),
    .valid_i     (decoded_valid_q),
    .control_i   (decoded_q),
    .a_i         (a),
    .b_i         (b),
    .c_i         (c),
    .c_hi_i      (c_hi),
    .valid_o     (sum_valid),
    .control_o   (sum_control),
    .result_o    (result),
    .result_hi_o (result_hi),
    .busy_o      (dot_busy)
  );

  // ---- round into the rows that leave ----------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    if (!rst_ni) made_valid_q <= 1'b0;
    else if (go) made_valid_q <= sum_valid && sum_control.beat.emits;
  end
  always_ff @(posedge clk_i) begin
    if (go && sum_valid && sum_control.beat.last) begin
      logic                   f16, upper, two;
      logic [1:0]             halves;  // of the word
      logic [Lanes-1:0][31:0] words, words_hi;
      f16 = sum_control.op.f16_d;
      upper = f16 ? sum_control.beat.result[1] : sum_control.beat.result[0];  // of the two rows
      two = Two && sum_control.op.half_k;
      halves = !f16 || two ? 2'b11 : sum_control.beat.result[0] ? 2'b10 : 2'b01;
      made_q.tag <= sum_control.tag;
      made_q.tag.slice <= sm_pkg::slice_t'(32'(sum_control.beat.lane) / RowLanes);
      made_q.we <= 1'b1;
      made_q.wide <= 1'b1;
      made_q.index <= {!f16 && sum_control.beat.result[1], 1'b0};
      made_q.last <= sum_control.beat.ends;
      made_q.p_we <= 1'b0;
      made_q.p <= '0;
      made_q.q <= '0;
      for (int unsigned l = 0; l < Lanes; l++)
        words[l] = mma_sum_pkg::round(sum_control.op, result[l].sum, result[l].top);
      if (f16) for (int unsigned l = 0; l < Lanes; l++) words[l][31:16] = words[l][15:0];
      if (two) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          words_hi[l] = mma_sum_pkg::round(sum_control.op, result_hi[l].sum, result_hi[l].top);
          if (f16) words[l][31:16] = words_hi[l][15:0];
        end
      end
      for (int unsigned g = 0; g < Groups; g++) begin
        if ((32'(sum_control.beat.lane) % RowLanes) == g * Lanes) begin
          for (int unsigned h = 0; h < 2; h++) begin
            if (halves[h] && !upper) for (int unsigned l = 0; l < Lanes; l++) made_q.d[g*Lanes+l][16*h+:16] <= words[l][16*h+:16];
            if (halves[h] && upper) for (int unsigned l = 0; l < Lanes; l++) made_q.d_hi[g*Lanes+l][16*h+:16] <= words[l][16*h+:16];
          end
          if (two && !f16) for (int unsigned l = 0; l < Lanes; l++) made_q.d_hi[g*Lanes+l] <= words_hi[l];
        end
      end
    end
  end

  // ---- rows that wait --------------------------------------------------------------------------------------
  // A pair leaves in two cycles at least. Where the next comes soon it is kept apart meanwhile, so that the stages go on.
  if (Width >= 256) begin : g_kept
    logic              kept_valid_q;
    sm_pkg::exec_rsp_t kept_q;
    assign stuck = made_valid_q && kept_valid_q && !rsp_ready_i;
    assign rsp_valid_o = made_valid_q || kept_valid_q;
    always_comb begin
      rsp_o = 'x;  // nobody looks at it otherwise
      if (kept_valid_q) rsp_o = kept_q;
      else if (made_valid_q) rsp_o = made_q;
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) kept_valid_q <= 1'b0;
      else kept_valid_q <= kept_valid_q ? made_valid_q || !rsp_ready_i : made_valid_q && !rsp_ready_i;
      if (made_valid_q && kept_valid_q == rsp_ready_i) kept_q <= made_q;
    end
  end else begin : g_made
    assign stuck = made_valid_q && !rsp_ready_i;
    assign rsp_valid_o = made_valid_q;
    assign rsp_o = made_q;
  end

  // A free place for a step stays free until one comes.
  assign req_soon_o = req_ready_o && !req_valid_i;
  assign busy_o = operands_busy || decoded_valid_q || dot_busy || rsp_valid_o;

  // ---- assertions ------------------------------------------------------------------------------------------
  logic             waited_q;
  sm_pkg::exec_rsp_t gave_q;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && rsp_valid_o && !rsp_ready_i;
    if (rsp_valid_o && !rsp_ready_i) gave_q <= rsp_o;
    // Rows that wait stand still.
    if (rst_ni && waited_q) a_stand: assert (rsp_valid_o && rsp_o == gave_q) else $error("mma_unit: waiting rows changed");
  end
  // A beat's lanes lie in one slice.
  if (Width < 4 || Width > 512 || (Width & (Width - 1)) != 0 || Lanes > RowLanes) begin : gen_refuse
    $error("Width must be a power of two from 4 to 512, and at most 16 times the lanes of a slice");
  end

endmodule
