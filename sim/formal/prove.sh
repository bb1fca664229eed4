#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# prove.sh TOOLS_DIR STEPS TOP SOURCE...: proves the assertions of module TOP, and those of what it instantiates, for all
# inputs that its assumptions allow and for ever: by induction over STEPS cycles at most, with Yosys's own SAT solver. Exits
# with 1 where an assertion can fail, or where so many cycles are too few to tell: then it prints the last cycles that the
# solver found.
set -eu
tools=${1:?usage: prove.sh TOOLS_DIR STEPS TOP SOURCE...}
steps=${2:?usage: prove.sh TOOLS_DIR STEPS TOP SOURCE...}
top=${3:?usage: prove.sh TOOLS_DIR STEPS TOP SOURCE...}
shift 3
here=$(dirname "$0")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cat > "$work/prove.ys" <<YS
read_slang --threads 1 --top $top @SOURCES@
prep -flatten -top $top
memory_map
async2sync
chformal -lower
setundef -undriven -anyseq
setundef -anyseq
opt -full
tee -q -o proof.txt sat -tempinduct -prove-asserts -set-assumes -seq 0 -maxsteps $steps -show-regs
YS
"$tools/node" --experimental-wasm-exnref --no-warnings "$here/../lint/yosys.mjs" "$tools" "$work/prove.ys" "$@" \
  -- "$work/proof.txt"
asserts=$(grep 'Import proof for assert' "$work/proof.txt" | sort -u | wc -l)
if grep -q 'Induction step proven: SUCCESS' "$work/proof.txt"; then
  echo "prove: $top: $asserts assertions hold ($(grep -o 'induction step [0-9]*' "$work/proof.txt" | tail -1))"
else
  sed -n '/Time Signal Name/,/^$/p' "$work/proof.txt" | cut -c 1-160
  if grep -q 'model found for base case' "$work/proof.txt"; then
    echo "prove: $top: an assertion fails in the cycles above" >&2
  else
    echo "prove: $top: not proven in $steps steps; the cycles above need not be reachable" >&2
  fi
  exit 1
fi
