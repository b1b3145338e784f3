#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi run --in-parts under the default scheme: heaps of balls and boxes that fall apart from each
# other, whole islands in each rank, on 1, 2, 3 and 4 ranks beside one process, the same bits on every run,
# large problems of one rank solved by all, checkpoints that go on with other numbers of ranks, a rank that
# dies, a state that is no number.  A watchdog ends what hangs: that is a failure.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=240
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"
of() { # OBJECT NAME FILE
    sed -n '/^ *"'"$1"'": {/,/}/s/^ *"'"$2"'": "*\([-+.a-zA-Z0-9 ]*\)"*,*$/\1/p' "$3" | head -1
}
# Four heaps 1.2 m apart, of eight balls and four boxes each.
heaps() { # TOL
    awk -v tol="$1" 'BEGIN {
        print "{\"version\": 1, \"time\": {\"until\": 0.4, \"step\": 0.005}, \"solver\": {\"tol\": " tol "},"
        print "\"gravity\": [0, 0, -9.81], \"bodies\": ["
        print "{\"name\": \"floor\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 0, 1], \"offset\": 0}}"
        for (k = 0; k < 4; k++) {
            printf ", {\"name\": \"ball%d\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.07}, \"density\": 2500, ", k
            printf "\"position\": [%.17g, 0, 0.2], \"copies\": {\"count\": [2, 2, 2], \"spacing\": [0.15, 0.15, 0.15], ", 1.2 * k
            printf "\"jitter\": 0.004, \"seed\": %d}}\n", k + 1
            printf ", {\"name\": \"box%d\", \"shape\": {\"type\": \"box\", \"sides\": [0.1, 0.12, 0.08]}, \"density\": 2500, ", k
            printf "\"position\": [%.17g, 0, 0.6], \"copies\": {\"count\": [2, 2, 1], \"spacing\": [0.15, 0.15, 0.15], ", 1.2 * k
            printf "\"jitter\": 0.004, \"seed\": %d}}\n", k + 1
        }
        print "], \"contacts\": {\"e\": 0, \"mu\": 0.4}, \"record\": {\"stride\": 1, \"quantities\": [\"kinetic\", \"potential\""
        for (k = 0; k < 4; k++) {
            for (b = 0; b < 8; b++) printf ", \"ball%d-%d.q[0]\"", k, b
            for (b = 0; b < 4; b++) printf ", \"box%d-%d.q[0]\"", k, b
        }
        print "]}}"
    }'
}
# Energies and the mean place of the bodies at the end, how far two files are apart, as parts of the
# energy that changed and of a radius.
heaps_apart() { # SERIES SERIES
    awk -F, 'FNR == 1 { next }
        { x[1] = $2; x[2] = $3; x[3] = 0; for (k = 4; k <= 51; k++) x[3] += $k / 48 }
        NR == FNR { for (i = 1; i <= 3; i++) { if (FNR == 2) begun[i] = x[i]; last[i] = x[i] } }
        NR != FNR { for (i = 1; i <= 3; i++) other[i] = x[i] }
        END { e = sqrt((last[1] - begun[1]) ^ 2 + (last[2] - begun[2]) ^ 2)
              for (i = 1; i <= 3; i++) { d = (other[i] - last[i]) / (i < 3 ? e : 0.07); if (d < 0) d = -d; if (d > most) most = d }
              printf "%.6g\n", most }' "$1" "$2"
}
within() { # SERIES TEXT
    d=$(heaps_apart "$work/serial/series.csv" "$1")
    echo "$d, by the tolerance $spread" >>"$work/log"
    less "$d" "$(awk -v s="$spread" 'BEGIN { print 3 * s }')"
    result $? "$2" "$work/log"
}
same_files() { # FOLDER FOLDER TEXT
    cmp "$1/series.csv" "$2/series.csv" >"$work/log" 2>&1 && cmp "$1/motion.bin" "$2/motion.bin" >>"$work/log" 2>&1
    result $? "$3" "$work/log"
}

echo 1..37
heaps 1e-8 >"$work/heaps.json"
check 0 "one process" "$perp" run "$work/heaps.json" --json --out "$work/serial"
cp "$work/log" "$work/serial.json"
spread=0
for tol in 1e-9 3e-8 1e-7; do
    "$perp" run "$work/heaps.json" -q -t "$tol" --out "$work/other" >"$work/log" 2>&1
    d=$(heaps_apart "$work/serial/series.csv" "$work/other/series.csv")
    less "$d" "$spread" || spread=$d
