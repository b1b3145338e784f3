#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Distributed problems on 1, 2, 3, 4 and 7 ranks: answers and certificates beside the serial ones, the
# same bits in two runs, and bad input, of which all ranks say the same.  A watchdog ends what hangs:
# that is a failure.
set -u
program=$PERP_BUILD/tests/distributed/on_ranks
if [ ! -x "$program" ]; then
    echo "1..0 # SKIP configured without PETSc (Debian: libpetsc-real-dev)"
    exit 0
fi
if ! command -v mpirun >/dev/null 2>&1; then
    echo "1..0 # SKIP no mpirun"
    exit 0
fi
# More ranks than cores, in containers, as any user.
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_hwloc_base_binding_policy=none
OMPI_MCA_mpi_yield_when_idle=1 OPENBLAS_NUM_THREADS=1
export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_btl_vader_single_copy_mechanism
export OMPI_MCA_hwloc_base_binding_policy OMPI_MCA_mpi_yield_when_idle OPENBLAS_NUM_THREADS
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
TMPDIR=$work; export TMPDIR
number=0
on() { # RANKS PROGRAM...: its own status; 124: the watchdog
    ranks=$1; shift
    timeout -k 5 120 mpirun --oversubscribe -n "$ranks" "$@"
}
result() { # STATUS TEXT LOG
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; sed 's/^/# /' "$3"; fi
}
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

echo 1..63
for ranks in 1 2 3 4 7; do
    for check in residual answers assembled rows empty bad-input bad-calls memory parts bad-parts rolling; do
        holds "$check, $ranks ranks" on "$ranks" "$program" "$check"
    done
done
for ranks in 2 3 7; do
    same_bits "$ranks" schwarz
    same_bits "$ranks" apgd
done
for ranks in 1 4; do
    holds "the example, $ranks ranks" on "$ranks" "$PERP_BUILD/examples/masses_on_ranks"
done
