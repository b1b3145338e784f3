#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the command says, word by word: arguments that are wrong, files that cannot be read or written,
# and each kind of answer, as text and as JSON.
set -u
perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then h=hdf5; else h=dat; fi
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }

# run ARGUMENT...: output in the files out and err, the exit status in $status.
run() { "$perp" "$@" >out 2>err </dev/null; status=$?; }
# says STATUS PATTERN ARGUMENT...: exit status, and a line of the message or of the output.
says() {
    expected=$1 pattern=$2; shift 2
    run "$@"
    what=$(printf '%.60s' "$*")
    if [ "$status" = "$expected" ] && cat err out | grep -q -e "$pattern"; then ok "$what: $pattern"
    else echo "# exit status $status, expected $expected, and '$pattern'"; not_ok "$what"; fi
}
# shows PATTERN...: each is in the output of the last run.
shows() {
    for pattern; do
        if grep -q -e "$pattern" out; then ok "it has $pattern"; else not_ok "it has $pattern"; fi
    done
}
# lcp FILE ROWS ENTRIES... : a dense problem of text, entries by columns, then q.
lcp() {
    file=$1 n=$2; shift 2
    { printf '%s\n0\n%s\n%s\n%s %s\n' "$n" "$n" "$n" "$n" "$n"; printf '%s\n' "$@"; } >"$file"
}
long=$(printf '%080d' 0 | tr 0 a)

"$perp" generate pd --size 10 -q pd.dat || exit 99
"$perp" generate spheres --size 30 -q spheres.$h || exit 99
"$perp" generate spheres --size 30 --form local -q local.$h || exit 99

# Words of every command.
says 0 '^perp [0-9]' solve --version
says 0 '^Usage: perp solve' solve --usage
says 0 '^Usage: perp' --usage
says 0 '^Usage: perp solvers' solvers gs lemke nsn --help
says 2 "'lemke' is an argument too many; wanted: " solvers gs lemke
says 2 "unknown option '--dump': it is now '--problems'" run --dump folder scene.json
says 2 "unknown option '--dump'$" solve --dump pd.dat
says 2 'no FILE given' solve --
says 0 'solved' solve -- pd.dat
says 2 "unrecognized option '--$long'" solve "--$long" pd.dat
many=$(awk 'BEGIN {for (k = 0; k < 65; k++) printf " --set tol=1e-5"}')
says 2 'too many --set' solve $many pd.dat
says 0 'tol 1e-09 on natural' solve -t 1e-3 --set max_iter=1000 -t 1e-9 pd.dat
says 2 "setting time_limit: 'x' is not a number from 0 to" solve -T x pd.dat

# Settings and solvers.
says 2 "wants NAME=VALUE, not 'tol'" solve -S tol pd.dat
says 2 "wants NAME=VALUE, not '=3'" solve -S =3 pd.dat
says 2 "wants NAME=VALUE, not '$long=1'" solve -S "$long=1" pd.dat
says 2 "setting inner: 'nobody' is no solver" solve -S inner=nobody pd.dat
says 2 "setting measure: 'natura' is none of .*: did you mean 'natural'?" solve -S measure=natura pd.dat
says 2 "setting measure: 'xyzzy' is none of both|natural|scaled$" solve -S measure=xyzzy pd.dat
says 2 "setting max_iter: '1.5' is not a whole number from 0" solve -S max_iter=1.5 pd.dat
says 2 "setting tol: 'two' is not a number from" solve -S tol=two pd.dat
says 2 "'over_relaxation' is now 'relaxation'" solve -S over_relaxation=1 pd.dat
says 2 "unknown setting 'no-such'" solve -S no-such=1 pd.dat
says 2 "'psor' is now 'pgs' with --set pgs_variant=psor" solve -s psor pd.dat
says 1 'the iteration limit was reached' solve -s gs+tol=1e-14+max_iter=2 pd.dat
shows '^iterations *2$' 'tol 1e-14 on natural and scaled'
says 2 "setting max_iter: 'x'" solve -s gs+tol=1e-14+max_iter=x pd.dat
says 2 "solver 'lemke' does not take the set COULOMB" solve -s lemke spheres.$h
says 0 "setting 'formulation' was changed, but gs does not read it" \
    solve -s gs -S formulation=jean-moreau pd.dat
