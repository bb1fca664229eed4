#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""run_part.py BUILD host
run_part.py BUILD changed|quick --since COMMIT [--clean] FILE…

Builds and runs a part of the tests; says what is left out, and at its end where the time went.

host: tests of host code, all that runs on the golden model alone, and a few programs in lockstep.
changed: the tests that the files reach, as Ninja knows it since the last build (what was never built counts as reached); of those
on the whole GPU the same few programs, and their cycles beside those of the commit (figures.py; --clean: they are those of HEAD, too).
quick: lint, host, what the files reach but the whole GPU, silicon's answers on the golden model, eight programs in lockstep on two presets.
"""
import argparse
import collections
import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import time
import xml.etree.ElementTree

import figures

LOCKSTEP = {f'{name}_lockstep_cc80' for name in
            ('program_warp', 'program_atomics', 'program_groups', 'program_calls', 'example_sgemm', 'example_reduction')}
QUICK = {f'{name}_lockstep_{preset}' for preset in ('cc80', 'tiny') for name in
         ('program_warp', 'program_atomics', 'program_groups', 'program_calls', 'program_threads', 'program_half', 'example_sgemm', 'example_reduction')}
CONFIGURES = re.compile(r'(^|/)CMakeLists\.txt$|\.cmake$')
HARDWARE = re.compile(r'/(Vgpu|Vboard_sim)__ALL\.a$')


class Graph:
    """What is built of what: the statements of build.ninja, and the files that compilers and from_rtl.py named at the last build.
    Paths are absolute."""

    def __init__(self, build):
        self.build, self.edges, named, output = build, {}, collections.defaultdict(set), ''
        listed = subprocess.run(['ninja', '-t', 'deps'], cwd=build, capture_output=True, text=True, check=True)
        for line in listed.stdout.splitlines():
            if line.startswith(' '):
                named[output].add(self.path(line.strip()))
            elif ': #deps' in line:
                output = self.path(line.split(': #deps')[0])
        statements = []
        for line in (build / 'build.ninja').read_text(encoding='utf-8').splitlines():
            if line.startswith('build '):
                statements.append(line[6:].replace('${cmake_ninja_workdir}', f'{build}/'))
            elif line.startswith('  depfile = ') and '$' not in line:  # that Ninja reads each time, and does not keep
                self.read_depfile(pathlib.Path(self.path(line.split(' = ')[1])), named)
        for statement in statements:
            self.add(statement, named)

    def path(self, name):
        return os.path.normpath(os.path.join(self.build, name))

    def read_depfile(self, file, named):
        if not file.exists():
            return
        outputs, inputs = re.split(r'(?<!\\):\s', file.read_text(encoding='utf-8').replace('\\\n', ' '), maxsplit=1)
        files = {self.path(re.sub(r'\\(.)', r'\1', name)) for name in re.findall(r'(?:\\.|[^\s\\])+', inputs)}
        for output in re.findall(r'(?:\\.|[^\s\\])+', outputs):
            named[self.path(re.sub(r'\\(.)', r'\1', output))] |= files

    def add(self, line, named):
        outputs, inputs = re.split(r'(?<!\$): ', line, maxsplit=1)
        rule, *words = re.findall(r'(?:\$.|[^\s$])+', inputs)
        order = words.index('||') if '||' in words else len(words)

        def paths(names):
            return {self.path(re.sub(r'\$(.)', r'\1', name)) for name in names if name not in ('|', '||')}
        for output in paths(re.findall(r'(?:\$.|[^\s$])+', outputs)):
            # Where the files are named exactly, what is only to be made before says nothing.
            self.edges[output] = rule, paths(words[:order]) | named[output] | (set() if named[output] else paths(words[order:]))

    def reached_by(self, changed):
        """Whether one of the files, or what was never built, goes into a file."""
        @functools.cache
        def reached(file):
            if file in changed:
                return True
            rule, inputs = self.edges.get(file, ('', ()))
            unbuilt = rule not in ('', 'phony') and '/CMakeFiles/' not in file and not os.path.exists(file)
            return unbuilt or any([reached(part) for part in inputs])
        return reached

    def holding(self, pattern):
        """Whether a file whose path matches goes into a file."""
        @functools.cache
        def holds(file):
            return bool(pattern.search(file)) or any([holds(part) for part in self.edges.get(file, ('', ()))[1]])
        return holds


def words_of(test):
    environment = dict(pair.split('=', 1) for p in test.get('properties', []) if p['name'] == 'ENVIRONMENT' for pair in p['value'])
    return test.get('command', []), environment


def needs(test, graph):
    """Files that are built and that a test uses: those that its words and variables name, and those of its device."""
    command, environment = words_of(test)
    if not command:  # ctest tells none of a program that is not there: the target of that name
        return {graph.path(test['name'])} & graph.edges.keys()
    words = [*command, *environment.values()]
    named = {os.path.normpath(path) for word in words for path in re.findall(re.escape(str(graph.build)) + r'/[^;:\s"]+', word)}
    if str(graph.build) in words:
        named |= {graph.path(name) for name in ('toolkit', 'heddle', 'heddle_model')}
    options = dict(zip(command, command[1:]))
    device = options.get('--device') or environment.get('HEDDLE_DEVICE') or ('lockstep' if 'HEDDLE_HOME' in environment else '')
    preset = options.get('--preset') or environment.get('HEDDLE_PRESET') or 'cc80'
    if device:
        named.add(graph.path('heddle_model'))
    if re.search('rtl|lockstep|^tlm$', device):
        checked = '_checked' if environment.get('HEDDLE_CHECKED') == '1' else ''
        named.add(graph.path(f'lib/heddle/libheddle_rtl_{preset}{checked}.so'))
    if device.startswith('tlm'):
        named.add(graph.path('lib/heddle/libheddle_tlm.so'))
    return named & graph.edges.keys()


def reads(test, root, changed):
    """Whether a test's command names one of the files, or a folder that it is in."""
    named = {os.path.normpath(path) for word in words_of(test)[0] for path in re.findall(re.escape(root) + r'/[^;:\s"]+', word)}
    return any(str(file) in named or any(str(folder) in named for folder in file.parents) for file in changed)


