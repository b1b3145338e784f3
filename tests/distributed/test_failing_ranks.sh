#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The library of several ranks, perp-mpi solve and perp-mpi run, on one rank, where a call of PETSc by them fails, or an
# allocation of the command, each once: a status that is an error, and a sentence, or the answer is there.  A watchdog
# ends what hangs: that is a failure.
set -u
perp=$PERP_BUILD/perp
mpi=$PERP_BUILD/.libs/perp-mpi
test -x "$mpi" || mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=60
. "$PERP_SOURCE/tests/distributed/ranks.sh"
torture=$PERP_BUILD/tests/torture
test -z "${PERP_SANITIZE_FLAGS:-}" && test -f "$torture/failing_petsc.so" ||
    { echo '1..0 # SKIP no call can fail here'; exit 0; }
# Linked statically, calls of the library are not those of a library.
program=$PERP_BUILD/tests/distributed/.libs/on_ranks
test -x "$program" || { echo '1..0 # SKIP linked statically'; exit 0; }
LD_LIBRARY_PATH=$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH

# each PRELOADED VARIABLE ARGUMENT...: calls of the command itself, or of the library $object; a process that mpirun did
# not start is a rank.
object=perp-mpi
each() {
    preloaded=$1 variable=$2; shift 2
    what=$(printf '%s, %.12s %s' "$preloaded" "$1" "$(printf '%s' "$*" | grep -o -e '--in-parts' || :)")
    place=0 wrong=
    while
        place=$((place + 1))
        rm -rf "$work/reached" "$work/out" "$work/out.hdf5"
        [ -z "${begun:-}" ] || cp -r "$begun" "$work/out"
        env "$variable=$place" PERP_FAIL_OBJECT=$object PERP_FAIL_REACHED="$work/reached" \
            LD_PRELOAD="$torture/$preloaded.so" timeout -k 5 "$watchdog" "$mpi" "$@" >"$work/log" 2>&1
        code=$?
        test -f "$work/reached"
    do
        case $code in
        0) [ -z "${whole:-}" ] || cmp -s "$whole" "$work/out.hdf5" || wrong="$wrong $place: half a file;" ;;
        2)
            grep -q '^perp' "$work/log" || wrong="$wrong $place: says $(head -n 1 "$work/log");"
            [ -z "${whole:-}" ] || [ ! -e "$work/out.hdf5" ] || wrong="$wrong $place: a file after all;"
            ;;
        *) wrong="$wrong $place: status $code, $(head -n 1 "$work/log"), $(sed -n 1,3p "$work/reached");" ;;
        esac
    done
    echo "$wrong" >"$work/log"
    [ -z "$wrong" ] && [ "$place" -gt 1 ]
    result $? "$what: $((place - 1)) places" "$work/log"
}

echo 1..11
LD_PRELOAD=$torture/failing_petsc.so timeout -k 5 600 "$program" failing-petsc >"$work/log" 2>&1
result $? "the library" "$work/log"
"$perp" generate spheres -n 6 -q "$work/p.hdf5" >"$work/log" 2>&1
"$perp" solve -q "$work/p.hdf5" --out "$work/start.txt" >"$work/log" 2>&1
each failing_petsc PERP_FAIL_PETSC solve "$work/p.hdf5" -q --start "$work/start.txt" --out "$work/out"
each failing_allocations PERP_FAIL_PLACE solve "$work/p.hdf5" --out "$work/out"
each failing_allocations PERP_FAIL_PLACE solve "$work/p.hdf5" --in-parts --json
# A run that goes on from a checkpoint, each rank with some of the bodies, and with all of them.
cat >"$work/s.json" <<'SCENE'
{"version": 1, "time": {"until": 0.05, "step": 0.01}, "solver": {"tol": 1e-8}, "gravity": [0, 0, -9.81],
 "schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1], "offset": 0}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 0.0999], "velocity": [1, 0, 0],
             "copies": {"count": [2, 1, 2], "spacing": [0.19, 0.3, 0.19]}}],
 "contacts": {"e": 0, "mu": 0.4}, "record": {"stride": 1, "quantities": ["kinetic"]}}
SCENE
if "$mpi" run "$work/s.json" -q --until 0.02 --out "$work/begun" >"$work/log" 2>&1; then
    begun=$work/begun
    each failing_allocations PERP_FAIL_PLACE run "$work/s.json" -q --in-parts --rows 1 --resume --out "$work/out"
    each failing_petsc PERP_FAIL_PETSC run "$work/s.json" -q --in-parts --rows 1 --resume --out "$work/out"
    each failing_allocations PERP_FAIL_PLACE run "$work/s.json" -q --resume --out "$work/out"
    sed 's/moreau-jean/discrete-gradient/' "$work/s.json" >"$work/d.json"
    rm -rf "$begun"; "$mpi" run "$work/d.json" -q --until 0.02 --out "$begun" >"$work/log" 2>&1
    each failing_allocations PERP_FAIL_PLACE run "$work/d.json" -q --in-parts --rows 1 --resume --out "$work/out"
    begun=
else
    for k in 1 2 3 4; do result 0 "a run # SKIP configured without jansson" "$work/log"; done
fi

# The answer in a copy of the problem's file: by the library that reads and writes.
object=libperp-io whole=$work/whole.hdf5
if "$mpi" solve "$work/p.hdf5" -q --in-parts --out "$whole" >"$work/log" 2>&1; then
    for kind in allocations:PERP_FAIL_PLACE hdf5:PERP_FAIL_HDF5 calls:PERP_FAIL_CALL; do
        each "failing_${kind%:*}" "${kind#*:}" solve "$work/p.hdf5" -q --in-parts --out "$work/out.hdf5"
    done
else
    for k in 1 2 3; do result 0 "a copy of the file # SKIP without HDF5" "$work/log"; done
fi
