// SPDX-License-Identifier: Apache-2.0
// Between clients and slices no request and no answer is lost, doubled or stuck: each request goes to one slice, all of a
// line to the same; each answer that a slice gives is the one that its client gets, its beats together; a slice whose answer
// waits is passed over by as many answers as there are other slices on its link, at most.
module l2_network_proof #(
  localparam int unsigned Clients = 2,
  localparam int unsigned Slices  = 8,
  localparam int unsigned Links   = 2,
  localparam int unsigned Sharing = Slices / Links   // of a link
) (
  input logic                                    clk_i,
  input logic                                    rst_ni,
  input logic          [Clients-1:0]             req_valid_i,
  input mem_pkg::req_t [Clients-1:0]             req_i,
  input logic          [Clients-1:0][Links-1:0]  rsp_ready_i,
  input logic [Slices-1:0][Clients-1:0]          slice_req_ready_i,
  input logic [Slices-1:0][Clients-1:0]          slice_rsp_valid_i,
  input mem_pkg::rsp_t [Slices-1:0][Clients-1:0] slice_rsp_i,
  input logic [1:0]                              mine_i    // any slice of a link, always the same
);

  logic          [Clients-1:0]             req_ready;
  logic          [Clients-1:0][Links-1:0]  rsp_valid;
  mem_pkg::rsp_t [Clients-1:0][Links-1:0]  rsp;
  logic [Slices-1:0][Clients-1:0]          slice_req_valid, slice_rsp_ready;
  l2_network #(.Clients(Clients), .Slices(Slices), .Links(Links)) u_dut (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .req_valid_i       (req_valid_i),
    .req_ready_o       (req_ready),
    .req_i             (req_i),
    .rsp_valid_o       (rsp_valid),
    .rsp_ready_i       (rsp_ready_i),
    .rsp_o             (rsp),
    .slice_req_valid_o (slice_req_valid),
    .slice_req_ready_i (slice_req_ready_i),
    .slice_rsp_valid_i (slice_rsp_valid_i),
    .slice_rsp_ready_o (slice_rsp_ready),
    .slice_rsp_i       (slice_rsp_i)
  );

  // Of client 0 and, of answers, its link 0; the others have the same hardware. Slice n of the link is slice n * Links.
  logic [Slices-1:0]  asked, asked_1, ready;
  logic [Sharing-1:0] offers, takes;
  for (genvar s = 0; s < int'(Slices); s++) begin : g_client
    assign asked[s] = slice_req_valid[s][0];
    assign asked_1[s] = slice_req_valid[s][1];
    assign ready[s] = slice_req_ready_i[s][0];
  end
  for (genvar s = 0; s < int'(Sharing); s++) begin : g_mine
    assign offers[s] = slice_rsp_valid_i[s*int'(Links)][0];
    assign takes[s] = slice_rsp_ready[s*int'(Links)][0] && slice_rsp_valid_i[s*int'(Links)][0];
  end
  function automatic logic onehot(input logic [Slices-1:0] x);
    return x != '0 && (x & (x - 1'b1)) == '0;
  endfunction

  logic              first_q = 1'b1;
  logic [1:0]        mine_q;
  logic [Sharing-1:0] offered_q, within_q;          // offered and not taken; taken in part
  logic [2:0]        passed_q;                     // answers of others that have ended while this one waits
  logic              waits_q;                      // the client has not taken what it was given
  mem_pkg::rsp_t     waiting_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mine_q <= mine_i;
    offered_q <= rst_ni ? offers & ~takes : '0;
    waits_q <= rst_ni && rsp_valid[0][0] && !rsp_ready_i[0][0];
    waiting_q <= rsp[0][0];
    if (!rst_ni) within_q <= '0;
    else if (takes != '0) within_q <= rsp[0][0].answer.last ? '0 : takes;
    if (!rst_ni || takes[mine_i] || !offers[mine_i]) passed_q <= '0;
    else if (takes != '0 && rsp[0][0].answer.last) passed_q <= passed_q + 3'd1;
  end

  mem_pkg::rsp_t [Sharing-1:0] held_q;
  for (genvar s = 0; s < int'(Sharing); s++) begin : g_held
    always_ff @(posedge clk_i) held_q[s] <= slice_rsp_i[s*int'(Links)][0];
    // Slices hold what they offer.
    always_comb assume (!offered_q[s] || (offers[s] && slice_rsp_i[s*int'(Links)][0] == held_q[s]));
    always_comb if (rst_ni && takes[s]) assert (rsp[0][0] == slice_rsp_i[s*int'(Links)][0]);
  end

  // Of the hardware's state: whose answer the client gets, whose turn is next, and how many slices come before `mine_i` after it.
  logic [Sharing-1:0] held, turn;
  logic [1:0]        next, ahead;
  assign held = u_dut.g_crossbar.g_client[0].g_link[0].g_some.held_q;
  assign turn = u_dut.g_crossbar.g_client[0].g_link[0].g_some.u_arbiter.above_q;
  always_comb begin
    next = '0;
    for (int unsigned s = Sharing; s > 0; s--) if (turn[s-1]) next = 2'(s - 1);
    for (int unsigned s = 0; s < Sharing; s++) if (held[s]) next = 2'(s + 1);
    ahead = mine_i - next;
  end

  always_comb begin
    assume (first_q == !rst_ni);
    assume (first_q || mine_i == mine_q);
    if (rst_ni) begin
      assert (req_valid_i[0] ? onehot(asked) : asked == '0);
      assert (!req_valid_i[0] || req_ready[0] == ((asked & ready) != '0));
      assert (!(req_valid_i == '1 && req_i[0].sector[gpu_pkg::AddrW-1:7] == req_i[1].sector[gpu_pkg::AddrW-1:7]) ||
              asked == asked_1);
      assert (rsp_valid[0][0] && rsp_ready_i[0][0] ? onehot(takes) : takes == '0);
      assert (!waits_q || (rsp_valid[0][0] && rsp[0][0] == waiting_q));
      assert (takes == '0 || within_q == '0 || takes == within_q);
      assert (passed_q < 3'(Sharing));
      // What makes it so, in the hardware's state.
      assert (held == '0 || onehot(held));
      assert (within_q == '0 || held == within_q);
      assert (held == '0 || held == within_q || (held & offered_q) != '0);
      assert (waits_q == ((held & offered_q) != '0) || !waits_q);
      assert (passed_q == '0 || offered_q[mine_i]);
      assert (within_q == '0 || turn == ~(within_q | (within_q - 1'b1)));
      assert (!turn[0] && (~turn & (~turn + 1'b1)) == '0);
      assert (3'(ahead) + passed_q + 3'(held != '0) < 3'(Sharing) || held[mine_i] || !offered_q[mine_i]);
      // Something leads to an answer as long as any slice that may give one does.
      assert (rsp_valid[0][0] || offers == '0 || (within_q != '0 && (offers & within_q) == '0));
    end
  end

endmodule