def where_time_went(build, begun, steps, junit):
    """Text of the end: seconds of configuring, building by kind, and tests."""
    kinds = collections.Counter()
    seen = set()
    if not (build / '.ninja_log').exists():
        return 'Where the time went: nothing was built'
    with open(build / '.ninja_log', encoding='utf-8') as log:
        log.seek(begun)
        for line in log:
            start, end, _, output, command = line.rstrip('\n').split('\t') if line.count('\t') == 4 else (0, 0, 0, '', 0)
            step = start, end, command  # a line for each of its outputs
            if output and step not in seen:
                seen.add(step)
                kind = ('models and netlists' if re.search(r'__ALL\.a$|_verilated\.dir/[^/]*\.v$', output) else
                        'compiling' if output.endswith('.o') else 'linking and the rest')
                kinds[kind] += (int(end) - int(start)) / 1000
    lines = ['Where the time went:']
    lines += [f'  {seconds:6.0f} s  {what}' for what, seconds in steps]
    if kinds:
        lines.append('  of the build, steps beside each other: ' +
                     ', '.join(f'{what} {seconds:.0f} s' for what, seconds in kinds.most_common()))
    if junit.exists():
        cases = xml.etree.ElementTree.parse(junit).getroot().iter('testcase')
        longest = sorted(((float(case.get('time')), case.get('name')) for case in cases), reverse=True)[:5]
        lines.append('  of the tests the longest: ' + ', '.join(f'{name} {seconds:.0f} s' for seconds, name in longest))
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split('\n\n', maxsplit=1)[0], allow_abbrev=False)
    parser.add_argument('build', type=lambda text: pathlib.Path(text).resolve())
    parser.add_argument('part', choices=('host', 'changed', 'quick'))
    parser.add_argument('--since', default='')
    parser.add_argument('--clean', action='store_true')
    parser.add_argument('files', nargs='*')
    options = parser.parse_intermixed_args()
    build, root = options.build, pathlib.Path(__file__).resolve().parent.parent
    listed = subprocess.run(['ctest', '--show-only=json-v1'], cwd=build, capture_output=True, text=True, check=True)
    tests = json.loads(listed.stdout)['tests']
    labels = {test['name']: next((p['value'] for p in test['properties'] if p['name'] == 'LABELS'), []) for test in tests}
    graph = Graph(build)
    on_hardware = graph.holding(HARDWARE)
    hardware = {test['name'] for test in tests if any([on_hardware(file) for file in needs(test, graph)])}

    notes = []
    on_model = re.compile('_model(_|$)')
    host = {name for name, of in labels.items() if 'host' in of or on_model.search(name) and 'rtl' not in of} - hardware
    if options.part == 'host':
        chosen, reached = host, host | LOCKSTEP
    else:
        files = [root / file for file in options.files]
        goes_into = graph.reached_by({str(file) for file in files})
        reached = {test['name'] for test in tests
                   if any([goes_into(file) for file in needs(test, graph)]) or reads(test, str(root), files)}
        chosen = reached - hardware
        notes = [f'{file} changes what is built, and whom that reaches is not known here'
                 for file in options.files if CONFIGURES.search(file)]
    if options.part == 'quick':
        chosen |= host | {name for name, of in labels.items() if 'lint' in of} | QUICK & labels.keys()
    else:
        chosen |= LOCKSTEP & reached & labels.keys()
    numbers = [number for number, test in enumerate(tests, 1) if test['name'] in chosen]

    steps, begun, status = [], (build / '.ninja_log').stat().st_size if (build / '.ninja_log').exists() else 0, 0
    junit = build / 'Testing' / 'run_part.xml'
    junit.unlink(missing_ok=True)
    if numbers:
        targets = {os.path.relpath(file, build) for number in numbers for file in needs(tests[number - 1], graph)}
        measures = options.part == 'changed' and not chosen.isdisjoint(LOCKSTEP)
        if measures:
            targets |= {'heddle', 'heddle_rtl_cc80', *(f'examples/{program}' for program in figures.PROGRAMS)}
        jobs = str(len(os.sched_getaffinity(0)))
        for what, command in (('building', ['ninja', '-j', jobs, *sorted(targets)]),
                              ('tests', ['ctest', '--output-on-failure', '-j', jobs, '--output-junit', junit,
                                         '-I', ','.join(map(str, [numbers[0], numbers[0], 1, *numbers[1:]]))])):
            start = time.monotonic()
            status = subprocess.run(command, cwd=build, env={**os.environ, 'NINJA_STATUS': '[%f/%t %es] '}).returncode
            steps.append((what, time.monotonic() - start))
            if status:
                break
        if measures and not status:
            start = time.monotonic()
            told = figures.measure(build)
            steps.append(('figures', time.monotonic() - start))
            status = int(told is None)
            if told:
                head = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=root, capture_output=True, text=True).stdout.strip()
                if options.clean and head:
                    figures.keep(head, told)
                print(figures.compared(told, figures.read(options.since), options.since))
    left = collections.Counter(label for name, of in labels.items() if name not in chosen for label in of)
    print(f'\nRun: {len(numbers)} of {len(tests)} tests.' + ('' if options.part == 'host' else f' Reached: {len(reached)}.'))
    print('Left out, tests by label: ' + ', '.join(f'{label} {n}' for label, n in sorted(left.items())) +
          '; and all with sanitizers.')
    for note in notes:
        print(f'Not known: {note}: ./heddle test does.')
    print(where_time_went(build, begun, steps, junit))
    sys.exit(1 if status else 0)


if __name__ == '__main__':
    main()
