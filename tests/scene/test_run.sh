#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp run: the example scenes, refused scenes, interruption and resumption, files for perp solve.
set -u
perp=$PERP_BUILD/perp
scenes=$PERP_SOURCE/examples/scenes
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..2"
    if "$perp" run x.json 2>&1 | grep -q libjansson-dev; then echo "ok 1 - says what is missing"
    else echo "not ok 1 - says what is missing"; fi
    echo "ok 2 - scenes # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
: >out; : >err
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }
skip() { number=$((number + 1)); echo "ok $number - $1 # SKIP $2"; }
# exits STATUS DESCRIPTION ARGUMENT...: runs perp run.
exits() {
    expected=$1; what=$2; shift 2
    "$perp" run "$@" >out 2>err </dev/null
    status=$?
    if [ "$status" = "$expected" ]; then ok "$what"
    else echo "# exit status $status, expected $expected"; not_ok "$what"; fi
}
# made DESCRIPTION ARGUMENT...: the end is reached, whatever the verdict is.
made() {
    what=$1; shift
    "$perp" run "$@" >out 2>err </dev/null
    status=$?
    grep -q '^verdict  *not verified' out && wanted=1 || wanted=0
    if [ "$status" = $wanted ] && grep -q '^status  *done' out; then ok "$what"
    else echo "# exit status $status, expected $wanted"; not_ok "$what"; fi
}
holds() {
    what=$1; file=$2; shift 2
    for pattern; do
        grep -q -e "$pattern" "$file" || { echo "# no '$pattern' in $file"; not_ok "$what"; return; }
    done
    ok "$what"
}
equals() { if cmp -s "$2" "$3"; then ok "$1"; else echo "# $2 and $3 differ"; not_ok "$1"; fi; }
there() { # DESCRIPTION FILE...
    what=$1; shift
    for file; do [ -s "$file" ] || { echo "# no $file"; not_ok "$what"; return; }; done
    ok "$what"
}

