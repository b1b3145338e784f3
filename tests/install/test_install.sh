#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# The installed tree serves a consumer in C and one in C++ through pkg-config.
set -u
stage=$(mktemp -d) || exit 99
trap 'rm -rf "$stage"' EXIT
number=0
ok() { number=$((number + 1)); echo "ok $number - $1"; }
not_ok() { number=$((number + 1)); echo "not ok $number - $1"; sed 's/^/# /' "$stage/log"; }
try() { # DESCRIPTION COMMAND...
    what=$1; shift
    if "$@" >"$stage/log" 2>&1; then ok "$what"; else not_ok "$what"; fi
}

unset MAKEFLAGS MFLAGS MAKELEVEL
try "make install DESTDIR" make -C "$PERP_BUILD" install DESTDIR="$stage/root"
pc=$(find "$stage/root" -name perp-io.pc | head -n 1)
export PKG_CONFIG_PATH="${pc%/*}"
lib=$(cd "${pc%/pkgconfig/*}" && pwd)
export LD_LIBRARY_PATH="$lib"
prefix=$(pkg-config --variable=prefix perp-io)
flags="--define-variable=prefix=$stage/root$prefix"
static=
[ -e "$lib/libperp-io.so" ] || static=--static
libs=$(pkg-config $static "$flags" --define-variable=libdir="$lib" --libs perp-io)
cflags=$(pkg-config "$flags" --define-variable=includedir="$stage/root$prefix/include" --cflags perp-io)
san=${PERP_SANITIZE_FLAGS:-}
cp "$PERP_SOURCE/tests/install/consumer.c" "$stage/consumer.c"
cp "$PERP_SOURCE/tests/install/consumer.c" "$stage/consumer.cpp"
# shellcheck disable=SC2086
{
try "C consumer compiles" ${CC:-cc} -std=c11 -Wall -Wextra -Wpedantic -Werror $san $cflags "$stage/consumer.c" $libs -lm -o "$stage/c"
try "C consumer runs" "$stage/c"
try "C++ consumer compiles" ${CXX:-c++} -std=c++17 -Wall -Wextra -Werror $san $cflags "$stage/consumer.cpp" $libs -lm -o "$stage/cpp"
try "C++ consumer runs" "$stage/cpp"
}
try "installed command runs" "$stage/root$prefix/bin/perp" --version
try "manual page is installed" test -s "$stage/root$prefix/share/man/man1/perp.1"
try "header for C++ is installed" test -s "$stage/root$prefix/include/perp/perp.hpp"
try "completion is installed" test -s "$stage/root$prefix/share/bash-completion/completions/perp"
try "manual page of perp run is installed" test -s "$stage/root$prefix/share/man/man1/perp-run.1"
for module in "$PERP_SOURCE"/perp-*.pc.in; do
    module=$(basename "$module" .pc.in)
    if [ "$module" = perp-petsc ] && [ ! -x "$PERP_BUILD/perp-mpi" ]; then
        ok "pkg-config knows $module # SKIP configured without PETSc"
        continue
    fi
    try "pkg-config knows $module" pkg-config --exists "$module"
done

# The object that holds lp_solve is loaded from where it was installed.
if grep -q '^#define HAVE_LPSOLVE' "$PERP_BUILD/config.h" && [ -e "$lib/libperp-numerics.so" ]; then
    printf '2\n0 2 2 2 2\n2 1 1 2\n-5 -6\n' >"$stage/lcp.dat"
    try "libperp-lp is found" "$stage/root$prefix/bin/perp" solve --class lcp --solver lp "$stage/lcp.dat"
    nm -D --defined-only "$lib/libperp-lp.so" | awk '$3 != "perp_lp_table_1"' >"$stage/log"
    if [ -s "$stage/log" ]; then not_ok "libperp-lp shows its table alone"; else ok "libperp-lp shows its table alone"; fi
else
    ok "libperp-lp is found # SKIP not configured"
    ok "libperp-lp shows its table alone # SKIP not configured"
fi

