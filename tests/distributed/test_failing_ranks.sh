#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi and the library of several ranks where a call of PETSc fails, or an allocation of the command, each
# once: all ranks end with status 2 and one says why, or the answer is there.  A watchdog ends what hangs: that
# is a failure.
set -u
perp=$PERP_BUILD/perp
mpi=$PERP_BUILD/.libs/perp-mpi
test -x "$mpi" || mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=60
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"
torture=$PERP_BUILD/tests/torture
test -z "${PERP_SANITIZE_FLAGS:-}" && test -f "$torture/failing_petsc.so" ||
    { echo '1..0 # SKIP no call can fail here'; exit 0; }
program=$PERP_BUILD/tests/distributed/.libs/on_ranks
test -x "$program" || program=$PERP_BUILD/tests/distributed/on_ranks
LD_LIBRARY_PATH=$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# One process of a run of mpirun: what is preloaded goes to that rank alone.
cat >"$work/one.sh" <<'END'
[ "$OMPI_COMM_WORLD_RANK" = "$FAILING_RANK" ] && export LD_PRELOAD="$FAILING_LIBRARY"
exec "$@"
END
# each NAME LIBRARY VARIABLE RANKS RANK ARGUMENT...
each() {
    what=$1 library=$2 variable=$3 ranks=$4 who=$5; shift 5
    place=0 wrong=
    while
        place=$((place + 1))
        rm -rf "$work/reached" "$work/out"
        env "$variable=$place" PERP_FAIL_OBJECT=perp-mpi PERP_FAIL_REACHED="$work/reached" FAILING_RANK="$who" \
            FAILING_LIBRARY="$torture/$library.so" timeout -k 5 "$watchdog" \
            mpirun --oversubscribe -n "$ranks" sh "$work/one.sh" "$mpi" "$@" >"$work/log" 2>&1
        code=$?
        test -f "$work/reached"
    do
        case $code in
        0) ;;
        2) grep -q '^perp' "$work/log" || wrong="$wrong $place: says $(head -n 1 "$work/log");" ;;
        *) wrong="$wrong $place: status $code, $(head -n 1 "$work/log"), $(sed -n 1,3p "$work/reached");" ;;
        esac
    done
    echo "$wrong" >"$work/log"
    [ -z "$wrong" ] && [ "$place" -gt 1 ]
    result $? "$what: $((place - 1)) places" "$work/log"
}

echo 1..12
if test -x "$PERP_BUILD/tests/distributed/.libs/on_ranks"; then
    LD_PRELOAD=$torture/failing_petsc.so mpirun -n 1 "$program" failing-petsc >"$work/log" 2>&1
else
    : # linked statically, its calls are not those of a library
fi
result $? "the library" "$work/log"
"$perp" generate spheres -n 12 -q "$work/p.hdf5" >"$work/log" 2>&1
jean='"schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1}, '
drum 1e-8 1 "$jean" >"$work/drum.json"
for library in petsc allocations; do
    case $library in petsc) variable=PERP_FAIL_PETSC ;; *) variable=PERP_FAIL_PLACE ;; esac
    each "solve, $library" failing_$library $variable 1 0 solve "$work/p.hdf5" --out "$work/out"
    each "solve in parts, $library" failing_$library $variable 1 0 solve "$work/p.hdf5" --in-parts -q
    each "run, $library" failing_$library $variable 1 0 run "$work/drum.json" --rows 1 --until 0.02 -q
    each "run in parts, $library" failing_$library $variable 1 0 run "$work/drum.json" --rows 1 --in-parts --until 0.02 -q \
        --states 2 --out "$work/out"
done
for who in 0 1; do
    each "run in parts, rank $who of 2" failing_allocations PERP_FAIL_PLACE 2 $who \
        run "$work/drum.json" --in-parts --until 0.1 -q --out "$work/out"
done
each "solve, rank 1 of 2" failing_allocations PERP_FAIL_PLACE 2 1 solve "$work/p.hdf5" --in-parts -q
