/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws: the set that each becomes in the one-step problem. */
#ifndef PERP_KERNEL_LAW_H
#define PERP_KERNEL_LAW_H

#include <perp/problem.h>
#include <perp/relation.h>

enum { PERP_LAW_ROWS = 6 }; /* the most of one relation */

/* Range of each field; where->what names it. */
perp_status perp_law_check(const perp_law *law, int rows, perp_where *where);
/* FREE, NONNEG, BOX, COULOMB or ROLLING. */
perp_set perp_law_set(const perp_law *law);
/* Parameters of the set: (mu), (mu, mu_r or mu_s), (mu, mu_r, mu_s), (lo, hi); the rest 0. */
void perp_law_parameters(double par[PERP_PARAMETERS], const perp_law *law);
/* 1 for laws on the rate of y, which come with an impact: IMPACT, FRICTION. */
int perp_law_is_impact(const perp_law *law);
/* q += e u_start on the normal rows, e_t u_start on the tangential ones, for all relations. */
void perp_law_restitution(double *q, const perp_law *law, const double *u_start, int rows);
/* A drive over a step of length h with weight theta of its end: with y0 the coordinate and u0 its
 * rate by the Jacobian of the step at the start, the law is on
 *
 *     u + *offset + *compliance p,      p the impulse,
 *
 * in place of u (nothing is added where law->drive is NONE).  place: of a servo whose law does not
 * say. */
void perp_law_drive(double *offset, double *compliance, const perp_law *law, double h, double theta,
                    double y0, double u0, double place);
/* 1: friction with rows of moments, against rolling or torsion. */
static inline int perp_law_rolls(const perp_law *law)
{
    return law->kind == PERP_LAW_FRICTION && (law->mu_r > 0.0 || law->mu_s > 0.0);
}
/* Rows of slip of one relation, after the normal row. */
static inline int perp_law_slips(const perp_law *law)
{
    return !perp_law_rolls(law) ? law->dim - 1 : law->dim == 6 ? 2 : law->dim / 2;
}
/* The parts of a law with moments, each with the bound that is parameter k of its set: slip,
 * rolling (of 4 rows torsion), torsion beside rolling. */
typedef struct perp_law_part {
    int first, rows;
} perp_law_part;
enum { PERP_LAW_PARTS = 3 };
static inline int perp_law_parts(const perp_law *law)
{
    return law->dim == 6 ? 3 : 2;
}
static inline perp_law_part perp_law_part_of(const perp_law *law, int k)
{
    int slips = perp_law_slips(law);
    if (k == 0)
        return (perp_law_part){1, slips};
    if (law->dim == 6)
        return k == 1 ? (perp_law_part){4, 2} : (perp_law_part){3, 1};
    return (perp_law_part){1 + slips, law->dim - 1 - slips};
}
/* 1: the normal row is a spring and a damper. */
static inline int perp_law_is_soft(const perp_law *law)
{
    return law->stiffness > 0.0 && law->kind != PERP_LAW_BOX;
}
/* 1: a contact that is soft, or whose one-step problem is. */
static inline int perp_law_gives_way(const perp_law *law)
{
    return (law->kind == PERP_LAW_IMPACT || law->kind == PERP_LAW_FRICTION) &&
           (law->stiffness > 0.0 || law->relative_compliance > 0.0);
}
/* The normal row of such a contact over a step, y0 its gap and `start` what the start of the step adds
 * to the mean rate, (1 - theta) u0: the law is on u + *offset + *compliance p in place of u. */
void perp_law_contact(double *offset, double *compliance, const perp_law *law, double h,
                      double theta, double y0, double start);
/* Impulses of one relation of a contact that are not quite in its cone are made smaller until they
 * are. */
void perp_law_shrink(const perp_law *law, double *impulse);
/* Largest violation of y: -y on unilateral (normal) rows, |y| on bilateral ones, 0 for BOX and for
 * contacts with a stiffness, which are meant to overlap. */
double perp_law_violation(const perp_law *law, const double *y, int rows);

#endif
