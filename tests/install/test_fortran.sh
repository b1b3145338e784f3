#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The module for Fortran compiles without a warning, its types are those of C, and its example runs.
set -u
skip() { echo "1..0 # SKIP $1"; exit 0; }
command -v "${FC:-gfortran}" >/dev/null 2>&1 || skip "no Fortran compiler (gfortran)"
[ -e "$PERP_BUILD/.libs/libperp-scene.so" ] || skip "no shared libraries (--disable-shared)"
[ -z "${PERP_SANITIZE_FLAGS:-}" ] || skip "not with sanitizers"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
number=0
try() { # DESCRIPTION COMMAND...
    number=$((number + 1)); what=$1; shift
    if "$@" >"$work/log" 2>&1; then echo "ok $number - $what"
    else echo "not ok $number - $what"; sed 's/^/# /' "$work/log"; fi
}
cat >"$work/sizes.c" <<'END'
#include <perp/numerics.h>
_Static_assert(sizeof(perp_mat) == 64 && offsetof(perp_mat, as) == 16, "perp_mat");
_Static_assert(sizeof(perp_segment) == 56 && offsetof(perp_segment, par) == 16, "perp_segment");
_Static_assert(sizeof(perp_problem) == 88 && offsetof(perp_problem, q) == 64, "perp_problem");
_Static_assert(sizeof(perp_residuals) == 128 && sizeof(perp_settings) <= 4096, "figures and settings");
END
try "types are as long as in C" ${CC:-cc} -std=c11 -fsyntax-only -I"$PERP_SOURCE/include" "$work/sizes.c"
try "module and example compile" "${FC:-gfortran}" -std=f2008 -Wall -Wextra -pedantic -Werror -J "$work" \
    "$PERP_SOURCE/fortran/perp.f90" "$PERP_SOURCE/fortran/example.f90" -L"$PERP_BUILD/.libs" \
    -lperp-scene -lperp-kernel -lperp-io -lperp-numerics -o "$work/example"
try "the example runs" env LD_LIBRARY_PATH="$PERP_BUILD/.libs" "$work/example"
echo "1..$number"
