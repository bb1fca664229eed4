// SPDX-License-Identifier: Apache-2.0
// Tags of the L1: which lines are there, at which places, with which sectors.
//
//   allocate line 5   takes the way of its set that was filled longest ago, with no sector; the line that was there goes
//   install {0,1}     line 5 has sectors 0 and 1
//   drop              line 5 is not there any more; its way keeps its turn
//
// l1_control looks for a line, and changes it before it looks for another; where a pass has lanes of several lines it looks for the
// others at the same time, which do not change. What a look finds shows in the same cycle or, where
// rows move in slices, from the next cycle on until the next look.
module l1_tags #(
  localparam int unsigned PassLines = lsu_pkg::PassLines
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  input  logic                       look_i,
  input  lsu_pkg::line_t             look_line_i,
  output logic                       hit_o,             // the line is there
  output logic [3:0]                 present_o,         // if so: these of its sectors
  input  lsu_pkg::lines_t            others_i,          // with look_i, for these of the other lines
  input  lsu_pkg::line_t [PassLines-1:0] other_line_i,
  output logic [PassLines-1:0][3:0]      other_present_o,   // none of a line that is not there
  output logic [PassLines-1:0][lsu_pkg::LineW-1:0] other_place_o,

  // What becomes of the line that was looked for: one of these at most.
  input  lsu_pkg::line_t             line_i,
  input  logic                       empty_i,           // all lines go
  input  logic                       drop_i,            // it goes; it is there
  input  logic                       install_i,         // it has these sectors, too; it is there
  input  logic [3:0]                 install_sectors_i,
  input  logic                       allocate_i,        // it comes; it is not there
  output logic [lsu_pkg::LineW-1:0]  place_o,           // where it is, or comes to
  output logic                       evict_o,           // a line goes from there
  output lsu_pkg::line_t             evict_line_o
);

  localparam int unsigned Ways = lsu_pkg::Ways;
  localparam int unsigned SetW = lsu_pkg::SetW;
  localparam int unsigned WayW = lsu_pkg::WayW;
  localparam int unsigned LineW = lsu_pkg::LineW;
  localparam bit          Looks = sm_pkg::RowSlices > 1;   // in a cycle of its own

  // By place, {set, way}.
  logic [lsu_pkg::Lines-1:0]  valid_q;
  logic [lsu_pkg::TagW-1:0]   tag_q [lsu_pkg::Lines];
  logic [3:0]                 sectors_q [lsu_pkg::Lines];
  logic [WayW-1:0]            oldest_q [lsu_pkg::Sets];

  function automatic logic [Ways-1:0] match(input lsu_pkg::line_t l);
    logic [Ways-1:0] hit;
    for (int unsigned way = 0; way < Ways; way++)
      hit[way] = valid_q[LineW'({l[7+:SetW], WayW'(way)})] &&
                 tag_q[LineW'({l[7+:SetW], WayW'(way)})] == l[gpu_pkg::AddrW-1:7+SetW];
    return hit;
  endfunction

  logic [SetW-1:0]  set;
  logic [Ways-1:0]  ways;    // that have the line: one at most
  logic [LineW-1:0] found;   // its place
  logic [LineW-1:0] next;    // the place that a line of the set takes
  assign set = line_i[7+:SetW];
  assign next = {set, oldest_q[set]};
  assign hit_o = ways != '0;

  if (Looks) begin : g_looks
    logic [Ways-1:0]      ways_q;
    logic [Ways-1:0][3:0] present_q;   // in each way
    always_ff @(posedge clk_i) begin
      if (look_i) begin
        ways_q <= match(look_line_i);
        for (int unsigned way = 0; way < Ways; way++) present_q[way] <= sectors_q[{look_line_i[7+:SetW], WayW'(way)}];
      end
    end
    assign ways = ways_q;
    assign found = {set, WayW'(prim_pkg::first32(32'(ways)))};
    always_comb begin
      present_o = '0;
      for (int unsigned way = 0; way < Ways; way++) present_o |= ways_q[way] ? present_q[way] : 4'd0;
    end
  end else begin : g_at_once
    always_comb begin
      ways = '0;
      found = {set, WayW'(0)};
      present_o = '0;
      if (look_i) begin
        ways = match(look_line_i);
        found = {set, WayW'(prim_pkg::first32(32'(ways)))};
        present_o = sectors_q[found];
      end
    end
  end

  // Lines that a pass has beside the one.
  logic [Ways-1:0] other_ways;
  always_comb begin
    other_ways = '0;
    other_present_o = '0;
    other_place_o = '0;
    if (PassLines > 1) begin
      for (int unsigned n = 0; n < PassLines; n++) begin
        if (look_i && others_i[n]) begin
          other_ways = match(other_line_i[n]);
          other_place_o[n] = {other_line_i[n][7+:SetW], WayW'(prim_pkg::first32(32'(other_ways)))};
          if (other_ways != '0) other_present_o[n] = sectors_q[other_place_o[n]];
        end
      end
    end
  end

  always_comb begin
    place_o = found;
    evict_o = 1'b0;
    evict_line_o = line_i;
    if (allocate_i) begin
      place_o = next;
      evict_o = valid_q[next];
      evict_line_o = {tag_q[next], set};
    end
  end

  always_ff @(posedge clk_i) begin
    if (empty_i) valid_q <= '0;
    if (drop_i) valid_q[found] <= 1'b0;
    if (install_i || allocate_i) sectors_q[place_o] <= allocate_i ? '0 : present_o | install_sectors_i;
    if (allocate_i) begin
      valid_q[next] <= 1'b1;
      tag_q[next] <= line_i[gpu_pkg::AddrW-1:7+SetW];
      oldest_q[set] <= oldest_q[set] + 1'b1;
    end
    if (!rst_ni) begin
      valid_q <= '0;
      for (int unsigned i = 0; i < lsu_pkg::Sets; i++) oldest_q[i] <= '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Else a line could be at two places, or one that is not there could go.
      a_there: assert ((!(drop_i || install_i) || hit_o) && !(allocate_i && hit_o)) else $error("l1_tags: change of another line");
      a_one_way: assert (!(drop_i || install_i) || (ways & (ways - 1'b1)) == '0) else $error("l1_tags: a line at two places");
    end
  end

endmodule
