#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""few_units.py DIR PREFIX

Makes few large translation units of the many small ones that Verilator writes to DIR: a second of each goes to its headers. The
makefile PREFIX_classes.mk then names files that include Verilator's, of some 4 MB together. What is compiled with other flags (slow
code, and what writes waveforms: PREFIX__Trace__*) has units of its own.
"""
import pathlib
import re
import sys

UNIT_BYTES = 4 << 20
LISTS = ('VM_CLASSES_FAST', 'VM_CLASSES_SLOW', 'VM_SUPPORT_FAST', 'VM_SUPPORT_SLOW')


def units(folder, files):
    """The files in their order, in runs of about UNIT_BYTES."""
    runs = [[]]
    size = 0
    for file in files:
        bytes_ = (folder / f'{file}.cpp').stat().st_size
        if runs[-1] and size + bytes_ > UNIT_BYTES:
            runs.append([])
            size = 0
        runs[-1].append(file)
        size += bytes_
    return [run for run in runs if run]


def main(folder, prefix):
    makefile = folder / f'{prefix}_classes.mk'
    text = makefile.read_text()
    if re.search(r'^VM_PARALLEL_BUILDS = 0', text, re.M):
        return  # Verilator's makefile compiles all as one
    for name in LISTS:
        found = re.search(rf'^{name} \+= \\\n((?:\t.*\\\n)*)', text, re.M)
        if not found:
            sys.exit(f'few_units: {makefile}: no list {name}')
        files = found.group(1).replace('\\', '').split()
        traces = f'{prefix}__Trace__'
        made = []
        for start, kind in ((traces, [f for f in files if f.startswith(traces)]),
                            (f'{prefix}__', [f for f in files if not f.startswith(traces)])):
            for i, run in enumerate(units(folder, kind)):
                made.append(f'{start}{name.lower()}_{i}')
                (folder / f'{made[-1]}.cpp').write_text(''.join(f'#include "{file}.cpp"\n' for file in run))
        text = text[:found.start(1)] + ''.join(f'\t{file} \\\n' for file in made) + text[found.end(1):]
    makefile.write_text(text)


if len(sys.argv) != 3:
    sys.exit(__doc__)
main(pathlib.Path(sys.argv[1]), sys.argv[2])
