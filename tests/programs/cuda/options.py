#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles the CUDA programs and the examples with compilers and options in every combination and runs them on the golden model.

  options.py --build BUILD                                   all programs, all options, every clang++-NN that is there
  options.py --build BUILD --compiler clang++-14 calls:O0    one program with one option

A program checks itself: what counts is that it compiles and says PASS. One line a combination; exit status 1 when one failed."""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
OPTIONS = {
    "O0": ["-O0"],
    "O1": ["-O1"],
    "O2": ["-O2"],
    "O3": ["-O3"],
    "Os": ["-Os"],
    "g": ["-g", "-O0"],
    "lineinfo": ["-gline-tables-only", "-O2"],
    "G": ["-g", "--cuda-noopt-device-debug", "-O2"],
    "fast-math": ["-O2", "-ffast-math"],
    "ftz": ["-O2", "-fcuda-flush-denormals-to-zero"],
    "sm_90": ["-O2", "--no-cuda-gpu-arch=sm_80", "--cuda-gpu-arch=sm_90"],
    "registers": ["-O2", "-Xcuda-ptxas", "--maxrregcount=24"],
    "rdc": ["-O2", "-rdc=true"],  # by nvcc, which calls the device linker
}
PROGRAMS = ["warp", "threads", "atomics", "calls", "heap", "managed", "simd", "groups", "tiles", "per_thread", "double", "half", "half_functions", "fp8", "pipeline", "wmma"]
EXAMPLES = ["vecadd", "saxpy", "sgemm", "reduction", "histogram", "mandelbrot", "nbody", "transpose", "bitonic_sort", "life"]
DEFINES = {"per_thread": ["-DCUDA_API_PER_THREAD_DEFAULT_STREAM"]}
BIT_BY_BIT = ("double", "half", "half_functions", "fp8", "wmma")
LIKE_THE_HOST = ("saxpy", "sgemm", "nbody")


def left_out(compiler, program, option):
    """Why a combination means nothing; None when it does."""
    def older_than(version):
        return any(compiler.endswith(f"-{n}") for n in range(10, version))
    if program in BIT_BY_BIT and option in ("fast-math", "ftz"):
        return "its results are compared bit by bit"
    if program in LIKE_THE_HOST and option == "fast-math":
        return "its results are compared bit by bit with the host's, and host and device round differently then"
    if program == "half" and older_than(17):
        return "no _Float16 for NVPTX in this clang"
    if program == "warp" and older_than(16):
        return "this clang gives match.sync.b64 a 64-bit result, which no ptxas takes"
    if option == "Os" and (program in ("atomics", "tiles") and older_than(17) or program == "groups" and older_than(16)):
        return "this clang makes a memset of shared or local memory, which it cannot lower: 'cannot lower memory intrinsic'"
    if program == "calls" and older_than(17):
        return "no alloca for NVPTX in this clang"
    return None


def command(build, compiler, program, option, output):
    toolkit = os.path.join(build, "toolkit")
    source = os.path.join(HERE, program + ".cu")
    if program in EXAMPLES:
        source = os.path.join(HERE, "..", "..", "..", "examples", program, program + ".cu")
    common = ["-std=c++17", *DEFINES.get(program, []), source, "-o", output]
    if option == "rdc":
        return [os.path.join(toolkit, "bin", "nvcc"), "-arch=sm_80", *OPTIONS[option], *common]
    return [compiler, "-x", "cuda", f"--cuda-path={toolkit}", "--cuda-gpu-arch=sm_80", "-Wno-unknown-cuda-version",
            *OPTIONS[option], *common, f"-L{toolkit}/lib64", f"-Wl,-rpath,{toolkit}/lib64", "-lcudart"]


def run(build, compiler, program, option, preset):
    """(verdict, detail)"""
    why = left_out(compiler, program, option)
    if why:
        return "left out", why
    with tempfile.TemporaryDirectory() as folder:
        output = os.path.join(folder, program)
        environment = {**os.environ, "HEDDLE_HOME": build, "HEDDLE_DEVICE": "model", "HEDDLE_PRESET": preset,
                       "HEDDLE_CLANG": compiler}
        try:
            built = subprocess.run(command(build, compiler, program, option, output), env=environment, timeout=900,
                                   capture_output=True, text=True)
            if built.returncode:
                return "does not compile", built.stderr
            ran = subprocess.run([output], env=environment, timeout=900, capture_output=True, text=True)
        except subprocess.TimeoutExpired as late:
            return "takes too long", str(late)
    if ran.returncode or not ran.stdout.rstrip().endswith("PASS"):
        return f"fails with status {ran.returncode}", ran.stdout[-1500:] + ran.stderr[-1500:]
    return "passes", ""


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--build", required=True)
    arguments.add_argument("--compiler", action="append", default=[])
    arguments.add_argument("--preset", default="cc80")
    arguments.add_argument("--jobs", type=int, default=2)
    arguments.add_argument("cells", nargs="*", metavar="PROGRAM:OPTION")
    given = arguments.parse_args()
    compilers = given.compiler or [f"clang++-{n}" for n in range(14, 30) if shutil.which(f"clang++-{n}")]
    cells = [cell.split(":") for cell in given.cells] or [[p, o] for p in PROGRAMS + EXAMPLES for o in OPTIONS]
    for program, option in cells:
        if program not in PROGRAMS + EXAMPLES or option not in OPTIONS:
            arguments.error(f"no '{program}:{option}': programs are {', '.join(PROGRAMS + EXAMPLES)}; options {', '.join(OPTIONS)}")
    work = [(c, p, o) for c in compilers for p, o in cells]
    failed = 0
    with ThreadPoolExecutor(given.jobs) as pool:
        results = pool.map(lambda cell: run(os.path.abspath(given.build), *cell, given.preset), work)
        for (compiler, program, option), (verdict, detail) in zip(work, results):
            print(f"{os.path.basename(compiler)} {program}:{option} {verdict}", flush=True)
            if verdict not in ("passes", "left out"):
                failed += 1
                print(detail, flush=True)
    print(f"{len(work) - failed} passed, {failed} failed")
    return 1 if failed or not work else 0


if __name__ == "__main__":
    sys.exit(main())
