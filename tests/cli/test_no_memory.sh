#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands without memory: each allocation of Perp's that a command comes to fails once.  It says so, or
# its table does where one point of many was not made, and leaves no half file, or it ends as if nothing
# had been.
set -u
fail=$PERP_BUILD/tests/torture/failing_allocations.so
test -z "${PERP_SANITIZE_FLAGS:-}" && test -f "$fail" || { echo '1..0 # SKIP no allocation can fail here'; exit 0; }
# Beside the script of libtool, which would fail, too.
perp=$PERP_BUILD/.libs/perp
test -x "$perp" || perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then h=hdf5; else h=dat; fi
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" && json=yes || json=no
number=0
OPENBLAS_NUM_THREADS=1
export OPENBLAS_NUM_THREADS
if test -x "$PERP_BUILD/.libs/perp"; then
    LD_LIBRARY_PATH=$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi

# Without what takes seconds, and the condition number, which has a way that needs less memory.
steady() {
    sed -e '/seconds\|time\|steps\/s\| s$\| s,/d' -e '/^condition\|"exact"\|"largest"\|"smallest"\|"rank"/d' "$1"
}
# each ARGUMENT...: what is written goes into the folder `new`, by its name.
each() {
    rm -rf new; mkdir new
    timeout 60 "$perp" "$@" >plain.out 2>plain.err </dev/null; usual=$?
    steady plain.out >plain
    ls -A new >plain.names
    place=0 wrong=
    while
        place=$((place + 1))
        rm -rf new reached; mkdir new
        PERP_FAIL_PLACE=$place PERP_FAIL_REACHED=$stage/reached LD_PRELOAD=$fail \
            timeout 60 "$perp" "$@" >out 2>err </dev/null
        status=$?
        test -f reached
    do
        ls -A new >names
        if test "$status" = 2; then
            grep -qi 'memory' err || wrong="$wrong $place: says $(head -n 1 err);"
        elif test "$status" = "$usual" && grep -q 'err-memory' out; then
            :
        elif test "$status" != "$usual" || ! steady out | cmp -s - plain || ! cmp -s names plain.names; then
            wrong="$wrong $place: status $status;"
        fi
        # Half files have other names.
        if grep -v -x -F -f plain.names names >odd; then wrong="$wrong $place leaves $(cat odd);"; fi
    done
    number=$((number + 1))
    what=$(printf '%.60s' "$*")
    if test -z "$wrong" && test "$place" -gt 1; then echo "ok $number - $what: $((place - 1)) places"
    else echo "not ok $number - $what:$wrong"; fi
}

"$perp" generate pd --size 10 -q pd.dat || exit 99
"$perp" generate spheres --size 8 -q spheres.$h || exit 99
"$perp" solve -q spheres.$h || exit 99
printf '1\n0\n1\n1\n1 1\n-1\n-1\n' >nothing.dat
"$perp" solve -q -s lemke nothing.dat --proof proof.txt
test -s proof.txt || exit 99
"$perp" bench -s lemke,gs -o rows.csv pd.dat spheres.$h >bench.out 2>&1 || cat bench.out

each solve --help
each generate pd --size 10 new/pd.dat
each solve pd.dat --out new/z.dat
each solve --json pd.dat
each solve --all pd.dat
each info spheres.$h
each info --json spheres.$h
each convert spheres.$h new/spheres.dat
each view pd.dat -o new/pd.html
each bench -s lemke,gs -o new/rows.csv pd.dat spheres.$h
each bench report -o new/report rows.csv
each bench report --json rows.csv
each bench list rows.csv
each solve -s lemke nothing.dat --proof new/proof.txt
each info --proof proof.txt nothing.dat
each view rows.csv -o new/rows.html
each bench order --series schatzman --levels 2 --phases 2 --out new/order
if test $json = yes; then
    scenes=$PERP_SOURCE/examples/scenes
    each run -q "$scenes/bouncing_ball.json" --until 0.01 --out new/run
    each run --check "$scenes/box_stack.json"
    "$perp" run -q "$scenes/bouncing_ball.json" --until 0.01 --out ball || exit 99
    each verify ball
    each view ball -o new/ball.html
    each run -q "$scenes/sphere_pile.json" --until 0.02 --vtk --out new/pile
    if grep -q '^#define HAVE_LIBXML2' "$PERP_BUILD/config.h"; then
        each convert "$PERP_SOURCE/examples/robots/cart.xml" new/cart.json
        each run --check "$PERP_SOURCE/examples/robots/arm.urdf"
    fi
fi
echo "1..$number"
