#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ncu.py HEDDLE DEVICE PRESET PROGRAM...: what `heddle prof` counts beside what Nsight Compute counted of the same kernels on an
H100 (ncu_h100.json, by the metrics below). Instructions are not compared: another compiler chose them.

  Instructions           smsp__inst_executed.sum
  ThreadInstructions     smsp__thread_inst_executed_pred_on.sum
  Warps                  sm__warps_launched.sum
  Global<Load>s          l1tex__t_requests_pipe_lsu_mem_global_op_<ld>.sum (st; atomics: red)
  Global<Load>Sectors    l1tex__t_sectors_pipe_lsu_mem_global_op_<ld>.sum
  Shared<Load>s          smsp__inst_executed_op_shared_<ld>.sum, also those that no thread executes
  Shared<Load>Wavefronts l1tex__data_pipe_lsu_wavefronts_mem_shared_op_<ld>.sum
"""
import json
import pathlib
import sys

from profiling import profile

COMPARED = ['Warps', 'GlobalLoads', 'GlobalLoadSectors', 'GlobalStores', 'GlobalStoreSectors', 'GlobalAtomics', 'GlobalAtomicSectors',
            'SharedLoadWavefronts', 'SharedStoreWavefronts']
# Where the compilers wrote other memory instructions.
DIFFER = {
    ('sgemm', 'SharedLoadWavefronts'): 'nvcc loads four neighbouring floats at once',
    ('nbody', None): 'clang loads and stores a float4 in parts, nvcc whole; 16 bytes that all lanes share are 2 wavefronts there, 4 here',
    ('profiled', 'SharedLoadWavefronts', 'atomics'): 'an H100 counts a shared atomic as loads and stores, too',
    ('profiled', 'SharedStoreWavefronts', 'atomics'): 'the same',
}


def main(heddle, device, preset, *programs):
    silicon = json.loads((pathlib.Path(__file__).parent / 'ncu_h100.json').read_text(encoding='utf-8'))['programs']
    equal, wrong = 0, []
    for program in programs:
        name = pathlib.Path(program).name
        launches = profile(heddle, device, preset, program)
        assert len(launches) == len(silicon[name]), f'{name}: {len(launches)} launches'
        for launch, theirs in zip(launches, silicon[name]):
            for key in COMPARED:
                if key not in theirs or {(name, None), (name, key), (name, key, theirs['kernel'])} & DIFFER.keys():
                    continue
                ours = launch['counters'][key]
                equal += ours == theirs[key]
                if ours != theirs[key]:
                    wrong.append(f'{name}, {theirs["kernel"]}: {key} {ours}, on silicon {theirs[key]}')
    assert not wrong, '\n'.join(wrong)
    assert equal >= 100, f'only {equal} figures compared'
    print(f'PASS, {equal} figures equal')


if __name__ == '__main__':
    main(*sys.argv[1:])
