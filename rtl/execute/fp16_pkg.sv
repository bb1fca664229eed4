// SPDX-License-Identifier: Apache-2.0
// f16 and bf16 arithmetic of one number, as pure functions: the steps of a fused multiply-add, rounded to nearest, and
// minimum, maximum and order. A significand has 11 bits; bf16's eight are the upper ones.
//
// HADD2 is a*1+b and HMUL2 is a*b plus a zero of the product's sign, both exact, so one path serves all, as in fp32_pkg,
// where the argument for the window's width is: one of 28 bits is enough here. Bit 24 has the weight of the larger exponent: the
// product takes 25:4, the addend 24:14. Bits shifted below bit 0 are kept as a one there.
//
//   multiply   11 x 11 significand product, exponents, NaN and infinity decided
//   add        the operand of smaller exponent moves right, add or subtract
//   normalise  leading one to the top, or as far as a subnormal result allows
//   round      to nearest even; overflow, ftz, sat, relu
package fp16_pkg;

  localparam logic [15:0] QuietNan = 16'h7fff;  // the only NaN that arithmetic returns, as silicon does

  function automatic logic is_top(input logic bf16, input logic [15:0] x);  // infinity or NaN
    return &x[14:10] && (!bf16 || &x[9:7]);
  endfunction

  function automatic logic is_nan(input logic bf16, input logic [15:0] x);
    return is_top(bf16, x) && (bf16 ? |x[6:0] : |x[9:0]);
  endfunction

  function automatic logic is_subnormal(input logic bf16, input logic [15:0] x);  // or zero
    return x[14:10] == 5'd0 && (!bf16 || x[9:7] == 3'd0);
  endfunction

  function automatic logic [15:0] flush(input logic bf16, input logic ftz, input logic [15:0] x);
    return (ftz && is_subnormal(bf16, x)) ? {x[15], 15'd0} : x;
  endfunction

  function automatic logic [15:0] one(input logic bf16);
    return bf16 ? 16'h3f80 : 16'h3c00;
  endfunction

  function automatic logic [15:0] infinity(input logic bf16);
    return bf16 ? 16'h7f80 : 16'h7c00;
  endfunction

  function automatic logic [10:0] significand(input logic bf16, input logic [15:0] x);
    return bf16 ? {!is_subnormal(1'b1, x), x[6:0], 3'd0} : {!is_subnormal(1'b0, x), x[9:0]};
  endfunction

  // Biased as in the format; a subnormal has the smallest normal number's.
  function automatic logic [7:0] exponent_of(input logic bf16, input logic [15:0] x);
    return (bf16 ? x[14:7] : {3'd0, x[14:10]}) | {7'd0, is_subnormal(bf16, x)};
  endfunction

  // ---- multiply ------------------------------------------------------------------------------------------
  // Of a product, or (decided) the result.
  typedef struct packed {
    logic        decided;
    logic        sign;
    logic [8:0]  exponent;  // biased, + 128
    logic [21:0] product;   // 2.20 bits; or the result
  } product_t;

  function automatic product_t multiply(input logic bf16, input logic [15:0] a, input logic [15:0] b, input logic [15:0] c);
    /*verilator no_inline_task*/
    product_t t;
    logic     invalid, factor;  // a factor is infinite
    factor = is_top(bf16, a) || is_top(bf16, b);
    t.decided = factor || is_top(bf16, c);
    t.sign = a[15] ^ b[15];
    t.exponent = {1'b0, exponent_of(bf16, a)} + {1'b0, exponent_of(bf16, b)} + (bf16 ? 9'd1 : 9'd113);
    // A zero product has exponent 0, below every addend's.
    if (a[14:0] == 15'd0 || b[14:0] == 15'd0) t.exponent = 9'd0;
    t.product = {11'd0, significand(bf16, a)} * {11'd0, significand(bf16, b)};
    if (t.decided) begin
      // Infinity times zero, and infinities of both signs.
      invalid = is_nan(bf16, a) || is_nan(bf16, b) || is_nan(bf16, c) || (factor && (a[14:0] == 15'd0 || b[14:0] == 15'd0)) ||
                (factor && is_top(bf16, c) && t.sign != c[15]);
      t.product = {6'd0, invalid ? QuietNan : {is_top(bf16, c) ? c[15] : t.sign, 15'(infinity(bf16))}};
    end
    return t;
  endfunction

  function automatic product_t decided(input logic [15:0] result);
    return '{decided: 1'b1, sign: 1'b0, exponent: 9'd0, product: {6'd0, result}};
  endfunction

  // ---- add -----------------------------------------------------------------------------------------------
  typedef struct packed {
    logic        decided;
    logic        sign;
    logic [8:0]  exponent;   // of bit 24
    logic [26:0] magnitude;  // or the result
  } sum_t;

  // The operand of smaller exponent moves right.
  function automatic sum_t add(input logic bf16, input product_t p, input logic [15:0] c);
    /*verilator no_inline_task*/
    sum_t        t;
    logic [27:0] product, addend, fixed, moved, s;
    logic [9:0]  distance;
    logic [4:0]  n;
    logic        product_moves, subtract;
    product = {2'd0, p.product, 4'd0};
    addend = {3'd0, significand(bf16, c), 14'd0};
    distance = {2'd0, exponent_of(bf16, c)} + 10'd128 - {1'b0, p.exponent};
    product_moves = !distance[9];
    if (distance[9]) distance = -distance;
    n = |distance[9:5] ? 5'd31 : distance[4:0];
    fixed = product_moves ? addend : product;
    moved = product_moves ? product : addend;
    moved = (moved >> n) | {27'd0, |(moved & ~(28'hfffffff << n))};
    subtract = p.sign != c[15];
    s = fixed + (moved ^ {28{subtract}}) + {27'd0, subtract};
    t.sign = (product_moves ? c[15] : p.sign) ^ s[27];
    if (s[27]) s = -s;
    // An exact zero of unlike signs is +0.
    if (subtract && s == 28'd0) t.sign = 1'b0;
    t.decided = p.decided;
    t.exponent = product_moves ? {1'b0, exponent_of(bf16, c)} : p.exponent - 9'd128;
    t.magnitude = p.decided ? {5'd0, p.product} : s[26:0];
    return t;
  endfunction

  // ---- normalise -----------------------------------------------------------------------------------------
  typedef struct packed {
    logic        decided;
    logic        sign;
    logic [18:0] body;  // exponent over fraction; or the result
    logic        half;
    logic        rest;
  } normal_t;

  function automatic normal_t normalise(input logic bf16, input sum_t x);
    /*verilator no_inline_task*/
    normal_t     t;
    logic [5:0]  zeros;
    logic [4:0]  shift;
    logic [26:0] m;
    logic [8:0]  field;
    zeros = prim_pkg::leading_zeros32({x.magnitude, 5'h10});
    shift = ({3'd0, zeros} > x.exponent + 9'd1) ? 5'(x.exponent + 9'd1) : zeros[4:0];
    m = x.magnitude << shift;
    field = m[26] ? x.exponent + 9'd2 - {4'd0, shift} : 9'd0;
    t.decided = x.decided;
    t.sign = x.sign;
    t.body = bf16 ? {3'd0, field, m[25:19]} : {field, m[25:16]};
    t.half = bf16 ? m[18] : m[15];
    t.rest = bf16 ? |m[17:0] : |m[14:0];
    if (x.decided) t.body = {3'd0, x.magnitude[15:0]};
    return t;
  endfunction

  // ---- round ---------------------------------------------------------------------------------------------
  function automatic logic [15:0] round(input logic bf16, input normal_t x, input logic ftz, input logic sat,
                                        input logic relu);
    /*verilator no_inline_task*/
    logic [18:0] r;
    logic [15:0] y;
    logic        nan;
    r = x.body + {18'd0, x.half && (x.rest || x.body[0])};
    y = {x.sign, (r >= {4'd0, 15'(infinity(bf16))}) ? 15'(infinity(bf16)) : r[14:0]};
    y = x.decided ? x.body[15:0] : flush(bf16, ftz, y);
    nan = is_nan(bf16, y);
    if (sat && (nan || y[15])) y = 16'd0;
    else if (sat && y > one(bf16)) y = one(bf16);
    else if (relu && y[15] && !nan) y = 16'd0;
    return y;
  endfunction

  // ---- minimum, maximum, comparison ------------------------------------------------------------------------
  function automatic fp32_pkg::order_t order(input logic bf16, input logic [15:0] a, input logic [15:0] b);
    /*verilator no_inline_task*/
    fp32_pkg::order_t o;
    logic             smaller, same;  // magnitudes
    smaller = a[14:0] < b[14:0];
    same = a[14:0] == b[14:0];
    o.nan_a = is_nan(bf16, a);
    o.nan_b = is_nan(bf16, b);
    o.below = (a[15] != b[15]) ? a[15] : (a[15] ? !smaller && !same : smaller);
    o.equal = same && (a[15] == b[15] || a[14:0] == 15'd0);
    return o;
  endfunction

  // `signs` is what the result's sign becomes with xorsign_abs, a and b being magnitudes then.
  function automatic logic [15:0] min_max(input logic bf16, input logic [15:0] a, input logic [15:0] b, input logic max,
                                          input logic nan, input logic xorsign_abs, input logic signs);
    /*verilator no_inline_task*/
    fp32_pkg::order_t o;
    logic [15:0]      r;
    o = order(bf16, a, b);
    r = (o.nan_b || (!o.nan_a && o.below != max)) ? a : b;
    if (xorsign_abs) r[15] = signs;
    if ((o.nan_a && o.nan_b) || (nan && (o.nan_a || o.nan_b))) r = QuietNan;
    return r;
  endfunction

endpackage
