#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp bench where something is odd: files that are no problems, lists that are too long, peers that mislead,
# a disk that is full, results of which the table is known, other programs' kernels and engines that fail.
set -u
perp=${PERP_BUILD:-.}/perp
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 99
number=0
check() { # check NAME COMMAND...
    name=$1
    shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else
        echo "not ok $number - $name"
        sed 's/^/# /' log
    fi
}
PERP_PEERS=$dir/peers TMPDIR=$dir
export PERP_PEERS TMPDIR
mkdir peers
bench() { timeout -k 2 120 "$perp" bench --memory 0 --commit test "$@"; }
rows() { expr "$(wc -l <"$1")" - 1; }
refused() { # SENTENCE ARGUMENT...: status 2, nothing is written
    what=$1
    shift
    rm -f x.csv
    bench -o x.csv "$@" >out 2>err
    test $? -eq 2 && cat err && grep -q -e "$what" err && ! test -e x.csv
}
many() { awk -v n="$1" -v word="$2" 'BEGIN { for (k = 0; k < n; k++) printf "%s%s%d", k ? "," : "", word, k + 1 }'; }

mkdir one two one/inner
echo "1 0 1 1 1 1  2 -1" >one/a.dat
cp one/a.dat two/a.dat
cp one/a.dat one/inner/b.dat
cp one/a.dat top.dat

# Files.
broken() { # a file that is none is a run that failed, with the line, and the others are made
    mkdir -p bad && echo "2 0 1" >bad/cut.dat && bench bad one -s gs --tol 1e-4 -o b.csv && cat b.csv &&
        test "$(rows b.csv)" -eq 3 && grep -q ',bad/cut.dat,,,,gs,.*,err-format,0,,,,,,,,,.*line 1' b.csv &&
        test "$(grep -c ',solved,' b.csv)" -eq 2
}
check "a problem that cannot be read is a row" broken
hollow() { # the word "default" chooses a solver after reading
    mkdir -p bad && echo "2 0 1" >bad/cut.dat && bench bad/cut.dat -s default --tol 1e-4 -o h.csv && grep -q ',default,.*,err-format,' h.csv &&
        bench top.dat -s default --tol 1e-4 -o h.csv && grep -q ',default,.*,solved,.*,[a-z]*$' h.csv
}
check "default: so is it there, and the note of others names the solver" hollow
twice() { bench one one/a.dat one/inner/b.dat ./one/a.dat -s gs,gs --tol 1e-4 -o t.csv && test "$(rows t.csv)" -eq 2; }
check "what is named twice is run once, files and solvers" twice
mkdir -p deep/one && cp one/a.dat deep/one/
check "two files of one name in the results" refused 'a.dat would have the same name in the results' one deep -s gs
mkdir none
check "a folder without problems" refused 'no problem file (.dat, .hdf5, .h5) was found' none -s gs
measures() {
    for m in natural scaled both; do bench top.dat -s gs --tol 1e-4 --set measure=$m -o m.csv || return 1; done
    test "$(grep -c ',solved,' m.csv)" -eq 3
}
check "each measure" measures

# Lists.
check "65 solvers" refused "is no list of solvers" one -s "$(many 65 gs+max_iter=)"
check "no solver" refused "is no list of solvers" one -s ,
check "65 tolerances" refused "is no list of numbers from 0 to 1" one --tol "$(many 65 0.)"
zeros=$(awk 'BEGIN { for (k = 0; k < 300; k++) printf 0 }')
long_list() { # with every digit
    bench top.dat -s gs --tol 0.${zeros}25,0.001${zeros},0.00${zeros}1 -o z.csv && cut -d, -f9 z.csv && test "$(rows z.csv)" -eq 3 &&
        test "$(cut -d, -f9 z.csv | sed 1d | tr '\n' ' ')" = '2.5e-301 0.001 1e-303 '
}
check "tolerances of many digits" long_list
check "tolerances that are none" refused "is no list of numbers from 0 to 1" one --tol 1e-4,many
check "a negative one" refused "is no list of numbers from 0 to 1" one --tol -1e-4
check "one above 1" refused "is no list of numbers from 0 to 1" one --tol 2
check "a setting with blanks" refused "blanks in it\|max_iter" one --set 'max_iter= 5'
check "a solver's name that is too long" refused 'a name of more than 79 characters' top.dat \
    -s gs+max_iter=100000+max_iter=100000+max_iter=100000+max_iter=100000+max_iter=100000+max_iter=100000
