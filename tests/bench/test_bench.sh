#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp bench: campaigns, interruption and resumption, report.  A peer made of
# a shell script stands for solvers that lie, die, hang and never end.
perp=${PERP_BUILD:-.}/perp
source=${PERP_SOURCE:-..}
dir=`mktemp -d` || exit 99
trap 'rm -rf "$dir"' 0
cd "$dir" || exit 99

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
skip() {
    number=`expr $number + 1`
    echo "ok $number - $1 # SKIP $2"
}

mkdir peers one two
for folder in one two; do
    echo "1 0 1 1 1 1  2 -1" >$folder/a.dat
    echo "1 0 1 1 1 1  2 -1" >$folder/b.dat
done
echo "no problem" >one/notes.txt
cat >peers/perp-peer-fake <<'SCRIPT'
#!/bin/sh
# FD FILE SOLVER TOL REPEATS name=value...
case $1 in
--version) test -n "$FAKE_VERSION" && echo $FAKE_VERSION; exit ;;
--list) echo fast; case $2 in *a.dat) echo quick ;; esac; exit ;;
esac
say() { echo "$@" >&3; }
say size 3 1 9
say begin
good="1e-9 1e-9 1e-9 1e-9 1e-9 1e-9 1e-5"
bad="1e-2 1e-2 1e-2 1e-2 1e-2 1e-2 1e-5"
case $3 in
quick) test $4 = 9.9999999999999995e-07 && sleep 20; say run solved 5 $good 1e-6 1000 ;;
fast) say run solved 12 $good 2e-4 1000 first; say begin; say run solved 12 $good 1e-4 1000 ;;
slow) sleep 0.2; say run solved 900 $good 0.2 1000 ;;
liar) say run solved 12 $bad 2e-4 1000 sure ;;
loser) say run failed 7 $bad 2e-4 1000 'a, "b" c' ;;
dead) kill -SEGV $$ ;;
hang) sleep 60 ;;
mute) exit 3 ;;
half) say run solved 12 $good 2e-4 1000 first; say begin; kill -KILL $$ ;;
esac
SCRIPT
chmod +x peers/perp-peer-fake
PERP_PEERS=$dir/peers
export PERP_PEERS

bench() { "$perp" bench --memory 0 --commit test "$@"; }
rows() { expr `wc -l <"$1"` - 1; }
# count FILE PATTERN: lines that match
count() { grep -c -- "$2" "$1"; }
all=fake:fast,fake:liar,fake:loser,fake:dead,fake:hang,fake:mute,fake:half

campaign() {
    bench one two --solver $all --tol 1e-4,1e-8 --time-limit 0.2 -o r.csv &&
        test `rows r.csv` -eq 56 &&
        test `count r.csv 'fake:fast.*,solved,12,.*,0.000100000,1000,2,first'` -eq 8 &&
        test `count r.csv 'fake:liar.*,solved,.*,sure'` -eq 8 &&
        test `count r.csv 'fake:loser.*,failed,.*,"a, ""b"" c"'` -eq 8 &&
        test `count r.csv 'fake:dead.*,crash,.*signal 11'` -eq 8 &&
        test `count r.csv 'fake:hang.*,time-limit,'` -eq 8 &&
        test `count r.csv 'fake:mute.*,crash,.*exit 3 without a result'` -eq 8 &&
        test `count r.csv 'fake:half.*,solved,12,'` -eq 8 &&
        test `count r.csv ',one/a.dat,3,1,9,'` -eq 14 &&
        ! grep notes r.csv
}
check "every kind of end becomes a row" campaign

cp r.csv before.csv
again() {
    bench one two --solver $all --tol 1e-4,1e-8 --time-limit 0.2 -o r.csv && cmp r.csv before.csv
}
check "a finished campaign is not run again" again

more() {
    bench one --solver fake:fast --tol 1e-4 --time-limit 0.2 --set max_iter=7 -o r.csv &&
        test `rows r.csv` -eq 58 &&
        test `count r.csv 'max_iter=7 measure=natural time_limit=0.2'` -eq 2
}
check "other settings are other runs" more

