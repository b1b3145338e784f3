#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# mutate.sh [COUNT]: about so many mutants of the residual, the stop rule and the check of proofs, spread
# evenly; each is compiled alone, linked before the objects of the library, and given to fast tests until
# one fails.  Exit status 1: one survived that is not in equivalent-mutants.  In a build with Check:
#     make mutants MUTANTS=100
set -u
count=${1:-100}
source=$PERP_SOURCE build=$PERP_BUILD here=$PERP_SOURCE/tests/torture
tests="${MUTANT_TESTS:-linalg/test_exact_sum problem/test_certificate_figures problem/test_residual_exact
handle/test_stop_rule handle/test_stop_limits problem/test_rounding problem/test_certificate problem/test_residual
handle/test_solver_choice solvers/test_lp solvers/test_enumerative handle/test_few_rows
solvers/test_squeezed_bodies solvers/test_proof_search solvers/test_all_solutions}"
files="${MUTANT_FILES:-problem/residual.c problem/residual_blocks.h problem/rounding.c problem/proof.c
problem/proof_columns.c problem/certificate.c linalg/exact_sum.h handle/stop.c}"
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$build" || exit 99
compile="$PERP_COMPILE -I$stage -DHAVE_CONFIG_H -I. -I$source/include -I$source/numerics -I$source"
: >"$stage/all"
for file in $files; do
    awk -f "$here/mutate.awk" "$source/numerics/$file" | sed "s|^|$file |" >>"$stage/all"
done
total=$(wc -l <"$stage/all")
awk -v n="$count" -v total="$total" 'int(NR * n / total) > int((NR - 1) * n / total)' \
    "$stage/all" >"$stage/chosen"
# The sources to compile for a file: itself, or those that include it.
users_of() {
    case $1 in
    problem/residual_blocks.h) echo problem/residual.c ;;
    linalg/exact_sum.h) echo problem/proof.c problem/proof_columns.c problem/rounding.c ;;
    *) echo "$1" ;;
    esac
}
# 0: all tests pass with the objects in $objects.
passes() {
    for test in $tests; do
        own=tests/numerics/$test.o
        test -f "$own" || continue
        # A test of a header alone has it inside.
        if test "$test $file" = "linalg/test_exact_sum linalg/exact_sum.h"; then
            own=$stage/own.o
            $compile -c -o "$own" "$source/tests/numerics/$test.c" >/dev/null 2>&1 || return 1
        fi
        $PERP_COMPILE -o "$stage/test" "$own" $objects .libs/libperp_fixtures.a \
            .libs/libperp_generators.a .libs/libperp_io_objects.a .libs/libperp_numerics_objects.a $PERP_LINK >"$stage/link" 2>&1 ||
            { cat "$stage/link" >&2; exit 99; }
        failed=$test
        CK_FORK=no timeout -k 1 300 "$stage/test" >/dev/null 2>&1 || return 1
    done
    return 0
}
objects= file=
passes || { echo "Bail out! $failed fails without a mutant"; exit 99; }
killed=0 survived=0 equivalent=0 refused=0
while read -r file line operator place; do
    rm -rf "${stage:?}"/problem "$stage"/linalg "$stage"/handle "$stage"/*.o
    mkdir -p "$stage/$(dirname "$file")"
    awk -v line="$line" -v operator="$operator" -v place="$place" -f "$here/mutate.awk" \
        "$source/numerics/$file" >"$stage/$file"
    text=$(sed -n "${line}s/^ *//p" "$source/numerics/$file")
    objects= built=yes
    for user in $(users_of "$file"); do
        object=$stage/$(basename "$user" .c).o
        # A mutated header is found in the stage first; so is what it is included by.
        test -f "$stage/$user" || { mkdir -p "$stage/$(dirname "$user")"; cp "$source/numerics/$user" "$stage/$user"; }
        $compile -c -o "$object" "$stage/$user" >/dev/null 2>&1 || built=no
        objects="$objects $object"
    done
    if test $built = no; then
        refused=$((refused + 1))
    elif ! passes; then
        killed=$((killed + 1))
    elif grep -qF "$file|$operator|$place|$text|" "$here/equivalent-mutants"; then
        equivalent=$((equivalent + 1))
    else
        survived=$((survived + 1))
        echo "survived: $file|$operator|$place|$text|   (line $line)"
    fi
done <"$stage/chosen"
echo "of $total mutants: killed $killed, equivalent $equivalent, not compiled $refused, survived $survived"
test $survived = 0
