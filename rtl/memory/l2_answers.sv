// SPDX-License-Identifier: Apache-2.0
// Answers of a slice of several that wait for the network: a queue of beats for each client, and one of acknowledgements. What
// heads both leaves together. The slice makes one of them a cycle, and the network takes of one client a cycle, so the queues of
// all clients lie in one memory (l2_queues).
//
//   cycle  0         1         2
//   in     1: A      -         -         of client 1
//   waits  -         1         -
//   take   -         1         -
//   rsp    -         A         -
//
// Who leaves a few answers standing keeps no other waiting; with more of them its next request stalls the look-up, for all:
// clients take their answers whatever else they wait for. With a narrow memory port, which performs at most every fourth
// cycle, one queue has both.
module l2_answers #(
  parameter int unsigned Clients = config_pkg::Sms + 1
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,

  // The slice's data stage does not wait: `room_o` is looked at before an operation goes there.
  input  logic                       valid_i,
  input  logic [l2_pkg::ClientW-1:0] client_i,
  input  mem_pkg::answer_t           answer_i,
  output logic [Clients-1:0]         room_o,   // for what is between that look and the queue

  output logic [Clients-1:0]         waits_o,  // from registers
  input  logic [Clients-1:0]         take_i,   // one of those that wait, or none
  output mem_pkg::rsp_t              rsp_o     // that of the client taken
);

  localparam int unsigned ClientW = (Clients > 1) ? $clog2(Clients) : 1;
  localparam int unsigned Depth = l2_pkg::Narrow ? 16 * mem_pkg::Pieces : 32;
  // Up to seven operations are between the decision and the queue, and the slice hears of room a cycle late.
  localparam int unsigned Most = Depth - 9 * mem_pkg::Pieces;

  logic [ClientW-1:0] to, from;
  logic               takes, takes_answer;
  logic [Clients-1:0] answers_here, answers_crowd;
  mem_pkg::answer_t   answer;
  assign to = client_i[ClientW-1:0];
  assign takes = take_i != '0;
  assign from = takes ? ClientW'(prim_pkg::index64(64'(take_i))) : '0;
  assign takes_answer = (take_i & answers_here) != '0;

  logic acks;   // this one goes apart from answers
  l2_queues #(.T(mem_pkg::answer_t), .Clients(Clients), .Depth(Depth), .Most(Most)) u_answers (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .push_i    (valid_i && !acks),
    .client_i  (to),
    .data_i    (answer_i),
    .crowded_o (answers_crowd),
    .waits_o   (answers_here),
    .pop_i     (takes_answer),
    .from_i    (from),
    .head_o    (answer)
  );

  if (l2_pkg::Narrow) begin : g_together
    assign acks = 1'b0;
    assign room_o = ~answers_crowd;
    assign waits_o = answers_here;
    always_comb begin
      rsp_o = 'x;   // nobody looks at it otherwise
      if (takes) rsp_o = mem_pkg::alone(answer);
    end
  end else begin : g_apart
    logic [Clients-1:0] acks_here, acks_crowd;
    logic               takes_ack;
    mem_pkg::ack_t      ack;
    assign acks = answer_i.kind == mem_pkg::ReqWrite;
    assign room_o = ~(answers_crowd | acks_crowd);
    assign waits_o = answers_here | acks_here;
    assign takes_ack = (take_i & acks_here) != '0;
    l2_queues #(.T(mem_pkg::ack_t), .Clients(Clients), .Depth(Depth), .Most(Most)) u_acks (
      .clk_i     (clk_i),
      .rst_ni    (rst_ni),
      .push_i    (valid_i && acks),
      .client_i  (to),
      .data_i    ('{valid: 1'b1, error: answer_i.error, id: answer_i.id}),
      .crowded_o (acks_crowd),
      .waits_o   (acks_here),
      .pop_i     (takes_ack),
      .from_i    (from),
      .head_o    (ack)
    );
    always_comb begin
      rsp_o = 'x;   // nobody looks at it otherwise
      if (takes) begin
        if (takes_ack) rsp_o = mem_pkg::alone(mem_pkg::answer_t'{kind: mem_pkg::ReqWrite, id: ack.id, error: ack.error, last: 1'b1, default: '0});
        else rsp_o.ack = '0;
        if (takes_answer) rsp_o.answer = answer;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_take: assert ((take_i & ~waits_o) == '0 && (take_i & (take_i - 1'b1)) == '0)
        else $error("l2_answers: takes what does not wait, or of two clients");
    end
  end

endmodule
