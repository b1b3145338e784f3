#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# <perp/choices.h> is what choices.awk makes of the tables, and says what they say.
set -u
public=$PERP_SOURCE/include
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
echo 1..3

awk -f "$public/choices.awk" "$public/perp/settings.def" "$public/perp/scheme.def" >"$tmp/choices.h"
if cmp -s "$tmp/choices.h" "$public/perp/choices.h"; then
    echo "ok 1 - choices.h is current"
else
    echo "not ok 1 - choices.h is not current: run make choices"
    diff "$tmp/choices.h" "$public/perp/choices.h" | head -20 | sed 's/^/# /'
fi

tables=$(grep -c '^PERP_CHOICE(' "$public/perp/settings.def" "$public/perp/scheme.def" |
    awk -F: '{ n += $NF } END { print n }')
enums=$(grep -c '^typedef enum' "$public/perp/choices.h")
if [ "$tables" -eq "$enums" ]; then
    echo "ok 2 - one enum for each choice"
else
    echo "not ok 2 - $tables choices, $enums enums"
fi

# No name twice, and as C and as C++ with all public headers.
printf '#include <perp/io.h>\n#include <perp/kernel.h>\n' >"$tmp/all.c"
cp "$tmp/all.c" "$tmp/all.cpp"
if ${CC:-cc} -I"$public" -fsyntax-only "$tmp/all.c" >"$tmp/log" 2>&1 &&
    { [ -z "${CXX:-}" ] || $CXX -I"$public" -fsyntax-only "$tmp/all.cpp" >>"$tmp/log" 2>&1; }; then
    echo "ok 3 - it compiles beside the other headers"
else
    echo "not ok 3 - it does not compile beside the other headers"
    sed 's/^/# /' "$tmp/log" | head -20
fi
