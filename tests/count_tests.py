#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py BUILD [--write]: are all tests there, and can each of them fail?

Compares the number of tests by label with tests/counts.txt, or writes that file. A test that got lost (a tool that is
missing, a folder that returned early, a name that no longer fits) says nothing by itself. Refused besides: tests without
a label, properties with which ctest overlooks an exit status, and lockstep tests that do not demand comparisons.
"""
import argparse
import collections
import json
import pathlib
import subprocess
import sys

COUNTS = pathlib.Path(__file__).with_name('counts.txt')
OVERLOOKS = {'PASS_REGULAR_EXPRESSION', 'SKIP_REGULAR_EXPRESSION', 'SKIP_RETURN_CODE', 'WILL_FAIL', 'DISABLED'}


def inspect(tests):
    """The number of tests by label, and what is wrong with them."""
    counts, wrong = collections.Counter(all=len(tests)), []
    for test in tests:
        properties = {p['name']: p['value'] for p in test.get('properties', [])}
        labels = properties.get('LABELS') or []
        counts.update(labels)
        if not labels:
            wrong.append(f"{test['name']} has no label")
        for name in OVERLOOKS & properties.keys():
            wrong.append(f"{test['name']} has {name}: use heddle_add_program_test")
        command = test.get('command', [])
        if 'lockstep' in test['name'] and not any(word.startswith('-DCOMPARED=') for word in command):
            wrong.append(f"{test['name']} may compare nothing: use heddle_add_program_test")
    return dict(counts), wrong


def text(counts):
    return ''.join(f'{label} {counts[label]}\n' for label in sorted(counts))


def differences(counts, wanted):
    both = sorted(counts.keys() | wanted.keys())
    return [f'{label}: {counts.get(label, 0)} tests, not {wanted.get(label, 0)}'
            for label in both if counts.get(label, 0) != wanted.get(label, 0)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--write', action='store_true', help=f'write {COUNTS.name}')
    options = parser.parse_args()
    listed = subprocess.run(['ctest', '--show-only=json-v1'], cwd=options.build, capture_output=True, text=True, check=True)
    counts, wrong = inspect(json.loads(listed.stdout)['tests'])
    if options.write:
        COUNTS.write_text(text(counts), encoding='utf-8')
    else:
        wanted = {label: int(n) for label, n in (line.split() for line in COUNTS.read_text(encoding='utf-8').splitlines())}
        changed = differences(counts, wanted)
        if changed:
            wrong += changed + ['If that is meant: ./heddle counts writes tests/counts.txt; commit it with the change.']
    if wrong:
        sys.exit('\n'.join(f'tests: {line}' for line in wrong))


if __name__ == '__main__':
    main()