says 0 '^certificate .*tol 1e-08 on natural$' solve -S measure=natural pd.dat
says 0 '^certificate .*tol 1e-08 on scaled$' solve -S measure=scaled pd.dat

# Generators.
says 0 'boxed pyramids: .* rows$' generate spheres --size 20 --pyramid 0.1 pyramid.dat
says 0 '^class *relay (box)' info pyramid.dat
says 2 'pd has no contacts' generate pd --pyramid 1 x.dat
says 2 "--pyramid wants a number from" generate boxes --pyramid -1 x.dat
says 2 '--relays is for ladder' generate pd --relays x.dat
says 2 '--relays is for ladder' generate boxes --relays x.dat
says 2 '--ratio is for boxes, not for spheres' generate spheres --ratio 10 x.dat
says 0 'ladder of .* with relays' generate ladder --size 40 --relays relays.dat
says 0 'ladder of .* rows$' generate ladder --size 40 ladder.dat
says 0 '^class *mixed linear complementarity' info ladder.dat
shows '^rows .* \.\.\.$' '^condition *singular: rank '
says 0 'contacts' generate spheres --size 10 --restitution 0.5 bounce.$h
says 2 '--restitution wants a number from 0 to 1' generate spheres --restitution 2 x.$h
cmp -s bounce.$h spheres.$h && not_ok "restitution changes the problem" || ok "restitution changes the problem"

# Sizes and facts.
lcp single.dat 2 1 1 1 1 -1 -1
lcp nearly.dat 2 1 1 1 1.0000001 -1 -1
lcp nothing.dat 2 0 0 0 0 -1 1
lcp zero.dat 2 0 0 0 0 1 1
says 0 'singular: rank 1 of 2' info single.dat
says 0 '^condition *[0-9.e+]* (singular values ' info nearly.dat
says 0 'M is symmetric' info zero.dat
says 0 '"singular_values": {' info --json single.dat
says 0 '"exact": true' info --json single.dat
says 0 '"stored_solution": null' info --json pd.dat
says 0 '"mass": {' info --json spheres.$h
says 0 '"closing": [0-9]' info --json spheres.$h
"$perp" generate spheres --size 900 --form local -q many.$h || exit 99
says 0 '^condition *\(at least\|singular\)' info many.$h
says 0 '"exact": false' info --json many.$h
shows '"rank": null'
if [ $h = hdf5 ]; then
    cp spheres.hdf5 solved.hdf5
    "$perp" solve -q spheres.hdf5 --out solved.hdf5
    says 0 '^solution *one is stored: natural ' info solved.hdf5
    says 0 '"stored_solution": {' info --json solved.hdf5
    "$perp" generate spheres --size 20 -q fewer.hdf5
    cp fewer.hdf5 answer.hdf5
    "$perp" solve -q fewer.hdf5 --out answer.hdf5
    if command -v h5copy >copy.log 2>&1; then
        cp spheres.hdf5 alien.hdf5
        h5copy -i answer.hdf5 -o alien.hdf5 -s /solution -d /solution
        says 0 '^solution *one is stored that cannot be used: .*/solution/r: has [0-9]* entries, not [0-9]*$' info alien.hdf5
        says 0 '"stored_solution": null' info --json alien.hdf5
    fi
