// SPDX-License-Identifier: Apache-2.0
// Sequencing of an execution unit: a slice of RowLanes lanes passes Lanes at a time, so it takes
// Beats = RowLanes / Lanes beats through a pipeline of Stages stages. Shared by INT, FP32 and CVT.
//
//   RowLanes = 32, Lanes = 16, Stages = 2   cycle  0      1      2      3
//   stage 1 works on                               lo     hi     -
//   stage 2 works on                               -      lo     hi
//   response valid                                 -      -      -      yes   (both halves: shifted in from the top)
//
// Where rows move whole, the unit takes a request with beat 0 (first_o) and holds what later beats (rest_o) need: the next
// request comes up behind it meanwhile. Where they move in slices nothing is held: the request stays until its last
// beat, so units are smaller; it may then ask for two beats for each Lanes lanes (twice_i).
// A request is taken every Beats cycles. While a response waits everything stands
// still (en_o low): results come in order, nothing is overwritten.
module lane_beats #(
  parameter int unsigned Lanes  = 16,
  parameter int unsigned Stages = 2,   // at least 2
  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes,
  localparam int unsigned BeatW = $clog2(2 * Beats)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  input  logic              twice_i,   // of the request; 0 where rows move whole
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,

  output logic              en_o,      // the pipeline moves
  output logic              first_o,   // stage 1 takes beat 0 from the request (implies en_o)
  output logic              rest_o,    // stage 1 takes a later beat from the hold registers (implies en_o)
  output logic [BeatW-1:0]  beat_o,    // that stage 1 takes
  output logic [Stages-2:0] valid_o,   // bit k: the registers after stage k + 1 hold a beat
  output logic              busy_o
);

  localparam bit Holds = sm_pkg::RowSlices == 1;

  logic [BeatW-1:0]  beat_q;
  logic [Stages-2:0] valid_q, last_q;
  logic              rsp_valid_q;
  logic              last;     // stage 1 takes the last beat of a request

  assign en_o = !rsp_valid_q || rsp_ready_i;
  assign first_o = req_valid_i && en_o && beat_q == '0;
  assign rest_o = en_o && beat_q != '0;
  assign last = (first_o || rest_o) && beat_q == (twice_i ? BeatW'(2 * Beats - 1) : BeatW'(Beats - 1));
  // A unit without a request is ready.
  assign req_ready_o = Holds ? en_o && beat_q == '0 : en_o && (last || !req_valid_i);
  assign beat_o = beat_q;

  assign rsp_valid_o = rsp_valid_q;
  assign valid_o = valid_q;
  assign busy_o = beat_q != '0 || |valid_q || rsp_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q <= '0;
      valid_q <= '0;
      last_q <= '0;
      rsp_valid_q <= 1'b0;
    end else if (en_o && (req_valid_i || busy_o)) begin
      if (first_o || rest_o) beat_q <= last ? '0 : beat_q + BeatW'(1);
      valid_q <= (Stages - 1)'({valid_q, first_o || rest_o});
      last_q <= (Stages - 1)'({last_q, last});
      rsp_valid_q <= valid_q[Stages-2] && last_q[Stages-2];
    end
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // A response may be withdrawn only by being taken.
      a_stays: assert (Holds || beat_q == '0 || req_valid_i) else $error("lane_beats: the request went before its last beat");
      a_last: assert ((last_q & ~valid_q) == '0) else $error("lane_beats: last beat without a beat");
    end
  end

endmodule
