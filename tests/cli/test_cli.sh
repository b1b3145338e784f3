#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The command perp: each subcommand, wrong input, exit statuses, round trips.
set -u
perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
# Problems are text where this build has no HDF5; text has no place for bilateral rows.
kinds="spheres boxes arch grains"
if grep -q '^#define HAVE_HDF5' "$PERP_BUILD/config.h"; then h=hdf5 kinds="$kinds chains"; else h=dat; fi
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }

# exits STATUS DESCRIPTION ARGUMENT...: runs perp, output in the files out and err.
exits() {
    expected=$1; what=$2; shift 2
    "$perp" "$@" >out 2>err </dev/null
    status=$?
    if [ "$status" = "$expected" ]; then ok "$what"
    else echo "# exit status $status, expected $expected"; not_ok "$what"; fi
}
# holds DESCRIPTION FILE PATTERN...: every pattern is in the file.
holds() {
    what=$1; file=$2; shift 2
    for pattern; do
        grep -q -e "$pattern" "$file" || { echo "# no '$pattern' in $file"; not_ok "$what"; return; }
    done
    ok "$what"
}
# equals DESCRIPTION FILE FILE
equals() { if cmp -s "$2" "$3"; then ok "$1"; else echo "# $2 and $3 differ"; not_ok "$1"; fi; }

# Words and help.
exits 0 "--version" --version
holds "version text" out '^perp [0-9]'
exits 0 "--help" --help
holds "help lists the commands" out solve run info convert generate solvers bench
exits 2 "no command"
exits 2 "unknown command" frobnicate
holds "unknown command is named" err frobnicate solve
exits 2 "misspelt command" slove
holds "the nearest command" err "did you mean 'solve'"
exits 2 "misspelt option" solve --sovler gs x
holds "the nearest option" err "unknown option '--sovler': did you mean '--solver'"
exits 2 "unknown option" solve --frobnicate
for command in solve run info convert generate solvers bench; do
    exits 0 "$command --help" $command --help
    holds "$command --help says how" out Usage
done
exits 0 "solve --help again" solve --help
holds "solve --help has solvers and settings" out ' gs,' ' nsn' ' lemke,' tol=1e-08 max_iter=0 measure=both
for command in solve run info convert generate solvers bench "bench report" "bench list" "bench order"; do
    exits 0 "$command -h" $command -h
    holds "$command -h is help" out '^Usage: perp'
done
exits 0 "solve --help fits on a screen" solve --help
lines=$(wc -l <out)
if [ "$lines" -le 50 ] && ! grep -q '.\{81\}' out; then ok "at most 50 lines of 80 columns"; else
    echo "# $lines lines"; not_ok "at most 50 lines of 80 columns"; fi
exits 0 "solve --help --all" solve --help --all
holds "all settings, with their choices" out relaxation 'forward|symmetric'
# The shared options have the same letter wherever they are.
for option in '-s, --solver' '-S, --set' '-t, --tol' '-T, --time-limit' '-j, --json'; do
    for command in solve run bench; do
        if "$perp" $command --help | grep -q -e "$option="; then :
        elif "$perp" $command --help | grep -q -e "$option "; then :
        else echo "# $command has no $option"; not_ok "$option in solve, run and bench"; continue 2; fi
    done
    ok "$option in solve, run and bench"
done
for command in solve run info convert generate solvers bench "bench report" "bench order"; do
    "$perp" $command --help
done | sed -n 's/^ *\(-[A-Za-z]\), --\([a-z-]*\).*/\1 \2/p' | sort -u >letters
if [ "$(cut -d ' ' -f 1 letters | sort | uniq -d)" = "" ]; then ok "a letter has one meaning"; else
    sed 's/^/# /' letters; not_ok "a letter has one meaning"; fi
