// SPDX-License-Identifier: Apache-2.0
// Issue stage of a sub-partition: from the warps that can issue to one instruction on its way to the operand collectors
// or, if it reads neither registers nor predicates as data, straight to the convergence unit.
//
//   cycle 0  the scheduler picks a warp; its active lanes and guard are read; the instruction issues
//            (in slices four cycles, one instruction at a time: find warps that can issue; pick one; read; issue)
//
// A tensor instruction collects its operands in two or three steps: it issues with the first one, and nothing else does until
// the collectors have the others.
module issue_stage (
  input  logic                                 clk_i,
  input  logic                                 rst_ni,
  input  logic [config_pkg::SmW-1:0]           sm_id_i,
  input  logic [config_pkg::SubPartitionW-1:0] part_i,
  input  gpu_pkg::kernel_t                     kernel_i,
  input  logic                                 kernel_start_i,
  input  logic [63:0]                          cycle_i,
  input  logic                                 halt_i,           // issue nothing more
  output logic                                 ready_o,          // warps may begin
  input  logic                                 start_valid_i,
  input  core_pkg::start_t                     start_i,
  // The choice.
  input  core_pkg::warps_t                     ready_i,          // warps that can issue
  output core_pkg::warps_t                     candidates_o,     // of which the scheduler picks
  input  logic                                 pick_valid_i,
  input  core_pkg::warp_t                      pick_warp_i,
  // The picked warp's instruction, its lanes and guard.
  output logic                                 read_valid_o,
  output core_pkg::warp_t                      warp_o,
  input  core_pkg::decoded_t                   d_i,
  input  sm_pkg::mask_t                        active_i,
  input  sm_pkg::mask_t                        guard_i,
  input  sm_pkg::entry_t                       entry_i,          // of its result in the scoreboard
  // Issue.
  output logic                                 valid_o,
  output core_pkg::decoded_t                   d_o,
  input  logic                                 tensor_room_i,    // for a step
  output logic                                 executes_o,       // goes to a unit, or the scoreboard waits for its result
  output logic                                 collect_valid_o,  // collects operands
  output core_pkg::collect_t                   collect_o,
  output logic                                 control_valid_o,  // does not, and goes to the convergence unit
  output core_pkg::control_t                   control_o,
  output logic                                 fault_valid_o,    // raises a fault instead
  output core_pkg::fault_t                     fault_o,
  // Special registers that differ from lane to lane, for the collectors.
  input  logic                                 special_valid_i,
  input  sm_pkg::slice_t                       special_slice_i,
  output sm_pkg::row_t                         special_row_o,
  // Instructions issued: warp instructions, and lanes that execute.
  output logic                                 count_warp_o,
  output logic [5:0]                           count_thread_o,
  output trace_pkg::issue_t                    trace_issue_o
);

  localparam bit Whole = sm_pkg::RowSlices == 1;
  localparam int unsigned Warps = core_pkg::Warps;
  localparam int unsigned RowW = config_pkg::RowW;

  logic                pending_q;  // steps of the last instruction are left
  logic                collects;   // the instruction does

  // ---- one instruction, and what it reads -----------------------------------------------------------------
  // An instruction in slices keeps its units for several cycles: issue may take four of them, which cuts the longest
  // path of the chip in pieces. What makes a warp ready is not lost before it issues, for nothing else issues meanwhile.
  logic               issue_valid;
  core_pkg::warp_t    issue_warp;
  core_pkg::decoded_t d;
  sm_pkg::mask_t      active, guard;
  if (Whole) begin : g_direct
    assign candidates_o = halt_i || pending_q ? '0 : ready_i;
    assign read_valid_o = pick_valid_i;
    assign issue_valid = pick_valid_i;
    assign issue_warp = pick_warp_i;
    assign d = d_i;
    assign {active, guard} = {active_i, guard_i};
  end else begin : g_staged
    core_pkg::warps_t   ready_q;
    logic               picked_q, issue_q;
    core_pkg::warp_t    warp_q;
    core_pkg::decoded_t d_q;
    sm_pkg::mask_t      active_q, guard_q;

    always_ff @(posedge clk_i) begin
      if (!rst_ni) begin
        ready_q <= '0;
        picked_q <= 1'b0;
        issue_q <= 1'b0;
      end else begin
        ready_q <= pick_valid_i || picked_q || issue_q || pending_q ? '0 : ready_i;
        picked_q <= pick_valid_i;
        issue_q <= picked_q;
      end
      if (pick_valid_i) warp_q <= pick_warp_i;
      if (picked_q) {d_q, active_q, guard_q} <= {d_i, active_i, guard_i};
    end
    assign candidates_o = ready_q;
    assign read_valid_o = picked_q;
    assign issue_valid = issue_q && !halt_i;
    assign issue_warp = warp_q;
    assign d = d_q;
    assign {active, guard} = {active_q, guard_q};
  end

  assign warp_o = issue_warp;
  assign d_o = d;
  assign valid_o = issue_valid;

  // ---- where it goes ---------------------------------------------------------------------------------------
  sm_pkg::mask_t       taken;
  logic                special_lanes, faulty;
  logic [63:0]         special_value;
  logic [config_pkg::WarpW-1:0] issue_slot;
  logic [gpu_pkg::SeqW-1:0]     seq_q [Warps];
  logic [RowW-1:0]              row_q [Warps];

  assign issue_slot = core_pkg::slot_of(issue_warp, part_i);
  assign taken = active & guard;
  // A constant that cannot be read is a fault only where it is used.
  assign faulty = issue_valid && d.fault != 4'd0 && (!d.konst || taken != '0);
  assign executes_o = issue_valid && !faulty && (d.to != isa_pkg::UnitCtl || d.answers);
  assign collects = issue_valid && !faulty && (d.to != isa_pkg::UnitCtl || d.reads != '0 || core_pkg::reads_predicates(d));
  assign control_valid_o = issue_valid && !faulty && !collects;

  logic [1:0]         step_q;   // the next one that is left
  core_pkg::collect_t first_q;  // as it issued
  always_comb begin
    collect_o = '0;
    control_o = '0;
    if (pending_q) begin
      collect_o = first_q;
      collect_o.step = step_q;
      collect_o.d = core_pkg::step_of(first_q.d, step_q);
    end else if (issue_valid || !Whole) begin  // nothing to do for a simulator while nothing issues
      collect_o.d = core_pkg::step_of(d, 2'd0);
      collect_o.tag.entry = entry_i;
      collect_o.tag.warp = issue_slot;
      collect_o.tag.seq = seq_q[issue_warp];
      collect_o.tag.rd = d.rd;
      collect_o.tag.pd = d.pd;
      collect_o.tag.pq = d.pq;
      collect_o.tag.mask = taken;
      collect_o.row = row_q[issue_warp];
      collect_o.imm_hi = {32{d.imm[31]}};
      collect_o.early = !core_pkg::reads_clock(d);  // lockstep learns a clock from its write
      collect_o.lane = prim_pkg::first32(taken);
      collect_o.warp = issue_warp;
      if (d.special) begin
        collect_o.lanes = special_lanes;
        collect_o.d.b_imm = !special_lanes;
        {collect_o.imm_hi, collect_o.d.imm} = special_value;
      end
      control_o.warp = issue_warp;
      control_o.seq = seq_q[issue_warp];
      control_o.pc = d.pc;
      control_o.op = d.op;
      control_o.mod = d.mod;
      control_o.rd = d.rd;
      control_o.pd = d.pd;
      control_o.bar = d.ra[3:0];
      control_o.imm = d.imm;
      control_o.taken = taken;
      control_o.p = {32{!d.psrc[3]}};  // PT or not: what reads others is collected
      control_o.b = d.b_imm ? d.imm : '0;
    end
  end

  assign collect_valid_o = collects || (pending_q && tensor_room_i);
  if (core_pkg::HasTensor) begin : g_steps
    always_ff @(posedge clk_i) begin
      if (!rst_ni) pending_q <= 1'b0;
      else if (collects) pending_q <= d.steps != 2'd0;
      else if (pending_q && tensor_room_i && step_q == first_q.d.steps) pending_q <= 1'b0;
    end
    always_ff @(posedge clk_i) begin
      if (collects && d.steps != 2'd0) begin
        first_q <= collect_o;
        first_q.d <= d;
        step_q <= 2'd1;
      end else if (pending_q && tensor_room_i) begin
        step_q <= step_q + 2'd1;
      end
    end
  end else begin : g_no_steps
    assign {pending_q, step_q, first_q} = '0;
  end

  always_ff @(posedge clk_i) begin
    if (start_valid_i) begin
      row_q[start_i.warp] <= start_i.row;
      seq_q[start_i.warp] <= '0;
    end
    if (issue_valid) seq_q[issue_warp] <= seq_q[issue_warp] + gpu_pkg::SeqW'(1);
  end
  always_comb begin
    fault_valid_o = faulty;
    fault_o = '{kind: d.fault, code: d.konst ? device_pkg::FaultSpaceConst : '0, warp: issue_slot,
                lane: prim_pkg::first32(d.konst ? taken : active), pc: d.pc, address: d.konst ? 64'(d.imm) : '0};
  end
  always_ff @(posedge clk_i) begin
    count_warp_o <= issue_valid && rst_ni;
    count_thread_o <= issue_valid && rst_ni ? prim_pkg::popcount32(taken) : '0;
    trace_issue_o.valid <= issue_valid && rst_ni;
    if (issue_valid) begin
      trace_issue_o.warp <= issue_slot;
      trace_issue_o.seq <= seq_q[issue_warp];
      trace_issue_o.pc <= d.pc;
      trace_issue_o.active <= active;
    end
  end

  special_registers u_special_registers (
    .clk_i          (clk_i),
    .rst_ni         (rst_ni),
    .sm_id_i        (sm_id_i),
    .kernel_i       (kernel_i),
    .kernel_start_i (kernel_start_i),
    .ready_o        (ready_o),
    .cycle_i        (cycle_i),
    .start_valid_i  (start_valid_i),
    .start_i        (start_i),
    .issue_valid_i  (issue_valid && d.special),
    .issue_warp_i   (issue_warp),
    .issue_slot_i   (issue_slot),
    .issue_index_i  (d.imm[7:0]),
    .issue_active_i (active),
    .lanes_o        (special_lanes),
    .value_o        (special_value),
    .slice_valid_i  (special_valid_i),
    .slice_i        (special_slice_i),
    .row_o          (special_row_o)
  );

endmodule
