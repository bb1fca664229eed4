#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Which tests run_part.py chooses, builds and runs, in a build of a few files."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from figures import PROGRAMS
from run_part import where_time_went

SCRIPT = pathlib.Path(__file__).resolve().with_name('run_part.py')

NINJA = '''
rule CXX_COMPILER
  command = cp $in $out && echo "$out: $named" >$out.d
  depfile = $out.d
  deps = gcc
rule CUSTOM_COMMAND
  command = cp $in $out && echo "$out: $named" >gpu.d
rule CXX_LINKER
  command = cat $in >$out && chmod +x $out
build order: CXX_LINKER ../order.sh
build a.o: CXX_COMPILER ../a.sh || order
  named = ../a.h
build sim/verilator/cc80/Vgpu__ALL.a: CUSTOM_COMMAND ../gpu.sv
  named = ../fp_pkg.sv
  depfile = gpu.d
build a_test: CXX_LINKER a.o
build b_test: CXX_LINKER ../b.sh || order
build lib/heddle/libheddle_model.so: CXX_LINKER ../a.sh
build lib/heddle/libheddle_rtl_cc80_checked.so: CXX_LINKER ../a.sh | sim/verilator/cc80/Vgpu__ALL.a
build heddle_model: phony lib/heddle/libheddle_model.so
build b: phony b_test
build bin/heddle: CXX_LINKER ../heddle.sh
build heddle: phony bin/heddle
build heddle_rtl_cc80: phony
''' + ''.join(f'build examples/{program}: CXX_LINKER ../b.sh\n' for program in PROGRAMS)
# heddle run … --report FILE …
HEDDLE = """#!/bin/sh
while [ "$1" != --report ]; do shift; done
echo '{"totals": {"cycles": 1234}, "kernels": [{"trace_digest": "0xa"}]}' >$2
"""
HARDWARE = 'ENVIRONMENT "HEDDLE_HOME=@BUILD@;HEDDLE_DEVICE=lockstep;HEDDLE_PRESET=cc80;HEDDLE_CHECKED=1"'
CTEST = f'''
add_test(a_test "@BUILD@/a_test")
set_tests_properties(a_test PROPERTIES LABELS "host")
add_test(b_test "@BUILD@/b_test")
set_tests_properties(b_test PROPERTIES LABELS "rtl")
add_test(lint "ls" "@ROOT@/rtl")
set_tests_properties(lint PROPERTIES LABELS "lint")
add_test(program_warp_lockstep_cc80 "true")
set_tests_properties(program_warp_lockstep_cc80 PROPERTIES LABELS "programs" {HARDWARE})
add_test(program_half_lockstep_cc80 "true")
set_tests_properties(program_half_lockstep_cc80 PROPERTIES LABELS "programs" {HARDWARE})
add_test(program_half_model_cc80 "true")
set_tests_properties(program_half_model_cc80 PROPERTIES LABELS "programs" ENVIRONMENT "HEDDLE_HOME=@BUILD@;HEDDLE_DEVICE=model")
'''


