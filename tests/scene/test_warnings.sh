#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp run: what is not as a scene's author may have meant is said, by name, with what was done.
set -u
perp=$PERP_BUILD/perp
scenes=$PERP_SOURCE/examples/scenes
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..0 # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }
# run STATUS DESCRIPTION PATTERN ARGUMENT...: exit status, and the pattern in what is said.
run() {
    expected=$1; what=$2; pattern=$3; shift 3
    "$perp" run "$@" >out 2>err </dev/null
    status=$?
    if [ $status = "$expected" ] && cat out err | grep -q -e "$pattern"; then ok "$what"
    else echo "# exit status $status, expected $expected, and: $pattern"; not_ok "$what"; fi
}
silent() { # DESCRIPTION ARGUMENT...: no warning
    what=$1; shift
    "$perp" run "$@" >out 2>err </dev/null
    if [ $? = 0 ] && ! grep -q warning out; then ok "$what"; else not_ok "$what"; fi
}

# No shipped scene asks for what is not done.
for scene in "$scenes"/*.json; do
    name=$(basename "$scene" .json)
    [ $name = knee ] && continue
    silent "$name" "$scene" --check
done
run 0 "knee, which is thrown off its joint" \
    "the velocities at the start contradict 'knee', whose rate is 100 and not 0; moreau-jean" \
    "$scenes/knee.json" --check
if [ "$(grep -c warning out)" = 1 ]; then ok "and nothing else"; else not_ok "and nothing else"; fi

ball() { # TIME REST
    echo '{"version": 1, "time": {'"$1"'},
"systems": [{"name": "ball", "type": "lagrangian", "q0": [1], "F": [-9.81]}],
"interactions": [{"name": "ground", "systems": ["ball"],
  "relation": {"type": "linear", "C": [[1]]}, "law": {"type": "impact", "e": 0.5}}]'"${2-}"'}'
}
ball '"until": 1, "step": 0.01' >ball.json

# What the report names.
run 0 "scheme, systems, h" '^scheme  *[a-z-]* for 1 system, h = 0.01$' ball.json
run 0 "solver and tolerance" '^solver  *gs, tolerance 1e-09$' ball.json --solver gs --tol 1e-9
ball '"until": 1, "step": 0.01' ', "schemes": [{"name": "schatzman-paoli"}]' | sed 's/"systems": \[{/&"name": "x", "type": "first-order", "x0": [1]}, {"name": "y", "type": "first-order", "x0": [1]}, {/' >two.json
run 1 "two schemes" '^schemes  *euler-moreau for 2 systems, schatzman-paoli for 1 system, h = 0.01$' two.json
run 1 "--json names them" '"name": "schatzman-paoli"' two.json --json
run 1 "--json: no warnings" '"warnings": \[\]' two.json --json

# Schemes that take nothing, parameters that nothing reads.
run 2 "--scheme that takes no system" 'ball.json: the scheme euler-moreau takes no system of this scene' \
    ball.json --scheme euler-moreau
run 0 "--scheme that takes one of them" 'generalized-alpha for 1 system' two.json --scheme generalized-alpha
ball '"until": 1, "step": 0.01' ', "schemes": [{"name": "euler-moreau"}]' >none.json
run 0 "a scheme of no system" 'schemes\[0\].name: euler-moreau is the scheme of no system' none.json
ball '"until": 1, "step": 0.01' ', "schemes": [
  {"name": "moreau-jean", "theta": 0.5,
   "gamma": 0.5}]' >unread.json
run 0 "a parameter that the scheme does not read, its line" \
    'unread.json: schemes\[0\].gamma: moreau-jean does not read it; it has no effect (line 6)' unread.json
if grep -q 'theta' out; then not_ok "and no other"; else ok "and no other"; fi
run 0 "in --json" '"key": "schemes\[0\].gamma"' unread.json --json
run 0 "in --check" 'moreau-jean does not read it' unread.json --check
ball '"until": 1, "step": 0.01' ', "solver": {"name": "gs", "polish": 3}' >setting.json
run 0 "a setting that the solver does not read" 'solver.polish: gs does not read it' setting.json

# Ends and steps.
run 2 "a step beyond the end" 'time.step: 0.01 is longer than the whole run, from 0 to 0.005' ball.json --until 0.005
run 0 "an end between two steps" \
    'time.until: 0.5037 is no multiple of the step 0.01: the run ends at 0.5, after 50 steps' ball.json --until 0.5037
run 0 "an end that is rounded" '^status  *done, t = 1$' ball.json --step 0.0033333333
if grep -q warning out; then not_ok "needs no warning"; else ok "needs no warning"; fi
silent "no step at all" ball.json --until 0

# Bodies at one place.
bodies() { # BODIES REST
    echo '{"version": 1, "time": {"until": 0.02, "step": 0.01}, "bodies": [
  {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
'"$1"']'"${2-}"'}'
}
sphere() { echo '  {"name": "'$1'", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "position": ['"$2"']}'; }
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" >twins.json
run 0 "two bodies at one place" \
    "bodies\[2\]: 'a' and 'b' stand at the same place: nothing keeps them apart.*(line 4)" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "contacts": {}' >twins.json
run 2 "that should not meet" "bodies\[2\]: 'a' and 'b' stand at the same place, so that no direction" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere m '0, 0, 0.5' | sed 's/"shape".*}, /"inertia": [1, 1, 1], /'),
$(sphere b '0, 0, 0.5')" ', "contacts": {}' >twins.json
run 2 "nor with one between them" "'a' and 'b' stand at the same place, so that no direction" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "interactions": [{"systems": ["a", "b"], "relation": {"type": "joint", "joint": "fixed"}}]' |
    sed '/"floor"/d' >twins.json
silent "that are joined" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "contacts": {"exclude": [["a", "floor"], ["b", "a"]]}' >twins.json
silent "that never touch each other" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "contacts": {}' | sed 's/"radius": 0.1/&, "touches": 0/' >twins.json
silent "whose shapes do not touch each other" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "contacts": {}' | sed '4s/"radius": 0.1/&, "position": [0.5, 0, 0]/' >twins.json
silent "whose shapes are apart" twins.json
bodies "$(sphere a '0, 0, 0.5'),
$(sphere b '0, 0, 0.5')" ', "contacts": {}' | sed 's/"radius": 0.1/&, "position": [0.5, 0, 0]/' >twins.json
run 2 "whose shapes are not" "'a' and 'b' stand at the same place, so that no direction" twins.json
bodies "$(sphere a '0, 0, 0.5' | sed 's/"position"/"copies": {"count": [1, 1, 3], "spacing": [0, 0, 0]}, &/')" '' >twins.json
run 0 "copies without spacing" "'a-0' and 'a-1' stand at the same place (and 1 more pair)" twins.json

# Overlaps.
bodies "$(sphere a '0, 0, 0.09'),
$(sphere b '0, 0, 0.25'),
$(sphere c '1, 0, 0.1')" ', "contacts": {}, "schemes": [{"name": "moreau-jean"}]' >deep.json
run 1 "overlapping bodies, how deep, what is done" \
    "overlap at the start: 'a' and 'floor' by 0.01, 'a' and 'b' by 0.04; moreau-jean keeps it" deep.json
if [ "$(grep -c warning out)" = 1 ]; then ok "all in one warning"; else not_ok "all in one warning"; fi
run 0 "by another scheme" 'moreau-jean-direct-projection takes it away' deep.json --check --scheme moreau-jean-direct-projection
run 0 "in --check too" "'a' and 'b' by 0.04" deep.json --check
bodies "$(sphere a '0, 0, 0.0999999999')" ', "contacts": {}' >touch.json
silent "rounding is no overlap" touch.json
run 1 "the first part of a run" '^verdict  *not verified' deep.json --until 0.01 --out part
"$perp" run deep.json --out part --resume >out 2>err
if [ $? = 1 ] && ! grep -q warning out; then ok "a run that goes on does not say it again"
else not_ok "a run that goes on does not say it again"; fi

# Joints and gaps that begin open or violated.
ball '"until": 0.1, "step": 0.01' ', "schemes": [{"name": "moreau-jean"}]' |
    sed 's/"q0": \[1\]/"q0": [-0.25]/' >below.json
run 1 "a gap that begins violated" "'ground' is violated by 0.25 at the start; moreau-jean keeps it" below.json
sed 's/"type": "impact", "e": 0.5/"type": "equality"/' below.json >open.json
run 1 "a joint that begins open" "'ground' is open by 0.25 at the start; moreau-jean keeps it" open.json
run 0 "by another scheme" "is open by 0.25 at the start; generalized-alpha takes it away" open.json --check \
    --scheme generalized-alpha
echo '{"version": 1, "time": {"until": 0.1, "step": 0.01}, "gravity": [0, -9.81, 0],
    "systems": [{"name": "m", "type": "point-masses", "masses": [1], "positions": [[1, 0]]}],
    "interactions": [{"name": "rod", "systems": ["m"],
        "relation": {"type": "distance", "point": 0, "anchor": [0, 0], "length": 0.9}}]}' >rod.json
run 1 "a rod of another length" "'rod' is open by 0.1 at the start" rod.json

# Velocities that joints and limits do not allow.
sed 's/"length": 0.9/"length": 1/' rod.json >still.json
silent "a rod at rest" still.json
sed 's/"positions"/"velocities": [[0.5, 1]], &/' still.json >pulled.json
run 0 "a rod that is pulled" \
    "the velocities at the start contradict 'rod', whose rate is 0.5 and not 0; discrete-gradient takes that away by an impulse of the first step" pulled.json
if [ "$(grep -c warning out)" = 1 ]; then ok "said once"; else not_ok "said once"; fi
run 0 "in --check" "contradict 'rod'.*; event-driven takes that away" pulled.json --check --scheme event-driven
sed 's/"velocities": \[\[0.5, 1\]\]/"velocities": [[0, 1]]/' pulled.json >swung.json
silent "a rod that is swung" swung.json
ball '"until": 0.1, "step": 0.01' | sed 's/"q0": \[1\]/"q0": [0], "v0": [-3]/' >thrown.json
run 0 "a closed contact that closes" \
    "the velocities at the start contradict 'ground', which is closed and closes at 3; discrete-gradient begins with an impact by its law" thrown.json
sed 's/-3/3/' thrown.json >tossed.json
silent "a closed contact that opens" tossed.json
sed 's/"q0": \[0\]/"q0": [0.1]/' thrown.json >flying.json
silent "an open contact that closes" flying.json

# What is a mistake more often than not.
falling() { # BODIES REST
    echo '{"version": 1, "time": {"until": 0.1, "step": 0.01}, "gravity": [0, 0, -9.81], "bodies": [
{"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1, "position": [0, 0, 1]'"$1"']'"${2-}"'}'
}
floor='}, {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}'
falling "$floor" ', "contacts": {}' >meant.json
silent "a ball over a floor" meant.json
falling "$floor" >apart.json
run 0 "a floor that nothing touches" \
    "no section \"contacts\", so that shapes pass through each other: 'ball' does not touch 'floor'" apart.json
falling '}' >thrown.json
silent "a ball alone" thrown.json
second='}, {"name": "box", "shape": {"type": "box", "sides": [1, 1, 1]}, "mass": 1'
falling "$second}" ', "contacts": {}' >fall.json
run 0 "all fall" 'nothing stands still: by gravity all bodies fall for ever' fall.json
sed 's/"gravity"[^]]*\],//' fall.json >float.json
silent "all float" float.json
falling "$second}" ', "contacts": {}, "interactions": [{"name": "nail", "systems": ["box"], "relation":
    {"type": "joint", "joint": "pivot", "anchor": [0, 0, 0.5], "axis": [0, 1, 0], "limits": [-90, 1.5]}}]' >nail.json
run 0 "limits in degrees" 'relation.limits\[0\]: angles are in radians: -90 are -14.3 turns' nail.json
if [ "$(grep -c warning out)" = 1 ]; then ok "said once, and what hangs does not fall"
else not_ok "said once, and what hangs does not fall"; fi
falling ', "rotation": [0, 0, 90]}' >turned.json
run 0 "a rotation in degrees" 'bodies\[0\].rotation: its length is an angle in radians: 90 are 14.3 turns' turned.json
falling ', "inertia": [1, 1, 5]}' >thick.json
run 0 "moments that no body has" \
    'bodies\[0\].inertia: no body has such moments: the largest one, 5, is more than the others together, 2' thick.json
falling ', "inertia": [2, 3, 5]}' >flat.json
silent "moments of a plate" flat.json

# Refusals name what is refused.
ball '"until": 1, "step": 0.01' '' | sed 's/{"type": "impact", "e": 0.5}/{"type": "box"}/' >law.json
run 2 "a refused interaction" "interaction 'ground', schatzman-paoli" law.json --scheme schatzman-paoli
echo "1..$number"
