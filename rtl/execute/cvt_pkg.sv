// SPDX-License-Identifier: Apache-2.0
// Conversions of one lane, in two stages. The first takes the operand apart, the second rounds:
//
//   to f32    (I2F, D2F, FRND) an exact magnitude times 2^exponent is normalised and rounded to 24 bits
//   to integer (F2I)           an integer with the bit below it and a sticky bit is rounded and clamped
//   F2D, and all special values are decided in the first stage already
//
// FRND to an integral value rounds in the first stage as F2I does; what is left is exact.
// NaN: to an integer 0, or 2^63 for 64 bits; f32 to f64 and back keep sign and payload and make it
// quiet; FRND gives 0x7fffffff. That is what silicon does.
package cvt_pkg;

  localparam logic [31:0] QuietNan = 32'h7fffffff;

  typedef enum logic [1:0] {
    Decided   = 2'd0,  // magnitude is the result
    ToFloat   = 2'd1,  // value = magnitude * 2^(exponent - 63)
    ToInteger = 2'd2   // magnitude, guard, sticky
  } kind_e;

  typedef struct packed {
    kind_e              kind;
    logic               sign;
    logic               overflow;   // ToInteger: beyond 64 bits
    logic               guard;
    logic               sticky;
    logic signed [12:0] exponent;
  } about_t;

  typedef struct packed {
    about_t      about;
    logic [63:0] magnitude;
  } middle_t;

  function automatic logic [63:0] shift_right_jam(input logic [63:0] x, input logic [6:0] n);
    if (n >= 7'd64) return {63'd0, x != '0};
    return (x >> n) | {63'd0, (x & ~(64'hffff_ffff_ffff_ffff << n)) != '0};
  endfunction

  function automatic logic [5:0] leading_zeros(input logic [63:0] x);
    /*verilator no_inline_task*/
    logic [63:0] v;
    logic [5:0]  n;
    v = x;
    n = 6'd0;
    if (v[63:32] == '0) begin n = n + 6'd32; v = v << 32; end
    if (v[63:48] == '0) begin n = n + 6'd16; v = v << 16; end
    if (v[63:56] == '0) begin n = n + 6'd8;  v = v << 8;  end
    if (v[63:60] == '0) begin n = n + 6'd4;  v = v << 4;  end
    if (v[63:62] == '0) begin n = n + 6'd2;  v = v << 2;  end
    if (!v[63]) n = n + 6'd1;
    return n;
  endfunction

  // One is added to the last place: the value lies above it by guard and sticky.
  function automatic logic round_up(input logic [1:0] rounding, input logic sign, input logic odd,
                                    input logic guard, input logic sticky);
    case (rounding)
      2'(isa_pkg::RoundingRn): return guard && (sticky || odd);
      2'(isa_pkg::RoundingRz): return 1'b0;
      2'(isa_pkg::RoundingRm): return sign && (guard || sticky);
      default:                 return !sign && (guard || sticky);
    endcase
  endfunction

  // Clamp to [+0, 1]; NaN becomes +0.
  function automatic logic [31:0] saturate(input logic [31:0] x);
    if (x[31] || x[30:0] > 31'h7f800000) return 32'd0;
    if (x[30:0] > 31'h3f800000) return 32'h3f800000;
    return x;
  endfunction

  function automatic middle_t decided(input logic [63:0] result);
    middle_t m;
    m = '0;
    m.about.kind      = Decided;
    m.magnitude = result;
    return m;
  endfunction

  // f32 as an integer with what lies below it.
  function automatic middle_t integer_part(input logic [31:0] x);
    middle_t     m;
    logic [23:0] significand;
    logic [7:0]  field;
    logic [63:0] shifted;
    significand = {x[30:23] != '0, x[22:0]};
    field       = x[30:23] == '0 ? 8'd1 : x[30:23];
    m           = '0;
    m.about.kind      = ToInteger;
    m.about.sign      = x[31];
    if (field >= 8'd150) begin
      m.about.overflow  = field >= 8'd191;  // 2^64 and more
      m.magnitude = {40'd0, significand} << 6'(field - 8'd150);
    end else begin
      // Two more bits below: guard and sticky.
      shifted     = shift_right_jam({38'd0, significand, 2'b00}, 7'(8'd150 - field > 8'd63 ? 8'd63 : 8'd150 - field));
      m.magnitude = {2'b00, shifted[63:2]};
      m.about.guard     = shifted[1];
      m.about.sticky    = shifted[0];
    end
    return m;
  endfunction

  function automatic middle_t unpack_integer(input logic [63:0] value, input logic negative);
    middle_t m;
    m           = '0;
    m.about.kind      = ToFloat;
    m.about.sign      = negative;
    m.about.exponent  = 13'sd63;
    m.magnitude = negative ? -value : value;
    return m;
  endfunction

  function automatic logic [63:0] f64_of_f32(input logic [31:0] x);
    logic [5:0]  zeros;
    logic [22:0] fraction;
    if (x[30:23] == 8'hff) return {x[31], 11'h7ff, x[22] || x[22:0] != '0, x[21:0], 29'd0};
    if (x[30:23] != '0) return {x[31], 11'(x[30:23]) + 11'd896, x[22:0], 29'd0};
    if (x[22:0] == '0) return {x[31], 63'd0};
    zeros    = leading_zeros({x[22:0], 41'd0});  // 0 to 22
    fraction = x[22:0] << (zeros + 6'd1);
    return {x[31], 11'd896 - 11'(zeros), fraction, 29'd0};
  endfunction

  function automatic middle_t unpack_f64(input logic [63:0] x, input logic saturating);
    middle_t m;
    if (x[62:52] == 11'h7ff) begin
      if (x[51:0] == '0) return decided({32'd0, saturating ? saturate({x[63], 31'h7f800000}) : {x[63], 31'h7f800000}});
      return decided(saturating ? '0 : {32'd0, x[63], 9'h1ff, x[50:29]});
    end
    if (x[62:0] == '0) return decided({32'd0, x[63] && !saturating, 31'd0});
    m           = '0;
    m.about.kind      = ToFloat;
    m.about.sign      = x[63];
    m.about.exponent  = x[62:52] == '0 ? -13'sd1022 : $signed({2'b00, x[62:52]}) - 13'sd1023;
    m.magnitude = {x[62:52] != '0, x[51:0], 11'd0};
    return m;
  endfunction

  // FRND: integral, or only flushed and saturated.
  function automatic middle_t unpack_round(input logic [31:0] x, input logic integral, input logic [1:0] rounding,
                                           input logic saturating);
    middle_t     m;
    logic [63:0] rounded;
    if (x[30:0] > 31'h7f800000) return decided(saturating ? '0 : {32'd0, QuietNan});
    if (!integral || x[30:23] >= 8'd150) return decided({32'd0, saturating ? saturate(x) : x});
    m       = integer_part(x);
    rounded = m.magnitude + 64'(round_up(rounding, x[31], m.magnitude[0], m.about.guard, m.about.sticky));
    if (rounded == '0) return decided({32'd0, x[31] && !saturating, 31'd0});
    m           = '0;
    m.about.kind      = ToFloat;
    m.about.sign      = x[31];
    m.about.exponent  = 13'sd63;
    m.magnitude = rounded;
    return m;
  endfunction

  // ---- stage 1 -------------------------------------------------------------------------------------
  function automatic middle_t unpack_any(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] b,
                                         input logic [31:0] b_hi);
    logic [31:0] x;
    // F2I and FRnd have ftz in the same place.
    x = mod[isa_pkg::FRndFtzLsb] && b[30:23] == '0 ? {b[31], 31'd0} : b;
    case (op)
      isa_pkg::OpI2f:
      return unpack_integer(mod[isa_pkg::I2FSignLsb] ? {{32{b[31]}}, b} : {32'd0, b}, mod[isa_pkg::I2FSignLsb] && b[31]);
      isa_pkg::OpI642f:
      return unpack_integer({b_hi, b}, mod[isa_pkg::I2FSignLsb] && b_hi[31]);
      isa_pkg::OpF2i:
      return x[30:0] > 31'h7f800000 ? decided('0) : integer_part(x);
      isa_pkg::OpF2i64:
      return x[30:0] > 31'h7f800000 ? decided({1'b1, 63'd0}) : integer_part(x);
      isa_pkg::OpF2d:
      return decided(f64_of_f32(mod[isa_pkg::FRndSatLsb] ? saturate(x) : x));
      isa_pkg::OpD2f:
      return unpack_f64({b_hi, b}, mod[isa_pkg::FRndSatLsb]);
      default:  // FRND
      return unpack_round(x, mod[isa_pkg::FRndIntegralLsb], mod[1:0], mod[isa_pkg::FRndSatLsb]);
    endcase
  endfunction

  // In two parts, since simulation shares a function's code only if it passes at most 64 bits.
  function automatic void unpack(input logic [7:0] op, input logic [17:0] mod, input logic [31:0] b,
                                 input logic [31:0] b_hi, output about_t about, output logic [63:0] magnitude);
    /*verilator no_inline_task*/
    {about, magnitude} = unpack_any(op, mod, b, b_hi);
  endfunction

  // ---- stage 2 -------------------------------------------------------------------------------------
  function automatic logic [31:0] pack_f32(input middle_t m, input logic [1:0] rounding, input logic ftz,
                                           input logic saturating);
    logic [5:0]         zeros;
    logic [63:0]        normal;
    logic signed [12:0] field;
    logic [31:0]        packed_q;
    logic               up;
    if (m.magnitude == '0) return {m.about.sign, 31'd0};  // integer 0
    zeros  = leading_zeros(m.magnitude);
    normal = m.magnitude << zeros;
    field  = m.about.exponent - $signed({7'd0, zeros}) + 13'sd127;
    if (field <= 13'sd0) begin
      normal = shift_right_jam(normal, field < -13'sd62 ? 7'd64 : 7'(13'sd1 - field));
      field  = 13'sd1;
    end
    up = round_up(rounding, m.about.sign, normal[40], normal[39], normal[38:0] != '0);
    if (field >= 13'sd255) begin
      // To infinity, or to the largest number where rounding goes towards zero.
      up       = rounding == 2'(isa_pkg::RoundingRn) || (rounding == 2'(isa_pkg::RoundingRp) && !m.about.sign) ||
                 (rounding == 2'(isa_pkg::RoundingRm) && m.about.sign);
      packed_q = 32'h7f7fffff + 32'(up);
    end else begin
      // The leading one adds itself to the exponent field; so does a carry of the rounding.
      packed_q = {1'b0, 8'(field - 13'sd1), 23'd0} + {8'd0, normal[63:40]} + 32'(up);
    end
    if (packed_q[31:23] == 9'h0ff) begin
      packed_q = rounding == 2'(isa_pkg::RoundingRz) ? 32'h7f7fffff : 32'h7f800000;
    end
    packed_q[31] = m.about.sign;
    if (ftz && packed_q[30:23] == '0) packed_q[22:0] = '0;
    return saturating ? saturate(packed_q) : packed_q;
  endfunction

  function automatic logic [63:0] pack_integer(input middle_t m, input logic [1:0] rounding, input logic is_signed,
                                               input logic [6:0] bits);
    logic [63:0] rounded, most;
    logic        carry, beyond;
    {carry, rounded} = {1'b0, m.magnitude} + 65'(round_up(rounding, m.about.sign, m.magnitude[0], m.about.guard, m.about.sticky));
    beyond = m.about.overflow || carry;
    if (!is_signed) begin
      if (m.about.sign) return '0;
      most = 64'hffff_ffff_ffff_ffff >> (7'd64 - bits);
      return beyond || rounded > most ? most : rounded;
    end
    most = 64'h7fff_ffff_ffff_ffff >> (7'd64 - bits);
    if (m.about.sign) return beyond || rounded > most + 64'd1 ? ~most : -rounded;
    return beyond || rounded > most ? most : rounded;
  endfunction

  function automatic logic [63:0] pack(input logic [7:0] op, input logic [17:0] mod, input about_t about,
                                       input logic [63:0] magnitude);
    /*verilator no_inline_task*/
    middle_t    m;
    logic [6:0] bits;
    m = {about, magnitude};
    case (m.about.kind)
      ToFloat:
      return {32'd0, pack_f32(m, mod[1:0],
                              op == isa_pkg::OpD2f && mod[isa_pkg::FRndFtzLsb],
                              (op == isa_pkg::OpD2f || op == isa_pkg::OpFrnd) && mod[isa_pkg::FRndSatLsb])};
      ToInteger: begin
        if (op == isa_pkg::OpF2i64) bits = 7'd64;
        else if (mod[isa_pkg::F2IWidthLsb+:2] == 2'(isa_pkg::IntWidthW16)) bits = 7'd16;
        else if (mod[isa_pkg::F2IWidthLsb+:2] == 2'(isa_pkg::IntWidthW8)) bits = 7'd8;
        else bits = 7'd32;
        return pack_integer(m, mod[1:0], mod[isa_pkg::F2ISignLsb], bits);
      end
      default: return m.magnitude;
    endcase
  endfunction

endpackage
