#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp verify: clean runs hold; files that were tampered with are contradicted by the right check, with
# the first bad row.
set -u
perp=$PERP_BUILD/perp
scenes=$PERP_SOURCE/examples/scenes
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..1"
    if "$perp" verify . 2>&1 | grep -q libjansson-dev; then echo "ok 1 - says what is missing"
    else echo "not ok 1 - says what is missing"; fi
    exit 0
fi
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
: >out; : >err
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }
runs() { # SCENE DIR OPTION...: a run whose verdict does not matter here
    scene=$1; dir=$2; shift 2
    "$perp" run "$scene" --out "$dir" -q "$@" >out 2>err </dev/null
    status=$?
    if [ $status -le 1 ] && [ -s "$dir/series.csv" ]; then ok "run of $dir"
    else echo "# exit status $status"; not_ok "run of $dir"; fi
}
holds() { # DIR WHAT
    if "$perp" verify "$1" >out 2>err; then ok "$2"; else not_ok "$2"; fi
}
# holds_but DIR CHECK WHAT: nothing but this check is contradicted.
holds_but() {
    "$perp" verify "$1" >out 2>err
    if [ $? -le 1 ] && ! grep contradicted out | grep -v "^$2\|^verdict" | grep -q .; then ok "$3"
    else not_ok "$3"; fi
}
# contradicted DIR CHECK ROW WHAT: exit 1, and this check is contradicted first in this row.
contradicted() {
    "$perp" verify "$1" >out 2>err
    status=$?
    if [ $status = 1 ] && grep -q "^$2 *contradicted.*first in row $3," out &&
        grep -q '^verdict *contradicted, first in row' out; then ok "$4"
    else echo "# exit status $status"; not_ok "$4"; fi
    rm -rf "$1"
}
# change DIR COLUMN ROW EXPRESSION: a copy of `run` with x = EXPRESSION(x) in one place of the series.
change() {
    rm -rf bad; cp -r "$run" bad
    awk -F, -v OFS=, -v name="$1" -v row="$2" -v OFMT=%.17g -v CONVFMT=%.17g '
        NR == 1 { for (k = 1; k <= NF; k++) if ($k == name) at = k; if (!at) exit 1 }
        NR == row + 2 { x = $at; '"$3"'; $at = x } { print }' "$run/series.csv" >bad/series.csv ||
        echo "# no column $1"
}
# contact ROW EXPRESSION: the same for the first contact of c with an impulse from this row on.
contact() {
    rm -rf bad; cp -r "$run" bad
    awk -F, -v OFS=, -v row="$1" -v OFMT=%.17g -v CONVFMT=%.17g '
        NR == FNR { t[FNR - 2] = $1; next }
        FNR > 1 && !done && $1 + 0 >= t[row] + 0 && $20 > 0 && $2 == "c" {
            for (k in t) if (t[k] == $1) print k > "row"
            done = 1; '"$2"' } { if ($0 != "") print }' "$run/series.csv" "$run/contacts.csv" >bad/contacts.csv
    row=$(cat row)
}

# Clean runs of examples hold: all kinds of systems, laws and schemes.
for name in bouncing_ball ball_joint springs incline diode_bridge relay_oscillator free_body string double_pendulum; do
    sed 's/"record": *{[^}]*}/"record": {"certify": true}/' "$scenes/$name.json" >$name.json
    step=$(sed -n 's/.*"step": *\([0-9.e-]*\).*/\1/p' $name.json)
    runs $name.json $name --until "$(awk -v h="$step" 'BEGIN { printf "%.10g", 200 * h }')"
    holds $name "$name holds"
done

# Spheres that fall on each other and on a floor, and a chain of bodies.
cat >pile.json <<'END'
{"version": 1, "time": {"until": 0.6, "step": 0.002}, "gravity": [0, 0, -9.81], "solver": {"tol": 1e-10},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
  {"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "mass": 1, "position": [0, 0, 0.2], "velocity": [0.4, 0, 0]},
  {"name": "b", "shape": {"type": "sphere", "radius": 0.1}, "mass": 2, "position": [0.05, 0.01, 0.45]},
  {"name": "c", "shape": {"type": "sphere", "radius": 0.05}, "mass": 0.5, "position": [1, 0, 0.2]}],
 "contacts": {"e": 0, "mu": 0.3}, "record": {"certify": true}}
