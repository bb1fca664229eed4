// SPDX-License-Identifier: Apache-2.0
// Shifts of one lane (SHL SHR SHF BFE BFI PRMT), as pure functions: one word rotates by bytes, then by bits, and a mask
// says which bits of the result are its. Operations on two words (int_pkg::shifts_twice) take two steps.
//
//   SHF.L of c:a by 8    step 1 turns a = 44332211 to 33221144, step 2 turns c = ddccbbaa to ccbbaadd; of that the result
//                        takes all from bit 8 on, below is what step 1 turned there: ccbbaa44
//
// A step has two halves, a cycle each where rows move in slices: what is to be done (step_t), and doing it.
package int_shift_pkg;

  // The word that a step shifts; b is the lane's shift count. Pairs give their results' words in the same order.
  typedef enum logic [1:0] {
    WordA,
    WordAHi,
    WordC
  } shifted_e;

  function automatic shifted_e shifted(input logic [7:0] op, input logic [17:0] mod, input logic second,
                                       input logic [31:0] b);
    unique case (op)
      isa_pkg::OpShr64: return (second && b[31:5] == 27'd0) ? WordA : WordAHi;
      isa_pkg::OpShl64: return (second && b[31:5] == 27'd0) ? WordAHi : WordA;
      isa_pkg::OpShf: return (second == mod[isa_pkg::FunnelRightLsb]) ? WordA : WordC;
      isa_pkg::OpBfi, isa_pkg::OpPrmt: return second ? WordA : WordC;
      default: return WordA;
    endcase
  endfunction

  function automatic logic field_sign(input logic [31:0] a, input logic [7:0] position, input logic [7:0] length);
    logic [8:0] top;
    top = {1'b0, position} + {1'b0, length} - 9'd1;
    return |top[8:5] ? a[31] : a[top[4:0]];
  endfunction

  // Four nibbles that name the bytes of the result, for PRMT's modes.
  function automatic logic [15:0] selectors(input logic [2:0] mode, input logic [15:0] b);
    logic [63:0] t;
    unique case (mode)
      3'(isa_pkg::PrmtModeF4e):  t = 64'h6543_5432_4321_3210;
      3'(isa_pkg::PrmtModeB4e):  t = 64'h0123_7012_6701_5670;
      3'(isa_pkg::PrmtModeRc8):  t = 64'h3333_2222_1111_0000;
      3'(isa_pkg::PrmtModeEcl):  t = 64'h3333_3222_3211_3210;
      3'(isa_pkg::PrmtModeEcr):  t = 64'h3210_2210_1110_0000;
      3'(isa_pkg::PrmtModeRc16): t = 64'h3232_1010_3232_1010;
      default:                   return b;
    endcase
    return t[{b[1:0], 4'd0}+:16];
  endfunction

  function automatic logic [7:0] pick_byte(input logic [31:0] x, input logic [1:0] n);
    return x[{n, 3'd0}+:8];
  endfunction

  // What a step does to its word.
  typedef struct packed {
    logic [15:0] bytes;        // four nibbles that name the bytes of the result, as PRMT has them
    logic [2:0]  turn;         // bits to the left, after that
    logic [5:0]  lowest;       // bits from `lowest` to below `end_` of the result come from the word
    logic [5:0]  end_;
    logic        takes_prior;  // the others from what the first step turned, else they are the fill
    logic        fill;
    logic        permutes;
  } step_t;

  // The first half of a step: x is the word, b the lane's shift count; a, which BFE shifts, comes earlier than x.
  function automatic step_t step(input logic [7:0] op, input logic [17:0] mod, input logic second,
                                 input logic [31:0] x, input logic [31:0] a, input logic [31:0] b);
    step_t       t;
    logic [8:0]  above;
    logic [4:0]  n, turn;  // how far x is rotated to the left
    logic        left, right, beyond;
    t.permutes = op == isa_pkg::OpPrmt;
    left = op == isa_pkg::OpShl || op == isa_pkg::OpShl64 || (op == isa_pkg::OpBfi && second) ||
           (op == isa_pkg::OpShf && !mod[isa_pkg::FunnelRightLsb]);
    right = op == isa_pkg::OpShr || op == isa_pkg::OpShr64 || op == isa_pkg::OpBfe ||
            (op == isa_pkg::OpShf && mod[isa_pkg::FunnelRightLsb]);
    n = b[4:0];
    beyond = |b[31:5];  // nothing of this word remains
    t.takes_prior = second;
    unique case (op)
      isa_pkg::OpShf: begin
        if (mod[isa_pkg::FunnelWrapLsb]) beyond = 1'b0;
        else if (beyond) n = 5'd0;
      end
      isa_pkg::OpShl64, isa_pkg::OpShr64: begin
        t.takes_prior = second && !beyond;
        if (second) beyond = |b[31:6];
      end
      isa_pkg::OpBfi: beyond = |b[7:5];
      isa_pkg::OpBfe: begin
        beyond = |b[7:5];
        t.takes_prior = 1'b0;
      end
      isa_pkg::OpPrmt: ;
      default: t.takes_prior = 1'b0;
    endcase
    turn = left ? n : right ? -n : 5'd0;
    t.turn = turn[2:0];
    t.lowest = !left ? 6'd0 : beyond ? 6'd32 : {1'b0, n};
    t.end_ = !right ? 6'd32 : beyond ? 6'd0 : 6'd32 - {1'b0, n};
    above = {1'b0, b[15:8]} + {1'b0, b[7:0]};
    if (op == isa_pkg::OpBfe && b[15:8] < {2'd0, t.end_}) t.end_ = b[13:8];
    if (op == isa_pkg::OpBfi && above < 9'd32) t.end_ = above[5:0];
    unique case (op)
      // The sign is the field's top bit, or bit 31 when the field reaches beyond it.
      isa_pkg::OpBfe: t.fill = mod[isa_pkg::SignSignLsb] && |b[15:8] && field_sign(a, b[7:0], b[15:8]);
      isa_pkg::OpShr, isa_pkg::OpShr64: t.fill = mod[isa_pkg::SignSignLsb] && x[31];
      default: t.fill = 1'b0;
    endcase
    t.bytes = t.permutes ? selectors(mod[isa_pkg::PermuteModeLsb+:isa_pkg::PermuteModeWidth], b[15:0])
                         : {2'b00, 2'd3 - turn[4:3], 2'b00, 2'd2 - turn[4:3],
                            2'b00, 2'd1 - turn[4:3], 2'b00, 2'd0 - turn[4:3]};
    return t;
  endfunction

  // The second half: x moves as in a rotation to `turned`, which is `prior` to the second step.
  function automatic void apply(input step_t t, input logic [31:0] x, input logic [31:0] prior,
                               output logic [31:0] turned, output logic [31:0] r);
    logic [31:0] w, from_x, others;
    logic [15:0] s;
    logic [3:0]  takes;  // bytes of `prior`
    from_x = ~(32'hffff_ffff << t.end_) & (32'hffff_ffff << t.lowest);
    s = t.bytes;
    w = {pick_byte(x, s[13:12]), pick_byte(x, s[9:8]), pick_byte(x, s[5:4]), pick_byte(x, s[1:0])};
    w = t.turn[2] ? {w[27:0], w[31:28]} : w;
    w = t.turn[1] ? {w[29:0], w[31:30]} : w;
    w = t.turn[0] ? {w[30:0], w[31]} : w;
    others = t.takes_prior ? prior : {32{t.fill}};
    if (t.permutes) begin
      // The first step picked from c, this one from a; bytes that become their sign.
      takes = {s[14], s[10], s[6], s[2]};
      from_x = ~{{8{s[15] || s[14]}}, {8{s[11] || s[10]}}, {8{s[7] || s[6]}}, {8{s[3] || s[2]}}};
      for (int unsigned k = 0; k < 4; k++) begin
        if (s[4*k+3]) others[8*k+:8] = {8{takes[k] ? prior[8*k+7] : w[8*k+7]}};
      end
    end
    turned = w;
    r = (w & from_x) | (others & ~from_x);
  endfunction

  // Both halves in one cycle.
  function automatic void shift(input logic [7:0] op, input logic [17:0] mod, input logic second,
                                input logic [31:0] x, input logic [31:0] b, input logic [31:0] prior,
                                output logic [31:0] turned, output logic [31:0] r);
    /*verilator no_inline_task*/
    apply(step(op, mod, second, x, x, b), x, prior, turned, r);
  endfunction

endpackage
