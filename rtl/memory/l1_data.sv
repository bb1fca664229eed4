// SPDX-License-Identifier: Apache-2.0
// Data of the L1: a piece of all sectors that a pass reaches (a line, or one sector in a narrow machine) is read, or of
// some of them written with byte enables. Read data stand in data_o from the next cycle on.
//
// Where passes have lanes of several lines a bank for each word is a memory of its own, which reads the line that the pass says.
module l1_data #(
  localparam int unsigned PassLines = lsu_pkg::PassLines
) (
  input  logic                              clk_i,
  input  logic                              read_i,
  input  lsu_pkg::sectors_t                 write_i,    // sectors written
  input  logic [PassLines-1:0][lsu_pkg::LineW-1:0] place_i,  // of the lines that are read; the first is written
  input  lsu_pkg::bank_lines_t              bank_line_i,
  input  logic [1:0]                        sector_i,   // one of those that the pass reaches
  input  mem_pkg::piece_t                   piece_i,
  input  logic                              fill_i,     // with filled_i, all bytes; else a store
  input  lsu_pkg::piece_words_t             filled_i,
  input  lsu_pkg::piece_bytes_t             mask_i,
  input  lsu_pkg::piece_words_t             data_i,
  output lsu_pkg::piece_words_t             data_o
);

  localparam int unsigned Rows = lsu_pkg::Lines * lsu_pkg::LineParts * mem_pkg::Pieces;
  localparam int unsigned RowW = $clog2(Rows);
  // Words of a memory: one where each reads its own line, else those of a sector.
  localparam int unsigned BankWords = PassLines > 1 ? 1 : lsu_pkg::PieceWords;
  localparam int unsigned Banks = lsu_pkg::PassSectors * lsu_pkg::PieceWords / BankWords;

  function automatic logic [RowW-1:0] row_of(input logic [lsu_pkg::LineW-1:0] place);  // {line, part of it, piece}
    logic [lsu_pkg::LineW+1:0] part;
    part = {place, sector_i} >> lsu_pkg::SectorW;
    return mem_pkg::Pieces == 1 ? RowW'(part) : RowW'({part, piece_i});
  endfunction
  logic [RowW-1:0] row;
  assign row = row_of(place_i[0]);

  for (genvar b = 0; b < int'(Banks); b++) begin : g_bank
    localparam int unsigned Sector = b * BankWords / lsu_pkg::PieceWords;
    (* no_rw_check *) logic [32*BankWords-1:0] mem_q [Rows];  // one operation a cycle
    logic [32*BankWords-1:0] out_q;
    logic [4*BankWords-1:0]  mask;
    logic [32*BankWords-1:0] data;
    assign mask = mask_i[b*int'(BankWords)+:BankWords];
    assign data = data_i[b*int'(BankWords)+:BankWords];
    always_ff @(posedge clk_i) begin
      if (read_i) out_q <= mem_q[PassLines > 1 ? row_of(place_i[bank_line_i[b]]) : row];
      if (write_i[Sector]) begin
        // Whole pieces at once: cheaper to simulate.
        if (fill_i) mem_q[row] <= filled_i[b*int'(BankWords)+:BankWords];
        else if (&mask) mem_q[row] <= data;
        else begin
          for (int unsigned byte_ = 0; byte_ < 4 * BankWords; byte_++)
            if (mask[byte_]) mem_q[row][8*byte_+:8] <= data[8*byte_+:8];
        end
      end
    end
    assign data_o[b*int'(BankWords)+:BankWords] = out_q;
  end

  always_ff @(posedge clk_i) begin
    a_one: assert (!(read_i && write_i != '0)) else $error("l1_data: a read and a write in one cycle");
  end

endmodule
