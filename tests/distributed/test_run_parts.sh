#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp-mpi run --in-parts: each rank has some of the grains in a drum, on 1, 2, 3 and 4 ranks beside one
# process, the same bits twice, checkpoints that go on with other numbers of ranks, a rank that dies,
# ranks without bodies, states written by all ranks, bad input.  A watchdog ends what hangs: that is a
# failure.
set -u
perp=$PERP_BUILD/perp mpi=$PERP_BUILD/perp-mpi
needs=$mpi watchdog=240
. "$PERP_SOURCE/tests/distributed/ranks.sh"
. "$PERP_SOURCE/tests/distributed/drum.sh"
# An entry of an object of the report.
of() { # OBJECT NAME FILE
    sed -n '/^ *"'"$1"'": {/,/}/s/^ *"'"$2"'": "*\([-+.a-zA-Z0-9 ]*\)"*,*$/\1/p' "$3" | head -1
}
within() { # SERIES TEXT
    d=$(apart "$work/serial/series.csv" "$1")
    echo "$d, by the tolerance $spread" >>"$work/log"
    less "$d" "$(awk -v s="$spread" 'BEGIN { print 3 * s }')"
    result $? "$2" "$work/log"
}

echo 1..62
# moreau-jean keeps what it penetrates; that is not what is looked at here.
jean='"schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1}, '
drum 1e-8 1 "$jean" >"$work/drum.json"
check 0 "one process" "$perp" run "$work/drum.json" --json --out "$work/serial"
cp "$work/log" "$work/serial.json"
find_spread
less "$spread" 0.01; result $? "the tolerance changes its motion by $spread" "$work/log"
for ranks in 1 2 3 4; do
    on "$ranks" "$mpi" run "$work/drum.json" --in-parts --json --states 10 --out "$work/r$ranks" >"$work/r$ranks.json" 2>"$work/log"
    code=$?
    [ "$code" = 0 ]; result $? "$ranks ranks" "$work/log"
    within "$work/r$ranks/series.csv" "$ranks ranks: mass, its centre and energies within the effect of the tolerance"
    cat "$work/serial.json" "$work/r$ranks.json" >"$work/log"
    [ "$(of verdict verdict "$work/serial.json")" = "$(of parts verdict "$work/r$ranks.json")" ]
    result $? "$ranks ranks: the same verdict" "$work/log"
done
cp "$work/r1.json" "$work/log"
[ "$(of parts by_rank_0 "$work/r1.json")" = 0 ] && [ "$(of parts apart "$work/r1.json")" -gt 20 ]
result $? "one rank: every island lies in it" "$work/log"
cp "$work/r4.json" "$work/log"
[ "$(of parts bodies "$work/r4.json")" = 30 ] && [ "$(of parts guests "$work/r4.json")" -gt 0 ] &&
    [ "$(of parts most_bodies "$work/r4.json")" -lt 15 ]
result $? "four ranks: each has a part of the bodies, with guests around them" "$work/log"
[ "$(of parts divisions "$work/r4.json")" -gt 1 ] && [ "$(of parts migrated "$work/r4.json")" -gt 0 ] &&
    [ "$(of parts contacts_moved "$work/r4.json")" -gt 0 ]
result $? "and they move from rank to rank, contacts with what they had" "$work/log"

# With --rows 1 nothing is solved by rank 0 that the ranks can do together.
on 3 "$mpi" run "$work/drum.json" --in-parts --rows 1 --json --out "$work/together" >"$work/together.json" 2>"$work/log"
code=$?
cat "$work/together.json" >>"$work/log"
[ "$code" = 0 ] && [ "$(of together solves "$work/together.json")" -gt 20 ]; result $? "solved together" "$work/log"
within "$work/together/series.csv" "within the effect of the tolerance"
on 3 "$mpi" run "$work/drum.json" --in-parts --rows 1 -q --out "$work/again" >"$work/log" 2>&1
cmp "$work/together/series.csv" "$work/again/series.csv" >>"$work/log" 2>&1 &&
    cmp "$work/together/motion.bin" "$work/again/motion.bin" >>"$work/log" 2>&1
result $? "the same bits twice, 3 ranks" "$work/log"
on 4 "$mpi" run "$work/drum.json" --in-parts -q --out "$work/four" >"$work/log" 2>&1
cmp "$work/r4/series.csv" "$work/four/series.csv" >>"$work/log" 2>&1 &&
    cmp "$work/r4/motion.bin" "$work/four/motion.bin" >>"$work/log" 2>&1
result $? "the same bits twice, 4 ranks" "$work/log"

