#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What the FPGA flow refuses, and how it says so: no tools and no network, a clock the board cannot make, a design that
does not hold its clock; and what a run that fails leaves behind.   flow_test.py BUILD-FOLDER WORK-FOLDER"""
import argparse
import os
import pathlib
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[4]
FLOW = ROOT / 'fpga' / 'flow'
sys.path.insert(0, str(FLOW))
sys.dont_write_bytecode = True
import flow  # noqa: E402

BUILD, WORK = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])


def tool(name, script):
    """A program that stands in for one of the system's, the first to be found."""
    WORK.joinpath('bin').mkdir(parents=True, exist_ok=True)
    file = WORK / 'bin' / name
    file.write_text(f'#!/bin/sh\n{script}\n', encoding='utf-8')
    file.chmod(0o755)


def run(*command):
    path = f'{WORK / "bin"}:{os.environ["PATH"]}'
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, check=False, env={**os.environ, 'PATH': path})
    return done.returncode, done.stdout + done.stderr


class Refused(unittest.TestCase):
    def test_no_network_names_the_packages_and_the_release(self):
        tool('patchelf', 'exit 0')
        tool('apt-get', 'case "$*" in *indextargets*) echo http://mirror.invalid/debian ;; *) echo "Could not resolve mirror.invalid"; exit 100 ;; esac')
        status, said = run(FLOW / 'fetch_tools.sh', WORK / 'tools')
        self.assertEqual(status, 1)
        self.assertIn('cannot reach the Debian mirror: Could not resolve mirror.invalid', said)
        self.assertIn('on Debian 13 install these packages instead: yosys yosys-abc nextpnr-ecp5', said)
        self.assertFalse((WORK / 'tools' / 'complete').exists())

    def test_clock_that_the_board_does_not_make(self):
        status, said = run(sys.executable, '-B', FLOW / 'flow.py', '--build', BUILD, '--tools', WORK, '--freq', '30', '--synthesis-only')
        self.assertEqual(status, 1)
        self.assertIn('--freq: the board makes multiples of 12.5 MHz up to 100, not 30.0 MHz', said)

    def test_no_bitstream_of_a_design_that_does_not_hold_its_clock(self):
        design = flow.Flow.__new__(flow.Flow)
        design.work, design.preset, design.clock_khz = WORK, 'tiny', 25000
        design.o = argparse.Namespace(tools=WORK / 'bin')
        bitstream = WORK / 'top.bit'
        bitstream.unlink(missing_ok=True)
        with self.assertRaisesRegex(SystemExit, 'tiny holds 24.9 MHz, not the 25.0 of its clock: no bitstream'):
            design.pack(24.9)
        self.assertFalse(bitstream.exists())
        tool('ecppack', 'touch "$4"')
        design.pack(25.0)
        self.assertTrue(bitstream.exists())

    def test_nothing_of_an_earlier_run_is_left_by_one_that_fails(self):
        class Synthesized(flow.Flow):
            def __init__(self):
                self.work, self.preset, self.clock_khz, self.modules = WORK, 'tiny', 25000, {}
                self.o = argparse.Namespace(top='top', only=[], synthesis_only=False, tools=WORK / 'bin', board='ulx3s', seed='1', hours=1)

            elaborate = synthesize = link = lambda *_: None

        class Refused(Synthesized):
            def elaborate(self):
                flow.fail('elaboration failed')

        (WORK / 'flat.json').write_text('{"design": {"num_cells_by_type": {}}}')
        tool('nextpnr-ecp5', 'echo "ERROR: routing failed"; exit 1')
        for design, reason in ((Refused(), 'elaboration failed'), (Synthesized(), 'place and route failed .*(.|\n)*routing failed')):
            products = [WORK / name for name in ('top.config', 'report.json', 'top.bit')]
            for product in products:
                product.write_text('of an earlier run')
            with self.assertRaisesRegex(SystemExit, reason):
                design.run()
            self.assertEqual([p.name for p in products if p.exists()], [])
        # Synthesis alone leaves what was placed.
        design.o.synthesis_only = True
        products[-1].write_text('of an earlier run')
        design.run()
        self.assertTrue(products[-1].exists())

    def test_a_tool_that_does_not_end(self):
        with self.assertRaisesRegex(SystemExit, 'place and route: no end after 0.0001 hours, log .*nextpnr.log'):
            flow.run(['sleep', '60'], 'place and route', WORK / 'nextpnr.log', 0.0001)


if __name__ == '__main__':
    WORK.mkdir(parents=True, exist_ok=True)
    unittest.main(argv=sys.argv[:1])
