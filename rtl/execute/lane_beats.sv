// SPDX-License-Identifier: Apache-2.0
// Sequencing of an execution unit: a slice of RowLanes lanes passes Lanes at a time, so it takes
// Beats = RowLanes / Lanes beats through a pipeline of Stages stages. Shared by INT, FP32 and CVT.
//
//   RowLanes = 32, Lanes = 16, Stages = 2   cycle  0      1      2      3
//   stage 1 works on (work_o[0])                   lo     hi     -
//   stage 2 works on (work_o[1])                   -      lo     hi
//   response valid                                 -      -      -      yes
//   the response's lanes that stage 2 makes (made_o)      0      1            lo, hi
//
// Where rows move whole, the unit takes a request with beat 0 (first_o) and holds what later beats (rest_o) need: the next
// request comes up behind it meanwhile. Where they move in slices the request stays until its last beat, so units are
// smaller; it may then ask for two beats for each Lanes lanes (twice_i). A beat's operands are registers there
// (lane_operands), so all stages are a cycle later.
// A request is taken every Beats cycles. Results come in order. In slices everything stands still while a response
// waits; whole rows have their cycle booked (result_cycles), and none waits.
module lane_beats #(
  parameter int unsigned Lanes  = 16,
  parameter int unsigned Stages = 2,   // at least 2
  localparam int unsigned Beats = sm_pkg::RowLanes / Lanes,
  localparam int unsigned BeatW = $clog2(2 * Beats),
  localparam int unsigned GroupW = (Beats > 1) ? $clog2(Beats) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              req_valid_i,
  output logic              req_ready_o,
  output logic              req_soon_o,  // whole rows: ready in the next cycle
  input  logic              twice_i,   // of the request; 0 where rows move whole
  output logic              rsp_valid_o,
  input  logic              rsp_ready_i,

  output logic              first_o,   // beat 0 of the request is taken
  output logic              rest_o,    // a later beat is taken
  output logic [BeatW-1:0]  beat_o,    // which one
  output logic [GroupW-1:0] group_o,   // its lanes: those from group * Lanes on
  output logic [GroupW-1:0] made_o,    // and those of the beat that the last stage takes
  output logic [Stages-1:0] work_o,    // bit k: stage k + 1 takes a beat
  output logic              busy_o
);

  localparam bit Slices = sm_pkg::RowSlices > 1;
  localparam int unsigned Held = Slices ? Stages : Stages - 1;  // registers that hold a beat, the response aside

  logic [BeatW-1:0]  beat_q;
  logic [Held-1:0]   valid_q, last_q;
  logic              rsp_valid_q;
  logic              en;       // the pipeline moves
  logic              last;     // the last beat of a request is taken

  assign en = !Slices || !rsp_valid_q || rsp_ready_i;
  assign first_o = req_valid_i && en && beat_q == '0;
  assign rest_o = en && beat_q != '0;
  assign last = (first_o || rest_o) && beat_q == (twice_i ? BeatW'(2 * Beats - 1) : BeatW'(Beats - 1));
  // A unit without a request is ready.
  assign req_ready_o = Slices ? en && (last || !req_valid_i) : en && beat_q == '0;
  assign req_soon_o = !Slices && (last || (!first_o && !rest_o));
  assign beat_o = beat_q;
  assign group_o = GroupW'(twice_i ? beat_q >> 1 : beat_q);
  assign work_o = Slices ? Stages'(valid_q) & {Stages{en}}
                         : Stages'({valid_q & {Held{en}}, first_o || rest_o});

  assign rsp_valid_o = rsp_valid_q;
  assign busy_o = beat_q != '0 || |valid_q || rsp_valid_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      beat_q <= '0;
      valid_q <= '0;
      last_q <= '0;
      rsp_valid_q <= 1'b0;
    end else if (en && (req_valid_i || busy_o)) begin
      if (first_o || rest_o) beat_q <= last ? '0 : beat_q + BeatW'(1);
      valid_q <= Held'({valid_q, first_o || rest_o});
      last_q <= Held'({last_q, last});
      rsp_valid_q <= valid_q[Held-1] && last_q[Held-1];
    end
  end

  if (Beats > 1) begin : g_groups
    logic [Held-1:0][GroupW-1:0] group_q;
    always_ff @(posedge clk_i) begin
      if (en && (first_o || rest_o || busy_o)) group_q <= (Held * GroupW)'({group_q, group_o});
    end
    assign made_o = group_q[Held-1];
  end else begin : g_group
    assign made_o = '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      a_taken: assert (Slices || !rsp_valid_q || rsp_ready_i) else $error("lane_beats: a whole row's response must wait");
      // A response may be withdrawn only by being taken.
      a_stays: assert (!Slices || beat_q == '0 || req_valid_i) else $error("lane_beats: the request went before its last beat");
      a_last: assert ((last_q & ~valid_q) == '0) else $error("lane_beats: last beat without a beat");
    end
  end

endmodule
