#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fits the polynomials of the device library and writes polynomials.h.

Run by hand when a polynomial changes (needs python3-mpmath; gmpy2 makes it fast); the result is
committed, so building needs neither. Each fit is a weighted least-squares fit on Chebyshev nodes,
driven towards minimax by Lawson's reweighting, then rounded coefficient by coefficient from the
lowest, refitting the rest each time. `pairs`: so many of the last steps of Horner's rule, and the
argument, are pairs (pair.inc); their coefficients have two parts.

  ./fit_polynomials.py [name ...]     all, or only those named; prints the largest weighted error
"""
import multiprocessing
import re
import sys
from pathlib import Path

from mpmath import mp, mpf, cos, pi, matrix, lu_solve, ldexp

mp.dps = 110


def nodes(a, b, count):
    return [(a + b) / 2 + (b - a) / 2 * cos(pi * (2 * i + 1) / (2 * count)) for i in range(count)]


def solve(xs, ys, ws, powers):
    n = len(powers)
    basis = [[x**p * w for p in powers] for x, w in zip(xs, ws)]
    lhs, rhs = matrix(n, n), matrix(n, 1)
    for row, y, w in zip(basis, ys, ws):
        for i in range(n):
            rhs[i] += row[i] * y * w
            for j in range(i + 1):
                lhs[i, j] += row[i] * row[j]
    for i in range(n):
        for j in range(i + 1, n):
            lhs[i, j] = lhs[j, i]
    return list(lu_solve(lhs, rhs))


def round_to(value, bits):
    if value == 0:
        return mpf(0)
    man, exp = mp.frexp(value)
    return ldexp(mpf(int(mp.nint(man * 2**bits))), exp - bits)


def fit(function, weight, a, b, degree, bits, fixed=(), pairs=0):
    """Coefficients c[0..degree] of minimal max |weight (function - polynomial)| on [a, b]; `fixed` are
    given leading ones."""
    a, b = mpf(a), mpf(b)
    xs = nodes(a, b, 6 * (degree + 3))  # even: never the middle, often a removable zero
    ys = [mpf(function(x)) for x in xs]
    base = [abs(mpf(weight(x, y))) for x, y in zip(xs, ys)]
    known = [mpf(c) for c in fixed]
    while len(known) <= degree:
        powers = list(range(len(known), degree + 1))
        rest = [y - sum(c * x**i for i, c in enumerate(known)) for x, y in zip(xs, ys)]
        lawson = [mpf(1)] * len(xs)
        for _ in range(12 if len(known) == len(fixed) else 4):
            ws = [w * mp.sqrt(l) for w, l in zip(base, lawson)]
            c = solve(xs, rest, ws, powers)
            err = [abs(w * (y - sum(k * x**p for k, p in zip(c, powers))))
                   for x, y, w in zip(xs, rest, base)]
            top = max(err)
            if top == 0:
                break
            lawson = [l * (e / top + mpf(10)**-6) for l, e in zip(lawson, err)]
            scale = max(lawson)
            lawson = [l / scale for l in lawson]
        known.append(round_to(c[0], 2 * bits if len(known) < pairs else bits))
    worst = mpf(0)
    for i in range(2000):
        x = a + (b - a) * (i + mpf(1) / 2) / 2000
        y = mpf(function(x))
        worst = max(worst, abs(mpf(weight(x, y)) * (y - sum(c * x**i for i, c in enumerate(known)))))
    return known, worst


def hexadecimal(value, bits):
    if value == 0:
        return "0.0"
    sign = "-" if value < 0 else ""
    man, exp = mp.frexp(abs(value))
    whole = int(man * 2**bits)
    exp -= bits
    while whole % 16 == 0:
        whole //= 16
        exp += 4
    return f"{sign}0x{whole:x}p{exp:+d}"


# name: (what it approximates, function of mpf, weight of (x, y), from, to, degree float, degree double)
from polynomial_specs import SPECS  # noqa: E402


def pairs_of(spec, precision):
    return spec.get("pairs", (0, 0))[0 if precision == "float" else 1]


def job(args):
    name, precision = args
    spec = SPECS[name]
    bits = 24 if precision == "float" else 53
    degree = spec["degree"][0 if precision == "float" else 1]
    if degree is None:
        return name, precision, None, None
    try:
        coefficients, worst = fit(spec["f"], spec["w"], spec["a"], spec["b"], degree, bits,
                                  spec.get("fixed", ()), pairs_of(spec, precision))
    except ZeroDivisionError as error:
        print(f"{name} {precision}: {error}", flush=True)
        return name, precision, None, None
    return name, precision, coefficients, worst


def emit(name, precision, coefficients, worst):
    suffix, letter, bits = ("f", "float", 24) if precision == "float" else ("", "double", 53)
    tag = "f" if precision == "float" else "d"
    lines = [f"// {SPECS[name]['what']}; error 2^{float(mp.log(worst, 2)):.1f}",
             f"INLINE {letter} poly_{name}_{tag}({letter} x) {{"]

    def literal(c):
        return hexadecimal(c, bits) + suffix

    pairs = pairs_of(SPECS[name], precision)
    x = "x.hi" if pairs else "x"
    lines.append(f"  {letter} p = {literal(coefficients[-1])};")
    for c in reversed(coefficients[pairs:-1]):
        lines.append(f"  p = fma_{tag}(p, {x}, {literal(c)});")
    if pairs:
        lines[1] = f"INLINE pair_{tag} poly_{name}_{tag}(pair_{tag} x) {{"
        lines.append(f"  pair_{tag} s = pair_of_{tag}(p, {literal(mpf(0))});")
        for c in reversed(coefficients[:pairs]):
            hi = round_to(c, bits)
            lines.append(f"  s = pair_add_{tag}(pair_mul_{tag}(s, x), "
                         f"pair_of_{tag}({literal(hi)}, {literal(round_to(c - hi, bits))}));")
    lines += [f"  return {'s' if pairs else 'p'};", "}"]
    return "\n".join(lines)


def main():
    path = Path(__file__).with_name("polynomials.h")
    old = {}
    if path.exists():
        for m in re.finditer(r"(// [^\n]*\nINLINE \w+ (poly_\w+)\(.*?\n}\n)", path.read_text(), re.S):
            old[m[2]] = m[1].rstrip("\n")
    names = sys.argv[1:] or list(SPECS)
    with multiprocessing.Pool(2) as pool:
        for name, precision, c, worst in pool.imap_unordered(
                job, [(n, p) for n in names for p in ("double", "float")], chunksize=1):
            if c is None:
                continue
            old[f"poly_{name}_{precision[0]}"] = emit(name, precision, c, worst)
            print(f"{name} {precision}: 2^{float(mp.log(worst, 2)):.1f}", flush=True)
            write(path, old)


def write(path, functions):
    keys = [f"poly_{n}_{t}" for n in SPECS for t in "fd"]
    body = "\n\n".join(functions[k] for k in keys if k in functions)
    path.write_text(
        "// SPDX-License-Identifier: Apache-2.0\n"
        "// Made by fit_polynomials.py; do not edit. Polynomials by Horner's rule with fused steps.\n"
        "#pragma once\n\n#include \"pair.h\"\n\n" + body + "\n")


if __name__ == "__main__":
    main()