END
cat >chain.json <<'END'
{"version": 1, "time": {"until": 0.3, "step": 0.002}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "mass": 1, "inertia": [0.001, 0.004, 0.004], "position": [0.1, 0, 0]},
  {"name": "b", "mass": 2, "inertia": [0.001, 0.004, 0.004], "position": [0.3, 0, 0], "angular": [0, 0, 3]}],
 "interactions": [
  {"name": "top", "systems": ["a"], "relation": {"type": "joint", "joint": "point", "anchor": [0, 0, 0]}},
  {"name": "link", "systems": ["a", "b"], "relation": {"type": "joint", "joint": "point", "anchor": [0.2, 0, 0]}}],
 "record": {"certify": true}}
END
for scheme in moreau-jean discrete-gradient; do
    run=pile-$scheme
    more=; [ $scheme = discrete-gradient ] || more=', "activation": 1.5' # acts before bodies overlap
    sed 's/"record"/"schemes": [{"name": "'$scheme'"'"$more"'}], "record"/' pile.json >$scheme.json
    runs $scheme.json $run
    if [ $scheme = moreau-jean ]; then holds_but $run 'lasting overlap' "$run holds but for an overlap"
    else holds $run "$run holds"; fi
    change a.q[2] 150 'x += 0.01'; contradicted bad positions 150 "$run: a body displaced"
    change c.v[2] 20 'x += 1e-5'; contradicted bad 'kinetic energy' 20 "$run: a velocity changed"
    change c.v[0] 20 'x += 1e-5'; contradicted bad dynamics 20 "$run: and across"
    by=dynamics; [ $scheme = moreau-jean ] || by=impulses
    change c.p[2] 200 'x *= 1 + 1e-4'; contradicted bad $by 200 "$run: an impulse scaled by 1 + 1e-4"
    change a.p[2] 200 'x = -x'; contradicted bad dynamics 200 "$run: action and reaction swapped"
    change energy 77 'x += 1e-6'; contradicted bad energy 77 "$run: an energy changed"
    change b.q[3] 30 'x += 1e-6'; contradicted bad quaternions 30 "$run: a quaternion changed"
    change c.q[0] 40 'x = "inf"'; contradicted bad times 40 "$run: an infinity"
    contact 200 '$20 *= 1 + 1e-4'; contradicted bad impulses "$row" "$run: a multiplier scaled by 1 + 1e-4"
    contact 200 '$0 = ""'; contradicted bad impulses "$row" "$run: a contact dropped"
    contact 200 '$20 = -$20'; contradicted bad laws "$row" "$run: a contact that pulls"
    contact 200 '$21 += $20'; contradicted bad laws "$row" "$run: friction beyond its cone"
    contact 200 '$8 += 1e-4'; contradicted bad contacts "$row" "$run: a normal turned"
    contact 200 '$7 += 1e-6'; contradicted bad contacts "$row" "$run: a gap changed"
    rm -rf bad; cp -r $run bad; sed '100d' $run/series.csv >bad/series.csv
    contradicted bad contacts 98 "$run: a row left out"
    rm -rf bad; cp -r $run bad; sed 's/"mass": 2/"mass": 2.0001/' $run/scene.json >bad/scene.json
    contradicted bad 'kinetic energy' 1 "$run: a wrong mass"
    rm -rf bad; cp -r $run bad; sed 's/-9.81[0-9]*/-9.8/' $run/scene.json >bad/scene.json
    contradicted bad 'potential energy' 0 "$run: a wrong gravity"
    rm -rf bad; cp -r $run bad; sed 's/"step": [0-9.]*/"step": 0.002002/' $run/scene.json >bad/scene.json
    contradicted bad times 1 "$run: h off by 1e-3"
    rm -rf bad; cp -r $run bad; rm bad/contacts.csv
    holds_but bad 'lasting overlap' "$run: without contacts.csv the rest holds"
    if grep -q '^contacts *not known: no contacts.csv' out; then ok "$run: what is not known is said"
    else not_ok "$run: what is not known is said"; fi
    run=chain-$scheme
    runs chain.json $run --scheme $scheme
    if [ $scheme = moreau-jean ]; then holds_but $run joints "$run holds but for its joints"
    else holds $run "$run holds"; fi
    change link.y[1] 60 'x += 1e-7'; contradicted bad outputs 60 "$run: an output changed"
    change link.lambda[0] 60 'x *= 1.01'
    if [ $scheme = moreau-jean ]; then contradicted bad impulses 60 "$run: a multiplier of a joint changed"; fi
    change b.p[0] 60 'x += 1e-4'; contradicted bad dynamics 60 "$run: an impulse of a joint changed"
    rm -rf bad; cp -r $run bad
    sed 's/0.20[0-9]*,$/0.25,/; s/0.20[0-9]*$/0.25/' $run/scene.json >bad/scene.json
    "$perp" verify bad >out 2>err
    if grep -q '^outputs *contradicted' out; then ok "$run: a joint elsewhere"; else not_ok "$run: a joint elsewhere"; fi
