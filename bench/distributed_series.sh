#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The strong series of docs/reference/distributed.md: the same packings on more and more ranks; counts are
# means of a rank.  From the folder of the build; needs python3.
#     ../bench/distributed_series.sh "10000 100000" "1 2 4 8 16" [ITERATIONS [FOLDER]] >table.md
# To 1e-4, or for so many iterations (0: to 1e-4).  FOLDER keeps the reports for distributed_model.py.
set -eu
beside=$(dirname "$0")
"$beside/distributed_row.sh"
for size in ${1:-10000}; do
    for solver in apgd schwarz; do
        for n in ${2:-1 2 4}; do
            "$beside/distributed_row.sh" "$size" "$n" "$solver" "${3:-0}" ${4:+"$4/strong-$size-$solver-$n-${3:-0}.json"}
        done
    done
done
