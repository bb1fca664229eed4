// SPDX-License-Identifier: Apache-2.0
// axi_rules, which has link_rules in it, with bursts of 4-byte beats.
module rules_top (
    input logic        clk_i,
    input logic        rst_ni,
    input logic        awvalid_i,
    input logic        awready_i,
    input logic [15:0] awaddr_i,
    input logic [7:0]  awlen_i,
    input logic        wvalid_i,
    input logic        wready_i,
    input logic [31:0] wdata_i,
    input logic        wlast_i,
    input logic        arvalid_i,
    input logic [15:0] araddr_i,
    input logic [7:0]  arlen_i
);
  axi_rules #(.AddrW(16), .IdW(1), .Bytes(4)) u_rules (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .awvalid_i(awvalid_i), .awready_i(awready_i), .awaddr_i(awaddr_i), .awlen_i(awlen_i), .awid_i(1'b0),
    .wvalid_i(wvalid_i), .wready_i(wready_i), .wdata_i(wdata_i), .wstrb_i(4'hf), .wlast_i(wlast_i),
    .arvalid_i(arvalid_i), .arready_i(1'b1), .araddr_i(araddr_i), .arlen_i(arlen_i), .arid_i(1'b0));
endmodule