done

# Bodies that touch no world: joined ones that tumble, balls that meet, one alone.
cat >free.json <<'END'
{"version": 1, "time": {"until": 0.4, "step": 0.002}, "gravity": [0, 0, -9.81],
 "bodies": [
  {"name": "a", "mass": 1, "inertia": [0.001, 0.004, 0.003], "position": [0.1, 0, 0], "velocity": [0, -0.2, 0], "angular": [0, 0, 3]},
  {"name": "b", "mass": 2, "inertia": [0.002, 0.004, 0.005], "position": [0.3, 0, 0], "velocity": [0, 0.4, 0], "angular": [0, 0, 3]},
  {"name": "lone", "mass": 0.5, "inertia": [0.002, 0.004, 0.005], "position": [5, 0, 0], "velocity": [0, 1, 0], "angular": [1, 4, 2]},
  {"name": "ball", "mass": 0.5, "shape": {"type": "sphere", "radius": 0.1}, "position": [8, 0, 0], "velocity": [1, 0, 0], "angular": [1, 4, 2]},
  {"name": "other", "mass": 0.5, "shape": {"type": "sphere", "radius": 0.2}, "position": [8.4, 0.1, 0], "velocity": [-1, 0, 0], "angular": [9, 4, -2]}],
 "interactions": [{"name": "knee", "systems": ["a", "b"], "relation": {"type": "joint", "joint": "point", "anchor": [0.2, 0, 0]}}],
 "contacts": {"e": 0.5, "mu": 0.3}, "record": {"certify": true}}
END
for scheme in moreau-jean discrete-gradient; do
    run=free-$scheme
    runs free.json $run --scheme $scheme
    holds_but $run joints "$run holds"
    if grep -q '^angular momentum *holds' out; then ok "$run: angular momentum"; else not_ok "$run: angular momentum"; fi
    change lone.v[4] 100 'x *= 1.01'; contradicted bad 'angular momentum' 100 "$run: a rate of a body changed"
    change other.v[4] 20 'x *= 1.001'; contradicted bad 'angular momentum' 20 "$run: that of a ball in flight"
    change b.v[5] 100 'x *= 1.1'; contradicted bad 'angular momentum' 100 "$run: that of a joined one"
done

# Springs to the world at all kinds of places, pendulums.
cat >springs-only.json <<'END'
{"version": 1, "time": {"until": 1, "step": 0.005}, "gravity": [0, -9.81, 0],
 "systems": [
  {"name": "p", "type": "pendulum", "mass": 2, "length": 0.7, "damping": 0.1, "angle": 1.0, "rate": 0.5},
  {"name": "d", "type": "double-pendulum", "masses": [1, 2], "lengths": [0.5, 0.3], "angles": [1, 2]},
  {"name": "cart", "type": "lagrangian", "M": [[1]], "C": [[0.05]], "q0": [0.3]},
  {"name": "m", "type": "point-masses", "masses": [1, 2], "positions": [[1, 0], [2, 0.5]], "velocities": [[0, 1], [0.3, 0]]},
  {"name": "plate", "type": "planar", "mass": 1.5, "inertia": 0.2, "position": [1, 1], "angle": 0.3, "rate": 1}],
 "bodies": [{"name": "b", "mass": 1, "inertia": [0.1, 0.2, 0.15], "position": [0, 2, 0], "angular": [1, 2, 3]}],
 "forces": [
  {"type": "spring", "from": {"system": "cart", "coordinate": 0}, "stiffness": 20, "damping": 0.3, "length": 0.1},
  {"type": "spring", "from": {"system": "p", "point": 0}, "to": {"world": [1, -1]}, "stiffness": 5, "damping": 0.2, "length": 0.4},
  {"type": "spring", "from": {"system": "m", "point": 1}, "to": {"world": [3, 1]}, "stiffness": 8, "damping": 0.2, "length": 0.4},
  {"type": "spring", "from": {"system": "plate", "point": [0.2, 0.1]}, "to": {"world": [0, 3]}, "stiffness": 12, "damping": 0.2, "length": 0.4},
  {"type": "spring", "from": {"system": "b", "point": [0.1, 0.2, 0.3]}, "to": {"world": [0, 3, 1]}, "stiffness": 15, "damping": 0.2, "length": 0.4}],
 "record": {"certify": true}}
