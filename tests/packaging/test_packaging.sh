#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What packages say of the project is what the project says of itself: version, names of shared
# libraries, licence, dependencies, options of configure.
set -u
cd "$PERP_SOURCE" || exit 99
number=0
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
result() { # DESCRIPTION, complaints in $work/log
    number=$((number + 1))
    if [ -s "$work/log" ]; then echo "not ok $number - $1"; sed 's/^/# /' "$work/log"
    else echo "ok $number - $1"; fi
}
echo 1..9

version=$(sed -n 's/^AC_INIT(\[perp\], \[\([^]]*\)\].*/\1/p' configure.ac)
says() { # FILE VERSION
    [ "$2" = "$version" ] || echo "$1: '$2', and configure.ac says $version"
}
{
    says include/perp/base.h "$(sed -n 's/^#define PERP_VERSION_[MP][A-Z]* \([0-9]*\)$/\1/p' include/perp/base.h |
        paste -sd .)"
    says python/pyproject.toml "$(sed -n 's/^version = "\(.*\)"/\1/p' python/pyproject.toml)"
    says python/src/perp/__init__.py "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' python/src/perp/__init__.py)"
    says CITATION.cff "$(sed -n 's/^version: //p' CITATION.cff)"
    says debian/changelog "$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)"
    says packaging/vcpkg/vcpkg.json "$(sed -n 's/^  "version": "\(.*\)",/\1/p' packaging/vcpkg/vcpkg.json)"
    says packaging/conda/meta.yaml "$(sed -n 's/^  version: "\(.*\)"/\1/p' packaging/conda/meta.yaml)"
    for page in docs/man/*.1; do
        says "$page" "$(sed -n 's/^\.TH .*"perp \([^"]*\)".*/\1/p' "$page")"
    done
} >"$work/log"
result "one version"

# CURRENT:REVISION:AGE; the number in the name of a library is CURRENT - AGE.
find . -name module.am -path './[a-z]*' ! -path './build*' | xargs sed -n \
    's/.*-version-info \([0-9]*\):\([0-9]*\):\([0-9]*\).*/\1 \3/p' | awk '{ print $1 - $2 }' | sort -u >"$work/numbers"
{
    [ "$(wc -l <"$work/numbers")" -eq 1 ] || { echo "libraries with several numbers:"; cat "$work/numbers"; }
    so=$(head -n 1 "$work/numbers")
    grep -q "^Package: libperp$so\$" debian/control || echo "debian/control: no package libperp$so"
    [ -e "debian/libperp$so.install" ] || echo "debian/libperp$so.install: not there"
    grep -q "libperp-lp.so.$so\"" numerics/lp/table.h || echo "numerics/lp/table.h: PERP_LP_SONAME is not of number $so"
    # Debian's package is built without PETSc.
    for library in perp-*.pc.in; do
        [ "$library" = perp-petsc.pc.in ] && grep -q -e --without-petsc debian/rules && continue
        grep -q "lib${library%.pc.in}\\.so\$" debian/libperp-dev.install || echo "debian/libperp-dev.install: no ${library%.pc.in}"
    done
} >"$work/log"
result "names of shared libraries"

{
    grep -q '^License: BSD-3-Clause$' debian/copyright || echo debian/copyright
    grep -q '"license": "BSD-3-Clause"' packaging/vcpkg/vcpkg.json || echo packaging/vcpkg/vcpkg.json
    grep -q 'license: BSD-3-Clause' packaging/conda/meta.yaml || echo packaging/conda/meta.yaml
    grep -q '^license: BSD-3-Clause$' CITATION.cff || echo CITATION.cff
    grep -q 'BSD-3-Clause' python/pyproject.toml || echo python/pyproject.toml
    sed -n '/^Redistribution/,$p' LICENSE | sed '/^$/d; s/^ *//' >"$work/licence"
    sed -n '/^ Redistribution/,$p' debian/copyright | sed '/^ \.$/d; s/^ *//' | cmp -s - "$work/licence" ||
        echo "debian/copyright: not the text of LICENSE"
} >"$work/log"
result "one licence"

sed -n 's/^PERP_WITH_[A-Z_]*(\[\([^]]*\)\].*/\1/p' configure.ac | sort >"$work/known"
for file in debian/rules packaging/vcpkg/portfile.cmake packaging/conda/build.sh; do
    grep -o -e '--with\(out\)\?-[a-z][a-z0-9-]*' "$file" | sed 's/^--with\(out\)\?-//' | sort -u | while read -r option; do
        grep -qx -e "$option" "$work/known" || echo "$file: configure knows no --with-$option"
    done
done >"$work/log"
result "options of configure are there"

