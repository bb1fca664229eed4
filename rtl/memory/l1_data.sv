// SPDX-License-Identifier: Apache-2.0
// Data of the L1: a piece of all sectors that a pass reaches (a line, or one sector in a narrow machine) is read, or of
// some of them written with byte enables. Read data stand in data_o from the next cycle on.
module l1_data (
  input  logic                              clk_i,
  input  logic                              read_i,
  input  lsu_pkg::sectors_t                 write_i,    // sectors written
  input  logic [lsu_pkg::LineW-1:0]         place_i,
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

  logic [RowW-1:0] row;  // {line, part of it, piece}
  if (mem_pkg::Pieces == 1) begin : g_sectors
    assign row = RowW'({place_i, sector_i} >> lsu_pkg::SectorW);
    logic unused;
    assign unused = ^piece_i;
  end else begin : g_pieces
    assign row = RowW'({{place_i, sector_i} >> lsu_pkg::SectorW, piece_i});
  end

  for (genvar s = 0; s < int'(lsu_pkg::PassSectors); s++) begin : g_sector
    (* no_rw_check *) logic [mem_pkg::PieceBits-1:0] mem_q [Rows];  // one operation a cycle
    logic [mem_pkg::PieceBits-1:0] out_q;
    logic [mem_pkg::PieceBytes-1:0] mask;
    logic [mem_pkg::PieceBits-1:0]  data;
    assign mask = mask_i[s*int'(lsu_pkg::PieceWords)+:lsu_pkg::PieceWords];
    assign data = data_i[s*int'(lsu_pkg::PieceWords)+:lsu_pkg::PieceWords];
    always_ff @(posedge clk_i) begin
      if (read_i) out_q <= mem_q[row];
      if (write_i[s]) begin
        // Whole pieces at once: cheaper to simulate.
        if (fill_i) mem_q[row] <= filled_i[s*int'(lsu_pkg::PieceWords)+:lsu_pkg::PieceWords];
        else if (&mask) mem_q[row] <= data;
        else begin
          for (int unsigned b = 0; b < mem_pkg::PieceBytes; b++)
            if (mask[b]) mem_q[row][8*b+:8] <= data[8*b+:8];
        end
      end
    end
    assign data_o[s*int'(lsu_pkg::PieceWords)+:lsu_pkg::PieceWords] = out_q;
  end

  always_ff @(posedge clk_i) begin
    a_one: assert (!(read_i && write_i != '0)) else $error("l1_data: a read and a write in one cycle");
  end

endmodule
