// SPDX-License-Identifier: Apache-2.0
// Conversion lanes of a sub-partition: I2F, I2F.64, F2I, F2I.64, FRND, F2D, D2F in three stages.
//
//   I2F R4, R1 with 4 lanes: eight beats; the response is valid in cycle 10 with all 32 lanes.
//
// Latency from acceptance to the response is 2 + RowLanes / Lanes cycles. Lanes outside tag.mask are not computed
// and hold anything, so does d_hi of 32-bit results.
module cvt_unit #(
  parameter int unsigned Lanes = 4
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  sm_pkg::exec_req_t req_i,
  input  sm_pkg::exec_hi_t  hi_i,

  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output sm_pkg::exec_rsp_t rsp_o,

  output logic              busy_o
);

  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes;
  localparam int unsigned BeatW = $clog2(2 * Beats);
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam int unsigned Top = sm_pkg::RowLanes - Lanes;
  localparam bit Slices = sm_pkg::RowSlices > 1;  // the request stays until its last beat
  localparam bit Holds = !Slices && Beats > 1;
  localparam int unsigned Hold = Holds ? Top : Lanes;

  logic             en, first, rest;
  logic [BeatW-1:0] beat;
  logic [1:0] valid;

  lane_beats #(.Lanes(Lanes), .Stages(3)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .twice_i     (1'b0),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .en_o        (en),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (beat),
    .valid_o     (valid),
    .busy_o      (busy_o)
  );

  logic           fresh;  // operands come from the request
  sm_pkg::lanes_t req_mask;
  assign fresh = !Slices && (!Holds || beat == '0);
  assign req_mask = sm_pkg::lanes_of(req_i.tag.mask, req_i.tag.slice);

  // ---- hold: lanes of the request that are still to come, the next ones at the bottom; where nothing is held, this
  // beat's lanes of the request ------------------------------------------------------------------------------
  logic [Hold-1:0][31:0] hold_b_q, hold_b_hi_q;
  sm_pkg::lanes_t           hold_mask_q;
  logic [7:0]            hold_op_q;
  logic [17:0]           hold_mod_q;

  if (Holds) begin : gen_hold
    always_ff @(posedge clk_i) begin
      if (first) begin
        for (int unsigned lane = 0; lane < Hold; lane++) hold_b_q[lane] <= req_i.b[lane+Lanes];
        if (req_i.op == isa_pkg::OpI642f || req_i.op == isa_pkg::OpD2f) begin
          for (int unsigned lane = 0; lane < Hold; lane++) hold_b_hi_q[lane] <= hi_i.b_hi[lane+Lanes];
        end
      end else if (rest && Hold > Lanes) begin
        for (int unsigned lane = 0; lane + Lanes < Hold; lane++) hold_b_q[lane] <= hold_b_q[lane+Lanes];
        if (hold_op_q == isa_pkg::OpI642f || hold_op_q == isa_pkg::OpD2f) begin
          for (int unsigned lane = 0; lane + Lanes < Hold; lane++) hold_b_hi_q[lane] <= hold_b_hi_q[lane+Lanes];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (first) begin
        hold_op_q <= req_i.op;
        hold_mod_q <= req_i.mod;
        hold_mask_q <= req_mask >> Lanes;
      end else if (rest) begin
        hold_mask_q <= hold_mask_q >> Lanes;
      end
    end
  end else begin : gen_no_hold
    logic [Beats-1:0][Lanes-1:0][31:0] b, b_hi;
    logic [Beats-1:0][Lanes-1:0]       mask;
    logic [GroupW-1:0]                 group;
    assign group = GroupW'(beat);
    assign {b, b_hi, mask} = {req_i.b, hi_i.b_hi, req_mask};
    assign {hold_b_q, hold_b_hi_q} = {b[group], b_hi[group]};
    assign hold_mask_q = sm_pkg::RowLanes'(mask[group]);
    assign {hold_op_q, hold_mod_q} = {req_i.op, req_i.mod};
  end

  // ---- stage 1: into a magnitude with exponent, or an integer with rounding bits -----------------------
  logic [7:0]       op;
  logic [17:0]      mod;
  logic [Lanes-1:0] mask;
  assign op = fresh ? req_i.op : hold_op_q;
  assign mod = fresh ? req_i.mod : hold_mod_q;
  assign mask = fresh ? req_mask[Lanes-1:0] : hold_mask_q[Lanes-1:0];

  logic [Lanes-1:0][63:0] value_q;
  logic [Lanes-1:0][15:0] side_q;   // exponent, or cvt_pkg::int_flags_t
  logic [Lanes-1:0]       mask1_q;
  logic [7:0]             op1_q;
  logic [17:0]            mod1_q;
  sm_pkg::tag_t           tag1_q;

  always_ff @(posedge clk_i) begin
    if (first || rest) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask[lane]) begin
          logic [31:0] b, b_hi;
          logic [63:0] value;
          logic [8:0]  exponent;  // or flags
          b = fresh ? req_i.b[lane] : hold_b_q[lane];
          b_hi = fresh ? hi_i.b_hi[lane] : hold_b_hi_q[lane];
          value = '0;
          exponent = '0;
          unique case (op)
            isa_pkg::OpI2f, isa_pkg::OpI642f:
              cvt_pkg::from_int(op == isa_pkg::OpI642f, mod[isa_pkg::I2FSignLsb], {b_hi, b}, value, exponent);
            isa_pkg::OpD2f, isa_pkg::OpF2i, isa_pkg::OpF2i64:
              cvt_pkg::from_float(op == isa_pkg::OpD2f, {b_hi, b}, mod[isa_pkg::F2IFtzLsb], value, exponent);
            isa_pkg::OpF2d: value = cvt_pkg::to_f64(b, mod[isa_pkg::FRndFtzLsb], mod[isa_pkg::FRndSatLsb]);
            default: begin
              value = {1'b0, cvt_pkg::round_f32(b, mod[1:0], mod[isa_pkg::FRndFtzLsb],
                                                mod[isa_pkg::FRndIntegralLsb]), 31'd0};
            end
          endcase
          value_q[lane] <= value;
          side_q[lane] <= {7'd0, exponent};
        end
      end
      mask1_q <= mask;
      op1_q <= op;
      mod1_q <= mod;
      if (first) tag1_q <= req_i.tag;
    end
  end

  // ---- stage 2: normalise, or round the integer ----------------------------------------------------------
  logic [Lanes-1:0][63:0] normal_q;
  logic [Lanes-1:0]       mask2_q;
  logic [7:0]             op2_q;
  logic [17:0]            mod2_q;
  sm_pkg::tag_t           tag2_q;

  always_ff @(posedge clk_i) begin
    if (en && valid[0]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask1_q[lane]) begin
          unique case (op1_q)
            isa_pkg::OpF2i, isa_pkg::OpF2i64: begin
              normal_q[lane] <= cvt_pkg::to_int(value_q[lane], cvt_pkg::int_flags_t'(side_q[lane][4:0]),
                                                mod1_q[1:0], op1_q == isa_pkg::OpF2i64,
                                                mod1_q[isa_pkg::F2ISignLsb],
                                                mod1_q[isa_pkg::F2IWidthLsb+:isa_pkg::F2IWidthWidth]);
            end
            isa_pkg::OpF2d: normal_q[lane] <= value_q[lane];
            default: normal_q[lane] <= fp32_pkg::fma_normalise(value_q[lane], {1'b0, side_q[lane][8:0]});
          endcase
        end
      end
      mask2_q <= mask1_q;
      op2_q <= op1_q;
      mod2_q <= mod1_q;
      tag2_q <= tag1_q;
    end
  end

  // ---- stage 3: round into the top of the response row, which moves down a beat --------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  logic to_f32, has_ftz, wide;  // I2F has neither ftz nor sat in those places
  assign has_ftz = op2_q == isa_pkg::OpFrnd || op2_q == isa_pkg::OpD2f;
  assign to_f32 = has_ftz || op2_q == isa_pkg::OpI2f || op2_q == isa_pkg::OpI642f;
  assign wide = op2_q == isa_pkg::OpF2i64 || op2_q == isa_pkg::OpF2d;

  always_ff @(posedge clk_i) begin
    if (en && valid[1]) begin
      for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) rsp_q.d[lane-Lanes] <= rsp_q.d[lane];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask2_q[lane]) begin
          rsp_q.d[Top+lane] <= to_f32 ? fp32_pkg::fma_round(normal_q[lane], mod2_q[1:0],
                                                            has_ftz && mod2_q[isa_pkg::FRndFtzLsb],
                                                            has_ftz && mod2_q[isa_pkg::FRndSatLsb])
                                      : normal_q[lane][31:0];
        end
      end
      if (wide) begin
        for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) begin
          rsp_q.d_hi[lane-Lanes] <= rsp_q.d_hi[lane];
        end
        for (int unsigned lane = 0; lane < Lanes; lane++) rsp_q.d_hi[Top+lane] <= normal_q[lane][63:32];
      end
      rsp_q.tag <= tag2_q;
      rsp_q.we <= 1'b1;
      rsp_q.wide <= wide;
      rsp_q.p_we <= 1'b0;
      rsp_q.p <= '0;
      rsp_q.q <= '0;
    end
  end

endmodule
