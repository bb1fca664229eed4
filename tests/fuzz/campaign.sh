#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Random programs in lockstep and against their evaluation in C++, on many cores:
#
#   campaign.sh OUT CORES TEST LIBRARIES PRESETS [SECONDS] [SEED] [PROGRAMS]
#
# TEST: fuzz_program_test (or a command that starts it); LIBRARIES: the folder with libheddle_rtl_*.so; PRESETS: that with *.toml. Three
# quarters of the cores run cc80, the others tiny. Each runs PROGRAMS of each shape, or as many as it can in SECONDS / 5, with seeds of its own.
# OUT/summary.txt tells how many there were and which went wrong, of which OUT/PRESET has the text; the exit status whether any did.
out=$1 cores=$2 test=$3 libraries=$4 presets=$5 seconds=${6:-400} seed=${7:-1} programs=${8:-1000000}
mkdir -p "$out/cc80" "$out/tiny"
n=0
pids=
while [ $n -lt "$cores" ]; do
  preset=cc80
  [ $((n % 4)) -eq 3 ] && preset=tiny
  HEDDLE_TEST_DEVICE=lockstep HEDDLE_TEST_SO=$libraries/libheddle_rtl_$preset.so HEDDLE_TEST_PRESET=$presets/$preset.toml \
    HEDDLE_SEED=$((seed + n * 1000000)) HEDDLE_PROGRAMS=$programs HEDDLE_SECONDS=$((seconds / 5)) HEDDLE_KEEP=$out/$preset \
    $test > "$out/$preset.$n.log" 2>&1 &
  pids="$pids $!"
  n=$((n + 1))
done
failed=0
for pid in $pids; do wait "$pid" || failed=$((failed + 1)); done
{
  for preset in cc80 tiny; do
    cat "$out/$preset".*.log 2>/dev/null |
      awk -v p=$preset '/programs without a difference/ {a += $1; b += $6; c += $9} END {print p ": " a + 0 " programs without a difference, " b + 0 " with one, " c + 0 " of no use"}'
  done
  echo "$failed of $cores processes failed"
  grep -H "HEDDLE_PROGRAMS=1" "$out"/*.log
} > "$out/summary.txt"
cat "$out/summary.txt"
[ $failed -eq 0 ]
