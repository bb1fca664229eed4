#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# chosen.sh HEDDLE PROGRAM: launches of chosen.cu on the device of the environment, all others on the golden model. As many
# are compared in lockstep as were chosen, and the program's results and prints are right.
set -eu
heddle=${1:?usage: chosen.sh HEDDLE PROGRAM}
program=${2:?usage: chosen.sh HEDDLE PROGRAM}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
  cat "$work/said"
  echo "chosen: $1"
  exit 1
}
# run STATUS OPTION...: the program's lines and the tool's in "said", the report beside it.
run() {
  wanted=$1 status=0
  shift
  "$heddle" run --quiet --report "$work/report.json" "$@" >"$work/said" 2>&1 || status=$?
  [ "$status" -eq "$wanted" ] || fail "status $status, not $wanted, of $*"
}
compared() { sed -n '/"kernels"/,/"totals"/s/.*"compared_instructions": \([0-9]*\).*/\1/p' "$work/report.json" | grep -cv '^0$'; }
# expect LAUNCHES: so many were compared, and the program passed.
expect() {
  [ "$(compared)" -eq "$1" ] || fail "$(compared) launches compared, not $1"
  grep -qx PASS "$work/said" && grep -q '^40 rounds, p\[1\] = ' "$work/said" || fail "results"
}

run 0 --kernel-name step --launch-skip 38 --launch-count 1 -- "$program"
expect 1
run 0 --kernel-name step --launch-skip 5 --launch-count 3 -- "$program"
expect 3
run 0 --kernel-name 'regex:^.*say' -- "$program"
expect 1
HEDDLE_RTL_LAUNCHES=39:41 run 0 -- "$program"
expect 3
run 0 --kernel-name fault -- "$program" fault
grep -q 'illegal address: store to global' "$work/said" && grep -q 'kernel .*fault' "$work/said" || fail "the fault's message"
grep -qx cudaErrorIllegalAddress "$work/said" || fail "the fault's code"
run 1 --kernel-name nothing -- "$program"
grep -q 'no launch was one that' "$work/said" || fail "nothing chosen"
run 2 --kernel-name 'regex:(' -- "$program"
grep -q "no regular expression" "$work/said" || fail "a wrong expression"
run 2 --device model --kernel-name step -- "$program"
grep -q "not the model" "$work/said" || fail "the model"
echo "chosen: as wanted"
