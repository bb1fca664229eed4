#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""counts.py HEDDLE PRESET PROGRAM...: all that needs no clock is counted alike on the RTL and on the golden model, in total and for
each instruction, launch by launch; and each cycle of a warp has its reason. Not for programs whose threads wait for each other: how often they
look depends on who comes first."""
import sys

from profiling import profile



def figures(launch, untimed):
    lines = {(line.get('function', ''), line['pc']): [line[key] for key in ('executed', 'threads', 'active_threads', 'divergent', 'sectors', 'wavefronts')]
             for line in launch['lines']}
    return {key: launch['counters'][key] for key in untimed} | {'lines': lines}


def main(heddle, preset, *programs):
    launches = 0
    for program in programs:
        model, rtl = (profile(heddle, device, preset, program) for device in ('model', 'rtl'))
        assert len(model) == len(rtl), program
        for ours, theirs in zip(model, rtl):
            # The model leaves what only a clock can tell at 0.
            untimed = [key for key, value in ours['counters'].items() if value]
            one, other = figures(ours, untimed), figures(theirs, untimed)
            differ = {key: (one[key], other[key]) for key in one if one[key] != other[key]}
            assert not differ, f'{program}, {ours["name"]}: model and RTL: {str(differ)[:1000]}'
            assert theirs['stalls'].get('misc', 0) == 0, f'{program}, {ours["name"]}: cycles without a reason'
            assert sum(theirs['stalls'].values()) == theirs['counters']['WarpCycles'], f'{program}, {ours["name"]}'
            launches += 1
    print(f'PASS, {launches} launches of {len(programs)} programs')


if __name__ == '__main__':
    main(*sys.argv[1:])
