// SPDX-License-Identifier: Apache-2.0
// Reset of a clock domain: asserted with the request, released Cycles clocks after the last one. The flip-flops
// begin at 0 after configuration, so the domain starts in reset.
module reset_sync #(
    parameter int unsigned Cycles = 16
) (
    input  logic clk_i,
    input  logic reset_i,  // may come from another domain, if it lasts a clock
    output logic rst_no
);

  logic [1:0]        sync_q = '0;
  logic [Cycles-1:0] hold_q = '0;
  assign rst_no = hold_q[Cycles-1];

  always_ff @(posedge clk_i) begin
    sync_q <= {sync_q[0], !reset_i};
    hold_q <= sync_q[1] ? {hold_q[Cycles-2:0], 1'b1} : '0;
  end

endmodule
