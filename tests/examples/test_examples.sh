#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The examples run (each judges its own result), the simulations write a table that has as
# many columns in each row as in its head, and the README's first program is examples/first.c.
set -u
number=0
result() { # STATUS DESCRIPTION
    number=$((number + 1))
    if [ "$1" = 0 ]; then echo "ok $number - $2"; else echo "not ok $number - $2"; fi
}
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

simulations="bouncing_ball cam_follower cam_poincare diode_bridge relay rlcd_circuit shaken_pendulum slider_crank
sphere_pile woodpecker"
echo 1..29
for example in first steps equilibrium identify_friction identify_motion constraints box_on_box run_scene $simulations; do
    "$PERP_BUILD/examples/$example" >"$work/said"
    result $? "$example"
    sed 's/^/# /' "$work/said"
done
for example in $simulations; do
    "$PERP_BUILD/examples/$example" "$work/$example.csv" >/dev/null &&
        awk -F, 'NR == 1 { columns = NF }
                 NF != columns || /nan|inf/ { bad = 1 }
                 END { exit bad || NR < 100 || columns < 4 }' "$work/$example.csv"
    result $? "$example writes a table"
done
tail -n +3 "$PERP_SOURCE/examples/first.c" >"$work/program"
sed -n '/^```c$/,/^```$/{p;/^```$/q}' "$PERP_SOURCE/README.md" | grep -v '^```' >"$work/text"
cmp -s "$work/program" "$work/text"
result $? "the README shows examples/first.c"
