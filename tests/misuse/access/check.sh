#!/bin/sh
# Compiles the snippets beside this file: good.cpp must compile, every bad_*.cpp must fail for the reason in its first line.
#   check.sh COMPILER SOURCE_DIR
compiler=$1 source=$2 status=0
folder=$(dirname "$0")
try() { "$compiler" -std=c++20 -fsyntax-only -I "$source/src" "$1" 2>&1; }

if ! messages=$(try "$folder/good.cpp"); then
  echo "good.cpp does not compile:"; echo "$messages"; status=1
fi
count=0
for file in "$folder"/bad_*.cpp; do
  cause=$(sed -n '1s|^// expect: ||p' "$file")
  count=$((count + 1))
  if messages=$(try "$file"); then
    echo "$file compiles but must not"; status=1
  elif [ -z "$cause" ] || ! echo "$messages" | grep -qE "$cause"; then
    echo "$file fails for another reason than \"$cause\":"; echo "$messages" | head -n 12; status=1
  fi
done
echo "$count violations tried"
[ "$count" -ge 5 ] || status=1
exit $status
