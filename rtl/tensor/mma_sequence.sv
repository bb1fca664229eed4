// SPDX-License-Identifier: Apache-2.0
// In which order a tensor core computes an instruction's results: as their rows leave. A beat is up to 16 places of one result
// in each of the unit's lanes.
//
//   Width 256 has 16 lanes a beat; f32 D: result 0 of lanes 0-15, of lanes 16-31, result 1 likewise: the first two rows are
//   complete; results 2 and 3: eight beats. f16 D: the same eight, and both rows end with the last. Half K: results 0 and 1 in
//   one beat, 2 and 3 likewise: four beats
//   Width 4, slices of two lanes: result 0 of lane 0 in four beats, of lane 1, result 1 likewise: slice 0 of two rows leaves
//
// From the inside out: parts of a result, lanes of a slice, results that share a row pair, slices, pairs of rows.
module mma_sequence #(
  parameter int unsigned Width = mma_pkg::DefaultWidth
) (
  input  logic           clk_i,
  input  logic           rst_ni,
  input  logic           take_i,  // the beat is taken
  input  mma_pkg::op_t   op_i,    // stands still until its last beat is
  output mma_pkg::beat_t beat_o
);

  localparam int unsigned Lanes = mma_pkg::lanes_of(Width);
  localparam int unsigned Parts = 16 / mma_pkg::places_of(Width);
  localparam logic        Two = mma_pkg::two_of(Width);

  logic [4:0] lane_q, lane_d;
  logic [1:0] result_q, result_d, part_q, part_d;
  logic       two, last_part, last_lane, last_result, last_slice, emits, ends;

  assign two = Two && op_i.half_k;
  assign last_part = part_q == 2'(Parts - 1);
  assign last_lane = (lane_q & 5'(sm_pkg::RowLanes - 1)) == 5'(sm_pkg::RowLanes - Lanes);
  assign last_result = (two || result_q[0]) && (!op_i.f16_d || result_q[1]);  // of a pair of rows
  assign last_slice = lane_q == 5'(sm_pkg::WarpSize - Lanes);

  assign emits = last_part && last_lane && last_result;
  assign ends = emits && last_slice && (op_i.m8 || result_q[1]);
  assign beat_o = '{lane: lane_q, result: result_q, part: part_q, first: part_q == 2'd0, last: last_part, emits: emits, ends: ends};

  always_comb begin
    part_d = last_part ? 2'd0 : part_q + 2'd1;
    lane_d = lane_q;
    result_d = result_q;
    if (last_part) begin
      lane_d = lane_q + 5'(Lanes);
      if (last_lane && !last_result) begin
        lane_d = lane_q & ~5'(sm_pkg::RowLanes - 1);
        result_d = result_q + (two ? 2'd2 : 2'd1);
      end else if (last_lane) begin
        result_d = last_slice ? {!result_q[1], 1'b0} : {result_q[1] && !op_i.f16_d, 1'b0};
      end
      if (ends) {lane_d, result_d} = '0;
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) {part_q, lane_q, result_q} <= '0;
    else if (take_i) {part_q, lane_q, result_q} <= {part_d, lane_d, result_d};
  end

endmodule
