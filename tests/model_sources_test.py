#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""model_sources_test.py SHARE: what is done to the C++ that Verilator writes, before it is compiled: share makes instances use one copy of
their code, few_units.py few translation units of many. And what is read there: wide_copies.py lists copies."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

FEW_UNITS = pathlib.Path(__file__).resolve().parent.parent / 'cmake' / 'few_units.py'
WIDE_COPIES = FEW_UNITS.parent.parent / 'sim' / 'verilator' / 'wide_copies.py'
SHARE = ''

HEAD = 'VL_INLINE_OPT void Vtop_part___nba_sequent__TOP__top__DOT__g__BRA__{0}__KET____DOT__u_part__0(Vtop_part* vlSelf) {{\n'
ASSERTION = ('    VL_WRITEF("[%0t] %%Error: part.sv:9: {what} in %Ntop.g[{0}].u_part.u_queue.a_room: full; {more}\\n",\n'
             '              64,VL_TIME_UNITED_Q(1),-9,vlSymsp->name(){names});\n')
CALL = '    Vtop_part___nba_sequent__TOP__top__DOT__g__BRA__{0}__KET____DOT__u_part__0((&vlSymsp->TOP__top__DOT__g__BRA__{0}));\n'


def method(instance, body):
    return HEAD.format(instance) + body + '}\n\n'


def assertion(instance, what='Assertion failed', more='sorry', names=''):
    return ASSERTION.format(instance, what=what, more=more, names=names)


class InFolder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding='utf-8')

    def read(self, name):
        return (self.folder / name).read_text(encoding='utf-8')


