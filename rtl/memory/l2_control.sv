// SPDX-License-Identifier: Apache-2.0
// Tags and MSHRs of the L2. Looks one request up a cycle; hits go to the data stage, misses wait for
// their sector while later requests go on (hit under miss).
//
//   read of an absent line    MSHR 3 opens for the line, the request waits under fill {3, sector}
//   read of the same sector   waits behind it
//   write to that sector      waits too: requests of a sector keep their order
//   sector arrives            the first that waits is performed together with the fill, then the others
//   write to an absent line   takes a place and is performed at once; unwritten bytes stay unknown
//
// With a narrow memory port a look-up is three cycles: the first compares the tags, the second finds the line's state or a
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

  localparam int unsigned Mshrs = l2_pkg::Mshrs;
  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned FillW = l2_pkg::FillW;
  localparam int unsigned SlotW = l2_pkg::SlotW;
  localparam int unsigned Aside = l2_pkg::Aside;
  localparam int unsigned AsideW = $clog2(Aside);
  localparam int unsigned Ways = l2_pkg::Ways;
  localparam int unsigned WayW = l2_pkg::WayW;
  localparam int unsigned SetW = l2_pkg::SetW;
  localparam int unsigned PlaceW = l2_pkg::PlaceW;
  localparam int unsigned MemoryW = l2_pkg::MemoryW;

  typedef struct packed {
    logic             present;
    logic             fetching;   // held by `mshr`: cannot be evicted
    logic [MshrW-1:0] mshr;
    logic [3:0]       valid;      // sectors; while fetching the MSHR has them
    logic [3:0]       dirty;
  } state_t;
  typedef state_t [Ways-1:0] states_t;

  (* no_rw_check *) l2_pkg::tag_t [Ways-1:0] tag_q [l2_pkg::Sets];
  states_t          state_q [l2_pkg::Sets];
  logic [WayW-1:0]  turn_q [l2_pkg::Sets];

  // MSHRs, each with the sectors of its line.
  logic [Mshrs-1:0]        used_q;
  logic [PlaceW-1:0]       place_q [Mshrs];
  logic [Mshrs-1:0][3:0]   pending_q;   // asked for, waiters not yet served
  logic [Mshrs-1:0][3:0]   valid_q;
  logic [Mshrs-1:0][3:0]   dirty_q;

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
  logic              rest;   // no operation now: the one before is still under way
  logic              op_ends;   // the operation's slot has been read
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

  if (l2_pkg::Narrow) begin : g_apart
    logic [l2_pkg::Apart-2:0] since_q;
    always_ff @(posedge clk_i) since_q <= (l2_pkg::Apart - 1)'({since_q, op_valid_o});
    assign rest = op_valid_o || since_q[l2_pkg::Apart-3:0] != '0;
    assign op_ends = since_q[l2_pkg::Apart-2];
    logic unused_ready;
    assign unused_ready = op_ready_i;
  end else begin : g_every_cycle
    assign rest = op_valid_o && !op_ready_i;
    assign op_ends = op_valid_o && op_ready_i;
  end

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

  // Tags are read in the cycle before. If that was the cycle in which the request before wrote one of the same set,
  // the tag is `fresh_tag_q`.
  l2_pkg::tag_t [Ways-1:0]  tags_q;
  l2_pkg::tag_t     fresh_tag_q;
  logic [Ways-1:0]  fresh_q, tag_write;
  l2_pkg::set_t     tag_set;
  always_comb begin
    tag_set = l2_pkg::set_of(req_i.sector[MemoryW-1:7]);
    if (mode_q == Flush) tag_set = flush_i ? walk_next[PlaceW-1:WayW] : l2_pkg::set_of(line);
    else if (to_flush) tag_set = walk_q[PlaceW-1:WayW];
    set = l2_pkg::set_of(line);
    if (mode_q == Clear) set = walk_q[SetW-1:0];
    if (mode_q == Flush) set = walk_q[PlaceW-1:WayW];
  end
  always_ff @(posedge clk_i) begin
    if (takes || to_flush || mode_q == Flush) tags_q <= tag_q[tag_set];
  end
  always_ff @(posedge clk_i) begin
    if (takes) fresh_q <= !l2_pkg::Narrow && l2_pkg::set_of(req_i.sector[MemoryW-1:7]) == set ? tag_write : '0;
    if (to_flush || mode_q == Flush || l2_pkg::Narrow) fresh_q <= '0;
    if (tag_write != '0) fresh_tag_q <= l2_pkg::tag_of(line);
  end

  // The ways whose tag it is. Only this request's own end changes them: later cycles may use them.
  logic [Ways-1:0]  match_now, match_q, match;
  logic             matched_q;
  always_comb begin
    match_now = '0;
    if (look_valid_q && !matched_q)
      for (int unsigned w = 0; w < Ways; w++) match_now[w] = (fresh_q[w] ? fresh_tag_q : tags_q[w]) == l2_pkg::tag_of(line);
  end
  assign match = l2_pkg::Narrow ? match_q : match_now;
  always_ff @(posedge clk_i) begin
    if (l2_pkg::Narrow) begin
      if (!matched_q) match_q <= match_now;
      matched_q <= look_valid_q && !look_done;
    end else matched_q <= 1'b0;
    if (!rst_ni) matched_q <= 1'b0;
  end

  // ---- an arrived sector: one waiter a cycle -------------------------------------------------------
  logic              drain, drain_first, drain_last, drain_writes, waits;
  logic [SlotW-1:0]  drain_slot;
  logic [MshrW-1:0]  fill_mshr;
  logic [1:0]        fill_sector;
  logic [FillW-1:0]  fetch_id;
  assign {fill_mshr, fill_sector} = fill_i.id;

  l2_waiters u_waiters (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .slot_free_o    (slot_free),
    .slot_o         (req_slot_o),
    .take_i         (takes),
    .give_valid_i   ((op_ends && !op_o.evict) || mode_q == Clear),
    .give_slot_i    (op_o.slot),
    .clear_i        (mode_q == Clear),
    .wait_valid_i   (waits),
    .wait_first_i   (act == Fetch),
    .wait_id_i      (fetch_id),
    .wait_slot_i    (slot_q),
    .wait_writes_i  (writes),
    .wait_client_i  (look_q.client),
    .drain_id_i     (fill_i.id),
    .drain_i        (drain),
    .drain_slot_o   (drain_slot),
    .drain_first_o  (drain_first),
    .drain_last_o   (drain_last),
    .drain_writes_o (drain_writes),
    .drain_client_o (fill_client_o)
  );

  // A request that finds the data stage taken by a drain steps aside into `aside`, so that the reads behind
  // it are looked up meanwhile; it goes next. With a narrow port the look-up waits instead.
  typedef struct packed {
    logic              error;
    logic              dirty;
    logic [1:0]        sector;
    logic [SlotW-1:0]  slot;
    logic [PlaceW-1:0] place;
  } aside_t;
  aside_t            aside_q [Aside];
  logic [AsideW-1:0] aside_head_q;
  logic [AsideW:0]   aside_count_q;
  logic [2:0]        aside_age_q;            // cycles that drains have kept the head waiting
  logic              aside_any, aside_full;
  assign aside_any = !l2_pkg::Narrow && aside_count_q != '0;
  assign aside_full = aside_count_q[AsideW];
  // With a narrow port waiters and look-up have turns, as long as a sector is here.
  logic              yields_q, yields;
  assign drain = fill_valid_i && fill_room_i && !aside_full && aside_age_q != '1 && !rest && (!l2_pkg::Narrow || yields_q);
  assign yields = l2_pkg::Narrow ? fill_valid_i && yields_q : drain;
  always_ff @(posedge clk_i) yields_q <= l2_pkg::Narrow && rst_ni && (rest ? yields_q : !yields_q);
  assign fill_ready_o = drain && drain_last;

  // ---- look-up -------------------------------------------------------------------------------------
  typedef struct packed {
    logic              in_memory;
    logic              hit;
    logic [Ways-1:0]   way;       // the line's, or that of the victim; none where fetches hold them all
    state_t            state;     // of that way
    logic [MshrW-1:0]  mshr;
    logic              new_mshr;
    logic              no_mshr;   // none is free
  } found_t;

  function automatic logic [WayW-1:0] index_of(input logic [Ways-1:0] onehot);
    return WayW'(prim_pkg::index32(32'(onehot)));
  endfunction

  function automatic logic [MshrW-1:0] first_of(input logic [Mshrs-1:0] mshrs);
    logic [Mshrs-1:0] lowest;
    lowest = mshrs & (~mshrs + 1'b1);
    return MshrW'(prim_pkg::index32(32'(lowest)));
  endfunction

  // Does an operation on this place stand aside? A sector fetched for the place could come and be drained
  // before it: the fetch must wait.
  function automatic logic stands_aside(input logic [PlaceW-1:0] place);
    logic stands;
    stands = 1'b0;
    for (int unsigned n = 0; n < Aside; n++)
      if ((AsideW + 1)'(n) < aside_count_q && aside_q[aside_head_q + AsideW'(n)].place == place) stands = 1'b1;
    return stands;
  endfunction

  // The data stage evicts no line in the cycle before it writes it: not behind an operation on it, nor as long as one waits
  // there.
  function automatic logic just_used(input logic [PlaceW-1:0] place);
    return !l2_pkg::Narrow && (!op_ready_i || (op_valid_o && !op_o.evict && op_o.place == place));
  endfunction

  // The line's place, or where it could go.
  function automatic found_t find(input states_t states, input logic [WayW-1:0] turn);
    found_t          f;
    logic [Ways-1:0] present, idle, after;
    f = '0;
    f.in_memory = look_q.sector[gpu_pkg::AddrW-1:MemoryW] == device_pkg::MemoryBase[gpu_pkg::AddrW-1:MemoryW] &&
                  (mem_end_i[gpu_pkg::AddrW-1:MemoryW] != device_pkg::MemoryBase[gpu_pkg::AddrW-1:MemoryW] ||
                   {line, sector} < mem_end_i[MemoryW-1:5]);
    for (int unsigned w = 0; w < Ways; w++) begin
      present[w] = states[w].present;
      idle[w] = !states[w].fetching;
      f.way[w] = states[w].present && match[w];
    end
    f.hit = f.way != '0;
    if (!f.hit) begin
      // A free way, else the way at the set's turn or the first after it that no fetch holds.
      after = idle & (Ways'('1) << turn);
      f.way = !(&present) ? ~present : after != '0 ? after : idle;
      f.way &= ~f.way + 1'b1;
    end
    for (int unsigned w = 0; w < Ways; w++) if (f.way[w]) f.state |= states[w];
    f.new_mshr = !f.state.fetching;
    f.no_mshr = f.new_mshr && (&used_q);
    f.mshr = f.new_mshr ? first_of(~used_q) : f.state.mshr;
    return f;
  endfunction

  logic evict_hit_q, evict_hit;
  // What to do with it. Of a line being fetched the MSHR knows: `state`, `pending` (this sector was asked for).
  function automatic act_e decide(input found_t f, input state_t state, input logic pending, input logic drains);
    logic can_perform, can_fetch;
    act_e a;
    a = Stall;
    can_perform = look_room_i && !(drains && (l2_pkg::Narrow || aside_full)) && !rest;
    can_fetch = !f.no_mshr && !stands_aside({set, index_of(f.way)});
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
        if (!drains && !aside_any && !rest && (evicting_q || evict_room_i) && !just_used({set, index_of(f.way)})) a = Evict;
      end else if (look_q.kind == mem_pkg::ReqWrite) begin
        if (can_perform) a = Perform;
      end else if (can_fetch) a = Fetch;
    end
    return a;
  endfunction

  // With a narrow port `found_q` is a cycle older. What it says changes only when an eviction goes on or an MSHR closes:
  // then it is found anew.
  found_t  found_now, found_q, found;
  logic    closes, pending;
  state_t  known;     // found.state, or what the MSHR knows
  always_comb begin
    found_now = '0;
    if (mode_q == Flush) begin
      // As if the place were the victim.
      found_now.way = Ways'(1) << walk_q[WayW-1:0];
      for (int unsigned w = 0; w < Ways; w++) if (found_now.way[w]) found_now.state |= state_q[set][w];
    end else if (look_valid_q && (!l2_pkg::Narrow || (matched_q && !found_valid_q))) found_now = find(state_q[set], turn_q[set]);
  end
  assign found = l2_pkg::Narrow ? found_q : found_now;
  assign evict_hit = l2_pkg::Narrow ? evict_hit_q : evict_hit_i;
  always_comb begin
    act = Stall;
    known = found.state;
    pending = 1'b0;
    if (mode_q == Flush) begin
      if ((!l2_pkg::Narrow || found_valid_q) && found.state.present && found.state.dirty != '0 && !walked_q && used_q == '0 &&
          (evicting_q || evict_room_i) && !yields && !aside_any && !rest && !just_used(walk_q)) act = Evict;
    end else if (looks) begin
      if (found.state.fetching) begin
        known.valid = valid_q[found.mshr];
        known.dirty = dirty_q[found.mshr];
        pending = pending_q[found.mshr][sector];
      end
      act = decide(found, known, pending, yields);
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

  logic             performs, evict_last;
  logic [3:0]       evicted;    // sectors that go now
  l2_pkg::tag_t     victim_tag;
  assign performs = act == Perform || act == Refuse;
  assign waits = act == Wait || act == Fetch;
  assign look_done = performs || waits;
  assign writes = look_q.kind != mem_pkg::ReqRead;
  assign fetch_id = {found.mshr, sector};
  assign evicted = l2_pkg::Banks == 1 ? found.state.dirty & (~found.state.dirty + 1'b1) : found.state.dirty;
  assign evict_last = (found.state.dirty & ~evicted) == '0;
  assign evicting = act == Evict ? !evict_last : evicting_q;
  assign to_flush = mode_q == Run && flush_i && !evicting;
  assign busy_o = used_q != '0 || mode_q == Clear || aside_any || look_valid_q;
  assign flush_walked_o = walked_q;
  assign tag_write = !found.hit && (act == Perform || act == Fetch) ? found.way : '0;
  always_comb begin
    victim_tag = '0;
    if (act == Evict) for (int unsigned w = 0; w < Ways; w++) if (found.way[w]) victim_tag |= fresh_q[w] ? fresh_tag_q : tags_q[w];
  end

  // Fetches end before the walk, so that no line changes behind it.
  assign walk_on = mode_q == Flush && !walked_q && used_q == '0 && !aside_any &&
                   (act == Evict ? evict_last : (!l2_pkg::Narrow || found_valid_q) && !(found.state.present && found.state.dirty != '0));
  assign walk_next = walk_q + PlaceW'(walk_on);

  // ---- a line's new state ----------------------------------------------------------------------------
  // Closing an MSHR writes it, too: only when the look-up does not (with a narrow port the look-up waits for it instead),
  // and not under an eviction, whose victim stays the same until all of it has gone.
  logic              state_write;
  l2_pkg::set_t      state_set;
  logic [Ways-1:0]   state_ways;
  state_t            state;
  logic [Mshrs-1:0]  closable;
  logic [MshrW-1:0]  closing;
  logic [PlaceW-1:0] closing_place;
  always_comb begin
    closable = used_q;
    if (used_q != '0) for (int unsigned m = 0; m < Mshrs; m++) if (pending_q[m] != '0) closable[m] = 1'b0;
    closing = first_of(closable);
    closing_place = place_q[closing];
  end
  assign closing_now = l2_pkg::Narrow && closable != '0 && !evicting_q;
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
      if (!l2_pkg::Narrow) closes = closable != '0 && !state_write && !evicting_q &&
                                    !((act == Fetch || (act == Perform && writes)) && found.mshr == closing);
    end
    if (closes) begin
      state_write = 1'b1;
      state = '{present: 1'b1, fetching: 1'b0, mshr: '0, valid: valid_q[closing], dirty: dirty_q[closing]};
      state_set = closing_place[PlaceW-1:WayW];
      state_ways = Ways'(1) << closing_place[WayW-1:0];
    end
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < Ways; w++) begin
      if (state_write && state_ways[w]) state_q[state_set][w] <= state;
      if (tag_write[w]) tag_q[set][w] <= l2_pkg::tag_of(line);
    end
    if (tag_write != '0) turn_q[set] <= index_of(found.way) + 1'b1;
  end

  // ---- MSHRs and waiting requests --------------------------------------------------------------------
  always_ff @(posedge clk_i) begin
    ask_valid_o <= act == Fetch;
    if (drain || looks || used_q != '0) begin
      if (closes) used_q[closing] <= 1'b0;
      if (drain) begin
        if (drain_last) pending_q[fill_mshr][fill_sector] <= 1'b0;
        // After an error the sector is as unknown as before.
        if (!fill_i.error) valid_q[fill_mshr][fill_sector] <= 1'b1;
        if (!fill_i.error && drain_writes) dirty_q[fill_mshr][fill_sector] <= 1'b1;
      end
      if (act == Perform && !found.new_mshr && writes) begin
        dirty_q[found.mshr][sector] <= 1'b1;
        if (look_q.full) valid_q[found.mshr][sector] <= 1'b1;
      end
      if (act == Fetch) begin
        if (found.new_mshr) begin
          used_q[found.mshr] <= 1'b1;
          place_q[found.mshr] <= {set, index_of(found.way)};
          pending_q[found.mshr] <= '0;
          valid_q[found.mshr] <= found.hit ? known.valid : '0;
          dirty_q[found.mshr] <= found.hit ? known.dirty : '0;
        end
        pending_q[found.mshr][sector] <= 1'b1;
        ask_id_o <= fetch_id;
        ask_line_o <= line;
      end
    end
    if (!rst_ni) begin
      used_q <= '0;
      pending_q <= '0;
      ask_valid_o <= 1'b0;
    end
  end

  // ---- to the data stage: a drain, else who stands aside, else the request ------------------------------
  logic              aside_push, aside_pop;
  logic [AsideW-1:0] aside_tail;
  aside_t            aside_head;
  assign aside_tail = aside_head_q + aside_count_q[AsideW-1:0];
  assign aside_head = aside_q[aside_head_q];
  assign aside_push = !l2_pkg::Narrow && performs && (drain || aside_any);
  assign aside_pop = aside_any && !drain && !rest;
  always_ff @(posedge clk_i) begin
    op_valid_o <= drain || aside_pop || performs || act == Evict || (!l2_pkg::Narrow && rest);
    if (drain || aside_pop || performs || act == Evict) begin
      op_o.evict <= act == Evict;
      op_o.first <= !evicting_q;
      op_o.fill <= drain && drain_first && !fill_i.error;
      op_o.fill_id <= fill_i.id;
      op_o.line <= l2_pkg::line_of(victim_tag, set);
      if (drain) begin
        op_o.error <= fill_i.error;
        op_o.slot <= drain_slot;
        op_o.place <= place_q[fill_mshr];
        op_o.sector <= fill_sector;
        op_o.dirty <= {4{dirty_q[fill_mshr][fill_sector]}};
      end else if (aside_any) begin
        op_o.error <= aside_head.error;
        op_o.slot <= aside_head.slot;
        op_o.place <= aside_head.place;
        op_o.sector <= aside_head.sector;
        op_o.dirty <= {4{aside_head.dirty}};
      end else begin
        op_o.error <= act == Refuse;
        op_o.slot <= slot_q;
        op_o.place <= {set, index_of(found.way)};
        op_o.sector <= act == Evict ? 2'(prim_pkg::index32(32'(evicted))) : sector;
        op_o.dirty <= act == Evict || found.hit ? known.dirty : '0;
      end
    end
    if (!rst_ni) op_valid_o <= 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (aside_push)
      aside_q[aside_tail] <= '{error: act == Refuse, dirty: found.hit && known.dirty[sector], sector: sector,
                               slot: slot_q, place: {set, index_of(found.way)}};
    if (aside_any || aside_push) begin
      if (aside_pop) aside_head_q <= aside_head_q + 1'b1;
      aside_count_q <= aside_count_q + (AsideW + 1)'(aside_push) - (AsideW + 1)'(aside_pop);
      aside_age_q <= drain && aside_any ? aside_age_q + 3'd1 : '0;
    end
    if (!rst_ni) begin
      aside_count_q <= '0;
      aside_age_q <= '0;
      aside_head_q <= '0;
    end
  end

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

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Data for a sector nobody fetches would be performed twice.
      a_fill: assert (!fill_valid_i || pending_q[fill_mshr][fill_sector])
        else $error("l2_control: sector arrived that was not asked for");
      a_aside: assert (aside_count_q <= (AsideW + 1)'(Aside)) else $error("l2_control: too many stand aside");
    end
  end

endmodule
