# SPDX-License-Identifier: BSD-3-Clause
# What tests of several ranks begin with; to be read by them with `needs`, the program without which they
# are skipped, and `watchdog`, the seconds after which a command is ended.
if [ ! -x "$needs" ]; then
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
    timeout -k 5 "$watchdog" mpirun --oversubscribe -n "$ranks" "$@"
}
result() { # STATUS TEXT LOG
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; sed 's/^/# /' "$3"; fi
}
