#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The scenes in examples/scenes, whole: each ends verified or with remarks, but those whose title says
# what the published scheme leaves.
set -u
perp=$PERP_BUILD/perp
if ! grep -q '^#define HAVE_JANSSON' "$PERP_BUILD/config.h"; then
    echo "1..0 # SKIP configured without jansson"
    exit 0
fi
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' "$stage/out" "$stage/err"; }
for scene in "$PERP_SOURCE"/examples/scenes/*.json; do
    name=$(basename "$scene" .json)
    until=
    case $name in
    sphere_pile) until='--until 1' ;; # the spheres have met by then
    esac
    "$perp" run "$scene" $until >"$stage/out" 2>"$stage/err" </dev/null
    status=$?
    if ! grep -q '^verdict' "$stage/out" || ! grep -q '^unsolved  *none' "$stage/out"; then
        not_ok "$name: a verdict, every step solved"
    elif grep -q '"title".*published' "$scene"; then
        if [ $status = 1 ] && grep -q '^verdict  *not verified' "$stage/out"; then ok "$name: its title says why"
        else not_ok "$name: its title says why"; fi
    elif [ $status = 0 ] && grep -q '^verdict  *\(verified\|done with remarks\)' "$stage/out"; then ok "$name"
    else not_ok "$name"; fi
done
echo "1..$number"
