// SPDX-License-Identifier: Apache-2.0
// Simulation only: monitors that hand the trace ports to C++ (sim/verilator/trace.cc), bound from
// outside to the modules that own the ports. They call only while something happens and a listener is
// there, so an idle or unobserved machine pays one test a port and cycle.
// verilator lint_off DECLFILENAME

package trace_dpi;
  import "DPI-C" function int heddle_trace_wanted();
  import "DPI-C" function void heddle_trace_issue(
      input int sm, input int warp, input int seq, input int pc, input int active);
  import "DPI-C" function void heddle_trace_retire(
      input int sm, input int warp, input int seq, input int rd, input int pd, input int pq,
      input int flags, input int mask, input int slice, input int lanes, input int p, input int q,
      input bit [1023:0] row);
  import "DPI-C" function void heddle_trace_load(
      input int sm, input int source, input int id, input int warp, input int seq, input int lanes);
  import "DPI-C" function void heddle_trace_shared_store(
      input int sm, input int warp, input int seq, input int lanes);
  import "DPI-C" function void heddle_trace_l1(
      input int sm, input int kind, input int installed, input int id, input longint sector,
      input int mask, input bit [255:0] data);
  import "DPI-C" function void heddle_trace_l2(
      input int client, input int kind, input int id, input int wide, input int offset,
      input int atom_op, input int atom_type, input int warp, input int seq, input int lane,
      input int mask, input longint sector, input bit [255:0] old, input bit [255:0] data);
  import "DPI-C" function void heddle_trace_kernel_start(
      input int entry_pc, input int registers, input int shared_bytes, input int dynamic_shared,
      input int local_bytes, input int grid_x, input int grid_y, input int grid_z, input int block_x,
      input int block_y, input int block_z, input longint param_base, input int param_bytes,
      input longint const_base, input longint local_base, input int envreg0, input int envreg1,
      input int grid_id, input longint code_base, input int code_size, input int cluster_x,
      input int cluster_y, input int cluster_z, input int clusters, input longint mem_end);
  import "DPI-C" function void heddle_trace_kernel_end(input int status);
  import "DPI-C" function void heddle_trace_block_start(
      input int sm, input int slot, input int first_warp, input int shared_base, input int x, input int y,
      input int z);
  import "DPI-C" function void heddle_trace_block_end(input int sm, input int slot);
  import "DPI-C" function void heddle_trace_fault(
      input int sm, input int warp, input int thread, input int kind, input int code, input int pc,
      input longint address, input int x, input int y, input int z);
endpackage

