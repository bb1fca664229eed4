// SPDX-License-Identifier: Apache-2.0
// Transmitter and receiver side by side; the test is the wire.
module uart_top #(
    parameter int unsigned ClockHz = 50_000_000,
    parameter int unsigned Baud    = 3_000_000
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    output logic       txd_o,
    input  logic       rxd_i,
    output logic       rx_valid_o,
    output logic [7:0] rx_data_o,
    output logic       rx_error_o
);

  uart_tx #(
      .ClockHz (ClockHz),
      .Baud    (Baud)
  ) u_tx (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .valid_i (valid_i),
      .ready_o (ready_o),
      .data_i  (data_i),
      .txd_o   (txd_o)
  );

  uart_rx #(
      .ClockHz (ClockHz),
      .Baud    (Baud)
  ) u_rx (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .rxd_i   (rxd_i),
      .valid_o (rx_valid_o),
      .data_o  (rx_data_o),
      .error_o (rx_error_o)
  );

endmodule
