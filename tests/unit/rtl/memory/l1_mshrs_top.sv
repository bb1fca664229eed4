// SPDX-License-Identifier: Apache-2.0
// l1_mshrs with ports of the same width in every preset. Parts are known by the id of their first sector.
module l1_mshrs_top (
  input  logic            clk_i,
  input  logic            rst_ni,
  output logic            busy_o,
  output logic [1:0]      full_o,          // by link, where there are so many
  input  logic [1:0]      arrive_valid_i,
  input  logic [1:0][15:0] arrive_id_i,
  output logic            whole_o,
  output logic [9:0]      part_first_o,
  output lsu_pkg::line_t  part_line_o,
  output logic [3:0]      part_sectors_o,
  output logic            part_open_o,
  input  logic            look_i,
  input  lsu_pkg::line_t  look_line_i,
  input  logic            serving_i,
  input  logic            serve_i,
  output logic            serve_first_o,
  output logic            serve_last_o,
  output logic [7:0]      serve_place_o,
  output logic [31:0]     serve_lanes_o,
  input  lsu_pkg::line_t  line_i,
  input  logic            close_i,
  input  logic            close_all_i,
  input  logic            ask_i,
  input  logic            ask_alone_i,
  input  logic [1:0]      ask_part_i,
  input  logic [3:0]      ask_sectors_i,
  input  logic            ask_waits_i,
  input  logic [7:0]      ask_place_i,
  input  logic [31:0]     ask_lanes_i,
  output logic [3:0]      ask_send_o,
  output logic [7:0]      ask_mshr_o,
  // Sizes of the preset.
  output logic [7:0]      mshrs_o,
  output logic [7:0]      places_o,
  output logic [7:0]      lanes_o,
  output logic [7:0]      pass_sectors_o,
  output logic [7:0]      links_o,
  output logic [7:0]      slice_bits_o,  // of the number of an L2 slice
  output logic            looks_o        // in a cycle of its own
);

  localparam int unsigned Links = mem_pkg::Links;
  logic [Links-1:0]              full;
  lsu_pkg::fill_id_t [Links-1:0] arrive_id;
  assign full_o = 2'(full);
  always_comb begin
    for (int unsigned p = 0; p < Links; p++) arrive_id[p] = lsu_pkg::fill_id_t'(arrive_id_i[p]);
  end
  lsu_pkg::part_t             part;
  lsu_pkg::place_t            place;
  sm_pkg::lanes_t             lanes;
  logic [lsu_pkg::MshrW-1:0]  mshr;
  assign part_first_o = 10'(lsu_pkg::first_of(part));
  assign serve_place_o = 8'(place);
  assign serve_lanes_o = 32'(lanes);
  assign ask_mshr_o = 8'(mshr);
  assign mshrs_o = 8'(lsu_pkg::Mshrs);
  assign places_o = 8'(lsu_pkg::Places);
  assign lanes_o = 8'(lsu_pkg::Lanes);
  assign pass_sectors_o = 8'(lsu_pkg::PassSectors);
  assign links_o = 8'(Links);
  assign slice_bits_o = 8'(l2_pkg::SliceBits);
  assign looks_o = sm_pkg::RowSlices > 1;

  l1_mshrs u_l1_mshrs (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (busy_o),
    .full_o         (full),
    .arrive_valid_i (Links'(arrive_valid_i)),
    .arrive_id_i    (arrive_id),
    .whole_o        (whole_o),
    .part_o         (part),
    .part_line_o    (part_line_o),
    .part_sectors_o (part_sectors_o),
    .part_open_o    (part_open_o),
    .look_i         (look_i),
    .look_line_i    (look_line_i),
    .serving_i      (serving_i),
    .serve_i        (serve_i),
    .serve_first_o  (serve_first_o),
    .serve_last_o   (serve_last_o),
    .serve_place_o  (place),
    .serve_lanes_o  (lanes),
    .line_i         (line_i),
    .close_i        (close_i),
    .close_all_i    (close_all_i),
    .ask_i          (ask_i),
    .ask_alone_i    (ask_alone_i),
    .ask_part_i     (ask_part_i),
    .ask_sectors_i  (ask_sectors_i),
    .ask_waits_i    (ask_waits_i),
    .ask_place_i    (lsu_pkg::place_t'(ask_place_i)),
    .ask_lanes_i    (sm_pkg::lanes_t'(ask_lanes_i)),
    .ask_send_o     (ask_send_o),
    .ask_mshr_o     (mshr)
  );

endmodule