# Only names that begin with perp_ leave the libraries, besides those of gcov and of the linker.
exporting=$(ls "$lib"/libperp-*.so 2>/dev/null | grep -v /libperp-lp)
# shellcheck disable=SC2086
nm -D --defined-only $exporting 2>/dev/null |
    awk 'NF == 3 && $2 ~ /[TDBRV]/ && $3 !~ /^(perp_|_init$|_fini$|_edata$|_end$|__bss_start$|__gcov_|mangle_path$)/' >"$stage/log"
if [ -s "$stage/log" ]; then not_ok "only perp_ symbols are exported"; else ok "only perp_ symbols are exported"; fi
# Each exported function is declared in a public header.
# shellcheck disable=SC2086
nm -D --defined-only $exporting 2>/dev/null |
    awk '$2 == "T" && $3 ~ /^perp_/ { print $3 }' | while read -r symbol; do
    grep -qw "$symbol" "$PERP_SOURCE"/include/perp/*.h || echo "$symbol"
done >"$stage/log"
if [ -s "$stage/log" ]; then not_ok "exports are declared in public headers"; else ok "exports are declared in public headers"; fi

# Another prefix than the build was configured for.
other=$stage/other
try "make install prefix=DIR" make -C "$PERP_BUILD" install prefix="$other"
unset LD_LIBRARY_PATH
export PKG_CONFIG_PATH="$other/lib/pkgconfig"
try "its command runs from there" "$other/bin/perp" --version
try "pkg-config says the prefix" test "$(pkg-config --variable=libdir perp-numerics)" = "$other/lib"
# shellcheck disable=SC2046,SC2086
try "a program links it" ${CC:-cc} $san $(pkg-config --cflags perp-io) "$stage/consumer.c" \
    $(pkg-config $static --libs perp-io) -lm -Wl,-rpath,"$other/lib" -o "$stage/moved"
try "and runs" "$stage/moved"
if [ -s "$stage/lcp.dat" ]; then
    try "libperp-lp is found there" "$other/bin/perp" solve --class lcp --solver lp "$stage/lcp.dat"
else
    ok "libperp-lp is found there # SKIP not configured"
fi
# find_package() of CMake, from there; with perp::petsc where it was built.
if command -v cmake >/dev/null 2>&1; then
    ranks=
    [ ! -e "$other/lib/pkgconfig/perp-petsc.pc" ] || ranks=-DRANKS_CONSUMER=$PERP_SOURCE/tests/install/ranks_consumer.c
    cp -r "$PERP_SOURCE/tests/install/cmake" "$stage/project"
    # shellcheck disable=SC2086
    try "find_package(perp)" cmake -S "$stage/project" -B "$stage/made" -DCMAKE_PREFIX_PATH="$other" \
        -DCONSUMER="$PERP_SOURCE/tests/install/consumer.c" $ranks -DCMAKE_C_FLAGS="$san"
    try "a project of CMake is built" cmake --build "$stage/made"
    try "and runs" "$stage/made/consumer"
    if [ -n "$ranks" ]; then
        try "and one that uses perp::petsc" env OMPI_MCA_btl_vader_single_copy_mechanism=none "$stage/made/ranks_consumer"
    else
        ok "and one that uses perp::petsc # SKIP configured without PETSc"
    fi
    # As Debian's /lib is a link to /usr/lib.
    mkdir "$stage/merged" && ln -s "$other/lib" "$stage/merged/lib"
    # shellcheck disable=SC2086
    try "find_package(perp) through a link" cmake -S "$stage/project" -B "$stage/linked" \
        -DCMAKE_PREFIX_PATH="$stage/merged" -DCONSUMER="$PERP_SOURCE/tests/install/consumer.c" $ranks \
        -DCMAKE_C_FLAGS="$san"
    try "and the project is built" cmake --build "$stage/linked"
else
    for what in "find_package(perp)" "a project of CMake is built" "and runs" "and one that uses perp::petsc" \
        "find_package(perp) through a link" "and the project is built"; do
        number=$((number + 1)); echo "ok $number - $what # SKIP no cmake"
    done
fi
make -s -C "$PERP_BUILD" >"$stage/log" 2>&1 # the libraries of the build again as they were
echo "1..$number"
