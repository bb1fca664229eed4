#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""From RTL to ECP5: elaborate, synthesize module by module, place and route, pack a bitstream.

  elaborate   slang front end (WebAssembly Yosys): one RTLIL file, every instance a module of its own, constants
              carried into modules and unused ports (the retirement ports) taken out
  synthesize  Yosys, one process a module; results are kept by content, so a change costs its modules only
  place       nextpnr-ecp5 on the flat netlist; ecppack

Writes BUILD/fpga/<preset>/: design.il, figures.json, of a board top.json, top.config and top.bit, of another top
netlist.v (ECP5 cells, to simulate). --update takes the figures over into fpga/figures.json and fpga/README.md.
"""
import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading
import tomllib

import ecp5
import rtlil

ROOT = pathlib.Path(__file__).resolve().parents[2]


def fail(message):
    sys.exit(f'fpga: {message}')


def say(message):
    print(f'fpga: {message}', flush=True)


def run(command, what, log, hours=None):
    """Runs a tool, for so many hours at most; its output goes to the file `log`."""
    with open(log, 'w', encoding='utf-8') as out:
        try:
            status = subprocess.run([str(c) for c in command], stdout=out, stderr=subprocess.STDOUT, check=False,
                                    timeout=hours and 3600 * hours).returncode
        except subprocess.TimeoutExpired:
            fail(f'{what}: no end after {hours} hours, log {log}')
    if status:
        tail = pathlib.Path(log).read_text(encoding='utf-8', errors='replace').splitlines()[-12:]
        fail('\n'.join([f'{what} failed (status {status}), log {log}:', *tail]))


def sources(list_file):
    """The files that a .f file names, as absolute paths."""
    lines = [l.strip() for l in list_file.read_text(encoding='utf-8').splitlines()]
    return [list_file.parent / l for l in lines if l and not l.startswith('//')]


def find_tools(fetch):
    """The folder of a Yosys that is new enough and of nextpnr-ecp5 and ecppack: the system's, or what was fetched."""
    found = [shutil.which(tool) for tool in ('yosys', 'nextpnr-ecp5', 'ecppack')]
    if all(found) and len({os.path.dirname(f) for f in found}) == 1:
        version = re.search(r'Yosys (\d+)\.(\d+)', subprocess.run([found[0], '-V'], capture_output=True, text=True, check=False).stdout)
        if version and (int(version[1]), int(version[2])) >= (0, 52):
            return pathlib.Path(found[0]).parent
    private = pathlib.Path(os.environ.get('XDG_CACHE_HOME') or pathlib.Path.home() / '.cache') / 'heddle' / 'fpga-trixie'
    if not (private / 'complete').exists():
        if not fetch:
            fail(f'no {private}: ./heddle setup fetches it, or name the tools\' folder with --tools')
        print(f"fpga: fetching Debian 13's Yosys, nextpnr-ecp5 and ecppack to {private} (280 MB; the system stays as it is)", file=sys.stderr)
        if subprocess.run([ROOT / 'fpga' / 'flow' / 'fetch_tools.sh', private], check=False).returncode:
            fail('no tools: see above')
    return private / 'bin'