fi
"$perp" generate spheres --size 10 --form local -q contacts.dat
sed '$s/^[^ ]*/0.7/' contacts.dat >slippery.dat
says 0 '^mu *0.3 to 0.7$' info slippery.dat
sed '$s/^[^ ]*/-0.7/' contacts.dat >negative.dat
for command in info solve; do says 2 'negative.dat: .*(mu, segment 0, index ' $command negative.dat; done
# Two equations for u1, none for u2, as mixed problems of the older kind.
mixed() { printf '2\n1\n3\n1 0\n1 0\n1\n0\n0\n0 0\n-1 %s\n-1\n' "$2" >"$1"; }
mixed contradict.dat 1
mixed depend.dat -1
says 0 '^equalities *2 rows of rank 1: 0 follow from others, 1 contradict them' info contradict.dat
shows '1 unknowns of them are in no row' '^proof *no solution exists: the equality rows contradict'
says 0 '"contradictory": 1' info --json contradict.dat
shows '"no_solution": true' '"zero_columns": 1'
says 0 '^equalities *2 rows of rank 1: 1 follow from others, 0 contradict them' info depend.dat
says 3 'no solution' solve contradict.dat
# 0.1 0.7 and 0.3 2.1 are not quite on one line in doubles: the proof holds below a reach.
printf '2\n1\n3\n0.1 0.7\n0.3 2.1\n1\n0\n0\n0 0\n-1 -2.9\n-1\n' >far.dat
says 0 '^proof *the equality rows contradict each other: no solution has all |z_i| below 1.82e+14$' info far.dat
says 0 '"no_solution": false' info --json far.dat
shows '"reach": 18196[0-9.]*$'
# No rows at all.
printf '0\n0\n0\n0\n0 0\n' >none.dat
says 0 '^matrix *0 x 0, DENSE, 0 entries' info none.dat
says 0 '"singular_values": null' info --json none.dat
says 0 'solved: ' solve none.dat
says 0 '^complete *yes' solve --all none.dat
says 0 'none.html: 0 blocks' view none.dat -o none.html
says 2 'missing.dat: cannot be opened: No such file' info missing.dat
says 2 '"status": "error"' info --json missing.dat
says 2 'is a directory' info .
printf '1\n0\n1\n1\n1 1\nnan\n-1\n' >nan.dat
for command in info solve; do says 2 'line 6: M: a NaN or an infinity' $command nan.dat; done
says 2 'line 6: M: a NaN or an infinity' convert nan.dat x.dat
: >empty.dat
says 2 'empty.dat: ' solve empty.dat

# Answers: all solutions, none, none found.
says 0 '^solution 1$' solve --all pd.dat
shows '^  z ' '^  w ' '^solutions *1, 0 of them' '^complete *for all |z_i| below .* every other choice was refuted there'
says 0 '^solution 1, one of a polyhedron of solutions' solve --all single.dat
says 0 '"piece": true' solve --all --json single.dat
says 3 '^complete *yes: every complementary choice was refuted' solve --all nothing.dat
run solve --all -q pd.dat
if [ "$status" = 0 ] && [ ! -s out ]; then ok "solve --all -q is quiet"; else not_ok "solve --all -q is quiet"; fi
says 2 'does not take this set' solve --all spheres.$h
says 1 '^complete *the iteration limit' solve --all -S max_iter=1 pd.dat
says 3 '^status *no solution: ' solve nothing.dat --proof none.txt
says 3 '"status": "PERP_INFEASIBLE"' solve --json nothing.dat
says 1 '^status *stopped early: ' solve -s pgs -S max_iter=2 pd.dat
says 1 'its error is that of rounding it to doubles' solve -t 1e-18 pd.dat
iterations=$(sed -n 's/^iterations *//p' out)
if [ "$iterations" -le 20 ]; then ok "and it ends there"; else not_ok "and it ends there"; fi
says 1 '"floor"' solve --json -t 1e-18 pd.dat
says 0 '^stages ' solve -v spheres.$h
shows '^memory ' '^factorised '
says 2 "\-\-out and --proof name one file" solve pd.dat --out x --proof x
says 2 '^perp: --proof .missing/x.: ' solve nothing.dat --proof missing/x
says 2 'missing' solve pd.dat --out missing/x.txt
says 2 'it is the file to read' solve pd.dat --out pd.dat
says 2 'missing.txt: cannot be opened' solve pd.dat --start missing.txt
says 2 'no list of 10 rows' solve pd.dat --start pd.dat
"$perp" solve -q pd.dat --out start.txt
says 0 'solved' solve pd.dat --start start.txt
if [ -w /dev/full ]; then
    says 2 '/dev/full: cannot be written' solve pd.dat --out /dev/full
    for arguments in "info pd.dat" "solve pd.dat" "solve -j pd.dat" "solvers" "generate pd x.dat" --help --usage --version "solve --help" \
        "solve --usage" "solve --version" "bench list --help"; do
        "$perp" $arguments >/dev/full 2>err
        status=$?
        : >out
        if [ $status = 2 ] && [ -s err ]; then ok "$arguments >/dev/full"; else not_ok "$arguments >/dev/full"; fi
    done
fi

