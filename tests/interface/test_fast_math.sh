#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that are compiled and linked with -ffast-math, whose start flushes denormal numbers to zero in all
# of the process, get the bits that others get.
set -u
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -e "$PERP_BUILD/.libs/libperp-scene.so" ] || skip "no shared libraries (--disable-shared)"
[ -z "${PERP_SANITIZE_FLAGS:-}" ] || skip "not with sanitizers"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export LD_LIBRARY_PATH="$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
number=0
check() { # DESCRIPTION COMMAND...
    number=$((number + 1)); what=$1; shift
    if "$@" >"$work/log" 2>&1; then echo "ok $number - $what"
    else echo "not ok $number - $what"; head -n 20 "$work/log" | cut -c1-200 | sed 's/^/# /'; fi
}
build() { # OUTPUT COMPILER FLAGS...
    out=$1; shift
    "$@" -I"$PERP_SOURCE/include" "$PERP_SOURCE/tests/interface/fast_math_host.c" -L"$PERP_BUILD/.libs" \
        -lperp-scene -lperp-kernel -lperp-io -lperp-numerics -o "$work/$out"
}
run() { "$work/$1" >"$work/$1.out"; }
# shellcheck disable=SC2086
check "a host without -ffast-math" build plain ${CC:-cc} -O2
check "it runs" run plain
check "solved, refuted and refused" sh -c 'for s in SOLVED INFEASIBLE ERR_NONFINITE; do grep -q ": PERP_$s," "$1" || exit 1; done' \
    sh "$work/plain.out"
for compiler in "${CC:-cc}" gcc clang; do
    # shellcheck disable=SC2086
    set -- $compiler
    command -v "$1" >/dev/null 2>&1 || continue
    for level in -O1 -O3; do
        # shellcheck disable=SC2086
        check "by $compiler $level -ffast-math" build fast $compiler $level -ffast-math
        check "it runs" run fast
        check "the same bits" diff "$work/plain.out" "$work/fast.out"
    done
done
echo "1..$number"
