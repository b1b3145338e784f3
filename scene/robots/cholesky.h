/* SPDX-License-Identifier: BSD-3-Clause */
/* Factors of the small matrices of a robot, row by row. */
#ifndef PERP_SCENE_ROBOTS_CHOLESKY_H
#define PERP_SCENE_ROBOTS_CHOLESKY_H

#include <stddef.h>

/* M = L L' in the lower triangle of its place; 0: it is not positive. */
int perp_robot_cholesky(double *M, size_t n);
/* x := L^-1 x and x := L^-T x. */
void perp_robot_solve_lower(const double *L, size_t n, double *x);
void perp_robot_solve_upper(const double *L, size_t n, double *x);

#endif
