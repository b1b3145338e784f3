#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp bench scenes: tiny scenes without any other engine, what is refused, what is not run again,
# programs of peers that fail.
perp=${PERP_BUILD:-.}/perp
dir=`mktemp -d` || exit 99
trap 'rm -rf "$dir"' 0
cd "$dir" || exit 99
TMPDIR=$dir
PERP_PEERS=$dir/peers
PERP_NODE=$dir
export TMPDIR PERP_PEERS PERP_NODE
mkdir peers

number=0
check() { # check NAME COMMAND...
    name=$1
    shift
    number=`expr $number + 1`
    if "$@" >log 2>&1; then
        echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' log
    fi
}

scenes() { timeout -k 2 120 "$perp" bench scenes "$@"; }
field() { awk -F, -v scene="$2" -v engine="$3" -v column="$4" \
    'NR == 1 { for (k = 1; k <= NF; k++) if ($k == column) c = k } $1 == scene && $2 == engine { print $c }' "$1"; }

list() {
    scenes --list && scenes --list >list && grep -q '^ 3 wall:10 ' list &&
        grep -q '^ 5 arch:25 ' list && grep -q '^perp:1e-8  ' list
}
check "--list" list

# A ball on an incline: no narrow phase is needed.
tiny() {
    scenes --scenes rolling:1:0.5 --no-peers --until 0.1 --out t && cat t/scenes.csv &&
        test `wc -l <t/scenes.csv` -eq 4 && awk -F, 'NF != 26 { exit 1 }' t/scenes.csv &&
        for status in `field t/scenes.csv rolling:1:0.5 perp status`; do test $status = done || return 1; done &&
        for a in `field t/scenes.csv rolling:1:0.5 perp observed`; do
            awk -v a=$a 'BEGIN { exit !(a > 2.39 && a < 2.41) }' || return 1
        done &&
        for r in `field t/scenes.csv rolling:1:0.5 perp worst_residual`; do
            awk -v r=$r 'BEGIN { exit !(r < 1e-6) }' || return 1
        done &&
        grep -q '^### 18. rolling:1:0.5' t/scenes.md && ! ls t/*.part 2>/dev/null
}
check "a tiny scene at three tolerances, files in place" tiny

again() { # the same command makes no run; one with another end does
    cp t/scenes.csv before && scenes --scenes rolling:1:0.5 --no-peers --until 0.1 --out t 2>err &&
        cmp before t/scenes.csv && ! grep -q 'ms a step' err &&
        scenes --scenes rolling:1:0.5 --engines perp:1e-6 --until 0.05 --out t &&
        test `wc -l <t/scenes.csv` -eq 5
}
check "runs that are there are not made again" again

chain() {
    scenes --scenes chain:3:10,rolling:1:0.05 --engines perp:1e-8 --until 0.2 --out c && cat c/scenes.csv &&
        awk -v o=`field c/scenes.csv chain:3:10 perp opening` 'BEGIN { exit !(o < 1e-9) }' &&
        grep -q 'opening, mm' c/scenes.md
}
check "joints stay closed" chain

# What each kind of scene is looked at for: SCENE UNTIL STEP LEAST MOST of the figure that is observed.
laws() {
    while read -r scene until step least most; do
        rm -rf l
        scenes --scenes $scene --engines perp:1e-4 --until $until --step $step --out l || return 1
        awk -v is=`field l/scenes.csv $scene perp observed` -v least=$least -v most=$most \
            'BEGIN { exit !(is >= least && is <= most) }' || { cat l/scenes.csv; return 1; }
    done <<'TABLE'
bullet 0.1 0.01 1 1
top 0.3 0.002 1.9 2.1
turntable 0.3 0.01 0.27 0.30
cradle 0.3 0.002 5.99 6.01
column 0.02 0.01 -0.1 0.1
dominoes:8 1.2 0.01 0.5 2
thin-arch 0.02 0.01 0 0
thin-arch 1.2 0.01 1 1
TABLE
}
check "figures of motions with laws" laws

# Hulls, a shape away from the centre of mass, joints with motors and limits.
shapes() {
    scenes --scenes arch:5,tippe-top,grasp,machine --engines perp:1e-8 --until 0.1 --out w && cat w/scenes.csv || return 1
    hulls=2
    if grep -q 'define HAVE_QHULL 1' "${PERP_BUILD:-.}/config.h"; then
        hulls=4
        awk -v o=`field w/scenes.csv arch:5 perp overlap` 'BEGIN { exit !(o < 1e-9) }' &&
            awk -v c=`field w/scenes.csv arch:5 perp creep` 'BEGIN { exit !(c < 1e-6) }' &&
            awk -v c=`field w/scenes.csv grasp perp opening` 'BEGIN { exit !(c < 1e-9) }' || return 1
    fi
    test `awk -F, '/,done,/ { n++ } END { print n }' w/scenes.csv` -eq $hulls &&
        awk -v o=`field w/scenes.csv machine perp opening` 'BEGIN { exit !(o < 1e-9) }' &&
        grep -q 'creep, um/s' w/scenes.md && grep -q 'z of the axis' w/scenes.md
}
check "hulls, motors, limits" shapes

refused() { # MESSAGE ARGUMENT...
    what=$1
    shift
    scenes --out r "$@" 2>err
    test $? -eq 2 && cat err && grep -q "$what" err
}
check "an unknown scene" refused "no scene is called 'hill'" --scenes hill
check "a number that is none" refused "wall takes rows" --scenes wall:0
check "an unknown engine" refused "no engine is called 'box2d'" --engines box2d
check "an engine that is not there" refused "jolt was not found" --scenes rolling --engines jolt
check "an empty list" refused "no scene is named" --scenes ,
check "a limit that is none" refused "time-limit" --time-limit x

damaged() {
    mkdir -p d && echo "other,file" >d/scenes.csv && refused "no results of perp bench scenes" --scenes rolling --no-peers --out d &&
        { head -1 t/scenes.csv; echo "a,b"; } >d/scenes.csv && refused "line 2 has not 26 columns" --no-peers --out d
}
check "files of results that are none" damaged

# A program for another engine: $1 what it does beside --version.
peer() {
    printf '%s\n' '#!/bin/sh' '[ "$1" = --version ] && { echo Fake 1.0; exit; }' "$1" >peers/perp-scene-bullet
    chmod +x peers/perp-scene-bullet
}
ends_as() { # STATUS NOTE BODY
    peer "$3"
    rm -rf p
    scenes --scenes rolling:1:0.5 --engines bullet:default --until 0.1 --time-limit 2 --out p && cat p/scenes.csv &&
        test "`field p/scenes.csv rolling:1:0.5 bullet status`" = "$1" &&
        field p/scenes.csv rolling:1:0.5 bullet note | grep -q "$2" &&
        test "`field p/scenes.csv rolling:1:0.5 bullet version`" = "Fake 1.0"
}
check "a peer that dies" ends_as crash 'exit 7' 'exit 7'
check "a peer that writes nonsense" ends_as crash 'no stream' 'head -c 1000 /dev/zero >&3'
check "a peer that refuses" ends_as refused 'not such' '{ printf "!not such scenes"; head -c 200 /dev/zero; } | head -c 128 >&3'
check "a peer that does not end" ends_as time-limit '' 'while :; do :; done'

# Streams of states that are ones: a line of 128 bytes, then records of 5 numbers and 13 of the ball.
begins='{ printf "perp-motion 1 fake"; head -c 110 /dev/zero; } >&3; record() { head -c $1 /dev/zero >&3; }; nan() { printf "\000\000\000\000\000\000\370\177" >&3; }'
check "a peer that dies of a signal" ends_as crash 'signal 9' "$begins; record 144; kill -KILL \$\$"
check "a peer that makes no step" ends_as stopped 'a step was not made' "$begins; record 144"
check "a state that is no number" ends_as 'not finite' 'a state that is no number' "$begins; record 144; record 40; nan; record 96; exit 3"
check "half a record" ends_as stopped 'a step was not made' "$begins; record 144; record 100"
check "more contacts than there can be" ends_as crash 'no stream' "$begins; record 32; printf '\000\000\000\000\000\000\360\177' >&3; record 104"
check "contacts that are no number" ends_as crash 'no stream' "$begins; record 32; nan; record 104"
longer() { # what ran into a limit is made again with a longer one, in its place
    cp p/scenes.csv short && test "`field short rolling:1:0.5 bullet limit`" = 0.2 &&
        scenes --scenes rolling:1:0.5 --engines bullet:default --until 0.1 --time-limit 0.1 --out p && cmp short p/scenes.csv &&
        scenes --scenes rolling:1:0.5 --engines bullet:default --until 0.1 --time-limit 0.4 --out p && cat p/scenes.csv &&
        test `wc -l <p/scenes.csv` -eq 2 && test "`field p/scenes.csv rolling:1:0.5 bullet limit`" = 0.4
}
late() {
    peer 'while :; do :; done' && rm -rf p && scenes --scenes rolling:1:0.5 --engines bullet:default --until 0.1 --time-limit 0.2 --out p && longer
}
check "a longer limit" late
wordless() {
    { echo '#!/bin/sh'; echo 'exit 1'; } >peers/perp-scene-bullet
    refused 'bullet was not found: perp-scene-bullet says no version' --scenes rolling --engines bullet
}
check "a program that says no version" wordless
found() { # without a choice of engines all that are there run; the others are named
    peer 'printf "!none" >&3; head -c 123 /dev/zero >&3'
    scenes --scenes rolling:1:0.5 --until 0.02 --out f 2>err && cat err f/scenes.csv &&
        grep -q '^not found, see perp bench scenes --help: mujoco, rapier, jolt, physx, cannon-es' err &&
        test "`field f/scenes.csv rolling:1:0.5 bullet status | sort -u`" = refused && test "`field f/scenes.csv rolling:1:0.5 perp status | sort -u`" = done
}
check "engines that are there, and those that are not" found
elsewhere() {
    TMPDIR=$dir/nowhere "$perp" bench scenes --scenes rolling:1:0.5 --no-peers --until 0.02 --out e 2>err
    test $? -eq 2 && cat err && grep -q "nowhere/perp-scene-.*: No such file" err
}
check "no folder for what programs read" elsewhere
many() { awk 'BEGIN { for (k = 1; k < 131; k++) printf "wall:%d,", k; print "rolling" }'; }
check "more scenes than are run" refused 'more than 128 scenes' --scenes "`many`" --no-peers
pinned() {
    scenes --scenes rolling:1:0.5,rolling:1:0.5 --engines perp:1e-4 --cpu 0 --until 0.02 --out n && test `wc -l <n/scenes.csv` -eq 2 &&
        test `field n/scenes.csv rolling:1:0.5 perp status` = done || return 1
    rm -rf n
    scenes --scenes rolling:1:0.5 --engines perp:1e-4 --cpu 1023 --until 0.02 --out n && cat n/scenes.csv &&
        field n/scenes.csv rolling:1:0.5 perp status | grep -q crash && field n/scenes.csv rolling:1:0.5 perp note | grep -q 'exit 125'
}
check "on one processor, and on one that is not there" pinned

# Tables of results that are known: what fell, what ended early, what won energy, what no table has.
told() { # SCENE ENGINE SETTINGS COLUMN=VALUE...
    awk -F, -v OFS=, -v words="scene=$1 engine=$2 settings=$3 $4" 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k }
        NR == 2 { n = split(words, w, " "); for (k = 1; k <= n; k++) { split(w[k], x, "="); $(at[x[1]]) = x[2] } print }' t/scenes.csv
}
tables() {
    mkdir -p k && { head -1 t/scenes.csv
        told wall:10 perp 1e-4 'bodies=100 status=stopped t=0.25 steps=5 seconds=0.005 fallen=7 energy=0.2 creep=0.001 sink=0 overlap=0'
        told wall:10 perp 1e-6 'bodies=100 status=done t=0.25 steps=5 seconds=0.01 fallen=0 energy=0 creep=1e-10 sink=0 overlap=2e-12'
        told wall:10 perp 1e-8 'bodies=100 status=crash t=0 steps=0 seconds= fallen= energy= creep= sink= overlap='
        told rolling:1:0.5 perp 1e-4 'steps=5'
        told hill perp 1e-4 'steps=5'; } >k/scenes.csv
    # The same command with a run that is there already: no run is made, and the tables are written.
    scenes --scenes rolling:1:0.5 --engines perp:1e-4 --until 0.1 --time-limit 60 --out k && cat k/scenes.md &&
        grep -q '^| perp 1e-4 | 0 | 1 | 0 | \*\*7 of 100 fell\*\* | 2.0e-01 | .* stopped at t = 0.25 |$' k/scenes.md &&
        grep -q '^| perp 1e-6 | <1e-6 | <1e-6 | 0 | stands | 0.0e+00 |.* done |$' k/scenes.md &&
        grep -q '^| perp 1e-8 | - | - | - | - | - |.* crash |$' k/scenes.md &&
        grep -q '\*\*fell\*\*!\* / <1e-6 / crash' k/scenes.md && grep -q ' 1 / 2 / - ' k/scenes.md && ! grep -q hill k/scenes.md
}
check "tables of known results" tables

# Programs of other engines that were built here: what of a motion is known, and what they refuse.
built=
for engine in bullet ode dart simbody siconos; do
    test -x "${PERP_BUILD:-.}/perp-scene-$engine" && built="$built $engine"
done
others() {
    for engine in $built; do
        while read -r scene until column least most but; do
            test "$but" = $engine && continue
            rm -rf o
            PERP_PEERS=${PERP_BUILD:-.} scenes --scenes $scene --engines $engine:advised --until $until --out o || return 1
            awk -v is=`field o/scenes.csv $scene $engine $column` -v least=$least -v most=$most \
                'BEGIN { exit !(is >= least && is <= most) }' || { cat o/scenes.csv; return 1; }
        done <<'TABLE'
rolling:1:0.5 1 observed 2.38 2.42
rolling:1:0.05 1 observed 2.88 2.93
backspin 2 observed -0.88 -0.85
cradle:3 0.1 observed 5.9 6.1 bullet
ramp 0.5 creep 0 0.001
heavy:2:1 0.5 sink 0 0.001
four-bar:1 0.2 opening 0 0.005
top 0.5 observed 1.8 2.2
TABLE
    done
}
refusals() { # NAME SCENE WHY
    case " $built " in
    *" $1 "*) ;;
    *) return 0 ;;
    esac
    rm -rf o
    PERP_PEERS=${PERP_BUILD:-.} scenes --scenes $2 --engines $1:default --until 0.01 --out o && cat o/scenes.csv &&
        field o/scenes.csv $2 $1 status | grep -q refused && field o/scenes.csv $2 $1 note | grep -q "$3"
}
all_refusals() {
    refusals dart arch:5 'no hulls' && refusals dart grains 'no rolling friction' &&
        refusals simbody machine 'no motors' && refusals siconos grasp 'no motors'
}
if test -n "$built"; then
    check "other engines:$built" others
    check "what they refuse" all_refusals
else
    number=`expr $number + 1`
    echo "ok $number - other engines # SKIP none was built"
fi

interrupted() { # it stops at once, and what it made is there
    peer 'while :; do :; done'
    rm -rf i
    "$perp" bench scenes --scenes rolling:1:0.5 --engines perp:1e-6,bullet:default --until 0.1 --out i >out 2>err &
    job=$!
    for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        grep -q 'perp 1e-6: done' err && break
        sleep 0.5
    done
    kill -TERM $job
    wait $job
    test $? -eq 1 && cat err i/scenes.csv && test `wc -l <i/scenes.csv` -eq 2
}
check "interruption" interrupted
echo "1..$number"
