// SPDX-License-Identifier: Apache-2.0
// Tags of the L2: which lines are there, at which places {set, way}, and what is known of each.
//
//   look for line 5   ways 4'b0010, hit: it is in way 1
//   look for line 9   ways 4'b0100, no hit: of its set way 2 goes next: a free one, else the one at the set's turn, or the first
//                     after it that no fetch holds; none where fetches hold them all
//   line 9 comes      way 2 gets its tag, and the turn is way 3's
//
// Tags are read in the cycle before a look; states are looked at as they are. With a narrow memory port tags are compared in one
// cycle, and the line's way is found in the next.
module l2_tags (
  input  logic                    clk_i,

  input  logic                    read_i,          // the tags of this set, as they are after this cycle
  input  l2_pkg::set_t            read_set_i,

  // A look, at the set that was read.
  input  l2_pkg::set_t            set_i,
  input  l2_pkg::tag_t            tag_i,
  input  logic                    match_i,         // compare the tags: with a narrow port a cycle before the look
  input  logic                    look_i,          // for the line, or
  input  logic                    visit_i,         // at a place, as if it were the victim
  input  logic [l2_pkg::WayW-1:0] visit_way_i,
  output logic                    hit_o,
  output logic [l2_pkg::Ways-1:0] ways_o,          // the line's, or the victim's: one at most
  output l2_pkg::state_t          state_o,         // of this way

  // What is done with what was found; with a narrow port later than the look.
  input  logic [l2_pkg::Ways-1:0] ways_i,          // ways_o of the look
  output l2_pkg::tag_t            victim_tag_o,
  input  logic                    evict_i,         // victim_tag_o is wanted
  input  logic                    place_i,         // the line comes to the way

  // States change, those of any set.
  input  logic                    state_write_i,
  input  l2_pkg::set_t            state_set_i,
  input  logic [l2_pkg::Ways-1:0] state_ways_i,
  input  l2_pkg::state_t          state_i
);

  localparam int unsigned Ways = l2_pkg::Ways;
  localparam int unsigned WayW = l2_pkg::WayW;
  typedef l2_pkg::state_t [Ways-1:0] states_t;

  (* no_rw_check *) l2_pkg::tag_t [Ways-1:0] tag_q [l2_pkg::Sets];
  states_t          state_q [l2_pkg::Sets];
  logic [WayW-1:0]  turn_q [l2_pkg::Sets];

  // If a tag of the set was written in the cycle of the read, it is `fresh_tag_q`. With a narrow port reads and writes lie apart.
  l2_pkg::tag_t [Ways-1:0]  tags_q;
  l2_pkg::tag_t             fresh_tag_q;
  logic [Ways-1:0]          fresh_q, tag_write;
  assign tag_write = place_i ? ways_i : '0;
  always_ff @(posedge clk_i) begin
    if (read_i) tags_q <= tag_q[read_set_i];
  end
  always_ff @(posedge clk_i) begin
    if (read_i) fresh_q <= !l2_pkg::Narrow && read_set_i == set_i ? tag_write : '0;
    if (l2_pkg::Narrow) fresh_q <= '0;
    if (tag_write != '0) fresh_tag_q <= tag_i;
  end

  // The ways whose tag it is.
  logic [Ways-1:0]  match_now, match_q, match;
  always_comb begin
    match_now = '0;
    if (match_i) for (int unsigned w = 0; w < Ways; w++) match_now[w] = (fresh_q[w] ? fresh_tag_q : tags_q[w]) == tag_i;
  end
  assign match = l2_pkg::Narrow ? match_q : match_now;
  always_ff @(posedge clk_i) begin
    if (l2_pkg::Narrow && match_i) match_q <= match_now;
  end

  function automatic logic [Ways-1:0] victim(input states_t states, input logic [WayW-1:0] from);
    logic [Ways-1:0] present, idle, after, may;
    for (int unsigned w = 0; w < Ways; w++) begin
      present[w] = states[w].present;
      idle[w] = !states[w].fetching;
    end
    after = idle & (Ways'('1) << from);
    may = !(&present) ? ~present : after != '0 ? after : idle;
    return may & (~may + 1'b1);
  endfunction

  states_t states;
  always_comb begin
    hit_o = 1'b0;
    ways_o = '0;
    state_o = '0;
    states = '0;
    if (visit_i || look_i) begin
      states = state_q[set_i];
      if (visit_i) begin
        ways_o = Ways'(1) << visit_way_i;
      end else begin
        for (int unsigned w = 0; w < Ways; w++) ways_o[w] = states[w].present && match[w];
        hit_o = ways_o != '0;
        if (!hit_o) ways_o = victim(states, turn_q[set_i]);
      end
      for (int unsigned w = 0; w < Ways; w++) if (ways_o[w]) state_o |= states[w];
    end
  end

  always_comb begin
    victim_tag_o = '0;
    if (evict_i) for (int unsigned w = 0; w < Ways; w++) if (ways_i[w]) victim_tag_o |= fresh_q[w] ? fresh_tag_q : tags_q[w];
  end

  always_ff @(posedge clk_i) begin
    for (int unsigned w = 0; w < Ways; w++) begin
      if (state_write_i && state_ways_i[w]) state_q[state_set_i][w] <= state_i;
      if (tag_write[w]) tag_q[set_i][w] <= tag_i;
    end
    if (tag_write != '0) turn_q[set_i] <= WayW'(prim_pkg::index32(32'(ways_i))) + 1'b1;
  end

endmodule
