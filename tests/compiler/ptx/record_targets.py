#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""record_targets.py PTXAS [TABLE]: writes the table (targets.tsv) anew, the first target by that ptxas before each of its
instructions. One that no target takes stops it. Registers: %h of 16 bits, %r 32, %l 64, %q 128, %f, %d, %p."""
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

TARGETS = '75 80 86 87 89 90 90a 100 120 100a'.split()
KERNEL = """.version 8.8
.target sm_{target}
.address_size 64
.visible .entry k()
{{
.reg .b16 %h<10>; .reg .b32 %r<10>; .reg .b64 %l<10>; .reg .f32 %f<10>; .reg .f64 %d<10>; .reg .pred %p<10>; {wide}
{instruction}
ret;
}}
"""


def takes(ptxas, target, instruction):
    wide = '.reg .b128 %q<4>;' if '%q' in instruction else ''
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, 'k.ptx')
        file.write_text(KERNEL.format(target=target, wide=wide, instruction=instruction), encoding='utf-8')
        command = [ptxas, f'-arch=sm_{target}', file, '-o', file.with_suffix('.cubin')]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0


def first_of(ptxas, instruction):
    return next((target for target in TARGETS if takes(ptxas, target, instruction)), None)


def main():
    ptxas = sys.argv[1]
    table = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else pathlib.Path(__file__).with_name('targets.tsv')
    instructions = [line.split('\t')[1] for line in table.read_text(encoding='utf-8').splitlines()]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        firsts = list(pool.map(lambda instruction: first_of(ptxas, instruction), instructions))
    for first, instruction in zip(firsts, instructions):
        if first is None:
            sys.exit(f'no target takes {instruction}')
    table.write_text(''.join(f'{first}\t{instruction}\n' for first, instruction in zip(firsts, instructions)), encoding='utf-8')


if __name__ == '__main__':
    main()
