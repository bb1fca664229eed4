// SPDX-License-Identifier: Apache-2.0
// l2_pkg::atomic_result with ports, for its test.
module l2_atomic_top (
  input  logic [3:0]  op_i,
  input  logic        sign_i,
  input  logic        wide_i,
  input  logic [63:0] old_i,
  input  logic [63:0] b_i,
  input  logic [63:0] c_i,
  output logic [63:0] result_o
);
  assign result_o = l2_pkg::atomic_result(op_i, sign_i, wide_i, old_i, b_i, c_i);
endmodule
