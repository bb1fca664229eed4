#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The flow's mapping to ECP5 cells, proved on small expressions: what it makes of a module, with the cells as
sim/netlist takes them, equals the module for every input.   mapping_test.py YOSYS WORK-FOLDER"""
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[4]
sys.path.insert(0, str(ROOT / 'fpga' / 'flow'))
import ecp5  # noqa: E402


def module():
    """Comparisons of 1 to 5 bits with every kind of constant and with each other, signed and not; sums; multiplexers."""
    results = ['a + b', 'a - b', 'a == b', '(c[0] ? a : b)', 'a[c[2:0] % 5]', '(|a) ^ (&b)']
    for width in range(1, 6):
        low = -(1 << (width - 1))
        for sign in ('', '$signed'):
            x, y = f'{sign}(a[{width - 1}:0])', f'{sign}(b[{width - 1}:0])'
            for operator in ('<', '<=', '>', '>='):
                constants = {low, -1, 0, -low - 1} if sign else {0, 1, (1 << width) - 1}
                for constant in sorted(constants):
                    bits = f"{width}'{'s' if sign else ''}d{constant & ((1 << width) - 1)}"
                    results += [f'{x} {operator} {bits}', f'{bits} {operator} {x}']
                results.append(f'{x} {operator} {y}')
    lines = [f'  assign r{n} = {result};' for n, result in enumerate(results)]
    ports = ', '.join(f'output [9:0] r{n}' for n in range(len(results)))
    return f'module this (input [4:0] a, b, c, {ports});\n' + '\n'.join(lines) + '\nendmodule\n'


def main():
    yosys, work = sys.argv[1], pathlib.Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    (work / 'mapping.v').write_text(module(), encoding='utf-8')
    (work / 'mapping.ys').write_text('\n'.join([
        f'read_verilog -sv {work}/mapping.v', 'prep -top this', 'design -save source',
        ecp5.script('this'), 'select -assert-any t:LUT4', 'rename this mapped', f'techmap -map {ROOT}/sim/netlist/cells_map.v',
        'design -copy-from source -as source this', 'miter -equiv -flatten -make_outputs source mapped proof', 'hierarchy -top proof',
        'sat -verify -prove trigger 0 -show-inputs -show-outputs proof']) + '\n', encoding='utf-8')
    done = subprocess.run([yosys, '-q', '-s', work / 'mapping.ys'], check=False)
    sys.exit(f'the mapping is wrong, or failed: see above and {work}/mapping.ys' if done.returncode else 0)


if __name__ == '__main__':
    main()
