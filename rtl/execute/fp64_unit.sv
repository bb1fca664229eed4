// SPDX-License-Identifier: Apache-2.0
// FP64 lanes of a sub-partition: DADD, DMUL, DFMA, DMNMX, DSETP, I2D, I2D.64, D2I, D2I.64, DRND with Lanes lanes in seven
// stages: multiply, place, align, add, count, shift, round (fp64_pkg).
//
//   DFMA R4, R6, R8, R10 with 8 lanes: four beats; the response is valid in cycle 10 with all 32 lanes
//
// Latency from acceptance to the response is 6 + RowLanes / Lanes cycles. Where rows move in slices the request stays until
// its last beat and is answered 8 cycles after that. Predicates of a comparison are known after stage 2 and travel along.
// Lanes outside tag.mask are not computed and hold anything, so does d_hi of 32-bit results.
module fp64_unit #(
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
  localparam int unsigned Stages = 7;
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

  function automatic fp64_pkg::kind_e kind_of(input logic [7:0] x);
    unique case (x)
      isa_pkg::OpDadd, isa_pkg::OpDmul, isa_pkg::OpDfma: return fp64_pkg::Fma;
      isa_pkg::OpDmnmx:                                  return fp64_pkg::MinMax;
      isa_pkg::OpDsetp:                                  return fp64_pkg::Compare;
      isa_pkg::OpI2d, isa_pkg::OpI642d:                  return fp64_pkg::FromInt;
      isa_pkg::OpD2i, isa_pkg::OpD2i64:                  return fp64_pkg::ToInt;
      default:                                           return fp64_pkg::ToIntegral;
    endcase
  endfunction

  // A word of registers: unpacked arrays of structs would cost a simulator time every cycle.
  function automatic fp64_pkg::placed_t placed_of(input logic [31:0] x);
    return fp64_pkg::placed_t'(x[$bits(fp64_pkg::placed_t)-1:0]);
  endfunction

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          tag;
  logic [7:0]            op;
  logic [17:0]           mod;
  logic [Lanes-1:0]      mask, p;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c, hold_a_hi, hold_b_hi, hold_c_hi;
  int unsigned           at;  // the beat's lanes in them
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (1'b1),
    .reads_c_i    (op == isa_pkg::OpDfma),
    .reads_hi_i   (1'b1),
    .reads_c_hi_i (op == isa_pkg::OpDfma),
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
    .a_hi_o       (hold_a_hi),
    .b_hi_o       (hold_b_hi),
    .c_hi_o       (hold_c_hi)
  );

  // ---- what goes with a beat: g_pass[k] holds it behind stage k + 1 ---------------------------------------
  typedef struct packed {
    logic [7:0]       op;
    logic [17:0]      mod;
    logic [Lanes-1:0] mask;
    logic [Lanes-1:0] p;  // behind stage 1 what a comparison combines with, behind later ones what it gives
    logic [Lanes-1:0] q;
  } control_t;

  logic [Lanes-1:0] p1_q, q1_q;  // what a comparison gives, behind stage 2
  for (genvar k = 0; k < int'(Stages) - 1; k++) begin : g_pass
    control_t     control_q;
    sm_pkg::tag_t tag_q;
    if (k == 0) begin : gen_first
      always_ff @(posedge clk_i) begin
        if (work[0]) begin
          control_q <= '{op: op, mod: mod, mask: mask, p: p, q: '0};
          if (Slices || first) tag_q <= tag;
        end
      end
    end else begin : gen_later
      always_ff @(posedge clk_i) begin
        if (work[k]) begin
          control_q <= g_pass[k-1].control_q;
          if (k == 2) {control_q.p, control_q.q} <= {p1_q, q1_q};
          tag_q <= g_pass[k-1].tag_q;
        end
      end
    end
  end

  // ---- multiply ------------------------------------------------------------------------------------------
  // DADD: a * 1 + b. DMUL: a * b + a zero of the product's sign.
  logic [Lanes-1:0][63:0] x_q, y_q, z_q, low_q, cross_x_q, cross_y_q, high_q;
  logic [Lanes-1:0][31:0] measured_q;  // fp64_pkg::measured_t

  always_ff @(posedge clk_i) begin
    if (work[0]) begin
      fp64_pkg::kind_e kind;
      logic            is_add, is_mul, is_fma, is_compare;
      logic            abs_a, neg_a, abs_b, neg_b, neg_c;
      kind = kind_of(op);
      is_add = op == isa_pkg::OpDadd;
      is_mul = op == isa_pkg::OpDmul;
      is_fma = op == isa_pkg::OpDfma;
      is_compare = op == isa_pkg::OpDsetp;
      abs_a = (is_add && mod[isa_pkg::DAddAbsALsb]) || (is_compare && mod[isa_pkg::DSetpAbsALsb]);
      abs_b = (is_add && mod[isa_pkg::DAddAbsBLsb]) || (is_compare && mod[isa_pkg::DSetpAbsBLsb]);
      neg_a = (is_add && mod[isa_pkg::DAddNegALsb]) || (is_mul && mod[isa_pkg::DMulNegLsb]) ||
              (is_fma && mod[isa_pkg::DFmaNegPLsb]) || (is_compare && mod[isa_pkg::DSetpNegALsb]);
      neg_b = (is_add && mod[isa_pkg::DAddNegBLsb]) || (is_compare && mod[isa_pkg::DSetpNegBLsb]);
      neg_c = is_fma && mod[isa_pkg::DFmaNegCLsb];
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask[lane]) begin
          logic [63:0] a, b, c, x, y, z, low, cross_x, cross_y, high;
          logic        sign_a, sign_b, sign_c;
          b = fresh ? {req_i.row[sm_pkg::BHi][lane], req_i.row[sm_pkg::B][lane]} : {hold_b_hi[at+lane], hold_b[at+lane]};
          sign_b = b[63];
          b[63] = (sign_b && !abs_b) ^ neg_b;
          a = fresh ? {req_i.row[sm_pkg::AHi][lane], req_i.row[sm_pkg::A][lane]} : {hold_a_hi[at+lane], hold_a[at+lane]};
          sign_a = a[63];
          a[63] = (sign_a && !abs_a) ^ neg_a;
          x = a;
          y = is_add ? fp64_pkg::One : b;
          z = {a[63] ^ b[63], 63'd0};
          sign_c = sign_b;
          if (is_add) z = b;
          if (is_fma) begin
            c = fresh ? {req_i.row[sm_pkg::CHi][lane], req_i.row[sm_pkg::C][lane]} : {hold_c_hi[at+lane], hold_c[at+lane]};
            sign_c = c[63];
            z = {c[63] ^ neg_c, c[62:0]};
          end
          if (kind == fp64_pkg::Fma) begin
            fp64_pkg::multiply(x, y, low, cross_x, cross_y, high);
            low_q[lane] <= low;
            cross_x_q[lane] <= cross_x;
            cross_y_q[lane] <= cross_y;
            high_q[lane] <= high;
          end
          x_q[lane] <= x;
          y_q[lane] <= y;
          z_q[lane] <= z;
          measured_q[lane] <= 32'(fp64_pkg::measure(kind, x, y, {sign_a, sign_b, sign_c}));
        end
      end
    end
  end

  // ---- place ---------------------------------------------------------------------------------------------
  logic [Lanes-1:0][127:0] product_q;
  logic [Lanes-1:0][63:0]  value_q;
  logic [Lanes-1:0][31:0]  placed_q;  // fp64_pkg::placed_t, on through the stages

  always_ff @(posedge clk_i) begin
    if (work[1]) begin
      control_t         control;
      fp64_pkg::kind_e  kind;
      logic [Lanes-1:0] holds;
      control = g_pass[0].control_q;
      kind = kind_of(control.op);
      holds = '0;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (control.mask[lane]) begin
          fp64_pkg::measured_t measured;
          fp64_pkg::placed_t   placed;
          fp64_pkg::window_t   product;
          logic [63:0]         value, addend;
          measured = fp64_pkg::measured_t'(measured_q[lane][$bits(fp64_pkg::measured_t)-1:0]);
          placed = '0;
          placed.decided = 1'b1;
          product = '0;
          value = y_q[lane];
          unique case (kind)
            fp64_pkg::Fma: begin
              fp64_pkg::place_sum(x_q[lane], y_q[lane], z_q[lane], measured, placed, value);
              if (!placed.decided)
                fp64_pkg::add_parts(low_q[lane], cross_x_q[lane], cross_y_q[lane], high_q[lane], product);
            end
            fp64_pkg::MinMax:
              value = fp64_pkg::min_max(x_q[lane], y_q[lane], measured, control.mod[isa_pkg::DMinMaxMaxLsb]);
            fp64_pkg::Compare:
              holds[lane] = fp64_pkg::compare(x_q[lane], y_q[lane], measured,
                                              control.mod[isa_pkg::DSetpCmpLsb+:isa_pkg::DSetpCmpWidth]);
            fp64_pkg::FromInt:
              fp64_pkg::place_int(control.op == isa_pkg::OpI642d, control.mod[isa_pkg::I2FSignLsb], y_q[lane], placed, value);
            fp64_pkg::ToInt: placed = fp64_pkg::place_float(y_q[lane]);
            default: begin
              fp64_pkg::place_integral(y_q[lane], control.mod[1:0], control.mod[isa_pkg::DRndIntegralLsb], value, addend);
              product = {64'd0, addend};
            end
          endcase
          product_q[lane] <= product;
          value_q[lane] <= value;
          placed_q[lane] <= 32'(placed);
        end
      end
      if (kind == fp64_pkg::Compare) begin
        p1_q <= Lanes'(int_pkg::combine(control.mod[isa_pkg::DSetpOpLsb+:2], 32'(holds), 32'(control.p)));
        q1_q <= Lanes'(int_pkg::combine(control.mod[isa_pkg::DSetpOpLsb+:2], ~32'(holds), 32'(control.p)));
      end
    end
  end

  // ---- align ---------------------------------------------------------------------------------------------
  logic [Lanes-1:0][127:0] fixed_q, moved_q;
  logic [Lanes-1:0][31:0]  aligned_q;

  always_ff @(posedge clk_i) begin
    if (work[2]) begin
      control_t control;
      control = g_pass[1].control_q;
      if (control.op != isa_pkg::OpDsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane]) begin
            fp64_pkg::window_t fixed, moved;
            fp64_pkg::align(product_q[lane], value_q[lane], placed_of(placed_q[lane]), kind_of(control.op) == fp64_pkg::FromInt,
                            fixed, moved);
            fixed_q[lane] <= fixed;
            moved_q[lane] <= moved;
            aligned_q[lane] <= placed_q[lane];
          end
        end
      end
    end
  end

  // ---- add -----------------------------------------------------------------------------------------------
  logic [Lanes-1:0][127:0] sum_q;
  logic [Lanes-1:0][31:0]  added_q;

  always_ff @(posedge clk_i) begin
    if (work[3]) begin
      control_t control;
      control = g_pass[2].control_q;
      if (control.op != isa_pkg::OpDsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane]) begin
            fp64_pkg::window_t sum;
            fp64_pkg::placed_t added;
            fp64_pkg::add(fixed_q[lane], moved_q[lane], control.mod[1:0], placed_of(aligned_q[lane]), sum, added);
            sum_q[lane] <= sum;
            added_q[lane] <= 32'(added);
          end
        end
      end
    end
  end

  // ---- count ---------------------------------------------------------------------------------------------
  logic [Lanes-1:0][127:0] counted_q;
  logic [Lanes-1:0][7:0]   by_q;
  logic [Lanes-1:0][31:0]  noted_q;

  always_ff @(posedge clk_i) begin
    if (work[4]) begin
      control_t control;
      control = g_pass[3].control_q;
      if (control.op != isa_pkg::OpDsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane]) begin
            fp64_pkg::placed_t added;
            added = placed_of(added_q[lane]);
            if (kind_of(control.op) == fp64_pkg::ToInt)
              counted_q[lane] <= {64'd0, sum_q[lane][108:45] + {63'd0, added.away}};
            else
              counted_q[lane] <= sum_q[lane];
            by_q[lane] <= 8'(fp64_pkg::count(sum_q[lane], added));
            noted_q[lane] <= added_q[lane];
          end
        end
      end
    end
  end

  // ---- shift ---------------------------------------------------------------------------------------------
  logic [Lanes-1:0][63:0] word_q;
  logic [Lanes-1:0][7:0]  tail_q;  // fp64_pkg::tail_t

  always_ff @(posedge clk_i) begin
    if (work[5]) begin
      control_t control;
      control = g_pass[4].control_q;
      if (control.op != isa_pkg::OpDsetp) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane]) begin
            logic [63:0]     word;
            fp64_pkg::tail_t tail;
            if (kind_of(control.op) == fp64_pkg::ToInt) begin
              word = fp64_pkg::clamp(counted_q[lane][63:0], placed_of(noted_q[lane]), control.op == isa_pkg::OpD2i64,
                                     control.mod[isa_pkg::D2ISignLsb], control.mod[isa_pkg::D2IWidthLsb+:2]);
              tail = '{decided: 1'b1, default: 1'b0};
            end else begin
              fp64_pkg::shift(counted_q[lane], placed_of(noted_q[lane]), by_q[lane][6:0], word, tail);
            end
            word_q[lane] <= word;
            tail_q[lane] <= 8'(tail);
          end
        end
      end
    end
  end

  // ---- round into the response row -----------------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[6]) begin
      control_t               control;
      logic [Lanes-1:0][31:0] d, d_hi;
      control = g_pass[5].control_q;
      if (control.op == isa_pkg::OpDsetp) begin
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            rsp_q.p[g*Lanes+:Lanes] <= g_pass[5].control_q.p;
            rsp_q.q[g*Lanes+:Lanes] <= g_pass[5].control_q.q;
          end
        end
      end else begin
        d = 'x;
        d_hi = 'x;
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane]) begin
            {d_hi[lane], d[lane]} = fp64_pkg::round(word_q[lane], fp64_pkg::tail_t'(tail_q[lane][3:0]), control.mod[1:0],
                                                    control.op == isa_pkg::OpDrnd && control.mod[isa_pkg::DRndSatLsb]);
          end
        end
        for (int unsigned g = 0; g < Beats; g++) begin
          if (made == GroupW'(g)) begin
            rsp_q.d[g*Lanes+:Lanes] <= d;
            rsp_q.d_hi[g*Lanes+:Lanes] <= d_hi;
          end
        end
      end
      rsp_q.tag <= g_pass[5].tag_q;
      rsp_q.we <= control.op != isa_pkg::OpDsetp;
      rsp_q.wide <= control.op != isa_pkg::OpD2i && control.op != isa_pkg::OpDsetp;
      rsp_q.p_we <= control.op == isa_pkg::OpDsetp;
    end
  end

endmodule
