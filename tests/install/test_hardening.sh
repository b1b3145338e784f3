#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What configure says of hardening is in the libraries and in the command.
set -u
number=0
check() { # DESCRIPTION COMMAND...
    number=$((number + 1))
    what=$1 && shift
    if "$@" >/dev/null; then echo "ok $number - $what"; else echo "not ok $number - $what"; fi
}
if ! command -v readelf >/dev/null; then
    echo "1..0 # SKIP no readelf"
    exit 0
fi
case " $PERP_HARDENING " in *' -Wl,-z,now '*) ;; *)
    echo "1..0 # SKIP configured without hardening"
    exit 0 ;;
esac
objects=$PERP_BUILD/.libs
files="$objects/perp $objects/libperp-numerics.so $objects/libperp-io.so $objects/libperp-kernel.so \
    $objects/libperp-scene.so"
test -f "$objects/perp" || files=$PERP_BUILD/perp
test ! -f "$objects/libperp-lp.so" || files="$files $objects/libperp-lp.so"
count=0
for file in $files; do count=$((count + 1)); done
echo "1..$((3 * count + 2))"

relro() { readelf -lW "$1" | grep GNU_RELRO; }
bound() { readelf -dW "$1" | grep -E 'BIND_NOW|FLAGS.* NOW'; }
calls() { readelf -sW $files | grep -E "UND .*$1"; }
# Functions of libm that FILE uses and that no library it names gives: with one that does, they have the
# version of that one.
functions="fe[a-z]+env|fmax|fmin|fma|sqrt|pow|exp|log|sin|cos|tan|atan2|hypot|floor|ceil|nextafter|ldexp|ilogb"
named() { # FILE
    readelf --dyn-syms -W "$1" | grep -q '@GLIBC_' || return 0 # a C library without versions
    ! readelf --dyn-syms -W "$1" |
        grep -E " UND ($functions)l?\$"
}
given() { # FLAG PATTERN: where the compiler took FLAG, functions that it calls
    case " $PERP_HARDENING " in *" $1 "*) calls "$2" ;; esac
}
for file in $files; do
    check "the tables of ${file##*/} cannot be written to" relro "$file"
    check "${file##*/} is bound at its start" bound "$file"
    check "${file##*/} names the library of mathematics where it needs it" named "$file"
done
check "stacks are watched" given -fstack-protector-strong '__stack_chk_fail'
check "buffers are watched" given -D_FORTIFY_SOURCE=2 '__[a-z]*printf_chk'
