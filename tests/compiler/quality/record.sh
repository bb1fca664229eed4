#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# record.sh OUT: writes OUT/recorded.json on a machine with another vendor's toolkit, profiler and GPU: what its ptxas
# makes of ptx/*.ptx for sm_80 (registers, spills, instructions) and, for the GPU's own architecture (SM, sm_90 unless
# set), what runs of each launch (warp instructions executed) and leaves in memory.
set -euo pipefail
out=$(realpath -m "$1"); cd "$(dirname "$0")"; work=$(mktemp -d); trap 'rm -rf "$work"' EXIT
sm=${SM:-90}; mkdir -p "$out"
for ptx in ptx/*.ptx; do
  name=$(basename "$ptx" .ptx)
  ptxas -arch=sm_80 -v "$ptx" -o "$work/$name.80" 2>"$work/$name.log"
  cuobjdump -sass "$work/$name.80" >"$work/$name.sass"
  ptxas -arch=sm_"$sm" "$ptx" -o "$work/$name.cubin"
done
nvcc -std=c++17 record.cc -o "$work/record" -Xlinker "$(ldconfig -p | awk '/libcuda.so.1/ {print $NF; exit}')"
"$work/record" launches.txt "$work" >"$work/digests"
ncu --clock-control none --csv --page raw --metrics smsp__inst_executed.sum "$work/record" launches.txt "$work" >"$work/counts"
python3 - "$work" "$out" <<'PYTHON'
import csv, glob, json, os, re, sys
work, out = sys.argv[1:]
record, kernel = {}, None
for log in glob.glob(f'{work}/*.log'):
    file = os.path.basename(log)[:-4]
    for line in open(log):
        if m := re.search(r"Compiling entry function '(.+?)'", line):
            kernel = record.setdefault(file, {}).setdefault(m[1], {'registers': 0, 'spilled': 0, 'instructions': 0})
        if kernel is not None and (m := re.search(r'(\d+) bytes spill stores, (\d+) bytes spill loads', line)):
            kernel['spilled'] = max(kernel['spilled'], int(m[1]) + int(m[2]))
        if m := re.search(r'Used (\d+) registers', line):
            kernel['registers'] = int(m[1])
    for line in open(f'{work}/{file}.sass'):
        if m := re.search(r'Function : (\S+)', line):
            kernel = record.get(file, {}).get(m[1], {'instructions': 0})
        elif re.match(r'\s+/\*[0-9a-f]{4,}\*/\s', line) and ' NOP' not in line:
            kernel['instructions'] += 1
launches = [l.split()[:2] for l in open('launches.txt') if l.strip() and l[0] != '#']
rows = [r for r in csv.reader(open(f'{work}/counts')) if len(r) > 5]
column = rows[0].index('smsp__inst_executed.sum')
for (file, name), row in zip(launches, [r for r in rows[1:] if r[0].isdigit()]):
    record[file][name]['executed'] = int(row[column].replace(',', ''))
for line in open(f'{work}/digests'):
    file, name, word, digest = line.split()
    assert word == 'digest', line
    record[file][name]['digest'] = digest
known = {f: {n: k for n, k in kernels.items() if 'executed' in k} for f, kernels in record.items()}
json.dump(known, open(f'{out}/recorded.json', 'w'), indent=1)
PYTHON
