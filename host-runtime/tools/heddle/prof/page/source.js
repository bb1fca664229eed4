// SPDX-License-Identifier: Apache-2.0
// The roofline, drawn; and the source lines with their PTX statements and instructions.
const KIND_COLORS = {fp32: '#2f7fd0', fp64: '#b45bb8', fp16: '#2a9d9d', tensor: '#d9483b'};

// Intensity and work of each kind of arithmetic at each memory; of the baseline where `values` are its.
function points(values) {
  const list = [];
  for (const k of DATA.kinds) for (const l of DATA.levels) {
    const x = values[`smsp__ops_${k.id}_per_${l.id}_byte.ratio`], y = values[`smsp__ops_${k.id}.sum.per_second`];
    if (x > 0 && y > 0) list.push({kind: k, level: l, x, y});
  }
  return list;
}

// A mark by level: circle, square, triangle.
function mark(x, y, level, color, hollow) {
  const style = hollow ? `fill="none" stroke="${color}" stroke-width="1.5"` : `fill="${color}"`;
  if (level === 'dram') return `<circle cx="${x}" cy="${y}" r="5" ${style}/>`;
  if (level === 'l2') return `<rect x="${x - 4.5}" y="${y - 4.5}" width="9" height="9" ${style}/>`;
  return `<path d="M${x - 5.5} ${y + 4.5}h11l-5.5-10z" ${style}/>`;
}

function drawRoofline(box, launch) {
  const m = launch.metrics, width = Math.max(300, box.clientWidth || 560), height = 330, left = 58, right = 12, top = 14, bottom = 40;
  const now = points(m), before = launch.baseline ? points(launch.baseline.metrics) : [];
  const peaks = DATA.kinds.map(k => ({kind: k, y: m[`smsp__ops_${k.id}.sum.peak_sustained_per_second`]})).filter(p => p.y > 0);
  const roofs = DATA.levels.map(l => ({level: l, bytes: m[`roofline__${l.id}_bytes.sum.peak_sustained_per_second`]})).filter(r => r.bytes > 0);
  const most = Math.max(...peaks.map(p => p.y)), log = Math.log10;
  const xs = [...now, ...before].map(p => p.x).concat(roofs.map(r => most / r.bytes));
  const ys = [...now, ...before].map(p => p.y).concat(peaks.map(p => p.y));
  const x0 = Math.floor(log(Math.min(...xs)) - .3), x1 = Math.ceil(log(Math.max(...xs)) + .3);
  const y0 = Math.floor(log(Math.min(...ys)) - .3), y1 = Math.ceil(log(Math.max(...ys)) + .1);
  const X = v => left + (log(v) - x0) / (x1 - x0) * (width - left - right);
  const Y = v => top + (y1 - log(v)) / (y1 - y0) * (height - top - bottom);
  let svg = '';
  const label = (x, y, text, anchor, rest) => `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" text-anchor="${anchor}" ${rest || ''}>${escaped(text)}</text>`;
  const line = (xa, ya, xb, yb, kind, rest) => `<line x1="${xa.toFixed(1)}" y1="${ya.toFixed(1)}" x2="${xb.toFixed(1)}" y2="${yb.toFixed(1)}" class="${kind}" ${rest || ''}/>`;
  const every = Math.ceil((x1 - x0) * 46 / (width - left - right));  // labels have room
  for (let e = x0; e <= x1; e++) {
    svg += line(X(10 ** e), top, X(10 ** e), height - bottom, 'axis');
    if ((e - x0) % every === 0) svg += label(X(10 ** e), height - bottom + 14, String(Number((10 ** e).toPrecision(1))), e === x1 ? 'end' : 'middle');
  }
  for (let e = y0; e <= y1; e++) {
    svg += line(left, Y(10 ** e), width - right, Y(10 ** e), 'axis');
    svg += label(left - 6, Y(10 ** e) + 4, show(10 ** e, 'flop').replace('flop', ''), 'end');
  }
  const names = bytes => roofs.filter(r => r.bytes === bytes).map(r => r.level.name).join(', ');
  for (const r of roofs) {  // from the lower or the left edge to the highest peak
    const from = Math.max(10 ** x0, 10 ** y0 / r.bytes), to = most / r.bytes;
    svg += line(X(from), Y(from * r.bytes), X(to), Y(most), 'roof');
    if (roofs.find(other => other.bytes === r.bytes) !== r) continue;  // the same line has both names
    const at = 10 ** (log(from) + .3 * (log(to) - log(from)));
    svg += label(X(at) + 9, Y(at * r.bytes) + 4, names(r.bytes), 'start');
  }
  for (const p of peaks) {
    svg += line(X(p.y / Math.max(...roofs.map(r => r.bytes))), Y(p.y), width - right, Y(p.y), 'roof', `style="stroke:${KIND_COLORS[p.kind.id]}"`);
    svg += label(width - right - 4, Y(p.y) - 4, p.kind.name, 'end');
  }
  for (const p of before) svg += mark(X(p.x), Y(p.y), p.level.id, KIND_COLORS[p.kind.id], true);
  for (const p of now)
    svg += `<g>${mark(X(p.x), Y(p.y), p.level.id, KIND_COLORS[p.kind.id])}<title>${p.kind.name} at ${p.level.name}</title></g>`;
  svg += label((left + width) / 2, height - 6, 'flop a byte', 'middle') + label(4, 10, 'flop/s', 'start');
  box.innerHTML = `<svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Roofline">${svg}</svg>`;
}

