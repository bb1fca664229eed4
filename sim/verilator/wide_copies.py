#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""wide_copies.py FOLDER: what a model copies in every evaluation, whether or not anything happens.

FOLDER has the C++ that Verilator made, build/sim/verilator/cc80 for example. A line for each signal of more than 8 words that is
assigned outside of all conditions: words, and the function's class and the signal.
"""
import collections
import pathlib
import re
import sys

FUNCTION = re.compile(r'(?:VL_INLINE_OPT )?void (\w+)\(')
WORD = re.compile(r'    (?:vlSelf->)?(\S+)\[(?:0x)?[0-9a-f]+U\]')
WHOLE = re.compile(r'    VL_(?:ASSIGN|CONST)_W\w*\((\d+),\s*([^,]+)')


def copies(folder):
    words = collections.Counter()
    for file in sorted(folder.glob('*.cpp')):
        if 'Slow' in file.name or 'Trace' in file.name:
            continue
        function = ''
        for line in file.read_text(encoding='utf-8', errors='replace').splitlines():
            if begins := FUNCTION.match(line):
                function = begins[1]
            elif '_nba_' not in function or line[4:5] == ' ':
                continue
            elif whole := WHOLE.match(line):
                words[function.split('___')[0], whole[2]] += int(whole[1]) // 32
            elif word := WORD.match(line):
                words[function.split('___')[0], word[1]] += 1
    return words


def main():
    for (model, signal), words in copies(pathlib.Path(sys.argv[1])).most_common():
        if words > 8:
            print(f'{words:5} {model} {re.sub("vlSelf->|vlSymsp->|__PVT__", "", signal).replace("__DOT__", ".")}')


if __name__ == '__main__':
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main()
