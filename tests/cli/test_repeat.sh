#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The same problem gives the same bits: each solver, in two processes, with one
# and two threads of the BLAS, on the shipped problems and linear complementarity.
set -u
perp=$PERP_BUILD/perp
problems=$PERP_SOURCE/bench/problems
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0

# solve THREADS SOLUTION ARGUMENT...: 1 where the solver does not take the problem.
solve() {
    threads=$1; solution=$2; shift 2
    OPENBLAS_NUM_THREADS=$threads "$perp" solve -q "$@" --set max_iter=100 --out "$solution" 2>err
    [ $? -lt 2 ]
}
# repeats NAME FILE ARGUMENT...: both solutions are the same file.
repeats() {
    name=$1 file=$2; shift 2
    rm -f one two
    solve 1 one "$file" "$@" || { grep -q 'does not take' err || echo "$name $file: failed"; return; }
    solve 2 two "$file" "$@"
    solved=$((solved + 1))
    cmp -s one two || echo "$name $file: differ"
}

# A tridiagonal one, of 80 unknowns, as text of Siconos.
awk 'BEGIN { n = 80; print n; print 0, n, n; print n, n
    for (i = 0; i < n; i++) {
        for (j = 0; j < n; j++) printf "%d ", i == j ? 3 : i - j == 1 ? -2 : j - i == 1 ? -1 : 0
        print "" }
    for (i = 0; i < n; i++) printf "%d ", i * 7 % 11 - 6 }' >lcp.dat
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then
    files=$(ls "$problems"/*.hdf5)
else
    for kind in spheres boxes arch grains; do
        "$perp" generate $kind --size 100 -q $kind.dat
        "$perp" generate $kind --size 100 --form local -q $kind-local.dat
    done
    files=$(ls ./*s.dat ./*arch.dat ./*-local.dat)
fi

# twice NAME ARGUMENT...: on every problem.
twice() {
    name=$1; shift
    solved=0
    for file in $files; do repeats "$name" "$file" "$@"; done >differences
    repeats "$name" lcp.dat --class lcp "$@" >>differences
    number=$((number + 1))
    if [ -s differences ] || [ $solved = 0 ]; then echo "not ok $number - $name"; sed 's/^/# /' differences
    else echo "ok $number - $name: $solved problems twice"; fi
}

for solver in $("$perp" solvers --all | awk '/^[a-z]/ && !/:$/ { print $1 }'); do
    twice "$solver" --solver "$solver"
done
for method in nsn+formulation=jean-moreau nsn+formulation=natural-map nsn+formulation=fischer-burmeister \
    newton+formulation=fischer-burmeister pgs+pgs_variant=psor pgs+pgs_variant=nncg pgs+pgs_variant=rpgs \
    lagged+lagged_law=panagiotopoulos lagged+lagged_law=de-saxce projection+correction=none \
    prox+prox_newton=single prox+prox_newton=smoothed; do
    twice "$method" --solver "${method%%+*}" --set "${method#*+}"
done
echo "1..$number"
