dnl SPDX-License-Identifier: BSD-3-Clause
dnl PERP_PYTHON: PYTHON is an interpreter that can build and test python/, or empty.  The build does not
dnl need one; `make check` then leaves its tests out.
AC_DEFUN([PERP_PYTHON], [
  AC_ARG_VAR([PYTHON], [Python 3 with cffi, numpy, setuptools, pytest and its headers, for the tests of python/])
  perp_python_debian="python3-dev python3-cffi python3-numpy python3-setuptools python3-wheel python3-pytest"
  AC_CACHE_CHECK([for a Python with cffi, numpy, setuptools, pytest], [perp_cv_python], [
    perp_cv_python=no
    for candidate in ${PYTHON:-python3 /usr/bin/python3}; do
      AS_IF([$candidate -c 'import sys, os, sysconfig, cffi, numpy, setuptools, wheel, pytest
sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' >/dev/null 2>&1],
        [perp_cv_python=$candidate; break])
    done])
  AS_IF([test "$perp_cv_python" = no], [PYTHON=], [PYTHON=$perp_cv_python])
])
