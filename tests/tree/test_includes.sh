#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The #include graph of the sources: no circles of folders or of files, and each folder includes
# only what lies below it.
set -u
cd "$PERP_SOURCE" || exit 99
script=$PWD/tests/tree/includes.awk
found=$(mktemp) || exit 99
trap 'rm -f "$found"' EXIT
number=0
none() { # DESCRIPTION PATTERN: no line of $found has it
    number=$((number + 1))
    if grep "$2" "$found" >"$found.bad"; then
        echo "not ok $number - $1"
        sed 's/^/# /' "$found.bad"
    else
        echo "ok $number - $1"
    fi
    rm -f "$found.bad"
}
graph() { # ALLOWED FILE...
    allowed=$1; shift
    awk -v allow="$allowed" -f "$script" "$@"
}
sources() { # FOLDER...
    find "$@" \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.def' \) -print | sort
}

echo 1..5
# What each may include besides itself; nobody but tests includes tests.
allow='include: ; numerics: include; kernel: include numerics/core; scene: include;
generators: include numerics/core;
distributed: include numerics/core numerics/sets numerics/linalg/small.h numerics/problem/blocks.h
numerics/problem/residual_blocks.h numerics/solvers/projection/law_resolvent.h; bench: include numerics kernel generators scene;
viewer: ; cli: include bench/campaign generators scene viewer numerics/core/rng.h; examples: include'
# shellcheck disable=SC2046
graph "$(echo $allow)" $(sources include numerics kernel scene distributed generators bench viewer cli tests examples) >"$found"
none "no circles of folders" '^circle 1'
none "no circles of folders below folders" '^circle 2'
none "no circles of files" '^circle 0'
none "each folder includes what lies below it" '^layer'

# The search itself, on a tree with a circle of each kind and one line that is not allowed.
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$found" "$dir"' EXIT
cd "$dir" && mkdir -p cli bench/x bench/y kernel || exit 99
echo '#include "bench/x/a.h"' >cli/c.h
echo '  # include "cli/c.h"' >bench/x/a.h
echo '#include "../y/b.h"' >bench/x/b.h
echo '#include <bench/x/b.h>' >bench/y/b.h
echo '#include "bench/x/b.h"' >kernel/leads_there.h
graph 'bench: include; kernel: bench/x' cli/c.h bench/x/a.h bench/x/b.h bench/y/b.h kernel/leads_there.h |
    cut -d' ' -f1-5 | sort >"$found"
sort >expected <<EOF
circle 1 bench -> cli
circle 1 cli -> bench
circle 2 bench/x -> bench/y
circle 2 bench/x -> cli
circle 2 bench/y -> bench/x
circle 2 cli -> bench/x
circle 0 bench/x/a.h -> cli/c.h
circle 0 cli/c.h -> bench/x/a.h
circle 0 bench/x/b.h -> bench/y/b.h
circle 0 bench/y/b.h -> bench/x/b.h
layer bench/x/a.h:1 -> cli/c.h
EOF
diff expected "$found" >differences
number=$((number + 1))
if [ -s differences ]; then
    echo "not ok $number - circles are found where they are"
    sed 's/^/# /' differences
else
    echo "ok $number - circles are found where they are"
fi
