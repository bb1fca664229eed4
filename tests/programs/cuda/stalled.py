#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""stalled.py HEDDLE PROGRAM DEVICE PRESET: each kernel of stalled.cu waits for what its name says more than for all else."""
import sys

from profiling import profile

KERNELS = ['wait', 'long_scoreboard', 'short_scoreboard', 'barrier', 'sleeping', 'membar', 'math_pipe_throttle', 'lg_throttle',
           'mio_throttle', 'branch_resolving']


def main(heddle, program, device, preset):
    launches = profile(heddle, device, preset, program)
    assert len(launches) == len(KERNELS), f'{len(launches)} launches'
    for launch, kernel in zip(launches, KERNELS):
        assert launch['name'].startswith(kernel), launch['name']
        cycles = launch['counters']['WarpCycles']
        assert sum(launch['stalls'].values()) == cycles, kernel
        waits = {reason: n for reason, n in launch['stalls'].items() if reason != 'selected'}
        most = max(waits, key=waits.get)
        assert most == kernel, f'{kernel}: {most} is {100 * waits[most] / cycles:.0f}% of {cycles} cycles of warps'
    print('PASS')


if __name__ == '__main__':
    main(*sys.argv[1:])
