// SPDX-License-Identifier: Apache-2.0
// FP64 lanes of a sub-partition: DADD, DMUL, DFMA, DMNMX, DSETP, I2D, I2D.64, D2I, D2I.64, DRND with Lanes lanes in seven
// steps: multiply, place, align, add, count, shift, round (fp64_pkg). Rows that move whole take them in three stages, up to
// place, count and round; rows that move in slices have a stage for each.
//
//   DFMA R4, R6, R8, R10 with 8 lanes: four beats; the response is valid in cycle 6 with all 32 lanes
//
// Latency from acceptance to the response is 2 + RowLanes / Lanes cycles. Where rows move in slices the request stays until
// its last beat and is answered 8 cycles after that. Predicates of a comparison are known when it is placed and travel along.
// Lanes outside tag.mask are not computed and hold anything, so does d_hi of 32-bit results.
module fp64_unit #(
  parameter int unsigned Lanes = 1,
  parameter bit          Fma   = 1'b0  // rows move whole, and products of another unit come
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     req_valid_i,
  output logic                     req_ready_o,
  output logic                     req_soon_o,   // whole rows: ready in the next cycle
  input  sm_pkg::exec_req_t        req_i,

  output logic                     rsp_valid_o,
  input  logic                     rsp_ready_i,
  output sm_pkg::exec_rsp_t        rsp_o,

  // Another unit's products and sums of all lanes, with DFMA's bits, x[lane / 4] * y[lane % 4] + z[lane]: where both want the lanes they take turns. A
  // request stays until its last beat (ready). Chained: in the cycle of its first beat z is what is answered.
  input  logic                     fma_wants_i,    // one comes soon
  input  logic                     fma_valid_i,
  output logic                     fma_ready_o,
  input  logic                     fma_chained_i,
  input  sm_pkg::row_elements_t    fma_x_i,
  input  sm_pkg::column_elements_t fma_y_i,
  input  sm_pkg::wide_row_t        fma_z_i,
  output logic                     fma_done_o,     // fma_d_o, fma_d_hi_o hold it in this cycle
  output sm_pkg::row_t             fma_d_o,
  output sm_pkg::row_t             fma_d_hi_o,

  output logic                     busy_o
);

  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes;
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Stages = sm_pkg::Fp64Stages;
  // Which stage takes a step. Registers stand between two steps of different stages.
  localparam int unsigned Multiply = 0;
  localparam int unsigned Place = Slices ? 1 : 0;
  localparam int unsigned Align = Slices ? 2 : 1;
  localparam int unsigned Add = Slices ? 3 : 1;
  localparam int unsigned Count = Slices ? 4 : 1;
  localparam int unsigned Shift = Slices ? 5 : 2;
  localparam int unsigned Round = Stages - 1;
  localparam int unsigned Hold = (!Slices && Beats > 1) ? sm_pkg::RowLanes - Lanes : Lanes;

  logic              first, rest;
  logic [GroupW-1:0] group, made;  // whose lanes go in; come out
  logic [Stages-1:0] work;

  // ---- whose request -------------------------------------------------------------------------------------
  logic ready, soon, answers;
  logic fma_first, fma, fma_made;  // an fma's first beat; a beat of one; what is answered is one's
  logic fma_turn_q;                // the last request was ours
  logic chained;                   // the beat's z is what is answered: with few beats, else the answer came before
  localparam bit Chains = Fma && Beats <= 2;
  assign req_ready_o = ready;
  assign req_soon_o = soon && !(Fma && fma_wants_i && fma_turn_q);
  assign rsp_valid_o = answers && !fma_made;
  assign fma_first = Fma && first && !req_valid_i;
  assign fma_ready_o = Fma && fma && soon;
  assign fma_done_o = Fma && answers && fma_made;
  if (Fma) begin : g_turns
    logic fma_q;
    assign fma = fma_first || (fma_q && !first);
    assign chained = Chains && fma_first && fma_chained_i;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) fma_turn_q <= 1'b0;
      else if (first) fma_turn_q <= !fma_first;
    end
    always_ff @(posedge clk_i) if (first) fma_q <= fma_first;
  end else begin : g_alone
    logic unused;
    assign unused = ^{fma_wants_i, fma_valid_i, fma_chained_i, fma_x_i, fma_y_i, fma_z_i};
    assign {fma, fma_turn_q, chained} = '0;
  end

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i || (Fma && fma_valid_i)),
    .req_ready_o (ready),
    .req_soon_o  (soon),
    .twice_i     (1'b0),
    .rsp_valid_o (answers),
    .rsp_ready_i (rsp_ready_i || fma_made),
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
  logic [7:0]            op, lanes_op;
  logic [17:0]           mod, lanes_mod;
  logic [Lanes-1:0]      mask, lanes_mask, p;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c, hold_a_hi, hold_b_hi, hold_c_hi;
  int unsigned           at;  // the beat's lanes in them
  int unsigned           fma_at;  // and in the rows of an fma
  assign fma_at = Fma ? 32'(group) * Lanes : 0;
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first && !fma_first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (1'b1),
    .reads_c_i    (lanes_op == isa_pkg::OpDfma),
    .reads_hi_i   (1'b1),
    .reads_c_hi_i (lanes_op == isa_pkg::OpDfma),
    .fresh_o      (fresh),
    .tag_o        (tag),
    .op_o         (lanes_op),
    .mod_o        (lanes_mod),
    .mask_o       (lanes_mask),
    .p_o          (p),
    .p2_o         (),
    .a_o          (hold_a),
    .b_o          (hold_b),
    .c_o          (hold_c),
    .a_hi_o       (hold_a_hi),
    .b_hi_o       (hold_b_hi),
    .c_hi_o       (hold_c_hi)
  );

  assign op = fma ? isa_pkg::OpDfma : lanes_op;
  assign mod = fma ? '0 : lanes_mod;  // to nearest, no signs changed
  assign mask = fma ? '1 : lanes_mask;

  // What goes with a beat.
  typedef struct packed {
    logic             fma;
    logic [7:0]       op;
    logic [17:0]      mod;
    logic [Lanes-1:0] mask;
    logic [Lanes-1:0] p;  // what a comparison combines with; once it is placed what it gives
    logic [Lanes-1:0] q;
  } control_t;

  // ---- g_stage[k] takes the steps of stage k and has the registers behind it ---------------------------------
  for (genvar k = 0; k < int'(Stages); k++) begin : g_stage
    localparam int unsigned From = k == 0 ? 0 : k - 1;  // the stage before

    control_t                control_q;
    sm_pkg::tag_t            tag_q;
    logic [Lanes-1:0][63:0]  x_q, y_q, z_q, low_q, cross_x_q, cross_y_q, high_q;  // multiplied
    logic [Lanes-1:0][31:0]  measured_q;        // fp64_pkg::measured_t
    logic [Lanes-1:0][127:0] product_q;         // placed
    logic [Lanes-1:0][63:0]  value_q;
    logic [Lanes-1:0][127:0] fixed_q, moved_q;  // aligned
    logic [Lanes-1:0][127:0] sum_q;             // added, counted
    logic [Lanes-1:0][7:0]   by_q;              // counted
    logic [Lanes-1:0][31:0]  placed_q;          // fp64_pkg::placed_t, from place to shift
    logic [Lanes-1:0][63:0]  word_q;            // shifted
    logic [Lanes-1:0][7:0]   tail_q;            // fp64_pkg::tail_t
    sm_pkg::exec_rsp_t       rsp_q;             // rounded
    logic                    fma_q;             // it is an fma's
    logic [Lanes-1:0][63:0]  first_q;           // its first beat's lanes apart, for they may be read at once

    always_ff @(posedge clk_i) begin
      if (work[k]) begin
        control_t               control;
        fp64_pkg::kind_e        kind;
        logic [Lanes-1:0]       holds;
        logic [Lanes-1:0][31:0] d, d_hi;
        logic                   is_add, is_mul, is_fma, compares;
        logic                   abs_a, neg_a, abs_b, neg_b, neg_c;
        if (k == 0) control = '{fma: fma, op: op, mod: mod, mask: mask, p: p, q: '0};
        else control = g_stage[From].control_q;
        kind = kind_of(control.op);
        compares = kind == fp64_pkg::Compare;
        if (k == int'(Multiply)) begin
          is_add = control.op == isa_pkg::OpDadd;
          is_mul = control.op == isa_pkg::OpDmul;
          is_fma = control.op == isa_pkg::OpDfma;
          abs_a = (is_add && control.mod[isa_pkg::DAddAbsALsb]) || (compares && control.mod[isa_pkg::DSetpAbsALsb]);
          abs_b = (is_add && control.mod[isa_pkg::DAddAbsBLsb]) || (compares && control.mod[isa_pkg::DSetpAbsBLsb]);
          neg_a = (is_add && control.mod[isa_pkg::DAddNegALsb]) || (is_mul && control.mod[isa_pkg::DMulNegLsb]) ||
                  (is_fma && control.mod[isa_pkg::DFmaNegPLsb]) || (compares && control.mod[isa_pkg::DSetpNegALsb]);
          neg_b = (is_add && control.mod[isa_pkg::DAddNegBLsb]) || (compares && control.mod[isa_pkg::DSetpNegBLsb]);
          neg_c = is_fma && control.mod[isa_pkg::DFmaNegCLsb];
        end
        holds = '0;
        d = 'x;
        d_hi = 'x;

        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (control.mask[lane] && (k <= int'(Place) || !compares)) begin
            logic [63:0]         x, y, z, low, cross_x, cross_y, high, value, word;
            fp64_pkg::measured_t measured;
            fp64_pkg::window_t   product, fixed, moved, sum;
            fp64_pkg::placed_t   placed, added;
            logic [7:0]          by;
            fp64_pkg::tail_t     tail;

            // DADD: a * 1 + b. DMUL: a * b + a zero of the product's sign.
            if (k == int'(Multiply)) begin
              logic [63:0] a, b, c;
              logic        sign_a, sign_b, sign_c;
              b = fma ? fma_y_i[(fma_at+lane)%4] :
                  fresh ? {req_i.row[sm_pkg::BHi][lane], req_i.row[sm_pkg::B][lane]} : {hold_b_hi[at+lane], hold_b[at+lane]};
              sign_b = b[63];
              b[63] = (sign_b && !abs_b) ^ neg_b;
              a = fma ? fma_x_i[(fma_at+lane)/4] :
                  fresh ? {req_i.row[sm_pkg::AHi][lane], req_i.row[sm_pkg::A][lane]} : {hold_a_hi[at+lane], hold_a[at+lane]};
              sign_a = a[63];
              a[63] = (sign_a && !abs_a) ^ neg_a;
              x = a;
              y = is_add ? fp64_pkg::One : b;
              z = {a[63] ^ b[63], 63'd0};
              sign_c = sign_b;
              if (is_add) z = b;
              if (is_fma) begin
                c = fma ? (chained ? g_stage[Round].first_q[lane] : fma_z_i[fma_at+lane]) :
                    fresh ? {req_i.row[sm_pkg::CHi][lane], req_i.row[sm_pkg::C][lane]} : {hold_c_hi[at+lane], hold_c[at+lane]};
                sign_c = c[63];
                z = {c[63] ^ neg_c, c[62:0]};
              end
              if (kind == fp64_pkg::Fma) fp64_pkg::multiply(x, y, low, cross_x, cross_y, high);
              measured = fp64_pkg::measure(kind, x, y, {sign_a, sign_b, sign_c});
              if (Multiply != Place) begin
                if (kind == fp64_pkg::Fma) begin
                  low_q[lane] <= low;
                  cross_x_q[lane] <= cross_x;
                  cross_y_q[lane] <= cross_y;
                  high_q[lane] <= high;
                end
                x_q[lane] <= x;
                y_q[lane] <= y;
                z_q[lane] <= z;
                measured_q[lane] <= 32'(measured);
              end
            end

            if (k == int'(Place)) begin
              logic [63:0] addend;
              if (Multiply != Place) begin
                x = g_stage[From].x_q[lane];
                y = g_stage[From].y_q[lane];
                z = g_stage[From].z_q[lane];
                low = g_stage[From].low_q[lane];
                cross_x = g_stage[From].cross_x_q[lane];
                cross_y = g_stage[From].cross_y_q[lane];
                high = g_stage[From].high_q[lane];
                measured = fp64_pkg::measured_t'(g_stage[From].measured_q[lane][$bits(fp64_pkg::measured_t)-1:0]);
              end
              placed = '0;
              placed.decided = 1'b1;
              product = '0;
              value = y;
              unique case (kind)
                fp64_pkg::Fma: begin
                  fp64_pkg::place_sum(x, y, z, measured, placed, value);
                  if (!placed.decided) fp64_pkg::add_parts(low, cross_x, cross_y, high, product);
                end
                fp64_pkg::MinMax:  value = fp64_pkg::min_max(x, y, measured, control.mod[isa_pkg::DMinMaxMaxLsb]);
                fp64_pkg::Compare: holds[lane] = fp64_pkg::compare(x, y, measured, control.mod[isa_pkg::DSetpCmpLsb+:4]);
                fp64_pkg::FromInt:
                  fp64_pkg::place_int(control.op == isa_pkg::OpI642d, control.mod[isa_pkg::I2FSignLsb], y, placed, value);
                fp64_pkg::ToInt: placed = fp64_pkg::place_float(y);
                default: begin
                  fp64_pkg::place_integral(y, control.mod[1:0], control.mod[isa_pkg::DRndIntegralLsb], value, addend);
                  product = {64'd0, addend};
                end
              endcase
              if (Place != Align) begin
                product_q[lane] <= product;
                value_q[lane] <= value;
              end
            end else if (k > 0) begin
              placed = placed_of(g_stage[From].placed_q[lane]);
            end

            if (k == int'(Align)) begin
              if (Place != Align) begin
                product = g_stage[From].product_q[lane];
                value = g_stage[From].value_q[lane];
              end
              fp64_pkg::align(product, value, placed, kind == fp64_pkg::FromInt, fixed, moved);
              if (Align != Add) begin
                fixed_q[lane] <= fixed;
                moved_q[lane] <= moved;
              end
            end

            if (k == int'(Add)) begin
              if (Align != Add) begin
                fixed = g_stage[From].fixed_q[lane];
                moved = g_stage[From].moved_q[lane];
              end
              fp64_pkg::add(fixed, moved, control.mod[1:0], placed, sum, added);
              placed = added;
              if (Add != Count) sum_q[lane] <= sum;
            end

            if (k == int'(Count)) begin
              if (Add != Count) sum = g_stage[From].sum_q[lane];
              by = 8'(fp64_pkg::count(sum, placed));
              if (kind == fp64_pkg::ToInt) sum = {64'd0, sum[108:45] + {63'd0, placed.away}};
              if (Count != Shift) begin
                sum_q[lane] <= sum;
                by_q[lane] <= by;
              end
            end

            if (k >= int'(Place) && k < int'(Shift)) placed_q[lane] <= 32'(placed);

            if (k == int'(Shift)) begin
              if (Count != Shift) begin
                sum = g_stage[From].sum_q[lane];
                by = g_stage[From].by_q[lane];
              end
              if (kind == fp64_pkg::ToInt) begin
                word = fp64_pkg::clamp(sum[63:0], placed, control.op == isa_pkg::OpD2i64, control.mod[isa_pkg::D2ISignLsb],
                                       control.mod[isa_pkg::D2IWidthLsb+:2]);
                tail = '{decided: 1'b1, default: 1'b0};
              end else begin
                fp64_pkg::shift(sum, placed, by[6:0], word, tail);
              end
              if (Shift != Round) begin
                word_q[lane] <= word;
                tail_q[lane] <= 8'(tail);
              end
            end

            if (k == int'(Round)) begin
              if (Shift != Round) begin
                word = g_stage[From].word_q[lane];
                tail = fp64_pkg::tail_t'(g_stage[From].tail_q[lane][$bits(fp64_pkg::tail_t)-1:0]);
              end
              {d_hi[lane], d[lane]} = fp64_pkg::round(word, tail, control.mod[1:0],
                                                      control.op == isa_pkg::OpDrnd && control.mod[isa_pkg::DRndSatLsb]);
            end
          end
        end

        if (k < int'(Round)) begin
          control_q <= control;
          if (k == int'(Place) && compares) begin
            control_q.p <= Lanes'(int_pkg::combine(control.mod[isa_pkg::DSetpOpLsb+:2], 32'(holds), 32'(control.p)));
            control_q.q <= Lanes'(int_pkg::combine(control.mod[isa_pkg::DSetpOpLsb+:2], ~32'(holds), 32'(control.p)));
          end
          if (k > 0) tag_q <= g_stage[From].tag_q;
          else if (Slices || first) tag_q <= tag;
        end else begin
          for (int unsigned g = 0; g < Beats; g++) begin
            if (made == GroupW'(g) && compares) begin
              rsp_q.p[g*Lanes+:Lanes] <= control.p;
              rsp_q.q[g*Lanes+:Lanes] <= control.q;
            end else if (made == GroupW'(g)) begin
              rsp_q.d[g*Lanes+:Lanes] <= d;
              rsp_q.d_hi[g*Lanes+:Lanes] <= d_hi;
            end
          end
          rsp_q.tag <= g_stage[From].tag_q;
          rsp_q.we <= !compares;
          rsp_q.wide <= control.op != isa_pkg::OpD2i && !compares;
          rsp_q.index <= '0;
          rsp_q.last <= g_stage[From].tag_q.slice == sm_pkg::LastSlice;
          rsp_q.p_we <= compares;
          fma_q <= control.fma;
          if (Chains && made == '0 && control.fma) begin
            for (int unsigned lane = 0; lane < Lanes; lane++) first_q[lane] <= {d_hi[lane], d[lane]};
          end
        end
      end
    end
  end

  assign rsp_o = g_stage[Round].rsp_q;
  assign fma_made = Fma && g_stage[Round].fma_q;
  assign fma_d_o = rsp_o.d;
  assign fma_d_hi_o = rsp_o.d_hi;

endmodule
