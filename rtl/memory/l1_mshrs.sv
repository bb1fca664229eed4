// SPDX-License-Identifier: Apache-2.0
// MSHRs of the L1: lines with sectors in flight, and who waits for them with which lanes.
//
//   load asks for line 5, sectors {0,1}   MSHR 2 opens, both go to L2; the load's lanes are noted
//   another for line 5, sectors {1,2}     joins MSHR 2: sector 2 goes to L2, too
//   sectors 1, 0, 2 of MSHR 2 arrive      now the part is whole: it queues for its turn
//   its turn                              each that waits is served, and with the last of them MSHR 2 is free
//   store to line 5 before that           closes MSHR 2: those who wait are served, but nothing is installed, and later
//                                         loads ask again
//
// Answers come on Links links, to each line on that of its slice (l2_pkg::link_of): an MSHR is chosen among those whose number
// is the link's modulo Links. So sectors that come together are of different MSHRs, and each link has a queue of its parts; the
// queues have turns.
// A part of a line is what a pass reaches; its turn comes when all of its sectors that are in flight have come. A load
// that asks for more before that makes it wait again. An MSHR is used as long as sectors of it are in flight, those included that
// came and are not served yet; of a line one at most is open.
// l1_control looks, at a line for a pass or at the part whose turn it is, and acts in the same cycle or, where rows move in slices,
// later, before it looks again.
module l1_mshrs #(
  localparam int unsigned Links = mem_pkg::Links
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,          // one is used
  output logic [Links-1:0]           full_o,          // all of a link are: no load may ask for a line of it

  input  logic [Links-1:0]           arrive_valid_i,  // a sector comes
  input  lsu_pkg::fill_id_t [Links-1:0] arrive_id_i,

  output logic                       whole_o,         // a part has its turn, the same until it is served
  output lsu_pkg::part_t             part_o,
  output lsu_pkg::line_t             part_line_o,
  output logic [3:0]                 part_sectors_o,  // of its line: those that came
  output logic                       part_open_o,     // they may be installed

  input  logic                       look_i,
  input  lsu_pkg::line_t             look_line_i,

  input  logic                       serving_i,       // what was looked at is a part
  input  logic                       serve_i,         // one that waits for it is served now
  output logic                       serve_first_o,
  output logic                       serve_last_o,
  output lsu_pkg::place_t            serve_place_o,
  output sm_pkg::lanes_t             serve_lanes_o,   // none where nobody waits

  // What a pass does with the line that was looked at. First the line's open MSHR closes, then the pass asks.
  input  lsu_pkg::line_t             line_i,
  input  logic                       close_i,
  input  logic                       close_all_i,     // of all lines
  input  logic                       ask_i,
  input  logic                       ask_alone_i,     // for itself: it joins no MSHR, and none joins it
  input  logic [1:0]                 ask_part_i,      // the first sector that the pass reaches
  input  logic [3:0]                 ask_sectors_i,   // of those that it reaches
  input  logic                       ask_waits_i,     // this place with these lanes
  input  lsu_pkg::place_t            ask_place_i,
  input  sm_pkg::lanes_t             ask_lanes_i,
  output logic [3:0]                 ask_send_o,      // sectors that L2 is to be asked for
  output logic [lsu_pkg::MshrW-1:0]  ask_mshr_o
);

  localparam int unsigned Mshrs = lsu_pkg::Mshrs;
  localparam int unsigned MshrW = lsu_pkg::MshrW;
  localparam int unsigned Places = lsu_pkg::Places;
  localparam int unsigned PlaceW = lsu_pkg::PlaceW;
  localparam int unsigned Parts = lsu_pkg::Parts;
  localparam bit          Looks = sm_pkg::RowSlices > 1;   // in a cycle of its own

  logic [Mshrs-1:0]       used_q, open_q;
  logic [Links-1:0]       full_q;
  lsu_pkg::line_t         line_q [Mshrs];
  logic [3:0]             flying_q [Mshrs];      // sectors asked for and not yet served
  logic [3:0]             arrived_q [Mshrs];     // of them those that came
  logic [Places-1:0]      waiting_q [Parts];
  logic                   first_q;               // nobody has been served of the part whose turn it is
  // By part and place. Looked at when nothing acts, so never in the cycle of a write.
  (* ram_style = "block", no_rw_check *) sm_pkg::lanes_t lanes_q [Parts*Places];

  assign busy_o = used_q != '0;
  assign full_o = full_q;

  // MSHRs of a link.
  function automatic logic [Mshrs-1:0] of_link(input mem_pkg::link_t link);
    return {(Mshrs/Links){Links'(1) << link}};
  endfunction

  // ---- parts that are whole --------------------------------------------------------------------------
  logic [Parts-1:0]             queued_q;
  logic [Links-1:0]             push, pop, push_room, heads_there, heads_whole;
  lsu_pkg::part_t [Links-1:0]   arrive_part, heads;
  logic [Links-1:0][MshrW-1:0]  arrive_mshr;
  lsu_pkg::part_t               head;              // whose turn it is
  mem_pkg::link_t               turn;              // of that link
  logic [MshrW-1:0]             head_mshr;
  logic [3:0]                   came;
  logic                         ends;              // the last that waits for the part is served
  for (genvar p = 0; p < int'(Links); p++) begin : g_link
    logic             whole_now;
    logic [MshrW-1:0] mshr;
    logic [1:0]       sector;
    assign arrive_part[p] = lsu_pkg::part_of(arrive_id_i[p]);
    assign arrive_mshr[p] = arrive_id_i[p][MshrW+1:2];
    assign whole_now = ((flying_q[arrive_mshr[p]] & ~arrived_q[arrive_mshr[p]] & ~(4'd1 << arrive_id_i[p][1:0])) &
                        lsu_pkg::part_mask(arrive_id_i[p][1:0])) == '0;
    assign push[p] = arrive_valid_i[p] && whole_now && !(queued_q[arrive_part[p]] && !(pop[p] && heads[p] == arrive_part[p]));
    assign {mshr, sector} = lsu_pkg::first_of(heads[p]);
    assign heads_whole[p] = heads_there[p] && (flying_q[mshr] & ~arrived_q[mshr] & lsu_pkg::part_mask(sector)) == '0;
    assign pop[p] = heads_there[p] && (!heads_whole[p] || (ends && turn == mem_pkg::link_t'(p)));
    logic [$clog2(Parts/Links+1)-1:0] unused_count;
    fifo #(.T(lsu_pkg::part_t), .Depth(Parts / Links)) u_whole (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (push[p]),
      .wr_ready_o (push_room[p]),
      .wr_data_i  (arrive_part[p]),
      .rd_valid_o (heads_there[p]),
      .rd_ready_i (pop[p]),
      .rd_data_o  (heads[p]),
      .count_o    (unused_count)
    );
  end
  // A part that has its turn keeps it, whatever comes on the other link.
  if (Links == 1) begin : g_one
    assign turn = '0;
  end else begin : g_turns
    mem_pkg::link_t turn_q;
    assign turn = heads_whole[turn_q] ? turn_q : ~turn_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (whole_o) turn_q <= ends ? ~turn : turn;
    end
  end
  assign head = heads[turn];
  assign head_mshr = MshrW'(lsu_pkg::first_of(head) >> 2);
  assign came = flying_q[head_mshr] & lsu_pkg::part_mask(2'(lsu_pkg::first_of(head)));
  assign ends = serve_i && serve_last_o;
  assign whole_o = heads_whole != '0;
  assign part_o = head;
  assign part_line_o = line_q[head_mshr];
  assign part_sectors_o = came;
  assign part_open_o = open_q[head_mshr];
  assign serve_first_o = first_q;

  // ---- what a look finds -----------------------------------------------------------------------------
  function automatic logic [Mshrs-1:0] match(input lsu_pkg::line_t l);
    logic [Mshrs-1:0] hit;
    for (int unsigned m = 0; m < Mshrs; m++) hit[m] = line_q[m] == l;
    return hit & open_q;
  endfunction

  function automatic logic [MshrW-1:0] first_mshr(input logic [Mshrs-1:0] mshrs);
    return Mshrs > 64 ? MshrW'(prim_pkg::first256(256'(mshrs))) : MshrW'(prim_pkg::first64(64'(mshrs)));
  endfunction

  logic [Mshrs-1:0]   opens;     // the line's open MSHR
  logic [Places-1:0]  waiting;   // for the part
  sm_pkg::lanes_t     lanes;     // of the first of them

  if (Looks) begin : g_looks
    logic [Mshrs-1:0]   opens_q;
    logic [Places-1:0]  next, waiting_now_q;
    lsu_pkg::place_t    next_place, place_q;
    logic               last_q;
    sm_pkg::lanes_t     lanes_read_q;
    assign next = serving_i ? waiting & (waiting - 1'b1) : waiting_q[head];
    assign next_place = PlaceW'(prim_pkg::first64(64'(next)));
    always_ff @(posedge clk_i) begin
      if (look_i) opens_q <= match(look_line_i);
      if (look_i || serve_i) begin
        waiting_now_q <= next;
        place_q <= next_place;
        last_q <= (next & (next - 1'b1)) == '0;
        lanes_read_q <= lanes_q[{head, next_place}];
      end
    end
    assign opens = opens_q;
    assign waiting = waiting_now_q;
    assign serve_place_o = place_q;
    assign serve_last_o = last_q;
    assign lanes = lanes_read_q;
  end else begin : g_at_once
    always_comb begin
      opens = '0;
      if (look_i && !serving_i) opens = match(look_line_i);
    end
    always_comb begin
      waiting = '0;
      serve_place_o = '0;
      lanes = '0;
      if (serving_i) begin
        waiting = waiting_q[head];
        serve_place_o = PlaceW'(prim_pkg::first64(64'(waiting)));
        lanes = lanes_q[{head, serve_place_o}];
      end
    end
    assign serve_last_o = (waiting & (waiting - 1'b1)) == '0;
  end
  assign serve_lanes_o = waiting == '0 ? '0 : lanes;

  // ---- what a pass does ------------------------------------------------------------------------------
  logic              joins;
  logic [MshrW-1:0]  joined;
  logic [3:0]        asked;   // in flight already
  mem_pkg::link_t    ask_link;
  assign ask_link = l2_pkg::link_of(l2_pkg::line_t'(line_i));
  assign joins = !ask_alone_i && opens != '0;
  assign ask_send_o = ask_sectors_i & ~asked;
  always_comb begin
    joined = '0;
    asked = '0;
    if (opens != '0) joined = first_mshr(opens);
    if (joins) asked = flying_q[joined];
  end
  always_comb begin
    ask_mshr_o = joined;
    if (ask_i && !joins) ask_mshr_o = first_mshr(~used_q & of_link(ask_link));
  end

  always_ff @(posedge clk_i) begin : mshrs
    if (ask_i || close_i || close_all_i || ends) begin : change
      automatic logic [Mshrs-1:0] used = used_q;
      automatic logic [Mshrs-1:0] opened = open_q;
      if (close_all_i) opened = '0;
      if (close_i) opened &= ~opens;
      if (ask_i && !joins) begin
        used[ask_mshr_o] = 1'b1;
        opened[ask_mshr_o] = !ask_alone_i;
        line_q[ask_mshr_o] <= line_i;
      end
      if (ask_i) flying_q[ask_mshr_o] <= asked | ask_sectors_i;
      if (ends) begin
        flying_q[head_mshr] <= flying_q[head_mshr] & ~came;
        if (flying_q[head_mshr] == came) begin
          used[head_mshr] = 1'b0;
          opened[head_mshr] = 1'b0;
        end
      end
      used_q <= used;
      open_q <= opened;
      for (int unsigned p = 0; p < Links; p++) full_q[p] <= &(used | ~of_link(mem_pkg::link_t'(p)));
    end
    if (!rst_ni) begin
      used_q <= '0;
      open_q <= '0;
      full_q <= '0;
    end
  end

  always_ff @(posedge clk_i) begin : arrivals
    // Of one MSHR a sector may come while another part of it leaves.
    if (ends) arrived_q[head_mshr] <= arrived_q[head_mshr] & ~came;
    for (int unsigned p = 0; p < Links; p++) begin
      if (arrive_valid_i[p])
        arrived_q[arrive_mshr[p]] <= (arrived_q[arrive_mshr[p]] & ~(ends && arrive_mshr[p] == head_mshr ? came : 4'd0)) |
                                     (4'd1 << arrive_id_i[p][1:0]);
      if (pop[p]) queued_q[heads[p]] <= 1'b0;
      if (push[p]) queued_q[arrive_part[p]] <= 1'b1;
    end
    if (!rst_ni) begin
      for (int unsigned m = 0; m < Mshrs; m++) arrived_q[m] <= '0;
      queued_q <= '0;
    end
  end

  // Who waited for a part that has been served is forgotten when it is asked for again. A place that waits for a part already
  // waits with more lanes; where rows move in slices a place waits once.
  lsu_pkg::part_t      ask_part;
  logic [Places-1:0]   stay;
  sm_pkg::lanes_t      with_lanes;
  assign ask_part = lsu_pkg::part_of({ask_mshr_o, ask_part_i});
  always_comb begin
    stay = '0;
    with_lanes = ask_lanes_i;
    if (ask_i) begin
      if ((asked & lsu_pkg::part_mask(ask_part_i)) != '0) stay = waiting_q[ask_part];
      if (!Looks && stay[ask_place_i]) with_lanes = ask_lanes_i | lanes_q[{ask_part, ask_place_i}];
    end
  end
  always_ff @(posedge clk_i) begin : waiters
    if (ask_i) begin
      waiting_q[ask_part] <= stay | (Places'(ask_waits_i) << ask_place_i);
      if (ask_waits_i) lanes_q[{ask_part, ask_place_i}] <= with_lanes;
    end else if (!Looks && serve_i) waiting_q[head] <= waiting & (waiting - 1'b1);
    if (serve_i) first_q <= serve_last_o;
    if (!rst_ni) first_q <= 1'b1;
  end

  // An answer nobody asked for would free an MSHR twice.
  logic [Links-1:0] expected, here;
  for (genvar p = 0; p < int'(Links); p++) begin : g_expected
    assign expected[p] = (flying_q[arrive_mshr[p]] & ~arrived_q[arrive_mshr[p]] & (4'd1 << arrive_id_i[p][1:0])) != '0;
    assign here[p] = Links == 1 || mem_pkg::link_t'(arrive_mshr[p]) == mem_pkg::link_t'(p);
  end
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_arrive: assert ((arrive_valid_i & ~expected) == '0) else $error("l1_mshrs: a sector that is not in flight");
      a_link: assert ((arrive_valid_i & ~here) == '0) else $error("l1_mshrs: a sector comes on another link");
      a_whole: assert ((push & ~push_room) == '0) else $error("l1_mshrs: more parts than there are");
      a_open: assert ((open_q & ~used_q) == '0) else $error("l1_mshrs: open MSHR that is not used");
      a_ask: assert (!ask_i || joins || !full_q[ask_link]) else $error("l1_mshrs: no MSHR is free");
      a_serve: assert (!serve_i || (whole_o && serving_i)) else $error("l1_mshrs: a part is served out of its turn");
    end
  end

endmodule
