// SPDX-License-Identifier: Apache-2.0
// F2F of one lane: a number of a narrow format as f32, and an f32 rounded to a narrow format, as pure functions. Every narrow
// number is an f32, too, so from one to another goes through both.
//
//   widen   a subnormal's leading one becomes the hidden one (bf16's stay, they are f32's)
//   place   the significand moves right as far as a subnormal of the format asks; exponent over fraction, half, rest
//   round   one of four roundings, overflow, NaN; ftz, sat, relu
package narrow_pkg;

  localparam logic [2:0] F16 = 3'(isa_pkg::FloatFormatF16);
  localparam logic [2:0] Bf16 = 3'(isa_pkg::FloatFormatBf16);
  localparam logic [2:0] E4m3 = 3'(isa_pkg::FloatFormatE4m3);
  localparam logic [2:0] E5m2 = 3'(isa_pkg::FloatFormatE5m2);

  function automatic logic is_narrow(input logic [2:0] format);
    return format != 3'(isa_pkg::FloatFormatF32) && format <= E5m2;
  endfunction

  // f32's exponent less the format's.
  function automatic logic [7:0] offset_of(input logic [2:0] format);
    return format == Bf16 ? 8'd0 : format == E4m3 ? 8'd120 : 8'd112;
  endfunction

  function automatic logic [31:0] widen(input logic [31:0] b, input logic [2:0] from, input logic high, input logic ftz,
                                        input logic keep);
    /*verilator no_inline_task*/
    logic [15:0] half;
    logic [7:0]  octet, exponent;
    logic [9:0]  fraction;
    logic        sign, top;  // top: infinity or NaN
    logic [5:0]  zeros;
    logic [31:0] r;
    half = high ? b[31:16] : b[15:0];
    octet = high ? b[15:8] : b[7:0];
    sign = half[15];
    unique case (from)
      F16: begin
        exponent = {3'd0, half[14:10]};
        fraction = half[9:0];
        top = &half[14:10];
      end
      Bf16: begin
        exponent = half[14:7];
        fraction = {half[6:0], 3'd0};
        top = &half[14:7];
      end
      E4m3: begin
        sign = octet[7];
        exponent = {4'd0, octet[6:3]};
        fraction = {octet[2:0], 7'd0};
        top = &octet[6:0];
      end
      default: begin
        sign = octet[7];
        exponent = {3'd0, octet[6:2]};
        fraction = {octet[1:0], 8'd0};
        top = &octet[6:2];
      end
    endcase
    zeros = prim_pkg::leading_zeros32({fraction, 22'd0});
    r = {sign, exponent + offset_of(from), fraction, 13'd0};
    if (top) begin
      r = {sign, 8'hff, 23'd0};
      if (fraction != 10'd0) r = (keep && (from == F16 || from == Bf16)) ? {sign, 8'hff, fraction, 13'd0} : fp32_pkg::QuietNan;
    end else if (exponent == 8'd0) begin
      if (ftz || fraction == 10'd0) r = {sign, 31'd0};
      else if (from != Bf16) r = {sign, offset_of(from) - {2'd0, zeros}, fraction << (zeros + 6'd1), 13'd0};
    end
    return is_narrow(from) ? r : b;
  endfunction

  typedef struct packed {
    logic        sign;
    logic        nan;
    logic        infinite;
    logic [17:0] body;  // exponent over fraction
    logic        half;
    logic        rest;
  } placed_t;

  function automatic placed_t place(input logic [31:0] x, input logic [2:0] to);
    /*verilator no_inline_task*/
    placed_t     t;
    logic [8:0]  exponent, up;  // in the format, two's complement
    logic [4:0]  distance;
    logic [23:0] m, y;
    logic [7:0]  field;
    exponent = {1'b0, fp32_pkg::exponent_of(x)} - {1'b0, offset_of(to)};
    up = 9'd1 - exponent;
    distance = (up[8] || up == 9'd0) ? 5'd0 : (up > 9'd31) ? 5'd31 : up[4:0];
    m = {|x[30:23], x[22:0]};
    y = m >> distance;
    field = y[23] ? exponent[7:0] : 8'd0;
    t.sign = x[31];
    t.nan = fp32_pkg::is_nan(x);
    t.infinite = x[30:0] == 31'h7f800000;
    unique case (to)
      F16: begin
        t.body = {field, y[22:13]};
        t.half = y[12];
        t.rest = |y[11:0];
      end
      Bf16: begin
        t.body = {3'd0, field, y[22:16]};
        t.half = y[15];
        t.rest = |y[14:0];
      end
      E4m3: begin
        t.body = {7'd0, field, y[22:20]};
        t.half = y[19];
        t.rest = |y[18:0];
      end
      default: begin
        t.body = {8'd0, field, y[22:21]};
        t.half = y[20];
        t.rest = |y[19:0];
      end
    endcase
    t.rest = t.rest || |(m & ~(24'hffffff << distance));
    return t;
  endfunction

  typedef struct packed {
    logic [1:0] rnd;
    logic       ftz;
    logic       sat;
    logic       relu;
    logic       finite;
    logic       keep;
  } mode_t;

  // The result below its sign, and the sign; of 8 bits in the lower ones.
  function automatic logic [15:0] round(input placed_t t, input logic [2:0] to, input mode_t mode);
    /*verilator no_inline_task*/
    logic [18:0] r;
    logic [14:0] infinity, one, largest, y;
    logic        sign, away_from_zero, subnormal;
    unique case (to)
      F16:     {infinity, one} = {15'h7c00, 15'h3c00};
      Bf16:    {infinity, one} = {15'h7f80, 15'h3f80};
      E4m3:    {infinity, one} = {15'h7f, 15'h38};  // NaN's place, where there is no infinity
      default: {infinity, one} = {15'h7c, 15'h3c};
    endcase
    largest = infinity - 15'd1;
    sign = t.sign;
    r = {1'b0, t.body} + {18'd0, cvt_pkg::rounds_away(mode.rnd, t.sign, t.body[0], t.half, t.rest)};
    away_from_zero = t.infinite || mode.rnd == fp32_pkg::RoundNearest ||
                     mode.rnd == (t.sign ? fp32_pkg::RoundDown : fp32_pkg::RoundUp);
    y = r[14:0];
    if (r >= {4'd0, infinity}) y = (away_from_zero && !mode.finite && to != E4m3) ? infinity : largest;
    if (t.nan) begin
      // Quiet, that it does not become infinity.
      if (mode.keep && to == F16) y = {6'h3f, t.body[8:0]};
      else if (mode.keep && to == Bf16) y = {9'h1ff, t.body[5:0]};
      else {sign, y} = {1'b0, (to == F16 || to == Bf16) ? 15'h7fff : 15'h7f};
    end
    unique case (to)
      F16:     subnormal = y[14:10] == 5'd0;
      Bf16:    subnormal = y[14:7] == 8'd0;
      E4m3:    subnormal = y[6:3] == 4'd0;
      default: subnormal = y[6:2] == 5'd0;
    endcase
    if (mode.ftz && subnormal) y = 15'd0;
    if (mode.sat && (t.nan || sign)) {sign, y} = 16'd0;
    else if (mode.sat && y > one) y = one;
    else if (mode.relu && sign && !t.nan) {sign, y} = 16'd0;
    return (to == F16 || to == Bf16) ? {sign, y} : {8'd0, sign, y[6:0]};
  endfunction

endpackage