interrupted() {
    "$perp" bench --memory 0 --commit test one two --solver fake:slow,fake:fast \
        --tol 1e-4,1e-5,1e-6,1e-7 -o i.csv >i.log 2>&1 &
    campaign=$!
    for wait in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        sleep 0.1
        test -s i.csv && test `rows i.csv` -ge 3 && break
    done
    kill -TERM $campaign
    wait $campaign
    test $? -eq 1 && grep interrupted i.log && test `rows i.csv` -ge 3 && test `rows i.csv` -lt 32
}
check "an interrupted campaign ends at once and says so" interrupted
resume() {
    printf 'host,test,one/a.dat,3,1,9,fake:sl' >>i.csv
    bench one two --solver fake:slow,fake:fast --tol 1e-4,1e-5,1e-6,1e-7 -o i.csv &&
        test `rows i.csv` -eq 32 &&
        test `cut -d, -f3,7,9 i.csv | sort -u | wc -l` -eq 33 &&
        test "`cat i.csv.torn`" = 'host,test,one/a.dat,3,1,9,fake:sl'
}
check "and goes on where it stopped, without its torn last line" resume

# What is no results file stays as it is, byte for byte, whatever it holds.
alien() {
    cp y.csv y.copy
    ! bench one --solver fake:fast --tol 1e-4 -o y.csv && cmp y.csv y.copy && ! test -e y.csv.torn
}
foreign() {
    printf 'one line without an end' >y.csv && alien &&
        printf 'a\0b\nc\n' >y.csv && alien && printf '\0\0\0\0' >y.csv && alien &&
        { head -n 1 before.csv | tr -d '\n'; printf 'x'; } >y.csv && alien &&
        { head -n 1 before.csv | tr -d '\n'; printf '\0\n'; } >y.csv && alien &&
        { head -n 1 before.csv; printf 'a\nhost,half'; } >y.csv && alien
}
check "what is no results file is left as it is" foreign

begun() { # the header itself may be torn
    printf 'host,comm' >z.csv && bench one --solver fake:fast --tol 1e-4 -o z.csv &&
        test `rows z.csv` -eq 2 && test "`cat z.csv.torn`" = host,comm
}
check "a header that was cut is written again" begun

nul_rows() { # zeros where a machine stopped: the rows behind them count
    { head -n 3 before.csv; printf '\0\0\0\n'; tail -n +4 before.csv; } >n.csv
    cp n.csv n.copy
    bench one two --solver $all --tol 1e-4,1e-8 --time-limit 0.2 -o n.csv && cmp n.csv n.copy
}
check "rows behind a NUL are read, and kept" nul_rows
long_row() { # a record of more than a page
    label=`awk 'BEGIN { for (k = 0; k < 6000; k++) printf "%d", k % 10 }'`
    bench one --solver fake:fast --tol 1e-4 --commit $label -o long.csv &&
        bench one --solver fake:fast --tol 1e-4 --commit $label -o long.csv &&
        test `rows long.csv` -eq 2 && "$perp" bench list long.csv | grep -c fake:fast
}
check "a long record is written whole" long_row

passes() { # a peer's rows outlive commits; those killed are repeated with more time
    FAKE_VERSION=fake-1 "$perp" bench --memory 0 one --solver fake:all --tol 1e-4,1e-6,1e-7 \
        --time-limit 0.1 -o p.csv && cat p.csv && test `rows p.csv` -eq 9 &&
        test `count p.csv ',fake-1,.*fake:quick,.*,0.0001,solved,'` -eq 1 &&
        test `count p.csv 'fake:quick,.*,1e-06,time-limit,.*killed'` -eq 1 &&
        test `count p.csv 'fake:quick,.*,1e-07,time-limit,.*not run'` -eq 1 &&
        FAKE_VERSION=fake-1 "$perp" bench --memory 0 one --solver fake:all --tol 1e-4,1e-6,1e-7 \
            --time-limit 0.2 -o p.csv && test `rows p.csv` -eq 11
}
check "all solvers of a peer, in passes of growing limits" passes

