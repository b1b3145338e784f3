dnl SPDX-License-Identifier: BSD-3-Clause

dnl PERP_NEED_PKG(VAR, MODULES, DEBIAN-PACKAGES): a pkg-config module that must be there.
AC_DEFUN([PERP_NEED_PKG], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 not found by pkg-config (Debian: apt-get install $3)])])
])

dnl PERP_NEED_LIB(VAR, HEADER, FUNCTION, LIBS, DEBIAN-PACKAGE): a library without a .pc file.
AC_DEFUN([PERP_NEED_LIB], [
  AC_CHECK_HEADER([$2], [], [AC_MSG_ERROR([<$2> not found (Debian: apt-get install $5)])])
  perp_save_LIBS=$LIBS
  LIBS="$4 $LIBS -lm"
  AC_MSG_CHECKING([for $3])
  AC_LINK_IFELSE([AC_LANG_CALL([], [$3])], [AC_MSG_RESULT([yes])],
    [AC_MSG_RESULT([no])
     AC_MSG_ERROR([$3 cannot be linked with $4 (Debian: apt-get install $5)])])
  LIBS=$perp_save_LIBS
  $1_LIBS="$4"
  AC_SUBST([$1_LIBS])
])

dnl PERP_WITH_LIB(name, VAR, HEADER, FUNCTION, LIBS, CPPFLAGS, DEBIAN-PACKAGE, [WHERE-NOT-SAID=auto])
AC_DEFUN([PERP_WITH_LIB], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1],
    [use $1 (Debian: $7) @<:@]m4_default([$8], [auto])[@:>@])], [], [with_$1=]m4_default([$8], [auto]))
  have_$1=no
  AS_IF([test "$with_$1" != no], [
    perp_save_LIBS=$LIBS
    perp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $6"
    LIBS="$5 $LIBS -lm"
    AC_CHECK_HEADER([$3], [
      AC_MSG_CHECKING([for $4])
      AC_LINK_IFELSE([AC_LANG_CALL([], [$4])], [have_$1=yes])
      AC_MSG_RESULT([$have_$1])])
    LIBS=$perp_save_LIBS
    CPPFLAGS=$perp_save_CPPFLAGS
    AS_IF([test "$with_$1:$have_$1" = yes:no],
      [AC_MSG_ERROR([--with-$1 was given and $1 is absent (Debian: apt-get install $7)])])
  ])
  AS_IF([test "$have_$1" = yes], [
    $2_LIBS="$5"
    $2_CFLAGS="$6"
    AC_DEFINE([HAVE_$2], [1], [Define when $1 is used])])
  AC_SUBST([$2_LIBS])
  AC_SUBST([$2_CFLAGS])
  AM_CONDITIONAL([HAVE_$2], [test "$have_$1" = yes])
])

dnl PERP_WITH_PKG(name, VAR, MODULE, MODULE-TO-TRY-NEXT, DEBIAN-PACKAGE)
AC_DEFUN([PERP_WITH_PKG], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1], [use $1 (Debian: $5) @<:@auto@:>@])],
    [], [with_$1=auto])
  have_$1=no
  AS_IF([test "$with_$1" != no], [
    PKG_CHECK_MODULES([$2], [$3], [have_$1=yes],
      [m4_ifval([$4], [PKG_CHECK_MODULES([$2], [$4], [have_$1=yes], [have_$1=no])], [have_$1=no])])
    AS_IF([test "$with_$1:$have_$1" = yes:no],
      [AC_MSG_ERROR([--with-$1 was given and $1 is absent (Debian: apt-get install $5)])])
  ])
  AS_IF([test "$have_$1" = yes], [AC_DEFINE([HAVE_$2], [1], [Define when $1 is used])])
  AM_CONDITIONAL([HAVE_$2], [test "$have_$1" = yes])
])

dnl PERP_WITH_CXX_LIB(name, VAR, HEADER, TYPE, LIBS, CPPFLAGS, DEBIAN-PACKAGE): a C++ library;
dnl a program that default-constructs TYPE is linked.
AC_DEFUN([PERP_WITH_CXX_LIB], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1], [use $1 (Debian: $7) @<:@auto@:>@])],
    [perp_with_$2=$withval], [perp_with_$2=auto])
  have_$2=no
  AS_IF([test "$perp_with_$2" != no], [
    perp_save_LIBS=$LIBS
    perp_save_CPPFLAGS=$CPPFLAGS
    CPPFLAGS="$CPPFLAGS $6"
    LIBS="$5 $LIBS"
    AC_LANG_PUSH([C++])
    AC_MSG_CHECKING([for $4 in $3])
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$3>]], [[$4 x; (void)x;]])], [have_$2=yes])
    AC_MSG_RESULT([$have_$2])
    AC_LANG_POP([C++])
    LIBS=$perp_save_LIBS
    CPPFLAGS=$perp_save_CPPFLAGS
    AS_IF([test "$perp_with_$2:$have_$2" = yes:no],
      [AC_MSG_ERROR([--with-$1 was given and $1 is absent (Debian: apt-get install $7)])])
  ])
  AS_IF([test "$have_$2" = yes], [
    $2_LIBS="$5"
    $2_CFLAGS="$6"])
  AC_SUBST([$2_LIBS])
  AC_SUBST([$2_CFLAGS])
  AM_CONDITIONAL([HAVE_$2], [test "$have_$2" = yes])
])

dnl PERP_WITH_MPI(name, VAR, MODULES, HEADER, FUNCTION, DEBIAN-PACKAGES): a library on MPI, real and in
dnl double precision; its headers are not ours to warn of.
AC_DEFUN([PERP_WITH_MPI], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1],
    [distributed solves on $1 and MPI (Debian: $6) @<:@auto@:>@])], [], [with_$1=auto])
  have_$1=no
  AS_IF([test "$with_$1" != no], [
    PKG_CHECK_MODULES([$2], [$3], [have_$1=maybe], [have_$1=no])
    AS_IF([test "$have_$1" = maybe], [
      $2_CFLAGS=`AS_ECHO(["$$2_CFLAGS"]) | sed 's/-Wdate-time//g; s/-D_FORTIFY_SOURCE=@<:@0-9@:>@//g; s/-I *\//-isystem \//g'`
      have_$1=no
      perp_save_LIBS=$LIBS
      perp_save_CPPFLAGS=$CPPFLAGS
      CPPFLAGS="$CPPFLAGS $$2_CFLAGS"
      LIBS="$$2_LIBS $LIBS"
      AC_MSG_CHECKING([for $5])
      AC_LINK_IFELSE([AC_LANG_PROGRAM([[#include <$4>
#if defined(PETSC_USE_COMPLEX) || !defined(PETSC_USE_REAL_DOUBLE)
#error real numbers in double precision are needed
#endif]], [[PetscBool ready; return (int)$5(&ready);]])], [have_$1=yes])
      AC_MSG_RESULT([$have_$1])
      LIBS=$perp_save_LIBS
      CPPFLAGS=$perp_save_CPPFLAGS])
    AS_IF([test "$with_$1:$have_$1" = yes:no],
      [AC_MSG_ERROR([--with-$1 was given and $1 is absent (Debian: apt-get install $6)])])
  ])
  AM_CONDITIONAL([HAVE_$2], [test "$have_$1" = yes])
  AC_PATH_PROG([MPIRUN], [mpirun])
])
