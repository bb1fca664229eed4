// SPDX-License-Identifier: Apache-2.0
// The instructions in flight in the load/store unit, and its last stage: the response. An entry is taken
// when an instruction is accepted; a load, or an atomic with a reader, is complete when every lane has its bytes, others
// when their last pass has gone through; a MEMBAR waits here from then on, until its warp's earlier accesses are complete and, where
// it says so, the warp's stores acknowledged. Then the rows go out, a slice a cycle, and the entry is free. Those of an asynchronous
// copy go to lsu_copy instead, and its entry waits for the store in shared memory that comes of them.
//
//   LD.64 by lanes 0..31: entry 3 waits for 32 lanes; rows 0 and 1 follow each other; `last` with row 1
//   with slices of 8 lanes: row 0 in slices 0 .. 3, then row 1; `last` with slice 3 of row 1
//
// After an acquire, or a MEMBAR that empties the L1, that is done before the response, so that whatever the warp does next sees
// fresh data.
module lsu_entries (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          prefer_i,         // the bank of rows (lsu_pkg::bank_of) that is preferred
  output logic                          free_o,           // an entry is free: free_entry_o
  output logic [lsu_pkg::EntryW-1:0]    free_entry_o,
  input  logic                          alloc_i,
  input  sm_pkg::tag_t                  alloc_tag_i,
  input  logic [31:0]                   alloc_pc_i,
  input  logic                          cancel_i,         // it faulted
  input  logic [lsu_pkg::EntryW-1:0]    cancel_entry_i,

  input  logic [config_pkg::WarpsPerSm-1:0] pending_i,    // warps with stores that are not acknowledged
  output logic [config_pkg::WarpsPerSm-1:0] waiting_o,    // whose MEMBAR waits for them

  // The instruction that starts next: may it (release)?
  input  lsu_pkg::op_t                  op_i,
  output logic                          earlier_o,        // accesses of its warp that have started are not complete
  input  logic                          start_i,          // it starts

  // Of each bank of rows: these lanes have their bytes.
  input  logic [lsu_pkg::Pipes-1:0]     gather_valid_i,
  input  lsu_pkg::gather_t [lsu_pkg::Pipes-1:0] gather_i,
  // The last pass has gone through, in device memory, or in shared memory.
  input  logic                          device_end_i,
  input  logic [lsu_pkg::EntryW-1:0]    device_end_entry_i,
  input  logic                          shared_end_i,
  input  logic [lsu_pkg::EntryW-1:0]    shared_end_entry_i,

  output logic                          invalidate_valid_o,
  input  logic                          invalidate_ready_i,

  // Rows are read a cycle before they are sent.
  output logic                          read_o,
  output logic [lsu_pkg::EntryW-1:0]    read_entry_o,
  output sm_pkg::slice_t                read_slice_o,
  output logic [1:0]                    read_index_o,
  input  sm_pkg::row_t                  row_i,
  input  logic                          copy_room_i,      // lsu_copy takes a copy's rows: the first is read now
  output logic                          copy_read_o,
  output logic                          copy_valid_o,     // one of them, as in rsp_o
  output logic [lsu_pkg::EntryW-1:0]    copy_entry_o,
  output logic                          rsp_valid_o,
  input  logic                          rsp_ready_i,
  output sm_pkg::lsu_rsp_t              rsp_o,

  input  logic [lsu_pkg::EntryW-1:0]    query_entry_i,    // for a bus fault's report
  output logic [31:0]                   query_pc_o,
  output logic [4:0]                    query_lane_o      // lowest lane still waiting
);

  localparam int unsigned Entries = lsu_pkg::Entries;
  localparam int unsigned EntryW = lsu_pkg::EntryW;

  logic [Entries-1:0] busy_q, started_q, done_q, acquire_q, loads_q;
  logic [Entries-1:0] ended_q;                 // its last pass has gone through
  logic [Entries-1:0] fence_q, stores_too_q;   // a MEMBAR; and for its warp's stores
  logic [Entries-1:0] waits_q;                 // a MEMBAR whose pass has gone through
  logic [Entries-1:0] copies_q, copy_loads_q;  // a copy; one whose rows are still to be read
  sm_pkg::mask_t      left_q [Entries];
  sm_pkg::tag_t       tag_q [Entries];
  logic [31:0]        pc_q [Entries];
  logic [1:0]         last_index_q [Entries];

  // Those above the lowest.
  function automatic logic [Entries-1:0] above(input logic [Entries-1:0] entries);
    return entries ^ -entries;
  endfunction

  assign busy_o = busy_q != '0;
  assign free_o = !(&busy_q);
  logic [Entries-1:0] unused_entries, preferred;
  assign unused_entries = ~busy_q;
  always_comb begin
    for (int unsigned e = 0; e < Entries; e++) preferred[e] = unused_entries[e] && lsu_pkg::bank_of(EntryW'(e)) == prefer_i;
  end
  assign free_entry_o = EntryW'(prim_pkg::first64(preferred != '0 ? 64'(preferred) : 64'(unused_entries)));
  assign query_pc_o = pc_q[query_entry_i];
  assign query_lane_o = prim_pkg::first32(left_q[query_entry_i]);

  always_comb begin
    earlier_o = 1'b0;
    if (op_i.waits) begin
      for (int unsigned e = 0; e < Entries; e++)
        if (busy_q[e] && started_q[e] && !done_q[e] && tag_q[e].warp == op_i.warp && EntryW'(e) != op_i.entry) earlier_o = 1'b1;
    end
  end

  // One MEMBAR a cycle, in turn, sees whether it has waited enough. What its warp has in flight is earlier: the SM issues
  // no memory instruction behind it.
  logic [Entries-1:0] fences, after_q, others;
  logic [EntryW-1:0]  fence;
  logic               fence_done;
  assign fences = (waits_q & after_q) != '0 ? waits_q & after_q : waits_q;
  assign fence = EntryW'(prim_pkg::first64(64'(fences)));
  always_comb begin
    others = '0;
    fence_done = 1'b0;
    if (waits_q != '0) begin
      for (int unsigned e = 0; e < Entries; e++)
        others[e] = busy_q[e] && !done_q[e] && tag_q[e].warp == tag_q[fence].warp && EntryW'(e) != fence;
      fence_done = others == '0 && !(stores_too_q[fence] && pending_i[tag_q[fence].warp]);
    end
  end

  always_comb begin
    waiting_o = '0;
    if (waits_q != '0) for (int unsigned e = 0; e < Entries; e++) if (waits_q[e] && stores_too_q[e]) waiting_o[tag_q[e].warp] = 1'b1;
  end

  // ---- response: entry by entry, the next one above the last, so that none waits forever -----------
  logic               valid_q, we_q, last_q, turn, pick, send, collects;
  logic               copy_q, rsp_copies_q;  // what was read is a row for lsu_copy; the end of a copy
  logic [Entries-1:0] ready, above_q, first;
  logic [EntryW-1:0]  chosen, current_q, entry;
  logic [1:0]         index_q, index;
  logic               middle_q;  // between the rows of current_q
  sm_pkg::slice_t     slice_q, slice;
  sm_pkg::tag_t       rsp_tag_q;
  logic [EntryW-1:0]  copy_entry_q;
  logic [1:0]         rsp_index_q;

  assign ready = copy_room_i ? done_q : done_q & ~copy_loads_q;
  assign first = (ready & above_q) != '0 ? ready & above_q : ready;
  assign chosen = EntryW'(prim_pkg::first64(64'(first)));
  assign turn = !valid_q || rsp_ready_i || copy_q;
  assign pick = turn && !middle_q && ready != '0 && !acquire_q[chosen];
  assign send = pick || (turn && middle_q);
  assign collects = copy_loads_q[entry];
  assign copy_read_o = pick && collects;
  assign copy_valid_o = valid_q && copy_q;
  assign copy_entry_o = copy_entry_q;
  assign entry = middle_q ? current_q : chosen;
  assign index = middle_q ? index_q : '0;
  assign slice = middle_q ? slice_q : '0;
  assign invalidate_valid_o = !middle_q && ready != '0 && acquire_q[chosen];
  assign read_o = send;
  assign read_entry_o = entry;
  assign read_slice_o = slice;
  assign read_index_o = index;

  logic ends;
  assign ends = !loads_q[entry] || (index == last_index_q[entry] && slice == sm_pkg::LastSlice);

  // Passes beyond the first.
  sm_pkg::passes_t passes;
  if (sm_pkg::CountsPasses) begin : g_passes
    sm_pkg::passes_t count_q [Entries];
    logic [Entries-1:0] begun_q;
    sm_pkg::passes_t passes_q;
    assign passes = passes_q;
    always_ff @(posedge clk_i) begin
      if (start_i) begin
        count_q[op_i.entry] <= '0;
        begun_q[op_i.entry] <= 1'b0;
      end
      for (int unsigned b = 0; b < lsu_pkg::Pipes; b++) begin
        if (gather_valid_i[b]) begin
          begun_q[gather_i[b].entry] <= 1'b1;
          count_q[gather_i[b].entry] <= count_q[gather_i[b].entry] + sm_pkg::passes_t'(begun_q[gather_i[b].entry]);
        end
      end
      if (send) passes_q <= count_q[entry];
    end
  end else begin : g_any
    assign passes = '0;
  end

  assign rsp_valid_o = valid_q && !copy_q;
  always_comb begin
    rsp_o.tag = rsp_tag_q;
    rsp_o.copies = rsp_copies_q;
    rsp_o.we = we_q;
    rsp_o.index = rsp_index_q;
    rsp_o.last = last_q;
    rsp_o.passes = passes;
    rsp_o.row = row_i;
  end

  // Lanes that wait behind those that have their bytes now.
  sm_pkg::mask_t [lsu_pkg::Pipes-1:0] still_left;
  always_comb begin
    for (int unsigned b = 0; b < lsu_pkg::Pipes; b++)
      still_left[b] = gather_valid_i[b] ? left_q[gather_i[b].entry] & ~sm_pkg::mask_of(gather_i[b].lanes, gather_i[b].slice) : '0;
  end

  always_ff @(posedge clk_i) begin : update
    automatic logic [Entries-1:0] busy = busy_q;
    automatic logic [Entries-1:0] done = done_q;
    automatic logic [Entries-1:0] ended = ended_q;
    automatic logic               event_now;
    event_now = alloc_i || cancel_i || start_i || gather_valid_i != '0 || device_end_i || shared_end_i || send ||
                invalidate_valid_o || waits_q != '0;
    if (event_now) begin
      if (alloc_i) begin
        busy[free_entry_o] = 1'b1;
        tag_q[free_entry_o] <= alloc_tag_i;
        pc_q[free_entry_o] <= alloc_pc_i;
        started_q[free_entry_o] <= 1'b0;
        ended[free_entry_o] = 1'b0;
      end
      if (cancel_i) busy[cancel_entry_i] = 1'b0;
      if (start_i) begin
        started_q[op_i.entry] <= 1'b1;
        fence_q[op_i.entry] <= op_i.cls == lsu_pkg::ClassFence && op_i.waits;
        stores_too_q[op_i.entry] <= op_i.stores_too;
        acquire_q[op_i.entry] <= op_i.acquire ||
                                      (op_i.cls == lsu_pkg::ClassFence && op_i.waits && op_i.invalidate);
        loads_q[op_i.entry] <= lsu_pkg::answers(op_i) && !(op_i.copies && tag_q[op_i.entry].mask == '0);
        copies_q[op_i.entry] <= op_i.copies;
        copy_loads_q[op_i.entry] <= op_i.copies && tag_q[op_i.entry].mask != '0;
        last_index_q[op_i.entry] <= op_i.matrix.there ? {op_i.matrix.log2[1], op_i.matrix.log2 != 2'd0}
                                                                : 2'(lsu_pkg::size_words(op_i.size) - 3'd1);
        left_q[op_i.entry] <= lsu_pkg::answers(op_i)
            ? tag_q[op_i.entry].mask & lsu_pkg::matrix_lanes(op_i.matrix) : '0;
      end
      if (device_end_i) ended[device_end_entry_i] = 1'b1;
      if (shared_end_i) ended[shared_end_entry_i] = 1'b1;
      if (device_end_i && fence_q[device_end_entry_i]) waits_q[device_end_entry_i] <= 1'b1;
      else if (device_end_i && left_q[device_end_entry_i] == '0) done[device_end_entry_i] = 1'b1;
      if (shared_end_i && left_q[shared_end_entry_i] == '0) done[shared_end_entry_i] = 1'b1;
      for (int unsigned b = 0; b < lsu_pkg::Pipes; b++) begin
        if (gather_valid_i[b]) begin
          left_q[gather_i[b].entry] <= still_left[b];
          if (still_left[b] == '0 && ended[gather_i[b].entry]) done[gather_i[b].entry] = 1'b1;
        end
      end
      if (fence_done) begin
        waits_q[fence] <= 1'b0;
        done[fence] = 1'b1;
      end
      after_q <= above(fences);
      if (invalidate_valid_o && invalidate_ready_i) acquire_q[chosen] <= 1'b0;
      if (send) begin
        rsp_tag_q <= tag_q[entry];
        we_q <= loads_q[entry];
        copy_q <= collects;
        copy_entry_q <= entry;
        rsp_copies_q <= copies_q[entry] && !collects;
        rsp_index_q <= index;
        last_q <= ends;
        middle_q <= !ends;
        current_q <= entry;
        rsp_tag_q.slice <= slice;
        index_q <= slice == sm_pkg::LastSlice ? index + 2'd1 : index;
        slice_q <= slice == sm_pkg::LastSlice ? '0 : slice + 1'b1;
        if (pick) above_q <= above(first);
        if (ends) begin
          done[entry] = 1'b0;
          if (collects) {copy_loads_q[entry], loads_q[entry]} <= '0;  // its store follows
          else busy[entry] = 1'b0;
        end
      end
      busy_q <= busy;
      done_q <= done;
      ended_q <= ended;
    end
    if (turn) valid_q <= send;
    if (!rst_ni) begin
      busy_q <= '0;
      done_q <= '0;
      started_q <= '0;
      acquire_q <= '0;
      fence_q <= '0;
      waits_q <= '0;
      after_q <= '0;
      loads_q <= '0;
      copies_q <= '0;
      copy_loads_q <= '0;
      copy_q <= 1'b0;
      above_q <= '0;
      valid_q <= 1'b0;
      middle_q <= 1'b0;
    end
  end

  logic served_twice;
  always_comb begin
    served_twice = 1'b0;
    for (int unsigned b = 0; b < lsu_pkg::Pipes; b++)
      if (gather_valid_i[b] && (sm_pkg::mask_of(gather_i[b].lanes, gather_i[b].slice) & ~left_q[gather_i[b].entry]) != '0) served_twice = 1'b1;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An instruction that completed twice would free a scoreboard entry of another one.
      a_device_end: assert (!device_end_i || (busy_q[device_end_entry_i] && !done_q[device_end_entry_i]))
        else $error("lsu_entries: end of an entry that is not in flight");
      a_shared_end: assert (!shared_end_i || (busy_q[shared_end_entry_i] && !done_q[shared_end_entry_i]))
        else $error("lsu_entries: end of an entry that is not in flight");
      a_gather: assert (!served_twice) else $error("lsu_entries: lanes served twice");
    end
  end

endmodule
