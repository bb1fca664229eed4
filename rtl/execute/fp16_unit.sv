// SPDX-License-Identifier: Apache-2.0
// FP16 lanes of a sub-partition: HADD2, HMUL2, HFMA2, HMNMX2, HSETP2 on two f16 or bf16 numbers a lane, in four steps:
// multiply, add, normalise, round (fp16_pkg). Rows that move whole take them in two stages, as in fp32_unit: multiply and
// add; normalise and round. Rows that move in slices have a stage for each.
//
//   HFMA2 R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response is valid in
//   cycle 3 with all 32 lanes, 64 results. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 1 + RowLanes / Lanes cycles. Where rows move in slices the request stays until
// its last beat and is answered 5 cycles after that. Minimum, maximum and comparison are decided in stage 1 and travel along.
// Lanes outside tag.mask are not computed and hold anything.
module fp16_unit #(
  parameter int unsigned Lanes = 1
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
  localparam int unsigned Stages = sm_pkg::Fp16Stages;
  // Which stage takes a step. Registers stand between two steps of different stages.
  localparam int unsigned Multiply = 0;
  localparam int unsigned Add = Slices ? 1 : 0;
  localparam int unsigned Normalise = Slices ? 2 : 1;
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
    .reads_c_i    (op == isa_pkg::OpHfma2),
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

  // What goes with a beat.
  typedef struct packed {
    logic             compares;
    logic             bf16;
    logic             ftz;
    logic             sat;
    logic             relu;
    logic [Lanes-1:0] mask;
    logic [Lanes-1:0] p;  // what a comparison combines with; from stage 1 on what it gives
    logic [Lanes-1:0] q;
  } control_t;

  // Modifiers are in the same places in all that round; the others have other fields there.
  function automatic control_t control_of(input logic [7:0] x, input logic [17:0] m, input logic [Lanes-1:0] lanes,
                                          input logic [Lanes-1:0] predicates);
    logic compares;
    compares = x == isa_pkg::OpHsetp2;
    return '{compares: compares,
             bf16: compares ? m[isa_pkg::HSetpBf16Lsb] : m[isa_pkg::HAddBf16Lsb],
             ftz: compares ? m[isa_pkg::HSetpFtzLsb] : m[isa_pkg::HAddFtzLsb],
             sat: x != isa_pkg::OpHmnmx2 && m[isa_pkg::HAddSatLsb],
             relu: x != isa_pkg::OpHmnmx2 && x != isa_pkg::OpHadd2 && m[isa_pkg::HFmaReluLsb],
             mask: lanes,
             p: predicates,
             q: '0};
  endfunction

  function automatic logic [15:0] sign_of(input logic [15:0] x, input logic abs, input logic neg);
    return {(x[15] && !abs) ^ neg, x[14:0]};
  endfunction

  // A word a number: unpacked arrays of structs would cost a simulator time every cycle. Numbers 2 n and 2 n + 1 are lane n's.
  localparam int unsigned Numbers = 2 * Lanes;

  // ---- g_stage[k] takes the steps of stage k and has the registers behind it ---------------------------------
  for (genvar k = 0; k < int'(Stages); k++) begin : g_stage
    localparam int unsigned From = k == 0 ? 0 : k - 1;  // the stage before

    control_t                 control_q;
    sm_pkg::tag_t             tag_q;
    logic [Numbers-1:0][63:0] product_q;  // multiplied: fp16_pkg::product_t
    logic [Numbers-1:0][15:0] addend_q;
    logic [Numbers-1:0][63:0] sum_q;      // added: fp16_pkg::sum_t
    logic [Numbers-1:0][31:0] normal_q;   // normalised: fp16_pkg::normal_t
    sm_pkg::exec_rsp_t        rsp_q;      // rounded

    always_ff @(posedge clk_i) begin
      if (work[k]) begin
        control_t               control;
        logic                   is_add, is_mul, is_min_max, xorsign_abs, abs_a, neg_a, neg_b, max, nan;
        logic [Lanes-1:0]       low, high;
        logic [Lanes-1:0][31:0] d;
        if (k == 0) control = control_of(op, mod, mask, p);
        else control = g_stage[From].control_q;
        if (k == int'(Multiply)) begin
          is_add = op == isa_pkg::OpHadd2;
          is_mul = op == isa_pkg::OpHmul2;
          is_min_max = op == isa_pkg::OpHmnmx2;
          xorsign_abs = is_min_max && mod[isa_pkg::HMinMaxXorsignAbsLsb];
          max = mod[isa_pkg::HMinMaxMaxLsb];
          nan = mod[isa_pkg::HMinMaxNanLsb];
          abs_a = xorsign_abs || (is_add && mod[isa_pkg::HAddAbsALsb]);
          neg_a = is_add && mod[isa_pkg::HAddNegALsb];
          neg_b = is_add && mod[isa_pkg::HAddNegBLsb];
        end
        low = '0;
        high = '0;
        d = 'x;

        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane] && (k == int'(Multiply) || !control.compares)) begin
            logic [31:0] row_a, row_b, row_c, row_d;
            if (k == int'(Multiply)) begin
              row_a = fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane];
              row_b = fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane];
              row_c = fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane];
            end
            row_d = '0;
            for (int unsigned half = 0; half < 2; half++) begin
              logic [15:0]        raw_a, raw_b, a, b, c;
              logic               holds;
              fp16_pkg::product_t product;
              fp16_pkg::sum_t     sum;
              fp16_pkg::normal_t  normal;

              // HADD2: a * 1 + b. HMUL2: a * b + a zero of the product's sign.
              if (k == int'(Multiply)) begin
                raw_a = half == 0 ? row_a[15:0] : row_a[31:16];
                raw_b = half == 0 ? row_b[15:0] : row_b[31:16];
                c = half == 0 ? row_c[15:0] : row_c[31:16];
                a = fp16_pkg::flush(control.bf16, control.ftz, sign_of(raw_a, abs_a, neg_a));
                b = fp16_pkg::flush(control.bf16, control.ftz, sign_of(raw_b, xorsign_abs, neg_b));
                c = is_add ? b : is_mul ? {a[15] ^ b[15], 15'd0} : fp16_pkg::flush(control.bf16, control.ftz, c);
                if (control.compares) begin
                  holds = fp32_pkg::compare(fp16_pkg::order(control.bf16, a, b), mod[isa_pkg::HSetpCmpLsb+:4]);
                  if (half == 0) low[lane] = holds;
                  else high[lane] = holds;
                end else if (is_min_max) begin
                  product = fp16_pkg::decided(fp16_pkg::min_max(control.bf16, a, b, max, nan, xorsign_abs,
                                                                raw_a[15] ^ raw_b[15]));
                end else begin
                  product = fp16_pkg::multiply(control.bf16, a, is_add ? fp16_pkg::one(control.bf16) : b, c);
                end
                if (Multiply != Add && !control.compares) begin
                  product_q[2*lane+half] <= 64'(product);
                  addend_q[2*lane+half] <= c;
                end
              end

              if (k == int'(Add) && !control.compares) begin
                if (Multiply != Add) begin
                  product = fp16_pkg::product_t'(g_stage[From].product_q[2*lane+half][$bits(fp16_pkg::product_t)-1:0]);
                  c = g_stage[From].addend_q[2*lane+half];
                end
                sum = fp16_pkg::add(control.bf16, product, c);
                if (Add != Normalise) sum_q[2*lane+half] <= 64'(sum);
              end

              if (k == int'(Normalise)) begin
                if (Add != Normalise) sum = fp16_pkg::sum_t'(g_stage[From].sum_q[2*lane+half][$bits(fp16_pkg::sum_t)-1:0]);
                normal = fp16_pkg::normalise(control.bf16, sum);
                if (Normalise != Round) normal_q[2*lane+half] <= 32'(normal);
              end

              if (k == int'(Round)) begin
                if (Normalise != Round)
                  normal = fp16_pkg::normal_t'(g_stage[From].normal_q[2*lane+half][$bits(fp16_pkg::normal_t)-1:0]);
                row_d[16*half+:16] = fp16_pkg::round(control.bf16, normal, control.ftz, control.sat, control.relu);
              end
            end
            d[lane] = row_d;
          end
        end

        if (k < int'(Round)) begin
          control_q <= control;
          if (k == int'(Multiply) && control.compares) begin
            control_q.p <= Lanes'(int_pkg::combine(mod[isa_pkg::HSetpOpLsb+:2], 32'(low), 32'(control.p)));
            control_q.q <= Lanes'(int_pkg::combine(mod[isa_pkg::HSetpOpLsb+:2],
                                                   mod[isa_pkg::HSetpBothLsb] ? 32'(high) : ~32'(low), 32'(control.p)));
          end
          if (k > 0) tag_q <= g_stage[From].tag_q;
          else if (Slices || first) tag_q <= tag;
        end else begin
          for (int unsigned g = 0; g < Beats; g++) begin
            if (made == GroupW'(g) && control.compares) begin
              rsp_q.p[g*Lanes+:Lanes] <= control.p;
              rsp_q.q[g*Lanes+:Lanes] <= control.q;
            end else if (made == GroupW'(g)) begin
              rsp_q.d[g*Lanes+:Lanes] <= d;
            end
          end
          rsp_q.tag <= g_stage[From].tag_q;
          rsp_q.we <= !control.compares;
          rsp_q.wide <= 1'b0;
          rsp_q.index <= '0;
          rsp_q.last <= g_stage[From].tag_q.slice == sm_pkg::LastSlice;
          rsp_q.p_we <= control.compares;
        end
      end
    end
  end

  assign rsp_o = g_stage[Round].rsp_q;

endmodule
