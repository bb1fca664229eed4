# SPDX-License-Identifier: Apache-2.0
"""Runs a program under `heddle prof`, for the tests beside this file."""
import json
import pathlib
import subprocess
import tempfile


def profile(heddle, device, preset, program, prints=''):
    """The program's launches, as the file of `heddle prof -o` has them. It must end well and print `prints`."""
    with tempfile.TemporaryDirectory() as work:
        file = pathlib.Path(work) / 'profile.jsonl'
        ended = subprocess.run([heddle, 'prof', '--device', device, '--preset', preset, '-o', file, '--', program],
                               capture_output=True, text=True, check=False)
        assert ended.returncode == 0 and prints in ended.stdout, f'{program}: {ended.stdout[-2000:]}{ended.stderr[-2000:]}'
        return [json.loads(line) for line in file.read_text(encoding='utf-8').splitlines()]
