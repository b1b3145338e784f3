#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# races.sh: ThreadSanitizer over threads = 2 .. 8 within a solve and over handles in threads.  clang, as
# LLVM's OpenMP tells the sanitizer, through archer, what it synchronises; that of gcc does not, and all
# its work would be reported.  Built in races-build below the present folder.  Exit status 1: a race.
set -u
for tool in clang; do
    command -v $tool >/dev/null || { echo "races.sh: no $tool (Debian: clang libomp-dev)" >&2; exit 2; }
done
folder=$(readlink -f "$(clang -print-resource-dir)/../..")
test -e "$folder/libarcher.so" || { echo "races.sh: no libarcher.so (Debian: libomp-dev)" >&2; exit 2; }
tests="tests/numerics/core/test_threads tests/numerics/handle/test_every_solver_reuse tests/kernel/sim/test_same_bits"
tests=${RACE_TESTS:-$tests}
mkdir -p races-build && cd races-build || exit 2
test -f Makefile || "$PERP_SOURCE/configure" --disable-shared --enable-sanitizers=thread CC=clang \
    CFLAGS="-O1 -g" >configure.log 2>&1 || { tail -n 5 configure.log >&2; exit 2; }
make -s -j"${RACE_JOBS:-2}" $tests >make.log 2>&1 || { grep -m 5 'error' make.log >&2; exit 2; }
bad=0
for test in $tests; do
    log=$(basename "$test").log
    TSAN_OPTIONS="ignore_noninstrumented_modules=1 suppressions=$PERP_SOURCE/tests/torture/races.supp" \
        OMP_TOOL_LIBRARIES="$folder/libarcher.so" OPENBLAS_NUM_THREADS=1 CK_DEFAULT_TIMEOUT=3600 \
        PERP_SOURCE="$PERP_SOURCE" PERP_BUILD="$PWD" "./$test" >"$log" 2>&1
    how=$?
    echo "$test: status $how, races $(grep -c 'WARNING: ThreadSanitizer' "$log"), $(grep -E 'Checks:' "$log" | tail -n 1)"
    test $how = 0 || bad=1
    ! grep -q 'WARNING: ThreadSanitizer' "$log" || bad=1
done
exit $bad
