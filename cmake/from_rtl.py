#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""from_rtl.py --root FOLDER --top MODULE --output FILE --depfile FILE [--also FILE]… --sources FILE… --run COMMAND… [--run COMMAND…]

Makes the output of a module's sources with the commands given. Of the sources count those alone which the module or a file
of --also names, and which these name in turn: packages that are imported, modules that are instantiated; and those that bind, for nothing names these. In a command
@SOURCES@ stands for them, in the order given; the depfile names them to the build system. Commands run in the root, and paths
below it are given to them relative to it: what they make is the same in every clone.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\])*"', re.DOTALL)
DECLARED = re.compile(r'^\s*(?:package|module|interface)\s+(?:automatic\s+|static\s+)?(\w+)', re.MULTILINE)
BINDS = re.compile(r'^\s*bind\s', re.MULTILINE)
WORD = re.compile(r'[A-Za-z_]\w*')


def needed(top, sources, also=()):
    """Those of the sources that are needed. A word that happens to be another's name only makes them more."""
    if len(sources) == 1:  # a netlist, of megabytes
        return list(sources)
    text = {file: NOT_CODE.sub(' ', file.read_text(encoding='utf-8')) for file in dict.fromkeys([*sources, *also])}
    place = {name: file for file in sources for name in DECLARED.findall(text[file])}
    if top not in place:
        sys.exit(f'from_rtl.py: no source declares {top}')
    found, new = set(), [place[top], *also, *(file for file in sources if BINDS.search(text[file]))]
    while new:
        file = new.pop()
        if file not in found:
            found.add(file)
            new += {place[word] for word in WORD.findall(text[file]) if word in place}
    return [file for file in sources if file in found]


def escaped(file):
    return re.sub(r'([ #\\])', r'\\\1', str(file)).replace('$', '$$')


def options_of(arguments):
    """What the command line says, and the commands to run."""
    runs = [i for i, word in enumerate(arguments) if word == '--run'] + [len(arguments)]
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument('--root', required=True)
    parser.add_argument('--top', required=True)
    parser.add_argument('--output', type=pathlib.Path, required=True)
    parser.add_argument('--depfile', type=pathlib.Path, required=True)
    parser.add_argument('--also', type=pathlib.Path, action='append', default=[])
    parser.add_argument('--sources', type=pathlib.Path, nargs='+', required=True)
    return parser.parse_args(arguments[:runs[0]]), [arguments[i + 1:j] for i, j in zip(runs, runs[1:])]


def main():
    options, commands = options_of(sys.argv[1:])
    sources = needed(options.top, options.sources, options.also)
    below = f'{options.root}/'
    environment = {**os.environ, 'CCACHE_BASEDIR': options.root}
    for command in commands:
        words = [word for given in command for word in (map(str, sources) if given == '@SOURCES@' else [given])]
        status = subprocess.run([word.removeprefix(below) for word in words], cwd=options.root, env=environment).returncode
        if status:
            sys.exit(f'from_rtl.py: {command[0]} ended with {status}')
    options.depfile.write_text(f"{escaped(options.output)}: {' '.join(map(escaped, [*sources, *options.also]))}\n", encoding='utf-8')


if __name__ == '__main__':
    main()
