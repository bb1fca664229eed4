// SPDX-License-Identifier: Apache-2.0
// FP16 lanes of a sub-partition: HADD2, HMUL2, HFMA2, HMNMX2, HSETP2 on two f16 or bf16 numbers a lane, in four stages:
// multiply, add, normalise, round (fp16_pkg).
//
//   HFMA2 R4, R1, R2, R3 with 16 lanes: lanes 0-15 enter in cycle 0, lanes 16-31 in cycle 1; the response is valid in
//   cycle 5 with all 32 lanes, 64 results. A new instruction may enter every second cycle.
//
// Latency from acceptance to the response is 3 + RowLanes / Lanes cycles. Where rows move in slices the request stays until
// its last beat and is answered 5 cycles after that. Lanes outside tag.mask are not computed and hold anything.
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
  localparam int unsigned Stages = 4;
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

  // ---- what goes with a beat: g_pass[k] holds it behind stage k + 1 ---------------------------------------
  typedef struct packed {
    logic             compares;
    logic             bf16;
    logic             ftz;
    logic             sat;
    logic             relu;
    logic [Lanes-1:0] mask;
  } control_t;

  // Modifiers are in the same places in all that round; the others have other fields there.
  control_t control;
  always_comb begin
    control = '0;
    if (work[0]) begin
      control = '{compares: op == isa_pkg::OpHsetp2,
                  bf16: op == isa_pkg::OpHsetp2 ? mod[isa_pkg::HSetpBf16Lsb] : mod[isa_pkg::HAddBf16Lsb],
                  ftz: op == isa_pkg::OpHsetp2 ? mod[isa_pkg::HSetpFtzLsb] : mod[isa_pkg::HAddFtzLsb],
                  sat: op != isa_pkg::OpHmnmx2 && mod[isa_pkg::HAddSatLsb],
                  relu: op != isa_pkg::OpHmnmx2 && op != isa_pkg::OpHadd2 && mod[isa_pkg::HFmaReluLsb],
                  mask: mask};
    end
  end

  logic [Lanes-1:0] p1_q, q1_q;  // what a comparison gives, behind stage 1
  for (genvar k = 0; k < int'(Stages) - 1; k++) begin : g_pass
    control_t         control_q;
    sm_pkg::tag_t     tag_q;
    logic [Lanes-1:0] p_q, q_q;
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (work[0]) begin
          control_q <= control;
          if (Slices || first) tag_q <= tag;
        end
      end
      assign {p_q, q_q} = {p1_q, q1_q};
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          control_q <= g_pass[k-1].control_q;
          tag_q <= g_pass[k-1].tag_q;
          {p_q, q_q} <= {g_pass[k-1].p_q, g_pass[k-1].q_q};
        end
      end
    end
  end

  // A word a number: unpacked arrays of structs would cost a simulator time every cycle. Numbers 2 n and 2 n + 1 are lane n's.
  localparam int unsigned Numbers = 2 * Lanes;

  // ---- multiply; or minimum, maximum, comparison -----------------------------------------------------------
  logic [Numbers-1:0][63:0] product_q;  // fp16_pkg::product_t
  logic [Numbers-1:0][15:0] addend_q;

  function automatic logic [15:0] sign_of(input logic [15:0] x, input logic abs, input logic neg);
    return {(x[15] && !abs) ^ neg, x[14:0]};
  endfunction

  always_ff @(posedge clk_i) begin
    if (work[0]) begin
      logic           is_add, is_mul, is_min_max, xorsign_abs, abs_a, neg_a, neg_b, max, nan;
      logic [Lanes-1:0] low, high;
      is_add = op == isa_pkg::OpHadd2;
      is_mul = op == isa_pkg::OpHmul2;
      is_min_max = op == isa_pkg::OpHmnmx2;
      xorsign_abs = is_min_max && mod[isa_pkg::HMinMaxXorsignAbsLsb];
      max = mod[isa_pkg::HMinMaxMaxLsb];
      nan = mod[isa_pkg::HMinMaxNanLsb];
      abs_a = xorsign_abs || (is_add && mod[isa_pkg::HAddAbsALsb]);
      neg_a = is_add && mod[isa_pkg::HAddNegALsb];
      neg_b = is_add && mod[isa_pkg::HAddNegBLsb];
      low = '0;
      high = '0;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask[lane]) begin
          logic [31:0] row_a, row_b, row_c;
          row_a = fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane];
          row_b = fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane];
          row_c = fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane];
          for (int unsigned half = 0; half < 2; half++) begin
            logic [15:0] raw_a, raw_b, a, b, c;
            raw_a = half == 0 ? row_a[15:0] : row_a[31:16];
            raw_b = half == 0 ? row_b[15:0] : row_b[31:16];
            c = half == 0 ? row_c[15:0] : row_c[31:16];
            a = fp16_pkg::flush(control.bf16, control.ftz, sign_of(raw_a, abs_a, neg_a));
            b = fp16_pkg::flush(control.bf16, control.ftz, sign_of(raw_b, xorsign_abs, neg_b));
            // HADD2: a * 1 + b. HMUL2: a * b + a zero of the product's sign.
            c = is_add ? b : is_mul ? {a[15] ^ b[15], 15'd0} : fp16_pkg::flush(control.bf16, control.ftz, c);
            if (control.compares) begin
              logic holds;
              holds = fp32_pkg::compare(fp16_pkg::order(control.bf16, a, b), mod[isa_pkg::HSetpCmpLsb+:4]);
              if (half == 0) low[lane] = holds;
              else high[lane] = holds;
            end else begin
              fp16_pkg::product_t product;
              if (is_min_max)
                product = fp16_pkg::decided(fp16_pkg::min_max(control.bf16, a, b, max, nan, xorsign_abs, raw_a[15] ^ raw_b[15]));
              else product = fp16_pkg::multiply(control.bf16, a, is_add ? fp16_pkg::one(control.bf16) : b, c);
              product_q[2*lane+half] <= 64'(product);
              addend_q[2*lane+half] <= c;
            end
          end
        end
      end
      if (control.compares) begin
        p1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::HSetpOpLsb+:2], 32'(low), 32'(p)));
        q1_q <= Lanes'(int_pkg::combine(mod[isa_pkg::HSetpOpLsb+:2], mod[isa_pkg::HSetpBothLsb] ? 32'(high) : ~32'(low), 32'(p)));
      end
    end
  end

  // ---- add -----------------------------------------------------------------------------------------------
  logic [Numbers-1:0][63:0] sum_q;  // fp16_pkg::sum_t

  always_ff @(posedge clk_i) begin
    if (work[1] && !g_pass[0].control_q.compares) begin
      for (int unsigned n = 0; n < Numbers; n++) begin
        if (g_pass[0].control_q.mask[n/2])
          sum_q[n] <= 64'(fp16_pkg::add(g_pass[0].control_q.bf16,
                                        fp16_pkg::product_t'(product_q[n][$bits(fp16_pkg::product_t)-1:0]), addend_q[n]));
      end
    end
  end

  // ---- normalise -----------------------------------------------------------------------------------------
  logic [Numbers-1:0][31:0] normal_q;  // fp16_pkg::normal_t

  always_ff @(posedge clk_i) begin
    if (work[2] && !g_pass[1].control_q.compares) begin
      for (int unsigned n = 0; n < Numbers; n++) begin
        if (g_pass[1].control_q.mask[n/2])
          normal_q[n] <= 32'(fp16_pkg::normalise(g_pass[1].control_q.bf16,
                                                 fp16_pkg::sum_t'(sum_q[n][$bits(fp16_pkg::sum_t)-1:0])));
      end
    end
  end

  // ---- round into the response row -----------------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[3]) begin
      control_t               done;
      logic [Lanes-1:0][31:0] d;
      done = g_pass[2].control_q;
      if (done.compares) begin
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            rsp_q.p[g*Lanes+:Lanes] <= g_pass[2].p_q;
            rsp_q.q[g*Lanes+:Lanes] <= g_pass[2].q_q;
          end
        end
      end else begin
        d = 'x;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (done.mask[lane]) begin
            logic [15:0] low, high;
            low = fp16_pkg::round(done.bf16, fp16_pkg::normal_t'(normal_q[2*lane][$bits(fp16_pkg::normal_t)-1:0]), done.ftz,
                                  done.sat, done.relu);
            high = fp16_pkg::round(done.bf16, fp16_pkg::normal_t'(normal_q[2*lane+1][$bits(fp16_pkg::normal_t)-1:0]), done.ftz,
                                   done.sat, done.relu);
            d[lane] = {high, low};
          end
        end
        for (int unsigned g = 0; g < Beats; g++) if (made == GroupW'(g)) rsp_q.d[g*Lanes+:Lanes] <= d;
      end
      rsp_q.tag <= g_pass[2].tag_q;
      rsp_q.we <= !done.compares;
      rsp_q.wide <= 1'b0;
      rsp_q.p_we <= done.compares;
    end
  end

endmodule
