// SPDX-License-Identifier: Apache-2.0
// lsu_gather with ports for 32 lanes, of which a narrower machine uses the first.
module lsu_gather_top (
  input  logic               clk_i,
  input  logic               rst_ni,
  input  logic               note_i,
  input  logic [7:0]         note_place_i,
  input  logic [31:0][7:0]   note_offset_i,
  input  logic               valid_i,
  output logic               done_o,
  input  logic [7:0]         place_i,
  input  logic [2:0]         size_i,
  input  logic [3:0]         matrix_i,   // lsu_pkg::matrix_t
  input  logic [31:0]        lanes_i,
  input  logic               at_zero_i,
  input  logic [7:0]         piece_i,
  input  logic [31:0][31:0]  line_i,     // whole: the piece is taken out here
  input  logic               read_i,
  input  logic [7:0]         read_place_i,
  input  logic [1:0]         read_index_i,
  output logic [31:0][31:0]  row_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         words_o,
  output logic [7:0]         pieces_o,
  output logic [7:0]         places_o,
  output logic [7:0]         beat_lanes_o
);

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);
  assign words_o = 8'(lsu_pkg::Words);
  assign places_o = 8'(lsu_pkg::Places);
  assign beat_lanes_o = 8'(lsu_pkg::BeatLanes);

  assign pieces_o = 8'(mem_pkg::Pieces);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  lsu_pkg::piece_words_t line;
  always_comb begin
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++)
      line[s*PieceWords+:PieceWords] = line_i[8*s+PieceWords*32'(piece_i)+:PieceWords];
  end

  sm_pkg::row_t row;
  assign row_o = 1024'(row);

  lsu_gather u_lsu_gather (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .note_i        (note_i),
    .note_place_i  (lsu_pkg::place_t'(note_place_i)),
    .note_offset_i (note_offset_i[Lanes-1:0]),
    .valid_i       (valid_i),
    .done_o        (done_o),
    .place_i       (lsu_pkg::place_t'(place_i)),
    .size_i        (size_i),
    .matrix_i      (matrix_i),
    .lanes_i       (lanes_i[Lanes-1:0]),
    .at_zero_i     (at_zero_i),
    .piece_i       (mem_pkg::piece_t'(piece_i)),
    .line_i        (line),
    .read_i        (read_i),
    .read_place_i  (lsu_pkg::place_t'(read_place_i)),
    .read_index_i  (read_index_i),
    .row_o         (row)
  );

endmodule
