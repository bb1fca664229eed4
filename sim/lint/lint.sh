#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# lint.sh RTL_DIR CONFIG_PKG [SOURCE...]: Verilator -Wall on everything in RTL_DIR/heddle.f (and further sources)
# under waivers.vlt; CONFIG_PKG is a preset's config_pkg.sv. Modules that nothing instantiates are tops of their own,
# so every module is seen. Prints each warning; fails if there is one.
#
# "Bits of signal are not used" is accepted: structs travel whole though a receiver may need only some of their
# fields, and modifiers of instructions overlap. A signal that is unused altogether is an error.
set -eu
rtl=${1:?usage: lint.sh RTL_DIR CONFIG_PKG [SOURCE...]}
config=${2:?usage: lint.sh RTL_DIR CONFIG_PKG [SOURCE...]}
shift 2
here=$(dirname "$0")
sources=$(sed -n "s|^\([^/ ].*\.sv\)[[:space:]]*\$|$rtl/\1|p" "$rtl/heddle.f")
count=$(echo "$sources" | grep -vc '_pkg\.sv$')
# shellcheck disable=SC2086
output=$(verilator --lint-only -Wall -Wno-fatal --unroll-count 1024 "$here/waivers.vlt" "$config" $sources "$@" \
  2>&1) || output="$output
%Error: verilator failed"
left=$(printf '%s\n' "$output" | awk '
  /^%/ { show = !/Bits of signal are not used/ }
  /^- / { show = 0 }
  show && NF')
if [ -n "$left" ]; then
  printf '%s\n' "$left"
  echo "lint: warnings in $count modules of $(basename "$(dirname "$config")")"
  exit 1
fi
echo "lint: $count modules clean in $(basename "$(dirname "$config")")"