exits 0 "solvers" solvers
holds "solvers lists" out '^gs ' '^lemke ' COULOMB DELASSUS 'perp solvers --all'
everyday=$(grep -c '^[a-z]' out)
if grep -q '^direct ' out; then not_ok "solvers of everyday use only"; else ok "solvers of everyday use only"; fi
exits 0 "solvers --all" solvers --all
holds "all solvers and settings" out '^gs ' '^direct ' 'For study' '^  relaxation '
if [ "$(grep -c '^[a-z]' out)" -gt "$everyday" ]; then ok "more of them"; else not_ok "more of them"; fi
exits 0 "solvers gs" solvers gs
holds "one solver's settings" out relaxation check_every
exits 2 "solvers of an unknown name" solvers nothing
exits 2 "solvers of a misspelt name" solvers lemk
holds "the nearest one" err "unknown solver 'lemk': did you mean 'lemke'"

# Generators: every kind in both forms, the same bytes twice.
for kind in $kinds; do
    exits 0 "generate $kind" generate $kind --size 60 --seed 3 $kind.$h
    exits 0 "generate $kind, local" generate $kind --size 60 --seed 3 --form local $kind-local.$h
    exits 0 "info $kind" info $kind.$h
    holds "info $kind: facts" out 'friction, global form' COULOMB density symmetry diagonal condition
    exits 0 "info $kind, local" info $kind-local.$h
    holds "info $kind, local: facts" out 'friction, local form' COULOMB symmetry diagonal condition
done
for kind in pd low twins monotone p copositive degenerate; do
    for rows in lcp mlcp boxed; do
        exits 0 "generate $kind, $rows" generate $kind --size 40 --rows $rows -q $kind-$rows.dat
        exits 0 "solve $kind, $rows" solve $kind-$rows.dat -q
    done
done
exits 0 "generate a problem without solution" generate infeasible --size 30 -q infeasible.dat
exits 3 "no solution" solve infeasible.dat --proof proof.txt
holds "the proof is told" out '^status *no solution: ' "no solution exists" '^proof file *proof.txt'
holds "the proof is written" proof.txt '^perp-proof 1' '^kind infeasible' '^rows 30' '^holds 1' '^reach ' '^y 30'
exits 0 "the proof holds" info --proof proof.txt infeasible.dat
holds "it is checked again" out 'no solution exists' 'made for *infeasible.dat'
sed '$d' proof.txt >short.txt
exits 2 "a proof that is cut" info --proof short.txt infeasible.dat
sed 's/^kind infeasible/kind certain/' proof.txt >kind.txt
exits 2 "a proof of an unknown kind" info --proof kind.txt infeasible.dat
awk '/^y /{y = 1; print; next} y {print 1; next} {print}' proof.txt >wrong.txt
exits 2 "a wrong proof" info --proof wrong.txt infeasible.dat
holds "it does not hold" out '^proof *it does not hold'
exits 2 "a proof of another size" info --proof proof.txt pd-lcp.dat
holds "its rows" err 'the proof has 30 rows, the problem has'
exits 0 "no proof of what is solved" solve pd-lcp.dat --proof none.txt
holds "none is written" out '^proof file *not written'
if [ -e none.txt ]; then not_ok "no file"; else ok "no file"; fi
exits 3 "no solution, all of them" solve infeasible.dat --all
exits 2 "rows of spheres" generate spheres --rows lcp x.$h
exits 2 "a circuit with friction" generate ladder --mu 0.3 x.dat
exits 2 "unknown rows" generate psd --rows all x.dat
exits 0 "generate again" generate spheres --size 60 --seed 3 -q again.$h
if [ -s out ]; then not_ok "-q is quiet"; else ok "-q is quiet"; fi
equals "same seed, same bytes" spheres.$h again.$h
exits 2 "generate an unknown kind" generate nothing x.$h
holds "kinds are listed" err spheres chains
exits 2 "generate a misspelt kind" generate shperes x.$h
holds "the nearest kind" err "unknown kind 'shperes': did you mean 'spheres'"
exits 2 "generate without a file" generate spheres
exits 2 "generate a wrong size" generate spheres --size 0 x.$h
exits 2 "generate a wrong mu" generate spheres --mu x x.$h
exits 2 "generate into a missing folder" generate spheres missing/x.$h
holds "the file is named" err missing/x.$h

