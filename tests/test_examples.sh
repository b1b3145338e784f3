#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples run, and the README's first program is examples/first.c.
set -u
number=0
result() { # STATUS DESCRIPTION
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}

echo 1..3
for example in first steps; do
    "$PERP_BUILD/examples/$example" | sed 's/^/# /'
    "$PERP_BUILD/examples/$example" >/dev/null
    result $? "$example"
done
program=$(mktemp) && text=$(mktemp) || exit 99
trap 'rm -f "$program" "$text"' EXIT
tail -n +3 "$PERP_SOURCE/examples/first.c" >"$program"
sed -n '/^```c$/,/^```$/p' "$PERP_SOURCE/README.md" | grep -v '^```' >"$text"
cmp -s "$program" "$text"
result $? "the README shows examples/first.c"
