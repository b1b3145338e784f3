#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the cores of a machine give together: 1, 2, ... processes of one thread solve packings of so many
# contacts by gs at the same time, each pinned to a core and with memory of its own.  Mean seconds of a
# solve, and that over the time of one process alone: what any number of threads or ranks can hope for.
# From the folder of the build.
#     ../bench/side_by_side.sh 20000 "1 2 4 8 16" [REPEATS]
set -eu
size=${1:-20000}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
echo '| processes | contacts | solve s | over one alone | all beside one |'
echo '|---|---|---|---|---|'
alone=
for n in ${2:-1 2}; do
    k=0
    while [ $k -lt "$n" ]; do
        ./bench/scale --sizes "$size" --solvers gs --repeat "${3:-10}" --cpu $k >"$out/$k" &
        k=$((k + 1))
    done
    wait
    mean=$(awk '$1 == "gs" { sum += $7; count++ } END { print sum / count }' "$out"/*)
    contacts=$(awk '$1 == "gs" { print $2; exit }' "$out/0")
    alone=${alone:-$mean}
    awk -v n="$n" -v c="$contacts" -v t="$mean" -v a="$alone" \
        'BEGIN { printf "| %d | %d | %.4f | %.2f | %.2f |\n", n, c, t, t / a, n * a / t }'
    rm -f "$out"/*
done
