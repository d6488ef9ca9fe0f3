#!/usr/bin/env bash
# Installs the build into a scratch prefix, moves it, and uses it from elsewhere as somebody would who has no checkout:
#   run.sh BUILD SOURCE SCRATCH
set -euo pipefail
build=$1 source=$2 scratch=$3
rm -rf "$scratch"
cmake --install "$build" --prefix "$scratch/made" >/dev/null
prefix=$scratch/prefix
mv "$scratch/made" "$prefix"
mkdir "$scratch/home"
cd "$scratch/home"

# Nothing may come from the checkout: every file that the program names lies in the prefix.
"$prefix/bin/gradus" show levels | grep -q "keyframes $prefix/share/gradus/motions/kidsize_walk.toml"
printf '[world]\ninclude = ["fields/plane.toml"]\n[robot.kid]\nmodel = "robots/kidsize.toml"\n' >mine.toml
"$prefix/bin/gradus" run mine.toml --for 0.1s --quiet >/dev/null

# The library, by scene name and with files of its own prefix.
cmake -S "$source/tests/install/user" -B "$scratch/user" -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
cmake --build "$scratch/user" >/dev/null
"$scratch/user/user" levels

# The installed examples, copied to where one may write.
for example in controller walker; do
  cp -r "$prefix/share/gradus/examples/$example" .
  cmake -S $example -B $example/build -DCMAKE_PREFIX_PATH="$prefix" >/dev/null
  cmake --build $example/build >/dev/null
done
"$prefix/bin/gradus" run controller/squat.toml --for 1s --quiet >/dev/null
"$prefix/bin/gradus" run walker/square.toml --for 1s --quiet >/dev/null
test -x "$prefix/share/gradus/examples/firasim_client/client.py"
