#!/bin/sh
# tools/check_function_length finds exactly the three long functions of tests/misuse/function_length.
#   function_length_check.sh SOURCE_DIR
out=$("$1/tools/check_function_length" --limit 30 "$1/tests/misuse/function_length" | grep -v "functions of")
echo "$out"
[ "$(echo "$out" | wc -l)" -eq 3 ] &&
  echo "$out" | grep -q "src/long.cpp:7: free_function has 31 lines" &&
  echo "$out" | grep -q "src/long.cpp:43: Thing has 32 lines" &&
  echo "$out" | grep -q "src/long.cpp:78: operator() has 33 lines"
