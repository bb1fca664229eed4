// SPDX-License-Identifier: Apache-2.0
// Counts, for each warp, the store requests that L2 has not yet acknowledged; each link brings acknowledgements. What was joined to an earlier
// one is acknowledged with it.
module lsu_stores #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [2:0]                          sent_i,       // so many at once
  input  logic [config_pkg::WarpW-1:0]        sent_warp_i,
  input  logic [Links-1:0]                    ack_i,
  input  logic [Links-1:0][config_pkg::WarpW-1:0] ack_warp_i,
  input  logic [2:0]                          joined_i,      // so many at once
  input  logic [config_pkg::WarpW-1:0]        joined_warp_i,
  output logic [config_pkg::WarpsPerSm-1:0]   pending_o     // warps with unacknowledged stores
);

  // A warp may have some hundred sectors on the way: the request queues on the way to L2 hold fewer.
  localparam int unsigned CountW = 12;

  logic [CountW-1:0]                 count_q [config_pkg::WarpsPerSm];
  logic [config_pkg::WarpsPerSm-1:0] pending_q;
  assign pending_o = pending_q;

  // Those that come for one warp: on each link, and joined. Of those for the same warp the first counts for all.
  localparam int unsigned From = Links + 1;
  logic [From-1:0]                           come, alone, expected;
  logic [From-1:0][config_pkg::WarpW-1:0]    warp;
  logic [From-1:0][2:0]                      all;   // that come for its warp
  logic                                      sent;
  logic [2:0]                                acked; // for the warp that sends
  assign sent = sent_i != '0;
  assign come = {joined_i != '0, ack_i};
  assign warp = {joined_warp_i, ack_warp_i};
  always_comb begin
    acked = '0;
    all = '0;
    alone = come;
    expected = '1;
    for (int unsigned p = 0; p < From; p++) begin
      if (come[p]) begin
        if (warp[p] == sent_warp_i) begin
          acked += p == Links ? joined_i : 3'd1;
          if (sent) alone[p] = 1'b0;
        end
        for (int unsigned o = 0; o < From; o++) begin
          if (come[o] && warp[o] == warp[p]) begin
            all[p] += o == Links ? joined_i : 3'd1;
            if (o < p) alone[p] = 1'b0;
          end
        end
        expected[p] = pending_q[warp[p]] && count_q[warp[p]] >= CountW'(all[p]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (sent) begin
      count_q[sent_warp_i] <= (pending_q[sent_warp_i] ? count_q[sent_warp_i] : '0) + CountW'(sent_i) - CountW'(acked);
      pending_q[sent_warp_i] <= 1'b1;
    end
    for (int unsigned p = 0; p < From; p++) begin
      if (alone[p]) begin
        count_q[warp[p]] <= count_q[warp[p]] - CountW'(all[p]);
        if (count_q[warp[p]] == CountW'(all[p])) pending_q[warp[p]] <= 1'b0;
      end
    end
    if (!rst_ni) pending_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A lost or doubled acknowledgement would end a block too early or never.
      a_ack: assert ((come & ~expected) == '0) else $error("lsu_stores: acknowledgement without store");
      a_full: assert (!sent || !pending_q[sent_warp_i] || !(&count_q[sent_warp_i][CountW-1:2]))
        else $error("lsu_stores: counter overflows");
    end
  end

endmodule
