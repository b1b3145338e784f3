#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The package of python/ is built against the build tree, and its tests and examples are run.
set -u
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -n "${PERP_PYTHON:-}" ] || skip "no Python with cffi, numpy, setuptools, wheel, pytest and its headers"
[ -e "$PERP_BUILD/.libs/libperp-scene.so" ] || skip "no shared libraries (--disable-shared)"
case ${PERP_SANITIZE_FLAGS:-} in
*thread*) skip "the interpreter is not built for the thread sanitizer" ;;
esac

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cp -r "$PERP_SOURCE/python" "$work/python" && chmod -R u+w "$work/python" && cd "$work/python" || exit 99
unset LD_LIBRARY_PATH
# The extension is instrumented as the libraries are.
[ -z "${PERP_SANITIZE_FLAGS:-}" ] || export CFLAGS="$PERP_SANITIZE_FLAGS"
if ! $PERP_PYTHON setup.py -q build --build-base "$work/base" --build-lib "$work/lib" >"$work/log" 2>&1; then
    sed 's/^/# /' "$work/log"
    echo "not ok 1 - the extension is built"
    echo "1..1"
    exit 0
fi

# Under the address sanitizer its library comes first; the interpreter leaks by itself.
case ${PERP_SANITIZE_FLAGS:-} in
*address*)
    LD_PRELOAD="$(${CC:-cc} -print-file-name=libasan.so) $(${CC:-cc} -print-file-name=libstdc++.so)"
    ASAN_OPTIONS=detect_leaks=0
    export LD_PRELOAD ASAN_OPTIONS
    ;;
esac
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$work/lib" MPLBACKEND=Agg PERP_SCENES="$PERP_SOURCE/examples/scenes" \
    $PERP_PYTHON -m pytest -v -p no:cacheprovider --tb=short --doctest-modules \
    --ignore="$work/lib/perp/_perp.abi3.so" tests "$work/lib/perp" >"$work/log" 2>&1
status=$?
unset LD_PRELOAD
awk '/ (PASSED|FAILED|ERROR|SKIPPED|XFAIL)( |$)/ && /::/ && !seen[$1]++ {
         name = $0; sub(/ (PASSED|FAILED|ERROR|SKIPPED|XFAIL).*/, "", name); gsub(/#/, "", name)
         print ($0 ~ / (FAILED|ERROR)( |$)/ ? "not ok " : "ok ") ++n " - " name ($0 ~ / SKIPPED/ ? " # SKIP" : "")
     }
     END { print "1.." n + 1 }' "$work/log" >"$work/tap"
if [ $status = 0 ]; then
    sed "\$i ok $(grep -c '^\(not \)\?ok' "$work/tap" | awk '{ print $1 + 1 }') - all ran" "$work/tap"
else
    sed 's/^/# /' "$work/log" | tail -n 150
    sed "\$i not ok $(grep -c '^\(not \)\?ok' "$work/tap" | awk '{ print $1 + 1 }') - all ran" "$work/tap"
fi
