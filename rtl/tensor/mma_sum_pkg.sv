// SPDX-License-Identifier: Apache-2.0
// Arithmetic of one result of a matrix multiply-accumulate, as pure functions: products of 16 places and an addend, added
// exactly as fixed point below a common exponent. The bits are an NVIDIA H200's. No term is rounded before it is added but by
// being cut off, so the order of the terms is free.
//
//   decode              elements of a word of A or B: sign, exponent, 11 bits of significand
//   largest             the largest exponent of the addend and the products that are not zero; NaN, infinity
//   addend, products    each magnitude moves right to it, 25 fraction bits stay; then the sign; added
//   round               leading one to the top; f32 is cut off, f16 rounded to nearest even
//
// 1 * 1 + 2^-30 * 1 in f16: top is 0, the second product moves by 30 places and is gone; with 2^-25 it is the last one.
// Integers take decode, addend and products alone: sign and magnitude of bytes, ones of bits, without exponents.
// Where a beat has two results the places are `apart`: 0-7 and 8-15, the low and the high half, have an addend, a largest exponent and a
// sum each. Otherwise the halves are joined.
// `count`, how many places a beat has, is a constant. Loops that end at it go over arrays: a simulator leaves them loops, of which
// its compiler does eight places at a time (docs/simulation-speed.md, 14). What functions call is written out or not inlined, for the same
// reason.
package mma_sum_pkg;

  import mma_pkg::*;

  // Exponents are biased by 127, those of products by 254. A subnormal has the exponent of the smallest normal number. A
  // product's is the sum of its factors' also where the product is 2 or more.
  // Floor: -133. Sums reach seven places above top, and 2^(-133 + 7) is the smallest normal f32: so results are normalised by
  // shifts to the left alone.
  localparam logic [8:0] Floor = 9'd121;

  // Ranks of two factors add up to their product's: 1536 and more where one is infinity or NaN, else 1024 and the exponent, or
  // less than 1024 where one is zero.
  typedef struct packed {
    logic       room;      // 0, for the carry
    logic       big;       // infinity or NaN; bytes: sign of magnitude2
    logic       nonzero;
    logic [8:0] exponent;  // 8 bits and one for the carry
  } rank_t;

  typedef struct packed {
    logic [10:0] significand;  // 1.10; a byte's magnitude
    logic        sign;
    logic [7:0]  magnitude2;   // bytes: the second of the place
    rank_t       rank;
  } element_t;                 // bits: 11 of the place are the significand, 5 the exponent
  typedef element_t [15:0] places_t;

  typedef struct packed {
    logic       nan;
    logic       plus;      // an infinity of this sign
    logic       minus;
    logic [8:0] exponent;
  } top_t;

  typedef logic [33:0] sum_t;  // two's complement; 25 fraction bits, or an integer

  // Of both halves, and a result that is being added: in whole words for a simulator's sake.
  typedef struct packed {
    logic [7:0] zero;
    top_t       high;  // of no account unless they are apart
    top_t       low;
  } tops_t;
  typedef struct packed {
    logic [31:0] high, low;
  } halves_t;
  typedef struct packed {
    logic [17:0] zero;
    top_t        top;
    sum_t        sum;
  } result_t;

  // ---- decode ----------------------------------------------------------------------------------------------
  // The first `count` places, two of each word. Numbers become one of 19 bits, as a tf32 is: it is the upper place of its word, whose low 13
  // bits do not count. A subnormal number has the exponent of the smallest normal one.
  function automatic void decode(input format_e format, input logic is_signed, input logic [7:0][31:0] words, input int unsigned count,
                                 output places_t e);
    /*verilator no_inline_task*/
    logic [31:0] x [16];
    element_t    made [16];
    logic [7:0]  bias, all_ones;
    for (int unsigned p = 0; p < 16; p++) begin
      x[p] = {16'd0, words[p/2][16*(p%2)+:16]};
      made[p] = '0;
    end
    bias = 8'd0;
    all_ones = 8'd255;
    case (format)
      F16: begin
        bias = 8'd112;
        all_ones = 8'd31;
        for (int unsigned p = 0; p < 16 && p < count; p++) x[p] = {13'd0, x[p][15], 3'd0, x[p][14:0]};
      end
      Bf16: for (int unsigned p = 0; p < 16 && p < count; p++) x[p] = {13'd0, x[p][15:0], 3'd0};
      Tf32: begin
        for (int unsigned w = 0; w < 8; w++) begin
          x[2*w] = '0;
          x[2*w+1] = {13'd0, words[w][31:13]};
        end
      end
      default: ;
    endcase
    if (format == Bytes) begin
      for (int unsigned p = 0; p < 16 && p < count; p++) begin
        logic sign, sign2;
        sign = is_signed && x[p][7];
        sign2 = is_signed && x[p][15];
        made[p] = {3'd0, sign ? -x[p][7:0] : x[p][7:0], sign, sign2 ? -x[p][15:8] : x[p][15:8], 1'b0, sign2, 10'd0};
      end
    end else if (format == Bits) begin
      for (int unsigned p = 0; p < 16 && p < count; p++) made[p] = {x[p][15:5], 16'd0, x[p][4:0]};
    end else begin
      for (int unsigned p = 0; p < 16 && p < count; p++) begin
        logic normal, ones;
        logic [7:0] exponent;
        normal = x[p][17:10] != 8'd0;
        ones = x[p][17:10] == all_ones;
        exponent = (bias + x[p][17:10]) | {7'd0, !normal};
        made[p] = {normal, x[p][9:0], x[p][18], 8'd0, 1'b0, ones, normal || x[p][9:0] != 10'd0, 1'b0, exponent};
      end
    end
    for (int unsigned p = 0; p < 16; p++) e[p] = made[p];
  endfunction

  // ---- largest exponent ------------------------------------------------------------------------------------
  // Of a subnormal number that of the smallest normal.
  function automatic top_t addend_top(input logic f16, input logic [31:0] c);
    /*verilator no_inline_task*/
    top_t t;
    logic negative, zero, big, nan;
    t = '0;
    if (f16) begin
      t.exponent = 9'd239 + {4'd0, c[14:10] | {4'd0, c[14:10] == 5'd0}};
      zero = c[14:0] == 15'd0;
      big = &c[14:10];
      nan = c[9:0] != 10'd0;
      negative = c[15];
    end else begin
      t.exponent = 9'd127 + {1'b0, c[30:23] | {7'd0, c[30:23] == 8'd0}};
      zero = c[30:0] == 31'd0;
      big = &c[30:23];
      nan = c[22:0] != 23'd0;
      negative = c[31];
    end
    if (zero) t.exponent = Floor;
    if (big) begin
      t.nan = nan;
      t.minus = !nan && negative;
      t.plus = !nan && !negative;
    end
    return t;
  endfunction

  // so_far with the NaN and infinities among the products.
  function automatic tops_t infinities(input places_t a, input places_t b, input logic apart, input tops_t so_far);
    /*verilator no_inline_task*/
    tops_t      t;
    logic [1:0] nan, minus, plus;  // of each half
    {nan, minus, plus} = '0;
    for (int unsigned p = 0; p < 16; p++) begin
      logic product_nan, infinite;
      product_nan = (a[p].rank.big && (a[p].significand[9:0] != 10'd0 || !b[p].rank.nonzero)) ||
                    (b[p].rank.big && (b[p].significand[9:0] != 10'd0 || !a[p].rank.nonzero));
      infinite = !product_nan && (a[p].rank.big || b[p].rank.big);
      nan = nan | {p >= 8 && product_nan, p < 8 && product_nan};
      minus = minus | ({p >= 8 && infinite, p < 8 && infinite} & {2{a[p].sign != b[p].sign}});
      plus = plus | ({p >= 8 && infinite, p < 8 && infinite} & {2{a[p].sign == b[p].sign}});
    end
    t = so_far;
    t.low.nan = t.low.nan || nan[0] || (!apart && nan[1]);
    t.low.minus = t.low.minus || minus[0] || (!apart && minus[1]);
    t.low.plus = t.low.plus || plus[0] || (!apart && plus[1]);
    t.high.nan = t.high.nan || nan[1];
    t.high.minus = t.high.minus || minus[1];
    t.high.plus = t.high.plus || plus[1];
    return t;
  endfunction

  // Those so far, of the first part the addends', with those of the first `count` places.
  function automatic tops_t largest(input logic first, input logic f16, input logic apart, input tops_t so_far, input logic [31:0] c,
                                    input logic [31:0] c_hi, input places_t a, input places_t b, input int unsigned count);
    /*verilator no_inline_task*/
    tops_t       t;
    logic [31:0] low, high;
    element_t    x [16], y [16];
    for (int unsigned p = 0; p < 16; p++) begin
      x[p] = a[p];
      y[p] = b[p];
    end
    t = so_far;
    if (first) t.low = addend_top(f16, c);
    if (apart) t.high = addend_top(f16, c_hi);
    low = {20'd0, 3'b010, t.low.exponent};
    high = apart ? {20'd0, 3'b010, t.high.exponent} : 32'd0;
    for (int unsigned p = 0; p < 16 && p < count; p++) begin
      logic [31:0] rank, rank_low, rank_high;
      rank = {20'd0, x[p].rank + y[p].rank};
      rank_low = p < 8 ? rank : 32'd0;
      rank_high = p < 8 ? 32'd0 : rank;
      if (rank_low > low) low = rank_low;
      if (rank_high > high) high = rank_high;
    end
    if (!apart && high > low) low = high;
    t.low.exponent = low[8:0];  // of no account when there is an infinity or NaN
    t.high.exponent = high[8:0];
    if (low >= 32'd1536 || high >= 32'd1536) t = infinities(a, b, apart, t);
    return t;
  endfunction

  // ---- sum -------------------------------------------------------------------------------------------------
  function automatic sum_t addend(input op_t op, input logic [31:0] c, input logic [8:0] top);
    /*verilator no_inline_task*/
    logic        negative;
    logic [26:0] m;
    logic [8:0]  distance;  // of a zero anything
    if (op.format == Bytes || op.format == Bits) return {{2{c[31]}}, c};
    if (op.f16_d) begin
      negative = c[15];
      m = {1'b0, c[14:10] != 5'd0, c[9:0], 15'd0};
      distance = top - (9'd239 + {4'd0, c[14:10] | {4'd0, c[14:10] == 5'd0}});
    end else begin
      negative = c[31];
      m = {1'b0, c[30:23] != 8'd0, c[22:0], 2'd0};
      distance = top - (9'd127 + {1'b0, c[30:23] | {7'd0, c[30:23] == 8'd0}});
    end
    m = distance[8:5] != 4'd0 ? 27'd0 : m >> distance[4:0];
    return negative ? -{7'd0, m} : {7'd0, m};
  endfunction

  // The second bytes of places.
  function automatic halves_t second_products(input places_t a, input places_t b, input int unsigned count);
    /*verilator no_inline_task*/
    halves_t s;
    s = '0;
    for (int unsigned p = 0; p < 16; p++) begin
      logic [31:0] m;
      m = {24'd0, a[p].magnitude2} * {24'd0, b[p].magnitude2};
      m = a[p].rank.big != b[p].rank.big ? -m : m;
      if (p < 8 && p < count) s.low = s.low + m;
      if (p >= 8 && p < count) s.high = s.high + m;
    end
    return s;
  endfunction

  function automatic halves_t equal_bits(input logic exor, input places_t a, input places_t b, input int unsigned count);
    /*verilator no_inline_task*/
    halves_t s;
    s = '0;
    for (int unsigned p = 0; p < 16; p++) begin
      logic [15:0] x, y;
      logic [31:0] ones;
      x = {a[p].significand, a[p].rank.exponent[4:0]};
      y = {b[p].significand, b[p].rank.exponent[4:0]};
      ones = 32'($countones(exor ? x ^ y : x & y));
      if (p < 8 && p < count) s.low = s.low + ones;
      if (p >= 8 && p < count) s.high = s.high + ones;
    end
    return s;
  endfunction

  // The first `count` places; in `low` those of both halves unless they are apart. 16 products of 27 bits and their signs are 32 bits.
  // One multiplier a place serves floating point and a byte, a second, smaller one the other byte.
  function automatic halves_t products(input op_t op, input logic apart, input tops_t top, input places_t a, input places_t b,
                                       input int unsigned count);
    /*verilator no_inline_task*/
    halves_t     s;
    logic [31:0] low, high;
    element_t    x [16], y [16];
    logic [8:0]  from, from_hi;  // the exponent; bytes, which have none, move back to where they were
    for (int unsigned p = 0; p < 16; p++) begin
      x[p] = a[p];
      y[p] = b[p];
    end
    from = op.format == Bytes ? 9'd5 : top.low.exponent;
    from_hi = apart && op.format != Bytes ? top.high.exponent : from;
    low = '0;
    high = '0;
    for (int unsigned p = 0; p < 16 && p < count; p++) begin
      logic [31:0] m;
      logic [8:0]  distance;
      m = {21'd0, x[p].significand} * {21'd0, y[p].significand};
      distance = (p < 8 ? from : from_hi) - (x[p].rank.exponent + y[p].rank.exponent);
      m = distance[8:5] != 4'd0 ? 32'd0 : {m[26:0], 5'd0} >> distance[4:0];
      m = x[p].sign ^ y[p].sign ? -m : m;
      low = low + (p < 8 ? m : 32'd0);
      high = high + (p < 8 ? 32'd0 : m);
    end
    if (op.format == Bits) begin
      s = equal_bits(op.exor, a, b, count);
      low = s.low;
      high = s.high;
    end else if (op.format == Bytes) begin
      s = second_products(a, b, count);
      low = low + s.low;
      high = high + s.high;
    end
    if (!apart) low = low + high;
    return '{high: high, low: low};
  endfunction

  // ---- round -----------------------------------------------------------------------------------------------
  // Numbers are as wide as words, for a simulator's sake.
  function automatic logic [31:0] leading_zeros(input logic [32:0] x);
    /*verilator no_inline_task*/
    logic [31:0] n, y;
    n = '0;
    y = x[32:1];
    if (y[31:16] == '0) begin n = 32'd16; y = y << 16; end
    if (y[31:24] == '0) begin n = n | 32'd8; y = y << 8; end
    if (y[31:28] == '0) begin n = n | 32'd4; y = y << 4; end
    if (y[31:30] == '0) begin n = n | 32'd2; y = y << 2; end
    n = n | {31'd0, !y[31]};
    return x[32:1] == '0 ? 32'd32 : n;
  endfunction

  function automatic logic [31:0] round(input op_t op, input sum_t s, input top_t t);
    /*verilator no_inline_task*/
    logic        negative, half, rest;
    logic [32:0] m;
    logic [31:0] by, room;
    logic [9:0]  field, down;  // field of an f32; places that an f16 is below its smallest normal number
    logic [31:0] r;
    if (op.format == Bytes || op.format == Bits)
      return op.sat && s[33:31] != 3'b000 && s[33:31] != 3'b111 ? {s[33], {31{!s[33]}}} : s[31:0];
    negative = s[33];
    m = 33'(negative ? -s : s);
    by = leading_zeros(m);
    room = {23'd0, t.exponent - Floor};
    if (by > room) by = room;
    m = m << by[5:0];
    field = m[32] ? {1'b0, t.exponent} - 10'd120 - by[9:0] : 10'd0;
    if (!op.f16_d) begin
      r = field >= 10'd255 ? 32'h7f800000 : {1'b0, field[7:0], m[31:9]};
      r[31] = negative && r != '0;  // zero is +0, whatever was cut off
      if (t.nan || t.plus || t.minus) r = t.nan || (t.plus && t.minus) ? 32'h7fffffff : t.plus ? 32'h7f800000 : 32'hff800000;
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
      if (t.nan || t.plus || t.minus) r = t.nan || (t.plus && t.minus) ? 32'h7fff : t.plus ? 32'h7c00 : 32'hfc00;
    end
    return r;
  endfunction

endpackage
