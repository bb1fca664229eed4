// SPDX-License-Identifier: Apache-2.0
// Every source that an FPGA adds to rtl/heddle.f, packages before their users, paths from this folder. Above
// board.sv stands one board's folder: ulx3s/pll.sv and ulx3s/top.sv (sim/board/pll.sv in simulation).
rtl/link_pkg.sv
rtl/uart_rx.sv
rtl/uart_tx.sv
rtl/frame_rx.sv
rtl/frame_tx.sv
rtl/link_tx.sv
rtl/link.sv
rtl/bridge.sv
rtl/sdram_ctrl.sv
rtl/bram_memory.sv
rtl/reset_sync.sv
rtl/board.sv
