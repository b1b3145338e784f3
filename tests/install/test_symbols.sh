#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# What the objects of the libraries hold and call: no memory that is shared by
# handles, no way to print, end the program or change what belongs to it.
set -u
number=0
objects=$PERP_BUILD/.libs
distributed=$objects/libperp_petsc_objects.a
ours=$(mktemp) || exit 99
trap 'rm -f "$ours"' EXIT
none() { # DESCRIPTION: nothing was found
    number=$((number + 1))
    if [ -s "$ours" ]; then echo "not ok $number - $1"; sed 's/^/# /' "$ours"; else echo "ok $number - $1"; fi
}
writable() { # LIBRARY: its objects that are not constant
    objdump -t "$objects/$1" |
        awk '$4 ~ /^\.t?(data|bss)(\.|$)/ && $4 !~ /^\.data\.rel\.ro/ && $5 != "0000000000000000" ||
             $4 == "*COM*" { print $NF }'
}
calls() { # LIBRARY PATTERN: the functions of others that it calls, of these
    nm -u "$objects/$1" 2>/dev/null | awk '$1 == "U" { print $2 }' | sort -u | grep -E -x "$2"
}

if nm "$objects/libperp_numerics_objects.a" 2>/dev/null | grep -q '__gcov_\|__asan_\|__tsan_'; then
    echo "1..0 # SKIP instrumented objects"
    exit 0
fi
echo 1..10
outputs='v?f?printf|puts|putchar|putc|fput[cs]|fwrite|perror|stdout|stderr|write|v?dprintf|__printf_chk|__fprintf_chk'
ends='_?exit|_Exit|quick_exit|abort|__assert_fail|raise|kill|signal|sigaction|sigprocmask|longjmp'
globals='s?rand(om)?|rand_r|[dlm]rand48|setlocale|uselocale|localeconv|setenv|putenv|getenv|system|fork'
threads='openblas_set_num_threads|omp_set_num_threads|pthread_create'

# Locks of METIS and MUMPS, which keep state of their own.
writable libperp_numerics_objects.a | grep -v -x 'metis_lock\|mumps_lock' >"$ours"
none "numerics has no writable globals"
calls libperp_numerics_objects.a "$outputs|$ends|$globals|$threads|f?open|clock|time" >"$ours"
none "numerics calls nothing that prints, exits or is global"
writable libperp_io_objects.a >"$ours"
none "io has no writable globals"
calls libperp_io_objects.a "v?printf|puts|putchar|perror|stdout|stderr|$ends|$globals|$threads" >"$ours"
none "io calls nothing that prints, exits or is global"
writable libperp_kernel_objects.a >"$ours"
none "the kernel has no writable globals"
calls libperp_kernel_objects.a "$outputs|$ends|$globals|$threads|f?open|clock|time" >"$ours"
none "the kernel calls nothing that prints, exits or is global"
# The way out of ODE's errors belongs to a thread; gnuplot is a process of its own.
writable libperp_scene_objects.a | grep -v -x 'way_out' >"$ours"
none "scenes have no writable globals"
calls libperp_scene_objects.a "v?printf|puts|putchar|perror|stdout|stderr|$(echo "$ends" | sed 's/|longjmp//')|$globals|$threads" >"$ours"
none "scenes call nothing that prints, exits or is global"
if [ -e "$distributed" ]; then
    writable libperp_petsc_objects.a >"$ours"
    none "distributed problems have no writable globals"
    calls libperp_petsc_objects.a "$outputs|$ends|$globals|$threads|f?open|clock|time" >"$ours"
    none "distributed problems call nothing that prints, exits or is global"
else
    echo "ok 9 - distributed problems # SKIP configured without PETSc"
    echo "ok 10 - distributed problems # SKIP configured without PETSc"
fi