function roofline(launch) {
  if (!launch.profile.has_clock) return card('Roofline', false, noClock());
  const box = make('div', {class: 'roofline'}), m = launch.metrics, name = {dram: '●', l2: '■', l1: '▲'};
  const rows = DATA.kinds.filter(k => typeof m[`smsp__ops_${k.id}.sum`] === 'number').map(k => ({cells: [
    {element: make('span', {class: 'keyed'}, make('i', {class: 'key', style: `background:${KIND_COLORS[k.id]}`}), k.name), key: k.name},
    count(m[`smsp__ops_${k.id}.sum.per_second`], 'flop/second'), count(m[`smsp__ops_${k.id}.sum.pct_of_peak_sustained_elapsed`]),
    ...DATA.levels.map(l => count(m[`smsp__ops_${k.id}_per_${l.id}_byte.ratio`])), count(m[`smsp__ops_${k.id}.sum.peak_sustained_per_second`], 'flop/second'),
  ]}));
  const columns = [['Kind'], ['Achieved', true], ['%', true], ...DATA.levels.map(l => [`${name[l.id]} ${l.name}`, true, `operations a byte of ${l.name}`]), ['Peak', true]];
  launch.draw = () => drawRoofline(box, launch);
  return card('Roofline', false, box, table(columns, rows),
    points(m).length ? null : make('p', {class: 'faint'}, 'No floating-point operations are executed: there are no points.'));
}

const stalled = cycles => Object.entries(cycles).reduce((sum, [word, n]) => word === 'selected' ? sum : sum + n, 0);

const COUNTS = {executed: 'Executed', threads: 'Threads', divergent: 'Divergent', sectors: 'Sectors', wavefronts: 'Wavefronts'};

// Instructions by `keyOf` each, with sums; a group has its first one's place.
function groups(lines, keyOf) {
  const found = new Map();
  for (const l of lines) {
    const key = keyOf(l);
    if (!found.has(key)) found.set(key, {key, file: l.file, line: l.line, ptx: l.ptx, ptx_line: l.ptx_line, pc: l.pc, lines: [], stalls: {}});
    const g = found.get(key);
    g.lines.push(l);
    for (const name of Object.keys(COUNTS)) g[name] = (g[name] || 0) + (l[name] || 0);
    for (const [word, n] of Object.entries(l.stalls)) g.stalls[word] = (g.stalls[word] || 0) + n;
  }
  for (const g of found.values()) g.stalled = stalled(g.stalls);
  return [...found.values()];
}

