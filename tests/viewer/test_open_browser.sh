#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# perp run --view opens the page with xdg-open on a terminal of a desktop, and nowhere else.
set -u
perp=$PERP_BUILD/perp
skip() { echo "1..1"; echo "ok 1 - a browser is opened # SKIP $1"; exit 0; }
grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h" || skip "configured without jansson"
three=$("$perp" view --help | sed -n 's/.*(\(\/.*\.js\)).*/\1/p')
[ -r "$three" ] || skip "no three.js (Debian: libjs-three)"
command -v curl >/dev/null 2>&1 || skip "no curl"
script -qec true /dev/null </dev/null >/dev/null 2>&1 || skip "no script of util-linux"
stage=$(mktemp -d) || exit 99
running=
trap '[ -z "$running" ] || kill $running 2>/dev/null; rm -rf "$stage"' EXIT
cd "$stage" || exit 99
number=0
check() { # NAME COMMAND...
    name=$1; shift
    number=$((number + 1))
    if "$@" >log 2>&1; then echo "ok $number - $name"
    else echo "not ok $number - $name"; tail -30 log | cut -c1-300 | sed 's/^/# /'; fi
}
cat >ball.json <<'END'
{"version": 1, "time": {"step": 0.01, "until": 1}, "gravity": [0, 0, -9.81],
 "bodies": [{"name": "a", "shape": {"type": "sphere", "radius": 0.1}, "density": 1000, "position": [0, 0, 2]}]}
END
mkdir bin tmp
# Stands for xdg-open: what it was called with, and the file that this names.
cat >bin/xdg-open <<'END'
#!/bin/sh
cp "$1" "$STAGE/page.part"
ls -ld "$(dirname "$1")" "$1" >"$STAGE/modes"
echo "$#:$1" >"$STAGE/called"
mv "$STAGE/page.part" "$STAGE/page"
END
chmod +x bin/xdg-open
export STAGE="$stage" TMPDIR="$stage/tmp" PATH="$stage/bin:$PATH"
unset WAYLAND_DISPLAY
export DISPLAY=:77
path=$PATH

# begin TERMINAL OPTION...: a run that waits, its address in $url.
begin() {
    rm -f page called modes; : >out
    if [ "$1" = terminal ]; then
        shift
        script -qefc "PATH='$path' '$perp' run ball.json -q --view --paused $*" /dev/null >out 2>&1 </dev/null &
    else
        shift
        "$perp" run ball.json -q --view --paused "$@" >out 2>&1 </dev/null &
    fi
    running=$!
    until grep -q '^http' out || ! kill -0 "$running" 2>/dev/null; do sleep 0.1; done
    url=$(tr -d '\r' <out | sed -n '/^http/p')
    case $url in http://127.0.0.1:*/*/) ;; *) cat out; return 1 ;; esac
}
finish() {
    curl -s --noproxy '*' -m 20 -X POST "${url}stop" >/dev/null
    wait "$running"
    running=
    [ -z "$(ls tmp)" ] || { ls -R tmp; return 1; }
}
opens() {
    begin "$@" || return 1
    until [ -f page ] || ! kill -0 "$running" 2>/dev/null; do sleep 0.1; done
    finish || return 1
    cat called modes page
    # One word, which does not show the address; others cannot read the file.
    grep -q '^1:' called && ! grep -q "$url" called && grep -qF "url=$url\"" page &&
        grep -q '^drwx------' modes
}
opens_nothing() {
    begin "$@" && finish && sleep 0.5 && [ ! -f called ]
}
on_wayland() {
    (unset DISPLAY; WAYLAND_DISPLAY=wayland-0; export WAYLAND_DISPLAY; opens terminal)
}
without_display() { (DISPLAY=; export DISPLAY; opens_nothing terminal); }
# The run goes on where there is nothing to start.
not_there() {
    mkdir rest && ln -s /usr/bin/* rest/ && rm -f rest/xdg-open || return 1
    (path=$stage/rest; begin terminal && finish && sleep 0.5 && [ ! -f called ])
}
needs_view() { ! "$perp" run ball.json --no-browser 2>err && grep -q 'no-browser needs --view' err; }

check "a terminal with a display" opens terminal
check "a terminal with Wayland" on_wayland
check "no terminal" opens_nothing file
check "no display" without_display
check "--no-browser" opens_nothing terminal --no-browser
check "no xdg-open" not_there
check "--no-browser needs --view" needs_view
echo "1..$number"
