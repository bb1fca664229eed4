// SPDX-License-Identifier: Apache-2.0
// The functions of prim_pkg as a module.
module prim_pkg_top (
  input  logic [63:0] x_i,
  output logic [31:0] lowest32_o,
  output logic [63:0] lowest64_o,
  output logic [4:0]  first32_o,
  output logic [5:0]  first64_o,
  output logic [5:0]  popcount32_o
);
  assign lowest32_o = prim_pkg::lowest32(x_i[31:0]);
  assign lowest64_o = prim_pkg::lowest64(x_i);
  assign first32_o = prim_pkg::first32(x_i[31:0]);
  assign first64_o = prim_pkg::first64(x_i);
  assign popcount32_o = prim_pkg::popcount32(x_i[31:0]);
endmodule
