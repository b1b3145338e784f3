#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp run: a step that is not solved is never part of a run that is done.
set -u
perp=$PERP_BUILD/perp
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
# run STATUS DESCRIPTION ARGUMENT...
run() {
    expected=$1; what=$2; shift 2
    "$perp" run "$@" >out 2>err </dev/null
    status=$?
    if [ $status = "$expected" ]; then ok "$what"
    else echo "# exit status $status, expected $expected"; not_ok "$what"; fi
}
holds() { # DESCRIPTION FILE PATTERN...
    what=$1; file=$2; shift 2
    for pattern; do
        grep -q -e "$pattern" "$file" || { echo "# no '$pattern' in $file"; not_ok "$what"; return; }
    done
    ok "$what"
}
last() { # DESCRIPTION FOLDER CONDITION: on the last row of a series, its values a[1], ...
    if awk -F, '{ for (k = 1; k <= NF; k++) a[k] = $k }
        function near(x, y, tol) { return x - y < tol && y - x < tol } END { exit !('"$3"') }' "$2/series.csv"
    then ok "$1"; else tail -n 1 "$2/series.csv" >>out; not_ok "$1"; fi
}

# A mass between a wall at 0.1 and one that comes from 0 with a speed of 1: it is pushed from 0.05 on,
# and from 0.1 on there is no motion.
press() { # MORE
    echo '{"version": 1, "time": {"until": 0.2, "step": 0.001}, "schemes": [{"name": "moreau-jean"}],
"systems": [{"name": "m", "type": "lagrangian", "q0": [0.05]}],
"interactions": [
{"name": "lo", "systems": ["m"], "relation": {"type": "linear", "C": [[1]], "motion": [{"row": 0, "polynomial": [0, 1]}]},
 "law": {"type": "impact"}},
{"name": "hi", "systems": ["m"], "relation": {"type": "linear", "C": [[-1]], "e": [0.1]}, "law": {"type": "impact"}}],
"record": {"quantities": ["m.q", "lo.lambda", "hi.lambda"]}'"$1"'}'
}
said='m is squeezed between lo and hi, which approach at 1 m/s; no motion satisfies both'
press '' >press.json
run 1 "an infeasible step ends the run" press.json --out press
holds "with the bodies by name" err "the step from t = 0.1 failed: $said"
holds "in the report, too, with the proof" out "stopped at t = 0.1" "^unsolved .*$said" 'proof .*0 v - 0.5 >= 0: lo y\[0\]: 0.5; hi y\[0\]: 0.5'
last "the last good state is the end of the series" press 'near(a[1], 0.1, 1e-12) && near(a[2], 0.1, 1e-3)'
if [ -s press/checkpoint ]; then ok "and of the checkpoint"; else not_ok "and of the checkpoint"; fi
run 1 "--problems of the step that ends a run" press.json --out held --problems 'status != 0'
holds "counts it" out '^problems  *1 in held/problems'
if [ "$(ls held/problems)" = step-0000101.dat ]; then ok "it is that of the step that failed"
else ls held/problems >>out; not_ok "it is that of the step that failed"; fi
"$perp" solve held/problems/step-0000101.dat >out 2>err
holds "and has no solution" out '^status  *no solution'
run 1 "--json" press.json --json
holds "status, sentence, proof" out '"status": "stopped"' '"exit": 1' '"first_unsolved": 0.1' "$said" '"weight": 0.5' '"speed": 0.5'
run 1 "-q says it all the same" press.json -q
holds "on standard error" err "$said"
run 1 "no error before that, but the overlap of this scheme lasts" press.json --until 0.09
holds "every step is solved" out '^status  *done' '^unsolved  *none'
press ', "failure": {"then": "stop"}' >stop.json
run 1 "then: stop is the default" stop.json

press ', "failure": {"then": "accept"}' >accept.json
run 1 "then: accept goes on, exit 1" accept.json --out accept
holds "it says so" out 'end reached at t = 0.2, not all of it solved' 'unsolved  *100 steps' 'the step from t = 0.1: m is squeezed'
run 1 "-q says that, too" accept.json -q
holds "in one sentence on standard error" err '^perp: accept.json: 100 steps were not solved; the first, from t = 0.1: m is squeezed'
[ "$(cat out err | wc -l)" = 1 ] && ok "and nothing else" || not_ok "and nothing else"
run 1 "a run that is not verified, -q" accept.json --until 0.09 -q
holds "says the measure" err "^perp: accept.json: not verified: penetration .*, first in step 52, t = 0.052, at 'lo'"
run 1 "--json -q says it in the document alone" accept.json --json -q
[ -s err ] && not_ok "nothing on standard error" || ok "nothing on standard error"
press ', "failure": {"then": "least"}' >least.json
run 1 "then: least goes on, exit 1" least.json --out least
holds "it says so, too" out 'end reached at t = 0.2, not all of it solved' 'unsolved  *100 steps were made all the same, 100 of them'
last "the two gaps close alike" least 'near(a[1], 0.2, 1e-12) && near(a[2], 0.15, 1e-3)'
run 1 "--json" least.json --json
holds "counts" out '"status": "unsolved"' '"unsolved": 100' '"infeasible": 100'

# Contacts that are detected: the shapes are named.  Two spheres in a pipe that is too short.
echo '{"version": 1, "time": {"until": 0.1, "step": 0.01}, "schemes": [{"name": "moreau-jean"}], "bodies": [
{"name": "left", "shape": {"type": "plane", "normal": [1, 0, 0], "offset": -0.2}},
{"name": "right", "shape": {"type": "plane", "normal": [-1, 0, 0], "offset": -0.2}},
{"name": "a", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "position": [-0.1, 0, 0]},
{"name": "b", "mass": 1, "shape": {"type": "sphere", "radius": 0.1}, "position": [0.1, 0, 0], "velocity": [-1, 0, 0]}],
"interactions": [{"name": "plunger", "systems": ["b"], "relation": {"type": "linear",
  "C": [[-1, 0, 0, 0, 0, 0, 0]], "e": [0.1], "motion": [{"row": 0, "polynomial": [0, 2]}]}, "law": {"type": "impact"}}],
"contacts": {"mu": 0.3}}' >pipe.json
run 1 "bodies in contact" pipe.json
holds "that squeeze each other" err 'a and b are squeezed between plunger and left, which approach at 2 m/s'

# Equations that contradict each other.
echo '{"version": 1, "time": {"until": 1, "step": 0.1}, "schemes": [{"name": "moreau-jean"}],
"systems": [{"name": "m", "type": "lagrangian", "q0": [0]}],
"interactions": [
{"name": "one", "systems": ["m"], "relation": {"type": "linear", "C": [[1]], "motion": [{"row": 0, "polynomial": [0, 1]}]},
 "law": {"type": "equality"}},
{"name": "two", "systems": ["m"], "relation": {"type": "linear", "C": [[1]]}, "law": {"type": "equality"}}]}' >both.json
run 1 "joints that contradict each other" both.json
holds "are named" err 'one and two contradict each other on m; no motion satisfies both'
echo "1..$number"
