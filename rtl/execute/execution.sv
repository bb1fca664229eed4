// SPDX-License-Identifier: Apache-2.0
// Units of a sub-partition: INT, IMAD, FP32, conversion, special function, exchange between lanes and, if the preset has them, FP16,
// FP64 and the tensor core; and the way of all results to the register file. All see one request.
module execution #(
  localparam int unsigned RowW = config_pkg::RowW
) (
  input  logic                  clk_i,
  input  logic                  rst_ni,
  input  logic                  start_valid_i,     // first register row of a warp
  input  core_pkg::warp_t       start_warp_i,
  input  logic [RowW-1:0]       start_row_i,
  // The request, and for which unit it is (one bit).
  input  core_pkg::units_t      valid_i,
  output core_pkg::units_t      ready_o,
  input  sm_pkg::exec_req_t     req_i,
  // Whole rows: units for which an instruction is there, and those that take it in the next cycle.
  input  core_pkg::units_t      wants_i,
  output core_pkg::units_t      soon_o,
  // Results from elsewhere: the load/store unit, the convergence unit.
  input  logic                  lsu_valid_i,
  output logic                  lsu_ready_o,
  input  sm_pkg::lsu_rsp_t      lsu_rsp_i,
  input  logic                  control_valid_i,
  output logic                  control_ready_o,
  input  sm_pkg::tag_t          control_tag_i,
  input  logic                  control_ends_i,
  input  logic                  control_we_i,
  input  logic                  control_p_we_i,
  input  logic [31:0]           control_value_i,
  // Rows to the register file; what the scoreboard and the predicates learn, in slices a cycle later.
  output logic                  row_valid_o,
  output logic [RowW-1:0]       row_row_o,
  output sm_pkg::slice_t        slice_o,
  output sm_pkg::lanes_t        lanes_o,
  output sm_pkg::row_t          row_o,
  output logic                  pair_o,            // the row after it is written, too
  output sm_pkg::row_t          row_hi_o,
  output core_pkg::outcome_t    outcome_o,
  output core_pkg::wake_t       wake_o,
  output logic                  any_busy_o,        // some unit
  output trace_pkg::retire_t    trace_retire_o
);

  core_pkg::units_t  result_valid, result_turn, result_ready;  // by unit
  logic              result_upper;                             // in slices: the upper row of a pair
  sm_pkg::result_t   result;                                   // of the one whose turn it is
  sm_pkg::row_t      row_hi;                                   // whole rows: its upper one, of a pair
  logic              end_valid, p_valid;
  core_pkg::warp_t   end_warp;
  sm_pkg::tag_t      end_tag;
  sm_pkg::lanes_t    p, q;

  // A unit that can take the next request is given one only if the cycle of its result is free; in slices it waits.
  core_pkg::units_t soon, now;
  // The collectors answer for the load/store and the convergence unit.
  assign {ready_o[isa_pkg::UnitCtl], ready_o[isa_pkg::UnitLsu], soon[isa_pkg::UnitCtl], soon[isa_pkg::UnitLsu]} = '0;
  if (sm_pkg::RowSlices == 1) begin : g_booked
    logic wakes;
    assign wakes = req_i.early && (req_i.tag.rd != 8'd255 || req_i.tag.pd != 3'd7 || req_i.tag.pq != 3'd7);
    result_cycles u_result_cycles (
      .clk_i   (clk_i),
      .rst_ni  (rst_ni),
      .wants_i (wants_i & soon),
      .open_o  (soon_o),
      .take_i  (valid_i),
      .wakes_i (wakes),
      .warp_i  (core_pkg::warp_t'(32'(req_i.tag.warp) / core_pkg::SubPartitions)),
      .entry_i (req_i.tag.entry),
      .wait_i  ((result_valid & ~core_pkg::Pipelined) != '0),
      .now_o   (now),
      .wake_o  (wake_o)
    );
  end else begin : g_unbooked
    assign soon_o = soon;
    assign {now, wake_o} = '0;
  end

  // ---- the units: all have the same ports ----------------------------------------------------------------------
  // The tensor core's products of f64 go through the FP64 lanes.
  logic                     fma_wants, fma_valid, fma_ready, fma_chained, fma_done;
  sm_pkg::row_elements_t    fma_x;
  sm_pkg::column_elements_t fma_y;
  sm_pkg::wide_row_t        fma_z;
  sm_pkg::row_t             fma_d, fma_d_hi;
  if (!core_pkg::HasTensor) begin : g_no_products
    logic unused;
    assign unused = ^{fma_ready, fma_done, fma_d, fma_d_hi};
    assign {fma_wants, fma_valid, fma_chained, fma_x, fma_y, fma_z} = '0;
  end
  if (!core_pkg::HasFp64) begin : g_no_sums
    logic unused;
    assign unused = ^{fma_wants, fma_valid, fma_chained, fma_x, fma_y, fma_z};
    assign {fma_ready, fma_done, fma_d, fma_d_hi} = '0;
  end

  core_pkg::units_t busy;
  logic             row_waits;  // of the load/store unit
  assign any_busy_o = busy != '0;
  assign busy[isa_pkg::UnitCtl] = 1'b0;
  assign busy[isa_pkg::UnitLsu] = row_waits;
  for (genvar u = 0; u < int'(core_pkg::ExecUnits); u++) begin : g_unit
    localparam int unsigned Lanes = core_pkg::Unit[u].lanes;
    logic              req_ready_o, req_soon_o, rsp_valid_o, busy_o;
    sm_pkg::exec_rsp_t rsp_o;
    assign ready_o[u] = req_ready_o;
    assign soon[u] = req_soon_o;
    assign result_valid[u] = rsp_valid_o;
    assign busy[u] = busy_o;
    if (Lanes == 0) begin : g_none  // decode refuses what would come here
      assign {req_ready_o, req_soon_o} = '1;
      assign {rsp_valid_o, rsp_o, busy_o} = '0;
    end else begin : g_there
      logic req_valid_i, rsp_ready_i;
      assign req_valid_i = valid_i[u];
      assign rsp_ready_i = result_ready[u];
      case (u)
        int'(isa_pkg::UnitInt):    begin : g_int    int_unit  #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitImad):   begin : g_imad   imad_unit #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitFp32):   begin : g_fp32   fp32_unit #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitFp16):   begin : g_fp16   fp16_unit #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitCvt):    begin : g_cvt    cvt_unit  #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitSfu):    begin : g_sfu    sfu_unit  #(.Lanes(Lanes)) u_unit (.*); end
        int'(isa_pkg::UnitWarp):   begin : g_warp   warp_unit                  u_unit (.*); end
        int'(isa_pkg::UnitFp64):   begin : g_fp64
          fp64_unit #(.Lanes(Lanes), .Fma(core_pkg::HasDmma)) u_unit (
            .fma_wants_i(fma_wants), .fma_valid_i(fma_valid), .fma_ready_o(fma_ready), .fma_chained_i(fma_chained),
            .fma_x_i(fma_x), .fma_y_i(fma_y), .fma_z_i(fma_z), .fma_done_o(fma_done), .fma_d_o(fma_d), .fma_d_hi_o(fma_d_hi), .*);
        end
        int'(isa_pkg::UnitTensor): begin : g_tensor
          tensor_unit #(.Width(Lanes), .Dmma(core_pkg::HasDmma)) u_unit (
            .fma_wants_o(fma_wants), .fma_valid_o(fma_valid), .fma_ready_i(fma_ready), .fma_chained_o(fma_chained),
            .fma_x_o(fma_x), .fma_y_o(fma_y), .fma_z_o(fma_z), .fma_done_i(fma_done), .fma_d_i(fma_d), .fma_d_hi_i(fma_d_hi), .*);
        end
        default:                   begin : g_refuse $error("execution: a unit without a module"); end
      endcase
    end
  end

  // ---- results -------------------------------------------------------------------------------------------------
  // A control instruction's value is that of all lanes, slice by slice.
  sm_pkg::slice_t control_slice_q;
  logic           control_last;
  assign control_last = control_slice_q == sm_pkg::LastSlice;
  assign control_ready_o = result_ready[isa_pkg::UnitCtl] && control_last;
  always_ff @(posedge clk_i) begin
    if (!rst_ni) control_slice_q <= '0;
    else if (result_ready[isa_pkg::UnitCtl]) control_slice_q <= control_last ? '0 : control_slice_q + sm_pkg::slice_t'(1);
  end
  assign result_valid[isa_pkg::UnitCtl] = control_valid_i;

  // Whole rows of the load/store unit wait here while others are written, so that those of other sub-partitions may come.
  function automatic sm_pkg::result_t loaded(input sm_pkg::lsu_rsp_t from);
    return '{tag: from.tag, we: from.we, wide: 1'b0, index: from.index, last: from.last, p_we: 1'b0, row: from.row, p: '0, q: '0};
  endfunction
  sm_pkg::lsu_rsp_t row_head;
  assign result_valid[isa_pkg::UnitLsu] = lsu_valid_i || row_waits;
  if (sm_pkg::RowSlices == 1) begin : g_rows_wait
    logic [1:0] unused_count;
    fifo #(.T(sm_pkg::lsu_rsp_t), .Depth(2)) u_rows (
      .clk_i      (clk_i),
      .rst_ni     (rst_ni),
      .wr_valid_i (lsu_valid_i && (row_waits || !result_ready[isa_pkg::UnitLsu])),
      .wr_ready_o (lsu_ready_o),
      .wr_data_i  (lsu_rsp_i),
      .rd_valid_o (row_waits),
      .rd_ready_i (result_ready[isa_pkg::UnitLsu]),
      .rd_data_o  (row_head),
      .count_o    (unused_count)
    );
  end else begin : g_rows_go
    assign row_waits = 1'b0;
    assign row_head = '0;
    assign lsu_ready_o = result_ready[isa_pkg::UnitLsu];
  end

  // Not an array that is indexed, which a simulator copies whole (docs/simulation-speed.md).
  always_comb begin
    unique case (result_turn)
      core_pkg::units_t'(1) << isa_pkg::UnitInt:    result = sm_pkg::result_of(g_unit[isa_pkg::UnitInt].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitImad:   result = sm_pkg::result_of(g_unit[isa_pkg::UnitImad].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitFp32:   result = sm_pkg::result_of(g_unit[isa_pkg::UnitFp32].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitFp16:   result = sm_pkg::result_of(g_unit[isa_pkg::UnitFp16].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitCvt:    result = sm_pkg::result_of(g_unit[isa_pkg::UnitCvt].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitSfu:    result = sm_pkg::result_of(g_unit[isa_pkg::UnitSfu].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitWarp:   result = sm_pkg::result_of(g_unit[isa_pkg::UnitWarp].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitFp64:   result = sm_pkg::result_of(g_unit[isa_pkg::UnitFp64].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitTensor: result = sm_pkg::result_of(g_unit[isa_pkg::UnitTensor].rsp_o, result_upper);
      core_pkg::units_t'(1) << isa_pkg::UnitLsu:    result = loaded(row_waits ? row_head : lsu_rsp_i);
      core_pkg::units_t'(1) << isa_pkg::UnitCtl: begin
        result = '{tag: control_tag_i, we: control_we_i, wide: 1'b0, index: '0, last: control_last, p_we: control_p_we_i,
                   row: {sm_pkg::RowLanes{control_value_i}}, p: sm_pkg::lanes_of(control_value_i, control_slice_q), q: '0};
        result.tag.slice = control_slice_q;
      end
      default: result = '0;
    endcase
  end

  always_comb begin
    row_hi = '0;
    if (sm_pkg::RowSlices == 1 && result.wide) begin
      unique case (result_turn)
        core_pkg::units_t'(1) << isa_pkg::UnitInt:    row_hi = g_unit[isa_pkg::UnitInt].rsp_o.d_hi;
        core_pkg::units_t'(1) << isa_pkg::UnitImad:   row_hi = g_unit[isa_pkg::UnitImad].rsp_o.d_hi;
        core_pkg::units_t'(1) << isa_pkg::UnitCvt:    row_hi = g_unit[isa_pkg::UnitCvt].rsp_o.d_hi;
        core_pkg::units_t'(1) << isa_pkg::UnitFp64:   row_hi = g_unit[isa_pkg::UnitFp64].rsp_o.d_hi;
        core_pkg::units_t'(1) << isa_pkg::UnitTensor: row_hi = g_unit[isa_pkg::UnitTensor].rsp_o.d_hi;
        default: ;
      endcase
    end
  end

  writeback u_writeback (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .start_valid_i  (start_valid_i),
    .start_warp_i   (start_warp_i),
    .start_row_i    (start_row_i),
    .now_i          (now),
    .valid_i        (result_valid),
    .turn_o         (result_turn),
    .ready_o        (result_ready),
    .upper_o        (result_upper),
    .result_i       (result),
    .row_hi_i       (row_hi),
    .apart_i        (result_turn[isa_pkg::UnitCtl] && !control_ends_i),
    .row_valid_o    (row_valid_o),
    .row_row_o      (row_row_o),
    .slice_o        (slice_o),
    .lanes_o        (lanes_o),
    .row_o          (row_o),
    .pair_o         (pair_o),
    .row_hi_o       (row_hi_o),
    .p_valid_o      (p_valid),
    .p_o            (p),
    .q_o            (q),
    .end_valid_o    (end_valid),
    .end_warp_o     (end_warp),
    .end_tag_o      (end_tag),
    .trace_retire_o (trace_retire_o)
  );

  core_pkg::outcome_t outcome;
  assign outcome = '{ends: end_valid, p_valid: p_valid, warp: end_warp,
                     has_entry: end_tag.rd != 8'd255 || end_tag.pd != 3'd7 || end_tag.pq != 3'd7, entry: end_tag.entry,
                     passes: !result_turn[isa_pkg::UnitLsu] ? '0 : row_waits ? row_head.passes : lsu_rsp_i.passes,
                     pd: end_tag.pd, pq: end_tag.pq, slice: slice_o, lanes: lanes_o, p: p, q: q};
  if (sm_pkg::RowSlices == 1) begin : g_outcome_now
    assign outcome_o = outcome;
  end else begin : g_outcome_next
    core_pkg::outcome_t outcome_q;
    always_ff @(posedge clk_i) begin
      outcome_q <= outcome;
      if (!rst_ni) {outcome_q.ends, outcome_q.p_valid} <= '0;
    end
    assign outcome_o = outcome_q;
  end

  always_ff @(posedge clk_i) begin
    if (rst_ni) begin
      // Other units give no pairs where rows move whole.
      a_pairs: assert (sm_pkg::RowSlices > 1 || !result.wide || result_turn[isa_pkg::UnitInt] || result_turn[isa_pkg::UnitImad] ||
                       result_turn[isa_pkg::UnitCvt] || result_turn[isa_pkg::UnitFp64] || result_turn[isa_pkg::UnitTensor])
        else $error("execution: no way for a pair of this unit");
      a_one: assert ((valid_i & (valid_i - core_pkg::units_t'(1))) == '0) else $error("execution: one request for two units");
    end
  end

endmodule
