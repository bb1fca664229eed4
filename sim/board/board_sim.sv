// SPDX-License-Identifier: Apache-2.0
// The ULX3S in simulation: its FPGA top level, its SDRAM chip, the two wires to the serial adapter, button, lights.
module board_sim #(
    parameter int unsigned ClockKhz     = 50_000,
    parameter int unsigned Baud         = 12_500_000,  // four clocks a bit
    parameter int unsigned ResendCycles = 20_000,
    parameter logic [31:0] BitstreamId  = 32'h51b0_a4d5,
    parameter int unsigned PowerUpNs    = 100_000,
    parameter bit          ClockGates   = 1'b1
) (
    input  logic        clk_i,
    input  logic        rxd_i,      // host to FPGA
    output logic        txd_o,      // FPGA to host
    input  logic        button_i,
    output logic [7:0]  led_o,
    output logic [31:0] violations_o  // of the SDRAM's rules
);

  logic        sdram_clk, sdram_cke, sdram_csn, sdram_wen, sdram_rasn, sdram_casn;
  logic [12:0] sdram_a;
  logic [1:0]  sdram_ba, sdram_dqm;
  wire  [15:0] sdram_d;
  logic        wifi_gpio0;

  top #(
      .ClockKhz     (ClockKhz),
      .Baud         (Baud),
      .ResendCycles (ResendCycles),
      .BitstreamId  (BitstreamId),
      .PowerUpNs    (PowerUpNs),
      .ClockGates   (ClockGates)
  ) u_top (
      .clk_25mhz  (clk_i),
      .btn        ({5'd0, button_i, 1'b1}),
      .led        (led_o),
      .ftdi_rxd   (txd_o),
      .ftdi_txd   (rxd_i),
      .wifi_gpio0 (wifi_gpio0),
      .sdram_clk  (sdram_clk),
      .sdram_cke  (sdram_cke),
      .sdram_csn  (sdram_csn),
      .sdram_wen  (sdram_wen),
      .sdram_rasn (sdram_rasn),
      .sdram_casn (sdram_casn),
      .sdram_a    (sdram_a),
      .sdram_ba   (sdram_ba),
      .sdram_dqm  (sdram_dqm),
      .sdram_d    (sdram_d)
  );

  sdram_model u_sdram (
      .clk_i        (sdram_clk),
      .cke_i        (sdram_cke),
      .csn_i        (sdram_csn),
      .rasn_i       (sdram_rasn),
      .casn_i       (sdram_casn),
      .wen_i        (sdram_wen),
      .a_i          (sdram_a),
      .ba_i         (sdram_ba),
      .dqm_i        (sdram_dqm),
      .dq_io        (sdram_d),
      .violations_o (violations_o)
  );

  logic unused;
  assign unused = wifi_gpio0;

endmodule
