#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What from_rtl.py takes of the sources that it is given."""
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
        self.folder = pathlib.Path(folder.name)
        for name, text in SOURCES.items():
            (self.folder / name).write_text(text, encoding='utf-8')

    def run_script(self, *options, top='whole', sources=('base_pkg.sv', 'word_pkg.sv', 'other_pkg.sv', 'part.sv', 'spare.sv', 'whole.sv'),
                   commands=(('sh', '-c', 'echo "$@" >out', 'sh', '@SOURCES@', 'last'),)):
        """Status, what it said, and the lists of sources that the command got and the depfile names."""
        words = [SCRIPT, '--root', self.folder, '--top', top, '--output', 'out', '--depfile', 'out.d', *options, '--sources', *sources]
        for command in commands:
            words += ['--run', *command]
        done = subprocess.run(words, cwd=self.folder, capture_output=True, text=True)
        read = {name: (self.folder / name).read_text(encoding='utf-8').split() if (self.folder / name).exists() else None for name in ('out', 'out.d')}
        return done.returncode, done.stderr, read['out'], read['out.d']

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


if __name__ == '__main__':
    unittest.main()
