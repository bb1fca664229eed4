// SPDX-License-Identifier: Apache-2.0
// FP32 lanes of a sub-partition: FADD, FMUL, FFMA, FMNMX, FSETP with Lanes lanes in four stages.
//
//   FFMA R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response
//   is valid in cycle 5 with all 32 lanes. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 3 + RowLanes / Lanes cycles. Minimum, maximum and comparison are
// decided in stage 1 and travel along. Lanes outside tag.mask are not computed and hold anything.
module fp32_unit #(
  parameter int unsigned Lanes = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  sm_pkg::exec_req_t req_i,

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
  logic [2:0] valid;

  lane_beats #(.Lanes(Lanes), .Stages(4)) u_lane_beats (
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
  logic [Hold-1:0][31:0] hold_a_q, hold_b_q, hold_c_q;
  sm_pkg::lanes_t           hold_mask_q, hold_p_q;
  logic [7:0]            hold_op_q;
  logic [17:0]           hold_mod_q;

  if (Holds) begin : gen_hold
    always_ff @(posedge clk_i) begin
      if (first) begin
        for (int unsigned lane = 0; lane < Hold; lane++) begin
          hold_a_q[lane] <= req_i.a[lane+Lanes];
          hold_b_q[lane] <= req_i.b[lane+Lanes];
        end
        if (req_i.op == isa_pkg::OpFfma) begin
          for (int unsigned lane = 0; lane < Hold; lane++) hold_c_q[lane] <= req_i.c[lane+Lanes];
        end
      end else if (rest && Hold > Lanes) begin
        for (int unsigned lane = 0; lane + Lanes < Hold; lane++) begin
          hold_a_q[lane] <= hold_a_q[lane+Lanes];
          hold_b_q[lane] <= hold_b_q[lane+Lanes];
        end
        if (hold_op_q == isa_pkg::OpFfma) begin
          for (int unsigned lane = 0; lane + Lanes < Hold; lane++) hold_c_q[lane] <= hold_c_q[lane+Lanes];
        end
      end
    end

    always_ff @(posedge clk_i) begin
      if (first) begin
        hold_op_q <= req_i.op;
        hold_mod_q <= req_i.mod;
        hold_mask_q <= req_mask >> Lanes;
        hold_p_q <= req_i.p >> Lanes;
      end else if (rest) begin
        hold_mask_q <= hold_mask_q >> Lanes;
        hold_p_q <= hold_p_q >> Lanes;
      end
    end
  end else begin : gen_no_hold
    logic [Beats-1:0][Lanes-1:0][31:0] a, b, c;
    logic [Beats-1:0][Lanes-1:0]       mask, p;
    logic [GroupW-1:0]                 group;
    assign group = GroupW'(beat);
    assign {a, b, c, mask, p} = {req_i.a, req_i.b, req_i.c, req_mask, req_i.p};
    assign {hold_a_q, hold_b_q, hold_c_q} = {a[group], b[group], c[group]};
    assign hold_mask_q = sm_pkg::RowLanes'(mask[group]);
    assign hold_p_q = sm_pkg::RowLanes'(p[group]);
    assign {hold_op_q, hold_mod_q} = {req_i.op, req_i.mod};
  end

  // ---- what stage 1 does with this beat ---------------------------------------------------------------
  logic [7:0]       op;
  logic [17:0]      mod;
  logic [Lanes-1:0] mask, p;
  logic             is_add, is_mul, is_fma, xorsign_abs, flush;
  logic [31:0]      keep_a, flip_a, keep_b, flip_b, flip_c;

  assign op = fresh ? req_i.op : hold_op_q;
  assign mod = fresh ? req_i.mod : hold_mod_q;
  assign mask = fresh ? req_mask[Lanes-1:0] : hold_mask_q[Lanes-1:0];
  assign p = fresh ? req_i.p[Lanes-1:0] : hold_p_q[Lanes-1:0];

  // abs clears the sign, neg flips it; a mask each for the whole beat.
  assign is_add = op == isa_pkg::OpFadd;
  assign is_mul = op == isa_pkg::OpFmul;
  assign is_fma = op == isa_pkg::OpFfma;
  assign xorsign_abs = op == isa_pkg::OpFmnmx && mod[isa_pkg::FMinMaxXorsignAbsLsb];
  assign keep_a = {!(xorsign_abs || (is_add && mod[isa_pkg::FAddAbsALsb]) ||
                     (op == isa_pkg::OpFsetp && mod[isa_pkg::FSetpAbsALsb])), 31'h7fffffff};
  assign keep_b = {!(xorsign_abs || (is_add && mod[isa_pkg::FAddAbsBLsb]) ||
                     (op == isa_pkg::OpFsetp && mod[isa_pkg::FSetpAbsBLsb])), 31'h7fffffff};
  assign flip_a = {(is_add && mod[isa_pkg::FAddNegALsb]) || (is_mul && mod[isa_pkg::FMulNegLsb]) ||
                   (is_fma && mod[isa_pkg::FFmaNegPLsb]) ||
                   (op == isa_pkg::OpFsetp && mod[isa_pkg::FSetpNegALsb]), 31'd0};
  assign flip_b = {(is_add && mod[isa_pkg::FAddNegBLsb]) ||
                   (op == isa_pkg::OpFsetp && mod[isa_pkg::FSetpNegBLsb]), 31'd0};
  assign flip_c = {is_fma && mod[isa_pkg::FFmaNegCLsb], 31'd0};
  always_comb begin
    unique case (op)
      isa_pkg::OpFmnmx: flush = mod[isa_pkg::FMinMaxFtzLsb];
      isa_pkg::OpFsetp: flush = mod[isa_pkg::FSetpFtzLsb];
      default:          flush = mod[isa_pkg::FAddFtzLsb];  // the same bit in FMUL and FFMA
    endcase
  end

  // ---- stage 1: multiply; or minimum, maximum, comparison ----------------------------------------------
  logic [Lanes-1:0][63:0] product_q;
  logic [Lanes-1:0][31:0] addend_q;
  logic [Lanes-1:0]       p1_q, q1_q, mask1_q;
  logic [17:0]            mod1_q;
  logic [7:0]             op1_q;
  sm_pkg::tag_t           tag1_q;

  always_ff @(posedge clk_i) begin
    if (first || rest) begin
      if (op == isa_pkg::OpFsetp || op == isa_pkg::OpFmnmx) begin
        logic [Lanes-1:0] holds;
        holds = '0;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask[lane]) begin
            logic [31:0]      raw_a, raw_b, a, b;
            fp32_pkg::order_t order;
            raw_a = fresh ? req_i.a[lane] : hold_a_q[lane];
            raw_b = fresh ? req_i.b[lane] : hold_b_q[lane];
            a = fp32_pkg::flush(flush, (raw_a & keep_a) ^ flip_a);
            b = fp32_pkg::flush(flush, (raw_b & keep_b) ^ flip_b);
            order = fp32_pkg::order(a, b);
            if (op == isa_pkg::OpFsetp) begin
              holds[lane] = fp32_pkg::compare(order, mod[isa_pkg::FSetpCmpLsb+:isa_pkg::FSetpCmpWidth]);
            end else begin
              product_q[lane] <= {32'h80000000, fp32_pkg::min_max(a, b, order, mod[isa_pkg::FMinMaxMaxLsb],
                                                                  mod[isa_pkg::FMinMaxNanLsb], xorsign_abs,
                                                                  raw_a[31] ^ raw_b[31])};
            end
          end
        end
        if (op == isa_pkg::OpFsetp) begin
          p1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::FSetpOpLsb+:2], 32'(holds), 32'(p)));
          q1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::FSetpOpLsb+:2], ~32'(holds), 32'(p)));
        end
      end else begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask[lane]) begin
            logic [31:0] a, b, c, x, y;
            a = fp32_pkg::flush(flush, ((fresh ? req_i.a[lane] : hold_a_q[lane]) & keep_a) ^ flip_a);
            b = fp32_pkg::flush(flush, ((fresh ? req_i.b[lane] : hold_b_q[lane]) & keep_b) ^ flip_b);
            c = fp32_pkg::flush(flush, (fresh ? req_i.c[lane] : hold_c_q[lane]) ^ flip_c);
            // FADD: a * 1 + b. FMUL: a * b + a zero of the product's sign.
            x = is_add ? fp32_pkg::One : b;
            y = is_add ? b : is_mul ? ((a ^ b) & 32'h80000000) : c;
            product_q[lane] <= fp32_pkg::fma_multiply(a, x, y);
            addend_q[lane] <= y;
          end
        end
      end
      mask1_q <= mask;
      mod1_q <= mod;
      op1_q <= op;
      if (first) tag1_q <= req_i.tag;
    end
  end

  // ---- stage 2: align and add ---------------------------------------------------------------------------
  logic [Lanes-1:0][63:0] sum_q;
  logic [Lanes-1:0][15:0] exponent_q;  // and whether the sum is negative
  logic [Lanes-1:0]       p2_q, q2_q, mask2_q;
  logic [17:0]            mod2_q;
  logic [7:0]             op2_q;
  sm_pkg::tag_t           tag2_q;

  always_ff @(posedge clk_i) begin
    if (en && valid[0]) begin
      if (op1_q == isa_pkg::OpFsetp) begin
        p2_q <= p1_q;
        q2_q <= q1_q;
      end else begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask1_q[lane]) begin
            logic [63:0] sum;
            logic [9:0]  exponent;
            fp32_pkg::fma_add(product_q[lane], addend_q[lane], mod1_q[1:0], sum, exponent);
            sum_q[lane] <= sum;
            exponent_q[lane] <= {6'd0, exponent};
          end
        end
      end
      mask2_q <= mask1_q;
      mod2_q <= mod1_q;
      op2_q <= op1_q;
      tag2_q <= tag1_q;
    end
  end

  // ---- stage 3: normalise ---------------------------------------------------------------------------------
  logic [Lanes-1:0][63:0] normal_q;
  logic [Lanes-1:0]       p3_q, q3_q, mask3_q;
  logic [17:0]            mod3_q;
  logic [7:0]             op3_q;
  sm_pkg::tag_t           tag3_q;

  always_ff @(posedge clk_i) begin
    if (en && valid[1]) begin
      if (op2_q == isa_pkg::OpFsetp) begin
        p3_q <= p2_q;
        q3_q <= q2_q;
      end else begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask2_q[lane]) normal_q[lane] <= fp32_pkg::fma_normalise(sum_q[lane], exponent_q[lane][9:0]);
        end
      end
      mask3_q <= mask2_q;
      mod3_q <= mod2_q;
      op3_q <= op2_q;
      tag3_q <= tag2_q;
    end
  end

  // ---- stage 4: round into the top of the response row, which moves down a beat --------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (en && valid[2]) begin
      logic rounded;  // an operation that rounds: FMNMX has other modifiers in these places
      rounded = op3_q != isa_pkg::OpFmnmx;
      if (op3_q == isa_pkg::OpFsetp) begin
        rsp_q.p <= sm_pkg::RowLanes'({p3_q, rsp_q.p} >> Lanes);
        rsp_q.q <= sm_pkg::RowLanes'({q3_q, rsp_q.q} >> Lanes);
      end else begin
        for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) rsp_q.d[lane-Lanes] <= rsp_q.d[lane];
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (mask3_q[lane]) begin
            rsp_q.d[Top+lane] <= fp32_pkg::fma_round(normal_q[lane], mod3_q[1:0],
                                                     mod3_q[isa_pkg::FAddFtzLsb],
                                                     rounded && mod3_q[isa_pkg::FAddSatLsb]);
          end
        end
      end
      rsp_q.tag <= tag3_q;
      rsp_q.we <= op3_q != isa_pkg::OpFsetp;
      rsp_q.wide <= 1'b0;
      rsp_q.p_we <= op3_q == isa_pkg::OpFsetp;
    end
  end

endmodule
