#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# fetch_tools.sh DIR: puts Yosys, nextpnr-ecp5 and ecppack of Debian 13 into DIR, without changing the system: a
# private apt state with the mirror that this machine uses, packages unpacked below DIR/root, programs in DIR/bin. Does
# nothing when they are there. Debian 12 itself has a Yosys that is too old and no nextpnr-ecp5.
set -euo pipefail
dir=$(realpath -m "${1:?usage: fetch_tools.sh DIR}")
release=trixie
tools=(yosys yosys-abc nextpnr-ecp5 ecppack)
packages=(yosys yosys-abc nextpnr-ecp5 nextpnr-ecp5-chipdb fpga-trellis fpga-trellis-database)
libraries=(libboost-filesystem1.83.0 libboost-iostreams1.83.0 libboost-program-options1.83.0 libboost-thread1.83.0 libbz2-1.0
  libc6 libexpat1 libffi8 libgcc-s1 liblzma5 libpython3.13 libpython3.13-minimal libpython3.13-stdlib libreadline8t64
  libstdc++6 libtcl8.6 libtinfo6 libzstd1 zlib1g)

fail() {
  echo "fetch_tools.sh: $*" >&2
  echo "fetch_tools.sh: on Debian 13 install these packages instead: ${packages[*]}" >&2
  exit 1
}

mkdir -p "${dir%/*}"
exec 9>"$dir.lock" # two builds may set up at the same time
flock 9
[[ ! -f $dir/complete ]] || exit 0
[[ $(uname -m) == x86_64 ]] || fail "no private copy for $(uname -m)"
for need in apt-get dpkg-deb patchelf; do
  command -v $need >/dev/null || fail "$need is missing (Debian: apt-get install ${need/dpkg-deb/dpkg})"
done
mirror=$(apt-get indextargets --format '$(SITE)' 'Created-By: Packages' 2>/dev/null | grep -m1 '/debian/*$') ||
  fail "no Debian mirror in this machine's apt configuration"

rm -rf "$dir"
mkdir -p "$dir"/apt/lists/partial "$dir"/apt/cache/archives/partial "$dir"/root "$dir"/bin
: >"$dir/apt/status"
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$dir/apt/sources.list"
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$dir/apt/sources.list" -o Dir::Etc::sourceparts=/nonexistent
  -o "Dir::State::lists=$dir/apt/lists" -o "Dir::Cache=$dir/apt/cache" -o "Dir::State::status=$dir/apt/status"
  -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::http::Timeout=60)
"${apt[@]}" update >"$dir/apt/log" 2>&1 || fail "cannot reach the Debian mirror: $(tail -n 1 "$dir/apt/log")"
(cd "$dir/apt/cache/archives" && "${apt[@]}" download "${packages[@]}" "${libraries[@]}") >"$dir/apt/log" 2>&1 ||
  fail "cannot download the packages of Debian 13: $(tail -n 1 "$dir/apt/log")"
for deb in "$dir"/apt/cache/archives/*.deb; do
  dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir/root" --keep-directory-symlink --no-same-owner ||
    fail "cannot unpack $deb (is the disk full?)"
done
lib=$dir/root/usr/lib/x86_64-linux-gnu
for tool in "${tools[@]}"; do
  patchelf --set-interpreter "$lib/ld-linux-x86-64.so.2" --force-rpath --set-rpath "$lib:$lib/trellis" "$dir/root/usr/bin/$tool" ||
    fail "patchelf cannot change $tool"
  ln -sf "../root/usr/bin/$tool" "$dir/bin/$tool"
done
# nextpnr looks for its chip data in a folder that is compiled in; make that a relative one of the same length and
# run it there. ecppack takes its data base as an option.
sed -i 's#/usr/share/nextpnr/#share/nextpnr//////#g' "$dir/root/usr/bin/nextpnr-ecp5"
rm "$dir/bin/nextpnr-ecp5" "$dir/bin/ecppack"
printf '#!/bin/sh\ncd %q && exec bin/nextpnr-ecp5 "$@"\n' "$dir/root/usr" >"$dir/bin/nextpnr-ecp5"
printf '#!/bin/sh\nexec %q --db %q "$@"\n' "$dir/root/usr/bin/ecppack" "$dir/root/usr/share/trellis/database" >"$dir/bin/ecppack"
chmod +x "$dir/bin/nextpnr-ecp5" "$dir/bin/ecppack"
"$dir/bin/yosys" -V >/dev/null || fail "the unpacked Yosys does not run"
rm -rf "$dir/apt"
touch "$dir/complete"