class Flow:
    def __init__(self, options):
        self.o = options
        self.build = pathlib.Path(options.build).resolve()
        self.preset = pathlib.Path(options.preset).stem
        self.work = self.build / 'fpga' / (self.preset if options.top == 'top' else f'{self.preset}-{options.top}')
        self.cache = self.build / 'fpga' / 'cache'
        for folder in (self.work, self.cache):
            folder.mkdir(parents=True, exist_ok=True)
        self.yosys = options.tools / 'yosys'
        preset = pathlib.Path(options.preset)
        if preset.suffix != '.toml':
            preset = ROOT / 'presets' / f'{self.preset}.toml'
        made = subprocess.run([self.build / 'presets' / 'config_pkg', preset], capture_output=True, text=True, check=False)
        if made.returncode:
            fail(made.stderr.strip())
        self.config = made.stdout
        self.param = list(options.param)
        if options.top == 'top':
            self.clock_khz = self.clock(preset)
            self.param.append(f'ClockKhz={self.clock_khz}')

    def clock(self, preset):
        """The board's clock: --freq, or the preset's."""
        khz = tomllib.loads(preset.read_text(encoding='utf-8'))['runtime']['clock_khz']
        where = f'clock_khz of {preset}'
        if self.o.freq is not None:
            khz, where = round(1000 * self.o.freq), '--freq'
        if khz % 12500 or not 12500 <= khz <= 100000:
            fail(f'{where}: the board makes multiples of 12.5 MHz up to 100, not {khz / 1000} MHz (choose one with --freq)')
        return khz

    def sources(self):
        config = self.work / 'config_pkg.sv'
        config.write_text(self.config, encoding='utf-8')
        files = [config, *sources(ROOT / 'rtl' / 'heddle.f')]
        if self.o.top == 'top':
            board = ROOT / 'fpga' / self.o.board
            files += sources(ROOT / 'fpga' / 'fpga.f') + sorted(board.glob('*.sv'))
        return files

    def elaborate(self):
        """design.il; nothing to do when it is there for these very sources."""
        files = self.sources()
        tools = self.o.slang
        if not tools:
            found = subprocess.run([ROOT / 'sim' / 'lint' / 'setup_synthesis.sh', '--find'], capture_output=True, text=True, check=False)
            if found.returncode:
                fail(found.stderr.strip())
            tools = pathlib.Path(found.stdout.strip())
        params = ''.join(f' -G {p}' for p in self.param)
        # A port that leads to one without use goes a round after that one.
        prune = 'opt_hier\nopt_clean\n' * 5 if not self.o.keep_trace else ''
        script = self.work / 'elaborate.ys'
        script.write_text(
            f'read_slang --threads 1 --keep-hierarchy --top {self.o.top}{params} {" ".join(f.name for f in files)}\n'
            f'chformal -remove\nhierarchy -check -top {self.o.top}\nproc\nbwmuxmap\nopt_clean\n{prune}write_rtlil design.il\n',
            encoding='utf-8')
        digest = hashlib.sha256(b''.join(f.read_bytes() for f in [script, *files])).hexdigest()
        stamp = self.work / 'design.sha256'
        if stamp.exists() and stamp.read_text() == digest:
            return
        say(f'elaborating {self.o.top}, preset {self.preset}')
        run([tools / 'node', '--experimental-wasm-exnref', '--no-warnings', ROOT / 'sim' / 'lint' / 'yosys.mjs', tools, script,
             *files, '--', self.work / 'design.il'], 'elaboration', self.work / 'elaborate.log')
        stamp.write_text(digest)

    def synthesize_one(self, design, module):
        """The synthesized module's RTLIL and its cells by type, from the cache where it is there."""
        text, names = design.alone(module)
        script = ecp5.script('\\this', pads=module == 'top')
        key = hashlib.sha256((text + script + self.version).encode()).hexdigest()[:24]
        out, count = self.cache / f'{key}.il', self.cache / f'{key}.json'
        if not (out.exists() and count.exists()):
            stem = self.cache / f'{key}.{os.getpid()}.{threading.get_ident()}'
            source, steps = (pathlib.Path(f'{stem}.{what}') for what in ('in', 'ys'))
            source.write_text(text, encoding='utf-8')
            steps.write_text(f'read_rtlil {source}\n{script}select -module this\ntee -q -o {stem}.stat stat -json\n'
                             f'select -clear\nwrite_rtlil {stem}.out\n', encoding='utf-8')
            run([self.yosys, '-q', '-s', steps], f'synthesis of {module}', f'{stem}.log')
            os.replace(f'{stem}.stat', count)
            os.replace(f'{stem}.out', out)
            for left in self.cache.glob(f'{stem.name}*'):
                left.unlink()
        stat = json.loads(count.read_text(encoding='utf-8'))
        cells = stat['modules']['\\this'].get('num_cells_by_type', {})
        return rtlil.renamed(out.read_text(encoding='utf-8'), names), cells

    def synthesize(self):
        """All modules; figures by module of the source, instances added up."""
        design = rtlil.Design(self.work / 'design.il')
        self.version = subprocess.run([self.yosys, '-V'], capture_output=True, text=True, check=True).stdout
        wanted = [m for m in design.text if not self.o.only or rtlil.source_name(m) in self.o.only]
        missing = set(self.o.only) - {rtlil.source_name(m) for m in wanted}
        if missing:
            fail(f'no module {", ".join(sorted(missing))} below {self.o.top}')
        say(f'synthesizing {len(wanted)} modules')
        largest_first = sorted(wanted, key=lambda m: -len(design.text[m]))
        outs, modules = {}, {}
        with concurrent.futures.ThreadPoolExecutor(self.o.jobs) as pool:
            jobs = {pool.submit(self.synthesize_one, design, m): m for m in largest_first}
            for done, job in enumerate(concurrent.futures.as_completed(jobs), 1):
                module = jobs[job]
                outs[module], cells = job.result()
                own = modules.setdefault(rtlil.source_name(module), {'instances': 0})
                own['instances'] += 1
                for key, value in ecp5.figures(cells).items():
                    own[key] = own.get(key, 0) + value
                print(f'\rfpga: {done} of {len(jobs)} modules', end='' if sys.stdout.isatty() else '\n', flush=True)
        if sys.stdout.isatty():
            print()
        self.modules = dict(sorted(modules.items()))
        self.modules_of_netlist = [m for m in design.text if m in outs]
        return [outs[m] for m in design.text if m in outs]

    def link(self, outs):
        """For a board the flat top.json, else netlist.v with its hierarchy."""
        script, mapped = self.work / 'link.ys', self.work / 'mapped.il'
        if self.o.top != 'top':
            # To simulate: modules have their source's names where they are the only instance.
            names = [rtlil.source_name(m) for m in self.modules_of_netlist]
            final = {m: n for m, n in zip(self.modules_of_netlist, names) if names.count(n) == 1}
            outs = [rtlil.with_names(text, final) for text in outs]
        mapped.write_text(''.join(outs), encoding='utf-8')
        steps = ['read_verilog -lib -specify +/ecp5/cells_sim.v +/ecp5/cells_bb.v', f'read_rtlil {mapped}',
                 f'hierarchy -check -top {self.o.top}']
        if self.o.top == 'top':
            steps += ['flatten', 'blackbox =A:whitebox', 'opt_clean -purge', 'check', f'tee -q -o {self.work}/flat.json stat -json',
                      f'write_json {self.work}/top.json']
        else:
            # The small cells become expressions. Instances, and nets without a name in the source, get short names: most
            # of what Verilator reads and writes is names. No vector has bits that depend on each other (but for the ports
            # of the top and of the trace, which lead out only): Verilator settles loops between words wrongly.
            cells = ' '.join(f'*/w:*_{cell}_*' for cell in ecp5.CELLS)
            steps += [f'techmap -map {ROOT}/sim/netlist/cells_map.v', f'select -set kept {self.o.top}/w:* */w:*trace*', 'opt_clean',
                      'splitnets -ports */w:* @kept %d', f'rename -hide {cells} */c:*', f'write_verilog -noattr {self.work}/netlist.v']
        script.write_text('\n'.join(steps) + '\n', encoding='utf-8')
        run([self.yosys, '-q', '-s', script], 'linking the netlist', self.work / 'link.log')
        if self.o.top == 'top':
            # nextpnr takes settings without an option of their own from the netlist. With its own choice for the costs of
            # overlaps, now and in earlier rounds, the router did not end (fpga/README.md).
            netlist = json.loads((self.work / 'top.json').read_text(encoding='utf-8'))
            netlist['modules']['top']['settings'] = {'router2/currCongWeightMult': '1.0', 'router2/histCongWeight': '3.0'}
            (self.work / 'top.json').write_text(json.dumps(netlist), encoding='utf-8')

    def place(self):
        """Place, route, pack; the highest frequency of the clock, MHz."""
        w = self.work
        say(f'placing and routing for {self.clock_khz / 1000} MHz: a quarter of an hour or more, log {w / "nextpnr.log"}')
        run([self.o.tools / 'nextpnr-ecp5', '--85k', '--package', 'CABGA381', '--speed', '6', '--freq', self.clock_khz / 1000,
             '--seed', self.o.seed, '--placer-heap-beta', '0.6', '--pre-place', ROOT / 'fpga' / self.o.board / 'floorplan.py',
             '--router', 'router2', '--json', w / 'top.json', '--lpf', ROOT / 'fpga' / self.o.board / f'{self.o.board}.lpf',
             '--textcfg', w / 'top.config', '--report', w / 'report.json', '--timing-allow-fail'],
            'place and route', w / 'nextpnr.log', self.o.hours)
        report = json.loads((w / 'report.json').read_text(encoding='utf-8'))
        return min(clock['achieved'] for clock in report['fmax'].values())

    def pack(self, fmax):
        """The bitstream, of a design that holds its clock."""
        w = self.work
        if 1000 * fmax < self.clock_khz:
            fail(f'{self.preset} holds {fmax} MHz, not the {self.clock_khz / 1000} of its clock: no bitstream (a lower clock: --freq)')
        run([self.o.tools / 'ecppack', '--compress', w / 'top.config', '--bit', w / 'top.bit'], 'packing', w / 'ecppack.log')
        say(f'{w / "top.bit"} is for a clock of {self.clock_khz / 1000} MHz')

    def run(self):
        places = self.o.top == 'top' and not self.o.only and not self.o.synthesis_only
        if places:
            # Wherever this run ends: what an earlier one left would be taken for its own.
            for product in ('top.config', 'report.json', 'top.bit'):
                (self.work / product).unlink(missing_ok=True)
        self.elaborate()
        outs = self.synthesize()
        total = {key: sum(m[key] for m in self.modules.values()) for key in ('lut4', 'ff', 'dsp', 'ebr')}
        result = {**total, 'fmax_mhz': None, 'modules': self.modules}
        if not self.o.only:
            self.link(outs)
            if self.o.top == 'top':
                flat = json.loads((self.work / 'flat.json').read_text(encoding='utf-8'))
                result.update(ecp5.figures(flat['design']['num_cells_by_type']))
                over = {k: n for k, n in ecp5.CHIP.items() if result[k] > n}
                if over and places:
                    print(table(result))
                    fail(f'{self.preset} does not fit: ' + ', '.join(f'{result[k]} {k} of {n}' for k, n in over.items()))
                if places:
                    result['fmax_mhz'] = round(self.place(), 1)
        (self.work / 'figures.json').write_text(json.dumps(result, indent=1) + '\n', encoding='utf-8')
        return result


