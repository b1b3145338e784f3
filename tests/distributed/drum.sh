# SPDX-License-Identifier: BSD-3-Clause
# Grains in a drum, and runs that go on or die, for tests of runs on several ranks; to be read by them
# after ranks.sh.
check() { # WANTED TEXT COMMAND...: ends with this status
    wanted=$1 text=$2; shift 2
    "$@" >"$work/log" 2>&1
    got=$?
    [ "$got" = "$wanted" ] || echo "exit status $got, not $wanted" >>"$work/log"
    [ "$got" = "$wanted" ]
    result $? "$text" "$work/log"
}
# A drum of eight plates that turns, two walls, 30 grains that fall into it; more: keys of the scene.
drum() { # TOL SEED [MORE]
    awk -v tol="$1" -v seed="$2" -v more="${3:-}" 'BEGIN {
        print "{\"version\": 1, " more "\"time\": {\"until\": 0.3, \"step\": 0.005}, \"solver\": {\"tol\": " tol "},"
        print "\"gravity\": [0, 0, -9.81], \"bodies\": [{\"name\": \"drum\", \"motion\": {\"turn\":"
        print "{\"axis\": [0, 1, 0], \"polynomial\": [0, 1]}}, \"shapes\": ["
        for (k = 0; k < 8; k++) {
            a = k * atan2(0, -1) / 4
            printf "{\"type\": \"box\", \"sides\": [0.6, 0.8, 0.1], \"position\": [%.17g, 0, %.17g], ", 0.5 * sin(a), 0.5 * cos(a)
            printf "\"rotation\": [0, %.17g, 0]}%s\n", a, k < 7 ? "," : "]},"
        }
        print "{\"name\": \"front\", \"shape\": {\"type\": \"plane\", \"normal\": [0, 1, 0], \"offset\": -0.23}},"
        print "{\"name\": \"back\", \"shape\": {\"type\": \"plane\", \"normal\": [0, -1, 0], \"offset\": -0.23}},"
        print "{\"name\": \"grain\", \"shape\": {\"type\": \"sphere\", \"radius\": 0.07}, \"density\": 2500,"
        print "\"position\": [-0.2, -0.08, -0.3], \"copies\": {\"count\": [3, 2, 5], \"spacing\": [0.15, 0.15, 0.15],"
        print "\"jitter\": 0.004, \"seed\": " seed "}}], \"contacts\": {\"e\": 0, \"mu\": 0.4}, \"record\": {\"stride\": 1,"
        printf "\"quantities\": [\"kinetic\", \"potential\""
        for (k = 0; k < 30; k++)
            printf ", \"grain-%d.q[0]\", \"grain-%d.q[1]\", \"grain-%d.q[2]\"", k, k, k
        print "]}}"
    }'
}
# Kinetic and potential energy and the centre of mass of the last line (equal grains: the mean), and how
# far these of two files are apart, as parts of what they change in the run.
apart() { # SERIES SERIES
    awk -F, 'FNR == 1 { next }
        { x[1] = $2; x[2] = $3; for (d = 0; d < 3; d++) { x[3 + d] = 0; for (k = 0; k < 30; k++) x[3 + d] += $(4 + 3 * k + d) / 30 } }
        NR == FNR { for (i = 1; i <= 5; i++) { if (FNR == 2) begun[i] = x[i]; change[i] = x[i] - begun[i]; last[i] = x[i] } }
        NR != FNR { for (i = 1; i <= 5; i++) other[i] = x[i] }
        END { for (i = 1; i <= 5; i++) {
                  unit = i < 3 ? sqrt(change[1] ^ 2 + change[2] ^ 2) : sqrt(change[3] ^ 2 + change[4] ^ 2 + change[5] ^ 2)
                  d = (other[i] - last[i]) / unit; if (d < 0) d = -d; if (d > most) most = d }
              printf "%.6g\n", most }' "$1" "$2"
}
less() { # A B
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= b) }'
}
# A program that rank 1 kills half a second after the first checkpoint in $FOLDER.
dying() { # FILE
    cat >"$1" <<'SCRIPT'
if [ "${OMPI_COMM_WORLD_RANK:-0}" = 1 ]; then
    "$@" & own=$!
    n=0
    while [ ! -s "$FOLDER/checkpoint" ] && [ $n -lt 600 ]; do sleep 0.1; n=$((n + 1)); done
    sleep 0.5
    kill -9 $own
    wait $own
    exit 9
fi
exec "$@"
SCRIPT
}
# By how much other tolerances change the motion of one process, $work/serial: $spread.
find_spread() {
    spread=0
    for tol in 3e-8 1e-7 3e-7; do
        "$perp" run "$work/drum.json" -q -t "$tol" --out "$work/other" >"$work/log" 2>&1
        d=$(apart "$work/serial/series.csv" "$work/other/series.csv")
        less "$d" "$spread" || spread=$d
    done
}
# A run in parts to 0.2 on 2 ranks, the rest on 4 and in one process; $work/cut keeps the checkpoint.
goes_on() { # SCENE LINES: of the whole series
    check 0 "half of it on 2 ranks" on 2 "$mpi" run "$1" --in-parts -q --until 0.2 --out "$work/half"
    cp -r "$work/half" "$work/half-serial"
    cp -r "$work/half" "$work/cut"
    check 0 "the rest on 4" on 4 "$mpi" run "$1" --in-parts -q --resume --out "$work/half"
    within "$work/half/series.csv" "within the effect of the tolerance"
    check 0 "or in one process" "$perp" run "$1" -q --resume --out "$work/half-serial"
    within "$work/half-serial/series.csv" "within the effect of the tolerance"
    [ "$(wc -l <"$work/half/series.csv")" = "$2" ] && [ "$(wc -l <"$work/half-serial/series.csv")" = "$2" ]
    result $? "the whole series" "$work/log"
}
# A rank that dies: the run ends, the last checkpoint is whole.  lines: of the series until then.
dies() { # SCENE
    dying "$work/dies.sh"
    FOLDER=$work/died; export FOLDER
    on 3 sh "$work/dies.sh" "$mpi" run "$1" --in-parts -q --until 50 --checkpoint 0 --out "$work/died" >"$work/log" 2>&1
    code=$?
    [ $code != 0 ] && [ $code != 124 ] && [ -s "$work/died/checkpoint" ]
    result $? "a rank that dies ends the run" "$work/log"
    lines=$(wc -l <"$work/died/series.csv.part")
    until=$(awk -v n="$lines" 'BEGIN { print 0.005 * (n + 10) }')
    check 0 "it goes on from the checkpoint, 2 ranks" on 2 "$mpi" run "$1" --in-parts -q --resume --until "$until" --out "$work/died"
}
