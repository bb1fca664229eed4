// SPDX-License-Identifier: Apache-2.0
// Crossbar between the clients (SMs, copy engine) and the slices of the L2, where there are several: a request goes to the slice
// of its line; answers come back on the client's links, each of which is that of the slices whose number is the same modulo Links.
//
//   slice of a line: with 4 slices bits {7, 8}, {9, 10}, ... of the address, all xored: neighbouring lines lie in different
//   slices, and so do lines that are a power of two apart
//
// Order. A client's requests are taken by their slices in the order in which they are offered, for nothing is kept here: the
// next one is offered when a slice has the one before. A slice performs the requests for a sector in the order in which it
// takes them, whoever sent them. So all requests to the L2 have one order, that of taking, which is each client's own and
// each sector's, as with one slice; that requests of two sectors are performed in another order nobody can see. Fences,
// releases and block barriers need no more of several slices than of one: what an SM has sent before is before all that
// anybody does who has seen something that it sent later. This ends with a queue between client and slice: then a
// fence of the block, too, and a block barrier have to wait for acknowledgements of stores.
//
// Answers. A slice gives what waits for one client a cycle, and a link takes from one slice. Each link has two places. With
// one free it asks a slice that has something for its client; a slice that several links ask gives to one of them. Both
// choose round robin, and a turn moves on only with what is given (iSLIP with one iteration), so nobody waits for ever, and
// links that all have work soon ask different slices. The beats of an answer follow each other on their link.
//
//   cycle    0            1            2
//   waits    at slice 3   -            -
//   take     1 asks 3     -            -
//   rsp      -            on link 1    -
module l2_network #(
  parameter int unsigned  Clients = config_pkg::Sms + 1,
  parameter int unsigned  Slices  = l2_pkg::Slices,   // a power of two, at least 2
  parameter int unsigned  Links   = mem_pkg::Links,   // a power of two; Slices at most
  parameter logic [Clients-1:0] Joined = '0,          // clients that get all answers on link 0
  localparam int unsigned SliceW  = (Slices > 1) ? $clog2(Slices) : 1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_ni,
  output logic                                    busy_o,               // answers wait, at a slice or on a link
  // Clients.
  input  logic          [Clients-1:0]             req_valid_i,
  output logic          [Clients-1:0]             req_ready_o,
  input  mem_pkg::req_t [Clients-1:0]             req_i,
  output logic          [Clients-1:0][Links-1:0]  rsp_valid_o,
  input  logic          [Clients-1:0][Links-1:0]  rsp_ready_i,
  output mem_pkg::rsp_t [Clients-1:0][Links-1:0]  rsp_o,
  // Slices: each sees the requests of all clients, and is told which are its; it tells for whom something waits, is told whose
  // to give, and gives it in the same cycle.
  output logic          [Clients-1:0]             slice_req_valid_o [Slices],
  input  logic          [Clients-1:0]             slice_req_ready_i [Slices],
  input  logic          [Clients-1:0]             slice_waits_i [Slices],
  output logic          [Clients-1:0]             slice_take_o [Slices],
  input  mem_pkg::rsp_t                           slice_rsp_i [Slices]
);

  typedef logic [Clients-1:0] clients_t;
  typedef logic [Slices-1:0]  slices_t;
  typedef logic [SliceW-1:0]  slice_t;

  // Which bits of a line's number make each bit of its slice's.
  function automatic logic [SliceW-1:0][$bits(l2_pkg::line_t)-1:0] slice_masks();
    for (int unsigned n = 0; n < SliceW; n++) slice_masks[n] = l2_pkg::slice_mask(n, SliceW);
  endfunction
  localparam logic [SliceW-1:0][$bits(l2_pkg::line_t)-1:0] SliceMasks = slice_masks();
  // Slices p, p + Links, ...
  function automatic logic [Links-1:0][Slices-1:0] link_slices();
    for (int unsigned s = 0; s < Slices; s++)
      for (int unsigned p = 0; p < Links; p++) link_slices[p][s] = s % Links == p;
  endfunction
  localparam logic [Links-1:0][Slices-1:0] LinkSlices = link_slices();

  // ---- requests --------------------------------------------------------------------------------------------
  slice_t        home [Clients];   // of what each client offers
  l2_pkg::line_t line;
  always_comb begin
    line = 'x;   // nobody looks at them otherwise
    for (int unsigned c = 0; c < Clients; c++) home[c] = 'x;
    for (int unsigned s = 0; s < Slices; s++) slice_req_valid_o[s] = '0;
    if (req_valid_i != '0) begin
      for (int unsigned c = 0; c < Clients; c++) begin
        if (req_valid_i[c]) begin
          line = req_i[c].sector[l2_pkg::MemoryW-1:7];
          for (int unsigned n = 0; n < SliceW; n++) home[c][n] = ^(line & SliceMasks[n]);
          slice_req_valid_o[home[c]][c] = 1'b1;
        end
      end
    end
  end
  always_comb begin
    req_ready_o = '0;
    if (req_valid_i != '0) begin
      for (int unsigned c = 0; c < Clients; c++)
        if (req_valid_i[c]) req_ready_o[c] = slice_req_ready_i[home[c]][c];
    end
  end

  // ---- answers: who asks whom --------------------------------------------------------------------------------
  // The first one above the last that was served, else the lowest.
  function automatic slices_t next_slice(input slices_t offers, input slices_t last);
    slices_t above;
    above = offers & ~(last | (last - 1'b1));
    if (above == '0) above = offers;
    return above & (~above + 1'b1);
  endfunction
  function automatic clients_t next_client(input clients_t asks, input clients_t last);
    clients_t above;
    above = asks & ~(last | (last - 1'b1));
    if (above == '0) above = asks;
    return above & (~above + 1'b1);
  endfunction

  // Of each link: a place is free; the slice that gave it something last, of which more beats come; the slice that it asks,
  // as one bit and as a number; it gets what it asks for.
  localparam int unsigned Ports = Clients * Links;
  logic [Ports-1:0] room, within_q, asks, gets;
  slices_t          last_q [Ports];
  slices_t          asked [Ports];
  slice_t           from [Ports];
  clients_t         waiting;              // something waits for them
  clients_t         askers [Slices];
  clients_t         served_q [Slices];    // whom each slice gave something last

  always_comb begin
    waiting = '0;
    for (int unsigned s = 0; s < Slices; s++) waiting |= slice_waits_i[s];
  end

  always_comb begin : ask
    slices_t here, offers;
    here = 'x;
    offers = 'x;
    asks = '0;
    for (int unsigned n = 0; n < Ports; n++) begin
      asked[n] = 'x;   // nobody looks at them otherwise
      from[n] = 'x;
    end
    for (int unsigned s = 0; s < Slices; s++) askers[s] = '0;
    if (waiting != '0) begin
      for (int unsigned c = 0; c < Clients; c++) begin
        if (waiting[c]) begin
          for (int unsigned s = 0; s < Slices; s++) here[s] = slice_waits_i[s][c];
          for (int unsigned p = 0; p < (Joined[c] ? 1 : Links); p++) begin
            offers = Joined[c] ? here : here & LinkSlices[p];
            if (within_q[c*Links+p]) offers &= last_q[c*Links+p];
            if (room[c*Links+p] && offers != '0) begin
              asks[c*Links+p] = 1'b1;
              asked[c*Links+p] = next_slice(offers, last_q[c*Links+p]);
              from[c*Links+p] = slice_t'(prim_pkg::index64(64'(asked[c*Links+p])));
              askers[from[c*Links+p]][c] = 1'b1;
            end
          end
        end
      end
    end
  end

  always_comb begin : give
    gets = '0;
    for (int unsigned s = 0; s < Slices; s++) begin
      slice_take_o[s] = '0;
      if (askers[s] != '0) slice_take_o[s] = next_client(askers[s], served_q[s]);
    end
    for (int unsigned n = 0; n < Ports; n++)
      if (asks[n]) gets[n] = slice_take_o[from[n]][n/Links];
  end

  always_ff @(posedge clk_i) begin
    if (gets != '0) begin
      for (int unsigned s = 0; s < Slices; s++)
        if (slice_take_o[s] != '0) served_q[s] <= slice_take_o[s];
      for (int unsigned n = 0; n < Ports; n++) begin
        if (gets[n]) begin
          last_q[n] <= asked[n];
          within_q[n] <= !slice_rsp_i[from[n]].answer.last;
        end
      end
    end
    if (!rst_ni) begin
      within_q <= '0;
      for (int unsigned s = 0; s < Slices; s++) served_q[s] <= '0;
      for (int unsigned n = 0; n < Ports; n++) last_q[n] <= '0;
    end
  end

  // ---- answers: links -----------------------------------------------------------------------------------------
  for (genvar c = 0; c < int'(Clients); c++) begin : g_client
    for (genvar p = 0; p < int'(Links); p++) begin : g_link
      localparam int unsigned N = c * Links + p;
      if (Joined[c] && p > 0) begin : g_none
        assign room[N] = 1'b0;
        assign rsp_valid_o[c][p] = 1'b0;
        assign rsp_o[c][p] = '0;
        logic unused;
        assign unused = rsp_ready_i[c][p];
      end else begin : g_some
        mem_pkg::rsp_t rsp;
        always_comb begin
          rsp = 'x;   // nobody looks at it otherwise
          if (gets[N]) rsp = slice_rsp_i[from[N]];
        end
        fifo #(.T(mem_pkg::rsp_t), .Depth(2)) u_rsp (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .wr_valid_i (gets[N]),
          .wr_ready_o (room[N]),
          .wr_data_i  (rsp),
          .rd_valid_o (rsp_valid_o[c][p]),
          .rd_ready_i (rsp_ready_i[c][p]),
          .rd_data_o  (rsp_o[c][p]),
          .count_o    ()
        );
      end
    end
  end

  assign busy_o = waiting != '0 || rsp_valid_o != '0;

endmodule
