#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# bench/trust: scenes that perp run reads, a table with what their series hold, another perp beside.
set -u
trust=$PERP_BUILD/bench/trust
perp=$PERP_BUILD/perp
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..0 # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
: >out; : >err
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' out err; }
check() { # DESCRIPTION COMMAND...
    what=$1; shift
    if "$@" >out 2>err; then ok "$what"; else not_ok "$what"; fi
}

check "--list" "$trust" --list
cut -d ' ' -f 1 out >names
check "--write" "$trust" --write scenes
for name in $(cat names); do
    check "$name is a scene" "$perp" run "scenes/$name.json" --check
done
if [ "$(ls scenes | wc -l)" = "$(wc -l <names)" ]; then ok "as many as are listed"; else not_ok "as many as are listed"; fi

# The table: a line each, figures in their columns.
check "a run" "$trust" --until 0.1 --keep kept chain-1 ball four-bar
if [ "$(wc -l <out)" = 7 ]; then ok "scenes by the beginning of their names"; else not_ok "scenes by the beginning of their names"; fi
series=kept/out/series.csv
if [ -s $series ] && [ -s kept/report.json ]; then ok "--keep"; else not_ok "--keep"; fi
check "one scene" "$trust" --until 0.1 --keep kept four-bar-points
# Its largest violation again, by other code.
worst=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) if ($k == "violation") c = k; next }
    $c > worst { worst = $c } END { printf "%.1e", worst }' $series)
if awk -v worst="$worst" '$1 == "four-bar-points" { found = $3 == worst && $4 == worst } END { exit !found }' out
then ok "violations are those of the series"; else echo "# $worst"; not_ok "violations are those of the series"; fi
change=$(awk -F, 'NR == 1 { for (k = 1; k <= NF; k++) at[$k] = k; next }
    function abs(x) { return x < 0 ? -x : x }
    function max(x, y) { return x > y ? x : y }
    { e = $at["energy"]; v = $at["potential"]; if (NR == 2) { first = e; lo = hi = v }
      largest = max(largest, abs(e)); fast = max(fast, $at["kinetic"]); hi = max(hi, v); lo = -max(-lo, -v) }
    END { printf "%.1e", (e - first) / max(largest, fast + hi - lo) }' $series)
if awk -v change="$change" '$1 == "four-bar-points" { found = $6 == change } END { exit !found }' out
then ok "and so is the energy"; else echo "# $change"; not_ok "and so is the energy"; fi

# A ball has its closed form before it meets the ground.
check "closed forms" "$trust" --until 0.4 ball oscillator
if awk '$1 == "ball" { good = $14 < 1e-2 } END { exit !good }' out; then ok "errors are small"; else not_ok "errors are small"; fi

check "two perps" "$trust" --until 0.1 --beside "$perp" rods-1
if awk '$2 == "here" { a = $3 $4 $5 $6 } $1 == "beside" { if ($2 $3 $4 $5 != a) bad = 1; n++ } END { exit bad || n != 3 }' out
then ok "agree with themselves"; else not_ok "agree with themselves"; fi
check "another scheme" "$trust" --until 0.1 --scheme schatzman-paoli ball
"$trust" --until 0.1 --scheme euler-moreau ball >out 2>err
if grep -q 'exit 2.*takes no system' out; then ok "what perp refuses is shown"; else not_ok "what perp refuses is shown"; fi
"$trust" nothing >out 2>err
if [ $? = 2 ] && grep -q "no scene is called 'nothing'" err; then ok "an unknown scene"; else not_ok "an unknown scene"; fi
"$trust" --perp ./absent ball >out 2>err
if [ $? = 2 ] && grep -q "could not be run" err; then ok "a perp that is absent"; else not_ok "a perp that is absent"; fi
echo "1..$number"
