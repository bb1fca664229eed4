// SPDX-License-Identifier: Apache-2.0
// The SDRAM model at 200 MHz, where each of its times is several clocks; commands straight from the test.
module sdram_chip_top (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic [2:0]  command_i,  // {rasn, casn, wen}
    input  logic [12:0] a_i,
    input  logic [1:0]  ba_i,
    input  logic [1:0]  dqm_i,
    input  logic        dq_en_i,
    input  logic [15:0] dq_i,
    output logic [15:0] dq_o,
    output logic [31:0] violations_o
);

  wire [15:0] dq;
  assign dq   = dq_en_i ? dq_i : 'z;
  assign dq_o = dq;

  sdram_model #(
      .ClockPeriodNs (5),
      .PowerUpNs     (100)
  ) u_chip (
      .clk_i        (clk_i),
      .cke_i        (1'b1),
      .csn_i        (!rst_ni),
      .rasn_i       (command_i[2]),
      .casn_i       (command_i[1]),
      .wen_i        (command_i[0]),
      .a_i          (a_i),
      .ba_i         (ba_i),
      .dqm_i        (dqm_i),
      .dq_io        (dq),
      .violations_o (violations_o)
  );

endmodule