# Solve: both forms, solution files, statuses.
"$perp" generate boxes --size 100 --mu 0.2 -q s.$h
"$perp" generate boxes --size 100 --mu 0.2 --form local -q s-local.$h
exits 0 "solve" solve s.$h --out r.$h
holds "report" out '^solver ' '^status *solved' '^iterations ' '^time ' natural scaled primal dual gap "^solution *r.$h"
if [ $h = hdf5 ]; then
    exits 0 "info of a solved file" info r.$h
    holds "stored solution" out 'one is stored: natural [0-9.]*e-\(09\|[1-9][0-9]\)'
fi
exits 0 "solve the local form" solve s-local.$h --solver gs -o r.txt
exits 0 "start from the solution" solve s-local.$h --start r.txt --set max_iter=1
exits 0 "start from another form's solution" solve s-local.$h --start r.$h --set max_iter=1 --tol 2e-8
exits 0 "solve quietly" solve -q s.$h --tol 1e-4
if [ -s out ] || [ -s err ]; then not_ok "solve -q is quiet"; else ok "solve -q is quiet"; fi
exits 0 "verbose" solve -v s.$h --solver gs --tol 1e-4
holds "verbose lists settings" out check_every memory
exits 0 "2D" solve grains.$h --tol 1e-4
[ $h = dat ] || exits 0 "bilateral rows" solve chains.$h --tol 1e-4
exits 1 "iteration limit" solve s.$h --set max_iter=1 --out early.txt
holds "says why" out 'stopped early: the iteration limit'
if [ -s early.txt ]; then ok "the best iterate is written"; else not_ok "the best iterate is written"; fi
exits 0 "unread setting" solve s.$h --solver gs --set step=0.5 --tol 1e-4
holds "unread setting is noted" out "'step' was changed"

# Wrong input.
exits 2 "no file" solve
exits 2 "missing file" solve nothing.$h
holds "missing file is named" err nothing.$h
exits 2 "unknown solver" solve spheres.$h --solver gss
holds "the nearest solver" err "unknown solver 'gss': did you mean 'gs'"
exits 2 "an unknown solver without a near one" solve spheres.$h --solver frobnicator
holds "solvers are listed" err "unknown solver 'frobnicator'" gs lemke
exits 2 "unfit solver" solve spheres.$h --solver lemke
holds "unfit: why and which fit" err 'COULOMB' 'gs'
exits 2 "unknown setting" solve spheres.$h --set frobnication=1
holds "settings are listed" err "unknown setting 'frobnication'" relaxation
exits 2 "misspelt setting" solve spheres.$h --set relaxatoin=1
holds "the nearest setting" err "unknown setting 'relaxatoin': did you mean 'relaxation'"
exits 2 "misspelt choice" solve spheres.$h --set sweep=forwrd
holds "the nearest choice" err "did you mean 'forward'"
exits 2 "misspelt scheme" run --scheme moraeu-jean x.json
exits 0 "a time limit" solve s.$h --tol 1e-4 -T 100
exits 2 "a time limit that is none" solve s.$h -T soon
exits 2 "setting out of range" solve spheres.$h --set relaxation=3
holds "range is told" err relaxation 1.99
exits 2 "wrong choice" solve spheres.$h --set sweep=sideways
holds "choices are told" err 'forward|symmetric'
exits 2 "wrong tolerance" solve spheres.$h --tol x
exits 2 "setting without value" solve spheres.$h --set tol
exits 2 "unknown class" solve spheres.$h --class nothing
exits 2 "misspelt class" solve spheres.$h --class frictoin
holds "the nearest class" err "did you mean 'friction'"
exits 2 "unwritable solution" solve spheres.$h --tol 1e-4 --out missing/r.txt
head -c 500 spheres.$h >cut.$h
exits 2 "truncated file" info cut.$h
holds "truncated file is named" err cut.$h
printf '3\n2\n0 6 6\n1 2 x\n' >bad.dat
exits 2 "malformed text" solve bad.dat
holds "file is named" err bad.dat
: >empty.dat
exits 2 "empty file" info empty.dat
printf '2\n0 2 2\n2 2\n2 1\n1 2\n-5 -6\n' >lcp.dat
exits 0 "a linear complementarity problem" solve lcp.dat --class lcp --out lcp.txt
holds "chosen solver" out '^solver *auto'
exits 0 "info of it" info lcp.dat --class lcp
holds "its sets and condition" out 'NONNEG' ' 3 (singular values 1 to 3)' 'M is symmetric' 'diagonal *2 to 2'
printf '1\n0 1 1\n1 1\n0\n-1\n' >none.dat
exits 3 "a problem without solution" solve none.dat --class lcp
holds "says so" out '^status *no solution' '^proof '

