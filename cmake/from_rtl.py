#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""from_rtl.py --root FOLDER --build FOLDER --top MODULE --depfile FILE [--also FILE | --file FILE | --tool PROGRAM]…
            --sources FILE… --output FILE… --run COMMAND… [--run COMMAND…]

Makes the outputs of a module's sources with the commands given. Of the sources count those alone which the module or a file
of --also names, and which these name in turn: packages that are imported, modules that are instantiated; and those that bind, for nothing names these. In a command
@SOURCES@ stands for them, in the order given; the depfile names them to the build system. Commands run in the root, and paths
below it are given to them relative to it: what they make is the same in every clone.

The outputs come out of the cache (model_cache.py), and no command runs, where they have been made before: of the same sources,
files (--also, --file), commands and versions of tools. An output whose content stays keeps its time.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import model_cache  # noqa: E402

# What else make hands on to the compiler.
VARIABLES = ('CPPFLAGS', 'CXXFLAGS', 'VERILATOR_ROOT')
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
    for name in ('root', 'build', 'top'):
        parser.add_argument(f'--{name}', required=True)
    parser.add_argument('--depfile', type=pathlib.Path, required=True)
    for name in ('also', 'file'):
        parser.add_argument(f'--{name}', type=pathlib.Path, action='append', default=[])
    parser.add_argument('--tool', action='append', default=[])
    for name in ('sources', 'output'):
        parser.add_argument(f'--{name}', type=pathlib.Path, nargs='+', required=True)
    return parser.parse_args(arguments[:runs[0]]), [arguments[i + 1:j] for i, j in zip(runs, runs[1:])]


def key_of(options, commands, sources, versions):
    """Names all that the outputs are made of, the same in every clone."""
    def everywhere(text):
        return model_cache.everywhere(text, options.root, options.build)
    parts = ['1', *options.tool, *versions]  # 1: what this script itself does
    parts += [f'{name}={os.environ.get(name)}' for name in VARIABLES]
    parts += [everywhere('\n'.join(map(str, words))) for words in [*commands, options.output]]
    for file in [*sources, *options.also, *options.file]:
        parts += [everywhere(file), file.read_bytes()]
    return model_cache.key_of(parts)


def run(options, commands, sources):
    below = f'{options.root}/'
    environment = {**os.environ, 'CCACHE_BASEDIR': options.root}
    for command in commands:
        words = [word for given in command for word in (map(str, sources) if given == '@SOURCES@' else [given])]
        status = subprocess.run([word.removeprefix(below) for word in words], cwd=options.root, env=environment).returncode
        if status:
            sys.exit(f'from_rtl.py: {command[0]} ended with {status}')


def main():
    options, commands = options_of(sys.argv[1:])
    sources = needed(options.top, options.sources, options.also)
    cache = model_cache.from_environment()
    if cache:
        made_of = (options, commands, sources, [model_cache.version_of(tool) for tool in options.tool])
        key = key_of(*made_of)
    old = [(file.read_bytes(), file.stat().st_mtime_ns) if file.exists() else (None, 0) for file in options.output]
    contents = cache.get(key) if cache else None
    if contents:
        for file, content, (before, _) in zip(options.output, contents, old):
            if content != before:
                file.parent.mkdir(parents=True, exist_ok=True)
                new = file.with_name(f'{file.name}.new')
                new.write_bytes(content)
                new.replace(file)
    else:
        run(options, commands, sources)
        contents = [file.read_bytes() for file in options.output]
        for file, content, (before, time) in zip(options.output, contents, old):
            if content == before:
                os.utime(file, ns=(time, time))
        if cache and key_of(*made_of) == key:  # else a source was written meanwhile
            cache.put(key, contents)
    options.depfile.write_text(f"{escaped(options.output[0])}: {' '.join(map(escaped, [*sources, *options.also]))}\n", encoding='utf-8')


if __name__ == '__main__':
    main()
