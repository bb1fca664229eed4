#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""When kept_check.py runs a check, and when it takes its outcome from before."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / 'cmake' / 'kept_check.py'
CHECK = 'echo run >>"$0"; echo "looked at $(cat "$1"/*.sv)"; ! grep -q wrong "$1"/*.sv'


class KeptCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = pathlib.Path(folder.name)
        self.environment = {**os.environ, 'HEDDLE_MODEL_CACHE': str(self.top / 'cache')}
        self.runs = self.top / 'runs'
        self.tool = self.top / 'tool'
        self.tool_says('1')
        self.first = self.clone('first')

    def tool_says(self, version):
        self.tool.write_text(f'#!/bin/sh\necho {version}\n', encoding='utf-8')
        self.tool.chmod(0o755)

    def clone(self, name):
        folder = self.top / name
        (folder / 'rtl').mkdir(parents=True)
        (folder / 'rtl' / 'a.sv').write_text('right', encoding='utf-8')
        return folder

    def check(self, clone, *words):
        """Status and text, and how often the check has run."""
        done = subprocess.run([SCRIPT, '--root', clone, '--build', clone / 'build', '--tool', self.tool, '--of', clone / 'rtl', '--run',
                               'sh', '-c', CHECK, self.runs, clone / 'rtl', *words], env=self.environment, text=True, capture_output=True)
        self.assertEqual(done.stderr, '')
        return done.returncode, done.stdout, len(self.runs.read_text(encoding='utf-8').split())

    def test_what_passed_is_kept_for_every_clone(self):
        self.assertEqual(self.check(self.first), (0, 'looked at right\n', 1))
        kept = 'looked at right\nkept: it has passed with the same files and tools before\n'
        self.assertEqual(self.check(self.first), (0, kept, 1))
        self.assertEqual(self.check(self.clone('second')), (0, kept, 1))

    def test_another_file_tool_or_command_counts(self):
        self.check(self.first)
        (self.first / 'rtl' / 'a.sv').write_text('right too', encoding='utf-8')
        self.assertEqual(self.check(self.first)[2], 2)
        (self.first / 'rtl' / 'b.sv').write_text('', encoding='utf-8')
        self.assertEqual(self.check(self.first)[2], 3)
        self.tool_says('2')
        self.assertEqual(self.check(self.first)[2], 4)
        self.assertEqual(self.check(self.first, 'more')[2], 5)
        self.assertEqual(self.check(self.first, 'more')[2], 5)

    def test_what_fails_is_never_kept(self):
        (self.first / 'rtl' / 'a.sv').write_text('wrong', encoding='utf-8')
        for runs in 1, 2:
            self.assertEqual(self.check(self.first), (1, 'looked at wrong\n', runs))

    def test_a_switched_off_cache_runs_all(self):
        self.environment['HEDDLE_MODEL_CACHE'] = 'OFF'
        for runs in 1, 2:
            self.assertEqual(self.check(self.first), (0, 'looked at right\n', runs))

    def test_a_file_that_is_missing_is_an_error(self):
        done = subprocess.run([SCRIPT, '--root', '/', '--build', '/', '--of', self.top / 'none', '--run', 'true'], env=self.environment,
                              text=True, capture_output=True)
        self.assertEqual((done.returncode, done.stderr), (1, f"kept_check.py: no {self.top / 'none'}\n"))


if __name__ == '__main__':
    unittest.main()
