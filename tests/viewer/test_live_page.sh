#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The page of perp run --view in headless Chromium: instants arrive while the run goes on and stay
# after its end, scrubbing shows the states of the series, and nothing is wrong on the console.
set -u
perp=$PERP_BUILD/perp
scenes=$PERP_SOURCE/examples/scenes
skip() { echo "1..1"; echo "ok 1 - a run in a browser # SKIP $1"; exit 0; }
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" || skip "configured without jansson"
three=$("$perp" view --help | sed -n 's/.*(\(\/.*\.js\)).*/\1/p')
[ -r "$three" ] || skip "no three.js (Debian: libjs-three)"
command -v curl >/dev/null 2>&1 || skip "no curl"
browser=
for name in chromium chromium-browser google-chrome; do
    command -v $name >/dev/null 2>&1 && { browser=$name; break; }
done
[ -n "$browser" ] || skip "no Chromium (Debian: chromium)"
stage=$(mktemp -d) || exit 99
running=
shown=
trap 'for p in $running $shown; do kill $p 2>/dev/null; done; rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; tail -20 log | cut -c1-300 | sed 's/^/# /'; fi
}
get() { curl -s --noproxy '*' -m 20 "$@"; }
post() { get -X POST "$url$1" >/dev/null; }
field() { get "${url}state" | sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"; }
until_field() { # FIELD OPERATION VALUE
    while kill -0 "$running" 2>/dev/null && kill -0 "$shown" 2>/dev/null; do
        now=$(field "$1")
        [ "${now:-0}" "$2" "$3" ] && return 0
        sleep 0.1
    done
    echo "$1 is $now"
    return 1
}
# begin TIMES OPTION...: a run that waits, and a browser that looks on; it answers at the end.
begin() {
    times=$1; shift
    : >err
    "$perp" run "$@" --quiet --view --paused >out 2>err </dev/null &
    running=$!
    until grep -q '^http' err; do
        kill -0 "$running" 2>/dev/null || { cat err; return 1; }
        sleep 0.2
    done
    url=$(cat err)
    timeout -k 5 600 "$browser" --headless --no-sandbox --use-angle=swiftshader --enable-unsafe-swiftshader \
        --user-data-dir="$stage/profile" --hide-scrollbars --window-size=1000,700 --virtual-time-budget=60000 \
        --dump-dom "$url#hook=$times" >dom 2>browser &
    shown=$!
    until_field watchers -eq 1
}
# ended STATUS: both end; what the page answered is in hook.json.
ended() {
    wait "$running"
    status=$?
    running=
    wait "$shown"
    shown=
    sed -n 's/.*<pre id="hook" hidden="">\(.*\)<\/pre>.*/\1/p' dom | sed 's/&lt;/</g; s/&gt;/>/g; s/&amp;/\&/g' >hook.json
    echo "status $status"
    cut -c1-300 hook.json
    [ "$status" = "$1" ] && [ -s hook.json ]
}

"$perp" run "$scenes/box_stack.json" --until 0.6 --out plain -q || exit 99
# At 0.1 the ball falls, at 0.6 all rests.  Three steps one by one, which hold the run, and the rest, which may be over before anyone asks again.
live() {
    begin 0,0.1,0.6 "$scenes/box_stack.json" --until 0.6 --out seen || return 1
    post step && post step && until_field step -eq 2 && [ "$(field paused)" = 1 ] && post step &&
        until_field step -eq 3 && post go && ended 0
}
check "instants come while the run goes on" live
check "the bits are those of a run that nobody looks on" cmp plain/series.csv seen/series.csv
silent() { grep -o '"errors":.*' hook.json; grep -q '"errors":\[\]' hook.json; }
check "no error on the console" silent
whole() { grep -q '^{"frames":301,"picture":true' hook.json && grep -q 'id="running"[^>]*>The run is done: t = 0.6, 300 steps<' dom; }
check "all of them are kept, and the end is said" whole
pictures() {
    grep -o '"colours":[0-9]*,"sum":[0-9]*' hook.json >looks
    cat looks
    [ "$(wc -l <looks)" = 3 ] && [ "$(sort -u looks | wc -l)" = 3 ] && ! grep -q '"colours":[1-4],' looks
}
check "pictures are neither blank nor equal" pictures
# Every q of the rows at 0, 0.1 and 0.6 against the answer: {"t":T,...,"systems":{"NAME":[...],...}}.
scrubbing() {
    tr -d '"' <plain/series.csv | awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) name[k] = $k; next }
        $1 < 1e-9 || ($1 - 0.1) ^ 2 < 1e-18 || ($1 - 0.6) ^ 2 < 1e-18 {
            for (k = 2; k in name; k++) if (name[k] ~ /\.q\[[0-9]+\]$/) {
                split(name[k], part, /\.q\[|\]/); printf "%.17g %s %d %s\n", $1, part[1], part[2], $k } }' >wanted
    [ "$(wc -l <wanted)" -ge 6 ] || { cat wanted; return 1; }
    sed 's/{"t":/\n{"t":/g' hook.json | grep '^{"t"' | awk '
        FILENAME == "wanted" { n++; t[n] = $1; body[n] = $2; entry[n] = $3; value[n] = $4; next }
        { match($0, /"t":[-0-9.e]*/); now = substr($0, RSTART + 4, RLENGTH - 4)
          for (k = 1; k <= n; k++) if ((t[k] - now) ^ 2 < 1e-18) {
              at = index($0, "\"" body[k] "\":[")
              if (at == 0) { print body[k] " is missing"; bad = 1; continue }
              text = substr($0, at + length(body[k]) + 4); sub(/\].*/, "", text); split(text, x, ",")
              error = x[entry[k] + 1] - value[k]; seen++
              if (!(error <= 1e-6 && error >= -1e-6)) { print t[k], body[k], entry[k], value[k], x[entry[k] + 1]; bad = 1 } } }
        END { print seen " numbers of " n; exit bad || seen != n }' wanted -
}
check "scrubbing shows the recorded states to 1e-6" scrubbing

# Stopped half-way: the page keeps what came.
stopped() {
    begin 0,1 "$scenes/disc_heap.json" --until 1000 || return 1
    post go && until_field step -gt 50 && post pause && until_field held -eq 1 && kept=$(field kept) && post stop && ended 1 || return 1
    grep -q "\"frames\":$kept," hook.json && grep -q '"errors":\[\]' hook.json &&
        grep -q 'id="running"[^>]*>The run was stopped: ' dom
}
check "a run that is stopped stays on the page" stopped
# More instants than are kept: the page has those that the run has, and none twice.
thinned() {
    cat >ball.json <<'END'
{"version": 1, "title": "A </script> falls", "time": {"step": 0.01, "until": 250}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 0.2]},
  {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}], "contacts": {"e": 0.5},
 "record": {"quantities": ["a.q"]}}
END
    begin 0,100,250 ball.json || return 1
    post go && ended 0 || return 1
    grep -q '"frames":12501,' hook.json && grep -q '"errors":\[\]' hook.json && grep -q '"title":"A </script> falls"' hook.json &&
        grep -q 'one instant of 2 steps is kept' dom
}
check "a long run: every second instant" thinned
echo "1..$number"
