#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes tests/abi/RELEASE, what programs of a release see: its public headers, and programs that use
# them.  Run from anywhere, at the end of the work on a release; a folder of a release that is out
# is never touched again.
#     tests/abi/freeze.sh 0.1
set -eu
release=$1
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
out=$here/$release
rm -rf "$out"
mkdir -p "$out/perp"
cp "$source"/include/perp/*.h "$source"/include/perp/*.def "$out/perp/"
for program in numerics other_releases; do
    cp "$here/$program.c" "$out/"
done
# Examples that write nothing unless they are told where.
for program in bouncing_ball constraints diode_bridge relay slider_crank sphere_pile; do
    cp "$source/examples/$program.c" "$out/example_$program.c"
done
