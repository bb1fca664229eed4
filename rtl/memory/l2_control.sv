// SPDX-License-Identifier: Apache-2.0
// Control of the L2: what is done with a request, and when. Looks one request up a cycle; hits go to the data stage, misses wait
// for their sector while later requests go on (hit under miss).
//
//   read of an absent line    MSHR 3 opens for the line, the request waits under fill {3, sector}
//   read of the same sector   waits behind it
//   write to that sector      waits too: requests of a sector keep their order
//   sector arrives            the first that waits is performed together with the fill, then the others
//   write to an absent line   takes a place and is performed at once; unwritten bytes stay unknown
//
// l2_tags knows the lines, l2_mshrs those of them that are being fetched and who waits for them, l2_slots the free slots. With a
// narrow memory port a look-up is three cycles: the first compares the tags, the second finds the line's state or a
// victim, the third acts, again and again while it cannot. Operations go to the data stage l2_pkg::Apart cycles apart.
//
// A request is known here by its slot: the data stage keeps what it carries. Lines of 128 bytes; each sector is
// valid (all bytes known) or holds only its dirty bytes; of a line being fetched the MSHR says which. Write-back;
// the victim is the way at the set's turn that no fetch holds. While a sector is being drained of
// waiters, new requests for it are held back: otherwise one busy word could keep every other fill out.
module l2_control (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  output logic                              busy_o,
  input  logic [gpu_pkg::AddrW-1:0]         mem_end_i,

  input  logic                              flush_i,         // write all dirty lines back; hold until done
  output logic                              flush_walked_o,  // all evictions are on their way

  // A request comes: it is looked up from the next cycle on.
  input  logic                              req_valid_i,
  output logic                              req_ready_o,
  input  l2_pkg::look_t                     req_i,
  output logic                              req_slot_free_o,
  output logic [l2_pkg::SlotW-1:0]          req_slot_o,      // the slot that it takes: stays, once free, until it does
  // The request that is looked up.
  output logic                              look_valid_o,
  output l2_pkg::look_t                     look_o,
  input  logic                              look_room_i,     // its client can take an answer

  // Asks memory for a sector.
  output logic                              ask_valid_o,
  output logic [l2_pkg::FillW-1:0]          ask_id_o,
  output l2_pkg::line_t                     ask_line_o,
  // A sector arrived.
  input  logic                              fill_valid_i,
  output logic                              fill_ready_o,
  input  l2_pkg::fill_t                     fill_i,
  output logic [l2_pkg::ClientW-1:0]        fill_client_o,   // who is served next, and
  input  logic                              fill_room_i,     // whether it can take an answer

  input  logic                              evict_room_i,    // a line can go to the write-back buffer
  output l2_pkg::line_t                     evict_check_o,   // is this line still in it?
  input  logic                              evict_hit_i,

  output logic                              op_valid_o,
  input  logic                              op_ready_i,      // with a narrow port always
  output l2_pkg::op_t                       op_o
);

  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned SlotW = l2_pkg::SlotW;
  localparam int unsigned Ways = l2_pkg::Ways;
  localparam int unsigned WayW = l2_pkg::WayW;
  localparam int unsigned SetW = l2_pkg::SetW;
  localparam int unsigned PlaceW = l2_pkg::PlaceW;
  localparam int unsigned MemoryW = l2_pkg::MemoryW;

  // Walks over all places: after reset to clear them, and to flush.
  typedef enum logic [1:0] {
    Clear,   // after reset: forget every line
    Run,     // serve requests
    Flush    // write dirty lines back, place after place
  } mode_e;
  mode_e             mode_q;
  logic [PlaceW-1:0] walk_q, walk_next;
  logic              walked_q, walk_on, to_flush;
  logic              evicting_q, evicting;   // some of a line's sectors have gone, some not

  typedef enum logic [2:0] {
    Stall,     // cannot go on yet
    Perform,   // to the data stage
    Refuse,    // outside memory
    Wait,      // behind others that wait for the sector
    Fetch,     // ask for the sector and wait
    Evict      // make room first
  } act_e;

  // ---- the request that is looked up ----------------------------------------------------------------
  logic              looks, look_valid_q, look_done, slot_free, takes;
  logic              rest, op_ends;
  act_e              act;
  logic              found_valid_q, closing_now, writes;
  l2_pkg::look_t     look_q;
  logic [SlotW-1:0]  slot_q;
  l2_pkg::line_t     line;
  logic [1:0]        sector;
  l2_pkg::set_t      set;
  assign req_slot_free_o = mode_q != Clear && slot_free;
  assign req_ready_o = mode_q == Run && !flush_i && slot_free && (!look_valid_q || (!l2_pkg::Narrow && look_done));
  assign takes = req_valid_i && req_ready_o;
  assign looks = look_valid_q && (!l2_pkg::Narrow || (found_valid_q && !closing_now)) && mode_q == Run;
  assign look_valid_o = look_valid_q;
  assign look_o = look_q;
  assign line = look_q.sector[MemoryW-1:7];
  assign sector = look_q.sector[6:5];
  assign evict_check_o = line;

  always_ff @(posedge clk_i) begin
    if (takes) begin
      look_valid_q <= 1'b1;
      look_q <= req_i;
      slot_q <= req_slot_o;
    end else if (look_done) look_valid_q <= 1'b0;
    if (!rst_ni) begin
      look_valid_q <= 1'b0;
      look_q <= '0;
    end
  end

  // Whose tags are read, and at whose the tags look.
  l2_pkg::set_t      tag_set;
  always_comb begin
    tag_set = l2_pkg::set_of(req_i.sector[MemoryW-1:7]);
    if (mode_q == Flush) tag_set = flush_i ? walk_next[PlaceW-1:WayW] : l2_pkg::set_of(line);
    else if (to_flush) tag_set = walk_q[PlaceW-1:WayW];
    set = l2_pkg::set_of(line);
    if (mode_q == Clear) set = walk_q[SetW-1:0];
    if (mode_q == Flush) set = walk_q[PlaceW-1:WayW];
  end

  // Tags that match stay so: only this request's own end changes them.
  logic              matched_q;
  always_ff @(posedge clk_i) matched_q <= l2_pkg::Narrow && rst_ni && look_valid_q && !look_done;

  l2_slots u_slots (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .free_o         (slot_free),
    .slot_o         (req_slot_o),
    .take_i         (takes),
    .give_valid_i   ((op_ends && !op_o.evict) || mode_q == Clear),
    .give_slot_i    (op_o.slot),
    .clear_i        (mode_q == Clear)
  );

  // ---- an arrived sector: one waiter a cycle -------------------------------------------------------
  logic              drain, drain_first, drain_last, fill_dirty;
  logic [SlotW-1:0]  drain_slot;
  logic [PlaceW-1:0] fill_place;
  logic              aside_any, aside_full, aside_urgent, aside_place;   // who stands aside (l2_operations)
  // With a narrow port waiters and look-up have turns, as long as a sector is here.
  logic              yields_q, yields;
  assign drain = fill_valid_i && fill_room_i && !aside_full && !aside_urgent && !rest && (!l2_pkg::Narrow || yields_q);
  assign yields = l2_pkg::Narrow ? fill_valid_i && yields_q : drain;
  always_ff @(posedge clk_i) yields_q <= l2_pkg::Narrow && rst_ni && (rest ? yields_q : !yields_q);
  assign fill_ready_o = drain && drain_last;

  // ---- look-up -------------------------------------------------------------------------------------
  typedef struct packed {
    logic              in_memory;
    logic              hit;
    logic [Ways-1:0]   way;       // the line's, or that of the victim; none where fetches hold them all
    l2_pkg::state_t    state;     // of that way
    logic [MshrW-1:0]  mshr;
    logic              new_mshr;
    logic              no_mshr;   // none is free
  } found_t;

  logic [PlaceW-1:0] place;         // of found.way
  logic              just_used;     // nothing may be evicted from there
  logic              evict_hit_q, evict_hit;
  // What to do with it. Of a line being fetched the MSHR knows: `state`, `pending` (this sector was asked for).
  function automatic act_e decide(input found_t f, input l2_pkg::state_t state, input logic pending, input logic drains);
    logic can_perform, can_fetch;
    act_e a;
    a = Stall;
    can_perform = look_room_i && !(drains && (l2_pkg::Narrow || aside_full)) && !rest;
    // A sector fetched for the place of one that stands aside could come and be drained before it.
    can_fetch = !f.no_mshr && !aside_place;
    if (!f.in_memory) begin
      if (can_perform) a = Refuse;
    end else if (f.hit) begin
      if (pending) begin
        if (!(fill_valid_i && fill_i.id == {f.mshr, sector})) a = Wait;
      end else if (state.valid[sector] || look_q.kind == mem_pkg::ReqWrite) begin
        if (can_perform) a = Perform;
      end else if (can_fetch) a = Fetch;
    end else if (!evict_hit && f.way != '0) begin
      if (state.present && state.dirty != '0) begin
        if (!drains && !aside_any && !rest && (evicting_q || evict_room_i) && !just_used) a = Evict;
      end else if (look_q.kind == mem_pkg::ReqWrite) begin
        if (can_perform) a = Perform;
      end else if (can_fetch) a = Fetch;
    end
    return a;
  endfunction

  // With a narrow port `found_q` is a cycle older. What it says changes only when an eviction goes on or an MSHR closes:
  // then it is found anew.
  found_t            found_now, found_q, found;
  logic              visits, finds, closes;
  logic              tag_hit, mshrs_busy, mshrs_full;
  logic [Ways-1:0]   tag_ways;
  logic [MshrW-1:0]  free_mshr;
  logic [3:0]        fetched_pending, fetched_valid, fetched_dirty;   // sectors of a line that is being fetched
  l2_pkg::state_t    tag_state, known;     // known: found.state, or what the MSHR knows
  assign visits = mode_q == Flush;
  assign finds = !visits && look_valid_q && (!l2_pkg::Narrow || (matched_q && !found_valid_q));
  always_comb begin
    found_now = '0;
    if (visits || finds) begin
      found_now.hit = tag_hit;
      found_now.way = tag_ways;
      found_now.state = tag_state;
    end
    if (finds) begin
      found_now.in_memory = look_q.sector[gpu_pkg::AddrW-1:MemoryW] == device_pkg::MemoryBase[gpu_pkg::AddrW-1:MemoryW] &&
                            (mem_end_i[gpu_pkg::AddrW-1:MemoryW] != device_pkg::MemoryBase[gpu_pkg::AddrW-1:MemoryW] ||
                             {line, sector} < mem_end_i[MemoryW-1:5]);
      found_now.new_mshr = !tag_state.fetching;
      found_now.no_mshr = !tag_state.fetching && mshrs_full;
      found_now.mshr = tag_state.fetching ? tag_state.mshr : free_mshr;
    end
  end
  assign found = l2_pkg::Narrow ? found_q : found_now;
  assign place = {set, WayW'(prim_pkg::index32(32'(found.way)))};
  assign evict_hit = l2_pkg::Narrow ? evict_hit_q : evict_hit_i;
  always_comb begin
    act = Stall;
    known = found.state;
    if (found.state.fetching) begin
      known.valid = fetched_valid;
      known.dirty = fetched_dirty;
    end
    if (mode_q == Flush) begin
      if ((!l2_pkg::Narrow || found_valid_q) && found.state.present && found.state.dirty != '0 && !walked_q && !mshrs_busy &&
          (evicting_q || evict_room_i) && !yields && !aside_any && !rest && !just_used) act = Evict;
    end else if (looks) begin
      act = decide(found, known, fetched_pending[sector], yields);
    end
  end
  always_ff @(posedge clk_i) begin
    if (l2_pkg::Narrow) begin
      if (!found_valid_q) found_q <= found_now;
      evict_hit_q <= evict_hit_i;
    end
    found_valid_q <= l2_pkg::Narrow && rst_ni && !closing_now && act != Evict && !walk_on && !to_flush &&
                     (mode_q == Flush ? flush_i : matched_q && !look_done);
  end

  logic             performs, waits, places, evict_last;
  logic [3:0]       evicted;    // sectors that go now
  logic [3:0]       line_dirty; // sectors of the request's line
  l2_pkg::tag_t     victim_tag;
  assign performs = act == Perform || act == Refuse;
  assign waits = act == Wait || act == Fetch;
  assign look_done = performs || waits;
  assign writes = look_q.kind != mem_pkg::ReqRead;
  assign evicted = l2_pkg::Banks == 1 ? found.state.dirty & (~found.state.dirty + 1'b1) : found.state.dirty;
  assign line_dirty = found.hit ? known.dirty : '0;
  assign evict_last = (found.state.dirty & ~evicted) == '0;
  assign evicting = act == Evict ? !evict_last : evicting_q;
  assign to_flush = mode_q == Run && flush_i && !evicting;
  assign busy_o = mshrs_busy || mode_q == Clear || aside_any || look_valid_q;
  assign flush_walked_o = walked_q;
  assign places = !found.hit && (act == Perform || act == Fetch);

  // Fetches end before the walk, so that no line changes behind it.
  assign walk_on = mode_q == Flush && !walked_q && !mshrs_busy && !aside_any &&
                   (act == Evict ? evict_last : (!l2_pkg::Narrow || found_valid_q) && !(found.state.present && found.state.dirty != '0));
  assign walk_next = walk_q + PlaceW'(walk_on);

  // ---- a line's new state ----------------------------------------------------------------------------
  // Closing an MSHR writes it, too: only when the look-up does not (with a narrow port the look-up waits for it instead),
  // and not under an eviction, whose victim stays the same until all of it has gone.
  logic              state_write, closable;
  l2_pkg::set_t      state_set;
  logic [Ways-1:0]   state_ways;
  l2_pkg::state_t    state;
  logic [MshrW-1:0]  closing;
  logic [PlaceW-1:0] closing_place;
  logic [3:0]        closing_valid, closing_dirty;
  assign closing_now = l2_pkg::Narrow && closable && !evicting_q;
  always_comb begin
    closes = closing_now;
    state = found.state;
    state_set = set;
    state_ways = found.way;
    state_write = 1'b1;
    case (act)
      Evict: begin
        state.dirty &= ~evicted;
        // Bytes of a partly known sector are nowhere else now. What a flush leaves of the line stays in the cache.
        if (evict_last) state.present = mode_q == Flush && state.valid != '0;
      end
      Fetch: begin
        state_write = found.new_mshr;
        state.present = 1'b1;
        state.fetching = 1'b1;
        state.mshr = found.mshr;
      end
      default: begin
        state_write = act == Perform && writes && found.new_mshr;
        if (!found.hit) {state.valid, state.dirty} = '0;
        state.present = 1'b1;
        state.dirty[sector] = 1'b1;
        if (look_q.full) state.valid[sector] = 1'b1;
      end
    endcase
    if (mode_q == Clear) begin
      state = '0;
      state_ways = '1;
      state_write = 1'b1;
    end else begin
      if (!l2_pkg::Narrow) closes = closable && !state_write && !evicting_q &&
                                    !((act == Fetch || (act == Perform && writes)) && found.mshr == closing);
    end
    if (closes) begin
      state_write = 1'b1;
      state = '{present: 1'b1, fetching: 1'b0, mshr: '0, valid: closing_valid, dirty: closing_dirty};
      state_set = closing_place[PlaceW-1:WayW];
      state_ways = Ways'(1) << closing_place[WayW-1:0];
    end
  end

  l2_tags u_tags (
    .clk_i          (clk_i),
    .read_i         (takes || to_flush || mode_q == Flush),
    .read_set_i     (tag_set),
    .set_i          (set),
    .tag_i          (l2_pkg::tag_of(line)),
    .match_i        (look_valid_q && !matched_q),
    .look_i         (finds),
    .visit_i        (visits),
    .visit_way_i    (walk_q[WayW-1:0]),
    .hit_o          (tag_hit),
    .ways_o         (tag_ways),
    .state_o        (tag_state),
    .ways_i         (found.way),
    .victim_tag_o   (victim_tag),
    .evict_i        (act == Evict),
    .place_i        (places),
    .state_write_i  (state_write),
    .state_set_i    (state_set),
    .state_ways_i   (state_ways),
    .state_i        (state)
  );

  l2_mshrs u_mshrs (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (mshrs_busy),
    .full_o         (mshrs_full),
    .free_o         (free_mshr),
    .mshr_i         (found.mshr),
    .sector_i       (sector),
    .look_i         (looks && found.state.fetching),
    .pending_o      (fetched_pending),
    .valid_o        (fetched_valid),
    .dirty_o        (fetched_dirty),
    .ask_i          (act == Fetch),
    .wait_i         (act == Wait),
    .write_i        (act == Perform && !found.new_mshr && writes),
    .ask_opens_i    (found.new_mshr),
    .ask_place_i    (place),
    .ask_valid_i    (found.hit ? known.valid : '0),
    .ask_dirty_i    (line_dirty),
    .wait_slot_i    (slot_q),
    .wait_writes_i  (writes),
    .wait_client_i  (look_q.client),
    .write_full_i   (look_q.full),
    .fill_valid_i   (fill_valid_i),
    .fill_i         (fill_i),
    .fill_place_o   (fill_place),
    .fill_dirty_o   (fill_dirty),
    .drain_i        (drain),
    .drain_slot_o   (drain_slot),
    .drain_client_o (fill_client_o),
    .drain_first_o  (drain_first),
    .drain_last_o   (drain_last),
    .close_valid_o  (closable),
    .close_mshr_o   (closing),
    .close_place_o  (closing_place),
    .close_known_o  (closing_valid),
    .close_dirty_o  (closing_dirty),
    .close_i        (closes)
  );

  always_ff @(posedge clk_i) begin
    ask_valid_o <= act == Fetch;
    if (act == Fetch) begin
      ask_id_o <= {found.mshr, sector};
      ask_line_o <= line;
    end
    if (!rst_ni) ask_valid_o <= 1'b0;
  end

  l2_operations u_operations (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .drain_i        (drain),
    .drain_first_i  (drain_first),
    .drain_fill_i   (fill_i),
    .drain_slot_i   (drain_slot),
    .drain_place_i  (fill_place),
    .drain_dirty_i  (fill_dirty),
    .perform_i      (performs),
    .error_i        (act == Refuse),
    .evict_i        (act == Evict),
    .evict_first_i  (!evicting_q),
    .evict_line_i   (l2_pkg::line_of(victim_tag, set)),
    .slot_i         (slot_q),
    .place_i        (place),
    .sector_i       (act == Evict ? 2'(prim_pkg::index32(32'(evicted))) : sector),
    .dirty_i        (act == Evict ? known.dirty : line_dirty),
    .rest_o         (rest),
    .aside_any_o    (aside_any),
    .aside_full_o   (aside_full),
    .aside_urgent_o (aside_urgent),
    .aside_place_o  (aside_place),
    .just_used_o    (just_used),
    .ends_o         (op_ends),
    .op_valid_o     (op_valid_o),
    .op_ready_i     (op_ready_i),
    .op_o           (op_o)
  );

  // ---- walks -------------------------------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    evicting_q <= evicting;
    case (mode_q)
      Clear: begin
        // A set a cycle.
        walk_q <= walk_q + 1'b1;
        if (&walk_q[SetW-1:0]) begin
          walk_q <= '0;
          mode_q <= Run;
        end
      end
      Flush: begin
        walk_q <= walk_next;
        if (walk_on && (&walk_q)) walked_q <= 1'b1;
        if (!flush_i && !evicting) begin
          mode_q <= Run;
          walked_q <= 1'b0;
          walk_q <= '0;
        end
      end
      default: if (to_flush) mode_q <= Flush;
    endcase
    if (!rst_ni) begin
      mode_q <= Clear;
      walk_q <= '0;
      walked_q <= 1'b0;
      evicting_q <= 1'b0;
    end
  end

endmodule
