// SPDX-License-Identifier: Apache-2.0
// Load/store unit of an SM with its shared memory and L1 data cache. Takes one warp instruction a cycle;
// each is cut into passes (README.md), a pass takes one cycle.
//
//   req -> lsu_front     -> l1_control -> lsu_data -> lsu_gather -> lsu_entries -> rsp
//          (lsu_address,    (tags,        (shared_memory,
//           lsu_select)      MSHRs)        l1_data, requests to L2)
//
// What the SM may rely on:
// - Instructions take effect in the order accepted: shared memory fully; device memory for accesses of
//   one SM to the same sector.
// - Operands are copied at the handshake. `last` comes when the last row is delivered, for a store when its
//   data have left for L2 or shared memory; store_pending_o[w] says that L2 has not yet acknowledged
//   all stores of warp w. A block is done when all its instructions had `last` and no warp is pending.
// - An instruction with empty mask is answered like any other. One that faults is not answered.
// - Where rows move in slices, every instruction comes with all of its slices, one after the other. An entry is
//   needed for the first; the others are taken at once.
// - MEMBAR, an acquire and CCTL hold back nothing that enters after them: the SM issues no memory
//   instruction of that warp until their `last`.
// A bus error is reported with the lowest lane that waits; that of a store names the warp only (pc 0).
module lsu (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  gpu_pkg::settings_t                settings_i,
  input  gpu_pkg::kernel_t                  kernel_i,
  input  logic                              kernel_start_i,  // one cycle: the L1 forgets everything
  input  logic [config_pkg::SmW-1:0]        sm_id_i,

  input  logic                              req_valid_i,
  output logic                              req_ready_o,
  input  sm_pkg::lsu_req_t                  req_i,
  output logic                              rsp_valid_o,
  input  logic                              rsp_ready_i,
  output sm_pkg::lsu_rsp_t                  rsp_o,
  output logic                              fault_valid_o,   // one cycle
  output sm_pkg::lsu_fault_t                fault_o,
  output logic                              busy_o,          // anything under way, stores included
  output logic [config_pkg::WarpsPerSm-1:0] store_pending_o,

  // To L2, through mem_hub: ids of the lower half.
  output logic                              mem_req_valid_o,
  input  logic                              mem_req_ready_i,
  output mem_pkg::req_t                     mem_req_o,
  input  logic                              mem_rsp_valid_i,
  output logic                              mem_rsp_ready_o,
  input  mem_pkg::rsp_t                     mem_rsp_i,

  output trace_pkg::load_t                  trace_load_o,
  output trace_pkg::shared_store_t          trace_shared_store_o,
  output trace_pkg::l1_t                    trace_l1_o
);

  localparam int unsigned EntryW = lsu_pkg::EntryW;

  // ---- instructions to passes ----------------------------------------------------------------------
  logic                free, alloc, address_fault;
  logic [EntryW-1:0]   free_entry, address_fault_entry;
  sm_pkg::lsu_fault_t  address_fault_info;
  logic                pass_valid, pass_ready, pass_fire;
  lsu_pkg::pass_t      pass;
  lsu_pkg::place_t     pass_place;
  lsu_pkg::offsets_t   pass_offset;
  lsu_pkg::banks_t     pass_bank_used;
  lsu_pkg::bank_rows_t pass_bank_row;
  sm_pkg::row_t [3:0]  pass_data;
  assign pass_fire = pass_valid && pass_ready;
  assign pass_place = lsu_pkg::place_of(pass.op.entry, pass.slice);

  lsu_front u_front (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .settings_i    (settings_i),
    .kernel_i      (kernel_i),
    .sm_id_i       (sm_id_i),
    .req_valid_i   (req_valid_i),
    .req_ready_o   (req_ready_o),
    .req_i         (req_i),
    .free_i        (free),
    .free_entry_i  (free_entry),
    .alloc_o       (alloc),
    .fault_valid_o (address_fault),
    .fault_entry_o (address_fault_entry),
    .fault_o       (address_fault_info),
    .pass_valid_o  (pass_valid),
    .pass_ready_i  (pass_ready),
    .pass_o        (pass),
    .offset_o      (pass_offset),
    .bank_used_o   (pass_bank_used),
    .bank_row_o    (pass_bank_row),
    .data_o        (pass_data)
  );

  // ---- answers of L2 -------------------------------------------------------------------------------
  localparam int unsigned AtomicDepth = mem_pkg::RamQueues ? 4 : 2;
  lsu_pkg::data_op_t     data_op;
  logic                  ack, fill_in_ready, arrive_valid, atomic_valid, fill, fill_atomic;
  logic                  beat_valid, beat_take, beat_last;
  lsu_pkg::fill_id_t     arrive_id;
  lsu_pkg::part_t        fill_part;
  lsu_pkg::piece_words_t beat;
  lsu_pkg::sectors_t     fill_error;
  logic [63:0]           atomic_value;
  logic [5:0]            atomic_id;
  logic                  answered;   // not by an acknowledgement alone
  assign answered = mem_rsp_i.answer.kind != mem_pkg::ReqWrite;
  assign mem_rsp_ready_o = fill_in_ready || !answered;
  assign ack = mem_rsp_valid_i && mem_rsp_ready_o && mem_rsp_i.ack.valid;

  lsu_fills #(.Depth(AtomicDepth)) u_fills (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .wr_valid_i     (mem_rsp_valid_i && answered),
    .wr_ready_o     (fill_in_ready),
    .wr_data_i      (mem_rsp_i.answer),
    .arrive_valid_o (arrive_valid),
    .arrive_id_o    (arrive_id),
    .atomic_valid_o (atomic_valid),
    .atomic_id_o    (atomic_id),
    .read_i         (fill),
    .read_atomic_i  (fill_atomic),
    .read_part_i    (fill_part),
    .beat_valid_o   (beat_valid),
    .beat_take_i    (beat_take),
    .beat_last_i    (beat_last),
    .beat_o         (beat),
    .value_o        (atomic_value),
    .error_o        (fill_error)
  );

  // ---- L1 tags -------------------------------------------------------------------------------------
  logic              data_valid, data_ready, earlier, hold, room, l1_busy;
  logic              invalidate_q, entry_invalidate, invalidate_ready;
  // A release; a MEMBAR waits in its entry.
  assign hold = pass.first && pass.op.waits && pass.op.cls != lsu_pkg::ClassFence &&
                (earlier || data_valid || (pass.op.stores_too && store_pending_o[pass.op.warp]));

  always_ff @(posedge clk_i) begin
    if (!rst_ni) invalidate_q <= 1'b0;
    else if (kernel_start_i || (entry_invalidate && !invalidate_q)) invalidate_q <= 1'b1;
    else if (invalidate_ready) invalidate_q <= 1'b0;
  end

  l1_control u_l1_control (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .busy_o             (l1_busy),
    .invalidate_valid_i (invalidate_q),
    .invalidate_ready_o (invalidate_ready),
    .arrive_valid_i     (arrive_valid),
    .arrive_id_i        (arrive_id),
    .atomic_valid_i     (atomic_valid),
    .atomic_id_i        (atomic_id),
    .fill_o             (fill),
    .fill_atomic_o      (fill_atomic),
    .fill_part_o        (fill_part),
    .pass_valid_i       (pass_valid),
    .pass_ready_o       (pass_ready),
    .pass_i             (pass),
    .hold_i             (hold),
    .room_i             (room),
    .data_valid_o       (data_valid),
    .data_ready_i       (data_ready),
    .data_o             (data_op),
    .trace_read_o       ()
  );

  // ---- what goes with an operation into the data stage -----------------------------------------------
  mem_pkg::piece_t       store_piece;
  lsu_pkg::piece_words_t store_words;
  lsu_pkg::piece_bytes_t store_bytes;
  lsu_pkg::words_t       store_others;
  logic [4:0]        atom_lane;
  logic [lsu_pkg::OffsetW-1:0] atom_offset;
  lsu_scatter u_scatter (
    .clk_i    (clk_i),
    .en_i     (pass_fire && (pass.op.cls == lsu_pkg::ClassStore || pass.op.cls == lsu_pkg::ClassAtomic)),
    .cls_i    (pass.op.cls),
    .shared_i (pass.shared),
    .size_i   (pass.op.size),
    .slice_i  (pass.slice),
    .lanes_i  (pass.lanes),
    .offset_i (pass_offset),
    .data_i   (pass_data),
    .show_i   (data_valid && (data_op.op.cls == lsu_pkg::ClassStore || data_op.op.cls == lsu_pkg::ClassAtomic)),
    .piece_i  (store_piece),
    .words_o  (store_words),
    .bytes_o  (store_bytes),
    .others_o (store_others),
    .lane_o   (atom_lane),
    .offset_o (atom_offset)
  );

  lsu_pkg::banks_t     bank_used_q;
  lsu_pkg::bank_rows_t bank_row_q;
  always_ff @(posedge clk_i) begin
    if (pass_fire && pass.shared) begin
      bank_used_q <= pass_bank_used;
      bank_row_q <= pass_bank_row;
    end
  end

  lsu_pkg::pieces_t pieces;
  if (mem_pkg::Pieces == 1) begin : g_whole
    assign pieces = '1;
  end else begin : g_pieces
    always_ff @(posedge clk_i) begin
      if (pass_fire) pieces <= lsu_pkg::pieces_of(pass.lanes, pass_offset, pass.op.size);
    end
  end

  // ---- data ----------------------------------------------------------------------------------------
  logic               requests_valid, end_valid, gather_valid;
  logic [2:0]         store_sent;
  lsu_pkg::line_req_t  requests;
  lsu_pkg::line_data_t requests_data;
  logic [EntryW-1:0] end_entry, gather_entry;
  logic [2:0]        gather_size;
  lsu_pkg::matrix_t  gather_matrix;
  sm_pkg::slice_t    gather_slice;
  sm_pkg::lanes_t    gather_lanes;
  logic              gather_at_zero, gather_last, gather_done;
  mem_pkg::piece_t   gather_piece;
  lsu_pkg::piece_words_t gather_line;

  lsu_data u_data (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .op_valid_i           (data_valid),
    .op_ready_o           (data_ready),
    .op_i                 (data_op),
    .piece_o              (store_piece),
    .words_i              (store_words),
    .bytes_i              (store_bytes),
    .others_i             (store_others),
    .atom_lane_i          (atom_lane),
    .atom_offset_i        (atom_offset),
    .bank_used_i          (bank_used_q),
    .bank_row_i           (bank_row_q),
    .pieces_i             (pieces),
    .fill_valid_i         (beat_valid),
    .fill_data_i          (beat),
    .fill_value_i         (atomic_value),
    .fill_take_o          (beat_take),
    .fill_last_o          (beat_last),
    .req_valid_o          (requests_valid),
    .req_o                (requests),
    .req_data_o           (requests_data),
    .store_sent_o         (store_sent),
    .end_valid_o          (end_valid),
    .end_entry_o          (end_entry),
    .gather_valid_o       (gather_valid),
    .gather_entry_o       (gather_entry),
    .gather_slice_o       (gather_slice),
    .gather_size_o        (gather_size),
    .gather_matrix_o      (gather_matrix),
    .gather_lanes_o       (gather_lanes),
    .gather_at_zero_o     (gather_at_zero),
    .gather_piece_o       (gather_piece),
    .gather_last_o        (gather_last),
    .gather_line_o        (gather_line),
    .gather_done_i        (gather_done),
    .trace_load_o         (trace_load_o),
    .trace_shared_store_o (trace_shared_store_o),
    .trace_l1_o           (trace_l1_o)
  );

  lsu_requests u_requests (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .wr_valid_i      (requests_valid),
    .wr_req_i        (requests),
    .wr_data_i       (requests_data),
    .room_o          (room),
    .mem_req_valid_o (mem_req_valid_o),
    .mem_req_ready_i (mem_req_ready_i),
    .mem_req_o       (mem_req_o)
  );

  lsu_stores u_stores (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .sent_i      (store_sent),
    .sent_warp_i (data_op.op.warp),
    .ack_i       (ack),
    .ack_warp_i  (mem_rsp_i.ack.id[config_pkg::WarpW-1:0]),
    .pending_o   (store_pending_o)
  );

  // ---- rows and responses --------------------------------------------------------------------------
  logic              row_read, entries_busy;
  logic [EntryW-1:0] row_entry;
  sm_pkg::slice_t    row_slice;
  logic [1:0]        row_index;
  sm_pkg::row_t      row;
  logic [31:0]       query_pc;
  logic [4:0]        query_lane;

  lsu_gather u_gather (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .note_i        (pass_fire && (pass.first || sm_pkg::RowSlices > 1)),
    .note_place_i  (pass_place),
    .note_offset_i (pass_offset),
    .valid_i       (gather_valid),
    .done_o        (gather_done),
    .place_i       (lsu_pkg::place_of(gather_entry, gather_slice)),
    .size_i        (gather_size),
    .matrix_i      (gather_matrix),
    .lanes_i       (gather_lanes),
    .at_zero_i     (gather_at_zero),
    .piece_i       (gather_piece),
    .line_i        (gather_line),
    .read_i        (row_read),
    .read_place_i  (lsu_pkg::place_of(row_entry, row_slice)),
    .read_index_i  (row_index),
    .row_o         (row)
  );

  lsu_entries u_entries (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .busy_o             (entries_busy),
    .free_o             (free),
    .free_entry_o       (free_entry),
    .alloc_i            (alloc),
    .alloc_tag_i        (req_i.tag),
    .alloc_pc_i         (req_i.pc),
    .cancel_i           (address_fault),
    .cancel_entry_i     (address_fault_entry),
    .pending_i          (store_pending_o),
    .pass_valid_i       (pass_valid),
    .pass_op_i          (pass.op),
    .earlier_o          (earlier),
    .start_i            (pass_fire && pass.first),
    .gather_valid_i     (gather_valid && gather_done && gather_last),
    .gather_entry_i     (gather_entry),
    .gather_slice_i     (gather_slice),
    .gather_lanes_i     (gather_lanes),
    .end_valid_i        (end_valid),
    .end_entry_i        (end_entry),
    .invalidate_valid_o (entry_invalidate),
    .invalidate_ready_i (invalidate_q && invalidate_ready),  // it is empty
    .read_o             (row_read),
    .read_entry_o       (row_entry),
    .read_slice_o       (row_slice),
    .read_index_o       (row_index),
    .row_i              (row),
    .rsp_valid_o        (rsp_valid_o),
    .rsp_ready_i        (rsp_ready_i),
    .rsp_o              (rsp_o),
    .query_entry_i      (data_op.op.entry),
    .query_pc_o         (query_pc),
    .query_lane_o       (query_lane)
  );

  // ---- faults: of addresses; and what L2 answers with an error ----------------------------------------
  logic bus_fault, ack_fault;
  lsu_pkg::sectors_t fill_errors;  // of the sectors that came
  assign fill_errors = data_op.atomic ? fill_error : fill_error & lsu_pkg::reached(data_op.update, data_op.sector);
  assign bus_fault = beat_take && beat_last && fill_errors != '0 && data_op.lanes != '0;
  assign ack_fault = ack && mem_rsp_i.ack.error;
  always_ff @(posedge clk_i) begin
    fault_valid_o <= address_fault || bus_fault || ack_fault;
    if (address_fault) fault_o <= address_fault_info;
    else if (bus_fault) begin
      fault_o.warp <= data_op.op.warp;
      fault_o.pc <= query_pc;
      fault_o.lane <= query_lane;
      fault_o.kind <= 4'(device_pkg::FaultBus);
      fault_o.code <= data_op.atomic ? 8'(device_pkg::FaultAtomic) : 8'd0;
      fault_o.address <= 64'({data_op.line, data_op.sector | 2'(prim_pkg::first32(32'(fill_errors))), 5'd0});
    end else if (ack_fault) begin
      fault_o.warp <= mem_rsp_i.ack.id[config_pkg::WarpW-1:0];
      fault_o.pc <= '0;
      fault_o.lane <= '0;
      fault_o.kind <= 4'(device_pkg::FaultBus);
      fault_o.code <= 8'(device_pkg::FaultWrite);
      fault_o.address <= '0;
    end
    if (!rst_ni) begin
      fault_valid_o <= 1'b0;
    end
  end

  assign busy_o = entries_busy || l1_busy || store_pending_o != '0 || mem_req_valid_o || invalidate_q ||
                  (mem_pkg::Pieces > 1 && data_valid);  // beats of an answer nobody waits for

endmodule
