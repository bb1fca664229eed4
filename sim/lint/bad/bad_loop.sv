// SPDX-License-Identifier: Apache-2.0
// Refused by synth.sh: a and b hang on each other.
module bad_loop (
  input  logic       en_i,
  input  logic [3:0] d_i,
  output logic [3:0] q_o
);
  logic [3:0] a, b;
  assign a = en_i ? d_i : b;
  assign b = en_i ? a + 4'd1 : a;
  assign q_o = b;
endmodule
