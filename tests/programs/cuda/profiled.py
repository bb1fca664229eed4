#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""profiled.py HEDDLE PROGRAM DEVICE PRESET: what `heddle prof` counts of profiled.cu's launches, to the last sector; what must add up."""
import sys

from profiling import profile

# By launch: counters, all of those named.
EXPECTED = [
    ('coalesced', {'Blocks': 2, 'Warps': 4, 'GlobalLoads': 4, 'GlobalLoadSectors': 16, 'GlobalStores': 4, 'GlobalStoreSectors': 16}),
    ('strided', {'Blocks': 2, 'Warps': 4, 'GlobalLoads': 4, 'GlobalLoadSectors': 128, 'GlobalStores': 4, 'GlobalStoreSectors': 128}),
    ('wide', {'Warps': 2, 'GlobalLoads': 2, 'GlobalLoadSectors': 32, 'GlobalStores': 2, 'GlobalStoreSectors': 32}),
    ('same', {'Warps': 2, 'GlobalLoads': 2, 'GlobalLoadSectors': 2, 'GlobalStores': 2, 'GlobalStoreSectors': 8}),
    ('banks<1>', {'SharedLoads': 1, 'SharedLoadWavefronts': 1, 'SharedStores': 1, 'SharedStoreWavefronts': 1, 'GlobalLoads': 1}),
    ('banks<2>', {'SharedLoads': 1, 'SharedLoadWavefronts': 2, 'SharedStores': 1, 'SharedStoreWavefronts': 1}),
    ('banks<32>', {'SharedLoads': 1, 'SharedLoadWavefronts': 32, 'SharedStores': 1, 'SharedStoreWavefronts': 1}),
    ('pairs', {'SharedLoads': 1, 'SharedLoadWavefronts': 2, 'SharedStores': 1, 'SharedStoreWavefronts': 2, 'GlobalLoadSectors': 8}),
    ('divergent', {'Warps': 2, 'GlobalLoads': 2, 'GlobalLoadSectors': 2, 'GlobalStores': 2, 'GlobalStoreSectors': 2}),
    ('atomics', {'SharedAtomics': 2, 'GlobalAtomics': 2, 'GlobalAtomicSectors': 8, 'GlobalLoads': 0, 'GlobalStores': 0}),
]

# On a preset whose registers move whole: a load of device memory takes a turn for each line and one when it has come, a store one for each
# line, shared memory one for each wavefront.
REPLAYS = {'coalesced': 4, 'strided': 88, 'wide': 20, 'banks<1>': 1, 'banks<2>': 2, 'banks<32>': 32, 'pairs': 6}


def check_links(launch, name):
    """What only a clocked device counts: turns of the data stage, bytes between the SMs and the L2 cache."""
    counters = launch['counters']
    begun = sum(line['executed'] for line in launch['lines'] if line['unit'] == 'Lsu')
    assert counters['L1Wavefronts'] - counters['L1Replays'] == begun > 0, f'{name}: {counters}'
    if launch['preset']['lanes']['Lsu'] < 32:
        return
    assert counters['L1Replays'] == REPLAYS.get(name, counters['L1Replays']), f'{name}: {counters["L1Replays"]} replays'
    # Nobody reads what the kernels' atomics find: the L2 only acknowledges them.
    assert counters['LinkReadBytes'] == 32 * counters['L2Reads'], f'{name}: {counters}'
    assert counters['LinkWriteBytes'] == 32 * (counters['L2Writes'] + counters['L2Atomics']), f'{name}: {counters}'


def check(launch, name, expected):
    assert name in launch['name'], f'{launch["name"]}: {name} was launched'
    counters, lines = launch['counters'], launch['lines']
    wrong = {key: (counters[key], value) for key, value in expected.items() if counters[key] != value}
    assert not wrong, f'{name}: counted and expected: {wrong}'
    assert launch['completed'], f'{name} did not complete'

    def total(key):
        return sum(line[key] for line in lines)
    assert total('executed') == counters['Instructions'], name
    assert total('threads') == counters['ThreadInstructions'], name
    assert total('active_threads') == counters['ActiveThreads'], name
    kinds = ('GlobalLoad', 'GlobalStore', 'GlobalAtomic', 'LocalLoad', 'LocalStore')
    assert total('sectors') == sum(counters[kind + 'Sectors'] for kind in kinds), name
    assert total('wavefronts') == counters['SharedLoadWavefronts'] + counters['SharedStoreWavefronts'], name
    assert sum(launch['stalls'].values()) == counters['WarpCycles'], name
    assert sum(sum(line['stalls'].values()) for line in lines) + launch['open_cycles'] == counters['WarpCycles'], name
    assert sum(launch['idle'].values()) + counters['IssueCycles'] == counters['SchedulerCycles'], name
    if launch['has_clock']:
        check_links(launch, name)
    # Two of three source lines of a kernel are its own, where the compiler kept them.
    assert any(line.get('file', '').endswith('profiled.cu') for line in lines), f'{name}: no source line'


def main(heddle, program, device, preset):
    launches = profile(heddle, device, preset, program)
    assert len(launches) == len(EXPECTED), f'{len(launches)} launches'
    for launch, (name, expected) in zip(launches, EXPECTED):
        check(launch, name, expected)
    # The divergent kernel's stores: 5 threads of a warp that is there, by branch or by guard.
    store = next(line for line in launches[8]['lines'] if line['mnemonic'] == 'STG')
    assert (store['executed'], store['threads'], store['sectors']) == (2, 10, 2), store
    print('PASS')


if __name__ == '__main__':
    main(*sys.argv[1:])