# States of all ranks in one file.
if command -v h5dump >/dev/null 2>&1 && [ -s "$work/r4/states.h5" ]; then
    h5dump -y -w 1 -d /step-000000060/bodies "$work/r4/states.h5" >"$work/log" 2>&1
    grep '^ *[0-9][0-9]*,*$' "$work/log" | tr -d ', ' | sort -n >"$work/bodies"
    seq 0 29 | cmp - "$work/bodies" >>"$work/log" 2>&1; result $? "every body once in states.h5" "$work/log"
    h5dump -y -w 1 -d /step-000000060/states "$work/r4/states.h5" >"$work/states" 2>&1
    h5dump -y -w 1 -d /step-000000060/bodies "$work/r4/states.h5" >"$work/bodies" 2>&1
    # Thirteen numbers a body; the first three are those of the series.
    tail -1 "$work/r4/series.csv" >"$work/last"
    for f in bodies states; do grep '^ *[-+.e0-9]*,*$' "$work/$f" | tr -d ', ' | sed '/^$/d' >"$work/$f.txt"; done
    awk -F, -v bodies="$work/bodies.txt" -v states="$work/states.txt" '{
            while ((getline b < bodies) > 0) {
                for (d = 0; d < 13; d++) {
                    if ((getline x < states) <= 0) exit 1
                    if (d < 3) { e = x - $(4 + 3 * b + d); if (e < 0) e = -e; if (e > 1e-5) exit 1; n++ }
                }
            }
            exit n != 90 }' "$work/last" >"$work/log" 2>&1
    result $? "its states are those of the series" "$work/log"
    h5dump -H -d /step-000000060/contacts "$work/r4/states.h5" >"$work/log" 2>&1
    rows=$(sed -n 's/.*SIMPLE { ( \([0-9]*\), 13 ).*/\1/p' "$work/log")
    [ "${rows:-0}" -gt 30 ]; result $? "and contacts of all ranks" "$work/log"
else
    for k in 1 2 3; do result 0 "states.h5 # SKIP no h5dump, or PETSc without HDF5" "$work/log"; done
fi

# Checkpoints belong to no number of ranks.
goes_on "$work/drum.json" 62
dies "$work/drum.json"
[ "$(wc -l <"$work/died/series.csv")" -gt "${lines:-1000000}" ]; result $? "and further than it was" "$work/log"

# Ranks without bodies, and without contacts.
cat >"$work/one.json" <<'SCENE'
{"version": 1, "time": {"until": 0.5, "step": 0.005}, "solver": {"tol": 1e-10}, "gravity": [0, 0, -9.81],
 "schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1], "offset": 0}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 0.3], "velocity": [1, 0, 0]}],
 "contacts": {"e": 0, "mu": 0.4}, "record": {"stride": 1, "quantities": ["kinetic", "ball.q[0]", "ball.q[2]"]}}
SCENE
check 0 "one ball, one process" "$perp" run "$work/one.json" -q --out "$work/one"
check 0 "one ball on 4 ranks" on 4 "$mpi" run "$work/one.json" --in-parts -q --out "$work/one4"
tail -1 "$work/one/series.csv" >"$work/log"; tail -1 "$work/one4/series.csv" >>"$work/log"
awk -F, 'NR == 1 { split($0, x) } NR == 2 { for (i = 1; i <= NF; i++) { d = x[i] - $i; if (d < 0) d = -d; if (d > 1e-9) bad = 1 } }
    END { exit bad }' "$work/log"
result $? "moves as in one process" "$work/log"

# A tower of nine balls on contacts that give way: each overlaps by compliance x the weight above it, whoever
# solves the rows that cross, in which measure, from which start.
cat >"$work/tower.json" <<'SCENE'
{"version": 1, "time": {"until": 1, "step": 0.005}, "solver": {"tol": 1e-10}, "gravity": [0, 0, -9.81],
 "schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1], "offset": 0}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 2, "position": [0, 0, 0.1],
             "copies": {"count": [1, 1, 9], "spacing": [1, 1, 0.2]}}],
 "contacts": {"e": 0, "mu": 0.4, "compliance": 1e-6}, "record": {"stride": 20, "quantities": ["ball-0.q[2]", "ball-8.q[2]"]}}
