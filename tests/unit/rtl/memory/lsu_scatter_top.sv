// SPDX-License-Identifier: Apache-2.0
// lsu_scatter with ports for 32 lanes, of which a narrower machine uses the first, and the sectors' words one piece at a time.
module lsu_scatter_top (
  input  logic                     clk_i,
  input  logic                     en_i,
  input  logic [2:0]               cls_i,
  input  logic                     shared_i,
  input  logic [2:0]               size_i,
  input  logic [7:0]               slice_i,
  input  logic [31:0]              lanes_i,
  input  logic [31:0][7:0]         offset_i,
  input  logic [3:0][31:0][31:0]   data_i,
  input  logic [31:0]              join_lanes_i,
  input  logic [31:0][7:0]         join_offset_i,
  input  logic [31:0][31:0]        join_data_i,
  input  logic                     show_i,
  input  logic [7:0]               piece_i,
  output logic [31:0][31:0]        words_o,
  output logic [31:0][3:0]         bytes_o,
  output logic [31:0][31:0]        others_o,
  output logic [4:0]               lane_o,
  output logic [7:0]               offset_o,
  output logic [7:0]               row_lanes_o,
  output logic [7:0]               reach_words_o,
  output logic [7:0]               pieces_o,     // of a sector
  output logic                     bank_atomics_o,
  output logic                     waits_o       // the data are given a cycle later
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign reach_words_o = 8'(lsu_pkg::Words);  // words

  assign waits_o = sm_pkg::RowSlices > 1;

  sm_pkg::row_t [3:0]    data;
  lsu_pkg::piece_words_t words;
  lsu_pkg::piece_bytes_t bytes;
  lsu_pkg::words_t       others;
  logic [lsu_pkg::OffsetW-1:0] offset;
  assign offset_o = 8'(offset);
  assign pieces_o = 8'(mem_pkg::Pieces);
  always_comb for (int unsigned w = 0; w < 4; w++) data[w] = data_i[w][Lanes-1:0];
  assign words_o = 1024'(words);
  assign bytes_o = 128'(bytes);
  assign others_o = 1024'(others);
  assign bank_atomics_o = lsu_pkg::BankAtomics;

  lsu_scatter u_lsu_scatter (
    .clk_i    (clk_i),
    .en_i     (en_i),
    .cls_i    (lsu_pkg::class_e'(cls_i)),
    .shared_i (shared_i),
    .size_i   (size_i),
    .slice_i  (sm_pkg::slice_t'(slice_i)),
    .lanes_i  (lanes_i[Lanes-1:0]),
    .offset_i (offset_i[Lanes-1:0]),
    .data_i   (data),
    .join_i   ('{lanes: join_lanes_i[Lanes-1:0], offset: join_offset_i[Lanes-1:0], data: join_data_i[Lanes-1:0]}),
    .show_i   (show_i),
    .piece_i  (mem_pkg::piece_t'(piece_i)),
    .words_o  (words),
    .bytes_o  (bytes),
    .others_o (others),
    .lane_o   (lane_o),
    .offset_o (offset)
  );

endmodule
