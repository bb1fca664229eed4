// SPDX-License-Identifier: Apache-2.0
// A matrix multiply-accumulate: its links, its modifiers, which words of a warp's registers a result needs.
//
// A place is 16 bits of A and 16 of B: one product of f16 or bf16, half of one of tf32, two of bytes, 16 of bits. Every
// result is the sum of 16 places (8 where K is half) and an element of C, whatever the format. With g = lane / 4,
// q = lane % 4, result r (0 to 3) of a lane is that of row g + 8 (r / 2) and column 2 q + r % 2:
//
//   A   words 0-3 are register r / 2 of the lanes 4 g to 4 g + 3, words 4-7 their register r / 2 + 2
//   B   words 0-3 are register 0 of the lanes 4 j to 4 j + 3 (column j), 4-7 register 1, and so on
//   C   register r, or half r % 2 of register r / 2 where C and D are f16
//
// So a lane needs A of its own four lanes alone, and columns go to all: there is no crossbar.
package mma_pkg;

  // ---- links -----------------------------------------------------------------------------------------------
  // Operands come in steps of six rows (sm_pkg::exec_req_t); the unit begins with the last one.
  //   step   rows 0, 1                              rows 2 to 5
  //   0      B                                      A
  //   1      B 2, 3 (sparse, full K; else any)      C
  //   2      metadata of a sparse A, any            any           (only if sparse)
  // Rows that the instruction does not read may hold anything. Where rows move in slices a step is all its slices, 0 first.
  //
  // Results are pairs of rows (a slice of both): f16 D and m8 have one, all others two, which follow each other.

  // ---- modifiers -------------------------------------------------------------------------------------------
  typedef enum logic [2:0] {F16, Bf16, Tf32, Bytes, Bits} format_e;

  typedef struct packed {
    format_e    format;
    logic       f16_d;     // C and D are f16
    logic       half_k;    // 4 words of A, not 8
    logic       m8;        // results 0 and 1 alone
    logic       sparse;
    logic [1:0] selector;  // of metadata
    logic       sign_a;    // bytes
    logic       sign_b;
    logic       sat;
    logic       exor;      // bits
  } op_t;

  function automatic op_t op_of(input logic [7:0] op, input logic [17:0] mod);
    op_t o;
    o = '0;
    if (op == isa_pkg::OpHmma) begin
      o.format = format_e'({1'b0, mod[isa_pkg::HmmaFormatLsb+:2]});
      o.f16_d = mod[isa_pkg::HmmaF16DLsb];
      o.half_k = mod[isa_pkg::HmmaHalfKLsb];
      o.sparse = mod[isa_pkg::HmmaSparseLsb];
      o.selector = mod[isa_pkg::HmmaSelectorLsb+:2];
    end else begin
      o.format = mod[isa_pkg::ImmaBitsLsb] ? Bits : Bytes;
      o.m8 = mod[isa_pkg::ImmaM8Lsb];
      o.half_k = mod[isa_pkg::ImmaHalfKLsb] || o.m8;
      o.sparse = mod[isa_pkg::ImmaSparseLsb];
      o.selector = mod[isa_pkg::ImmaSelectorLsb+:2];
      o.sign_a = mod[isa_pkg::ImmaSignALsb];
      o.sign_b = mod[isa_pkg::ImmaSignBLsb];
      o.sat = mod[isa_pkg::ImmaSatLsb] && o.format == Bytes;
      o.exor = mod[isa_pkg::ImmaXorLsb];
    end
    return o;
  endfunction

  function automatic logic is_integer(input format_e format);
    return format == Bytes || format == Bits;
  endfunction

  // ---- what a beat does ------------------------------------------------------------------------------------
  localparam int unsigned DefaultWidth = config_pkg::TensorFma > 0 ? config_pkg::TensorFma : sm_pkg::RowSlices > 1 ? 4 : 256;  // of a unit whose user names none

  // Width products a cycle are that many results of that many places each.
  function automatic int unsigned lanes_of(input int unsigned width);
    return width >= 16 ? width / 16 : 1;
  endfunction
  function automatic int unsigned places_of(input int unsigned width);
    return width >= 16 ? 16 : width;
  endfunction
  // Where there are two sets of operands a beat of half K is two results of each lane, r and r + 1 with an even r: places 0-7 are
  // those of r, 8-15 those of r + 1. They share the words of A; B and C lie side by side.
  function automatic logic two_of(input int unsigned width);
    return width >= 256;
  endfunction

  typedef struct packed {
    logic [4:0] lane;    // of the warp: the first one
    logic [1:0] result;  // the first one
    logic [1:0] part;    // of the places
    logic       first;   // part of the result
    logic       last;
    logic       emits;   // ends rows that leave
    logic       ends;    // the instruction
  } beat_t;

  // What goes with a beat through the stages.
  typedef struct packed {
    sm_pkg::tag_t tag;
    op_t          op;
    beat_t        beat;
  } control_t;

  // ---- sparse A --------------------------------------------------------------------------------------------
  // Two of each group of four elements of a column are multiplied; a nibble names them. A word of A is one group of halves
  // (tf32: of pairs of halves) or two groups of bytes, and belongs to two words of B. Byte w of the answer has the nibbles of
  // word w of the row in the upper (h) or lower half of the matrix; metadata are those of its four lanes.
  function automatic logic [7:0][7:0] nibbles_of(input op_t op, input logic h, input logic [3:0][31:0] metadata);
    /*verilator no_inline_task*/
    logic [31:0] low, high;
    logic [15:0] x, y;
    logic [1:0]  lane;
    if (op.format == Bytes) begin
      low = metadata[{op.half_k && op.selector[0], h}];
      high = metadata[{1'b1, h}];
      return {high, low};
    end
    lane = op.half_k ? op.selector : {op.selector[0], 1'b0};
    low = metadata[lane];
    high = metadata[{op.selector[0], 1'b1}];
    x = h ? low[31:16] : low[15:0];
    y = h ? high[31:16] : high[15:0];
    return {4'd0, y[15:12], 4'd0, y[11:8], 4'd0, y[7:4], 4'd0, y[3:0], 4'd0, x[15:12], 4'd0, x[11:8], 4'd0, x[7:4], 4'd0, x[3:0]};
  endfunction

  // What a word of A is multiplied by: elements of two words of B.
  function automatic logic [31:0] chosen(input format_e format, input logic [1:0][31:0] words, input logic [7:0] nibbles);
    /*verilator no_inline_task*/
    logic [31:0] low, high;
    if (format != Bytes) begin
      low = words[nibbles[1]] >> {nibbles[0], 4'd0};
      high = words[nibbles[3]] >> {nibbles[2], 4'd0};
      return {high[15:0], low[15:0]};
    end
    low = {16'd0, 8'(words[0] >> {nibbles[3:2], 3'd0}), 8'(words[0] >> {nibbles[1:0], 3'd0})};
    high = {16'd0, 8'(words[1] >> {nibbles[7:6], 3'd0}), 8'(words[1] >> {nibbles[5:4], 3'd0})};
    return {high[15:0], low[15:0]};
  endfunction

endpackage
