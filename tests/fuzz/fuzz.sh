#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# fuzz.sh SECONDS: each fuzzer for so long, from its corpus, what was found before and what earlier runs
# added to fuzz-runs/TARGET.  An input that breaks something stays in fuzz-runs/, and the exit status is 1.
# Guided by coverage in a build for it:
#     ../configure --disable-shared --enable-sanitizers CC=clang CFLAGS="-O1 -g -fsanitize=fuzzer-no-link"
set -u
seconds=$1
fuzzers=$PERP_BUILD/tests/fuzz
mkdir -p fuzz-runs && cd fuzz-runs || exit 2
"$fuzzers/make_corpus" corpus || exit 2
bad=0
for target in $FUZZ_TARGETS; do
    folders=$PWD/corpus/$target
    test ! -d "$PERP_SOURCE/tests/fuzz/findings/$target" ||
        folders="$folders $PERP_SOURCE/tests/fuzz/findings/$target"
    test -d "corpus/$target" || continue
    mkdir -p "$target"
    if nm "$fuzzers/fuzz_$target" | grep -q ' LLVMFuzzerRunDriver'; then
        # HDF5 loses memory of its own where a file is damaged, and says so at exit.
        leaks=1
        case $target in hdf5*) leaks=0 ;; esac
        ASAN_OPTIONS=detect_leaks=$leaks
        export ASAN_OPTIONS
        dictionary=
        test ! -f "$PERP_SOURCE/tests/fuzz/dictionaries/$target" ||
            dictionary=-dict=$PERP_SOURCE/tests/fuzz/dictionaries/$target
        "$fuzzers/fuzz_$target" -max_total_time="$seconds" -print_final_stats=1 -timeout=20 -rss_limit_mb=4096 \
            -max_len=16384 $dictionary -detect_leaks=$leaks -artifact_prefix="$target-" "$target" $folders \
            >"$target.log" 2>&1
    else
        (cd "$target" && exec "$fuzzers/fuzz_$target" -seconds="$seconds" $folders) >"$target.log" 2>&1
    fi
    how=$?
    echo "$target: status $how, $(grep -E 'number_of_executed_units|changed inputs' "$target.log" | tail -n 1)"
    test $how = 0 || bad=1
done
exit $bad
