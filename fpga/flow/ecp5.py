# SPDX-License-Identifier: Apache-2.0
"""Yosys scripts that map one module to ECP5 cells."""

import hashlib
import pathlib

_SIGNED_COMPARE = pathlib.Path(__file__).resolve().with_name('signed_compare.v')

# synth_ecp5's own steps, but: no `share` (hours on wide multiplexers); a delay target for the look-up table mapper,
# without which it trades area for speed in every module, critical or not; constants cleared before it (abc9 of
# 0.52 stops at an assertion on some modules otherwise); pads for the top module alone; short signed comparisons made
# unsigned first (signed_compare.v).
_SCRIPT = """
read_verilog -lib -specify +/ecp5/cells_sim.v +/ecp5/cells_bb.v
hierarchy -check -top {module}
proc
{pads_logic}
opt_expr
opt_clean
check
opt -nodffe -nosdff
fsm
opt
wreduce
peepopt
opt_clean
techmap -map {signed_compare}
opt_expr
techmap -map +/cmp2lut.v -D LUT_WIDTH=4
opt_expr
opt_clean
techmap -map +/mul2dsp.v -map +/ecp5/dsp_map.v -D DSP_A_MAXWIDTH=18 -D DSP_B_MAXWIDTH=18 -D DSP_A_MINWIDTH=2 -D DSP_B_MINWIDTH=2 -D DSP_NAME=$__MUL18X18
chtype -set $mul t:$__soft_mul
alumacc
opt
memory -nomap
opt_clean
synth_ecp5 {pads} -run map_ram:map_luts
techmap -map +/ecp5/latches_map.v
opt_expr -full
opt_merge
opt_clean
abc9 -W 300 -D {delay}
clean
synth_ecp5 -run map_cells:check
autoname
"""

DELAY_PS = 14_000
CELLS = ('LUT4', 'CCU2C', 'PFUMX', 'L6MUX21', 'TRELLIS_FF', 'TRELLIS_DPR16X4', 'DP16KD', 'MULT18X18D')
CHIP = {'lut4': 83640, 'ff': 83640, 'dsp': 156, 'ebr': 208}  # ECP5-85F


def script(module, pads=False, delay=DELAY_PS):
    # The digest is for whoever keeps results by this text.
    digest = hashlib.sha256(_SIGNED_COMPARE.read_bytes()).hexdigest()
    return f'# {digest}\n' + _SCRIPT.format(module=module, delay=delay, signed_compare=_SIGNED_COMPARE, pads='-iopad' if pads else '',
                          pads_logic='tribuf -logic\ndeminout' if pads else '')


def figures(cells):
    """Resources of a count of cells by type. LUT4: logic, carries (two to a CCU2C), LUT RAM (four to a DPR16X4)."""
    count = lambda *types: sum(cells.get(t, 0) for t in types)
    return {
        'lut4': count('LUT4') + 2 * count('CCU2C') + 4 * count('TRELLIS_DPR16X4'),
        'ff': count('TRELLIS_FF'),
        'dsp': count('MULT18X18D'),
        'ebr': count('DP16KD', 'PDPW16KD'),
    }
