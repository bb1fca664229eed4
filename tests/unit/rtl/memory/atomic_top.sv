// SPDX-License-Identifier: Apache-2.0
// atomic_pkg's two steps of an atomic with ports, for its test: operands in the low half, or with 32 bits in the upper.
module atomic_top (
  input  logic [3:0]  op_i,
  input  logic [2:0]  type_i,
  input  logic        shared_i,
  input  logic        wide_i,
  input  logic [63:0] old_i,
  input  logic [63:0] b_i,
  input  logic [63:0] c_i,
  input  logic        high_i,   // 32 bits: in the upper half
  output logic [63:0] result_o
);
  logic            upper;
  logic [63:0]     x, y, c, result;
  atomic_pkg::step_t first;
  assign upper = high_i && !wide_i;
  assign x = upper ? {old_i[31:0], old_i[63:32]} : old_i;
  assign y = upper ? {b_i[31:0], 32'd0} : b_i;
  assign c = upper ? {c_i[31:0], 32'd0} : c_i;
  assign first = atomic_pkg::first_step(op_i, mem_pkg::atom_type_t'(type_i), shared_i, wide_i, high_i, x, y);
  assign result = atomic_pkg::last_step(op_i, mem_pkg::atom_type_t'(type_i), shared_i, first, x, c);
  assign result_o = upper ? {result[31:0], result[63:32]} : result;
endmodule
