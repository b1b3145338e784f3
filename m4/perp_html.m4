dnl SPDX-License-Identifier: BSD-3-Clause

dnl PERP_HTML: what `make html` needs, none of it needed for anything else.  DOXYGEN,
dnl SPHINX_PYTHON (an interpreter that has Sphinx, Breathe and MyST) and HTML_MISSING, the list of
dnl what was not found.
AC_DEFUN([PERP_HTML], [
  AC_CHECK_PROGS([DOXYGEN], [doxygen])
  AC_CACHE_CHECK([for a python3 with sphinx, breathe and myst_parser], [perp_cv_sphinx_python], [
    perp_cv_sphinx_python=no
    for perp_python in "${PYTHON3:-python3}" /usr/bin/python3; do
      AS_IF([test "$perp_cv_sphinx_python" = no &&
             "$perp_python" -c 'import sphinx, breathe, myst_parser' >/dev/null 2>&1],
        [perp_cv_sphinx_python=$perp_python])
    done])
  AS_IF([test "$perp_cv_sphinx_python" = no], [SPHINX_PYTHON=], [SPHINX_PYTHON=$perp_cv_sphinx_python])
  AC_SUBST([SPHINX_PYTHON])
  HTML_MISSING=
  AS_IF([test -z "$DOXYGEN"], [HTML_MISSING="$HTML_MISSING Doxygen"])
  AS_IF([test -z "$SPHINX_PYTHON"], [HTML_MISSING="$HTML_MISSING Sphinx with Breathe and MyST"])
  AC_SUBST([HTML_MISSING])
])
