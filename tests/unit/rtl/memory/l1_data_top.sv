// SPDX-License-Identifier: Apache-2.0
// l1_data with ports for a whole line and sector, of which a narrower machine reads and writes parts: sectors, pieces.
module l1_data_top (
  input  logic              clk_i,
  input  logic              read_i,
  input  logic              write_i,
  input  logic [7:0]        place_i,
  input  logic [1:0]        sector_i,
  input  logic [7:0]        piece_i,
  input  logic [31:0]       mask_i,
  input  logic [255:0]      data_i,
  output logic [31:0][31:0] data_o,
  output logic [7:0]        pieces_o,   // of a sector
  output logic [7:0]        sectors_o   // of which a piece is read at once
);

  assign sectors_o = 8'(lsu_pkg::PassSectors);
  assign pieces_o = 8'(mem_pkg::Pieces);
  lsu_pkg::piece_words_t data;
  assign data_o = 1024'(data);

  l1_data u_l1_data (
    .clk_i    (clk_i),
    .read_i   (read_i),
    .write_i  (write_i),
    .place_i  (place_i[lsu_pkg::LineW-1:0]),
    .sector_i (sector_i),
    .piece_i  (mem_pkg::piece_t'(piece_i)),
    .mask_i   (mask_i[mem_pkg::PieceBytes-1:0]),
    .data_i   (data_i[mem_pkg::PieceBits-1:0]),
    .data_o   (data)
  );

endmodule
