// SPDX-License-Identifier: Apache-2.0
// In place of fpga/ulx3s/pll.sv: the simulation's clock input already has the frequency of the output.
module pll #(
    parameter int unsigned ClockKhz = 50_000  // of the input, here
) (
    input  logic clk_25mhz_i,
    output logic clk_o,
    output logic locked_o
);

  logic [3:0] count_q = '0;
  assign clk_o    = clk_25mhz_i;
  assign locked_o = &count_q;

  always_ff @(posedge clk_25mhz_i) begin
    if (!locked_o) count_q <= count_q + 4'd1;
  end

endmodule
