// SPDX-License-Identifier: Apache-2.0
// Declaration of the ECP5's PLL, for front ends that must know the ports of what they keep as a black box; those
// parameters and ports that pll.sv uses. Left out where the tool brings its own (Yosys: cells_bb.v).
(* blackbox *)
module EHXPLLL #(
    parameter PLLRST_ENA      = "DISABLED",
    parameter INTFB_WAKE      = "DISABLED",
    parameter STDBY_ENABLE    = "DISABLED",
    parameter DPHASE_SOURCE   = "DISABLED",
    parameter OUTDIVIDER_MUXA = "DIVA",
    parameter OUTDIVIDER_MUXB = "DIVB",
    parameter OUTDIVIDER_MUXC = "DIVC",
    parameter OUTDIVIDER_MUXD = "DIVD",
    parameter CLKI_DIV        = 1,
    parameter CLKOP_ENABLE    = "ENABLED",
    parameter CLKOP_DIV       = 8,
    parameter CLKOP_CPHASE    = 0,
    parameter CLKOP_FPHASE    = 0,
    parameter FEEDBK_PATH     = "CLKOP",
    parameter CLKFB_DIV       = 1
) (
    input  logic CLKI,
    input  logic CLKFB,
    input  logic PHASESEL1,
    input  logic PHASESEL0,
    input  logic PHASEDIR,
    input  logic PHASESTEP,
    input  logic PHASELOADREG,
    input  logic STDBY,
    input  logic PLLWAKESYNC,
    input  logic RST,
    input  logic ENCLKOP,
    output logic CLKOP,
    output logic CLKINTFB,
    output logic LOCK
);
endmodule
