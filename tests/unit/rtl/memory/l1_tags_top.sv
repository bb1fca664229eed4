// SPDX-License-Identifier: Apache-2.0
// l1_tags with the sizes of the preset.
module l1_tags_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  input  logic            look_i,
  input  lsu_pkg::line_t  look_line_i,
  output logic            hit_o,
  output logic [3:0]      present_o,
  input  logic [3:0]      others_i,
  input  logic [3:0][63:0] other_line_i,
  output logic [3:0][3:0] other_present_o,
  output logic [3:0][15:0] other_place_o,
  output logic [7:0]      lines_o,        // of a pass
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
  lsu_pkg::line_t [lsu_pkg::PassLines-1:0] other_line;
  logic [lsu_pkg::PassLines-1:0][3:0] other_present;
  logic [lsu_pkg::PassLines-1:0][lsu_pkg::LineW-1:0] other_place;
  always_comb begin
    other_present_o = '0;
    other_place_o = '0;
    for (int unsigned n = 0; n < lsu_pkg::PassLines; n++) begin
      other_line[n] = lsu_pkg::line_t'(other_line_i[n]);
      other_present_o[n] = other_present[n];
      other_place_o[n] = 16'(other_place[n]);
    end
  end
  assign lines_o = 8'(lsu_pkg::PassLines);
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
    .others_i          (others_i[lsu_pkg::PassLines-1:0]),
    .other_line_i      (other_line),
    .other_present_o   (other_present),
    .other_place_o     (other_place),
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
