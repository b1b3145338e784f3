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
"$perp" run "$ours/arm.urdf" --pose shoulder=0.6 --hold --floor --until 0.3 --out "$stage/model2" -q >"$stage/out" 2>"$stage/err"
"$perp" convert "$ours/arm.urdf" "$stage/arm.json" --pose shoulder=0.6 --hold --floor -q >>"$stage/out" 2>>"$stage/err"
"$perp" run "$stage/arm.json" --until 0.3 --out "$stage/scene2" -q >>"$stage/out" 2>>"$stage/err"
if cmp -s "$stage/model2/series.csv" "$stage/scene2/series.csv"; then ok "with options, too"
else not_ok "with options, too"; fi
"$perp" verify "$stage/model" >"$stage/out" 2>"$stage/err" && ok "perp verify finds nothing" || not_ok "perp verify finds nothing"
refused "options of models are for models" "is no model of a robot" run "$stage/cart.json" --hold
refused "a scene ends in .json" "ends in .json" convert "$ours/cart.xml" "$stage/cart.dat"
refused "an unknown joint" "there is no joint 'knee'" run "$ours/arm.urdf" --pose knee=1
refused "an unknown keyframe" "there is no keyframe 'x'" run "$ours/cart.xml" --keyframe x
printf '<mujoco><worldbody><body><freejoint/><geom size="1"/></body>\n<flexcomp/></worldbody></mujoco>' >"$stage/m.xml"
refused "what is not done is refused" "<flexcomp>: this element (line 2)" run "$stage/m.xml"
printf '<mujoco><worldbody><geom type="box" size="1 1 .1"/><body name="b"><joint type="slide"/><geom type="box" size=".1 .1 .2"/></body></worldbody></mujoco>' >"$stage/c.xml"
refused "what is wrong with a scene is in its own line" "'b' and .* (line [0-9]* of the scene that 'perp convert' makes" run "$stage/c.xml"
verified "or left out" "$stage/m.xml" --ignore --until 0.1
two='<body name="b"><joint/><geom size="1"/></body><body name="c"><joint/><geom size="1"/></body>'
echo "<mujoco><worldbody>$two</worldbody></mujoco>" >"$stage/t.xml"
verified "two at one place that no joint parts" "$stage/t.xml" --until 0.1
joints='<joint/><joint axis="1 0 0"/><geom size="1"/>'
echo "<mujoco><worldbody><body name=\"a\">$joints</body><body name=\"b\">$joints</body></worldbody><contact><exclude
 body1=\"a\" body2=\"b\"/></contact></mujoco>" >"$stage/t.xml"
"$perp" run "$stage/t.xml" --until 0.01 >"$stage/out" 2>"$stage/err"
grep -q "^warning .*stand at the same place.*(line [0-9]* of the scene that 'perp convert' makes" "$stage/out" &&
    ok "so is what a scene warns of" || not_ok "so is what a scene warns of"
"$perp" run - --until 0.1 -q <"$ours/arm.urdf" >"$stage/out" 2>"$stage/err" && ok "from standard input" || not_ok "from standard input"

# A robot with servos, dry friction and rolling feet sits down: all its bounds are reached together.
leg() { # NAME X Y SIDE
    cat <<END
<body pos="$2 $3 0"><inertial pos="-.0054 ${4}.00194 0" mass=".678" diaginertia="9e-4 6e-4 5e-4"/>
<joint name="$1_1" axis="1 0 0" damping="1" range="-1.05 1.05"/><body pos="0 ${4}.0955 0">
<inertial pos="-.0037 ${4}-.0223 -.0327" mass="1.152" diaginertia=".006 .0058 9e-4"/><joint name="$1_2" range="-.5 4.5"/>
<body pos="0 0 -.213"><inertial pos=".0063 -6e-4 -.1414" mass=".241" diaginertia=".0015 .00146 5.3e-5"/>
<joint name="$1_3" range="-2.72 -.84"/>
<geom type="sphere" pos="-.002 0 -.213" size=".022" condim="6" friction=".8 .02 .01"/></body></body></body>
END
}
knees="0 .9 -1.8 0 .9 -1.8 0 .9 -1.8 0 .9 -1.8"
{
    echo '<mujoco><compiler angle="radian"/><default><joint axis="0 1 0" damping="2" armature=".01" frictionloss=".2"/>'
    echo '</default><worldbody><geom type="plane" size="0 0 1"/><body pos="0 0 .445"><freejoint/>'
    echo '<inertial pos=".0223 .002 -.0005" mass="6.921" diaginertia=".0245 .098 .107"/>'
    { leg a .1934 .0465 ''; leg b .1934 -.0465 -; leg c -.1934 .0465 ''; leg d -.1934 -.0465 -; } | sed 's/--//'
    echo '</body></worldbody><actuator>'
    for leg in a b c d; do for joint in 1 2 3; do
        echo "<position joint=\"${leg}_$joint\" kp=\"100\" kv=\"4\" forcerange=\"-45 45\"/>"
    done; done
    echo "</actuator><keyframe><key qpos=\"0 0 .27 1 0 0 0 $knees\" ctrl=\"$knees\"/></keyframe></mujoco>"
} >"$stage/dog.xml"
"$perp" convert "$stage/dog.xml" "$stage/x.json" --keyframe 0 -q >"$stage/out" 2>"$stage/err"
sed 's/"record": {"quantities": \["energy".*/"record": {"quantities": ["iterations"]}}/' "$stage/x.json" |
    sed '/"record"/q' >"$stage/dog.json"
"$perp" run "$stage/dog.json" --until 0.6 --out "$stage/dog" -q >"$stage/out" 2>"$stage/err"
awk -F, 'NR > 1 { sum += $2 } END { print sum / (NR - 1), NR; exit !(NR == 302 && sum < 30 * (NR - 1)) }' \
    "$stage/dog/series.csv" >>"$stage/out" && ok "iterations stay few" || not_ok "iterations stay few"

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
