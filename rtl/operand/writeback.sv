// SPDX-License-Identifier: Apache-2.0
// Results of a sub-partition on their way to register file, predicates and scoreboard: one slice of a row a cycle. A pair
// takes two cycles a slice, a load's rows come one by one. Each slice of a row is one retire event. Whole rows of the
// pipelined units come in cycles that are booked for them (result_cycles), and the other sources in turn in what is left;
// in slices all take turns and wait for theirs. The tensor core's results come in steps of two rows.
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
  // Whole rows: whose cycle this is, by core_pkg::unit_e; for the upper row of a pair, of which the lower came before.
  input  core_pkg::units_t      now_i,
  input  logic                  upper_i,
  // Sources.
  input  logic                  int_valid_i,
  output logic                  int_ready_o,
  input  sm_pkg::exec_rsp_t     int_rsp_i,
  input  logic                  fp32_valid_i,
  output logic                  fp32_ready_o,
  input  sm_pkg::exec_rsp_t     fp32_rsp_i,
  input  logic                  fp16_valid_i,
  output logic                  fp16_ready_o,
  input  sm_pkg::exec_rsp_t     fp16_rsp_i,
  input  logic                  cvt_valid_i,
  output logic                  cvt_ready_o,
  input  sm_pkg::exec_rsp_t     cvt_rsp_i,
  input  logic                  warp_valid_i,
  output logic                  warp_ready_o,
  input  sm_pkg::exec_rsp_t     warp_rsp_i,
  input  logic                  fp64_valid_i,
  output logic                  fp64_ready_o,
  input  sm_pkg::exec_rsp_t     fp64_rsp_i,
  input  logic                  sfu_valid_i,
  output logic                  sfu_ready_o,
  input  sm_pkg::exec_rsp_t     sfu_rsp_i,
  input  logic                  tensor_valid_i,
  output logic                  tensor_ready_o,
  input  mma_pkg::result_t      tensor_rsp_i,
  input  logic                  lsu_valid_i,
  output logic                  lsu_ready_o,
  input  sm_pkg::lsu_rsp_t      lsu_rsp_i,
  input  logic                  control_valid_i,   // the same value in all lanes
  output logic                  control_ready_o,
  input  sm_pkg::tag_t          control_tag_i,
  input  logic                  control_ends_i,    // the scoreboard waits for it
  input  logic                  control_we_i,
  input  logic                  control_p_we_i,
  input  logic [31:0]           control_value_i,
  // Register file and predicates.
  output logic                  row_valid_o,
  output logic [RowW-1:0]       row_row_o,
  output sm_pkg::slice_t        slice_o,
  output sm_pkg::lanes_t        lanes_o,
  output sm_pkg::row_t          row_o,
  output logic                  p_valid_o,
  output sm_pkg::lanes_t        p_o,
  output sm_pkg::lanes_t        q_o,
  // Scoreboard: the instruction's end (last slice of the last row).
  output logic                  end_valid_o,
  output core_pkg::warp_t       end_warp_o,
  output sm_pkg::tag_t          end_tag_o,
  output trace_pkg::retire_t    trace_retire_o
);

  localparam int unsigned Sources = 10;
  typedef enum logic [3:0] {
    FromLsu, FromInt, FromFp32, FromCvt, FromWarp, FromFp64, FromSfu, FromFp16, FromControl, FromTensor
  } source_e;

  logic [Sources-1:0] request, grant;
  logic               valid;
  logic               lower;    // the upper row of this pair follows
  logic               upper_q;  // the upper row of a pair comes now
  logic               upper;    // the same, from whoever books
  sm_pkg::slice_t     control_slice_q;
  logic [RowW-1:0]    base_q [core_pkg::Warps];

  // Whose turn it is. In slices that is known a cycle ahead: the turn stays where it is until another source has
  // something, so a source alone, or several in turn, lose no cycle, and no unit waits for the arbiter within a cycle.
  logic [Sources-1:0] waiting, chosen;
  logic               choose, choice;
  assign request = {tensor_valid_i, control_valid_i, fp16_valid_i, sfu_valid_i, fp64_valid_i, warp_valid_i, cvt_valid_i, fp32_valid_i, int_valid_i,
                    lsu_valid_i};
  rr_arbiter #(.N(Sources)) u_arbiter (
    .clk_i     (clk_i),
    .rst_ni    (rst_ni),
    .req_i     (waiting),
    .advance_i (choose),
    .valid_o   (choice),
    .gnt_o     (chosen),
    .index_o   ()
  );

  localparam bit Booked = sm_pkg::RowSlices == 1;
  if (Booked) begin : g_booked
    localparam logic [Sources-1:0] Others = Sources'(1) << FromLsu | Sources'(1) << FromWarp | Sources'(1) << FromControl |
                                            Sources'(1) << FromTensor;
    logic [Sources-1:0] booked;
    always_comb begin
      booked = '0;
      booked[FromInt] = now_i[core_pkg::ToInt];
      booked[FromFp32] = now_i[core_pkg::ToFp32];
      booked[FromCvt] = now_i[core_pkg::ToCvt];
      booked[FromFp64] = now_i[core_pkg::ToFp64];
      booked[FromSfu] = now_i[core_pkg::ToSfu];
      booked[FromFp16] = now_i[core_pkg::ToFp16];
    end
    assign waiting = request & Others;
    assign choose = choice && booked == '0 && last;
    assign grant = booked != '0 ? booked : chosen;
    assign valid = booked != '0 || choice;
    assign upper = upper_i;
    always_ff @(posedge clk_i) begin
      if (rst_ni) begin
        a_booked: assert ((request & ~Others) == (upper_i ? '0 : booked)) else $error("writeback: a result not in its cycle");
        a_pair: assert (upper_i == upper_q) else $error("writeback: a pair's rows do not follow each other");
      end
    end
  end else begin : g_turn_next
    logic [Sources-1:0] turn_q;
    assign waiting = request & ~turn_q;
    assign choose = choice && !lower;
    assign grant = request & turn_q;
    assign valid = grant != '0;
    assign upper = upper_q;
    always_ff @(posedge clk_i) begin
      if (!rst_ni) turn_q <= '0;
      else if (choose) turn_q <= chosen;
      a_turns: assert (now_i == '0 && !upper_i) else $error("writeback: cycles booked in slices");
    end
  end

  // The second row of a tensor result's step.
  logic second_q;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) second_q <= 1'b0;
    else if (grant[FromTensor]) second_q <= !second_q;
  end

  // A pair whose lower row is written, for its unit goes on.
  sm_pkg::exec_rsp_t pair_q;
  always_ff @(posedge clk_i) begin
    if (Booked && lower) begin
      unique case (grant)
        Sources'(1) << FromInt: pair_q <= int_rsp_i;
        Sources'(1) << FromCvt: pair_q <= cvt_rsp_i;
        default:                pair_q <= fp64_rsp_i;
      endcase
    end
  end

  sm_pkg::tag_t tag;
  logic         we;
  logic         last;  // of the instruction
  logic [1:0]   index;
  always_comb begin
    tag = '0;
    we = 1'b0;
    lower = 1'b0;
    last = 1'b0;
    index = '0;
    row_o = '0;
    p_valid_o = 1'b0;
    p_o = '0;
    q_o = '0;
    if (Booked && upper) begin
      tag = pair_q.tag;
      we = pair_q.we;
      index = 2'd1;
      last = 1'b1;
      row_o = pair_q.d_hi;
      p_valid_o = pair_q.p_we;
      p_o = pair_q.p;
      q_o = pair_q.q;
    end else unique case (grant)
      Sources'(1) << FromLsu: begin
        tag = lsu_rsp_i.tag;
        we = lsu_rsp_i.we;
        index = lsu_rsp_i.index;
        last = lsu_rsp_i.last;
        row_o = lsu_rsp_i.row;
      end
      Sources'(1) << FromInt: begin
        tag = int_rsp_i.tag;
        we = int_rsp_i.we;
        index = 2'(upper);
        lower = int_rsp_i.wide && !upper;
        last = !lower && int_rsp_i.tag.slice == sm_pkg::LastSlice;
        row_o = upper ? int_rsp_i.d_hi : int_rsp_i.d;
        p_valid_o = int_rsp_i.p_we && !lower;
        p_o = int_rsp_i.p;
        q_o = int_rsp_i.q;
      end
      Sources'(1) << FromFp32: begin
        tag = fp32_rsp_i.tag;
        last = fp32_rsp_i.tag.slice == sm_pkg::LastSlice;
        we = fp32_rsp_i.we;
        row_o = fp32_rsp_i.d;
        p_valid_o = fp32_rsp_i.p_we;
        p_o = fp32_rsp_i.p;
        q_o = fp32_rsp_i.q;
      end
      Sources'(1) << FromFp16: begin
        tag = fp16_rsp_i.tag;
        last = fp16_rsp_i.tag.slice == sm_pkg::LastSlice;
        we = fp16_rsp_i.we;
        row_o = fp16_rsp_i.d;
        p_valid_o = fp16_rsp_i.p_we;
        p_o = fp16_rsp_i.p;
        q_o = fp16_rsp_i.q;
      end
      Sources'(1) << FromCvt: begin
        tag = cvt_rsp_i.tag;
        we = cvt_rsp_i.we;
        index = 2'(upper);
        lower = cvt_rsp_i.wide && !upper;
        last = !lower && cvt_rsp_i.tag.slice == sm_pkg::LastSlice;
        row_o = upper ? cvt_rsp_i.d_hi : cvt_rsp_i.d;
      end
      Sources'(1) << FromWarp: begin
        tag = warp_rsp_i.tag;
        last = warp_rsp_i.tag.slice == sm_pkg::LastSlice;
        we = warp_rsp_i.we;
        row_o = warp_rsp_i.d;
        p_valid_o = warp_rsp_i.p_we;
        p_o = warp_rsp_i.p;
        q_o = warp_rsp_i.q;
      end
      Sources'(1) << FromFp64: begin
        tag = fp64_rsp_i.tag;
        we = fp64_rsp_i.we;
        index = 2'(upper);
        lower = fp64_rsp_i.wide && !upper;
        last = !lower && fp64_rsp_i.tag.slice == sm_pkg::LastSlice;
        row_o = upper ? fp64_rsp_i.d_hi : fp64_rsp_i.d;
        p_valid_o = fp64_rsp_i.p_we && !lower;
        p_o = fp64_rsp_i.p;
        q_o = fp64_rsp_i.q;
      end
      Sources'(1) << FromSfu: begin
        tag = sfu_rsp_i.tag;
        we = sfu_rsp_i.we;
        last = sfu_rsp_i.tag.slice == sm_pkg::LastSlice;
        row_o = sfu_rsp_i.d;
      end
      Sources'(1) << FromTensor: begin
        tag = tensor_rsp_i.tag;
        we = 1'b1;
        index = {tensor_rsp_i.step, second_q};
        lower = !Booked && !second_q;
        last = second_q && tensor_rsp_i.last;
        row_o = second_q ? tensor_rsp_i.row[1] : tensor_rsp_i.row[0];
      end
      Sources'(1) << FromControl: begin
        tag = control_tag_i;
        tag.slice = control_slice_q;
        last = control_slice_q == sm_pkg::LastSlice;
        we = control_we_i;
        row_o = {sm_pkg::RowLanes{control_value_i}};
        p_valid_o = control_p_we_i;
        p_o = sm_pkg::lanes_of(control_value_i, control_slice_q);
      end
      default: ;
    endcase
  end

  assign lsu_ready_o = grant[FromLsu];
  assign int_ready_o = Booked || (grant[FromInt] && !lower);
  assign fp32_ready_o = Booked || grant[FromFp32];
  assign fp16_ready_o = Booked || grant[FromFp16];
  assign cvt_ready_o = Booked || (grant[FromCvt] && !lower);
  assign warp_ready_o = grant[FromWarp];
  assign fp64_ready_o = Booked || (grant[FromFp64] && !lower);
  assign sfu_ready_o = Booked || grant[FromSfu];
  assign tensor_ready_o = grant[FromTensor] && second_q;
  assign control_ready_o = grant[FromControl] && last;

  logic apart;  // the scoreboard knows nothing of it: other lanes of the row may be read now
  assign apart = grant[FromControl] && !control_ends_i;
  assign end_valid_o = valid && last && !apart;
  assign end_warp_o = core_pkg::warp_t'(32'(tag.warp) / core_pkg::SubPartitions);
  assign end_tag_o = tag;
  assign slice_o = tag.slice;
  assign lanes_o = sm_pkg::lanes_of(tag.mask, tag.slice);
  assign row_valid_o = valid && we && tag.rd != 8'd255 && lanes_o != '0;
  assign row_row_o = base_q[end_warp_o] + RowW'(tag.rd) + RowW'(index);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) upper_q <= 1'b0;
    else if (valid) upper_q <= lower;
    if (!rst_ni) control_slice_q <= '0;
    else if (grant[FromControl]) control_slice_q <= last ? '0 : control_slice_q + sm_pkg::slice_t'(1);
    if (start_valid_i) base_q[start_warp_i] <= start_row_i;
  end

  always_ff @(posedge clk_i) begin
    trace_retire_o.valid <= valid && rst_ni;
    if (valid) begin
      trace_retire_o.tag <= tag;
      trace_retire_o.row_we <= we && tag.rd != 8'd255;
      trace_retire_o.index <= index;
      trace_retire_o.row <= row_o;
      trace_retire_o.p_we <= p_valid_o;
      trace_retire_o.p <= p_o;
      trace_retire_o.q <= q_o;
      trace_retire_o.last <= last;
    end
  end

endmodule
