// SPDX-License-Identifier: Apache-2.0
// Conversions of one lane, as pure functions. Whatever becomes f32 by rounding (integers, f64) is brought
// into the form of fp32_pkg's sums - a magnitude of 63 bits and the exponent of its position 60 - and uses
// that package's last two stages.
//
//   I2F  -5       sign 1, magnitude 5, exponent 187 (= 60 + 127)      -> c0a00000
//   F2I  2.5 rn   integer 2, half 1, rest 0                           -> 2
//
// Where rows move in slices the unit calls the halves of these functions in a stage each: measure_* finds distances, another
// moves; round_int adds, clamp_int clamps.
package cvt_pkg;

  // What decides the rounding of an f32's integer part (F2I).
  typedef struct packed {
    logic sign;
    logic half;      // the bit below the integer
    logic rest;      // any lower bit
    logic overflow;  // 2^64 or more
    logic nan;
  } int_flags_t;

  // ---- stage 1 -----------------------------------------------------------------------------------------
  function automatic void from_int(input logic wide, input logic is_signed, input logic [63:0] b,
                                   output logic [63:0] sum, output logic [8:0] exponent);
    /*verilator no_inline_task*/
    logic        sign;
    logic [63:0] m;
    sign = is_signed && (wide ? b[63] : b[31]);
    m = wide ? b : {{32{sign}}, b[31:0]};
    if (sign) m = -m;
    // Position 63 is the sign's: a magnitude that needs it moves down, its last bit stays as sticky.
    exponent = m[63] ? 9'd188 : 9'd187;
    sum = {sign, m[63] ? {m[63:2], |m[1:0]} : m[62:0]};
  endfunction

  // D2F, whose sum and exponent these are, and F2I: an integer with int_flags_t in `side`. One shifter to the right.
  typedef struct packed {
    logic [31:0] x;         // F2I: the number, subnormals flushed
    logic [12:0] exponent;  // D2F: biased for f32, two's complement
    logic [5:0]  distance;
    logic        moves;     // to the right
  } float_t;

  function automatic float_t measure_float(input logic f64, input logic [63:0] b, input logic ftz);
    float_t      t;
    logic [12:0] distance;
    t.x = fp32_pkg::flush(ftz, b[31:0]);
    t.exponent = {2'd0, b[62:52]} + {12'd0, b[62:52] == 11'd0} - 13'd896;
    // An integer has 32 bits below the point, the last of them sticky.
    distance = f64 ? 13'd1 - t.exponent : 13'd150 - {5'd0, t.x[30:23]};
    t.moves = !distance[12] && distance != 13'd0;
    t.distance = !t.moves ? 6'd0 : |distance[12:6] ? 6'd63 : distance[5:0];
    return t;
  endfunction

  function automatic void move_float(input logic f64, input logic [63:0] b, input float_t t,
                                     output logic [63:0] value, output logic [8:0] side);
    logic [63:0] m;
    logic [23:0] significand;
    logic [7:0]  up;
    int_flags_t  flags;
    significand = {|t.x[30:23], t.x[22:0]};
    m = f64 ? {3'd0, |b[62:52], b[51:0], 8'd0} : {8'd0, significand, 32'd0};
    m = fp32_pkg::shift_right_jam(m, t.distance);
    up = t.x[30:23] - 8'd150;
    flags = '0;
    flags.sign = t.x[31];
    flags.nan = fp32_pkg::is_nan(t.x);
    flags.overflow = !t.moves && up > 8'd40;
    flags.half = t.moves && m[31];
    flags.rest = t.moves && |m[30:0];
    if (!f64) begin
      value = t.moves ? {32'd0, m[63:32]} : {40'd0, significand} << up[5:0];
      side = 9'(flags);
    end else if (b[62:52] == 11'h7ff) begin
      // A NaN keeps sign and upper payload bits, as silicon has it.
      value = {1'b0, b[63], 8'hff, |b[51:0], b[50:29], 31'd0};
      side = 9'd0;
    end else begin
      value = {b[63], m[62:0]};
      side = t.moves ? 9'd1 : (t.exponent > 13'd300) ? 9'd300 : t.exponent[8:0];  // overflows either way
    end
  endfunction

  function automatic void from_float(input logic f64, input logic [63:0] b, input logic ftz,
                                     output logic [63:0] value, output logic [8:0] side);
    /*verilator no_inline_task*/
    move_float(f64, b, measure_float(f64, b, ftz), value, side);
  endfunction

  // FRND in place: the bits of the fraction are cleared, and rounding up carries into the exponent.
  typedef struct packed {
    logic [31:0] kept;
    logic [31:0] last;  // the integer's last bit; 0 below 1, where the result is 0 or 1
    logic        half;
    logic        rest;
    logic        odd;
  } fraction_t;

  function automatic fraction_t measure_fraction(input logic [31:0] b, input logic ftz, input logic integral);
    fraction_t   t;
    logic [31:0] x, below;
    logic [7:0]  fraction_bits;
    x = fp32_pkg::flush(ftz, b);
    t = '0;
    t.kept = fp32_pkg::is_nan(x) ? fp32_pkg::QuietNan : x;
    if (integral && x[30:23] < 8'd127 && x[30:0] != 31'd0) begin
      t.half = x[30:23] == 8'd126;
      t.rest = !t.half || |x[22:0];
      t.kept = {x[31], 31'd0};
    end else if (integral && x[30:23] >= 8'd127 && x[30:23] < 8'd150) begin
      fraction_bits = 8'd150 - x[30:23];  // 1 to 23
      t.last = 32'd1 << fraction_bits[4:0];
      below = t.last - 32'd1;
      t.half = |(x & (t.last >> 1));
      t.rest = |(x & (below >> 1));
      t.odd = |(x & t.last);
      t.kept = x & ~below;
    end
    return t;
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

  function automatic logic [31:0] round_fraction(input fraction_t t, input logic [1:0] rnd);
    logic away;
    away = rounds_away(rnd, t.kept[31], t.odd, t.half, t.rest);
    return (away && t.last == 32'd0) ? {t.kept[31], 31'h3f800000} : t.kept + (away ? t.last : 32'd0);
  endfunction

  // FRND: decided here, in fp32_pkg's form of a decided result (exponent 0).
  function automatic logic [31:0] round_f32(input logic [31:0] b, input logic [1:0] rnd, input logic ftz,
                                            input logic integral);
    /*verilator no_inline_task*/
    return round_fraction(measure_fraction(b, ftz, integral), rnd);
  endfunction

  // F2D. A subnormal's leading one becomes the hidden one.
  function automatic void measure_f32(input logic [31:0] b, input logic ftz, input logic sat,
                                      output logic [31:0] x, output logic [5:0] zeros);
    x = fp32_pkg::flush(ftz, b);
    zeros = prim_pkg::leading_zeros32({b[22:0], 9'd0});
    if (sat) begin
      if (x[31] || fp32_pkg::is_nan(x)) x = 32'd0;
      else if (x[30] || x[29:23] == 7'h7f) x = fp32_pkg::One;
    end
  endfunction

  function automatic logic [63:0] widen_f32(input logic [31:0] x, input logic [5:0] zeros);
    logic [22:0] fraction;
    fraction = x[22:0] << (zeros + 6'd1);
    if (x[30:23] == 8'hff) return {x[31], 11'h7ff, |x[22:0], x[21:0], 29'd0};
    if (x[30:23] != 8'd0) return {x[31], {3'd0, x[30:23]} + 11'd896, x[22:0], 29'd0};
    if (x[22:0] == 23'd0) return {x[31], 63'd0};
    return {x[31], 11'd896 - {5'd0, zeros}, fraction, 29'd0};
  endfunction

  function automatic logic [63:0] to_f64(input logic [31:0] b, input logic ftz, input logic sat);
    /*verilator no_inline_task*/
    logic [31:0] x;
    logic [5:0]  zeros;
    measure_f32(b, ftz, sat, x, zeros);
    return widen_f32(x, zeros);
  endfunction

  // ---- stage 2 -----------------------------------------------------------------------------------------
  // Rounded and clamped to 64, 32, 16 or 8 bits; narrower results come sign- or zero-extended.
  function automatic logic [63:0] round_int(input logic [63:0] integer_part, input int_flags_t flags, input logic [1:0] rnd);
    return integer_part + {63'd0, rounds_away(rnd, flags.sign, integer_part[0], flags.half, flags.rest)};
  endfunction

  function automatic logic [63:0] clamp_int(input logic [63:0] m, input int_flags_t flags, input logic wide,
                                            input logic is_signed, input logic [1:0] width);
    logic [63:0] largest;
    unique case (width)
      2'(isa_pkg::IntWidthW16): largest = 64'hffff;
      2'(isa_pkg::IntWidthW8):  largest = 64'hff;
      default:                  largest = 64'hffffffff;
    endcase
    if (wide) largest = 64'hffff_ffff_ffff_ffff;
    if (is_signed) largest = largest >> 1;
    if (flags.nan) return wide ? 64'h8000_0000_0000_0000 : 64'd0;
    if (!flags.sign) return (flags.overflow || m > largest) ? largest : m;
    if (!is_signed) return 64'd0;
    return (flags.overflow || m > largest) ? ~largest : -m;
  endfunction

  function automatic logic [63:0] to_int(input logic [63:0] integer_part, input int_flags_t flags,
                                         input logic [1:0] rnd, input logic wide, input logic is_signed,
                                         input logic [1:0] width);
    /*verilator no_inline_task*/
    return clamp_int(round_int(integer_part, flags, rnd), flags, wide, is_signed, width);
  endfunction

endpackage
