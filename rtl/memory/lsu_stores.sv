// SPDX-License-Identifier: Apache-2.0
// Counts, for each warp, the store requests that L2 has not yet acknowledged; each link brings acknowledgements.
module lsu_stores #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [2:0]                          sent_i,       // so many at once
  input  logic [config_pkg::WarpW-1:0]        sent_warp_i,
  input  logic [Links-1:0]                    ack_i,
  input  logic [Links-1:0][config_pkg::WarpW-1:0] ack_warp_i,
  output logic [config_pkg::WarpsPerSm-1:0]   pending_o     // warps with unacknowledged stores
);

  // A warp may have some hundred sectors on the way: the request queues on the way to L2 hold fewer.
  localparam int unsigned CountW = 12;

  logic [CountW-1:0]                 count_q [config_pkg::WarpsPerSm];
  logic [config_pkg::WarpsPerSm-1:0] pending_q;
  assign pending_o = pending_q;

  // What comes for the warp that sends; for each link's warp, and whether it is another than that of the sender and of the links before.
  logic                  sent;
  logic [2:0]            acked;
  logic [Links-1:0][2:0] acks;
  logic [Links-1:0]      alone, expected;
  assign sent = sent_i != '0;
  always_comb begin
    acked = '0;
    acks = '0;
    alone = ack_i;
    expected = '1;
    for (int unsigned p = 0; p < Links; p++) begin
      if (ack_i[p]) begin
        if (ack_warp_i[p] == sent_warp_i) begin
          acked += 3'd1;
          if (sent) alone[p] = 1'b0;
        end
        for (int unsigned o = 0; o < Links; o++) begin
          if (ack_i[o] && ack_warp_i[o] == ack_warp_i[p]) begin
            acks[p] += 3'd1;
            if (o < p) alone[p] = 1'b0;
          end
        end
        expected[p] = pending_q[ack_warp_i[p]] && count_q[ack_warp_i[p]] >= CountW'(acks[p]);
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (sent) begin
      count_q[sent_warp_i] <= (pending_q[sent_warp_i] ? count_q[sent_warp_i] : '0) + CountW'(sent_i) - CountW'(acked);
      pending_q[sent_warp_i] <= 1'b1;
    end
    for (int unsigned p = 0; p < Links; p++) begin
      if (alone[p]) begin
        count_q[ack_warp_i[p]] <= count_q[ack_warp_i[p]] - CountW'(acks[p]);
        if (count_q[ack_warp_i[p]] == CountW'(acks[p])) pending_q[ack_warp_i[p]] <= 1'b0;
      end
    end
    if (!rst_ni) pending_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A lost or doubled acknowledgement would end a block too early or never.
      a_ack: assert ((ack_i & ~expected) == '0) else $error("lsu_stores: acknowledgement without store");
      a_full: assert (!sent || !pending_q[sent_warp_i] || !(&count_q[sent_warp_i][CountW-1:2]))
        else $error("lsu_stores: counter overflows");
    end
  end

endmodule