# Each example a short while; all numbers of the series are finite.
brief() { # T0 + some steps
    sed -n 's/.*"step": *\([0-9.e-]*\).*/\1/p' "$1" | awk '{ printf "%.10g", 60 * $1 }'
}
for scene in "$scenes"/*.json; do
    name=$(basename "$scene" .json)
    made "$name" "$scene" --until "$(brief "$scene")" --out "$name"
    if awk -F, 'NR == 1 { n = NF; next } { for (k = 1; k <= NF; k++) if ($k !~ /^[-+0-9.e]+$/) exit 1 }
                NF != n { exit 1 } END { exit NR < 3 }' "$name/series.csv"; then ok "$name: series"
    else not_ok "$name: series"; fi
done

# What a run writes.
exits 0 "a whole run" "$scenes/bouncing_ball.json" --out ball
holds "report" out 'done, t = 10' 'steps *2000' 'unsolved *none' 'ball/series.csv'
# The ball rests where the published run has it, and carries its weight.
if awk -F, 'END { exit !($2 > -2.2887e-5 && $2 < -2.2885e-5 && $5 > 0.0490499 && $5 < 0.0490501) }' \
    ball/series.csv; then ok "it comes to rest"; else not_ok "it comes to rest"; fi
if [ "$(wc -l <ball/series.csv)" = 2002 ]; then ok "one row each step"; else not_ok "one row each step"; fi
there "checkpoint" ball/checkpoint
if ls ball/*.part >/dev/null 2>&1; then not_ok "no unfinished file stays"; else ok "no unfinished file stays"; fi
exits 0 "without --out" "$scenes/bouncing_ball.json" --until 1
holds "nothing is written then" out 'series *not written'
exits 0 "--check" "$scenes/sphere_pile.json" --check
exits 0 "-q" "$scenes/bouncing_ball.json" --until 1 -q
if [ -s out ] || [ -s err ]; then not_ok "-q is quiet"; else ok "-q is quiet"; fi
exits 0 "--step, --solver, --tol, --scheme" "$scenes/bouncing_ball.json" --until 1 --step 0.01 \
    --solver lemke --tol 1e-10 --scheme moreau-jean
holds "--step counts" out 'steps *100 of 0.01'
made "frames" "$scenes/sphere_pile.json" --until 0.02 --out pile --vtk
there "frames for ParaView" pile/frames.pvd pile/frames/000000.vtp pile/frames/000010.vtp
if command -v xmllint >/dev/null; then
    # The head of a frame; its arrays follow as they are in memory.
    sed -n '/<AppendedData/q;p' pile/frames/000010.vtp >head.xml && echo '</VTKFile>' >>head.xml
    if xmllint --noout pile/frames.pvd head.xml 2>err; then ok "frames are XML"
    else not_ok "frames are XML"; fi
else
    skip "frames are XML" "no xmllint"
fi
python=/usr/bin/python3
if $python -c 'import vtkmodules.vtkIOXML' 2>/dev/null; then
    if $python -c 'import sys
from vtkmodules.vtkIOXML import vtkXMLPolyDataReader as Reader
for name in sys.argv[1:]:
    r = Reader(); r.SetFileName(name); r.Update(); data = r.GetOutput()
    assert r.GetErrorCode() == 0 and data.GetNumberOfPoints() > 64 and data.GetCellData().GetArray("speed")
' pile/frames/*.vtp 2>err; then ok "VTK reads frames"
    else not_ok "VTK reads frames"; fi
else
    skip "VTK reads frames" "no python3-vtk9"
fi
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then there "HDF5 series" ball/series.h5
else skip "HDF5 series" "configured without HDF5"; fi
exits 0 "--plot" "$scenes/bouncing_ball.json" --until 1 --out plot --plot
there "gnuplot's script" plot/series.gp
if command -v gnuplot >/dev/null; then there "pictures" plot/series.png plot/series.svg
else holds "gnuplot is asked for" err gnuplot-nox; fi

# Systems, loads and springs against closed forms and balances.
# series WHAT JSON CONDITION: of the last row (awk), a[k] being its values and f[k] the first row's.
series() {
    what=$1
    printf '{"version": 1, "newton": {"tol": 1e-12, "iterations": 30}, %s}' "$2" >case.json
    "$perp" run case.json --out case -q >out 2>err &&
        awk -F, 'function near(x, y, tol) { return x - y < tol && y - x < tol }
                 NR == 2 { for (k = 1; k <= NF; k++) f[k] = $k }
                 { for (k = 1; k <= NF; k++) a[k] = $k } END { exit !('"$3"') }' case/series.csv
    status=$?
    if [ $status = 0 ]; then ok "$what"; else tail -n 1 case/series.csv >>out; not_ok "$what"; fi
}
middle='"schemes": [{"name": "moreau-jean", "configuration": "predicted", "prediction": 0.5}]'
series "pendulum: period" '"time": {"until": 2.006409293, "step": 0.0002006409293},
    "systems": [{"name": "p", "type": "pendulum", "angle": 0.01}], "record": {"quantities": ["p.q", "energy"]}' \
    'near(a[2], 0.01, 1e-7) && near(a[3], f[3], 1e-12)'
series "double pendulum: energy" '"time": {"until": 2, "step": 0.0005}, '"$middle"',
    "systems": [{"name": "p", "type": "double-pendulum", "masses": [1, 0.7], "lengths": [1, 0.6], "angles": [2, -1],
    "rates": [0.3, 2]}], "record": {"quantities": ["energy", "p.q"]}' \
    'near(a[2], f[2], 1e-3) && !near(a[3], f[3], 0.1)'
series "slider-crank: energy" '"time": {"until": 0.05, "step": 1e-5}, '"$middle"',
    "systems": [{"name": "m", "type": "slider-crank", "lengths": [0.153, 0.306], "masses": [0.038, 0.038, 0.076],
    "inertias": [7.4e-5, 5.9e-4, 2.7e-6], "slider": [0.05, 0.025], "rates": [150, -75, 3]}],
    "record": {"quantities": ["energy"]}' 'near(a[2], f[2], 1e-3)'
series "loads" '"time": {"until": 2, "step": 0.001},
    "systems": [{"name": "a", "type": "lagrangian", "q0": [0]}, {"name": "x", "type": "first-order", "x0": [0], "b": [1]}],
    "bodies": [{"name": "b", "mass": 2, "inertia": [1, 1, 1]}],
    "forces": [{"type": "load", "system": "a", "vector": [1], "polynomial": [0, 1]},
        {"type": "load", "system": "x", "vector": [2], "amplitude": 1, "frequency": 0.25},
        {"type": "load", "system": "b", "vector": [0, 0, 1], "polynomial": [4]}],
    "record": {"quantities": ["a.q", "x.x", "b.q[2]"]}' \
    'near(a[2], 8 / 6, 1e-6) && near(a[3], 2 + 8 / 3.141592653589793, 1e-5) && near(a[4], 4, 1e-9)'
series "a spring between two systems: period, energy, momentum" '"time": {"until": 1, "step": 0.001},
    "systems": [{"name": "a", "type": "lagrangian", "q0": [0]}, {"name": "b", "type": "lagrangian", "q0": [1.5]}],
    "forces": [{"type": "spring", "from": {"system": "a", "coordinate": 0}, "to": {"system": "b", "coordinate": 0},
    "stiffness": 19.739208802178716, "length": -1}],
    "record": {"quantities": ["a.q", "b.q", "a.v", "b.v", "energy"]}' \
    'near(a[2], 0, 1e-5) && near(a[3], 1.5, 1e-5) && near(a[4] + a[5], 0, 1e-13) && near(a[6], f[6], 1e-9)'
series "springs at points of bodies: energy" '"time": {"until": 1, "step": 0.0005}, "gravity": [0, 0, -9.81],
    "bodies": [{"name": "b", "mass": 1, "inertia": [0.1, 0.2, 0.3], "position": [0.3, 0.1, -1], "angular": [1, 2, 3]},
        {"name": "c", "mass": 2, "inertia": [0.1, 0.2, 0.3], "position": [0, 1, 1]}],
    "forces": [{"type": "spring", "from": {"system": "b", "point": [0.2, 0.1, 0]}, "to": {"world": [0, 0, 0]},
        "stiffness": 40, "length": 0.5}, {"type": "spring", "from": {"system": "b", "point": [-0.2, 0, 0.1]},
        "to": {"system": "c", "point": [0, 0, 0.1]}, "stiffness": 10, "length": 0.2}],
    "record": {"quantities": ["energy", "kinetic"]}' 'near(a[2], f[2], 2e-3) && !near(a[3], f[3], 1)'
series "rods between point masses" '"time": {"until": 1, "step": 0.0005}, "gravity": [0, -9.81, 0],
    "systems": [{"name": "m", "type": "point-masses", "masses": [1, 2], "positions": [[1, 0], [1.5, 0]]}],
    "interactions": [{"name": "one", "systems": ["m"],
        "relation": {"type": "distance", "point": 0, "anchor": [0, 0], "length": 1}},
        {"name": "two", "systems": ["m"], "relation": {"type": "distance", "point": 0, "to": 1, "length": 0.5}}],
    "record": {"quantities": ["energy", "one.y", "two.y", "m.q[1]"]}' \
    'near(a[3], 0, 1e-5) && near(a[4], 0, 1e-5) && near(a[2], f[2], 0.3) && a[5] < -0.3'
series "two discs meet: momentum, rolling reaction" '"time": {"until": 1, "step": 0.001},
    "systems": [{"name": "a", "type": "planar", "mass": 1, "radius": 0.5, "position": [0, 0], "velocity": [2, 0], "rate": 3},
        {"name": "b", "type": "planar", "mass": 1, "radius": 0.5, "position": [1.5, 0]}],
    "interactions": [{"systems": ["a", "b"], "relation": {"type": "disc-disc"},
        "law": {"type": "friction", "dim": 2, "e": 1, "mu": 0.1}}],
    "record": {"quantities": ["a.v", "b.v"]}' \
    'near(a[2], 0, 1e-6) && near(a[5], 2, 1e-6) && near(a[3] + a[6], 0, 1e-12) && near(a[6], -a[3], 1e-12) &&
     near(a[3] * a[3], 0.04, 1e-6) && near(a[7] - (a[4] - 3), 0, 1e-12)'

# The published runs that the examples restate.
# agrees SCENE REFERENCE TOL FIRST STEP-OF-SERIES STEP-OF-REFERENCE ROWS PAIRS: columns a:b (from 1) of
# rows FIRST, FIRST + 1, ... of both, each thinned, agree to TOL.
agrees() {
    reference=$PERP_SOURCE/../shared/data/trajectories/$2
    if [ ! -e "$reference" ]; then skip "$1 against $2" "no ../shared"; return; fi
    "$perp" run "$scenes/$1.json" --out ref -q >out 2>err
    sed '1d' ref/series.csv | tr , ' ' | awk -v s=$5 '(NR - 1) % s == 0' >ours
    awk 'NF > 3' "$reference" | awk -v s=$6 '(NR - 1) % s == 0' >theirs
    case $2 in NE_*) sed -i 1d ours ;; esac # these begin after the first step
    paste -d ' ' ours theirs | head -n "$7" | awk -v tol="$3" -v first="$4" -v pairs="$8" -v width="$(awk 'NR == 1 { print NF }' ours)" '
        NR <= first || NF <= width { next }
        { rows++; n = split(pairs, p, " ")
          for (k = 1; k <= n; k++) { split(p[k], c, ":"); d = $c[1] - $(width + c[2])
              if (d < 0) d = -d
              if (d > worst) worst = d } }
        END { print "largest difference", worst, "in", rows, "rows"; exit !(rows >= 100 && worst <= tol) }' >>out
    if [ $? = 0 ]; then ok "$1 against $2"; else not_ok "$1 against $2"; fi
}
agrees bouncing_ball BouncingBallTS.ref 1e-12 0 1 1 9999 '2:2 3:3 4:4 5:5'
agrees ball_projected BouncingBallTS-DirectProjection-level0.ref 1e-11 0 1 1 9999 '2:2 3:3 4:4'
agrees ball_two_step BouncingBallTS-SchatzmanPaoliOSI.ref 1e-9 0 1 1 800 '2:2 3:3 5:4'
agrees tilted_floor BouncingBallTS-Scleronomous.ref 1e-11 0 1 1 9999 '2:2 3:3 4:4 5:5 6:7'
agrees bead_column ColumnOfBeadsTS.every3.ref 1e-11 0 3 1 9999 '2:2 3:4 4:6 11:20 12:3 13:5 14:7 21:21'
agrees rolling_disc Ball2D_kernel_only_with_friction.ref 1e-10 1 1 1 9999 '2:2 3:7 4:8 5:3 6:9 7:4 8:6'
agrees impacting_stick ImpactingStick.ref 1e-9 1 1 1 9999 '2:2 3:3 4:4 5:5 6:6 7:7 11:13'
agrees impacting_bar ImpactingBar.ref 1e-10 1 1 1 9999 '2:2 3:3 4:5 5:8 6:9 7:10 8:11'
agrees impact_oscillator CamFollower-Rheonomous.every2.ref 1e-11 0 1 1 9999 '2:2 3:3 4:4'
agrees rlcd_circuit CircuitRLCD.ref 1e-11 0 1 1 9999 '2:2 3:3 5:5'
agrees diode_bridge DiodeBridge.ref 1e-11 1 1 10 9999 '2:2 3:3 4:4 10:7'
agrees diode_bridge_filter DiodeBridgeCapFilter.ref 1e-11 1 1 10 9999 '2:2 3:3 5:4 6:7'
agrees friction_oscillator FrictionOscillator.every2.ref 1e-10 1 2 1 9999 '2:2 3:3 4:4 5:5'
agrees relay_oscillator RelayOscillatorWithSliding.ref 1e-9 1 1 1 9999 '2:2 3:3 4:4 5:5 6:6'
agrees knee NE_1DS_1Knee_MLCP.ref 1e-10 0 1 1 9999 '2:2 3:3 4:4 5:5 6:6 7:7 8:8'
agrees free_body NE_1DS.ref 1e-10 0 1 1 9999 '2:2 3:3 4:4 5:5 6:6 7:7 8:8'
agrees sliding_mode SimpleExampleRelay.ref 1e-11 1 1 1 9999 '2:2 3:3 4:4 5:5 6:6 7:7'

# Interrupted by SIGINT, resumed, and the same bytes as in one go.
sed 's/"stride": *[0-9]*/"stride": 500/' "$scenes/springs.json" >long.json
timeout --foreground -s INT 2 "$perp" run long.json --until 1e9 --out cut >out 2>err
status=$?
holds "SIGINT ends at a step" out 'interrupted at t' checkpoint
steps=$(sed -n 's/^steps *\([0-9]*\) .*/\1/p' out)
until=$(awk -v n="${steps:-0}" 'BEGIN { printf "%.10g", 0.002 * (n + 5000) }')
exits 0 "--resume" long.json --until "$until" --out cut --resume
holds "it says so" out resumed
exits 0 "in one go" long.json --until "$until" --out whole -q
equals "the same series" whole/series.csv cut/series.csv
equals "the same checkpoint" whole/checkpoint cut/checkpoint
for name in sphere_pile ball_joint diode_bridge impacting_stick; do
    h=$(sed -n 's/.*"step": *\([0-9.e-]*\).*/\1/p' "$scenes/$name.json")
    half=$(awk -v h="$h" 'BEGIN { printf "%.10g", 103 * h }')
    end=$(awk -v h="$h" 'BEGIN { printf "%.10g", 241 * h }')
    made "$name, first part" "$scenes/$name.json" --until "$half" --out "$name-cut"
    made "$name, second part" "$scenes/$name.json" --until "$end" --out "$name-cut" --resume
    grep -E '^(verdict|motion|energy|positions|resolution) ' out >verdict-cut
    made "$name, in one go" "$scenes/$name.json" --until "$end" --out "$name-whole"
    grep -E '^(verdict|motion|energy|positions|resolution) ' out | cmp -s - verdict-cut && ok "$name, the same verdict" || not_ok "$name, the same verdict"
    equals "$name: the same series" "$name-whole/series.csv" "$name-cut/series.csv"
    equals "$name: the same state" "$name-whole/checkpoint" "$name-cut/checkpoint"
    # From rows in memory, and from those of the text.
    if [ -e "$name-whole/series.h5" ]; then
        equals "$name: the same series in HDF5" "$name-whole/series.h5" "$name-cut/series.h5"
    fi
    if awk -F, -v t="$end" 'END { exit !(($1 - t) ^ 2 < 1e-20) }' "$name-cut/series.csv"; then
        ok "$name: the last instant is recorded, between two strides or not"
    else not_ok "$name: the last instant is recorded, between two strides or not"; fi
