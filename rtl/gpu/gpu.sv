// SPDX-License-Identifier: Apache-2.0
// The GPU: AXI4-Lite for the host's registers, AXI4 to host memory (commands, copies), AXI4 to device
// memory, one interrupt.
//
//   s_axil --- control_regs --- command_processor --- block_dispatcher ---> sm 0 .. sm N-1
//                                  |        |                                 |       |
//   h_axi ---- host_port ----------+--- copy_engine ----+----------------- l2 (clients 0..N-1, N)
//   window ---------------------------- host_window ----+                     |
//                                                                           m_axi (by channel)
// The window on device memory is there only with parameter Window; else its inputs are ignored. With ClockGates
// an SM that rests has no clock, nor a slice of the L2.
module gpu #(
    parameter  bit          Window     = 1'b0,
    parameter  bit          ClockGates = 1'b1,
    localparam int unsigned Sms        = config_pkg::Sms,
    localparam int unsigned Channels   = l2_pkg::Channels
) (
    input  logic         clk_i,
    input  logic         rst_ni,
    output logic         irq_o,
    // Host registers, AXI4-Lite.
    input  logic         s_axil_awvalid_i,
    output logic         s_axil_awready_o,
    input  logic [15:0]  s_axil_awaddr_i,
    input  logic         s_axil_wvalid_i,
    output logic         s_axil_wready_o,
    input  logic [31:0]  s_axil_wdata_i,
    output logic         s_axil_bvalid_o,
    input  logic         s_axil_bready_i,
    output logic [1:0]   s_axil_bresp_o,
    input  logic         s_axil_arvalid_i,
    output logic         s_axil_arready_o,
    input  logic [15:0]  s_axil_araddr_i,
    output logic         s_axil_rvalid_o,
    input  logic         s_axil_rready_i,
    output logic [31:0]  s_axil_rdata_o,
    output logic [1:0]   s_axil_rresp_o,
    // Host memory, AXI4, single beats of 32 bytes.
    output logic         h_axi_awvalid_o,
    input  logic         h_axi_awready_i,
    output logic [63:0]  h_axi_awaddr_o,
    output logic         h_axi_wvalid_o,
    input  logic         h_axi_wready_i,
    output logic [255:0] h_axi_wdata_o,
    output logic [31:0]  h_axi_wstrb_o,
    input  logic         h_axi_bvalid_i,
    output logic         h_axi_bready_o,
    input  logic [1:0]   h_axi_bresp_i,
    output logic         h_axi_arvalid_o,
    input  logic         h_axi_arready_i,
    output logic [63:0]  h_axi_araddr_o,
    input  logic         h_axi_rvalid_i,
    output logic         h_axi_rready_o,
    input  logic [255:0] h_axi_rdata_i,
    input  logic [1:0]   h_axi_rresp_i,
    // Device memory, AXI4, by channel.
    output logic [Channels-1:0]                                       m_axi_awvalid_o,
    input  logic [Channels-1:0]                                       m_axi_awready_i,
    output logic [Channels-1:0][gpu_pkg::AddrW-1:0]                   m_axi_awaddr_o,
    output logic [Channels-1:0][7:0]                                  m_axi_awlen_o,
    output logic [Channels-1:0][l2_pkg::AxiIdW-1:0]                   m_axi_awid_o,
    output logic [Channels-1:0]                                       m_axi_wvalid_o,
    input  logic [Channels-1:0]                                       m_axi_wready_i,
    output logic [Channels-1:0][config_pkg::AxiDataBits-1:0]          m_axi_wdata_o,
    output logic [Channels-1:0][config_pkg::AxiDataBits/8-1:0]        m_axi_wstrb_o,
    output logic [Channels-1:0]                                       m_axi_wlast_o,
    input  logic [Channels-1:0]                                       m_axi_bvalid_i,
    output logic [Channels-1:0]                                       m_axi_bready_o,
    input  logic [Channels-1:0][l2_pkg::AxiIdW-1:0]                   m_axi_bid_i,
    input  logic [Channels-1:0][1:0]                                  m_axi_bresp_i,
    output logic [Channels-1:0]                                       m_axi_arvalid_o,
    input  logic [Channels-1:0]                                       m_axi_arready_i,
    output logic [Channels-1:0][gpu_pkg::AddrW-1:0]                   m_axi_araddr_o,
    output logic [Channels-1:0][7:0]                                  m_axi_arlen_o,
    output logic [Channels-1:0][l2_pkg::AxiIdW-1:0]                   m_axi_arid_o,
    input  logic [Channels-1:0]                                       m_axi_rvalid_i,
    output logic [Channels-1:0]                                       m_axi_rready_o,
    input  logic [Channels-1:0][l2_pkg::AxiIdW-1:0]                   m_axi_rid_i,
    input  logic [Channels-1:0][config_pkg::AxiDataBits-1:0]          m_axi_rdata_i,
    input  logic [Channels-1:0][1:0]                                  m_axi_rresp_i,
    input  logic [Channels-1:0]                                       m_axi_rlast_i,
    // Window on device memory (host_window), and a flush of L2 to it: hold flush until flushed.
    input  logic                      window_valid_i,
    input  logic                      window_write_i,
    input  logic [gpu_pkg::AddrW-1:5] window_sector_i,
    input  logic [31:0]               window_mask_i,
    input  logic [255:0]              window_data_i,
    output logic                      window_done_o,
    output logic                      window_error_o,
    output logic [255:0]              window_data_o,
    input  logic                      window_flush_i,
    output logic                      window_flushed_o
);

  localparam int unsigned Rings = config_pkg::Rings;
  localparam int unsigned Warps = config_pkg::WarpsPerSm;
  localparam int unsigned Clients = Sms + 1;  // of L2: the SMs, then the copy engine

  // ---- registers and commands --------------------------------------------------------------------
  gpu_pkg::settings_t         settings;
  logic [63:0]                cycle, cycle_limit, kernel_cycles;
  logic [config_pkg::WarpW:0] max_warps;
  logic [Rings-1:0][63:0]     ring_base;
  logic [Rings-1:0][15:0]     ring_mask;
  logic [Rings-1:0][31:0]     ring_tail, ring_head;
  logic                       reset, reset_done, busy, faulted, irq_completion, irq_fault;
  logic [31:0]                blocks_done, blocks_total;
  logic [15:0]                count_warp, count_thread;
  logic                       kernel_start, stop, stop_q, no_fit, running, waiting_free;
  gpu_pkg::kernel_t           kernel;
  logic                       kernel_end;     // for the trace
  gpu_pkg::status_t           kernel_status;

  // Per SM.
  logic [Sms-1:0]                             sm_busy, sm_stuck, sm_fault, done_valid;
  logic [Sms-1:0]                             block_valid, block_ready;
  logic [Sms-1:0][config_pkg::BlockSlotW-1:0] done_slot;
  gpu_pkg::fault_t                            fault [Sms];
  logic [Warps-1:0]                           resident [Sms], waiting [Sms];
  logic [Sms-1:0][2:0]                        sm_count_warp;
  logic [Sms-1:0][7:0]                        sm_count_thread;
  gpu_pkg::block_t                            block;

  // L2 links.
  localparam int unsigned Links = mem_pkg::Links;
  logic          [Clients-1:0] mem_req_valid, mem_req_ready;
  logic          [Clients-1:0][Links-1:0] mem_rsp_valid, mem_rsp_ready;
  mem_pkg::req_t [Clients-1:0] mem_req;
  mem_pkg::rsp_t [Clients-1:0][Links-1:0] mem_rsp;
  logic                        l2_busy;
  logic          [Sms-1:0]     on_the_way;     // some of the SM's requests, to a distant L2

  // The first faulting SM.
  logic                       fault_valid, fault_seen_q;
  logic [config_pkg::SmW-1:0] fault_sm;
  always_comb begin
    fault_sm = '0;
    for (int unsigned s = Sms; s > 0; s--) begin
      if (sm_fault[s-1]) fault_sm = config_pkg::SmW'(s - 1);
    end
  end
  gpu_pkg::fault_t            first_fault;
  always_comb begin
    first_fault = 'x;   // nobody looks at it otherwise
    if (sm_fault != '0) first_fault = fault[fault_sm];
  end
  assign fault_valid = sm_fault != '0 && !fault_seen_q && !stop;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      fault_seen_q <= 1'b0;
      stop_q       <= 1'b0;
    end else begin
      stop_q <= stop;
      if (fault_valid) fault_seen_q <= 1'b1;
      else if (!stop) fault_seen_q <= 1'b0;
    end
  end

  always_comb begin
    count_warp   = '0;
    count_thread = '0;
    for (int unsigned s = 0; s < Sms; s++) begin
      count_warp   += 16'(sm_count_warp[s]);
      count_thread += 16'(sm_count_thread[s]);
    end
  end

  control_regs u_control_regs (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .s_axil_awvalid_i (s_axil_awvalid_i),
      .s_axil_awready_o (s_axil_awready_o),
      .s_axil_awaddr_i  (s_axil_awaddr_i),
      .s_axil_wvalid_i  (s_axil_wvalid_i),
      .s_axil_wready_o  (s_axil_wready_o),
      .s_axil_wdata_i   (s_axil_wdata_i),
      .s_axil_bvalid_o  (s_axil_bvalid_o),
      .s_axil_bready_i  (s_axil_bready_i),
      .s_axil_arvalid_i (s_axil_arvalid_i),
      .s_axil_arready_o (s_axil_arready_o),
      .s_axil_araddr_i  (s_axil_araddr_i),
      .s_axil_rvalid_o  (s_axil_rvalid_o),
      .s_axil_rready_i  (s_axil_rready_i),
      .s_axil_rdata_o   (s_axil_rdata_o),
      .irq_o            (irq_o),
      .settings_o       (settings),
      .cycle_limit_o    (cycle_limit),
      .max_warps_o      (max_warps),
      .ring_base_o      (ring_base),
      .ring_mask_o      (ring_mask),
      .ring_tail_o      (ring_tail),
      .ring_head_i      (ring_head),
      .reset_o          (reset),
      .reset_done_i     (reset_done),
      .cycle_o          (cycle),
      .busy_i           (busy),
      .faulted_i        (faulted),
      .irq_completion_i (irq_completion),
      .irq_fault_i      (irq_fault),
      .kernel_start_i   (kernel_start),
      .kernel_cycles_i  (kernel_cycles),
      .blocks_done_i    (blocks_done),
      .blocks_total_i   (blocks_total),
      .count_warp_i     (count_warp),
      .count_thread_i   (count_thread),
      .fault_valid_i    (fault_valid),
      .fault_sm_i       (fault_sm),
      .fault_i          (first_fault),
      .stopping_i       (stop && !stop_q),
      .resident_i       (resident),
      .waiting_i        (waiting)
  );
  assign s_axil_bresp_o = 2'b00;
  assign s_axil_rresp_o = 2'b00;

  // ---- host memory: command processor and copy engine never use it at the same time ----------------
  logic               cp_req_valid, ce_req_valid, host_req_valid, host_req_ready, host_rsp_valid;
  mem_pkg::host_req_t cp_req, ce_req;
  mem_pkg::host_rsp_t host_rsp;
  logic               copying, copy_start, copy_done, copy_error;
  gpu_pkg::copy_t     copy;
  assign host_req_valid = copying ? ce_req_valid : cp_req_valid;

  logic host_busy;
  host_port u_host_port (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .req_valid_i     (host_req_valid),
      .req_ready_o     (host_req_ready),
      .req_i           (copying ? ce_req : cp_req),
      .rsp_valid_o     (host_rsp_valid),
      .rsp_o           (host_rsp),
      .busy_o          (host_busy),
      .h_axi_awvalid_o (h_axi_awvalid_o),
      .h_axi_awready_i (h_axi_awready_i),
      .h_axi_awaddr_o  (h_axi_awaddr_o),
      .h_axi_wvalid_o  (h_axi_wvalid_o),
      .h_axi_wready_i  (h_axi_wready_i),
      .h_axi_wdata_o   (h_axi_wdata_o),
      .h_axi_wstrb_o   (h_axi_wstrb_o),
      .h_axi_bvalid_i  (h_axi_bvalid_i),
      .h_axi_bready_o  (h_axi_bready_o),
      .h_axi_bresp_i   (h_axi_bresp_i),
      .h_axi_arvalid_o (h_axi_arvalid_o),
      .h_axi_arready_i (h_axi_arready_i),
      .h_axi_araddr_o  (h_axi_araddr_o),
      .h_axi_rvalid_i  (h_axi_rvalid_i),
      .h_axi_rready_o  (h_axi_rready_o),
      .h_axi_rdata_i   (h_axi_rdata_i),
      .h_axi_rresp_i   (h_axi_rresp_i)
  );

  // Its answers, and the window's, come on one link.
  logic          ce_mem_req_valid, ce_mem_req_ready, ce_mem_rsp_valid, ce_mem_rsp_ready, ce_link_ready;
  assign mem_rsp_ready[Sms] = Links'(ce_link_ready);
  mem_pkg::req_t ce_mem_req;
  mem_pkg::rsp_t ce_mem_rsp;

  copy_engine u_copy_engine (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .start_i          (copy_start),
      .copy_i           (copy),
      .done_o           (copy_done),
      .error_o          (copy_error),
      .host_req_valid_o (ce_req_valid),
      .host_req_ready_i (host_req_ready && copying),
      .host_req_o       (ce_req),
      .host_rsp_valid_i (host_rsp_valid && copying),
      .host_rsp_i       (host_rsp),
      .mem_req_valid_o  (ce_mem_req_valid),
      .mem_req_ready_i  (ce_mem_req_ready),
      .mem_req_o        (ce_mem_req),
      .mem_rsp_valid_i  (ce_mem_rsp_valid),
      .mem_rsp_ready_o  (ce_mem_rsp_ready),
      .mem_rsp_i        (ce_mem_rsp)
  );

  // From a register, as host_window's requests.
  logic flush_q, l2_flushed;
  always_ff @(posedge clk_i) flush_q <= Window && rst_ni && window_flush_i;
  assign window_flushed_o = flush_q && l2_flushed;

  if (Window) begin : g_window
    host_window u_host_window (
        .clk_i           (clk_i),
        .rst_ni          (rst_ni),
        .window_valid_i  (window_valid_i),
        .window_write_i  (window_write_i),
        .window_sector_i (window_sector_i),
        .window_mask_i   (window_mask_i),
        .window_data_i   (window_data_i),
        .window_done_o   (window_done_o),
        .window_error_o  (window_error_o),
        .window_data_o   (window_data_o),
        .ce_req_valid_i  (ce_mem_req_valid),
        .ce_req_ready_o  (ce_mem_req_ready),
        .ce_req_i        (ce_mem_req),
        .ce_rsp_valid_o  (ce_mem_rsp_valid),
        .ce_rsp_ready_i  (ce_mem_rsp_ready),
        .ce_rsp_o        (ce_mem_rsp),
        .mem_req_valid_o (mem_req_valid[Sms]),
        .mem_req_ready_i (mem_req_ready[Sms]),
        .mem_req_o       (mem_req[Sms]),
        .mem_rsp_valid_i (mem_rsp_valid[Sms][0]),
        .mem_rsp_ready_o (ce_link_ready),
        .mem_rsp_i       (mem_rsp[Sms][0])
    );
  end else begin : g_no_window
    assign mem_req_valid[Sms] = ce_mem_req_valid;
    assign mem_req[Sms]       = ce_mem_req;
    assign ce_mem_req_ready   = mem_req_ready[Sms];
    assign ce_mem_rsp_valid   = mem_rsp_valid[Sms][0];
    assign ce_mem_rsp         = mem_rsp[Sms][0];
    assign ce_link_ready      = ce_mem_rsp_ready;
    assign window_done_o      = 1'b0;
    assign window_error_o     = 1'b0;
    assign window_data_o      = '0;
  end

  command_processor u_command_processor (
      .clk_i                (clk_i),
      .rst_ni               (rst_ni),
      .ring_base_i          (ring_base),
      .ring_mask_i          (ring_mask),
      .ring_tail_i          (ring_tail),
      .ring_head_o          (ring_head),
      .reset_i              (reset),
      .reset_done_o         (reset_done),
      .cycle_i              (cycle),
      .cycle_limit_i        (cycle_limit),
      .busy_o               (busy),
      .faulted_o            (faulted),
      .irq_completion_o     (irq_completion),
      .irq_fault_o          (irq_fault),
      .host_req_valid_o     (cp_req_valid),
      .host_req_ready_i     (host_req_ready && !copying),
      .host_req_o           (cp_req),
      .host_rsp_valid_i     (host_rsp_valid && !copying),
      .host_rsp_i           (host_rsp),
      .copy_start_o         (copy_start),
      .copy_o               (copy),
      .copying_o            (copying),
      .copy_done_i          (copy_done),
      .copy_error_i         (copy_error),
      .kernel_start_o       (kernel_start),
      .kernel_o             (kernel),
      .kernel_end_o         (kernel_end),
      .kernel_status_o      (kernel_status),
      .kernel_cycles_o      (kernel_cycles),
      .blocks_total_o       (blocks_total),
      .stop_o               (stop),
      .no_fit_i             (no_fit),
      .dispatcher_running_i (running),
      .sms_busy_i           (sm_busy != '0),
      // Every SM that has work is stuck, and no block can be sent to change that.
      .sms_stuck_i          (sm_busy != '0 && (sm_busy & ~sm_stuck) == '0 && waiting_free),
      .memory_busy_i        (l2_busy || host_busy || on_the_way != '0),
      .fault_i              (fault_valid)
  );

  // A stopped kernel leaves nothing behind in dispatcher and SMs.
  logic work_rst_n;
  assign work_rst_n = rst_ni && !stop_q;
  // An SM's clock goes on for a reset, that of the chip from its second cycle on: what hung on the chip's input would be worked out
  // twice a cycle.
  logic resets_q;
  always_ff @(posedge clk_i) resets_q <= !rst_ni;

  block_dispatcher u_block_dispatcher (
      .clk_i         (clk_i),
      .rst_ni        (work_rst_n),
      .start_i       (kernel_start),
      .kernel_i      (kernel),
      .max_warps_i   (max_warps),
      .no_fit_o      (no_fit),
      .running_o     (running),
      .waiting_o     (waiting_free),
      .blocks_done_o (blocks_done),
      .block_valid_o (block_valid),
      .block_ready_i (block_ready),
      .block_o       (block),
      .done_valid_i  (done_valid),
      .done_slot_i   (done_slot)
  );

  for (genvar s = 0; s < int'(Sms); s++) begin : g_sm
    logic [Links-1:0] rsp_ready;
    // While the SM is in reset, answers to what it asked before are dropped.
    assign mem_rsp_ready[s] = rsp_ready | {Links{stop_q}};

    // Its clock goes on for some cycles after its work, until messages of one cycle are taken back.
    logic       sm_clk, sm_wakes;
    logic [3:0] sm_rests_q;
    assign sm_wakes = sm_busy[s] || kernel_start || block_valid[s] || mem_rsp_valid[s] != '0 || stop_q || resets_q;
    always_ff @(posedge clk_i) begin
      if (sm_wakes) sm_rests_q <= '1;
      else if (sm_rests_q != '0) sm_rests_q <= sm_rests_q - 4'd1;
    end
    clock_gate #(
        .Gate (ClockGates)
    ) u_clock_gate (
        .clk_i (clk_i),
        .en_i  (sm_wakes || sm_rests_q != '0),
        .clk_o (sm_clk)
    );

    logic          asks, asks_ready;
    mem_pkg::req_t asked;
    if (config_pkg::L2Distance == 0) begin : g_near
      assign {mem_req_valid[s], mem_req[s]} = {asks, asked};
      assign asks_ready = mem_req_ready[s];
      assign on_the_way[s] = 1'b0;
    end else begin : g_far
      l2_distance #(
          .Cycles (config_pkg::L2Distance)
      ) u_l2_distance (
          .clk_i       (clk_i),
          .rst_ni      (work_rst_n),
          .busy_o      (on_the_way[s]),
          .req_valid_i (asks),
          .req_ready_o (asks_ready),
          .req_i       (asked),
          .req_valid_o (mem_req_valid[s]),
          .req_ready_i (mem_req_ready[s]),
          .req_o       (mem_req[s])
      );
    end

    sm u_sm (
        .clk_i           (sm_clk),
        .rst_ni          (work_rst_n),
        .sm_id_i         (config_pkg::SmW'(s)),
        .settings_i      (settings),
        .kernel_i        (kernel),
        .cycle_i         (cycle),
        .kernel_start_i  (kernel_start),
        .block_valid_i   (block_valid[s]),
        .block_ready_o   (block_ready[s]),
        .block_i         (block),
        .done_valid_o    (done_valid[s]),
        .done_slot_o     (done_slot[s]),
        .fault_valid_o   (sm_fault[s]),
        .fault_o         (fault[s]),
        .busy_o          (sm_busy[s]),
        .stuck_o         (sm_stuck[s]),
        .resident_o      (resident[s]),
        .waiting_o       (waiting[s]),
        .count_warp_o    (sm_count_warp[s]),
        .count_thread_o  (sm_count_thread[s]),
        .mem_req_valid_o (asks),
        .mem_req_ready_i (asks_ready),
        .mem_req_o       (asked),
        .mem_rsp_valid_i (mem_rsp_valid[s]),
        .mem_rsp_ready_o (rsp_ready),
        .mem_rsp_i       (mem_rsp[s])
    );
  end

  // ---- L2 ------------------------------------------------------------------------------------------
  // Its write-back errors are those of memory that the range check let pass: a broken board.
  l2_slices #(
      .NumClients (Clients),
      .Prompt     (Clients'(1) << Sms),  // the copy engine
      .Joined     (Clients'(1) << Sms),
      .ClockGates (ClockGates)
  ) u_l2 (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .settings_i      (settings),
      .busy_o          (l2_busy),
      .error_o         (),
      .flush_i         (flush_q),
      .flush_done_o    (l2_flushed),
      .mem_req_drop_i  ({1'b0, {Sms{!work_rst_n}}}),
      .mem_req_valid_i (mem_req_valid),
      .mem_req_ready_o (mem_req_ready),
      .mem_req_i       (mem_req),
      .mem_rsp_valid_o (mem_rsp_valid),
      .mem_rsp_ready_i (mem_rsp_ready),
      .mem_rsp_o       (mem_rsp),
      .m_axi_awvalid_o  (m_axi_awvalid_o),
      .m_axi_awready_i  (m_axi_awready_i),
      .m_axi_awaddr_o   (m_axi_awaddr_o),
      .m_axi_awlen_o    (m_axi_awlen_o),
      .m_axi_awid_o     (m_axi_awid_o),
      .m_axi_wvalid_o   (m_axi_wvalid_o),
      .m_axi_wready_i   (m_axi_wready_i),
      .m_axi_wdata_o    (m_axi_wdata_o),
      .m_axi_wstrb_o    (m_axi_wstrb_o),
      .m_axi_wlast_o    (m_axi_wlast_o),
      .m_axi_bvalid_i   (m_axi_bvalid_i),
      .m_axi_bready_o   (m_axi_bready_o),
      .m_axi_bid_i      (m_axi_bid_i),
      .m_axi_bresp_i    (m_axi_bresp_i),
      .m_axi_arvalid_o  (m_axi_arvalid_o),
      .m_axi_arready_i  (m_axi_arready_i),
      .m_axi_araddr_o   (m_axi_araddr_o),
      .m_axi_arlen_o    (m_axi_arlen_o),
      .m_axi_arid_o     (m_axi_arid_o),
      .m_axi_rvalid_i   (m_axi_rvalid_i),
      .m_axi_rready_o   (m_axi_rready_o),
      .m_axi_rid_i      (m_axi_rid_i),
      .m_axi_rdata_i    (m_axi_rdata_i),
      .m_axi_rresp_i    (m_axi_rresp_i),
      .m_axi_rlast_i    (m_axi_rlast_i)
  );
endmodule