done
less "$spread" 0.02; result $? "the tolerance changes its motion by $spread" "$work/log"
for ranks in 1 2 3 4; do
    on "$ranks" "$mpi" run "$work/heaps.json" --in-parts --json --out "$work/r$ranks" >"$work/r$ranks.json" 2>"$work/log"
    code=$?
    [ "$code" = 0 ]; result $? "$ranks ranks" "$work/log"
    within "$work/r$ranks/series.csv" "$ranks ranks: centre and energies within the effect of the tolerance"
    cat "$work/serial.json" "$work/r$ranks.json" >"$work/log"
    [ "$(of verdict verdict "$work/serial.json")" = "$(of parts verdict "$work/r$ranks.json")" ]
    result $? "$ranks ranks: the same verdict" "$work/log"
    cp "$work/r$ranks.json" "$work/log"
    [ "$(of parts bodies "$work/r$ranks.json")" = 48 ] && [ "$(of parts guests "$work/r$ranks.json")" = 0 ] &&
        [ "$(of parts most_bodies "$work/r$ranks.json")" -le $((48 / ranks + 8)) ]
    result $? "$ranks ranks: each has its part of the bodies, and no guests" "$work/log"
done
cmp "$work/serial/series.csv" "$work/r1/series.csv" >"$work/log" 2>&1; result $? "one rank has the bits of perp run" "$work/log"
on 4 "$mpi" run "$work/heaps.json" --in-parts -q --out "$work/again" >"$work/log" 2>&1
same_files "$work/r4" "$work/again" "the same bits twice, 4 ranks"

# One island is in one rank, whichever, and has the bits of one process.
drum 1e-8 1 >"$work/drum.json"
"$perp" run "$work/drum.json" -q --out "$work/drum1" >"$work/log" 2>&1
check 0 "a drum, 4 ranks" on 4 "$mpi" run "$work/drum.json" --in-parts -q --out "$work/drum4"
cmp "$work/drum1/series.csv" "$work/drum4/series.csv" >"$work/log" 2>&1; result $? "has the bits of one process" "$work/log"
# Unless all ranks solve its problems together.
on 3 "$mpi" run "$work/drum.json" --in-parts --rows 1 --json --out "$work/together" >"$work/together.json" 2>"$work/log"
code=$?
cat "$work/together.json" >>"$work/log"
[ "$code" = 0 ] && [ "$(of together solves "$work/together.json")" -gt 50 ] && [ "$(of together left "$work/together.json")" = 0 ]
result $? "solved together" "$work/log"
d=$(apart "$work/drum1/series.csv" "$work/together/series.csv")
mv "$work/serial" "$work/kept"; mv "$work/drum1" "$work/serial"
kept=$spread; find_spread
echo "$d, by the tolerance $spread" >"$work/log"
less "$d" "$(awk -v s="$spread" 'BEGIN { print 3 * s }')"; result $? "within the effect of the tolerance" "$work/log"
rm -rf "$work/serial"; mv "$work/kept" "$work/serial"; spread=$kept
# Several ranks ask at the same time; each answer has the bits of the last run.
check 0 "heaps, all together, 4 ranks" on 4 "$mpi" run "$work/heaps.json" --in-parts --rows 30 -q --until 0.25 --out "$work/first"
on 4 "$mpi" run "$work/heaps.json" --in-parts --rows 30 -q --until 0.25 --out "$work/second" >"$work/log" 2>&1
same_files "$work/first" "$work/second" "the same bits twice, solved together on 4 ranks"

# Checkpoints belong to no number of ranks.
goes_on "$work/heaps.json" 82
dies "$work/heaps.json"
# A ball is thrown so hard that its state is no number, in the rank that has it.
sed 's/"contacts": {/"forces": [{"type": "load", "system": "ball3-5", "vector": [1e308, 0, 0], "ramp": {"from": 0.1, "to": 0.2, "by": 1e10}}], "contacts": {/' \
    "$work/heaps.json" >"$work/nan.json"
check 2 "a state that is no number" on 4 "$mpi" run "$work/nan.json" --in-parts -q
[ "$(grep -c '^perp' "$work/log")" = 1 ]; result $? "said once" "$work/log"
on 2 "$mpi" run "$work/heaps.json" --in-parts --until 0.02 >"$work/log" 2>&1
[ "$?" = 0 ] && grep -q '^ranks *2, with whole islands in each; 0 problems solved by all with ' "$work/log" && grep -q '^parts *48 bodies' "$work/log"
result $? "the report says what a rank has" "$work/log"
