// SPDX-License-Identifier: Apache-2.0
// Serial transmitter, 8N1. Time is kept as in uart_rx: no rate needs to divide the clock; a bit lasts the
// whole number of clocks that keeps the sum right.
module uart_tx #(
    parameter int unsigned ClockHz = 50_000_000,
    parameter int unsigned Baud    = 3_000_000
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       valid_i,
    output logic       ready_o,
    input  logic [7:0] data_i,
    output logic       txd_o
);

  localparam int unsigned PhaseW = $clog2(ClockHz + Baud) + 1;

  logic [PhaseW-1:0] phase_q, phase;
  logic              tick;
  logic [3:0]        left_q;   // bits to send, with start and stop
  logic [8:0]        shift_q;  // next bits, lowest first

  assign phase   = phase_q + PhaseW'(Baud);
  assign tick    = phase >= PhaseW'(ClockHz);
  assign ready_o = left_q == '0 || (left_q == 4'd1 && tick);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      phase_q <= '0;
      left_q  <= '0;
      shift_q <= '1;
      txd_o   <= 1'b1;
    end else begin
      phase_q <= tick ? phase - PhaseW'(ClockHz) : phase;
      if (valid_i && ready_o) begin
        // After a pause the bit's time begins here; within a stream it goes on, so nothing is lost.
        if (left_q == '0) phase_q <= '0;
        left_q  <= 4'd10;
        shift_q <= {1'b1, data_i};
        txd_o   <= 1'b0;
      end else if (left_q != '0 && tick) begin
        left_q  <= left_q - 4'd1;
        shift_q <= {1'b1, shift_q[8:1]};
        txd_o   <= shift_q[0];
      end
    end
  end

endmodule
