/* SPDX-License-Identifier: BSD-3-Clause */
/* Judges of verdicts in whole numbers of any size (GMP); the doubles of a problem are such numbers
 * times powers of two. */
#ifndef PERP_TESTS_TORTURE_EXACT_H
#define PERP_TESTS_TORTURE_EXACT_H

#include "tests/fixtures/stored.h"

enum { EXACT_MOST = 8 }; /* rows of an enumeration */

/* 1: y proves that no z with all |z_i| < reach solves p (INFINITY: no z at all), by the conditions
 * of <perp/certificate.h>; roots are rounded away from the claim.  Only for HAVE_GMP. */
int exact_proof(const stored_problem *p, const double *y, double reach);

/* What exact_solution() goes through; INFINITY: it does not take p. */
double exact_choices(const stored_problem *p);

/* Vertices of the solution set with all |z_i| < reach, of FREE, NONNEG and BOX rows, n <=
 * EXACT_MOST: 1 when there is one, with its nearest doubles in z.  Only for HAVE_GMP. */
int exact_solution(const stored_problem *p, double reach, double *z);

#endif
