// SPDX-License-Identifier: Apache-2.0
// Where hardware with checks holds the rules of links.

// What a request's kind gives no meaning may change while it waits.
package bound_rules_pkg;
  function automatic mem_pkg::req_t meant(input mem_pkg::req_t req);
    mem_pkg::req_t r;
    r = req;
    if (req.kind == mem_pkg::ReqRead) begin
      r = '0;
      {r.kind, r.id, r.sector, r.piece, r.last} = {req.kind, req.id, req.sector, req.piece, req.last};
      if (mem_pkg::LineReads) r.mask = req.mask;
    end
    return r;
  endfunction
  function automatic mem_pkg::host_req_t host_meant(input mem_pkg::host_req_t req);
    mem_pkg::host_req_t r;
    r = req;
    if (!req.write) {r.mask, r.data} = '0;
    return r;
  endfunction
endpackage

// Answers of the L2 to each client on each link. What is no answer's data may change while it waits.
module network_rules #(
    parameter int unsigned Clients = 2,
    parameter int unsigned Links = 1
) (
    input logic                         clk_i,
    input logic                         rst_ni,
    input logic          [Clients*Links-1:0]  valid_i,
    input logic          [Clients*Links-1:0]  ready_i,
    input mem_pkg::rsp_t [Clients*Links-1:0]  rsp_i
);
  for (genvar c = 0; c < int'(Clients * Links); c++) begin : g_link
    mem_pkg::rsp_t meant;
    always_comb begin
      meant = rsp_i[c];
      if (meant.answer.kind == mem_pkg::ReqWrite || meant.answer.error) meant.answer.data = '0;
      if (meant.answer.kind != mem_pkg::ReqRead) meant.answer.piece = '0;
      if (!meant.ack.valid) meant.ack = '0;
    end
    link_rules #(.T(mem_pkg::rsp_t)) u_rules (
      .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i[c]), .ready_i(ready_i[c]), .payload_i(meant));
  end
endmodule

// ---- the edges of the chip -----------------------------------------------------------------------------------
bind gpu axi_rules #(.AddrW(gpu_pkg::AddrW), .IdW(l2_pkg::AxiIdW), .Bytes(config_pkg::AxiDataBits / 8)) u_m_axi_rules [l2_pkg::Channels-1:0] (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .awaddr_i(m_axi_awaddr_o), .awlen_i(m_axi_awlen_o), .awid_i(m_axi_awid_o),
    .wvalid_i(m_axi_wvalid_o), .wready_i(m_axi_wready_i), .wdata_i(m_axi_wdata_o), .wstrb_i(m_axi_wstrb_o), .wlast_i(m_axi_wlast_o),
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .araddr_i(m_axi_araddr_o), .arlen_i(m_axi_arlen_o), .arid_i(m_axi_arid_o));
bind gpu axi_rules u_h_axi_rules (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(h_axi_awvalid_o), .awready_i(h_axi_awready_i), .awaddr_i(h_axi_awaddr_o), .awlen_i(8'd0), .awid_i(1'b0),
    .wvalid_i(h_axi_wvalid_o), .wready_i(h_axi_wready_i), .wdata_i(h_axi_wdata_o), .wstrb_i(h_axi_wstrb_o), .wlast_i(1'b1),
    .arvalid_i(h_axi_arvalid_o), .arready_i(h_axi_arready_i), .araddr_i(h_axi_araddr_o), .arlen_i(8'd0), .arid_i(1'b0));

// What each slice of the L2 offers to the mux before that port.
bind l2 axi_rules #(.AddrW(gpu_pkg::AddrW), .IdW(l2_pkg::SliceIdW), .Bytes(config_pkg::AxiDataBits / 8)) u_m_axi_rules (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(m_axi_awvalid_o), .awready_i(m_axi_awready_i), .awaddr_i(m_axi_awaddr_o), .awlen_i(m_axi_awlen_o), .awid_i(m_axi_awid_o),
    .wvalid_i(m_axi_wvalid_o), .wready_i(m_axi_wready_i), .wdata_i(m_axi_wdata_o), .wstrb_i(m_axi_wstrb_o), .wlast_i(m_axi_wlast_o),
    .arvalid_i(m_axi_arvalid_o), .arready_i(m_axi_arready_i), .araddr_i(m_axi_araddr_o), .arlen_i(m_axi_arlen_o), .arid_i(m_axi_arid_o));

