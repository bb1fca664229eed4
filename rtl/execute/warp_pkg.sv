// SPDX-License-Identifier: Apache-2.0
// What lanes tell each other: which lane SHFL reads, and how REDUX puts two values together.
package warp_pkg;

  // The lane that SHFL names, and whether it lies in the segment.
  typedef struct packed {
    logic       found;
    logic [4:0] lane;
  } place_t;

  // c: segment mask in 12:8, bound in 4:0; the modifiers invert some of it.
  function automatic place_t place(input logic [17:0] mod, input logic [4:0] lane, input logic [4:0] b,
                                   input logic [31:0] c);
    logic [4:0] segment, bound, last;
    logic [5:0] at;
    logic       reached;
    segment = c[12:8] ^ ~(5'h1f >> mod[isa_pkg::ShuffleNarrowLsb+:isa_pkg::ShuffleNarrowWidth]);
    bound = c[4:0] ^ {5{mod[isa_pkg::ShuffleClampLsb]}};
    last = (lane & segment) | (bound & ~segment);
    case (mod[isa_pkg::ShuffleModeLsb+:isa_pkg::ShuffleModeWidth])
      2'(isa_pkg::ShflModeUp):   at = {1'b0, lane} - {1'b0, b};
      2'(isa_pkg::ShflModeDown): at = {1'b0, lane} + {1'b0, b};
      2'(isa_pkg::ShflModeBfly): at = {1'b0, lane ^ b};
      default:                   at = {1'b0, (lane & segment) | (b & ~segment)};
    endcase
    reached = mod[isa_pkg::ShuffleModeLsb+:isa_pkg::ShuffleModeWidth] == 2'(isa_pkg::ShflModeUp) ? at[4:0] >= last
                                                                                               : at[4:0] <= last;
    return '{found: !at[5] && reached, lane: at[4:0]};
  endfunction

  // All, any, uni: ones and zeros tell whether the predicate is so in some lane.
  function automatic logic vote(input logic [17:0] mod, input logic ones, input logic zeros);
    logic holds;
    case (mod[isa_pkg::VoteModeLsb+:isa_pkg::VoteModeWidth])
      2'(isa_pkg::VoteModeAll): holds = !zeros;
      2'(isa_pkg::VoteModeAny): holds = ones;
      default:                  holds = !ones || !zeros;
    endcase
    return holds;
  endfunction

  function automatic logic [31:0] reduce(input logic [17:0] mod, input logic [31:0] x, input logic [31:0] y);
    logic [31:0] value, flip;
    logic        less;
    flip = {mod[isa_pkg::ReduxSignLsb], 31'd0};
    less = (x ^ flip) < (y ^ flip);
    case (mod[isa_pkg::ReduxOpLsb+:isa_pkg::ReduxOpWidth])
      3'(isa_pkg::ReduxOpMin): value = less ? x : y;
      3'(isa_pkg::ReduxOpMax): value = less ? y : x;
      3'(isa_pkg::ReduxOpAnd): value = x & y;
      3'(isa_pkg::ReduxOpOr):  value = x | y;
      3'(isa_pkg::ReduxOpXor): value = x ^ y;
      default:                 value = x + y;
    endcase
    return value;
  endfunction

  // What changes no reduction.
  function automatic logic [31:0] neutral(input logic [17:0] mod);
    logic        sign;
    logic [31:0] value;
    sign = mod[isa_pkg::ReduxSignLsb];
    case (mod[isa_pkg::ReduxOpLsb+:isa_pkg::ReduxOpWidth])
      3'(isa_pkg::ReduxOpMin): value = {!sign, 31'h7fffffff};
      3'(isa_pkg::ReduxOpMax): value = {sign, 31'd0};
      3'(isa_pkg::ReduxOpAnd): value = '1;
      default:                 value = '0;
    endcase
    return value;
  endfunction

endpackage
