// SPDX-License-Identifier: Apache-2.0
// Every source of the GPU, packages before their users, paths from this folder. config_pkg comes first
// and from the preset: <build>/presets/<name>/config_pkg.sv. One path a line; append below your folder.
pkg/isa_pkg.sv
pkg/gpu_pkg.sv
pkg/device_pkg.sv
pkg/mem_pkg.sv
pkg/sm_pkg.sv
pkg/trace_pkg.sv

prim/prim_pkg.sv
prim/fifo.sv
prim/skid_buffer.sv
prim/rr_arbiter.sv
prim/ram_1r1w.sv
prim/ram_1r1w_masked.sv
prim/clock_gate.sv

execute/int_pkg.sv
execute/int_shift_pkg.sv
execute/fp32_pkg.sv
execute/cvt_pkg.sv
execute/narrow_pkg.sv
execute/fp16_pkg.sv
execute/warp_pkg.sv
execute/fp64_pkg.sv
execute/sfu_table_pkg.sv
execute/sfu_pkg.sv
execute/lane_beats.sv
execute/lane_operands.sv
execute/int_unit.sv
execute/fp32_unit.sv
execute/fp16_unit.sv
execute/cvt_unit.sv
execute/warp_unit.sv
execute/fp64_unit.sv
execute/sfu_unit.sv

tensor/mma_pkg.sv
tensor/mma_sum_pkg.sv
tensor/mma_sequence.sv
tensor/mma_operands.sv
tensor/mma_dot.sv
tensor/mma_unit.sv

sm/core_pkg.sv
frontend/decode_pkg.sv
schedule/convergence_pkg.sv

frontend/fetch.sv
frontend/decode_slots.sv
frontend/front_end.sv
frontend/icache.sv
frontend/constant_cache.sv
schedule/scoreboard.sv
schedule/warp_scheduler.sv
schedule/unsent.sv
schedule/hazards.sv
schedule/convergence.sv
schedule/block_barrier.sv
schedule/block_slots.sv
operand/predicate_file.sv
operand/register_file.sv
operand/lane_registers.sv
operand/special_registers.sv
operand/collector_control.sv
operand/dispatch.sv
operand/row_collector.sv
operand/slice_control.sv
operand/slice_collector.sv
operand/operand_collector.sv
operand/result_cycles.sv
operand/writeback.sv

memory/lsu_pkg.sv
memory/atomic_float_pkg.sv
memory/atomic_pkg.sv
memory/l2_pkg.sv
memory/lsu_address.sv
memory/lsu_slices.sv
memory/coalescer.sv
memory/bank_conflict.sv
memory/lsu_select.sv
memory/lsu_front.sv
memory/lsu_scatter.sv
memory/l1_control.sv
memory/shared_memory.sv
memory/shared_atomic.sv
memory/l1_data.sv
memory/lsu_fills.sv
memory/lsu_requests.sv
memory/lsu_data.sv
memory/lsu_gather.sv
memory/lsu_entries.sv
memory/lsu_stores.sv
memory/lsu.sv
memory/hub_reader.sv
memory/mem_hub.sv
memory/l2_waiters.sv
memory/l2_control.sv
memory/l2_data.sv
memory/axi_reader.sv
memory/axi_writer.sv
memory/l2.sv

execute/execution.sv
sm/issue_stage.sv
sm/sub_partition.sv
sm/lsu_port.sv
sm/sm.sv

gpu/host_port.sv
gpu/copy_engine.sv
gpu/host_window.sv
gpu/block_dispatcher.sv
gpu/command_processor.sv
gpu/control_regs.sv
gpu/gpu.sv
