// SPDX-License-Identifier: Apache-2.0
// AXI4's rules for a manager, Bytes a beat: those of links (link_rules) on each of its channels; a write's beats are as many as
// its address says, and the last one says so; no burst crosses a page of 4 KiB.
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
