#!/bin/sh
# A snapshot written by one process is continued by another with the same bits.   new_process.sh GOLDEN_HASHES FOLDER
set -e
file="$2/new_process.$$.snapshot"  # a name of its own: several runs at once must not meet
first=$("$1" save "$file")
second=$("$1" go_on "$file")
rm -f "$file"
echo "$first $second"
[ -n "$first" ] && [ "$first" = "$second" ]
