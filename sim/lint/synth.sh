#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# synth.sh TOOLS_DIR MODULE SOURCE...: reads MODULE through the slang front end into Yosys, refuses latches,
# combinational loops and signals with two drivers, and prints the cells.
set -eu
tools=${1:?usage: synth.sh TOOLS_DIR MODULE SOURCE...}
module=${2:?usage: synth.sh TOOLS_DIR MODULE SOURCE...}
shift 2
here=$(dirname "$0")
names=$(for source in "$@"; do basename "$source"; done | tr '\n' ' ')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/synth.ys" <<YS
read_slang --threads 1 --top $module $names
hierarchy -check -top $module
chformal -remove
proc
opt_clean
select -assert-none t:\$dlatch t:\$adlatch t:\$dlatchsr t:\$sr
check -assert
flatten
opt_clean
tee -o stat.txt stat
YS
"$tools/node" --experimental-wasm-exnref --no-warnings "$here/yosys.mjs" "$tools" "$work/synth.ys" "$@" -- "$work/stat.txt"
cat "$work/stat.txt"
