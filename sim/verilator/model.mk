# SPDX-License-Identifier: Apache-2.0
# Verilator's makefile of a model. What tells the values for waveforms is long and plain: -O3 would take minutes.
include Vgpu.mk
Vgpu__Trace__%.o: override OPT_FAST = -O1
