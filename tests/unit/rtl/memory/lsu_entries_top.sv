// SPDX-License-Identifier: Apache-2.0
// lsu_entries with the fields of tags, operations and responses as ports.
module lsu_entries_top (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,
  input  logic               prefer_i,
  output logic               free_o,
  output logic [7:0]         free_entry_o,
  input  logic               alloc_i,
  input  logic [7:0]         alloc_warp_i,
  input  logic [15:0]        alloc_seq_i,
  input  logic [31:0]        alloc_mask_i,
  input  logic [31:0]        alloc_pc_i,
  input  logic               cancel_i,
  input  logic [7:0]         cancel_entry_i,
  input  logic [7:0]         pending_i,          // of the first warps
  output logic [7:0]         waiting_o,          // of the same
  input  logic [2:0]         pass_cls_i,
  input  logic               pass_reduces_i,
  input  logic               pass_copies_i,
  input  logic [7:0]         pass_entry_i,
  input  logic [2:0]         pass_size_i,
  input  logic [3:0]         pass_matrix_i,   // lsu_pkg::matrix_t
  input  logic               pass_waits_i,
  input  logic               pass_stores_too_i,
  input  logic               pass_invalidate_i,
  input  logic               pass_acquire_i,
  input  logic [7:0]         pass_warp_i,
  output logic               earlier_o,
  input  logic               start_i,
  input  logic [1:0]         gather_valid_i,     // by bank
  input  logic [1:0][7:0]    gather_entry_i,
  input  logic [1:0][7:0]    gather_slice_i,
  input  logic [1:0][31:0]   gather_lanes_i,     // of the slice
  input  logic               device_end_i,
  input  logic [7:0]         device_end_entry_i,
  input  logic               shared_end_i,
  input  logic [7:0]         shared_end_entry_i,
  output logic               invalidate_valid_o,
  input  logic               invalidate_ready_i,
  output logic               read_o,
  output logic [7:0]         read_entry_o,
  output logic [7:0]         read_slice_o,
  output logic [1:0]         read_index_o,
  input  logic [31:0]        row_i,              // repeated
  input  logic               copy_room_i,
  output logic               copy_read_o,
  output logic               copy_valid_o,
  output logic [7:0]         copy_entry_o,
  output logic               rsp_valid_o,
  input  logic               rsp_ready_i,
  output logic [7:0]         rsp_warp_o,
  output logic [15:0]        rsp_seq_o,
  output logic [31:0]        rsp_mask_o,
  output logic               rsp_we_o,
  output logic               rsp_copies_o,
  output logic [7:0]         rsp_slice_o,
  output logic [1:0]         rsp_index_o,
  output logic               rsp_last_o,
  output logic [31:0]        rsp_row_o,          // the last lane's
  input  logic [7:0]         query_entry_i,
  output logic [31:0]        query_pc_o,
  output logic [4:0]         query_lane_o,
  output logic [7:0]         row_lanes_o,
  output logic [7:0]         banks_o
);

  localparam int unsigned EntryW = lsu_pkg::EntryW;

  localparam int unsigned Lanes = lsu_pkg::Lanes;
  assign row_lanes_o = 8'(Lanes);

  assign banks_o = 8'(lsu_pkg::Pipes);

  lsu_pkg::gather_t [lsu_pkg::Pipes-1:0] gather;
  always_comb begin
    gather = '0;
    for (int unsigned b = 0; b < lsu_pkg::Pipes; b++) begin
      gather[b].entry = gather_entry_i[b][EntryW-1:0];
      gather[b].slice = sm_pkg::slice_t'(gather_slice_i[b]);
      gather[b].lanes = gather_lanes_i[b][Lanes-1:0];
    end
  end

  sm_pkg::tag_t       tag;
  sm_pkg::slice_t     read_slice;
  assign read_slice_o = 8'(read_slice);
  lsu_pkg::op_t       op;
  sm_pkg::lsu_rsp_t   rsp;
  logic [EntryW-1:0]  free_entry, read_entry, copy_entry;
  always_comb begin
    tag = '0;
    tag.warp = alloc_warp_i[config_pkg::WarpW-1:0];
    tag.seq = alloc_seq_i;
    tag.mask = alloc_mask_i;
    op = '0;
    op.cls = lsu_pkg::class_e'(pass_cls_i);
    op.reduces = pass_reduces_i;
    op.copies = pass_copies_i;
    op.entry = pass_entry_i[EntryW-1:0];
    op.size = pass_size_i;
    op.matrix = pass_matrix_i;
    op.waits = pass_waits_i;
    op.stores_too = pass_stores_too_i;
    op.invalidate = pass_invalidate_i;
    op.acquire = pass_acquire_i;
    op.warp = pass_warp_i[config_pkg::WarpW-1:0];
  end
  assign free_entry_o = 8'(free_entry);
  assign read_entry_o = 8'(read_entry);
  assign copy_entry_o = 8'(copy_entry);
  assign rsp_warp_o = 8'(rsp.tag.warp);
  assign rsp_seq_o = rsp.tag.seq;
  assign rsp_slice_o = 8'(rsp.tag.slice);
  assign rsp_mask_o = rsp.tag.mask;
  assign rsp_we_o = rsp.we;
  assign rsp_copies_o = rsp.copies;
  assign rsp_index_o = rsp.index;
  assign rsp_last_o = rsp.last;
  assign rsp_row_o = rsp.row[Lanes-1];

  logic [config_pkg::WarpsPerSm-1:0] waiting;
  assign waiting_o = 8'(waiting);

  lsu_entries u_lsu_entries (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .busy_o             (busy_o),
    .prefer_i           (prefer_i),
    .free_o             (free_o),
    .free_entry_o       (free_entry),
    .alloc_i            (alloc_i),
    .alloc_tag_i        (tag),
    .alloc_pc_i         (alloc_pc_i),
    .cancel_i           (cancel_i),
    .cancel_entry_i     (cancel_entry_i[EntryW-1:0]),
    .pending_i          (config_pkg::WarpsPerSm'(pending_i)),
    .waiting_o          (waiting),
    .op_i               (op),
    .earlier_o          (earlier_o),
    .start_i            (start_i),
    .gather_valid_i     (gather_valid_i[lsu_pkg::Pipes-1:0]),
    .gather_i           (gather),
    .device_end_i       (device_end_i),
    .device_end_entry_i (device_end_entry_i[EntryW-1:0]),
    .shared_end_i       (shared_end_i),
    .shared_end_entry_i (shared_end_entry_i[EntryW-1:0]),
    .invalidate_valid_o (invalidate_valid_o),
    .invalidate_ready_i (invalidate_ready_i),
    .read_o             (read_o),
    .read_entry_o       (read_entry),
    .read_slice_o       (read_slice),
    .read_index_o       (read_index_o),
    .row_i              ({Lanes{row_i}}),
    .copy_room_i        (copy_room_i),
    .copy_read_o        (copy_read_o),
    .copy_valid_o       (copy_valid_o),
    .copy_entry_o       (copy_entry),
    .rsp_valid_o        (rsp_valid_o),
    .rsp_ready_i        (rsp_ready_i),
    .rsp_o              (rsp),
    .query_entry_i      (query_entry_i[EntryW-1:0]),
    .query_pc_o         (query_pc_o),
    .query_lane_o       (query_lane_o)
  );

endmodule
