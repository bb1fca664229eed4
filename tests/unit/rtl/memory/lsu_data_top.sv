// SPDX-License-Identifier: Apache-2.0
// lsu_data with the fields of operations, requests and trace events as ports, as wide as any machine's; store data whole:
// the piece is taken out here.
module lsu_data_top (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  input  logic                          op_valid_i,
  output logic                          op_ready_o,
  input  logic [2:0]                    kind_i,
  input  logic [2:0]                    cls_i,
  input  logic [7:0]                    entry_i,
  input  logic [2:0]                    size_i,
  input  logic [3:0]                    atom_op_i,
  input  logic [2:0]                    atom_type_i,
  input  logic                          reduces_i,
  input  logic [7:0]                    warp_i,
  input  logic [15:0]                   seq_i,
  input  logic                          last_i,
  input  logic [31:0]                   lanes_i,
  input  logic [3:0]                    send_i,
  input  logic [3:0]                    update_i,
  input  logic [15:0]                   place_i,
  input  logic [7:0]                    mshr_i,
  input  logic [63:0]                   line_i,
  input  logic [1:0]                    sector_i,
  input  logic                          install_i,
  input  logic                          fill_event_i,
  input  logic                          atomic_i,
  input  logic [7:0]                    which_i,
  input  logic                          evict_i,
  input  logic [63:0]                   evict_line_i,
  input  logic                          invalidate_all_i,
  input  logic [31:0][31:0]             words_i,
  input  logic [31:0][3:0]              bytes_i,
  input  logic [4:0]                    atom_lane_i,
  input  logic [7:0]                    atom_offset_i,
  input  logic [7:0]                    pieces_i,
  input  logic                          fill_valid_i,
  input  logic [31:0][31:0]             fill_data_i,   // this piece of each sector that a pass reaches
  input  logic [255:0]                  fill_value_i,
  output logic                          fill_take_o,
  output logic                          fill_last_o,

  output logic                          req_valid_o,
  output logic [1:0]                    req_kind_o,
  output logic [7:0]                    req_id_o,
  output logic [63:0]                   req_line_o,
  output logic [3:0]                    req_sectors_o,  // of the line
  output logic [7:0]                    req_piece_o,
  output logic                          req_last_o,
  output logic [127:0]                  req_mask_o,     // of the piece of each sector that a pass reaches
  output logic [31:0][31:0]             req_data_o,
  output logic [4:0]                    req_offset_o,
  output logic                          req_wide_o,
  output logic [3:0]                    req_atom_op_o,
  output logic [2:0]                    req_atom_type_o,
  output logic [7:0]                    req_warp_o,
  output logic [15:0]                   req_seq_o,
  output logic [4:0]                    req_lane_o,
  output logic                          req_several_o,
  output logic [2:0]                    store_sent_o,
  output logic                          end_valid_o,
  output logic [7:0]                    end_entry_o,
  output logic                          gather_valid_o,
  output logic [7:0]                    gather_entry_o,
  output logic [2:0]                    gather_size_o,
  output logic [31:0]                   gather_lanes_o,
  output logic                          gather_at_zero_o,
  output logic [7:0]                    gather_piece_o,
  output logic                          gather_last_o,
  output logic [31:0][31:0]             gather_line_o,
  input  logic                          gather_done_i,

  output logic                          load_valid_o,
  output logic [2:0]                    load_source_o,
  output logic [7:0]                    load_id_o,
  output logic [15:0]                   load_seq_o,
  output logic [31:0]                   load_lanes_o,
  output logic                          l1_valid_o,
  output logic [2:0]                    l1_kind_o,
  output logic                          l1_installed_o,
  output logic [7:0]                    l1_id_o,
  output logic [63:0]                   l1_line_o,
  output logic [3:0]                    l1_sectors_o,
  output logic [127:0]                  l1_mask_o,
  output logic [31:0][31:0]             l1_data_o,
  output logic [7:0]                    row_lanes_o,
  output logic [7:0]                    reach_o,      // words
  output logic [7:0]                    sector_pieces_o,
  output logic [15:0]                   lines_o
);

  lsu_pkg::data_op_t        op;
  lsu_pkg::line_req_t       req;
  lsu_pkg::line_data_t      req_data;
  trace_pkg::load_t         load;
  trace_pkg::l1_t           l1;
  logic [lsu_pkg::EntryW-1:0] end_entry;
  lsu_pkg::gather_t         gather;

  localparam int unsigned PieceWords = lsu_pkg::PieceWords;
  mem_pkg::piece_t       piece;
  lsu_pkg::piece_words_t words, line;
  lsu_pkg::piece_bytes_t bytes;
  always_comb begin
    for (int unsigned s = 0; s < lsu_pkg::PassSectors; s++) begin
      words[s*PieceWords+:PieceWords] = words_i[lsu_pkg::word_of(s, piece)+:PieceWords];
      bytes[s*PieceWords+:PieceWords] = bytes_i[lsu_pkg::word_of(s, piece)+:PieceWords];
    end
  end
  assign gather_piece_o = 8'(gather.piece);
  assign gather_lanes_o = 32'(gather.lanes);
  assign gather_size_o = gather.size;
  assign gather_at_zero_o = gather.at_zero;
  assign gather_last_o = gather.last;
  assign gather_line_o = 1024'(line);
  assign row_lanes_o = 8'(lsu_pkg::Lanes);
  assign reach_o = 8'(lsu_pkg::Words);
  assign sector_pieces_o = 8'(mem_pkg::Pieces);
  assign lines_o = 16'(lsu_pkg::Lines);

  always_comb begin
    op = '0;
    op.kind = lsu_pkg::data_e'(kind_i);
    op.op.cls = lsu_pkg::class_e'(cls_i);
    op.op.entry = entry_i[lsu_pkg::EntryW-1:0];
    op.op.size = size_i;
    op.op.atom_op = atom_op_i;
    op.op.atom_type = mem_pkg::atom_type_t'(atom_type_i);
    op.op.reduces = reduces_i;
    op.op.warp = warp_i[config_pkg::WarpW-1:0];
    op.op.seq = seq_i;
    op.last = last_i;
    op.lanes = lanes_i[lsu_pkg::Lanes-1:0];
    op.send = send_i;
    op.update = update_i;
    op.place[0] = place_i[lsu_pkg::LineW-1:0];
    op.mshr = mshr_i[lsu_pkg::MshrW-1:0];
    op.line = line_i[32:0];
    op.sector = sector_i;
    op.install = install_i;
    op.fill_event = fill_event_i;
    op.atomic = atomic_i;
    op.which = lsu_pkg::atomic_t'(which_i);
    op.evict = evict_i;
    op.evict_line = evict_line_i[32:0];
    op.invalidate_all = invalidate_all_i;
  end

  assign req_kind_o = req.kind;
  assign req_id_o = req.id;
  assign req_line_o = 64'(req.line);
  assign req_sectors_o = 4'(req.sectors) << req.sector;
  assign req_piece_o = 8'(req.piece);
  assign req_last_o = req.last;
  assign req_mask_o = 128'(req_data.mask);
  assign req_data_o = 1024'(req_data.data);
  assign req_offset_o = req.offset;
  assign req_wide_o = req.wide;
  assign req_atom_op_o = req.atom_op;
  assign req_atom_type_o = 3'(req.atom_type);
  assign req_warp_o = 8'(req.warp);
  assign req_seq_o = req.seq;
  assign req_lane_o = req.lane;
  assign req_several_o = req.several;
  assign end_entry_o = 8'(end_entry);
  assign gather_entry_o = 8'(gather.entry);
  assign load_valid_o = load.valid;
  assign load_source_o = load.source;
  assign load_id_o = load.id;
  assign load_seq_o = load.seq;
  assign load_lanes_o = load.lanes;
  assign l1_valid_o = l1.valid;
  assign l1_kind_o = l1.kind;
  assign l1_installed_o = l1.installed;
  assign l1_id_o = l1.id;
  assign l1_line_o = 64'(l1.line);
  assign l1_sectors_o = l1.sectors;
  assign l1_mask_o = l1.mask;
  assign l1_data_o = l1.data;

  lsu_data u_lsu_data (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .op_valid_i           (op_valid_i),
    .op_ready_o           (op_ready_o),
    .op_i                 (op),
    .piece_o              (piece),
    .words_i              (words),
    .bytes_i              (bytes),
    .atom_lane_i          (atom_lane_i),
    .atom_offset_i        (atom_offset_i[lsu_pkg::OffsetW-1:0]),
    .fill_data_i          (($bits(lsu_pkg::piece_words_t))'(fill_data_i)),
    .fill_value_i         (fill_value_i[$bits(lsu_pkg::atomic_value_t)-1:0]),
    .pieces_i             (pieces_i[mem_pkg::Pieces-1:0]),
    .fill_valid_i         (fill_valid_i),
    .fill_take_o          (fill_take_o),
    .fill_last_o          (fill_last_o),
    .req_valid_o          (req_valid_o),
    .req_o                (req),
    .req_data_o           (req_data),
    .store_sent_o         (store_sent_o),
    .end_valid_o          (end_valid_o),
    .end_entry_o          (end_entry),
    .gather_valid_o       (gather_valid_o),
    .gather_o             (gather),
    .gather_line_o        (line),
    .gather_done_i        (gather_done_i),
    .trace_load_o         (load),
    .trace_l1_o           (l1)
  );

endmodule
