// SPDX-License-Identifier: Apache-2.0
// The whole memory path for tests: a load/store unit and a hub for each SM, the L2, its AXI4 ports. Structs
// are spread out, so that the test sees plain words. Where rows move in slices, an instruction is given to the load/store
// unit slice by slice here, and its rows are put together, so that the test sees whole ones.
module memory_system #(
  localparam int unsigned Sms = config_pkg::Sms,
  localparam int unsigned Clients = Sms + 1,
  localparam int unsigned Slices = config_pkg::L2Slices,
  localparam int unsigned Channels = config_pkg::MemoryChannels
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  // Settings and kernel.
  input  logic [63:0]   mem_end_i,
  input  logic          l1_enable_i,
  input  logic [31:0]   shared_bytes_i,
  input  logic [31:0]   local_bytes_i,
  input  logic [63:0]   local_base_i,
  input  logic [63:0]   param_base_i,
  input  logic [31:0]   param_bytes_i,
  input  logic [63:0]   const_base_i,
  input  logic          kernel_start_i,
  input  logic          flush_i,
  output logic          flush_done_o,
  output logic          l2_busy_o,
  // Instructions.
  input  logic          req_valid_i [Sms],
  output logic          req_ready_o [Sms],
  input  logic [7:0]    req_warp_i [Sms],
  input  logic [15:0]   req_seq_i [Sms],
  input  logic [7:0]    req_rd_i [Sms],
  input  logic [31:0]   req_mask_i [Sms],
  input  logic [7:0]    req_op_i [Sms],
  input  logic [31:0]   req_mod_i [Sms],
  input  logic [31:0]   req_pc_i [Sms],
  input  logic [31:0]   req_shared_base_i [Sms],
  input  logic [1023:0] req_addr_i [Sms],
  input  logic [1023:0] req_addr_hi_i [Sms],
  input  logic [4095:0] req_data_i [Sms],
  output logic          rsp_valid_o [Sms],
  input  logic          rsp_ready_i [Sms],
  output logic [7:0]    rsp_warp_o [Sms],
  output logic [15:0]   rsp_seq_o [Sms],
  output logic          rsp_we_o [Sms],
  output logic [7:0]    rsp_index_o [Sms],
  output logic          rsp_last_o [Sms],
  output logic [31:0]   rsp_mask_o [Sms],
  output logic [1023:0] rsp_row_o [Sms],
  output logic          fault_valid_o [Sms],
  output logic [7:0]    fault_warp_o [Sms],
  output logic [31:0]   fault_pc_o [Sms],
  output logic [7:0]    fault_lane_o [Sms],
  output logic [7:0]    fault_kind_o [Sms],
  output logic [7:0]    fault_code_o [Sms],
  output logic [63:0]   fault_address_o [Sms],
  output logic          busy_o [Sms],
  output logic [63:0]   store_pending_o [Sms],
  // Instruction cache of each SM.
  input  logic          fetch_valid_i [Sms],
  output logic          fetch_ready_o [Sms],
  input  logic [63:0]   fetch_sector_i [Sms],
  output logic          fetch_rsp_valid_o [Sms],
  output logic          fetch_rsp_error_o [Sms],
  output logic [255:0]  fetch_rsp_data_o [Sms],
  // Trace.
  output logic          load_valid_o [Sms],
  output logic [7:0]    load_source_o [Sms],
  output logic [15:0]   load_id_o [Sms],
  output logic [7:0]    load_warp_o [Sms],
  output logic [15:0]   load_seq_o [Sms],
  output logic [31:0]   load_lanes_o [Sms],
  output logic          shared_valid_o [Sms],
  output logic          shared_stores_o [Sms],
  output logic [7:0]    shared_warp_o [Sms],
  output logic [15:0]   shared_seq_o [Sms],
  output logic [31:0]   shared_lanes_o [Sms],
  output logic          l1_valid_o [Sms],
  output logic [7:0]    l1_kind_o [Sms],
  output logic          l1_installed_o [Sms],
  output logic [15:0]   l1_id_o [Sms],
  output logic [63:0]   l1_line_o [Sms],
  output logic [3:0]    l1_sectors_o [Sms],
  output logic [127:0]  l1_mask_o [Sms],
  output logic [1023:0] l1_data_o [Sms],
  output logic          l2_valid_o [Slices],
  output logic [7:0]    l2_client_o [Slices],
  output logic [7:0]    l2_kind_o [Slices],
  output logic [15:0]   l2_id_o [Slices],
  output logic [15:0]   fill_ids_o,         // ids below this one are those of the L1's fills
  output logic [63:0]   l2_sector_o [Slices],
  output logic [31:0]   l2_mask_o [Slices],
  output logic [255:0]  l2_data_o [Slices],     // of the request
  output logic [7:0]    l2_offset_o [Slices],
  output logic          l2_wide_o [Slices],
  output logic [7:0]    l2_atom_op_o [Slices],
  output logic [2:0]    l2_atom_type_o [Slices],
  output logic [255:0]  l2_old_o [Slices],
  output logic [7:0]    l2_warp_o [Slices],
  output logic [15:0]   l2_seq_o [Slices],
  output logic [7:0]    l2_lane_o [Slices],
  output logic [255:0]  l2_read_o [Slices],
  // Memory, by channel.
  output logic [Channels-1:0]                                   m_axi_awvalid_o,
  input  logic [Channels-1:0]                                   m_axi_awready_i,
  output logic [Channels-1:0][gpu_pkg::AddrW-1:0]               m_axi_awaddr_o,
  output logic [Channels-1:0][7:0]                              m_axi_awlen_o,
  output logic [Channels-1:0][l2_pkg::AxiIdW-1:0]               m_axi_awid_o,
  output logic [Channels-1:0]                                   m_axi_wvalid_o,
  input  logic [Channels-1:0]                                   m_axi_wready_i,
  output logic [Channels-1:0][config_pkg::AxiDataBits-1:0]      m_axi_wdata_o,
  output logic [Channels-1:0][config_pkg::AxiDataBits/8-1:0]    m_axi_wstrb_o,
  output logic [Channels-1:0]                                   m_axi_wlast_o,
  input  logic [Channels-1:0]                                   m_axi_bvalid_i,
  output logic [Channels-1:0]                                   m_axi_bready_o,
  input  logic [Channels-1:0][l2_pkg::AxiIdW-1:0]               m_axi_bid_i,
  input  logic [Channels-1:0][1:0]                              m_axi_bresp_i,
  output logic [Channels-1:0]                                   m_axi_arvalid_o,
  input  logic [Channels-1:0]                                   m_axi_arready_i,
  output logic [Channels-1:0][gpu_pkg::AddrW-1:0]               m_axi_araddr_o,
  output logic [Channels-1:0][7:0]                              m_axi_arlen_o,
  output logic [Channels-1:0][l2_pkg::AxiIdW-1:0]               m_axi_arid_o,
  input  logic [Channels-1:0]                                   m_axi_rvalid_i,
  output logic [Channels-1:0]                                   m_axi_rready_o,
  input  logic [Channels-1:0][l2_pkg::AxiIdW-1:0]               m_axi_rid_i,
  input  logic [Channels-1:0][config_pkg::AxiDataBits-1:0]      m_axi_rdata_i,
  input  logic [Channels-1:0][1:0]                              m_axi_rresp_i,
  input  logic [Channels-1:0]                                   m_axi_rlast_i
);

  gpu_pkg::settings_t settings;
  gpu_pkg::kernel_t   kernel;
  always_comb begin
    settings = '0;
    settings.mem_end = mem_end_i[39:0];
    settings.l1_enable = l1_enable_i;
    kernel = '0;
    kernel.shared_bytes = shared_bytes_i[17:0];
    kernel.local_bytes = local_bytes_i;
    kernel.local_base = local_base_i[39:0];
    kernel.param_base = param_base_i[39:0];
    kernel.param_bytes = param_bytes_i[16:0];
    kernel.const_base = const_base_i[39:0];
  end

  localparam int unsigned Links = mem_pkg::Links;
  logic          [Clients-1:0] mem_req_valid, mem_req_ready;
  logic          [Clients-1:0][Links-1:0] mem_rsp_valid, mem_rsp_ready;
  mem_pkg::req_t [Clients-1:0] mem_req;
  mem_pkg::rsp_t [Clients-1:0][Links-1:0] mem_rsp;
  assign mem_req_valid[Sms] = 1'b0;
  assign mem_req[Sms] = '0;
  assign mem_rsp_ready[Sms] = '1;

  assign fill_ids_o = 16'(1 << (mem_pkg::IdW - 1));

  for (genvar s = 0; s < int'(Sms); s++) begin : g_sm
    sm_pkg::lsu_req_t         req;
    sm_pkg::lsu_rsp_t         rsp;
    sm_pkg::lsu_fault_t       fault;
    trace_pkg::load_t         load;
    trace_pkg::shared_t       shared;
    trace_pkg::l1_t           l1;
    logic                     lsu_valid, lsu_ready;
    mem_pkg::req_t            lsu_req;
    logic [Links-1:0]          lsu_rsp_valid, lsu_rsp_ready;
    mem_pkg::rsp_t [Links-1:0] lsu_rsp;
    logic [config_pkg::WarpsPerSm-1:0] store_pending;

    // Slices: of the instruction that is given, of the row that comes.
    localparam int unsigned Lanes = sm_pkg::RowLanes;
    sm_pkg::slice_t slice_q, expected_q;
    logic           req_ready, rsp_valid;
    logic [1023:0]  row_q, row;
    assign req_ready_o[s] = req_ready && slice_q == sm_pkg::LastSlice;
    assign rsp_valid_o[s] = rsp_valid && (!rsp.we || rsp.tag.slice == sm_pkg::LastSlice);
    always_comb begin
      row = row_q;
      row[32*Lanes*rsp.tag.slice+:32*Lanes] = rsp.row;
    end
    always_ff @(posedge clk_i) begin
      if (req_valid_i[s] && req_ready) slice_q <= slice_q == sm_pkg::LastSlice ? '0 : slice_q + 1'b1;
      if (rsp_valid && rsp_ready_i[s] && rsp.we) begin
        row_q <= row;
        expected_q <= expected_q == sm_pkg::LastSlice ? '0 : expected_q + 1'b1;
      end
      if (!rst_ni) begin
        slice_q <= '0;
        expected_q <= '0;
      end else if (rsp_valid && rsp.we) begin
        a_order: assert (rsp.tag.slice == expected_q) else $error("slices of a row out of order");
        a_last: assert (!rsp.last || rsp.tag.slice == sm_pkg::LastSlice) else $error("last before the last slice");
      end
    end

    always_comb begin
      req = '0;
      if (req_valid_i[s]) begin
        req.tag.slice = slice_q;
        req.tag.warp = req_warp_i[s][config_pkg::WarpW-1:0];
        req.tag.seq = req_seq_i[s];
        req.tag.rd = req_rd_i[s];
        req.tag.pd = 3'd7;
        req.tag.pq = 3'd7;
        req.tag.mask = req_mask_i[s];
        req.op = req_op_i[s];
        req.mod = req_mod_i[s][17:0];
        req.pc = req_pc_i[s];
        req.shared_base = req_shared_base_i[s][config_pkg::SharedW-1:0];
        req.addr = req_addr_i[s][32*Lanes*slice_q+:32*Lanes];
        req.addr_hi = req_addr_hi_i[s][32*Lanes*slice_q+:32*Lanes];
        for (int unsigned d = 0; d < 4; d++) req.data[d] = req_data_i[s][1024*d+32*Lanes*slice_q+:32*Lanes];
      end
    end

    lsu u_lsu (
      .clk_i                (clk_i),
      .rst_ni               (rst_ni),
      .settings_i           (settings),
      .kernel_i             (kernel),
      .kernel_start_i       (kernel_start_i),
      .sm_id_i              (config_pkg::SmW'(s)),
      .req_valid_i          (req_valid_i[s]),
      .req_ready_o          (req_ready),
      .req_i                (req),
      .rsp_valid_o          (rsp_valid),
      .rsp_ready_i          (rsp_ready_i[s]),
      .rsp_o                (rsp),
      .fault_valid_o        (fault_valid_o[s]),
      .fault_o              (fault),
      .busy_o               (busy_o[s]),
      .store_pending_o      (store_pending),
      .stores_wanted_i      ('0),
      .further_o            (),
      .mem_req_valid_o      (lsu_valid),
      .mem_req_ready_i      (lsu_ready),
      .mem_req_o            (lsu_req),
      .mem_rsp_valid_i      (lsu_rsp_valid),
      .mem_rsp_ready_o      (lsu_rsp_ready),
      .mem_rsp_i            (lsu_rsp),
      .trace_load_o         (load),
      .trace_shared_o       (shared),
      .trace_l1_o           (l1)
    );

    // Instruction fetches: a place each, in turn; answers are put together there and shown in the order asked.
    logic [2:0]                    asked_q, told_q;
    logic [3:0]                    come_q, error_q;
    logic [mem_pkg::SectorW-1:0]   sector_q [4];
    logic                          fetch_room, fetch_ready, piece_valid, piece_error;
    logic [1:0]                    place;
    mem_pkg::piece_t               piece;
    logic [mem_pkg::PieceBits-1:0] piece_data;
    assign fetch_room = asked_q - told_q != 3'd4;
    assign fetch_ready_o[s] = fetch_room && fetch_ready;
    assign fetch_rsp_valid_o[s] = come_q[told_q[1:0]];
    assign fetch_rsp_error_o[s] = error_q[told_q[1:0]];
    assign fetch_rsp_data_o[s] = sector_q[told_q[1:0]];
    always_ff @(posedge clk_i) begin
      if (fetch_valid_i[s] && fetch_ready_o[s]) asked_q <= asked_q + 3'd1;
      if (come_q[told_q[1:0]]) begin
        told_q <= told_q + 3'd1;
        come_q[told_q[1:0]] <= 1'b0;
      end
      if (piece_valid) begin
        sector_q[place][mem_pkg::PieceBits*32'(piece)+:mem_pkg::PieceBits] <= piece_data;
        error_q[place] <= piece_error;
        if (32'(piece) == mem_pkg::Pieces - 1) come_q[place] <= 1'b1;
      end
      if (!rst_ni) begin
        asked_q <= '0;
        told_q <= '0;
        come_q <= '0;
      end
    end

    mem_hub u_hub (
      .clk_i               (clk_i),
      .rst_ni              (rst_ni),
      .lsu_req_valid_i     (lsu_valid),
      .lsu_req_ready_o     (lsu_ready),
      .lsu_req_i           (lsu_req),
      .lsu_rsp_valid_o     (lsu_rsp_valid),
      .lsu_rsp_ready_i     (lsu_rsp_ready),
      .lsu_rsp_o           (lsu_rsp),
      .icache_req_valid_i  (fetch_valid_i[s] && fetch_room),
      .icache_req_ready_o  (fetch_ready),
      .icache_req_sector_i (fetch_sector_i[s][34:0]),
      .icache_req_place_i  (asked_q[1:0]),
      .icache_rsp_valid_o  (piece_valid),
      .icache_rsp_error_o  (piece_error),
      .icache_rsp_place_o  (place),
      .icache_rsp_piece_o  (piece),
      .icache_rsp_data_o   (piece_data),
      .const_req_valid_i   (1'b0),
      .const_req_ready_o   (),
      .const_req_sector_i  ('0),
      .const_rsp_valid_o   (),
      .const_rsp_error_o   (),
      .const_rsp_piece_o   (),
      .const_rsp_data_o    (),
      .mem_req_valid_o     (mem_req_valid[s]),
      .mem_req_ready_i     (mem_req_ready[s]),
      .mem_req_o           (mem_req[s]),
      .mem_rsp_valid_i     (mem_rsp_valid[s]),
      .mem_rsp_ready_o     (mem_rsp_ready[s]),
      .mem_rsp_i           (mem_rsp[s])
    );

    assign rsp_warp_o[s] = 8'(rsp.tag.warp);
    assign rsp_seq_o[s] = rsp.tag.seq;
    assign rsp_we_o[s] = rsp.we;
    assign rsp_index_o[s] = 8'(rsp.index);
    assign rsp_last_o[s] = rsp.last;
    assign rsp_mask_o[s] = rsp.tag.mask;
    assign rsp_row_o[s] = row;
    assign fault_warp_o[s] = 8'(fault.warp);
    assign fault_pc_o[s] = fault.pc;
    assign fault_lane_o[s] = 8'(fault.lane);
    assign fault_kind_o[s] = 8'(fault.kind);
    assign fault_code_o[s] = fault.code;
    assign fault_address_o[s] = fault.address;
    assign store_pending_o[s] = 64'(store_pending);
    assign load_valid_o[s] = load.valid;
    assign load_source_o[s] = 8'(load.source);
    assign load_id_o[s] = 16'(load.id);
    assign load_warp_o[s] = 8'(load.warp);
    assign load_seq_o[s] = load.seq;
    assign load_lanes_o[s] = load.lanes;
    assign shared_valid_o[s] = shared.valid;
    assign shared_stores_o[s] = shared.stores;
    assign shared_warp_o[s] = 8'(shared.warp);
    assign shared_seq_o[s] = shared.seq;
    assign shared_lanes_o[s] = shared.lanes;
    assign l1_valid_o[s] = l1.valid;
    assign l1_kind_o[s] = 8'(l1.kind);
    assign l1_installed_o[s] = l1.installed;
    assign l1_id_o[s] = 16'(l1.id);
    assign l1_line_o[s] = 64'(l1.line);
    assign l1_sectors_o[s] = l1.sectors;
    assign l1_mask_o[s] = l1.mask;
    assign l1_data_o[s] = l1.data;
  end

  for (genvar s = 0; s < int'(Slices); s++) begin : g_trace
    trace_pkg::l2_t trace_l2;
    assign trace_l2 = u_l2.g_slice[s].u_l2.trace_l2_o;
    assign l2_valid_o[s] = trace_l2.valid;
    assign l2_client_o[s] = trace_l2.client;
    assign l2_kind_o[s] = 8'(trace_l2.req.kind);
    assign l2_id_o[s] = 16'(trace_l2.req.id);
    assign l2_sector_o[s] = 64'(trace_l2.req.sector);
    assign l2_mask_o[s] = trace_l2.mask;
    assign l2_data_o[s] = trace_l2.data;
    assign l2_offset_o[s] = 8'(trace_l2.req.offset);
    assign l2_wide_o[s] = trace_l2.req.wide;
    assign l2_atom_op_o[s] = 8'(trace_l2.req.atom_op);
    assign l2_atom_type_o[s] = 3'(trace_l2.req.atom_type);
    assign l2_old_o[s] = trace_l2.old;
    assign l2_warp_o[s] = 8'(trace_l2.req.warp);
    assign l2_seq_o[s] = trace_l2.req.seq;
    assign l2_lane_o[s] = 8'(trace_l2.req.lane);
    assign l2_read_o[s] = trace_l2.data;
  end

  l2_slices #(.NumClients(Clients)) u_l2 (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .settings_i      (settings),
    .busy_o          (l2_busy_o),
    .error_o         (),
    .flush_i         (flush_i),
    .flush_done_o    (flush_done_o),
    .mem_req_valid_i (mem_req_valid),
    .mem_req_ready_o (mem_req_ready),
    .mem_req_i       (mem_req),
    .mem_req_drop_i  ('0),
    .mem_rsp_valid_o (mem_rsp_valid),
    .mem_rsp_ready_i (mem_rsp_ready),
    .mem_rsp_o       (mem_rsp),
    .m_axi_awvalid_o (m_axi_awvalid_o),
    .m_axi_awready_i (m_axi_awready_i),
    .m_axi_awaddr_o  (m_axi_awaddr_o),
    .m_axi_awlen_o   (m_axi_awlen_o),
    .m_axi_awid_o    (m_axi_awid_o),
    .m_axi_wvalid_o  (m_axi_wvalid_o),
    .m_axi_wready_i  (m_axi_wready_i),
    .m_axi_wdata_o   (m_axi_wdata_o),
    .m_axi_wstrb_o   (m_axi_wstrb_o),
    .m_axi_wlast_o   (m_axi_wlast_o),
    .m_axi_bvalid_i  (m_axi_bvalid_i),
    .m_axi_bready_o  (m_axi_bready_o),
    .m_axi_bid_i     (m_axi_bid_i),
    .m_axi_bresp_i   (m_axi_bresp_i),
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arid_o    (m_axi_arid_o),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (m_axi_rready_o),
    .m_axi_rid_i     (m_axi_rid_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i),
    .m_axi_rlast_i   (m_axi_rlast_i)
  );

endmodule
