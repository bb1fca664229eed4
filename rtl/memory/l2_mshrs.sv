// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L2: lines with sectors on their way from memory, what is known of these lines meanwhile, and who waits for
// which sector.
//
//   slot 5 asks for sector 1 of a line   MSHR 3 opens for the line's place; 5 is the first that waits for {3, 1}
//   slots 2, 9 want this sector          they wait behind: next of 5 is 2, next of 2 is 9, tail 9
//   slot 4 writes sector 0               performed at once: sector 0 is dirty, and valid if all of it was written
//   sector {3, 1} comes                  drained: 5, 2, 9 are served, one at a time. It is valid, and dirty if one of them wrote
//   nothing of MSHR 3 is pending         it may close: what it knows of the line goes back to the tags, and it is free
//
// l2_control decides which of this happens, and when: it asks for a sector that is not pending, lets nobody wait for one that is
// being drained, and closes no MSHR under a request that changes it.
module l2_mshrs (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,          // one is used
  output logic                        full_o,          // all are
  output logic [l2_pkg::MshrW-1:0]    free_o,          // else: the one to open next

  // The request that is looked up, and its line's MSHR.
  input  logic [l2_pkg::MshrW-1:0]    mshr_i,
  input  logic [1:0]                  sector_i,
  input  logic                        look_i,          // what is known of the line:
  output logic [3:0]                  pending_o,       // sectors that are asked for, waiters not yet served
  output logic [3:0]                  valid_o,
  output logic [3:0]                  dirty_o,
  // It does one of these at most.
  input  logic                        ask_i,           // asks for the sector, and is the first that waits for it
  input  logic                        wait_i,          // waits behind others
  input  logic                        write_i,         // is performed, and leaves the sector dirty
  input  logic                        ask_opens_i,     // the MSHR is a free one: this line's, from now on,
  input  logic [l2_pkg::PlaceW-1:0]   ask_place_i,     // which lies here
  input  logic [3:0]                  ask_valid_i,     // and is known so far
  input  logic [3:0]                  ask_dirty_i,
  input  logic [l2_pkg::SlotW-1:0]    wait_slot_i,     // of who asks, too
  input  logic                        wait_writes_i,
  input  logic [l2_pkg::ClientW-1:0]  wait_client_i,
  input  logic                        write_full_i,    // all bytes

  // A sector that came, the same until its last waiter is served.
  input  logic                        fill_valid_i,
  input  l2_pkg::fill_t               fill_i,
  output logic [l2_pkg::PlaceW-1:0]   fill_place_o,
  output logic                        fill_dirty_o,
  input  logic                        drain_i,         // the next is served:
  output logic [l2_pkg::SlotW-1:0]    drain_slot_o,
  output logic [l2_pkg::ClientW-1:0]  drain_client_o,
  output logic                        drain_first_o,
  output logic                        drain_last_o,

  // A line of which nothing is pending.
  output logic                        close_valid_o,
  output logic [l2_pkg::MshrW-1:0]    close_mshr_o,
  output logic [l2_pkg::PlaceW-1:0]   close_place_o,
  output logic [3:0]                  close_known_o,   // its valid sectors
  output logic [3:0]                  close_dirty_o,
  input  logic                        close_i          // becomes free
);

  localparam int unsigned Mshrs = l2_pkg::Mshrs;
  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned SlotW = l2_pkg::SlotW;
  localparam int unsigned Fills = 1 << l2_pkg::FillW;

  logic [Mshrs-1:0]           used_q;
  logic [l2_pkg::PlaceW-1:0]  place_q [Mshrs];
  logic [Mshrs-1:0][3:0]      pending_q;
  logic [Mshrs-1:0][3:0]      valid_q;
  logic [Mshrs-1:0][3:0]      dirty_q;

  function automatic logic [MshrW-1:0] first_of(input logic [Mshrs-1:0] mshrs);
    logic [Mshrs-1:0] lowest;
    lowest = mshrs & (~mshrs + 1'b1);
    return MshrW'(prim_pkg::index32(32'(lowest)));
  endfunction

  assign busy_o = used_q != '0;
  assign full_o = &used_q;
  always_comb begin
    free_o = '0;
    if (used_q != '0) free_o = first_of(~used_q);
  end

  always_comb begin
    {pending_o, valid_o, dirty_o} = '0;
    if (look_i) begin
      pending_o = pending_q[mshr_i];
      valid_o = valid_q[mshr_i];
      dirty_o = dirty_q[mshr_i];
    end
  end

  // ---- who waits ---------------------------------------------------------------------------------------
  logic [l2_pkg::ClientW:0]  who_q [l2_pkg::Slots];     // whether it writes, its client
  logic [SlotW-1:0]          next_q [l2_pkg::Slots];
  logic [SlotW-1:0]          first_q [Fills];
  logic [SlotW-1:0]          tail_q [Fills];
  logic [SlotW-1:0]          cursor_q;                  // the next that is served,
  logic                      drain_first_q;             // unless it is the first
  logic                      drain_writes, waits;
  logic [l2_pkg::FillW-1:0]  wait_id;
  assign waits = ask_i || wait_i;
  assign wait_id = {mshr_i, sector_i};
  assign drain_slot_o = drain_first_q ? first_q[fill_i.id] : cursor_q;
  assign drain_first_o = drain_first_q;
  assign drain_last_o = drain_slot_o == tail_q[fill_i.id];
  assign {drain_writes, drain_client_o} = who_q[drain_slot_o];

  always_ff @(posedge clk_i) begin : waiters
    if (drain_i) begin
      cursor_q <= next_q[drain_slot_o];
      drain_first_q <= drain_last_o;
    end
    if (waits) begin
      if (ask_i) first_q[wait_id] <= wait_slot_i;
      else next_q[tail_q[wait_id]] <= wait_slot_i;
      tail_q[wait_id] <= wait_slot_i;
      who_q[wait_slot_i] <= {wait_writes_i, wait_client_i};
    end
    if (!rst_ni) drain_first_q <= 1'b1;
  end

  // ---- lines -------------------------------------------------------------------------------------------
  logic [MshrW-1:0]  fill_mshr;
  logic [1:0]        fill_sector;
  logic [Mshrs-1:0]  closable;
  assign {fill_mshr, fill_sector} = fill_i.id;
  assign fill_place_o = place_q[fill_mshr];
  assign fill_dirty_o = dirty_q[fill_mshr][fill_sector];

  always_comb begin
    closable = used_q;
    if (used_q != '0) for (int unsigned m = 0; m < Mshrs; m++) if (pending_q[m] != '0) closable[m] = 1'b0;
    close_mshr_o = first_of(closable);
  end
  assign close_valid_o = closable != '0;
  assign close_place_o = place_q[close_mshr_o];
  assign close_known_o = valid_q[close_mshr_o];
  assign close_dirty_o = dirty_q[close_mshr_o];

  always_ff @(posedge clk_i) begin : mshrs
    if (ask_i || used_q != '0) begin
      if (close_i) used_q[close_mshr_o] <= 1'b0;
      if (drain_i) begin
        if (drain_last_o) pending_q[fill_mshr][fill_sector] <= 1'b0;
        // After an error the sector is as unknown as before.
        if (!fill_i.error) valid_q[fill_mshr][fill_sector] <= 1'b1;
        if (!fill_i.error && drain_writes) dirty_q[fill_mshr][fill_sector] <= 1'b1;
      end
      if (write_i) begin
        dirty_q[mshr_i][sector_i] <= 1'b1;
        if (write_full_i) valid_q[mshr_i][sector_i] <= 1'b1;
      end
      if (ask_i) begin
        if (ask_opens_i) begin
          used_q[mshr_i] <= 1'b1;
          place_q[mshr_i] <= ask_place_i;
          pending_q[mshr_i] <= '0;
          valid_q[mshr_i] <= ask_valid_i;
          dirty_q[mshr_i] <= ask_dirty_i;
        end
        pending_q[mshr_i][sector_i] <= 1'b1;
      end
    end
    if (!rst_ni) begin
      used_q <= '0;
      pending_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Data for a sector nobody fetches would be performed twice.
      a_fill: assert (!fill_valid_i || pending_q[fill_mshr][fill_sector])
        else $error("l2_mshrs: sector arrived that was not asked for");
      a_drain: assert (!drain_i || fill_valid_i) else $error("l2_mshrs: a waiter is served without a sector");
      a_open: assert (!ask_i || used_q[mshr_i] != ask_opens_i) else $error("l2_mshrs: MSHR of another line");
      a_ask: assert (!ask_i || ask_opens_i || !pending_q[mshr_i][sector_i]) else $error("l2_mshrs: sector asked for twice");
      // Its slot would be lost.
      a_wait: assert (!wait_i || (pending_q[mshr_i][sector_i] && !(fill_valid_i && fill_i.id == wait_id)))
        else $error("l2_mshrs: waits for a sector that does not come");
      a_write: assert (!write_i || (used_q[mshr_i] && !pending_q[mshr_i][sector_i]))
        else $error("l2_mshrs: a write overtakes who waits for the sector");
      a_close: assert (!close_i || (close_valid_o && !((ask_i || write_i) && mshr_i == close_mshr_o)))
        else $error("l2_mshrs: MSHR closes that is in use");
    end
  end

endmodule
