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
// Lines of 128 bytes; each sector is valid (all bytes known) or holds only its dirty bytes. Write-back;
// the victim is the way at the set's turn that no fetch holds. While a sector is being drained of
// waiters, new requests for it are held back: otherwise one busy word could keep every other fill out.
module l2_control (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  output logic                              busy_o,
  input  logic [gpu_pkg::AddrW-1:0]         mem_end_i,

  input  logic                              flush_i,         // write all dirty lines back; hold until done
  output logic                              flush_walked_o,  // all evictions are on their way

  input  logic                              req_valid_i,
  output logic                              req_ready_o,
  input  l2_pkg::request_t                  req_i,
  input  logic                              req_room_i,      // its client can take an answer

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
  output l2_pkg::op_t                       op_o,
  output logic [mem_pkg::SectorW-1:0]       op_fill_data_o
);

  localparam int unsigned Mshrs = l2_pkg::Mshrs;
  localparam int unsigned MshrW = l2_pkg::MshrW;
  localparam int unsigned FillW = l2_pkg::FillW;
  localparam int unsigned Waiters = l2_pkg::Waiters;
  localparam int unsigned WaiterW = l2_pkg::WaiterW;
  localparam int unsigned Ways = l2_pkg::Ways;
  localparam int unsigned WayW = l2_pkg::WayW;
  localparam int unsigned SetW = l2_pkg::SetW;
  localparam int unsigned PlaceW = l2_pkg::PlaceW;

  typedef struct packed {
    logic             present;
    logic             fetching;   // held by `mshr`: cannot be evicted
    logic [MshrW-1:0] mshr;
    logic [3:0]       valid;      // sectors
    logic [3:0]       dirty;
  } state_t;

  typedef logic [l2_pkg::TagW-1:0] tag_t;

  typedef state_t [Ways-1:0] states_t;
  typedef tag_t   [Ways-1:0] tags_t;

  // A set is read and written as one: that of the look-up or walk, and the states of a closing MSHR's.
  tags_t            tag_q [l2_pkg::Sets];
  states_t          state_q [l2_pkg::Sets];
  tags_t            tags;
  states_t          states;
  logic [SetW-1:0]  set;
  logic [WayW-1:0]  turn_q [l2_pkg::Sets];

  // MSHRs; bits by fill id {MSHR, sector}.
  logic [Mshrs-1:0]        used_q, close_q;
  logic [PlaceW-1:0]       place_q [Mshrs];
  logic [4*Mshrs-1:0]      asked_q;     // fetch asked for
  logic [4*Mshrs-1:0]      arrived_q;   // and waiters served
  logic [4*Mshrs-1:0]      partial_q;   // had dirty bytes before the fetch
  logic [4*Mshrs-1:0]      dirtied_q;   // written by a waiter

  // Waiting requests: a list for each fill id. Behind them in the memory those that stand aside.
  localparam int unsigned Aside = 4;
  localparam int unsigned StoreW = $clog2(Waiters + Aside);
  l2_pkg::request_t        store_q [Waiters + Aside];
  logic [StoreW-1:0]       store_new, store_read;
  logic [Waiters-1:0]      waiter_used_q;
  logic [l2_pkg::ClientW:0] who_q [Waiters];   // their client, and whether they write
  logic [WaiterW-1:0]      next_q [Waiters];
  logic [WaiterW-1:0]      head_q [4*Mshrs];
  logic [WaiterW-1:0]      tail_q [4*Mshrs];

  // Walks over all places: after reset to clear them, and to flush.
  typedef enum logic [1:0] {
    Clear,   // after reset: forget every line
    Run,     // serve requests
    Flush    // write dirty lines back, place after place
  } mode_e;
  mode_e             mode_q;
  logic [PlaceW-1:0] walk_q;
  logic              walked_q;

  logic looks;
  assign looks = req_valid_i && mode_q == Run;
  always_comb begin
    set = req_i.req.sector[7+:SetW];
    if (mode_q == Clear) set = walk_q[SetW-1:0];
    if (mode_q == Flush) set = walk_q[PlaceW-1:WayW];
    tags = tag_q[set];
    states = state_q[set];
  end

  // ---- an arrived sector: one waiter a cycle -------------------------------------------------------
  logic               drain, drain_first_q, drain_last, drain_dirty;
  logic [WaiterW-1:0] drain_waiter;
  logic               drain_writes;
  assign drain_waiter = head_q[fill_i.id];
  assign {drain_writes, fill_client_o} = who_q[drain_waiter];
  // A request that finds the data stage taken by a drain steps aside into `aside`, so that the reads behind
  // it are looked up meanwhile; it goes next.
  typedef struct packed {
    logic              error;
    logic [PlaceW-1:0] place;
    logic [3:0]        dirty;
  } aside_t;
  aside_t      aside_q [Aside];
  logic [1:0]  aside_head_q;
  logic [2:0]  aside_count_q, aside_age_q;   // age: cycles that drains have kept the head waiting
  logic        aside_any, aside_full;
  assign aside_any = aside_count_q != '0;
  assign aside_full = aside_count_q == 3'(Aside);
  assign drain = fill_valid_i && fill_room_i && !aside_full && aside_age_q != '1;
  assign drain_last = drain_waiter == tail_q[fill_i.id];
  assign drain_dirty = drain_writes && !fill_i.error;
  assign fill_ready_o = drain && drain_last;

  // ---- look-up -------------------------------------------------------------------------------------
  typedef enum logic [2:0] {
    Stall,     // cannot go on yet
    Perform,   // to the data stage
    Refuse,    // outside memory
    Wait,      // behind others that wait for the sector
    Fetch,     // ask for the sector and wait
    Evict      // make room first
  } act_e;

  typedef struct packed {
    act_e              act;
    logic              hit;
    logic [WayW-1:0]   way;
    logic [MshrW-1:0]  mshr;
    logic              new_mshr;
    logic [3:0]        dirty;
  } found_t;

  // Does an operation on this place stand aside? A sector fetched for the place could come and be drained
  // before it: the fetch must wait.
  function automatic logic stands_aside(input logic [PlaceW-1:0] place);
    logic stands;
    stands = 1'b0;
    for (int unsigned n = 0; n < Aside; n++)
      if (3'(n) < aside_count_q && aside_q[aside_head_q + 2'(n)].place == place) stands = 1'b1;
    return stands;
  endfunction

  // The data stage evicts no line in the cycle in which it writes it.
  function automatic logic just_used(input logic [PlaceW-1:0] place);
    return op_valid_o && op_o.place == place;
  endfunction

  function automatic found_t look_up(input l2_pkg::request_t r, input logic drains, input logic [FillW-1:0] drain_id);
    found_t                  f;
    state_t                  s, victim;
    tag_t                    tag;
    logic [1:0]              sector;
    logic [WayW-1:0]         way;
    logic                    found, valid, waiter_free, can_perform;
    f = '0;
    f.act = Stall;
    sector = r.req.sector[6:5];
    tag = r.req.sector[gpu_pkg::AddrW-1:7+SetW];
    waiter_free = !(&waiter_used_q);
    can_perform = req_room_i && !(drains && aside_full);
    s = '0;
    for (int unsigned w = 0; w < Ways; w++) begin
      if (tags[w] == tag && states[w].present) begin
        f.hit = 1'b1;
        f.way = WayW'(w);
        s = states[w];
      end
    end
    if ({r.req.sector, 5'd0} >= mem_end_i || {r.req.sector, 5'd0} < gpu_pkg::AddrW'(device_pkg::MemoryBase)) begin
      if (can_perform) f.act = Refuse;
    end else if (f.hit) begin
      f.mshr = s.mshr;
      f.dirty = s.dirty;
      valid = s.valid[sector];
      if (s.fetching) begin
        f.dirty |= dirtied_q[{s.mshr, 2'd0}+:4];
        valid |= asked_q[{s.mshr, sector}] && arrived_q[{s.mshr, sector}];
      end
      if (s.fetching && asked_q[{s.mshr, sector}] && !arrived_q[{s.mshr, sector}]) begin
        if (waiter_free && !(fill_valid_i && drain_id == {s.mshr, sector})) f.act = Wait;
      end else if (valid || r.req.kind == mem_pkg::ReqWrite) begin
        if (can_perform) f.act = Perform;
      end else if (waiter_free && (s.fetching || !(&used_q)) && !stands_aside({set, f.way})) begin
        f.act = Fetch;
        f.new_mshr = !s.fetching;
        if (!s.fetching) f.mshr = MshrW'(prim_pkg::first32(32'(Mshrs'(~used_q))));
      end
    end else if (!evict_hit_i) begin
      // The way at the set's turn, or the first after it that no fetch holds; a free one if there is any.
      found = 1'b0;
      way = turn_q[set];
      victim = '0;
      for (int unsigned n = 0; n < Ways; n++) begin
        if (!found && !states[WayW'(way + WayW'(n))].fetching) begin
          found = 1'b1;
          f.way = WayW'(way + WayW'(n));
        end
      end
      for (int unsigned w = 0; w < Ways; w++)
        if (!states[w].present) begin
          found = 1'b1;
          f.way = WayW'(w);
        end
      victim = states[f.way];
      if (found) begin
        if (victim.present && victim.dirty != '0) begin
          f.dirty = victim.dirty;
          if (!drains && !aside_any && evict_room_i && !just_used({set, f.way})) f.act = Evict;
        end else if (r.req.kind == mem_pkg::ReqWrite) begin
          if (can_perform) f.act = Perform;
        end else if (waiter_free && !(&used_q) && !stands_aside({set, f.way})) begin
          f.act = Fetch;
          f.new_mshr = 1'b1;
          f.mshr = MshrW'(prim_pkg::first32(32'(Mshrs'(~used_q))));
        end
      end
    end
    return f;
  endfunction

  // What the look-up or walk sends to the data stage, perhaps aside; its place is looked at.
  typedef struct packed {
    logic       evict;
    logic       error;
    logic [3:0] dirty;
  } outcome_t;

  found_t found;
  always_comb begin
    found = '0;
    if (looks) found = look_up(req_i, drain, fill_i.id);
  end
  assign evict_check_o = req_i.req.sector[gpu_pkg::AddrW-1:7];
  assign req_ready_o = looks && (found.act == Perform || found.act == Refuse || found.act == Wait ||
                                 found.act == Fetch);
  assign busy_o = used_q != '0 || mode_q == Clear || aside_any;
  assign flush_walked_o = walked_q;

  logic [1:0]         sector;
  logic [FillW-1:0]   fetch_id;
  logic [WaiterW-1:0] waiter_new;
  assign sector = req_i.req.sector[6:5];
  assign fetch_id = {found.mshr, sector};
  assign waiter_new = WaiterW'(prim_pkg::first64(64'(Waiters'(~waiter_used_q))));

  // A request goes to the memory to wait, or to stand aside.
  logic       performs_request, stores;
  logic [1:0] aside_tail;
  aside_t     aside_head;
  assign aside_tail = aside_head_q + aside_count_q[1:0];
  assign aside_head = aside_q[aside_head_q];
  assign performs_request = found.act == Perform || found.act == Refuse;
  assign stores = looks && (found.act == Wait || found.act == Fetch || (performs_request && (drain || aside_any)));
  assign store_new = performs_request ? StoreW'(Waiters) + StoreW'(aside_tail) : StoreW'(waiter_new);
  assign store_read = drain ? StoreW'(drain_waiter) : StoreW'(Waiters) + StoreW'(aside_head_q);

  logic writes_tags;
  assign writes_tags = found.act == Evict || (found.act == Fetch && found.new_mshr) ||
                       (found.act == Perform && req_i.req.kind != mem_pkg::ReqRead);

  // A closing MSHR, unless a new fetch joins it at the last moment.
  logic [MshrW-1:0] closing;
  assign closing = MshrW'(prim_pkg::first32(32'(close_q)));

  always_ff @(posedge clk_i) begin
    op_valid_o <= 1'b0;
    ask_valid_o <= 1'b0;
    if (drain || looks || aside_any || close_q != '0 || mode_q != Run || flush_i) begin : operate
      automatic logic [4*Mshrs-1:0] asked = asked_q;
      automatic logic [4*Mshrs-1:0] arrived = arrived_q;
      automatic logic [4*Mshrs-1:0] dirtied = dirtied_q;
      automatic logic [4*Mshrs-1:0] partial = partial_q;
      automatic logic [Mshrs-1:0]   close = close_q;
      automatic logic [Mshrs-1:0]   used = used_q;
      automatic logic [Waiters-1:0] waiter_used = waiter_used_q;
      automatic state_t             s;
      automatic states_t            row = states;
      automatic tags_t              tag_row = tags;
      automatic logic               state_write = 1'b0;
      automatic logic [SetW-1:0]    state_set = set;
      automatic logic [WayW-1:0]    way = mode_q == Flush ? walk_q[WayW-1:0] : found.way;
      automatic logic [PlaceW-1:0]  closes = place_q[closing];
      automatic logic [MshrW-1:0]   m;
      automatic outcome_t           op = '0;
      automatic logic               performs = 1'b0;  // the request goes to the data stage, perhaps aside

      // Closing an MSHR writes the tags, too: only when the look-up does not. Before the drain, which may say
      // in this very cycle that the MSHR can close.
      if (close_q != '0 && !writes_tags) begin
        close[closing] = 1'b0;
        if (asked_q[{closing, 2'd0}+:4] == arrived_q[{closing, 2'd0}+:4] &&
            !(found.act == Fetch && found.mshr == closing)) begin
          state_write = 1'b1;
          state_set = closes[PlaceW-1:WayW];
          row = state_q[state_set];
          s = row[closes[WayW-1:0]];
          s.valid |= arrived_q[{closing, 2'd0}+:4];
          s.dirty |= dirtied_q[{closing, 2'd0}+:4];
          s.fetching = 1'b0;
          row[closes[WayW-1:0]] = s;
          used[closing] = 1'b0;
        end
      end

      if (drain) begin
        op_valid_o <= 1'b1;
        op_o.evict <= 1'b0;
        op_o.fill <= drain_first_q && !fill_i.error;
        op_o.error <= fill_i.error;
        op_o.place <= place_q[fill_i.id[FillW-1:2]];
        op_o.dirty <= {4{partial[fill_i.id] || dirtied[fill_i.id]}};
        op_fill_data_o <= fill_i.data;
        if (drain_dirty) dirtied[fill_i.id] = 1'b1;
        waiter_used[drain_waiter] = 1'b0;
        head_q[fill_i.id] <= next_q[drain_waiter];
        drain_first_q <= drain_last;
        if (drain_last) begin
          // After an error the sector is as unknown as before.
          if (fill_i.error) asked[fill_i.id] = 1'b0;
          else arrived[fill_i.id] = 1'b1;
          m = fill_i.id[FillW-1:2];
          if (asked[{m, 2'd0}+:4] == arrived[{m, 2'd0}+:4]) close[m] = 1'b1;
        end
      end

      if (mode_q == Clear) begin
        // A set a cycle.
        row = '0;
        state_write = 1'b1;
        walk_q <= walk_q + 1'b1;
        if (&walk_q[SetW-1:0]) begin
          walk_q <= '0;
          mode_q <= Run;
        end
      end else if (mode_q == Flush) begin
        // Fetches end before the walk, so that no line changes behind it.
        if (!walked_q && used_q == '0 && !aside_any) begin
          s = states[way];
          if (s.present && s.dirty != '0) begin
            if (evict_room_i && !drain && !just_used(walk_q)) begin
              performs = 1'b1;
              op.evict = 1'b1;
              op.dirty = s.dirty;
              s.dirty = '0;
              // Bytes of a partly known sector are nowhere else now: it is no longer in the cache.
              s.present = s.valid != '0;
              row[way] = s;
              state_write = 1'b1;
              walk_q <= walk_q + 1'b1;
              walked_q <= &walk_q;
            end
          end else begin
            walk_q <= walk_q + 1'b1;
            walked_q <= &walk_q;
          end
        end
        if (!flush_i) begin
          mode_q <= Run;
          walked_q <= 1'b0;
          walk_q <= '0;
        end
      end else if (looks) begin
        s = states[way];
        if (!found.hit) begin
          s = '0;
          s.present = 1'b1;
        end
        case (found.act)
          Perform: begin
            performs = 1'b1;
            op.dirty = found.hit ? found.dirty : '0;
            if (req_i.req.kind != mem_pkg::ReqRead) s.dirty[sector] = 1'b1;
            if (req_i.req.kind == mem_pkg::ReqWrite && (&req_i.req.mask)) s.valid[sector] = 1'b1;
            if (writes_tags) begin
              row[way] = s;
              state_write = 1'b1;
            end
          end
          Refuse: begin
            performs = 1'b1;
            op.error = 1'b1;
          end
          Evict: begin
            performs = 1'b1;
            op.evict = 1'b1;
            op.dirty = found.dirty;
            row[way] = '0;
            state_write = 1'b1;
          end
          Wait, Fetch: begin
            waiter_used[waiter_new] = 1'b1;
            who_q[waiter_new] <= {req_i.req.kind != mem_pkg::ReqRead, req_i.client};
            tail_q[fetch_id] <= waiter_new;
            if (found.act == Wait) next_q[tail_q[fetch_id]] <= waiter_new;
            else begin
              head_q[fetch_id] <= waiter_new;
              if (found.new_mshr) begin
                used[found.mshr] = 1'b1;
                place_q[found.mshr] <= {set, found.way};
                asked[{found.mshr, 2'd0}+:4] = 4'd0;
                arrived[{found.mshr, 2'd0}+:4] = 4'd0;
                dirtied[{found.mshr, 2'd0}+:4] = 4'd0;
              end
              asked[fetch_id] = 1'b1;
              partial[fetch_id] = s.dirty[sector];
              s.fetching = 1'b1;
              s.mshr = found.mshr;
              if (found.new_mshr) begin
                row[way] = s;
                state_write = 1'b1;
              end
              ask_valid_o <= 1'b1;
              ask_id_o <= fetch_id;
              ask_line_o <= req_i.req.sector[gpu_pkg::AddrW-1:7];
            end
          end
          default: ;
        endcase
        if (!found.hit && (found.act == Perform || found.act == Fetch)) begin
          tag_row[way] = req_i.req.sector[gpu_pkg::AddrW-1:7+SetW];
          tag_q[set] <= tag_row;
          turn_q[set] <= way + 1'b1;
        end
      end
      if (state_write) state_q[state_set] <= row;
      // The data stage: a drain, else who stands aside, else the request.
      if (drain || aside_any || performs) begin
        op_valid_o <= 1'b1;
        op_o.request <= drain || aside_any ? store_q[store_read] : req_i;
        if (!drain) begin
          op_o.evict <= !aside_any && op.evict;
          op_o.fill <= 1'b0;
          op_o.error <= aside_any ? aside_head.error : op.error;
          op_o.place <= aside_any ? aside_head.place : {set, way};
          op_o.dirty <= aside_any ? aside_head.dirty : op.dirty;
        end
        op_o.line <= {tags[way], set};
      end
      if (performs && (drain || aside_any)) aside_q[aside_tail] <= '{error: op.error, place: {set, way}, dirty: op.dirty};
      if (stores) store_q[store_new] <= req_i;
      if (!drain && aside_any) aside_head_q <= aside_head_q + 2'd1;
      aside_count_q <= aside_count_q + 3'(performs && (drain || aside_any)) - 3'(!drain && aside_any);
      aside_age_q <= drain && aside_any ? aside_age_q + 3'd1 : '0;
      // Between requests.
      if (mode_q == Run && flush_i && !walked_q) mode_q <= Flush;

      asked_q <= asked;
      arrived_q <= arrived;
      dirtied_q <= dirtied;
      partial_q <= partial;
      close_q <= close;
      used_q <= used;
      waiter_used_q <= waiter_used;
    end
    if (!rst_ni) begin
      mode_q <= Clear;
      walk_q <= '0;
      walked_q <= 1'b0;
      used_q <= '0;
      close_q <= '0;
      asked_q <= '0;
      arrived_q <= '0;
      waiter_used_q <= '0;
      drain_first_q <= 1'b1;
      aside_count_q <= '0;
      aside_age_q <= '0;
      aside_head_q <= '0;
      op_valid_o <= 1'b0;
      ask_valid_o <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Data for a sector nobody fetches would be performed twice.
      a_fill: assert (!fill_valid_i || (asked_q[fill_i.id] && !arrived_q[fill_i.id]))
        else $error("l2_control: sector arrived that was not asked for");
      a_aside: assert (aside_count_q <= 3'(Aside)) else $error("l2_control: too many stand aside");
      a_close: assert ((close_q & ~used_q) == '0) else $error("l2_control: closing an MSHR that is not used");
    end
  end

endmodule
