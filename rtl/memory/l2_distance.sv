// SPDX-License-Identifier: Apache-2.0
// The way from an SM to the L2 of a chip that is larger than what is built: each request is Cycles on its way. All of an SM's
// requests go through it in their order, so that the order of memory is what it is without it (l2_network.sv).
//
//   Cycles = 3         cycle  0     1     2     3     4
//   req_i                     A     B     -     -     -
//   req_o                     -     -     -     A     B
module l2_distance #(
  parameter int unsigned Cycles = 200   // at least 1
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic          busy_o,        // requests are on their way
  input  logic          req_valid_i,
  output logic          req_ready_o,
  input  mem_pkg::req_t req_i,
  output logic          req_valid_o,
  input  logic          req_ready_i,
  output mem_pkg::req_t req_o
);

  localparam int unsigned PlaceW = $clog2(Cycles + 1);  // a request a cycle
  localparam int unsigned Places = 2**PlaceW;
  localparam int unsigned TimeW = 16;
  typedef logic [PlaceW-1:0] place_t;
  typedef logic [TimeW-1:0]  time_t;

  mem_pkg::req_t req_q [Places];
  time_t         sent_q [Places];
  place_t        put_q, get_q;
  logic [PlaceW:0] count_q;
  time_t         now_q;
  logic          put, get, arrived, arrived_q;

  // One that has waited for L2 stays there, however long.
  assign arrived = count_q != '0 && (arrived_q || now_q - sent_q[get_q] >= time_t'(Cycles));
  assign busy_o = count_q != '0;
  assign req_ready_o = count_q != (PlaceW+1)'(Places);
  assign req_valid_o = arrived;
  always_comb begin
    req_o = '0;
    if (arrived) req_o = req_q[get_q];
  end
  assign put = req_valid_i && req_ready_o;
  assign get = arrived && req_ready_i;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      put_q <= '0;
      get_q <= '0;
      count_q <= '0;
      now_q <= '0;
      arrived_q <= 1'b0;
    end else if (put || count_q != '0) begin  // else time may stand still
      now_q <= now_q + time_t'(1);
      if (put) put_q <= put_q + place_t'(1);
      if (get) get_q <= get_q + place_t'(1);
      if (put != get) count_q <= put ? count_q + (PlaceW+1)'(1) : count_q - (PlaceW+1)'(1);
      arrived_q <= arrived && !get;
    end
  end
  always_ff @(posedge clk_i) begin
    if (put) begin
      req_q[put_q] <= req_i;
      sent_q[put_q] <= now_q;
    end
  end

endmodule
