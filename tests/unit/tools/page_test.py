#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""page_test.py HEDDLE [CHROMIUM]: the page that `heddle prof --html` writes of page/profile.jsonl: it is well-formed, needs nothing
else and has all of the profile; with Chromium, that its script draws all of the figures without an error."""
import html.parser
import json
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent / 'page'
VOID = {'meta', 'br', 'link', 'img', 'input', 'hr', 'col'}


class Element:
    def __init__(self, tag, attributes, parent):
        self.tag, self.attributes, self.parent, self.children = tag, dict(attributes), parent, []

    def text(self):
        return ''.join(c if isinstance(c, str) else c.text() for c in self.children)

    def all(self, tag, *has):
        for child in self.children:
            if isinstance(child, str):
                continue
            if child.tag == tag and all(name in child.attributes for name in has):
                yield child
            yield from child.all(tag, *has)

    def classed(self, tag, name):
        return [e for e in self.all(tag, 'class') if name in e.attributes['class'].split()]


class Tree(html.parser.HTMLParser):
    """Elements of a page whose every element is closed."""
    def __init__(self, text):
        super().__init__()
        self.root = self.at = Element('', {}, None)
        self.feed(text)
        self.close()
        assert self.at is self.root, f'<{self.at.tag}> is not closed'

    def handle_starttag(self, tag, attrs):
        element = Element(tag, attrs, self.at)
        self.at.children.append(element)
        if tag not in VOID:
            self.at = element

    def handle_endtag(self, tag):
        assert self.at.tag == tag, f'</{tag}> where <{self.at.tag}> is open'
        self.at = self.at.parent

    def handle_data(self, data):
        self.at.children.append(data)


def run(*command):
    ended = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=120)
    assert ended.returncode == 0, f'{command}: {ended.returncode}\n{ended.stdout}{ended.stderr}'
    return ended.stdout


def check_file(text, profiles, raw):
    """The file as it is, before its script runs."""
    root = Tree(text).root
    for what in ('http:', 'https:', '@import', 'url(', 'XMLHttpRequest', 'fetch(', 'import(', 'WebSocket', '{{'):
        assert what not in text, f'the page has {what}'
    for tag in ('link', 'img', 'iframe', 'object', 'embed'):
        assert not list(root.all(tag)), f'the page has <{tag}>'
    assert not list(root.all('script', 'src')), 'a script lies elsewhere'
    data = json.loads(next(e for e in root.all('script', 'id') if e.attributes['id'] == 'data').text())
    assert [launch['profile'] for launch in data['launches']] == profiles
    assert [launch['metrics'] for launch in data['launches']] == [launch['metrics'] for launch in raw]
    assert any('sum += left' in line for file in data['sources'].values() for line in file.values()), 'no source lines'
    return data


def check_drawn(root, data, raw):
    """The page as a browser has it once its script has run."""
    page = next(root.all('html'))
    assert page.attributes.get('data-errors') == '', page.attributes
    assert page.attributes.get('data-ready') == str(len(raw)), page.attributes
    rows = list(root.all('tr', 'data-launch'))
    assert len(rows) == len(raw)
    for row, launch in zip(rows, raw):
        assert launch['name'] in row.text()
        assert f"{launch['metrics']['gpc__cycles_elapsed.max']:,.0f}" in row.text()
    # Each metric, by its launch.
    drawn = {(row.attributes['data-of'], row.attributes['data-raw']): next(row.all('td', 'data-value')).attributes['data-value']
             for row in root.all('tr', 'data-raw')}
    wanted = {(str(launch['launch']), name): value for launch in raw for name, value in launch['metrics'].items() if value is not None}
    assert drawn.keys() == wanted.keys(), drawn.keys() ^ wanted.keys()
    wrong = {key: (drawn[key], value) for key, value in wanted.items() if float(drawn[key]) != float(value)}
    assert not wrong, wrong
    boxes = root.classed('details', 'launch')
    assert len(boxes) == len(data['launches'])
    for box, launch in zip(boxes, data['launches']):
        profile = launch['profile']
        for kind, values in (('stall', profile['stalls']), ('idle', profile['idle'])):
            found = {row.attributes['data-word']: float(next(row.all('td', 'data-value')).attributes['data-value'])
                     for row in box.all('tr', 'data-kind') if row.attributes['data-kind'] == kind}
            assert found == {word: n for word, n in values.items() if n}, (kind, found)
        for bar in box.classed('div', 'stack'):
            width = sum(float(re.search(r'width: ?([\d.e-]+)%', part.attributes['style'])[1]) for part in bar.all('i', 'data-word'))
            assert abs(width - 100) < 0.1 or not list(bar.all('i', 'data-word')), width
        assert sum(int(row.attributes['data-executed']) for row in box.all('tr', 'data-executed')) == profile['counters']['Instructions']
        points = len(list(box.all('g')))
        metrics = launch['metrics']
        assert points == sum(1 for name, value in metrics.items() if re.fullmatch(r'smsp__ops_\w+_per_\w+_byte.ratio', name) and value), points
        # A row for each PTX statement of a line.
        drawn = [(int(row.attributes['data-ptx']), row.classed('td', 'text')[0].text()) for row in box.classed('tr', 'ptx')]
        statements = {(one.get('file'), one.get('line'), one['ptx_line'], one['ptx']) for one in profile['lines'] if 'ptx' in one}
        assert sorted(drawn) == sorted(one[2:] for one in statements), drawn
    # The first launch's source, sums and stalls of a line.
    line = next(row for row in boxes[0].classed('tr', 'cuda') if 'sum += left' in row.text())
    executed = sum(one['executed'] for one in data['launches'][0]['profile']['lines'] if one.get('line') == 16)
    assert f'{executed:,}' in line.text(), line.text()


def with_statements(text):
    """The profiles, whose first launch has a PTX statement for two instructions of a line each."""
    launches = [json.loads(line) for line in text.splitlines()]
    for n, line in enumerate(launches[0]['lines']):
        line['ptx_line'], line['ptx'], line['divergent'] = 10 + n // 2, f'add.s32 %r{n // 2}, %r1, 1;', n
    return '\n'.join(json.dumps(one) for one in launches) + '\n'


def main(heddle, chromium=None):
    with tempfile.TemporaryDirectory() as work:
        profile, earlier, page = (pathlib.Path(work) / name for name in ('profile.jsonl', 'earlier.jsonl', 'page.html'))
        text = with_statements((HERE / 'profile.jsonl').read_text(encoding='utf-8').replace('SOURCES', str(HERE)))
        profile.write_text(text, encoding='utf-8')
        profiles = [json.loads(line) for line in text.splitlines()]
        # A baseline in which the second launch is not there, and the first took longer.
        before = [json.loads(line) for line in text.splitlines()]
        before[0]['counters']['Cycles'] *= 2
        earlier.write_text('\n'.join(json.dumps(one) for one in before[:1] + before[2:]) + '\n', encoding='utf-8')
        raw = json.loads(run(heddle, 'prof', '--json', '--page', 'raw', '-i', profile))
        for options in ([], ['--baseline', earlier]):
            run(heddle, 'prof', '-i', profile, '--html', page, *options)
            data = check_file(page.read_text(encoding='utf-8'), profiles, raw)
            assert ['baseline' in launch for launch in data['launches']] == [bool(options) and i != 1 for i in range(len(profiles))]
            if not chromium:
                continue
            dom = run(chromium, '--headless', '--no-sandbox', '--disable-gpu', f'--user-data-dir={work}/browser',
                      '--virtual-time-budget=5000', '--dump-dom', f'file://{page}#all')
            root = Tree(dom).root
            check_drawn(root, data, raw)
            assert ('-50%' in next(root.all('tr', 'data-launch')).text()) == bool(options)
    print('PASS')


if __name__ == '__main__':
    main(*sys.argv[1:])
