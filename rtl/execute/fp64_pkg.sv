// SPDX-License-Identifier: Apache-2.0
// Binary64 arithmetic of one lane, as pure functions, one or two a step of fp64_unit: a fused multiply-add, and on the
// same shifters and adders minimum, maximum, comparison and conversions with integers.
//
// DADD is a*1+b and DMUL is a*b plus a zero of the product's sign, both exact, so one path serves all. Its window of 111 bits
// is fp32_pkg's, wider (why it is enough is proven there): position 108 has the weight of the larger exponent, the product
// takes 109:4, the addend 108:56, and bits shifted below position 0 are kept as a one there.
//
//   multiply  four products of halves, exponents; the order of a and b
//   place     their sum; who moves how far; NaN, infinity, minimum and maximum decided
//   align     the operand of smaller exponent moves right
//   add       add or subtract
//   count     how far the leading one moves up; an integer is rounded
//   shift     it moves; an integer is clamped
//   round     one of four roundings, overflow
//
// A decided result rides along: it lies in the window's lower 64 bits, nothing is added, nothing moves.
//   I2D   the magnitude is the addend, with its top bit at position 108
//   D2I   the number moves right as an addend does, until its integer's last bit is at position 45
//   DRND  decided but for an addend: the number without its fraction, and what rounding adds to it
package fp64_pkg;

  localparam logic [63:0] Invalid = 64'hfff8_0000_0000_0000;  // what arithmetic makes of no NaN, as silicon does
  localparam logic [63:0] One = 64'h3ff0_0000_0000_0000;
  localparam logic [63:0] QuietBit = 64'h0008_0000_0000_0000;
  localparam logic [11:0] TopOfInt = 12'd1086;  // exponent of 2^63

  typedef logic [127:0] window_t;  // 110:0; a simulator likes whole words

  typedef enum logic [2:0] {Fma, MinMax, Compare, FromInt, ToInt, ToIntegral} kind_e;

  function automatic logic is_nan(input logic [63:0] x);
    /*verilator no_inline_task*/
    return x[62:52] == 11'h7ff && x[51:0] != 52'd0;
  endfunction

  // Biased; a subnormal has the smallest normal number's.
  function automatic logic [10:0] exponent_of(input logic [63:0] x);
    return x[62:52] | {10'd0, x[62:52] == 11'd0};
  endfunction

  // ---- multiply ------------------------------------------------------------------------------------------
  function automatic void multiply(input logic [63:0] x, input logic [63:0] y, output logic [63:0] low,
                                   output logic [63:0] cross_x, output logic [63:0] cross_y, output logic [63:0] high);
    /*verilator no_inline_task*/
    logic [52:0] m, n;
    m = {|x[62:52], x[51:0]};
    n = {|y[62:52], y[51:0]};
    low = {37'd0, m[26:0]} * {37'd0, n[26:0]};
    cross_x = {38'd0, m[52:27]} * {37'd0, n[26:0]};
    cross_y = {37'd0, m[26:0]} * {38'd0, n[52:27]};
    high = {38'd0, m[52:27]} * {38'd0, n[52:27]};
  endfunction

  typedef struct packed {
    logic [11:0] exponent;  // of the product, biased + 1024; 0 of a zero product, below every addend's
    logic        sign_x;    // as the operands came: a NaN keeps its sign
    logic        sign_y;
    logic        sign_z;
    logic        below;     // x before y, -0 before +0
    logic        equal;     // -0 is +0
  } measured_t;

  // Operands with their signs changed, and the signs that they had.
  function automatic measured_t measure(input kind_e kind, input logic [63:0] x, input logic [63:0] y, input logic [2:0] signs);
    /*verilator no_inline_task*/
    measured_t t;
    logic      smaller, same;  // magnitudes
    t = '0;
    {t.sign_x, t.sign_y, t.sign_z} = signs;
    if (kind == Fma) begin
      if (x[62:0] != 63'd0 && y[62:0] != 63'd0) t.exponent = {1'b0, exponent_of(x)} + {1'b0, exponent_of(y)} + 12'd1;
    end else if (kind == MinMax || kind == Compare) begin
      smaller = x[62:0] < y[62:0];
      same = x[62:0] == y[62:0];
      t.below = (x[63] != y[63]) ? x[63] : (x[63] ? !smaller && !same : smaller);
      t.equal = same && (x[63] == y[63] || x[62:0] == 63'd0);
    end
    return t;
  endfunction

  // ---- place ---------------------------------------------------------------------------------------------
  function automatic void add_parts(input logic [63:0] low, input logic [63:0] cross_x, input logic [63:0] cross_y,
                                    input logic [63:0] high, output window_t product);
    /*verilator no_inline_task*/
    logic [63:0] both;
    logic [64:0] lower;
    both = cross_x + cross_y;
    // In two words: the lower one has 54 bits of `low` and ten of `high` above them.
    lower = {1'b0, high[9:0], low[53:0]} + {1'b0, both[36:0], 27'd0};
    product = {{10'd0, high[63:10]} + {37'd0, both[63:37]} + {63'd0, lower[64]}, lower[63:0]};
  endfunction

  typedef struct packed {
    logic        decided;
    logic        subtract;
    logic        sign;           // of the sum, unless it turns negative
    logic        product_moves;
    logic        overflow;       // D2I: 2^64 or more
    logic        nan;            // D2I
    logic        away;           // D2I: rounds away from zero
    logic [6:0]  distance;
    logic [11:0] larger;         // exponent of position 108
  } placed_t;

  function automatic void place_sum(input logic [63:0] x, input logic [63:0] y, input logic [63:0] z, input measured_t t,
                                    output placed_t placed, output logic [63:0] value);
    /*verilator no_inline_task*/
    logic        sign, special;
    logic [11:0] z_exponent;  // + 1024
    logic [12:0] distance;
    placed = '0;
    sign = x[63] ^ y[63];
    z_exponent = {1'b0, exponent_of(z)} + 12'd1024;
    distance = {1'b0, z_exponent} - {1'b0, t.exponent};
    placed.product_moves = !distance[12];
    if (!placed.product_moves) distance = {1'b0, t.exponent} - {1'b0, z_exponent};
    placed.distance = |distance[12:7] ? 7'd127 : distance[6:0];
    placed.larger = placed.product_moves ? {1'b0, exponent_of(z)} : t.exponent - 12'd1024;
    placed.sign = placed.product_moves ? z[63] : sign;
    placed.subtract = sign != z[63];
    value = z;
    special = x[62:52] == 11'h7ff || y[62:52] == 11'h7ff || z[62:52] == 11'h7ff;
    if (special) begin
      placed.decided = 1'b1;
      placed.subtract = 1'b0;
      if (is_nan(y)) value = {t.sign_y, y[62:0]} | QuietBit;
      else if (is_nan(z)) value = {t.sign_z, z[62:0]} | QuietBit;
      else if (is_nan(x)) value = {t.sign_x, x[62:0]} | QuietBit;
      // Infinity times zero, and infinities of both signs.
      else if ((x[62:52] == 11'h7ff && y[62:0] == 63'd0) || (y[62:52] == 11'h7ff && x[62:0] == 63'd0) ||
               ((x[62:52] == 11'h7ff || y[62:52] == 11'h7ff) && z[62:52] == 11'h7ff && sign != z[63])) value = Invalid;
      else value = {z[62:52] == 11'h7ff ? z[63] : sign, 11'h7ff, 52'd0};
    end
  endfunction

  function automatic logic [63:0] min_max(input logic [63:0] x, input logic [63:0] y, input measured_t t, input logic max);
    /*verilator no_inline_task*/
    if (is_nan(x)) return is_nan(y) ? y | QuietBit : y;
    return is_nan(y) || t.below != max ? x : y;
  endfunction

  function automatic logic compare(input logic [63:0] x, input logic [63:0] y, input measured_t t, input logic [3:0] cmp);
    /*verilator no_inline_task*/
    return fp32_pkg::compare('{nan_a: is_nan(x), nan_b: is_nan(y), below: t.below, equal: t.equal}, cmp);
  endfunction

  function automatic void place_int(input logic wide, input logic is_signed, input logic [63:0] y, output placed_t placed,
                                    output logic [63:0] value);
    /*verilator no_inline_task*/
    logic [63:0] m;
    placed = '0;
    placed.sign = is_signed && (wide ? y[63] : y[31]);
    placed.product_moves = 1'b1;
    placed.larger = TopOfInt;
    m = wide ? y : {{32{placed.sign}}, y[31:0]};
    value = placed.sign ? -m : m;
  endfunction

  function automatic placed_t place_float(input logic [63:0] y);
    /*verilator no_inline_task*/
    placed_t     placed;
    logic [12:0] distance;
    placed = '0;
    distance = {1'b0, TopOfInt} - {2'd0, y[62:52]};
    placed.sign = y[63];
    placed.overflow = distance[12];
    placed.nan = is_nan(y);
    placed.distance = |distance[11:7] ? 7'd127 : distance[6:0];
    return placed;
  endfunction

  // Whether rounding goes away from zero.
  function automatic logic rounds_away(input logic [1:0] rnd, input logic sign, input logic odd, input logic half,
                                       input logic rest);
    unique case (rnd)
      fp32_pkg::RoundNearest: return half && (rest || odd);
      fp32_pkg::RoundZero:    return 1'b0;
      fp32_pkg::RoundDown:    return sign && (half || rest);
      default:                return !sign && (half || rest);
    endcase
  endfunction

  // DRND: the number without its fraction, and what is added to its bits; a carry goes into the exponent.
  function automatic void place_integral(input logic [63:0] y, input logic [1:0] rnd, input logic integral,
                                         output logic [63:0] value, output logic [63:0] addend);
    /*verilator no_inline_task*/
    logic [63:0] last, below;
    logic        half, rest, odd;
    logic [10:0] fraction_bits;
    value = is_nan(y) ? y | QuietBit : y;
    addend = '0;
    if (integral && y[62:52] < 11'd1023 && y[62:0] != 63'd0) begin
      half = y[62:52] == 11'd1022;
      rest = !half || |y[51:0];
      value = {y[63], 63'd0};
      if (rounds_away(rnd, y[63], 1'b0, half, rest)) addend = One;
    end else if (integral && y[62:52] >= 11'd1023 && y[62:52] < 11'd1075) begin
      fraction_bits = 11'd1075 - y[62:52];  // 1 to 52
      last = 64'd1 << fraction_bits[5:0];
      below = last - 64'd1;
      half = |(y & (last >> 1));
      rest = |(y & (below >> 1));
      odd = |(y & last);
      value = y & ~below;
      if (rounds_away(rnd, y[63], odd, half, rest)) addend = last;
    end
  endfunction

  // ---- align ---------------------------------------------------------------------------------------------
  function automatic void align(input window_t multiplied, input logic [63:0] value, input placed_t placed,
                                input logic from_int, output window_t fixed, output window_t moved);
    /*verilator no_inline_task*/
    window_t    wide_product, addend, x, coarse, below;
    logic [6:0] bytes;
    logic       lost;
    if (placed.decided) begin
      fixed = {64'd0, value};
      moved = multiplied;
    end else if (from_int) begin
      fixed = {19'd0, value, 45'd0};
      moved = '0;
    end else begin
      wide_product = multiplied << 4;
      addend = {19'd0, |value[62:52], value[51:0], 56'd0};
      fixed = placed.product_moves ? addend : wide_product;
      x = placed.product_moves ? wide_product : addend;
      bytes = {placed.distance[6:3], 3'd0};
      coarse = x >> bytes;
      below = ~({128{1'b1}} << bytes);
      lost = |(x & below) || |(coarse[7:0] & ~(8'hff << placed.distance[2:0]));
      moved = (coarse >> placed.distance[2:0]) | {127'd0, lost};
    end
  endfunction

  // ---- add -----------------------------------------------------------------------------------------------
  // Magnitude and sign of the sum. An exact zero of unlike signs is +0, or -0 when rounding down. D2I: away.
  function automatic void add(input window_t fixed, input window_t moved, input logic [1:0] rnd, input placed_t placed,
                              output window_t sum, output placed_t added);
    /*verilator no_inline_task*/
    logic [111:0] difference, reversed;
    added = placed;
    if (placed.subtract) begin
      difference = fixed[111:0] - moved[111:0];
      reversed = moved[111:0] - fixed[111:0];
      sum = {16'd0, difference[111] ? reversed : difference};
      added.sign = difference == '0 ? rnd == fp32_pkg::RoundDown : placed.sign ^ difference[111];
    end else begin
      sum = fixed + moved;
    end
    added.away = rounds_away(rnd, placed.sign, moved[45], moved[44], |moved[43:0]);
  endfunction

  // ---- count ---------------------------------------------------------------------------------------------
  // How far the leading one moves up: to position 110, or as far as a subnormal result allows.
  function automatic logic [6:0] count(input window_t sum, input placed_t placed);
    /*verilator no_inline_task*/
    logic [6:0] zeros;
    zeros = |sum[110:47] ? {1'b0, prim_pkg::leading_zeros64(sum[110:47])}
                         : 7'd64 + {1'b0, prim_pkg::leading_zeros64({sum[46:0], 17'h10000})};
    if ({5'd0, zeros} > placed.larger + 12'd1) zeros = 7'(placed.larger + 12'd1);
    return placed.decided ? 7'd0 : zeros;
  endfunction

  // ---- shift ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic decided;
    logic sign;
    logic half;  // the bit below the fraction
    logic rest;  // any lower one
  } tail_t;

  // Exponent (0 for zero and subnormals) over fraction; or what was decided.
  function automatic void shift(input window_t sum, input placed_t placed, input logic [6:0] by, output logic [63:0] word,
                                output tail_t tail);
    /*verilator no_inline_task*/
    window_t m;
    m = sum << by;
    tail = '{decided: placed.decided, sign: placed.sign, half: m[57], rest: |m[56:0]};
    word = placed.decided ? m[63:0] : {m[110] ? placed.larger + 12'd2 - {5'd0, by} : 12'd0, m[109:58]};
  endfunction

  // D2I: clamped to 64, 32, 16 or 8 bits; narrower results come sign- or zero-extended.
  function automatic logic [63:0] clamp(input logic [63:0] m, input placed_t placed, input logic wide, input logic is_signed,
                                        input logic [1:0] width);
    /*verilator no_inline_task*/
    logic [63:0] largest;
    unique case (width)
      2'(isa_pkg::IntWidthW16): largest = 64'hffff;
      2'(isa_pkg::IntWidthW8):  largest = 64'hff;
      default:                  largest = 64'hffff_ffff;
    endcase
    if (wide) largest = 64'hffff_ffff_ffff_ffff;
    if (is_signed) largest = largest >> 1;
    if (placed.nan) return is_signed ? ~largest : (largest >> 1) + 64'd1;
    if (!placed.sign) return (placed.overflow || m > largest) ? largest : m;
    if (!is_signed) return 64'd0;
    return (placed.overflow || m > largest) ? ~largest : -m;
  endfunction

  // ---- round ---------------------------------------------------------------------------------------------
  function automatic logic [63:0] round(input logic [63:0] word, input tail_t tail, input logic [1:0] rnd, input logic sat);
    /*verilator no_inline_task*/
    logic [63:0] r;  // exponent over fraction: the carry out of the significand goes where it belongs
    r = word + {63'd0, rounds_away(rnd, tail.sign, word[0], tail.half, tail.rest)};
    // Overflow: infinity, or the largest number when rounding the other way.
    if (r[63] || r[62:52] == 11'h7ff)
      r = (rnd == fp32_pkg::RoundNearest || rnd == (tail.sign ? fp32_pkg::RoundDown : fp32_pkg::RoundUp))
          ? 64'h7ff0_0000_0000_0000 : 64'h7fef_ffff_ffff_ffff;
    r[63] = tail.sign;
    if (tail.decided) r = word;
    // Clamp to [0, 1]: NaN and negative numbers, -0 too, become +0.
    if (sat) begin
      if (r[63] || is_nan(r)) r = 64'd0;
      else if (r[62] || r[61:52] == 10'h3ff) r = One;
    end
    return r;
  endfunction

endpackage
