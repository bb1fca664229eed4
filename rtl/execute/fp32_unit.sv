// SPDX-License-Identifier: Apache-2.0
// FP32 lanes of a sub-partition: FADD, FMUL, FFMA, FMNMX, FSETP with Lanes lanes in two stages, three if they are a whole row,
// in slices in seven.
//
//   FFMA R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response
//   is valid in cycle 3 with all 32 lanes. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 1 + RowLanes / Lanes cycles: multiply and add; normalise and round (32 lanes: 3
// cycles, those two apart). Minimum,
// maximum and comparison are decided in stage 1 and travel along. Where rows move in slices the request stays until its last beat and is answered
// 7 cycles after that: operands, multiply, align, add, count leading zeros, shift, round.
// Lanes outside tag.mask are not computed (in slices they are) and hold anything.
module fp32_unit #(
  parameter int unsigned Lanes = 16
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  output logic              req_soon_o,   // whole rows: ready in the next cycle
  input  sm_pkg::exec_req_t req_i,

  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,
  output sm_pkg::exec_rsp_t rsp_o,

  output logic              busy_o
);

  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes;
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Stages = sm_pkg::Fp32Stages;
  localparam int unsigned Add = Slices ? 2 : 1;  // which stage adds, normalises, rounds
  localparam int unsigned Normalise = Slices ? 4 : 1;
  localparam int unsigned Round = Stages - 1;
  localparam int unsigned Hold = (!Slices && Beats > 1) ? sm_pkg::RowLanes - Lanes : Lanes;

  logic              first, rest;
  logic [GroupW-1:0] group, made;  // whose lanes go in; come out
  logic [Stages-1:0] work;

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_soon_o  (req_soon_o),
    .twice_i     (1'b0),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (),
    .group_o     (group),
    .made_o      (made),
    .work_o      (work),
    .busy_o      (busy_o)
  );

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          tag;
  logic [7:0]            op;
  logic [17:0]           mod;
  logic [Lanes-1:0]      mask, p;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c;
  int unsigned           at;  // the beat's lanes in them
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
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

  // ---- what stage 1 does with this beat; in slices found out beside its operands ------------------------
  typedef struct packed {
    logic is_add;
    logic is_mul;
    logic xorsign_abs;
    logic flush;
    logic abs_a;
    logic neg_a;
    logic abs_b;
    logic neg_b;
    logic neg_c;
  } prepare_t;

  function automatic prepare_t prepare(input logic [7:0] x, input logic [17:0] m);
    prepare_t t;
    logic     is_compare;
    t.is_add = x == isa_pkg::OpFadd;
    t.is_mul = x == isa_pkg::OpFmul;
    is_compare = x == isa_pkg::OpFsetp;
    t.xorsign_abs = x == isa_pkg::OpFmnmx && m[isa_pkg::FMinMaxXorsignAbsLsb];
    t.abs_a = t.xorsign_abs || (t.is_add && m[isa_pkg::FAddAbsALsb]) || (is_compare && m[isa_pkg::FSetpAbsALsb]);
    t.abs_b = t.xorsign_abs || (t.is_add && m[isa_pkg::FAddAbsBLsb]) || (is_compare && m[isa_pkg::FSetpAbsBLsb]);
    t.neg_a = (t.is_add && m[isa_pkg::FAddNegALsb]) || (t.is_mul && m[isa_pkg::FMulNegLsb]) ||
              (x == isa_pkg::OpFfma && m[isa_pkg::FFmaNegPLsb]) || (is_compare && m[isa_pkg::FSetpNegALsb]);
    t.neg_b = (t.is_add && m[isa_pkg::FAddNegBLsb]) || (is_compare && m[isa_pkg::FSetpNegBLsb]);
    t.neg_c = x == isa_pkg::OpFfma && m[isa_pkg::FFmaNegCLsb];
    unique case (x)
      isa_pkg::OpFmnmx: t.flush = m[isa_pkg::FMinMaxFtzLsb];
      isa_pkg::OpFsetp: t.flush = m[isa_pkg::FSetpFtzLsb];
      default:          t.flush = m[isa_pkg::FAddFtzLsb];  // the same bit in FMUL and FFMA
    endcase
    return t;
  endfunction

  prepare_t         todo;
  logic [Lanes-1:0] p0_q;  // the predicate that comparisons combine with
  logic [31:0]      keep_a, flip_a, keep_b, flip_b, flip_c;
  if (Slices) begin : gen_prepare
    prepare_t todo_q;
    always_ff @(posedge clk_i) begin
      if (first || rest) todo_q <= prepare(req_i.op, req_i.mod);
      if (work[0]) p0_q <= p;
    end
    assign todo = todo_q;
  end else begin : gen_prepared
    always_comb begin
      todo = '0;
      if (work[0]) todo = prepare(op, mod);
    end
    assign p0_q = '0;
  end
  // abs clears the sign, neg flips it; a mask each for the whole beat.
  assign keep_a = {!todo.abs_a, 31'h7fffffff};
  assign keep_b = {!todo.abs_b, 31'h7fffffff};
  assign flip_a = {todo.neg_a, 31'd0};
  assign flip_b = {todo.neg_b, 31'd0};
  assign flip_c = {todo.neg_c, 31'd0};

  // ---- what goes with a beat: g_pass[k] holds it behind stage k + 1 ---------------------------------------
  typedef struct packed {
    logic [7:0]       op;
    logic [17:0]      mod;
    logic [Lanes-1:0] mask;
  } control_t;

  for (genvar k = 0; k < Stages - 1; k++) begin : g_pass
    control_t     control_q;
    sm_pkg::tag_t tag_q;
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (work[0]) begin
          control_q <= '{op: op, mod: mod, mask: mask};
          if (Slices || first) tag_q <= tag;
        end
      end
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          control_q <= g_pass[k-1].control_q;
          tag_q <= g_pass[k-1].tag_q;
        end
      end
    end
  end

  // And what is decided before the last stage: predicates; in slices the words of minimum, maximum, NaN and infinity
  // under a bit that says so.
  localparam int unsigned Decide = Slices ? 1 : 0;  // the stage that does
  logic [Lanes-1:0]       p1_q, q1_q;
  logic [Lanes-1:0][32:0] decided1_q;

  for (genvar k = Decide; k < Stages - 1; k++) begin : g_decided
    logic [Lanes-1:0]       p_q, q_q;
    logic [Lanes-1:0][32:0] word_q;
    if (k == Decide) begin : gen_first
      assign p_q = p1_q;
      assign q_q = q1_q;
      assign word_q = decided1_q;
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          p_q <= g_decided[k-1].p_q;
          q_q <= g_decided[k-1].q_q;
          if (Slices) word_q <= g_decided[k-1].word_q;
        end
      end
    end
  end

  // ---- stage 1: multiply, of whole rows also add; or minimum, maximum, comparison, which in slices take two stages
  logic [Lanes-1:0][63:0] product_q;
  logic [Lanes-1:0][31:0] addend_q;
  logic [Lanes-1:0][31:0] a_q, b_q;
  logic [Lanes-1:0][32:0] special_q;
  logic [Lanes-1:0]       signs_q;
  logic [Lanes-1:0][63:0] sum1_q;       // whole rows: of a product and its addend
  logic [Lanes-1:0][15:0] exponent1_q;
  fp32_pkg::order_t       order_q [Lanes];

  always_ff @(posedge clk_i) begin
    if (work[0]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || mask[lane]) begin
          logic [31:0] raw_a, raw_b, a, b, c, x, y;
          logic [63:0] sum;
          logic [9:0]  exponent;
          raw_a = fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane];
          raw_b = fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane];
          a = fp32_pkg::flush(todo.flush, (raw_a & keep_a) ^ flip_a);
          b = fp32_pkg::flush(todo.flush, (raw_b & keep_b) ^ flip_b);
          if (Slices) begin
            a_q[lane] <= a;
            b_q[lane] <= b;
            signs_q[lane] <= raw_a[31] ^ raw_b[31];
            order_q[lane] <= fp32_pkg::order(a, b);
          end
          if (Slices || (op != isa_pkg::OpFsetp && op != isa_pkg::OpFmnmx)) begin
            c = fp32_pkg::flush(todo.flush, (fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane]) ^ flip_c);
            // FADD: a * 1 + b. FMUL: a * b + a zero of the product's sign.
            x = todo.is_add ? fp32_pkg::One : b;
            y = todo.is_add ? b : todo.is_mul ? ((a ^ b) & 32'h80000000) : c;
            if (Slices) begin
              product_q[lane] <= fp32_pkg::fma_product(a, x);
              addend_q[lane] <= y;
              special_q[lane] <= fp32_pkg::fma_special(a, x, y);
            end else begin
              fp32_pkg::fma_add(fp32_pkg::fma_multiply(a, x, y), y, mod[1:0], sum, exponent);
              sum1_q[lane] <= sum;
              exponent1_q[lane] <= 16'(exponent);
            end
          end else if (op == isa_pkg::OpFmnmx) begin
            fp32_pkg::fma_add(fp32_pkg::decided(fp32_pkg::min_max(a, b, fp32_pkg::order(a, b), mod[isa_pkg::FMinMaxMaxLsb],
                                                                  mod[isa_pkg::FMinMaxNanLsb], todo.xorsign_abs,
                                                                  raw_a[31] ^ raw_b[31])), '0, mod[1:0], sum, exponent);
            sum1_q[lane] <= sum;
            exponent1_q[lane] <= 16'(exponent);
          end
        end
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (work[Decide]) begin
      logic [7:0]       x;
      logic [17:0]      m;
      logic [Lanes-1:0] holds, old_p;
      x = Slices ? g_pass[0].control_q.op : op;
      m = Slices ? g_pass[0].control_q.mod : mod;
      old_p = Slices ? p0_q : p;
      if (x == isa_pkg::OpFsetp) begin
        holds = '0;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices || mask[lane]) begin
            logic [31:0] a, b;
            a = fp32_pkg::flush(todo.flush, ((fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane]) & keep_a) ^ flip_a);
            b = fp32_pkg::flush(todo.flush, ((fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane]) & keep_b) ^ flip_b);
            holds[lane] = fp32_pkg::compare(Slices ? order_q[lane] : fp32_pkg::order(a, b),
                                            m[isa_pkg::FSetpCmpLsb+:isa_pkg::FSetpCmpWidth]);
          end
        end
        p1_q <= Lanes'(int_pkg::combine(m[isa_pkg::FSetpOpLsb+:2], 32'(holds), 32'(old_p)));
        q1_q <= Lanes'(int_pkg::combine(m[isa_pkg::FSetpOpLsb+:2], ~32'(holds), 32'(old_p)));
      end
      if (Slices) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          decided1_q[lane] <= special_q[lane];
          if (x == isa_pkg::OpFmnmx) begin
            decided1_q[lane] <= {1'b1, fp32_pkg::min_max(a_q[lane], b_q[lane], order_q[lane], m[isa_pkg::FMinMaxMaxLsb],
                                                         m[isa_pkg::FMinMaxNanLsb], m[isa_pkg::FMinMaxXorsignAbsLsb],
                                                         signs_q[lane])};
          end
        end
      end
    end
  end

  // ---- in slices: align and add in two stages --------------------------------------------------------------
  logic [Lanes-1:0][53:0] fixed_q, moved_q;
  fp32_pkg::align_t       align_q [Lanes];

  if (Slices) begin : gen_align
    always_ff @(posedge clk_i) begin
      if (work[Add-1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic [53:0]      fixed, moved;
          fp32_pkg::align_t align;
          fp32_pkg::fma_align(product_q[lane], addend_q[lane], fixed, moved, align.subtract, align.sign, align.larger);
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
  logic [Lanes-1:0][15:0] exponent_q;  // and whether the sum is negative; whether it is a difference

  always_ff @(posedge clk_i) begin
    if (Slices && work[Add]) begin
      control_t control;
      control = g_pass[Add-1].control_q;
      if (control.op != isa_pkg::OpFsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic [63:0] sum;
          logic [9:0]  exponent;
          fp32_pkg::fma_sum(fixed_q[lane], moved_q[lane], align_q[lane].subtract, align_q[lane].sign, align_q[lane].larger, sum,
                            exponent);
          sum_q[lane] <= sum;
          exponent_q[lane] <= {5'd0, align_q[lane].subtract, exponent};
        end
      end
    end
  end

  // ---- in slices: normalise in two stages ------------------------------------------------------------------
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
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          counted_q[lane][63] <= fp32_pkg::fma_sign(sum_q[lane], exponent_q[lane][10], g_pass[Normalise-2].control_q.mod[1:0]);
        end
        counted_exponent_q <= exponent_q;
      end
    end
  end else begin : gen_count_and_shift
    assign {counted_q, counted_exponent_q, shift_q} = '0;
  end

  logic [Lanes-1:0][63:0] normal_q;

  always_ff @(posedge clk_i) begin
    if (Normalise != Round && work[Normalise]) begin
      control_t control;
      control = g_pass[Normalise-1].control_q;
      if (control.op != isa_pkg::OpFsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices) normal_q[lane] <= fp32_pkg::fma_shift(counted_q[lane], counted_exponent_q[lane][9:0], shift_q[lane]);
          else if (control.mask[lane]) normal_q[lane] <= fp32_pkg::fma_normalise(sum1_q[lane], exponent1_q[lane][9:0]);
        end
      end
    end
  end

  // ---- last stage: round into the response row ------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[Round]) begin
      control_t               control;
      logic                   rounded;  // an operation that rounds: FMNMX has other modifiers in these places
      logic [Lanes-1:0][31:0] d;
      control = g_pass[Round-1].control_q;
      rounded = control.op != isa_pkg::OpFmnmx;
      if (control.op == isa_pkg::OpFsetp) begin
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            rsp_q.p[g*Lanes+:Lanes] <= g_decided[Round-1].p_q;
            rsp_q.q[g*Lanes+:Lanes] <= g_decided[Round-1].q_q;
          end
        end
      end else begin
        d = 'x;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (Slices || control.mask[lane]) begin
            logic [32:0] decided;
            logic [63:0] normal;
            normal = Normalise != Round ? normal_q[lane] : fp32_pkg::fma_normalise(sum1_q[lane], exponent1_q[lane][9:0]);
            decided = Slices ? g_decided[Round-1].word_q[lane] : {normal[63], normal[31:0]};
            d[lane] = fp32_pkg::fma_round(normal[35:0], decided[32], decided[31:0], control.mod[1:0],
                                          control.mod[isa_pkg::FAddFtzLsb], rounded && control.mod[isa_pkg::FAddSatLsb]);
          end
        end
        for (int unsigned g = 0; g < Beats; g++) if (made == GroupW'(g)) rsp_q.d[g*Lanes+:Lanes] <= d;
      end
      rsp_q.tag <= g_pass[Round-1].tag_q;
      rsp_q.we <= control.op != isa_pkg::OpFsetp;
      rsp_q.wide <= 1'b0;
      rsp_q.index <= '0;
      rsp_q.last <= g_pass[Round-1].tag_q.slice == sm_pkg::LastSlice;
      rsp_q.p_we <= control.op == isa_pkg::OpFsetp;
    end
  end

endmodule
