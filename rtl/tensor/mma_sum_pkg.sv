// SPDX-License-Identifier: Apache-2.0
// Arithmetic of one result of a matrix multiply-accumulate, as pure functions: products of 16 places and an addend, added
// exactly as fixed point below a common exponent. The bits are an NVIDIA H200's. No term is rounded before it is added but by
// being cut off, so the order of the terms is free.
//
//   decode                      elements of a word of A or B: sign, exponent, 11 bits of significand
//   addend_top, products_top    the largest exponent of the addend and the products that are not zero; NaN, infinity
//   addend, products            each magnitude moves right to it, 25 fraction bits stay; then the sign; added
//   round                       leading one to the top; f32 is cut off, f16 rounded to nearest even
//
// 1 * 1 + 2^-30 * 1 in f16: top is 0, the second product moves by 30 places and is gone; with 2^-25 it is the last one.
// Integers take decode, addend and products alone: sign and magnitude of bytes, ones of bits, without exponents.
package mma_sum_pkg;

  import mma_pkg::*;

  // Exponents are biased by 127, those of products by 254. A subnormal has the exponent of the smallest normal number. A
  // product's is the sum of its factors' also where the product is 2 or more.
  // Floor: -133. Sums reach seven places above top, and 2^(-133 + 7) is the smallest normal f32: so results are normalised by
  // shifts to the left alone.
  localparam logic [8:0] Floor = 9'd121;

  typedef struct packed {
    logic        sign2;        // bytes: the second of the place
    logic [7:0]  magnitude2;
    logic        sign;
    logic        big;          // infinity or NaN
    logic        nan;
    logic        nonzero;
    logic [7:0]  exponent;
    logic [10:0] significand;  // 1.10; a byte's magnitude
  } element_t;                 // bits: the 16 of the place are the lower ones
  typedef element_t [3:0] places_t;

  typedef struct packed {
    logic       nan;
    logic       plus;      // an infinity of this sign
    logic       minus;
    logic [8:0] exponent;
  } top_t;

  typedef logic [33:0] sum_t;  // two's complement; 25 fraction bits, or an integer

  // ---- decode ----------------------------------------------------------------------------------------------
  function automatic element_t float_element(input logic sign, input logic big, input logic normal, input logic [7:0] exponent,
                                             input logic [9:0] fraction);
    return {9'd0, sign, big, big && fraction != 10'd0, normal || fraction != 10'd0, exponent, normal, fraction};
  endfunction

  function automatic element_t decode_f16(input logic [15:0] x);
    return float_element(x[15], &x[14:10], x[14:10] != 5'd0, 8'd112 + {3'd0, x[14:10] | {4'd0, x[14:10] == 5'd0}}, x[9:0]);
  endfunction

  // bf16, with three zeros, or tf32.
  function automatic element_t decode_f19(input logic [18:0] x);
    return float_element(x[18], &x[17:10], x[17:10] != 8'd0, x[17:10] | {7'd0, x[17:10] == 8'd0}, x[9:0]);
  endfunction

  function automatic logic [7:0] magnitude(input logic negative, input logic [7:0] x);
    /*verilator no_inline_task*/
    return negative ? -x : x;
  endfunction

  // The two places of a word; a tf32 is the upper one, and its low 13 bits do not count.
  function automatic logic [63:0] decode(input format_e format, input logic is_signed, input logic [31:0] word);
    /*verilator no_inline_task*/
    element_t [1:0] e;
    e = '0;
    unique case (format)
      Bytes: begin
        for (int unsigned p = 0; p < 2; p++) begin
          logic [15:0] x;
          logic        sign, sign2;
          x = 16'(word >> (16 * p));
          sign = is_signed && x[7];
          sign2 = is_signed && x[15];
          e[p] = {sign2, magnitude(sign2, x[15:8]), sign, 14'd0, magnitude(sign, x[7:0])};
        end
      end
      Bits: e = {16'd0, word[31:16], 16'd0, word[15:0]};
      Tf32: e[1] = decode_f19(word[31:13]);
      Bf16: e = {decode_f19({word[31:16], 3'd0}), decode_f19({word[15:0], 3'd0})};
      default: e = {decode_f16(word[31:16]), decode_f16(word[15:0])};
    endcase
    return e;
  endfunction

  // ---- largest exponent ------------------------------------------------------------------------------------
  function automatic top_t addend_top(input logic f16, input logic [31:0] c);
    /*verilator no_inline_task*/
    top_t t;
    logic big;
    big = f16 ? &c[14:10] : &c[30:23];
    t.nan = big && (f16 ? c[9:0] != 10'd0 : c[22:0] != 23'd0);
    t.minus = big && !t.nan && (f16 ? c[15] : c[31]);
    t.plus = big && !t.nan && !t.minus;
    if (f16) t.exponent = 9'd239 + {4'd0, c[14:10] | {4'd0, c[14:10] == 5'd0}};
    else t.exponent = 9'd127 + {1'b0, c[30:23] | {7'd0, c[30:23] == 8'd0}};
    if (f16 ? c[14:0] == 15'd0 : c[30:0] == 31'd0) t.exponent = Floor;
    return t;
  endfunction

  // so_far with four products more.
  function automatic top_t products_top(input places_t a, input places_t b, input top_t so_far);
    /*verilator no_inline_task*/
    top_t       t;
    logic [8:0] largest;
    element_t   any;  // has what one of them has
    t = so_far;
    largest = so_far.exponent;
    any = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      logic [8:0] e;
      e = {1'b0, a[p].exponent} + {1'b0, b[p].exponent};
      if (a[p].nonzero && b[p].nonzero && e > largest) largest = e;
      any |= a[p] | b[p];
    end
    t.exponent = largest;
    if (any.big) begin
      for (int unsigned p = 0; p < 4; p++) begin
        logic product_nan, infinite;
        product_nan = a[p].nan || b[p].nan || (a[p].big && !b[p].nonzero) || (b[p].big && !a[p].nonzero);
        infinite = !product_nan && (a[p].big || b[p].big);
        t.nan = t.nan || product_nan;
        t.minus = t.minus || (infinite && a[p].sign != b[p].sign);
        t.plus = t.plus || (infinite && a[p].sign == b[p].sign);
      end
    end
    return t;
  endfunction

  // ---- sum -------------------------------------------------------------------------------------------------
  function automatic sum_t addend(input op_t op, input logic [31:0] c, input logic [8:0] top);
    /*verilator no_inline_task*/
    logic [26:0] m;
    logic [8:0]  distance;
    top_t        own;
    own = addend_top(op.f16_d, c);
    m = op.f16_d ? {1'b0, c[14:10] != 5'd0, c[9:0], 15'd0} : {1'b0, c[30:23] != 8'd0, c[22:0], 2'd0};
    distance = top - own.exponent;  // of a zero anything
    m = distance[8:5] != 4'd0 ? 27'd0 : m >> distance[4:0];
    if (is_integer(op.format)) return {{2{c[31]}}, c};
    return (op.f16_d ? c[15] : c[31]) ? -{7'd0, m} : {7'd0, m};
  endfunction

  // Four places. One multiplier a place serves floating point and a byte, a second, smaller one the other byte.
  function automatic sum_t products(input op_t op, input places_t a, input places_t b, input logic [8:0] top);
    /*verilator no_inline_task*/
    logic [63:0] s;
    s = '0;
    for (int unsigned p = 0; p < 4; p++) begin
      logic [31:0] m;
      logic [8:0]  distance;
      m = {21'd0, a[p].significand} * {21'd0, b[p].significand};
      if (op.format == Bits) m = 32'($countones(op.exor ? a[p][15:0] ^ b[p][15:0] : a[p][15:0] & b[p][15:0]));
      else if (op.format != Bytes) begin
        distance = top - ({1'b0, a[p].exponent} + {1'b0, b[p].exponent});
        m = distance[8:5] != 4'd0 ? 32'd0 : {m[26:0], 5'd0} >> distance[4:0];
      end
      s = s + (a[p].sign != b[p].sign ? -{32'd0, m} : {32'd0, m});
    end
    if (op.format == Bytes) begin
      for (int unsigned p = 0; p < 4; p++) begin
        logic [31:0] m;
        m = {24'd0, a[p].magnitude2} * {24'd0, b[p].magnitude2};
        s = s + (a[p].sign2 != b[p].sign2 ? -{32'd0, m} : {32'd0, m});
      end
    end
    return s[33:0];
  endfunction

  // ---- round -----------------------------------------------------------------------------------------------
  function automatic logic [5:0] leading_zeros(input logic [32:0] x);
    /*verilator no_inline_task*/
    logic [5:0]  n;
    logic [31:0] y;
    n = '0;
    y = x[32:1];
    if (y[31:16] == '0) begin n[4] = 1'b1; y = y << 16; end
    if (y[31:24] == '0) begin n[3] = 1'b1; y = y << 8; end
    if (y[31:28] == '0) begin n[2] = 1'b1; y = y << 4; end
    if (y[31:30] == '0) begin n[1] = 1'b1; y = y << 2; end
    n[0] = !y[31];
    return x[32:1] == '0 ? 6'd32 : n;
  endfunction

  function automatic logic [31:0] round_float(input logic f16, input sum_t s, input top_t t);
    /*verilator no_inline_task*/
    logic        negative, half, rest;
    logic [32:0] m;
    logic [5:0]  by;
    logic [8:0]  room;
    logic [9:0]  field, down;  // field of an f32; places that an f16 is below its smallest normal number
    logic [31:0] r;
    negative = s[33];
    m = 33'(negative ? -s : s);
    by = leading_zeros(m);
    room = t.exponent - Floor;
    if ({3'd0, by} > room) by = room[5:0];
    m = m << by;
    field = m[32] ? {1'b0, t.exponent} - 10'd120 - {4'd0, by} : 10'd0;
    if (!f16) begin
      r = field >= 10'd255 ? 32'h7f800000 : {1'b0, field[7:0], m[31:9]};
      r[31] = negative && r != '0;  // zero is +0, whatever was cut off
      if (t.minus) r = 32'hff800000;
      if (t.plus) r = 32'h7f800000;
      if (t.nan || (t.plus && t.minus)) r = 32'h7fffffff;
    end else begin
      down = field > 10'd112 ? 10'd0 : 10'd113 - field;
      if (down > 10'd31) down = 10'd31;
      rest = (m & ~(33'h1ffffffff << down)) != '0;
      m = m >> down;
      half = m[21];
      rest = rest || m[20:0] != '0;
      // The leading one of a normal number counts up the exponent, and so does a carry.
      r = {17'd0, field > 10'd112 ? 5'(field - 10'd113) : 5'd0, 10'd0} + {21'd0, m[32:22]} + {31'd0, half && (rest || m[22])};
      if (field >= 10'd143 || r[14:10] == 5'd31) r = 32'h7c00;
      r[15] = negative && r != '0;
      if (t.minus) r = 32'hfc00;
      if (t.plus) r = 32'h7c00;
      if (t.nan || (t.plus && t.minus)) r = 32'h7fff;
    end
    return r;
  endfunction

  function automatic logic [31:0] round(input op_t op, input sum_t s, input top_t t);
    /*verilator no_inline_task*/
    if (!is_integer(op.format)) return round_float(op.f16_d, s, t);
    return op.sat && s[33:31] != 3'b000 && s[33:31] != 3'b111 ? {s[33], {31{!s[33]}}} : s[31:0];
  endfunction

endpackage