refused() {
    ! bench one --solver no-such -o x.csv && ! bench one --set speed=1 -o x.csv &&
        ! bench nowhere -o x.csv && ! bench one --solver other:NSGS -o x.csv && ! test -s x.csv &&
        echo "a,b" >y.csv && ! bench one --solver fake:fast -o y.csv && test `cat y.csv` = a,b
}
check "wrong arguments are refused before anything is written" refused

report() {
    "$perp" bench report r.csv --out rep >report.log && cat report.log &&
        grep '| 0.0001 | fake:fast \[measure.*| 4 | 4 | 100.0 | 0 |' rep/summary.md &&
        grep '| 1e-08 | fake:liar | 4 | 0 | 0.0 | 4 | 1e+06 |' rep/summary.md &&
        grep 'FALSE "solved": fake:liar at 1e-08 on two/b.dat' report.log &&
        grep '| one/a.dat | 3 | 1 | 9 |.*FALSE 1.0e-02' rep/files.md &&
        test -s rep/profile-0.0001.dat && test -s rep/profile-1e-08.gp
}
check "the report counts what is solved and what only claims to be" report

doctored() { # one honest row, made false by its error alone
    grep -e '^host' -e 'one/a.dat.*fake:fast.*,0.0001,' before.csv >d.csv &&
        "$perp" bench report d.csv --out dr | grep '| 0.0001 | fake:fast | 1 | 1 | 100.0 | 0 |' &&
        sed 's/,1.0000000000000001e-09,/,1.1e-4,/' d.csv >d2.csv && ! cmp d.csv d2.csv &&
        "$perp" bench report d2.csv --out dr | grep '| 0.0001 | fake:fast | 1 | 0 | 0.0 | 1 | 1.1 |'
}
check "a doctored result is found out" doctored

best() { # the liar is no winner; the error may be 2 tol
    bench one two --solver projection --tol 1e-4,1e-8 --time-limit 0.2 -o own.csv &&
        "$perp" bench report before.csv own.csv --out best >best.log && cat best.log best/ratios.md &&
        grep '| 0.0001 | projection | 4 of 4 (100.0 %) | 4 | 0 | 0 |' best.log &&
        grep '| one/a.dat | [0-9-]* | 110 us | fast | .* us |' best/ratios.md &&
        grep "title 'fake:best" best/profile-1e-08.gp && ! grep fake:liar best/profile-1e-08.gp &&
        "$perp" bench report --json before.csv own.csv --out best >best.json && cat best.json &&
        grep '"over": *"fake:best"' best.json && grep '"best_solved": *4' best.json &&
        grep '"lost": *0' best.json && grep '"worst_problem": *"[ot][nw][eo]/[ab].dat"' best.json &&
        "$perp" bench report --each before.csv own.csv --out best &&
        grep fake:liar best/profile-1e-08.gp
}
check "the virtual best of a peer" best

measures() {
    grep 'The two measures agree' best/measures.md &&
        sed '/fake:fast/s/,1.000000e-09,1.000000e-09,/,1.000000e-09,1.000000e-02,/' before.csv >m.csv &&
        "$perp" bench report m.csv --each --out m && cat m/measures.md &&
        grep '| 0.0001 | two/b.dat | fake:fast | 1.0e-09 | 1.0e-02 |' m/measures.md
}
check "runs on which the two measures disagree" measures

profile() { # shares rise and end at what was solved
    awk '/^#/ { last = -1; next } NF == 2 { if ($2 < last || $2 > 1 || $1 < 1) exit 1; last = $2 }' \
        rep/profile-0.0001.dat
}
check "profiles rise from factor 1" profile

