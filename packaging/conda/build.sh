#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Run by conda build: libraries, command and the package for Python into $PREFIX.
set -eu
./bootstrap
mkdir -p build-conda && cd build-conda
../configure --prefix="$PREFIX" --disable-static \
    --with-hdf5 --with-jansson --with-libxml2 --with-zlib --with-metis --with-qhull \
    --without-mumps --without-lpsolve --without-cvode --without-ode --without-check --without-petsc \
    --without-gmp --without-quadmath \
    --without-siconos --without-siconos-kernel --without-odelcp --without-dart --without-bullet \
    --without-simbody --without-siconos-mechanics
make -j"${CPU_COUNT:-2}"
make install
cd ..
PERP_BUILD="$PWD/build-conda" PERP_BUNDLE=system "$PYTHON" -m pip install --no-deps --no-build-isolation ./python
