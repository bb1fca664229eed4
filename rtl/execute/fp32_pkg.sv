// SPDX-License-Identifier: Apache-2.0
// Binary32 arithmetic of one lane, as pure functions: the four stages of a fused multiply-add, and
// minimum, maximum and comparison. fp32_unit calls a stage only for a valid beat. Where rows move in slices it calls the
// halves of fma_add (fma_align, fma_sum) and of fma_normalise (fma_count, fma_shift) in a stage each, and takes what NaN
// and infinity decide past all stages.
//
// FADD is a*1+b and FMUL is a*b plus a zero of the product's sign, both exact, so one path serves all.
//
//   fma_multiply  24 x 24 significand product, exponents, NaN and infinity decided
//   fma_add       the operand of smaller exponent moves right, add or subtract
//   fma_normalise leading one to the top, or as far as a subnormal result allows
//   fma_round     one of four roundings, overflow, ftz, sat
//
// One window of 54 bits, 63:10, is enough. Position 60 has the weight of the larger exponent: the product takes
// 61:14, the addend 60:37. Bits shifted below position 10 are kept as a one there ("jammed"), which is
// right as long as the sum's leading one is at 35 or above. They are lost only when
//   the product moves by more than 4   the addend is normal, its leading one at 60, and at most two leading bits
//                                      cancel; or subnormal: the result's last place is the fixed position 37
//   the addend moves by more than 27   its leading one is below 33, the product's at 37 or above: a factor that
//                                      is subnormal has one bit at least
// The larger exponent is at least 1, for that is a subnormal addend's (and zero's): so a subnormal
// result, too, is only a smaller left shift.
package fp32_pkg;

  localparam logic [31:0] QuietNan = 32'h7fffffff;  // the only NaN that arithmetic returns, as silicon does
  localparam logic [31:0] One = 32'h3f800000;

  // Where rows move in slices area and the longest stage count more than operations of a simulator: sums stay negative, and
  // lost bits are found by bytes.
  localparam bit Narrow = sm_pkg::RowSlices > 1;

  localparam logic [1:0] RoundNearest = 2'(isa_pkg::RoundingRn);
  localparam logic [1:0] RoundZero = 2'(isa_pkg::RoundingRz);
  localparam logic [1:0] RoundDown = 2'(isa_pkg::RoundingRm);
  localparam logic [1:0] RoundUp = 2'(isa_pkg::RoundingRp);

  function automatic logic is_nan(input logic [31:0] x);
    /*verilator no_inline_task*/
    return x[30:23] == 8'hff && x[22:0] != 23'd0;
  endfunction

  // A subnormal becomes zero of its sign.
  function automatic logic [31:0] flush(input logic ftz, input logic [31:0] x);
    return (ftz && x[30:23] == 8'd0) ? {x[31], 31'd0} : x;
  endfunction

  // x >> n; ones shifted out remain as a one in bit 0.
  function automatic logic [63:0] shift_right_jam(input logic [63:0] x, input logic [5:0] n);
    return (x >> n) | {63'd0, |(x & ~(64'hffff_ffff_ffff_ffff << n))};
  endfunction

  // Biased; a subnormal has the smallest normal number's.
  function automatic logic [7:0] exponent_of(input logic [31:0] x);
    /*verilator no_inline_task*/
    return x[30:23] | {7'd0, x[30:23] == 8'd0};
  endfunction

  // ---- multiply ------------------------------------------------------------------------------------
  // NaN and infinity: whether they decide the result of a * b + c, and what it is.
  function automatic logic [32:0] fma_special(input logic [31:0] a, input logic [31:0] b, input logic [31:0] c);
    /*verilator no_inline_task*/
    logic sign, invalid;
    sign = a[31] ^ b[31];
    // Infinity times zero, and infinities of both signs.
    invalid = is_nan(a) || is_nan(b) || is_nan(c) ||
        (a[30:23] == 8'hff && b[30:0] == 31'd0) || (b[30:23] == 8'hff && a[30:0] == 31'd0) ||
        ((a[30:23] == 8'hff || b[30:23] == 8'hff) && c[30:23] == 8'hff && sign != c[31]);
    return {a[30:23] == 8'hff || b[30:23] == 8'hff || c[30:23] == 8'hff,
            invalid ? QuietNan : {(c[30:23] == 8'hff) ? c[31] : sign, 31'h7f800000}};
  endfunction

  // 62: sign of the product, 56:48 its biased exponent + 128, 47:0 its significand (2.46 bits). A zero product has
  // exponent 0, below every addend's.
  function automatic logic [63:0] fma_product(input logic [31:0] a, input logic [31:0] b);
    /*verilator no_inline_task*/
    logic [47:0] product;
    logic [8:0]  exponent;
    product = {24'd0, |a[30:23], a[22:0]} * {24'd0, |b[30:23], b[22:0]};
    exponent = {1'b0, exponent_of(a)} + {1'b0, exponent_of(b)} + 9'd1;  // - 127 + 128
    if (a[30:0] == 31'd0 || b[30:0] == 31'd0) exponent = 9'd0;
    return {1'b0, a[31] ^ b[31], 5'd0, exponent, product};
  endfunction

  // Both: 63: decided, the result is 31:0; else the product.
  function automatic logic [63:0] fma_multiply(input logic [31:0] a, input logic [31:0] b,
                                               input logic [31:0] c);
    /*verilator no_inline_task*/
    logic [32:0] special;
    if (a[30:23] == 8'hff || b[30:23] == 8'hff || c[30:23] == 8'hff) begin
      special = fma_special(a, b, c);
      return decided(special[31:0]);
    end
    return fma_product(a, b);
  endfunction

  // ---- add -----------------------------------------------------------------------------------------
  typedef struct packed {
    logic       subtract;
    logic       sign;    // of the sum, unless it turns negative
    logic [8:0] larger;  // exponent of position 60
  } align_t;

  // The operand of smaller exponent moves right.
  function automatic void fma_align(input logic [63:0] multiplied, input logic [31:0] c, output logic [53:0] fixed,
                                    output logic [53:0] moved, output logic subtract, output logic sign,
                                    output logic [8:0] larger);
    /*verilator no_inline_task*/
    logic [53:0] product, addend, coarse;
    logic [8:0]  c_exponent;  // + 128
    logic [9:0]  distance;
    logic [7:0]  c_biased;
    logic [5:0]  n;
    logic        product_moves, lost;
    c_biased = exponent_of(c);
    c_exponent = Narrow ? {c_biased[7], ~c_biased[7], c_biased[6:0]} : {1'b0, c_biased} + 9'd128;
    product = {2'd0, multiplied[47:0], 4'd0};
    addend = {3'd0, |c[30:23], c[22:0], 27'd0};
    distance = {1'b0, c_exponent} - {1'b0, multiplied[56:48]};
    product_moves = !distance[9];
    if (!product_moves) distance = {1'b0, multiplied[56:48]} - {1'b0, c_exponent};
    n = |distance[9:6] ? 6'd63 : distance[5:0];
    fixed = product_moves ? addend : product;
    moved = product_moves ? product : addend;
    if (Narrow) begin
      coarse = moved >> {n[5:3], 3'd0};
      lost = |(moved & ~(54'h3f_ffff_ffff_ffff << {n[5:3], 3'd0})) || |(coarse[7:0] & ~(8'hff << n[2:0]));
      moved = (coarse >> n[2:0]) | {53'd0, lost};
    end else begin
      moved = (moved >> n) | {53'd0, |(moved & ~(54'h3f_ffff_ffff_ffff << n))};
    end
    larger = product_moves ? {1'b0, c_biased} : multiplied[56:48] - 9'd128;
    sign = product_moves ? c[31] : multiplied[62];
    subtract = multiplied[62] != c[31];
  endfunction

  // Magnitude of the sum in 62:0 under its sign (but fma_sign), or its two's complement, negative; 9:0 are 0; exponent: of position 60,
  // its bit 9 a negative magnitude.
  function automatic void fma_sum(input logic [53:0] fixed, input logic [53:0] moved, input logic subtract, input logic sign,
                                  input logic [8:0] larger, output logic [63:0] sum, output logic [9:0] exponent);
    /*verilator no_inline_task*/
    logic [53:0] magnitude;
    logic [54:0] s;
    // The bit below carries in.
    s = {fixed, subtract} + {moved ^ {54{subtract}}, subtract};
    magnitude = s[54:1];
    exponent = {Narrow && s[54], larger};
    if (!Narrow && s[54]) magnitude = -magnitude;
    sum = {sign ^ s[54], magnitude[52:0], 10'd0};
  endfunction

  // The sum's sign: an exact zero of unlike signs is +0, or -0 when rounding down.
  function automatic logic fma_sign(input logic [63:0] sum, input logic subtract, input logic [1:0] rnd);
    /*verilator no_inline_task*/
    return (subtract && sum[62:0] == 63'd0) ? rnd == RoundDown : sum[63];
  endfunction

  // Both. Exponent 0 marks a decided result, in 62:31.
  function automatic void fma_add(input logic [63:0] multiplied, input logic [31:0] c,
                                  input logic [1:0] rnd, output logic [63:0] sum,
                                  output logic [9:0] exponent);
    /*verilator no_inline_task*/
    logic [53:0] fixed, moved;
    logic [8:0]  larger;
    logic        subtract, sign;
    if (multiplied[63]) begin
      sum = {1'b0, multiplied[31:0], 31'd0};
      exponent = 10'd0;
    end else begin
      fma_align(multiplied, c, fixed, moved, subtract, sign, larger);
      fma_sum(fixed, moved, subtract, sign, larger, sum, exponent);
      if (subtract) sum[63] = fma_sign(sum, 1'b1, rnd);
    end
  endfunction

  // ---- normalise -----------------------------------------------------------------------------------
  // How far the leading one moves up: to the top, or as far as a subnormal result allows.
  function automatic logic [5:0] fma_count(input logic [63:0] sum, input logic [9:0] exponent);
    /*verilator no_inline_task*/
    logic [5:0] zeros;
    zeros = prim_pkg::leading_zeros64({sum[62:0] ^ {63{Narrow && exponent[9]}}, 1'b1});
    return ({3'd0, zeros} > exponent[8:0] + 9'd1) ? 6'(exponent[8:0] + 9'd1) : zeros;
  endfunction

  // 34: sign, 33:25 exponent (0 for zero and subnormals), 24:2 fraction, 1 the bit below, 0 whether any lower bit is set.
  // 35: the fraction is one more, nothing below it.
  //
  // A negative sum is normalised as its one's complement. What is below the fraction's lowest bits decides whether the
  // one that is missing comes up so far; the leading one is a place higher then, as in rounding.
  function automatic logic [63:0] fma_shift(input logic [63:0] sum, input logic [9:0] exponent, input logic [5:0] shift);
    /*verilator no_inline_task*/
    logic [62:0] m;
    logic [24:0] top;
    logic        any, half, negative;
    negative = Narrow && exponent[9];
    m = sum[62:0] << shift;
    any = |m[37:0];
    half = m[38] ^ (negative && any);
    top = m[62:38] ^ {25{negative}};
    return {28'd0, negative && !any && !m[38], sum[63], top[24] ? exponent[8:0] + 9'd2 - {3'd0, shift} : 9'd0, top[23:1],
            half, any};
  endfunction

  // In place of a normal number: 63 marks a decided result, 31:0.
  function automatic logic [63:0] decided(input logic [31:0] result);
    return {32'h80000000, result};
  endfunction

  // Both.
  function automatic logic [63:0] fma_normalise(input logic [63:0] sum, input logic [9:0] exponent);
    /*verilator no_inline_task*/
    if (exponent[8:0] == 9'd0) return decided(sum[62:31]);
    return fma_shift(sum, exponent, fma_count(sum, exponent));
  endfunction

  // ---- round ---------------------------------------------------------------------------------------
  // Of n, or decided.
  function automatic logic [31:0] fma_round(input logic [35:0] n, input logic is_decided, input logic [31:0] result,
                                            input logic [1:0] rnd, input logic ftz, input logic sat);
    /*verilator no_inline_task*/
    logic        sign, away, nan;
    logic [32:0] r;  // exponent over fraction: the carry out of the significand goes where it belongs
    logic [31:0] y;
    nan = 1'b0;
    if (is_decided) begin
      y = result;
      nan = is_nan(result);
    end else begin
      sign = n[34];
      unique case (rnd)
        RoundNearest: away = n[1] && (n[0] || n[2]);
        RoundZero:    away = 1'b0;
        RoundDown:    away = sign && |n[1:0];
        default:      away = !sign && |n[1:0];
      endcase
      r = {1'b0, n[33:2]} + {32'd0, away || (Narrow && n[35])};
      if (r[32:31] != 2'd0 || r[30:23] == 8'hff) begin
        // Overflow: infinity, or the largest number when rounding the other way.
        r = (rnd == RoundNearest || rnd == (sign ? RoundDown : RoundUp)) ? 33'h7f800000 : 33'h7f7fffff;
      end
      y = flush(ftz, {sign, r[30:0]});
    end
    // Clamp to [0, 1]: NaN and negative numbers, -0 too, become +0.
    if (sat) begin
      if (y[31] || nan) y = 32'd0;
      else if (y[30] || y[29:23] == 7'h7f) y = One;
    end
    return y;
  endfunction

  // ---- minimum, maximum, comparison ------------------------------------------------------------------
  typedef struct packed {
    logic nan_a;
    logic nan_b;
    logic below;  // a before b, -0 before +0
    logic equal;  // -0 is +0
  } order_t;

  function automatic order_t order(input logic [31:0] a, input logic [31:0] b);
    /*verilator no_inline_task*/
    order_t o;
    logic   smaller, same;  // magnitudes
    smaller = a[30:0] < b[30:0];
    same = a[30:0] == b[30:0];
    o.nan_a = is_nan(a);
    o.nan_b = is_nan(b);
    o.below = (a[31] != b[31]) ? a[31] : (a[31] ? !smaller && !same : smaller);
    o.equal = same && (a[31] == b[31] || a[30:0] == 31'd0);
    return o;
  endfunction

  // Of numbers or magnitudes a and b, o their order. `signs` is what the result's sign becomes with xorsign_abs.
  function automatic logic [31:0] min_max(input logic [31:0] a, input logic [31:0] b, input order_t o,
                                          input logic max, input logic nan, input logic xorsign_abs,
                                          input logic signs);
    logic        take_a;
    logic [31:0] r;
    take_a = o.nan_b || (!o.nan_a && o.below != max);
    r = take_a ? a : b;
    if (xorsign_abs) r[31] = signs;
    if ((o.nan_a && o.nan_b) || (nan && (o.nan_a || o.nan_b))) r = QuietNan;
    return r;
  endfunction

  function automatic logic compare(input order_t o, input logic [3:0] cmp);
    logic unordered, equal, less;
    unordered = o.nan_a || o.nan_b;
    equal = o.equal;
    less = o.below && !o.equal;
    unique case (cmp)
      4'(isa_pkg::FCmpLt):  return !unordered && less;
      4'(isa_pkg::FCmpLe):  return !unordered && (less || equal);
      4'(isa_pkg::FCmpGt):  return !unordered && !less && !equal;
      4'(isa_pkg::FCmpGe):  return !unordered && !less;
      4'(isa_pkg::FCmpEq):  return !unordered && equal;
      4'(isa_pkg::FCmpNe):  return !unordered && !equal;
      4'(isa_pkg::FCmpNum): return !unordered;
      4'(isa_pkg::FCmpNan): return unordered;
      4'(isa_pkg::FCmpLtu): return unordered || less;
      4'(isa_pkg::FCmpLeu): return unordered || less || equal;
      4'(isa_pkg::FCmpGtu): return unordered || (!less && !equal);
      4'(isa_pkg::FCmpGeu): return unordered || !less;
      4'(isa_pkg::FCmpEqu): return unordered || equal;
      4'(isa_pkg::FCmpNeu): return unordered || !equal;
      default:              return 1'b0;
    endcase
  endfunction

endpackage
