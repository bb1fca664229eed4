// SPDX-License-Identifier: Apache-2.0
// l1_data with ports for a whole line and sector, of which a narrower machine reads and writes parts: sectors, pieces.
module l1_data_top (
  input  logic              clk_i,
  input  logic              read_i,
  input  logic [3:0]        write_i,    // sectors of the line
  input  logic [3:0][7:0]   place_i,
  input  logic [31:0][1:0]  bank_line_i,
  output logic [7:0]        lines_o,    // that a pass reads
  input  logic [1:0]        sector_i,
  input  logic [7:0]        piece_i,
  input  logic              fill_i,
  input  logic [31:0][31:0] filled_i,   // a whole line, as the others
  input  logic [31:0][3:0]  mask_i,     // of a whole line
  input  logic [31:0][31:0] data_i,
  output logic [31:0][31:0] data_o,
  output logic [7:0]        pieces_o,   // of a sector
  output logic [7:0]        sectors_o   // of which a piece is read at once
);

  assign sectors_o = 8'(lsu_pkg::PassSectors);
  assign pieces_o = 8'(mem_pkg::Pieces);
  lsu_pkg::piece_words_t data, given, filled;
  lsu_pkg::piece_bytes_t mask;
  // Of each sector that is reached the words of the piece.
  always_comb begin
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
      automatic logic [4:0] first = {sector_i & ~2'(lsu_pkg::PassSectors - 1) | 2'(s), 3'd0};
      for (int unsigned w = 0; w < lsu_pkg::PieceWords; w++) begin
        given[s*lsu_pkg::PieceWords+w] = data_i[first + 5'(piece_i) * 5'(lsu_pkg::PieceWords) + 5'(w)];
        filled[s*lsu_pkg::PieceWords+w] = filled_i[first + 5'(piece_i) * 5'(lsu_pkg::PieceWords) + 5'(w)];
        mask[s*lsu_pkg::PieceWords+w] = mask_i[first + 5'(piece_i) * 5'(lsu_pkg::PieceWords) + 5'(w)];
      end
    end
  end
  assign data_o = 1024'(data);
  assign lines_o = 8'(lsu_pkg::PassLines);
  logic [lsu_pkg::PassLines-1:0][lsu_pkg::LineW-1:0] place;
  lsu_pkg::bank_lines_t bank_line;
  always_comb begin
    for (int unsigned n = 0; n < lsu_pkg::PassLines; n++) place[n] = place_i[n][lsu_pkg::LineW-1:0];
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) bank_line[bank] = lsu_pkg::PassLineW'(bank_line_i[bank]);
  end

  l1_data u_l1_data (
    .clk_i    (clk_i),
    .read_i   (read_i),
    .write_i  (lsu_pkg::reached(write_i, sector_i)),
    .place_i  (place),
    .bank_line_i (bank_line),
    .sector_i (sector_i),
    .piece_i  (mem_pkg::piece_t'(piece_i)),
    .fill_i   (fill_i),
    .filled_i (filled),
    .mask_i   (mask),
    .data_i   (given),
    .data_o   (data)
  );

endmodule
