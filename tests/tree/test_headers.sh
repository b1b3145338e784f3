#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Each public header compiles alone and twice, as strict C11 and as C++, without a warning.
set -u
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0
headers=$(cd "$PERP_SOURCE/include" && ls perp/*.h)
# shellcheck disable=SC2086
set -- $headers
echo "1..$((2 * $#))"
alone() { # HEADER LANGUAGE COMPILER FLAG...
    number=$((number + 1))
    header=$1 language=$2; shift 2
    printf '#include <%s>\n#include <%s>\nextern int perp_unit;\n' "$header" "$header" >"$work/unit"
    if "$@" -x "$language" -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror \
        -I"$PERP_SOURCE/include" "$work/unit" >"$work/log" 2>&1; then
        echo "ok $number - $header as $language"
    else
        echo "not ok $number - $header as $language"
        sed 's/^/# /' "$work/log"
    fi
}
for header in $headers; do
    # shellcheck disable=SC2086
    alone "$header" c ${CC:-cc} -std=c11
    # shellcheck disable=SC2086
    alone "$header" c++ ${CXX:-c++} -std=c++11
done
