// SPDX-License-Identifier: Apache-2.0
// AXI4 ports of several slices of the L2 on one. Reads and writes are apart; both have turns, round robin, by burst. The
// slice's number stands above its ids, and tells whose an answer is.
//
//   slice 1 reads with id 3 -> arid 0x13; data with rid 0x13 -> slice 1, id 3
//
// A burst's address and data belong to one slice until both are taken, in whatever order: data have no id. A slice offers no
// data before their address.
module axi_mux #(
  parameter int unsigned  Slices   = l2_pkg::ChannelSlices,   // a power of two; 1: wires
  parameter int unsigned  DataBits = config_pkg::AxiDataBits,
  localparam int unsigned SliceW   = (Slices > 1) ? $clog2(Slices) : 1,
  localparam int unsigned SliceIdW = l2_pkg::SliceIdW,
  localparam int unsigned IdW      = SliceIdW + $clog2(Slices)
) (
  input  logic                                   clk_i,
  input  logic                                   rst_ni,
  output logic                                   busy_o,      // a burst is offered: else a clock changes nothing here
  // Slices.
  input  logic [Slices-1:0]                      awvalid_i,
  output logic [Slices-1:0]                      awready_o,
  input  logic [Slices-1:0][gpu_pkg::AddrW-1:0]  awaddr_i,
  input  logic [Slices-1:0][7:0]                 awlen_i,
  input  logic [Slices-1:0][SliceIdW-1:0]        awid_i,
  input  logic [Slices-1:0]                      wvalid_i,
  output logic [Slices-1:0]                      wready_o,
  input  logic [Slices-1:0][DataBits-1:0]        wdata_i,
  input  logic [Slices-1:0][DataBits/8-1:0]      wstrb_i,
  input  logic [Slices-1:0]                      wlast_i,
  output logic [Slices-1:0]                      bvalid_o,
  input  logic [Slices-1:0]                      bready_i,
  input  logic [Slices-1:0]                      arvalid_i,
  output logic [Slices-1:0]                      arready_o,
  input  logic [Slices-1:0][gpu_pkg::AddrW-1:0]  araddr_i,
  input  logic [Slices-1:0][7:0]                 arlen_i,
  input  logic [Slices-1:0][SliceIdW-1:0]        arid_i,
  output logic [Slices-1:0]                      rvalid_o,
  input  logic [Slices-1:0]                      rready_i,
  // Of answers, for whom they are.
  output logic [SliceIdW-1:0]                    bid_o,
  output logic [SliceIdW-1:0]                    rid_o,
  // Memory; what its answers carry beside goes to all slices.
  output logic                                   m_axi_awvalid_o,
  input  logic                                   m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_awaddr_o,
  output logic [7:0]                             m_axi_awlen_o,
  output logic [IdW-1:0]                         m_axi_awid_o,
  output logic                                   m_axi_wvalid_o,
  input  logic                                   m_axi_wready_i,
  output logic [DataBits-1:0]                    m_axi_wdata_o,
  output logic [DataBits/8-1:0]                  m_axi_wstrb_o,
  output logic                                   m_axi_wlast_o,
  input  logic                                   m_axi_bvalid_i,
  output logic                                   m_axi_bready_o,
  input  logic [IdW-1:0]                         m_axi_bid_i,
  output logic                                   m_axi_arvalid_o,
  input  logic                                   m_axi_arready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_araddr_o,
  output logic [7:0]                             m_axi_arlen_o,
  output logic [IdW-1:0]                         m_axi_arid_o,
  input  logic                                   m_axi_rvalid_i,
  output logic                                   m_axi_rready_o,
  input  logic [IdW-1:0]                         m_axi_rid_i
);

  assign bid_o = m_axi_bid_i[SliceIdW-1:0];
  assign rid_o = m_axi_rid_i[SliceIdW-1:0];

  if (Slices == 1) begin : g_wires
    assign m_axi_awvalid_o = awvalid_i;
    assign awready_o = m_axi_awready_i;
    assign m_axi_awaddr_o = awaddr_i;
    assign m_axi_awlen_o = awlen_i;
    assign m_axi_awid_o = awid_i;
    assign m_axi_wvalid_o = wvalid_i;
    assign wready_o = m_axi_wready_i;
    assign m_axi_wdata_o = wdata_i;
    assign m_axi_wstrb_o = wstrb_i;
    assign m_axi_wlast_o = wlast_i;
    assign bvalid_o = m_axi_bvalid_i;
    assign m_axi_bready_o = bready_i;
    assign m_axi_arvalid_o = arvalid_i;
    assign arready_o = m_axi_arready_i;
    assign m_axi_araddr_o = araddr_i;
    assign m_axi_arlen_o = arlen_i;
    assign m_axi_arid_o = arid_i;
    assign rvalid_o = m_axi_rvalid_i;
    assign m_axi_rready_o = rready_i;
    assign busy_o = 1'b0;
    logic unused;
    assign unused = ^{clk_i, rst_ni};
  end else begin : g_mux
    // ---- writes ------------------------------------------------------------------------------------------------
    logic [Slices-1:0] write_offered, write_grant, write_held_q;
    logic [SliceW-1:0] writer;
    logic              writes, sent_q, ended_q, sends, ends;   // the burst's address has gone, its data have
    assign write_offered = write_held_q != '0 ? write_held_q : awvalid_i;
    rr_arbiter #(.N(Slices)) u_writes (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .req_i     (write_offered),
      .advance_i (writes && write_held_q == '0),
      .valid_o   (writes),
      .gnt_o     (write_grant),
      .index_o   (writer)
    );
    assign m_axi_awvalid_o = writes && !sent_q && awvalid_i[writer];
    assign m_axi_wvalid_o = writes && !ended_q && wvalid_i[writer];
    assign awready_o = m_axi_awready_i && !sent_q ? write_grant : '0;
    assign wready_o = m_axi_wready_i && !ended_q ? write_grant : '0;
    always_comb begin
      // Nobody looks at them otherwise.
      m_axi_awaddr_o = 'x;
      m_axi_awlen_o = 'x;
      m_axi_awid_o = 'x;
      m_axi_wdata_o = 'x;
      m_axi_wstrb_o = 'x;
      m_axi_wlast_o = 'x;
      if (writes) begin
        m_axi_awaddr_o = awaddr_i[writer];
        m_axi_awlen_o = awlen_i[writer];
        m_axi_awid_o = {writer, awid_i[writer]};
        m_axi_wdata_o = wdata_i[writer];
        m_axi_wstrb_o = wstrb_i[writer];
        m_axi_wlast_o = wlast_i[writer];
      end
    end
    assign sends = sent_q || (m_axi_awvalid_o && m_axi_awready_i);
    assign ends = ended_q || (m_axi_wvalid_o && m_axi_wready_i && m_axi_wlast_o);
    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        write_held_q <= '0;
        {sent_q, ended_q} <= '0;
      end else if (writes) begin
        write_held_q <= sends && ends ? '0 : write_grant;
        {sent_q, ended_q} <= sends && ends ? '0 : {sends, ends};
      end
    end

    // ---- reads -------------------------------------------------------------------------------------------------
    logic [Slices-1:0] read_grant, read_held_q;
    logic [SliceW-1:0] reader;
    rr_arbiter #(.N(Slices)) u_reads (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .req_i     (read_held_q != '0 ? read_held_q : arvalid_i),
      .advance_i (m_axi_arvalid_o && m_axi_arready_i),
      .valid_o   (m_axi_arvalid_o),
      .gnt_o     (read_grant),
      .index_o   (reader)
    );
    assign arready_o = m_axi_arready_i ? read_grant : '0;
    always_comb begin
      m_axi_araddr_o = 'x;
      m_axi_arlen_o = 'x;
      m_axi_arid_o = 'x;
      if (m_axi_arvalid_o) begin
        m_axi_araddr_o = araddr_i[reader];
        m_axi_arlen_o = arlen_i[reader];
        m_axi_arid_o = {reader, arid_i[reader]};
      end
    end
    always_ff @(posedge clk_i) begin
      if (!rst_ni) read_held_q <= '0;
      else if (m_axi_arvalid_o) read_held_q <= m_axi_arready_i ? '0 : read_grant;
    end
    assign busy_o = writes || m_axi_arvalid_o;

    // ---- answers -----------------------------------------------------------------------------------------------
    logic [SliceW-1:0] written, read;
    assign written = m_axi_bid_i[IdW-1:SliceIdW];
    assign read = m_axi_rid_i[IdW-1:SliceIdW];
    assign bvalid_o = Slices'(m_axi_bvalid_i) << written;
    assign rvalid_o = Slices'(m_axi_rvalid_i) << read;
    assign m_axi_bready_o = bready_i[written];
    assign m_axi_rready_o = rready_i[read];

    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        // Data before their address would go with another slice's burst.
        a_data: assert (!(writes && write_held_q == '0) || !ends || awvalid_i[writer])
          else $error("axi_mux: data without address");
      end
    end
  end

endmodule