def table(result):
    lines = [f'{"module":24} {"inst.":>5} {"LUT4":>7} {"FF":>7} {"DSP":>4} {"EBR":>4}']
    for name, m in sorted(result['modules'].items(), key=lambda item: -item[1]['lut4']):
        lines.append(f'{name:24} {m["instances"]:5} {m["lut4"]:7} {m["ff"]:7} {m["dsp"]:4} {m["ebr"]:4}')
    fmax = f'{result["fmax_mhz"]} MHz' if result['fmax_mhz'] else 'not placed'
    lines.append(f'{"all":24} {"":5} {result["lut4"]:7} {result["ff"]:7} {result["dsp"]:4} {result["ebr"]:4}  {fmax}')
    return '\n'.join(lines)


def readme_tables(kept):
    """fpga/README.md's part between its marks: the presets, and tiny by module."""
    lines = ['| preset | LUT4 | FF | DSP | EBR | Fmax |', '| --- | --- | --- | --- | --- | --- |']
    share = lambda n, of: f'{n:,} ({100 * n / of:.0f}%)'
    for name, r in kept.items():
        fmax = f'{r["fmax_mhz"]} MHz' if r.get('fmax_mhz') else 'not placed'
        lines.append(f'| `{name}` | {share(r["lut4"], ecp5.CHIP["lut4"])} | {share(r["ff"], ecp5.CHIP["ff"])} | {share(r["dsp"], ecp5.CHIP["dsp"])} | '
                     f'{share(r["ebr"], ecp5.CHIP["ebr"])} | {fmax} |')
    lines += ['', '| module of `tiny` | instances | LUT4 | FF | DSP | EBR |', '| --- | --- | --- | --- | --- | --- |']
    by_size = sorted(kept['tiny']['modules'].items(), key=lambda item: -item[1]['lut4'])
    lines += [f'| {n} | {m["instances"]} | {m["lut4"]:,} | {m["ff"]:,} | {m["dsp"]} | {m["ebr"]} |' for n, m in by_size]
    return '\n'.join(lines)


