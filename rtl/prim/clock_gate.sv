// SPDX-License-Identifier: Apache-2.0
// Clock gate: clk_o ticks in the cycles in which en_i holds. en_i may settle late: it is taken while the clock
// is low, so that clk_o has no partial pulse.
//
//   clk_i    _|~|_|~|_|~|_|~|_
//   en_i     ___|~~~~~|________     changes after an edge, counts for the next one
//   clk_o    _____|~|_|~|______
//
// A block behind a gate costs a chip no dynamic power while it rests, and a simulator nothing: no process of
// it has a clock edge. Gate = 0 (an FPGA, whose clock trees have no gates to spare): clk_o is clk_i.
module clock_gate #(
  parameter bit Gate = 1'b1
) (
  input  logic clk_i,
  input  logic en_i,
  output logic clk_o
);

  if (Gate) begin : g_gate
    logic en_q;
    always_ff @(negedge clk_i) en_q <= en_i;
    assign clk_o = clk_i & en_q;
  end else begin : g_wire
    assign clk_o = clk_i;
    logic unused;
    assign unused = en_i;
  end

endmodule
