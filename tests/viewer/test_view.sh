#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp view without a browser: what it writes, where, and what it says of folders that are no run, runs
# that were cut off, other versions and a place without three.js.
set -u
perp=$PERP_BUILD/perp
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..1"
    echo "ok 1 - pages # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
background=
trap 'test -z "$background" || kill $background 2>/dev/null; rm -rf "$stage"' EXIT
cd "$stage" || exit 99
TMPDIR=$stage
export TMPDIR
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; sed 's/^/# /' log; fi
}
# refused PATTERN ARGUMENT...: status 2 and a line that holds the pattern; nothing is left behind.
refused() {
    pattern=$1; shift
    "$perp" view "$@" >out 2>err </dev/null
    status=$?
    cat out err
    [ $status = 2 ] && grep -q -e "$pattern" err && ! ls ./*.part >/dev/null 2>&1
}
# What the command needs of three.js, for machines without it.
echo '(function(){exports.InstancedMesh = 1; "</script><!--"})()' >three.js

scene() { # UNTIL MORE
    printf '{"version": 1, "title": "A </script> falls", "time": {"step": 0.01, "until": %s}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 0.2]},
  {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}], "contacts": {"e": 0.5},
 "record": {"certify": true} %s}\n' "$1" "${2:-}"
}
scene 1 >ball.json
scene 1 ', "frames": {"every": 0}' >dark.json
"$perp" run ball.json --out ball -q || exit 99

page() {
    "$perp" view ball --three three.js && test -s ball/view.html &&
        "$perp" view ball -o own.html --three three.js -q && cmp ball/view.html own.html
}
check "a page of a folder" page
inside() {
    grep -q 'MIT License' own.html && grep -q 'a </script> falls' own.html && return 1
    [ "$(grep -o '</script>' own.html | wc -l)" = "$(grep -o '<script' own.html | wc -l)" ] || return 1
    ! grep -i -e 'src=' -e 'href=' own.html | grep -q 'http'
}
check "holds what it needs and asks for nothing else" inside
of_scene() {
    "$perp" view ball.json --until 0.1 --three three.js && test -s ball.html && ! ls -d "$stage"/perp-view-* >/dev/null 2>&1
}
check "a page of a scene" of_scene
of_run_options() { # what is said of the run goes to it
    "$perp" view ball.json --until 0.1 --step 0.05 --solver gs --set tol=1e-6 --three three.js -o coarse.html &&
        test "$(wc -c <coarse.html)" -lt "$(wc -c <ball.html)" &&
        refused "unknown solver 'zzzz'" ball.json --solver zzzz --three three.js
}
check "a page of a scene with another step and solver" of_run_options
options() {
    refused 'size: two numbers from 16 to 9999' ball --png x.png --size 15x400 &&
        refused 'size: two numbers from 16 to 9999' ball --png x.png --size 400x300x2 &&
        refused 'camera: up to three numbers' ball --png x.png --camera 1,2,3,4 &&
        refused 'camera: up to three numbers' ball --png x.png --camera '1;2' &&
        refused 'one of --png, --gif and --mp4' ball --png x.png --gif x.gif &&
        refused 'speed is of films' ball --png x.png --speed 2 &&
        refused 'at is of a picture' ball --gif x.gif --at 0.5 &&
        refused 'a GIF has 50 pictures' ball --gif x.gif --fps 60 &&
        refused 'serve shows a page' ball --serve --png x.png
}
check "options that do not go together" options
if grep -q '^#define HAVE_LIBXML2' "$PERP_BUILD/config.h"; then
    check "a model of a robot is a scene too" \
        "$perp" view "$PERP_SOURCE/examples/robots/cart.xml" --until 0.01 -o cart.html --three three.js
fi

mkdir empty
check "a folder that is no run" refused 'no run is in this folder' empty --three three.js
"$perp" run dark.json --out dark -q
check "a run without frames" refused 'asks for no frames' dark --three three.js
check "a file that is not there" refused 'No such file' nothing --three three.js
check "no three.js" refused 'libjs-three' ball -o x.html --three absent.js
echo 'export {a}' >module.js
check "another three.js" refused 'three.min.js' ball -o x.html --three module.js

cut() { # BYTES: a run that was killed
    rm -rf cut && mkdir cut && head -c "$1" ball/motion.bin >cut/motion.bin.part
}
cut_off() {
    cut 9000 && "$perp" view cut -o cut.html --three three.js && grep -q 'was cut off: shown up to' cut.html &&
        test "$(wc -c <cut.html)" -lt "$(wc -c <own.html)"
}
check "a run that was cut off" cut_off
cut 100
check "in its head" refused 'before its first step' cut --three three.js
mkdir other && { printf 'perp motion 23\n\0'; tail -c +17 ball/motion.bin; } >other/motion.bin
check "of another version" refused 'another version of perp: its format is 23' other --three three.js
mkdir junk && cat ball/series.csv >junk/motion.bin
check "no motion at all" refused 'no record of a motion' junk --three three.js

# A problem, and results of a campaign; a name that would end the script.
"$perp" generate grains grains.dat --form local --size 20 -q || exit 99
problem() {
    "$perp" view grains.dat -o problem.html --tol 1e-10 && grep -q '"blocks"' problem.html && grep -q '"islands": *[1-9]' problem.html
}
check "a page of a problem file" problem
check "a picture of one" refused 'pictures are made of runs' grains.dat --png x.png
echo 'no numbers' >bad.dat
check "a file that is no problem" refused 'bad.dat' bad.dat -o bad.html
campaign() {
    head='host,commit,problem,n,contacts,nnz,solver,settings,tol,status,iterations,natural,scaled,primal,dual,gap,error,setup_s,solve_s,peak_kb,repeats,note'
    row='vm,1,</script>.dat,2,0,4,gs,,1e-06,solved,5,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,0.001,0.001,100,1,'
    printf '%s\n%s\n' "$head" "$row" >results.csv && "$perp" view results.csv && grep -q '"runs"' results.html &&
        [ "$(grep -o '</script>' results.html | wc -l)" = "$(grep -o '<script' results.html | wc -l)" ]
}
check "a page of results" campaign
check "of a table that is none" refused 'not the header of a results file' ball/series.csv -o x.html

report() {
    mkdir results-report && echo >results-report/summary.md && mv results.html before.html &&
        "$perp" view results-report/ && cmp results.html before.html && "$perp" view results-report -o named.html -q && cmp named.html before.html
}
check "a folder of perp bench report: the page of its results" report
mkdir moved && echo >moved/summary.md
check "whose results are elsewhere" refused 'is a report of perp bench' moved
# Far away and not a number: a run that blew up.
astray() {
    sed 's/"position": \[0, 0, 0.2\]/"position": [1e90, -1e200, 3], "velocity": [1e150, 0, 0]/' ball.json >astray.json
    "$perp" run astray.json --out astray --until 0.1 -q
    timeout 60 "$perp" view astray -o astray.html --three three.js && test -s astray.html
}
check "a run that went astray" astray

# Another page whose name was made to lead here (DNS rebinding) is named in Host; and what is no request.
strangers() {
    port=${url#http://127.0.0.1:}
    port=${port%%/*}
    code() { curl -s --noproxy '*' -o no.html -w '%{http_code}' "$@"; }
    for host in "evil.example:$port" "127.0.0.1" "127.0.0.1:$((port - 1))" "localhost.evil.example:$port" ""; do
        [ "$(code -H "Host: $host" "$url")" = 403 ] || return 1
    done
    [ "$(code -H "Host: localhost:$port" "$url")" = 200 ] && [ "$(code -H 'Origin: http://evil.example' "$url")" = 403 ] &&
        [ "$(code -X POST "$url")" = 405 ] && [ "$(code -I "$url")" = 200 ]
}
# Over HTTP, by the address alone; Ctrl-C ends it.
served() {
    "$perp" view ball -o own.html --three three.js --quiet --serve >url 2>err &
    background=$!
    until [ -s url ] || ! kill -0 "$background" 2>/dev/null; do sleep 0.1; done
    url=$(tail -n 1 url)
    case $url in http://127.0.0.1:*/*/) ;; *) return 1 ;; esac
    curl -s --noproxy '*' -o got.html "$url" && cmp own.html got.html &&
        [ "$(curl -s --noproxy '*' -o no.html -w '%{http_code}' "${url%/*/}/")" = 404 ] &&
        [ "$(curl -s --noproxy '*' -o no.html -w '%{http_code}' "${url%?}x/")" = 404 ] &&
        [ "$(curl -s --noproxy '*' --path-as-is -o no.html -w '%{http_code}' "$url../ball.json")" = 404 ] && strangers
    good=$?
    kill -TERM "$background"
    wait "$background" && background= && [ $good = 0 ]
}
# Of a campaign the pages of its rows, too, and no other file of the folder.
with_rows() {
    mkdir campaign campaign/small && cp grains.dat "campaign/small/a b.dat" && cp grains.dat campaign/secret.html &&
        printf '%s\nvm,1,small/a b.dat,2,0,4,gs,,1e-06,solved,5,1e-9,1e-9,1e-9,1e-9,1e-9,1e-9,0.001,0.001,100,1,\n' "$head" >campaign/r.csv || return 1
    : >url
    "$perp" view campaign/r.csv --problems campaign/small -o campaign/r.html -q --serve >url 2>err &
    background=$!
    until [ -s url ] || ! kill -0 "$background" 2>/dev/null; do sleep 0.1; done
    url=$(tail -n 1 url)
    curl -s --noproxy '*' -o got.html "$url" && cmp campaign/r.html got.html && grep -q '"a b.html"' got.html &&
        curl -s --noproxy '*' -o got.html "${url}a%20b.html" && cmp "campaign/a b.html" got.html || return 1
    for other in secret.html a%20b.htm a%2 a%zz ..%2fball.json small/a%20b.dat r.csv; do
        [ "$(curl -s --noproxy '*' --path-as-is -o no.html -w '%{http_code}' "$url$other")" = 404 ] || { echo "$other"; return 1; }
    done
    kill -TERM "$background" && wait "$background" && background=
}
if command -v curl >/dev/null 2>&1; then
    check "a page that is served" served
    check "a campaign that is served with the pages of its rows" with_rows
else
    number=$((number + 1))
    echo "ok $number - a page that is served # SKIP no curl"
    number=$((number + 1))
    echo "ok $number - a campaign that is served with the pages of its rows # SKIP no curl"
fi

resumed() {
    "$perp" run ball.json --out twice --until 0.5 -q && "$perp" run ball.json --out twice --resume -q &&
        "$perp" run ball.json --out once -q &&
        cmp -s once/series.csv twice/series.csv &&
        tail -c 15000 once/motion.bin >a && tail -c 15000 twice/motion.bin >b && cmp a b
}
check "a run that is resumed leaves the same motion" resumed
echo "1..$number"