done
made "frames, first part" "$scenes/sphere_pile.json" --until 0.103 --step 0.001 --out frames-cut --vtk
made "frames, second part" "$scenes/sphere_pile.json" --until 0.241 --step 0.001 --out frames-cut --resume
if sed -n 's/.*timestep="\([^"]*\)".*/\1/p' frames-cut/frames.pvd |
    awk 'NR > 1 && !($1 > t) { bad = 1 } { t = $1 } END { exit !(NR > 2 && !bad && (t - 0.241) ^ 2 < 1e-20) }' &&
    [ "$(ls frames-cut/frames | wc -l)" = "$(grep -c timestep frames-cut/frames.pvd)" ]; then
    ok "the last instant is a frame"
else not_ok "the last instant is a frame"; fi
name=ball_adaptive
exits 0 "every instant, first part" "$scenes/$name.json" --until 1.5 --out "$name-cut"
exits 0 "every instant, second part" "$scenes/$name.json" --until 4.8 --out "$name-cut" --resume
exits 0 "every instant, in one go" "$scenes/$name.json" --until 4.8 --out "$name-whole"
equals "every instant: the same series" "$name-whole/series.csv" "$name-cut/series.csv"
equals "every instant: the same state" "$name-whole/checkpoint" "$name-cut/checkpoint"
if awk -F, 'NR > 2 { if (!($1 > t)) bad = 1; if ($1 - t < 1e-4) small = 1 } NR > 1 { t = $1 }
            END { exit !(NR > 200 && small && !bad && (t - 4.8) ^ 2 < 1e-20) }' "$name-whole/series.csv"; then
    ok "every instant: in their order, small steps at impacts"