class Share(InFolder):
    def share(self, **files):
        for name, text in files.items():
            self.write(f'{name}.cpp', text)
        done = subprocess.run([SHARE, self.folder, 'Vtop'], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_equal_functions_become_one(self):
        self.assertIn('1 of 2', self.share(a=method(0, '    vlSelf->x = 1;\n'), b=method(1, '    vlSelf->x = 1;\n'),
                                           calls=CALL.format(0) + CALL.format(1)))
        self.assertNotIn('__BRA__1', self.read('b.cpp'))
        self.assertEqual(self.read('calls.cpp').count('nba_sequent__TOP__top__DOT__g__BRA__0__'), 2)

    def test_other_functions_stay(self):
        self.assertIn('0 of 2', self.share(a=method(0, '    vlSelf->x = 1;\n'), b=method(1, '    vlSelf->x = 2;\n')))

    def test_messages_name_the_instance(self):
        self.assertIn('1 of 2', self.share(a=method(0, assertion(0)), b=method(1, assertion(1))))
        self.assertIn('in %Nu_queue.a_room: full', self.read('a.cpp'))
        self.assertIn('vlSelf->name()', self.read('a.cpp'))
        self.assertNotIn('vlSymsp->name()', self.read('a.cpp'))

    def test_semicolons_and_quotes_of_a_message_are_its_text(self):
        self.assertIn('1 of 2', self.share(a=method(0, assertion(0, more='\\"no; room\\"')), b=method(1, assertion(1, more='\\"no; room\\"'))))

    def test_a_message_of_another_place_stays(self):
        """Its name is that of the top, whoever prints it."""
        text = '    VL_WRITEF("%Nother_pkg.f: wrong\\n",-9,vlSymsp->name());\n'
        self.assertIn('1 of 2', self.share(a=method(0, text), b=method(1, text)))
        self.assertEqual(self.read('a.cpp'), method(0, text))

    def test_a_message_of_two_places_stays(self):
        two = [assertion(i, more=f'not %Ntop.g[{1 - i}].u_part.u_queue', names=',vlSymsp->name()') for i in (0, 1)]
        self.assertIn('0 of 2', self.share(a=method(0, two[0]), b=method(1, two[1])))
        self.assertEqual(self.read('a.cpp'), method(0, two[0]))


class FewUnits(InFolder):
    MAKEFILE = 'VM_PARALLEL_BUILDS = {parallel}\n' + ''.join(
        f'# {name}\nVM_{name} += \\\n{{{name}}}\n' for name in ('CLASSES_FAST', 'CLASSES_SLOW', 'SUPPORT_FAST', 'SUPPORT_SLOW'))

    def few_units(self, parallel=1, **lists):
        names = {name: '' for name in ('CLASSES_FAST', 'CLASSES_SLOW', 'SUPPORT_FAST', 'SUPPORT_SLOW')}
        for name, files in lists.items():
            names[name] = ''.join(f'\t{file} \\\n' for file in files)
            for file, size in files.items():
                self.write(f'{file}.cpp', ' ' * size)
        self.write('Vtop_classes.mk', self.MAKEFILE.format(parallel=parallel, **names))
        return subprocess.run([sys.executable, FEW_UNITS, self.folder, 'Vtop'], text=True, capture_output=True)

    def test_small_files_are_one(self):
        done = self.few_units(CLASSES_FAST={'Vtop': 10, 'Vtop__0': 20}, CLASSES_SLOW={'Vtop__0__Slow': 1})
        self.assertEqual((done.returncode, done.stderr), (0, ''))
        self.assertEqual(self.read('Vtop__vm_classes_fast_0.cpp'), '#include "Vtop.cpp"\n#include "Vtop__0.cpp"\n')
        self.assertEqual(self.read('Vtop__vm_classes_slow_0.cpp'), '#include "Vtop__0__Slow.cpp"\n')
        self.assertEqual(self.read('Vtop_classes.mk'), self.MAKEFILE.format(
            parallel=1, CLASSES_FAST='\tVtop__vm_classes_fast_0 \\\n', CLASSES_SLOW='\tVtop__vm_classes_slow_0 \\\n', SUPPORT_FAST='',
            SUPPORT_SLOW=''))

    def test_large_files_stay_apart(self):
        self.few_units(CLASSES_FAST={'Vtop': 3 << 20, 'Vtop__0': 2 << 20, 'Vtop__1': 2 << 20, 'Vtop__2': 9 << 20})
        units = [self.read(f'Vtop__vm_classes_fast_{i}.cpp').split() for i in range(3)]
        self.assertEqual([unit[1::2] for unit in units], [['"Vtop.cpp"'], ['"Vtop__0.cpp"', '"Vtop__1.cpp"'], ['"Vtop__2.cpp"']])

    def test_waveforms_have_their_own(self):
        """Makefiles compile what is called so with other flags."""
        self.few_units(SUPPORT_FAST={'Vtop__Dpi': 1, 'Vtop__Trace__0': 1, 'Vtop__Trace__1': 1})
        self.assertEqual(self.read('Vtop__Trace__vm_support_fast_0.cpp').count('#include'), 2)
        self.assertEqual(self.read('Vtop__vm_support_fast_0.cpp'), '#include "Vtop__Dpi.cpp"\n')

    def test_what_verilator_compiles_as_one_stays(self):
        self.few_units(parallel=0, CLASSES_FAST={'Vtop': 1})
        self.assertFalse((self.folder / 'Vtop__vm_classes_fast_0.cpp').exists())

    def test_a_makefile_of_another_form(self):
        self.write('Vtop_classes.mk', 'VM_PARALLEL_BUILDS = 1\n')
        done = subprocess.run([sys.executable, FEW_UNITS, self.folder, 'Vtop'], text=True, capture_output=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('Vtop_classes.mk: no list VM_CLASSES_FAST', done.stderr)



class WideCopies(InFolder):
    def test_lists_what_is_copied_outside_of_all_conditions(self):
        words = ''.join(f'    vlSelf->__PVT__u_part__DOT__row[{n:#x}U]\n        = vlSelf->other[{n}U];\n' for n in range(12))
        self.write('Vtop__0.cpp', method(0, words + '    VL_ASSIGN_W(640,vlSelf->whole, vlSelf->other);\n    vlSelf->few[1U] = 0U;\n'
                                         '    if (vlSelf->valid) {\n        VL_ASSIGN_W(640,vlSelf->rare, vlSelf->other);\n    }\n'))
        self.write('Vtop__0__Slow.cpp', method(1, '    VL_ASSIGN_W(640,vlSelf->once, vlSelf->other);\n'))
        done = subprocess.run([WIDE_COPIES, self.folder], text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual([line.split() for line in done.stdout.splitlines()], [['20', 'Vtop_part', 'whole'], ['12', 'Vtop_part', 'u_part.row']])


if __name__ == '__main__':
    SHARE = sys.argv.pop(1)
    unittest.main()
