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
# Flags of the libraries that a header includes; absent where Perp was configured without them.
flags=
of_others() { # HEADER
    case $1 in
    perp/petsc.h) flags=${PERP_PETSC_CFLAGS:-} && [ -n "$flags" ] ;;
    *) flags= ;;
    esac
}
alone() { # HEADER LANGUAGE COMPILER FLAG...
    number=$((number + 1))
    header=$1 language=$2; shift 2
    if ! of_others "$header"; then
        echo "ok $number - $header as $language # SKIP configured without what it includes"
        return
    fi
    printf '#include <%s>\n#include <%s>\nextern int perp_unit;\n' "$header" "$header" >"$work/unit"
    # shellcheck disable=SC2086
    if "$@" -x "$language" $flags -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Werror \
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
