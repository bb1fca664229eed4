#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""figures.py BUILD COMMIT [--of COMMIT]

Runs four programs in lockstep on cc80 and prints their cycles and the digest of what the hardware issued, retired and did when,
beside those of COMMIT. With --of it keeps them as that commit's, in ~/.cache/heddle/figures, for every clone of a user.
"""
import argparse
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROGRAMS = ('sgemm', 'histogram', 'reduction', 'bitonic_sort')


def folder():
    home = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    return pathlib.Path(home, 'heddle', 'figures')


def read(commit):
    """The figures of a commit, by program; empty when nobody has run them here."""
    try:
        return json.loads((folder() / commit).read_text(encoding='utf-8'))
    except (OSError, ValueError):
        return {}


def keep(commit, figures):
    folder().mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile('w', dir=folder(), delete=False, encoding='utf-8') as file:
        json.dump(figures, file)
    pathlib.Path(file.name).replace(folder() / commit)


def measure(build):
    """Cycles and digest by program; nothing, and a message, when one fails."""
    figures = {}
    for program in PROGRAMS:
        with tempfile.NamedTemporaryFile() as report:
            done = subprocess.run([build / 'bin' / 'heddle', 'run', '--device', 'lockstep', '--preset', 'cc80', '--quiet', '--report', report.name, '--',
                                   build / 'examples' / program], capture_output=True, text=True)
            if done.returncode:
                print(f'{program} in lockstep ended with {done.returncode}:\n{done.stdout}{done.stderr}', file=sys.stderr)
                return None
            told = json.loads(pathlib.Path(report.name).read_text(encoding='utf-8'))
        digests = ' '.join(str(kernel.get('trace_digest')) for kernel in told['kernels'])
        figures[program] = {'cycles': told['totals']['cycles'], 'digest': hashlib.sha256(digests.encode()).hexdigest()}
    return figures


def compared(figures, before, commit):
    """The table's text."""
    lines = [f'Cycles in lockstep on cc80, beside those of {commit[:12]}:']
    for program, now in figures.items():
        old = before.get(program)
        if not old:
            lines.append(f"  {program:<14} {now['cycles']:>10,}  not run there on this machine")
            continue
        same = 'the same run' if now == old else 'another run' if now['cycles'] == old['cycles'] else f"{now['cycles'] / old['cycles'] - 1:+.1%}"
        lines.append(f"  {program:<14} {now['cycles']:>10,}  {old['cycles']:>10,}  {same}")
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('build', type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument('commit')
    parser.add_argument('--of')
    options = parser.parse_args()
    figures = measure(options.build)
    if figures is None:
        sys.exit(1)
    if options.of:
        keep(options.of, figures)
    print(compared(figures, read(options.commit), options.commit))


if __name__ == '__main__':
    main()
