#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Models of robots by the command: those in examples/robots, options, refusals; and, where they are, the
# descriptions of others in ../shared/data/robots: all become scenes or say what is missing.
set -u
perp=$PERP_BUILD/perp
for need in HAVE_JANSSON HAVE_LIBXML2; do
    if ! grep -q "^#define $need" "$PERP_BUILD/config.h"; then
        echo "1..0 # SKIP configured without jansson or libxml2"
        exit 0
    fi
done
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' "$stage/out" "$stage/err"; }
verified() { # NAME ARGUMENTS
    name=$1
    shift
    if "$perp" run "$@" >"$stage/out" 2>"$stage/err" </dev/null &&
        grep -q '^verdict  *\(verified\|done with remarks\)' "$stage/out"; then ok "$name"; else not_ok "$name"; fi
}
refused() { # NAME WORDS ARGUMENTS
    name=$1 words=$2
    shift 2
    "$perp" "$@" >"$stage/out" 2>"$stage/err" </dev/null
    if [ $? = 2 ] && grep -q "$words" "$stage/err"; then ok "$name"; else not_ok "$name"; fi
}
ours=$PERP_SOURCE/examples/robots
verified "the arm swings" "$ours/arm.urdf" --until 1
verified "the arm holds a pose" "$ours/arm.urdf" --pose shoulder=0.6 --pose elbow=-1.2 --hold --until 1
verified "the cart moves" "$ours/cart.xml" --control drive=0.4 --keyframe start --until 1
"$perp" run "$ours/cart.xml" --until 0.5 --out "$stage/model" -q >"$stage/out" 2>"$stage/err"
"$perp" convert "$ours/cart.xml" "$stage/cart.json" >>"$stage/out" 2>>"$stage/err"
"$perp" run "$stage/cart.json" --until 0.5 --out "$stage/scene" -q >>"$stage/out" 2>>"$stage/err"
if cmp -s "$stage/model/series.csv" "$stage/scene/series.csv"; then ok "a model runs as its scene, to the bit"
else not_ok "a model runs as its scene, to the bit"; fi
"$perp" verify "$stage/model" >"$stage/out" 2>"$stage/err" && ok "perp verify finds nothing" || not_ok "perp verify finds nothing"
refused "options of models are for models" "is no model of a robot" run "$stage/cart.json" --hold
refused "a scene ends in .json" "ends in .json" convert "$ours/cart.xml" "$stage/cart.dat"
refused "an unknown joint" "there is no joint 'knee'" run "$ours/arm.urdf" --pose knee=1
refused "an unknown keyframe" "there is no keyframe 'x'" run "$ours/cart.xml" --keyframe x
printf '<mujoco><worldbody><body><freejoint/><geom size="1"/></body>\n<flexcomp/></worldbody></mujoco>' >"$stage/m.xml"
refused "what is not done is refused" "<flexcomp>: this element (line 2)" run "$stage/m.xml"
verified "or left out" "$stage/m.xml" --ignore --until 0.1
"$perp" run - --until 0.1 -q <"$ours/arm.urdf" >"$stage/out" 2>"$stage/err" && ok "from standard input" || not_ok "from standard input"

theirs=$PERP_SOURCE/../shared/data/robots
if [ -d "$theirs" ]; then
    find "$theirs" \( -name '*.xml' -o -name '*.urdf' \) | sort >"$stage/list"
    while read -r file; do
        name=$(basename "$file")
        if "$perp" convert "$file" "$stage/x.json" --search "$theirs/urdf" --ignore >"$stage/out" 2>"$stage/err"; then
            if "$perp" run "$stage/x.json" --check -q >"$stage/out" 2>"$stage/err"; then ok "$name: a scene"
            else not_ok "$name: a scene"; fi
        elif grep -q 'nothing to simulate' "$stage/err"; then ok "$name: says what is missing"
        else not_ok "$name: a scene, or what is missing"; fi
    done <"$stage/list"
    verified "the car drives" "$theirs/mjcf/car.xml" --control forward=0.5 --until 0.2
    verified "Panda holds a pose" "$theirs/urdf/panda_description/urdf/panda.urdf" --search "$theirs/urdf" --hold \
        --pose panda_joint4=-1.5 --pose panda_joint6=1.5 --no-self-contact --until 0.1
    verified "solo12 stands" "$theirs/urdf/solo_description/robots/solo12.urdf" --search "$theirs/urdf" --ignore \
        --base free --floor --hold --until 0.1
else
    number=$((number + 1))
    echo "ok $number - descriptions of others # SKIP ../shared/data/robots is not there"
fi
echo "1..$number"