# Proofs.
"$perp" generate infeasible --size 30 -q infeasible.dat
"$perp" solve -q infeasible.dat --proof proof.txt
says 0 '"kind": "infeasible"' info --json --proof proof.txt infeasible.dat
says 2 'missing.txt: No such file' info --proof missing.txt infeasible.dat
says 2 '"status": "error"' info --json --proof missing.txt infeasible.dat
changes() { sed "$1" proof.txt >changed.txt; says 2 'not a proof that' info --proof changed.txt infeasible.dat; }
changes 's/^perp-proof 1/perp-proof 2/'
changes '/^perp-proof/d'
changes '/^kind/d'
changes '/^y /,$d'
changes 's/^rows .*/rows -1/'
changes 's/^rows .*/rows 1000000000/; s/^y .*/y 1000000000/'
changes 's/^y .*/y 0/'
changes 's/^y .*/y 7/'
changes '$s/.*/none/'
sed 's/^kind .*/kind exhausted/; s/^rows .*/rows 2000000000/; s/^y .*/y 0/' proof.txt >changed.txt
says 2 'not a proof that' info --proof changed.txt infeasible.dat
sed 's/^kind infeasible/kind ray/' proof.txt >ray.txt
says 0 'a secondary ray (checked); it proves nothing' info --proof ray.txt infeasible.dat

# Files.
says 2 'missing.dat: cannot be opened: No such file' convert missing.dat x.dat
says 2 'nowhere/x.dat: cannot be created: No such file' convert pd.dat nowhere/x.dat
says 2 'its ending is none of' convert pd.dat x.txt
says 2 'missing/x.dat: cannot be created' convert pd.dat missing/x.dat
says 2 'it is the file to read' convert pd.dat pd.dat
says 2 '--form local wants a friction problem' convert --form local pd.dat x.dat
says 2 '--friction: pd.dat is no model of a robot' convert --friction 0.5 pd.dat x.dat
says 0 'linear complementarity' convert pd.dat y.dat
run convert -q y.dat z.dat
if [ "$status" = 0 ] && [ ! -s out ] && cmp -s y.dat z.dat; then ok "convert -q, twice the same"; else not_ok "convert -q"; fi

# Standard input.
piped() {
    expected=$1 pattern=$2; shift 2
    what=$(printf '%.40s' "$*")
    cat pd.dat | env "$@" "$perp" solve - >out 2>err
    status=$?
    if [ $status = "$expected" ] && cat out err | grep -q "$pattern"; then ok "standard input, $what"
    else not_ok "standard input, $what"; fi
}
piped 0 'problem *standard input' TMPDIR=
piped 0 'solved' "TMPDIR=$stage"
piped 2 'standard input: No such file or directory' TMPDIR=/nonexistent
piped 2 'standard input: File name too long' "TMPDIR=$(printf '/%04000d' 0)"
"$perp" solve - <&- >out 2>err
status=$?
if [ $status = 2 ] && grep -q 'standard input' err; then ok "no standard input"; else not_ok "no standard input"; fi
"$perp" solve -j - <. >out 2>err
status=$?
if [ $status = 2 ] && grep -q '"sentence": "standard input: Is a directory"' out; then ok "a folder as standard input"
else not_ok "a folder as standard input"; fi
says 2 'standard input: line 1: ' solve -
mkfifo pipe
cat pd.dat >pipe &
says 0 '^problem *pipe' info pipe
wait
left=$(find "$stage" -name 'perp-*' | wc -l)
if [ "$left" -eq 0 ]; then ok "no copies are left"; else not_ok "no copies are left"; fi

# Reading needs a process of its own; the wrapper of libtool is none that could do with so few files.
# Nor may what make leaves open be among them.
real=$PERP_BUILD/.libs/perp
[ -x "$real" ] || real=$perp
(exec 3>&- 4>&- 5>&- 6>&-; ulimit -n 4 && LD_LIBRARY_PATH=$PERP_BUILD/.libs exec "$real" info pd.dat) >out 2>err </dev/null
status=$?
if [ $status = 2 ] && grep -q 'pd.dat: no pipe to a process' err; then ok "no pipe"; else not_ok "no pipe"; fi

