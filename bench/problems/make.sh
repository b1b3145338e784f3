#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Makes the problems of this folder again and rewrites MANIFEST.
#   bench/problems/make.sh build/perp
set -eu
perp=$(realpath "${1:?usage: make.sh PERP}")
cd "$(dirname "$0")"
exec 3>MANIFEST.new
printf '# name\tkind\tform\tcontacts\tseed\tsha256\tcommand\n' >&3

# add NAME KIND FORM SEED OPTION...
add() {
    name=$1 kind=$2 form=$3 seed=$4
    shift 4
    line="generate $kind --form $form --seed $seed $*"
    # shellcheck disable=SC2086
    contacts=$("$perp" $line "$name" | sed 's/.*; \([0-9]*\) contacts.*/\1/')
    sum=$(sha256sum "$name" | cut -d' ' -f1)
    printf '%s\t%s\t%s\t%s\t%s\t%s\tperp %s %s\n' \
        "$name" "$kind" "$form" "$contacts" "$seed" "$sum" "$line" "$name" >&3
}

add quickstart.hdf5 boxes global 1 --size 400 --mu 0.2
add spheres.hdf5 spheres global 1 --size 300
add spheres-local.hdf5 spheres local 1 --size 300
add boxes-ratio.hdf5 boxes global 1 --size 100 --ratio 100
add arch.hdf5 arch global 1 --size 100
add arch-local.hdf5 arch local 1 --size 100
add grains.hdf5 grains global 1 --size 200
add grains-local.hdf5 grains local 1 --size 200
add chains.hdf5 chains global 1 --size 64
add chains-local.hdf5 chains local 1 --size 64
add rolling.hdf5 spheres global 1 --size 60 --mu 0.5 --mu-r 0.005
mv MANIFEST.new MANIFEST
