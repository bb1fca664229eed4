#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""traced.py HEDDLE PROGRAM ENDLESS DEVICE PRESET: the files of `heddle trace` for profiled.cu, checked against the profile of the same run; what
it says when they cannot be whole."""
import collections
import decimal
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

LAUNCHES, SM = 4, 10


def lasting(timeline):
    """The slices of the device's tracks, by launch and track."""
    launches = []
    for event in timeline['traceEvents']:
        if event['ph'] != 'X' or event['pid'] < LAUNCHES:
            continue
        if event['cat'] == 'launch':
            launches.append((event, collections.defaultdict(list)))
        else:
            launches[-1][1][event['pid'], event['tid']].append(event)
    return launches


def check_tracks(launch, tracks):
    cycles = launch['args']['cycles']
    for track, slices in tracks.items():
        slices = sorted(slices, key=lambda s: s['args']['cycle'])
        for one, next_one in zip(slices, slices[1:]):
            assert one['ts'] + one['dur'] <= next_one['ts'], (track, one, next_one)
            assert one['args']['cycle'] + one['args']['cycles'] <= next_one['args']['cycle'], (track, one, next_one)
            adjoin = one['args']['cycle'] + one['args']['cycles'] == next_one['args']['cycle']
            assert not (adjoin and one['cat'] == 'warp state' and one['name'] == next_one['name']), (track, one)
        for one in slices:
            assert 0 < one['args']['cycles'] and one['args']['cycle'] + one['args']['cycles'] <= cycles, (track, one)
            assert launch['ts'] <= one['ts'] and one['ts'] + one['dur'] <= launch['ts'] + launch['dur'], (track, one)


def check_timeline(timeline, profiles):
    launches = lasting(timeline)
    assert len(launches) == len(profiles), f'{len(launches)} launches, {len(profiles)} profiles'
    kernels = [e for e in timeline['traceEvents'] if e['ph'] == 'X' and e['pid'] == 3 and e['cat'] == 'kernel']
    for (launch, tracks), profile in zip(launches, profiles):
        assert launch['name'] == profile['name'], launch
        assert launch['args']['completed'] and launch['args']['cycles'] == profile['counters']['Cycles'], launch
        # The host's timeline has the same kernel at the same time.
        assert any(k['ts'] <= launch['ts'] and launch['ts'] + launch['dur'] <= k['ts'] + k['dur'] + decimal.Decimal('0.001')
                   for k in kernels if k['name'] == launch['name']), launch
        check_tracks(launch, tracks)
        states, blocks = collections.Counter(), 0
        for slices in tracks.values():
            for s in slices:
                if s['cat'] == 'warp state':
                    states[s['name']] += s['args']['cycles']
                blocks += s['cat'] == 'block'
        assert states == {k: v for k, v in profile['stalls'].items() if v}, (launch, states, profile['stalls'])
        assert blocks == profile['counters']['Blocks'], launch
    counters = {e['name'] for e in timeline['traceEvents'] if e['ph'] == 'C' and e['pid'] >= 10}
    assert counters == {'resident warps', *(of + ' per 100 cycles' for of in ('instructions', 'L1 sectors', 'L2 bytes'))}, counters
    memory = {e['name'] for e in timeline['traceEvents'] if e['ph'] == 'C' and e['pid'] < 10}
    assert memory and all(name.startswith('memory channel ') for name in memory), memory
    assert {'host', 'SM 0 (the device\'s time)'} <= {e['args']['name'] for e in timeline['traceEvents'] if e['name'] == 'process_name'}


def check_konata(text):
    """The number of instructions that retired, and the stages that there were; "D": dependences."""
    lines = text.splitlines()
    assert lines[0] == 'Kanata\t0004' and lines[1].startswith('C=\t'), lines[:2]
    ids, gone, labelled, stages, retired, now = {}, set(), set(), collections.Counter(), 0, int(lines[1][3:])
    began, thread = {}, {}
    for line in lines[2:]:
        kind, *words = line.split('\t')
        if kind == 'C':
            assert int(words[0]) > 0, line
            now += int(words[0])
            continue
        number = int(words[0])
        if kind == 'I':
            assert number == len(ids), line
            ids[number], thread[number] = {}, words[2]
            continue
        assert number in ids and number not in gone, line
        if kind == 'L':
            labelled.add((number, words[1]))
        elif kind == 'S':
            assert words[1] not in ids[number], line
            ids[number][words[1]] = words[2]
            began[number, words[1]] = now
            stages[words[2]] += 1
        elif kind == 'E':
            assert ids[number].pop(words[1]) == words[2] and began[number, words[1]] < now, line
        elif kind == 'D':  # on one of the same warp, which is older
            producer = int(words[1])
            assert words[2] == '0' and producer < number and thread[producer] == thread[number], line
            stages['D'] += 1
        elif kind == 'R':
            assert not ids[number], f'{line}: open: {ids[number]}'
            assert int(words[1]) == len(gone), line
            gone.add(number)
            retired += words[2] == '0'
        else:
            raise AssertionError(line)
    assert gone == set(ids) and labelled == {(i, t) for i in ids for t in '01'}
    return retired, stages


