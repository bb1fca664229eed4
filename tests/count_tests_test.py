#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What count_tests.py counts and refuses."""
import pathlib
import sys
import unittest

from count_tests import differences, executables, inspect, merged_cases, text


def listed(name, labels, command=('program',), **properties):
    properties['LABELS'] = labels
    return {'name': name, 'command': list(command), 'properties': [{'name': n, 'value': v} for n, v in properties.items()]}


class CountTests(unittest.TestCase):
    def test_each_label_of_a_test_counts(self):
        counts, wrong = inspect([listed('a', ['rtl', 'lint']), listed('b', ['rtl'])])
        self.assertEqual(wrong, [])
        self.assertEqual(text(counts), 'all 2\nlint 1\nrtl 2\n')

    def test_a_test_that_got_lost_or_was_added_is_named_by_its_label(self):
        self.assertEqual(differences({'all': 2, 'rtl': 2}, {'all': 2, 'rtl': 2}), [])
        self.assertEqual(differences({'all': 1, 'rtl': 1}, {'all': 2, 'rtl': 1, 'synth': 1}),
                         ['all: 1 tests, not 2', 'synth: 0 tests, not 1'])
        self.assertEqual(differences({'new': 1}, {}), ['new: 1 tests, not 0'])

    def test_a_test_has_a_label(self):
        self.assertEqual(inspect([listed('a', [])])[1], ['a has no label'])

    def test_an_exit_status_is_not_overlooked(self):
        _, wrong = inspect([listed('a', ['unit'], PASS_REGULAR_EXPRESSION=['PASS'])])
        self.assertRegex(wrong[0], 'a has PASS_REGULAR_EXPRESSION')

    def test_lockstep_demands_comparisons(self):
        self.assertEqual(inspect([listed('a_lockstep', ['unit'], ('cmake', '-DCOMPARED=file'))])[1], [])
        self.assertRegex(inspect([listed('a_lockstep', ['unit'])])[1][0], 'a_lockstep may compare nothing')

    def test_cases_are_counted_where_the_executable_is_built(self):
        programs = executables([listed('a', ['unit'], (sys.executable,)), listed('b', ['unit'], ('cmake', '-P', 'run.cmake', '--', '/not/there/b')),
                                {'name': 'c'}])
        self.assertEqual(programs, {pathlib.Path(sys.executable).name: pathlib.Path(sys.executable), 'b': None, 'c': None})
        programs = {'a': pathlib.Path('a'), 'b': None, 'c': None, 'script': pathlib.Path('s')}
        old = {'a': 7, 'b': 3, 'gone': 5, 'script': 1}
        self.assertEqual(merged_cases(old, programs, lambda program: {'a': 2}.get(program.name)), {'a': 2, 'b': 3})


if __name__ == '__main__':
    unittest.main()
