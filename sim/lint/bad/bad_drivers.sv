// SPDX-License-Identifier: Apache-2.0
// Refused by synth.sh: q_o has two drivers.
module bad_drivers (
  input  logic       clk_i,
  input  logic [3:0] d_i,
  output logic [3:0] q_o
);
  always @(posedge clk_i) q_o <= d_i;
  always @(posedge clk_i) if (d_i[0]) q_o <= '0;
endmodule
