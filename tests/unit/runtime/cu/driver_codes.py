#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks our driver what silicon's was asked: tests/silicon/h200_driver/driver_codes.c on the golden model, beside codes.tsv.

A fourth column there is what ours answers where that is meant to be something else; "any" depends on time or size.
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def main():
    compiler, source, build = sys.argv[1:4]
    recorded = pathlib.Path(source, "tests/silicon/h200_driver")
    with tempfile.TemporaryDirectory() as work:
        program = pathlib.Path(work, "driver_codes")
        subprocess.run([compiler, "-w", "-I", f"{source}/firmware/include", recorded / "driver_codes.c", "-o", program, "-L",
                        f"{build}/lib", "-lcuda", f"-Wl,-rpath,{build}/lib"], check=True)
        environment = {**os.environ, "HEDDLE_HOME": build, "HEDDLE_DEVICE": "model", "HEDDLE_PRESET": "cc90"}
        ran = subprocess.run([program], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, timeout=100)
    ours = [line.split("\t") for line in ran.stdout.splitlines()]
    theirs = [line.split("\t") for line in (recorded / "codes.tsv").read_text().splitlines() if not line.startswith("#")]
    wrong = abs(len(ours) - len(theirs))
    for said, expected in zip(ours, theirs):
        allowed = expected[3] if len(expected) > 3 else expected[2]
        if said[:2] != expected[:2] or allowed not in ("any", said[2]):
            print("ours:", *said, "silicon's:", *expected)
            wrong += 1
    print(f"{len(theirs)} answers, {wrong} wrong")
    return wrong != 0 or ran.returncode != 0


if __name__ == "__main__":
    sys.exit(main())