// Bound to sub_partition.
module sub_partition_monitor (
    input logic                       clk_i,
    input logic [config_pkg::SmW-1:0] sm_id_i,
    input trace_pkg::issue_t          issue_i,
    input trace_pkg::retire_t         retire_i
);
  logic wanted;
  initial wanted = trace_dpi::heddle_trace_wanted() != 0;
  function automatic void tell(input logic [1:0] index, input sm_pkg::row_t row, input logic ends);
    trace_dpi::heddle_trace_retire(
        32'(sm_id_i), 32'(retire_i.tag.warp), 32'(retire_i.tag.seq), 32'(retire_i.tag.rd),
        32'(retire_i.tag.pd), 32'(retire_i.tag.pq),
        32'({index, ends && retire_i.last, ends && retire_i.p_we, retire_i.row_we}), retire_i.tag.mask,
        32'(retire_i.tag.slice), 32'(sm_pkg::RowLanes), 32'(retire_i.p), 32'(retire_i.q), 1024'(row));
  endfunction
  always_ff @(posedge clk_i) begin
    if (issue_i.valid && wanted)
      trace_dpi::heddle_trace_issue(32'(sm_id_i), 32'(issue_i.warp), 32'(issue_i.seq), issue_i.pc,
                                    issue_i.active);
    // A pair is told row by row, its predicates and end with the upper one.
    if (retire_i.valid && wanted) begin
      tell(retire_i.index, retire_i.row, !retire_i.pair);
      if (retire_i.pair) tell(retire_i.index | 2'd1, retire_i.row_hi, 1'b1);
    end
  end
endmodule

// Bound to lsu.
module lsu_monitor (
    input logic                       clk_i,
    input logic [config_pkg::SmW-1:0] sm_id_i,
    input trace_pkg::load_t           load_i,
    input trace_pkg::shared_t         shared_i,
    input trace_pkg::l1_t             l1_i
);
  logic wanted;
  initial wanted = trace_dpi::heddle_trace_wanted() != 0;
  always_ff @(posedge clk_i) begin
    if (l1_i.valid && wanted) begin
      if (l1_i.kind == trace_pkg::L1Fill || l1_i.kind == trace_pkg::L1Write) begin
        for (int s = 0; s < 4; s++)
          if (l1_i.sectors[s])
            trace_dpi::heddle_trace_l1(32'(sm_id_i), 32'(l1_i.kind), 32'(l1_i.installed), 32'(l1_i.id) + s,
                                       64'({l1_i.line, 2'(s)}), l1_i.mask[s], l1_i.data[s]);
      end else
        trace_dpi::heddle_trace_l1(32'(sm_id_i), 32'(l1_i.kind), 0, 0, 64'({l1_i.line, 2'd0}), 0, '0);
    end
    if (load_i.valid && wanted)
      trace_dpi::heddle_trace_load(32'(sm_id_i), 32'(load_i.source), 32'(load_i.id), 32'(load_i.warp),
                                   32'(load_i.seq), load_i.lanes);
    if (shared_i.valid && wanted) begin
      if (shared_i.stores)
        trace_dpi::heddle_trace_shared_store(32'(sm_id_i), 32'(shared_i.warp), 32'(shared_i.seq), shared_i.lanes);
      else
        trace_dpi::heddle_trace_load(32'(sm_id_i), 32'(trace_pkg::LoadShared), 0, 32'(shared_i.warp), 32'(shared_i.seq),
                                     shared_i.lanes);
    end
  end
endmodule

// Bound to l2.
module l2_monitor (
    input logic           clk_i,
    input trace_pkg::l2_t l2_i
);
  logic wanted;
  initial wanted = trace_dpi::heddle_trace_wanted() != 0;
  always_ff @(posedge clk_i) begin
    if (l2_i.valid && wanted)
      trace_dpi::heddle_trace_l2(
          32'(l2_i.client), 32'(l2_i.req.kind), 32'(l2_i.req.id), 32'(l2_i.req.wide),
          32'(l2_i.req.offset), 32'(l2_i.req.atom_op), 32'(l2_i.req.atom_type), 32'(l2_i.req.warp),
          32'(l2_i.req.seq), 32'(l2_i.req.lane), l2_i.mask, 64'(l2_i.req.sector), l2_i.old, l2_i.data);
  end
endmodule

// Bound to gpu: kernels, blocks, faults.
module gpu_monitor #(
    localparam int unsigned Sms = config_pkg::Sms
) (
    input logic                                       clk_i,
    input logic                                       kernel_start_i,
    input logic                                       kernel_end_i,
    input logic [2:0]                                 status_i,
    input gpu_pkg::kernel_t                           kernel_i,
    input gpu_pkg::settings_t                         settings_i,
    input logic [Sms-1:0]                             block_valid_i,
    input logic [Sms-1:0]                             block_ready_i,
    input gpu_pkg::block_t                            block_i,
    input logic [Sms-1:0]                             done_valid_i,
    input logic [Sms-1:0][config_pkg::BlockSlotW-1:0] done_slot_i,
    input logic                                       fault_valid_i,
    input logic [config_pkg::SmW-1:0]                 fault_sm_i,
    input gpu_pkg::fault_t                            fault_i
);
  logic wanted;
  initial wanted = trace_dpi::heddle_trace_wanted() != 0;
  always_ff @(posedge clk_i) begin
    if (wanted) begin
      if (kernel_start_i)
        trace_dpi::heddle_trace_kernel_start(
            kernel_i.entry_pc, 32'(kernel_i.registers), 32'(kernel_i.shared_bytes),
            32'(kernel_i.dynamic_shared), kernel_i.local_bytes, kernel_i.grid_x, 32'(kernel_i.grid_y),
            32'(kernel_i.grid_z), 32'(kernel_i.block_x), 32'(kernel_i.block_y), 32'(kernel_i.block_z),
            64'(kernel_i.param_base), 32'(kernel_i.param_bytes), 64'(kernel_i.const_base),
            64'(kernel_i.local_base), kernel_i.envreg0, kernel_i.envreg1, kernel_i.grid_id,
            64'(settings_i.code_base), settings_i.code_size, 32'(kernel_i.cluster_x),
            32'(kernel_i.cluster_y), 32'(kernel_i.cluster_z), 32'(kernel_i.clusters), 64'(settings_i.mem_end));
      for (int unsigned s = 0; s < Sms; s++) begin
        if (block_valid_i[s] && block_ready_i[s])
          trace_dpi::heddle_trace_block_start(
              32'(s), 32'(block_i.slot), 32'(block_i.first_warp), 32'(block_i.shared_base),
              block_i.ctaid_x, 32'(block_i.ctaid_y), 32'(block_i.ctaid_z));
        if (done_valid_i[s]) trace_dpi::heddle_trace_block_end(32'(s), 32'(done_slot_i[s]));
      end
      if (fault_valid_i)
        trace_dpi::heddle_trace_fault(
            32'(fault_sm_i), 32'(fault_i.warp), 32'(fault_i.thread), 32'(fault_i.kind), fault_i.code,
            fault_i.pc, fault_i.address, fault_i.ctaid_x, 32'(fault_i.ctaid_y), 32'(fault_i.ctaid_z));
      if (kernel_end_i) trace_dpi::heddle_trace_kernel_end(32'(status_i));
    end
  end
endmodule

bind sub_partition sub_partition_monitor u_monitor (
    .clk_i   (clk_i),
    .sm_id_i (sm_id_i),
    .issue_i (trace_issue_o),
    .retire_i(trace_retire_o)
);
bind lsu lsu_monitor u_monitor (
    .clk_i   (clk_i),
    .sm_id_i (sm_id_i),
    .load_i  (trace_load_o),
    .shared_i(trace_shared_o),
    .l1_i    (trace_l1_o)
);
bind l2 l2_monitor u_monitor (
    .clk_i(clk_i),
    .l2_i (trace_l2_o)
);
bind gpu gpu_monitor u_monitor (
    .clk_i         (clk_i),
    .kernel_start_i(kernel_start),
    .kernel_end_i  (kernel_end),
    .status_i      (kernel_status),
    .kernel_i      (kernel),
    .settings_i    (settings),
    .block_valid_i (block_valid),
    .block_ready_i (block_ready),
    .block_i       (block),
    .done_valid_i  (done_valid),
    .done_slot_i   (done_slot),
    .fault_valid_i (fault_valid),
    .fault_sm_i    (fault_sm),
    .fault_i       (first_fault)
);