END
for scheme in moreau-jean discrete-gradient; do
    run=springs-$scheme
    runs springs-only.json $run --scheme $scheme
    holds $run "$run holds"
    if [ "$(grep -c '^\(kinetic energy\|potential energy\|energy\|dynamics\) *holds' out)" = 4 ]; then ok "$run: energies and forces"
    else not_ok "$run: energies and forces"; fi
    if grep -q '^energy gain *not known: springs between points' out; then ok "$run: what cannot be known"
    else not_ok "$run: what cannot be known"; fi
    for pair in 'p.q potential' 'd.q[1] potential' 'd.v[0] kinetic' 'm.q[3] potential' 'plate.q[2] potential' 'b.q[1] potential'; do
        change "${pair% *}" 60 'x += 1e-6'; contradicted bad "${pair#* } energy" 60 "$run: ${pair% *} changed"
    done
    for column in p.v cart.v 'm.v[2]' 'plate.v[2]'; do
        change "$column" 60 'x += 1e-4'
        "$perp" verify bad >out 2>err
        if grep -q '^dynamics *contradicted.*first in row 60,' out; then ok "$run: $column changed"; else not_ok "$run: $column changed"; fi
    done
    rm -rf bad; cp -r $run bad
    sed 's/"stiffness": 8\([,.}]\)/"stiffness": 8.01\1/' $run/scene.json >bad/scene.json
    "$perp" verify bad >out 2>err
    if cmp -s $run/scene.json bad/scene.json; then not_ok "$run: a stiffness to change"
    elif grep -q '^dynamics *contradicted.*first in row 1,' out; then ok "$run: a wrong stiffness"; else not_ok "$run: a wrong stiffness"; fi
done
cat >pair.json <<'END'
{"version": 1, "time": {"until": 1, "step": 0.005},
 "systems": [{"name": "a", "type": "lagrangian", "M": [[1]], "q0": [0]}, {"name": "b", "type": "lagrangian", "M": [[2]], "q0": [1]}],
 "forces": [{"type": "spring", "from": {"system": "a", "coordinate": 0}, "to": {"system": "b", "coordinate": 0}, "stiffness": 9}],
 "record": {"certify": true}}
END
# Slips that friction turned around are stopped by impulses of their own.
cat >pushed.json <<'EOF'
{"version": 1, "title": "A beam on two boxes, pushed", "time": {"until": 0.3, "step": 0.01},
"gravity": [0, 0, -9.81],
"bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
 {"name": "left", "shape": {"type": "box", "sides": [1, 1, 1]}, "density": 100, "position": [0, 0, 0.5],
  "velocity": [0.3, 0.1, 0], "angular": [0, 0, 0.2]},
 {"name": "right", "shape": {"type": "box", "sides": [1, 1, 1]}, "density": 100, "position": [1.6, 0, 0.5],
  "velocity": [0.02, -0.1, 0], "angular": [0, 0, -0.1]},
 {"name": "beam", "shape": {"type": "box", "sides": [2.6, 1, 1]}, "density": 100, "position": [0.8, 0, 1.5],
  "velocity": [0.1, 0.2, 0], "angular": [0, 0, 0.1]}],
