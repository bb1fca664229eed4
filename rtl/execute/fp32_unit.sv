// SPDX-License-Identifier: Apache-2.0
// FP32 lanes of a sub-partition: FADD, FMUL, FFMA, FMNMX, FSETP with Lanes lanes in four stages, in slices in seven.
//
//   FFMA R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response
//   is valid in cycle 5 with all 32 lanes. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 3 + RowLanes / Lanes cycles. Minimum, maximum and comparison are
// decided in stage 1 and travel along. Where rows move in slices the request stays until its last beat and is answered
// 7 cycles after that: operands, multiply, align, add, count leading zeros, shift, round.
// Lanes outside tag.mask are not computed (in slices they are) and hold anything.
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
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Stages = Slices ? 6 : 4;
  localparam int unsigned Add = Slices ? 2 : 1;  // which stage adds, normalises, rounds
  localparam int unsigned Normalise = Slices ? 4 : 2;
  localparam int unsigned Round = Stages - 1;
  localparam int unsigned Hold = (!Slices && Beats > 1) ? Top : Lanes;

  logic              first, rest;
  logic [BeatW-1:0]  beat;
  logic [Stages-1:0] work;

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .twice_i     (1'b0),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (beat),
    .work_o      (work),
    .busy_o      (busy_o)
  );

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          tag;
  logic [7:0]            op;
  logic [17:0]           mod;
  logic [Lanes-1:0]      mask, p;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (GroupW'(beat)),
    .req_i        (req_i),
    .hi_i         ('0),
    .reads_a_i    (1'b1),
    .reads_c_i    (op == isa_pkg::OpFfma),
    .reads_hi_i   (1'b0),
    .reads_c_hi_i (1'b0),
    .fresh_o      (fresh),
    .tag_o        (tag),
    .op_o         (op),
    .mod_o        (mod),
    .mask_o       (mask),
    .p_o          (p),
    .p2_o         (),
    .a_o          (hold_a),
    .b_o          (hold_b),
    .c_o          (hold_c),
    .a_hi_o       (),
    .b_hi_o       (),
    .c_hi_o       ()
  );

  // ---- what stage 1 does with this beat ---------------------------------------------------------------
  logic             is_add, is_mul, is_fma, xorsign_abs, flush;
  logic [31:0]      keep_a, flip_a, keep_b, flip_b, flip_c;

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

  // ---- what goes with a beat: g_pass[k] holds it behind stage k + 1 ---------------------------------------
  typedef struct packed {
    logic [7:0]       op;
    logic [17:0]      mod;
    logic [Lanes-1:0] mask;
  } control_t;
  logic [Lanes-1:0]       p1_q, q1_q;
  logic [Lanes-1:0][32:0] decided1_q;  // in slices: whether the result is decided, and the result

  for (genvar k = 0; k < Stages - 1; k++) begin : g_pass
    control_t               control_q;
    sm_pkg::tag_t           tag_q;
    logic [Lanes-1:0]       p_q, q_q;
    logic [Lanes-1:0][32:0] decided_q;
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (work[0]) begin
          control_q <= '{op: op, mod: mod, mask: mask};
          if (Slices || first) tag_q <= tag;
        end
      end
      assign p_q = p1_q;
      assign q_q = q1_q;
      assign decided_q = decided1_q;
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          control_q <= g_pass[k-1].control_q;
          tag_q <= g_pass[k-1].tag_q;
          p_q <= g_pass[k-1].p_q;
          q_q <= g_pass[k-1].q_q;
          if (Slices) decided_q <= g_pass[k-1].decided_q;
        end
      end
    end
  end

  // ---- stage 1: multiply; or minimum, maximum, comparison ----------------------------------------------
  logic [Lanes-1:0][63:0] product_q;
  logic [Lanes-1:0][31:0] addend_q;

  always_ff @(posedge clk_i) begin
    if (work[0]) begin
      logic [Lanes-1:0] holds;
      holds = '0;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || mask[lane]) begin
          logic [31:0] raw_a, raw_b, a, b, c, x, y;
          raw_a = fresh ? req_i.a[lane] : hold_a[lane];
          raw_b = fresh ? req_i.b[lane] : hold_b[lane];
          a = fp32_pkg::flush(flush, (raw_a & keep_a) ^ flip_a);
          b = fp32_pkg::flush(flush, (raw_b & keep_b) ^ flip_b);
          if (Slices) decided1_q[lane][32] <= 1'b1;
          if (op == isa_pkg::OpFsetp || op == isa_pkg::OpFmnmx) begin
            fp32_pkg::order_t order;
            order = fp32_pkg::order(a, b);
            if (op == isa_pkg::OpFsetp) begin
              holds[lane] = fp32_pkg::compare(order, mod[isa_pkg::FSetpCmpLsb+:isa_pkg::FSetpCmpWidth]);
            end else begin
              x = fp32_pkg::min_max(a, b, order, mod[isa_pkg::FMinMaxMaxLsb], mod[isa_pkg::FMinMaxNanLsb], xorsign_abs,
                                    raw_a[31] ^ raw_b[31]);
              if (Slices) decided1_q[lane][31:0] <= x;
              else product_q[lane] <= {32'h80000000, x};
            end
          end else begin
            c = fp32_pkg::flush(flush, (fresh ? req_i.c[lane] : hold_c[lane]) ^ flip_c);
            // FADD: a * 1 + b. FMUL: a * b + a zero of the product's sign.
            x = is_add ? fp32_pkg::One : b;
            y = is_add ? b : is_mul ? ((a ^ b) & 32'h80000000) : c;
            product_q[lane] <= Slices ? fp32_pkg::fma_product(a, x) : fp32_pkg::fma_multiply(a, x, y);
            addend_q[lane] <= y;
            if (Slices) decided1_q[lane] <= fp32_pkg::fma_special(a, x, y);
          end
        end
      end
      if (op == isa_pkg::OpFsetp) begin
        p1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::FSetpOpLsb+:2], 32'(holds), 32'(p)));
        q1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::FSetpOpLsb+:2], ~32'(holds), 32'(p)));
      end
    end
  end

  // ---- stage 2: align and add, in slices in two stages ---------------------------------------------------
  logic [Lanes-1:0][53:0] fixed_q, moved_q;
  fp32_pkg::align_t       align_q [Lanes];

  if (Slices) begin : gen_align
    always_ff @(posedge clk_i) begin
      if (work[Add-1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic [53:0]      fixed, moved;
          fp32_pkg::align_t align;
          fp32_pkg::fma_align(product_q[lane], addend_q[lane], fixed, moved, align);
          fixed_q[lane] <= fixed;
          moved_q[lane] <= moved;
          align_q[lane] <= align;
        end
      end
    end
  end else begin : gen_align_and_add
    assign {fixed_q, moved_q} = '0;
    for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
      assign align_q[lane] = '0;
    end
  end

  logic [Lanes-1:0][63:0] sum_q;
  logic [Lanes-1:0][15:0] exponent_q;  // and whether the sum is negative

  always_ff @(posedge clk_i) begin
    if (work[Add]) begin
      control_t control;
      control = g_pass[Add-1].control_q;
      if (control.op != isa_pkg::OpFsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices || control.mask[lane]) begin
            logic [63:0] sum;
            logic [9:0]  exponent;
            if (Slices) fp32_pkg::fma_sum(fixed_q[lane], moved_q[lane], align_q[lane], control.mod[1:0], sum, exponent);
            else fp32_pkg::fma_add(product_q[lane], addend_q[lane], control.mod[1:0], sum, exponent);
            sum_q[lane] <= sum;
            exponent_q[lane] <= {6'd0, exponent};
          end
        end
      end
    end
  end

  // ---- stage 3: normalise, in slices in two stages -------------------------------------------------------
  logic [Lanes-1:0][63:0] counted_q;  // the sum
  logic [Lanes-1:0][15:0] counted_exponent_q;
  logic [Lanes-1:0][5:0]  shift_q;

  if (Slices) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (work[Normalise-1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          shift_q[lane] <= fp32_pkg::fma_count(sum_q[lane], exponent_q[lane][9:0]);
        end
        counted_q <= sum_q;
        counted_exponent_q <= exponent_q;
      end
    end
  end else begin : gen_count_and_shift
    assign {counted_q, counted_exponent_q, shift_q} = '0;
  end

  logic [Lanes-1:0][63:0] normal_q;

  always_ff @(posedge clk_i) begin
    if (work[Normalise]) begin
      control_t control;
      control = g_pass[Normalise-1].control_q;
      if (control.op != isa_pkg::OpFsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices || control.mask[lane]) begin
            normal_q[lane] <= Slices ? fp32_pkg::fma_shift(counted_q[lane], counted_exponent_q[lane][9:0], shift_q[lane])
                                     : fp32_pkg::fma_normalise(sum_q[lane], exponent_q[lane][9:0]);
          end
        end
      end
    end
  end

  // ---- last stage: round into the top of the response row, which moves down a beat ------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[Round]) begin
      control_t control;
      logic     rounded;  // an operation that rounds: FMNMX has other modifiers in these places
      control = g_pass[Round-1].control_q;
      rounded = control.op != isa_pkg::OpFmnmx;
      if (control.op == isa_pkg::OpFsetp) begin
        rsp_q.p <= sm_pkg::RowLanes'({g_pass[Round-1].p_q, rsp_q.p} >> Lanes);
        rsp_q.q <= sm_pkg::RowLanes'({g_pass[Round-1].q_q, rsp_q.q} >> Lanes);
      end else begin
        for (int unsigned lane = Lanes; lane < sm_pkg::RowLanes; lane++) rsp_q.d[lane-Lanes] <= rsp_q.d[lane];
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices || control.mask[lane]) begin
            logic [32:0] decided;
            decided = Slices ? g_pass[Round-1].decided_q[lane] : {normal_q[lane][63], normal_q[lane][31:0]};
            rsp_q.d[Top+lane] <= fp32_pkg::fma_round(normal_q[lane][35:0], decided[32], decided[31:0],
                                                     control.mod[1:0], control.mod[isa_pkg::FAddFtzLsb],
                                                     rounded && control.mod[isa_pkg::FAddSatLsb]);
          end
        end
      end
      rsp_q.tag <= g_pass[Round-1].tag_q;
      rsp_q.we <= control.op != isa_pkg::OpFsetp;
      rsp_q.wide <= 1'b0;
      rsp_q.p_we <= control.op == isa_pkg::OpFsetp;
    end
  end

endmodule
