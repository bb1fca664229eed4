// SPDX-License-Identifier: Apache-2.0
// 25 MHz of the board to 50 MHz. In simulation sim/board/pll.sv stands in its place.
// Divider settings: VCO = 25 MHz * 2 (feedback from CLKOP) * 12 = 600 MHz, within its 400 to 800.
module pll (
    input  logic clk_25mhz_i,
    output logic clk_o,
    output logic locked_o
);

  EHXPLLL #(
      .PLLRST_ENA       ("DISABLED"),
      .INTFB_WAKE       ("DISABLED"),
      .STDBY_ENABLE     ("DISABLED"),
      .DPHASE_SOURCE    ("DISABLED"),
      .OUTDIVIDER_MUXA  ("DIVA"),
      .OUTDIVIDER_MUXB  ("DIVB"),
      .OUTDIVIDER_MUXC  ("DIVC"),
      .OUTDIVIDER_MUXD  ("DIVD"),
      .CLKI_DIV         (1),
      .CLKOP_ENABLE     ("ENABLED"),
      .CLKOP_DIV        (12),
      .CLKOP_CPHASE     (5),
      .CLKOP_FPHASE     (0),
      .FEEDBK_PATH      ("CLKOP"),
      .CLKFB_DIV        (2)
  ) u_pll (
      .RST       (1'b0),
      .STDBY     (1'b0),
      .CLKI      (clk_25mhz_i),
      .CLKOP     (clk_o),
      .CLKFB     (clk_o),
      .CLKINTFB  (),
      .PHASESEL0 (1'b0),
      .PHASESEL1 (1'b0),
      .PHASEDIR  (1'b1),
      .PHASESTEP (1'b1),
      .PHASELOADREG (1'b1),
      .PLLWAKESYNC (1'b0),
      .ENCLKOP   (1'b0),
      .LOCK      (locked_o)
  );

endmodule
