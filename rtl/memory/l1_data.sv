// SPDX-License-Identifier: Apache-2.0
// Data of the L1: a piece of a sector is written with byte enables; read is that piece of all sectors that a pass
// reaches (a line, or one sector in a narrow machine). Read data stand in data_o from the next cycle on.
module l1_data (
  input  logic                              clk_i,
  input  logic                              read_i,
  input  logic                              write_i,
  input  logic [lsu_pkg::LineW-1:0]         place_i,
  input  logic [1:0]                        sector_i,   // written; read: one of those
  input  mem_pkg::piece_t                   piece_i,
  input  logic [mem_pkg::PieceBytes-1:0]    mask_i,
  input  logic [mem_pkg::PieceBits-1:0]     data_i,
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
    always_ff @(posedge clk_i) begin
      if (read_i) out_q <= mem_q[row];
      if (write_i && lsu_pkg::in_pass(sector_i) == lsu_pkg::sector_t'(s)) begin
        // Whole pieces, as fills are, at once: cheaper to simulate.
        if (&mask_i) mem_q[row] <= data_i;
        else begin
          for (int unsigned b = 0; b < mem_pkg::PieceBytes; b++)
            if (mask_i[b]) mem_q[row][8*b+:8] <= data_i[8*b+:8];
        end
      end
    end
    assign data_o[s*int'(lsu_pkg::PieceWords)+:lsu_pkg::PieceWords] = out_q;
  end

  always_ff @(posedge clk_i) begin
    a_one: assert (!(read_i && write_i)) else $error("l1_data: a read and a write in one cycle");
  end

endmodule
