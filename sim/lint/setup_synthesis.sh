#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup_synthesis.sh [--find]: prints the folder of the synthesis tools (Yosys with the slang front end, as WebAssembly,
# and a node new enough to run it). Fetches them through npm when they are not there, into a cache that all builds of this
# user share; with --find it only looks.
set -eu
yosys=0.70.62-dev.1236 # exactly: earlier and later builds read some constructs wrongly
node=24.9.0            # Debian 12's node 20 lacks WebAssembly exception references
dir=${XDG_CACHE_HOME:-$HOME/.cache}/heddle/yosys-$yosys-node-$node

fail() { echo "setup_synthesis.sh: $*" >&2; exit 1; }

case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) fail "no node $node package for $(uname -m)" ;;
esac
bundle=$dir/node_modules/@yowasp/yosys/gen/bundle.js
runner=$dir/node_modules/node-linux-$arch/bin/node
complete() { [ -f "$bundle" ] && [ -x "$runner" ] && [ -e "$dir/node" ]; }

if ! complete; then
  [ "${1:-}" != --find ] || fail "no $dir (./heddle setup fetches it)"
  command -v npm > /dev/null || fail "npm is missing (Debian: apt install npm)"
  echo "heddle: fetching Yosys with the slang front end to $dir (265 MB)" >&2
  mkdir -p "$dir"
  exec 9> "$dir.lock" # two builds may set up at the same time
  flock 9
  if ! complete; then
    echo '{"private": true}' > "$dir/package.json"
    timeout 600 npm install --fetch-retries=1 --fetch-timeout=120000 --prefix "$dir" --no-audit --no-fund --no-progress --loglevel=error --ignore-scripts \
      "@yowasp/yosys@$yosys" "node-linux-$arch@$node" > "$dir/npm.log" 2>&1 ||
      fail "npm could not install $yosys and node $node (is the npm registry reachable?): $(tail -n 3 "$dir/npm.log")"
    [ -f "$bundle" ] && [ -x "$runner" ] || fail "npm installed no $bundle or no $runner"
    ln -sf "node_modules/node-linux-$arch/bin/node" "$dir/node"
  fi
fi
echo "$dir"
