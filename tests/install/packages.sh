#!/usr/bin/env bash
# The archive runs where it is unpacked, the Debian package says what it needs:  packages.sh BUILD SCRATCH
set -euo pipefail
build=$1 scratch=$2
rm -rf "$scratch"
mkdir -p "$scratch/elsewhere"
cpack --config "$build/CPackConfig.cmake" -G "TGZ;DEB" -B "$scratch/made" >"$scratch/log" || { cat "$scratch/log"; exit 1; }
tar xzf "$scratch"/made/gradus-*.tar.gz -C "$scratch/elsewhere"
program=$(echo "$scratch"/elsewhere/gradus-*/bin/gradus)
cd "$scratch/elsewhere"
"$program" run levels --for 0.1s --quiet >/dev/null
"$program" show levels | grep -q "keyframes $scratch/elsewhere/gradus-.*/share/gradus/motions/kidsize_walk.toml"
package=$(echo "$scratch"/made/gradus_*.deb)
dpkg-deb --field "$package" Depends | grep libc6 >/dev/null
dpkg-deb --contents "$package" >"$scratch/contents"
grep -q './usr/bin/gradus' "$scratch/contents"
grep -q './usr/share/gradus/scenes/levels.toml' "$scratch/contents"