later() { # the later value of a setting
    bench top.dat -s gs --tol 1e-4 --set max_iter=3 --set max_iter=9 -o s.csv && test "$(rows s.csv)" -eq 1 &&
        grep -q ',max_iter=9 measure=natural time_limit=60,' s.csv
}
check "the last of two values counts" later
check "settings that do not fit in a row" refused 'too many settings' one -s gs --set relaxation=1.${zeros} --set prox_weight=1.${zeros}
limits() {
    bench top.dat -s gs --tol 1e-4 --time-limit 1e-9 -o l.csv 2>err
    test $? -eq 2 && grep 'time-limit wants a number from 0.001' err || return 1
    bench top.dat -s gs --tol 1e-4 --set tol=1e-3 -o l.csv 2>err
    test $? -eq 2 && grep 'are those of --tol' err && ! test -e l.csv
}
check "a limit out of range, a tolerance by --set" limits
check "a processor that is not ours" refused 'this process may not run there' one -s gs --cpu 1023
alone() { # what a run of ours is started with is no public command: all that it does not know is status 2
    for words in '' '9 top.dat' '9 top.dat nosuch 1e-4 1' '9 top.dat gs+max_iter 1e-4 1' '9 top.dat gs+speed=1 1e-4 1' \
        '9 top.dat gs many 1' '9 top.dat gs 1e-4 1 speed' '9 top.dat gs 1e-4 1 speed=1' \
        "9 top.dat $(awk 'BEGIN { for (k = 0; k < 200; k++) printf "g" }') 1e-4 1"; do
        "$perp" bench --run $words </dev/null
        test $? -eq 2 || { echo "$words"; return 1; }
    done
    "$perp" bench --motion && return 1
    "$perp" bench --motion 9 hill 1e-4 0.01 1
    test $? -eq 2
}
check "runs that are started wrongly" alone

# Peers: a program of which each solver misleads in its way.
cat >peers/perp-peer-odd <<'SCRIPT'
#!/bin/sh
# FD FILE SOLVER TOL REPEATS name=value...
case $1 in
--version) exit 1 ;;
--list) test -s "$ODD_LIST" && cat "$ODD_LIST"; exit ;;
esac
say() { echo "$@" >&3; }
good="1e-9 1e-9 1e-9 1e-9 1e-9 1e-9 1e-5"
case $3 in
chatty) say hello; say run solved; say run solved 5 1; say run solved 5 $good 1e-6; say size x; say size 3 1; say size 3 1 9
    say begin; say run solved 5 $good 1e-6 1000 ;;
differs) say size 3 1 9; say begin; say run solved 5 $good 2e-6 1000; say begin; say run solved 6 $good 1e-6 1000
    say begin; say run solved 5 $good 9e-6 1000 ;;
ends) say size 3 1 9; say begin; say run solved 5 $good 1e-6 1000; exit 4 ;;
stuck) say size 3 1 9; say begin; say run solved 5 $good 1e-6 1000; say begin; sleep 60 ;;
busy) say size 3 1 9; say begin; while :; do :; done ;;
reads) sleep 60 ;;
gone) rm -f "$0"; say size 3 1 9; say begin; say run solved 5 $good 1e-6 1000 ;;
much) i=0; while test $i -lt 40; do echo "note $i of many, of which the line is longer than any that is one of ours" >&3; i=$((i + 1)); done
    awk 'BEGIN { for (k = 0; k < 5000; k++) printf "x"; print "" }' >&3; say size 3 1 9; say begin; say run solved 5 $good 1e-6 1000 ;;
