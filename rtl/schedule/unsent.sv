// SPDX-License-Identifier: Apache-2.0
// Counts each warp's memory instructions between issue and the load/store unit. A block barrier waits for
// zero: the load/store unit works in the order in which it takes instructions, so what a warp did
// before the barrier is then ahead of all that other warps do after it, at each slice of the L2 (l2_network).
module unsent (
  input  logic             clk_i,
  input  logic             start_valid_i,
  input  core_pkg::warp_t  start_warp_i,
  input  logic             issue_valid_i,
  input  core_pkg::warp_t  issue_warp_i,
  input  logic             sent_valid_i,
  input  core_pkg::warp_t  sent_warp_i,
  output core_pkg::warps_t unsent_o
);

  localparam int unsigned CountW = 4;  // more than operand collectors and request register can hold

  logic [CountW-1:0] count_q [core_pkg::Warps];
  core_pkg::warps_t  unsent_q;
  assign unsent_o = unsent_q;

  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin
      count_q[start_warp_i] <= '0;
      unsent_q[start_warp_i] <= 1'b0;
    end
    if (!(issue_valid_i && sent_valid_i && issue_warp_i == sent_warp_i)) begin
      if (issue_valid_i) begin
        count_q[issue_warp_i] <= count_q[issue_warp_i] + CountW'(1);
        unsent_q[issue_warp_i] <= 1'b1;
      end
      if (sent_valid_i) begin
        count_q[sent_warp_i] <= count_q[sent_warp_i] - CountW'(1);
        unsent_q[sent_warp_i] <= count_q[sent_warp_i] != CountW'(1);
      end
    end
  end

endmodule
