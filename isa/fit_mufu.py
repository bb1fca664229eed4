#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Finds the tables of the special function unit in what a real one answers, and writes isa/mufu.def.

usage: fit_mufu.py RECORDS     (needs numpy)

RECORDS/sfu_FUNCTION_EXPONENT.xz hold the unit's result for each f32 of a binade (record_sfu.py beside them). For a
segment of a function's argument, coefficients are wanted with which
    c0 2^14 + sign1 (c1 x) 2^shift + sign2 (c2 s) 2^(shift + 1) + bias,      units of 2^-40,
truncated as the result is, gives every recorded bit. x is the position in the segment (17 bits), s its square from a
squarer without the partial products below 2^19. A least-squares fit gives c2 and c1 up to a unit; each pair bounds the
rest from both sides, and is right when an integer c0 lies between.

Segments without a record (binades of tanh) keep what the file has.
"""
import lzma
import os
import re
import sys

import numpy as np

FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "mufu.def")
F = 46  # fraction bits that bounds are kept with
X = np.arange(1 << 17, dtype=np.int64)
FRACTION = np.arange(1 << 23, dtype=np.int64)


def squares():
    s = np.zeros(1 << 17, np.int64)
    for i in range(17):
        for j in range(i, 17):
            weight = i + j + (i < j)
            if weight >= 19:
                s += ((X >> i) & (X >> j) & 1) << (weight - 19)
    return s


S = squares()


def record(records, name, exponent):
    path = f"{records}/sfu_{name}_{exponent}.xz"
    if not os.path.exists(path):
        return None
    planes = np.frombuffer(lzma.decompress(open(path, "rb").read()), np.uint8).reshape(4, -1)
    d = planes.T.copy().view(np.int32).ravel().astype(np.int64)
    first = np.concatenate([d[1:2], d[1] + np.cumsum(d[2:])])
    return np.concatenate([d[:1], d[0] + np.cumsum(first)]).astype(np.int32).view(np.uint32).astype(np.int64)


def bounds(bits, halve):
    """The unrounded magnitude lies in [low, high), in units of 2^-F."""
    significand = (bits & 0x7fffff) | 0x800000
    up = ((bits >> 23) & 255) - 127 - 23 + F - halve
    assert (up >= 0).all(), "results below what F resolves"
    return significand << up, (significand + 1) << up


def fit(x, low, high, sign1, sign2, shift, bias):
    """(c0, c1, c2) or None."""
    s = S[x]
    unit1, unit2 = sign1 * (1 << (shift + F - 40)), sign2 * (1 << (shift + 1 + F - 40))
    a, b, z = x - x.mean(), s - s.mean(), (low + high) / 2
    z -= z.mean()
    aa, ab, bb, az, bz = (a * a).sum(), (a * b).sum(), (b * b).sum(), (a * z).sum(), (b * z).sum()
    c2 = (aa * bz - ab * az) / (aa * bb - ab * ab) / unit2
    for k2 in sorted(range(int(c2) - 3, int(c2) + 5), key=lambda k: abs(k - c2)):
        c1 = (az - k2 * unit2 * ab) / aa / unit1
        for k1 in sorted(range(int(c1) - 2, int(c1) + 4), key=lambda k: abs(k - c1)):
            rest = k1 * unit1 * x + k2 * unit2 * s + (bias << (F - 40))
            c0 = -((-int((low - rest).max())) >> (F - 26))
            if k2 >= 0 and k1 >= 0 and c0 << (F - 26) < int((high - rest).min()):
                return c0, k1, k2
    return None


def turns():
    """Where the arguments from 2 to 4 lie: their product with 1 / (2 pi), truncated to an f32, in quadrants and 23 bits."""
    product = (FRACTION | 1 << 23) * 0xA2F983
    return np.where(product >= 1 << 47, (product >> 24) << 1, product >> 23)


TURNS = turns()


def quadrant(records, segment):
    """A segment of the sine in its third quadrant, where nothing is reflected; that of the cosine a quadrant before."""
    name, quarter = ("sin", 2) if segment < 34 else ("cos", 1)
    begin, end = np.searchsorted(TURNS, [(quarter << 6 | segment) << 17, (quarter << 6 | segment) + 1 << 17])
    return TURNS[begin:end] & 0x1ffff, record_once(records, name, 128)[begin:end]


kept_records = {}


def record_once(records, name, exponent):
    if (name, exponent) not in kept_records:
        kept_records[name, exponent] = record(records, name, exponent)
    return kept_records[name, exponent]


def binade(name, exponent, count):
    """Segments of equal length in a recorded binade; rsqrt(1) and log2(1) are exact by a rule of their own."""
    def samples(records, segment):
        bits = record_once(records, name, exponent)
        if bits is None:
            return None
        width = (1 << 23) // count
        part = FRACTION[segment * width + (segment == 0):(segment + 1) * width]
        x = (part - segment * width) * count
        return x >> 6, bits[part]
    return samples


def tanh():
    table = [None] * 64
    for exponent, first, bits, shift in ((119, 48, 0, 0), (120, 49, 0, 0), (121, 50, 0, 1), (122, 52, 1, 1), (123, 54, 1, 2),
                                         (124, 56, 2, 2), (125, 60, 2, 3), (126, 4, 2, 4), (127, 8, 3, 3), (128, 16, 4, 1),
                                         (129, 32, 3, 1)):
        of_binade = binade("tanh", exponent, 1 << bits)
        for i in range(1 << bits):
            table[first + i] = (lambda records, _, of=of_binade, i=i: of(records, i), i, shift)
    return table


def plain(samples, count, shift):
    return [(samples, i, shift) for i in range(count)]


# sign1, sign2, bias, halvings of the recorded results, bits that the result's sum with an exponent drops, segments
FUNCTIONS = [
    ("Rcp", -1, 1, 4047, 0, 0, plain(binade("rcp", 127, 128), 128, 0)),
    ("Rsq", -1, 1, 16383, 0, 0, plain(binade("rsqrt", 127, 64), 64, 0) + plain(binade("rsqrt", 128, 64), 64, 0)),
    ("Sqrt", 1, -1, 16383, 0, 0, plain(binade("sqrt", 127, 64), 64, 0) + plain(binade("sqrt", 128, 64), 64, 0)),
    ("Sin", 1, -1, 0, 0, 0, plain(quadrant, 64, 2)),
    ("Ex2", 1, 1, 8074, 1, 0, plain(binade("ex2", 127, 64), 64, 1)),
    ("Lg2", 1, -1, 3348, 0, 4, plain(binade("lg2", 127, 64), 64, 2)),
    ("Tanh", 1, -1, 0, 0, 0, tanh()),
]


def main():
    records = sys.argv[1]
    text = open(FILE).read()
    entry = r"HEDDLE_MUFU_SEGMENT\((\d+), (\d+), (\d+), (\d+)\)"
    kept = [tuple(map(int, m)) for m in re.findall(entry, text)]
    made, failed = [], 0
    for name, sign1, sign2, bias, halve, dropped, segments in FUNCTIONS:
        begin, exact, without = len(made), 0, 0
        for segment in segments:
            old = kept[len(made)] if len(made) < len(kept) else (0, 0, 0, 0)
            samples = segment[0](records, segment[1]) if segment else None
            if samples is None:
                without += 1
                made.append(old)
                continue
            x, bits = samples
            seen = bits & 0x7fffffff != 0
            low, high = bounds(bits[seen], halve)
            if dropped:  # what is dropped before a small result is normalised says nothing
                unit = (1 << (F - 40 + dropped)) - 1
                low, high = (low + unit) & ~unit, (high + unit) & ~unit
            found = fit(x[seen], low, high, sign1, sign2, segment[2], bias)
            exact += found is not None
            made.append(found + (segment[2],) if found else old)
        print(f"{name}: {exact} of {len(made) - begin} segments exact, {without} without a record", flush=True)
        failed += len(made) - begin - exact - without
    new = iter(made)
    text = re.sub(entry, lambda _: "HEDDLE_MUFU_SEGMENT(%d, %d, %d, %d)" % next(new), text)
    open(FILE, "w").write(text)
    return failed != 0


if __name__ == "__main__":
    sys.exit(main())
