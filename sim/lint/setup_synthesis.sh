#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# setup_synthesis.sh DIR: puts the synthesis tools (Yosys with the slang front end, as WebAssembly, and a
# node new enough to run it) into DIR/node_modules through npm. Does nothing when they are there.
set -eu
dir=${1:?usage: setup_synthesis.sh DIR}
yosys=@yowasp/yosys@0.70.62-dev.1236 # exactly: earlier and later builds read some constructs wrongly
node=24.9.0                          # Debian 12's node 20 lacks WebAssembly exception references

fail() { echo "setup_synthesis.sh: $*" >&2; exit 1; }

case $(uname -m) in
  x86_64) arch=x64 ;;
  aarch64) arch=arm64 ;;
  *) fail "no node $node package for $(uname -m)" ;;
esac
bundle=$dir/node_modules/@yowasp/yosys/gen/bundle.js
runner=$dir/node_modules/node-linux-$arch/bin/node
if [ ! -f "$bundle" ] || [ ! -x "$runner" ]; then
  command -v npm > /dev/null || fail "npm is missing (Debian: apt install npm)"
  mkdir -p "$dir"
  echo '{"private": true}' > "$dir/package.json"
  # Offline it must give up soon: this runs at configure time.
  timeout 600 npm install --fetch-retries=1 --fetch-timeout=120000 --prefix "$dir" --no-audit --no-fund --no-progress --loglevel=error --ignore-scripts \
    "$yosys" "node-linux-$arch@$node" > "$dir/npm.log" 2>&1 ||
    fail "npm could not install $yosys and node $node (is the npm registry reachable?): $(tail -n 3 "$dir/npm.log")"
fi
[ -f "$bundle" ] && [ -x "$runner" ] || fail "npm installed no $bundle or no $runner"
ln -sf "node_modules/node-linux-$arch/bin/node" "$dir/node"
