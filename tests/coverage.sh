#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# coverage.sh [FOLDER]: lines and branches that were run since the build was made, in it, by folder; of
# FOLDER by source, with the lines that were not run and those of which not every branch was.
set -u
folder=${1:-}
test -n "$(find . -name '*.gcno' -print -quit)" ||
    { echo "no coverage in this build: configure --enable-coverage" >&2; exit 2; }
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"; rm -f ./*.gcov' EXIT
build=$PWD
find "$build/numerics" "$build/kernel" "$build/generators" "$build/scene" "$build/distributed" "$build/viewer" \
    "$build/bench" "$build/cli" "$build/tests" \
    -name '*.gcno' >"$stage/notes" 2>/dev/null
# Tests are there for the headers that they run; they themselves are not counted.
# Names of sources may be relative to the build.  One source at a time: gcov names its output by the source
# alone.
while read -r notes; do
    rm -f ./*.gcov
    gcov -b -c "$notes" >/dev/null 2>&1
    for file in ./*.gcov; do
        test -f "$file" && cat "$file"
    done
done <"$stage/notes" | awk -v folder="$folder" '
    # A header is in several: a line counts where one of them has run it.
    /^ +-: +0:Source:/ {
        name = substr($0, index($0, "Source:") + 7)
        ours = match(name, /(^|\/)(numerics|kernel|generators|scene|distributed|viewer|bench|cli)\/.*\.[ch]$/) && name !~ /(^|\/)tests\//
        name = substr(name, RSTART)
        sub(/^\//, "", name)
        next
    }
    !ours { next }
    /^branch / {
        taken = $0 !~ /never executed/ && $4 + 0 > 0
        key = name SUBSEP line SUBSEP branch++
        if (!(key in branches)) { branches[key] = 0; all_b[name]++ }
        if (taken && !branches[key]) { branches[key] = 1; run_b[name]++ }
        next
    }
    /^ *([0-9]+\*?|#####|=====): *[0-9]+:/ {
        split($0, part, ":")
        line = part[2] + 0
        branch = 0
        ran = part[1] !~ /[#=]/
        key = name SUBSEP line
        if (!(key in lines)) { lines[key] = 0; all_l[name]++ }
        if (ran && !lines[key]) { lines[key] = 1; run_l[name]++ }
        text[key] = substr($0, length(part[1]) + length(part[2]) + 3)
    }
    function percent(a, b) { return b > 0 ? 100 * a / b : 100 }
    END {
        for (n in all_l) {
            place = n
            sub(/\/[^\/]*$/, "", place)
            if (folder != "" && index(n, folder) != 1)
                continue
            what = folder != "" ? n : place
            L[what] += all_l[n]; l[what] += run_l[n]; B[what] += all_b[n]; b[what] += run_b[n]
            tL += all_l[n]; tl += run_l[n]; tB += all_b[n]; tb += run_b[n]
        }
        for (w in L)
            printf "%6.1f %% of %5d lines, %6.1f %% of %5d branches  %s\n", percent(l[w], L[w]), L[w],
                percent(b[w], B[w]), B[w], w | "sort -k9"
        close("sort -k9")
        printf "%6.1f %% of %5d lines, %6.1f %% of %5d branches  all\n", percent(tl, tL), tL,
            percent(tb, tB), tB
        if (folder == "")
            exit
        for (k in lines) {
            split(k, at, SUBSEP)
            if (index(at[1], folder) != 1)
                continue
            left = 0
            for (i = 0; (k SUBSEP i) in branches; i++)
                left += !branches[k SUBSEP i]
            if (!lines[k] || left)
                printf "%s:%d: %s%s\n", at[1], at[2], lines[k] ? left " of " i " branches" : "not run",
                    text[k] | "sort -t: -k1,1 -k2,2n"
        }
    }'
