#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# synth.sh TOOLS_DIR TOPS SOURCE...: reads all sources through the slang front end into Yosys, in one hierarchy
# below the modules TOPS ("gpu fifo"), and refuses latches, combinational loops (also through several modules) and
# signals with two drivers, by module. (The front end gives an undriven signal a constant: lint finds those.)
# Every source that is no package must be a module of its own name that gets there. Prints a table: instances, and
# cells and bits of memory of the largest one; a cell is an operation on words, before any gates.
set -eu
tools=${1:?usage: synth.sh TOOLS_DIR TOPS SOURCE...}
tops=${2:?usage: synth.sh TOOLS_DIR TOPS SOURCE...}
shift 2
here=$(dirname "$0")
names=$(for source in "$@"; do basename "$source"; done | tr '\n' ' ')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/synth.ys" <<YS
read_slang --threads 1 --best-effort-hierarchy $(printf -- '--top %s ' $tops)$names
chformal -remove
proc
opt_clean
check -nolatches -assert
tee -q -o stat.txt stat
flatten $tops
check -assert $tops
YS
"$tools/node" --experimental-wasm-exnref --no-warnings "$here/yosys.mjs" "$tools" "$work/synth.ys" "$@" \
  -- "$work/stat.txt"
# An instance's module is named module\$path.
awk -v names="$names" '
  BEGIN { printf "%-20s %9s %9s %9s\n", "module", "instances", "cells", "bits" }
  $1 == "===" && $2 == "design" { module = "" }
  $1 == "===" && $2 != "design" { split($2, part, "$"); module = part[1]; sub(/^\\/, "", module); instances[module]++ }
  module != "" && $2 == "cells" && $1 > cells[module] { cells[module] = $1 }
  module != "" && $2 " " $3 == "memory bits" && $1 > bits[module] { bits[module] = $1 }
  END {
    count = split(names, source, " ")
    for (i = 1; i <= count; i++) {
      module = source[i]
      sub(/\.sv$/, "", module)
      if (module ~ /_pkg$/) continue
      if (!(module in instances)) { print "synth: module " module " is not below TOPS"; failed = 1; continue }
      printf "%-20s %9d %9d %9d\n", module, instances[module], cells[module], bits[module]
    }
    exit failed
  }' "$work/stat.txt"
