// SPDX-License-Identifier: Apache-2.0
// Elements, numbers, tables.
const DATA = JSON.parse(document.getElementById('data').textContent);

// An element; children are elements, texts or nothing.
function make(tag, attributes, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (name.startsWith('on')) e.addEventListener(name.slice(2), value);
    else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value);
  }
  for (const child of children.flat(Infinity)) if (child !== null && child !== undefined) e.append(child);
  return e;
}

function escaped(text) {
  return text.replace(/[&<>"]/g, c => ({'&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;'})[c]);
}

// As the command prints: whole numbers with commas, others with two digits.
function number(value) {
  const rounded = Math.round(value);
  const whole = Math.abs(value - rounded) < 1e-9 && Math.abs(value) < 1e15;
  return value.toLocaleString('en-US', whole ? {maximumFractionDigits: 0} : {minimumFractionDigits: 2, maximumFractionDigits: 2});
}

// The value and its unit, to read.
function shown(value, unit) {
  if (value === null || value === undefined) return ['', ''];
  let prefix = '';
  if (unit === 'second') {
    let name = 's';
    for (const next of ['ms', 'us', 'ns']) {
      if (Math.abs(value) >= 1 || value === 0) break;
      value *= 1000;
      name = next;
    }
    return [number(value), name];
  }
  const rate = unit.endsWith('/second');
  if (unit !== 'byte' && unit !== 'hz' && unit !== 'flop' && !rate) return [number(value), unit];
  for (const next of ['K', 'M', 'G', 'T']) {
    if (Math.abs(value) < 1000) break;
    value /= 1000;
    prefix = next;
  }
  return [number(value), prefix + (rate ? unit.slice(0, -5) : unit)];
}
const show = (value, unit) => shown(value, unit).join(' ').trim();
const percent = value => value === null || value === undefined ? '' : number(value) + '%';
const share = (part, all) => all ? 100 * part / all : 0;
const clamp = value => Math.max(0, Math.min(100, value || 0));

// "+12", "-3.50"; nothing where there is nothing to compare.
function change(now, before, unit) {
  if (now === null || now === undefined || before === null || before === undefined) return {absolute: '', percent: ''};
  const by = now - before, sign = by > 0 ? '+' : '';
  return {
    absolute: sign + show(by, unit),
    percent: before !== 0 ? sign + number(100 * by / Math.abs(before)) + '%' : by === 0 ? '0%' : '',
    value: by,
  };
}

// A table with a head whose columns sort. columns: [name, is a number, tooltip]; rows: cells with `text`, or element, and `key`.
function table(columns, rows, attributes) {
  const body = make('tbody');
  let sorted = -1, up = false;
  const fill = list => body.replaceChildren(...list.map(row => row.element));
  for (const row of rows)
    row.element = make('tr', row.attributes, row.cells.map((cell, i) => make('td', {
      class: columns[i][1] ? 'n' : cell.class, 'data-value': cell.value,
    }, cell.element || cell.text)));
  const sorts = rows.length > 2;
  const heads = columns.map(([name, numeric, doc], i) => make('th', {
    class: (numeric ? 'n ' : '') + (sorts ? 'sorts' : ''), title: doc, onclick: () => {
      if (!sorts) return;
      up = sorted === i ? !up : !numeric;
      sorted = i;
      heads.forEach((h, k) => { h.classList.toggle('down', k === i && !up); h.classList.toggle('up', k === i && up); });
      const key = row => row.cells[i].key !== undefined ? row.cells[i].key : row.cells[i].text;
      const order = (a, b) => typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b));
      fill([...rows].sort((a, b) => (up ? 1 : -1) * order(key(a), key(b))));
    },
  }, name));
  fill(rows);
  return make('div', {class: 'wide'}, make('table', attributes, make('thead', null, make('tr', null, heads)), body));
}
const text = value => ({text: value});
const count = (value, unit) => ({text: value === null || value === undefined ? '' : show(value, unit || ''), key: value ?? -Infinity, value: value ?? undefined});

function card(title, full, ...children) {
  return make('section', {class: full ? 'card full' : 'card'}, make('h3', null, title), ...children);
}
const noClock = () => make('p', {class: 'faint'}, 'The golden model has no clock: only what can be counted without one is shown.');

// A label, a bar of 100 and a number; `before`: where it was in the baseline.
function bar(label, value, text, before, color) {
  return [
    make('span', null, label),
    make('span', {class: 'track'}, make('i', {style: `width:${clamp(value)}%` + (color ? `;background:${color}` : '')}),
      before === null || before === undefined ? null : make('b', {style: `left:${clamp(before)}%`, title: 'baseline'})),
    make('span', {class: 'n'}, text),
  ];
}
