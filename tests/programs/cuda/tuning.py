#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tuning.py HEDDLE TRANSPOSE SGEMM: the steps of docs/tuning.md have the cycles and counts that its tables say, on cc80."""
import pathlib
import re
import sys

from profiling import profile


def table(text, first):
    """Rows of the table whose header begins so: lists of cells, numbers as such."""
    lines = text[text.index(f'| step | cycles | {first}'):].splitlines()[2:]
    rows = []
    for line in lines:
        if not line.startswith('|'):
            break
        rows.append([cell.strip() for cell in line.strip('|').split('|')])
    return rows


def main(heddle, transpose, sgemm):
    text = (pathlib.Path(__file__).parents[3] / 'docs' / 'tuning.md').read_text(encoding='utf-8')
    wrong = []

    def compare(what, said, is_so):
        if str(said) != str(is_so):
            wrong.append(f'{what}: the page says {said}, it is {is_so}')
    for launch, (name, cycles, l2, sectors, wavefronts) in zip(profile(heddle, 'rtl', 'cc80', transpose, 'PASS'), table(text, 'L2 throughput'), strict=True):
        counters = launch['counters']
        compare(name, name, launch['name'].split('(')[0])
        compare(name + ' cycles', cycles, f'{counters["Cycles"]:,}')
        compare(name + ' L2', l2, f'{100 * (counters["L2Reads"] + counters["L2Writes"]) / counters["Cycles"] / launch["preset"]["l2_slices"]:.0f}%')
        compare(name + ' sectors a store', sectors, counters['GlobalStoreSectors'] // counters['GlobalStores'])
        compare(name + ' wavefronts a load', wavefronts,
                counters['SharedLoadWavefronts'] // counters['SharedLoads'] if counters['SharedLoads'] else '')
    for launch, (name, cycles, pipe, wavefronts, stall) in zip(profile(heddle, 'rtl', 'cc80', sgemm, 'PASS'), table(text, 'FP32 pipe'), strict=True):
        counters, stalls = launch['counters'], launch['stalls']
        waits = {reason: n for reason, n in stalls.items() if reason not in ('selected', 'not_selected')}
        most = max(waits, key=waits.get)
        products = sum(line['executed'] for line in launch['lines'] if line['mnemonic'] == 'FFMA')
        compare(name, name, launch['name'].split('(')[0])
        compare(name + ' cycles', cycles, f'{counters["Cycles"]:,}')
        compare(name + ' FP32 pipe', pipe, f'{100 * 2 * products / 8 / counters["Cycles"]:.0f}%')
        compare(name + ' wavefronts', wavefronts, f'{counters["SharedLoadWavefronts"]:,}' if counters['SharedLoads'] else '')
        compare(name + ' waits', stall, f'{most} {100 * waits[most] / counters["WarpCycles"]:.0f}%')
    assert not wrong, '\n'.join(wrong)
    # Each of the two is four times as fast at its end.
    for first, last in re.findall(r'naive \| ([\d,]+).*?(?:padded|buffered) \| ([\d,]+)', text, re.S):
        assert int(first.replace(',', '')) > 4 * int(last.replace(',', '')), (first, last)
    print('PASS')


if __name__ == '__main__':
    main(*sys.argv[1:])
