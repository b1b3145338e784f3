#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp run --view over HTTP: the page, the events, pause, step, go and stop; strangers are refused;
# browsers that vanish, never finish or never read change neither the run nor its bits.
set -u
perp=$PERP_BUILD/perp
skip() { echo "1..1"; echo "ok 1 - a run that is looked on # SKIP $1"; exit 0; }
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" || skip "configured without jansson"
three=$("$perp" view --help | sed -n 's/.*(\(\/.*\.js\)).*/\1/p')
[ -r "$three" ] || skip "no three.js (Debian: libjs-three)"
command -v curl >/dev/null 2>&1 || skip "no curl"
command -v bash >/dev/null 2>&1 || skip "no bash"
stage=$(mktemp -d) || exit 99
running=
others=
trap 'for p in $running $others; do kill $p 2>/dev/null; done; rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; tail -30 log | cut -c1-300 | sed 's/^/# /'; fi
}
get() { curl -s --noproxy '*' -m 20 "$@"; }
code() { get -o answer -w '%{http_code}' "$@"; }
post() { get -X POST "$url$1"; }
field() { get "${url}state" | sed -n "s/.*\"$1\": \([^,}]*\).*/\1/p"; }

cat >ball.json <<'END'
{"version": 1, "title": "A </script> falls", "time": {"step": 0.01, "until": 1}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 0.2]},
  {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}], "contacts": {"e": 0.5},
 "record": {"certify": true}}
END

# Waits for the address, as long as the run is there.
served() { until grep -q '^http' err || ! kill -0 "$running" 2>/dev/null; do sleep 0.1; done; }
# begin FILE OPTION...: a run in the background, its address in $url and its number in $running.
begin() {
    : >err
    "$perp" run "$@" --quiet --view >out 2>err </dev/null &
    running=$!
    served
    url=$(sed -n '/^http/p' err)
    port=${url#http://127.0.0.1:}
    port=${port%%/*}
    case $url in http://127.0.0.1:*/*/) ;; *) cat err; return 1 ;; esac
}
# ended STATUS: the run in the background ends with it.
ended() {
    wait "$running"
    status=$?
    running=
    echo "status $status"
    [ "$status" = "$1" ]
}
# until FIELD OPERATION VALUE
until_field() {
    while kill -0 "$running" 2>/dev/null; do
        now=$(field "$1")
        [ "${now:-0}" "$2" "$3" ] && return 0
        sleep 0.1
    done
    echo "$1 is $now"
    return 1
}

"$perp" run ball.json --out plain -q || exit 99

# Paused before the first step; three steps by themselves; then all; the events have every instant.
steps() {
    begin ball.json --out steps --paused || return 1
    get -N "${url}events" >events &
    others=$!
    until_field watchers -eq 1 && [ "$(field step)" = 0 ] && [ "$(field paused)" = 1 ] || return 1
    post step && until_field step -eq 1 && post step && post step && until_field step -eq 3 || return 1
    sleep 0.3
    [ "$(field step)" = 3 ] && [ "$(field kept)" = 4 ] || return 1
    post go && ended 0 || return 1
    wait "$others"
    others=
}
check "paused, step by step, and to the end" steps
same() { cmp plain/series.csv steps/series.csv && cmp plain/motion.bin steps/motion.bin; }
check "the bits are those of a run that nobody looks on" same
events() {
    tr -d '\r' <events >lines
    [ "$(grep -c '^event: head$' lines)" = 1 ] && grep -q '^data: {"head":{.*"name":"a".*"entries":7}$' lines || return 1
    # All steps from 0 to 100, each once and in order.
    sed -n 's/^data: {"stride":1,"steps":\[\([0-9,]*\)\].*/\1/p' lines | tr ',' '\n' >got
    seq 0 100 >wanted
    cmp got wanted || return 1
    grep -q '^data: {"paused":1,"over":""}$' lines && grep -q '^data: {"paused":0,"over":""}$' lines || return 1
    [ "$(grep '^data' lines | tail -n 1)" = 'data: {"paused":0,"over":"The run is done: t = 1, 100 steps"}' ]
}
check "the events: head once, every instant, the end last" events

