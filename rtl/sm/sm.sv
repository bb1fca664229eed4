// SPDX-License-Identifier: Apache-2.0
// Streaming multiprocessor: sub-partitions, and what they share: instruction and constant caches, load/store unit
// with L1 and shared memory, block slots and block barriers. README.md has the picture.
module sm #(
  localparam int unsigned Parts = config_pkg::SubPartitions,
  localparam int unsigned PartW = config_pkg::SubPartitionW,
  localparam int unsigned Warps = config_pkg::WarpsPerSm
) (
  input  logic                              clk_i,
  input  logic                              rst_ni,
  input  logic [config_pkg::SmW-1:0]        sm_id_i,
  // What the next kernel runs with; counts from its start on.
  input  gpu_pkg::settings_t                settings_i,
  input  gpu_pkg::kernel_t                  kernel_i,
  input  logic                              kernel_start_i,  // one cycle; empties the caches, that of instructions if code has changed
  input  logic [63:0]                       cycle_i,         // the time, for clocks and sleepers
  // Blocks.
  input  logic                              block_valid_i,
  output logic                              block_ready_o,
  input  gpu_pkg::block_t                   block_i,
  output logic                              done_valid_o,    // one cycle; stores acknowledged
  output logic [config_pkg::BlockSlotW-1:0] done_slot_o,
  // The first fault; stays until reset. Nothing is issued after it.
  output logic                              fault_valid_o,
  output gpu_pkg::fault_t                   fault_o,
  output logic                              busy_o,
  output logic                              stuck_o,         // every warp waits at a barrier: a deadlock
  output logic [Warps-1:0]                  resident_o,
  output logic [Warps-1:0]                  waiting_o,       // at a barrier
  // Instructions issued in this cycle: warp instructions, and lanes that execute.
  output logic [2:0]                        count_warp_o,
  output logic [7:0]                        count_thread_o,
  // L2.
  output logic                              mem_req_valid_o,
  input  logic                              mem_req_ready_i,
  output mem_pkg::req_t                     mem_req_o,
  input  logic [mem_pkg::Links-1:0]         mem_rsp_valid_i,
  output logic [mem_pkg::Links-1:0]         mem_rsp_ready_o,
  input  mem_pkg::rsp_t [mem_pkg::Links-1:0] mem_rsp_i
);

  // Copies in this SM's clock: logic behind registers of the free running clock would be evaluated while the SM rests
  // (docs/simulation-speed.md).
  gpu_pkg::settings_t settings_q;
  gpu_pkg::kernel_t   kernel_q;
  logic [63:0]        cycle_q;
  always_ff @(posedge clk_i) begin
    cycle_q <= cycle_i;
    if (kernel_start_i) begin
      settings_q <= settings_i;
      kernel_q   <= kernel_i;
    end
  end

  // ---- blocks -------------------------------------------------------------------------------------------
  logic [Parts-1:0]              start_valid, ended_valid, ended_ready, part_ready, part_busy;
  core_pkg::start_t              start;
  logic [config_pkg::WarpW-1:0]  start_slot, fault_warp;
  core_pkg::warp_t               ended_warp [Parts];
  logic [4:0]                    fault_index;
  gpu_pkg::block_t               fault_block;
  logic                          starting, hold, flush_q, icache_busy, const_busy, barrier_busy, lsu_busy, halt;

  // Fetches of the last kernel may still be under way when the next one begins: the caches are emptied after them.
  logic fetch_quiet;
  assign fetch_quiet = !icache_busy && !const_busy && part_busy == '0;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) flush_q <= 1'b0;
    else if (kernel_start_i) flush_q <= 1'b1;
    else if (fetch_quiet) flush_q <= 1'b0;
  end
  assign hold = flush_q || part_ready != '1 || halt;

  block_slots u_block_slots (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .kernel_i       (kernel_q),
    .kernel_start_i (kernel_start_i),
    .hold_i         (hold),
    .block_valid_i  (block_valid_i),
    .block_ready_o  (block_ready_o),
    .block_i        (block_i),
    .start_valid_o  (start_valid),
    .start_o        (start),
    .start_slot_o   (start_slot),
    .ended_valid_i  (ended_valid),
    .ended_ready_o  (ended_ready),
    .ended_warp_i   (ended_warp),
    .done_valid_o   (done_valid_o),
    .done_slot_o    (done_slot_o),
    .resident_o     (resident_o),
    .who_warp_i     (fault_warp),
    .who_index_o    (fault_index),
    .who_block_o    (fault_block),
    .busy_o         (starting)
  );

  logic [Parts-1:0]    arrive_valid, arrive_ready, release_valid, release_ready;
  core_pkg::arrive_t   arrive [Parts];
  core_pkg::release_t  barrier_release [Parts];
  barriers u_barriers (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .kernel_i        (kernel_q),
    .block_valid_i   (block_valid_i && block_ready_o),
    .block_i         (block_i),
    .warp_valid_i    (start_valid != '0),
    .warp_i          (start_slot),
    .start_i         (start),
    .arrive_valid_i  (arrive_valid),
    .arrive_ready_o  (arrive_ready),
    .arrive_i        (arrive),
    .release_valid_o (release_valid),
    .release_ready_i (release_ready),
    .release_o       (barrier_release),
    .busy_o          (barrier_busy)
  );

  // ---- caches -------------------------------------------------------------------------------------------
  logic [Parts-1:0]          fetch_valid, fetch_ready, fetched_valid, konst_valid, konst_ready, konst_rsp_valid;
  core_pkg::warp_t           fetch_warp [Parts];
  logic [31:5]               fetch_sector [Parts];
  logic [1:0]                konst_bank [Parts];
  logic [15:0]               konst_offset [Parts];
  core_pkg::warp_t           fetched_warp;
  core_pkg::fetch_error_e    fetched_error;
  mem_pkg::piece_t           fetched_piece;
  logic [mem_pkg::PieceBits-1:0] fetched_data;
  logic                      konst_rsp_error;
  logic [31:0]               konst_rsp_data;
  logic                      i_req_valid, i_req_ready, i_rsp_valid, i_rsp_error;
  logic                      c_req_valid, c_req_ready, c_rsp_valid, c_rsp_error;
  logic [gpu_pkg::AddrW-1:5] i_req_sector, c_req_sector;
  logic [1:0]                i_req_place, i_rsp_place;
  mem_pkg::piece_t           i_rsp_piece, c_rsp_piece;
  logic [mem_pkg::PieceBits-1:0] i_rsp_data, c_rsp_data;

  icache u_icache (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .code_base_i      (settings_q.code_base),
    .code_size_i      (settings_q.code_size),
    .invalidate_i     (flush_q && fetch_quiet && settings_q.code_changed),
    .busy_o           (icache_busy),
    .req_valid_i      (fetch_valid),
    .req_ready_o      (fetch_ready),
    .req_warp_i       (fetch_warp),
    .req_sector_i     (fetch_sector),
    .rsp_valid_o      (fetched_valid),
    .rsp_warp_o       (fetched_warp),
    .rsp_error_o      (fetched_error),
    .rsp_piece_o      (fetched_piece),
    .rsp_data_o       (fetched_data),
    .mem_req_valid_o  (i_req_valid),
    .mem_req_ready_i  (i_req_ready),
    .mem_req_sector_o (i_req_sector),
    .mem_req_place_o  (i_req_place),
    .mem_rsp_valid_i  (i_rsp_valid),
    .mem_rsp_error_i  (i_rsp_error),
    .mem_rsp_place_i  (i_rsp_place),
    .mem_rsp_piece_i  (i_rsp_piece),
    .mem_rsp_data_i   (i_rsp_data)
  );

  constant_cache u_constant_cache (
    .clk_i            (clk_i),
    .rst_ni           (rst_ni),
    .kernel_i         (kernel_q),
    .invalidate_i     (flush_q && fetch_quiet),
    .busy_o           (const_busy),
    .req_valid_i      (konst_valid),
    .req_ready_o      (konst_ready),
    .req_bank_i       (konst_bank),
    .req_offset_i     (konst_offset),
    .rsp_valid_o      (konst_rsp_valid),
    .rsp_error_o      (konst_rsp_error),
    .rsp_data_o       (konst_rsp_data),
    .mem_req_valid_o  (c_req_valid),
    .mem_req_ready_i  (c_req_ready),
    .mem_req_sector_o (c_req_sector),
    .mem_rsp_valid_i  (c_rsp_valid),
    .mem_rsp_error_i  (c_rsp_error),
    .mem_rsp_piece_i  (c_rsp_piece),
    .mem_rsp_data_i   (c_rsp_data)
  );

  // ---- load/store unit ----------------------------------------------------------------------------------
  logic [Parts-1:0]   part_lsu_valid, part_lsu_ready, part_rsp_valid, part_rsp_ready;
  core_pkg::lsu_reqs_t part_lsu_req;
  logic               lsu_valid, lsu_ready, rsp_valid, rsp_ready, lsu_fault_valid;
  sm_pkg::lsu_req_t   lsu_req;
  sm_pkg::lsu_rsp_t   rsp;
  sm_pkg::lsu_fault_t lsu_fault;
  logic [Warps-1:0]   store_pending, stores_wanted;
  logic [Parts-1:0][1:0] lsu_further;
  logic               l_req_valid, l_req_ready;
  mem_pkg::req_t      l_req;
  logic [mem_pkg::Links-1:0]          l_rsp_valid, l_rsp_ready;
  mem_pkg::rsp_t [mem_pkg::Links-1:0] l_rsp;

  lsu_port u_lsu_port (
    .clk_i       (clk_i),
    .rst_ni      (rst_ni),
    .req_valid_i (part_lsu_valid),
    .req_ready_o (part_lsu_ready),
    .req_i       (part_lsu_req),
    .lsu_valid_o (lsu_valid),
    .lsu_ready_i (lsu_ready),
    .lsu_req_o   (lsu_req),
    .rsp_valid_i (rsp_valid),
    .rsp_ready_o (rsp_ready),
    .rsp_warp_i  (rsp.tag.warp),
    .rsp_valid_o (part_rsp_valid),
    .rsp_ready_i (part_rsp_ready),
    .further_i   (lsu_further)
  );

  lsu u_lsu (
    .clk_i                (clk_i),
    .rst_ni               (rst_ni),
    .settings_i           (settings_q),
    .kernel_i             (kernel_q),
    .kernel_start_i       (kernel_start_i),
    .sm_id_i              (sm_id_i),
    .req_valid_i          (lsu_valid),
    .req_ready_o          (lsu_ready),
    .req_i                (lsu_req),
    .rsp_valid_o          (rsp_valid),
    .rsp_ready_i          (rsp_ready),
    .rsp_o                (rsp),
    .fault_valid_o        (lsu_fault_valid),
    .fault_o              (lsu_fault),
    .busy_o               (lsu_busy),
    .store_pending_o      (store_pending),
    .stores_wanted_i      (stores_wanted),
    .further_o            (lsu_further),
    .mem_req_valid_o      (l_req_valid),
    .mem_req_ready_i      (l_req_ready),
    .mem_req_o            (l_req),
    .mem_rsp_valid_i      (l_rsp_valid),
    .mem_rsp_ready_o      (l_rsp_ready),
    .mem_rsp_i            (l_rsp),
    .trace_load_o         (),
    .trace_shared_o       (),
    .trace_l1_o           ()
  );

  mem_hub u_mem_hub (
    .clk_i               (clk_i),
    .rst_ni              (rst_ni),
    .lsu_req_valid_i     (l_req_valid),
    .lsu_req_ready_o     (l_req_ready),
    .lsu_req_i           (l_req),
    .lsu_rsp_valid_o     (l_rsp_valid),
    .lsu_rsp_ready_i     (l_rsp_ready),
    .lsu_rsp_o           (l_rsp),
    .icache_req_valid_i  (i_req_valid),
    .icache_req_ready_o  (i_req_ready),
    .icache_req_sector_i (i_req_sector),
    .icache_req_place_i  (i_req_place),
    .icache_rsp_valid_o  (i_rsp_valid),
    .icache_rsp_error_o  (i_rsp_error),
    .icache_rsp_place_o  (i_rsp_place),
    .icache_rsp_piece_o  (i_rsp_piece),
    .icache_rsp_data_o   (i_rsp_data),
    .const_req_valid_i   (c_req_valid),
    .const_req_ready_o   (c_req_ready),
    .const_req_sector_i  (c_req_sector),
    .const_rsp_valid_o   (c_rsp_valid),
    .const_rsp_error_o   (c_rsp_error),
    .const_rsp_piece_o   (c_rsp_piece),
    .const_rsp_data_o    (c_rsp_data),
    .mem_req_valid_o     (mem_req_valid_o),
    .mem_req_ready_i     (mem_req_ready_i),
    .mem_req_o           (mem_req_o),
    .mem_rsp_valid_i     (mem_rsp_valid_i),
    .mem_rsp_ready_o     (mem_rsp_ready_o),
    .mem_rsp_i           (mem_rsp_i)
  );

  // ---- sub-partitions -----------------------------------------------------------------------------------
  logic [Parts-1:0]      part_fault_valid, part_count_warp;
  core_pkg::fault_t      part_fault [Parts];
  logic [5:0]            part_count_thread [Parts];
  core_pkg::warps_t      waiting [Parts];
  logic [Parts-1:0]      part_waits;

  core_pkg::warps_t [Parts-1:0] stores_wanted_part;
  always_comb begin : join_stores
    stores_wanted = '0;
    if (stores_wanted_part != '0)
      for (int unsigned w = 0; w < Warps; w++) stores_wanted[w] = stores_wanted_part[w%Parts][w/Parts];
  end

  for (genvar part = 0; part < int'(Parts); part++) begin : g_part
    core_pkg::warps_t store_pending_part, waiting_part, wanted_part;
    assign stores_wanted_part[part] = wanted_part;
    // Every Parts-th bit is this sub-partition's; only looked at while there are any.
    always_comb begin
      store_pending_part = '0;
      if (store_pending != '0) begin
        for (int unsigned w = 0; w < core_pkg::Warps; w++) store_pending_part[w] = store_pending[w*Parts+part];
      end
    end
    assign waiting[part] = waiting_part;

    sub_partition u_sub_partition (
      .clk_i             (clk_i),
      .rst_ni            (rst_ni),
      .sm_id_i           (sm_id_i),
      .part_i            (PartW'(part)),
      .settings_i        (settings_q),
      .kernel_i          (kernel_q),
      .kernel_start_i    (kernel_start_i),
      .empty_i           (flush_q && fetch_quiet),
      .cycle_i           (cycle_q),
      .halt_i            (halt),
      .ready_o           (part_ready[part]),
      .busy_o            (part_busy[part]),
      .start_valid_i     (start_valid[part]),
      .start_i           (start),
      .ended_valid_o     (ended_valid[part]),
      .ended_ready_i     (ended_ready[part]),
      .ended_warp_o      (ended_warp[part]),
      .store_pending_i   (store_pending_part),
      .stores_wanted_o   (wanted_part),
      .waiting_o         (waiting_part),
      .arrive_valid_o    (arrive_valid[part]),
      .arrive_ready_i    (arrive_ready[part]),
      .arrive_o          (arrive[part]),
      .release_valid_i   (release_valid[part]),
      .release_ready_o   (release_ready[part]),
      .release_i         (barrier_release[part]),
      .fetch_valid_o     (fetch_valid[part]),
      .fetch_ready_i     (fetch_ready[part]),
      .fetch_warp_o      (fetch_warp[part]),
      .fetch_sector_o    (fetch_sector[part]),
      .fetched_valid_i   (fetched_valid[part]),
      .fetched_warp_i    (fetched_warp),
      .fetched_error_i   (fetched_error),
      .fetched_piece_i   (fetched_piece),
      .fetched_data_i    (fetched_data),
      .konst_valid_o     (konst_valid[part]),
      .konst_ready_i     (konst_ready[part]),
      .konst_bank_o      (konst_bank[part]),
      .konst_offset_o    (konst_offset[part]),
      .konst_rsp_valid_i (konst_rsp_valid[part]),
      .konst_rsp_error_i (konst_rsp_error),
      .konst_rsp_data_i  (konst_rsp_data),
      .lsu_valid_o       (part_lsu_valid[part]),
      .lsu_ready_i       (part_lsu_ready[part]),
      .lsu_req_o         (part_lsu_req[part]),
      .lsu_rsp_valid_i   (part_rsp_valid[part]),
      .lsu_rsp_ready_o   (part_rsp_ready[part]),
      .lsu_rsp_i         (rsp),
      .fault_valid_o     (part_fault_valid[part]),
      .fault_o           (part_fault[part]),
      .count_warp_o      (part_count_warp[part]),
      .count_thread_o    (part_count_thread[part]),
      .trace_issue_o     (),
      .trace_retire_o    ()
    );
  end

  always_comb begin
    waiting_o = '0;
    for (int unsigned part = 0; part < Parts; part++) part_waits[part] = waiting[part] != '0;
    if (part_waits != '0) begin
      for (int unsigned slot = 0; slot < Warps; slot++) waiting_o[slot] = waiting[slot%Parts][slot/Parts];
    end
  end

  always_comb begin
    count_warp_o = '0;
    count_thread_o = '0;
    for (int unsigned part = 0; part < Parts; part++) begin
      count_warp_o += 3'(part_count_warp[part]);
      count_thread_o += 8'(part_count_thread[part]);
    end
  end

  // ---- faults ---------------------------------------------------------------------------------------------
  core_pkg::fault_t fault;
  always_comb begin
    fault = '0;
    if (lsu_fault_valid) begin
      fault = '{kind: lsu_fault.kind, code: 32'(lsu_fault.code), warp: lsu_fault.warp, lane: lsu_fault.lane,
                pc: lsu_fault.pc, address: lsu_fault.address};
    end else if (part_fault_valid != '0) begin
      for (int unsigned part = 0; part < Parts; part++) begin
        if (part_fault_valid[part]) fault = part_fault[part];
      end
    end
  end
  assign fault_warp = fault.warp;
  // From the cycle of the fault on: the report must stay the only one.
  assign halt = fault_valid_o || lsu_fault_valid || part_fault_valid != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_valid_o <= 1'b0;
    end else if (!fault_valid_o && halt) begin
      fault_valid_o <= 1'b1;
      fault_o <= '{kind: fault.kind, code: fault.code, warp: fault.warp, thread: {fault_index, fault.lane},
                   pc: fault.pc, address: fault.address, ctaid_x: fault_block.ctaid_x, ctaid_y: fault_block.ctaid_y,
                   ctaid_z: fault_block.ctaid_z};
    end
  end

  assign busy_o = resident_o != '0 || starting || part_busy != '0 || icache_busy || const_busy || barrier_busy ||
                  lsu_busy || flush_q || lsu_valid;
  // Waiting warps have nothing left that could open a barrier; a message under way could.
  assign stuck_o = resident_o != '0 && (resident_o & ~waiting_o) == '0 && !starting && !barrier_busy && arrive_valid == '0;

endmodule