# Names in JSON are UTF-8, whatever the bytes are.
named() {
    name=$(printf "$1")
    cp pd.dat "$name.dat"
    run info --json "$name.dat"
    if grep -qF "\"file\": \"$(printf "$2").dat\"" out; then ok "JSON of a name, $1"; else not_ok "JSON of a name, $1"; fi
}
named '\303\244\342\202\254\360\237\230\200' '\303\244\342\202\254\360\237\230\200'
named 'x\377y' 'x\\ufffdy'
named '\303' '\\ufffd'
named '\342\202' '\\ufffd\\ufffd'
named '\340\200\200' '\\ufffd\\ufffd\\ufffd'
named '\355\240\200' '\\ufffd\\ufffd\\ufffd'
named '\360\200\200\200' '\\ufffd\\ufffd\\ufffd\\ufffd'
named '\364\220\200\200' '\\ufffd\\ufffd\\ufffd\\ufffd'
named 'a\037b\177c"d' 'a\\u001fb\\u007fc\\"d'

# Runs and their pages.
says 2 '--paused needs --view' run --paused scene.json
says 2 '--no-browser needs --view' run --no-browser scene.json
says 2 'not both' run --view --check scene.json
says 2 '--view wants a whole number from 1 to 65535' run --view=0 scene.json
says 2 '"status": "error"' run --json missing.json
says 2 'missing/scene.json: no such file' verify missing
says 2 '"status": "error"' verify --json missing

# Pages and pictures.
says 0 'contradict.html: 3 blocks, the problem was shown to have no solution' view contradict.dat -o contradict.html
says 2 'missing: No such file' view missing -o x.html
says 2 'missing/x.html.part: No such file' view pd.dat -o missing/x.html
mkdir folder
says 2 'folder: Is a directory' view pd.dat -o folder
if [ -e folder.part ]; then not_ok "nothing is left"; else ok "nothing is left"; fi
printf 'a,b\n1,2\n' >other.csv
says 2 'not the header of a results file' view other.csv
"$perp" run "$PERP_SOURCE/examples/scenes/box_stack.json" --until 0.02 --out ran -q
# What is there and cannot be read is not what is absent, or ends.
for table in series contacts impacts; do
    rm -rf unread; cp -r ran unread; rm -f unread/$table.csv; mkdir unread/$table.csv
    says 2 "unread/$table.csv: Is a directory" verify unread
    rmdir unread/$table.csv; ln -s $table.csv unread/$table.csv
    says 2 "unread/$table.csv: Too many levels of symbolic links" verify unread
done
if [ $h = hdf5 ]; then
    rm -rf unread; cp -r ran unread; rm -f unread/series.h5; ln -s series.h5 unread/series.h5
    says 2 'unread/series.h5: Too many levels of symbolic links' verify unread
fi
says 2 'before the film begins' view ran --gif x.gif --from 100
says 2 'of the run are one picture; --speed ' view ran --mp4 x.mp4 --from 0.0199999
says 2 'pictures, more than ' view ran --gif x.gif --speed 1e-9
says 2 'two numbers from 16 to 9999' view ran --size 3
says 2 'three.js is not at nowhere' view ran --three nowhere
says 2 'not both' view ran --serve --png x.png
says 2 '--step wants a number' view scene.json --step x

# Campaigns.
says 2 "--time-limit wants a number from 0.001 to 1e7, not '0'" bench --time-limit 0 pd.dat
says 2 '--set tol=1e-3: the tolerances of a campaign are those of --tol' bench --set tol=1e-3 pd.dat
says 2 "\-\-solver: ',' is no list of solvers" bench -s , pd.dat
says 2 "\-\-tol: '2' is no list of numbers from 0 to 1" bench --tol 2 pd.dat
"$perp" bench --out runs.csv -s gs --tol 1e-3 pd.dat >out 2>err
head -n 1 runs.csv >header.csv
says 2 'header.csv: no runs of perp bench are in it' view header.csv
says 2 'header.csv: no results in it' bench report header.csv
says 0 'pd.dat: not in folder, its row opens nothing' view runs.csv --problems folder -o runs.html
says 2 '--step wants a number' bench scenes --step x
says 2 '--cpu wants a whole number from 0 to 1023' bench scenes --cpu 2000
says 2 'none.jsonl: No such file or directory' bench report none.jsonl

