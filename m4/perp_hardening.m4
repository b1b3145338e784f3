dnl SPDX-License-Identifier: BSD-3-Clause

dnl PERP_TRY_FLAGS(KIND, FLAGS, PROGRAM): adds FLAGS to PERP_HARDENING_KIND (CFLAGS or LDFLAGS) where
dnl the compiler links PROGRAM with them and says nothing.
AC_DEFUN([PERP_TRY_FLAGS], [
  perp_save_CFLAGS=$CFLAGS
  perp_save_LDFLAGS=$LDFLAGS
  $1="[$]$1 $2"
  CFLAGS="$CFLAGS -Werror"
  AC_MSG_CHECKING([whether $CC takes $2])
  AC_LINK_IFELSE([$3],
    [perp_takes=yes
     PERP_HARDENING_$1="[$]PERP_HARDENING_$1 $2"],
    [perp_takes=no])
  AC_MSG_RESULT([$perp_takes])
  CFLAGS=$perp_save_CFLAGS
  LDFLAGS=$perp_save_LDFLAGS
])

dnl PERP_HARDENING: checks of overflown buffers and stacks, tables that nobody can write to after the
dnl start of a program, and landing pads of indirect jumps, wherever the compiler has them; they go to
dnl PERP_CFLAGS and PERP_LDFLAGS.  _FORTIFY_SOURCE needs optimisation, stays as the user or the
dnl compiler has it, and is left out where a sanitizer replaces the same calls.
AC_DEFUN([PERP_HARDENING], [
  AC_REQUIRE([PERP_COMPILER_FLAGS])
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening], [no flags that stop attacks on overflown buffers])],
    [], [enable_hardening=yes])
  PERP_HARDENING_CFLAGS=
  PERP_HARDENING_LDFLAGS=
  AS_IF([test "$enable_hardening" != no], [
    AS_IF([test -z "$PERP_SANITIZE_FLAGS"], [
      PERP_TRY_FLAGS([CFLAGS], [-D_FORTIFY_SOURCE=2], [AC_LANG_PROGRAM([[
        #include <stdio.h>
        #ifndef __OPTIMIZE__
        #error "no optimisation"
        #endif
      ]])])])
    PERP_TRY_FLAGS([CFLAGS], [-fstack-protector-strong], [AC_LANG_PROGRAM([[#include <stdio.h>]],
      [[char text[64]; return fgets(text, 64, stdin) != NULL]])])
    PERP_TRY_FLAGS([CFLAGS], [-fcf-protection], [AC_LANG_PROGRAM([])])
    PERP_TRY_FLAGS([LDFLAGS], [-Wl,-z,relro], [AC_LANG_PROGRAM([])])
    PERP_TRY_FLAGS([LDFLAGS], [-Wl,-z,now], [AC_LANG_PROGRAM([])])
  ])
  PERP_CFLAGS="$PERP_CFLAGS$PERP_HARDENING_CFLAGS"
  PERP_LDFLAGS=$PERP_HARDENING_LDFLAGS
  AC_SUBST([PERP_LDFLAGS])
  perp_hardening="$PERP_HARDENING_CFLAGS$PERP_HARDENING_LDFLAGS"
  AC_SUBST([perp_hardening])
])
