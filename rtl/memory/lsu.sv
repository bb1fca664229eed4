// SPDX-License-Identifier: Apache-2.0
// Load/store unit of an SM with its shared memory and L1 data cache. Takes one warp instruction a cycle;
// each is cut into passes (README.md), a pass takes one cycle.
//
//   req -> lsu_front -> lsu_select -> lsu_shared ------------> lsu_gather -> lsu_entries -> rsp
//                   \-> lsu_select -> l1_control -> lsu_data -/
//   copies: lsu_entries -> lsu_copy -> lsu_select of shared memory
//
// Where rows move whole there are two pipes, in which instructions overtake each other; in slices there is one lsu_select, and a
// pass goes on when that before it has left its data stage.
//
// What the SM may rely on:
// - Instructions take effect in the order accepted: those on shared memory among themselves; in device memory accesses of
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
module lsu #(
  localparam int unsigned Links = mem_pkg::Links
) (
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
  input  logic [config_pkg::WarpsPerSm-1:0] stores_wanted_i,  // warps that wait until they are not pending
  output logic [config_pkg::SubPartitions-1:0][1:0] further_o,  // passes beyond an instruction's second, of each sub-partition

  // To L2, through mem_hub: ids of the lower half.
  output logic                              mem_req_valid_o,
  input  logic                              mem_req_ready_i,
  output mem_pkg::req_t                     mem_req_o,
  input  logic [Links-1:0]                  mem_rsp_valid_i,
  output logic [Links-1:0]                  mem_rsp_ready_o,
  input  mem_pkg::rsp_t [Links-1:0]         mem_rsp_i,

  output trace_pkg::load_t                  trace_load_o,
  output trace_pkg::shared_t                trace_shared_o,
  output trace_pkg::l1_t                    trace_l1_o
);

  localparam int unsigned EntryW = lsu_pkg::EntryW;

  // ---- instructions to the pipes --------------------------------------------------------------------
  localparam int unsigned Pipes = lsu_pkg::Pipes;
  localparam int unsigned SharedPipe = lsu_pkg::SharedPipe;
  localparam int unsigned DevicePipe = lsu_pkg::DevicePipe;
  logic                free, alloc, address_fault, earlier, start, note, shared_idle, banks_idle;
  logic [EntryW-1:0]   free_entry, address_fault_entry;
  sm_pkg::lsu_fault_t  address_fault_info;
  lsu_pkg::op_t        op;
  lsu_pkg::place_t     note_place;
  lsu_pkg::offsets_t   note_offset;
  logic [Pipes-1:0]    front_taken;  // of what comes from the front
  logic [Pipes-1:0]    valid, taken, waits, pass_valid, pass_ready, pass_fire;
  sm_pkg::slice_t      slice;
  logic                final_slice;
  sm_pkg::lanes_t      lanes, shared_lanes;
  sm_pkg::row_t        addr;
  logic [lsu_pkg::Lanes-1:0][7:0] addr_hi;
  sm_pkg::row_t [3:0]  data, data_waiting;
  sm_pkg::row_t        copy_addr;
  localparam bit       Turns = config_pkg::Latency[isa_pkg::LatTurn] != '0;
  logic [Pipes-1:0]    further_q;   // a pass beyond its instruction's second has gone
  logic [config_pkg::WarpW-1:0] further_part_q [Pipes];

  always_comb begin
    further_o = '0;
    for (int unsigned part = 0; part < config_pkg::SubPartitions; part++)
      for (int unsigned p = 0; p < Pipes; p++)
        further_o[part] += 2'(further_q[p] && 32'(further_part_q[p]) == part);
  end

  lsu_front u_front (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .settings_i        (settings_i),
    .kernel_i          (kernel_i),
    .sm_id_i           (sm_id_i),
    .req_valid_i       (req_valid_i),
    .req_ready_o       (req_ready_o),
    .req_i             (req_i),
    .free_i            (free),
    .free_entry_i      (free_entry),
    .alloc_o           (alloc),
    .fault_valid_o     (address_fault),
    .fault_entry_o     (address_fault_entry),
    .fault_o           (address_fault_info),
    .op_o              (op),
    .earlier_i         (earlier),
    .pending_i         (store_pending_o),
    .start_o           (start),
    .note_o            (note),
    .note_place_o      (note_place),
    .note_offset_o     (note_offset),
    .valid_o           (valid),
    .taken_i           (front_taken),
    .shared_idle_i     (shared_idle),
    .slice_o           (slice),
    .final_o           (final_slice),
    .lanes_o           (lanes),
    .shared_o          (shared_lanes),
    .addr_o            (addr),
    .addr_hi_o         (addr_hi),
    .data_o            (data),
    .copy_addr_o       (copy_addr),
    .data_read_i       (pass_fire[SharedPipe] && lsu_pkg::stores(g_pipe[SharedPipe].pass.op)),
    .data_read_place_i (lsu_pkg::place_of(g_pipe[SharedPipe].pass.op.entry, g_pipe[SharedPipe].pass.slice)),
    .data_waiting_o    (data_waiting)
  );

  // ---- copies that have loaded: before what comes from the front ---------------------------------------------
  logic             copy_room, copy_read, copy_row_valid, copy_valid;
  logic [EntryW-1:0] copy_entry;
  lsu_pkg::copy_t   copy;
  if (core_pkg::HasAsyncCopy) begin : g_copies
    lsu_copy u_copy (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .note_i       (start && op.copies),
      .note_op_i    (op),
      .note_lanes_i (lanes),
      .note_addr_i  (copy_addr),
      .room_o       (copy_room),
      .read_i       (copy_read),
      .row_valid_i  (copy_row_valid),
      .row_entry_i  (copy_entry),
      .row_index_i  (rsp_o.index),
      .row_last_i   (rsp_o.last),
      .row_i        (rsp_o.row),
      .valid_o      (copy_valid),
      .taken_i      (taken[SharedPipe]),
      .copy_o       (copy)
    );
  end else begin : g_no_copies
    assign copy_room = 1'b1;
    assign copy_valid = 1'b0;
    assign copy = '0;
    logic unused;
    assign unused = ^{copy_addr, copy_read, copy_row_valid, copy_entry};
  end
  always_comb begin
    front_taken = taken;
    if (copy_valid) front_taken[SharedPipe] = 1'b0;
  end

  // ---- passes of each pipe, and what of them goes with an operation into its data stage ---------------------
  assign pass_fire = pass_valid & pass_ready;
  assign shared_idle = banks_idle && !waits[SharedPipe];
  for (genvar p = 0; p < int'(Pipes); p++) begin : g_pipe
    lsu_pkg::pass_t        pass;
    lsu_pkg::offsets_t     offset;
    lsu_pkg::banks_t       bank_used;
    lsu_pkg::bank_rows_t   bank_row;
    sm_pkg::row_t [3:0]    pass_data;
    lsu_pkg::join_t        joined;
    logic                  show;
    mem_pkg::piece_t       piece;
    lsu_pkg::piece_words_t words;
    lsu_pkg::piece_bytes_t bytes;
    lsu_pkg::words_t       others;
    logic [4:0]            atom_lane;
    logic [lsu_pkg::OffsetW-1:0] atom_offset;
    lsu_pkg::pieces_t      pieces;
    logic                  copies;     // a copy's store goes in
    assign copies = core_pkg::HasAsyncCopy && p == int'(SharedPipe) && copy_valid;

    lsu_select #(.Shared(p == int'(SharedPipe)), .Device(p == int'(DevicePipe))) u_select (
      .clk_i        (clk_i),
      .rst_ni       (rst_ni),
      .valid_i      (valid[p] || copies),
      .busy_o       (waits[p]),
      .taken_o      (taken[p]),
      .op_i         (copies ? copy.op : op),
      .slice_i      (slice),
      .final_i      (final_slice || copies),
      .lanes_i      (copies ? copy.lanes : lanes),
      .shared_i     (copies ? copy.lanes : shared_lanes),
      .addr_i       (copies ? copy.addr : addr),
      .addr_hi_i    (addr_hi),
      .data_i       (copies ? copy.data : data),
      .pass_valid_o (pass_valid[p]),
      .pass_ready_i (pass_ready[p]),
      .pass_o       (pass),
      .offset_o     (offset),
      .bank_used_o  (bank_used),
      .bank_row_o   (bank_row),
      .data_o       (pass_data),
      .join_o       (joined)
    );

    // Sub-partitions' next turns come later by these (lsu_port). Lanes of an atomic on device memory are no passes of a line.
    if (Turns) begin : g_turns
      logic second_q;  // the last pass was its instruction's second or a later one, and not its last
      always_ff @(posedge clk_i) begin
        if (!rst_ni) begin
          second_q <= 1'b0;
          further_q[p] <= 1'b0;
        end else begin
          if (pass_fire[p]) second_q <= !pass.first && !pass.last;
          further_q[p] <= pass_fire[p] && second_q && (p == int'(SharedPipe) || pass.op.cls != lsu_pkg::ClassAtomic);
        end
        if (pass_fire[p]) further_part_q[p] <= config_pkg::WarpW'(32'(pass.op.warp) % config_pkg::SubPartitions);
      end
    end else begin : g_no_turns
      assign further_q[p] = 1'b0;
      assign further_part_q[p] = '0;
    end

    lsu_scatter u_scatter (
      .clk_i    (clk_i),
      .en_i     (pass_fire[p] && lsu_pkg::stores(pass.op)),
      .cls_i    (pass.op.cls),
      .shared_i (pass.shared),
      .size_i   (pass.op.size),
      .slice_i  (pass.slice),
      .lanes_i  (pass.lanes),
      .offset_i (offset),
      .data_i   (sm_pkg::RowSlices == 1 ? pass_data : data_waiting),
      .join_i   (joined),
      .show_i   (show),
      .piece_i  (piece),
      .words_o  (words),
      .bytes_o  (bytes),
      .others_o (others),
      .lane_o   (atom_lane),
      .offset_o (atom_offset)
    );

    // The one pipe looks at what the other does not.
    logic unused;
    assign unused = ^{bank_used, bank_row, others, atom_lane};
    if (mem_pkg::Pieces == 1) begin : g_whole
      assign pieces = '1;
    end else begin : g_pieces
      always_ff @(posedge clk_i) begin
        if (pass_fire[p]) pieces <= lsu_pkg::pieces_of(pass.lanes, offset, pass.op.size);
      end
    end
  end

  // ---- answers of L2 -------------------------------------------------------------------------------
  localparam int unsigned AtomicDepth = mem_pkg::RamQueues ? 4 : 2;
  lsu_pkg::data_op_t     data_op;
  logic [Links-1:0]      fill_in, fill_in_ready, arrive_valid, ack, ack_error;   // fill_in: not by an acknowledgement alone
  logic                  atomic_valid, atomic_direct, atomic_error, atomic_take, fill, fill_atomic;
  logic                  beat_valid, beat_take, beat_last;
  lsu_pkg::fill_id_t [Links-1:0] arrive_id;
  mem_pkg::answer_t [Links-1:0]  answer;
  logic [Links-1:0][config_pkg::WarpW-1:0] ack_warp;
  lsu_pkg::part_t        fill_part;
  lsu_pkg::piece_words_t beat;
  lsu_pkg::sectors_t     fill_error;
  lsu_pkg::atomic_value_t atomic_value, atomic_old;  // in the data stage; that waits
  lsu_pkg::gather_t      atomic_gather;
  lsu_pkg::atomic_id_t   atomic_id;
  for (genvar p = 0; p < int'(Links); p++) begin : g_link
    logic answered;
    assign answer[p] = mem_rsp_i[p].answer;
    assign answered = answer[p].kind != mem_pkg::ReqWrite;
    assign fill_in[p] = mem_rsp_valid_i[p] && answered;
    assign mem_rsp_ready_o[p] = fill_in_ready[p] || !answered;
    assign ack[p] = mem_rsp_valid_i[p] && mem_rsp_ready_o[p] && mem_rsp_i[p].ack.valid;
    assign ack_error[p] = ack[p] && mem_rsp_i[p].ack.error;
    assign ack_warp[p] = mem_rsp_i[p].ack.id[config_pkg::WarpW-1:0];
  end

  lsu_fills #(.Depth(AtomicDepth)) u_fills (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .wr_valid_i     (fill_in),
    .wr_ready_o     (fill_in_ready),
    .wr_data_i      (answer),
    .arrive_valid_o (arrive_valid),
    .arrive_id_o    (arrive_id),
    .atomic_valid_o (atomic_valid),
    .atomic_id_o    (atomic_id),
    .atomic_error_o (atomic_error),
    .atomic_value_o (atomic_old),
    .atomic_take_i  (atomic_take),
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

  // Where they are whole sectors, atomics' old values need neither tags nor MSHRs. Errors take the way on which they are told.
  assign atomic_direct = lsu_pkg::SectorAtomics && !atomic_error;

  // ---- who goes on ----------------------------------------------------------------------------------
  // One pipe: a pass waits until that before it has left its data stage. Answers of L2 are no pass.
  logic data_valid, data_ready, data_has_pass, to_shared, to_device, shared_ready, device_ready, shared_here;
  assign data_has_pass = data_valid && data_op.kind != lsu_pkg::DataFill && !data_ready;
  assign to_shared = pass_valid[SharedPipe] && g_pipe[SharedPipe].pass.shared && !(Pipes == 1 && data_has_pass);
  assign to_device = pass_valid[DevicePipe] && !g_pipe[DevicePipe].pass.shared;
  always_comb begin
    pass_ready[DevicePipe] = device_ready;
    if (Pipes > 1 || g_pipe[SharedPipe].pass.shared) pass_ready[SharedPipe] = shared_ready && !(Pipes == 1 && data_has_pass);
  end

  // ---- shared memory -----------------------------------------------------------------------------------
  logic                  shared_end, shared_stores, shared_gather_valid, shared_gather_done;
  logic [EntryW-1:0]     shared_end_entry;
  lsu_pkg::gather_t      shared_gather;
  lsu_pkg::piece_words_t shared_line;
  mem_pkg::piece_t       shared_piece, data_piece;
  lsu_shared u_shared (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .idle_o         (banks_idle),
    .pass_valid_i   (to_shared),
    .pass_ready_o   (shared_ready),
    .pass_i         (g_pipe[SharedPipe].pass),
    .bank_used_i    (g_pipe[SharedPipe].bank_used),
    .bank_row_i     (g_pipe[SharedPipe].bank_row),
    .stores_o       (shared_stores),
    .valid_o        (shared_here),
    .piece_o        (shared_piece),
    .words_i        (g_pipe[SharedPipe].words),
    .bytes_i        (g_pipe[SharedPipe].bytes),
    .others_i       (g_pipe[SharedPipe].others),
    .atom_offset_i  (g_pipe[SharedPipe].atom_offset),
    .pieces_i       (g_pipe[SharedPipe].pieces),
    .end_valid_o    (shared_end),
    .end_entry_o    (shared_end_entry),
    .gather_valid_o (shared_gather_valid),
    .gather_o       (shared_gather),
    .gather_line_o  (shared_line),
    .gather_done_i  (shared_gather_done),
    .trace_shared_o (trace_shared_o)
  );
  assign g_pipe[SharedPipe].piece = Pipes == 1 && !shared_here ? data_piece : shared_piece;
  assign g_pipe[SharedPipe].show = shared_stores || (Pipes == 1 && data_valid && data_op.kind != lsu_pkg::DataFill && lsu_pkg::stores(data_op.op));
  if (Pipes > 1) begin : g_device_shows
    assign g_pipe[DevicePipe].piece = data_piece;
    assign g_pipe[DevicePipe].show = data_valid && lsu_pkg::stores(data_op.op);
  end

  // ---- L1 tags -------------------------------------------------------------------------------------
  logic room, l1_busy;
  logic invalidate_q, entry_invalidate, invalidate_ready;
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
    .atomic_direct_i    (atomic_direct),
    .atomic_take_i      (atomic_take),
    .atomic_gather_o    (atomic_gather),
    .fill_o             (fill),
    .fill_atomic_o      (fill_atomic),
    .fill_part_o        (fill_part),
    .pass_valid_i       (to_device),
    .pass_ready_o       (device_ready),
    .pass_i             (g_pipe[DevicePipe].pass),
    .hold_i             (Pipes == 1 && !shared_ready),
    .room_i             (room),
    .data_valid_o       (data_valid),
    .data_ready_i       (data_ready),
    .data_o             (data_op),
    .trace_read_o       ()
  );

  // ---- device memory -------------------------------------------------------------------------------
  logic                requests_valid, data_end, data_gather_valid, data_gather_done;
  logic [2:0]          store_sent;
  lsu_pkg::line_req_t  requests;
  lsu_pkg::line_data_t requests_data;
  logic [EntryW-1:0]   data_end_entry;
  lsu_pkg::gather_t    data_gather;
  lsu_pkg::piece_words_t data_line;

  lsu_data u_data (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .op_valid_i           (data_valid),
    .op_ready_o           (data_ready),
    .op_i                 (data_op),
    .piece_o              (data_piece),
    .words_i              (g_pipe[DevicePipe].words),
    .bytes_i              (g_pipe[DevicePipe].bytes),
    .atom_lane_i          (g_pipe[DevicePipe].atom_lane),
    .atom_offset_i        (g_pipe[DevicePipe].atom_offset),
    .pieces_i             (g_pipe[DevicePipe].pieces),
    .fill_valid_i         (beat_valid),
    .fill_data_i          (beat),
    .fill_value_i         (atomic_value),
    .fill_take_o          (beat_take),
    .fill_last_o          (beat_last),
    .req_valid_o          (requests_valid),
    .req_o                (requests),
    .req_data_o           (requests_data),
    .store_sent_o         (store_sent),
    .end_valid_o          (data_end),
    .end_entry_o          (data_end_entry),
    .gather_valid_o       (data_gather_valid),
    .gather_o             (data_gather),
    .gather_line_o        (data_line),
    .gather_done_i        (data_gather_done),
    .trace_load_o         (trace_load_o),
    .trace_l1_o           (trace_l1_o)
  );

  // Who waits for stores: outside, a fence, a release.
  logic [config_pkg::WarpsPerSm-1:0] stores_wanted, fences_wait;
  logic [2:0]                        joined;
  logic [config_pkg::WarpW-1:0]      joined_warp;
  always_comb begin
    stores_wanted = stores_wanted_i | fences_wait;
    if (op.waits && op.stores_too) stores_wanted[op.warp] = 1'b1;
  end

  lsu_requests u_requests (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .wr_valid_i      (requests_valid),
    .wr_req_i        (requests),
    .wr_data_i       (requests_data),
    .room_o          (room),
    .wanted_i        (stores_wanted),
    .joined_o        (joined),
    .joined_warp_o   (joined_warp),
    .mem_req_valid_o (mem_req_valid_o),
    .mem_req_ready_i (mem_req_ready_i),
    .mem_req_o       (mem_req_o)
  );

  lsu_stores u_stores (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .sent_i        (store_sent),
    .sent_warp_i   (data_op.op.warp),
    .ack_i         (ack),
    .ack_warp_i    (ack_warp),
    .joined_i      (joined),
    .joined_warp_i (joined_warp),
    .pending_o     (store_pending_o)
  );

  // ---- rows and responses --------------------------------------------------------------------------
  logic              row_read, entries_busy;
  logic [EntryW-1:0] row_entry;
  sm_pkg::slice_t    row_slice;
  logic [1:0]        row_index;
  sm_pkg::row_t      row;
  logic [31:0]       query_pc;
  logic [4:0]        query_lane;

  logic [Pipes-1:0]             data_done, atomic_done, shared_done, gathered, gathered_last;
  lsu_pkg::gather_t [Pipes-1:0] gathered_info;
  assign data_gather_done = data_done != '0;
  assign atomic_take = atomic_done != '0;
  assign shared_gather_done = shared_done != '0;
  for (genvar b = 0; b < int'(Pipes); b++) begin : g_bank
    sm_pkg::row_t bank_row;
    lsu_gather #(.Bank(b == 1)) u_gather (
      .clk_i          (clk_i),
      .rst_ni         (rst_ni),
      .note_i         (note),
      .note_place_i   (note_place),
      .note_offset_i  (note_offset),
      .device_valid_i (data_gather_valid),
      .device_i       (data_gather),
      .device_line_i  (data_line),
      .device_done_o  (data_done[b]),
      .atomic_valid_i (atomic_valid && atomic_direct),
      .atomic_i       (atomic_gather),
      .atomic_value_i (atomic_old),
      .atomic_done_o  (atomic_done[b]),
      .shared_valid_i (shared_gather_valid),
      .shared_i       (shared_gather),
      .shared_line_i  (shared_line),
      .shared_done_o  (shared_done[b]),
      .done_o         (gathered[b]),
      .done_gather_o  (gathered_info[b]),
      .read_i         (row_read),
      .read_place_i   (lsu_pkg::place_of(row_entry, row_slice)),
      .read_index_i   (row_index),
      .row_o          (bank_row)
    );
    assign gathered_last[b] = gathered[b] && gathered_info[b].last;
  end
  if (Pipes == 1) begin : g_one_bank
    assign row = g_bank[0].bank_row;
  end else begin : g_banks
    logic bank_q;
    always_ff @(posedge clk_i) begin
      if (row_read) bank_q <= lsu_pkg::bank_of(row_entry);
    end
    assign row = bank_q ? g_bank[Pipes-1].bank_row : g_bank[0].bank_row;
  end

  lsu_entries u_entries (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .busy_o             (entries_busy),
    .prefer_i           (!lsu_pkg::is_shared(req_i.op)),
    .free_o             (free),
    .free_entry_o       (free_entry),
    .alloc_i            (alloc),
    .alloc_tag_i        (req_i.tag),
    .alloc_pc_i         (req_i.pc),
    .cancel_i           (address_fault),
    .cancel_entry_i     (address_fault_entry),
    .pending_i          (store_pending_o),
    .waiting_o          (fences_wait),
    .op_i               (op),
    .earlier_o          (earlier),
    .start_i            (start),
    .gather_valid_i     (gathered_last),
    .gather_i           (gathered_info),
    .device_end_i       (data_end),
    .device_end_entry_i (data_end_entry),
    .shared_end_i       (shared_end),
    .shared_end_entry_i (shared_end_entry),
    .invalidate_valid_o (entry_invalidate),
    .invalidate_ready_i (invalidate_q && invalidate_ready),  // it is empty
    .read_o             (row_read),
    .read_entry_o       (row_entry),
    .read_slice_o       (row_slice),
    .read_index_o       (row_index),
    .row_i              (row),
    .copy_room_i        (copy_room),
    .copy_read_o        (copy_read),
    .copy_valid_o       (copy_row_valid),
    .copy_entry_o       (copy_entry),
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
  assign ack_fault = ack_error != '0;
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
      fault_o.warp <= ack_error[0] ? ack_warp[0] : ack_warp[Links-1];
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
