// SPDX-License-Identifier: Apache-2.0
// Sums of floating-point numbers in memory, as pure functions: f32, each half of f16x2 and bf16x2, and f64. Two steps: `add` moves the
// number of smaller exponent right and adds or subtracts, `round` normalises and rounds to nearest even. A minimum or maximum of
// f16x2 and bf16x2 is one of its numbers plus zero: `add` takes the number, and `round` gives its bits back.
//
// All formats go through f32's window: a significand of 24 bits with its leading one at the top, and three bits below it, of
// which the last holds whether any lower bit is set. Exponents keep their format's bias: the least is 1 in each.
package atomic_float_pkg;

  typedef enum logic [1:0] {
    F32  = 2'd0,
    F16  = 2'd1,
    Bf16 = 2'd2
  } format_e;

  function automatic format_e format_of(input mem_pkg::atom_type_t kind);
    case (3'(kind))
      3'(isa_pkg::AtomTypeF16x2):  return F16;
      3'(isa_pkg::AtomTypeBf16x2): return Bf16;
      default:                     return F32;
    endcase
  endfunction

  typedef struct packed {
    logic        nan;
    logic        infinite;
    logic        sign;
    logic [7:0]  exponent;      // a subnormal number has the smallest normal one's
    logic [23:0] significand;
  } number_t;

  // bits: in 31:0 an f32, else in 15:0.
  function automatic number_t unpack(input format_e format, input logic flush, input logic [31:0] bits);
    /*verilator no_inline_task*/
    number_t    n;
    logic [7:0] biased;
    logic       full;          // exponent of NaN and infinity
    case (format)
      F16: begin
        n.sign = bits[15];
        biased = {3'd0, bits[14:10]};
        n.significand = {1'b0, bits[9:0], 13'd0};
        full = &bits[14:10];
      end
      Bf16: begin
        n.sign = bits[15];
        biased = bits[14:7];
        n.significand = {1'b0, bits[6:0], 16'd0};
        full = &bits[14:7];
      end
      default: begin
        n.sign = bits[31];
        biased = bits[30:23];
        n.significand = {1'b0, bits[22:0]};
        full = &bits[30:23];
      end
    endcase
    n.nan = full && n.significand != '0;
    n.infinite = full && n.significand == '0;
    n.significand[23] = biased != '0;
    if (flush && biased == '0) n.significand = '0;
    n.exponent = {biased[7:1], biased[0] || biased == '0};
    return n;
  endfunction

  // Magnitude: leading one at 26 of the larger exponent, or above by the carry.
  typedef struct packed {
    logic        nan;
    logic        infinite;
    logic        sign;
    logic [7:0]  exponent;
    logic [27:0] magnitude;
  } sum_t;

  // op: AtomOpAdd, AtomOpMin or AtomOpMax.
  function automatic sum_t add(input format_e format, input logic flush, input logic [3:0] op,
                               input logic [31:0] x_bits, input logic [31:0] y_bits);
    /*verilator no_inline_task*/
    number_t     x, y, greater, lesser;
    sum_t        s;
    logic        picks, smaller, x_first;   // picks: minimum or maximum; smaller: |x| < |y|; x_first: x < y, or they are equal
    logic        subtract;
    logic [7:0]  distance;
    logic [26:0] fixed, moved, shifted;
    logic [4:0]  n;
    x = unpack(format, flush, x_bits);
    y = unpack(format, flush, y_bits);
    picks = op != 4'(isa_pkg::AtomOpAdd);
    smaller = {x.exponent, x.significand} < {y.exponent, y.significand};
    subtract = x.sign != y.sign && !picks;
    {greater, lesser} = smaller ? {y, x} : {x, y};
    x_first = x.sign ^ (smaller && x.sign == y.sign);
    if (picks) begin
      // A NaN gives way to a number; -0 is less than +0.
      greater = x.nan || (!y.nan && x_first == (op == 4'(isa_pkg::AtomOpMax))) ? y : x;
      lesser.significand = '0;
    end
    distance = greater.exponent - lesser.exponent;
    n = |distance[7:5] ? 5'd31 : distance[4:0];
    fixed = {greater.significand, 3'd0};
    moved = {lesser.significand, 3'd0};
    shifted = moved >> n;
    shifted[0] = shifted[0] || (moved & ~(27'h7ffffff << n)) != '0;
    s.magnitude = {1'b0, fixed} + ({1'b0, shifted} ^ {28{subtract}}) + 28'(subtract);
    s.exponent = greater.exponent;
    s.nan = picks ? x.nan && y.nan : x.nan || y.nan || (x.infinite && y.infinite && subtract);
    s.infinite = picks ? greater.infinite : x.infinite || y.infinite;
    // Numbers that cancel leave +0. Infinity is the larger.
    s.sign = greater.sign && !(subtract && {x.exponent, x.significand} == {y.exponent, y.significand});
    return s;
  endfunction

  // In 31:0 an f32, else in 15:0.
  function automatic logic [31:0] round(input format_e format, input logic flush, input sum_t s);
    /*verilator no_inline_task*/
    logic [5:0]  zeros;
    logic [4:0]  shift;
    logic [27:0] m;
    logic [8:0]  exponent;
    logic [31:0] kept;
    logic        half, below, over;
    zeros = prim_pkg::leading_zeros32({s.magnitude, 4'hf});
    shift = {3'd0, zeros} > {1'b0, s.exponent} ? s.exponent[4:0] : zeros[4:0];
    m = s.magnitude << shift;
    exponent = m[27] ? {1'b0, s.exponent} + 9'd1 - {4'd0, shift} : 9'd0;
    // Exponent over fraction: the carry out of the significand goes where it belongs.
    case (format)
      F16: begin
        kept = {13'd0, exponent, m[26:17]};
        {half, below} = {m[16], |m[15:0]};
      end
      Bf16: begin
        kept = {16'd0, exponent, m[26:20]};
        {half, below} = {m[19], |m[18:0]};
      end
      default: begin
        kept = {exponent, m[26:4]};
        {half, below} = {m[3], |m[2:0]};
      end
    endcase
    kept = kept + 32'(half && (below || kept[0]));
    case (format)
      F16: begin
        over = kept[18:10] >= 9'd31 || s.infinite;
        return s.nan ? 32'h7fff : {16'd0, s.sign, over ? 15'h7c00 : kept[14:0]};
      end
      Bf16: begin
        over = kept[15:7] >= 9'd255 || s.infinite;
        return s.nan ? 32'h7fff : {16'd0, s.sign, over ? 15'h7f80 : kept[14:0]};
      end
      default: begin
        over = kept[31:23] >= 9'd255 || s.infinite;
        return s.nan ? 32'h7fffffff : {s.sign, over ? 31'h7f800000 : flush && kept[30:23] == '0 ? 31'd0 : kept[30:0]};
      end
    endcase
  endfunction

  // ---- f64 ---------------------------------------------------------------------------------------------
  typedef struct packed {
    logic        nan;        // the result is what nan64 says
    logic        infinite;
    logic        sign;
    logic [10:0] exponent;
    logic [56:0] magnitude;  // leading one at 55 of the larger exponent, or above by the carry
  } sum64_t;

  function automatic logic is_nan64(input logic [63:0] x);
    return &x[62:52] && x[51:0] != '0;
  endfunction
  function automatic logic is_infinite64(input logic [63:0] x);
    return &x[62:52] && x[51:0] == '0;
  endfunction

  // Global memory passes the operand's NaN if it is one, else memory's, as they are; shared memory passes memory's, else the operand's,
  // made quiet. x is memory's.
  function automatic logic [63:0] nan64(input logic shared, input logic [63:0] x, input logic [63:0] y);
    if (is_nan64(x) && (shared || !is_nan64(y))) return x | {12'd0, shared, 51'd0};
    if (is_nan64(y)) return y | {12'd0, shared, 51'd0};
    return 64'hfff8000000000000;
  endfunction

  function automatic sum64_t add64(input logic [63:0] x, input logic [63:0] y);
    sum64_t      s;
    logic [63:0] greater, lesser;
    logic        subtract;
    logic [10:0] high, low, distance;   // exponents: a subnormal number has the smallest normal one's
    logic [55:0] fixed, moved, shifted;
    subtract = x[63] != y[63];
    {greater, lesser} = x[62:0] < y[62:0] ? {y, x} : {x, y};
    high = {greater[62:53], greater[52] || greater[62:52] == '0};
    low = {lesser[62:53], lesser[52] || lesser[62:52] == '0};
    distance = high - low;
    fixed = {greater[62:52] != '0, greater[51:0], 3'd0};
    moved = {lesser[62:52] != '0, lesser[51:0], 3'd0};
    if (distance > 11'd55) shifted = 56'(moved != '0);
    else begin
      shifted = moved >> distance[5:0];
      shifted[0] = shifted[0] || (moved & ~({56{1'b1}} << distance[5:0])) != '0;
    end
    s.magnitude = {1'b0, fixed} + ({1'b0, shifted} ^ {57{subtract}}) + 57'(subtract);
    s.exponent = high;
    s.nan = is_nan64(x) || is_nan64(y) || (is_infinite64(x) && is_infinite64(y) && subtract);
    s.infinite = is_infinite64(x) || is_infinite64(y);
    s.sign = greater[63] && !(subtract && x[62:0] == y[62:0]);
    return s;
  endfunction

  function automatic logic [63:0] round64(input sum64_t s);
    logic [5:0]  zeros, shift;
    logic [56:0] m;
    logic [11:0] exponent;
    logic [63:0] kept;
    zeros = prim_pkg::leading_zeros64({s.magnitude, 7'h7f});
    shift = {5'd0, zeros} > s.exponent ? s.exponent[5:0] : zeros;
    m = s.magnitude << shift;
    exponent = m[56] ? {1'b0, s.exponent} + 12'd1 - {6'd0, shift} : 12'd0;
    kept = {exponent, m[55:4]};
    kept = kept + 64'(m[3] && (m[2:0] != '0 || m[4]));
    return {s.sign, kept[63:52] >= 12'd2047 || s.infinite ? 63'h7ff0000000000000 : kept[62:0]};
  endfunction

endpackage
