// SPDX-License-Identifier: Apache-2.0
// One lane of the special function unit, stage by stage: a function's argument gives a segment of its table and a
// position in it, the segment's coefficients a quadratic, whose value is normalised and truncated.
// sim/model/mufu.cc has the same in C++, isa/mufu.def the tables.
package sfu_pkg;

  localparam logic [31:0] Nan = 32'h7fffffff;
  localparam logic [31:0] Infinity = 32'h7f800000;

  // What the last stages need of the argument.
  typedef struct packed {
    logic              decided;   // the result is value
    logic [31:0]       value;
    logic              negative;
    logic signed [8:0] exponent;  // to be added to that of the interpolated value
  } note_t;

  function automatic logic is_lg2(input logic [2:0] op);
    return op == 3'(isa_pkg::MufuOpLg2);
  endfunction

  // |x| as a fixed-point number with 8 integer bits and 23 fraction bits of what the table's index repeats in:
  // quadrants for sine and cosine, whole numbers for EX2. Lower bits go, higher ones as well.
  function automatic logic [31:0] place(input logic [2:0] op, input logic [31:0] x); /*verilator no_inline_task*/
    logic [7:0]  up;
    logic [55:0] moved;
    up = x[30:23] - (op == 3'(isa_pkg::MufuOpEx2) ? 8'd103 : 8'd101);
    moved = 56'({x[30:23] != 8'd0, x[22:0]}) << up[5:0];
    return (x[30:23] < 8'd102 || up[7:6] != 2'd0) ? '0 : moved[55:24];
  endfunction

  // Where a binade of TANH's argument has its segments, and by how many fraction bits they are numbered.
  function automatic logic [8:0] tanh_binade(input logic [7:0] exponent);
    logic [8:0] r;
    unique case (exponent)
      8'd119:  r = {6'd48, 3'd0};
      8'd120:  r = {6'd49, 3'd0};
      8'd121:  r = {6'd50, 3'd0};
      8'd122:  r = {6'd52, 3'd1};
      8'd123:  r = {6'd54, 3'd1};
      8'd124:  r = {6'd56, 3'd2};
      8'd125:  r = {6'd60, 3'd2};
      8'd126:  r = {6'd4, 3'd2};
      8'd127:  r = {6'd8, 3'd3};
      8'd128:  r = {6'd16, 3'd4};
      default: r = {6'd32, 3'd3};
    endcase
    return r;
  endfunction

  // fixed: place() of x.
  function automatic void look_up(input logic [2:0] op, input logic [31:0] x, input logic [31:0] fixed,
                                  output note_t note, output logic [9:0] segment,
                                  output logic [16:0] position); /*verilator no_inline_task*/
    logic              sign, zero, top, nan;
    logic signed [8:0] exponent, half;  // half: x is a number from 1 on and below 4, times 4^half
    logic [9:0]        turn;            // EX2: the whole number
    logic [22:0]       inner;
    logic [8:0]        binade;
    logic [27:0]       moved;
    {sign, zero, top, nan} = {x[31], x[30:23] == 8'd0, x[30:23] == 8'd255, x[30:23] == 8'd255 && x[22:0] != '0};
    exponent = 9'(x[30:23]) - 9'd127;
    half = exponent >>> 1;
    note = '{decided: nan, value: Nan, negative: 1'b0, exponent: '0};
    segment = '0;
    inner = x[22:0];
    binade = tanh_binade(x[30:23]);
    turn = '0;
    moved = '0;
    unique case (op)
      3'(isa_pkg::MufuOpRcp): begin
        note.negative = sign;
        note.exponent = -exponent;
        segment = {3'd0, x[22:16]};
        if (zero || (top && !nan)) {note.decided, note.value} = {1'b1, sign, zero ? Infinity[30:0] : 31'd0};
      end
      3'(isa_pkg::MufuOpRsq): begin
        note.exponent = -half;
        segment = {3'd1, exponent[0], x[22:17]};
        if (zero) {note.decided, note.value} = {1'b1, sign, Infinity[30:0]};
        else if (sign) note.decided = 1'b1;
        else if (top && !nan) {note.decided, note.value} = {1'b1, 32'd0};
        else if (!nan && x[22:0] == '0 && !exponent[0]) {note.decided, note.value} = {2'b10, 8'(9'sd127 - half), 23'd0};
      end
      3'(isa_pkg::MufuOpSqrt): begin
        note.exponent = half;
        segment = {3'd2, exponent[0], x[22:17]};
        if (zero) {note.decided, note.value} = {1'b1, sign, 31'd0};
        else if (sign) note.decided = 1'b1;
        else if (top && !nan) {note.decided, note.value} = {1'b1, x};
      end
      3'(isa_pkg::MufuOpEx2): begin
        // Of a negative number, unless it is whole, the ones' complement.
        inner = {23{sign}} ^ fixed[22:0];
        turn = ({10{sign}} ^ 10'(fixed[31:23])) + 10'(sign && fixed[22:0] == '0);
        if (fixed[22:0] == '0) inner = '0;
        note.exponent = turn[8:0];
        segment = {4'd7, inner[22:17]};
        if (!nan) begin
          // Above 2^8 place() lost bits.
          if (!sign && (x[30:23] > 8'd135 || turn[9:7] != 3'd0)) {note.decided, note.value} = {1'b1, Infinity};
          if (sign && (x[30:23] > 8'd135 || (turn[9] && turn[8:0] < 9'd386))) {note.decided, note.value} = {1'b1, 32'd0};
        end
      end
      3'(isa_pkg::MufuOpLg2): begin
        note.exponent = exponent;
        segment = {4'd8, x[22:17]};
        if (zero) {note.decided, note.value} = {2'b11, Infinity[30:0]};
        else if (sign) note.decided = 1'b1;
        else if (top && !nan) {note.decided, note.value} = {1'b1, x};
        else if (x[30:0] == 31'h3f800000) {note.decided, note.value} = {1'b1, 32'd0};
      end
      3'(isa_pkg::MufuOpTanh): begin
        note.negative = sign;
        moved = 28'(x[22:0]) << binade[2:0];
        inner = moved[22:0];
        segment = {4'd9, binade[8:3] + 6'(moved[27:23])};
        if (x[30:23] < 8'd119) {note.decided, note.value} = {1'b1, x};
        else if (x[30:23] > 8'd129 && !nan) {note.decided, note.value} = {1'b1, sign, 31'h3f800000};
      end
      default: begin  // SIN, COS
        turn = 10'(fixed[24:23]) + 10'(op == 3'(isa_pkg::MufuOpCos));
        inner = {23{turn[0]}} ^ fixed[22:0];
        note.negative = turn[1] ^ (sign && op != 3'(isa_pkg::MufuOpCos));
        segment = {4'd6, inner[22:17]};
        if (top) note.decided = 1'b1;
      end
    endcase
    unique case (op)
      3'(isa_pkg::MufuOpRcp):  position = {inner[15:0], 1'b0};
      3'(isa_pkg::MufuOpTanh): position = inner[22:6];
      default:                 position = inner[16:0];
    endcase
  endfunction

  // The square of x without its partial products below 2^19, in units of 2^19.
  function automatic logic [14:0] square(input logic [16:0] x); /*verilator no_inline_task*/
    logic [15:0][15:0] row;
    row = '0;
    // x_i x_j 2^(i + j + 1) for i < j, 18 <= i + j.
    for (int unsigned i = 2; i < 16; i++) begin
      int unsigned first;
      first = i < 9 ? 18 - i : i + 1;
      row[i] = (x[i] ? 16'(x >> first) : 16'd0) << (i + first - 18);
    end
    for (int unsigned i = 10; i < 17; i++) row[0][2*i-19] = x[i];
    for (int unsigned rows = 8; rows > 0; rows /= 2) begin
      for (int unsigned i = 0; i < rows; i++) row[i] = row[2*i] + row[2*i+1];
    end
    return row[0][14:0];
  endfunction

  // In units of 2^-40; linear, quadratic: products of coefficients with position and square.
  function automatic logic [41:0] interpolate(input logic [2:0] op, input sfu_table_pkg::segment_t segment,
                                              input logic [33:0] linear,
                                              input logic [28:0] quadratic); /*verilator no_inline_task*/
    logic        less, bent;  // signs of the two
    logic [41:0] value;
    logic [13:0] bias;
    less = op == 3'(isa_pkg::MufuOpRcp) || op == 3'(isa_pkg::MufuOpRsq);
    bent = !less && op != 3'(isa_pkg::MufuOpEx2);
    unique case (op)
      3'(isa_pkg::MufuOpRcp):                             bias = 14'd4047;
      3'(isa_pkg::MufuOpRsq), 3'(isa_pkg::MufuOpSqrt):    bias = 14'd16383;
      3'(isa_pkg::MufuOpEx2):                             bias = 14'd8074;
      3'(isa_pkg::MufuOpLg2):                             bias = 14'd3348;
      default:                                            bias = '0;
    endcase
    // value - x is ~(~value + x)
    value = {1'b0, segment.c0, bias};
    value = ((value ^ {42{less}}) + (42'(linear) << segment.shift)) ^ {42{less}};
    return ((value ^ {42{bent}}) + (42'({quadratic, 1'b0}) << segment.shift)) ^ {42{bent}};
  endfunction

  // LG2: the exponent added at 36 fraction bits, of a negative sum the ones' complement. Others: as it is.
  function automatic void combine(input logic [2:0] op, input logic signed [8:0] exponent, input logic [41:0] value,
                                  output logic negative, output logic [47:0] magnitude); /*verilator no_inline_task*/
    logic [44:0] sum;
    sum = {exponent, 36'd0} + 45'(value[41:4]);
    negative = is_lg2(op) && sum[44];
    magnitude = is_lg2(op) ? {sum[43:0] ^ {44{sum[44]}}, 4'd0} : 48'(value);
  endfunction

  function automatic logic [5:0] count_zeros(input logic [47:0] x); /*verilator no_inline_task*/
    return prim_pkg::leading_zeros64({x, 16'hffff});
  endfunction

  // f32 of magnitude 2^-40, truncated; zeros: in front of it.
  function automatic logic [31:0] finish(input logic [2:0] op, input note_t note, input logic negative,
                                         input logic [47:0] magnitude,
                                         input logic [5:0] zeros); /*verilator no_inline_task*/
    logic [47:0]       normal;
    logic signed [9:0] exponent;
    logic              nothing;
    normal = magnitude << zeros;
    exponent = 10'sd134 - 10'(zeros) + (is_lg2(op) ? 10'sd0 : 10'(note.exponent));
    nothing = !normal[47] || exponent <= 10'sd0;
    return note.decided ? note.value
                        : {note.negative || negative, nothing ? 31'd0 : {exponent[7:0], normal[46:24]}};
  endfunction

endpackage
