#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The completion for bash offers all commands, options, solvers, settings, choices and kinds.
set -u
if ! bash -c 'type mapfile compgen' >/dev/null 2>&1; then echo "1..0 # SKIP no bash"; exit 0; fi
exec bash -u - <<'SCRIPT'
perp=$PERP_BUILD/perp
source "$PERP_SOURCE/cli/completion/perp.bash"
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
cd "$stage" || exit 99
touch problem.dat
number=0
# offers DESCRIPTION "WANTED..." WORD...: completing the last word offers all that is wanted.
offers() {
    local what=$1 wanted=$2 word missing=
    shift 2
    COMP_WORDS=("$perp" "$@")
    COMP_CWORD=$#
    COMPREPLY=()
    _perp
    number=$((number + 1))
    for word in $wanted; do
        [[ " ${COMPREPLY[*]} " == *" $word "* ]] || missing+=" $word"
    done
    if [[ -z $missing && -n $wanted ]]; then echo "ok $number - $what"
    else echo "not ok $number - $what"; echo "# missing:$missing; offered: ${COMPREPLY[*]}"; fi
}
# Only what begins with the word is offered.
narrows() {
    local what=$1 wanted=$2
    shift 2
    COMP_WORDS=("$perp" "$@")
    COMP_CWORD=$#
    _perp
    number=$((number + 1))
    if [[ ${COMPREPLY[*]} == "$wanted" ]]; then echo "ok $number - $what"
    else echo "not ok $number - $what"; echo "# offered: ${COMPREPLY[*]}"; fi
}

commands=$("$perp" --help | sed -n '/^Commands/,/^$/ s/^  \([a-z]*\) .*/\1/p')
solvers=$("$perp" solvers --all | awk '/^[a-z]/ { print $1 }')
offers "commands" "$commands" ""
for command in $commands "bench report" "bench list" "bench order" "bench precision" "bench scenes"; do
    offers "options of $command" "-h --help" $command -
    offers "all of them" "$("$perp" $command --help | awk '/^  -|^      --/ { for (k = 1; k <= 2; k++) if ($k ~ /^--/) { sub(/\[=.*/, "", $k); sub(/=.*/, "=", $k); print $k } }')" $command -
done
offers "solvers" "$solvers" solve --solver ""
offers "solvers after =" "$solvers" solve --solver = ""
offers "solvers of perp solvers" "$solvers" solvers ""
narrows "the solvers that begin so" "lemke" solve -s lem
offers "settings" "tol= max_iter= relaxation= sweep=" solve -S ""
offers "choices" "forward symmetric" solve -S sweep = ""
narrows "a choice" "symmetric" solve -S sweep = sy
offers "kinds" "spheres boxes arch grains chains ladder pd general infeasible" generate ""
offers "schemes" "moreau-jean event-driven" run --scheme ""
offers "files" "problem.dat" solve prob
offers "files of an option" "problem.dat" solve --start prob
offers "files after a flag" "problem.dat" solve --json prob
narrows "a command" "generate" gen
echo "1..$number"
SCRIPT
