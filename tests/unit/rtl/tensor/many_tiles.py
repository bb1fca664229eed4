#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""many_tiles.py BUILD SECONDS [--seed N] [--jobs N]: random tiles on the tensor unit for so long, against exact arithmetic.

Runs the random tiles of every tensor_mma_unit_*_test (each width, whole rows and slices) again and again, with a seed of its own
each time, and prints how many tiles were equal. Stops at the first that differs: what it prints says how to run it again.
"""
import argparse
import concurrent.futures
import itertools
import os
import pathlib
import re
import subprocess
import sys
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('seconds', type=float)
    parser.add_argument('--seed', type=int, default=1, help='the first one (1)')
    parser.add_argument('--jobs', type=int, default=os.cpu_count(), help='tests at a time (processors)')
    o = parser.parse_args()
    tests = sorted((o.build / 'tests/unit/rtl/tensor').glob('tensor_mma_unit_*_test'))
    if not tests:
        sys.exit(f'many_tiles: no tensor_mma_unit_*_test in {o.build}')
    end = time.monotonic() + o.seconds
    numbers = itertools.count(o.seed)
    counts = dict.fromkeys(tests, 0)
    failed = []

    def work():
        while time.monotonic() < end and not failed:
            seed = next(numbers)
            test = tests[seed % len(tests)]
            ran = subprocess.run([test, '--gtest_filter=*RandomTiles*'], env={**os.environ, 'HEDDLE_SEED': str(seed)},
                                 capture_output=True, text=True, check=False)
            tiles = re.search(r'^(\d+) tiles$', ran.stdout, re.MULTILINE)
            if ran.returncode or not tiles:
                failed.append(f'{ran.stdout}{ran.stderr}HEDDLE_SEED={seed} {test} --gtest_filter=*RandomTiles*')
            else:
                counts[test] += int(tiles[1])

    with concurrent.futures.ThreadPoolExecutor(o.jobs) as pool:
        for job in [pool.submit(work) for _ in range(o.jobs)]:
            job.result()
    for test, count in counts.items():
        print(f'{count:10} {test.name}')
    print(f'{sum(counts.values()):10} tiles equal')
    if failed:
        sys.exit('\n'.join(failed))


if __name__ == '__main__':
    main()
