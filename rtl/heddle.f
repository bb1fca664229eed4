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

gpu/host_port.sv
gpu/copy_engine.sv
gpu/block_dispatcher.sv
gpu/command_processor.sv
gpu/control_regs.sv
gpu/gpu.sv