else not_ok "every instant: in their order, small steps at impacts"; fi
sed 's/"schemes": *\[[^]]*\]/"schemes": [{"name": "event-driven"}]/' "$scenes/$name.json" >events.json
exits 0 "every instant, event-driven" events.json --out events
if awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) { v = $k == "ball.v" ? k : v; at = $k == "instant" ? k : at } next }
            $1 < t { bad = 1 }
            $at == 2 && !(was == 1 && $1 == t && $v * before < 0) { bad = 1 } $at == 2 { impacts++ }
            was == 1 && $at != 2 { bad = 1 } { t = $1; was = $at; before = $v }
            END { exit !(at && impacts > 5 && !bad) }' events/series.csv; then
    ok "every instant: limits before and after impacts"
else not_ok "every instant: limits before and after impacts"; fi
exits 2 "--resume with another step" long.json --step 0.001 --out cut --resume
holds "it names the reason" err 'another scene'
exits 2 "--resume without a checkpoint" long.json --out nowhere --resume
printf XXXXXXXX | dd of=cut/checkpoint bs=1 seek=150 conv=notrunc 2>/dev/null
exits 2 "--resume from a damaged checkpoint" long.json --until "$until" --out cut --resume
holds "damage is found" err damaged

# One-step problems go to perp solve.
for pair in sphere_pile:0.5 ball_joint:0.2 diode_bridge:2e-4 relay_oscillator:2 bead_column:0.5 rolling_disc:2; do
    name=${pair%:*}
    scheme= # that of the scene, but joints alone are a problem of moreau-jean only
    if [ $name = ball_joint ]; then scheme="--scheme moreau-jean"; fi
    made "--problems, $name" "$scenes/$name.json" $scheme --out "$name-problems" --problems 'rows >= 1' --until "${pair#*:}"
    file=$(ls "$name-problems/problems/"* 2>/dev/null | tail -n 1)
    if [ -n "$file" ] && "$perp" solve -q --tol 1e-6 "$file" >out 2>err; then ok "$name: perp solve"
    else not_ok "$name: perp solve"; fi
