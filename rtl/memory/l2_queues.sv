// SPDX-License-Identifier: Apache-2.0
// A first-in first-out queue for each client, all in one memory with a write port and a read port: a cycle adds to one
// queue and takes from one.
//
//   cycle     0       1       2        3
//   push      A to 3  B to 3  -        -
//   waits[3]  0       1       1        1
//   pop[3]    0       0       1        1
//   head      -       -       A        B
//
// The client and the place in its queue, Depth a client, are the address. What each client's queue holds is told in one bit
// each of two registers: something (waits_o), more than Most (crowded_o). So a cycle without push or pop is one test for a simulator.
module l2_queues #(
  parameter type         T       = logic [31:0],
  parameter int unsigned Clients = config_pkg::Sms + 1,
  parameter int unsigned Depth   = 32,                  // entries of a client, a power of two
  parameter int unsigned Most    = 24,                  // below Depth
  localparam int unsigned ClientW = (Clients > 1) ? $clog2(Clients) : 1
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  input  logic               push_i,     // never to a full queue
  input  logic [ClientW-1:0] client_i,
  input  T                   data_i,
  output logic [Clients-1:0] crowded_o,

  output logic [Clients-1:0] waits_o,
  input  logic               pop_i,      // of a queue that holds something
  input  logic [ClientW-1:0] from_i,
  output T                   head_o      // of from_i, with pop_i
);

  localparam int unsigned PlaceW = $clog2(Depth);
  localparam int unsigned CountW = PlaceW + 1;

  // The lower bits of both are the place; their difference is the number of entries.
  logic [CountW-1:0]  pushed_q [Clients];
  logic [CountW-1:0]  popped_q [Clients];
  (* no_rw_check *) T entry_q [Clients * Depth];
  logic [Clients-1:0] waits_q, crowded_q;

  logic               both;              // one comes to the queue that one leaves: it holds as many as before
  logic [CountW-1:0]  to_count, from_count;
  assign both = push_i && pop_i && client_i == from_i;
  assign waits_o = waits_q;
  assign crowded_o = crowded_q;
  always_comb begin
    // Nobody looks at them otherwise.
    to_count = 'x;
    from_count = 'x;
    head_o = 'x;
    if (push_i) to_count = pushed_q[client_i] - popped_q[client_i];
    if (pop_i) begin
      from_count = pushed_q[from_i] - popped_q[from_i];
      head_o = entry_q[{from_i, popped_q[from_i][PlaceW-1:0]}];
    end
  end

  always_ff @(posedge clk_i) begin
    if (push_i) entry_q[{client_i, pushed_q[client_i][PlaceW-1:0]}] <= data_i;
  end
  always_ff @(posedge clk_i) begin
    if (push_i) pushed_q[client_i] <= pushed_q[client_i] + 1'b1;
    if (pop_i) popped_q[from_i] <= popped_q[from_i] + 1'b1;
    if ((push_i || pop_i) && !both) begin
      if (push_i) begin
        waits_q[client_i] <= 1'b1;
        if (to_count == CountW'(Most)) crowded_q[client_i] <= 1'b1;
      end
      if (pop_i) begin
        if (from_count == CountW'(1)) waits_q[from_i] <= 1'b0;
        if (from_count == CountW'(Most + 1)) crowded_q[from_i] <= 1'b0;
      end
    end
    if (!rst_ni) begin
      waits_q <= '0;
      crowded_q <= '0;
      for (int unsigned c = 0; c < Clients; c++) begin
        pushed_q[c] <= '0;
        popped_q[c] <= '0;
      end
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_push: assert (!push_i || to_count != CountW'(Depth)) else $error("l2_queues: a queue overflows");
      a_pop: assert (!pop_i || waits_q[from_i]) else $error("l2_queues: nothing waits");
    end
  end

endmodule
