#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Progress on a terminal: one line that is drawn again and again and is gone in the end, on standard
# error alone; the same commands with a file there print whole lines.
set -u
perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
if ! command -v script >/dev/null || ! script -qec 'test -t 2' term >/dev/null 2>&1 </dev/null; then
    echo "1..0 # SKIP no terminal to be had from script(1)"
    exit 0
fi
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out shown; }

# on_terminal STATUS COMMAND: standard output in the file out, what the terminal got in shown, with
# ~ where a line was erased.
on_terminal() {
    expected=$1; shift
    script -qec "$* >out" term >/dev/null 2>&1 </dev/null
    status=$?
    sed '1d' term | tr '\r' '\n' | sed "s/$(printf '\033')\[K/~/g" | sed '/^Script done/,$d; /^$/d' >shown
    if [ $status = "$expected" ]; then ok "exit status of $(printf '%.40s' "${*##*/}")"
    else echo "# exit status $status"; not_ok "exit status of $(printf '%.40s' "${*##*/}")"; fi
}
# drawn DESCRIPTION PATTERN: each erased line is the last of its place, and one has the pattern.
drawn() {
    if grep -q -e "$2" shown; then ok "$1"; else not_ok "$1"; fi
    if grep -q '~' out; then not_ok "$1: the output has none of it"; else ok "$1: the output has none of it"; fi
}
# gone DESCRIPTION: the last line was erased.
gone() {
    if tail -n 1 shown | grep -q '^~$'; then ok "$1"; else not_ok "$1"; fi
}
ball=$PERP_SOURCE/examples/scenes/bouncing_ball.json

"$perp" generate pd --size 10 -q pd.dat || exit 99
"$perp" generate spheres --size 60 -q spheres.dat 2>/dev/null || "$perp" generate pd --size 300 -q spheres.dat

on_terminal 0 "$perp" solve spheres.dat
drawn "a solve shows its error" 'iteration [0-9]* *error [0-9.e+-]*  best'
gone "and takes it away"
on_terminal 0 "$perp" solve -q spheres.dat
if [ -s shown ] || [ -s out ]; then not_ok "-q shows nothing"; else ok "-q shows nothing"; fi

on_terminal 0 "$perp" run "$ball" --until 1000
drawn "a run shows its steps and what is left" '^~\[#*\.*\] step [0-9]*/[0-9]*  t .* steps/s  .* left'
gone "and takes it away, too"
on_terminal 0 "$perp" run -q "$ball" --until 1
if [ -s shown ]; then not_ok "run -q shows nothing"; else ok "run -q shows nothing"; fi

on_terminal 0 "$perp" bench --out table -s gs,nsn --tol 1e-6 pd.dat
drawn "a campaign draws a bar" '^~\[#*\.*\] 1/2.*pd.dat'
drawn "a full one in the end" '^~\[########################\] 2/2'
drawn "then it says what was made" '^~2 runs made in '
on_terminal 0 "$perp" bench --out table -s gs,nsn,lemke --tol 1e-6 pd.dat
drawn "it goes on where it was" '^3 runs, 2 of them are in the file already'
"$perp" bench --out other -s gs,nsn --tol 1e-6 pd.dat >out 2>shown
if grep -q '^1/2 .*pd.dat: solved, error ' shown && ! grep -q "$(printf '\r')" shown; then
    ok "a file gets whole lines"; else not_ok "a file gets whole lines"; fi

mkdir peers
printf '%s\n' '#!/bin/sh' '[ "$1" = --version ] && exit' 'sleep 0.7' \
    'printf "size 3 1 9\nbegin\nrun failed 5 nan nan nan nan nan nan 1e-6 1e-6 1000 slow\n" >&3' >peers/perp-peer-slow
chmod +x peers/perp-peer-slow
on_terminal 0 PERP_PEERS=peers "$perp" bench --out peer -s slow:one --tol 1e-6 --memory 0 pd.dat
drawn "the time of a run that lasts" '^~\[\.*\] 0/1  slow:one 1e-06 .*pd.dat  0\.[3-9] s$'
if "$perp" bench scenes --list >list 2>&1; then
    on_terminal 0 "$perp" bench scenes --scenes rolling:1:0.5 --no-peers --until 3 --step 0.0005 --out scenes
    drawn "whole scenes show their time" '^~2/3  rolling:1:0.5 perp 1e-8  t = [0-9]'
    if grep -q '^~' shown && ! grep -q 'ms a step' shown; then ok "in one line"; else not_ok "in one line"; fi
fi

on_terminal 0 "$perp" bench precision --phases 1 --levels 2 --out precision
drawn "the measurement of accuracy, too" '^~\[#*\.*\] [0-9]*/[0-9]*  '
echo "1..$number"
