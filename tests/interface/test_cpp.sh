#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# <perp/perp.hpp> compiles without a warning with each C++ compiler that is here, and does what it says.
set -u
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -e "$PERP_BUILD/.libs/libperp-scene.so" ] || skip "no shared libraries (--disable-shared)"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0
try() { # DESCRIPTION COMMAND...
    number=$((number + 1)); what=$1; shift
    if "$@" >"$work/log" 2>&1; then echo "ok $number - $what"
    else echo "not ok $number - $what"; grep -v '^ok ' "$work/log" | head -n 40 | sed 's/^/# /'; fi
}
compilers=${CXX:-c++}
# A sanitizer belongs to the compiler of the build.
[ -n "${PERP_SANITIZE_FLAGS:-}" ] || compilers="$compilers:g++:clang++"
warnings="-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
export LD_LIBRARY_PATH="$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
seen=:
IFS=:
for compiler in $compilers; do
    unset IFS
    # shellcheck disable=SC2086
    set -- $compiler
    case $seen in *":$compiler:"*) continue ;; esac
    seen="$seen$compiler:"
    command -v "$1" >/dev/null 2>&1 || continue
    for job in c++17:examples/handle c++17:tests/interface/handles c++20:tests/interface/handles; do
        language=${job%:*} program=${job#*:}
        # shellcheck disable=SC2086
        try "$program by $compiler as $language" $compiler -std=$language $warnings ${PERP_SANITIZE_FLAGS:-} \
            -I"$PERP_SOURCE/include" "$PERP_SOURCE/$program.cpp" -L"$PERP_BUILD/.libs" -lperp-scene -lperp-kernel \
            -lperp-io -lperp-numerics -o "$work/program"
        try "it runs" "$work/program"
    done
done
echo "1..$number"
