// SPDX-License-Identifier: Apache-2.0
// l2_data with the fields of requests' beats, operations, answers and trace events as ports. An operation comes a cycle
// later than its ports say: its request's last beat may come with it.
module l2_data_top (
  input  logic                        clk_i,
  input  logic                        rst_ni,
  input  logic                        store_valid_i,
  input  logic [7:0]                  slot_i,
  input  logic [1:0]                  piece_i,
  input  logic                        last_i,
  input  logic                        op_valid_i,
  input  logic                        evict_i,
  input  logic                        error_i,
  input  logic                        fill_i,
  input  logic [7:0]                  client_i,
  input  logic [1:0]                  kind_i,
  input  logic [7:0]                  id_i,
  input  logic [63:0]                 sector_i,
  input  logic [31:0]                 mask_i,       // of the beat's bytes
  input  logic [mem_pkg::SectorW-1:0] data_i,
  input  logic [4:0]                  offset_i,
  input  logic                        wide_i,
  input  logic [3:0]                  atom_op_i,
  input  logic [2:0]                  atom_type_i,
  input  logic [15:0]                 place_i,
  input  logic [3:0]                  dirty_i,
  input  logic [mem_pkg::SectorW-1:0] fill_data_i,
  output logic                        ready_o,      // else what the ports say is not taken
  output logic                        float_atomics_o,
  output logic [7:0]                  held_int_o,   // cycles for which an atomic waits behind one of integers on its word
  output logic [7:0]                  held_float_o,
  output logic                        busy_o,
  output logic                        rsp_valid_o,
  output logic [7:0]                  rsp_client_o,
  output logic [1:0]                  rsp_kind_o,
  output logic [7:0]                  rsp_id_o,
  output logic                        rsp_error_o,
  output logic [1:0]                  rsp_piece_o,
  output logic                        rsp_last_o,
  output logic [mem_pkg::SectorW-1:0] rsp_data_o,
  output logic                        write_back_valid_o,
  output logic [1:0]                  write_back_sector_o,
  output logic [3:0][31:0]            write_back_mask_o,
  output logic [3:0][mem_pkg::SectorW-1:0] write_back_data_o,
  output logic [7:0]                  banks_o,
  output logic [7:0]                  pieces_o,
  output logic                        trace_valid_o,
  output logic [7:0]                  trace_client_o,
  output logic [63:0]                 trace_sector_o,
  output logic [mem_pkg::SectorW-1:0] trace_old_o,
  output logic                        trace_last_o,
  output logic [31:0]                 trace_beat_mask_o,   // of the last beat
  output logic [mem_pkg::SectorW-1:0] trace_beat_data_o,
  output logic [31:0]                 trace_mask_o,
  output logic [mem_pkg::SectorW-1:0] trace_data_o
);

  l2_pkg::op_t         op, op_q;
  l2_pkg::request_t    request;
  mem_pkg::answer_t    rsp;
  l2_pkg::write_back_t write_back;
  trace_pkg::l2_t      trace;
  logic                op_valid_q;
  logic [l2_pkg::ClientW-1:0]  rsp_client;
  // A fill's data as the reader gives them: the piece that is asked for, in the next cycle.
  logic [mem_pkg::Pieces-1:0][mem_pkg::PieceBits-1:0] fill_data_q;
  logic [mem_pkg::PieceBits-1:0] fill_piece_q;
  logic [mem_pkg::PieceW-1:0]    fill_piece;
  logic                          fill_read, write_back_valid;
  always_comb begin
    op = '0;
    op.evict = evict_i;
    op.error = error_i;
    op.fill = fill_i;
    op.slot = slot_i[l2_pkg::SlotW-1:0];
    op.place = place_i[l2_pkg::PlaceW-1:0];
    op.sector = sector_i[1:0];
    op.dirty = dirty_i;
    request = '0;
    request.client = client_i[l2_pkg::ClientW-1:0];
    request.req.kind = mem_pkg::req_kind_e'(kind_i);
    request.req.id = id_i;
    request.req.sector = sector_i[gpu_pkg::AddrW-6:0];
    request.req.piece = mem_pkg::piece_t'(piece_i);
    request.req.last = last_i;
    request.req.mask = mask_i[mem_pkg::PieceBytes-1:0];
    request.req.data = data_i[mem_pkg::PieceBits-1:0];
    request.req.offset = offset_i;
    request.req.wide = wide_i;
    request.req.atom_op = atom_op_i;
    request.req.atom_type = mem_pkg::atom_type_t'(atom_type_i);
  end
  always_ff @(posedge clk_i) begin
    if (!rst_ni) op_valid_q <= 1'b0;
    else if (ready_o) op_valid_q <= op_valid_i;
    if (ready_o) begin
      op_q <= op;
      fill_data_q <= fill_data_i;
    end
    fill_piece_q <= fill_read ? fill_data_q[fill_piece] : 'x;
  end
  assign rsp_client_o = 8'(rsp_client);
  assign rsp_kind_o = rsp.kind;
  assign rsp_id_o = rsp.id;
  assign rsp_error_o = rsp.error;
  assign rsp_piece_o = 2'(rsp.piece);
  assign rsp_last_o = rsp.last;
  assign rsp_data_o = mem_pkg::SectorW'(rsp.data);
  assign pieces_o = 8'(mem_pkg::Pieces);
  assign banks_o = 8'(l2_pkg::Banks);
  assign float_atomics_o = mem_pkg::FloatAtomics;
  assign held_int_o = 8'(config_pkg::Latency[isa_pkg::LatWord]);
  assign held_float_o = 8'(config_pkg::Latency[isa_pkg::LatSum]) + 8'd1;
  assign write_back_sector_o = write_back.sector;
  // Its pieces together, with the last.
  assign write_back_valid_o = write_back_valid && write_back.piece == mem_pkg::PieceW'(mem_pkg::Pieces - 1);
  for (genvar b = 0; b < int'(l2_pkg::Banks); b++) begin : g_bank
    logic [mem_pkg::Pieces-1:0][mem_pkg::PieceBits-1:0]  data_q, data;
    logic [mem_pkg::Pieces-1:0][mem_pkg::PieceBytes-1:0] mask_q, mask;
    always_comb begin
      data = data_q;
      mask = mask_q;
      data[write_back.piece] = write_back.data[b].data;
      mask[write_back.piece] = write_back.data[b].mask;
    end
    always_ff @(posedge clk_i) begin
      if (write_back_valid) begin
        data_q <= data;
        mask_q <= mask;
      end
    end
    assign write_back_mask_o[b] = mask;
    assign write_back_data_o[b] = data;
  end
  for (genvar b = int'(l2_pkg::Banks); b < 4; b++) begin : g_no_bank
    assign write_back_mask_o[b] = '0;
    assign write_back_data_o[b] = '0;
  end
  assign trace_valid_o = trace.valid;
  assign trace_client_o = trace.client;
  assign trace_sector_o = 64'(trace.req.sector);
  assign trace_old_o = trace.old;
  assign trace_last_o = trace.req.last;
  assign trace_beat_mask_o = 32'(trace.req.mask);
  assign trace_beat_data_o = mem_pkg::SectorW'(trace.req.data);
  assign trace_mask_o = trace.mask;
  assign trace_data_o = trace.data;

  l2_data u_l2_data (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .store_valid_i      (store_valid_i),
    .store_slot_i       (slot_i[l2_pkg::SlotW-1:0]),
    .store_i            (request),
    .op_valid_i         (op_valid_q),
    .op_ready_o         (ready_o),
    .op_i               (op_q),
    .fill_read_o        (fill_read),
    .fill_id_o          (),
    .fill_piece_o       (fill_piece),
    .fill_data_i        (fill_piece_q),
    .busy_o             (busy_o),
    .rsp_valid_o        (rsp_valid_o),
    .rsp_client_o       (rsp_client),
    .rsp_o              (rsp),
    .write_back_valid_o (write_back_valid),
    .write_back_o       (write_back),
    .trace_o            (trace)
  );

endmodule
