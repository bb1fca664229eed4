// SPDX-License-Identifier: Apache-2.0
// ULX3S (ECP5-85F): clock, reset, pins. Everything else is board.sv. Pins: ulx3s.lpf.
//
// Button FIRE1 resets all, as a power cycle does. Lights:
//   0 clock runs (blinks)   1 a session is open   2 memory works      3 interrupt
//   4 good frames come      5 damaged frames      6 frames sent again  7 in reset
module top #(
    parameter int unsigned ClockKhz     = 50_000,
    parameter int unsigned Baud         = 3_000_000,
    parameter int unsigned ResendCycles = 40 * ClockKhz,
    parameter logic [31:0] BitstreamId  = '0,
    parameter bit          Sdram        = 1'b1,
    parameter int unsigned BramBytes    = 131072,
    parameter int unsigned PowerUpNs    = 200_000,
    parameter bit          ClockGates   = 1'b0
) (
    input  logic        clk_25mhz,
    input  logic [6:0]  btn,
    output logic [7:0]  led,
    output logic        ftdi_rxd,    // to the host
    input  logic        ftdi_txd,    // from the host
    output logic        wifi_gpio0,  // held high: else the WiFi chip takes the board over
    output logic        sdram_clk,
    output logic        sdram_cke,
    output logic        sdram_csn,
    output logic        sdram_wen,
    output logic        sdram_rasn,
    output logic        sdram_casn,
    output logic [12:0] sdram_a,
    output logic [1:0]  sdram_ba,
    output logic [1:0]  sdram_dqm,
    inout  wire  [15:0] sdram_d
);

  localparam int unsigned LightCycles = 20 * ClockKhz;  // a light stays on for 20 ms
  localparam int unsigned LightW      = $clog2(LightCycles + 1);

  logic clk, locked, rst_n;
  pll #(
      .ClockKhz (ClockKhz)
  ) u_pll (
      .clk_25mhz_i (clk_25mhz),
      .clk_o       (clk),
      .locked_o    (locked)
  );
  reset_sync u_reset (
      .clk_i   (clk),
      .reset_i (!locked || btn[1]),
      .rst_no  (rst_n)
  );

  logic        dq_en;
  logic [15:0] dq_out;
  logic        connected, irq, good, bad, resent, memory;
  assign sdram_d    = dq_en ? dq_out : 'z;
  assign sdram_clk  = ~clk;
  assign wifi_gpio0 = 1'b1;

  board #(
      .ClockKhz     (ClockKhz),
      .Baud         (Baud),
      .ResendCycles (ResendCycles),
      .BitstreamId  (BitstreamId),
      .Sdram        (Sdram),
      .BramBytes    (BramBytes),
      .PowerUpNs    (PowerUpNs),
      .ClockGates   (ClockGates)
  ) u_board (
      .clk_i         (clk),
      .rst_ni        (rst_n),
      .rxd_i         (ftdi_txd),
      .txd_o         (ftdi_rxd),
      .sdram_cke_o   (sdram_cke),
      .sdram_csn_o   (sdram_csn),
      .sdram_rasn_o  (sdram_rasn),
      .sdram_casn_o  (sdram_casn),
      .sdram_wen_o   (sdram_wen),
      .sdram_a_o     (sdram_a),
      .sdram_ba_o    (sdram_ba),
      .sdram_dqm_o   (sdram_dqm),
      .sdram_dq_en_o (dq_en),
      .sdram_dq_o    (dq_out),
      .sdram_dq_i    (sdram_d),
      .connected_o   (connected),
      .irq_o         (irq),
      .good_o        (good),
      .bad_o         (bad),
      .resent_o      (resent),
      .memory_o      (memory)
  );

  // ---- lights ----------------------------------------------------------------------------------------
  logic [25:0]            beat_q;
  logic [3:0]             event_now;
  logic [3:0][LightW-1:0] light_q;
  assign event_now = {resent, bad, good, memory};
  assign led = {!rst_n, light_q[3] != '0, light_q[2] != '0, light_q[1] != '0, irq, light_q[0] != '0, connected,
                beat_q[25]};

  always_ff @(posedge clk) begin
    if (!rst_n) begin
      beat_q  <= '0;
      light_q <= '0;
    end else begin
      beat_q <= beat_q + 26'd1;
      for (int unsigned l = 0; l < 4; l++) begin
        if (event_now[l]) light_q[l] <= LightW'(LightCycles);
        else if (light_q[l] != '0) light_q[l] <= light_q[l] - LightW'(1);
      end
    end
  end

endmodule
