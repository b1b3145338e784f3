#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Distributed problems on 1, 2, 3, 4 and 7 ranks: answers and certificates beside the serial ones, the
# same bits in two runs, and bad input, of which all ranks say the same.  A watchdog ends what hangs:
# that is a failure.
set -u
program=$PERP_BUILD/tests/distributed/on_ranks
needs=$program watchdog=120
. "$PERP_SOURCE/tests/distributed/ranks.sh"
holds() { # TEXT COMMAND...: its status is 0
    text=$1; shift
    "$@" >"$work/log" 2>&1
    result $? "$text" "$work/log"
}
same_bits() { # RANKS SOLVER
    on "$1" "$program" "bits-$2" >"$work/first" 2>"$work/log" &&
        on "$1" "$program" "bits-$2" >"$work/second" 2>>"$work/log" &&
        cat "$work/first" "$work/second" >>"$work/log" && cmp -s "$work/first" "$work/second"
    result $? "the same bits twice, $2, $1 ranks" "$work/log"
}

echo 1..80
for ranks in 1 2 3 4 7; do
    for check in residual answers assembled rows empty bad-input bad-calls memory parts bad-parts rolling islands assembled-rows bad-matrices; do
        holds "$check, $ranks ranks" on "$ranks" "$program" "$check"
    done
done
for ranks in 2 3 4 7; do
    same_bits "$ranks" schwarz
    same_bits "$ranks" apgd
done
for ranks in 1 4; do
    holds "the example, $ranks ranks" on "$ranks" "$PERP_BUILD/examples/masses_on_ranks"
done
