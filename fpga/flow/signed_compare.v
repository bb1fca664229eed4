// SPDX-License-Identifier: Apache-2.0
// Short signed comparisons become unsigned ones, for cmp2lut.v of Yosys 0.52 takes a signed constant for an unsigned one: a
// 4-bit x >= -8 was never true, and a store wrote nothing (test netlist_vecadd).
(* techmap_celltype = "$lt $le $gt $ge" *)
module signed_compare (A, B, Y);
  parameter A_SIGNED = 0;
  parameter B_SIGNED = 0;
  parameter A_WIDTH = 1;
  parameter B_WIDTH = 1;
  parameter Y_WIDTH = 1;
  parameter _TECHMAP_CELLTYPE_ = "";
  localparam Width = A_WIDTH > B_WIDTH ? A_WIDTH : B_WIDTH;
  input signed [A_WIDTH-1:0] A;
  input signed [B_WIDTH-1:0] B;
  output [Y_WIDTH-1:0] Y;
  wire signed [Width-1:0] a = A, b = B;
  wire [Width-1:0] above_a = a ^ (1 << (Width - 1)), above_b = b ^ (1 << (Width - 1));  // above the least number
  generate
    if (!(A_SIGNED && B_SIGNED) || Width > 4) wire _TECHMAP_FAIL_ = 1;
    else if (_TECHMAP_CELLTYPE_ == "$lt") assign Y = above_a < above_b;
    else if (_TECHMAP_CELLTYPE_ == "$le") assign Y = above_a <= above_b;
    else if (_TECHMAP_CELLTYPE_ == "$gt") assign Y = above_a > above_b;
    else assign Y = above_a >= above_b;
  endgenerate
endmodule
