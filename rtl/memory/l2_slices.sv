// SPDX-License-Identifier: Apache-2.0
// The L2 of the chip: its slices, each an `l2` of its own for some of the lines, behind one network and one memory port.
//
//   SMs, copy engine -- l2_network --+-- l2 --+-- axi_mux -- memory
//                                    +-- l2 --+
//
// With one slice it is that slice. Links, flush and memory port are l2's. With ClockGates a slice without work has no clock.
module l2_slices #(
  parameter int unsigned  NumClients = config_pkg::Sms + 1,
  // Clients that take each beat of their answers at once; answers of several slices may come at once.
  parameter logic [NumClients-1:0] Prompt = '0,
  parameter bit           ClockGates = 1'b1
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  input  gpu_pkg::settings_t                     settings_i,
  output logic                                   busy_o,        // requests or write-backs under way
  output logic                                   error_o,       // memory refused a write-back; until reset
  input  logic                                   flush_i,
  output logic                                   flush_done_o,

  input  logic          [NumClients-1:0]         mem_req_valid_i,
  output logic          [NumClients-1:0]         mem_req_ready_o,
  input  mem_pkg::req_t [NumClients-1:0]         mem_req_i,
  // The client is in reset: the rest of a request of which L2 has taken some beats does not come.
  input  logic          [NumClients-1:0]         mem_req_drop_i,
  output logic          [NumClients-1:0]         mem_rsp_valid_o,
  input  logic          [NumClients-1:0]         mem_rsp_ready_i,
  output mem_pkg::rsp_t [NumClients-1:0]         mem_rsp_o,

  output logic                                   m_axi_awvalid_o,
  input  logic                                   m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_awaddr_o,
  output logic [7:0]                             m_axi_awlen_o,
  output logic [l2_pkg::AxiIdW-1:0]              m_axi_awid_o,
  output logic                                   m_axi_wvalid_o,
  input  logic                                   m_axi_wready_i,
  output logic [config_pkg::AxiDataBits-1:0]     m_axi_wdata_o,
  output logic [config_pkg::AxiDataBits/8-1:0]   m_axi_wstrb_o,
  output logic                                   m_axi_wlast_o,
  input  logic                                   m_axi_bvalid_i,
  output logic                                   m_axi_bready_o,
  input  logic [l2_pkg::AxiIdW-1:0]              m_axi_bid_i,
  input  logic [1:0]                             m_axi_bresp_i,
  output logic                                   m_axi_arvalid_o,
  input  logic                                   m_axi_arready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_araddr_o,
  output logic [7:0]                             m_axi_arlen_o,
  output logic [l2_pkg::AxiIdW-1:0]              m_axi_arid_o,
  input  logic                                   m_axi_rvalid_i,
  output logic                                   m_axi_rready_o,
  input  logic [l2_pkg::AxiIdW-1:0]              m_axi_rid_i,
  input  logic [config_pkg::AxiDataBits-1:0]     m_axi_rdata_i,
  input  logic [1:0]                             m_axi_rresp_i,
  input  logic                                   m_axi_rlast_i
);

  localparam int unsigned Slices = l2_pkg::Slices;
  localparam int unsigned SliceIdW = l2_pkg::SliceIdW;
  localparam int unsigned DataBits = config_pkg::AxiDataBits;

  logic          [Slices-1:0]                      busy, error, flush_done;
  logic          [Slices-1:0][NumClients-1:0]      req_valid, req_ready, rsp_valid, rsp_ready;
  mem_pkg::rsp_t [Slices-1:0][NumClients-1:0]      rsp;
  logic          [Slices-1:0]                      awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic          [Slices-1:0]                      arvalid, arready, rvalid, rready;
  logic          [Slices-1:0][gpu_pkg::AddrW-1:0]  awaddr, araddr;
  logic          [Slices-1:0][7:0]                 awlen, arlen;
  logic          [Slices-1:0][SliceIdW-1:0]        awid, arid;
  logic          [Slices-1:0][DataBits-1:0]        wdata;
  logic          [Slices-1:0][DataBits/8-1:0]      wstrb;
  logic          [SliceIdW-1:0]                    bid, rid;
  assign busy_o = busy != '0;
  assign error_o = error != '0;
  assign flush_done_o = &flush_done;

  l2_network #(.Clients(NumClients)) u_network (
    .clk_i             (clk_i),
    .rst_ni            (rst_ni),
    .req_valid_i       (mem_req_valid_i),
    .req_ready_o       (mem_req_ready_o),
    .req_i             (mem_req_i),
    .rsp_valid_o       (mem_rsp_valid_o),
    .rsp_ready_i       (mem_rsp_ready_i),
    .rsp_o             (mem_rsp_o),
    .slice_req_valid_o (req_valid),
    .slice_req_ready_i (req_ready),
    .slice_rsp_valid_i (rsp_valid),
    .slice_rsp_ready_o (rsp_ready),
    .slice_rsp_i       (rsp)
  );

  for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
    // As an SM's (gpu.sv): the clock goes on for some cycles after the slice's work.
    logic       slice_clk, wakes;
    logic [1:0] rests_q;
    assign wakes = busy[s] || req_valid[s] != '0 || flush_i || !rst_ni;
    always_ff @(posedge clk_i) begin
      if (wakes) rests_q <= '1;
      else if (rests_q != '0) rests_q <= rests_q - 2'd1;
    end
    clock_gate #(.Gate(ClockGates)) u_clock_gate (.clk_i(clk_i), .en_i(wakes || rests_q != '0), .clk_o(slice_clk));

    l2 #(
      .NumClients (NumClients),
      .Prompt     (Slices > 1 ? '0 : Prompt)
    ) u_l2 (
      .clk_i           (slice_clk),
      .rst_ni          (rst_ni),
      .settings_i      (settings_i),
      .busy_o          (busy[s]),
      .error_o         (error[s]),
      .flush_i         (flush_i),
      .flush_done_o    (flush_done[s]),
      .mem_req_valid_i (req_valid[s]),
      .mem_req_ready_o (req_ready[s]),
      .mem_req_i       (mem_req_i),
      .mem_req_drop_i  (mem_req_drop_i),
      .mem_rsp_valid_o (rsp_valid[s]),
      .mem_rsp_ready_i (rsp_ready[s]),
      .mem_rsp_o       (rsp[s]),
      .trace_l2_o      (),
      .m_axi_awvalid_o (awvalid[s]),
      .m_axi_awready_i (awready[s]),
      .m_axi_awaddr_o  (awaddr[s]),
      .m_axi_awlen_o   (awlen[s]),
      .m_axi_awid_o    (awid[s]),
      .m_axi_wvalid_o  (wvalid[s]),
      .m_axi_wready_i  (wready[s]),
      .m_axi_wdata_o   (wdata[s]),
      .m_axi_wstrb_o   (wstrb[s]),
      .m_axi_wlast_o   (wlast[s]),
      .m_axi_bvalid_i  (bvalid[s]),
      .m_axi_bready_o  (bready[s]),
      .m_axi_bid_i     (bid),
      .m_axi_bresp_i   (m_axi_bresp_i),
      .m_axi_arvalid_o (arvalid[s]),
      .m_axi_arready_i (arready[s]),
      .m_axi_araddr_o  (araddr[s]),
      .m_axi_arlen_o   (arlen[s]),
      .m_axi_arid_o    (arid[s]),
      .m_axi_rvalid_i  (rvalid[s]),
      .m_axi_rready_o  (rready[s]),
      .m_axi_rid_i     (rid),
      .m_axi_rdata_i   (m_axi_rdata_i),
      .m_axi_rresp_i   (m_axi_rresp_i),
      .m_axi_rlast_i   (m_axi_rlast_i)
    );
  end

  axi_mux u_axi_mux (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .awvalid_i       (awvalid),
    .awready_o       (awready),
    .awaddr_i        (awaddr),
    .awlen_i         (awlen),
    .awid_i          (awid),
    .wvalid_i        (wvalid),
    .wready_o        (wready),
    .wdata_i         (wdata),
    .wstrb_i         (wstrb),
    .wlast_i         (wlast),
    .bvalid_o        (bvalid),
    .bready_i        (bready),
    .arvalid_i       (arvalid),
    .arready_o       (arready),
    .araddr_i        (araddr),
    .arlen_i         (arlen),
    .arid_i          (arid),
    .rvalid_o        (rvalid),
    .rready_i        (rready),
    .bid_o           (bid),
    .rid_o           (rid),
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
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arid_o    (m_axi_arid_o),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (m_axi_rready_o),
    .m_axi_rid_i     (m_axi_rid_i)
  );

endmodule