class Heddle:
    def __init__(self, heddle, device, preset, work):
        self.command, self.work = [heddle, 'trace', '--device', device, '--preset', preset], pathlib.Path(work)

    def trace(self, *words, status=0, says='', environment=None):
        ended = subprocess.run([*self.command, *map(str, words)], capture_output=True, text=True, check=False, cwd=self.work,
                               env={**os.environ, **(environment or {})})
        assert ended.returncode == status and says in ended.stderr, (words, ended.returncode, says, ended.stdout + ended.stderr)
        return ended

    def timeline(self, name):
        return json.loads((self.work / name).read_text(encoding='utf-8'), parse_float=decimal.Decimal)


def check_words(heddle, program):
    """Wrong words, and windows and kernels that are not there."""
    work = heddle.work
    heddle.trace('-o', '/nonexistent/t.json', '--', program, status=2, says="-o: cannot write '/nonexistent/t.json'")
    heddle.trace('--konata', '/nonexistent/k', '--', program, status=2, says="--konata: cannot write '/nonexistent/k'")
    heddle.trace('--waves', '/nonexistent/w', '--', program, status=2, says='waveform /nonexistent/w: cannot be created')
    heddle.trace('--konata', 'k', '--window', '9:1', '--', program, status=2, says="--window '9:1': FIRST:LAST is expected")
    heddle.trace('--window', '1:9', '--', program, status=2, says='--window is of --konata and --waves')
    heddle.trace('-k', 'none', '-o', 'none.json', '--', program, status=1, says='these kernels ran:\n  atomics(int*)\n  coalesced(float*)\n')
    assert not lasting(heddle.timeline('none.json')), 'a launch that was not chosen'
    heddle.trace('-k', 'pairs', '--konata', 'late', '--waves', 'late.fst', '--window', '90000000:90000001', '--', program, status=1,
                 says='--window 90000000:90000001 lies beyond the launch of pairs(long long*), which took ')
    assert not (work / 'late').exists() and not (work / 'late.fst').exists()


def check_interrupted(heddle, endless):
    command = [*heddle.command, '-o', 'cut.json', '--konata', 'cut.kanata', '--window', '100:600', '--limit', '100', '--', endless, 'endless']
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=heddle.work) as run:
        assert run.stdout.readline() == 'launched\n'
        time.sleep(2)
        run.send_signal(signal.SIGINT)
        said = run.communicate()[1]
    assert run.returncode == -signal.SIGINT and 'the program was interrupted' in said, (run.returncode, said)
    timeline = heddle.timeline('cut.json')
    launch, tracks = lasting(timeline)[0]
    assert not launch['args']['completed'] and launch['args']['cycles'] > 600, launch
    check_tracks(launch, tracks)
    assert any('interrupted' in note for note in timeline['otherData']['notes']), timeline['otherData']
    assert any('--limit 100' in note for note in timeline['otherData']['notes']), timeline['otherData']
    assert check_konata((heddle.work / 'cut.kanata').read_text())[0] > 5


def check_without_a_clock(heddle, program):
    says = "the device 'model' has no clock, or does not tell"
    heddle.command[3] = 'model'
    heddle.trace('-o', 'model.json', '--', program, says=says)
    timeline = heddle.timeline('model.json')
    assert not lasting(timeline) and any(e['name'] == 'cudaMalloc' for e in timeline['traceEvents'])
    heddle.trace('--konata', 'k', '--', program, status=2, says=says)


def main(heddle, program, endless, device, preset):
    with tempfile.TemporaryDirectory() as work:
        h = Heddle(heddle, device, preset, work)
        everything = ['--window', '0:10000000', '--konata', 'all.kanata', '--waves', 'all.fst', '-o', 'all.json']
        h.trace(*everything, '--', program, environment={'HEDDLE_PROFILE': os.path.join(work, 'profile.jsonl')})
        profiles = [json.loads(line) for line in (h.work / 'profile.jsonl').read_text().splitlines()]
        timeline = h.timeline('all.json')
        check_timeline(timeline, profiles)
        assert timeline['otherData']['notes'] == [], timeline['otherData']
        retired, stages = check_konata((h.work / 'all.kanata').read_text())
        assert retired == profiles[0]['counters']['Instructions'], (retired, profiles[0]['counters']['Instructions'])
        assert {'D', 'F', 'Wt', 'Is', 'Oc', 'Wb', 'Lsu', 'Int', 'Fp32', 'ls'} <= stages.keys(), stages
        assert (h.work / 'all.fst').stat().st_size > 1000
        # A window within one launch that is not the first; a part of its waveform.
        h.trace('-k', 'divergent', '-o', 'one.json', '--konata', 'one.kanata', '--waves', 'one.fst', '--window', '150:249', '--', program)
        (launch, _), = lasting(h.timeline('one.json'))
        assert launch['name'] == 'divergent(int*)'
        assert 0 < check_konata((h.work / 'one.kanata').read_text())[0] < 12
        first, last = struct.unpack('>QQ', (h.work / 'one.fst').read_bytes()[9:25])
        assert last - first == 249 - 150, (first, last)
        # What is left out is said.
        h.trace('-o', 'few.json', '--limit', '40', '--', program, says='only as far as --limit 40 goes')
        few = h.timeline('few.json')
        assert sum(e['ph'] == 'X' and e['cat'] in ('warp state', 'block') for e in few['traceEvents']) <= 40
        assert any(e['ph'] == 'i' and 'the limit of 40 events is reached' in e['name'] for e in few['traceEvents'])
        for launch, tracks in lasting(few):
            check_tracks(launch, tracks)
        check_words(h, program)
        check_interrupted(h, endless)
        check_without_a_clock(h, program)
    print('PASS')


if __name__ == '__main__':
    main(*sys.argv[1:])
