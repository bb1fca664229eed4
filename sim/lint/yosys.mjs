// SPDX-License-Identifier: Apache-2.0
// Runs the WebAssembly build of Yosys with its slang front end on real files.
//   node --experimental-wasm-exnref yosys.mjs TOOLS_DIR SCRIPT.ys IN_FILE... -- OUT_FILE...
// The script sees every input under its base name, which therefore must be unique, and writes each output
// under its base name; @SOURCES@ in it are the names of the .sv inputs. Exit status is Yosys's; nothing is written when it
// fails.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

const [tools, script, ...files] = process.argv.slice(2);
const split = files.indexOf('--');
const inputs = split < 0 ? files : files.slice(0, split);
const outputs = split < 0 ? [] : files.slice(split + 1);

const bundle = path.resolve(tools, 'node_modules/@yowasp/yosys/gen/bundle.js');
if (!fs.existsSync(bundle)) {
  console.error(`yosys.mjs: ${bundle} is missing: run sim/lint/setup_synthesis.sh ${tools}`);
  process.exit(3);
}
const names = inputs.filter((file) => file.endsWith('.sv')).map((file) => path.basename(file));
const tree = { 'script.ys': Buffer.from(fs.readFileSync(script, 'utf8').replaceAll('@SOURCES@', names.join(' '))) };
for (const file of inputs) {
  const name = path.basename(file);
  if (name in tree) {
    console.error(`yosys.mjs: two inputs are named ${name}`);
    process.exit(3);
  }
  tree[name] = fs.readFileSync(file);
}

const { commands } = await import(pathToFileURL(bundle));
const writer = (fd) => (bytes) => { if (bytes) fs.writeSync(fd, bytes); };
// Its loader reports progress through the console; only the end matters.
for (const channel of ['log', 'info', 'error']) {
  const print = console[channel];
  console[channel] = (...words) => { if (!/: fetched \d+%/.test(words.join(' '))) print(...words); };
}
try {
  const result = await commands.yosys(['-q', '-l', 'all.log', '-s', 'script.ys'], tree,
                                      { stdout: writer(1), stderr: writer(2), decodeASCII: false });
  for (const file of outputs) {
    const data = result[path.basename(file)];
    if (data === undefined) {
      console.error(`yosys.mjs: the script wrote no ${path.basename(file)}`);
      process.exit(3);
    }
    fs.writeFileSync(file, data);
  }
} catch (error) {
  if (error.code === undefined) throw error;
  // What the front end says of the sources goes to the log alone.
  const log = error.files?.['all.log'];
  const lines = log ? (typeof log === 'string' ? log : new TextDecoder().decode(log)).replace(/\x1b\[[0-9;]*m/g, '').split('\n') : [];
  lines.forEach((line, n) => { if (/: error: /.test(line)) console.error(lines.slice(n, n + 3).join('\n')); });
  process.exit(error.code || 1);
}
