// SPDX-License-Identifier: Apache-2.0
// Sub-partition: a warp scheduler with its warps, register file, operand collectors and
// execution units. README.md has the picture.
//
//   cycle 0  issue: pick a warp, read its guard, take a collector entry
//            (in slices, four cycles: issue_stage; and a read is planned a cycle before: slice_control)
//         1  register banks are read
//         2  predicates that are data are read; operands go to the operand register, which leads to all units
//         3  the unit takes the request; some cycles later its result comes
//         n  writeback: row written, scoreboard freed; the next cycle a dependent instruction issues
module sub_partition (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic [config_pkg::SmW-1:0]           sm_id_i,
  input  logic [config_pkg::SubPartitionW-1:0] part_i,
  input  gpu_pkg::settings_t                   settings_i,
  input  gpu_pkg::kernel_t                     kernel_i,
  input  logic                                 kernel_start_i,
  input  logic                                 empty_i,         // as the SM's caches are: after it, when nothing is under way
  input  logic [63:0]                          cycle_i,
  input  logic                                 halt_i,           // issue nothing more
  output logic                                 ready_o,          // warps may begin
  output logic                                 busy_o,
  // Warps.
  input  logic                                 start_valid_i,
  input  core_pkg::start_t                     start_i,
  output logic                                 ended_valid_o,
  input  logic                                 ended_ready_i,
  output core_pkg::warp_t                      ended_warp_o,
  input  core_pkg::warps_t                     store_pending_i,  // stores not yet acknowledged
  output core_pkg::warps_t                     stores_wanted_o,  // warps that wait for nothing else
  output core_pkg::warps_t                     waiting_o,
  // Block barriers.
  output logic                                 arrive_valid_o,
  input  logic                                 arrive_ready_i,
  output core_pkg::arrive_t                    arrive_o,
  input  logic                                 release_valid_i,
  output logic                                 release_ready_o,
  input  core_pkg::release_t                   release_i,
  // Instruction cache.
  output logic                                 fetch_valid_o,
  input  logic                                 fetch_ready_i,
  output core_pkg::warp_t                      fetch_warp_o,
  output logic [31:5]                          fetch_sector_o,
  input  logic                                 fetched_valid_i,
  input  core_pkg::warp_t                      fetched_warp_i,
  input  core_pkg::fetch_error_e               fetched_error_i,
  input  mem_pkg::piece_t                      fetched_piece_i,
  input  logic [mem_pkg::PieceBits-1:0]        fetched_data_i,
  // Constant cache.
  output logic                                 konst_valid_o,
  input  logic                                 konst_ready_i,
  output logic [1:0]                           konst_bank_o,
  output logic [15:0]                          konst_offset_o,
  input  logic                                 konst_rsp_valid_i,
  input  logic                                 konst_rsp_error_i,
  input  logic [31:0]                          konst_rsp_data_i,
  // Load/store unit.
  output logic                                 lsu_valid_o,
  input  logic                                 lsu_ready_i,
  output sm_pkg::lsu_req_t                     lsu_req_o,
  input  logic                                 lsu_rsp_valid_i,
  output logic                                 lsu_rsp_ready_o,
  input  sm_pkg::lsu_rsp_t                     lsu_rsp_i,
  // One cycle.
  output logic                                 fault_valid_o,
  output core_pkg::fault_t                     fault_o,
  // Instructions issued: warp instructions, and lanes that execute.
  output logic                                 count_warp_o,
  output logic [5:0]                           count_thread_o,
  output trace_pkg::issue_t                    trace_issue_o,
  output trace_pkg::retire_t                   trace_retire_o
);

  localparam int unsigned Units = core_pkg::Units;
  localparam int unsigned Banks = config_pkg::RegisterBanks;
  localparam int unsigned RowW = config_pkg::RowW;

  // ---- front end --------------------------------------------------------------------------------------
  logic                decode_valid, jump_valid, front_busy, pick_valid, issue_valid;
  logic                reads;  // the slot and predicates of issue_warp
  core_pkg::warp_t     decode_warp, jump_warp, pick_warp, issue_warp;
  logic [31:0]         jump_pc;
  core_pkg::warps_t    slot_valid, slot_constant, slot_drain, slot_ordered;
  core_pkg::warps_by_unit_t slot_to;
  core_pkg::decoded_t  decoded, slot, d;  // coming in; of the warp picked; of the one that issues

  front_end u_front_end (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .code_size_i       (settings_i.code_size),
    .registers_i       (kernel_i.registers),
    .empty_i           (empty_i),
    .start_valid_i     (start_valid_i),
    .start_warp_i      (start_i.warp),
    .start_pc_i        (kernel_i.entry_pc),
    .jump_valid_i      (jump_valid),
    .jump_warp_i       (jump_warp),
    .jump_pc_i         (jump_pc),
    .fetch_valid_o     (fetch_valid_o),
    .fetch_ready_i     (fetch_ready_i),
    .fetch_warp_o      (fetch_warp_o),
    .fetch_sector_o    (fetch_sector_o),
    .fetched_valid_i   (fetched_valid_i),
    .fetched_warp_i    (fetched_warp_i),
    .fetched_error_i   (fetched_error_i),
    .fetched_piece_i   (fetched_piece_i),
    .fetched_data_i    (fetched_data_i),
    .konst_valid_o     (konst_valid_o),
    .konst_ready_i     (konst_ready_i),
    .konst_bank_o      (konst_bank_o),
    .konst_offset_o    (konst_offset_o),
    .konst_rsp_valid_i (konst_rsp_valid_i),
    .konst_rsp_error_i (konst_rsp_error_i),
    .konst_rsp_data_i  (konst_rsp_data_i),
    .decode_valid_o    (decode_valid),
    .decode_warp_o     (decode_warp),
    .decoded_o         (decoded),
    .valid_o           (slot_valid),
    .constant_o        (slot_constant),
    .to_o              (slot_to),
    .drain_o           (slot_drain),
    .ordered_o         (slot_ordered),
    .pick_valid_i      (reads),
    .pick_warp_i       (issue_warp),
    .pick_o            (slot),
    .issue_valid_i     (issue_valid),
    .issue_warp_i      (issue_warp),
    .busy_o            (front_busy)
  );

  // ---- schedule ---------------------------------------------------------------------------------------
  core_pkg::warps_t   sb_clear, sb_room, sb_blocked, sb_idle, guards_held, copies_held, unsent, ready, candidates;
  sm_pkg::entry_t     copy_group;  // of a copy that issues
  logic [Units-1:0]   room;
  logic               control_free, control_reserved_q;
  core_pkg::outcome_t outcome;
  core_pkg::wake_t    wake;
  sm_pkg::entry_t     sb_entry;  // the issued instruction's in the scoreboard
  logic               executes;  // the issued instruction goes to a unit, or the scoreboard waits for its result

  core_pkg::warps_t slot_stores;
  hazards u_hazards (
    .decoded_i       (slot_valid),
    .constant_i      (slot_constant),
    .to_i            (slot_to),
    .drains_i        (slot_drain),
    .ordered_i       (slot_ordered),
    .room_i          (room & {control_free && !control_reserved_q, {(Units - 1) {1'b1}}}),
    .clear_i         (sb_clear & ~guards_held),
    .entry_i         (sb_room),
    .blocked_i       (sb_blocked | copies_held),
    .idle_i          (sb_idle),
    .unsent_i        (unsent),
    .store_pending_i (store_pending_i),
    .ready_o         (ready),
    .fetch_o         (),
    .constant_o      (),
    .depends_o       (),
    .full_o          (),
    .blocked_o       (),
    .drain_o         (),
    .unsent_o        (),
    .stores_o        (slot_stores),
    .unit_o          ()
  );

  warp_scheduler u_warp_scheduler (
    .clk_i         (clk_i),
    .rst_ni        (rst_ni),
    .policy_i      (settings_i.sched_policy),
    .start_valid_i (start_valid_i),
    .start_warp_i  (start_i.warp),
    .ready_i       (candidates),
    .valid_o       (pick_valid),
    .warp_o        (pick_warp)
  );

  // What the scoreboard hears of results, and when: at once, or after the lag of the instruction's class.
  core_pkg::wake_t heard;
  logic            end_valid, end_has;
  core_pkg::warp_t end_warp;
  sm_pkg::entry_t  end_entry;
  if (core_pkg::LongestLag == 0) begin : g_heard_at_once
    assign heard = wake;
    assign {end_valid, end_warp, end_has, end_entry} = {outcome.ends, outcome.warp, outcome.has_entry, outcome.entry};
  end else begin : g_heard_later
    result_lag u_result_lag (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .issue_valid_i (executes),
      .issue_has_i   (d.rd != 8'd255 || d.pd != 3'd7 || d.pq != 3'd7),
      .issue_warp_i  (issue_warp),
      .issue_entry_i (sb_entry),
      .issue_lag_i   (executes ? core_pkg::lag_of(d) : '0),
      .issue_each_i  (executes ? core_pkg::each_of(d) : '0),
      .wake_i        (wake),
      .end_valid_i   (outcome.ends),
      .end_warp_i    (outcome.warp),
      .end_has_i     (outcome.has_entry),
      .end_entry_i   (outcome.entry),
      .end_passes_i  (outcome.passes),
      .wake_o        (heard),
      .end_valid_o   (end_valid),
      .end_warp_o    (end_warp),
      .end_has_o     (end_has),
      .end_entry_o   (end_entry)
    );
  end

  // A small multiprocessor has fewer results under way.
  scoreboard u_scoreboard (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (start_i.warp),
    .check_valid_i   (decode_valid),
    .check_warp_i    (decode_warp),
    .check_i         (decoded),
    .issue_valid_i   (executes),
    .issue_warp_i    (issue_warp),
    .issue_pipe_i    (executes ? core_pkg::pipe_of(d.op) : core_pkg::PipeBits),
    .issue_blocks_i  (d.blocks),
    .issue_rd_i      (d.rd),
    .issue_rd_log2_i (d.rd_log2),
    .issue_pd_i      (d.pd),
    .issue_pq_i      (d.pq),
    .issue_entry_o   (sb_entry),
    .end_valid_i     (end_valid),
    .end_warp_i      (end_warp),
    .end_has_i       (end_has),
    .end_entry_i     (end_entry),
    .wake_i          (heard),
    .clear_o         (sb_clear),
    .room_o          (sb_room),
    .blocked_o       (sb_blocked),
    .idle_o          (sb_idle)
  );

  if (config_pkg::Latency[isa_pkg::LatGuard] == '0) begin : g_guards_at_once
    assign guards_held = '0;
  end else begin : g_guard_lag
    guard_lag u_guard_lag (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .start_valid_i (start_valid_i),
      .start_warp_i  (start_i.warp),
      .check_valid_i (decode_valid),
      .check_warp_i  (decode_warp),
      .check_guard_i (decoded.guard[2:0]),
      .issue_valid_i (executes),
      .issue_warp_i  (issue_warp),
      .issue_entry_i (sb_entry),
      .issue_pd_i    (d.pd),
      .issue_pq_i    (d.pq),
      .end_valid_i   (end_valid && end_has),
      .end_warp_i    (end_warp),
      .end_entry_i   (end_entry),
      .held_o        (guards_held)
    );
  end

  if (core_pkg::HasAsyncCopy) begin : g_copy_groups
    copy_groups u_copy_groups (
      .clk_i         (clk_i),
      .rst_ni        (rst_ni),
      .start_valid_i (start_valid_i),
      .start_warp_i  (start_i.warp),
      .check_valid_i (decode_valid),
      .check_warp_i  (decode_warp),
      .check_op_i    (decoded.op),
      .check_all_i   (decoded.mod[isa_pkg::CopyWaitAllLsb]),
      .check_most_i  (decoded.imm[15:0]),
      .issue_valid_i (executes),
      .issue_warp_i  (issue_warp),
      .issue_op_i    (d.op),
      .group_o       (copy_group),
      .end_valid_i   (lsu_rsp_valid_i && lsu_rsp_ready_o && lsu_rsp_i.copies),
      .end_warp_i    (core_pkg::warp_t'(32'(lsu_rsp_i.tag.warp) / core_pkg::SubPartitions)),
      .end_group_i   (lsu_rsp_i.tag.entry),
      .held_o        (copies_held)
    );
  end else begin : g_no_copies
    assign copies_held = '0;
    assign copy_group = '0;
  end

  unsent u_unsent (
    .clk_i         (clk_i),
    .start_valid_i (start_valid_i),
    .start_warp_i  (start_i.warp),
    .issue_valid_i (executes && d.to == isa_pkg::UnitLsu),
    .issue_warp_i  (issue_warp),
    .sent_valid_i  (lsu_valid_o && lsu_ready_i && lsu_req_o.tag.slice == sm_pkg::LastSlice),
    .sent_warp_i   (core_pkg::warp_t'(32'(lsu_req_o.tag.warp) / core_pkg::SubPartitions)),
    .unsent_o      (unsent)
  );

  // ---- issue --------------------------------------------------------------------------------------------
  sm_pkg::mask_t       active, guard;  // of issue_warp
  logic                collects, direct_valid, collected_valid, control_valid, faulty;
  core_pkg::fault_t    fault;
  core_pkg::collect_t  collect;
  core_pkg::control_t  direct, control, collected;
  sm_pkg::slice_t      control_slice;
  sm_pkg::row_t        control_row, special_row;
  logic                special_valid;
  sm_pkg::slice_t      special_slice;

  issue_stage u_issue_stage (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .sm_id_i         (sm_id_i),
    .part_i          (part_i),
    .kernel_i        (kernel_i),
    .kernel_start_i  (kernel_start_i),
    .cycle_i         (cycle_i),
    .halt_i          (halt_i),
    .ready_o         (ready_o),
    .start_valid_i   (start_valid_i),
    .start_i         (start_i),
    .ready_i         (ready),
    .candidates_o    (candidates),
    .pick_valid_i    (pick_valid),
    .pick_warp_i     (pick_warp),
    .read_valid_o    (reads),
    .warp_o          (issue_warp),
    .d_i             (slot),
    .active_i        (active),
    .guard_i         (guard),
    .entry_i         (d.op == isa_pkg::OpLdgsts ? copy_group : sb_entry),
    .tensor_room_i   (room[isa_pkg::UnitTensor]),
    .valid_o         (issue_valid),
    .d_o             (d),
    .executes_o      (executes),
    .collect_valid_o (collects),
    .collect_o       (collect),
    .control_valid_o (direct_valid),
    .control_o       (direct),
    .fault_valid_o   (faulty),
    .fault_o         (fault),
    .special_valid_i (special_valid),
    .special_slice_i (special_slice),
    .special_row_o   (special_row),
    .count_warp_o    (count_warp_o),
    .count_thread_o  (count_thread_o),
    .trace_issue_o   (trace_issue_o)
  );

  // The convergence unit works on one instruction at a time: one that collects operands has it to itself.
  assign control_valid = collected_valid || direct_valid;
  assign control = collected_valid ? collected : direct;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) control_reserved_q <= 1'b0;
    else if (collected_valid) control_reserved_q <= 1'b0;
    else if (issue_valid && collects && d.to == isa_pkg::UnitCtl) control_reserved_q <= 1'b1;
  end

  // ---- convergence --------------------------------------------------------------------------------------
  logic                      result_valid, result_ready, trap_valid;
  convergence_pkg::result_t  result;
  core_pkg::control_t        trap;
  core_pkg::warp_t           arrive_warp;
  core_pkg::arrive_t         arrive;
  core_pkg::warps_t          ended;

  convergence u_convergence (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .yield_branches_i (settings_i.yield_branches),
    .cycle_i          (cycle_i[15:0]),
    .start_valid_i    (start_valid_i),
    .start_warp_i     (start_i.warp),
    .start_mask_i     (start_i.mask),
    .read_warp_i      (issue_warp),
    .read_active_o    (active),
    .load_valid_i     (issue_valid && d.to == isa_pkg::UnitLsu && d.rd != 8'd255),
    .ready_o          (control_free),
    .valid_i          (control_valid),
    .control_i        (control),
    .row_slice_o      (control_slice),
    .row_i            (control_row),
    .jump_valid_o     (jump_valid),
    .jump_warp_o      (jump_warp),
    .jump_pc_o        (jump_pc),
    .result_valid_o   (result_valid),
    .result_ready_i   (result_ready),
    .result_o         (result),
    .arrive_valid_o   (arrive_valid_o),
    .arrive_ready_i   (arrive_ready_i),
    .arrive_o         (arrive),
    .arrive_warp_o    (arrive_warp),
    .release_valid_i  (release_valid_i),
    .release_ready_o  (release_ready_o),
    .release_i        (release_i),
    .ended_o          (ended),
    .waiting_o        (waiting_o),
    .asleep_o         (),
    .trap_valid_o     (trap_valid),
    .trap_o           (trap)
  );
  always_comb begin
    arrive_o = arrive;
    arrive_o.warp = core_pkg::slot_of(arrive_warp, part_i);
  end

  // ---- operands -----------------------------------------------------------------------------------------
  logic [Banks-1:0]           bank_valid;
  logic [Banks-1:0][RowW-1:0] bank_row;
  sm_pkg::slice_t [Banks-1:0] bank_slice;
  core_pkg::bank_rows_t       bank_data;
  core_pkg::units_t           req_valid, req_ready, req_wants, req_soon;
  sm_pkg::exec_req_t          req;
  logic                       collector_busy, lanes_busy, row_valid;
  sm_pkg::mask_t              p, p2;
  logic [RowW-1:0]            row_row;
  sm_pkg::slice_t             wb_slice;
  sm_pkg::lanes_t             wb_lanes;
  sm_pkg::row_t               wb_row, wb_row_hi;
  logic                       wb_pair;

  operand_collector u_operand_collector (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_i         (start_i),
    .room_o          (room),
    .issue_valid_i   (collects),
    .issue_i         (collect),
    .p_i             (p),
    .p2_i            (p2),
    .special_valid_o (special_valid),
    .special_slice_o (special_slice),
    .special_row_i   (special_row),
    .bank_valid_o    (bank_valid),
    .bank_row_o      (bank_row),
    .bank_slice_o    (bank_slice),
    .bank_data_i     (bank_data),
    .wr_valid_i      (row_valid),
    .wr_row_i        (row_row),
    .wr_lanes_i      (wb_lanes),
    .wr_data_i       (wb_row),
    .wr_pair_i       (wb_pair),
    .wr_data_hi_i    (wb_row_hi),
    .valid_o         (req_valid),
    .ready_i         (req_ready),
    .req_o           (req),
    .wants_o         (req_wants),
    .soon_i          (req_soon),
    .lsu_valid_o     (lsu_valid_o),
    .lsu_ready_i     (lsu_ready_i),
    .lsu_req_o       (lsu_req_o),
    .control_valid_o (collected_valid),
    .control_o       (collected),
    .control_slice_i (control_slice),
    .control_row_o   (control_row),
    .busy_o          (collector_busy)
  );

  register_file u_register_file (
    .clk_i      (clk_i),
    .rd_valid_i (bank_valid),
    .rd_row_i   (bank_row),
    .rd_slice_i (bank_slice),
    .rd_data_o  (bank_data),
    .wr_valid_i (row_valid),
    .wr_row_i   (row_row),
    .wr_slice_i (wb_slice),
    .wr_lanes_i (wb_lanes),
    .wr_data_i  (wb_row),
    .wr_pair_i  (wb_pair),
    .wr_data_hi_i (wb_row_hi)
  );

  predicate_file u_predicate_file (
    .clk_i         (clk_i),
    .start_valid_i (start_valid_i),
    .start_warp_i  (start_i.warp),
    .rd_valid_i    (reads),
    .rd_warp_i     (issue_warp),
    .guard_i       (slot.guard),
    .psrc_i        (slot.psrc),
    .psrc2_i       (slot.psrc2),
    .guard_o       (guard),
    .p_o           (p),
    .p2_o          (p2),
    .wr_valid_i    (outcome.p_valid),
    .wr_warp_i     (outcome.warp),
    .wr_slice_i    (outcome.slice),
    .wr_lanes_i    (outcome.lanes),
    .pd_i          (outcome.pd),
    .pq_i          (outcome.pq),
    .p_i           (outcome.p),
    .q_i           (outcome.q)
  );

  // ---- execution ----------------------------------------------------------------------------------------
  sm_pkg::tag_t result_tag;
  always_comb begin
    result_tag = '0;  // entry 0: of a call, which issues when nothing of its warp is under way
    result_tag.warp = core_pkg::slot_of(result.warp, part_i);
    result_tag.seq = result.seq;
    result_tag.rd = result.rd;
    result_tag.pd = result.pd;
    result_tag.pq = 3'd7;
    result_tag.mask = result.mask;
  end

  execution u_execution (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .start_valid_i   (start_valid_i),
    .start_warp_i    (start_i.warp),
    .start_row_i     (start_i.row),
    .valid_i         (req_valid),
    .ready_o         (req_ready),
    .req_i           (req),
    .wants_i         (req_wants),
    .soon_o          (req_soon),
    .lsu_valid_i     (lsu_rsp_valid_i),
    .lsu_ready_o     (lsu_rsp_ready_o),
    .lsu_rsp_i       (lsu_rsp_i),
    .control_valid_i (result_valid),
    .control_ready_o (result_ready),
    .control_tag_i   (result_tag),
    .control_ends_i  (result.ends),
    .control_we_i    (result.rd != 8'd255),
    .control_p_we_i  (result.pd != 3'd7),
    .control_value_i (result.value),
    .row_valid_o     (row_valid),
    .row_row_o       (row_row),
    .slice_o         (wb_slice),
    .lanes_o         (wb_lanes),
    .row_o           (wb_row),
    .pair_o          (wb_pair),
    .row_hi_o        (wb_row_hi),
    .outcome_o       (outcome),
    .wake_o          (wake),
    .any_busy_o      (lanes_busy),
    .trace_retire_o  (trace_retire_o)
  );

  // ---- warps' ends, faults --------------------------------------------------------------------------------
  // Whom it tells of stays the same until that is taken, though one with a lower number ends meanwhile.
  core_pkg::warps_t resident_q, home;
  core_pkg::warp_t  told_q;
  logic             tells_q;
  assign home = resident_q & ended & sb_idle & ~store_pending_i;
  assign stores_wanted_o = store_pending_i == '0 ? '0 : slot_stores | (resident_q & ended & sb_idle & store_pending_i);
  assign ended_valid_o = home != '0;
  assign ended_warp_o = tells_q ? told_q : core_pkg::first_warp(home);
  assign busy_o = resident_q != '0 || front_busy || collector_busy || lanes_busy;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      resident_q <= '0;
    end else begin
      if (start_valid_i) resident_q[start_i.warp] <= 1'b1;
      if (ended_valid_o && ended_ready_i) resident_q[ended_warp_o] <= 1'b0;
    end
    tells_q <= rst_ni && ended_valid_o && !ended_ready_i;
    if (ended_valid_o) told_q <= ended_warp_o;
  end

  always_ff @(posedge clk_i) begin
    fault_valid_o <= (faulty || trap_valid) && rst_ni;
    if (trap_valid) begin
      fault_o <= '{kind: 4'(device_pkg::FaultTrap), code: trap.imm, warp: core_pkg::slot_of(trap.warp, part_i),
                   lane: prim_pkg::first32(trap.taken), pc: trap.pc, address: '0};
    end else if (faulty) begin
      fault_o <= fault;
    end
  end

endmodule
