// SPDX-License-Identifier: Apache-2.0
// l1_tags with the sizes of the preset.
module l1_tags_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            look_i,
  input  lsu_pkg::line_t  look_line_i,
  output logic            hit_o,
  output logic [3:0]      present_o,
  input  lsu_pkg::line_t  line_i,
  input  logic            empty_i,
  input  logic            drop_i,
  input  logic            install_i,
  input  logic [3:0]      install_sectors_i,
  input  logic            allocate_i,
  output logic [15:0]     place_o,
  output logic            evict_o,
  output lsu_pkg::line_t  evict_line_o,
  output logic [7:0]      ways_o,
  output logic [15:0]     sets_o,
  output logic            looks_o     // in a cycle of its own
);

  logic [lsu_pkg::LineW-1:0] place;
  assign place_o = 16'(place);
  assign ways_o = 8'(lsu_pkg::Ways);
  assign sets_o = 16'(lsu_pkg::Sets);
  assign looks_o = sm_pkg::RowSlices > 1;

  l1_tags u_l1_tags (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .look_i            (look_i),
    .look_line_i       (look_line_i),
    .hit_o             (hit_o),
    .present_o         (present_o),
    .line_i            (line_i),
    .empty_i           (empty_i),
    .drop_i            (drop_i),
    .install_i         (install_i),
    .install_sectors_i (install_sectors_i),
    .allocate_i        (allocate_i),
    .place_o           (place),
    .evict_o           (evict_o),
    .evict_line_o      (evict_line_o)
  );

endmodule
