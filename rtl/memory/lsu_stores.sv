// SPDX-License-Identifier: Apache-2.0
// Counts, for each warp, the store requests that L2 has not yet acknowledged.
module lsu_stores (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  input  logic [2:0]                          sent_i,       // so many at once
  input  logic [config_pkg::WarpW-1:0]        sent_warp_i,
  input  logic                                ack_i,
  input  logic [config_pkg::WarpW-1:0]        ack_warp_i,
  output logic [config_pkg::WarpsPerSm-1:0]   pending_o     // warps with unacknowledged stores
);

  // A warp may have some hundred sectors on the way: the request queues on the way to L2 hold fewer.
  localparam int unsigned CountW = 12;

  logic [CountW-1:0]                 count_q [config_pkg::WarpsPerSm];
  logic [config_pkg::WarpsPerSm-1:0] pending_q;
  assign pending_o = pending_q;

  logic sent, both;  // in and out of the same warp
  assign sent = sent_i != '0;
  assign both = sent && ack_i && sent_warp_i == ack_warp_i;

  always_ff @(posedge clk_i) begin
    if (sent && !(both && sent_i == 3'd1)) begin
      count_q[sent_warp_i] <= (pending_q[sent_warp_i] ? count_q[sent_warp_i] : '0) + CountW'(sent_i) - CountW'(both);
      pending_q[sent_warp_i] <= 1'b1;
    end
    if (ack_i && !both) begin
      count_q[ack_warp_i] <= count_q[ack_warp_i] - CountW'(1);
      if (count_q[ack_warp_i] == CountW'(1)) pending_q[ack_warp_i] <= 1'b0;
    end
    if (!rst_ni) pending_q <= '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A lost or doubled acknowledgement would end a block too early or never.
      a_ack: assert (!ack_i || pending_q[ack_warp_i]) else $error("lsu_stores: acknowledgement without store");
      a_full: assert (!sent || !pending_q[sent_warp_i] || !(&count_q[sent_warp_i][CountW-1:2]))
        else $error("lsu_stores: counter overflows");
    end
  end

endmodule
