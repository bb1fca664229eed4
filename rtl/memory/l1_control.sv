// SPDX-License-Identifier: Apache-2.0
// Tags and MSHRs of the L1 data cache, in the pipe of device memory. One operation a cycle: empty
// the cache, answers of L2 (a fill, once for each instruction that waits for it), or a pass.
//
//   load miss of line 5:  MSHR 2 opens, sectors {0,1} go to L2 as reads {2,0}, {2,1}; lanes are noted
//   load of line 5 again: lanes join MSHR 2; sectors not yet asked for are added
//   {2,1}, {2,0} came:    a fill of both, for all lanes of an instruction that wait for either
//   store to line 5:      MSHR 2 closes: what is still in flight is older than the store, so it serves
//                         those who wait but is not installed, and later loads ask again
//
// Lines of 128 bytes with a valid bit for each sector. Write-through, no allocation by stores, update on
// a hit. Allocation when a load misses; the fill is installed if its line is still there and its MSHR
// open. A fill is of a part of a line, what a pass reaches: of all of its sectors that are in flight, when the last of them
// has come. Loads that bypass, atomics and CCTL throw the line out. Replacement: the way of the set that was
// filled longest ago, whether its line is still there or not.
// Operations never see each other half done: each reads, compares and changes tags in one cycle, or, where rows move
// in slices, first looks (which ways, which MSHR, who waits) and acts in the next cycle, before any other looks.
module l1_control (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,

  input  logic                        invalidate_valid_i,  // empty the cache (kernel start, acquire)
  output logic                        invalidate_ready_o,

  input  logic                        arrive_valid_i,      // a sector that was read comes
  input  lsu_pkg::fill_id_t           arrive_id_i,
  input  logic                        atomic_valid_i,      // an atomic's old value waits
  input  logic [5:0]                  atomic_id_i,         // {which of two, lane}
  output logic                        fill_o,              // one of these goes to the data stage
  output logic                        fill_atomic_o,
  output lsu_pkg::part_t              fill_part_o,

  input  logic                        pass_valid_i,
  output logic                        pass_ready_o,
  input  lsu_pkg::pass_t              pass_i,
  input  logic                        hold_i,              // not yet
  input  logic                        room_i,              // the requests of a pass to L2 fit

  output logic                        data_valid_o,
  input  logic                        data_ready_i,
  output lsu_pkg::data_op_t           data_o,
  output trace_pkg::l1_read_t         trace_read_o
);

  localparam int unsigned Mshrs = lsu_pkg::Mshrs;
  localparam int unsigned Entries = lsu_pkg::Entries;
  localparam int unsigned MshrW = lsu_pkg::MshrW;
  localparam int unsigned EntryW = lsu_pkg::EntryW;
  localparam int unsigned Ways = lsu_pkg::Ways;
  localparam int unsigned SetW = lsu_pkg::SetW;
  localparam int unsigned WayW = lsu_pkg::WayW;
  localparam int unsigned LineW = lsu_pkg::LineW;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  localparam int unsigned Places = lsu_pkg::Places;
  localparam int unsigned PlaceW = lsu_pkg::PlaceW;
  localparam int unsigned PassSectors = lsu_pkg::PassSectors;
  localparam int unsigned Parts = lsu_pkg::Parts;
  localparam bit          Looks = sm_pkg::RowSlices > 1;      // in a cycle of its own

  // Tags: index {set, way}.
  logic [lsu_pkg::Lines-1:0]  valid_q;
  logic [lsu_pkg::TagW-1:0]   tag_q [lsu_pkg::Lines];
  logic [3:0]                 sectors_q [lsu_pkg::Lines];
  logic [WayW-1:0]            oldest_q [lsu_pkg::Sets];

  // MSHRs. A used one has sectors in flight; only an open one takes more loads and installs.
  logic [Mshrs-1:0]           used_q, open_q;
  logic                       full_q;
  lsu_pkg::line_t             line_q [Mshrs];
  logic [Mshrs-1:0][3:0]      flying_q, arrived_q;            // sectors asked for and not yet served; of them those that came
  logic [Places-1:0]          waiting_q [Parts];
  // By part and place. Looked at when nothing acts, so never in the cycle of a write.
  (* ram_style = "block", no_rw_check *) sm_pkg::lanes_t lanes_q [Parts*Places];

  // Atomics with a reader: two instructions at a time; the id of a lane's request is {which, lane}.
  logic [1:0]                 atom_used_q, atom_sent_q;
  logic                       atom_q, atom_began_q;           // whose lanes are being sent, if it has begun to
  logic [EntryW-1:0]          atom_entry_q [2];
  logic [5:0]                 atom_left_q [2];

  logic [1:0]                 first_sector;                   // of the line, that the pass reaches
  assign first_sector = PassSectors == 4 ? 2'd0 : pass_i.sector;

  logic                       fill_first_q;                   // the part has not been used yet
  lsu_pkg::op_t               op_q [Entries];                 // of instructions in flight

  // What an operation is about, and what it finds.
  typedef struct packed {
    logic                   atomic;   // fill
    logic [5:0]             id;       // of the atomic
    lsu_pkg::part_t         part;     // of the fill
    lsu_pkg::line_t         line;
    logic [Ways-1:0]        ways;     // that hold the line
    logic [Ways-1:0][3:0]   sectors;  // present in each way
    logic [Mshrs-1:0]       joins;    // MSHRs that a load of the line joins
    logic [Places-1:0]      waiting;  // for the fill
    lsu_pkg::place_t        waiter;   // the first of them
    logic                   last;     // and the only one, if there is any
  } look_t;

  function automatic logic [Ways-1:0] match(input lsu_pkg::line_t l);
    logic [Ways-1:0] hit;
    for (int unsigned way = 0; way < Ways; way++)
      hit[way] = valid_q[LineW'({l[7+:SetW], WayW'(way)})] &&
                 tag_q[LineW'({l[7+:SetW], WayW'(way)})] == l[gpu_pkg::AddrW-1:7+SetW];
    return hit;
  endfunction

  // Sectors of a line that is there, in the one way.
  function automatic logic [3:0] present(input logic [LineW-1:0] place, input look_t look);
    logic [3:0] sectors;
    sectors = '0;
    for (int unsigned way = 0; way < Ways; way++) sectors |= look.ways[way] ? look.sectors[way] : 4'd0;
    return Looks ? sectors : sectors_q[place];
  endfunction

  function automatic logic [Mshrs-1:0] match_mshr(input lsu_pkg::line_t l);
    logic [Mshrs-1:0] hit;
    for (int unsigned m = 0; m < Mshrs; m++) hit[m] = line_q[m] == l;
    return hit & open_q;
  endfunction

  function automatic logic [MshrW-1:0] first_mshr(input logic [Mshrs-1:0] mshrs);
    return Mshrs > 64 ? MshrW'(prim_pkg::first256(256'(mshrs))) : MshrW'(prim_pkg::first64(64'(mshrs)));
  endfunction

  // ---- what goes ---------------------------------------------------------------------------------
  // Who acts, if the data stage takes it (`go`).
  logic act_invalidate, act_fill, go_invalidate, go_fill, go_pass, is_load, is_atomic, answered, blocked;
  logic atom_ends;  // behind lanes of an atomic others of it went to shared memory: it ends without a lane
  assign is_load = pass_i.lanes != '0 &&
                   (pass_i.op.cls == lsu_pkg::ClassLoad || pass_i.op.cls == lsu_pkg::ClassPrefetch);
  assign is_atomic = pass_i.op.cls == lsu_pkg::ClassAtomic && pass_i.lanes != '0;
  assign answered = is_atomic && !pass_i.op.reduces;
  assign atom_ends = pass_i.op.cls == lsu_pkg::ClassAtomic && !pass_i.op.reduces && pass_i.lanes == '0 && atom_began_q;
  assign blocked = hold_i || !room_i || (is_load && full_q) || (answered && !atom_began_q && atom_used_q == 2'b11);
  assign go_invalidate = act_invalidate && data_ready_i;
  assign go_fill = act_fill && data_ready_i;
  assign go_pass = pass_valid_i && pass_ready_o;

  // Parts of which all sectors in flight have come, in that order. A load that asks for more of one makes it wait again.
  logic               fill_atomic, last_use;
  lsu_pkg::part_t     arrive_part, head;
  logic [MshrW-1:0]   arrive_mshr;
  logic [Parts-1:0]   queued_q;
  logic               whole_now, push, pop, head_there, head_whole, fill_there;
  logic [1:0]         head_sector;
  logic [3:0]         head_mask;
  logic [MshrW-1:0]   head_mshr;
  assign arrive_part = lsu_pkg::part_of(arrive_id_i);
  assign arrive_mshr = arrive_id_i[MshrW+1:2];
  assign whole_now = ((flying_q[arrive_mshr] & ~arrived_q[arrive_mshr] & ~(4'd1 << arrive_id_i[1:0])) &
                      lsu_pkg::part_mask(arrive_id_i[1:0])) == '0;
  assign push = arrive_valid_i && whole_now && !(queued_q[arrive_part] && !(pop && head == arrive_part));
  assign {head_mshr, head_sector} = lsu_pkg::first_of(head);
  assign head_mask = lsu_pkg::part_mask(head_sector);
  assign head_whole = (flying_q[head_mshr] & ~arrived_q[head_mshr] & head_mask) == '0;
  assign pop = head_there && (!head_whole || (go_fill && !fill_atomic && last_use));
  logic push_room;
  logic [$clog2(Parts+1)-1:0] unused_count;
  fifo #(.T(lsu_pkg::part_t), .Depth(Parts)) u_whole (
    .clk_i      (clk_i),
    .rst_ni     (rst_ni),
    .wr_valid_i (push),
    .wr_ready_o (push_room),
    .wr_data_i  (arrive_part),
    .rd_valid_o (head_there),
    .rd_ready_i (pop),
    .rd_data_o  (head),
    .count_o    (unused_count)
  );
  assign fill_there = atomic_valid_i || (head_there && head_whole);

  look_t          look_q;
  lsu_pkg::line_t line_now;  // of what comes next
  assign line_now = fill_there ? line_q[head_mshr] : pass_i.line;

  logic [5:0]         atomic_id;
  lsu_pkg::part_t     fill_part;
  lsu_pkg::line_t     line;
  logic [Places-1:0]  waiting;
  sm_pkg::lanes_t     looked_lanes;  // of the waiter
  assign fill_atomic = Looks ? look_q.atomic : atomic_valid_i;
  assign atomic_id = Looks ? look_q.id : atomic_id_i;
  assign fill_part = Looks ? look_q.part : head;
  assign line = Looks ? look_q.line : line_now;
  assign waiting = Looks ? look_q.waiting : waiting_q[fill_part];
  assign last_use = Looks ? look_q.last : (waiting & (waiting - 1'b1)) == '0;
  assign fill_o = go_fill;
  assign fill_atomic_o = fill_atomic;
  assign fill_part_o = fill_part;

  if (Looks) begin : g_looks
    // What has looked acts as soon as the data stage takes it.
    logic idle, look, looked_fill_q, looked_pass_q;
    assign idle = !looked_fill_q && !looked_pass_q;
    assign look = idle && !invalidate_valid_i && (fill_there || (pass_valid_i && !blocked));
    assign invalidate_ready_o = data_ready_i && idle;
    assign act_invalidate = invalidate_valid_i && idle;
    assign act_fill = looked_fill_q;
    assign pass_ready_o = data_ready_i && looked_pass_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        looked_fill_q <= 1'b0;
        looked_pass_q <= 1'b0;
      end else begin
        looked_fill_q <= (look && fill_there) || (looked_fill_q && !(go_fill && (fill_atomic || last_use)));
        looked_pass_q <= (look && !fill_there) || (looked_pass_q && !go_pass);
      end
    end
    // Who is served next.
    logic [Places-1:0] next;
    lsu_pkg::place_t   next_waiter;
    assign next = looked_fill_q ? waiting & (waiting - 1'b1) : waiting_q[head];
    assign next_waiter = PlaceW'(prim_pkg::first64(64'(next)));
    always_ff @(posedge clk_i) begin
      if (look) begin
        look_q.atomic <= atomic_valid_i;
        look_q.id <= atomic_id_i;
        look_q.part <= head;
        look_q.line <= line_now;
        look_q.ways <= match(line_now);
        for (int unsigned way = 0; way < Ways; way++) look_q.sectors[way] <= sectors_q[{line_now[7+:SetW], WayW'(way)}];
        look_q.joins <= match_mshr(line_now);
      end
      if (look || go_fill) begin
        look_q.waiting <= next;
        look_q.waiter <= next_waiter;
        look_q.last <= (next & (next - 1'b1)) == '0;
        looked_lanes <= lanes_q[{looked_fill_q ? fill_part : head, next_waiter}];
      end
    end
  end else begin : g_at_once
    assign look_q = '0;
    assign looked_lanes = '0;
    assign invalidate_ready_o = data_ready_i;
    assign act_invalidate = invalidate_valid_i;
    assign act_fill = !invalidate_valid_i && fill_there;
    assign pass_ready_o = data_ready_i && !invalidate_valid_i && !fill_there && !blocked;
  end
  assign busy_o = used_q != '0 || atom_used_q != '0;

  always_ff @(posedge clk_i) begin : act
    automatic logic [Mshrs-1:0][3:0] arrived = arrived_q;
    if (arrive_valid_i) arrived[arrive_mshr][arrive_id_i[1:0]] = 1'b1;
    if (go_invalidate || go_fill || go_pass) begin : operate
      automatic logic [SetW-1:0] set = line[7+:SetW];
      automatic logic [Ways-1:0] ways = '0;
      automatic logic            hit;
      automatic logic [LineW-1:0] place;
      automatic logic [3:0]      need;
      automatic logic [3:0]      miss;
      automatic logic [3:0]      asked;  // of them, in flight
      automatic logic [3:0]      send = '0;
      automatic logic [Mshrs-1:0] joins = '0;
      automatic logic [MshrW-1:0] m = '0;
      automatic logic [EntryW-1:0] entry = pass_i.op.entry;
      automatic sm_pkg::slice_t  slice = pass_i.slice;
      automatic lsu_pkg::place_t waiter = lsu_pkg::place_of(pass_i.op.entry, pass_i.slice);
      automatic sm_pkg::lanes_t  lanes = pass_i.lanes;
      automatic logic [1:0]      sector;
      automatic lsu_pkg::part_t  part;
      automatic logic [Mshrs-1:0] used = used_q;
      automatic logic [Mshrs-1:0] opened = open_q;
      automatic logic            line_op;
      automatic logic [3:0]      came = '0;
      automatic sm_pkg::lanes_t  missed = '0;

      line_op = act_fill ? !fill_atomic : !act_invalidate && pass_i.lanes != '0;
      if (line_op) ways = Looks ? look_q.ways : match(line);
      hit = ways != '0;
      place = {set, WayW'(prim_pkg::first32(32'(ways)))};

      data_o.kind <= lsu_pkg::DataNone;
      data_o.last <= 1'b0;
      data_o.send <= '0;
      data_o.evict <= 1'b0;
      data_o.install <= 1'b0;
      data_o.invalidate_all <= 1'b0;
      data_o.line <= line;
      data_o.sector <= first_sector;
      data_o.evict_line <= line;

      if (act_invalidate) begin
        valid_q <= '0;
        opened = '0;
        lanes = '0;
        data_o.invalidate_all <= 1'b1;
      end else if (act_fill) begin
        data_o.kind <= lsu_pkg::DataFill;
        data_o.atomic <= fill_atomic;
        data_o.atomic_bank <= atomic_id[5];
        data_o.fill_event <= fill_first_q && !fill_atomic;
        {m, sector} = lsu_pkg::first_of(fill_part);
        data_o.sector <= sector;
        came = flying_q[m] & lsu_pkg::part_mask(sector);
        data_o.update <= came;
        if (fill_atomic) begin
          lanes = sm_pkg::lanes_t'(1) << atomic_id[LaneW-1:0];
          slice = sm_pkg::slice_t'(atomic_id[4:0] >> LaneW);
          entry = atom_entry_q[atomic_id[5]];
          atom_left_q[atomic_id[5]] <= atom_left_q[atomic_id[5]] - 6'd1;
          if (atom_left_q[atomic_id[5]] == 6'd1 && atom_sent_q[atomic_id[5]]) atom_used_q[atomic_id[5]] <= 1'b0;
        end else begin
          waiter = Looks ? look_q.waiter : PlaceW'(prim_pkg::first64(64'(waiting)));
          entry = waiter[PlaceW-1-:EntryW];
          slice = sm_pkg::RowSlices == 1 ? '0 : sm_pkg::slice_t'(waiter);
          lanes = waiting == '0 ? '0 : Looks ? looked_lanes : lanes_q[{fill_part, waiter}];
          if (!Looks) waiting_q[fill_part] <= waiting & (waiting - 1'b1);
          data_o.install <= fill_first_q && hit && opened[m];
          if (fill_first_q && hit && opened[m]) sectors_q[place] <= present(place, look_q) | came;
          fill_first_q <= last_use;
          if (last_use) begin
            flying_q[m] <= flying_q[m] & ~came;
            arrived[m] &= ~came;
            if (flying_q[m] == came) begin
              used[m] = 1'b0;
              opened[m] = 1'b0;
            end
          end
        end
      end else begin
        data_o.last <= pass_i.last;
        if (atom_ends) begin
          atom_sent_q[atom_q] <= 1'b1;
          if (atom_left_q[atom_q] == '0) atom_used_q[atom_q] <= 1'b0;
        end else if (line_op) begin
          need = '0;
          for (int unsigned s = 0; s < PassSectors; s++)
            need[first_sector | 2'(s)] = pass_i.sector_lanes[s] != '0;
          joins = Looks ? look_q.joins : match_mshr(line);
          m = first_mshr(joins);
          case (pass_i.op.cls)
            lsu_pkg::ClassLoad, lsu_pkg::ClassPrefetch: begin
              data_o.kind <= lsu_pkg::DataLoad;
              miss = need;
              if (hit && !pass_i.op.bypass) miss = need & ~present(place, look_q);
              if (pass_i.op.bypass) begin
                // Later loads must not see less than this one: old copies go.
                opened &= ~joins;
                joins = '0;
                if (hit) valid_q[place] <= 1'b0;
                data_o.evict <= hit;
              end
              lanes = '0;
              if (pass_i.op.cls == lsu_pkg::ClassLoad) begin
                for (int unsigned s = 0; s < PassSectors; s++)
                  if (!miss[first_sector | 2'(s)]) lanes |= pass_i.sector_lanes[s];
              end
              trace_read_o.sectors <= need;
              trace_read_o.found <= need & ~miss;
              if (miss != '0) begin
                asked = '0;
                if (joins == '0) begin
                  m = first_mshr(~used);
                  line_q[m] <= line;
                  used[m] = 1'b1;
                  opened[m] = !pass_i.op.bypass;
                end else asked = flying_q[m];
                send = miss & ~asked;
                flying_q[m] <= asked | miss;
                if (!hit && !pass_i.op.bypass) begin
                  place = {set, oldest_q[set]};
                  oldest_q[set] <= oldest_q[set] + 1'b1;
                  data_o.evict <= valid_q[place];
                  data_o.evict_line <= {tag_q[place], set};
                  valid_q[place] <= 1'b1;
                  tag_q[place] <= line[gpu_pkg::AddrW-1:7+SetW];
                  sectors_q[place] <= '0;
                end
                // A place waits once for a part. Who waited for one that has been served is forgotten here.
                for (int unsigned s = 0; s < PassSectors; s++)
                  if (miss[first_sector | 2'(s)]) missed |= pass_i.sector_lanes[s];
                part = lsu_pkg::part_of({m, first_sector});
                waiting_q[part] <= ((asked & lsu_pkg::part_mask(first_sector)) != '0 ? waiting_q[part] : '0) |
                                   (Places'(pass_i.op.cls == lsu_pkg::ClassLoad) << waiter);
                lanes_q[{part, waiter}] <= missed;
              end
            end
            lsu_pkg::ClassStore: begin
              data_o.kind <= lsu_pkg::DataStore;
              opened &= ~joins;
              send = need;
              data_o.update <= hit ? present(place, look_q) : '0;
            end
            default: begin  // atomics, CCTL: the line goes
              opened &= ~joins;
              if (hit) valid_q[place] <= 1'b0;
              data_o.evict <= hit;
              lanes = '0;
              if (is_atomic) begin
                data_o.kind <= lsu_pkg::DataAtomic;
                send = need;
                data_o.atomic_bank <= atom_began_q ? atom_q : atom_used_q[0];
              end
              if (answered) begin
                if (!atom_began_q) begin
                  atom_q <= atom_used_q[0];
                  atom_used_q[atom_used_q[0]] <= 1'b1;
                  atom_sent_q[atom_used_q[0]] <= pass_i.last;
                  atom_entry_q[atom_used_q[0]] <= entry;
                  atom_left_q[atom_used_q[0]] <= 6'd1;
                end else begin
                  atom_sent_q[atom_q] <= pass_i.last;
                  atom_left_q[atom_q] <= atom_left_q[atom_q] + 6'd1;
                end
              end
            end
          endcase
        end else if (pass_i.op.invalidate && !pass_i.op.waits) begin  // CCTL; a MEMBAR empties the cache when it has waited
          valid_q <= '0;
          opened = '0;
          data_o.invalidate_all <= 1'b1;
        end
      end
      if (!act_invalidate && !act_fill) begin
        if (line_op) op_q[entry] <= pass_i.op;
        if (answered || atom_ends) atom_began_q <= !pass_i.last;
      end
      data_o.op <= act_fill ? op_q[entry] : pass_i.op;
      data_o.send <= send;
      data_o.lanes <= lanes;
      data_o.slice <= slice;
      data_o.place <= place;
      data_o.mshr <= m;
      used_q <= used;
      open_q <= opened;
      full_q <= &used;
    end
    arrived_q <= arrived;
    if (push) queued_q[arrive_part] <= 1'b1;
    if (pop && !(push && head == arrive_part)) queued_q[head] <= 1'b0;
    trace_read_o.valid <= go_pass && is_load && rst_ni;
    data_valid_o <= go_invalidate || go_fill || go_pass || (data_valid_o && !data_ready_i);
    if (!rst_ni) begin
      data_valid_o <= 1'b0;
      valid_q <= '0;
      used_q <= '0;
      open_q <= '0;
      arrived_q <= '0;
      queued_q <= '0;
      full_q <= 1'b0;
      atom_used_q <= '0;
      atom_began_q <= 1'b0;
      fill_first_q <= 1'b1;
      for (int unsigned i = 0; i < lsu_pkg::Sets; i++) oldest_q[i] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // An answer nobody asked for would free an MSHR twice.
      a_arrive: assert (!arrive_valid_i || (flying_q[arrive_mshr] & ~arrived_q[arrive_mshr] & (4'd1 << arrive_id_i[1:0])) != '0)
        else $error("l1_control: a sector that is not in flight");
      a_whole: assert (!push || push_room) else $error("l1_control: more parts than there are");
      a_device: assert (!pass_valid_i || !pass_i.shared) else $error("l1_control: a pass of shared memory");
      a_open: assert ((open_q & ~used_q) == '0) else $error("l1_control: open MSHR that is not used");
    end
  end

endmodule
