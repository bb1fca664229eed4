// SPDX-License-Identifier: Apache-2.0
// Products of integers of a sub-partition: every Built operation of unit Imad, with Lanes lanes in two stages, in slices
// in four, sequenced as int_unit's.
//
// Latency from acceptance to the response is 1 + RowLanes / Lanes cycles: stage 1 multiplies, stage 2 adds the addend.
// Where rows move in slices the operands are registered first, the product takes two stages, and a result of 64 bits two
// beats a lane, the lower word first.
// Lanes outside tag.mask are not computed and hold anything.
module imad_unit #(
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
  localparam int unsigned BeatW = $clog2(2 * Beats);
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1;
  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Stages = Slices ? 3 : 2;
  localparam int unsigned End = Stages - 2;  // where the product ends
  localparam int unsigned Hold = (!Slices && Beats > 1) ? sm_pkg::RowLanes - Lanes : Lanes;

  logic              first, rest;
  logic [Stages-1:0] work;
  logic [BeatW-1:0]  beat;
  logic [GroupW-1:0] group, made;  // whose lanes go in; come out

  lane_beats #(.Lanes(Lanes), .Stages(Stages)) u_lane_beats (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (req_valid_i),
    .req_ready_o (req_ready_o),
    .req_soon_o  (req_soon_o),
    .twice_i     (Slices && req_i.op == isa_pkg::OpImadWide),
    .rsp_valid_o (rsp_valid_o),
    .rsp_ready_i (rsp_ready_i),
    .first_o     (first),
    .rest_o      (rest),
    .beat_o      (beat),
    .group_o     (group),
    .made_o      (made),
    .work_o      (work),
    .busy_o      (busy_o)
  );

  logic                  fresh;  // operands come from the request
  sm_pkg::tag_t          taken_tag;
  logic [7:0]            taken_op;
  logic [17:0]           taken_mod;
  logic [Lanes-1:0]      taken_mask;
  logic [Hold-1:0][31:0] hold_a, hold_b, hold_c, hold_c_hi;

  lane_operands #(.Lanes(Lanes)) u_lane_operands (
    .clk_i        (clk_i),
    .first_i      (first),
    .rest_i       (rest),
    .group_i      (group),
    .req_i        (req_i),
    .reads_a_i    (1'b1),
    .reads_c_i    (1'b1),
    .reads_hi_i   (1'b0),
    .reads_c_hi_i (taken_op == isa_pkg::OpImadWide),
    .fresh_o      (fresh),
    .tag_o        (taken_tag),
    .op_o         (taken_op),
    .mod_o        (taken_mod),
    .mask_o       (taken_mask),
    .p_o          (),
    .p2_o         (),
    .a_o          (hold_a),
    .b_o          (hold_b),
    .c_o          (hold_c),
    .a_hi_o       (),
    .b_hi_o       (),
    .c_hi_o       (hold_c_hi)
  );

  // ---- stage 1: products, and the addend beside them ---------------------------------------------------------
  logic [Lanes-1:0][int_pkg::Bits-1:0] value_q, addend_q;
  logic [Lanes-1:0]                    mask_q;
  logic                                wide_q, upper_q;  // a result of 64 bits; in slices its upper word
  sm_pkg::tag_t                        tag_q;

  if (Slices) begin : gen_slices  // all lanes are computed: it costs nothing there
    logic                   upper0_q, upper1_q, wide1_q;
    imad_pkg::products_t    products_q;
    logic [Lanes-1:0][31:0] c_q;
    logic [Lanes-1:0][34:0] lows_q, cross0_q, cross1_q, highs_q;
    sm_pkg::tag_t           tag1_q;

    always_ff @(posedge clk_i) begin
      if (first || rest) upper0_q <= req_i.op == isa_pkg::OpImadWide && beat[0];
      if (work[0]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          logic [34:0] lows, cross0, cross1, highs;
          imad_pkg::multiply_halves(taken_op, taken_mod, hold_a[lane], hold_b[lane], lows, cross0, cross1, highs);
          lows_q[lane] <= lows;
          cross0_q[lane] <= cross0;
          cross1_q[lane] <= cross1;
          highs_q[lane] <= highs;
          c_q[lane] <= upper0_q ? hold_c_hi[lane] : hold_c[lane];
        end
        products_q <= imad_pkg::products_of(taken_op, taken_mod, upper0_q);
        wide1_q <= taken_op == isa_pkg::OpImadWide;
        upper1_q <= upper0_q;
        tag1_q <= taken_tag;
      end
      if (work[End]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          value_q[lane] <= imad_pkg::multiply_sum(products_q, lows_q[lane], cross0_q[lane], cross1_q[lane], highs_q[lane]);
        end
        addend_q <= c_q;
        wide_q <= wide1_q;
        upper_q <= upper1_q;
        tag_q <= tag1_q;
      end
    end
    assign mask_q = '1;

  end else begin : gen_whole
    int unsigned at;  // the beat's lanes in the hold registers
    assign at = (Hold > Lanes && !fresh) ? (32'(group) - 1) * Lanes : 0;
    assign upper_q = 1'b0;
    always_ff @(posedge clk_i) begin
      if (work[End]) begin
        for (int unsigned lane = 0; lane < Lanes; lane++) begin
          if (taken_mask[lane]) begin
            value_q[lane] <= imad_pkg::multiply(taken_op, taken_mod, fresh ? req_i.row[sm_pkg::A][lane] : hold_a[at+lane],
                                                fresh ? req_i.row[sm_pkg::B][lane] : hold_b[at+lane]);
            addend_q[lane] <= int_pkg::word_t'({fresh ? req_i.row[sm_pkg::CHi][lane] : hold_c_hi[at+lane],
                                                fresh ? req_i.row[sm_pkg::C][lane] : hold_c[at+lane]});
          end
        end
        mask_q <= taken_mask;
        wide_q <= taken_op == isa_pkg::OpImadWide;
        if (first) tag_q <= taken_tag;
      end
    end
    logic unused_beat;
    assign unused_beat = ^beat;
  end

  // ---- last stage: add into the response row -----------------------------------------------------------------
  sm_pkg::exec_rsp_t rsp_q;
  assign rsp_o = rsp_q;
  logic [Lanes-1:0] carry_q;  // in slices from the lower word to the upper

  always_ff @(posedge clk_i) begin
    if (work[Stages-1]) begin
      logic [Lanes-1:0][31:0] d, d_hi;
      d = 'x;
      d_hi = 'x;
      for (int unsigned lane = 0; lane < Lanes; lane++) begin
        if (mask_q[lane]) begin
          if (Slices) begin
            logic [32:0] sum;
            sum = {1'b0, value_q[lane][31:0]} + {1'b0, addend_q[lane][31:0]} + 33'(upper_q && carry_q[lane]);
            carry_q[lane] <= sum[32];
            d[lane] = sum[31:0];
            d_hi[lane] = sum[31:0];
          end else begin
            {d_hi[lane], d[lane]} = 64'(value_q[lane]) + 64'(addend_q[lane]);
          end
        end
      end
      for (int unsigned g = 0; g < Beats; g++) begin
        if (made == GroupW'(g)) begin
          if (!upper_q) rsp_q.d[g*Lanes+:Lanes] <= d;
          if (Slices ? upper_q : wide_q) rsp_q.d_hi[g*Lanes+:Lanes] <= d_hi;
        end
      end
      rsp_q.tag <= tag_q;
      rsp_q.we <= 1'b1;
      rsp_q.wide <= wide_q;
      rsp_q.index <= '0;
      rsp_q.last <= tag_q.slice == sm_pkg::LastSlice;
      rsp_q.p_we <= 1'b0;
    end
  end

endmodule
