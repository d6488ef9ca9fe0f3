#!/bin/sh
# tools/check_layers finds exactly the five violations of tests/misuse/layers.   layers_check.sh SOURCE_DIR
out=$("$1/tools/check_layers" "$1/tests/misuse/layers")
status=$?
echo "$out"
[ $status -eq 1 ] && [ "$(echo "$out" | wc -l)" -eq 5 ] &&
  echo "$out" | grep -q "src/core/a.h:1: core must not include tree" &&
  echo "$out" | grep -q "src/motion/walk/walk.h:1: motion walk must not include motion roll" &&
  echo "$out" | grep -q "src/motion/roll/roll.h:1: motion must not include step" &&
  echo "$out" | grep -q "src/motion/roll/roll.h:2: .* goes up" &&
  echo "$out" | grep -q "src/step/a.h:2: nowhere/ is no module"
