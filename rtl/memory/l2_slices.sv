// SPDX-License-Identifier: Apache-2.0
// The L2 of the chip: its slices, each an `l2` of its own for some of the lines, behind one network, and the channels of
// memory, each for some of the slices.
//
//   SMs, copy engine -- l2_network --+-- l2, l2_answers --+-- axi_mux -- memory, channel 0
//                                    +-- l2, l2_answers --+
//                                    +-- l2, l2_answers --+-- axi_mux -- channel 1
//                                    +-- l2, l2_answers --+
//
// With one slice it is that slice. Links, flush and memory's ports are l2's. With ClockGates a slice without work has no clock. What
// answers wait in, in front of the network and behind it, has one while there is an answer, the channels one while a slice is busy, as
// one is until memory has answered, or a burst is offered.
module l2_slices #(
  parameter int unsigned  NumClients = config_pkg::Sms + 1,
  // Clients that take each beat of their answers at once; answers of several slices may come at once.
  parameter logic [NumClients-1:0] Prompt = '0,
  parameter logic [NumClients-1:0] Joined = '0,   // clients that get all answers on link 0
  parameter bit           ClockGates = 1'b1,
  localparam int unsigned Channels = l2_pkg::Channels,
  localparam int unsigned Links = mem_pkg::Links
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
  output logic          [NumClients-1:0][Links-1:0] mem_rsp_valid_o,
  input  logic          [NumClients-1:0][Links-1:0] mem_rsp_ready_i,
  output mem_pkg::rsp_t [NumClients-1:0][Links-1:0] mem_rsp_o,

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
  input  logic [Channels-1:0]                                       m_axi_rlast_i
);

  localparam int unsigned Slices = l2_pkg::Slices;
  localparam int unsigned SliceIdW = l2_pkg::SliceIdW;
  localparam int unsigned DataBits = config_pkg::AxiDataBits;
  localparam int unsigned Sharing = l2_pkg::ChannelSlices;   // a channel

  logic [Slices-1:0]                               busy, error, flush_done;
  logic [NumClients-1:0]                           req_valid [Slices];
  logic [NumClients-1:0]                           req_ready [Slices];
  // With several slices: for whom answers wait at each, whose is taken, and what that is; answers wait anywhere.
  logic [NumClients-1:0]                           waits [Slices];
  logic [NumClients-1:0]                           take [Slices];
  mem_pkg::rsp_t                                   rsp [Slices];
  logic                                            answers_busy;
  // By channel, and which of its slices.
  logic [Channels-1:0][Sharing-1:0]                      awvalid, awready, wvalid, wready, wlast, bvalid, bready;
  logic [Channels-1:0][Sharing-1:0]                      arvalid, arready, rvalid, rready;
  logic [Channels-1:0][Sharing-1:0][gpu_pkg::AddrW-1:0]  awaddr, araddr;
  logic [Channels-1:0][Sharing-1:0][7:0]                 awlen, arlen;
  logic [Channels-1:0][Sharing-1:0][SliceIdW-1:0]        awid, arid;
  logic [Channels-1:0][Sharing-1:0][DataBits-1:0]        wdata;
  logic [Channels-1:0][Sharing-1:0][DataBits/8-1:0]      wstrb;
  logic [Channels-1:0][SliceIdW-1:0]                     bid, rid;
  logic [DataBits-1:0]                                   rdata [Channels];
  logic [Channels-1:0][1:0]                              bresp, rresp;
  logic [Channels-1:0]                                   rlast;
  logic                                            answers_clk, channels_clk;
  logic [Slices-1:0]                               answered;        // an answer comes
  logic [Channels-1:0]                             channel_busy;
  // Clocks go on for a reset from its second cycle on: what hung on the chip's input would be worked out twice a cycle.
  logic                                                  resets_q;
  always_ff @(posedge clk_i) resets_q <= !rst_ni;
  clock_gate #(.Gate(ClockGates && Slices > 1)) u_answers_gate (
    .clk_i (clk_i),
    .en_i  (answers_busy || answered != '0 || resets_q),
    .clk_o (answers_clk)
  );
  clock_gate #(.Gate(ClockGates && Slices > 1)) u_channels_gate (
    .clk_i (clk_i),
    .en_i  (channel_busy != '0 || busy != '0 || resets_q),
    .clk_o (channels_clk)
  );
  assign busy_o = busy != '0 || answers_busy;
  assign error_o = error != '0;
  assign flush_done_o = &flush_done;

  if (Slices > 1) begin : g_network
    l2_network #(.Clients(NumClients), .Joined(Joined)) u_network (
      .clk_i             (answers_clk),
      .rst_ni            (rst_ni),
      .busy_o            (answers_busy),
      .req_valid_i       (mem_req_valid_i),
      .req_ready_o       (mem_req_ready_o),
      .req_i             (mem_req_i),
      .rsp_valid_o       (mem_rsp_valid_o),
      .rsp_ready_i       (mem_rsp_ready_i),
      .rsp_o             (mem_rsp_o),
      .slice_req_valid_o (req_valid),
      .slice_req_ready_i (req_ready),
      .slice_waits_i     (waits),
      .slice_take_o      (take),
      .slice_rsp_i       (rsp)
    );
  end

  for (genvar s = 0; s < int'(Slices); s++) begin : g_slice
    localparam int unsigned C = s % Channels, S = s / Channels;
    // As an SM's (gpu.sv): the clock goes on for some cycles after the slice's work.
    logic       slice_clk, wakes;
    logic [1:0] rests_q;
    assign wakes = busy[s] || req_valid[s] != '0 || flush_i || resets_q;
    always_ff @(posedge clk_i) begin
      if (wakes) rests_q <= '1;
      else if (rests_q != '0) rests_q <= rests_q - 2'd1;
    end
    clock_gate #(.Gate(ClockGates)) u_clock_gate (.clk_i(clk_i), .en_i(wakes || rests_q != '0), .clk_o(slice_clk));

    logic [NumClients-1:0]          own_valid, own_ready;   // with one slice: its answers
    mem_pkg::rsp_t [NumClients-1:0] own_rsp;
    logic                           answer_valid;
    logic [l2_pkg::ClientW-1:0]     answer_client;
    mem_pkg::answer_t               answer;
    logic [NumClients-1:0]          room;
    assign answered[s] = Slices > 1 && answer_valid;
    if (Slices == 1) begin : g_wires
      assign req_valid[s] = mem_req_valid_i;
      assign mem_req_ready_o = req_ready[s];
      assign mem_rsp_valid_o = own_valid;
      assign own_ready = mem_rsp_ready_i;
      assign mem_rsp_o = own_rsp;
      assign room = '0;
      assign waits[s] = '0;
      assign take[s] = '0;
      assign rsp[s] = '0;
      assign answers_busy = 1'b0;
      logic unused;
      assign unused = ^{Joined, answers_clk, answer_valid, answer_client, answer, waits[s], take[s], rsp[s]};
    end else begin : g_answers
      assign own_ready = '0;
      l2_answers #(.Clients(NumClients)) u_answers (
        .clk_i    (answers_clk),
        .rst_ni   (rst_ni),
        .valid_i  (answer_valid),
        .client_i (answer_client),
        .answer_i (answer),
        .room_o   (room),
        .waits_o  (waits[s]),
        .take_i   (take[s]),
        .rsp_o    (rsp[s])
      );
      logic unused;
      assign unused = ^{Prompt, own_valid, own_rsp};
    end

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
      .mem_rsp_valid_o (own_valid),
      .mem_rsp_ready_i (own_ready),
      .mem_rsp_o       (own_rsp),
      .answer_valid_o  (answer_valid),
      .answer_client_o (answer_client),
      .answer_o        (answer),
      .answer_room_i   (room),
      .trace_l2_o      (),
      .m_axi_awvalid_o (awvalid[C][S]),
      .m_axi_awready_i (awready[C][S]),
      .m_axi_awaddr_o  (awaddr[C][S]),
      .m_axi_awlen_o   (awlen[C][S]),
      .m_axi_awid_o    (awid[C][S]),
      .m_axi_wvalid_o  (wvalid[C][S]),
      .m_axi_wready_i  (wready[C][S]),
      .m_axi_wdata_o   (wdata[C][S]),
      .m_axi_wstrb_o   (wstrb[C][S]),
      .m_axi_wlast_o   (wlast[C][S]),
      .m_axi_bvalid_i  (bvalid[C][S]),
      .m_axi_bready_o  (bready[C][S]),
      .m_axi_bid_i     (bid[C]),
      .m_axi_bresp_i   (bresp[C]),
      .m_axi_arvalid_o (arvalid[C][S]),
      .m_axi_arready_i (arready[C][S]),
      .m_axi_araddr_o  (araddr[C][S]),
      .m_axi_arlen_o   (arlen[C][S]),
      .m_axi_arid_o    (arid[C][S]),
      .m_axi_rvalid_i  (rvalid[C][S]),
      .m_axi_rready_o  (rready[C][S]),
      .m_axi_rid_i     (rid[C]),
      .m_axi_rdata_i   (rdata[C]),
      .m_axi_rresp_i   (rresp[C]),
      .m_axi_rlast_i   (rlast[C])
    );
  end

  for (genvar c = 0; c < int'(Channels); c++) begin : g_channel
    localparam int unsigned IdW = l2_pkg::AxiIdW;
    typedef struct packed {
      logic [gpu_pkg::AddrW-1:0] addr;
      logic [7:0]                len;
      logic [IdW-1:0]            id;
    } burst_t;
    // Data last: its words lie as they come, and are copied, not shifted.
    typedef struct packed {
      logic [DataBits/8-1:0]     strb;
      logic                      last;
      logic [DataBits-1:0]       data;
    } write_t;
    typedef struct packed {
      logic [IdW-1:0]            id;
      logic [1:0]                resp;
      logic                      last;
      logic [DataBits-1:0]       data;
    } read_t;
    typedef struct packed {
      logic [IdW-1:0]            id;
      logic [1:0]                resp;
    } written_t;
    // Between slices and port: of several slices a register each way, so that no slice hangs on the chip's inputs.
    logic     aw_valid, aw_ready, w_valid, w_ready, b_valid, b_ready, ar_valid, ar_ready, r_valid, r_ready, mux_busy;
    burst_t   aw, ar, aw_out, ar_out;
    write_t   w, w_out;
    read_t    r, r_in;
    written_t b, b_in;
    axi_mux #(.Slices(Sharing)) u_axi_mux (
      .clk_i           (channels_clk),
      .rst_ni          (rst_ni),
      .busy_o          (mux_busy),
      .awvalid_i       (awvalid[c]),
      .awready_o       (awready[c]),
      .awaddr_i        (awaddr[c]),
      .awlen_i         (awlen[c]),
      .awid_i          (awid[c]),
      .wvalid_i        (wvalid[c]),
      .wready_o        (wready[c]),
      .wdata_i         (wdata[c]),
      .wstrb_i         (wstrb[c]),
      .wlast_i         (wlast[c]),
      .bvalid_o        (bvalid[c]),
      .bready_i        (bready[c]),
      .arvalid_i       (arvalid[c]),
      .arready_o       (arready[c]),
      .araddr_i        (araddr[c]),
      .arlen_i         (arlen[c]),
      .arid_i          (arid[c]),
      .rvalid_o        (rvalid[c]),
      .rready_i        (rready[c]),
      .bid_o           (bid[c]),
      .rid_o           (rid[c]),
      .m_axi_awvalid_o (aw_valid),
      .m_axi_awready_i (aw_ready),
      .m_axi_awaddr_o  (aw.addr),
      .m_axi_awlen_o   (aw.len),
      .m_axi_awid_o    (aw.id),
      .m_axi_wvalid_o  (w_valid),
      .m_axi_wready_i  (w_ready),
      .m_axi_wdata_o   (w.data),
      .m_axi_wstrb_o   (w.strb),
      .m_axi_wlast_o   (w.last),
      .m_axi_bvalid_i  (b_valid),
      .m_axi_bready_o  (b_ready),
      .m_axi_bid_i     (b.id),
      .m_axi_arvalid_o (ar_valid),
      .m_axi_arready_i (ar_ready),
      .m_axi_araddr_o  (ar.addr),
      .m_axi_arlen_o   (ar.len),
      .m_axi_arid_o    (ar.id),
      .m_axi_rvalid_i  (r_valid),
      .m_axi_rready_o  (r_ready),
      .m_axi_rid_i     (r.id)
    );
    assign {bresp[c], rresp[c], rlast[c]} = {b.resp, r.resp, r.last};
    assign rdata[c] = r.data;
    assign channel_busy[c] = mux_busy || m_axi_awvalid_o[c] || m_axi_wvalid_o[c] || m_axi_arvalid_o[c];
    assign {m_axi_awaddr_o[c], m_axi_awlen_o[c], m_axi_awid_o[c]} = aw_out;
    assign {m_axi_wstrb_o[c], m_axi_wlast_o[c], m_axi_wdata_o[c]} = w_out;
    assign {m_axi_araddr_o[c], m_axi_arlen_o[c], m_axi_arid_o[c]} = ar_out;
    assign b_in = '{id: m_axi_bid_i[c], resp: m_axi_bresp_i[c]};
    assign r_in = '{id: m_axi_rid_i[c], data: m_axi_rdata_i[c], resp: m_axi_rresp_i[c], last: m_axi_rlast_i[c]};
    if (Slices == 1) begin : g_wires
      assign {m_axi_awvalid_o[c], aw_out, aw_ready} = {aw_valid, aw, m_axi_awready_i[c]};
      assign {m_axi_wvalid_o[c], w_out, w_ready} = {w_valid, w, m_axi_wready_i[c]};
      assign {m_axi_arvalid_o[c], ar_out, ar_ready} = {ar_valid, ar, m_axi_arready_i[c]};
      assign {b_valid, b, m_axi_bready_o[c]} = {m_axi_bvalid_i[c], b_in, b_ready};
      assign {r_valid, r, m_axi_rready_o[c]} = {m_axi_rvalid_i[c], r_in, r_ready};
    end else begin : g_registers
      skid_buffer #(.T(burst_t)) u_aw (.clk_i(channels_clk), .rst_ni(rst_ni), .wr_valid_i(aw_valid), .wr_ready_o(aw_ready),
        .wr_data_i(aw), .rd_valid_o(m_axi_awvalid_o[c]), .rd_ready_i(m_axi_awready_i[c]), .rd_data_o(aw_out));
      skid_buffer #(.T(write_t)) u_w (.clk_i(channels_clk), .rst_ni(rst_ni), .wr_valid_i(w_valid), .wr_ready_o(w_ready),
        .wr_data_i(w), .rd_valid_o(m_axi_wvalid_o[c]), .rd_ready_i(m_axi_wready_i[c]), .rd_data_o(w_out));
      skid_buffer #(.T(burst_t)) u_ar (.clk_i(channels_clk), .rst_ni(rst_ni), .wr_valid_i(ar_valid), .wr_ready_o(ar_ready),
        .wr_data_i(ar), .rd_valid_o(m_axi_arvalid_o[c]), .rd_ready_i(m_axi_arready_i[c]), .rd_data_o(ar_out));
      skid_buffer #(.T(written_t)) u_b (.clk_i(channels_clk), .rst_ni(rst_ni), .wr_valid_i(m_axi_bvalid_i[c]), .wr_ready_o(m_axi_bready_o[c]),
        .wr_data_i(b_in), .rd_valid_o(b_valid), .rd_ready_i(b_ready), .rd_data_o(b));
      skid_buffer #(.T(read_t)) u_r (.clk_i(channels_clk), .rst_ni(rst_ni), .wr_valid_i(m_axi_rvalid_i[c]), .wr_ready_o(m_axi_rready_o[c]),
        .wr_data_i(r_in), .rd_valid_o(r_valid), .rd_ready_i(r_ready), .rd_data_o(r));
    end
  end

endmodule