if command -v gnuplot >/dev/null; then
    pictures() {
        grep -q '<svg' rep/profile-0.0001.svg && grep -q '</svg>' rep/profile-1e-08.svg &&
            test "`head -c 4 rep/profile-1e-08.png | tail -c 3`" = PNG
    }
    check "gnuplot drew SVG and PNG" pictures
else
    skip "gnuplot drew SVG and PNG" "no gnuplot"
fi
without() { # all programs but gnuplot
    mkdir bin && ln -s /usr/bin/* bin/ && rm -f bin/gnuplot* &&
        PATH=$dir/bin "$perp" bench report r.csv --out bare >bare.log && cat bare.log &&
        grep 'gnuplot is not installed' bare.log && test -s bare/profile-1e-08.gp &&
        ! test -e bare/profile-1e-08.svg
}
check "without gnuplot the report says so" without

problems=$source/bench/problems
if ! ls "$problems"/*.dat "$problems"/*.hdf5 >/dev/null 2>&1; then
    problems=$dir/problems
    mkdir "$problems"
    "$perp" generate -q -n 30 spheres "$problems/spheres.dat"
    "$perp" generate -q -n 16 --form local boxes "$problems/boxes.dat"
    "$perp" generate -q -n 20 --form local grains "$problems/grains.dat"
fi
ours() {
    bench "$problems" --solver gs,projection --tol 1e-4 --time-limit 5 --repeat 1 -o o.csv &&
        cat o.csv && ! grep -e ,crash, o.csv && "$perp" bench report o.csv --out or &&
        ! grep FALSE or/summary.md && awk -F, '/,gs,/ && /,solved,/ { n++ } END { exit n < 1 }' o.csv
}
check "our solvers on the shipped problems" ours
if test -x "${PERP_BUILD:-.}/perp-peer-siconos"; then
    unset PERP_PEERS
    siconos() {
        bench "$problems" --solver siconos:NSGS --tol 1e-4 --time-limit 5 --repeat 1 -o s.csv &&
            cat s.csv && grep 'siconos:NSGS,.*,solved,' s.csv
    }
    check "Siconos beside them" siconos
else
    skip "Siconos beside them" "configured without Siconos"
fi
small_problems=${PERP_BUILD:-.}/bench/small_problems
small_ones() {
    "$small_problems" --problems 32 --set max_iter=200 --save . --list >t && cat t && test `grep -c ' all ' t` -eq 0 &&
        test `grep -c '^all ' t` -eq 3
}
check "many small problems" small_ones
contact=${PERP_BUILD:-.}/bench/contact_time
contacts() { # without a call of malloc in set-up solvers of our own
    "$contact" --contacts 1,5 --solvers default,gs --solves 50 >t && cat t && test `wc -l <t` -eq 10 &&
        awk '$2 == "gs" && $10 > 0 { exit 1 }' t
}
check "a few contacts on a reused handle" contacts
scale=${PERP_BUILD:-.}/bench/scale
scales() {
    "$scale" --sizes 30,60 --solvers gs,default --out s >t && cat t && test `grep -c SOLVED t` -eq 4 &&
        test `grep -c '^[0-9]' s.dat` -eq 4 && test -s s.gp
}
check "cost per contact" scales
steps=${PERP_BUILD:-.}/bench/step_time
simulate() {
    "$steps" --rounds 1 --steps 60 ball bridge column:10 stack:60 pyramid:2 pile:30 >t && cat t &&
        test `wc -l <t` = 7
}
check "steps of the kernel" simulate
if test -x "${PERP_BUILD:-.}/perp-peer-kernel"; then
    # The same states at the end; the difference is the last column.
    beside() {
        "$steps" --rounds 1 --steps 2001 --scheme moreau-jean --peer "${PERP_BUILD:-.}/perp-peer-kernel" ball bridge \
            column:10 stack:10 pyramid:1 >t && cat t &&
            awk 'NR > 1 && $NF < 1e-9 { n++ } END { exit n != 5 }' t
    }
    check "another kernel ends in the same states" beside
else
    skip "another kernel ends in the same states" "configured without Siconos' kernel"
fi
echo "1..$number"
