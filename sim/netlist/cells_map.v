// SPDX-License-Identifier: Apache-2.0
// The ECP5 cells of which a netlist has tens of thousands, as expressions and registers that Verilator folds into their
// surroundings (`techmap` of the flow puts them in place of the cells; the rest is ecp5_cells.sv). Parameters and ports
// are Lattice's; what the flow never sets (inverted clocks, asynchronous resets) is refused.

module LUT4 (input A, B, C, D, output Z);
  parameter [15:0] INIT = 16'h0000;
  \$lut #(.WIDTH(4), .LUT(INIT)) _TECHMAP_REPLACE_ (.A({D, C, B, A}), .Y(Z));
endmodule

module PFUMX (input ALUT, BLUT, C0, output Z);
  assign Z = C0 ? ALUT : BLUT;
endmodule

module L6MUX21 (input D0, D1, SD, output Z);
  assign Z = SD ? D1 : D0;
endmodule

// Two bits of a carry chain: a look-up table of four inputs gives propagate, its lower quarter generate.
module CCU2C (input CIN, A0, B0, C0, D0, A1, B1, C1, D1, output S0, S1, COUT);
  parameter [15:0] INIT0 = 16'h0000;
  parameter [15:0] INIT1 = 16'h0000;
  parameter INJECT1_0 = "YES";
  parameter INJECT1_1 = "YES";
  wire propagate0, propagate1, generate0, generate1, carry;
  \$lut #(.WIDTH(4), .LUT(INIT0)) propagate0_lut (.A({D0, C0, B0, A0}), .Y(propagate0));
  \$lut #(.WIDTH(4), .LUT(INIT1)) propagate1_lut (.A({D1, C1, B1, A1}), .Y(propagate1));
  generate
    if (INJECT1_0 == "YES") begin
      assign generate0 = 1'b0;
      assign S0 = propagate0;
    end else begin
      \$lut #(.WIDTH(2), .LUT(INIT0[3:0])) generate0_lut (.A({B0, A0}), .Y(generate0));
      assign S0 = propagate0 ^ CIN;
    end
    if (INJECT1_1 == "YES") begin
      assign generate1 = 1'b0;
      assign S1 = propagate1;
    end else begin
      \$lut #(.WIDTH(2), .LUT(INIT1[3:0])) generate1_lut (.A({B1, A1}), .Y(generate1));
      assign S1 = propagate1 ^ carry;
    end
  endgenerate
  assign carry = propagate0 ? CIN : generate0;
  assign COUT = propagate1 ? carry : generate1;
endmodule

module TRELLIS_FF (input CLK, LSR, CE, DI, M, output Q);
  parameter GSR = "ENABLED";
  parameter CEMUX = "1";
  parameter CLKMUX = "CLK";
  parameter LSRMUX = "LSR";
  parameter SRMODE = "LSR_OVER_CE";
  parameter REGSET = "RESET";
  parameter LSRMODE = "LSR";
  wire _TECHMAP_FAIL_ = CLKMUX != "CLK" || SRMODE != "LSR_OVER_CE" || LSRMODE != "LSR" || CEMUX == "0";
  wire enable = CEMUX == "1" ? 1'b1 : CEMUX == "INV" ? !CE : CE;
  \$sdffe #(.WIDTH(1), .CLK_POLARITY(1'b1), .EN_POLARITY(1'b1), .SRST_POLARITY(LSRMUX != "INV"), .SRST_VALUE(REGSET == "SET"))
      _TECHMAP_REPLACE_ (.CLK(CLK), .EN(enable), .SRST(LSR), .D(DI), .Q(Q));
endmodule
