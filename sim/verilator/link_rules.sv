// SPDX-License-Identifier: Apache-2.0
// The rules of links, held by all who offer something over one; bound in hardware with checks. A link is a valid, a ready and a payload:
//
//   - what is offered stays: valid does not go before it was taken, except by a reset;
//   - the payload stands still while it waits.
//
// AXI4 has them on each channel, and rules of bursts besides: a write's beats are as many as its address says and the last one
// says so, and no burst crosses a page of 4 KiB.
module link_rules #(
    parameter type T = logic
) (
    input logic clk_i,
    input logic rst_ni,
    input logic valid_i,
    input logic ready_i,
    input T     payload_i
);
  logic waits_q;
  T     offered_q;
  initial waits_q = 1'b0;
  always_ff @(posedge clk_i) begin
    waits_q <= rst_ni && valid_i && !ready_i;
    if (rst_ni && valid_i && !ready_i && !waits_q) offered_q <= payload_i;
    if (rst_ni && waits_q) begin
      a_stays: assert (valid_i) else $error("%m: an offer was withdrawn");
      a_still: assert (!valid_i || payload_i == offered_q) else $error("%m: the payload changed while it waited");
    end
  end
endmodule

// The write and address channels of a manager; Bytes a beat.
module axi_rules #(
    parameter int unsigned AddrW = 64,
    parameter int unsigned IdW   = 1,
    parameter int unsigned Bytes = 32
) (
    input logic               clk_i,
    input logic               rst_ni,
    input logic               awvalid_i,
    input logic               awready_i,
    input logic [AddrW-1:0]   awaddr_i,
    input logic [7:0]         awlen_i,
    input logic [IdW-1:0]     awid_i,
    input logic               wvalid_i,
    input logic               wready_i,
    input logic [8*Bytes-1:0] wdata_i,
    input logic [Bytes-1:0]   wstrb_i,
    input logic               wlast_i,
    input logic               arvalid_i,
    input logic               arready_i,
    input logic [AddrW-1:0]   araddr_i,
    input logic [7:0]         arlen_i,
    input logic [IdW-1:0]     arid_i
);
  link_rules #(.T(logic [AddrW+IdW+7:0])) u_aw (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(awvalid_i), .ready_i(awready_i), .payload_i({awaddr_i, awid_i, awlen_i}));
  link_rules #(.T(logic [AddrW+IdW+7:0])) u_ar (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arvalid_i), .ready_i(arready_i), .payload_i({araddr_i, arid_i, arlen_i}));
  link_rules #(.T(logic [9*Bytes:0])) u_w (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(wvalid_i), .ready_i(wready_i), .payload_i({wdata_i, wstrb_i, wlast_i}));

  // Bytes from the address's beat to the burst's end stay in its page.
  function automatic logic in_page(input logic [AddrW-1:0] address, input logic [7:0] len);
    return 32'(address[11:0]) / Bytes * Bytes + (32'(len) + 1) * Bytes <= 4096;
  endfunction

  // Lengths of bursts whose data are not all there, and beats that came before their address.
  localparam int unsigned Places = 256;
  logic [7:0] len_q [Places];
  logic [7:0] first_q, next_q;   // of them
  logic [8:0] beat_q;            // of the first burst
  logic [8:0] early_q [Places];  // lengths of whole bursts that have no address yet
  logic [7:0] early_first_q, early_next_q;
  logic       aw, w;
  assign aw = awvalid_i && awready_i;
  assign w = wvalid_i && wready_i;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {first_q, next_q, early_first_q, early_next_q} <= '0;
      beat_q <= '0;
    end else begin
      if (w) beat_q <= wlast_i ? '0 : beat_q + 9'd1;
      // Of a burst both come, in any order; what came first waits.
      if (w && wlast_i) begin
        if (first_q != next_q) begin
          a_beats: assert (beat_q == 9'(len_q[first_q])) else $error("%m: a write's last beat is not that of its address");
          first_q <= first_q + 8'd1;
        end else if (aw) begin
          a_beats_now: assert (beat_q == 9'(awlen_i)) else $error("%m: a write's last beat is not that of its address");
        end else begin
          early_q[early_next_q] <= beat_q;
          early_next_q <= early_next_q + 8'd1;
        end
      end
      if (aw && early_first_q != early_next_q) begin
        a_beats_early: assert (early_q[early_first_q] == 9'(awlen_i)) else $error("%m: a write's last beat is not that of its address");
        early_first_q <= early_first_q + 8'd1;
      end else if (aw && !(w && wlast_i && first_q == next_q)) begin
        len_q[next_q] <= awlen_i;
        next_q <= next_q + 8'd1;
      end
      a_aw_page: assert (!awvalid_i || in_page(awaddr_i, awlen_i)) else $error("%m: a write crosses a page");
      a_ar_page: assert (!arvalid_i || in_page(araddr_i, arlen_i)) else $error("%m: a read crosses a page");
    end
  end
endmodule

// ---- the edges of the chip -----------------------------------------------------------------------------------
bind gpu axi_rules #(.AddrW(gpu_pkg::AddrW), .IdW(l2_pkg::AxiIdW), .Bytes(config_pkg::AxiDataBits / 8)) u_m_axi_rules (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .awaddr_i(m_axi_awaddr_o), .awlen_i(m_axi_awlen_o), .awid_i(m_axi_awid_o),
    .wvalid_i(m_axi_wvalid_o), .wready_i(m_axi_wready_i), .wdata_i(m_axi_wdata_o), .wstrb_i(m_axi_wstrb_o), .wlast_i(m_axi_wlast_o),
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .araddr_i(m_axi_araddr_o), .arlen_i(m_axi_arlen_o), .arid_i(m_axi_arid_o));
bind gpu axi_rules u_h_axi_rules (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(h_axi_awvalid_o), .awready_i(h_axi_awready_i), .awaddr_i(h_axi_awaddr_o), .awlen_i(8'd0), .awid_i(1'b0),
    .wvalid_i(h_axi_wvalid_o), .wready_i(h_axi_wready_i), .wdata_i(h_axi_wdata_o), .wstrb_i(h_axi_wstrb_o), .wlast_i(1'b1),
    .arvalid_i(h_axi_arvalid_o), .arready_i(h_axi_arready_i), .araddr_i(h_axi_araddr_o), .arlen_i(8'd0), .arid_i(1'b0));

// ---- links between modules, at who offers --------------------------------------------------------------------
bind sub_partition link_rules #(.T(sm_pkg::lsu_req_t)) u_lsu_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(lsu_valid_o), .ready_i(lsu_ready_i), .payload_i(lsu_req_o));
bind lsu link_rules #(.T(sm_pkg::lsu_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind lsu link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(mem_req_o));
bind sm link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(mem_req_o));
bind copy_engine link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(mem_req_o));
bind copy_engine link_rules #(.T(mem_pkg::host_req_t)) u_host_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(host_req_valid_o), .ready_i(host_req_ready_i), .payload_i(host_req_o));
bind command_processor link_rules #(.T(mem_pkg::host_req_t)) u_host_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(host_req_valid_o), .ready_i(host_req_ready_i), .payload_i(host_req_o));
