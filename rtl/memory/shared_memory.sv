// SPDX-License-Identifier: Apache-2.0
// Shared memory of an SM: as many banks of 32 bits as a pass reaches words, each with its own row address; a bank
// reads or writes one word a cycle, with byte enables. What is written comes in pieces as device memory's does: the
// banks of the others wait. Read data stand in data_o from the next cycle on. Atomics' values are written whole, to the
// banks of their words; where those of a pass are written while the next one reads (lsu_pkg::BankAtomics), each bank has a port for either.
module shared_memory (
  input  logic                clk_i,
  input  logic                read_i,
  input  lsu_pkg::banks_t     used_i,     // banks that are read
  input  lsu_pkg::bank_rows_t row_i,
  input  logic                write_i,    // at the same time only with lsu_pkg::BankAtomics
  input  lsu_pkg::banks_t     write_used_i,
  input  lsu_pkg::bank_rows_t write_row_i,
  input  mem_pkg::piece_t     piece_i,    // write
  input  lsu_pkg::piece_words_t data_i,
  input  lsu_pkg::piece_bytes_t bytes_i,
  input  logic                atomic_i,   // write: of `value_i` instead
  input  lsu_pkg::words_t     value_i,
  output lsu_pkg::words_t     data_o      // word of bank b in element b
);

  localparam int unsigned RowW = lsu_pkg::BankRowW;
  logic en;
  assign en = read_i || write_i;
  logic unused;
  assign unused = lsu_pkg::BankAtomics ? ^{piece_i, en} : ^{write_used_i, write_row_i};

  for (genvar bank = 0; bank < int'(lsu_pkg::Banks); bank++) begin : g_bank
    localparam int unsigned PieceWords = lsu_pkg::PieceWords;
    localparam int unsigned From = bank / int'(lsu_pkg::SectorWords) * PieceWords + bank % PieceWords;  // word of the piece
    localparam mem_pkg::piece_t Piece = mem_pkg::piece_t'(bank % int'(lsu_pkg::SectorWords) / PieceWords);
    logic [31:0] mem_q [lsu_pkg::BankRows];
    logic [31:0] out_q;
    if (lsu_pkg::BankAtomics) begin : g_two_ports
      always_ff @(posedge clk_i) begin
        if (write_i) begin  // by itself: the simulator tests it once for all banks
          if (write_used_i[bank]) begin
            for (int unsigned b = 0; b < 4; b++)
              if (atomic_i || bytes_i[From][b])
                mem_q[write_row_i[bank][RowW-1:0]][8*b+:8] <= atomic_i ? value_i[bank][8*b+:8] : data_i[From][8*b+:8];
          end
        end
      end
      always_ff @(posedge clk_i) begin
        if (read_i) begin
          if (used_i[bank]) out_q <= mem_q[row_i[bank][RowW-1:0]];
        end
      end
    end else begin : g_one_port  // the same rows are given for both
      always_ff @(posedge clk_i) begin
        if (en) begin
          if (used_i[bank] && (mem_pkg::Pieces == 1 || !write_i || piece_i == Piece)) begin
            if (write_i) begin
              for (int unsigned b = 0; b < 4; b++)
                if (atomic_i || bytes_i[From][b])
                  mem_q[row_i[bank][RowW-1:0]][8*b+:8] <= atomic_i ? value_i[bank][8*b+:8] : data_i[From][8*b+:8];
            end else out_q <= mem_q[row_i[bank][RowW-1:0]];
          end
        end
      end
    end
    assign data_o[bank] = out_q;
  end

endmodule
