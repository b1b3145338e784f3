#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands to which the system refuses something: each call of Perp's for a process, a pipe, a descriptor, a
# connection or bytes of a file fails once.  The command says so, or a line of its table does, or it ends as if
# nothing had been; a call that a signal cut is made again.  No half file is left.
set -u
fail=$PERP_BUILD/tests/torture/failing_calls.so
test -z "${PERP_SANITIZE_FLAGS:-}" && test -f "$fail" || { echo '1..0 # SKIP no call can fail here'; exit 0; }
# Beside the script of libtool, which would fail, too.
perp=$PERP_BUILD/.libs/perp
test -x "$perp" || perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then h=hdf5; else h=dat; fi
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" && json=yes || json=no
number=0
mkdir tmp
OPENBLAS_NUM_THREADS=1 TMPDIR=$stage/tmp
export OPENBLAS_NUM_THREADS TMPDIR
if test -x "$PERP_BUILD/.libs/perp"; then
    LD_LIBRARY_PATH=$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
    export LD_LIBRARY_PATH
fi

# Without what takes seconds, and the figures of tables, of which some do.
steady() { sed -e '/seconds\|time\|steps\/s\| s$\| s,/d' -e 's/in [0-9.e-]* s//' -e '/^|/s/[0-9][0-9.e+-]*/N/g' "$1"; }
# tried HOW ARGUMENT...: with one call that fails, $place.
tried() {
    how=$1; shift
    rm -rf new reached; mkdir new
    PERP_FAIL_CALL=$place PERP_FAIL_HOW=$how PERP_FAIL_REACHED=$stage/reached LD_PRELOAD=$fail \
        timeout 60 "$perp" "$@" >out 2>err <pd.dat
    status=$?
}
judged() { # HOW
    ls -A new >names
    if test "$1" = fails && test "$status" = 2; then
        grep -q '^perp' err || wrong="$wrong $place: says $(head -n 1 err);"
    elif test "$1" = fails && test "$status" -le 1 && grep -q -r 'crash' err out new; then
        : # one run of a campaign
    elif test "$status" != "$usual" || ! steady out | cmp -s - plain || ! cmp -s names plain.names; then
        wrong="$wrong $place: status $status, $(head -n 1 err);"
    fi
    # Half files have other names; nothing is left in the folder of files that pass.
    if grep -v -x -F -f plain.names names >odd; then wrong="$wrong $place leaves $(cat odd);"; fi
    if ls -A tmp | grep -q .; then wrong="$wrong $place leaves $(ls -A tmp);"; rm -rf tmp/*; fi
}
# each ARGUMENT...: what is written goes into the folder `new`, by its name.
each() {
    rm -rf new; mkdir new
    timeout 60 "$perp" "$@" >plain.out 2>plain.err <pd.dat; usual=$?
    steady plain.out >plain
    ls -A new >plain.names
    what=$(printf '%.60s' "$*")
    for how in fails signal; do
        place=0 wrong=
        while
            place=$((place + 1))
            tried $how "$@"
            test -f reached
        do
            judged $how
        done
        number=$((number + 1))
        if test -z "$wrong" && { test "$place" -gt 1 || test $how = signal; }; then
            echo "ok $number - $what, $how: $((place - 1)) places"
        else echo "not ok $number - $what, $how:$wrong"; fi
    done
}

# Servers: the page is given, or the command says why not; it ends when it is told to.  A connection may be lost.
ask() { curl -s --noproxy '*' -m 5 "$@" 2>>asked; }
# one HOW ARGUMENT...: a command that shows its address, with the call at $place that fails.
one() {
    how=$1; shift
    rm -rf reached tmp/*; : >out
    PERP_FAIL_CALL=$place PERP_FAIL_HOW=$how PERP_FAIL_REACHED=$stage/reached LD_PRELOAD=$fail \
        "$perp" "$@" >out 2>err </dev/null &
    job=$!
    until grep -q '^http' out || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
    url=$(sed -n '/^http/p' out)
    got=1
    for try in 1 2 3; do
        if [ -n "$url" ] && [ $got != 0 ]; then ask -o page "$url"; grep -q '<html' page 2>>asked; got=$?; fi
    done
    kill -TERM $job 2>>asked
    wait $job
    status=$?
}
serves() {
    what=$(printf '%.60s' "$*")
    for how in fails signal; do
        place=0 wrong=
        while
            place=$((place + 1))
            rm -f page
            one $how "$@"
            test -f reached
        do
            if [ $status = 2 ] && [ $how = fails ]; then grep -q '^perp' err || wrong="$wrong $place: says $(head -n 1 err);"
            elif [ $status -gt 1 ] || [ $got != 0 ]; then
                wrong="$wrong $place: status $status, page $got, $(sed -n 1,3p reached);"
            fi
        done
        number=$((number + 1))
        if test -z "$wrong" && test "$place" -gt 1; then echo "ok $number - $what, $how: $((place - 1)) places"
        else echo "not ok $number - $what, $how:$wrong"; fi
    done
}

# A run that is looked at: its page and its events, or the command says why not; a browser may be lost, the bits of
# the run stay.  Once more with allocations that fail.
look() { # HOW
    rm -rf reached tmp/* watched page state; : >err
    if [ $1 = memory ]; then failing=$PERP_BUILD/tests/torture/failing_allocations.so; else failing=$fail; fi
    PERP_FAIL_CALL=$place PERP_FAIL_PLACE=$place PERP_FAIL_HOW=$1 PERP_FAIL_REACHED=$stage/reached \
        LD_PRELOAD=$failing \
        timeout 60 "$perp" run -q falls.json --out watched --view --paused >out 2>err </dev/null &
    job=$! watcher=
    until grep -q '^http' err || ! kill -0 $job 2>/dev/null; do sleep 0.05; done
    url=$(sed -n '/^http/p' err)
    got=1
    if [ -n "$url" ]; then
        ask -N -o events "${url}events" &
        watcher=$!
        for try in 1 2 3; do
            ask -o page "$url"
            if grep -q '<html' page 2>>asked; then got=0; break; fi
        done
        for try in 1 2 3 4 5; do
            ask -X POST -o state "${url}go"
            grep -q '"paused": 0' state 2>>asked && break
        done
    fi
    wait $job
    status=$?
    test -z "$watcher" || wait $watcher
}
looked_at() {
    for how in fails signal memory; do
        test $how != memory || test -f "$PERP_BUILD/tests/torture/failing_allocations.so" || continue
        place=0 wrong=
        while
            place=$((place + 1))
            look $how
            test -f reached
        do
            if [ $status = 2 ] && [ $how != signal ]; then
                grep -q '^perp' err || wrong="$wrong $place: says $(head -n 1 err);"
            elif [ $status != 0 ] || [ $got != 0 ] || ! cmp -s watched/series.csv alone/series.csv; then
                wrong="$wrong $place: status $status, page $got, $(sed -n 1,3p reached);"
            fi
        done
        number=$((number + 1))
        if test -z "$wrong" && test "$place" -gt 1; then echo "ok $number - a run that is looked at, $how: $((place - 1)) places"
        else echo "not ok $number - a run that is looked at, $how:$wrong"; fi
    done
}

"$perp" generate pd --size 10 -q pd.dat || exit 99
"$perp" generate spheres --size 8 -q spheres.$h || exit 99
printf '1\n0\n1\n1\n1 1\n-1\n-1\n' >nothing.dat
"$perp" solve -q -s lemke nothing.dat --proof proof.txt
test -s proof.txt || exit 99
"$perp" bench -s lemke,gs -o rows.csv pd.dat spheres.$h >bench.out 2>&1 || cat bench.out

each generate pd --size 10 new/pd.dat
each generate spheres --size 8 new/spheres.$h
each solve pd.dat --out new/z.dat
each solve -
each solve pd.dat --start -
each info spheres.$h
each convert spheres.$h new/spheres.dat
each solve -s lemke nothing.dat --proof new/proof.txt
each info --proof proof.txt nothing.dat
each view pd.dat -o new/pd.html
each view spheres.$h -o new/spheres.html
each bench -s lemke,gs --cpu 0 -o new/rows.csv pd.dat nothing.dat
each bench report -o new/report rows.csv
each bench report --json rows.csv
each bench list rows.csv
each view rows.csv -o new/rows.html
each bench order --no-peers --examples ball --series schatzman --levels 2 --phases 1 --out new/order
if test $json = yes; then
    scenes=$PERP_SOURCE/examples/scenes
    each run -q "$scenes/bouncing_ball.json" --until 0.01 --out new/run
    each run --check "$scenes/box_stack.json"
    "$perp" run -q "$scenes/bouncing_ball.json" --until 0.01 --out ball || exit 99
    each verify ball
    each view ball -o new/ball.html
    if command -v curl >curl 2>&1; then
        serves view ball -o ball.html -q --serve
        sed 's/"until": *[0-9.e]*/"until": 0.05/' "$scenes/bouncing_ball.json" >falls.json
        "$perp" run -q falls.json --out alone || exit 99
        looked_at
    fi
    each view "$scenes/bouncing_ball.json" --until 0.01 -o new/ball.html
    each run -q "$scenes/sphere_pile.json" --until 0.02 --vtk --problems 'rows>0' --out new/pile
    each bench scenes --no-peers --scenes wall:2 --until 0.02 --out new/walls
    if grep -q '^#define HAVE_LIBXML2' "$PERP_BUILD/config.h"; then
        each convert "$PERP_SOURCE/examples/robots/cart.xml" new/cart.json
        each run --check "$PERP_SOURCE/examples/robots/arm.urdf"
    fi
fi
echo "1..$number"