# What ./quickstart installs to build the libraries with is what Debian's package is built with.
sed -n '/^packages="/,/"$/p' quickstart | tr -s ' "' '\n' | grep '^lib.*-dev$' | while read -r package; do
    grep -q "^ $package\\( <!nocheck>\\)\\?,\$" debian/control || echo "debian/control: no $package"
done >"$work/log"
result "dependencies of Debian's package are those of quickstart"

# What configure left out has no page either: perp-mpi without PETSc.
grep -v '^debian/tmp/' debian/perp-tools.manpages >"$work/log"
result "Debian's manual pages are those that make install installs"

python=${PERP_PYTHON:-python3}
if command -v "$python" >/dev/null 2>&1; then
    "$python" - >"$work/log" 2>&1 <<'END'
import json
import re
port = json.load(open("packaging/vcpkg/vcpkg.json", encoding="utf-8"))
# What a manifest of vcpkg may have, of its keys that are used here.
KEYS = {"name", "version", "description", "license", "supports", "dependencies", "default-features", "features"}
NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def look_at(dependencies):
    for one in dependencies:
        one = {"name": one} if isinstance(one, str) else one
        if not NAME.fullmatch(one["name"]):
            print("vcpkg.json: no name of a port:", one["name"])
        for key in set(one) - {"name", "host", "features", "default-features", "platform"}:
            print(f"vcpkg.json: {one['name']} has {key}")


for key in set(port) - KEYS:
    print("vcpkg.json: has", key)
if not re.fullmatch(r"[0-9]+(\.[0-9]+)*", port["version"]) or not NAME.fullmatch(port["name"]):
    print("vcpkg.json: name or version")
look_at(port["dependencies"])
for name, feature in port["features"].items():
    if not NAME.fullmatch(name) or set(feature) - {"description", "dependencies"}:
        print("vcpkg.json: feature", name)
    look_at(feature["dependencies"])
for name in port["default-features"]:
    if name not in port["features"]:
        print("vcpkg.json: no feature", name)
text = open("packaging/vcpkg/portfile.cmake", encoding="utf-8").read()
for name, feature in port["features"].items():
    if f"{name}:" not in text or not feature["description"]:
        print("portfile.cmake: nothing is done for the feature", name)
try:
    import yaml
except ImportError:
    raise SystemExit
recipe = yaml.safe_load(open("packaging/conda/meta.yaml", encoding="utf-8"))
for part in ("package", "source", "build", "requirements", "test", "about"):
    if part not in recipe:
        print("meta.yaml: no", part)
END
    result "port and recipe can be read"
else
    number=$((number + 1)); echo "ok $number - port and recipe can be read # SKIP no Python"
fi

sh -n packaging/conda/build.sh >"$work/log" 2>&1
result "the script of the recipe can be read"

# The port as CMake reads it, the functions of vcpkg noted in place of made.
if command -v cmake >/dev/null 2>&1; then
    cat >"$work/port.cmake" <<'END'
cmake_minimum_required(VERSION 3.18)
foreach(NAME configure_make install_make fixup_pkgconfig cmake_config_fixup copy_tools install_copyright)
  cmake_language(EVAL CODE "function(vcpkg_${NAME})\nmessage(STATUS \"${NAME}: \${ARGN}\")\nendfunction()")
endforeach()
include("${PORT}")
END
    for features in "" "files;scenes;robots;shapes"; do
        cmake "-DPORT=$PERP_SOURCE/packaging/vcpkg/portfile.cmake" "-DFEATURES=$features" \
            -DCURRENT_PACKAGES_DIR="$work/packages" -P "$work/port.cmake" >"$work/port" 2>&1 ||
            { cat "$work/port"; continue; }
        for step in configure_make install_make fixup_pkgconfig cmake_config_fixup install_copyright; do
            grep -q "^-- $step: " "$work/port" || echo "portfile.cmake: no vcpkg_$step"
        done
        source=$(sed -n 's/^-- configure_make: SOURCE_PATH;\([^;]*\);.*/\1/p' "$work/port")
        [ "$(cd "$source" && pwd -P)" = "$(pwd -P)" ] || echo "portfile.cmake: its source is '$source'"
        # Each option of configure is given once, with or without.
        sed -n 's/^-- configure_make: //p' "$work/port" | tr ';' '\n' | sed -n 's/^--with\(out\)\?-//p' | sort >"$work/given"
        grep -v -x lapack "$work/known" | diff - "$work/given"
        want=$([ -z "$features" ] && echo without || echo with)
        grep -q -e "--$want-hdf5" "$work/port" || echo "portfile.cmake: not --$want-hdf5"
    done >"$work/log" 2>&1
    result "the port asks for what configure knows"
else
    number=$((number + 1)); echo "ok $number - the port asks for what configure knows # SKIP no cmake"
fi