exits 0 "settings behind the name of a solver" solve lcp.dat --class lcp --solver gs+tol=1e-4
holds "its tolerance" out 'tol 0.0001'
exits 2 "one that it does not have" solve lcp.dat --class lcp --solver gs+zzzz=1
holds "names it" err 'zzzz'
exits 1 "one that stops it" solve lcp.dat --class lcp --solver gs+max_iter=1
exits 0 "how it is called" solve --usage
holds "in short" out '^Usage: '
# [-2 1; -2 2] z + (-1, -1): there is w >= 0 for z >= 0, and no complementary one.
printf '2\n0 2 2\n2 2\n-2 -2\n1 2\n-1 -1\n' >gap.dat
exits 3 "no complementary choice" solve gap.dat --class lcp --proof all.txt
holds "all were refuted" out '^status *no solution' '^proof *no solution exists: every complementary choice'
holds "its proof has no vector" all.txt '^kind exhausted' '^y 0'
exits 0 "the choices are gone through again" info gap.dat --class lcp --proof all.txt
holds "and refuted again" out '^proof *no solution exists: every complementary choice'
exits 0 "as a document" info gap.dat --class lcp --proof all.txt --json
holds "without a vector" out '"kind": "exhausted"' '"holds": true' '"row": -1$'
exits 2 "the proof of another problem" info lcp.dat --class lcp --proof all.txt
holds "which has a solution" out '^proof *not every complementary choice could be refuted'
exits 1 "a ray" solve gap.dat --class lcp --solver lemke --proof ray.txt
holds "is a ray" ray.txt '^kind ray' '^y 2'
exits 0 "the ray is one" info gap.dat --class lcp --proof ray.txt
holds "and proves nothing" out '^proof *a secondary ray (checked); it proves nothing'
exits 2 "a proof that is not there" info gap.dat --class lcp --proof absent.txt
holds "its name" err 'absent.txt: No such file'
exits 2 "a proof for no folder" solve gap.dat --class lcp --proof absent/proof.txt
holds "the name of it" err 'absent/proof.txt'

# Devices, folders and options out of place are refused at once.
exits 2 "a device that never ends" info /dev/zero
holds "it is a device" err '/dev/zero: is a device'
mkdir folder
exits 2 "a folder as a problem" info folder
holds "it is a folder" err 'folder: is a directory'
exits 2 "a folder as a solution" solve s.$h --out folder
holds "it is a folder" err "'folder': Is a directory"
if [ -s out ]; then not_ok "refused before solving"; else ok "refused before solving"; fi
exits 2 "a solution without a name" solve s.$h --out ''
exits 2 "ratio of spheres" generate spheres --ratio 2 ratio.$h
exits 2 "a part of a whole problem" convert --part q s.$h part.dat
exits 2 "an unknown part" convert --part zz s.$h part.mtx
holds "the parts are listed" err "unknown value of --part 'zz'" ' M H G '
exits 2 "a part that is not there" convert --part lo s.$h part.mtx
holds "the file without it is named" err "s.$h: it has no part 'lo'"
exits 2 "a CPU that is not there" bench s.$h --cpu 1023 --out cpu.csv
exits 2 "a results file that is not there" bench report nothing.csv
holds "it is named" err 'perp bench report: nothing.csv: No such file'
exits 2 "results in a device" bench s.$h --out /dev/full

