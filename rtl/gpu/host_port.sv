// SPDX-License-Identifier: Apache-2.0
// AXI4 master to host memory: turns sector requests into single-beat transfers of 32 bytes, many in
// flight. All carry ID 0, so each channel answers in order; the order between a read and a write is
// kept by a small queue of kinds, so that the requester sees answers in the order it asked. Where sectors are worked on in
// pieces, data stand as many cycles as a sector has, and a request is taken every second cycle at most.
module host_port #(
    parameter int unsigned Depth = 16  // requests in flight
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // Requester: valid never waits for ready.
    input  logic                 req_valid_i,
    output logic                 req_ready_o,
    input  gpu_pkg::host_req_t   req_i,
    output logic                 rsp_valid_o,  // always accepted
    output gpu_pkg::host_rsp_t   rsp_o,
    output logic                 busy_o,
    // AXI4: 256-bit data, one beat a transfer.
    output logic                 h_axi_awvalid_o,
    input  logic                 h_axi_awready_i,
    output logic [63:0]          h_axi_awaddr_o,
    output logic                 h_axi_wvalid_o,
    input  logic                 h_axi_wready_i,
    output logic [255:0]         h_axi_wdata_o,
    output logic [31:0]          h_axi_wstrb_o,
    input  logic                 h_axi_bvalid_i,
    output logic                 h_axi_bready_o,
    input  logic [1:0]           h_axi_bresp_i,
    output logic                 h_axi_arvalid_o,
    input  logic                 h_axi_arready_i,
    output logic [63:0]          h_axi_araddr_o,
    input  logic                 h_axi_rvalid_i,
    output logic                 h_axi_rready_o,
    input  logic [255:0]         h_axi_rdata_i,
    input  logic [1:0]           h_axi_rresp_i
);

  localparam int unsigned CountW = $clog2(Depth + 1);
  localparam int unsigned IndexW = $clog2(Depth);
  localparam int unsigned Pieces = mem_pkg::Pieces;

  logic [CountW-1:0] count_q;
  logic [Depth-1:0]  kind_q;  // ring of kinds, 1 = write
  logic [IndexW-1:0] head_q, tail_q;

  logic aw_valid_q, w_valid_q, ar_valid_q, stands;

  // One request is presented on AXI at a time; AW and W may be taken in different cycles.
  logic channel_free, accept, head_write, answer;
  assign channel_free = Pieces > 1 ? !aw_valid_q && !w_valid_q && !ar_valid_q :
                        (!aw_valid_q || h_axi_awready_i) && (!w_valid_q || h_axi_wready_i) &&
                        (!ar_valid_q || h_axi_arready_i);
  assign req_ready_o = channel_free && count_q != CountW'(Depth);
  assign accept      = req_valid_i && req_ready_o;

  assign head_write     = kind_q[head_q];
  assign h_axi_bready_o = count_q != '0 && head_write;
  assign h_axi_rready_o = count_q != '0 && !head_write && !stands;
  assign answer         = (h_axi_bready_o && h_axi_bvalid_i) || (h_axi_rready_o && h_axi_rvalid_i);

  assign h_axi_awvalid_o = aw_valid_q;
  assign h_axi_wvalid_o  = w_valid_q;
  assign h_axi_arvalid_o = ar_valid_q;
  assign busy_o          = count_q != '0;

  // The data of the answer before stand for some cycles more.
  if (Pieces > 1) begin : g_stands
    logic [mem_pkg::PieceW-1:0] left_q;
    assign stands = left_q != '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) left_q <= '0;
      else if (answer && !head_write) left_q <= '1;
      else if (stands) left_q <= left_q - 1'b1;
    end
  end else begin : g_at_once
    assign stands = 1'b0;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q     <= '0;
      kind_q      <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      aw_valid_q  <= 1'b0;
      w_valid_q   <= 1'b0;
      ar_valid_q  <= 1'b0;
      rsp_valid_o <= 1'b0;
    end else begin
      rsp_valid_o <= answer;
      if (aw_valid_q && h_axi_awready_i) aw_valid_q <= 1'b0;
      if (w_valid_q && h_axi_wready_i) w_valid_q <= 1'b0;
      if (ar_valid_q && h_axi_arready_i) ar_valid_q <= 1'b0;
      if (accept) begin
        aw_valid_q     <= req_i.write;
        w_valid_q      <= req_i.write;
        ar_valid_q     <= !req_i.write;
        kind_q[tail_q] <= req_i.write;
        tail_q         <= tail_q + 1'b1;
      end
      if (answer) head_q <= head_q + 1'b1;
      if (accept && !answer) count_q <= count_q + 1'b1;
      else if (answer && !accept) count_q <= count_q - 1'b1;
    end
  end

  // Payload registers need no reset: their valid bits have one.
  always_ff @(posedge clk_i) begin
    if (accept) begin
      h_axi_awaddr_o <= {req_i.sector, 5'd0};
      h_axi_araddr_o <= {req_i.sector, 5'd0};
      h_axi_wdata_o  <= req_i.data;
      h_axi_wstrb_o  <= req_i.mask;
    end
    if (answer) begin
      rsp_o.write <= head_write;
      rsp_o.error <= head_write ? h_axi_bresp_i != 2'b00 : h_axi_rresp_i != 2'b00;
      if (!head_write) rsp_o.data <= h_axi_rdata_i;
    end
  end

`ifndef SYNTHESIS
  // A response without a request would shift all later answers by one.
  always_ff @(posedge clk_i) begin
    if (rst_ni && count_q == '0) begin
      assert_no_stray_answer: assert (!h_axi_bvalid_i && !h_axi_rvalid_i);
    end
  end
`endif

endmodule
