// SPDX-License-Identifier: Apache-2.0
// Conversion lanes of a sub-partition: I2F, I2F.64, F2I, F2I.64, FRND, F2D, D2F, F2F in three stages, in slices in six.
//
//   I2F R4, R1 with 4 lanes: eight beats; the response is valid in cycle 10 with all 32 lanes.
//
// Latency from acceptance to the response is 2 + RowLanes / Lanes cycles. Where rows move in slices the request stays
// until its last beat and is answered 6 cycles after that: operands, measure, move, count (or add), shift (or clamp),
// round. Lanes outside tag.mask are not computed (in slices they are) and hold anything, so does d_hi of 32-bit results.
module cvt_unit #(
  parameter int unsigned Lanes = 4
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
  localparam int unsigned Stages = Slices ? 5 : 3;
  localparam int unsigned Move = Slices ? 1 : 0;  // which stage makes values, normalises, rounds
  localparam int unsigned Normalise = Slices ? 3 : 1;
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
  logic [Lanes-1:0]      mask;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_b_hi;
  int unsigned           at;  // the beat's lanes in them
  assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (op == isa_pkg::OpF2f),
    .reads_c_i    (1'b0),
    .reads_hi_i   (op == isa_pkg::OpI642f || op == isa_pkg::OpD2f),
    .reads_c_hi_i (1'b0),
    .fresh_o      (fresh),
    .tag_o        (tag),
    .op_o         (op),
    .mod_o        (mod),
    .mask_o       (mask),
    .p_o          (),
    .p2_o         (),
    .a_o          (hold_a),
    .b_o          (hold_b),
    .c_o          (),
    .a_hi_o       (),
    .b_hi_o       (hold_b_hi),
    .c_hi_o       ()
  );

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

  // ---- stage 1: into a magnitude with exponent, or an integer with rounding bits; in slices in two stages --
  logic [Lanes-1:0][31:0] b_q, b_hi_q, x_q;
  logic [Lanes-1:0][31:0] a_q;  // what F2F packs with
  logic [Lanes-1:0][5:0]  zeros_q;
  cvt_pkg::float_t        float_q [Lanes];
  cvt_pkg::fraction_t     fraction_q [Lanes];
  control_t               making;  // what the second of them is about

  if (Slices) begin : gen_measure
    always_ff @(posedge clk_i) begin
      if (work[Move-1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic [31:0] x;
          logic [5:0]  zeros;
          cvt_pkg::measure_f32(hold_b[at+lane], mod[isa_pkg::FRndFtzLsb], mod[isa_pkg::FRndSatLsb], x, zeros);
          x_q[lane] <= x;
          zeros_q[lane] <= zeros;
          float_q[lane] <= cvt_pkg::measure_float(op == isa_pkg::OpD2f, {hold_b_hi[at+lane], hold_b[at+lane]},
                                                  mod[isa_pkg::F2IFtzLsb]);
          fraction_q[lane] <= cvt_pkg::measure_fraction(hold_b[at+lane], mod[isa_pkg::FRndFtzLsb],
                                                        mod[isa_pkg::FRndIntegralLsb]);
          b_q[lane] <= hold_b[at+lane];
          b_hi_q[lane] <= hold_b_hi[at+lane];
          a_q[lane] <= hold_a[at+lane];
        end
      end
    end
    assign making = g_pass[Move-1].control_q;
  end else begin : gen_measure_and_move
    assign {a_q, b_q, b_hi_q, x_q, zeros_q} = '0;
    for (genvar lane = 0; lane < Lanes; lane++) begin : g_lane
      assign float_q[lane] = '0;
      assign fraction_q[lane] = '0;
    end
    assign making = '{op: op, mod: mod, mask: mask};
  end

  logic [Lanes-1:0][63:0] value_q;
  logic [Lanes-1:0][15:0] side_q;   // exponent, or cvt_pkg::int_flags_t

  always_ff @(posedge clk_i) begin
    if (work[Move]) begin
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || making.mask[lane]) begin
          logic [31:0] b, b_hi;
          logic [31:0] a;
          logic [63:0] value;
          logic [8:0]  exponent;  // or flags
          b = Slices ? b_q[lane] : fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane];
          a = Slices ? a_q[lane] : fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane];
          b_hi = Slices ? b_hi_q[lane] : fresh ? req_i.row[sm_pkg::BHi][lane] : hold_b_hi[at+lane];
          value = '0;
          exponent = '0;
          unique case (making.op)
            isa_pkg::OpI2f, isa_pkg::OpI642f:
              cvt_pkg::from_int(making.op == isa_pkg::OpI642f, making.mod[isa_pkg::I2FSignLsb], {b_hi, b}, value, exponent);
            isa_pkg::OpD2f, isa_pkg::OpF2i, isa_pkg::OpF2i64: begin
              if (Slices) cvt_pkg::move_float(making.op == isa_pkg::OpD2f, {b_hi, b}, float_q[lane], value, exponent);
              else cvt_pkg::from_float(making.op == isa_pkg::OpD2f, {b_hi, b}, making.mod[isa_pkg::F2IFtzLsb], value, exponent);
            end
            isa_pkg::OpF2d: begin
              value = Slices ? cvt_pkg::widen_f32(x_q[lane], zeros_q[lane])
                             : cvt_pkg::to_f64(b, making.mod[isa_pkg::FRndFtzLsb], making.mod[isa_pkg::FRndSatLsb]);
            end
            isa_pkg::OpF2f:
              value = {a, (making.mod[isa_pkg::F2FBothLsb] && narrow_pkg::is_narrow(making.mod[isa_pkg::F2FToLsb+:3]))
                              ? b : narrow_pkg::widen(b, making.mod[isa_pkg::F2FFromLsb+:3], making.mod[isa_pkg::F2FHighLsb],
                                                      making.mod[isa_pkg::F2FFtzLsb], making.mod[isa_pkg::F2FKeepLsb])};
            default: begin
              value = {1'b0, Slices ? cvt_pkg::round_fraction(fraction_q[lane], making.mod[1:0])
                                    : cvt_pkg::round_f32(b, making.mod[1:0], making.mod[isa_pkg::FRndFtzLsb],
                                                         making.mod[isa_pkg::FRndIntegralLsb]), 31'd0};
            end
          endcase
          value_q[lane] <= value;
          side_q[lane] <= {7'd0, exponent};
        end
      end
    end
  end

  // ---- stage 2: normalise, or round the integer; in slices in two stages ---------------------------------
  function automatic logic gives_int(input logic [7:0] x);
    return x == isa_pkg::OpF2i || x == isa_pkg::OpF2i64;
  endfunction

  logic [Lanes-1:0][63:0] counted_q;  // value or rounded integer
  logic [Lanes-1:0][15:0] counted_side_q;
  logic [Lanes-1:0][5:0]  shift_q;

  if (Slices) begin : gen_count
    always_ff @(posedge clk_i) begin
      if (work[Normalise-1]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          shift_q[lane] <= fp32_pkg::fma_count(value_q[lane], {1'b0, side_q[lane][8:0]});
          counted_q[lane] <= gives_int(g_pass[Normalise-2].control_q.op)
              ? cvt_pkg::round_int(value_q[lane], cvt_pkg::int_flags_t'(side_q[lane][4:0]), g_pass[Normalise-2].control_q.mod[1:0])
              : value_q[lane];
        end
        counted_side_q <= side_q;
      end
    end
  end else begin : gen_count_and_shift
    assign {counted_q, counted_side_q, shift_q} = '0;
  end

  logic [Lanes-1:0][63:0] normal_q;

  always_ff @(posedge clk_i) begin
    if (work[Normalise]) begin
      control_t control;
      control = g_pass[Normalise-1].control_q;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || control.mask[lane]) begin
          logic [63:0] value;
          logic [15:0] side;
          value = Slices ? counted_q[lane] : value_q[lane];
          side = Slices ? counted_side_q[lane] : side_q[lane];
          if (gives_int(control.op)) begin
            logic       wide, is_signed;
            logic [1:0] width;
            wide = control.op == isa_pkg::OpF2i64;
            is_signed = control.mod[isa_pkg::F2ISignLsb];
            width = control.mod[isa_pkg::F2IWidthLsb+:isa_pkg::F2IWidthWidth];
            normal_q[lane] <= Slices ? cvt_pkg::clamp_int(value, cvt_pkg::int_flags_t'(side[4:0]), wide, is_signed, width)
                                     : cvt_pkg::to_int(value, cvt_pkg::int_flags_t'(side[4:0]), control.mod[1:0], wide,
                                                       is_signed, width);
          end else if (control.op == isa_pkg::OpF2d) begin
            normal_q[lane] <= value;
          end else if (control.op == isa_pkg::OpF2f) begin
            if (narrow_pkg::is_narrow(control.mod[isa_pkg::F2FToLsb+:3]))
              normal_q[lane] <= {control.mod[isa_pkg::F2FBothLsb] ? 32'(narrow_pkg::place(value[63:32], control.mod[isa_pkg::F2FToLsb+:3]))
                                                                  : value[63:32],
                                 32'(narrow_pkg::place(value[31:0], control.mod[isa_pkg::F2FToLsb+:3]))};
            else normal_q[lane] <= value;
          end else if (!Slices) begin
            normal_q[lane] <= fp32_pkg::fma_normalise(value, {1'b0, side[8:0]});
          end else if (side[8:0] == 9'd0) begin
            normal_q[lane] <= fp32_pkg::decided(value[62:31]);
          end else begin
            normal_q[lane] <= fp32_pkg::fma_shift(value, {1'b0, side[8:0]}, shift_q[lane]);
          end
        end
      end
    end
  end

  // A rounded narrow number, alone or below what is in 63:32, or another one from there.
  function automatic logic [31:0] pack_narrow(input logic [63:0] x, input logic [17:0] m);
    logic [2:0]        to;
    logic [15:0]       y, above;
    narrow_pkg::mode_t mode;
    to = m[isa_pkg::F2FToLsb+:3];
    mode = '{rnd: m[isa_pkg::F2FRndLsb+:2], ftz: m[isa_pkg::F2FFtzLsb], sat: m[isa_pkg::F2FSatLsb],
             relu: m[isa_pkg::F2FReluLsb], finite: m[isa_pkg::F2FFiniteLsb], keep: m[isa_pkg::F2FKeepLsb]};
    y = narrow_pkg::round(narrow_pkg::placed_t'(x[$bits(narrow_pkg::placed_t)-1:0]), to, mode);
    above = x[47:32];
    if (m[isa_pkg::F2FBothLsb]) above = narrow_pkg::round(narrow_pkg::placed_t'(x[32+:$bits(narrow_pkg::placed_t)]), to, mode);
    return !(m[isa_pkg::F2FPackLsb] || m[isa_pkg::F2FBothLsb]) ? {16'd0, y}
           : (to == narrow_pkg::F16 || to == narrow_pkg::Bf16) ? {above, y} : {16'd0, above[7:0], y[7:0]};
  endfunction

  // ---- last stage: round into the response row ------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;

  always_ff @(posedge clk_i) begin
    if (work[Round]) begin
      control_t control;
      logic     to_f32, narrows, has_ftz, wide;  // I2F has neither ftz nor sat in those places
      logic [Lanes-1:0][31:0] d, d_hi;
      control = g_pass[Round-1].control_q;
      has_ftz = control.op == isa_pkg::OpFrnd || control.op == isa_pkg::OpD2f;
      to_f32 = has_ftz || control.op == isa_pkg::OpI2f || control.op == isa_pkg::OpI642f;
      narrows = control.op == isa_pkg::OpF2f && narrow_pkg::is_narrow(control.mod[isa_pkg::F2FToLsb+:3]);
      wide = control.op == isa_pkg::OpF2i64 || control.op == isa_pkg::OpF2d;
      d = 'x;
      d_hi = 'x;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (Slices || control.mask[lane]) begin
          if (narrows) d[lane] = pack_narrow(normal_q[lane], control.mod);
          else if (to_f32) d[lane] = fp32_pkg::fma_round(normal_q[lane][35:0], normal_q[lane][63], normal_q[lane][31:0],
                                                         control.mod[1:0], has_ftz && control.mod[isa_pkg::FRndFtzLsb],
                                                         has_ftz && control.mod[isa_pkg::FRndSatLsb]);
          else d[lane] = normal_q[lane][31:0];
        end
        d_hi[lane] = normal_q[lane][63:32];
      end
      for (int unsigned g = 0; g < Beats; g++) begin
        if (made == GroupW'(g)) begin
          rsp_q.d[g*Lanes+:Lanes] <= d;
          if (wide) rsp_q.d_hi[g*Lanes+:Lanes] <= d_hi;
        end
      end
      rsp_q.tag <= g_pass[Round-1].tag_q;
      rsp_q.we <= 1'b1;
      rsp_q.wide <= wide;
      rsp_q.index <= '0;
      rsp_q.last <= g_pass[Round-1].tag_q.slice == sm_pkg::LastSlice;
      rsp_q.p_we <= 1'b0;
      rsp_q.p <= '0;
      rsp_q.q <= '0;
    end
  end

endmodule
