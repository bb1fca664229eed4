// SPDX-License-Identifier: Apache-2.0
// Between clients and slices no request and no answer is lost, doubled or stuck: each request goes to one slice, all of a
// line to the same; a slice gives to one client a cycle, and only what waits; what a link takes comes to its client in
// that order, an answer's beats together; a slice where something waits is passed over by as many answers as there are other
// slices on its link, at most, and a link that asks a slice gets its turn there behind each other client once.
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
  input logic [Slices-1:0][Clients-1:0]          slice_waits_i,
  input mem_pkg::rsp_t [Slices-1:0]              slice_rsp_i,
  input logic [1:0]                              mine_i    // any slice of a link, always the same
);

  logic                                    busy;
  logic          [Clients-1:0]             req_ready;
  logic          [Clients-1:0][Links-1:0]  rsp_valid;
  mem_pkg::rsp_t [Clients-1:0][Links-1:0]  rsp;
  logic [Clients-1:0] slice_req_valid [Slices];
  logic [Clients-1:0] slice_req_ready [Slices];
  logic [Clients-1:0] slice_waits [Slices];
  logic [Clients-1:0] slice_take [Slices];
  mem_pkg::rsp_t      slice_rsp [Slices];
  l2_network #(.Clients(Clients), .Slices(Slices), .Links(Links)) u_dut (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .busy_o            (busy),
    .req_valid_i       (req_valid_i),
    .req_ready_o       (req_ready),
    .req_i             (req_i),
    .rsp_valid_o       (rsp_valid),
    .rsp_ready_i       (rsp_ready_i),
    .rsp_o             (rsp),
    .slice_req_valid_o (slice_req_valid),
    .slice_req_ready_i (slice_req_ready),
    .slice_waits_i     (slice_waits),
    .slice_take_o      (slice_take),
    .slice_rsp_i       (slice_rsp)
  );

  // Of client 0 and, of answers, its link 0; the others have the same hardware. Slice n of the link is slice n * Links.
  logic [Slices-1:0]  asked, asked_1, ready, gives;
  logic [Sharing-1:0] offers, takes, may_come, served, last;
  logic [Sharing-1:0] offered_q, within_q;         // offered and not taken; taken in part
  mem_pkg::rsp_t      taken;
  for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
    assign slice_req_ready[s] = slice_req_ready_i[s];
    assign slice_waits[s] = slice_waits_i[s];
    assign slice_rsp[s] = slice_rsp_i[s];
    assign asked[s] = slice_req_valid[s][0];
    assign asked_1[s] = slice_req_valid[s][1];
    assign ready[s] = slice_req_ready_i[s][0];
    assign gives[s] = slice_take[s] != '0;
    always_comb if (rst_ni) assert ((slice_take[s] & ~slice_waits[s]) == '0 && slice_take[s] != '1);
  end
  for (genvar s = 0; s < int'(Sharing); s++) begin : g_mine
    assign offers[s] = slice_waits_i[s*int'(Links)][0];
    assign takes[s] = slice_take[s*int'(Links)][0];
    assign served[s] = gives[s*int'(Links)];
    assign last[s] = u_dut.last_q[0][s*int'(Links)];
    // What waits does so until it is taken.
    always_comb assume (!offered_q[s] || offers[s]);
  end
  always_comb begin
    taken = '0;
    for (int unsigned s = 0; s < Sharing; s++) if (takes[s]) taken |= slice_rsp_i[s*Links];
  end
  function automatic logic onehot(input logic [Slices-1:0] x);
    return x != '0 && (x & (x - 1'b1)) == '0;
  endfunction

  logic               first_q = 1'b1;
  logic [1:0]         mine_q;
  logic [2:0]         passed_q;                    // answers of others that have ended while this one waits
  logic [Sharing-1:0] asking_q;                    // the slice that was asked and served another client
  logic [1:0]         count_q;                     // of beats on the link, and these
  mem_pkg::rsp_t      head_q, next_q;
  logic               comes, leaves;
  assign comes = takes != '0;
  assign leaves = count_q != 2'd0 && rsp_ready_i[0][0];
  assign may_come = within_q == '0 ? offers : offers & within_q;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    mine_q <= mine_i;
    offered_q <= rst_ni ? offers & ~takes : '0;
    asking_q <= rst_ni && u_dut.asks[0] && !comes ? Sharing'(1) << (u_dut.from[0] / Links) : '0;
    if (!rst_ni) within_q <= '0;
    else if (comes) within_q <= taken.answer.last ? '0 : takes;
    if (!rst_ni || takes[mine_i] || !offers[mine_i]) passed_q <= '0;
    else if (comes && taken.answer.last) passed_q <= passed_q + 3'd1;
    if (!rst_ni) count_q <= 2'd0;
    else count_q <= count_q + 2'(comes) - 2'(leaves);
    if (comes && (count_q == 2'd0 || (count_q == 2'd1 && leaves))) head_q <= taken;
    else if (leaves) head_q <= next_q;
    if (comes) next_q <= taken;
  end

  // Of the hardware's state: how many slices come before `mine_i` after the last that was served.
  logic [1:0] next, ahead;
  always_comb begin
    next = '0;
    for (int unsigned s = 0; s < Sharing; s++) if (last[s]) next = 2'(s + 1);
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
      assert (takes == '0 || onehot(Slices'(takes)));
      assert (takes == '0 || count_q != 2'd2);
      assert (rsp_valid[0][0] == (count_q != 2'd0));
      assert (!rsp_valid[0][0] || rsp[0][0] == head_q);
      assert (takes == '0 || within_q == '0 || takes == within_q);
      assert (passed_q < 3'(Sharing));
      assert (busy || (slice_waits_i == '0 && rsp_valid == '0));
      // Where something may come, a slice that has it serves somebody; the same slice, asked again, serves this client then.
      assert (may_come == '0 || count_q == 2'd2 || (may_come & served) != '0);
      assert (asking_q == '0 || !u_dut.asks[0] || asking_q != Sharing'(1) << (u_dut.from[0] / Links) || takes == asking_q);
      // What makes it so, in the hardware's state.
      assert (last == '0 || onehot(Slices'(last)));
      assert ((u_dut.last_q[0] & ~Slices'(8'h55)) == '0);
      assert (within_q == (u_dut.within_q[0] ? last : '0));
      assert (!u_dut.within_q[0] || last != '0);
      assert (passed_q == '0 || (offered_q[mine_i] && !within_q[mine_i]));
      assert (3'(ahead) + passed_q + 3'(within_q != '0) < 3'(Sharing) || within_q[mine_i] || !offered_q[mine_i]);
      for (int unsigned s = 0; s < Sharing; s++) assert (!asking_q[s] || u_dut.served_q[s*Links] == 2'b10);
      assert (count_q == u_dut.g_client[0].g_link[0].g_some.u_rsp.count_q);
      assert (count_q != 2'd2 || next_q == u_dut.g_client[0].g_link[0].g_some.u_rsp.g_registers.ring_q[0]);
    end
  end
  for (genvar c = 0; c < int'(Clients); c++) begin : g_queues
    for (genvar p = 0; p < int'(Links); p++) begin : g_queue
      always_comb begin
        if (rst_ni) begin
          assert (u_dut.g_client[c].g_link[p].g_some.u_rsp.count_q <= 2'd2);
          assert (u_dut.g_client[c].g_link[p].g_some.u_rsp.wr_ptr_q == '0);
          assert (u_dut.g_client[c].g_link[p].g_some.u_rsp.rd_ptr_q == '0);
        end
      end
    end
  end

endmodule
