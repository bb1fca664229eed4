// SPDX-License-Identifier: Apache-2.0
// Results of a sub-partition on their way to register file, predicates and scoreboard: one slice of a row a cycle, or a
// whole row and the upper one of its pair, which lies in another bank. In slices a pair takes two cycles a slice. A load's
// rows come one by one. Each slice of a row is one retire event, and so is a pair of whole rows. Whole rows of the
// pipelined units come in cycles that are booked for them (result_cycles), and the other sources in turn in what is left;
// in slices all take turns and wait for theirs.
//
//   slices, turn at INT   cycle  0     1     2     3
//   INT has a result             yes   yes   -     -      taken at once
//   FP32 has one                 -     yes   yes   -      in cycle 1 the turn goes to FP32: taken in cycle 2
module writeback #(
  localparam int unsigned RowW = config_pkg::RowW
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  // First register row of each warp.
  input  logic                  start_valid_i,
  input  core_pkg::warp_t       start_warp_i,
  input  logic [RowW-1:0]       start_row_i,
  // Whole rows: whose cycle this is, by isa_pkg::unit_e.
  input  core_pkg::units_t      now_i,
  // Sources, one bit each: who has a result, whose turn it is, who may go on. The result of the one whose turn it is.
  input  core_pkg::units_t      valid_i,
  output core_pkg::units_t      turn_o,
  output core_pkg::units_t      ready_o,
  output logic                  upper_o,           // in slices: the upper row of a pair
  input  sm_pkg::result_t       result_i,
  input  sm_pkg::row_t          row_hi_i,          // whole rows: the upper row of a pair
  input  logic                  apart_i,           // the scoreboard knows nothing of it
  // Register file and predicates.
  output logic                  row_valid_o,
  output logic [RowW-1:0]       row_row_o,
  output sm_pkg::slice_t        slice_o,
  output sm_pkg::lanes_t        lanes_o,
  output sm_pkg::row_t          row_o,
  output logic                  pair_o,            // the row after it is written, too
  output sm_pkg::row_t          row_hi_o,
  output logic                  p_valid_o,
  output sm_pkg::lanes_t        p_o,
  output sm_pkg::lanes_t        q_o,
  // Scoreboard: the instruction's end (last slice of the last row).
  output logic                  end_valid_o,
  output core_pkg::warp_t       end_warp_o,
  output sm_pkg::tag_t          end_tag_o,
  output trace_pkg::retire_t    trace_retire_o
);

  localparam int unsigned Units = core_pkg::Units;
  localparam bit Booked = sm_pkg::RowSlices == 1;
  // Their results come in booked cycles, and they never wait.
  localparam core_pkg::units_t InTime = Booked ? core_pkg::Pipelined : '0;

  logic             valid;
  logic             lower;   // the upper row of this pair follows
  logic             last;    // of the instruction
  logic [RowW-1:0]  base_q [core_pkg::Warps];

  // Whose turn it is. In slices that is known a cycle ahead: the turn stays where it is until another source has
  // something, so a source alone, or several in turn, lose no cycle, and no unit waits for the arbiter within a cycle.
  core_pkg::units_t waiting, chosen;
  logic             choose, choice;
  rr_arbiter #(.N(Units)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (waiting),
    .advance_i (choose),
    .valid_o   (choice),
    .gnt_o     (chosen),
    .index_o   ()
  );

  if (Booked) begin : g_booked
    assign lower = 1'b0;
    assign upper_o = 1'b0;
    assign pair_o = result_i.wide;
    assign row_hi_o = row_hi_i;
    assign waiting = valid_i & ~InTime;
    assign choose = choice && now_i == '0 && last;
    assign turn_o = now_i != '0 ? now_i : chosen;
    assign valid = now_i != '0 || choice;
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        a_booked: assert ((valid_i & InTime) == now_i) else $error("writeback: a result not in its cycle");
        a_pair: assert (!(row_valid_o && pair_o) || !row_row_o[0]) else $error("writeback: a pair in one bank");
      end
    end
  end else begin : g_turn_next
    core_pkg::units_t turn_q;
    core_pkg::units_t half_q;  // the lower row of its pair has been written
    assign upper_o = (half_q & turn_o) != '0;
    assign lower = valid && result_i.wide && !upper_o;
    assign pair_o = 1'b0;
    assign row_hi_o = '0;
    assign waiting = valid_i & ~turn_q;
    assign choose = choice && !lower;
    assign turn_o = valid_i & turn_q;
    assign valid = turn_o != '0;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (choose) turn_q <= chosen;
      if (!rst_ni) half_q <= '0;
      else if (valid) half_q <= (half_q & ~turn_o) | (lower ? turn_o : '0);
      a_turns: assert (now_i == '0) else $error("writeback: cycles booked in slices");
    end
    logic unused;
    assign unused = ^row_hi_i;
  end
  assign ready_o = InTime | (lower ? '0 : turn_o);

  sm_pkg::tag_t tag;
  logic         we;
  logic [1:0]   index;
  assign tag = result_i.tag;
  assign we = result_i.we;
  assign index = result_i.index | 2'(upper_o);
  assign last = result_i.last && !lower;
  assign row_o = result_i.row;
  assign p_valid_o = valid && result_i.p_we && !lower;
  assign p_o = result_i.p;
  assign q_o = result_i.q;

  assign end_valid_o = valid && last && !apart_i;
  assign end_warp_o = core_pkg::warp_t'(32'(tag.warp) / core_pkg::SubPartitions);
  assign end_tag_o = tag;
  assign slice_o = tag.slice;
  assign lanes_o = sm_pkg::lanes_of(tag.mask, tag.slice);
  assign row_valid_o = valid && we && tag.rd != 8'd255 && lanes_o != '0;
  assign row_row_o = base_q[end_warp_o] + RowW'(tag.rd) + RowW'(index);

  always_ff @(posedge clk_i) begin
    if (start_valid_i) base_q[start_warp_i] <= start_row_i;
  end

  always_ff @(posedge clk_i) begin
    trace_retire_o.valid <= valid && rst_ni;
    if (valid) begin
      trace_retire_o.tag <= tag;
      trace_retire_o.row_we <= we && tag.rd != 8'd255;
      trace_retire_o.index <= index;
      trace_retire_o.row <= row_o;
      trace_retire_o.pair <= pair_o;
      if (pair_o) trace_retire_o.row_hi <= row_hi_o;
      trace_retire_o.p_we <= p_valid_o;
      trace_retire_o.p <= p_o;
      trace_retire_o.q <= q_o;
      trace_retire_o.last <= last;
    end
  end

endmodule
