#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Commands that read or write HDF5, to which HDF5 refuses something: each of Perp's calls of it fails once.  The
# command says so, or it ends as if nothing had been; files that are there are whole, and no half file is left.
set -u
fail=$PERP_BUILD/tests/torture/failing_hdf5.so
test -z "${PERP_SANITIZE_FLAGS:-}" && test -f "$fail" && grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h" ||
    { echo '1..0 # SKIP no call can fail here'; exit 0; }
# Beside the script of libtool, and of a shared library alone.
perp=$PERP_BUILD/.libs/perp
test -x "$perp" || { echo '1..0 # SKIP linked statically'; exit 0; }
LD_LIBRARY_PATH=$PERP_BUILD/.libs${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
OPENBLAS_NUM_THREADS=1
export LD_LIBRARY_PATH OPENBLAS_NUM_THREADS
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
steady() { sed -e '/seconds\|time\|steps\/s\| s$\| s,/d' -e 's/in [0-9.e-]* s//' "$1"; }
# Names and bytes of what a command wrote, but for what has its moment in it.
written() { (cd "$1" && find . -type f ! -name checkpoint -exec cksum {} + | sort -k 3); }
# each ARGUMENT...: what is written goes into the folder `new`.
each() {
    what=$(printf '%.60s' "$*")
    rm -rf new; mkdir new
    timeout 60 "$perp" "$@" >plain.out 2>plain.err </dev/null; usual=$?
    steady plain.out >plain
    written new >plain.files
    place=0 wrong= said=0
    while
        place=$((place + 1))
        rm -rf new reached; mkdir new
        PERP_FAIL_HDF5=$place PERP_FAIL_REACHED=$stage/reached LD_PRELOAD=$fail timeout 60 "$perp" "$@" >out 2>err </dev/null
        status=$?
        test -f reached
    do
        written new >files
        if [ "$status" = 2 ]; then
            said=$((said + 1))
            grep -q '^perp' err || wrong="$wrong $place: says nothing;"
            # A file that has its name is the whole one.
            odd=$(grep '\.h5$\|\.hdf5$' files | grep -v -x -F -f plain.files)
            [ -z "$odd" ] || wrong="$wrong $place: half a file, $odd;"
        elif [ "$status" = 0 ] && grep -q '^solution *one is stored that cannot be used: ' out; then
            said=$((said + 1))
        elif [ "$status" != "$usual" ] || ! steady out | cmp -s - plain || ! cmp -s files plain.files; then
            wrong="$wrong $place: status $status, $(head -n 1 err), $(sed -n 1,2p reached | tr '\n' ' ');"
        fi
        # A run that has failed goes on from its checkpoint, or is made again, to the same bytes.
        if [ "$1" = run ] && [ "$status" = 2 ]; then
            resume=; [ -f new/stack/checkpoint ] && resume=--resume
            timeout 60 "$perp" "$@" $resume >out 2>err </dev/null
            status=$?
            written new >files
            [ $status = "$usual" ] && cmp -s files plain.files || wrong="$wrong $place: goes on with $status, $(head -n 1 err);"
        fi
        left=$(find new -name '*.part' -o -name '*.tmp')
        [ -z "$left" ] || wrong="$wrong $place: leaves $left;"
    done
    number=$((number + 1))
    if [ -z "$wrong" ] && [ $said -gt 0 ]; then echo "ok $number - $what: $((place - 1)) places, $said refusals"
    else echo "not ok $number - $what:$wrong"; fi
}

"$perp" generate spheres --size 6 -q spheres.hdf5 || exit 99
"$perp" generate spheres --size 6 --form local -q local.hdf5 || exit 99
"$perp" solve -q spheres.hdf5 --out solution.hdf5 || exit 99
cp spheres.hdf5 solved.hdf5
"$perp" solve -q spheres.hdf5 --out solved.hdf5 || exit 99
each generate spheres --size 6 -q new/spheres.hdf5
each info spheres.hdf5
each info solved.hdf5
each info local.hdf5
each solve -q spheres.hdf5 --start solution.hdf5 --out new/solution.hdf5
each convert -q spheres.hdf5 new/spheres.dat
each convert -q spheres.hdf5 new/other.hdf5
each convert -q local.hdf5 new/other.hdf5
if grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    sed 's/"until": *[0-9.e]*/"until": 0.05/' "$PERP_SOURCE/examples/scenes/box_stack.json" >stack.json
    each run -q stack.json --problems 'rows>0' --out new/stack
    "$perp" run -q stack.json --out stack || exit 99
    each verify stack
    rm stack/series.csv
    each verify stack
fi
echo "1..$number"
