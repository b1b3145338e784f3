#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The manual pages have every option that --help of a command names.
set -u
LC_ALL=C
export LC_ALL
perp="$PERP_BUILD/perp"
number=0

# PAGE COMMAND...: options that the page lacks.
missing() {
    page=$PERP_SOURCE/docs/man/$1
    shift
    "$perp" "$@" --help | sed -n 's/^ *\(-[a-zA-Z], \)\{0,1\}\(--[a-z][a-z-]*\).*/\2/p' |
        while read -r option; do
            [ "$option" = --help ] || grep -q -e "$(echo "$option" | sed 's/-/\\\\-/g')" "$page" ||
                echo "$option"
        done
}

echo 1..9
for command in solve info convert generate solvers bench verify run view; do
    number=$((number + 1))
    case $command in
    run | view) page=perp-$command.1 ;;
    *) page=perp.1 ;;
    esac
    lacks=$(missing "$page" "$command")
    count=$("$perp" "$command" --help | grep -c -e ' --')
    if [ -z "$lacks" ] && [ "$count" -gt 0 ]; then
        echo "ok $number - $page has the options of perp $command"
    else
        echo "# missing:" $lacks
        echo "not ok $number - $page has the options of perp $command"
    fi
done
