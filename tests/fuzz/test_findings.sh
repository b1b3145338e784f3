#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every reader of untrusted bytes on what was found before, on its corpus, and on some thousand inputs
# that are changed in the same way each time.
set -u
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
fuzzers=$PERP_BUILD/tests/fuzz
if nm "$fuzzers/fuzz_problem" 2>/dev/null | grep -q ' LLVMFuzzerRunDriver'; then
    echo "1..0 # SKIP built for libFuzzer: make fuzz"
    exit 0
fi
if ! "$fuzzers/make_corpus" corpus >log 2>&1; then
    sed 's/^/# /' log
    echo "Bail out! no corpus"
    exit 99
fi
run() { # TARGET RUNS
    number=$((number + 1))
    folders=
    for folder in "corpus/$1" "$PERP_SOURCE/tests/fuzz/findings/$1"; do
        test ! -d "$folder" || folders="$folders $folder"
    done
    rm -f crash-input
    if test -z "$folders"; then
        echo "ok $number - $1 # SKIP no inputs in this build"
    elif "$fuzzers/fuzz_$1" -runs="$2" $folders >log 2>&1; then
        echo "ok $number - $1: $(tail -n 1 log)"
    else
        echo "not ok $number - $1"
        tail -n 30 log | sed 's/^/# /'
        test ! -f crash-input || od -c crash-input | head -n 60 | sed 's/^/# /'
    fi
}
run problem 5000
run matrix 5000
run solution 5000
run scene 2000
run robot 5000
run mesh 5000
run motion 5000
run checkpoint 500
run results 5000
run verify 1000
run series 1000
run proof 5000
run hdf5 0
run hdf5_structure 1000
echo "1..$number"
