// SPDX-License-Identifier: Apache-2.0
// The rules of a link, held by who offers something over it: a valid, a ready and a payload.
//
//   - What is offered stays: valid does not go before it was taken, except by a reset.
//   - The payload stands still while it waits.
//
// Bound in hardware with checks (bound_rules.sv).
module link_rules #(
    parameter type T = logic
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic ready_i,
    input T     payload_i
);
  logic waits_q;
  T     offered_q;
  initial waits_q = 1'b0;
  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && valid_i && !ready_i;
    if (rst_ni && valid_i && !ready_i && !waits_q) offered_q <= payload_i;
    if (rst_ni && waits_q) begin
      a_stays: assert (valid_i) else $error("%m: an offer was withdrawn");
      a_still: assert (!valid_i || payload_i == offered_q) else $error("%m: the payload changed while it waited");
    end
  end
endmodule
