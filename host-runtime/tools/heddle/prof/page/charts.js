// SPDX-License-Identifier: Apache-2.0
// The cards of a launch: speed of light, stalls, memory, instructions, roofline.

// What issues is green, memory warm, arithmetic blue, waiting for others purple.
const COLORS = {
  selected: '#2e9e55', not_selected: '#8fcfa5', dispatch_stall: '#5f6f80', math_pipe_throttle: '#1f5fa8', lg_throttle: '#c2571a',
  mio_throttle: '#c99a1e', wait: '#5b9be0', short_scoreboard: '#e3bd55', long_scoreboard: '#d9483b', imc_miss: '#a9743f',
  branch_resolving: '#2a9d9d', no_instruction: '#8a6d5a', membar: '#b45bb8', sleeping: '#9aa5b1', barrier: '#7b55c7', drain: '#c98bb9',
  misc: '#707070',
};
const of = (launch, raw) => launch.metrics[raw];
const was = (launch, raw) => launch.baseline ? launch.baseline.metrics[raw] : undefined;

function speedOfLight(launch) {
  const rows = [
    ['Compute (SM)', 'sm__throughput.avg.pct_of_peak_sustained_elapsed'],
    ['Memory', 'gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed'],
    ['L1/TEX', 'l1tex__throughput.avg.pct_of_peak_sustained_active'],
    ['Shared memory', 'l1tex__data_pipe_lsu_wavefronts_mem_shared.avg.pct_of_peak_sustained_active'],
    ['L2', 'lts__throughput.avg.pct_of_peak_sustained_elapsed'],
    ['DRAM', 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed'],
    ['Occupancy', 'sm__warps_active.avg.pct_of_peak_sustained_active'],
  ];
  if (!launch.profile.has_clock) return card('Speed of light', false, noClock());
  return card('Speed of light: percent of the peak', false, make('div', {class: 'bars'}, rows.map(([name, raw]) => {
    const c = change(of(launch, raw), was(launch, raw), '');
    return bar(name, of(launch, raw), percent(of(launch, raw)) + (c.absolute ? ` (${c.absolute})` : ''), was(launch, raw));
  })));
}

// A bar of parts by reason. cycles: by word.
function stack(cycles, small) {
  const all = Object.values(cycles).reduce((a, b) => a + b, 0);
  return make('div', {class: small ? 'small stack' : 'stack'}, DATA.stalls.filter(s => cycles[s.word]).map(s => make('i', {
    style: `width:${share(cycles[s.word], all)}%;background:${COLORS[s.word]}`, 'data-word': s.word,
    title: `${s.title}: ${number(cycles[s.word])} cycles, ${percent(share(cycles[s.word], all))}`,
  })));
}

function reasons(cycles, before, kind) {
  const all = Object.values(cycles).reduce((a, b) => a + b, 0);
  const columns = [['Reason'], ['Cycles', true], ['%', true]];
  if (before) columns.push(['Baseline', true], ['Change', true]);
  const rows = DATA.stalls.filter(s => cycles[s.word] || (before && before[s.word])).map(s => {
    const cells = [
      {element: make('span', {class: 'keyed', title: s.doc}, make('i', {class: 'key', style: `background:${COLORS[s.word]}`}), s.title), key: s.title},
      count(cycles[s.word]), count(share(cycles[s.word], all)),
    ];
    if (before) cells.push(count(before[s.word]), {text: change(cycles[s.word], before[s.word], '').percent, key: cycles[s.word] - before[s.word]});
    return {cells, cycles: cycles[s.word], attributes: {'data-kind': kind, 'data-word': s.word}};
  }).sort((a, b) => b.cycles - a.cycles);
  return table(columns, rows);
}

function stalls(launch) {
  if (!launch.profile.has_clock) return card('Warp states', false, noClock());
  const before = launch.baseline;
  return card('Warp states: what warps did in their cycles', false, stack(launch.profile.stalls),
    reasons(launch.profile.stalls, before && before.stalls, 'stall'));
}

function idle(launch) {
  if (!launch.profile.has_clock) return null;
  const c = launch.profile.counters, before = launch.baseline;
  return card('Schedulers without issue: what was nearest to it', false,
    bar_of_issue(c), stack(launch.profile.idle), reasons(launch.profile.idle, before && before.idle, 'idle'));
}

function bar_of_issue(c) {
  return make('div', {class: 'bars'}, bar('Issued', share(c.IssueCycles, c.SchedulerCycles),
    `${percent(share(c.IssueCycles, c.SchedulerCycles))} of ${number(c.SchedulerCycles)} cycles`, null, COLORS.selected));
}

function memory(launch) {
  const c = launch.profile.counters, clock = launch.profile.has_clock;
  const bytes = (value, arrow) => make('span', {'data-arrow': arrow}, isNaN(value) ? '' : show(32 * value, 'byte'));
  const link = (...parts) => make('div', {class: 'link'}, parts);
  const node = (name, ...lines) => make('div', {class: 'node'}, make('b', null, name), lines.filter(Boolean).map(l => make('div', {class: 'faint'}, l)));
  const hits = raw => of(launch, raw) === null ? '' : `${percent(of(launch, raw))} hits`;
  const narrow = matchMedia('(max-width: 760px)').matches, to = narrow ? '↓' : '→', from = narrow ? '↑' : '←';
  const flow = [
    node('SM', show(c.SharedLoadWavefronts + c.SharedStoreWavefronts, '') + ' shared wavefronts'),
    link(bytes(c.GlobalLoadSectors + c.LocalLoadSectors, from), bytes(c.GlobalStoreSectors + c.LocalStoreSectors + c.GlobalAtomicSectors, to)),
    node('L1', clock ? hits('l1tex__t_sector_hit_rate.pct') : ''),
  ];
  if (clock)
    flow.push(link(bytes(c.LinkReadBytes / 32, from), bytes(c.LinkWriteBytes / 32, to)), node('L2', hits('lts__t_sector_hit_rate.pct')),
      link(bytes(c.DramReadBytes / 32, from), bytes(c.DramWriteBytes / 32, to)),
      node('DRAM', percent(of(launch, 'gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed')) + ' of peak'));
  const rows = ['Global Load', 'Global Store', 'Global Atomic', 'Local Load', 'Local Store', 'Shared Load', 'Shared Store', 'Shared Atomic'];
  const value = (row, column) => {
    const m = DATA.metrics.find(m => m.name === `${row} ${column}`);
    return m ? of(launch, m.raw) : null;
  };
  const columns = ['Requests', 'Sectors', 'Sectors/Request', 'Wavefronts', 'Wavefronts/Request', 'Bank Conflicts'];
  const used = rows.filter(row => value(row, 'Requests'));
  return card('Memory', true, make('div', {class: 'flow'}, flow), clock ? null : noClock(),
    used.length ? table([['Memory'], ...columns.map(name => [name, true])],
      used.map(row => ({cells: [text(row), ...columns.map(column => count(value(row, column)))]}))) : make('p', {class: 'faint'}, 'No instruction accesses memory.'));
}

function mix(launch) {
  const lines = launch.profile.lines, all = launch.profile.counters.Instructions, units = {}, opcodes = {};
  for (const l of lines) {
    units[l.unit || '?'] = (units[l.unit || '?'] || 0) + l.executed;
    opcodes[l.mnemonic || '?'] = (opcodes[l.mnemonic || '?'] || 0) + l.executed;
  }
  const sorted = list => Object.entries(list).sort((a, b) => b[1] - a[1]);
  const used = unit => of(launch, `smsp__pipe_${unit.toLowerCase()}_cycles_active.avg.pct`);
  const row = ([name, n]) => bar(name, share(n, all), `${number(n)} (${percent(share(n, all))})`);
  return card(`Instructions: ${number(all)} of warps`, false, make('div', {class: 'bars'}, sorted(units).map(([unit, n]) => {
    const busy = used(unit);
    return bar(unit, share(n, all), `${number(n)} (${percent(share(n, all))})` + (typeof busy === 'number' ? `, busy ${percent(busy)}` : ''));
  })), make('details', {open: ''}, make('summary', null, 'By opcode'), make('div', {class: 'bars'}, sorted(opcodes).map(row))));
}
