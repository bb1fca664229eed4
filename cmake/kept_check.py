#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""kept_check.py --root FOLDER --build FOLDER [--tool PROGRAM]… --of FILE… --run COMMAND…

Runs a check whose outcome depends on the files and the tools' versions alone. One that has passed with the same is not run again
by any clone of this user (model_cache.py): it says again what it said, and that it was kept. One that fails is never kept.
"""
import argparse
import pathlib
import subprocess
import sys

sys.dont_write_bytecode = True
import model_cache  # noqa: E402


def files_of(places):
    """The files, and those below the folders, each once and in order."""
    found = {}
    for place in places:
        for file in sorted(place.rglob('*')) if place.is_dir() else [place]:
            if file.is_file():
                found[file] = None
    return list(found)


def key_of(options, command, files):
    def everywhere(text):
        return model_cache.everywhere(text, options.root, options.build)
    parts = ['check 1', everywhere('\n'.join(command)), *map(model_cache.version_of, options.tool)]  # 1: what this script itself does
    for file in files:
        parts += [everywhere(file), file.read_bytes()]
    return model_cache.key_of(parts)


def main():
    arguments = sys.argv[1:]
    start = arguments.index('--run') if '--run' in arguments else len(arguments)
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0], allow_abbrev=False)
    for name in ('root', 'build'):
        parser.add_argument(f'--{name}', required=True)
    parser.add_argument('--tool', action='append', default=[])
    parser.add_argument('--of', type=pathlib.Path, nargs='+', required=True)
    options, command = parser.parse_args(arguments[:start]), arguments[start + 1:]
    if not command:
        parser.error('no command to run')
    for place in options.of:
        if not place.exists():
            sys.exit(f'kept_check.py: no {place}')
    cache = model_cache.from_environment()
    key = key_of(options, command, files_of(options.of)) if cache else None
    kept = cache.get(key) if cache else None
    if kept:
        sys.stdout.write(kept[0].decode() + 'kept: it has passed with the same files and tools before\n')
        return
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    sys.stdout.buffer.write(done.stdout)
    sys.stdout.flush()
    if done.returncode:
        sys.exit(done.returncode if done.returncode > 0 else 128 - done.returncode)
    if cache and key_of(options, command, files_of(options.of)) == key:  # else a file was written meanwhile
        cache.put(key, [done.stdout])


if __name__ == '__main__':
    main()
