#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# with_board.sh SIMULATOR COMMAND...: runs COMMAND with HEDDLE_DEVICE and HEDDLE_TEST_DEVICE naming a simulated board
# of its own. Fails when the command does, or when the simulator found a broken rule.
set -eu
simulator=${1:?usage: with_board.sh SIMULATOR COMMAND...}
shift
work=$(mktemp -d)
"$simulator" --quiet --link "$work/port" > "$work/log" 2>&1 &
board=$!
trap 'kill $board 2> /dev/null || true; rm -rf "$work"' EXIT INT TERM
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  [ -e "$work/port" ] && break
  sleep 0.5
done
HEDDLE_DEVICE=board:$work/port
HEDDLE_TEST_DEVICE=$HEDDLE_DEVICE
export HEDDLE_DEVICE HEDDLE_TEST_DEVICE
status=0
"$@" || status=$?
kill "$board"
wait "$board" || { cat "$work/log"; status=1; }
exit $status