# A problem through a pipe, and a reader of the report that leaves at once.
"$perp" convert -q s-local.$h pipe.dat
if cat pipe.dat | "$perp" solve /dev/stdin -q 2>err; then ok "a problem through a pipe"; else
    not_ok "a problem through a pipe"; fi
"$perp" solve s.$h --out left.txt 2>&1 | true
if [ -s left.txt ]; then ok "the solution outlives its reader"; else
    not_ok "the solution outlives its reader"; fi

# Standard input by the name -.
exits_from() { # FILE STATUS DESCRIPTION ARGUMENT...: with standard input through a pipe
    from=$1; expected=$2; what=$3; shift 3
    cat "$from" | "$perp" "$@" >out 2>err
    status=$?
    if [ "$status" = "$expected" ]; then ok "$what"
    else echo "# exit status $status, expected $expected"; not_ok "$what"; fi
}
exits_from pipe.dat 0 "text from standard input" solve - --tol 1e-4
holds "its name" out '^problem *standard input'
exits_from s.$h 0 "any format from standard input" solve - --tol 1e-4
exits_from s.$h 0 "info of standard input" info -
holds "its facts" out 'friction, global form' condition
exits_from s-local.$h 0 "convert standard input" convert - stdin.dat
exits_from bad.dat 2 "malformed text from standard input" solve -
holds "its name in the message" err 'standard input'
exits_from /dev/null 2 "nothing from standard input" info -
left=$(TMPDIR=$stage/tmp; mkdir -p "$TMPDIR"; export TMPDIR; cat pipe.dat | "$perp" info - >/dev/null; ls "$TMPDIR")
if [ -z "$left" ]; then ok "no temporary file is left"; else not_ok "no temporary file is left"; fi

# Round trips.
if [ $h = hdf5 ]; then
    exits 0 "local to text" convert spheres-local.hdf5 a.dat
    exits 0 "and back" convert a.dat b.hdf5
    exits 0 "and to text" convert b.hdf5 c.dat
    equals "text, HDF5, text" a.dat c.dat
    exits 0 "global to text" convert spheres.hdf5 ga.dat
    exits 0 "and back" convert ga.dat gb.hdf5
    exits 0 "and to text" convert gb.hdf5 gc.dat
    equals "global text, HDF5, text" ga.dat gc.dat
    exits 0 "global to local" convert --form local spheres.hdf5 l.hdf5
    exits 0 "local copy" convert spheres-local.hdf5 l2.hdf5
    equals "generated and converted local forms" l.hdf5 l2.hdf5
fi
exits 0 "Matrix Market of W" convert spheres-local.$h w.mtx
holds "its header" w.mtx '^%%MatrixMarket matrix'
exits 0 "Matrix Market of q" convert --part q spheres-local.$h q.mtx
exits 2 "no such part" convert --part G spheres-local.$h g.mtx
exits 2 "LCP as FCLib" convert --class lcp lcp.dat lcp.hdf5
exits 2 "one file only" convert spheres.$h
exits 2 "local form of an LCP" convert --class lcp --form local lcp.dat x.dat

# Shipped problems are those of the manifest, and the quickstart's is solved.
problems=$PERP_SOURCE/bench/problems
grep -v '^#' "$problems/MANIFEST" | cut -f 1,6 | while read -r name sum; do
    echo "$sum  $problems/$name"
done >sums
if [ -s sums ] && sha256sum --quiet -c sums >out 2>err; then ok "manifest"; else not_ok "manifest"; fi
if [ $h = hdf5 ]; then
    exits 0 "quickstart's problem, gs at 1e-8" solve "$problems/quickstart.hdf5" --solver gs --out q.hdf5
    holds "size" out '416 contacts'
    for file in "$problems"/*.hdf5; do
        exits 0 "info ${file##*/}" info "$file"
    done
fi

