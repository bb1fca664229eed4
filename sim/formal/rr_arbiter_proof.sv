// SPDX-License-Identifier: Apache-2.0
// A requester that keeps asking is served within N grants, and nobody is served who does not ask.
module rr_arbiter_proof #(
  localparam int unsigned N = 8
) (
  input logic         clk_i,
  input logic         rst_ni,
  input logic [N-1:0] req_i,
  input logic         advance_i,
  input logic [2:0]   mine_i     // any requester, always the same
);

  logic         valid;
  logic [N-1:0] gnt;
  logic [2:0]   index;
  rr_arbiter #(.N(N)) u_dut (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (req_i),
    .advance_i (advance_i),
    .valid_o   (valid),
    .gnt_o     (gnt),
    .index_o   (index)
  );

  logic [2:0] mine_q;
  logic       first_q = 1'b1;
  logic [3:0] others_q;   // grants to others since it asks
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mine_q <= mine_i;
    if (!rst_ni || !req_i[mine_i] || (advance_i && gnt[mine_i])) others_q <= '0;
    else if (advance_i) others_q <= others_q + 4'd1;
  end

  // The distance of the turn from the requester: as many requesters may come before it.
  always_comb begin
    assume (first_q == !rst_ni);
    assume (first_q || mine_i == mine_q);
    assume (!advance_i || valid);
    if (rst_ni) begin
      assert (valid == (req_i != '0));
      assert (!valid || (gnt == N'(1) << index && req_i[index]));
      assert (valid || gnt == '0);
      assert (others_q < 4'(N));
    end
  end

endmodule
