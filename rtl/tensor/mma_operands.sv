// SPDX-License-Identifier: Apache-2.0
// Operands of a tensor core: takes an instruction's steps into a set of registers, and gives the decoded words that a beat of
// it multiplies.
//
//   Width 256, two sets: while the eight beats of one HMMA are decoded from set 0, the two steps of the next fill set 1
//
// Below a width of 256 there is one set: steps are few cycles of many then. A set is free again when its last beat is taken.
// A and B are decoded once for all results of the beat that share them: A for four lanes, B (unless A is sparse, which makes
// each row of A choose from a column) for all lanes of a column. A beat of two results has words 0-3 of A twice, and of B words 0-3
// of two columns.
module mma_operands #(
  parameter  int unsigned Width = mma_pkg::DefaultWidth,
  localparam int unsigned Lanes = mma_pkg::lanes_of(Width),
  localparam int unsigned Places = mma_pkg::places_of(Width),
  localparam int unsigned Quads = Lanes >= 4 ? Lanes / 4 : 1,
  localparam logic        Two = mma_pkg::two_of(Width)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             step_valid_i,
  output logic             step_ready_o,
  input  sm_pkg::exec_req_t step_i,

  output logic             full_o,  // a set has all its steps
  output mma_pkg::op_t     op_o,    // its instruction
  output sm_pkg::tag_t     tag_o,
  input  logic             take_i,  // the beat becomes a_o, b_o, c_o in the next cycle
  input  mma_pkg::beat_t   beat_i,

  output mma_sum_pkg::element_t [Quads-1:0][Places-1:0] a_o,
  output mma_sum_pkg::element_t [Lanes-1:0][Places-1:0] b_o,
  output logic                  [Lanes-1:0][31:0]       c_o,
  output logic                  [Lanes-1:0][31:0]       c_hi_o,

  output logic             busy_o
);

  localparam int unsigned Sets = Width >= 256 ? 2 : 1;
  localparam int unsigned Columns = Lanes >= 4 ? 4 : Lanes;
  localparam int unsigned Words = Places / 2;

  // Registers lie by group of four lanes, or of a slice's lanes where those are fewer: a beat needs few groups, and a simulator
  // copies what an index chooses.
  localparam int unsigned GroupLanes = sm_pkg::RowLanes < 4 ? sm_pkg::RowLanes : 4;
  localparam int unsigned GroupW = GroupLanes > 1 ? $clog2(GroupLanes) : 1;
  localparam int unsigned SetGroups = sm_pkg::WarpSize / GroupLanes;   // a set
  localparam int unsigned SliceGroups = sm_pkg::RowLanes / GroupLanes; // a slice
  localparam int unsigned PlaceW = $clog2(Sets * SetGroups);
  typedef logic [PlaceW-1:0] place_t;

  logic [Sets-1:0] full_q;
  logic            fill_q, read_q;  // which set
  logic            begun_q;         // a step has come, more will
  sm_pkg::tag_t    tag_q [Sets];
  mma_pkg::op_t    op_q [Sets];
  typedef logic [GroupLanes-1:0][31:0] group_t;
  typedef group_t [3:0] quad_t;   // of four rows
  typedef group_t [1:0] pair_t;
  quad_t  a_q [Sets*SetGroups], c_q [Sets*SetGroups];
  pair_t  b_q [Sets*SetGroups], b_upper_q [Sets*SetGroups];
  group_t e_q [Sets*SetGroups];

  logic         put, put_last, done;
  mma_pkg::op_t op;
  assign step_ready_o = !full_q[fill_q];
  assign full_o = full_q[read_q];
  assign op_o = op_q[read_q];
  assign tag_o = tag_q[read_q];
  assign busy_o = begun_q || full_q != '0;

  assign op = mma_pkg::op_of(step_i.op, step_i.mod);
  assign put = step_valid_i && step_ready_o;
  assign put_last = put && step_i.step == (op.sparse ? 2'd2 : 2'd1) && step_i.tag.slice == sm_pkg::LastSlice;
  assign done = take_i && beat_i.ends;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      full_q <= '0;
      {fill_q, read_q} <= '0;
      begun_q <= 1'b0;
    end else begin
      if (put) begun_q <= !put_last;
      if (put_last) full_q[fill_q] <= 1'b1;
      if (done) full_q[read_q] <= 1'b0;
      if (Sets > 1) {fill_q, read_q} <= {fill_q ^ put_last, read_q ^ done};
    end
  end

  // ---- steps into a set ------------------------------------------------------------------------------------
  // The group of a lane; the lane within its group.
  function automatic place_t place(input logic set, input logic [4:0] lane);
    return place_t'((32'(set) * sm_pkg::WarpSize + 32'(lane)) / GroupLanes);
  endfunction
  function automatic logic [GroupW-1:0] lane_in(input logic [1:0] lane);
    return GroupW'(32'(lane) % GroupLanes);
  endfunction

  always_ff @(posedge clk_i) begin
    if (put) begin
      tag_q[fill_q] <= step_i.tag;
      op_q[fill_q] <= op;
    end
  end
  for (genvar g = 0; g < int'(SliceGroups); g++) begin : g_group
    always_ff @(posedge clk_i) begin
      if (put) begin
        group_t [5:0] row;  // the group's words of each row
        place_t       to;
        for (int unsigned r = 0; r < 6; r++) row[r] = step_i.row[r][g*GroupLanes+:GroupLanes];
        to = place(fill_q, 5'(32'(step_i.tag.slice) * sm_pkg::RowLanes + g * GroupLanes));
        if (step_i.step == 2'd0) begin
          a_q[to] <= row[5:2];
          b_q[to] <= row[1:0];
        end
        if (step_i.step == 2'd1) begin
          c_q[to] <= row[5:2];
          b_upper_q[to] <= row[1:0];
        end
        if (step_i.step == 2'd2) e_q[to] <= row[0];
      end
    end
  end

  // ---- a beat's words, decoded -----------------------------------------------------------------------------
  // Word w of a part is this one of the eight.
  function automatic logic [2:0] word_of(input logic [1:0] part, input int unsigned w);
    return Words == 8 ? 3'(w) : 3'(32'(part) * Words + w);
  endfunction

  // The column of a lane, of its place among four.
  function automatic logic [2:0] column_of(input logic [1:0] lane, input logic [1:0] number);
    return {lane, number[0]};
  endfunction

  // Four lanes and more have all columns of their result, and the next lanes of a slice have the same ones.
  logic same_columns;
  assign same_columns = Lanes >= 4 && (beat_i.lane & 5'(sm_pkg::RowLanes - 1)) != '0;

  // Words 4-7 are the second result's.
  logic two;
  assign two = Two && op_o.half_k;

  always_ff @(posedge clk_i) begin
    if (take_i) begin
      quad_t addends;
      for (int unsigned q = 0; q < Quads; q++) begin
        logic [2:0]           quad;
        quad_t                rows;
        logic [7:0][31:0]     words;
        mma_sum_pkg::places_t places;
        quad = beat_i.lane[4:2] + 3'(q);
        words = '0;
        for (int unsigned w = 0; w < Words; w++) begin
          logic [2:0] at;
          at = word_of(beat_i.part, w);
          if (w == 0 || GroupLanes < 4) rows = a_q[place(read_q, {quad, at[1:0]})];
          words[w] = rows[{at[2] && !two, beat_i.result[1]}][lane_in(at[1:0])];
          if (!Two && op_o.half_k && at[2]) words[w] = '0;
        end
        mma_sum_pkg::decode(op_o.format, op_o.sign_a, words, Places, places);
        a_o[q] <= places[Places-1:0];
      end
      if (op_o.sparse) begin
        for (int unsigned l = 0; l < Lanes; l++) begin
          logic [4:0]           lane;
          logic [2:0]           column;
          pair_t                lower, upper;
          logic [3:0][31:0]     metadata;
          logic [7:0][7:0]      nibbles;
          logic [7:0][31:0]     words;
          mma_sum_pkg::places_t places;
          lane = beat_i.lane + 5'(l);
          column = column_of(lane[1:0], beat_i.result);
          for (int unsigned k = 0; k < 4; k++) metadata[k] = e_q[place(read_q, {lane[4:2], 2'(k)})][lane_in(2'(k))];
          nibbles = mma_pkg::nibbles_of(op_o, beat_i.result[1], metadata);
          words = '0;
          for (int unsigned w = 0; w < Words; w++) begin
            logic [2:0]       at;
            logic [1:0][31:0] pair;
            at = word_of(beat_i.part, w);
            for (int unsigned k = 0; k < 2; k++) begin
              logic [1:0] from;
              from = {at[0], 1'(k)};
              if ((w == 0 && k == 0) || GroupLanes < 4) begin
                lower = b_q[place(read_q, {column, from})];
                upper = b_upper_q[place(read_q, {column, from})];
                if (two) upper = b_q[place(read_q, {column | 3'd1, from})];
              end
              pair[k] = at[2] ? upper[at[1]][lane_in(from)] : lower[at[1]][lane_in(from)];
            end
            if (Two || !op_o.half_k || !at[2])
              words[w] = mma_pkg::chosen(op_o.format, pair, nibbles[{at[2] && !two, at[1:0]}]);
          end
          mma_sum_pkg::decode(op_o.format, op_o.sign_b, words, Places, places);
          b_o[l] <= places[Places-1:0];
        end
      end else if (!same_columns) begin
        for (int unsigned k = 0; k < Columns; k++) begin
          logic [2:0]           column;
          pair_t                rows;
          logic [7:0][31:0]     words;
          mma_sum_pkg::places_t places;
          column = column_of(beat_i.lane[1:0] + 2'(k), beat_i.result);
          words = '0;
          for (int unsigned w = 0; w < Words; w++) begin
            logic [2:0] at;
            at = word_of(beat_i.part, w);
            if (w == 0 || GroupLanes < 4) rows = b_q[place(read_q, {column, at[1:0]})];
            if (w == 4 && two) rows[1] = b_q[place(read_q, {column | 3'd1, at[1:0]})][0];
            words[w] = rows[at[2]][lane_in(at[1:0])];
            if (!Two && op_o.half_k && at[2]) words[w] = '0;
          end
          mma_sum_pkg::decode(op_o.format, op_o.sign_b, words, Places, places);
          for (int unsigned l = k; l < Lanes; l += 4) b_o[l] <= places[Places-1:0];
        end
      end
      for (int unsigned l = 0; l < Lanes; l++) begin
        logic [4:0]        lane;
        logic [1:0]        row;
        logic [GroupW-1:0] number;
        logic [31:0]       word;
        lane = beat_i.lane + 5'(l);
        row = op_o.f16_d ? {1'b0, beat_i.result[1]} : beat_i.result;
        number = Lanes >= GroupLanes ? GroupW'(l) : lane_in(lane[1:0]);
        if (l % GroupLanes == 0) addends = c_q[place(read_q, lane)];
        word = addends[row][number];
        c_o[l] <= word;
        if (two) c_hi_o[l] <= op_o.f16_d ? {16'd0, word[31:16]} : addends[{beat_i.result[1], 1'b1}][number];
        if (op_o.f16_d) c_o[l] <= {16'd0, beat_i.result[0] ? word[31:16] : word[15:0]};
      end
    end
  end

  // ---- assertions ------------------------------------------------------------------------------------------
  logic           waited_q;
  sm_pkg::exec_req_t asked_q;
  logic [1:0]     step_q;
  sm_pkg::slice_t slice_q;
  always_ff @(posedge clk_i) begin
    waited_q <= rst_ni && step_valid_i && !step_ready_o;
    if (step_valid_i && !step_ready_o) asked_q <= step_i;
    if (put) slice_q <= step_i.tag.slice == sm_pkg::LastSlice ? '0 : step_i.tag.slice + 1'b1;
    if (put) step_q <= step_i.step + 2'(step_i.tag.slice == sm_pkg::LastSlice);
    if (rst_ni) begin
      // A step that waits stands still.
      if (waited_q) a_stands: assert (step_valid_i && step_i == asked_q) else $error("mma_operands: a waiting step changed");
      // Steps follow each other, 0 first, slice by slice.
      if (put && begun_q)
        a_order: assert (step_i.step == step_q && step_i.tag.slice == slice_q) else $error("mma_operands: a step out of order");
      if (put && !begun_q)
        a_begin: assert (step_i.step == '0 && step_i.tag.slice == '0) else $error("mma_operands: begun in the middle");
      // Beats are those of an instruction that is there.
      a_full: assert (!take_i || full_o) else $error("mma_operands: a beat of nothing");
    end
  end

endmodule
