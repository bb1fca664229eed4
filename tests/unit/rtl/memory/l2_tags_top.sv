// SPDX-License-Identifier: Apache-2.0
// l2_tags with ports of the same width in every preset.
module l2_tags_top (
  input  logic         clk_i,
  input  logic         read_i,
  input  logic [15:0]  read_set_i,
  input  logic [15:0]  set_i,
  input  logic [31:0]  tag_i,
  input  logic         match_i,
  input  logic         look_i,
  input  logic         visit_i,
  input  logic [7:0]   visit_way_i,
  output logic         hit_o,
  output logic [15:0]  ways_o,
  output logic         present_o,
  output logic         fetching_o,
  output logic [7:0]   sectors_o,      // valid, dirty
  input  logic [15:0]  ways_i,
  output logic [31:0]  victim_tag_o,
  input  logic         evict_i,
  input  logic         place_i,
  input  logic         state_write_i,
  input  logic [15:0]  state_set_i,
  input  logic [15:0]  state_ways_i,
  input  logic         present_i,
  input  logic         fetching_i,
  input  logic [7:0]   sectors_i,
  // Sizes of the preset.
  output logic [15:0]  sets_o,
  output logic [7:0]   number_of_ways_o,
  output logic [7:0]   tag_bits_o,
  output logic         narrow_o
);

  logic [l2_pkg::Ways-1:0]  ways;
  l2_pkg::tag_t             victim_tag;
  l2_pkg::state_t           found, state;
  assign ways_o = 16'(ways);
  assign victim_tag_o = 32'(victim_tag);
  assign present_o = found.present;
  assign fetching_o = found.fetching;
  assign sectors_o = {found.valid, found.dirty};
  assign state = '{present: present_i, fetching: fetching_i, mshr: '0, valid: sectors_i[7:4], dirty: sectors_i[3:0]};
  assign sets_o = 16'(l2_pkg::Sets);
  assign number_of_ways_o = 8'(l2_pkg::Ways);
  assign tag_bits_o = 8'(l2_pkg::TagW);
  assign narrow_o = l2_pkg::Narrow;

  l2_tags u_l2_tags (
    .clk_i          (clk_i),
    .read_i         (read_i),
    .read_set_i     (read_set_i[l2_pkg::SetW-1:0]),
    .set_i          (set_i[l2_pkg::SetW-1:0]),
    .tag_i          (tag_i[l2_pkg::TagW-1:0]),
    .match_i        (match_i),
    .look_i         (look_i),
    .visit_i        (visit_i),
    .visit_way_i    (visit_way_i[l2_pkg::WayW-1:0]),
    .hit_o          (hit_o),
    .ways_o         (ways),
    .state_o        (found),
    .ways_i         (ways_i[l2_pkg::Ways-1:0]),
    .victim_tag_o   (victim_tag),
    .evict_i        (evict_i),
    .place_i        (place_i),
    .state_write_i  (state_write_i),
    .state_set_i    (state_set_i[l2_pkg::SetW-1:0]),
    .state_ways_i   (state_ways_i[l2_pkg::Ways-1:0]),
    .state_i        (state)
  );

endmodule
