#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# python_memory.sh: the tests of the package for Python under the address sanitizer and that of undefined
# behaviour: libraries and extension are instrumented, and the sanitizer is loaded into the
# interpreter.  Built in python-memory-build below the present folder.  Exit status 1: it found something.
set -u
[ -n "${PERP_PYTHON:-}" ] || { echo "python_memory.sh: no Python with cffi, numpy, setuptools, wheel, pytest" >&2; exit 2; }
mkdir -p python-memory-build && cd python-memory-build || exit 2
test -f Makefile || "$PERP_SOURCE/configure" --disable-static --enable-sanitizers ${CC:+"CC=$CC"} CFLAGS="-O1 -g" \
    >configure.log 2>&1 || { tail -n 5 configure.log >&2; exit 2; }
make -s -j"${PYTHON_MEMORY_JOBS:-2}" libperp-scene.la libperp-kernel.la libperp-io.la libperp-numerics.la perp \
    >make.log 2>&1 || { grep -m 5 'error' make.log >&2; exit 2; }
flags=$(sed -n 's/^PERP_SANITIZE_FLAGS = //p' Makefile)
PERP_BUILD=$PWD PERP_SANITIZE_FLAGS=$flags sh "$PERP_SOURCE/tests/python/test_python.sh" >tests.log 2>&1
awk '/^ok .*# SKIP/ { skipped++; next } /^ok/ { good++ } /^not ok/ { bad++ }
     END { printf "%d passed, %d failed, %d skipped\n", good, bad, skipped; exit bad > 0 || good == 0 }' tests.log ||
    { grep -v '^ok' tests.log | tail -n 60; exit 1; }
