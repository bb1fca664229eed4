// SPDX-License-Identifier: Apache-2.0
// Sums of a tensor core: decoded operands of a beat become, Parts + 1 cycles later, a sum and its exponent for each lane.
//
//   Width 16 and up, one part    cycle 0 operands, 1 largest exponent, 2 sum
//   Width 4, four parts          cycles 0-3 operands of the four, exponents in 1-4; the first products are added in cycle 4,
//                                below the largest exponent of all four, while the next result's exponents are looked for
//
// Operands wait for their exponent in a ring of Parts places: what a beat writes is read, at the same place, when the beat
// that follows Parts cycles later is written.
module mma_dot #(
  parameter  int unsigned Width = mma_pkg::DefaultWidth,
  localparam int unsigned Lanes = mma_pkg::lanes_of(Width),
  localparam int unsigned Places = mma_pkg::places_of(Width),
  localparam int unsigned Quads = Lanes >= 4 ? Lanes / 4 : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  input  logic              go_i,     // no stage stalls

  input  logic              valid_i,  // a beat
  input  mma_pkg::control_t control_i,
  input  mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a_i,
  input  mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b_i,
  input  logic                  [Lanes-1:0][31:0]       c_i,

  output logic              valid_o,  // a part of the sums is added; all of them when control_o.beat.last
  output mma_pkg::control_t control_o,
  output mma_sum_pkg::result_t  [Lanes-1:0]             result_o,
  output logic              busy_o
);

  localparam int unsigned Parts = 16 / Places;
  localparam int unsigned PartW = Parts > 1 ? $clog2(Parts) : 1;

  // ---- the largest exponent so far -------------------------------------------------------------------------
  mma_sum_pkg::top_word_t [Lanes-1:0] top_q;
  always_ff @(posedge clk_i) begin
    if (go_i && valid_i && !mma_pkg::is_integer(control_i.op.format)) begin
      mma_sum_pkg::top_word_t [Lanes-1:0] tops;
      for (int unsigned l = 0; l < Lanes; l++) begin
        mma_sum_pkg::top_t top;
        top = control_i.beat.first ? mma_sum_pkg::addend_top(control_i.op.f16_d, c_i[l]) : top_q[l].top;
        tops[l] = '{zero: '0,
                    top: mma_sum_pkg::products_top(mma_sum_pkg::places_t'(a_i[l/4]), mma_sum_pkg::places_t'(b_i[l]), Places, top)};
      end
      top_q <= tops;
    end
  end

  // ---- the beat waits for the last of its exponents --------------------------------------------------------
  mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a;
  mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b;
  mma_pkg::control_t      control;
  logic [Lanes-1:0][31:0] c_q;  // of the first part alone
  logic [Parts-1:0]       valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) valid_q <= '0;
    else if (go_i) valid_q <= Parts'({valid_q, valid_i});
  end
  always_ff @(posedge clk_i) begin
    if (go_i && valid_i && control_i.beat.first) c_q <= c_i;
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
  mma_sum_pkg::result_t [Lanes-1:0] result_q;  // with its exponent, while the next result's is looked for
  assign sums = go_i && valid_q[Parts-1];

  always_ff @(posedge clk_i) begin
    if (!rst_ni) sum_valid_q <= 1'b0;
    else if (go_i) sum_valid_q <= valid_q[Parts-1];
  end
  always_ff @(posedge clk_i) begin
    if (sums) begin
      mma_sum_pkg::result_t [Lanes-1:0] results;
      sum_control_q <= control;
      for (int unsigned l = 0; l < Lanes; l++) begin
        mma_sum_pkg::top_t top;
        mma_sum_pkg::sum_t sum;
        top = control.beat.first ? top_q[l].top : result_q[l].top;
        sum = control.beat.first ? mma_sum_pkg::addend(control.op, c_q[l], top.exponent) : result_q[l].sum;
        sum = sum + mma_sum_pkg::products(control.op, mma_sum_pkg::places_t'(a[l/4]), mma_sum_pkg::places_t'(b[l]), Places, top.exponent);
        results[l] = '{zero: '0, top: top, sum: sum};
      end
      result_q <= results;
    end
  end

  assign valid_o = sum_valid_q;
  assign control_o = sum_control_q;
  assign result_o = result_q;
  assign busy_o = valid_q != '0 || sum_valid_q;

endmodule