"contacts": {"e": 0, "mu": 0.5}, "record": {"quantities": ["kinetic"], "certify": true}}
EOF
runs pushed.json pushed
holds pushed "stopped slips"
cat >cubes.json <<'EOF'
{"version": 1, "title": "Cubes fall on each other", "time": {"until": 1, "step": 0.005}, "gravity": [0, 0, -9.81],
"bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
 {"name": "a", "shape": {"type": "box", "sides": [1, 1, 1]}, "density": 100, "position": [0, 0, 1.2],
  "rotation": [0.3, 0.2, 0.1]},
 {"name": "b", "shape": {"type": "box", "sides": [1, 1, 1]}, "density": 100, "position": [0.1, 0.2, 2.6],
  "rotation": [0.1, 0.4, 0]},
 {"name": "c", "shape": {"type": "box", "sides": [1, 1, 1]}, "density": 100, "position": [0.2, 0, 4.2],
  "rotation": [0.5, 0, 0.3]}],
"contacts": {"e": 0.5, "mu": 0.5}, "record": {"quantities": ["kinetic"], "certify": true}}
EOF
runs cubes.json cubes
holds cubes "stopped slips between impacts"
runs pair.json pair; holds pair "a spring between systems"
if grep -q '^potential energy *holds' out && grep -q '^energy gain *not known: springs between systems' out &&
    grep -q "forces or the state of 'a' are not known" out; then ok "its energy, and what is not known"
else not_ok "its energy, and what is not known"; fi

# Impulses of linear relations, lambda an impulse or a force.
cat >inputs.json <<'END'
{"version": 1, "time": {"until": 1, "step": 0.004},
 "systems": [{"name": "block", "type": "lagrangian", "M": [[1, 0.2], [0.2, 2]], "K": [[30, 0], [0, 0]], "F": [0, -9.81],
   "q0": [0.2, 0.3], "v0": [1, 0]}],
 "interactions": [
  {"name": "ground", "systems": ["block"], "relation": {"type": "linear", "C": [[0.3, 1], [1, 0]]},
   "law": {"type": "friction", "dim": 2, "mu": 0.4, "e": 0.5}},
  {"name": "rubber", "systems": ["block"], "relation": {"type": "linear", "C": [[1, 0.5]]}, "law": {"type": "box", "lo": -0.8, "hi": 0.8}},
  {"name": "soft", "systems": ["block"], "relation": {"type": "linear", "C": [[1, 0]], "D": [[0.005]]},
   "law": {"type": "complementarity"}}],
 "record": {"certify": true}}
END
for scheme in moreau-jean discrete-gradient; do
    run=inputs-$scheme
    runs inputs.json $run --scheme $scheme
    holds_but $run outputs "$run holds"
    if grep -q '^inputs *holds' out; then ok "$run: inputs"; else not_ok "$run: inputs"; fi
    change rubber.lambda 100 'x *= 1 + 1e-6'; contradicted bad inputs 100 "$run: a force scaled by 1 + 1e-6"
    change block.p[1] 150 'x += 1e-7'; contradicted bad inputs 150 "$run: an impulse changed"
done

# Rotors alone are in the files: what takes overlaps of the leg away moves them, too.
if grep -q '^#define HAVE_LIBXML2' "$PERP_BUILD/config.h"; then
    cat >leg.xml <<'END'
<mujoco><default><joint armature="1" damping="1"/></default><worldbody><geom type="plane" size="0 0 1"/>
<body pos="0 0 0.5"><joint type="slide" axis="0 0 1" armature="0" damping="0"/><geom type="sphere" size="0.05"/>
<body pos="0 0 -.2"><joint name="hip" axis="0 1 0"/><geom type="capsule" fromto="0 0 0 0.1 0 -.2" size="0.04"/></body>
</body></worldbody></mujoco>
END
    runs leg.xml leg --until 0.5
    holds leg "a leg that lands"
    if grep -q 'positions *not known: overlaps are taken away' out; then ok "and what is not looked at"
    else not_ok "and what is not looked at"; fi
fi

