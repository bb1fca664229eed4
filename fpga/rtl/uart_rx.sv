// SPDX-License-Identifier: Apache-2.0
// Serial receiver, 8N1: 3 Mbaud from 50 MHz, or any rate of at most a quarter of the clock.
//
// A falling edge starts a byte. Time is kept as a fraction of a bit: `phase` grows by Baud each clock and a
// bit has passed when it reaches ClockHz, so 16.67 clocks a bit need no rounding. Each bit is the majority
// of three samples around its middle. Example, 4 clocks a bit: edge seen in clock 0, the start bit
// is judged from clocks 1, 2, 3, bit 0 from 5, 6, 7.
// A start bit that is high in its middle was a glitch. A stop bit that is low is a framing error: the byte
// is dropped and told, and the line must rest high before the next start.
module uart_rx #(
    parameter int unsigned ClockHz = 50_000_000,
    parameter int unsigned Baud    = 3_000_000
) (
    input  logic       clk_i,
    input  logic       rst_ni,
    input  logic       rxd_i,     // asynchronous
    output logic       valid_o,   // one cycle
    output logic [7:0] data_o,
    output logic       error_o    // one cycle: framing error
);

  localparam int unsigned PhaseW = $clog2(ClockHz + Baud) + 1;

  typedef enum logic [1:0] {
    Rest,   // after a framing error: until the line is high
    Idle,   // line high, waiting for a start
    Start,  // to the middle of the start bit
    Bits    // eight data bits and the stop bit
  } state_e;

  state_e            state_q;
  logic [4:0]        sample_q;  // newest in bit 0; bits 0 and 1 synchronise
  logic [PhaseW-1:0] phase_q, phase;
  logic              line, tick;
  logic [3:0]        count_q;
  logic [7:0]        shift_q;

  // Two flip-flops against metastability, then three samples.
  assign line  = (sample_q[2] & sample_q[3]) | (sample_q[2] & sample_q[4]) | (sample_q[3] & sample_q[4]);
  assign phase = phase_q + PhaseW'(Baud);
  assign tick  = phase >= PhaseW'(ClockHz);
  assign data_o = shift_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      sample_q <= '1;
      state_q  <= Rest;
      phase_q  <= '0;
      count_q  <= '0;
      valid_o  <= 1'b0;
      error_o  <= 1'b0;
    end else begin
      sample_q <= {sample_q[3:0], rxd_i};
      valid_o  <= 1'b0;
      error_o  <= 1'b0;
      phase_q  <= tick ? phase - PhaseW'(ClockHz) : phase;
      case (state_q)
        Rest: if (line) state_q <= Idle;
        // The edge lies half a clock before the first low sample, and the majority's middle one clock back.
        Idle:
        if (!sample_q[2]) begin
          state_q <= Start;
          phase_q <= PhaseW'(ClockHz / 2 - Baud / 2);
        end
        Start:
        if (tick) begin
          state_q <= line ? Idle : Bits;
          count_q <= '0;
        end
        Bits:
        if (tick) begin
          count_q <= count_q + 4'd1;
          if (count_q == 4'd8) begin
            state_q <= line ? Idle : Rest;
            valid_o <= line;
            error_o <= !line;
            // A sender that is faster has begun the next byte already.
            if (line && !sample_q[2]) begin
              state_q <= Start;
              phase_q <= PhaseW'(ClockHz / 2 - Baud / 2);
            end
          end
        end
        default: state_q <= Rest;
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Bits && tick && count_q != 4'd8) shift_q <= {line, shift_q[7:1]};
  end

endmodule
