#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# pip install ./python works offline beside a build tree; a wheel works without it.
set -u
number=0
skip() { echo "1..0 # SKIP $1"; exit 0; }
[ -n "${PERP_PYTHON:-}" ] || skip "no Python with cffi, numpy, setuptools, wheel, pytest and its headers"
[ -e "$PERP_BUILD/.libs/libperp-scene.so" ] || skip "no shared libraries (--disable-shared)"
[ -z "${PERP_SANITIZE_FLAGS:-}" ] || skip "not with sanitizers"
$PERP_PYTHON -c 'import venv, ensurepip, build' 2>/dev/null || skip "no python3-venv or python3-build"

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
try() { # DESCRIPTION COMMAND...
    number=$((number + 1)); what=$1; shift
    if "$@" >"$work/log" 2>&1; then echo "ok $number - $what"
    else echo "not ok $number - $what"; tail -n 40 "$work/log" | sed 's/^/# /'; fi
}
unset LD_LIBRARY_PATH PYTHONPATH
answer='import numpy as np, perp, perp._perp
r = perp.solve(np.eye(3), [-1, 2, 0], perp.Coulomb(0.3))
assert r.solved and perp.generate.spheres(20).n > 0
print(perp._perp.__file__)'
cp -r "$PERP_SOURCE/python" "$work/python" && chmod -R u+w "$work/python" && cd "$work" || exit 99

try "a virtual environment" "$PERP_PYTHON" -m venv --system-site-packages "$work/venv"
try "pip install, offline" "$work/venv/bin/python" -m pip install --no-index --quiet "$work/python"
try "it solves" "$work/venv/bin/python" -c "$answer"
cp "$work/log" "$work/place"
try "it comes from there" grep -q "$work/venv" "$work/place"
# The archive that `build` makes first does not lie beside a build tree: it remembers one.
rm -rf "$work/python/build" "$work/python"/src/*.egg-info
mkdir "$work/tree" && mv "$work/python" "$work/tree/python" && ln -s "$PERP_BUILD" "$work/tree/build"
(unset PERP_BUILD; cd "$work/tree/python" && PKG_CONFIG_LIBDIR=/nonexistent PKG_CONFIG_PATH='' \
    "$PERP_PYTHON" -m build --no-isolation >"$work/build.log" 2>&1)
try "python3 -m build makes a wheel" sh -c "cat '$work/build.log'; ls '$work'/tree/python/dist/perp-*-cp39-abi3-linux_*.whl"
try "the wheel is installed" sh -c "'$work/venv/bin/python' -m pip install --no-index --no-deps --quiet \
    --target '$work/other' '$work'/tree/python/dist/*.whl"
rm -rf "$work/tree" "$work/venv"
try "it solves without the build tree" env -u PERP_BUILD PYTHONPATH="$work/other" "$PERP_PYTHON" -c "$answer"
if command -v ldd >/dev/null 2>&1; then
    ldd "$work/other/perp/_perp.abi3.so" | grep libperp >"$work/libraries"
    try "its libraries are inside" sh -c "cat '$work/libraries'; test -s '$work/libraries' &&
        ! grep -v '$work/other' '$work/libraries'"
fi
echo "1..$number"
