#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The folder of perp run, and other outputs: nothing else is replaced, one run at a time, and what a
# command cannot do well is refused before it begins.
set -u
perp=$PERP_BUILD/perp
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..1"
    echo "ok 1 - folders # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
background=
trap 'test -z "$background" || kill -KILL $background 2>/dev/null; rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; sed 's/^/# /' log; fi
}
# refused PATTERN ARGUMENT...: status 2 and one line of text that holds the pattern.
refused() {
    pattern=$1; shift
    "$perp" "$@" >out 2>err </dev/null
    status=$?
    cat out err
    [ $status = 2 ] && grep -q -e "$pattern" err
}

scene() { # QUANTITIES UNTIL
    printf '{"version": 1, "time": {"step": 0.01, "until": %s}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000}],
 "record": {"quantities": [%s]}}\n' "$2" "$1"
}
scene '"a.q"' 0.1 >once.json
scene '"a.q", "a.v", "a.q"' 0.1 >twice.json
scene '"a.q", "a.q[0]"' 0.1 >part.json

check "a quantity recorded twice" refused "record.quantities\[2\]: 'a.q' is given twice" run twice.json --out two
check "and before anything is written" test ! -e two
check "an entry of it is another one" "$perp" run part.json --out part

# The scene in the folder is the input.
own_scene() {
    mkdir own && cp once.json own/scene.json && refused 'which is the file to read' \
        run own/scene.json --out own && cmp once.json own/scene.json &&
        (cd own && refused 'which is the file to read' run ./scene.json --out .) &&
        cmp once.json own/scene.json && ! test -e own/series.csv
}
check "--out in the folder of a scene of that name" own_scene

# Every file that a run leaves there, by its name or while it grows.
own_names() {
    "$perp" run once.json --out names -q --checkpoint 0.01 || return 1
    for file in $(ls names) series.gp frames.pvd contacts.csv impacts.csv; do
        for end in '' .part; do
            rm -rf theirs && mkdir theirs && cp once.json "theirs/$file$end"
            refused 'which is the file to read' run "theirs/$file$end" --out theirs &&
                cmp once.json "theirs/$file$end" || { echo "$file$end"; return 1; }
        done
    done
    cp once.json names/another.json && "$perp" run names/another.json --out names -q &&
        cmp once.json names/another.json
}
check "nor of the other names of its files" own_names

# Files of others behind links.
links() {
    mkdir -p link && for file in scene.json series.csv series.h5 checkpoint series.gp frames.pvd; do
        echo precious >"keep-$file"
        ln -s "../keep-$file" "link/$file.part"
        ln -s "../keep-$file" "link/$file"
    done
    "$perp" run once.json --out link || return 1
    for file in scene.json series.csv series.h5 checkpoint series.gp frames.pvd; do
        [ "$(cat "keep-$file")" = precious ] || { echo "$file"; return 1; }
    done
    "$perp" run once.json --until 0.05 --out link && rm link/checkpoint.part 2>/dev/null
    mv link/series.csv taken && ln -s ../taken link/series.csv.part && cp taken copy
    "$perp" run once.json --until 0.1 --out link --resume && return 1
    cmp taken copy
}
check "links are not followed" links

# Where only the end of the run would fail.
obstacle() { # NAME
    rm -rf stand && mkdir -p "stand/$1" && refused "stand/${1%.part}: Is a directory" \
        run once.json --out stand && [ "$(ls stand)" = "$1" ]
}
for file in series.h5.part series.h5 frames.pvd.part checkpoint.part; do
    check "a folder called $file is found at the start" obstacle "$file"
done

# Standard streams that are closed: what is printed goes into no file.
closed() {
    "$perp" run once.json --out open --quiet || return 1
    "$perp" run once.json --out shut1 >&- 2>err
    [ $? = 2 ] && grep -q 'standard output cannot be written' err && diff -r open shut1 &&
        "$perp" run once.json --out shut2 --quiet <&- >&- 2>&- && diff -r open shut2
}
check "closed standard streams" closed

# Two runs into one folder.
scene '"a.q"' 100000 >long.json
begin() { # FOLDER
    "$perp" run long.json --out "$1" --quiet >begun 2>&1 &
    background=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do
        [ -s "$1/series.csv.part" ] && return 0
        sleep 0.1
    done
    return 1
}
both() {
    begin shared && refused 'another run writes into this folder' run once.json --out shared &&
        refused 'another run writes into this folder' run long.json --out shared --resume
    how=$?
    kill -TERM $background
    wait $background
    ended=$?
    background=
    [ $how = 0 ] && [ $ended = 1 ] && "$perp" run once.json --out shared
}
check "one run at a time" both

# A signal while the scene is read: the run that was there stays.
early() {
    "$perp" run once.json --out early && cp -r early early-copy || return 1
    mkfifo late.json
    "$perp" run late.json --out early >early.log 2>&1 &
    background=$!
    exec 3>late.json
    sleep 0.3
    kill -TERM $background
    cat once.json >&3 2>/dev/null # nobody may be left to read it
    exec 3>&-
    wait $background
    ended=$?
    background=
    cat early.log
    [ $ended = 1 ] && grep -q 'interrupted' early.log && ! grep -q 'early/series.csv' early.log &&
        diff -r early early-copy
}
check "SIGTERM before the first step" early

# A pipe gives its bytes once: with and without a signal that comes before the reader is scheduled.
piped() {
    mkfifo pipe.json pipe.dat
    cat once.json >pipe.json &
    "$perp" run pipe.json --out piped --quiet && diff piped/series.csv early/series.csv || return 1
    echo "1 0 1 1 1 1  2 -1" >pipe.dat &
    "$perp" info pipe.dat >out 2>err
}
check "a named pipe" piped

echo "1 0 1 1 1 1  2 -1" >p.dat
cp p.dat p.copy
ln p.dat hard.dat
ln -s p.dat soft.dat
solved() {
    refused 'it is the file to read' solve p.dat --out p.dat &&
        refused 'it is the file to read' solve p.dat --out ./soft.dat &&
        refused 'it is the file to read' solve p.dat --proof hard.dat &&
        refused 'name one file' solve p.dat --out r.dat --proof r.dat && cmp p.dat p.copy
}
check "the input of perp solve is not its output" solved
converted() {
    refused 'it is the file to read' convert p.dat p.dat &&
        refused 'it is the file to read' convert soft.dat p.dat && cmp p.dat p.copy
}
check "nor that of perp convert" converted
redirected() {
    "$perp" solve - --out p.dat <p.dat >out 2>err
    [ $? = 2 ] && cmp p.dat p.copy
}
check "nor what standard input is redirected from" redirected
check "another file is" "$perp" solve p.dat --out q.dat
echo "1..$number"
