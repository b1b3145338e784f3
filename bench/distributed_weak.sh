#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The weak series of docs/reference/distributed.md: as many contacts on each rank; counts are means of a
# rank.  From the folder of the build; needs python3.
#     ../bench/distributed_weak.sh 20000 "1 2 4 8 16" [ITERATIONS [FOLDER]] >table.md
# To 1e-4, or for so many iterations (0: to 1e-4).  FOLDER keeps the reports for distributed_model.py.
set -eu
beside=$(dirname "$0")
each=${1:-20000}
"$beside/distributed_row.sh"
for solver in apgd schwarz; do
    for n in ${2:-1 2 4}; do
        "$beside/distributed_row.sh" $((each * n)) "$n" "$solver" "${3:-0}" ${4:+"$4/weak-$each-$solver-$n-${3:-0}.json"}
    done
done