function source(launch) {
  const body = make('tbody'), clock = launch.profile.has_clock, list = groups(launch.profile.lines, l => l.file ? `${l.file}:${l.line}` : l.function || launch.profile.name), all = list.reduce((sum, g) => sum + g.stalled, 0);
  const orders = {
    'source order': null, 'stall cycles': g => g.stalled, executed: g => g.executed, 'divergent branches': g => g.divergent, sectors: g => g.sectors, wavefronts: g => g.wavefronts,
  };
  if (!clock) delete orders['stall cycles'];
  const base = file => file.split('/').pop();
  // "kernels.cu:12": of a long name its end is left out, never the number.
  const place = (name, line) => make('td', {class: 'where code'}, make('div', null, make('span', null, name), line ? `:${line}` : null));
  const code = g => g.file ? (DATA.sources[g.file] || {})[g.line] : undefined;
  const numbers = x => Object.keys(COUNTS).map(name => make('td', {class: 'n'}, x[name] ? number(x[name]) : ''));
  const states = x => {
    if (!clock) return [];
    const only = Object.fromEntries(Object.entries(x.stalls).filter(([word]) => word !== 'selected')), n = stalled(x.stalls);
    const wide = list.length ? share(n, Math.max(...list.map(g => g.stalled), 1)) : 0;
    return [make('td', {class: 'n', 'data-stalled': n}, n ? `${number(n)} (${percent(share(n, all))})` : ''),
      make('td', null, n ? make('div', {style: `width:${Math.max(wide, 2)}%;min-width:3px;overflow:hidden`}, stack(only, true)) : null)];
  };
  const rows = (g, open) => {
    const own = groups(g.lines, l => `${l.function || ''}:${l.ptx_line || 0}`).flatMap(s => [
      ...s.ptx ? [make('tr', {class: 'ptx', 'data-ptx': s.ptx_line}, place('PTX', s.ptx_line), make('td', {class: 'text code', title: s.ptx}, s.ptx), states(s), numbers(s))] : [],
      ...s.lines.map(l => make('tr', {class: 'inst', 'data-executed': l.executed}, make('td', {class: 'where code'}, '+0x' + l.pc.toString(16)),
        make('td', {class: 'text code', title: l.text}, l.text), states(l), numbers(l)))]);
    const head = make('tr', {class: 'cuda has', title: g.file || '', onclick: () => own.forEach(row => { row.hidden = !row.hidden; })},
      place(g.file ? base(g.file) : g.key, g.line), make('td', {class: 'text code', title: code(g)}, code(g) ?? ''), states(g), numbers(g));
    own.forEach(row => { row.hidden = !open; });
    return [head, ...own];
  };
  let order = 'source order', open = true;
  const fill = () => {
    const key = orders[order], sorted = [...list], out = [];
    sorted.sort((a, b) => key ? key(b) - key(a) : (a.file || '').localeCompare(b.file || '') || (a.line || 0) - (b.line || 0) || a.pc - b.pc);
    let last = null;
    for (const g of sorted) {
      // Lines between those with instructions, as far as the page has them.
      if (!key && last && last.file === g.file && g.file)
        for (let n = last.line + 1; n < g.line; n++) {
          const between = (DATA.sources[g.file] || {})[n];
          if (between !== undefined) out.push(make('tr', {class: 'gap'}, place(base(g.file), n), make('td', {class: 'text code', colspan: Object.keys(COUNTS).length + (clock ? 3 : 1)}, between)));
        }
      out.push(...rows(g, open));
      last = g;
    }
    body.replaceChildren(...out);
  };
  const choose = make('select', {onchange: e => { order = e.target.value; fill(); }}, Object.keys(orders).map(name => make('option', null, name)));
  const toggle = make('button', {type: 'button', onclick: () => { open = !open; fill(); }}, 'Instructions');
  const heads = Object.values(COUNTS).map(name => make('th', {class: 'n'}, name));
  if (clock) heads.unshift(make('th', {class: 'n'}, 'Stall cycles'), make('th', {class: 'reasons'}, 'By reason'));
  fill();
  return card('Source and instructions', true, make('div', {class: 'tools'}, make('label', null, 'Sort by ', choose), toggle),
    make('div', {class: 'wide'}, make('table', {class: 'source'}, make('thead', null, make('tr', null, make('th', null, 'Line'), make('th', null, 'Source, PTX, instruction'), heads)), body)));
}
