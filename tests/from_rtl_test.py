#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What from_rtl.py takes of the sources that it is given, and what it keeps of what it makes."""
import os
import pathlib
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parent.parent / 'cmake' / 'from_rtl.py'

SOURCES = {
    'base_pkg.sv': 'package base_pkg;\n  localparam int W = 4;\nendpackage\n',
    'word_pkg.sv': 'package word_pkg;\n  typedef logic [base_pkg::W-1:0] word_t;\nendpackage\n',
    'other_pkg.sv': 'package other_pkg;\n  localparam int N = 2;\nendpackage\n',
    'part.sv': 'module part (input word_pkg::word_t a_i);\nendmodule\n',
    'spare.sv': 'module spare import other_pkg::*; ();\nendmodule\n',
    # What a comment or a text names is not needed.
    'whole.sv': '// as spare\nmodule whole;\n  /* of\n     other_pkg */\n  part u_part (.a_i(0));\n'
                '  initial $display("spare");\nendmodule\n',
    'views.sv': 'module view;\n  spare u_spare ();\nendmodule\nbind part view u_view ();\n',
}


class FromRtl(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = pathlib.Path(folder.name) / 'cache'
        self.environment = {**os.environ, 'HEDDLE_MODEL_CACHE': str(self.cache)}
        self.folder = self.clone(pathlib.Path(folder.name) / 'clone')

    def clone(self, folder):
        folder.mkdir()
        for name, text in SOURCES.items():
            (folder / name).write_text(text, encoding='utf-8')
        tool = folder.parent / 'tool'
        tool.write_text('#!/bin/sh\necho 1\n', encoding='utf-8')
        tool.chmod(0o755)
        return folder

    def start(self, *options, top='whole', sources=('base_pkg.sv', 'word_pkg.sv', 'other_pkg.sv', 'part.sv', 'spare.sv', 'whole.sv'),
              commands=(('sh', '-c', 'echo "$@" >out; echo run >>runs', 'sh', '@SOURCES@', 'last'),)):
        words = [SCRIPT, '--root', self.folder, '--build', self.folder / 'build', '--top', top, '--depfile', 'out.d',
                 '--tool', self.folder.parent / 'tool', *options, '--sources', *sources, '--output', 'out']
        for command in commands:
            words += ['--run', *command]
        return subprocess.Popen(words, cwd=self.folder, env=self.environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def read(self, name):
        file = self.folder / name
        return file.read_text(encoding='utf-8').split() if file.exists() else None

    def run_script(self, *options, **given):
        """Status, what it said, and the lists of sources that the command got and the depfile names."""
        process = self.start(*options, **given)
        _, said = process.communicate()
        return process.returncode, said, self.read('out'), self.read('out.d')

    def runs_after(self, *options, **given):
        """How often the commands have run in this folder, after one more call that must succeed; and what it said."""
        status, said, out, depends = self.run_script(*options, **given)
        self.assertEqual(status, 0, said)
        self.assertTrue(out and depends)
        return len(self.read('runs') or []), said

    def test_what_the_module_imports_and_instantiates_in_the_order_given(self):
        needed = ['base_pkg.sv', 'word_pkg.sv', 'part.sv', 'whole.sv']
        status, said, given, depends = self.run_script()
        self.assertEqual((status, said), (0, ''))
        self.assertEqual(given, [*needed, 'last'])
        self.assertEqual(depends, ['out:', *needed])

    def test_what_files_beside_them_name_counts_and_they_too(self):
        status, said, given, depends = self.run_script('--also', 'views.sv')
        self.assertEqual((status, said), (0, ''))
        self.assertEqual(given, ['base_pkg.sv', 'word_pkg.sv', 'other_pkg.sv', 'part.sv', 'spare.sv', 'whole.sv', 'last'])
        self.assertEqual(depends, ['out:', *given[:-1], 'views.sv'])

    def test_commands_run_in_the_root_with_paths_relative_to_it(self):
        _, _, given, depends = self.run_script(top='word_pkg', sources=[self.folder / 'base_pkg.sv', self.folder / 'word_pkg.sv'],
                                               commands=(('sh', '-c', 'echo "$@" "$CCACHE_BASEDIR" >out', 'sh', f'{self.folder}/a', '@SOURCES@'),))
        self.assertEqual(given, ['a', 'base_pkg.sv', 'word_pkg.sv', str(self.folder)])
        self.assertEqual(depends, ['out:', f'{self.folder}/base_pkg.sv', f'{self.folder}/word_pkg.sv'])

    def test_a_source_that_binds_counts_though_nothing_names_it(self):
        _, _, given, _ = self.run_script(sources=('base_pkg.sv', 'word_pkg.sv', 'other_pkg.sv', 'part.sv', 'spare.sv', 'whole.sv', 'views.sv'))
        self.assertEqual(given, [*SOURCES, 'last'])

    def test_a_module_that_no_source_declares_is_named(self):
        status, said, given, _ = self.run_script(top='hole')
        self.assertEqual((status, given), (1, None))
        self.assertIn('no source declares hole', said)

    def test_a_command_that_fails_ends_it(self):
        status, said, given, depends = self.run_script(commands=(('sh', '-c', 'exit 3'), ('sh', '-c', 'touch out')))
        self.assertEqual((status, given, depends), (1, None, None))
        self.assertIn('sh ended with 3', said)

    # ---- what is kept ----

    def test_what_was_made_is_made_once_also_for_another_clone(self):
        self.assertEqual(self.runs_after(), (1, ''))
        out = self.read('out')
        self.assertEqual(self.runs_after(), (1, ''))
        self.folder = self.clone(self.folder.parent / 'elsewhere')
        self.assertEqual(self.runs_after(), (0, ''))
        self.assertEqual(self.read('out'), out)

    def test_everything_that_it_is_made_of_counts_and_nothing_else(self):
        self.runs_after()
        (self.folder / 'spare.sv').write_text('module spare;\nendmodule\n', encoding='utf-8')
        self.assertEqual(self.runs_after()[0], 1)
        (self.folder / 'base_pkg.sv').write_text(SOURCES['base_pkg.sv'].replace('4', '5'), encoding='utf-8')
        self.assertEqual(self.runs_after()[0], 2)
        (self.folder / 'script').write_text('a', encoding='utf-8')
        self.assertEqual(self.runs_after('--file', 'script')[0], 3)
        (self.folder / 'script').write_text('b', encoding='utf-8')
        self.assertEqual(self.runs_after('--file', 'script')[0], 4)
        self.assertEqual(self.runs_after('--also', 'views.sv')[0], 5)
        self.assertEqual(self.runs_after(commands=(('sh', '-c', 'echo other >out; echo run >>runs'),))[0], 6)
        (self.folder.parent / 'tool').write_text('#!/bin/sh\necho 2\n', encoding='utf-8')
        self.assertEqual(self.runs_after()[0], 7)
        self.environment['CXXFLAGS'] = '-Og'
        self.assertEqual(self.runs_after()[0], 8)
        self.assertEqual(self.runs_after()[0], 8)

    def test_a_source_written_meanwhile_is_not_taken_for_the_one_that_was_read(self):
        edit = ('sh', '-c', 'echo run >>runs; cat word_pkg.sv >out; echo "// later" >>word_pkg.sv')
        self.runs_after(commands=(edit,))
        (self.folder / 'word_pkg.sv').write_text(SOURCES['word_pkg.sv'], encoding='utf-8')
        self.assertEqual(self.runs_after(commands=(edit,))[0], 2)

    def test_a_damaged_entry_is_noticed_and_made_anew(self):
        self.runs_after()
        out = self.read('out')
        entry, = self.cache.iterdir()
        whole = entry.read_bytes()
        for i, damaged in enumerate((whole[:-1], whole[:100], b'', whole[:90] + bytes([whole[90] ^ 1]) + whole[91:])):
            entry.write_bytes(damaged)
            runs, said = self.runs_after()
            self.assertEqual((runs, self.read('out')), (2 + i, out))
            self.assertIn('is damaged', said)
            self.assertEqual(self.runs_after(), (2 + i, ''))

    def test_an_output_whose_content_stays_keeps_its_time(self):
        self.runs_after()
        time = (self.folder / 'out').stat().st_mtime_ns
        self.runs_after()
        (self.folder / 'base_pkg.sv').write_text('//\n' + SOURCES['base_pkg.sv'], encoding='utf-8')
        self.assertEqual(self.runs_after()[0], 2)
        self.assertEqual((self.folder / 'out').stat().st_mtime_ns, time)

    def test_what_fails_is_not_kept(self):
        self.run_script(commands=(('sh', '-c', 'echo half >out'), ('false',)))
        self.assertFalse(self.cache.exists())

    def test_builds_at_the_same_time_do_not_disturb_each_other(self):
        slow = ('sh', '-c', 'sleep 0.3; echo "$@" >out', 'sh', '@SOURCES@')
        processes = [self.start(commands=(slow,)) for _ in range(4)]
        for process in processes:
            _, said = process.communicate()
            self.assertEqual((process.returncode, said), (0, ''))
        self.assertEqual(len(list(self.cache.iterdir())), 1)

    def test_it_can_be_switched_off(self):
        self.environment['HEDDLE_MODEL_CACHE'] = 'OFF'
        self.runs_after()
        self.assertEqual(self.runs_after()[0], 2)
        self.assertFalse((self.folder / 'OFF').exists())

    def test_a_cache_that_cannot_be_written_is_said_and_nothing_else_fails(self):
        self.cache.write_text('', encoding='utf-8')
        self.assertIn('a model is not kept', self.runs_after()[1])

    def test_above_its_size_what_was_not_used_for_longest_goes(self):
        self.environment['HEDDLE_MODEL_CACHE_MB'] = '1'

        def big(name):  # 0.4 MB that do not shrink
            return ('sh', '-c', f'echo {name} run >>runs; head -c 400000 /dev/urandom | base64 -w0 >out'),
        for name in 'ab':
            self.runs_after(commands=big(name))
        os.utime(max(self.cache.iterdir(), key=lambda file: file.stat().st_mtime), (1, 1))  # b
        self.runs_after(commands=big('c'))
        self.assertEqual(len(list(self.cache.iterdir())), 2)
        for name in 'acb':
            self.runs_after(commands=big(name))
        self.assertEqual(self.read('runs')[::2], ['a', 'b', 'c', 'b'])

    def test_it_says_what_is_kept_and_empties_it(self):
        def tell(*options):
            return subprocess.run([SCRIPT.with_name('model_cache.py'), *options], env=self.environment, capture_output=True, text=True).stdout
        self.runs_after()
        (self.cache / 'new-left').write_text('by a killed build', encoding='utf-8')
        self.assertRegex(tell(), f'kept: 2, 0.0 MB of at most 2048 MB, in {self.cache}')
        self.assertRegex(tell('--clear'), f'thrown away: 2, 0.0 MB, in {self.cache}')
        self.assertRegex(tell(), 'kept: 0,')


if __name__ == '__main__':
    unittest.main()