# Rolling friction: made, solved, and the same through each format and form.
exits 0 "generate rolling" generate spheres --size 20 --mu-r 0.005 rolling.dat
exits 0 "info of rolling" info rolling.dat
holds "rolling is told" out '3D rolling friction, global form' '^mu_r  *0.005 at every contact' 'ROLLING of 5'
exits 0 "solve rolling" solve rolling.dat --solver nsn
exits 0 "rolling to local form" convert --form local rolling.dat rolling-local.dat
exits 0 "solve rolling in local form" solve rolling-local.dat --solver gs --out rolling.txt
exits 0 "start from its solution" solve rolling-local.dat --solver gs --start rolling.txt
exits 0 "mu_r as a vector" convert --part mu_r rolling.dat mu_r.mtx
exits 2 "a wrong mu_r" generate spheres --mu-r -1 x.dat
exits 2 "a solver without rolling" solve rolling.dat --solver lemke
holds "the set is named" err 'ROLLING'
if [ $h = hdf5 ]; then
    exits 0 "rolling to HDF5" convert rolling.dat rolling.hdf5
    exits 0 "and back" convert rolling.hdf5 again.dat
    equals "rolling comes back" rolling.dat again.dat
    exits 0 "local rolling to HDF5" convert rolling-local.dat rolling-local.hdf5
    exits 0 "solve local rolling in HDF5" solve rolling-local.hdf5 --out solved.hdf5
fi

# Torsional friction: the same, in HDF5 alone.
exits 2 "both as text" generate spheres --size 20 --mu-r 0.1 --mu-s 0.1 x.dat
holds "the format has no place" err 'no torsional friction'
exits 2 "torsion in the plane" generate grains --mu-s 0.1 x.$h
exits 2 "torsion as text" generate spheres --size 20 --mu-s 0.005 x.dat
holds "the format is blamed" err 'no torsional friction'
if [ $h = hdf5 ]; then
    exits 0 "generate torsion" generate spheres --size 20 --mu-s 0.005 torsion.hdf5
    exits 0 "info of torsion" info torsion.hdf5
    holds "torsion is told" out '3D torsional friction, global form' 'ROLLING of 4'
    exits 0 "solve torsion" solve torsion.hdf5 --solver nsn
    exits 0 "torsion to local form" convert --form local torsion.hdf5 torsion-local.hdf5
    exits 0 "solve torsion in local form" solve torsion-local.hdf5 --solver gs
    exits 0 "torsion and back" convert torsion-local.hdf5 again.hdf5
    exits 0 "solve it again" solve again.hdf5
    exits 0 "generate both" generate spheres --size 20 --mu-r 0.01 --mu-s 0.005 both.hdf5
    exits 0 "info of both" info both.hdf5
    holds "both are told" out '3D rolling and torsional friction, global form' 'ROLLING of 6' 'mu_s'
    exits 0 "solve both" solve both.hdf5 --solver nsn
    exits 0 "both to local form" convert --form local both.hdf5 both-local.hdf5
    exits 0 "solve both in local form" solve both-local.hdf5
    exits 0 "mu_s as a vector" convert both-local.hdf5 --part mu_s mu_s.mtx
    exits 2 "torsion to text" convert torsion.hdf5 x.dat
fi

# A signal stops a long solve, which still reports and writes its best iterate.
"$perp" generate spheres --size 3000 -q big.$h
for signal in INT TERM; do
    rm -f best.txt
    env --default-signal=$signal "$perp" solve big.$h --tol 0 --set max_iter=100000000 \
        --set check_every=1 --set stall_window=100000000 --out best.txt >out.$signal 2>err.$signal &
    pid=$!
    tries=0
    while [ ! -s err.$signal ] && [ $tries -lt 200 ]; do sleep 0.1; tries=$((tries + 1)); done
    kill -$signal $pid
    wait $pid
    status=$?
    cp out.$signal out; cp err.$signal err
    if [ $status = 1 ] && [ -s best.txt ]; then ok "SIG$signal"
    else echo "# exit status $status"; not_ok "SIG$signal"; fi
    holds "interrupted by SIG$signal" out 'stopped early: a callback asked to stop' '^solution *best.txt'
    holds "plain progress lines" err 'iteration .* error'
done

echo "1..$number"
