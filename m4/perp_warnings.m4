dnl SPDX-License-Identifier: BSD-3-Clause

dnl Flags that every object of Perp is compiled with, kept apart from the
dnl user's CFLAGS: warnings, no contraction, hidden symbols, and what
dnl --enable-sanitizers and --enable-coverage ask for.  What a sanitizer finds
dnl ends the program, so that no test passes over it.  PERP_INSTRUMENT_FLAGS has the latter alone:
dnl programs of C++ link our objects and need them too.
AC_DEFUN([PERP_COMPILER_FLAGS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers], [address and undefined-behaviour sanitizers;
      --enable-sanitizers=thread for the thread sanitizer])],
    [], [enable_sanitizers=no])
  AC_ARG_ENABLE([coverage], [AS_HELP_STRING([--enable-coverage], [gcov instrumentation])],
    [], [enable_coverage=no])

  PERP_CFLAGS="-std=gnu11 -Wall -Wextra -Wconversion -Wshadow -Wvla -Wpedantic"
  PERP_CFLAGS="$PERP_CFLAGS -ffp-contract=off -fno-math-errno -fvisibility=hidden"
  PERP_SANITIZE_FLAGS=
  AS_CASE([$enable_sanitizers],
    [yes|address], [PERP_SANITIZE_FLAGS="-fsanitize=address,undefined,float-cast-overflow"],
    [thread], [PERP_SANITIZE_FLAGS="-fsanitize=thread"],
    [no], [],
    [AC_MSG_ERROR([--enable-sanitizers takes yes, thread or no])])
  AS_IF([test -n "$PERP_SANITIZE_FLAGS"],
    [PERP_SANITIZE_FLAGS="$PERP_SANITIZE_FLAGS -fno-sanitize-recover=all"
     PERP_CFLAGS="$PERP_CFLAGS $PERP_SANITIZE_FLAGS -fno-omit-frame-pointer"])
  AC_SUBST([PERP_SANITIZE_FLAGS])
  PERP_INSTRUMENT_FLAGS=$PERP_SANITIZE_FLAGS
  AS_IF([test "$enable_coverage" = yes],
    dnl Functions that are inlined for speed in many places stand, and are counted, once.
    [PERP_CFLAGS="$PERP_CFLAGS --coverage -Dalways_inline=__unused__"
     PERP_INSTRUMENT_FLAGS="$PERP_INSTRUMENT_FLAGS --coverage"])
  AC_SUBST([PERP_INSTRUMENT_FLAGS])
  AM_CONDITIONAL([COVERAGE], [test "$enable_coverage" = yes])
  AC_SUBST([PERP_CFLAGS])
])
