// SPDX-License-Identifier: Apache-2.0
// The L2 of one slice, or a slice of several with its l2_answers, whose network serves one client a cycle: that at whose turn it
// is, of those that take what waits for them.
module l2_top #(
  parameter int unsigned NumClients = 3,
  parameter logic [NumClients-1:0] Prompt = '0
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  gpu_pkg::settings_t                     settings_i,
  output logic                                   busy_o,
  output logic                                   error_o,
  input  logic                                   flush_i,
  output logic                                   flush_done_o,

  input  logic          [NumClients-1:0]         mem_req_valid_i,
  output logic          [NumClients-1:0]         mem_req_ready_o,
  input  mem_pkg::req_t [NumClients-1:0]         mem_req_i,
  input  logic          [NumClients-1:0]         mem_req_drop_i,
  output logic          [NumClients-1:0]         mem_rsp_valid_o,
  input  logic          [NumClients-1:0]         mem_rsp_ready_i,
  output mem_pkg::rsp_t [NumClients-1:0]         mem_rsp_o,

  output trace_pkg::l2_t                         trace_l2_o,

  output logic                                   m_axi_awvalid_o,
  input  logic                                   m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_awaddr_o,
  output logic [7:0]                             m_axi_awlen_o,
  output logic [l2_pkg::SliceIdW-1:0]            m_axi_awid_o,
  output logic                                   m_axi_wvalid_o,
  input  logic                                   m_axi_wready_i,
  output logic [config_pkg::AxiDataBits-1:0]     m_axi_wdata_o,
  output logic [config_pkg::AxiDataBits/8-1:0]   m_axi_wstrb_o,
  output logic                                   m_axi_wlast_o,
  input  logic                                   m_axi_bvalid_i,
  output logic                                   m_axi_bready_o,
  input  logic [l2_pkg::SliceIdW-1:0]            m_axi_bid_i,
  input  logic [1:0]                             m_axi_bresp_i,
  output logic                                   m_axi_arvalid_o,
  input  logic                                   m_axi_arready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_araddr_o,
  output logic [7:0]                             m_axi_arlen_o,
  output logic [l2_pkg::SliceIdW-1:0]            m_axi_arid_o,
  input  logic                                   m_axi_rvalid_i,
  output logic                                   m_axi_rready_o,
  input  logic [l2_pkg::SliceIdW-1:0]            m_axi_rid_i,
  input  logic [config_pkg::AxiDataBits-1:0]     m_axi_rdata_i,
  input  logic [1:0]                             m_axi_rresp_i,
  input  logic                                   m_axi_rlast_i
);

  logic [NumClients-1:0]          own_valid, room, waits;
  mem_pkg::rsp_t [NumClients-1:0] own_rsp;
  logic                           answer_valid, busy;
  logic [l2_pkg::ClientW-1:0]     answer_client;
  mem_pkg::answer_t               answer;
  assign busy_o = busy || waits != '0;
  if (l2_pkg::Slices == 1) begin : g_one
    assign mem_rsp_valid_o = own_valid;
    assign mem_rsp_o = own_rsp;
    assign room = '0;
    assign waits = '0;
  end else begin : g_several
    logic          any;
    mem_pkg::rsp_t rsp;
    rr_arbiter #(.N(NumClients)) u_network (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .req_i     (waits & mem_rsp_ready_i),
      .advance_i (any),
      .valid_o   (any),
      .gnt_o     (mem_rsp_valid_o),
      .index_o   ()
    );
    l2_answers #(.Clients(NumClients)) u_answers (
      .clk_i    (clk_i),
      .rst_ni   (rst_ni),
      .valid_i  (answer_valid),
      .client_i (answer_client),
      .answer_i (answer),
      .room_o   (room),
      .waits_o  (waits),
      .take_i   (mem_rsp_valid_o),
      .rsp_o    (rsp)
    );
    assign mem_rsp_o = {NumClients{rsp}};
  end

  l2 #(.NumClients(NumClients), .Prompt(Prompt)) u_l2 (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .settings_i      (settings_i),
    .busy_o          (busy),
    .error_o         (error_o),
    .flush_i         (flush_i),
    .flush_done_o    (flush_done_o),
    .mem_req_valid_i (mem_req_valid_i),
    .mem_req_ready_o (mem_req_ready_o),
    .mem_req_i       (mem_req_i),
    .mem_req_drop_i  (mem_req_drop_i),
    .mem_rsp_valid_o (own_valid),
    .mem_rsp_ready_i (mem_rsp_ready_i),
    .mem_rsp_o       (own_rsp),
    .answer_valid_o  (answer_valid),
    .answer_client_o (answer_client),
    .answer_o        (answer),
    .answer_room_i   (room),
    .trace_l2_o      (trace_l2_o),
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