def update_readme(kept):
    readme = ROOT / 'fpga' / 'README.md'
    begin, end = '<!-- figures: written by heddle fpga --update -->', '<!-- end of figures -->'
    before, _, rest = readme.read_text(encoding='utf-8').partition(begin)
    _, found, after = rest.partition(end)
    if found and 'tiny' in kept:
        readme.write_text(f'{before}{begin}\n{readme_tables(kept)}\n{end}{after}', encoding='utf-8')


def check(result, kept, preset):
    """Modules that grew by more than a tenth (and by more than 20 LUTs, flip-flops or one block) against figures.json."""
    grown = []
    for name, now in result['modules'].items():
        before = kept.get(preset, {}).get('modules', {}).get(name)
        if before is None:
            grown.append(f'{name}: not in fpga/figures.json')
            continue
        for key, slack in (('lut4', 20), ('ff', 20), ('dsp', 0), ('ebr', 0)):
            if now[key] > before[key] * 1.1 and now[key] > before[key] + slack:
                grown.append(f'{name}: {key} {before[key]} -> {now[key]}')
    return grown


def main():
    p = argparse.ArgumentParser(prog='heddle fpga', description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument('--build', required=True, help=argparse.SUPPRESS)
    p.add_argument('--preset', default='tiny', help='name of a preset, or a .toml file (tiny)')
    p.add_argument('--board', default='ulx3s', help='folder of fpga/ with top.sv and pins')
    p.add_argument('--top', default='top', help='top module: top (the board), or gpu for its netlist alone')
    p.add_argument('--param', action='append', default=[], metavar='NAME=VALUE', help='parameter of the top module')
    p.add_argument('--keep-trace', action='store_true', help='keep the retirement ports')
    p.add_argument('--only', action='append', default=[], metavar='MODULE', help='synthesize only this module of the source')
    p.add_argument('--synthesis-only', action='store_true', help='stop before placing')
    p.add_argument('--freq', type=float, metavar='MHZ', help="the board's clock, a multiple of 12.5 (the preset's clock_khz)")
    p.add_argument('--seed', default='1', help='of the placer')
    p.add_argument('--hours', type=float, default=2, help='for placing and routing, at most (2)')
    p.add_argument('--jobs', type=int, default=os.cpu_count() or 1)
    p.add_argument('--tools', type=pathlib.Path, help='folder of yosys (0.52 or later), nextpnr-ecp5, ecppack')
    p.add_argument('--slang', type=pathlib.Path, help=argparse.SUPPRESS)  # folder of the front end
    p.add_argument('--find-tools', action='store_true', help="print the tools' folder and stop")
    p.add_argument('--fetch-tools', action='store_true', help='the same, and fetch them if they are missing')
    p.add_argument('--update', action='store_true', help='write the figures to fpga/figures.json')
    p.add_argument('--check', action='store_true', help='fail when a module grew by more than a tenth')
    o = p.parse_args()
    if o.jobs < 1:
        fail('--jobs must be at least 1')
    o.tools = o.tools or find_tools(o.fetch_tools)
    if o.find_tools or o.fetch_tools:
        return print(o.tools)
    flow = Flow(o)
    result = flow.run()
    print(table(result))
    kept_file = ROOT / 'fpga' / 'figures.json'
    kept = json.loads(kept_file.read_text(encoding='utf-8')) if kept_file.exists() else {}
    if o.check:
        grown = check(result, kept, flow.preset)
        if grown:
            fail('\n  '.join(['modules grew; look at them, or take the new figures over with --update:', *grown]))
    if o.update:
        if o.only:
            kept.setdefault(flow.preset, {}).setdefault('modules', {}).update(result['modules'])
        else:
            kept[flow.preset] = result
        kept_file.write_text(json.dumps(kept, indent=1) + '\n', encoding='utf-8')
        update_readme(kept)
        say(f'figures are in {kept_file}')
    if result['fmax_mhz']:
        flow.pack(result['fmax_mhz'])


if __name__ == '__main__':
    main()
