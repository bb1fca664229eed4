// SPDX-License-Identifier: Apache-2.0
// Refused by synth.sh: q_o keeps its value while en_i is low.
module bad_latch (
  input  logic       en_i,
  input  logic [3:0] d_i,
  output logic [3:0] q_o
);
  always @* if (en_i) q_o = d_i;
endmodule
