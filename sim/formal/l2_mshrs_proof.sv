// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L2, whatever requests ask for, in whatever order sectors come and whenever waiters are served. No MSHR is given to
// two lines, and it closes only when none of its sectors is asked for; then it may, so that none is lost. No sector is asked
// for that is on its way. Who waits for a sector is served with it, once, in the order in which they came, and nobody else is: the
// last when all have been. What is known of a line is not lost.
//
// Any one sector is followed, as long as the lists of others hold none of its waiters (`astray_q`). Such a list would not serve its own
// waiters, or end with one that is not its own: the first of all lists that went wrong would be followed by one of these proofs.
module l2_mshrs_proof (
  input logic                        clk_i,
  input logic                        rst_ni,
  input logic [l2_pkg::PlaceW-1:0]   place_i,          // of the request's line
  input logic [1:0]                  sector_i,
  input logic                        ask_i,
  input logic                        wait_i,
  input logic                        write_i,
  input logic [3:0]                  ask_valid_i,
  input logic [3:0]                  ask_dirty_i,
  input logic [l2_pkg::SlotW-1:0]    wait_slot_i,
  input logic                        wait_writes_i,
  input logic [l2_pkg::ClientW-1:0]  wait_client_i,
  input logic                        write_full_i,
  input logic                        earlier_i,        // the MSHR that opens was offered in an earlier cycle
  input logic                        offer_i,
  input logic                        fill_valid_i,
  input l2_pkg::fill_t               fill_i,
  input logic                        drain_i,
  input logic                        close_i,
  input logic [l2_pkg::FillW-1:0]    my_id_i,          // whose waiters are followed; always the same
  input logic [l2_pkg::SlotW-1:0]    my_slot_i         // whose client is followed; always the same
);

  localparam int unsigned Mshrs = l2_pkg::Mshrs;
  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned FillW = l2_pkg::FillW;
  localparam int unsigned Fills = 1 << FillW;
  localparam int unsigned Slots = l2_pkg::Slots;
  localparam int unsigned SlotW = l2_pkg::SlotW;

  // Of each MSHR its line's place, and the sectors that memory has been asked for. Of the sector that is followed what is known, and
  // as which one, from 0 on, each slot waits for it; and whether the first has been served.
  logic [Mshrs-1:0]             used_q;
  logic [l2_pkg::PlaceW-1:0]    of_q [Mshrs];
  logic [Mshrs-1:0][3:0]        out_q;
  logic                         valid_q, dirty_q;
  logic [Slots-1:0][Slots-1:0]  turns_q;    // by slot
  logic [Slots-1:0]             writes_q;
  logic                         begun_q;
  logic                         astray_q;
  logic [FillW-1:0]             my_id_q;
  logic [l2_pkg::ClientW-1:0]   client_q;
  logic [SlotW-1:0]             my_slot_q;
  logic                         first_q = 1'b1;
  // With a narrow port the MSHR was offered in an earlier cycle; when one closes it is offered anew.
  logic                         offered_q, offered_full_q;
  logic [MshrW-1:0]             offered_mshr_q;
  // The sector that came, until it has been taken.
  logic                         fill_held_q;
  l2_pkg::fill_t                fill_q;

  // l2_control: a request of a line that is being fetched has its MSHR.
  logic              opens, ask, waits, writes, closes, drains, full, busy, free_known;
  logic [MshrW-1:0]  mshr, free, close_mshr;
  logic [FillW-1:0]  id;
  logic [3:0]        pending, valid, dirty, close_known, close_dirty;
  logic              close_valid, fill_dirty, drain_first, drain_last;
  logic [SlotW-1:0]  drain_slot;
  logic [l2_pkg::ClientW-1:0]  drain_client;
  logic [l2_pkg::PlaceW-1:0]   fill_place, close_place;
  assign free_known = earlier_i ? offered_q && !offered_full_q : !full;
  always_comb begin
    opens = 1'b1;
    mshr = earlier_i ? offered_mshr_q : free;
    for (int unsigned m = 0; m < Mshrs; m++) begin
      if (used_q[m] && of_q[m] == place_i) begin
        opens = 1'b0;
        mshr = MshrW'(m);
      end
    end
  end
  assign id = {mshr, sector_i};
  assign ask = ask_i && (opens ? free_known : !pending[sector_i]);
  assign waits = wait_i && !ask_i && !opens && pending[sector_i] && !(fill_valid_i && fill_i.id == id);
  assign writes = write_i && !ask_i && !wait_i && !opens && !pending[sector_i];
  assign drains = drain_i && fill_valid_i;
  assign closes = close_i && close_valid && !((ask || writes) && mshr == close_mshr);

  l2_mshrs u_dut (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (busy),
    .full_o         (full),
    .free_o         (free),
    .mshr_i         (mshr),
    .sector_i       (sector_i),
    .look_i         (!opens),
    .pending_o      (pending),
    .valid_o        (valid),
    .dirty_o        (dirty),
    .ask_i          (ask),
    .wait_i         (waits),
    .write_i        (writes),
    .ask_opens_i    (opens),
    .ask_place_i    (place_i),
    .ask_valid_i    (ask_valid_i),
    .ask_dirty_i    (ask_dirty_i),
    .wait_slot_i    (wait_slot_i),
    .wait_writes_i  (wait_writes_i),
    .wait_client_i  (wait_client_i),
    .write_full_i   (write_full_i),
    .fill_valid_i   (fill_valid_i),
    .fill_i         (fill_i),
    .fill_place_o   (fill_place),
    .fill_dirty_o   (fill_dirty),
    .drain_i        (drains),
    .drain_slot_o   (drain_slot),
    .drain_client_o (drain_client),
    .drain_first_o  (drain_first),
    .drain_last_o   (drain_last),
    .close_valid_o  (close_valid),
    .close_mshr_o   (close_mshr),
    .close_place_o  (close_place),
    .close_known_o  (close_known),
    .close_dirty_o  (close_dirty),
    .close_i        (closes)
  );

  logic [MshrW-1:0] fill_mshr;
  logic [1:0]       fill_sector;
  logic [Slots-1:0] mine;           // slots that wait for my sector
  logic [Slots-1:0] taken;          // turns that somebody has
  logic [SlotW-1:0] head;           // the hardware's first
  logic             mine_out;       // my sector is on its way
  logic [MshrW-1:0] my_mshr;
  logic [1:0]       my_sector;
  logic             tails;          // who begins to wait ends the list of another sector
  assign {fill_mshr, fill_sector} = fill_i.id;
  assign head = begun_q ? u_dut.cursor_q : u_dut.first_q[my_id_i];
  always_comb begin
    taken = '0;
    for (int unsigned s = 0; s < Slots; s++) begin
      mine[s] = turns_q[s] != '0;
      taken |= turns_q[s];
    end
  end
  assign {my_mshr, my_sector} = my_id_i;
  assign mine_out = out_q[my_mshr][my_sector];
  always_comb begin
    tails = 1'b0;
    for (int unsigned f = 0; f < Fills; f++)
      if (out_q[f / 4][f % 4] && FillW'(f) != my_id_i && u_dut.tail_q[f] == wait_slot_i) tails = 1'b1;
  end
  always_ff @(posedge clk_i) begin
    first_q <= 1'b0;
    my_slot_q <= my_slot_i;
    my_id_q <= my_id_i;
    fill_held_q <= fill_valid_i && !(drains && drain_last);
    fill_q <= fill_i;
    if (offer_i) begin
      offered_q <= 1'b1;
      offered_mshr_q <= free;
      offered_full_q <= full;
    end
    if (closes || ask) offered_q <= 1'b0;
    if (closes) used_q[close_mshr] <= 1'b0;
    if (drains) begin
      if (drain_last) out_q[fill_mshr][fill_sector] <= 1'b0;
      if (fill_i.id == my_id_i) begin
        for (int unsigned s = 0; s < Slots; s++) turns_q[s] <= SlotW'(s) == drain_slot ? '0 : turns_q[s] >> 1;
        begun_q <= !drain_last;
        if (!fill_i.error) valid_q <= 1'b1;
        if (!fill_i.error && writes_q[drain_slot]) dirty_q <= 1'b1;
      end else if (mine[drain_slot]) astray_q <= 1'b1;
    end
    if (ask && opens) begin
      used_q[mshr] <= 1'b1;
      of_q[mshr] <= place_i;
      if (mshr == my_mshr) {valid_q, dirty_q} <= {ask_valid_i[my_sector], ask_dirty_i[my_sector]};
    end
    if (ask) out_q[mshr][sector_i] <= 1'b1;
    if ((ask || waits) && id == my_id_i) begin
      // Behind the others: the first turn that is free.
      turns_q[wait_slot_i] <= ~taken & {taken[Slots-2:0], 1'b1};
      writes_q[wait_slot_i] <= wait_writes_i;
      if (wait_slot_i == my_slot_i) client_q <= wait_client_i;
      if (tails) astray_q <= 1'b1;
    end
    if (writes && id == my_id_i) begin
      dirty_q <= 1'b1;
      if (write_full_i) valid_q <= 1'b1;
    end
    if (!rst_ni) begin
      used_q <= '0;
      out_q <= '0;
      turns_q <= '0;
      begun_q <= 1'b0;
      astray_q <= 1'b0;
      fill_held_q <= 1'b0;
      offered_q <= 1'b0;
    end
  end

  always_comb begin
    assume (first_q == !rst_ni);
    assume (first_q || (my_slot_i == my_slot_q && my_id_i == my_id_q));
    // Memory brings what it has been asked for, and keeps it there until it is taken.
    assume (!fill_valid_i || out_q[fill_mshr][fill_sector]);
    assume (!fill_held_q || (fill_valid_i && fill_i == fill_q));
    // A slot is one request's, and one slot is free always (l2_slots_proof).
    assume (!(ask || waits) || !mine[wait_slot_i]);
    assume (!(waits && id == my_id_i) || !taken[Slots-2]);
    if (rst_ni) begin
      assert (busy == (used_q != '0) && full == (&used_q));
      assert (full || !used_q[free]);
      assert (!(ask && opens) || !used_q[mshr]);
      assert (!ask || !out_q[mshr][sector_i]);
      assert (opens || pending == out_q[mshr]);
      assert (opens || mshr != my_mshr || astray_q || {valid[my_sector], dirty[my_sector]} == {valid_q, dirty_q});
      // One that may close is used for a line of which nothing is on its way; where there is such a one, one may close.
      assert (!close_valid || (used_q[close_mshr] && out_q[close_mshr] == '0 && close_place == of_q[close_mshr]));
      assert (!close_valid || close_mshr != my_mshr || astray_q ||
              {close_known[my_sector], close_dirty[my_sector]} == {valid_q, dirty_q});
      for (int unsigned m = 0; m < Mshrs; m++) begin
        assert (!used_q[m] || out_q[m] != '0 || close_valid);
        assert (used_q[m] || out_q[m] == '0);
        for (int unsigned o = 0; o < m; o++) assert (!(used_q[m] && used_q[o]) || of_q[m] != of_q[o]);
        // In the hardware's state.
        assert (u_dut.used_q[m] == used_q[m]);
        assert (!used_q[m] || (u_dut.pending_q[m] == out_q[m] && u_dut.place_q[m] == of_q[m]));
      end
      assert (!used_q[my_mshr] || astray_q ||
              {u_dut.valid_q[my_mshr][my_sector], u_dut.dirty_q[my_mshr][my_sector]} == {valid_q, dirty_q});
      assert (!offered_q || (offered_full_q ? &used_q : !used_q[offered_mshr_q]));
      assert (!fill_valid_i || fill_place == of_q[fill_mshr]);
      if (!astray_q) begin
        // Who is served is the one whose turn it is; the last is the last.
        if (fill_valid_i && fill_i.id == my_id_i) begin
          assert (drain_first == !begun_q);
          assert (drain_last == !taken[1]);
          assert (fill_dirty == dirty_q);
          assert (drain_slot != my_slot_i || drain_client == client_q);
          for (int unsigned s = 0; s < Slots; s++) assert (turns_q[s][0] == (drain_slot == SlotW'(s)));
        end
        // Somebody waits for what comes, and nobody for what does not. Turns have no gaps: each comes.
        assert (mine_out == taken[0]);
        assert ((taken & (taken + 1'b1)) == '0);
        assert (!taken[Slots-1]);
        assert (!mine[my_slot_i] || u_dut.who_q[my_slot_i][l2_pkg::ClientW-1:0] == client_q);
        // Only of the sector that is here some may have been served.
        assert (!begun_q || (fill_held_q && fill_q.id == my_id_i));
        if (fill_held_q && fill_q.id == my_id_i) assert (u_dut.drain_first_q == !begun_q);
      end
      assert (u_dut.drain_first_q || fill_held_q);
      assert (!fill_held_q || out_q[fill_q.id[FillW-1:2]][fill_q.id[1:0]]);
    end
  end

  // Each slot that waits has one turn, and each turn one slot. In the hardware's state: the list, and that those of other sectors
  // do not reach into it.
  for (genvar s = 0; s < Slots; s++) begin : g_slot
    always_comb begin
      if (rst_ni && !astray_q) begin
        for (int unsigned n = 0; n < Slots; n++)
          for (int unsigned o = 0; o < n; o++) assert (!(turns_q[s][n] && turns_q[s][o]) && !(turns_q[n][s] && turns_q[o][s]));
        assert (!turns_q[s][0] || head == SlotW'(s));
        for (int unsigned n = 0; n < Slots - 1; n++) begin
          assert (!(turns_q[s][n] && !taken[n+1]) || u_dut.tail_q[my_id_i] == SlotW'(s));
          for (int unsigned o = 0; o < Slots; o++) assert (!(turns_q[s][n] && turns_q[o][n+1]) || u_dut.next_q[s] == SlotW'(o));
        end
        for (int unsigned f = 0; f < Fills; f++)
          assert (!(mine[s] && out_q[f / 4][f % 4] && FillW'(f) != my_id_i) || u_dut.tail_q[f] != SlotW'(s));
        assert (!mine[s] || u_dut.who_q[s][l2_pkg::ClientW] == writes_q[s]);
      end
    end
  end

endmodule
