#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi run --in-parts of bodies with joints, drives, a controller, gears and springs: what is tied is in one
# rank, on 1, 2, 3 and 4 ranks beside one process, columns of joints too; joints and contacts that come to
# another rank go on with what they had; measures of all ranks; checkpoints; scenes that are not divided, and
# why.  A watchdog ends what hangs: that is a failure.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=240
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"
. "$PERP_SOURCE/tests/distributed/carts.sh"
of() { # OBJECT NAME FILE
    sed -n '/^ *"'"$1"'": {/,/}/s/^ *"'"$2"'": "*\([-+.a-zA-Z0-9 ]*\)"*,*$/\1/p' "$3" | head -1
}
# How far tolerances move the run in $work/serial: $motion, $forces.
find_cart_spread() { # SCENE
    motion=0 forces=0
    for tol in 1e-9 3e-8 1e-7; do
        "$perp" run "$1" -q -t "$tol" --out "$work/other" >"$work/log" 2>&1
        d=$(carts_apart "$work/serial/series.csv" "$work/other/series.csv" motion)
        less "$d" "$motion" || motion=$d
        d=$(carts_apart "$work/serial/series.csv" "$work/other/series.csv" forces)
        less "$d" "$forces" || forces=$d
    done
}
within() { # SERIES TEXT
    d=$(carts_apart "$work/serial/series.csv" "$1" motion) f=$(carts_apart "$work/serial/series.csv" "$1" forces)
    echo "motion $d, by the tolerance $motion; forces $f, by the tolerance $forces" >>"$work/log"
    less "$d" "$(awk -v s="$motion" 'BEGIN { print 3 * s }')" && less "$f" "$(awk -v s="$forces" 'BEGIN { print 3 * s }')"
    result $? "$2" "$work/log"
}
same_files() { # FOLDER FOLDER TEXT
    cmp "$1/series.csv" "$2/series.csv" >"$work/log" 2>&1 && cmp "$1/motion.bin" "$2/motion.bin" >>"$work/log" 2>&1
    result $? "$3" "$work/log"
}

echo 1..44
carts 1e-8 0.4 0 >"$work/carts.json"
check 0 "one process" "$perp" run "$work/carts.json" --json --out "$work/serial"
cp "$work/log" "$work/serial.json"
find_cart_spread "$work/carts.json"
less "$motion" 1e-3 && less "$forces" 0.05; result $? "the tolerance changes its motion by $motion, its forces by $forces" "$work/log"
for ranks in 1 2 3 4; do
    on "$ranks" "$mpi" run "$work/carts.json" --in-parts --json --out "$work/r$ranks" >"$work/r$ranks.json" 2>"$work/log"
    code=$?
    [ "$code" = 0 ]; result $? "$ranks ranks" "$work/log"
    within "$work/r$ranks/series.csv" "$ranks ranks: within the effect of the tolerance"
    cp "$work/r$ranks.json" "$work/log"
    # Two carts are one cluster by the gear between their wheels.
    most=24; [ "$ranks" -gt 1 ] && most=12; [ "$ranks" -gt 2 ] && most=8
    [ "$(of parts most_bodies "$work/r$ranks.json")" = $most ] && [ "$(of parts ties "$work/r$ranks.json")" = 26 ]
    result $? "$ranks ranks: what is tied is in one" "$work/log"
    # What rank 0 alone saw was printed beside the verdict of all.
    for name in active rows; do
        column=$(head -1 "$work/serial/series.csv" | tr , '\n' | grep -n "^$name\$" | cut -d: -f1)
        cut -d, -f"$column" "$work/serial/series.csv" >"$work/a"; cut -d, -f"$column" "$work/r$ranks/series.csv" >"$work/b"
        cmp "$work/a" "$work/b" || exit 1
    done >"$work/log" 2>&1
    result $? "$ranks ranks: interactions and rows of all" "$work/log"
    sed -n '/"figures"/,/\]/p' "$work/serial.json" | grep '"name"\|"verdict"\|"known"' >"$work/a"
    sed -n '/"figures"/,/\]/p' "$work/r$ranks.json" | grep '"name"\|"verdict"\|"known"' >"$work/b"
    [ -s "$work/a" ] && diff "$work/a" "$work/b" >"$work/log" 2>&1 &&
        [ "$(sed -n 's/^ *"contacts": \([0-9]*\),$/\1/p' "$work/r$ranks.json")" = "$(sed -n 's/^ *"contacts": \([0-9]*\),$/\1/p' "$work/serial.json")" ]
    result $? "$ranks ranks: measures and contacts of all" "$work/log"
done
cmp "$work/serial/series.csv" "$work/r1/series.csv" >"$work/log" 2>&1; result $? "one rank has the bits of perp run" "$work/log"
on 4 "$mpi" run "$work/carts.json" --in-parts -q --out "$work/again" >"$work/log" 2>&1
same_files "$work/r4" "$work/again" "the same bits twice, 4 ranks"

# Two carts drive into others: bodies move to other ranks with their joints, turns, and contacts.
carts 1e-8 0.6 1 >"$work/fast.json"
rm -rf "$work/serial"
check 0 "carts that meet, one process" "$perp" run "$work/fast.json" -q --out "$work/serial"
find_cart_spread "$work/fast.json"
less "$motion" 1e-3; result $? "the tolerance changes their motion by $motion" "$work/log"
for ranks in 3 4; do
    on "$ranks" "$mpi" run "$work/fast.json" --in-parts --json --out "$work/f$ranks" >"$work/f$ranks.json" 2>"$work/log"
    code=$?
    [ "$code" = 0 ]; result $? "on $ranks ranks" "$work/log"
    within "$work/f$ranks/series.csv" "within the effect of the tolerance"
    cp "$work/f$ranks.json" "$work/log"
    [ "$(of parts migrated "$work/f$ranks.json")" -gt 0 ] && [ "$(of parts contacts_moved "$work/f$ranks.json")" -gt 0 ]
    result $? "bodies moved, and contacts with what they had" "$work/log"
done
goes_on "$work/fast.json" 122

# What is not divided runs all the same, and the report says why.
sed 's/"bodies": \[/"systems": [{"name": "mass", "type": "lagrangian", "q0": [0]}], "bodies": [/' "$work/carts.json" >"$work/mass.json"
check 0 "a mass with a coordinate" on 2 "$mpi" run "$work/mass.json" --in-parts --until 0.1
grep -q "^parts .*none, each rank makes all: .*'mass' is no rigid body" "$work/log"; result $? "is named" "$work/log"
check 0 "a scheme with its own instants" on 2 "$mpi" run "$work/carts.json" --scheme discrete-gradient-adaptive --in-parts --until 0.02 --json
grep -q '"undivided": ".*chooses its own instants' "$work/log"; result $? "is named" "$work/log"
sed 's/"contacts": {"e": 0, "mu": 0.4}, //' "$work/carts.json" >"$work/air.json"
check 0 "no contacts" on 2 "$mpi" run "$work/air.json" --in-parts --until 0.05 --json
grep -q '"undivided": ".*has no contacts' "$work/log"; result $? "is said" "$work/log"
