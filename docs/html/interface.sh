#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# interface.sh INCLUDE_FOLDER >interface.rst: one section for each public header, in the order of
# the layers.
title() { # TEXT CHARACTER
    printf '%s\n' "$1"
    printf '%s\n\n' "$1" | sed "1s/./$2/g"
}
printf '%s\n\n' '.. SPDX-License-Identifier: BSD-3-Clause'
title Interface '='
echo 'Made from the public headers, which are the manual of each call.'
echo
seen=" "
for header in base problem matrix settings choices solver certificate enumerate equalities feasible avi ncp norms numerics \
    io model relation rotation sim scheme recorder collide kernel scene $(cd "$1/perp" && ls ./*.h | sed 's|^./||; s|\.h$||'); do
    case $seen in *" $header "*) continue ;; esac
    seen="$seen$header "
    [ -e "$1/perp/$header.h" ] || continue
    title "<perp/$header.h>" '-'
    printf '.. doxygenfile:: %s.h\n\n' "$header"
done