# Of several values of a setting the last counts; sets and matrices that a solver does not take.
says 0 'pd.dat' bench -s gs -t 1e-3 -S max_iter=1 -S relaxation=1 -S max_iter=900 -o last.csv pd.dat
if grep -q 'max_iter=900' last.csv && ! grep -q 'max_iter=1[^0-9]' last.csv; then ok "the last max_iter counts"
else cp last.csv out; not_ok "the last max_iter counts"; fi
says 2 "wants NAME=VALUE, not 'relaxation'" bench -s gs+relaxation pd.dat
says 2 "unknown setting 'relaxatio'" bench -s gs+relaxatio=1 pd.dat
says 2 'longer than 127 bytes' bench -s gs+relaxation=$(printf '%0120d' 1) pd.dat
says 2 "unknown solver 'aaaa" bench -s $long pd.dat

# 0.1 0.9 is not 0.3^2 in doubles: a solution may exist far out, and a proof says how far it reaches.
lcp reach.dat 2 0.1 -0.3 -0.3 0.9 -1 -1
lcp plain.dat 2 2 0 0 2 -1 -1
says 1 'no solution with all |z_i| below 4.8e+16: shown; a larger one may exist' solve reach.dat --proof reach.txt
says 1 'no solution has all |z_i| below the reach of its proof: shown' solve --json reach.dat
says 1 'no solution has all |z_i| below the reach 4.8e+16 (checked' info --proof reach.txt reach.dat
says 1 '"holds": false' info --json --proof reach.txt reach.dat
says 1 '^complete *for all |z_i| below 4.8e+16: every other choice was refuted there' solve --all reach.dat
shows '^solutions *0, '
sed '/^y /,$d; s/^kind .*/kind exhausted/' reach.txt >searched.txt; echo 'y 0' >>searched.txt
says 1 'every complementary choice was refuted where all |z_i| are below the reach 4.8e+16' info --proof searched.txt reach.dat
says 1 '"reach": 48038[0-9.e+]*' info --json --proof searched.txt reach.dat
says 2 'not every complementary choice could be refuted' info --proof searched.txt plain.dat
# With z = (1/2, 1/2) a solution, the same weights reach no further.
says 1 'no solution has all |z_i| below the reach 0.5 (checked' info --proof reach.txt plain.dat
says 2 'the proof has 2 rows, the problem has 10' info --proof reach.txt pd.dat
if grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    ball=$PERP_SOURCE/examples/scenes/bouncing_ball.json
    mkdir nobin
    hidden=$PATH PATH=$stage/nobin
    "$perp" run --plot --until 0.01 --out drawn "$ball" >"$stage/plot.out" 2>"$stage/plot.err"
    status=$? PATH=$hidden
    if [ $status = 0 ] && grep -q 'gnuplot is not installed.*; drawn/series.gp is its script' plot.err &&
        [ -s drawn/series.gp ] && [ -s drawn/series.csv ]; then ok "a run without gnuplot"
    else cp plot.out out; cp plot.err err; not_ok "a run without gnuplot"; fi
    says 2 "no scene but a problem, it seems: 'perp solve' takes problems" run pd.dat
    says 2 "no scene but a problem, it seems: 'perp solve' takes problems" run --check spheres.$h
fi
if grep -q '^#define HAVE_LIBXML2' "$PERP_BUILD/config.h" && grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    arm=$PERP_SOURCE/examples/robots/arm.urdf
    says 0 'a valid scene' run --check --floor=0.25 "$arm"
    says 2 "\-\-floor wants a number" run --check --floor=high "$arm"
    says 2 'missing.srdf: No such file or directory' run --check --srdf missing.srdf "$arm"
    says 2 "missing.srdf" convert --srdf missing.srdf "$arm" arm.json
    many=$(awk 'BEGIN {for (k = 0; k < 65; k++) printf " --search d%d", k}')
    says 2 'more than 64 words of one option' run --check $many "$arm"
    says 2 'a model becomes a scene, whose name ends in .json' convert "$arm" arm.xml
fi
printf '\n {"version": 1}\n' >scene.json
says 2 "no problem but a scene, it seems: 'perp run' takes scenes" solve scene.json
says 2 "no problem but a scene, it seems: 'perp run' takes scenes" info scene.json
echo "1..$number"
