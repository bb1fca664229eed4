// SPDX-License-Identifier: Apache-2.0
// Control of the L1 data cache, in the pipe of device memory: what comes next, and what it does to the tags (l1_tags), to the MSHRs
// (l1_mshrs) and in the data stage. One operation a cycle: empty the cache, answers of L2 (a fill, once for each
// instruction that waits for it), or a pass. A load's pass with lanes of several lines takes the first of them that is left, and
// with it all that are there as a whole: another operation for each line that is not.
//
//   load miss of line 5:  MSHR 2 opens, sectors {0,1} go to L2 as reads {2,0}, {2,1}; lanes are noted
//   load of line 5 again: lanes join MSHR 2; sectors not yet asked for are added
//   load of lines 5 to 8, of which 6 and 7 are there: 5 joins MSHR 2, lanes of 6 and 7 are served; then 8 opens another
//   {2,1}, {2,0} came:    a fill of both, for all lanes of an instruction that wait for either
//   store to line 5:      MSHR 2 closes: what is still in flight is older than the store, so it serves
//                         those who wait but is not installed, and later loads ask again
//
// Lines of 128 bytes with a valid bit for each sector. Write-through, no allocation by stores, update on
// a hit. Allocation when a load misses; the fill is installed if its line is still there and its MSHR
// open. Loads that bypass, atomics and CCTL throw the line out.
// Operations never see each other half done: each reads, compares and changes tags in one cycle, or, where rows move
// in slices, first looks (which ways, which MSHR, who waits) and acts in the next cycle, before any other looks.
module l1_control #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  output logic                        busy_o,

  input  logic                        invalidate_valid_i,  // empty the cache (kernel start, acquire)
  output logic                        invalidate_ready_o,

  input  logic [Links-1:0]            arrive_valid_i,      // a sector that was read comes
  input  lsu_pkg::fill_id_t [Links-1:0] arrive_id_i,
  input  logic                        atomic_valid_i,      // an atomic's old value waits
  input  lsu_pkg::atomic_id_t         atomic_id_i,         // {which of those under way, lane}
  input  logic                        atomic_direct_i,     // it goes to the gather stage from where it waits
  input  logic                        atomic_take_i,       // now
  output lsu_pkg::gather_t            atomic_gather_o,     // as this
  output logic                        fill_o,              // one of these goes to the data stage; of atomics that go there
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

  localparam int unsigned EntryW = lsu_pkg::EntryW;
  localparam int unsigned LaneW = lsu_pkg::LaneW;
  localparam int unsigned PassSectors = lsu_pkg::PassSectors;
  localparam int unsigned PassLines = lsu_pkg::PassLines;
  localparam bit          Looks = sm_pkg::RowSlices > 1;      // in a cycle of its own

  // ---- who acts -------------------------------------------------------------------------------------
  // An operation acts, and goes if the data stage takes it.
  logic act_invalidate, act_fill, act_pass, go_invalidate, go_fill, go_pass;
  logic [lsu_pkg::PassLineW-1:0]  now;                         // of the lines of the pass that are left the first
  lsu_pkg::lines_t                others, along;               // the others; of them those that go with it
  logic                           final_line;
  logic look, fill_there, atomic_there, blocked, pass_go;
  logic whole, no_mshr, mshrs_busy;                            // no_mshr: for a load of the pass's line
  logic [Links-1:0] mshrs_full;
  logic fill_atomic, fill_last;                                // what fills; the last that the fill serves
  logic has_lanes, is_load, is_atomic, answered;               // the pass; an atomic whose lanes wait for its values
  logic atom_ends;  // behind lanes of an atomic others of it went to shared memory: it ends without a lane

  // Atomics with a reader: so many instructions at a time; the id of a request is {which, its lowest lane}.
  logic [lsu_pkg::Atomics-1:0] atom_used_q, atom_sent_q;
  lsu_pkg::atomic_t           atom_q, atom, fill_atom;         // that was sent last; that is sent; that is answered
  logic                       atom_began_q;                    // lanes of atom_q have gone, others come
  logic [EntryW-1:0]          atom_entry_q [lsu_pkg::Atomics];
  logic [5:0]                 atom_left_q [lsu_pkg::Atomics];
  sm_pkg::lanes_t             atom_lanes_q [32*lsu_pkg::Atomics];  // by id, where a request is of several
  assign atom = atom_began_q ? atom_q : lsu_pkg::atomic_t'(prim_pkg::first64(64'({~atom_used_q})));

  assign has_lanes = pass_i.lanes != '0;
  assign is_load = has_lanes && (pass_i.op.cls == lsu_pkg::ClassLoad || pass_i.op.cls == lsu_pkg::ClassPrefetch);
  assign is_atomic = has_lanes && pass_i.op.cls == lsu_pkg::ClassAtomic;
  assign answered = is_atomic && !pass_i.op.reduces;
  assign atom_ends = pass_i.op.cls == lsu_pkg::ClassAtomic && !pass_i.op.reduces && !has_lanes && atom_began_q;
  assign no_mshr = is_load && mshrs_full != '0 && mshrs_full[l2_pkg::link_of(l2_pkg::line_t'(pass_i.line[now]))];
  assign blocked = hold_i || !room_i || no_mshr || (answered && !atom_began_q && (&atom_used_q));
  assign atomic_there = atomic_valid_i && !atomic_direct_i;
  assign fill_there = atomic_there || whole;
  assign go_invalidate = act_invalidate && data_ready_i;
  assign go_fill = act_fill && data_ready_i;
  assign go_pass = act_pass && data_ready_i;
  assign pass_ready_o = pass_go && final_line;
  assign busy_o = mshrs_busy || atom_used_q != '0;

  lsu_pkg::line_t  part_line, line_now, line;                 // of what comes next; of what acts
  lsu_pkg::part_t  part;
  lsu_pkg::atomic_id_t atomic_id;
  assign fill_atom = atomic_id[lsu_pkg::AtomicW+4:5];
  assign line_now = fill_there ? part_line : pass_i.line[now];
  assign fill_o = go_fill;
  assign fill_atomic_o = fill_atomic;
  assign fill_part_o = part;

  if (Looks) begin : g_looks
    // What has looked acts as soon as the data stage takes it.
    logic           idle, looked_fill_q, looked_pass_q, atomic_q;
    lsu_pkg::atomic_id_t id_q;
    lsu_pkg::line_t line_q;
    assign idle = !looked_fill_q && !looked_pass_q;
    assign look = idle && !invalidate_valid_i && (fill_there || (pass_valid_i && !blocked));
    assign invalidate_ready_o = data_ready_i && idle;
    assign act_invalidate = invalidate_valid_i && idle;
    assign act_fill = looked_fill_q;
    assign act_pass = looked_pass_q;
    assign pass_go = data_ready_i && looked_pass_q;
    assign fill_atomic = atomic_q;
    assign atomic_id = id_q;
    assign line = line_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        looked_fill_q <= 1'b0;
        looked_pass_q <= 1'b0;
      end else begin
        looked_fill_q <= (look && fill_there) || (looked_fill_q && !(go_fill && (fill_atomic || fill_last)));
        looked_pass_q <= (look && !fill_there) || (looked_pass_q && !go_pass);
      end
    end
    always_ff @(posedge clk_i) begin
      if (look) begin
        atomic_q <= atomic_there;
        id_q <= atomic_id_i;
        line_q <= line_now;
      end
    end
  end else begin : g_at_once
    assign look = act_fill ? !fill_atomic : act_pass && has_lanes;
    assign invalidate_ready_o = data_ready_i;
    assign act_invalidate = invalidate_valid_i;
    assign act_fill = !invalidate_valid_i && fill_there;
    assign act_pass = pass_valid_i && !invalidate_valid_i && !fill_there && !blocked;
    assign pass_go = data_ready_i && !invalidate_valid_i && !fill_there && !blocked;
    assign fill_atomic = atomic_there;
    assign atomic_id = atomic_id_i;
    assign line = line_now;
    logic unused;                                              // what fills is looked at anew in each cycle
    assign unused = fill_last;
  end

  // ---- lines of a pass ----------------------------------------------------------------------------------
  if (PassLines > 1) begin : g_lines
    lsu_pkg::lines_t lines, left_q;                            // left_q: none, where a pass begins
    always_comb begin
      for (int unsigned n = 0; n < PassLines; n++) lines[n] = pass_i.line_lanes[n] != '0;
      if (left_q != '0) lines = left_q;
      now = '0;
      for (int unsigned n = PassLines; n > 0; n--) if (lines[n-1]) now = lsu_pkg::PassLineW'(n - 1);
    end
    assign others = lines & (lines - 1'b1);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) left_q <= '0;
      else if (go_pass) left_q <= others & ~along;
    end
  end else begin : g_line
    assign now = '0;
    assign others = '0;
  end
  assign final_line = (others & ~along) == '0;

  // ---- what it does to tags and MSHRs -----------------------------------------------------------------
  logic                       hit, drop, install, allocate, empty, close, ask, evict, fill_first, fill_open;
  logic [3:0]                 present, came, need, miss, send;
  logic [PassLines-1:0][3:0]  other_need, other_present;
  logic [PassLines-1:0][lsu_pkg::LineW-1:0] other_place;
  sm_pkg::lanes_t             found_lanes, missed_lanes, along_lanes, fill_lanes;
  logic [1:0]                 first_sector;                    // of the line, that the pass reaches
  logic [lsu_pkg::LineW-1:0]  place;
  lsu_pkg::line_t             evict_line;
  lsu_pkg::place_t            fill_place;
  logic [lsu_pkg::MshrW-1:0]  ask_mshr;
  assign first_sector = PassSectors == 4 ? 2'd0 : pass_i.sector;

  // Sectors that the pass has lanes in; of a load those that are not there, and its lanes by that.
  sm_pkg::lanes_t [PassSectors-1:0] line_lanes;
  always_comb begin
    line_lanes = pass_i.sector_lanes;
    if (PassLines > 1 && is_load) for (int unsigned s = 0; s < PassSectors; s++) line_lanes[s] &= pass_i.line_lanes[now];
    need = '0;
    miss = '0;
    found_lanes = '0;
    missed_lanes = '0;
    if (act_pass) begin
      for (int unsigned s = 0; s < PassSectors; s++) need[first_sector | 2'(s)] = line_lanes[s] != '0;
      if (is_load) begin
        miss = hit && !pass_i.op.bypass ? need & ~present : need;
        for (int unsigned s = 0; s < PassSectors; s++) begin
          if (miss[first_sector | 2'(s)]) missed_lanes |= line_lanes[s];
          else found_lanes |= line_lanes[s];
        end
      end
    end
  end

  // Other lines of the pass that are there go along, but the one that the first drives out.
  always_comb begin
    along = '0;
    along_lanes = '0;
    other_need = '0;
    if (PassLines > 1 && act_pass && is_load) begin
      for (int unsigned n = 1; n < PassLines; n++) begin
        if (others[n]) begin
          for (int unsigned s = 0; s < PassSectors; s++)
            other_need[n][2'(s)] = (pass_i.sector_lanes[s] & pass_i.line_lanes[n]) != '0;
          along[n] = (other_need[n] & ~other_present[n]) == '0 && !(allocate && other_place[n] == place);
          if (along[n]) along_lanes |= pass_i.line_lanes[n];
        end
      end
    end
  end

  // Loads that bypass: later loads must not see less than they do, so old copies go. Stores change what is there. Atomics, CCTL: the
  // line goes.
  assign ask = go_pass && miss != '0;
  assign close = go_pass && has_lanes && !(is_load && !pass_i.op.bypass);
  assign drop = close && hit && pass_i.op.cls != lsu_pkg::ClassStore;
  assign allocate = ask && !hit && !pass_i.op.bypass;
  assign install = go_fill && !fill_atomic && fill_first && hit && fill_open;
  // CCTL; a MEMBAR empties the cache when it has waited.
  assign empty = go_invalidate ||
                 (go_pass && !has_lanes && !atom_ends && pass_i.op.invalidate && !pass_i.op.waits);

  l1_tags u_tags (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .look_i            (look),
    .look_line_i       (line_now),
    .hit_o             (hit),
    .present_o         (present),
    .others_i          (act_pass ? others : '0),
    .other_line_i      (pass_i.line),
    .other_present_o   (other_present),
    .other_place_o     (other_place),
    .line_i            (line),
    .empty_i           (empty),
    .drop_i            (drop),
    .install_i         (install),
    .install_sectors_i (came),
    .allocate_i        (allocate),
    .place_o           (place),
    .evict_o           (evict),
    .evict_line_o      (evict_line)
  );

  l1_mshrs u_mshrs (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (mshrs_busy),
    .full_o         (mshrs_full),
    .arrive_valid_i (arrive_valid_i),
    .arrive_id_i    (arrive_id_i),
    .whole_o        (whole),
    .part_o         (part),
    .part_line_o    (part_line),
    .part_sectors_o (came),
    .part_open_o    (fill_open),
    .look_i         (look),
    .look_line_i    (line_now),
    .serving_i      (act_fill && !fill_atomic),
    .serve_i        (go_fill && !fill_atomic),
    .serve_first_o  (fill_first),
    .serve_last_o   (fill_last),
    .serve_place_o  (fill_place),
    .serve_lanes_o  (fill_lanes),
    .line_i         (line),
    .close_i        (close),
    .close_all_i    (empty),
    .ask_i          (ask),
    .ask_alone_i    (pass_i.op.bypass),
    .ask_part_i     (first_sector),
    .ask_sectors_i  (miss),
    .ask_waits_i    (pass_i.op.cls == lsu_pkg::ClassLoad),
    .ask_place_i    (lsu_pkg::place_of(pass_i.op.entry, pass_i.slice)),
    .ask_lanes_i    (missed_lanes),
    .ask_send_o     (send),
    .ask_mshr_o     (ask_mshr)
  );

  // ---- what the data stage does -----------------------------------------------------------------------
  lsu_pkg::op_t               op_q [lsu_pkg::Entries];         // of instructions in flight
  logic [EntryW-1:0]          fill_entry;
  assign fill_entry = fill_atomic ? atom_entry_q[fill_atom] : fill_place[lsu_pkg::PlaceW-1-:EntryW];

  always_ff @(posedge clk_i) begin : operate
    if (go_invalidate || go_fill || go_pass) begin
      data_o.kind <= lsu_pkg::DataNone;
      data_o.op <= act_fill ? op_q[fill_entry] : pass_i.op;
      data_o.last <= 1'b0;
      data_o.slice <= pass_i.slice;
      data_o.lanes <= '0;
      data_o.send <= '0;
      for (int unsigned n = 0; n < PassLines; n++)
        data_o.place[n] <= (act_pass ? 32'(now) : 0) == n ? place : other_place[n];
      data_o.bank_line <= pass_i.bank_line;
      data_o.mshr <= ask_mshr;
      data_o.line <= line;
      data_o.sector <= first_sector;
      data_o.install <= install;
      data_o.invalidate_all <= empty;
      if (act_fill) begin
        data_o.kind <= lsu_pkg::DataFill;
        data_o.atomic <= fill_atomic;
        data_o.which <= fill_atom;
        data_o.fill_event <= fill_first && !fill_atomic;
        {data_o.mshr, data_o.sector} <= lsu_pkg::first_of(part);
        data_o.update <= came;
        if (fill_atomic) begin
          data_o.lanes <= lsu_pkg::SectorAtomics ? atom_lanes_q[atomic_id] : sm_pkg::lanes_t'(1) << atomic_id[LaneW-1:0];
          data_o.slice <= sm_pkg::slice_t'(atomic_id[4:0] >> LaneW);
        end else begin
          data_o.lanes <= fill_lanes;
          data_o.slice <= sm_pkg::RowSlices == 1 ? '0 : sm_pkg::slice_t'(fill_place);
        end
      end else if (!act_invalidate) begin
        data_o.last <= pass_i.last && final_line;
        if (has_lanes) begin
          op_q[pass_i.op.entry] <= pass_i.op;
          case (pass_i.op.cls)
            lsu_pkg::ClassLoad, lsu_pkg::ClassPrefetch: begin
              data_o.kind <= lsu_pkg::DataLoad;
              data_o.send <= send;
              if (pass_i.op.cls == lsu_pkg::ClassLoad) data_o.lanes <= found_lanes | along_lanes;
              trace_read_o.sectors <= '0;
              trace_read_o.found <= '0;
              for (int unsigned n = 1; n < PassLines; n++) begin
                if (along[n]) begin
                  trace_read_o.sectors[n] <= other_need[n];
                  trace_read_o.found[n] <= other_need[n];
                end
              end
              trace_read_o.sectors[now] <= need;
              trace_read_o.found[now] <= need & ~miss;
            end
            lsu_pkg::ClassStore: begin
              data_o.kind <= lsu_pkg::DataStore;
              data_o.send <= need;
              data_o.lanes <= pass_i.lanes;
              data_o.update <= hit ? present : '0;
            end
            lsu_pkg::ClassAtomic: begin
              data_o.kind <= lsu_pkg::DataAtomic;
              data_o.send <= need;
              data_o.which <= atom;
            end
            default: ;  // CCTL of a line
          endcase
        end
      end
    end
    trace_read_o.valid <= go_pass && is_load && rst_ni;
    data_valid_o <= go_invalidate || go_fill || go_pass || (data_valid_o && !data_ready_i);
    if (!rst_ni) data_valid_o <= 1'b0;
  end

  // For the trace, and by itself: where there is none, the tags are not read for it.
  always_ff @(posedge clk_i) begin : evicted
    if (go_invalidate || go_fill || go_pass) begin
      data_o.evict <= drop || evict;
      data_o.evict_line <= evict_line;
    end
  end

  // Of an atomic one request goes and one is answered in a cycle, perhaps.
  logic       comes, comes_too;  // an answer; to the atomic whose pass goes
  logic [5:0] left;              // answers that it still waits for
  assign comes = (go_fill && fill_atomic) || atomic_take_i;
  assign comes_too = comes && fill_atom == (answered ? atom : atom_q);
  assign left = atom_left_q[answered ? atom : atom_q] - 6'(comes_too);
  always_comb begin
    atomic_gather_o = '0;
    if (lsu_pkg::SectorAtomics && atomic_valid_i && atomic_direct_i)
      atomic_gather_o = '{entry: atom_entry_q[fill_atom], slice: '0, size: op_q[atom_entry_q[fill_atom]].size, matrix: '0,
                          lanes: atom_lanes_q[atomic_id], at_zero: 1'b0, piece: '0, last: 1'b1};
  end

  always_ff @(posedge clk_i) begin : atomics
    if (comes) begin
      atom_left_q[fill_atom] <= atom_left_q[fill_atom] - 6'd1;
      if (atom_left_q[fill_atom] == 6'd1 && atom_sent_q[fill_atom]) atom_used_q[fill_atom] <= 1'b0;
    end
    if (go_pass && atom_ends) begin
      atom_sent_q[atom_q] <= 1'b1;
      if (left == '0) atom_used_q[atom_q] <= 1'b0;
    end
    if (lsu_pkg::SectorAtomics && go_pass && answered) atom_lanes_q[{atom, 5'(prim_pkg::first32(32'(pass_i.lanes)))}] <= pass_i.lanes;
    if (go_pass && answered) begin
      atom_q <= atom;
      atom_used_q[atom] <= 1'b1;
      atom_sent_q[atom] <= pass_i.last;
      atom_entry_q[atom] <= pass_i.op.entry;
      atom_left_q[atom] <= atom_began_q ? left + 6'd1 : 6'd1;
    end
    if (go_pass && (answered || atom_ends)) atom_began_q <= !pass_i.last;
    if (!rst_ni) begin
      atom_used_q <= '0;
      atom_began_q <= 1'b0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_device: assert (!pass_valid_i || !pass_i.shared) else $error("l1_control: a pass of shared memory");
    end
  end

endmodule
