// SPDX-License-Identifier: Apache-2.0
// sdram_ctrl with its chip, as on the board. A test of the model's checks makes the controller too fast.
module sdram_top #(
    parameter int unsigned TrcdNs = 20,
    parameter int unsigned TrpNs  = 20,
    parameter int unsigned TrasNs = 45,
    parameter int unsigned TwrNs  = 15,
    parameter int unsigned RefreshNs = 7_800,
    localparam int unsigned DataBits = config_pkg::AxiDataBits
) (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    input  logic                      abort_i,
    input  logic                      s_axi_awvalid_i,
    output logic                      s_axi_awready_o,
    input  logic [39:0]               s_axi_awaddr_i,
    input  logic [7:0]                s_axi_awlen_i,
    input  logic [3:0]                s_axi_awid_i,
    input  logic                      s_axi_wvalid_i,
    output logic                      s_axi_wready_o,
    input  logic [DataBits-1:0]       s_axi_wdata_i,
    input  logic [DataBits/8-1:0]     s_axi_wstrb_i,
    output logic                      s_axi_bvalid_o,
    input  logic                      s_axi_bready_i,
    output logic [3:0]                s_axi_bid_o,
    output logic [1:0]                s_axi_bresp_o,
    input  logic                      s_axi_arvalid_i,
    output logic                      s_axi_arready_o,
    input  logic [39:0]               s_axi_araddr_i,
    input  logic [7:0]                s_axi_arlen_i,
    input  logic [3:0]                s_axi_arid_i,
    output logic                      s_axi_rvalid_o,
    input  logic                      s_axi_rready_i,
    output logic [3:0]                s_axi_rid_o,
    output logic [DataBits-1:0]       s_axi_rdata_o,
    output logic [1:0]                s_axi_rresp_o,
    output logic                      s_axi_rlast_o,
    output logic [31:0]               violations_o
);

  logic        cke, csn, rasn, casn, wen, dq_en;
  logic [12:0] a;
  logic [1:0]  ba, dqm;
  logic [15:0] dq_out;
  wire  [15:0] dq;
  assign dq = dq_en ? dq_out : 'z;

  sdram_ctrl #(
      .TrcdNs    (TrcdNs),
      .TrpNs     (TrpNs),
      .TrasNs    (TrasNs),
      .TwrNs     (TwrNs),
      .RefreshNs (RefreshNs),
      .PowerUpNs (1_000)
  ) u_ctrl (
      .clk_i           (clk_i),
      .rst_ni          (rst_ni),
      .abort_i         (abort_i),
      .s_axi_awvalid_i (s_axi_awvalid_i),
      .s_axi_awready_o (s_axi_awready_o),
      .s_axi_awaddr_i  (s_axi_awaddr_i),
      .s_axi_awlen_i   (s_axi_awlen_i),
      .s_axi_awid_i    (s_axi_awid_i),
      .s_axi_wvalid_i  (s_axi_wvalid_i),
      .s_axi_wready_o  (s_axi_wready_o),
      .s_axi_wdata_i   (s_axi_wdata_i),
      .s_axi_wstrb_i   (s_axi_wstrb_i),
      .s_axi_bvalid_o  (s_axi_bvalid_o),
      .s_axi_bready_i  (s_axi_bready_i),
      .s_axi_bid_o     (s_axi_bid_o),
      .s_axi_bresp_o   (s_axi_bresp_o),
      .s_axi_arvalid_i (s_axi_arvalid_i),
      .s_axi_arready_o (s_axi_arready_o),
      .s_axi_araddr_i  (s_axi_araddr_i),
      .s_axi_arlen_i   (s_axi_arlen_i),
      .s_axi_arid_i    (s_axi_arid_i),
      .s_axi_rvalid_o  (s_axi_rvalid_o),
      .s_axi_rready_i  (s_axi_rready_i),
      .s_axi_rid_o     (s_axi_rid_o),
      .s_axi_rdata_o   (s_axi_rdata_o),
      .s_axi_rresp_o   (s_axi_rresp_o),
      .s_axi_rlast_o   (s_axi_rlast_o),
      .sdram_cke_o     (cke),
      .sdram_csn_o     (csn),
      .sdram_rasn_o    (rasn),
      .sdram_casn_o    (casn),
      .sdram_wen_o     (wen),
      .sdram_a_o       (a),
      .sdram_ba_o      (ba),
      .sdram_dqm_o     (dqm),
      .sdram_dq_en_o   (dq_en),
      .sdram_dq_o      (dq_out),
      .sdram_dq_i      (dq)
  );

  sdram_model #(
      .PowerUpNs (1_000)
  ) u_chip (
      .clk_i        (~clk_i),
      .cke_i        (cke),
      .csn_i        (csn),
      .rasn_i       (rasn),
      .casn_i       (casn),
      .wen_i        (wen),
      .a_i          (a),
      .ba_i         (ba),
      .dqm_i        (dqm),
      .dq_io        (dq),
      .violations_o (violations_o)
  );

endmodule
