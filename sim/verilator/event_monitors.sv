// SPDX-License-Identifier: Apache-2.0
// Simulation only: monitors that tell what a profiled launch does as it happens (heddle_event of transport.h), bound from outside.
// Warps' states and issues come from profile_monitors.sv. They look at the falling edge, as those do; a launch whose events nobody
// wants pays a test a module and cycle.
// verilator lint_off DECLFILENAME

package event_dpi;
  import "DPI-C" function void heddle_event_block(
      input int starts, input int sm, input int slot, input int first_warp, input int x, input int y, input int z);
  import "DPI-C" function void heddle_event_execute(input int sm, input int warp, input int seq, input int unit);
  import "DPI-C" function void heddle_event_retire(input int sm, input int warp, input int seq);
  import "DPI-C" function void heddle_event_resolve(input int sm, input int warp);
endpackage

// Bound to sub_partition: where instructions are after issue.
module sub_partition_events (
    input logic                       clk_i,
    input logic [config_pkg::SmW-1:0] sm_id_i,
    input core_pkg::units_t           starts_i,     // the unit takes the request
    input sm_pkg::tag_t               starts_tag_i,
    input logic                       access_i,     // the load/store unit does
    input sm_pkg::tag_t               access_tag_i,
    input logic                       retires_i,
    input sm_pkg::tag_t               retires_tag_i,
    input logic                       jump_valid_i,
    input logic [config_pkg::WarpW-1:0] jump_warp_i
);
  always @(negedge clk_i) begin
    if (gpu.u_profile.tells) begin
      for (int unsigned u = 0; u < core_pkg::Units; u++)
        if (starts_i[u] && starts_tag_i.slice == '0)
          event_dpi::heddle_event_execute(32'(sm_id_i), 32'(starts_tag_i.warp), 32'(starts_tag_i.seq), u);
      if (access_i && access_tag_i.slice == '0)
        event_dpi::heddle_event_execute(32'(sm_id_i), 32'(access_tag_i.warp), 32'(access_tag_i.seq), 32'(isa_pkg::UnitLsu));
      if (retires_i) event_dpi::heddle_event_retire(32'(sm_id_i), 32'(retires_tag_i.warp), 32'(retires_tag_i.seq));
      if (jump_valid_i) event_dpi::heddle_event_resolve(32'(sm_id_i), 32'(jump_warp_i));
    end
  end
endmodule

// Bound to gpu: where blocks are.
module gpu_events #(
    localparam int unsigned Sms = config_pkg::Sms
) (
    input logic                                       clk_i,
    input logic [Sms-1:0]                             starts_i,
    input gpu_pkg::block_t                            block_i,
    input logic [Sms-1:0]                             done_valid_i,
    input logic [Sms-1:0][config_pkg::BlockSlotW-1:0] done_slot_i
);
  always @(negedge clk_i) begin
    if (gpu.u_profile.tells) begin
      for (int unsigned s = 0; s < Sms; s++) begin
        if (done_valid_i[s]) event_dpi::heddle_event_block(0, s, 32'(done_slot_i[s]), 0, 0, 0, 0);
        if (starts_i[s])
          event_dpi::heddle_event_block(1, s, 32'(block_i.slot), 32'(block_i.first_warp), block_i.ctaid_x,
                                        32'(block_i.ctaid_y), 32'(block_i.ctaid_z));
      end
    end
  end
endmodule

bind sub_partition sub_partition_events u_events (
    .clk_i        (clk_i),
    .sm_id_i      (sm_id_i),
    .starts_i     (req_valid & req_ready),
    .starts_tag_i (req.tag),
    .access_i     (lsu_valid_o && lsu_ready_i),
    .access_tag_i (lsu_req_o.tag),
    .retires_i    (trace_retire_o.valid && trace_retire_o.last),
    .retires_tag_i(trace_retire_o.tag),
    .jump_valid_i (jump_valid),
    .jump_warp_i  (core_pkg::slot_of(jump_warp, part_i))
);
bind gpu gpu_events u_events (
    .clk_i       (clk_i),
    .starts_i    (block_valid & block_ready),
    .block_i     (block),
    .done_valid_i(done_valid),
    .done_slot_i (done_slot)
);
