// SPDX-License-Identifier: Apache-2.0
// shared_memory with ports for 32 banks, of which a narrower machine uses the first, and with whole rows: the piece is
// taken out here.
module shared_memory_top (
  input  logic              clk_i,
  input  logic              read_i,
  input  logic [31:0]       used_i,
  input  logic [31:0][15:0] row_i,
  input  logic              write_i,
  input  logic [31:0]       write_used_i,
  input  logic [31:0][15:0] write_row_i,
  input  logic [7:0]        piece_i,
  input  logic [31:0][31:0] data_i,
  input  logic [31:0][3:0]  bytes_i,
  input  logic              atomic_i,
  input  logic [63:0]       value_i,
  output logic [31:0][31:0] data_o,
  output logic [7:0]        banks_o,
  output logic [7:0]        pieces_o,
  output logic [15:0]       rows_o,
  output logic              both_o   // may read and write in one cycle
);

  localparam int unsigned Banks = lsu_pkg::Banks;
  assign banks_o = 8'(Banks);
  assign rows_o = 16'(lsu_pkg::BankRows);
  assign both_o = lsu_pkg::BankAtomics;

  lsu_pkg::bank_rows_t row, write_row;
  lsu_pkg::words_t     data;
  assign pieces_o = 8'(mem_pkg::Pieces);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  lsu_pkg::piece_words_t words;
  lsu_pkg::piece_bytes_t bytes;
  always_comb begin
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
      words[s*PieceWords+:PieceWords] = data_i[lsu_pkg::word_of(s, mem_pkg::piece_t'(piece_i))+:PieceWords];
      bytes[s*PieceWords+:PieceWords] = bytes_i[lsu_pkg::word_of(s, mem_pkg::piece_t'(piece_i))+:PieceWords];
    end
  end
  always_comb begin
    for (int unsigned bank = 0; bank < Banks; bank++) begin
      row[bank] = ($bits(row) / Banks)'(row_i[bank]);
      write_row[bank] = ($bits(row) / Banks)'(write_row_i[bank]);
    end
  end
  assign data_o = 1024'(data);

  shared_memory u_shared_memory (
    .clk_i        (clk_i),
    .read_i       (read_i),
    .used_i       (used_i[Banks-1:0]),
    .row_i        (row),
    .write_i      (write_i),
    .write_used_i (write_used_i[Banks-1:0]),
    .write_row_i  (write_row),
    .piece_i      (mem_pkg::piece_t'(piece_i)),
    .data_i       (words),
    .bytes_i      (bytes),
    .atomic_i     (atomic_i),
    .value_i      ({lsu_pkg::Words/2{value_i}}),
    .data_o       (data)
  );

endmodule
