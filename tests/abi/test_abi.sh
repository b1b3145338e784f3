#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Programs that were compiled with the headers of a release run with the present libraries: those of
# tests/abi/RELEASE, which freeze.sh made.
set -u
here=$PERP_SOURCE/tests/abi
libs=$PERP_BUILD/.libs
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
if [ ! -e "$libs/libperp-numerics.so" ]; then
    echo "1..0 # SKIP no shared libraries"
    exit 0
fi
set -- "$here"/[0-9]*/*.c
echo "1..$#"
number=0
for program; do
    number=$((number + 1))
    frozen=$(dirname "$program")
    name="$(basename "$frozen") $(basename "$program" .c)"
    if ! ${CC:-cc} -std=c11 -O1 ${PERP_SANITIZE_FLAGS:-} -I"$frozen" -o "$tmp/program" "$program" \
        -L"$libs" -lperp-io -lperp-kernel -lperp-numerics -lm >"$tmp/log" 2>&1; then
        echo "not ok $number - $name does not compile"
        sed 's/^/# /' "$tmp/log" | head -20
    elif ! (cd "$tmp" && LD_LIBRARY_PATH=$libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH} ./program >log 2>&1); then
        echo "not ok $number - $name fails"
        tail -5 "$tmp/log" | sed 's/^/# /'
    else
        echo "ok $number - $name"
    fi
done
