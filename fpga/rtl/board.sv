// SPDX-License-Identifier: Apache-2.0
// All of Heddle on an FPGA but pins and clocks: GPU, its memory, and the host on a serial line.
//
//   rxd/txd --- uart --- link --- bridge ==== AXI4-Lite, AXI4 host memory, irq ==== gpu ==== AXI4 ==== sdram_ctrl
//                         |                                                                       or bram_memory
//                         +--- restart: a session begins or ends: everything but the link is reset
//
// So no transfer, kernel or cache line of one program is there when the next one connects.
module board #(
    parameter int unsigned ClockKhz     = 50_000,
    parameter int unsigned Baud         = 3_000_000,
    parameter int unsigned ResendCycles = 40 * ClockKhz,  // 40 ms: more than what a USB serial adapter holds back
    parameter logic [31:0] BitstreamId  = '0,             // names the build; 0: none
    parameter bit          Sdram        = 1'b1,           // 0: bram_memory of BramBytes
    parameter int unsigned BramBytes    = 131072,
    parameter int unsigned PowerUpNs    = 200_000,
    parameter bit          ClockGates   = 1'b0            // 1 in simulation: an SM without work costs nothing
) (
    input  logic        clk_i,
    input  logic        rst_ni,
    input  logic        rxd_i,
    output logic        txd_o,
    // SDRAM; its clock is ~clk_i.
    output logic        sdram_cke_o,
    output logic        sdram_csn_o,
    output logic        sdram_rasn_o,
    output logic        sdram_casn_o,
    output logic        sdram_wen_o,
    output logic [12:0] sdram_a_o,
    output logic [1:0]  sdram_ba_o,
    output logic [1:0]  sdram_dqm_o,
    output logic        sdram_dq_en_o,
    output logic [15:0] sdram_dq_o,
    input  logic [15:0] sdram_dq_i,
    // Lights: what goes on; `good`, `bad`, `resent`, `memory` for one clock.
    output logic        connected_o,
    output logic        irq_o,
    output logic        good_o,
    output logic        bad_o,
    output logic        resent_o,
    output logic        memory_o
);

  localparam int unsigned DataBits = config_pkg::AxiDataBits;
  localparam int unsigned IdW      = l2_pkg::AxiIdW;
  localparam int unsigned AddrW    = gpu_pkg::AddrW;
  localparam int unsigned MessageW = 6;
  localparam int unsigned FreeW    = $clog2(link_pkg::Window) + 1;

  // ---- the line ------------------------------------------------------------------------------------
  logic       rx_valid, rx_error, tx_valid, tx_ready;
  logic [7:0] rx_data, tx_data;

  uart_rx #(
      .ClockHz (1000 * ClockKhz),
      .Baud    (Baud)
  ) u_uart_rx (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .rxd_i   (rxd_i),
      .valid_o (rx_valid),
      .data_o  (rx_data),
      .error_o (rx_error)
  );

  uart_tx #(
      .ClockHz (1000 * ClockKhz),
      .Baud    (Baud)
  ) u_uart_tx (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .valid_i (tx_valid),
      .ready_o (tx_ready),
      .data_i  (tx_data),
      .txd_o   (txd_o)
  );

  // ---- the link --------------------------------------------------------------------------------------
  link_pkg::identity_t identity;
  assign identity.clock_khz    = ClockKhz;
  assign identity.memory_bytes = Sdram ? 32'h200_0000 : BramBytes;
  assign identity.bitstream_id = BitstreamId;
  assign identity.preset_hash  = config_pkg::PresetHash;

  logic                restart, message_valid, message_done, write, commit;
  logic [MessageW-1:0] message_length, message_index, write_index, commit_length;
  logic [7:0]          message_data, write_data;
  logic [FreeW-1:0]    free;

  link #(
      .ResendCycles (ResendCycles)
  ) u_link (
      .clk_i            (clk_i),
      .rst_ni           (rst_ni),
      .identity_i       (identity),
      .connected_o      (connected_o),
      .restart_o        (restart),
      .good_o           (good_o),
      .bad_o            (bad_o),
      .resent_o         (resent_o),
      .rx_valid_i       (rx_valid),
      .rx_data_i        (rx_data),
      .rx_error_i       (rx_error),
      .tx_valid_o       (tx_valid),
      .tx_ready_i       (tx_ready),
      .tx_data_o        (tx_data),
      .message_valid_o  (message_valid),
      .message_length_o (message_length),
      .message_index_i  (message_index),
      .message_data_o   (message_data),
      .message_done_i   (message_done),
      .free_o           (free),
      .write_i          (write),
      .write_index_i    (write_index),
      .write_data_i     (write_data),
      .commit_i         (commit),
      .commit_length_i  (commit_length)
  );

  // From the very clock in which the link forgets its messages, so that none of the old session follows them.
  logic [15:0] work_hold_q;
  logic        work_rst_n;
  assign work_rst_n = work_hold_q[15] && !restart;
  always_ff @(posedge clk_i) begin
    if (!rst_ni || restart) work_hold_q <= '0;
    else work_hold_q <= {work_hold_q[14:0], 1'b1};
  end

  // ---- between link and GPU ------------------------------------------------------------------------------
  logic         axil_awvalid, axil_awready, axil_wvalid, axil_wready, axil_bvalid, axil_bready;
  logic         axil_arvalid, axil_arready, axil_rvalid, axil_rready;
  logic [15:0]  axil_awaddr, axil_araddr;
  logic [31:0]  axil_wdata, axil_rdata;
  logic         h_awvalid, h_awready, h_wvalid, h_wready, h_bvalid, h_bready, h_arvalid, h_arready, h_rvalid, h_rready;
  logic [63:0]  h_awaddr, h_araddr;
  logic [255:0] h_wdata, h_rdata;
  logic [31:0]  h_wstrb;
  logic [1:0]   h_bresp, h_rresp;
  logic         irq;
  assign irq_o = irq;

  bridge u_bridge (
      .clk_i            (clk_i),
      .rst_ni           (work_rst_n),
      .message_valid_i  (message_valid),
      .message_length_i (message_length),
      .message_index_o  (message_index),
      .message_data_i   (message_data),
      .message_done_o   (message_done),
      .free_i           (free),
      .write_o          (write),
      .write_index_o    (write_index),
      .write_data_o     (write_data),
      .commit_o         (commit),
      .commit_length_o  (commit_length),
      .s_axil_awvalid_o (axil_awvalid),
      .s_axil_awready_i (axil_awready),
      .s_axil_awaddr_o  (axil_awaddr),
      .s_axil_wvalid_o  (axil_wvalid),
      .s_axil_wready_i  (axil_wready),
      .s_axil_wdata_o   (axil_wdata),
      .s_axil_bvalid_i  (axil_bvalid),
      .s_axil_bready_o  (axil_bready),
      .s_axil_arvalid_o (axil_arvalid),
      .s_axil_arready_i (axil_arready),
      .s_axil_araddr_o  (axil_araddr),
      .s_axil_rvalid_i  (axil_rvalid),
      .s_axil_rready_o  (axil_rready),
      .s_axil_rdata_i   (axil_rdata),
      .h_axi_awvalid_i  (h_awvalid),
      .h_axi_awready_o  (h_awready),
      .h_axi_awaddr_i   (h_awaddr),
      .h_axi_wvalid_i   (h_wvalid),
      .h_axi_wready_o   (h_wready),
      .h_axi_wdata_i    (h_wdata),
      .h_axi_wstrb_i    (h_wstrb),
      .h_axi_bvalid_o   (h_bvalid),
      .h_axi_bready_i   (h_bready),
      .h_axi_bresp_o    (h_bresp),
      .h_axi_arvalid_i  (h_arvalid),
      .h_axi_arready_o  (h_arready),
      .h_axi_araddr_i   (h_araddr),
      .h_axi_rvalid_o   (h_rvalid),
      .h_axi_rready_i   (h_rready),
      .h_axi_rdata_o    (h_rdata),
      .h_axi_rresp_o    (h_rresp),
      .irq_i            (irq)
  );

  // ---- GPU and its memory --------------------------------------------------------------------------------
  logic                  m_awvalid, m_awready, m_wvalid, m_wready, m_wlast, m_bvalid, m_bready;
  logic                  m_arvalid, m_arready, m_rvalid, m_rready, m_rlast;
  logic [AddrW-1:0]      m_awaddr, m_araddr;
  logic [7:0]            m_awlen, m_arlen;
  logic [IdW-1:0]        m_awid, m_bid, m_arid, m_rid;
  logic [DataBits-1:0]   m_wdata, m_rdata;
  logic [DataBits/8-1:0] m_wstrb;
  logic [1:0]            m_bresp, m_rresp;
  assign memory_o = (m_awvalid && m_awready) || (m_arvalid && m_arready);

  gpu #(
      .ClockGates (ClockGates)
  ) u_gpu (
      .clk_i            (clk_i),
      .rst_ni           (work_rst_n),
      .irq_o            (irq),
      .s_axil_awvalid_i (axil_awvalid),
      .s_axil_awready_o (axil_awready),
      .s_axil_awaddr_i  (axil_awaddr),
      .s_axil_wvalid_i  (axil_wvalid),
      .s_axil_wready_o  (axil_wready),
      .s_axil_wdata_i   (axil_wdata),
      .s_axil_bvalid_o  (axil_bvalid),
      .s_axil_bready_i  (axil_bready),
      .s_axil_bresp_o   (),  // always OKAY
      .s_axil_arvalid_i (axil_arvalid),
      .s_axil_arready_o (axil_arready),
      .s_axil_araddr_i  (axil_araddr),
      .s_axil_rvalid_o  (axil_rvalid),
      .s_axil_rready_i  (axil_rready),
      .s_axil_rdata_o   (axil_rdata),
      .s_axil_rresp_o   (),
      .h_axi_awvalid_o  (h_awvalid),
      .h_axi_awready_i  (h_awready),
      .h_axi_awaddr_o   (h_awaddr),
      .h_axi_wvalid_o   (h_wvalid),
      .h_axi_wready_i   (h_wready),
      .h_axi_wdata_o    (h_wdata),
      .h_axi_wstrb_o    (h_wstrb),
      .h_axi_bvalid_i   (h_bvalid),
      .h_axi_bready_o   (h_bready),
      .h_axi_bresp_i    (h_bresp),
      .h_axi_arvalid_o  (h_arvalid),
      .h_axi_arready_i  (h_arready),
      .h_axi_araddr_o   (h_araddr),
      .h_axi_rvalid_i   (h_rvalid),
      .h_axi_rready_o   (h_rready),
      .h_axi_rdata_i    (h_rdata),
      .h_axi_rresp_i    (h_rresp),
      .m_axi_awvalid_o  (m_awvalid),
      .m_axi_awready_i  (m_awready),
      .m_axi_awaddr_o   (m_awaddr),
      .m_axi_awlen_o    (m_awlen),
      .m_axi_awid_o     (m_awid),
      .m_axi_wvalid_o   (m_wvalid),
      .m_axi_wready_i   (m_wready),
      .m_axi_wdata_o    (m_wdata),
      .m_axi_wstrb_o    (m_wstrb),
      .m_axi_wlast_o    (m_wlast),
      .m_axi_bvalid_i   (m_bvalid),
      .m_axi_bready_o   (m_bready),
      .m_axi_bid_i      (m_bid),
      .m_axi_bresp_i    (m_bresp),
      .m_axi_arvalid_o  (m_arvalid),
      .m_axi_arready_i  (m_arready),
      .m_axi_araddr_o   (m_araddr),
      .m_axi_arlen_o    (m_arlen),
      .m_axi_arid_o     (m_arid),
      .m_axi_rvalid_i   (m_rvalid),
      .m_axi_rready_o   (m_rready),
      .m_axi_rid_i      (m_rid),
      .m_axi_rdata_i    (m_rdata),
      .m_axi_rresp_i    (m_rresp),
      .m_axi_rlast_i    (m_rlast),
      // The host's bytes come by DMA: no window.
      .window_valid_i   (1'b0),
      .window_write_i   (1'b0),
      .window_sector_i  ('0),
      .window_mask_i    ('0),
      .window_data_i    ('0),
      .window_done_o    (),
      .window_error_o   (),
      .window_data_o    (),
      .window_flush_i   (1'b0),
      .window_flushed_o ()
  );

  if (Sdram) begin : g_sdram
    sdram_ctrl #(
        .ClockKhz  (ClockKhz),
        .PowerUpNs (PowerUpNs)
    ) u_memory (
        .clk_i           (clk_i),
        .rst_ni          (rst_ni),
        .abort_i         (!work_rst_n),
        .s_axi_awvalid_i (m_awvalid),
        .s_axi_awready_o (m_awready),
        .s_axi_awaddr_i  (m_awaddr),
        .s_axi_awlen_i   (m_awlen),
        .s_axi_awid_i    (m_awid),
        .s_axi_wvalid_i  (m_wvalid),
        .s_axi_wready_o  (m_wready),
        .s_axi_wdata_i   (m_wdata),
        .s_axi_wstrb_i   (m_wstrb),
        .s_axi_bvalid_o  (m_bvalid),
        .s_axi_bready_i  (m_bready),
        .s_axi_bid_o     (m_bid),
        .s_axi_bresp_o   (m_bresp),
        .s_axi_arvalid_i (m_arvalid),
        .s_axi_arready_o (m_arready),
        .s_axi_araddr_i  (m_araddr),
        .s_axi_arlen_i   (m_arlen),
        .s_axi_arid_i    (m_arid),
        .s_axi_rvalid_o  (m_rvalid),
        .s_axi_rready_i  (m_rready),
        .s_axi_rid_o     (m_rid),
        .s_axi_rdata_o   (m_rdata),
        .s_axi_rresp_o   (m_rresp),
        .s_axi_rlast_o   (m_rlast),
        .sdram_cke_o     (sdram_cke_o),
        .sdram_csn_o     (sdram_csn_o),
        .sdram_rasn_o    (sdram_rasn_o),
        .sdram_casn_o    (sdram_casn_o),
        .sdram_wen_o     (sdram_wen_o),
        .sdram_a_o       (sdram_a_o),
        .sdram_ba_o      (sdram_ba_o),
        .sdram_dqm_o     (sdram_dqm_o),
        .sdram_dq_en_o   (sdram_dq_en_o),
        .sdram_dq_o      (sdram_dq_o),
        .sdram_dq_i      (sdram_dq_i)
    );
    logic unused;
    assign unused = m_wlast;  // the controller counts beats
  end else begin : g_bram
    bram_memory #(
        .Bytes (BramBytes)
    ) u_memory (
        .clk_i           (clk_i),
        .rst_ni          (work_rst_n),
        .s_axi_awvalid_i (m_awvalid),
        .s_axi_awready_o (m_awready),
        .s_axi_awaddr_i  (m_awaddr),
        .s_axi_awlen_i   (m_awlen),
        .s_axi_awid_i    (m_awid),
        .s_axi_wvalid_i  (m_wvalid),
        .s_axi_wready_o  (m_wready),
        .s_axi_wdata_i   (m_wdata),
        .s_axi_wstrb_i   (m_wstrb),
        .s_axi_bvalid_o  (m_bvalid),
        .s_axi_bready_i  (m_bready),
        .s_axi_bid_o     (m_bid),
        .s_axi_bresp_o   (m_bresp),
        .s_axi_arvalid_i (m_arvalid),
        .s_axi_arready_o (m_arready),
        .s_axi_araddr_i  (m_araddr),
        .s_axi_arlen_i   (m_arlen),
        .s_axi_arid_i    (m_arid),
        .s_axi_rvalid_o  (m_rvalid),
        .s_axi_rready_i  (m_rready),
        .s_axi_rid_o     (m_rid),
        .s_axi_rdata_o   (m_rdata),
        .s_axi_rresp_o   (m_rresp),
        .s_axi_rlast_o   (m_rlast)
    );
    // The chip rests: deselected, clock stopped.
    assign sdram_cke_o   = 1'b0;
    assign sdram_csn_o   = 1'b1;
    assign sdram_rasn_o  = 1'b1;
    assign sdram_casn_o  = 1'b1;
    assign sdram_wen_o   = 1'b1;
    assign sdram_a_o     = '0;
    assign sdram_ba_o    = '0;
    assign sdram_dqm_o   = '1;
    assign sdram_dq_en_o = 1'b0;
    assign sdram_dq_o    = '0;
  end

endmodule
