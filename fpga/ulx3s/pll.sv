// SPDX-License-Identifier: Apache-2.0
// 25 MHz of the board to ClockKhz, a multiple of 12,500 from 12,500 to 100,000. In simulation sim/board/pll.sv stands in
// its place. Feedback comes from CLKOP: ClockKhz = 25 MHz * CLKFB_DIV / CLKI_DIV; the VCO, CLKOP_DIV times that, is as near
// to 600 MHz as it gets, within its 400 to 800.
module pll #(
    parameter int unsigned ClockKhz = 50_000
) (
    input  logic clk_25mhz_i,
    output logic clk_o,
    output logic locked_o
);

  localparam int unsigned Steps  = ClockKhz / 12_500;
  localparam int unsigned Halves = Steps % 2;           // an odd step needs the input halved
  localparam int unsigned OutDiv = 600_000 / ClockKhz;

  EHXPLLL #(
      .PLLRST_ENA       ("DISABLED"),
      .INTFB_WAKE       ("DISABLED"),
      .STDBY_ENABLE     ("DISABLED"),
      .DPHASE_SOURCE    ("DISABLED"),
      .OUTDIVIDER_MUXA  ("DIVA"),
      .OUTDIVIDER_MUXB  ("DIVB"),
      .OUTDIVIDER_MUXC  ("DIVC"),
      .OUTDIVIDER_MUXD  ("DIVD"),
      .CLKI_DIV         (1 + Halves),
      .CLKOP_ENABLE     ("ENABLED"),
      .CLKOP_DIV        (OutDiv),
      .CLKOP_CPHASE     (OutDiv / 2 - 1),
      .CLKOP_FPHASE     (0),
      .FEEDBK_PATH      ("CLKOP"),
      .CLKFB_DIV        (Halves == 1 ? Steps : Steps / 2)
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
