// SPDX-License-Identifier: Apache-2.0
// The issue stage with the fields of its structs as ports. Of a decoded instruction those that matter here; the others
// (`rest`) only pass through: words of a whole one, with its immediate left out, say what went in and what comes out.
module issue_stage_top (
  input  logic          clk_i,
  input  logic          rst_ni,
  output logic [31:0]   sizes_o,           // {sub-partitions, warps, slices of a row, lanes of a slice} of the preset
  input  logic [7:0]    part_i,
  input  logic          kernel_start_i,
  input  logic [10:0]   block_x_i,
  input  logic [63:0]   cycle_i,
  input  logic          halt_i,
  output logic          ready_o,
  input  logic          start_valid_i,
  input  logic [7:0]    start_warp_i,
  input  logic [15:0]   start_row_i,
  input  logic [10:0]   start_tid_x_i,
  input  logic [31:0]   start_ctaid_x_i,
  input  logic [15:0]   ready_i,
  output logic [15:0]   candidates_o,
  input  logic          pick_valid_i,
  input  logic [7:0]    pick_warp_i,
  output logic          read_valid_o,
  output logic [7:0]    warp_o,
  input  logic [255:0]  rest_i,
  input  logic [31:0]   pc_i,
  input  logic [7:0]    op_i,
  input  logic [3:0]    to_i,
  input  logic [17:0]   mod_i,
  input  logic [7:0]    rd_i,
  input  logic [2:0]    pd_i,
  input  logic [2:0]    pq_i,
  input  logic [7:0]    ra_i,
  input  logic [5:0]    reads_i,
  input  logic [3:0]    psrc_i,
  input  logic [3:0]    psrc2_i,
  input  logic [1:0]    steps_i,           // of a tensor instruction; else 0 and
  input  logic [31:0]   fragments_i,       // anything: registers {re, rc, rb, ra}
  input  logic [5:0]    fragments_log2_i,  // {rc, rb, ra}
  input  logic          tensor_room_i,
  output logic          has_tensor_o,
  input  logic          b_imm_i,
  input  logic          special_i,
  input  logic          konst_i,
  input  logic [31:0]   imm_i,
  input  logic          answers_i,
  input  logic [3:0]    fault_i,
  output logic [255:0]  d_in_o,
  input  logic [31:0]   active_i,
  input  logic [31:0]   guard_i,
  input  sm_pkg::entry_t entry_i,
  output logic          valid_o,
  output logic [255:0]  d_o,
  output logic [31:0]   imm_o,
  output logic          b_imm_o,
  output logic          executes_o,
  output logic          collect_valid_o,
  output logic [255:0]  collect_d_o,
  output logic [1:0]    collect_step_o,
  output logic [23:0]   collect_registers_o,  // {rc, rb, ra}
  output logic [5:0]    collect_uses_o,
  output logic [5:0]    collect_reads_o,
  output logic [31:0]   collect_imm_o,
  output logic          collect_b_imm_o,
  output logic [7:0]    collect_slot_o,    // the tag's warp
  output logic [7:0]    collect_slice_o,
  output logic [15:0]   collect_seq_o,
  output logic [7:0]    collect_rd_o,
  output logic [2:0]    collect_pd_o,
  output logic [2:0]    collect_pq_o,
  output sm_pkg::entry_t collect_entry_o,
  output logic [31:0]   collect_mask_o,
  output logic [15:0]   collect_row_o,
  output logic [31:0]   collect_imm_hi_o,
  output logic          collect_lanes_o,
  output logic [4:0]    collect_lane_o,
  output logic [7:0]    collect_warp_o,
  output logic          control_valid_o,
  output logic [7:0]    control_warp_o,
  output logic [15:0]   control_seq_o,
  output logic [31:0]   control_pc_o,
  output logic [7:0]    control_op_o,
  output logic [17:0]   control_mod_o,
  output logic [7:0]    control_rd_o,
  output logic [2:0]    control_pd_o,
  output logic [3:0]    control_bar_o,
  output logic [31:0]   control_imm_o,
  output logic [31:0]   control_taken_o,
  output logic          control_all_p_o,
  output logic          control_any_p_o,
  output logic [31:0]   control_b_o,
  output logic [10:0]   control_c_o,
  output logic          fault_valid_o,
  output logic [3:0]    fault_kind_o,
  output logic [31:0]   fault_code_o,
  output logic [7:0]    fault_slot_o,
  output logic [4:0]    fault_lane_o,
  output logic [31:0]   fault_pc_o,
  output logic [63:0]   fault_address_o,
  input  logic          special_valid_i,
  input  logic [7:0]    special_slice_i,
  output logic [1023:0] special_row_o,
  output logic          count_warp_o,
  output logic [5:0]    count_thread_o,
  output logic          trace_valid_o,
  output logic [7:0]    trace_slot_o,
  output logic [15:0]   trace_seq_o,
  output logic [31:0]   trace_pc_o,
  output logic [31:0]   trace_active_o
);

  localparam int unsigned Warps = core_pkg::Warps;
  assign sizes_o = {8'(core_pkg::SubPartitions), 8'(Warps), 8'(sm_pkg::RowSlices), 8'(sm_pkg::RowLanes)};

  gpu_pkg::kernel_t    kernel;
  core_pkg::start_t    start;
  core_pkg::decoded_t  d_in, d_out;
  core_pkg::warps_t    candidates;
  core_pkg::warp_t     warp;
  core_pkg::collect_t  collect;
  core_pkg::control_t  control;
  core_pkg::fault_t    fault;
  sm_pkg::row_t        special_row;
  trace_pkg::issue_t   trace;

  function automatic logic [255:0] plain(input core_pkg::decoded_t d);
    core_pkg::decoded_t e;
    e = d;
    e.imm = '0;
    e.b_imm = 1'b0;
    return 256'(e);
  endfunction

  always_comb begin
    kernel = '0;
    kernel.block_x = block_x_i;
    {kernel.block_y, kernel.block_z} = {11'd1, 7'd1};
    start = '0;
    start.warp = core_pkg::warp_t'(start_warp_i);
    start.row = config_pkg::RowW'(start_row_i);
    start.tid_x = start_tid_x_i;
    start.ctaid_x = start_ctaid_x_i;
    d_in = core_pkg::decoded_t'(rest_i[$bits(core_pkg::decoded_t)-1:0]);
    {d_in.pc, d_in.op, d_in.to, d_in.mod} = {pc_i, op_i, to_i, mod_i};
    {d_in.rd, d_in.pd, d_in.pq, d_in.ra, d_in.reads} = {rd_i, pd_i, pq_i, ra_i, reads_i};
    {d_in.b_imm, d_in.special, d_in.konst, d_in.imm} = {b_imm_i, special_i, konst_i, imm_i};
    {d_in.answers, d_in.fault, d_in.psrc, d_in.psrc2} = {answers_i, fault_i, psrc_i, psrc2_i};
    d_in.steps = steps_i;
    if (steps_i != 2'd0) begin
      {d_in.re, d_in.rc, d_in.rb, d_in.ra} = fragments_i;
      {d_in.rc_log2, d_in.rb_log2, d_in.ra_log2} = fragments_log2_i;
    end
  end
  assign d_in_o = plain(d_in);
  assign candidates_o = 16'(candidates);
  assign warp_o = 8'(warp);
  assign d_o = plain(d_out);
  assign {imm_o, b_imm_o} = {d_out.imm, d_out.b_imm};

  assign collect_d_o = plain(collect.d);
  assign has_tensor_o = core_pkg::HasTensor;
  assign collect_step_o = collect.step;
  assign {collect_registers_o, collect_uses_o, collect_reads_o} = {collect.d.rc, collect.d.rb, collect.d.ra, collect.d.uses, collect.d.reads};
  assign {collect_imm_o, collect_b_imm_o} = {collect.d.imm, collect.d.b_imm};
  assign collect_slot_o = 8'(collect.tag.warp);
  assign collect_entry_o = collect.tag.entry;
  assign collect_slice_o = 8'(collect.tag.slice);
  assign {collect_seq_o, collect_rd_o, collect_pd_o, collect_pq_o} = {collect.tag.seq, collect.tag.rd, collect.tag.pd, collect.tag.pq};
  assign collect_mask_o = collect.tag.mask;
  assign collect_row_o = 16'(collect.row);
  assign {collect_imm_hi_o, collect_lanes_o, collect_lane_o} = {collect.imm_hi, collect.lanes, collect.lane};
  assign collect_warp_o = 8'(collect.warp);

  assign control_warp_o = 8'(control.warp);
  assign {control_seq_o, control_pc_o, control_op_o, control_mod_o} = {control.seq, control.pc, control.op, control.mod};
  assign {control_rd_o, control_pd_o, control_bar_o, control_imm_o} = {control.rd, control.pd, control.bar, control.imm};
  assign {control_taken_o, control_b_o, control_c_o} = {control.taken, control.b, control.c};
  assign {control_all_p_o, control_any_p_o} = {&control.p, |control.p};  // lanes' are all the same, one net of a netlist

  assign fault_slot_o = 8'(fault.warp);
  assign {fault_kind_o, fault_code_o, fault_lane_o, fault_pc_o, fault_address_o} = {fault.kind, fault.code, fault.lane, fault.pc, fault.address};

  assign special_row_o = 1024'(special_row);
  assign trace_slot_o = 8'(trace.warp);
  assign {trace_valid_o, trace_seq_o, trace_pc_o, trace_active_o} = {trace.valid, trace.seq, trace.pc, trace.active};

  issue_stage u_issue_stage (
    .clk_i           (clk_i),
    .rst_ni          (rst_ni),
    .sm_id_i         ('0),
    .part_i          (config_pkg::SubPartitionW'(part_i)),
    .kernel_i        (kernel),
    .kernel_start_i  (kernel_start_i),
    .cycle_i         (cycle_i),
    .halt_i          (halt_i),
    .ready_o         (ready_o),
    .start_valid_i   (start_valid_i),
    .start_i         (start),
    .ready_i         (ready_i[Warps-1:0]),
    .candidates_o    (candidates),
    .pick_valid_i    (pick_valid_i),
    .pick_warp_i     (core_pkg::warp_t'(pick_warp_i)),
    .read_valid_o    (read_valid_o),
    .warp_o          (warp),
    .d_i             (d_in),
    .active_i        (active_i),
    .guard_i         (guard_i),
    .entry_i         (entry_i),
    .valid_o         (valid_o),
    .d_o             (d_out),
    .tensor_room_i   (tensor_room_i),
    .executes_o      (executes_o),
    .collect_valid_o (collect_valid_o),
    .collect_o       (collect),
    .control_valid_o (control_valid_o),
    .control_o       (control),
    .fault_valid_o   (fault_valid_o),
    .fault_o         (fault),
    .special_valid_i (special_valid_i),
    .special_slice_i (sm_pkg::slice_t'(special_slice_i)),
    .special_row_o   (special_row),
    .count_warp_o    (count_warp_o),
    .count_thread_o  (count_thread_o),
    .trace_issue_o   (trace)
  );

endmodule
