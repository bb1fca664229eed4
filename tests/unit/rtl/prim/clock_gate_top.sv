// SPDX-License-Identifier: Apache-2.0
// A counter behind a clock gate, one behind a wire, and one without.
module clock_gate_top (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        en_i,
  output logic        clk_o,
  output logic [31:0] gated_o,
  output logic [31:0] wired_o,
  output logic [31:0] free_o
);

  logic wire_clk;
  clock_gate #(.Gate(1'b1)) u_gate (.clk_i (clk_i), .en_i (en_i || !rst_ni), .clk_o (clk_o));
  clock_gate #(.Gate(1'b0)) u_wire (.clk_i (clk_i), .en_i (en_i), .clk_o (wire_clk));

  always_ff @(posedge clk_o) gated_o <= !rst_ni ? '0 : gated_o + 32'd1;
  always_ff @(posedge wire_clk) wired_o <= !rst_ni ? '0 : wired_o + 32'd1;
  always_ff @(posedge clk_i) free_o <= !rst_ni ? '0 : free_o + 32'd1;

endmodule
