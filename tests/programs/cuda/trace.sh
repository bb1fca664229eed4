#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# trace.sh HEDDLE PROGRAM...: the program's timeline is whole, holds as many kernels as the report, in the host's time and in
# the device's, and what cannot be written is an error before the program starts.
set -eu
heddle=${1:?usage: trace.sh HEDDLE PROGRAM...}
shift
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$heddle" run --quiet --trace "$work/trace.json" --report "$work/report.json" -- "$@"
launches=$(sed -n 's/^  "launches": \([0-9]*\).*/\1/p' "$work/report.json")
spans=$(grep -c '"cat":"kernel"' "$work/trace.json")
[ "$launches" -gt 0 ] && [ "$spans" -eq $((2 * launches)) ] || { echo "$spans spans of $launches kernels"; exit 1; }
grep -q '"name":"cudaMalloc","cat":"call"' "$work/trace.json"
tail -n 1 "$work/trace.json" | grep -qx ']'
status=0
"$heddle" run --trace /no/such/folder/trace.json -- "$@" 2>"$work/said" || status=$?
cat "$work/said"
[ "$status" -eq 2 ] && grep -q "trace: cannot write '/no/such/folder/trace.json'" "$work/said"