// ---- links between modules, at who offers --------------------------------------------------------------------
bind sub_partition link_rules #(.T(sm_pkg::lsu_req_t)) u_lsu_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(lsu_valid_o), .ready_i(lsu_ready_i), .payload_i(lsu_req_o));
bind lsu link_rules #(.T(sm_pkg::lsu_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind lsu link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(bound_rules_pkg::meant(mem_req_o)));
bind sm link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(bound_rules_pkg::meant(mem_req_o)));
bind l2_slices network_rules #(.Clients(NumClients), .Links(Links)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_rsp_valid_o), .ready_i(mem_rsp_ready_i), .rsp_i(mem_rsp_o));
bind copy_engine link_rules #(.T(mem_pkg::req_t)) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(bound_rules_pkg::meant(mem_req_o)));
bind copy_engine link_rules #(.T(mem_pkg::host_req_t)) u_host_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(host_req_valid_o), .ready_i(host_req_ready_i), .payload_i(bound_rules_pkg::host_meant(host_req_o)));
bind command_processor link_rules #(.T(mem_pkg::host_req_t)) u_host_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(host_req_valid_o), .ready_i(host_req_ready_i), .payload_i(bound_rules_pkg::host_meant(host_req_o)));
bind block_dispatcher link_rules #(.T(gpu_pkg::block_t)) u_block_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_q), .ready_i(block_ready_i[sm_q]), .payload_i(block_o));

// ---- inside the SM -------------------------------------------------------------------------------------------
bind sub_partition link_rules #(.T(core_pkg::warp_t)) u_ended_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(ended_valid_o), .ready_i(ended_ready_i), .payload_i(ended_warp_o));
bind sub_partition link_rules #(.T(core_pkg::arrive_t)) u_arrive_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(arrive_valid_o), .ready_i(arrive_ready_i), .payload_i(arrive_o));
bind sub_partition link_rules #(.T(core_pkg::release_t)) u_release_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(release_valid_i), .ready_i(release_ready_o), .payload_i(release_i));
// Which warp asks may change while the cache is busy: it reads the request in the cycle in which it is ready, and the other asks then.
bind sub_partition link_rules u_constant_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(konst_valid_o), .ready_i(konst_ready_i), .payload_i(1'b0));
bind l1_control link_rules #(.T(lsu_pkg::data_op_t)) u_data_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(data_valid_o), .ready_i(data_ready_i), .payload_i(data_o));
bind icache link_rules #(.T(logic [gpu_pkg::AddrW-1:5])) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(mem_req_sector_o));
bind constant_cache link_rules #(.T(logic [gpu_pkg::AddrW-1:5])) u_mem_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(mem_req_valid_o), .ready_i(mem_req_ready_i), .payload_i(mem_req_sector_o));
bind lsu_port link_rules #(.T(sm_pkg::lsu_req_t)) u_lsu_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(lsu_valid_o), .ready_i(lsu_ready_i), .payload_i(lsu_req_o));
// The operand register before its unit, and results that wait for the way to the register file.
bind dispatch link_rules #(.T(sm_pkg::exec_req_t)) u_req_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i != '0), .ready_i((valid_i & ready_o) != '0), .payload_i(req_i));
bind int_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind imad_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind fp32_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind fp16_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind cvt_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind sfu_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind warp_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind fp64_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));
bind mma_unit link_rules #(.T(sm_pkg::exec_rsp_t)) u_rsp_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(rsp_valid_o), .ready_i(rsp_ready_i), .payload_i(rsp_o));

// ---- the register file ---------------------------------------------------------------------------------------
bind sub_partition register_rules u_register_rules (
    .clk_i(clk_i), .rst_ni(rst_ni), .rd_valid_i(bank_valid), .rd_row_i(bank_row), .rd_slice_i(bank_slice),
    .wr_valid_i(row_valid), .wr_row_i(row_row), .wr_slice_i(wb_slice),
    .apart_i(u_execution.u_writeback.apart_i));
