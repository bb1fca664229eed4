// SPDX-License-Identifier: Apache-2.0
// Sums of a tensor core: decoded operands of a beat become, Parts + 1 cycles later, a sum and its exponent for each lane.
//
//   Width 16 and up, one part    cycle 0 operands, 1 largest exponent, 2 sum
//   Width 4, four parts          cycles 0-3 operands of the four, exponents in 1-4; the first products are added in cycle 4,
//                                below the largest exponent of all four, while the next result's exponents are looked for
//
// A beat of two results (mma_pkg::two_of) has two exponents and two sums a lane, of eight places each: the two halves of the tree and
// of the adder that all sixteen share otherwise.
//
// Operands wait for their exponent in a ring of Parts places: what a beat writes is read, at the same place, when the beat
// that follows Parts cycles later is written.
module mma_dot #(
  parameter  int unsigned Width = mma_pkg::DefaultWidth,
  localparam int unsigned Lanes = mma_pkg::lanes_of(Width),
  localparam int unsigned Places = mma_pkg::places_of(Width),
  localparam int unsigned Quads = Lanes >= 4 ? Lanes / 4 : 1,
  localparam logic        Two = mma_pkg::two_of(Width)
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              go_i,     // no stage stalls

  input  logic              valid_i,  // a beat
  input  mma_pkg::control_t control_i,
  input  mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a_i,
  input  mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b_i,
  input  logic                  [Lanes-1:0][31:0]       c_i,
  input  logic                  [Lanes-1:0][31:0]       c_hi_i,  // of the second result

  output logic              valid_o,  // a part of the sums is added; all of them when control_o.beat.last
  output mma_pkg::control_t control_o,
  output mma_sum_pkg::result_t  [Lanes-1:0]             result_o,
  output mma_sum_pkg::result_t  [Lanes-1:0]             result_hi_o,
  output logic              busy_o
);

  localparam int unsigned Parts = 16 / Places;
  localparam int unsigned PartW = Parts > 1 ? $clog2(Parts) : 1;

  // ---- the largest exponent so far -------------------------------------------------------------------------
  mma_sum_pkg::tops_t [Lanes-1:0] top_q;
  always_ff @(posedge clk_i) begin
    if (go_i && valid_i && !mma_pkg::is_integer(control_i.op.format)) begin
      mma_sum_pkg::tops_t [Lanes-1:0] tops;
      for (int unsigned l = 0; l < Lanes; l++) begin
        tops[l] = mma_sum_pkg::largest(Parts == 1 || control_i.beat.first, control_i.op.f16_d, Two && control_i.op.half_k,
                                       top_q[l], c_i[l], c_hi_i[l],
                                       mma_sum_pkg::places_t'(a_i[l/4]), mma_sum_pkg::places_t'(b_i[l]), Places);
      end
      top_q <= tops;
    end
  end

  // ---- the beat waits for the last of its exponents --------------------------------------------------------
  mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a;
  mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b;
  mma_pkg::control_t      control;
  logic [Lanes-1:0][31:0] c_q, c_hi_q;  // of the first part alone
  logic [Parts-1:0]       valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (go_i) valid_q <= Parts'({valid_q, valid_i});
  end
  always_ff @(posedge clk_i) begin
    if (go_i && valid_i && control_i.beat.first) c_q <= c_i;
    if (go_i && valid_i && Two && control_i.op.half_k) c_hi_q <= c_hi_i;
  end
  if (Parts > 1) begin : g_ring
    mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a_q [Parts];
    mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b_q [Parts];
    mma_pkg::control_t control_q [Parts];
    logic [PartW-1:0]  place_q;
    assign a = a_q[place_q];
    assign b = b_q[place_q];
    assign control = control_q[place_q];
    always_ff @(posedge clk_i) begin
      if (!rst_ni) place_q <= '0;
      else if (go_i) place_q <= place_q == PartW'(Parts - 1) ? '0 : place_q + 1'b1;
    end
    always_ff @(posedge clk_i) begin
      if (go_i && valid_i) begin
        a_q[place_q] <= a_i;
        b_q[place_q] <= b_i;
        control_q[place_q] <= control_i;
      end
    end
  end else begin : g_register
    mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a_q;
    mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b_q;
    mma_pkg::control_t control_q;
    assign a = a_q;
    assign b = b_q;
    assign control = control_q;
    always_ff @(posedge clk_i) begin
      if (go_i && valid_i) begin
        a_q <= a_i;
        b_q <= b_i;
        control_q <= control_i;
      end
    end
  end

  // ---- multiply, align, add --------------------------------------------------------------------------------
  logic                   sums;
  logic                   sum_valid_q;
  mma_pkg::control_t      sum_control_q;
  mma_sum_pkg::result_t [Lanes-1:0] result_q, result_hi_q;  // with its exponent, while the next result's is looked for
  assign sums = go_i && valid_q[Parts-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) sum_valid_q <= 1'b0;
    else if (go_i) sum_valid_q <= valid_q[Parts-1];
  end
  always_ff @(posedge clk_i) begin
    if (sums) begin
      mma_sum_pkg::result_t [Lanes-1:0] results, results_hi;
      sum_control_q <= control;
      for (int unsigned l = 0; l < Lanes; l++) begin
        mma_sum_pkg::tops_t   top;
        mma_sum_pkg::sum_t    sum;
        mma_sum_pkg::halves_t terms;
        top = top_q[l];
        if (Parts > 1 && !control.beat.first) top.low = result_q[l].top;
        terms = mma_sum_pkg::products(control.op, Two && control.op.half_k, top, mma_sum_pkg::places_t'(a[l/4]),
                                      mma_sum_pkg::places_t'(b[l]), Places);
        sum = Parts == 1 || control.beat.first ? mma_sum_pkg::addend(control.op, c_q[l], top.low.exponent) : result_q[l].sum;
        results[l] = '{zero: '0, top: top.low, sum: sum + {{2{terms.low[31]}}, terms.low}};
        if (Two && control.op.half_k)
          results_hi[l] = '{zero: '0, top: top.high,
                            sum: mma_sum_pkg::addend(control.op, c_hi_q[l], top.high.exponent) + {{2{terms.high[31]}}, terms.high}};
      end
      result_q <= results;
      if (Two && control.op.half_k) result_hi_q <= results_hi;
    end
  end

  assign valid_o = sum_valid_q;
  assign control_o = sum_control_q;
  assign result_o = result_q;
  assign result_hi_o = result_hi_q;
  assign busy_o = valid_q != '0 || sum_valid_q;

endmodule
