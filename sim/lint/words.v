// SPDX-License-Identifier: Apache-2.0
// Map for netlists: Yosys's word multiplexer as a part select, which Verilog can write. Its own map makes a tree
// of two-way multiplexers of the whole word: a look-up of a lane in a row is 31 lanes wide then, and simulates a
// hundred times slower.
(* techmap_celltype = "$bmux" *)
module word_bmux (A, S, Y);
  parameter WIDTH = 1;
  parameter S_WIDTH = 1;
  localparam Shift = $clog2(WIDTH);
  input [(WIDTH<<S_WIDTH)-1:0] A;
  input [S_WIDTH-1:0] S;
  output [WIDTH-1:0] Y;
  wire _TECHMAP_FAIL_ = S_WIDTH == 0 || (1 << Shift) != WIDTH;
  generate
    if (Shift == 0) begin
      \$shiftx #(.A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(WIDTH << S_WIDTH), .B_WIDTH(S_WIDTH), .Y_WIDTH(WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B(S), .Y(Y));
    end else begin
      \$shiftx #(.A_SIGNED(0), .B_SIGNED(0), .A_WIDTH(WIDTH << S_WIDTH), .B_WIDTH(S_WIDTH + Shift), .Y_WIDTH(WIDTH))
        _TECHMAP_REPLACE_ (.A(A), .B({S, {Shift{1'b0}}}), .Y(Y));
    end
  endgenerate
endmodule