page() {
    begin ball.json --until 1e6 || return 1
    [ "$(code "$url")" = 200 ] && grep -q 'EventSource' answer && grep -q 'MIT License' answer || return 1
    [ "$(grep -o '</script>' answer | wc -l)" = "$(grep -o '<script' answer | wc -l)" ] || return 1
    ! grep -q -i -E '(src|href)="?https?:' answer
}
check "the page asks for nothing else" page
refused() {
    [ "$(code "${url%/*/}/")" = 404 ] && [ "$(code "${url%??}x/")" = 404 ] && [ "$(code "${url%/*/}/events")" = 404 ] &&
        [ "$(code -X POST "${url%??}x/stop")" = 404 ] && [ "$(code "${url}nothing")" = 404 ] &&
        [ "$(code -X POST "${url}nothing")" = 404 ] && [ "$(code "${url}stop")" = 404 ] &&
        [ "$(code -X PUT "${url}stop")" = 405 ]
}
check "another token, another path, another method" refused
foreign() {
    for host in "evil.example:$port" "127.0.0.1" "127.0.0.1:$((port - 1))" "localhost.evil.example:$port" ""; do
        [ "$(code -H "Host: $host" "$url")" = 403 ] && [ "$(code -X POST -H "Host: $host" "${url}stop")" = 403 ] || return 1
    done
    [ "$(code -H "Host: localhost:$port" "$url")" = 200 ] || return 1
    [ "$(code -X POST -H 'Origin: http://evil.example' "${url}stop")" = 403 ] &&
        [ "$(code -X POST -H 'Origin: null' "${url}stop")" = 403 ] &&
        [ "$(code -X POST -H "Origin: ${url%/*/}" "${url}pause")" = 200 ] && [ "$(field paused)" = 1 ]
}
check "another host, another origin" foreign
raw() { # TEXT: an answer to it
    bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; printf "$2" >&3; timeout 10 cat <&3' raw "$port" "$1"
}
garbage() {
    raw 'nonsense\r\n\r\n' | grep -q '^HTTP/1.1 400' && raw '\r\n\r\n' | grep -q '^HTTP/1.1 400' &&
        raw "GET / HTTP/1.1\r\nHost: 127.0.0.1:$port\r\nHost: a\r\n\r\n" | grep -q '^HTTP/1.1 400' &&
        raw "$(head -c 9000 /dev/zero | tr '\0' 'a')" | grep -q '^HTTP/1.1 400'
}
check "requests that are none" garbage
holds() { a=$(field step); sleep 0.5; b=$(field step); echo "$a $b"; [ "$a" = "$b" ]; }
check "a pause lasts" holds
goes() { post go && until_field step -gt "$b"; }
check "and ends" goes
stopped() { post stop && ended 1 && [ ! -s out ] && [ "$(wc -l <err)" = 1 ]; }
check "stop ends it with status 1" stopped

# Whole files after a stop, and a run that goes on from there to the same series.
resumed() {
    begin ball.json --out parts --paused || return 1
    post step && post step && until_field step -eq 2 && post stop && ended 1 || return 1
    [ ! -e parts/series.csv.part ] && [ "$(tail -n 1 parts/series.csv | cut -d, -f1)" = 0.02 ] || return 1
    # In pause, the page has the state of the checkpoint before the run makes its next step.
    begin ball.json --out parts --resume --paused && until_field kept -eq 1 && [ "$(field step)" = 2 ] &&
        [ "$(field t)" = 0.02 ] && post step && until_field step -eq 3 && post stop && ended 1 || return 1
    begin ball.json --out parts --resume || return 1
    ended 0 && cmp plain/series.csv parts/series.csv
}
check "a stopped run is resumed" resumed
# Of the time between two looks at the clock, the report has none in which the run stood.
clock() { date +%s.%N; }
pauses() {
    : >err
    from=$(clock)
    "$perp" run ball.json --json --view --paused >report 2>err </dev/null &
    running=$!
    served
    url=$(sed -n '/^http/p' err)
    post step && until_field step -eq 1 && held=$(clock) && sleep 3 && freed=$(clock) && post go && ended 0 || return 1
    grep '"seconds"' report
    sed -n 's/.*"seconds": *\([-+.0-9e]*\).*/\1/p' report | head -n 1 | awk -v from="$from" -v to="$(clock)" -v held="$held" \
        -v freed="$freed" '{ print $1, to - from, freed - held; exit !($1 >= 0 && $1 + (freed - held) <= to - from) }'
}
check "a pause is no time of the run" pauses
signal() { begin ball.json --paused && kill -TERM "$running" && ended 1; }
check "a signal ends a pause" signal

# Browsers that vanish, that never finish their request, that never read: more than there are places.
broken() {
    begin "$PERP_SOURCE/examples/scenes/box_stack.json" --until 4 --out seen --paused || return 1
    for k in $(seq 20); do
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET /half" >&3; sleep 60' half "$port" & others="$others $!"
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET $2events HTTP/1.1\r\nHost: 127.0.0.1:$1\r\n\r\n" >&3' gone "$port" "/${url#http://*/}"
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET $2 HTTP/1.1\r\nHost: 127.0.0.1:$1\r\n\r\n" >&3' gone "$port" "/${url#http://*/}"
    done
    for k in 1 2 3 4 5; do # these watch, and do not read
        bash -c 'exec 3<>/dev/tcp/127.0.0.1/$1; printf "GET $2events HTTP/1.1\r\nHost: 127.0.0.1:$1\r\n\r\n" >&3; sleep 60' deaf "$port" "/${url#http://*/}" & others="$others $!"
    done
    until_field watchers -ge 5 || return 1
    get -N "${url}events" >late &
    reader=$!
    until_field watchers -ge 6 && post go && ended 0 || return 1
    wait $reader
    for p in $others; do kill "$p" 2>/dev/null; done
    others=
    grep -q 'The run is done' late && sed -n 's/^data: {"stride":1,"steps":\[\([0-9,]*\)\].*/\1/p' late | tr ',' '\n' >got
    seq 0 2000 | cmp - got
}
check "broken browsers do not hurt a good one" broken
"$perp" run "$PERP_SOURCE/examples/scenes/box_stack.json" --until 4 --out unseen -q
check "nor the bits" cmp seen/series.csv unseen/series.csv

# A run that is never shown by a browser waits for nobody.
alone() { begin ball.json --out alone && ended 0 && cmp plain/series.csv alone/series.csv; }
check "nobody looks" alone
late_reader() {
    begin ball.json --paused --until 30000 && post go && until_field step -gt 21000 && post pause && until_field held -eq 1 || return 1
    stride=$(field stride) # how far it came before the pause is a matter of speed
    [ "$(field kept)" -le 20001 ] && [ "$stride" -ge 2 ] || return 1
    get -N -m 5 "${url}events" >late
    sed -n 's/^data: {"stride":'"$stride"',"steps":\[\([0-9,]*\)\].*/\1/p' late | tr ',' '\n' >got
    # One that comes back has what it has.
    get -N -m 3 -H "Last-Event-ID: $(sed -n 5000p got)" "${url}events" >again
    post stop && ended 1 || return 1
    sed -n 's/^data: {"stride":'"$stride"',"steps":\[\([0-9,]*\)\].*/\1/p' again | tr ',' '\n' >rest
    tail -n +5001 got | cmp - rest || return 1
    # Multiples of the stride from 0 on, but for the step at which it was paused.
    [ "$(wc -l <got)" -gt 10000 ] && [ "$(head -n 1 got)" = 0 ] &&
        [ "$(sed '$d' got | awk -v s="$stride" '$1 != s * (NR - 1)' | wc -l)" = 0 ]
}
check "a late browser gets what was kept" late_reader
chosen() {
    begin ball.json --paused && free=$port && post stop && ended 1 || return 1
    "$perp" run ball.json -q --paused --view="$free" 2>err >out &
    running=$!
    served
    url=$(cat err)
    case $url in http://127.0.0.1:"$free"/*) ;; *) cat err; return 1 ;; esac
    "$perp" run ball.json -q --view="$free" 2>second
    [ $? = 2 ] && grep -q "port $free of 127.0.0.1" second && post stop && ended 1
}
check "a port that is given, and one that is taken" chosen
# A run that fails: the last event says why, and that it did.
fails() {
    sed 's/"solver": *{[^}]*}, *//; s/^{/{"solver": {"name": "gs", "max_iter": 3},/' "$PERP_SOURCE/examples/scenes/box_stack.json" >fails.json
    begin fails.json --paused || return 1
    get -N "${url}events" >events &
    others=$!
    until_field watchers -eq 1 && post go && ended 1 || return 1
    wait "$others"
    others=
    tr -d '\r' <events | grep '^data' | tail -n 1 | tee last
    grep -q '"over":"The run stopped: fails.json: the step from t = .*","failed":1}$' last
}
check "a run that fails says so to browsers" fails
wrong() {
    for options in --paused "--view --check" --view=0 --view=http; do
        "$perp" run ball.json $options 2>err
        [ $? = 2 ] || return 1
    done
}
check "wrong options" wrong
echo "1..$number"