done
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then
    sphere() { printf '{"name": "%s", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1, "position": [%s, 0, 0.1]}' $1 $2; }
    ground='"relation": {"type": "sphere-plane", "normal": [0, 0, 1]}'
    for form in dense csc global; do
        echo '{"version": 1, "time": {"until": 0.05, "step": 0.001}, "gravity": [1, 0.5, -9.81], "form": "'$form'",
            "solver": {"tol": 1e-10}, "bodies": ['"$(sphere a 0), $(sphere b 0.5), $(sphere c 1)"'],
            "interactions": [
            {"systems": ["a", "b"], "relation": {"type": "joint", "joint": "point", "anchor": [0.25, 0, 0.1]}},
            {"name": "ice", "systems": ["a"], '"$ground"', "law": {"type": "impact"}},
            {"name": "rough", "systems": ["b"], '"$ground"', "law": {"type": "friction", "mu": 0.05}},
            {"name": "more", "systems": ["c"], '"$ground"', "law": {"type": "friction", "mu": 0.3}}],
            "record": {"quantities": ["ice.lambda", "rough.lambda", "more.lambda"]}}' >mixed.json
        exits 0 "--problems of contacts with a joint, $form" mixed.json --out mixed-$form --problems 'rows>1'
        "$perp" solve -q --tol 1e-10 mixed-$form/problems/step-0000050.hdf5 --out z.txt >out 2>err
        # Rows of the file: the frictionless contact with two rows of padding, two contacts.
        tail -n 1 mixed-$form/series.csv | tr , '\n' | tail -n 7 >lambda
        awk '!/^#/ { print $1 }' z.txt | sed -n '1p;4,9p' | paste -d ' ' lambda - >both
        if awk 'NF != 2 || ($1 - $2) ^ 2 > 1e-18 { bad = 1 } END { exit bad || NR != 7 }' both; then
            ok "its multipliers are those of the run, $form"
        else cat both >>out; not_ok "its multipliers are those of the run, $form"; fi
    done
