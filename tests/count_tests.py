#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""count_tests.py BUILD [--write]: are all tests there, and can each of them fail?

Compares the number of tests by label with tests/counts.txt, or writes that file and the lines of tests/cases.def whose
executables are built: how many cases each has, which it checks itself (gtest_main.cc). A test that got lost (a tool that is
missing, a folder that returned early, a name that no longer fits) says nothing by itself. Refused besides: tests without
a label, properties with which ctest overlooks an exit status, and lockstep tests that do not demand comparisons.
"""
import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

COUNTS = pathlib.Path(__file__).with_name('counts.txt')
CASES = pathlib.Path(__file__).with_name('cases.def')
CASE = re.compile(r'HEDDLE_CASES\((\w+), (\d+)\)')
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


def executables(tests):
    """The programs that tests run, by name; None: not built, so that ctest tells nothing of its command."""
    found = {}
    for test in tests:
        command = test.get('command')
        if not command:
            found.setdefault(test['name'], None)
            continue
        program = pathlib.Path(command[command.index('--') + 1] if '--' in command else command[0])
        found[program.name] = program if program.exists() else None
    return found


def merged_cases(old, programs, count):
    """Cases by executable: counted where it is built, as they stood where it is not, none of executables that are gone."""
    cases = {}
    for name, program in programs.items():
        counted = count(program) if program else None
        if counted or name in old and not program:
            cases[name] = counted or old[name]
    return cases


def count_cases(program):
    """How many cases a GoogleTest executable has; None of another program."""
    if b'HEDDLE_COUNT_CASES' not in program.read_bytes():
        return None
    with tempfile.NamedTemporaryFile(mode='r', encoding='utf-8') as file:
        subprocess.run([program], env={**os.environ, 'HEDDLE_COUNT_CASES': file.name}, stdout=subprocess.DEVNULL, check=True)
        return int(CASE.match(file.read())[2])


def write_cases(tests):
    lines = CASES.read_text(encoding='utf-8').splitlines(keepends=True)
    head = ''.join(line for line in lines if line.startswith('//'))
    old = {name: int(n) for name, n in CASE.findall(''.join(lines))}
    cases = merged_cases(old, executables(tests), count_cases)
    text_of = ''.join(f'HEDDLE_CASES({name}, {n})\n' for name, n in sorted(cases.items()))
    CASES.write_text(f'{head}{text_of}#undef HEDDLE_CASES\n', encoding='utf-8')


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('build', type=pathlib.Path)
    parser.add_argument('--write', action='store_true', help=f'write {COUNTS.name}')
    options = parser.parse_args()
    listed = subprocess.run(['ctest', '--show-only=json-v1'], cwd=options.build, capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)['tests']
    counts, wrong = inspect(tests)
    if options.write:
        write_cases(tests)
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
