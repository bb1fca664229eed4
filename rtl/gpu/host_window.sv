// SPDX-License-Identifier: Apache-2.0
// A window on device memory for a bridge beside the chip (a system bus, a virtual platform): one sector at
// a time, on the copy engine's link to L2, hence coherent with all that L2 serves. Example: a bridge
// reads 4 bytes at 0x1000000044: it asks for sector 0x80000002 and takes bytes 4 to 7 of the answer.
//
// The copy engine goes first, but a request once shown to L2 stays, and neither comes between the beats of the other's.
// Responses are told apart by the id's highest bit, which the copy engine leaves 0. An address outside memory is answered with an error by L2.
// A request is copied into a register first: what hangs on the chip's inputs alone a simulator works out again with each of them.
// Leaves out: several requests at once; a bridge is slow.
module host_window (
    input  logic                      clk_i,
    input  logic                      rst_ni,
    // Bridge: valid and payload stay until done, then valid falls or the next request stands.
    input  logic                      window_valid_i,
    input  logic                      window_write_i,
    input  logic [gpu_pkg::AddrW-1:5] window_sector_i,  // address / 32
    input  logic [31:0]               window_mask_i,    // bytes to write
    input  logic [255:0]              window_data_i,
    output logic                      window_done_o,    // one cycle: answered or performed
    output logic                      window_error_o,   // with done: refused
    output logic [255:0]              window_data_o,    // with done of a read
    // Copy engine.
    input  logic                      ce_req_valid_i,
    output logic                      ce_req_ready_o,
    input  mem_pkg::req_t             ce_req_i,
    output logic                      ce_rsp_valid_o,
    input  logic                      ce_rsp_ready_i,   // always
    output mem_pkg::rsp_t             ce_rsp_o,
    // L2.
    output logic                      mem_req_valid_o,
    input  logic                      mem_req_ready_i,
    output mem_pkg::req_t             mem_req_o,
    input  logic                      mem_rsp_valid_i,
    output logic                      mem_rsp_ready_o,
    input  mem_pkg::rsp_t             mem_rsp_i
);

  localparam logic [mem_pkg::IdW-1:0] WindowId = mem_pkg::IdW'(1) << (mem_pkg::IdW - 1);

  localparam int unsigned Pieces = mem_pkg::Pieces;

  logic                      there_q, write_q;  // the request
  logic [gpu_pkg::AddrW-1:5] sector_q;
  logic [31:0]               mask_q;
  logic [255:0]              data_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) there_q <= 1'b0;
    else there_q <= window_valid_i && !window_done_o;
    if (window_valid_i && !there_q) begin
      write_q <= window_write_i;
      sector_q <= window_sector_i;
      mask_q <= window_mask_i;
      data_q <= window_data_i;
    end
  end

  logic asked_q, held_q;  // accepted and not yet answered; shown to L2 and not yet accepted
  logic ce_writes_q;      // beats of a write of the copy engine are to come
  logic shows, answers, acks, ce_answers, ce_acks;  // what a beat has for whom
  mem_pkg::piece_t piece_q, piece;  // of the window's write
  assign shows   = there_q && !asked_q && (held_q || (!ce_req_valid_i && !ce_writes_q));
  assign answers = mem_rsp_i.answer.kind != mem_pkg::ReqWrite && mem_rsp_i.answer.id[mem_pkg::IdW-1];
  assign acks    = mem_rsp_i.ack.valid && mem_rsp_i.ack.id[mem_pkg::IdW-1];
  assign ce_answers = mem_rsp_i.answer.kind != mem_pkg::ReqWrite && !answers;
  assign ce_acks    = mem_rsp_i.ack.valid && !acks;
  assign piece   = (Pieces > 1) ? piece_q : '0;

  mem_pkg::req_t window_req;
  always_comb begin
    window_req = '0;
    if (there_q) begin
      window_req.kind   = write_q ? mem_pkg::ReqWrite : mem_pkg::ReqRead;
      window_req.id     = WindowId;
      window_req.sector = sector_q;
      window_req.piece  = piece;
      window_req.last   = !write_q || piece == mem_pkg::piece_t'(Pieces - 1);
      window_req.mask   = write_q ? mask_q[mem_pkg::PieceBytes*piece+:mem_pkg::PieceBytes] : '0;
      window_req.data   = data_q[mem_pkg::PieceBits*piece+:mem_pkg::PieceBits];
    end
  end

  assign mem_req_valid_o = shows || ce_req_valid_i;
  assign mem_req_o       = shows ? window_req : ce_req_i;
  assign ce_req_ready_o  = mem_req_ready_i && !shows;
  assign ce_rsp_valid_o  = mem_rsp_valid_i && (ce_answers || ce_acks);
  assign ce_rsp_o        = mem_pkg::share(mem_rsp_i, ce_answers, ce_acks);
  assign mem_rsp_ready_o = !(ce_answers || ce_acks) || ce_rsp_ready_i;
  assign window_done_o   = mem_rsp_valid_i && ((answers && mem_rsp_i.answer.last) || acks);
  assign window_error_o  = answers ? mem_rsp_i.answer.error : mem_rsp_i.ack.error;

  // The beats before the last wait for it.
  if (Pieces > 1) begin : g_kept
    logic [Pieces-2:0][mem_pkg::PieceBits-1:0] kept_q;
    assign window_data_o = {mem_rsp_i.answer.data, kept_q};
    always_ff @(posedge clk_i) begin
      for (int unsigned p = 0; p < Pieces - 1; p++)
        if (mem_rsp_valid_i && answers && mem_rsp_i.answer.piece == mem_pkg::piece_t'(p)) kept_q[p] <= mem_rsp_i.answer.data;
    end
  end else begin : g_whole
    assign window_data_o = mem_rsp_i.answer.data;
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      asked_q     <= 1'b0;
      held_q      <= 1'b0;
      ce_writes_q <= 1'b0;
      piece_q     <= '0;
    end else begin
      held_q <= shows && !(mem_req_ready_i && window_req.last);
      if (shows && mem_req_ready_i && window_req.last) asked_q <= 1'b1;
      else if (window_done_o) asked_q <= 1'b0;
      if (shows && mem_req_ready_i) piece_q <= window_req.last ? '0 : piece_q + 1'b1;
      if (ce_req_valid_i && ce_req_ready_o) ce_writes_q <= !ce_req_i.last;
    end
  end

`ifndef SYNTHESIS
  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The bridge would take the next answer for this request's.
      assert_request_stays: assert (!asked_q || window_valid_i);
    end
  end
`endif

endmodule