fi
exits 2 "an option that was renamed" "$scenes/bouncing_ball.json" --out none --dump 'rows>1'
holds "its new name" err "unknown option '--dump': it is now '--problems'"
exits 0 "--problems of nothing" "$scenes/bead_column.json" --until 1 --out none --problems 'residual>1'
if [ -e none/problems ]; then not_ok "none is written"; else ok "none is written"; fi
for expression in 'residuals>1' 'rows' 'rows>' 'rows>x' 'rows>1 or' '>3' ''; do
    exits 2 "--problems '$expression'" "$scenes/bouncing_ball.json" --out none --problems "$expression"
done

# What to do where a one-step problem is not solved.
for then in accept stop halve; do
    sed 's/"solver": {[^}]*}/"solver": {"name": "gs", "tol": 1e-14, "max_iter": 3}/
         s/"gravity"/"failure": {"then": "'$then'"}, "gravity"/' "$scenes/sphere_pile.json" >fail.json
    if [ $then != accept ]; then
        exits 1 "failure: $then" fail.json --until 0.5 --out fail
        holds "it says at what time, $then" err 'the step from t = .* failed'
        there "what was done till then, $then" fail/series.csv fail/checkpoint
    else
        exits 1 "failure: $then" fail.json --until 0.3
        holds "it is counted, $then" out '^unsolved *[1-9][0-9]* steps'
    fi
done
sed 's/"solver": {[^}]*}/"solver": {"name": "gs", "tol": 1e-8, "max_iter": 30}/
     s/"gravity"/"failure": {"retry": ["nsn"]}, "gravity"/' "$scenes/sphere_pile.json" >fail.json
made "failure: another solver" fail.json --until 0.3
holds "it solves them" out '^unsolved *none'