SCENE
sed 's/"version": 1,/"version": 1, "warm_start": false,/' "$work/tower.json" >"$work/cold.json"
for words in "tower" "tower --rows 1" "tower --set measure=natural" "tower --rows 1 --set measure=scaled" "cold --rows 1"; do
    scene=${words%% *} words=${words#"${words%% *}"}
    check 0 "$scene: balls that give way, 3 ranks$words" on 3 "$mpi" run "$work/$scene.json" --in-parts $words -q --out "$work/tower"
    tail -n 1 "$work/tower/series.csv" >"$work/log"
    awk -F, 'function near(a, b) { return a - b < 1e-8 && b - a < 1e-8 }
        { f = 1e-6 * 2 * 9.81; exit !(near($2, 0.1 - 9 * f) && near($3, 1.7 - 45 * f)) }' "$work/log"
    result $? "stands where its weight wants it" "$work/log"
done

# What is not verified, or not solved, is said on standard error, once, where no report says it.
sed 's/"certificate": {[^}]*}, *//' "$work/one.json" >"$work/deep.json"
for words in "" --in-parts; do
    check 1 "a ball in the floor, -q $words" on 2 "$mpi" run "$work/deep.json" $words -q
    [ "$(grep -c 'not verified: penetration' "$work/log")" = 1 ]; result $? "says why, once" "$work/log"
done
cat >"$work/squeezed.json" <<'SCENE'
{"version": 1, "time": {"until": 0.1, "step": 0.01}, "schemes": [{"name": "moreau-jean"}], "failure": {"then": "accept"},
 "certificate": {"penetration": 1, "penetration_remarks": 1}, "bodies": [
 {"name": "left", "shape": {"type": "plane", "normal": [1, 0, 0], "offset": -0.2}},
 {"name": "right", "shape": {"type": "plane", "normal": [-1, 0, 0], "offset": -0.2}},
 {"name": "a", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "position": [-0.1, 0, 0]},
 {"name": "b", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "position": [0.1, 0, 0], "velocity": [-1, 0, 0]}],
 "interactions": [{"name": "plunger", "systems": ["b"], "relation": {"type": "linear",
   "C": [[-1, 0, 0, 0, 0, 0, 0]], "e": [0.1], "motion": [{"row": 0, "polynomial": [0, 2]}]}, "law": {"type": "impact"}}],
 "contacts": {"mu": 0.3}}
SCENE
check 1 "steps that are not solved, -q" on 2 "$mpi" run "$work/squeezed.json" -q
[ "$(grep -c 'steps were not solved; the first, from t = .*squeezed' "$work/log")" = 1 ]; result $? "says why, once" "$work/log"
sed 's/"then": "accept"/"then": "stop"/' "$work/squeezed.json" >"$work/stopped.json"
check 1 "a step that is not made, -q" on 2 "$mpi" run "$work/stopped.json" -q
[ "$(grep -c 'squeezed between' "$work/log")" = 1 ] && ! grep -q 'not verified' "$work/log"; result $? "says why, once" "$work/log"
"$mpi" run "$work/deep.json" --in-parts --json >"$work/deep.out" 2>"$work/log"
[ "$?" = 1 ] && [ ! -s "$work/log" ]; result $? "a document says it itself" "$work/log"

# Of rows that cross rank 0 has the masses of the bodies that these touch, not those of all: it had 31 MiB
# more than the others, with 20000 balls in two layers of which hundreds touch a ball of another rank.
cat >"$work/layers.json" <<'SCENE'
{"version": 1, "time": {"until": 0.004, "step": 0.002}, "solver": {"tol": 1e-4}, "gravity": [0, 0, -9.81],
 "schemes": [{"name": "moreau-jean"}], "certificate": {"penetration": 1, "penetration_remarks": 1},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1], "offset": 0}},
            {"name": "ball", "shape": {"type": "sphere", "radius": 0.05}, "density": 2500, "position": [0, 0, 0.0499],
             "copies": {"count": [100, 100, 2], "spacing": [0.11, 0.11, 0.0999]}}], "contacts": {"e": 0, "mu": 0.4}}
SCENE
cat >"$work/peak.py" <<'SCRIPT'
import os, resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.stderr.write(f"{os.environ['OMPI_COMM_WORLD_RANK']} {most // 1024} MiB\n")
sys.exit(code)
SCRIPT
if command -v python3 >/dev/null 2>&1; then
    check 0 "balls in two layers, 4 ranks" on 4 python3 "$work/peak.py" "$mpi" run "$work/layers.json" --in-parts -q
    awk '/ MiB$/ { n++; if ($1 == 0) own = $2; else if ($2 > most) most = $2 }
        END { print own - most " MiB more than the most of the others"; exit !(n == 4 && own <= most + 20) }' "$work/log" >"$work/more"
    code=$?
    cat "$work/more" >>"$work/log"
    result $code "the memory of rank 0: $(cat "$work/more")" "$work/log"
else
    for k in 1 2; do result 0 "the memory of rank 0 # SKIP no python3" "$work/log"; done
fi

# Bad input: all ranks end, and one of them says why.
drum 1e-8 4 "$jean" >"$work/wrong.json"
printf 'f=drum; [ "$OMPI_COMM_WORLD_RANK" = 1 ] && f=wrong; p=$1; w=$2; exec "$p" run "$w/$f.json" --in-parts -q\n' >"$work/differ.sh"
check 2 "a rank with another scene" on 3 sh "$work/differ.sh" "$mpi" "$work"
grep -q 'came apart' "$work/log"; result $? "is found" "$work/log"
# One grain is thrown so hard that its state is no number: on the ranks that have it.
sed 's/"contacts": {/"forces": [{"type": "load", "system": "grain-29", "vector": [1e308, 0, 0], "ramp": {"from": 0.1, "to": 0.2, "by": 1e10}}], "contacts": {/' \
    "$work/drum.json" >"$work/nan.json"
check 2 "a state that is no number" on 4 "$mpi" run "$work/nan.json" --in-parts -q
head -c 2000 "$work/half/checkpoint" >"$work/cut/checkpoint"
check 2 "too few bytes in a checkpoint" on 3 "$mpi" run "$work/drum.json" --in-parts -q --resume --out "$work/cut"
mkdir -p "$work/taken/states.h5"
if [ -s "$work/r4/states.h5" ]; then
    check 2 "states that cannot be written" on 3 "$mpi" run "$work/drum.json" --in-parts -q --out "$work/taken"
else
    result 0 "states that cannot be written # SKIP PETSc without HDF5" "$work/log"
fi
