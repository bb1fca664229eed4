// SPDX-License-Identifier: Apache-2.0
// The L2 cache, or a slice of it: point of coherence of the device, for its lines. NumClients links of 32-byte sectors (each SM, the copy
// engine) are served round robin, one request a cycle, or one beat; misses go to memory over AXI4. Answers wait here for
// their clients, those of one slice of several in its l2_answers.
//
//   client links --> arbiter --> l2_control (tags, MSHRs) --> l2_data (performs) --> answers
//                       |           | asks        ^ sectors             ^ ^    | dirty lines
//                       |           v             |                     | |    v
//                       |         axi_reader -----+------- their data --+ |  axi_writer
//                       +--------- what a request carries, in its slot ---+
//
// trace_l2_o tells each request in the order performed. A request outside [Memory.Base, mem_end) is
// answered with an error. flush_i: all dirty lines are written to memory; hold it until flush_done_o;
// requests wait meanwhile. After reset the tags are cleared for a cycle a set.
module l2 #(
  parameter int unsigned  NumClients = config_pkg::Sms + 1,
  // Clients that take each beat of their answers at once need no queue.
  parameter logic [NumClients-1:0] Prompt = '0
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
  // With several slices, instead: an answer, which is taken at once; whether a client's queue has room for one more.
  output logic                                   answer_valid_o,
  output logic [l2_pkg::ClientW-1:0]             answer_client_o,
  output mem_pkg::answer_t                       answer_o,
  input  logic [NumClients-1:0]                  answer_room_i,

  output trace_pkg::l2_t                         trace_l2_o,

  output logic                                   m_axi_awvalid_o,
  input  logic                                   m_axi_awready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_awaddr_o,
  output logic [7:0]                             m_axi_awlen_o,
  output logic [l2_pkg::SliceIdW-1:0]            m_axi_awid_o,
  output logic                                   m_axi_wvalid_o,
  input  logic                                   m_axi_wready_i,
  output logic [config_pkg::AxiDataBits-1:0]     m_axi_wdata_o,
  output logic [config_pkg::AxiDataBits/8-1:0]   m_axi_wstrb_o,
  output logic                                   m_axi_wlast_o,
  input  logic                                   m_axi_bvalid_i,
  output logic                                   m_axi_bready_o,
  input  logic [l2_pkg::SliceIdW-1:0]            m_axi_bid_i,
  input  logic [1:0]                             m_axi_bresp_i,
  output logic                                   m_axi_arvalid_o,
  input  logic                                   m_axi_arready_i,
  output logic [gpu_pkg::AddrW-1:0]              m_axi_araddr_o,
  output logic [7:0]                             m_axi_arlen_o,
  output logic [l2_pkg::SliceIdW-1:0]            m_axi_arid_o,
  input  logic                                   m_axi_rvalid_i,
  output logic                                   m_axi_rready_o,
  input  logic [l2_pkg::SliceIdW-1:0]            m_axi_rid_i,
  input  logic [config_pkg::AxiDataBits-1:0]     m_axi_rdata_i,
  input  logic [1:0]                             m_axi_rresp_i,
  input  logic                                   m_axi_rlast_i
);

  localparam int unsigned ClientW = (NumClients > 1) ? $clog2(NumClients) : 1;  // at most l2_pkg's
  localparam int unsigned AnswerBeats = 12 * mem_pkg::Pieces;   // in each client's queues

  // Of several slices one that rests has no clock. What it hears of the rest of the chip it keeps in its own: a simulator works out
  // what depends on another clock's registers in each of that one's cycles.
  logic [gpu_pkg::AddrW-1:0] mem_end;
  logic                      flush;
  logic [NumClients-1:0]     room_outside;
  if (l2_pkg::Slices > 1) begin : g_copies
    logic [gpu_pkg::AddrW-1:0] mem_end_q;
    logic                      flush_q;
    logic [NumClients-1:0]     answer_room_q;
    always_ff @(posedge clk_i) begin
      mem_end_q <= settings_i.mem_end;
      flush_q <= flush_i;
      answer_room_q <= answer_room_i;
    end
    assign mem_end = mem_end_q;
    assign flush = flush_q;
    assign room_outside = answer_room_q;
  end else begin : g_same
    assign mem_end = settings_i.mem_end;
    assign flush = flush_i;
    assign room_outside = answer_room_i;
  end

  // ---- arbiter -------------------------------------------------------------------------------------
  logic                  take, any, offered, ends, full, look_ready, slot_free;
  logic [NumClients-1:0] turn, chosen;
  logic [ClientW-1:0]    turn_index, choice;
  logic [l2_pkg::SlotW-1:0] slot;
  l2_pkg::request_t      request, chosen_req, queued_req;   // that is taken; a client's; that has waited here longest
  logic                  queued;                      // some wait here
  l2_pkg::look_t         look, looked_up;   // of the request that comes; that is being looked up
  // Of a read of several sectors the link gives one; the others are kept here and go before all that comes.
  logic [3:0]       more_q;    // sectors that are left
  l2_pkg::request_t kept_q;
  logic [1:0]       kept_sector;
  assign kept_sector = 2'(prim_pkg::first32(32'(more_q)));
  if (mem_pkg::LineReads) begin : g_more
    always_ff @(posedge clk_i) begin
      if (!rst_ni) more_q <= '0;
      else if (take) more_q <= more_q != '0 ? more_q & (more_q - 1'b1) : mem_pkg::more_sectors(request.req);
      if (take && more_q == '0) begin
        kept_q <= request;
        kept_q.req.mask <= '0;
        kept_q.req.data <= '0;
      end
    end
  end else begin : g_sectors
    assign more_q = '0;
    assign kept_q = '0;
  end

  // Beats go to the request's slot as they come; with the last one (`ends`) it is looked up.
  assign take = offered && (ends ? look_ready : slot_free);

  // Who had the last turn goes on with the higher places of its line, sectors or words of atomics: so a line is asked of memory
  // in one burst, and two clients' sums on the same words do not meet one by one. That ends after 32 requests at the latest.
  logic                      stay, advance;
  logic [ClientW-1:0]        last;
  logic [gpu_pkg::AddrW-1:0] last_place, next_place;
  function automatic logic [gpu_pkg::AddrW-1:0] place_of(input logic [gpu_pkg::AddrW-1:5] sector, input mem_pkg::req_kind_e kind,
                                                         input logic [4:0] offset);
    return {sector, !l2_pkg::Narrow && mem_pkg::is_atomic(kind) ? offset : 5'd0};
  endfunction
  always_comb begin
    stay = 1'b0;
    next_place = 'x;   // nobody looks at it otherwise
    if (mem_req_valid_i[last]) begin
      next_place = place_of(mem_req_i[last].sector, mem_req_i[last].kind, mem_req_i[last].offset);
      stay = next_place[gpu_pkg::AddrW-1:7] == last_place[gpu_pkg::AddrW-1:7] && next_place[6:0] > last_place[6:0];
    end
  end
  always_comb begin
    {chosen, choice} = '0;
    if (any) begin
      chosen = stay ? NumClients'(1) << last : turn;
      choice = stay ? last : turn_index;
    end
  end

  // With a narrow memory port a client is chosen a cycle before its request is taken, while the one before is looked up.
  if (l2_pkg::Narrow) begin : g_chosen
    logic                  chosen_q;
    logic [NumClients-1:0] grant_q;
    logic [ClientW-1:0]    winner_q;
    logic                  begun_q, full_q;   // some of its beats have been taken; all their bytes are written
    assign offered = chosen_q && (grant_q & mem_req_valid_i) != '0;
    assign mem_req_ready_o = take ? grant_q : '0;
    assign queued = 1'b0;
    assign last = looked_up.client[ClientW-1:0];
    assign last_place = {looked_up.sector, 5'd0};
    assign queued_req = '0;
    assign chosen_req.client = l2_pkg::ClientW'(winner_q);
    assign chosen_req.req = mem_req_i[winner_q];
    assign ends = mem_req_i[winner_q].last;
    assign full = full_q;
    assign advance = !chosen_q && any && !stay;
    always_ff @(posedge clk_i) begin
      // The grant stays until the last beat. A client that is reset takes its request back.
      chosen_q <= rst_ni && (chosen_q ? (begun_q || offered) && !(take && ends) && (grant_q & mem_req_drop_i) == '0 : any);
      begun_q <= chosen_q && (begun_q || take);
      full_q <= !chosen_q || (full_q && (!take || (&request.req.mask)));
      if (!chosen_q) begin
        grant_q <= chosen;
        winner_q <= choice;
      end
    end
    always_ff @(posedge clk_i) begin
      if (rst_ni && take) begin
        a_last: assert (ends == (request.req.kind == mem_pkg::ReqRead || request.req.piece == mem_pkg::piece_t'(
            request.req.kind == mem_pkg::ReqWrite ? mem_pkg::Pieces - 1 : mem_pkg::AtomicBeats - 1)))
          else $error("l2: client %0d: a beat too few or too many", winner_q);
      end
    end
  end else begin : g_at_once
    // Requests wait in the order in which they have been chosen, which is that of the memory: so a client that goes on to
    // another slice is not held up by a line that this one looks up sector by sector.
    localparam int unsigned QueuedRequests = 4;
    logic room_q, goes;
    always_comb begin
      chosen_req = 'x;   // nobody looks at it otherwise
      if (any) begin
        chosen_req.client = l2_pkg::ClientW'(choice);
        chosen_req.req = mem_req_i[choice];
      end
    end
    assign goes = take && more_q == '0;
    fifo #(.T(l2_pkg::request_t), .Depth(QueuedRequests)) u_requests (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (any && (queued || !goes)),
      .wr_ready_o (room_q),
      .wr_data_i  (chosen_req),
      .rd_valid_o (queued),
      .rd_ready_i (goes),
      .rd_data_o  (queued_req),
      .count_o    ()
    );
    always_ff @(posedge clk_i) begin
      if (!rst_ni) last_place <= '1;
      else if (any && room_q) begin
        last <= choice;
        last_place <= place_of(chosen_req.req.sector, chosen_req.req.kind, chosen_req.req.offset);
      end
    end
    assign offered = any || queued || more_q != '0;
    assign mem_req_ready_o = room_q ? chosen : '0;
    assign ends = 1'b1;
    assign full = 1'b1;
    // A request is taken whole.
    logic unused_drop;
    assign unused_drop = ^mem_req_drop_i;
    assign advance = any && room_q && !stay;
  end

  always_comb begin
    // Nobody looks at them otherwise.
    request = 'x;
    look = 'x;
    if (take) begin
      if (more_q != '0) begin
        request = kept_q;
        request.req.sector[6:5] = kept_sector;
        request.req.id[1:0] = kept_sector;
      end else begin
        request = queued ? queued_req : chosen_req;
      end
      look = '{client: request.client, kind: request.req.kind, sector: request.req.sector,
               full: request.req.kind == mem_pkg::ReqWrite && full && (&request.req.mask)};
    end
  end

  rr_arbiter #(.N(NumClients)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (mem_req_valid_i),
    .advance_i (advance),
    .valid_o   (any),
    .gnt_o     (turn),
    .index_o   (turn_index)
  );

  // ---- look-up and performing ------------------------------------------------------------------------
  logic                        ask_valid, fill_valid, fill_ready, evict_room, evict_hit, buffer_hit, op_valid, op_ready;
  logic [l2_pkg::FillW-1:0]    ask_id;
  l2_pkg::line_t               ask_line, evict_check;
  l2_pkg::fill_t               fill;
  l2_pkg::op_t                 op;
  logic                        fill_read;
  logic [l2_pkg::FillW-1:0]    fill_id;
  logic [mem_pkg::PieceW-1:0]  fill_piece;
  logic [mem_pkg::PieceBits-1:0] fill_data;
  logic [l2_pkg::ClientW-1:0]  fill_client;
  logic                        control_busy, data_busy, writer_busy, walked, answers_busy;
  logic [NumClients-1:0]       room;  // of the answer queue, for all that is on its way to it

  l2_control u_control (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .busy_o         (control_busy),
    .mem_end_i      (mem_end),
    .flush_i        (flush),
    .flush_walked_o (walked),
    .req_valid_i    (offered && ends),
    .req_ready_o    (look_ready),
    .req_i          (look),
    .req_slot_free_o(slot_free),
    .req_slot_o     (slot),
    .look_valid_o   (),
    .look_o         (looked_up),
    .look_room_i    (room[looked_up.client[ClientW-1:0]]),
    .ask_valid_o    (ask_valid),
    .ask_id_o       (ask_id),
    .ask_line_o     (ask_line),
    .fill_valid_i   (fill_valid),
    .fill_ready_o   (fill_ready),
    .fill_i         (fill),
    .fill_client_o  (fill_client),
    .fill_room_i    (room[fill_client[ClientW-1:0]]),
    .evict_room_i   (evict_room),
    .evict_check_o  (evict_check),
    .evict_hit_i    (evict_hit),
    .op_valid_o     (op_valid),
    .op_ready_i     (op_ready),
    .op_o           (op)
  );

  logic                       answer_valid, row_valid;
  logic [l2_pkg::ClientW-1:0] answer_client;
  mem_pkg::answer_t           answer;
  l2_pkg::write_back_t        row;

  l2_data u_data (
    .clk_i              (clk_i),
    .rst_ni             (rst_ni),
    .store_valid_i      (take),
    .store_slot_i       (slot),
    .store_i            (request),
    .op_valid_i         (op_valid),
    .op_ready_o         (op_ready),
    .op_i               (op),
    .fill_read_o        (fill_read),
    .fill_id_o          (fill_id),
    .fill_piece_o       (fill_piece),
    .fill_data_i        (fill_data),
    .busy_o             (data_busy),
    .rsp_valid_o        (answer_valid),
    .rsp_client_o       (answer_client),
    .rsp_o              (answer),
    .write_back_valid_o (row_valid),
    .write_back_o       (row),
    .trace_o            (trace_l2_o)
  );

  // ---- answers: a queue of beats for each client, and one of acknowledgements, which leave together. Who leaves a few answers
  // standing keeps no other waiting; with more of them its next request stalls the look-up, for all: clients take their
  // answers whatever else they wait for. With a narrow memory port, which performs at most every fourth cycle, one queue has both.
  logic [NumClients-1:0] answer_ready, waiting;
  assign answer_valid_o = answer_valid;
  assign answer_client_o = answer_client;
  assign answer_o = answer;
  if (l2_pkg::Slices > 1) begin : g_outside
    assign room = room_outside;
    assign answer_ready = '1;
    assign waiting = '0;
    assign mem_rsp_valid_o = '0;
    assign mem_rsp_o = '0;
    logic unused_ready;
    assign unused_ready = ^mem_rsp_ready_i;
  end else begin : g_inside
    logic unused_room;
    assign unused_room = ^room_outside;
  end
  for (genvar c = 0; c < (l2_pkg::Slices > 1 ? 0 : int'(NumClients)); c++) begin : g_answers
    logic mine;
    assign mine = answer_valid && answer_client == l2_pkg::ClientW'(c);
    if (Prompt[c]) begin : g_prompt
      assign room[c] = 1'b1;
      assign answer_ready[c] = mem_rsp_ready_i[c];
      assign waiting[c] = 1'b0;
      assign mem_rsp_valid_o[c] = mine;
      assign mem_rsp_o[c] = mem_pkg::alone(answer);
    end else begin : g_queue
      logic             answers_here, answer_room, takes_answer, acks;   // acks: this one goes apart from answers
      mem_pkg::answer_t head;
      logic [$clog2(AnswerBeats+1)-1:0] count;
      // Up to seven operations are between the decision and the queue.
      localparam int unsigned Most = AnswerBeats - 8 * mem_pkg::Pieces;
      fifo #(.T(mem_pkg::answer_t), .Depth(AnswerBeats), .Ram(mem_pkg::RamQueues)) u_answers (
        .clk_i      (clk_i),
        .rst_ni     (rst_ni),
        .wr_valid_i (mine && !acks),
        .wr_ready_o (answer_room),
        .wr_data_i  (answer),
        .rd_valid_o (answers_here),
        .rd_ready_i (takes_answer),
        .rd_data_o  (head),
        .count_o    (count)
      );
      if (l2_pkg::Narrow) begin : g_together
        assign acks = 1'b0;
        assign takes_answer = mem_rsp_ready_i[c];
        assign room[c] = count <= ($bits(count))'(Most);
        assign answer_ready[c] = answer_room;
        assign waiting[c] = answers_here;
        assign mem_rsp_o[c] = mem_pkg::alone(head);
      end else begin : g_apart
        logic                             acks_here, ack_room;
        logic [$clog2(AnswerBeats+1)-1:0] ack_count;
        mem_pkg::ack_t                    ack;
        assign acks = answer.kind == mem_pkg::ReqWrite;
        assign room[c] = count <= ($bits(count))'(Most) && ack_count <= ($bits(count))'(Most);
        assign answer_ready[c] = acks ? ack_room : answer_room;
        assign waiting[c] = answers_here || acks_here;
        fifo #(.T(mem_pkg::ack_t), .Depth(AnswerBeats)) u_acks (
          .clk_i      (clk_i),
          .rst_ni     (rst_ni),
          .wr_valid_i (mine && acks),
          .wr_ready_o (ack_room),
          .wr_data_i  ('{valid: 1'b1, error: answer.error, id: answer.id}),
          .rd_valid_o (acks_here),
          .rd_ready_i (mem_rsp_ready_i[c] && acks_now),
          .rd_data_o  (ack),
          .count_o    (ack_count)
        );
        // A beat that waits for the client stays as it is.
        logic stands_q, answered_q, acked_q, answers_now, acks_now;
        assign answers_now = answers_here && (!stands_q || answered_q);
        assign acks_now = acks_here && (!stands_q || acked_q);
        always_ff @(posedge clk_i) begin
          stands_q <= rst_ni && waiting[c] && !mem_rsp_ready_i[c];
          answered_q <= answers_now;
          acked_q <= acks_now;
        end
        assign takes_answer = mem_rsp_ready_i[c] && answers_now;
        always_comb begin
          mem_rsp_o[c] = 'x;   // nobody looks at it otherwise
          if (acks_now) mem_rsp_o[c] = mem_pkg::alone(mem_pkg::answer_t'{kind: mem_pkg::ReqWrite, id: ack.id, error: ack.error, last: 1'b1, default: '0});
          else mem_rsp_o[c].ack = '0;
          if (answers_now) mem_rsp_o[c].answer = head;
        end
      end
      assign mem_rsp_valid_o[c] = waiting[c];
    end
  end
  assign answers_busy = waiting != '0;

  // ---- memory --------------------------------------------------------------------------------------
  axi_reader u_reader (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .ask_valid_i     (ask_valid),
    .ask_id_i        (ask_id),
    .ask_line_i      (ask_line),
    .fill_valid_o    (fill_valid),
    .fill_ready_i    (fill_ready),
    .fill_o          (fill),
    .read_valid_i    (fill_read),
    .read_id_i       (fill_id),
    .read_piece_i    (fill_piece),
    .read_data_o     (fill_data),
    .m_axi_arvalid_o (m_axi_arvalid_o),
    .m_axi_arready_i (m_axi_arready_i),
    .m_axi_araddr_o  (m_axi_araddr_o),
    .m_axi_arlen_o   (m_axi_arlen_o),
    .m_axi_arid_o    (m_axi_arid_o),
    .m_axi_rvalid_i  (m_axi_rvalid_i),
    .m_axi_rready_o  (m_axi_rready_o),
    .m_axi_rid_i     (m_axi_rid_i),
    .m_axi_rdata_i   (m_axi_rdata_i),
    .m_axi_rresp_i   (m_axi_rresp_i)
  );

  logic evicts;
  assign evicts = op_valid && op.evict && op.first;
  // With a narrow port no look-up asks so soon.
  assign evict_hit = buffer_hit || (!l2_pkg::Narrow && evicts && op.line == evict_check);

  axi_writer u_writer (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .busy_o          (writer_busy),
    .error_o         (error_o),
    .room_o          (evict_room),
    .reserve_i       (evicts && op_ready),
    .reserve_line_i  (op.line),
    .reserve_dirty_i (op.dirty),
    .row_valid_i     (row_valid),
    .row_i           (row),
    .check_line_i    (evict_check),
    .check_hit_o     (buffer_hit),
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
    .m_axi_bresp_i   (m_axi_bresp_i)
  );

  // Beats are counted, so the end of a burst is known without it.
  logic unused_rlast;
  assign unused_rlast = m_axi_rlast_i;

  assign busy_o = more_q != '0 || queued || control_busy || op_valid || data_busy || answers_busy || writer_busy;
  assign flush_done_o = walked && (l2_pkg::Slices == 1 || flush) && !op_valid && !data_busy && !writer_busy;

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // The data stage does not wait: room is found before an operation goes.
      a_answers: assert (!answer_valid || answer_ready[answer_client[ClientW-1:0]])
        else $error("l2: answer queue overflows, or a prompt client is not ready");
    end
  end

endmodule