# Wrong arguments.
exits 2 "no scene"
exits 2 "a scene that is absent" absent.json
holds "it is named" err 'absent.json'
exits 2 "--plot without --out" "$scenes/bouncing_ball.json" --plot
exits 2 "--step 0" "$scenes/bouncing_ball.json" --step 0
exits 2 "an unknown solver" "$scenes/bouncing_ball.json" --solver nothing
holds "the solver is named" err "unknown solver 'nothing'" ' gs '
exits 2 "an unknown scheme" "$scenes/bouncing_ball.json" --scheme nothing
holds "the schemes are listed" err "unknown scheme 'nothing'" moreau-jean
touch file
exits 2 "--out is a file" "$scenes/bouncing_ball.json" --out file

# refused WHAT PATH-AND-REASON SYSTEMS REST: a scene of these parts gives this error.
refused() {
    printf '{"version": 1, "time": {"until": 1, "step": 0.1}, "systems": [%s]%s}' "$3" "$4" >bad.json
    "$perp" run bad.json >out 2>err
    status=$?
    if [ "$status" = 2 ] && grep -q -F -e "bad.json: $2" err; then ok "refused: $1"
    else echo "# exit status $status, wanted: $2"; not_ok "refused: $1"; fi
}
ball='{"name": "ball", "type": "lagrangian", "M": [[1]], "q0": [1]}'
disc='{"name": "disc", "type": "planar", "mass": 1, "radius": 1}'
touch_() { # relation, law
    printf ', "interactions": [{"systems": ["ball"], "relation": %s, "law": %s}]' "$1" "$2"
}
linear='{"type": "linear", "C": [[1]]}'
impact='{"type": "impact", "e": 0.5}'
echo '{"version": 1, ' >bad.json
exits 2 "refused: broken JSON" bad.json
holds "the line is given" err 'bad.json: line'
echo '{"version": 1, "version": 1}' >bad.json
exits 2 "refused: a key twice" bad.json
echo '{"version": 2}' >bad.json
exits 2 "refused: another version" bad.json
holds "version" err 'version: 2 is not'
echo '[]' >bad.json
exits 2 "refused: no object" bad.json
echo '{"version": 1, "systems": [], "time": {"until": 1}}' >bad.json
exits 2 "refused: no step" bad.json
holds "step" err 'time.step: missing'
sed 's/"until": 10, "step": 0.005/"until": 10, "step": -1/' "$scenes/bouncing_ball.json" >bad.json
exits 2 "refused: a step < 0" bad.json
holds "step < 0" err 'time.step: -1 is not positive'
refused "nothing in it" 'the scene has neither' '' ''
refused "unknown key" 'colour: unknown key' "$ball" ', "colour": 1'
refused "unknown key inside" 'systems[0].weight: unknown key' \
    '{"type": "lagrangian", "q0": [1], "weight": 2}' ''
refused "unknown type" "systems[0].type: 'x' is none of" '{"type": "x"}' ''
refused "rows of a matrix" 'systems[1].M: 1 rows expected, 2 given' \
    "$ball"', {"type": "lagrangian", "q0": [1], "M": [[1, 0], [0, 1]]}' ''
refused "ragged rows" 'systems[0].M[1]: 2 numbers expected, 1 given' \
    '{"type": "lagrangian", "q0": [1, 2], "M": [[1, 0], [0]]}' ''
refused "a string for a number" 'systems[0].q0[1]: a number is expected' \
    '{"type": "lagrangian", "q0": [1, "x"]}' ''
refused "a singular mass" 'systems[0]: M' '{"type": "lagrangian", "q0": [1], "M": [[0]]}' ''
refused "a negative mass" 'systems[0].mass' '{"type": "planar", "mass": -1, "radius": 1}' ''
refused "a name twice" "systems[1]: the name 'ball' is taken" "$ball, $ball" ''
refused "a name with a dot" "systems[0]: 'a.b' is no name" '{"name": "a.b", "type": "lagrangian", "q0": [1]}' ''
refused "an unknown system" "interactions[0].systems[0]: no system is called 'nobody'" "$ball" \
    ', "interactions": [{"systems": ["nobody"], "relation": '"$linear"', "law": '"$impact"'}]'
refused "e out of range" 'interactions[0].law.e: 1.5 is not within 0 and 1' "$ball" \
    "$(touch_ "$linear" '{"type": "impact", "e": 1.5}')"
refused "mu < 0" 'interactions[0].law.mu: -1' "$ball" "$(touch_ "$linear" '{"type": "friction", "mu": -1}')"
refused "lo > hi" 'interactions[0].law.hi: 0 is less than lo, 1' "$ball" \
    "$(touch_ "$linear" '{"type": "box", "lo": 1, "hi": 0}')"
