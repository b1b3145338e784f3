#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# --json: one valid document on standard output, whatever the outcome, with numbers that round-trip.
set -u
perp=$PERP_BUILD/perp
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
if ! python3 -c 'import json' 2>/dev/null; then echo "1..0 # SKIP no python3"; exit 0; fi
number=0
# document STATUS DESCRIPTION CONDITION ARGUMENT...: the document d fulfils the condition (Python).
document() {
    expected=$1; what=$2; condition=$3; shift 3
    number=$((number + 1))
    "$perp" "$@" >out 2>err </dev/null
    status=$?
    if [ "$status" = "$expected" ] && python3 - "$condition" >log 2>&1 <<'SCRIPT'
import json, math, sys
def refuse(word):
    raise ValueError(word)
d = json.load(open("out", encoding="utf-8"), parse_constant=refuse)
assert d["perp"] and d["command"]
assert eval("(" + sys.argv[1] + ")"), d
SCRIPT
    then echo "ok $number - $what"
    else echo "not ok $number - $what"; echo "# exit status $status, expected $expected"; sed 's/^/# /' log err; fi
}

"$perp" generate spheres --size 30 --form local -q s.dat
"$perp" generate infeasible --size 30 -q none.dat
"$perp" generate pd --size 10 --rows lcp -q lcp.dat
"$perp" solve s.dat --solver gs -q --out s.txt
cp s.dat "$(printf 'a"b\\c\ttab.dat')"
cp s.dat "$(printf 'latin-\351.dat')"

document 0 "solve" 'd["status"] == "PERP_SOLVED" and d["exit"] == 0 and d["residuals"]["natural"] <= 1e-8
    and d["problem"]["rows"] == 3 * d["problem"]["contacts"] and d["problem"]["sets"][0]["set"] == "COULOMB"
    and d["stages"] and d["certificate"] is None and d["sentence"]' solve s.dat --json
document 0 "solve, verbose: numbers round-trip" '"tol" in d["settings"] and d["settings"]["tol"] == 1e-8
    and d["settings"]["sweep"] == "forward"
    and all(abs(float(line.split()[0]) - z) == 0 for line, z in
            zip([l for l in open("s.txt") if not l.startswith("#")][-len(d["z"]):], d["z"]))' \
    solve s.dat --solver gs --json --verbose
document 1 "stopped early" 'd["status"] == "PERP_ITERATION_LIMIT" and d["exit"] == 1' \
    solve s.dat --json --set max_iter=1
document 3 "no solution" 'd["status"] == "PERP_INFEASIBLE" and d["exit"] == 3
    and d["certificate"]["kind"] == "infeasible" and d["certificate"]["holds"]
    and len(d["certificate"]["y"]) == 30' solve none.dat --json
document 0 "all solutions" 'len(d["solutions"]) == 1 and len(d["solutions"][0]["z"]) == 10' solve lcp.dat --all --json
document 3 "none of them" 'd["solutions"] == [] and d["exit"] == 3' solve none.dat --all --json
document 2 "a missing file" 'd["exit"] == 2 and "nothing.dat" in d["sentence"]' solve nothing.dat --json
document 2 "a missing file, all solutions" 'd["exit"] == 2' solve nothing.dat --all --json
document 2 "a solver that does not fit" 'd["exit"] == 2 and "COULOMB" in d["sentence"]' solve s.dat -s lemke --json
document 2 "an unknown solver" '"did you mean" in d["sentence"]' solve s.dat -s gss --json
document 0 "names with quotes" 'd["problem"]["file"] == "a\"b\\c\ttab.dat"' solve "$(printf 'a"b\\c\ttab.dat')" --json
document 0 "names that are no UTF-8" 'd["problem"]["file"] == "latin-�.dat"' solve "$(printf 'latin-\351.dat')" --json
document 0 "info" 'd["mu"]["low"] <= d["mu"]["high"] and d["matrix"]["rows"] == d["problem"]["rows"]
    and d["singular_values"]["largest"] > 0 and d["stored_solution"] is None' info s.dat --json
document 0 "info without contacts: null" 'd["mu"] is None and d["density"] is None and d["closing"] is None' \
    info lcp.dat --json
document 2 "info of a missing file" 'd["exit"] == 2' info nothing.dat --json
"$perp" solve none.dat -q --proof proof.txt
document 0 "a proof" 'd["certificate"]["holds"]' info none.dat --proof proof.txt --json
document 2 "a proof that is none" 'd["exit"] == 2' info none.dat --proof s.txt --json

if ! "$perp" run x.json 2>&1 | grep -q libjansson-dev; then
    scene=$PERP_SOURCE/examples/scenes/bouncing_ball.json
    document 0 "run" 'd["status"] == "done" and d["steps"] == 200 and d["unsolved"] == 0 and d["t"] == 1' \
        run "$scene" --until 1 --json
    document 0 "run --check" 'd["status"] == "valid"' run "$scene" --check --json
    document 2 "a missing scene" 'd["exit"] == 2' run nothing.json --json
fi

document 0 "bench" 'd["made"] == 2 and d["results"] == "r.csv"' bench lcp.dat --memory 0 -o r.csv -r 1 --json
document 0 "bench again" 'd["made"] == 0 and d["present"] == 2' bench lcp.dat --memory 0 -o r.csv -r 1 --json
document 0 "bench list" 'len(d["runs"]) == 2 and d["runs"][0]["status"] == "solved"
    and d["runs"][0]["residuals"]["natural"] <= 1e-4' bench list r.csv --json
document 0 "bench report" 'len(d["scores"]) == 2 and d["scores"][0]["solved"] == 1 and d["ratios"] == []' \
    bench report r.csv --json
document 2 "bench report of nothing" 'd["exit"] == 2' bench report nothing.csv --json
document 2 "bench list of nothing" 'd["exit"] == 2' bench list nothing.csv --json
echo "1..$number"