# What overlaps at the start is taken apart on positions, which lifts it.
cat >overlapping.json <<'END'
{"version": 1, "time": {"until": 0.5, "step": 0.005}, "gravity": [0, 0, -9.81], "contacts": {"mu": 0.3},
 "bodies": [{"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}},
  {"name": "box", "mass": 1, "position": [0, 0, 0.095], "rotation": [0.02, 0, 0],
   "shape": {"type": "box", "sides": [0.2, 0.2, 0.2]}},
  {"name": "ball", "mass": 1, "position": [0, 0, 0.285], "shape": {"type": "sphere", "radius": 0.1}}],
 "record": {"certify": true}}
END
runs overlapping.json overlapping
holds overlapping "bodies that overlap at the start"
run=overlapping; change energy 60 'x += 0.05'; contradicted bad energy 60 "overlapping: an energy changed"

# series.h5: the same numbers, and enough without series.csv.
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then
    run=free-discrete-gradient
    "$perp" verify $run | grep -v '^folder\|^series.h5' >from-csv
    cp -r $run alone; rm alone/series.csv
    "$perp" verify alone >out 2>err
    if [ $? = 0 ] && grep -v '^folder\|^series.h5' out | cmp -s - from-csv; then ok "series.h5 alone says the same"
    else not_ok "series.h5 alone says the same"; fi
    change lone.q[1] 50 'x += 1e-15'; contradicted bad series.h5 50 "one file is not the other"
    cp -r $run bad; echo 'no table' >bad/series.h5
    "$perp" verify bad >out 2>err
    if [ $? = 2 ] && grep -q 'series.h5: it is no HDF5 file' err; then ok "what is no HDF5 file"; else not_ok "what is no HDF5 file"; fi
    cp pile-moreau-jean/series.h5 bad/series.h5; contradicted bad series.h5 0 "that of another run"
    # The contacts of series.h5 beside contacts.csv.
    run=pile-moreau-jean
    for edit in '$20 > 0 { $20 *= 1 + 1e-15; n++ }' '{ x = $2; $2 = $3; $3 = x; n++ }' '{ $4 += 1; n++ }' \
        '{ $23 = $23 == "open" ? "sliding" : "open"; n++ }' '{ $NF = "other"; n++ }' '{ n++; next }' '{ print; n++ }'; do
        rm -rf bad; cp -r $run bad
        awk -F, -v OFS=, -v OFMT=%.17g -v CONVFMT=%.17g 'FNR > 200 && !n '"$edit"' { print }' \
            $run/contacts.csv >bad/contacts.csv
        "$perp" verify bad >out 2>err
        if [ $? = 1 ] && ! cmp -s $run/contacts.csv bad/contacts.csv &&
            grep -q '^series.h5 *contradicted' out; then ok "contacts changed by $edit"
        else not_ok "contacts changed by $edit"; fi
    done
fi

# What cannot be read, and documents.
run=pile-moreau-jean
"$perp" verify nowhere >out 2>err
if [ $? = 2 ] && grep -q 'nowhere/scene.json' err; then ok "a folder that is not there"
else not_ok "a folder that is not there"; fi
change a.q[2] 7 'x = "seven"'
"$perp" verify bad >out 2>err
if [ $? = 2 ] && grep -q 'row 7' err; then ok "a series that cannot be read"; else not_ok "a series that cannot be read"; fi
"$perp" verify $run --json >out 2>err
if [ $? = 1 ] && grep -q '"holds": false' out && grep -q '"name": "momentum"' out; then ok "--json"; else not_ok "--json"; fi
"$perp" verify $run -q >out 2>err
if [ $? = 1 ] && [ ! -s out ] && [ "$(wc -l <err)" = 1 ] &&
    grep -q "^perp: $run: contradicted, first in row [0-9]*, t = [0-9.]*: lasting overlap of c and floor" err; then ok "-q says what is contradicted"
else not_ok "-q says what is contradicted"; fi
"$perp" verify springs -q >out 2>err
if [ $? = 0 ] && [ ! -s out ] && [ ! -s err ]; then ok "-q has no word for what holds"; else not_ok "-q has no word for what holds"; fi
sed 's/"certify": true/"certify": true, "stride": 2/' pile.json >odd.json
"$perp" run odd.json >out 2>err
if [ $? = 2 ] && grep -q 'record.stride: certify records every step' err; then ok "certify wants every step"
else not_ok "certify wants every step"; fi
"$perp" run pile.json --until 0.2 --out cut -q; "$perp" run pile.json --until 0.6 --out cut --resume -q
"$perp" run pile.json --until 0.6 --out whole -q
if cmp -s cut/contacts.csv whole/contacts.csv && cmp -s cut/series.csv whole/series.csv; then ok "contacts go on after --resume"
else not_ok "contacts go on after --resume"; fi
echo "1..$number"