class RunPart(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        self.build = self.root / 'build'
        for name in ('tests', 'build', 'rtl'):
            (self.root / name).mkdir()
        for script in (SCRIPT, SCRIPT.with_name('figures.py')):
            shutil.copy(script, self.root / 'tests')
        for name in ('a.sh', 'b.sh', 'order.sh'):
            self.write(name, '#!/bin/sh\n')
        self.write('heddle.sh', HEDDLE)
        for name in ('a.h', 'gpu.sv', 'fp_pkg.sv', 'rtl/x.sv'):
            self.write(name, '')
        self.write('build/build.ninja', NINJA)
        self.write('build/CTestTestfile.cmake', CTEST.replace('@BUILD@', str(self.build)).replace('@ROOT@', str(self.root)))

    def write(self, name, text):
        (self.root / name).write_text(text, encoding='utf-8')

    def run_part(self, *arguments, status=0):
        """The tests that ran, and what was said."""
        done = subprocess.run(['python3', self.root / 'tests' / 'run_part.py', self.build, *arguments], capture_output=True, text=True,
                              env={**os.environ, 'XDG_CACHE_HOME': str(self.root / 'cache')})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        log = self.build / 'Testing' / 'run_part.xml'
        ran = set()
        if log.exists():
            listed = subprocess.run(['grep', '-o', 'testcase name="[^"]*"', log], capture_output=True, text=True).stdout
            ran = {line.split('"')[1] for line in listed.splitlines()}
        return ran, done.stdout

    def everything_is_built(self):
        subprocess.run(['ninja'], cwd=self.build, check=True, capture_output=True)

    def test_host_is_host_code_the_model_and_a_few_in_lockstep(self):
        ran, said = self.run_part('host')
        self.assertEqual(ran, {'a_test', 'program_half_model_cc80', 'program_warp_lockstep_cc80'})
        self.assertTrue((self.build / 'lib/heddle/libheddle_rtl_cc80_checked.so').exists())
        self.assertFalse((self.build / 'b_test').exists())
        self.assertRegex(said, r'Run: 3 of 6 tests\.\nLeft out, tests by label: lint 1, programs 1, rtl 1; and all with sanitizers')
        self.assertRegex(said, r'Where the time went:\n +\d+ s  building\n +\d+ s  tests\n  of the build, .*compiling')

    def test_each_step_counts_once_those_of_one_millisecond_too(self):
        log = self.build / '.ninja_log'
        log.write_text('# ninja log v5\n0\t2000\t1\ta.o\tc1\n0\t2000\t1\tb.o\tc2\n0\t2000\t1\tb_test\tc3\n0\t2000\t1\tb_map\tc3\n', encoding='utf-8')
        self.assertIn('compiling 4 s, linking and the rest 2 s', where_time_went(self.build, 0, [], self.build / 'none'))

    def test_what_a_change_reaches_is_what_ninja_knows(self):
        self.everything_is_built()
        self.assertEqual(self.run_part('changed', 'README.md')[0], set())
        self.assertEqual(self.run_part('changed', 'a.h')[0], {'a_test'})
        self.assertEqual(self.run_part('changed', 'b.sh')[0], {'b_test'})
        # Made before a.o and no part of it, as a.o's own list says; of b_test nothing is known but that.
        self.assertEqual(self.run_part('changed', 'order.sh')[0], {'b_test'})
        self.assertEqual(self.run_part('changed', 'rtl/x.sv')[0], {'lint'})

    def test_of_tests_on_the_whole_gpu_a_few_run(self):
        self.everything_is_built()
        ran, said = self.run_part('changed', '--since', 'abc', 'fp_pkg.sv')
        self.assertEqual(ran, {'program_warp_lockstep_cc80'})
        self.assertIn('Run: 1 of 6 tests. Reached: 2.', said)
        self.assertRegex(said, r'sgemm +1,234  not run there')

    def test_their_cycles_stand_beside_those_of_the_commit(self):
        self.everything_is_built()
        kept = self.root / 'cache' / 'heddle' / 'figures'
        kept.mkdir(parents=True)
        kept.joinpath('abc').write_text('{"sgemm": {"cycles": 1000, "digest": ""}, "reduction": {"cycles": 1234, "digest": ""}}', encoding='utf-8')
        said = self.run_part('changed', '--since', 'abc', 'fp_pkg.sv')[1]
        self.assertRegex(said, r'sgemm +1,234 +1,000  \+23.4%\n.*\n  reduction +1,234 +1,234  another run')
        for command in (['init', '-q'], ['-c', 'user.name=a', '-c', 'user.email=b', 'commit', '-q', '--allow-empty', '-m', 'x']):
            subprocess.run(['git', *command], cwd=self.root, check=True)
        head = subprocess.run(['git', 'rev-parse', 'HEAD'], cwd=self.root, capture_output=True, text=True).stdout.strip()
        self.run_part('changed', '--since', 'abc', '--clean', 'fp_pkg.sv')
        self.assertRegex(self.run_part('changed', '--since', head, 'fp_pkg.sv')[1], r'sgemm +1,234 +1,234  the same run')

    def test_quick_is_lint_host_and_what_changed_but_the_whole_gpu(self):
        self.everything_is_built()
        ran, said = self.run_part('quick', '--since', 'abc', 'b.sh')
        self.assertEqual(ran, {'a_test', 'b_test', 'lint', 'program_half_model_cc80', 'program_warp_lockstep_cc80', 'program_half_lockstep_cc80'})

    def test_what_was_never_built_counts_as_reached(self):
        self.assertIn('a_test', self.run_part('changed', 'README.md')[0])

    def test_a_failing_test_and_a_failing_build_end_it_so(self):
        self.write('a.sh', '#!/bin/sh\nexit 1\n')
        self.run_part('host', status=1)
        (self.root / 'a.sh').unlink()
        self.assertEqual(self.run_part('host', status=1)[0], set())

    def test_it_says_that_it_does_not_know_what_configures(self):
        self.everything_is_built()
        self.assertIn('CMakeLists.txt changes what is built', self.run_part('changed', 'tests/CMakeLists.txt')[1])


if __name__ == '__main__':
    unittest.main()
