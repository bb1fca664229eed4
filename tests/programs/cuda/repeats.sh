#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# repeats.sh HEDDLE PROGRAM...: the program's run on the device of the environment costs the same cycles three times, alone
# and beside two busy loops, and its report says that it is deterministic.
set -eu
heddle=${1:?usage: repeats.sh HEDDLE PROGRAM...}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"; kill $load 2>/dev/null || true' EXIT
load=
cycles() {
  "$heddle" run --quiet --report "$work/report.json" -- "$@" >/dev/null
  grep -q '"deterministic": true' "$work/report.json" || { cat "$work/report.json"; echo "not deterministic"; exit 1; }
  sed -n 's/^  "device_cycles": \([0-9]*\).*/\1/p' "$work/report.json"
}
alone=$(cycles "$@")
for i in 1 2; do
  while :; do :; done &
  load="$load $!"
done
for i in 1 2; do
  beside=$(cycles "$@")
  [ "$beside" = "$alone" ] || { echo "$alone cycles alone, $beside beside other work"; exit 1; }
done
[ "$alone" -gt 0 ]
echo "$alone cycles each time"
