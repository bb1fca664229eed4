#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds CUDA headers against what another toolkit's say: the values of enumerators and macros, the sizes of structures and
the places of their members, the symbols that functions' names stand for, and prototypes.

  header_values.py list INCLUDE HEADER           the names in our header, a line each: kind, name
  header_values.py ask INCLUDE HEADER < LIST     the same lines and the values that this toolkit's compiler gives them
  header_values.py check INCLUDE HEADER VALUES   whether ours has these values, and each of our names is among them
"""
import pathlib
import re
import subprocess
import sys
import tempfile

NAME = r"[A-Za-z_]\w*"
# Of versions, of compilers, and of how a declaration is written; not values.
NOT_VALUES = r"CUDAAPI|CUDA_CB|CUDART_CB|CUDARTAPI\w*|CUDA(RT)?_VERSION|CUDA_DEVICE_PTR.*|CUDA_ENABLE.*|CUDA_FORCE.*|cudaGetDeviceProperties"


def preprocessed(include, header, *more):
    command = ["cc", "-E", "-P", "-I", include, *more, "-x", "c", "-"]
    return subprocess.run(command, input=f"#include <{header}>\n", capture_output=True, text=True, check=True).stdout


def closing(text, begin):
    depth = 0
    for i in range(begin, len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text)


def members(body):
    """Of a structure's body, those of structures in it after a point."""
    found = []
    while body:
        inner = re.match(r"\s*(?:const\s+)?(?:struct|union)\s*(?:%s\s*)?{" % NAME, body)
        if inner:
            end = closing(body, inner.end() - 1)
            stop = body.index(";", end)
            name = re.match(r"\s*(%s)" % NAME, body[end + 1:stop])
            prefix = name[1] + "." if name else ""
            found += ([name[1]] if name else []) + [prefix + m for m in members(body[inner.end():end])]
        else:
            stop = body.find(";")
            if stop < 0:
                break
            for part in body[:stop].split(","):
                pointer = re.search(r"\(\s*(?:%s\s*)?\*\s*(%s)\s*\)" % (NAME, NAME), part)
                plain = re.search(r"(%s)\s*(\[[^]]*\]\s*)*$" % NAME, part)
                if (pointer or plain) and "__" not in part:
                    found.append((pointer or plain)[1])
        body = body[stop + 1:]
    return found


def names(include, header):
    text = preprocessed(include, header)
    ours = lambda name: re.match(r"(struct |union )?(cu[A-Z]|CU|cuda[A-Z])|(struct )?(textureReference|surfaceReference|dim3)", name)
    for m in re.finditer(r"enum\b[^{};()]*{([^}]*)}", text):
        for e in m[1].split(","):
            if e.strip() and ours(e.strip()):
                yield "value", re.match(NAME, e.strip())[0]
    for m in re.finditer(r"(typedef\s+)?\b(struct|union)\s*(?:__attribute__\(\(.*?\)\)\s*)*(%s)?\s*{" % NAME, text):
        end = closing(text, m.end() - 1)
        after = re.match(r"\s*(%s)" % NAME, text[end + 1:])
        name = after[1] if m[1] and after else f"{m[2]} {m[3]}"
        if ours(name):
            yield "size", name
            for member in members(text[m.end():end]):
                yield "place", f"{name} {member}"
    macros = preprocessed(include, header, "-dM")
    for m in sorted(re.finditer(r"#define (%s) (.+)" % NAME, macros), key=lambda m: m[1]):
        if re.match(r"(CU|cuda)[A-Z_]", m[1]) and not re.fullmatch(NOT_VALUES, m[1]) and not m[2].startswith('"'):
            yield "value", m[1]
    # Under their own names, which the preprocessor would replace.
    for m in re.finditer(r"\b(CUresult|cudaError_t)\s+(?:\w+\s+)*?(cu\w+)\s*\(((?:[^;(){}]|\([^;(){}]*\))*)\)\s*;", prototypes(include, header, text)):
        yield "function", f"{m[1]} {m[2]} " + " ".join(m[3].split())


def prototypes(include, header, text):
    file = pathlib.Path(include, "crt/driver_api_cu.h")
    return file.read_text().split("#if defined(__CUDA_API_VERSION_INTERNAL)")[0] if header == "cuda.h" else text


def program(lines, header):
    """A C program, a line of it each line of the list."""
    yield f"#include <stdio.h>\n#include <stddef.h>\n#include <{header}>\n#define T(x) #x\n#define U(x) T(x)\nint main(void) {{"
    for kind, name in lines:
        if kind == "value":
            yield f'printf("value\\t{name}\\t%lld\\n", (long long)({name}));'
        elif kind == "size":
            yield f'printf("size\\t{name}\\t%zu\\n", sizeof({name}));'
        elif kind == "place":
            whole, member = name.rsplit(" ", 1)
            yield f'printf("place\\t{name}\\t%zu\\n", offsetof({whole}, {member}));'
        else:
            result, function, parameters = name.split(" ", 2)
            yield f'{{ {result} {function}({parameters}); puts("function\\t{name}\\t" U({function})); }}'
    yield "return 0; }"


def ask(include, header, lines):
    """Values of those lines that compile."""
    with tempfile.TemporaryDirectory() as work:
        source, binary = pathlib.Path(work, "ask.c"), pathlib.Path(work, "ask")
        while True:
            source.write_text("\n".join(program(lines, header)))
            command = ["cc", "-w", "-fmax-errors=0", "-I", include, source, "-o", binary, "-Wl,--unresolved-symbols=ignore-all"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode == 0:
                return subprocess.run([binary], capture_output=True, text=True, check=True).stdout.splitlines()
            bad = {int(n) - 7 for n in re.findall(r"ask\.c:(\d+):\d+: (?:error|note: in exp)", done.stderr)}
            if not bad or min(bad) < 0:
                sys.exit(done.stderr)
            lines = [l for i, l in enumerate(lines) if i not in bad]


def check(include, header, values):
    rows = [l.rstrip("\n").split("\t") for l in open(values) if not l.startswith("#")]
    # The last column: what ours has where the other toolkit's version has something else.
    theirs = {"\t".join(row[:2]): row[-1] for row in rows}
    listed = dict.fromkeys("\t".join(l) for l in names(include, header))
    ours = dict(l.rsplit("\t", 1) for l in ask(include, header, [l.split("\t") for l in {**listed, **theirs}]))
    wrong = [f"{l}: {ours.get(l, 'absent')}, not {v}" for l, v in theirs.items() if v != "absent" and ours.get(l) != v]
    wrong += [f"{l}: nobody was asked for it" for l in listed if l not in theirs]
    print("\n".join(wrong) or f"{len(theirs)} values are the same")
    return bool(wrong)


def main():
    mode, include, header = sys.argv[1:4]
    if mode == "list":
        print("\n".join("\t".join(l) for l in dict.fromkeys(names(include, header))))
    elif mode == "ask":
        asked = [l.rstrip("\n") for l in sys.stdin]
        said = dict(l.rsplit("\t", 1) for l in ask(include, header, [l.split("\t") for l in asked]))
        print("\n".join(f"{l}\t{said.get(l, 'absent')}" for l in asked))
    else:
        return check(include, header, sys.argv[4])
    return 0


if __name__ == "__main__":
    sys.exit(main())
