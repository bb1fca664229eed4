// SPDX-License-Identifier: Apache-2.0
// lsu_shared with the fields of passes, gathered data and trace events as ports, as wide as any machine's; store data whole: the
// piece is taken out here.
module lsu_shared_top (
  input  logic                clk_i,
  input  logic                rst_ni,
  output logic                idle_o,
  input  logic                pass_valid_i,
  output logic                pass_ready_o,
  input  logic [2:0]          cls_i,
  input  logic [7:0]          entry_i,
  input  logic [2:0]          size_i,
  input  logic [3:0]          atom_op_i,
  input  logic [2:0]          atom_type_i,
  input  logic                reduces_i,
  input  logic [7:0]          warp_i,
  input  logic [15:0]         seq_i,
  input  logic                last_i,
  input  logic [7:0]          slice_i,
  input  logic [31:0]         lanes_i,
  input  logic [31:0]         bank_used_i,
  input  logic [31:0][15:0]   bank_row_i,
  // Of the pass that is there.
  output logic                valid_o,
  output logic                stores_o,
  input  logic [31:0][31:0]   words_i,
  input  logic [31:0][3:0]    bytes_i,
  input  logic [31:0][31:0]   others_i,
  input  logic [7:0]          atom_offset_i,
  input  logic [7:0]          pieces_i,
  output logic                end_valid_o,
  output logic [7:0]          end_entry_o,
  output logic                gather_valid_o,
  output logic [7:0]          gather_entry_o,
  output logic [7:0]          gather_slice_o,
  output logic [2:0]          gather_size_o,
  output logic [31:0]         gather_lanes_o,
  output logic [7:0]          gather_piece_o,
  output logic                gather_last_o,
  output logic [31:0][31:0]   gather_line_o,
  input  logic                gather_done_i,
  output logic                trace_valid_o,
  output logic                trace_stores_o,
  output logic [7:0]          trace_warp_o,
  output logic [15:0]         trace_seq_o,
  output logic [31:0]         trace_lanes_o,
  output logic [7:0]          row_lanes_o,
  output logic [7:0]          reach_o,          // words
  output logic [7:0]          sector_pieces_o,
  output logic                bank_atomics_o,
  output logic [15:0]         bank_rows_o
);

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  assign row_lanes_o = 8'(lsu_pkg::Lanes);
  assign reach_o = 8'(lsu_pkg::Words);
  assign sector_pieces_o = 8'(mem_pkg::Pieces);
  assign bank_atomics_o = lsu_pkg::BankAtomics;
  assign bank_rows_o = 16'(lsu_pkg::BankRows);

  lsu_pkg::pass_t        pass;
  lsu_pkg::gather_t      gather;
  trace_pkg::shared_t    shared;
  mem_pkg::piece_t       piece;
  lsu_pkg::piece_words_t words, line;
  lsu_pkg::piece_bytes_t bytes;
  lsu_pkg::bank_rows_t   rows;
  logic [lsu_pkg::EntryW-1:0] end_entry;
  always_comb begin
    pass = '0;
    pass.op.cls = lsu_pkg::class_e'(cls_i);
    pass.op.entry = entry_i[lsu_pkg::EntryW-1:0];
    pass.op.size = size_i;
    pass.op.atom_op = atom_op_i;
    pass.op.atom_type = mem_pkg::atom_type_t'(atom_type_i);
    pass.op.reduces = reduces_i;
    pass.op.warp = warp_i[config_pkg::WarpW-1:0];
    pass.op.seq = seq_i;
    pass.shared = 1'b1;
    pass.last = last_i;
    pass.slice = sm_pkg::slice_t'(slice_i);
    pass.lanes = lanes_i[lsu_pkg::Lanes-1:0];
    pass.told = pass.lanes;
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
      words[s*PieceWords+:PieceWords] = words_i[lsu_pkg::word_of(s, piece)+:PieceWords];
      bytes[s*PieceWords+:PieceWords] = bytes_i[lsu_pkg::word_of(s, piece)+:PieceWords];
    end
    for (int unsigned bank = 0; bank < lsu_pkg::Banks; bank++) rows[bank] = ($bits(rows) / lsu_pkg::Banks)'(bank_row_i[bank]);
  end
  assign end_entry_o = 8'(end_entry);
  assign gather_entry_o = 8'(gather.entry);
  assign gather_slice_o = 8'(gather.slice);
  assign gather_size_o = gather.size;
  assign gather_lanes_o = 32'(gather.lanes);
  assign gather_piece_o = 8'(gather.piece);
  assign gather_last_o = gather.last;
  assign gather_line_o = 1024'(line);
  assign trace_valid_o = shared.valid;
  assign trace_stores_o = shared.stores;
  assign trace_warp_o = 8'(shared.warp);
  assign trace_seq_o = shared.seq;
  assign trace_lanes_o = shared.lanes;

  lsu_shared u_lsu_shared (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .idle_o         (idle_o),
    .pass_valid_i   (pass_valid_i),
    .pass_ready_o   (pass_ready_o),
    .pass_i         (pass),
    .bank_used_i    (bank_used_i[lsu_pkg::Banks-1:0]),
    .bank_row_i     (rows),
    .stores_o       (stores_o),
    .valid_o        (valid_o),
    .piece_o        (piece),
    .words_i        (words),
    .bytes_i        (bytes),
    .others_i       (others_i[lsu_pkg::Words-1:0]),
    .atom_offset_i  (atom_offset_i[lsu_pkg::OffsetW-1:0]),
    .pieces_i       (pieces_i[mem_pkg::Pieces-1:0]),
    .end_valid_o    (end_valid_o),
    .end_entry_o    (end_entry),
    .gather_valid_o (gather_valid_o),
    .gather_o       (gather),
    .gather_line_o  (line),
    .gather_done_i  (gather_done_i),
    .trace_shared_o (shared)
  );

endmodule
