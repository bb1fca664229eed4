// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L1, whatever passes ask for and in whatever order sectors come. No MSHR is given to two lines, and no sector in flight is
// asked for again. An MSHR is used as long as sectors of it are in flight or wait to be served. None is lost: a part of which all
// sectors have come is in the queue, once, and the queue has room for it. Who waits for a part is served with it
// once and with its lanes, and nobody else is: any place is followed, and what it waits for of any part. Of two links each brings the
// sectors of its lines, and nothing else comes for its MSHRs.
module l1_mshrs_proof #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input logic                 clk_i,
  input logic                 rst_ni,
  input logic [Links-1:0]     arrive_valid_i,
  input lsu_pkg::fill_id_t [Links-1:0] arrive_id_i,
  input logic                 look_i,
  input logic                 look_part_i,     // at the part whose turn it is, if there is one
  input lsu_pkg::line_t       line_i,
  input logic                 serve_i,
  input logic                 pass_i,          // what a pass does
  input logic                 close_i,
  input logic                 close_all_i,
  input logic                 ask_i,
  input logic                 ask_alone_i,
  input logic [1:0]           ask_part_i,
  input logic [3:0]           ask_sectors_i,
  input logic                 ask_waits_i,
  input lsu_pkg::place_t      ask_place_i,
  input sm_pkg::lanes_t       ask_lanes_i,
  input lsu_pkg::part_t       my_part_i,       // always the same
  input lsu_pkg::place_t      my_place_i
);

  localparam int unsigned Mshrs = lsu_pkg::Mshrs;
  localparam int unsigned MshrW = lsu_pkg::MshrW;
  localparam int unsigned Parts = lsu_pkg::Parts;
  localparam int unsigned Queued = Parts / Links;   // of a link
  localparam int unsigned Ring = Queued - 1;
  localparam int unsigned RingW = Ring > 1 ? $clog2(Ring) : 1;
  localparam int unsigned CountW = $clog2(Queued + 1);
  localparam bit          Looks = sm_pkg::RowSlices > 1;

  function automatic mem_pkg::link_t link_of(input lsu_pkg::line_t l);
    return l2_pkg::link_of(l2_pkg::line_t'(l));
  endfunction

  // l1_control: looks and acts in one cycle, or looks, then acts.
  logic           look, serving, serve, acts, close, close_all, ask;
  logic           looked_part_q, looked_pass_q;
  lsu_pkg::line_t line, line_q;
  logic           whole, busy, serve_last;
  logic [Links-1:0] full;
  if (Looks) begin : g_looks
    assign look = look_i && !looked_part_q && !looked_pass_q;
    assign serving = looked_part_q;
    assign acts = pass_i && looked_pass_q;
    assign line = line_q;
    assign close_all = close_all_i && !look && !looked_part_q && (acts || !looked_pass_q);
    always_ff @(posedge clk_i) begin
      if (look) line_q <= line_i;
      looked_part_q <= rst_ni && ((look && look_part_i && whole) || (looked_part_q && !(serve && serve_last)));
      looked_pass_q <= rst_ni && ((look && !(look_part_i && whole)) || (looked_pass_q && !acts));
    end
  end else begin : g_at_once
    assign serving = look_part_i && whole;
    assign acts = pass_i && !serving;
    assign look = serving || acts;
    assign line = line_i;
    assign line_q = '0;
    assign close_all = close_all_i && !serving;
    assign {looked_part_q, looked_pass_q} = '0;
  end
  assign serve = serving && serve_i;
  assign close = acts && close_i;
  assign ask = acts && ask_i && !full[link_of(line)];

  lsu_pkg::part_t     part;
  logic [3:0]         came, send;
  logic               part_open, serve_first;
  lsu_pkg::line_t     part_line;
  lsu_pkg::place_t    serve_place;
  sm_pkg::lanes_t     serve_lanes;
  logic [MshrW-1:0]   mshr;
  l1_mshrs u_dut (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (busy),
    .full_o         (full),
    .arrive_valid_i (arrive_valid_i),
    .arrive_id_i    (arrive_id_i),
    .whole_o        (whole),
    .part_o         (part),
    .part_line_o    (part_line),
    .part_sectors_o (came),
    .part_open_o    (part_open),
    .look_i         (look),
    .look_line_i    (line_i),
    .serving_i      (serving),
    .serve_i        (serve),
    .serve_first_o  (serve_first),
    .serve_last_o   (serve_last),
    .serve_place_o  (serve_place),
    .serve_lanes_o  (serve_lanes),
    .line_i         (line),
    .close_i        (close),
    .close_all_i    (close_all),
    .ask_i          (ask),
    .ask_alone_i    (ask_alone_i),
    .ask_part_i     (ask_part_i),
    .ask_sectors_i  (ask_sectors_i),
    .ask_waits_i    (ask_waits_i),
    .ask_place_i    (ask_place_i),
    .ask_lanes_i    (ask_lanes_i),
    .ask_send_o     (send),
    .ask_mshr_o     (mshr)
  );

  function automatic logic [3:0] mask_of(input lsu_pkg::part_t p);
    return lsu_pkg::part_mask(2'(lsu_pkg::first_of(p)));
  endfunction
  // Of such sectors of all MSHRs those of a part.
  function automatic logic [3:0] of_part(input logic [Mshrs-1:0][3:0] sectors, input lsu_pkg::part_t p);
    return sectors[MshrW'(lsu_pkg::first_of(p) >> 2)] & lsu_pkg::part_mask(2'(lsu_pkg::first_of(p)));
  endfunction
  function automatic logic [MshrW-1:0] mshr_of(input lsu_pkg::part_t p);
    return MshrW'(lsu_pkg::first_of(p) >> 2);
  endfunction

  // Of each MSHR the sectors that L2 has been asked for and has not brought; those that came and were not served; its line, and whether
  // loads may join it. Whether the place that is followed waits, and with which lanes.
  logic [Mshrs-1:0][3:0]  out_q, kept_q;
  logic [Mshrs-1:0]       open_q;
  lsu_pkg::line_t         of_q [Mshrs];
  logic                   waits_q;
  sm_pkg::lanes_t         lanes_q;
  logic                   first_q = 1'b1;
  lsu_pkg::part_t         my_part_q;
  lsu_pkg::place_t        my_place_q;
  logic                   my_ask, my_serve;
  assign my_ask = ask && lsu_pkg::part_of({mshr, ask_part_i}) == my_part_i && ask_place_i == my_place_i;
  assign my_serve = serve && part == my_part_i && serve_place == my_place_i && serve_lanes != '0;
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    my_part_q <= my_part_i;
    my_place_q <= my_place_i;
    for (int unsigned p = 0; p < Links; p++) begin
      if (arrive_valid_i[p]) begin
        out_q[arrive_id_i[p][MshrW+1:2]][arrive_id_i[p][1:0]] <= 1'b0;
        kept_q[arrive_id_i[p][MshrW+1:2]][arrive_id_i[p][1:0]] <= 1'b1;
      end
    end
    for (int unsigned m = 0; m < Mshrs; m++) begin
      for (int unsigned s = 0; s < 4; s++) begin
        if (ask && mshr == MshrW'(m) && send[s]) out_q[m][s] <= 1'b1;
        if (serve && serve_last && mshr_of(part) == MshrW'(m) && mask_of(part)[s]) kept_q[m][s] <= 1'b0;
      end
      if (close_all || (close && of_q[m] == line) || (serve && serve_last && mshr_of(part) == MshrW'(m) &&
                                                      (out_q[m] == '0 && (kept_q[m] & ~mask_of(part)) == '0)))
        open_q[m] <= 1'b0;
      if (ask && mshr == MshrW'(m)) begin
        of_q[m] <= line;
        open_q[m] <= !ask_alone_i;
      end
    end
    if (my_ask) begin
      waits_q <= ask_waits_i;
      lanes_q <= ask_lanes_i;
    end else if (my_serve) waits_q <= 1'b0;
    if (!rst_ni) begin
      out_q <= '0;
      kept_q <= '0;
      open_q <= '0;
      waits_q <= 1'b0;
    end
  end

  // The queue of each link, as it lies in its registers.
  logic [Links-1:0][Parts-1:0] queued;
  logic [Links-1:0]            wrong;             // an entry twice, or of another link; pointers that do not agree; no room
  for (genvar p = 0; p < int'(Links); p++) begin : g_queue
    lsu_pkg::part_t    entry;
    logic [CountW-1:0] count, queued_count;
    logic [CountW:0]   at, filled;
    assign count = u_dut.g_link[p].u_whole.count_o;
    always_comb begin
      queued[p] = '0;
      wrong[p] = 1'b0;
      queued_count = '0;
      for (int unsigned k = 0; k < Queued; k++) begin
        at = (CountW+1)'(u_dut.g_link[p].u_whole.rd_ptr_q) + (CountW+1)'(k) - (CountW+1)'(1);
        if (at >= (CountW+1)'(Ring)) at = at - (CountW+1)'(Ring);
        entry = k == 0 ? u_dut.g_link[p].u_whole.head_q : u_dut.g_link[p].u_whole.g_registers.ring_q[at[RingW-1:0]];
        if (CountW'(k) < count) begin
          if (queued[p][entry] || lsu_pkg::link_of(entry) != mem_pkg::link_t'(p)) wrong[p] = 1'b1;
          queued[p][entry] = 1'b1;
          // What leaves a full queue in the cycle in which it would come back would find no room.
          if (k == 0 && count == CountW'(Queued) && of_part(out_q, entry) != '0) wrong[p] = 1'b1;
        end
      end
      for (int unsigned n = 0; n < Parts; n++)
        if (lsu_pkg::link_of(lsu_pkg::part_t'(n)) == mem_pkg::link_t'(p)) queued_count += CountW'(u_dut.queued_q[n]);
      filled = (CountW+1)'(u_dut.g_link[p].u_whole.rd_ptr_q) + (count == '0 ? '0 : (CountW+1)'(count) - (CountW+1)'(1));
      if (filled >= (CountW+1)'(Ring)) filled = filled - (CountW+1)'(Ring);
      if (count != queued_count || (CountW+1)'(u_dut.g_link[p].u_whole.rd_ptr_q) >= (CountW+1)'(Ring) ||
          (CountW+1)'(u_dut.g_link[p].u_whole.wr_ptr_q) != filled)
        wrong[p] = 1'b1;
    end
  end
  logic [Parts-1:0] queued_any;
  logic [Links-1:0] full_meant, arrives_rightly;
  always_comb begin
    queued_any = '0;
    full_meant = '1;
    for (int unsigned p = 0; p < Links; p++) queued_any |= queued[p];
    for (int unsigned m = 0; m < Mshrs; m++) if (!u_dut.used_q[m]) full_meant[m % Links] = 1'b0;
    // L2 brings what it has been asked for, on the line's link.
    for (int unsigned p = 0; p < Links; p++)
      arrives_rightly[p] = out_q[arrive_id_i[p][MshrW+1:2]][arrive_id_i[p][1:0]] &&
                           link_of(of_q[arrive_id_i[p][MshrW+1:2]]) == mem_pkg::link_t'(p);
  end

  logic [3:0]         head_lacks;      // of the part whose turn it is or may be
  logic [Mshrs-1:0]   fits;            // open for the line
  logic               my_part_flies;
  assign head_lacks = of_part(out_q, part);
  assign my_part_flies = of_part(out_q | kept_q, my_part_i) != '0;
  always_comb begin
    for (int unsigned m = 0; m < Mshrs; m++) fits[m] = open_q[m] && of_q[m] == line;
  end

  always_comb begin
    assume (first_q == !rst_ni);
    assume (first_q || (my_part_i == my_part_q && my_place_i == my_place_q));
    assume ((arrive_valid_i & ~arrives_rightly) == '0);
    // A pass asks for sectors that it reaches, one at least, and alone when it has closed. A place that waits for a part asks for
    // no more of it.
    assume (!ask || (ask_sectors_i != '0 && (ask_sectors_i & ~lsu_pkg::part_mask(ask_part_i)) == '0));
    assume (!ask || (ask_part_i & 2'(lsu_pkg::PassSectors - 1)) == '0);
    assume (!ask || close == ask_alone_i);
    assume (!ask || !close_all);
    assume (!my_ask || (!waits_q && ask_lanes_i != '0));
    if (rst_ni) begin
      assert (busy == (out_q != '0 || kept_q != '0));
      for (int unsigned m = 0; m < Mshrs; m++) begin
        // An MSHR that is taken was free, or it is open for this line; and L2 is asked for nothing twice.
        assert (!(ask && mshr == MshrW'(m)) || ((out_q[m] | kept_q[m]) & (send | ~{4{fits[m] && !ask_alone_i}})) == '0);
        assert (!(ask && !ask_alone_i && fits[m]) || mshr == MshrW'(m));
        assert (u_dut.used_q[m] == ((out_q[m] | kept_q[m]) != '0));
        assert (Links == 1 || !u_dut.used_q[m] || link_of(of_q[m]) == mem_pkg::link_t'(m));
        assert (u_dut.open_q[m] == open_q[m] && (u_dut.used_q[m] || !open_q[m]));
        // What makes it so, in the hardware's state.
        assert (!u_dut.used_q[m] || (u_dut.flying_q[m] == (out_q[m] | kept_q[m]) && u_dut.line_q[m] == of_q[m]));
        assert (u_dut.arrived_q[m] == kept_q[m] && (out_q[m] & kept_q[m]) == '0);
        for (int unsigned o = 0; o < m; o++) assert (!(open_q[m] && open_q[o]) || of_q[m] != of_q[o]);
      end
      assert (full == full_meant);
      // A part is in the queue, once, when all of it has come, and has its turn only then.
      assert (!whole || (came != '0 && came == of_part(kept_q, part) && head_lacks == '0));
      assert (!whole || (part_line == of_q[mshr_of(part)] && part_open == open_q[mshr_of(part)]));
      assert (!looked_part_q || whole);
      for (int unsigned p = 0; p < Parts; p++) begin
        assert (of_part(kept_q, lsu_pkg::part_t'(p)) == '0 || of_part(out_q, lsu_pkg::part_t'(p)) != '0 || u_dut.queued_q[p]);
        assert (!u_dut.queued_q[p] || of_part(out_q | kept_q, lsu_pkg::part_t'(p)) != '0);
      end
      assert (queued_any == u_dut.queued_q && wrong == '0);
      // Who waits is served.
      assert (!waits_q || my_part_flies);
      assert (!my_serve || (waits_q && serve_lanes == lanes_q));
      assert (!(serve && serve_last && part == my_part_i && waits_q) || my_serve);
      // What makes it so, in the hardware's state.
      assert (!my_part_flies || (looked_part_q && part == my_part_i) || u_dut.waiting_q[my_part_i][my_place_i] == waits_q);
      assert (!waits_q || (lanes_q != '0 && u_dut.lanes_q[{my_part_i, my_place_i}] == lanes_q));
    end
  end

  // What was found when it was looked at.
  if (Looks) begin : g_looked
    logic [lsu_pkg::Places-1:0] left;
    assign left = u_dut.g_looks.waiting_now_q;
    always_comb begin
      if (rst_ni) begin
        assert (!looked_pass_q || u_dut.g_looks.opens_q == fits);
        if (looked_part_q) begin
          assert (part != my_part_i || left[my_place_i] == waits_q);
          assert (serve_last == ((left & (left - 1'b1)) == '0) && (left == '0 || left[serve_place]));
          assert ((left & ((lsu_pkg::Places'(1) << serve_place) - 1'b1)) == '0);
          assert (part != my_part_i || serve_place != my_place_i || !waits_q || u_dut.g_looks.lanes_read_q == lanes_q);
        end
        assert (!(looked_part_q && looked_pass_q));
      end
    end
  end

endmodule