refuses) say size 3 1 9; say begin; say run err-unsupported 0 nan nan nan nan nan nan 0 0 1000 ;;
*) say size 3 1 9; say begin; say run solved 5 $good 1e-6 1000 ;;
esac
SCRIPT
chmod +x peers/perp-peer-odd
cp peers/perp-peer-odd keep
peers() {
    bench top.dat -s odd:chatty,odd:differs,odd:ends,odd:stuck,odd:busy,odd:much --tol 1e-4 --time-limit 0.3 -o p.csv && cat p.csv &&
        test "$(rows p.csv)" -eq 6 &&
        grep -q ',3,1,9,odd:chatty,.*,solved,5,.*,0.000010000,0.000001000,1000,1,$' p.csv &&
        grep -q ',odd:differs,.*,solved,5,.*,0.000010000,0.000001000,1000,3,repeats differ$' p.csv &&
        grep -q ',odd:ends,.*,solved,5,.*,1,ended badly in a repeat$' p.csv &&
        grep -q ',odd:stuck,.*,solved,5,.*,1,ended badly in a repeat$' p.csv &&
        grep -q ',odd:busy,.*,time-limit,,.*,killed$' p.csv && grep -q ',3,1,9,odd:much,.*,solved,5,' p.csv
}
check "peers: lines that are none, repeats that differ, ends after a result" peers
vanished() { # its program goes while the campaign is under way
    bench one -s odd:gone --tol 1e-4 -o v.csv 2>err
    test $? -eq 2 && cp keep peers/perp-peer-odd && cat err v.csv && grep -q 'odd:gone: cannot start a run' err && test "$(rows v.csv)" -eq 1
}
check "a peer that is gone" vanished
many_of_peer() {
    ODD_LIST=$dir/list
    export ODD_LIST
    many 300 s | tr ',' '\n' >list
    refused 'more than 256 solvers for a file' top.dat -s odd:all || return 1
    printf 'fast\nquick\nfast\n' >list
    bench top.dat -s odd:all,odd:quick --tol 1e-4 -o q.csv && test "$(rows q.csv)" -eq 2
}
check "a peer with more solvers than are run, and with one twice" many_of_peer
long_list() { # COUNT: names of 70 characters
    awk -v count="$1" 'BEGIN { for (k = 0; k < count; k++) printf "%070d\n", k }' >list
}
long_of_peer() { # more bytes than a page or two hold
    ODD_LIST=$dir/list
    export ODD_LIST
    long_list 150
    bench top.dat -s odd:all --tol 1e-4 -o long.csv && test "$(rows long.csv)" -eq 150 || return 1
    long_list 5000
    refused 'more than 256 solvers for a file' top.dat -s odd:all
}
check "a peer whose list is long" long_of_peer
gone_before() {
    rm -f w.csv
    mv peers/perp-peer-odd away
    refused 'odd:all: the peer.s helper program is not there' top.dat -s odd:all
    code=$?
    mv away peers/perp-peer-odd
    return $code
}
check "a peer that is not there" gone_before
slow_peer() { printf '#!/bin/sh\ncase $1 in --version) %s ;; esac\n. "${0%%/*}/perp-peer-odd"\n' "$2" >peers/perp-peer-slow$1; }
slow_peer 1 'exec sleep 300'
slow_peer 2 'exec >&- 2>&-; exec sleep 300'
slow_peer 3 'yes | head -c 9000; exec sleep 300'
chmod +x peers/perp-peer-slow?
slow() { # programs that do not end when they are asked for their version: their rows have the label of ours, as of one without
    for k in 1 2 3; do
        timeout -k 2 120 "$perp" bench --memory 0 --tol 1e-4 one -s slow$k:a,odd:a -o slow$k.csv 2>err$k &
    done
    wait
    cat slow?.csv err?
    for k in 1 2 3; do
        test "$(rows slow$k.csv)" -eq 4 && test "$(grep -c ',solved,5,' slow$k.csv)" -eq 4 &&
            test "$(sed 1d slow$k.csv | cut -d, -f2 | sort -u | wc -l)" -eq 1 || return 1
    done
}
check "peers that do not say their version and do not end" slow

# The disk is full, at each place: status 2 with the name, and the same command ends with all rows.
full() {
    failed=0 blocks=1
    while test $blocks -lt 12; do
        rm -f f.csv f.csv.torn
        ( trap '' XFSZ; ulimit -f $blocks; exec "$perp" bench --memory 0 --commit "$(many 40 label)" one two -s odd:busy,odd:fine \
            --tol 1e-4,1e-5,1e-6 --time-limit 0.05 -o f.csv ) >out 2>err
        code=$?
        test $code -eq 0 && break
        failed=$((failed + 1))
        { test $code -eq 2 && grep -q '^perp bench: f.csv: .*too large\|File too large' err; } || { cat err; return 1; }
        "$perp" bench --memory 0 --commit "$(many 40 label)" one two -s odd:busy,odd:fine --tol 1e-4,1e-5,1e-6 --time-limit 0.05 \
            -o f.csv >out 2>err || { cat err; return 1; }
        test "$(cut -d, -f43,47,49 f.csv | sort -u | wc -l)" -ge 2 && test "$(rows f.csv)" -eq 18 || { cat f.csv; return 1; }
        blocks=$((blocks + 1))
    done
    echo "$failed"
    test $failed -gt 3
}
check "a disk that is full: all rows in the end" full