refused "columns of C" 'interactions[0].relation.C: 1 columns expected, 2 given' "$ball" \
    "$(touch_ '{"type": "linear", "C": [[1, 2]]}' "$impact")"
refused "no law" 'interactions[0].law: missing' "$ball" \
    ', "interactions": [{"systems": ["ball"], "relation": '"$linear"'}]'
refused "a relation of the plane" "interactions[0].relation: 'ball' is no planar system" "$ball" \
    "$(touch_ '{"type": "disc-line", "normal": [0, 1]}' "$impact")"
refused "no normal" 'interactions[0].relation.normal: the zero vector' "$disc" \
    "$(touch_ '{"type": "disc-line", "normal": [0, 0]}' "$impact" | sed 's/ball/disc/')"
refused "an unknown solver in the scene" "solver.name: there is no solver 'lemk'; did you mean 'lemke'" "$ball" \
    ', "solver": {"name": "lemk"}'
refused "an unknown scheme in the scene" "schemes[0].name: 'moreau-jaen' is none of" "$ball" \
    ', "schemes": [{"name": "moreau-jaen"}]'
refused "a key that is nearly one" "systems[0].vo: unknown key: did you mean 'v0'" \
    '{"type": "lagrangian", "q0": [1], "vo": [2]}' ''
refused "an unknown setting" 'solver.speed: unknown setting' "$ball" ', "solver": {"speed": 9}'
refused "a setting out of range" "solver.tol: '-1' is not a number from 0 to 1" "$ball" ', "solver": {"tol": -1}'
refused "an unknown solver to retry" "failure.retry[0]: there is no solver 'gss'" "$ball" ', "failure": {"retry": ["gss"]}'
refused "an unknown parameter" 'schemes[0].thetta: unknown' "$ball" ', "schemes": [{"name": "moreau-jean", "thetta": 1}]'
refused "a parameter out of range" 'schemes[0].theta: unknown or out of its range' "$ball" \
    ', "schemes": [{"name": "moreau-jean", "theta": 2}]'
refused "a scheme for others" 'schemes[0].systems[0]: euler-moreau does not take' "$ball" \
    ', "schemes": [{"name": "euler-moreau", "systems": ["ball"]}]'
refused "a quantity of nothing" "record.quantities[0]: nothing is called 'bell'" "$ball" \
    ', "record": {"quantities": ["bell.q"]}'
refused "an unknown field" "record.quantities[0]: 'ball' has no 'x'" "$ball" ', "record": {"quantities": ["ball.x"]}'
refused "records at odd times" 'record.every: one of step, instant' "$ball" ', "record": {"every": "day"}'
refused "a stride of instants" 'record.stride: every instant' "$ball" ', "record": {"every": "instant", "stride": 2}'
refused "an entry too far" 'record.quantities[0]: there are 1 entries' "$ball" ', "record": {"quantities": ["ball.q[1]"]}'
refused "a spring to itself" "forces[0]: both ends are on 'ball'" "$ball" \
    ', "forces": [{"type": "spring", "from": {"system": "ball", "coordinate": 0}, "to": {"system": "ball", "coordinate": 0}}]'
refused "a load that is too long" 'forces[0].vector: 1 numbers expected, 2 given' "$ball" \
    ', "forces": [{"type": "load", "system": "ball", "vector": [1, 2], "amplitude": 1}]'
body() { printf ', "bodies": [%s]' "$1"; }
refused "a quaternion of norm 0" 'bodies[0].quaternion: the norm is 0' '' \
    "$(body '{"mass": 1, "inertia": [1, 1, 1], "quaternion": [0, 0, 0, 0]}')"
refused "a mass of 0" 'bodies[0].mass' '' "$(body '{"mass": 0, "inertia": [1, 1, 1]}')"
refused "no inertia" 'bodies[0].inertia: missing' '' "$(body '{"mass": 1}')"
refused "a fixed body with mass" 'bodies[0]: a body that stands still' '' \
    "$(body '{"mass": 1, "fixed": true, "shape": {"type": "sphere", "radius": 1}}')"
refused "no shape at all" 'contacts: no system or body has a shape' "$ball" ', "contacts": {}'
refused "an unknown material" "contacts.materials[0].between[1]: no shape has the material 'ice'" '' \
    "$(body '{"mass": 1, "material": "wood", "shape": {"type": "sphere", "radius": 1}}')"', "contacts": {"materials": [{"between": ["wood", "ice"]}]}'
echo "1..$number"
