// SPDX-License-Identifier: Apache-2.0
// AXI4 master to host memory: turns sector requests into single-beat transfers of 32 bytes, many in
// flight. All carry ID 0, so each channel answers in order; the order between a read and a write is
// kept by a small queue of kinds, so that the requester sees answers in the order it asked.
//
// Where sectors travel in beats, a write's beats are joined in the register that W shows, and a read's answer is handed
// on beat by beat while R holds it: rready comes with the last. Four beats, all cycles:
//   R valid  1 1 1 1      answer beat  - 0 1 2 3
//   R ready  0 0 0 1
module host_port #(
    parameter int unsigned Depth = 16  // requests in flight
) (
    input  logic                 clk_i,
    input  logic                 rst_ni,
    // Requester: beats of a request follow each other; valid never waits for ready.
    input  logic                 req_valid_i,
    output logic                 req_ready_o,
    input  mem_pkg::host_req_t   req_i,
    output logic                 rsp_valid_o,  // always accepted
    output mem_pkg::host_rsp_t   rsp_o,
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
  localparam mem_pkg::piece_t LastPiece = mem_pkg::piece_t'(Pieces - 1);

  logic [CountW-1:0] count_q;
  logic [Depth-1:0]  kind_q;  // ring of kinds, 1 = write
  logic [IndexW-1:0] head_q, tail_q;

  logic aw_valid_q, w_valid_q, ar_valid_q;

  // One request is presented on AXI at a time; AW and W may be taken in different cycles. A request of several beats need
  // not see in the same cycle that its place becomes free.
  logic channel_free, beat, accept;
  assign channel_free = Pieces > 1 ? !aw_valid_q && !w_valid_q && !ar_valid_q :
                        (!aw_valid_q || h_axi_awready_i) && (!w_valid_q || h_axi_wready_i) &&
                        (!ar_valid_q || h_axi_arready_i);
  assign req_ready_o = channel_free && count_q != CountW'(Depth);
  assign beat        = req_valid_i && req_ready_o;
  assign accept      = beat && req_i.last;

  // Answers: a piece of R's data goes out each cycle that it is valid.
  logic                                 head_write, answer, answered;
  mem_pkg::piece_t                      piece_q, piece;  // of R, to go out next
  assign piece          = (Pieces > 1) ? piece_q : '0;
  assign head_write     = kind_q[head_q];
  assign h_axi_bready_o = count_q != '0 && head_write;
  assign h_axi_rready_o = count_q != '0 && !head_write && piece == LastPiece;
  assign answer         = count_q != '0 && (head_write ? h_axi_bvalid_i : h_axi_rvalid_i);
  assign answered       = answer && (head_write || piece == LastPiece);

  assign h_axi_awvalid_o = aw_valid_q;
  assign h_axi_wvalid_o  = w_valid_q;
  assign h_axi_arvalid_o = ar_valid_q;
  assign busy_o          = count_q != '0;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      count_q     <= '0;
      kind_q      <= '0;
      head_q      <= '0;
      tail_q      <= '0;
      piece_q     <= '0;
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
      if (answer && !head_write) piece_q <= piece_q + 1'b1;
      if (answered) head_q <= head_q + 1'b1;
      if (accept && !answered) count_q <= count_q + 1'b1;
      else if (answered && !accept) count_q <= count_q - 1'b1;
    end
  end

  // Payload registers need no reset: their valid bits have one.
  always_ff @(posedge clk_i) begin
    if (accept) begin
      h_axi_awaddr_o <= {req_i.sector, 5'd0};
      h_axi_araddr_o <= {req_i.sector, 5'd0};
    end
    for (int unsigned p = 0; p < Pieces; p++) begin
      if (beat && (Pieces == 1 || req_i.piece == mem_pkg::piece_t'(p))) begin
        h_axi_wdata_o[mem_pkg::PieceBits*p+:mem_pkg::PieceBits]   <= req_i.data;
        h_axi_wstrb_o[mem_pkg::PieceBytes*p+:mem_pkg::PieceBytes] <= req_i.mask;
      end
    end
    if (answer) begin
      rsp_o.write <= head_write;
      rsp_o.error <= head_write ? h_axi_bresp_i != 2'b00 : h_axi_rresp_i != 2'b00;
      rsp_o.piece <= piece;
      rsp_o.last  <= head_write || piece == LastPiece;
      if (!head_write) rsp_o.data <= h_axi_rdata_i[mem_pkg::PieceBits*piece+:mem_pkg::PieceBits];
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
