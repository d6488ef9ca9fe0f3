#!/usr/bin/env bash
# Installs the build into a scratch prefix and uses it from another project: run.sh BUILD SOURCE SCRATCH
set -euo pipefail
build=$1 source=$2 scratch=$3
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/prefix" >/dev/null
cmake -S "$source/tests/install/user" -B "$scratch/user" -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/user" >/dev/null
"$scratch/user/user" "$scratch/prefix/share/gradus/scenes/levels.toml"
cmake -S "$source/examples/controller" -B "$scratch/controller" -DCMAKE_PREFIX_PATH="$scratch/prefix" >/dev/null
cmake --build "$scratch/controller" >/dev/null
test -f "$scratch/controller/libmy_controller.so"