# Results of which every table is known: two of ours and a peer, each kind of end beside each other.
head -n 1 t.csv >known.csv
row() { # SOLVER LIMIT PROBLEM TOL STATUS ERROR SETUP SOLVE NOTE
    echo "h,c,$3,3,1,9,$1,measure=natural time_limit=$2,$4,$5,5,$6,$6,$6,$6,$6,$6,$7,$8,1000,1,$9" >>known.csv
}
row ours 60 d/both.dat 0.01 solved 1e-3 0.5 1.5 ''
row ours 60 d/lost.dat 0.01 failed 0.5 0 1 ''
row ours 60 d/won.dat 0.01 solved 1e-3 0 1 ''
row ours 60 d/nobody.dat 0.01 stalled 0.5 0 1 ''
row ours 60 d/refused.dat 0.01 err-unsupported '' 0 0 ''
row ours 60 d/beside.dat 0.01 solved 1e-3 0 2 ''
row "o'urs" 60 d/lost.dat 0.01 failed 0.5 0 1 ''
row "o'urs" 60 d/late.dat 0.001 solved 1e-4 0 1 ''
row p:a 10 d/both.dat 0.01 solved 1e-3 0 1 ''
row p:b 10 d/both.dat 0.01 solved 1e-3 0 4 ''
row p:a 10 d/lost.dat 0.01 time-limit '' '' 10 killed
row p:a 60 d/lost.dat 0.01 solved 1.5e-2 0 20 ''
row p:a 10 d/won.dat 0.01 failed 0.5 0 1 ''
row p:a 10 d/nobody.dat 0.01 err-unsupported '' 0 0 ''
row p:b 10 d/nobody.dat 0.01 err-unsupported '' 0 0 ''
row p:a 10 d/refused.dat 0.01 solved 1e-3 0 1 ''
awk '{ printf "%s\r\n", $0 }' known.csv >crlf.csv
known() {
    "$perp" bench report known.csv --out k && cat k/ratios.md k/files.md && ! test -e k/ratios.md.part &&
        grep -q '^| 0.01 | ours | 3 of 5 (60.0 %) | 2 | 1 | 2 | 2.000 (1) | 1 | 2.00 d/both.dat |$' k/ratios.md &&
        grep -q "^| 0.01 | o'urs | 0 of 1 (0.0 %) | 1 | 1 | 0 | - | - | - |\$" k/ratios.md &&
        grep -q "^| 0.001 | o'urs | 1 of 1 (100.0 %) | 0 | 0 | 1 | - | - | - |\$" k/ratios.md &&
        grep -q '^| d/both.dat | 1 | 1 s | a | 2 s | 2.000 \*\*above 1\*\* |$' k/ratios.md &&
        grep -q '^| d/lost.dat | 1 | 20 s | a | failed 5.0e-01 | \*\*lost\*\* |$' k/ratios.md &&
        grep -q '^| d/won.dat | 1 | - | .* | 1 s | we alone |$' k/ratios.md &&
        grep -q '^| d/nobody.dat | 1 | - | .* | stalled 5.0e-01 | nobody |$' k/ratios.md &&
        grep -q '^| d/beside.dat | 1 | - | not run | 2 s | we alone |$' k/ratios.md &&
        ! grep -q '^| d/refused.dat' k/ratios.md &&
        grep -q "title 'o''urs'" k/profile-0.001.gp && ! grep -q 'd/both.dat' k/profile-0.001.dat
}
check "a report of which every entry is known" known
carriage() { "$perp" bench report crlf.csv --out k2 >out && sed 's/crlf/known/; s/k2/k/' out >out2 && "$perp" bench report known.csv --out k >out && cmp out out2; }
check "lines that end as on other systems" carriage
grown() { # all of a peer refuses: so does its virtual best
    { head -n 1 known.csv; grep 'nobody' known.csv; } >n.csv
    "$perp" bench report n.csv --out n --json >out && cat out && sed 's/"solver": "ours"/&/' out | grep -q '"best_solved": *0' &&
        "$perp" bench report n.csv --out n | grep '| 0.01 | p:best | 0 | 0 | 0.0 | 0 |'
}
check "what all of a peer refuse, its virtual best refuses" grown

# perp bench precision beside another kernel: a program that stands for it.
kernel() { { echo '#!/bin/sh'; echo "$1"; } >peers/perp-peer-impacts; chmod +x peers/perp-peer-impacts; }
precision() { timeout -k 2 120 "$perp" bench precision --examples ball --series "$1" --levels 2 --phases 1 --repeat 1 --out o; }
beside() { # NOTE BODY
    kernel "$2"
    rm -rf o
    precision 'siconos: moreau-jean' && cat o/precision.csv && test "$(grep -c ",failed,.*,$1\$" o/precision.csv)" -eq 2
}
check "a kernel that says nothing" beside 'ended at t = 0' 'exit 0'
check "one that says nonsense" beside 'ended at t = 0' 'echo at 1 2; echo at once; echo done; echo done 1 2'
check "one that says one instant" beside 'ended at t = 5' 'echo at 5 0 0; echo done 1 1 0 0.1'
check "one that dies before its end" beside 'ended at t = 0.5' 'echo at 0 1 0; echo at 0.5 0.75 -1; kill -KILL $$'
leaves() { kernel 'rm -f "$0"' && rm -rf o && precision 'siconos: moreau-jean' && cat o/precision.csv && grep -q ',failed,.*,its program is not there$' o/precision.csv; }
check "one that leaves when it was asked" leaves
echo "1..$number"
