// SPDX-License-Identifier: Apache-2.0
// The page: the table of launches, and each launch drawn when it is opened.
const root = document.documentElement;
root.dataset.errors = '';
addEventListener('error', e => { root.dataset.errors += e.message + '\n'; });

// Of these less is better, of the others in the summary more.
const LESS = new Set(['gpc__cycles_elapsed.max']);

function summary() {
  const metrics = [
    ['Cycles', 'gpc__cycles_elapsed.max', ''], ['IPC', 'sm__inst_executed.avg.per_cycle_active', ''],
    ['Compute %', 'sm__throughput.avg.pct_of_peak_sustained_elapsed', ''],
    ['Memory %', 'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed', ''],
    ['Occupancy %', 'sm__warps_active.avg.pct_of_peak_sustained_active', ''], ['Instructions', 'smsp__inst_executed.sum', ''],
  ];
  const columns = [['ID', true], ['Kernel']];
  for (const [name] of metrics) columns.push([name, true, DATA.compared ? 'below: the change since the baseline' : null]);
  const rows = DATA.launches.map((launch, i) => {
    const cells = [
      count(launch.profile.launch),
      {class: 'name', key: launch.profile.name, element: make('span', null,
        make('a', {href: '#launch-' + i, onclick: () => { document.getElementById('launch-' + i).open = true; }}, launch.profile.name),
        ' ', make('span', {class: 'faint'}, launch.shape))},
    ];
    for (const [, raw, unit] of metrics) {
      const cell = count(of(launch, raw), unit);
      cells.push(cell);
      if (!DATA.compared) continue;
      const c = change(of(launch, raw), was(launch, raw), unit);
      const better = c.value ? (LESS.has(raw) ? c.value < 0 : c.value > 0) : null;
      const judged = raw !== 'smsp__inst_executed.sum' && better !== null;
      cell.element = make('span', null, cell.text, make('br'), make('small', {class: judged ? better ? 'better' : 'worse' : 'faint'}, c.percent));
    }
    return {cells, attributes: {'data-launch': launch.profile.launch}};
  });
  const some = DATA.launches[0];
  document.getElementById('about').textContent =
    `${number(DATA.launches.length)} launch${DATA.launches.length === 1 ? '' : 'es'}` + (some ? `, ${some.machine}` : '') + '. Every count is exact.' +
    (DATA.left.length ? ` Only in the baseline: ${DATA.left.join(', ')}.` : '');
  document.getElementById('summary').append(table(columns, rows, {class: 'summary'}));
}

function notes(launch) {
  const list = launch.advice.map(a => make('li', {class: a.kind}, make('b', null, a.kind), a.text));
  if (DATA.compared)
    list.unshift(make('li', {class: 'INF'}, make('b', null, 'INF'), launch.baseline ?
      `Beside the baseline's launch ${launch.baseline.launch}; a mark in a bar is where that stood.` : 'The baseline has no launch that goes with this one.'));
  return list.length ? card('What to look at', false, make('ul', {class: 'notes'}, list)) : null;
}

// All metrics of all sections.
function metrics(launch) {
  const columns = [['Section'], ['Metric'], ['Value', true], ['Unit']];
  if (launch.baseline) columns.push(['Baseline', true], ['Change', true], ['%', true]);
  const rows = [];
  for (const s of DATA.sections) for (const m of DATA.metrics) {
    const value = of(launch, m.raw), before = was(launch, m.raw);
    if (m.section !== s.id || value === null || value === undefined) continue;
    const [read, unit] = shown(value, m.unit);
    const cells = [text(s.title), {element: make('span', {title: m.raw}, m.name), key: m.name}, {text: read, key: value, value}, text(unit)];
    if (launch.baseline) {
      const c = change(value, before, m.unit);
      cells.push(count(before, m.unit), {text: c.absolute, key: c.value ?? -Infinity}, {text: c.percent, key: parseFloat((c.percent || '0').replace(/,/g, ''))});
    }
    rows.push({cells, attributes: {'data-raw': m.raw, 'data-of': launch.profile.launch}});
  }
  return card('All metrics', true, make('details', null, make('summary', null, `${rows.length} metrics`), table(columns, rows)));
}

function fill(launch, body) {
  if (!launch.filled)
    body.append(make('div', {class: 'cards'}, speedOfLight(launch), notes(launch), stalls(launch), idle(launch), memory(launch),
      mix(launch), roofline(launch), source(launch), metrics(launch)));
  launch.filled = true;
  if (launch.draw) launch.draw();
}

function launches() {
  const place = document.getElementById('launches');
  DATA.launches.forEach((launch, i) => {
    const body = make('div', {class: 'launch-body'});
    const box = make('details', {class: 'launch', id: 'launch-' + i, ontoggle: () => { if (box.open) fill(launch, body); }},
      make('summary', null, make('h2', null, launch.profile.name), make('span', {class: 'faint'}, `ID ${launch.profile.launch}, ${launch.shape}`),
        launch.profile.completed ? null : make('span', {class: 'worse'}, 'did not complete')), body);
    place.append(box);
    box.open = i === 0 || location.hash === '#all' || location.hash === '#launch-' + i;
    if (box.open) fill(launch, body);
  });
}

function all() {
  for (const box of document.querySelectorAll('details.launch')) box.open = true;
}

summary();
launches();
document.getElementById('open').addEventListener('click', all);
document.getElementById('save').addEventListener('click', () => {
  const lines = DATA.launches.map(l => JSON.stringify(l.profile) + '\n').join('');
  const link = make('a', {href: URL.createObjectURL(new Blob([lines], {type: 'application/json'})), download: 'profile.jsonl'});
  link.click();
});
addEventListener('beforeprint', all);
let wait;
addEventListener('resize', () => {
  clearTimeout(wait);
  wait = setTimeout(() => { for (const launch of DATA.launches) if (launch.draw) launch.draw(); }, 100);
});
root.dataset.ready = DATA.launches.length;
