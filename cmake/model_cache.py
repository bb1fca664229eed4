#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""model_cache.py [--clear]

Says what is kept of models and netlists, or empties it. from_rtl.py keeps here what it makes, by the content of all that it is
made of, for every clone and work tree of a user: in ~/.cache/heddle/models (XDG_CACHE_HOME counts), or the folder that
HEDDLE_MODEL_CACHE names; OFF keeps nothing. Above HEDDLE_MODEL_CACHE_MB (2048) what was not used for longest goes.
"""
import argparse
import hashlib
import io
import os
import pathlib
import subprocess
import sys
import tarfile
import tempfile
import time

DAY = 24 * 3600


def say(text):
    print(f'heddle: {text}', file=sys.stderr)


class ModelCache:
    """A file an entry, named by its key: the SHA-256 of the rest and a line break; an archive of the files, by their index."""

    def __init__(self, folder, limit):
        self.folder, self.limit = folder, limit

    def entries(self):
        """Time of last use, size and place of each, and of what a killed build left."""
        found = []
        for file in self.folder.iterdir() if self.folder.is_dir() else ():
            try:
                status = file.stat()
            except FileNotFoundError:
                continue  # another build threw it away
            found.append((status.st_mtime, status.st_size, file))
        return sorted(found)

    def get(self, key):
        """Contents of the files, or nothing. A damaged entry is as good as none."""
        file = self.folder / key
        try:
            entry = file.read_bytes()
            os.utime(file)
        except FileNotFoundError:
            return None
        except OSError as error:
            say(f'no model is taken from the cache: {error}')
            return None
        digest, _, packed = entry.partition(b'\n')
        if digest != hashlib.sha256(packed).hexdigest().encode():
            say(f'{file} is damaged; it is made anew')
            file.unlink(missing_ok=True)
            return None
        with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
            return [archive.extractfile(member).read() for member in archive]

    def put(self, key, contents):
        packed = io.BytesIO()
        with tarfile.open(fileobj=packed, mode='w:gz', compresslevel=1) as archive:
            for i, content in enumerate(contents):
                member = tarfile.TarInfo(str(i))
                member.size = len(content)
                archive.addfile(member, io.BytesIO(content))
        new = None
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=self.folder, prefix='new-', delete=False) as file:
                new = pathlib.Path(file.name)
                file.write(hashlib.sha256(packed.getvalue()).hexdigest().encode() + b'\n' + packed.getvalue())
            new.replace(self.folder / key)
            self.trim()
        except OSError as error:  # a full disk
            say(f'a model is not kept: {error}')
            if new:
                new.unlink(missing_ok=True)

    def trim(self):
        entries = self.entries()
        size = sum(entry[1] for entry in entries)
        keep = self.limit if size <= self.limit else self.limit * 9 // 10
        for used, length, file in entries:
            if size > keep or file.name.startswith('new-') and used < time.time() - DAY:
                file.unlink(missing_ok=True)
                size -= length


def key_of(parts):
    """Of texts and contents, in order."""
    key = hashlib.sha256()
    for part in parts:
        part = part if isinstance(part, bytes) else part.encode()
        key.update(b'%d ' % len(part) + part)
    return key.hexdigest()


def everywhere(text, root, build):
    """The text without the places of root and build, which differ from clone to clone."""
    return str(text).replace(f'{build}/', '@BUILD@/').replace(f'{root}/', '')


def version_of(tool):
    return subprocess.run([tool, '--version'], capture_output=True, check=True).stdout


def from_environment():
    """The cache, or nothing when it is switched off."""
    where = os.environ.get('HEDDLE_MODEL_CACHE', '')
    if where.upper() in ('OFF', '0', 'NO'):
        return None
    home = os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache'
    limit = os.environ.get('HEDDLE_MODEL_CACHE_MB') or '2048'
    if not limit.isdigit():
        sys.exit(f'heddle: HEDDLE_MODEL_CACHE_MB={limit} is not a number')
    return ModelCache(pathlib.Path(where or pathlib.Path(home, 'heddle', 'models')).absolute(), int(limit) << 20)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.splitlines()[0])
    parser.add_argument('--clear', action='store_true', help='empty it')
    options = parser.parse_args()
    cache = from_environment()
    if cache is None:
        print('Models and netlists are not kept: HEDDLE_MODEL_CACHE is off')
        return
    entries = cache.entries()
    if options.clear:
        for _, _, file in entries:
            file.unlink(missing_ok=True)
    size = sum(entry[1] for entry in entries)
    print(f"Models and netlists {'thrown away' if options.clear else 'kept'}: {len(entries)}, {size / 2**20:.1f} MB"
          f'{"" if options.clear else f" of at most {cache.limit >> 20} MB"}, in {cache.folder}')


if __name__ == '__main__':
    main()
