#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the cores of a machine give together: 1, 2, ... processes of one thread solve packings of so many
# contacts at the same time, each pinned to a core and with memory of its own.  Mean milliseconds of an
# iteration, over those of one process alone, and all together beside one: what any number of threads or
# ranks can hope for.  gs is that of bench/scale, apgd that of perp-mpi.  From the folder of the build.
#     ../bench/side_by_side.sh 20000 "1 2 4 8 16" [gs|apgd]
set -eu
size=${1:-20000}
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
solver=${3:-gs}
one() { # CORE
    if [ "$solver" = gs ]; then
        ./bench/scale --sizes "$size" --solvers gs --repeat 4 --cpu "$1" | awk '$1 == "gs" { print 1000 * $7 / $5 }'
    else
        taskset -c "$1" mpirun --quiet --bind-to none -n 1 ./perp-mpi solve --generate "$size" -s "$solver" -t 1e-4 --json --quiet |
            awk -F '[:,]' '/"iterations"/ { n = $2 } /"solve_seconds"/ { print 1000 * $2 / n; exit }'
    fi
}
echo '| processes | solver | ms an iteration | over one alone | all beside one |'
echo '|---|---|---|---|---|'
alone=
for n in ${2:-1 2}; do
    k=0
    while [ $k -lt "$n" ]; do
        one $k >"$out/$k" &
        k=$((k + 1))
    done
    wait
    mean=$(cat "$out"/* | awk '{ sum += $1 } END { print sum / NR }')
    alone=${alone:-$mean}
    awk -v n="$n" -v s="$solver" -v t="$mean" -v a="$alone" \
        'BEGIN { printf "| %d | %s | %.3f | %.2f | %.2f |\n", n, s, t, t / a, n * a / t }'
    rm -f "$out"/*
done
