// SPDX-License-Identifier: Apache-2.0
// Products of integers of one lane, as pure functions: four products of 17 x 17 bits and their sum, without the addend
// (IMAD IMAD.WIDE DP4A DP2A). Of a result of 64 bits a word at a time where int_pkg::word_t has 32.
package imad_pkg;

  function automatic logic [34:0] product(input logic [16:0] x, input logic [16:0] y);
    return 35'($signed(x) * $signed(y));
  endfunction

  function automatic logic [16:0] byte17(input logic sign, input logic [7:0] x);
    return {{9{sign && x[7]}}, x};
  endfunction

  // The products of 16-bit halves: for IMAD weighted 0, 16, 16 and 32. DP2A uses the middle two; DP4A all, in the last
  // one its bytes are the upper ones.
  function automatic void multiply_halves(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] a,
                                          input logic [31:0] b, output logic [34:0] lows, output logic [34:0] cross0,
                                          output logic [34:0] cross1, output logic [34:0] highs);
    /*verilator no_inline_task*/
    logic        four, two, sign, sign_a, sign_b;
    logic [16:0] low_a, low_b, cross_low_a, cross_high_b, cross_high_a, cross_low_b, upper_a, upper_b;
    four = op == isa_pkg::OpDp4a;
    two = op == isa_pkg::OpDp2a;
    sign = (op == isa_pkg::OpImad) ? mod[isa_pkg::MulSignLsb] : mod[isa_pkg::MulWideSignLsb];
    sign_a = (four || two) ? mod[isa_pkg::DotSignALsb] : sign;
    sign_b = (four || two) ? mod[isa_pkg::DotSignBLsb] : sign;
    low_a = {1'b0, a[15:0]};
    low_b = {1'b0, b[15:0]};
    upper_a = {sign_a && a[31], a[31:16]};
    upper_b = {sign_b && b[31], b[31:16]};
    cross_low_a = {two && sign_a && a[15], a[15:0]};
    cross_high_b = upper_b;
    cross_high_a = upper_a;
    cross_low_b = low_b;
    if (four) begin
      low_a = byte17(sign_a, a[7:0]);
      low_b = byte17(sign_b, b[7:0]);
      cross_low_a = byte17(sign_a, a[15:8]);
      cross_high_b = byte17(sign_b, b[15:8]);
      cross_high_a = byte17(sign_a, a[23:16]);
      cross_low_b = byte17(sign_b, b[23:16]);
      upper_a[7:0] = 8'd0;
      upper_b[7:0] = 8'd0;
    end else if (two) begin
      cross_high_b = byte17(sign_b, mod[isa_pkg::DotHiLsb] ? b[23:16] : b[7:0]);
      cross_low_b = byte17(sign_b, mod[isa_pkg::DotHiLsb] ? b[31:24] : b[15:8]);
    end
    lows = product(low_a, low_b);
    cross0 = product(cross_low_a, cross_high_b);
    cross1 = product(cross_high_a, cross_low_b);
    highs = product(upper_a, upper_b);
  endfunction

  // What the sum takes of them.
  typedef struct packed {
    logic four;
    logic two;
    logic high;
  } products_t;

  function automatic products_t products_of(input logic [7:0] op, input logic [17:0] mod, input logic upper);
    products_t t;
    t.four = op == isa_pkg::OpDp4a;
    t.two = op == isa_pkg::OpDp2a;
    t.high = (op == isa_pkg::OpImad && mod[isa_pkg::MulHiLsb]) || (int_pkg::Bits == 32 && upper);
    return t;
  endfunction

  function automatic int_pkg::word_t multiply_sum(input products_t t, input logic [34:0] lows, input logic [34:0] cross0,
                                                  input logic [34:0] cross1, input logic [34:0] highs);
    logic [34:0] middle;
    logic [47:0] sum;
    middle = cross0 + cross1;
    sum = {highs[31:0], lows[31:16]};
    if (t.four) sum = 48'($signed(lows[17:0])) + 48'($signed(highs[33:16]));
    if (t.two) sum = 48'd0;
    sum = sum + 48'($signed(middle));
    return int_pkg::word_t'({sum[47:16], t.high ? sum[47:16] : (t.four || t.two) ? sum[31:0] : {sum[15:0], lows[15:0]}});
  endfunction

  // Both halves in one cycle. Whole words a simulator multiplies at once.
  function automatic int_pkg::word_t multiply(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] a,
                                              input logic [31:0] b);
    /*verilator no_inline_task*/
    logic [34:0] lows, cross0, cross1, highs;
    logic [63:0] whole;
    logic        sign;
    if (op == isa_pkg::OpDp4a || op == isa_pkg::OpDp2a) begin
      multiply_halves(op, mod, a, b, lows, cross0, cross1, highs);
      return multiply_sum(products_of(op, mod, 1'b0), lows, cross0, cross1, highs);
    end
    sign = (op == isa_pkg::OpImad) ? mod[isa_pkg::MulSignLsb] : mod[isa_pkg::MulWideSignLsb];
    whole = {{32{sign && a[31]}}, a} * {{32{sign && b[31]}}, b};
    return int_pkg::word_t'({whole[63:32], (op == isa_pkg::OpImad && mod[isa_pkg::MulHiLsb]) ? whole[63:32] : whole[31:0]});
  endfunction

endpackage
