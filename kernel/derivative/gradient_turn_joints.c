/* SPDX-License-Identifier: BSD-3-Clause */
/* Turns of discrete gradients of joints and couplings, in closed form, as a step reads them. */
#include "kernel/derivative/joint_gradient_turn.h"
#include "kernel/derivative/stage_build.h"

enum { MOST = 12 }; /* coordinates of both bodies of a joint */

/* A joint among the systems of the whole: a coupling has several. */
typedef struct part {
    const perp_link *link;
    double factor;
    int bodies, at[2]; /* where its bodies stand in the whole; -1: the motion is prescribed */
} part;

static int place_of(const perp_link *whole, const perp_system *s)
{
    int at = 0;
    for (int k = 0; k < whole->nsystems; at += whole->systems[k++]->nv)
        if (whole->systems[k] == s)
            return at;
    return -1;
}

static part part_of(const perp_link *whole, const perp_link *joint, double factor)
{
    part p = {.link = joint, .factor = factor, .bodies = perp_link_bodies(joint)};
    for (int k = 0; k < p.bodies; k++)
        p.at[k] = place_of(whole, perp_link_body(joint, k));
    return p;
}

/* L += factor B between the bodies that move freely. */
static void add_forces(double *L, int nv, const part *p, double factor, const double *B)
{
    int n = 6 * p->bodies;
    for (int b = 0; b < p->bodies; b++)
        for (int a = 0; a < p->bodies && p->at[b] >= 0; a++)
            for (int j = 0; j < 6 && p->at[a] >= 0; j++)
                for (int i = 0; i < 6; i++)
                    L[p->at[a] + i + (p->at[b] + j) * nv] +=
                        factor * B[6 * a + i + (6 * b + j) * n];
}

/* The row of rates += factor v'B; the body with a prescribed motion has the velocity `guided`. */
static void add_rates(double *out, int rows, const part *p, const double *B, const double *v,
                      double guided)
{
    int n = 6 * p->bodies;
    for (int b = 0; b < p->bodies; b++)
        for (int j = 0; j < 6 && p->at[b] >= 0; j++) {
            const double *column = B + (6 * b + j) * n;
            double sum = 0.0;
            for (int a = 0; a < p->bodies; a++)
                for (int i = 0; i < 6; i++)
                    sum += column[6 * a + i] * (p->at[a] >= 0
                                                    ? v[p->at[a] + i]
                                                    : guided * p->link->guide->v[PERP_GUESS][i]);
            out[(p->at[b] + j) * rows] += p->factor * sum;
        }
}

static void add_part(perp_tape_gradient_turn *out, const perp_link *whole, const part *p,
                     const perp_dg *dg, const double *v_1, const double *v_s)
{
    double B_q[MOST * MOST], B_D[MOST * MOST], unit[6] = {0.0}, late = 1.0 - dg->theta;
    int rows = p->link->rows, rates = perp_dg_role_of(whole) != PERP_DG_JOINT;
    if (rows > 1 || !rates) {
        const double *lambda = whole->lambda;
        perp_joint_gradient_turn(B_q, B_D, p->link, dg->h, lambda);
        add_forces(out->L_q, whole->nv, p, p->factor, B_q);
        add_forces(out->L_D, whole->nv, p, p->factor, B_D);
    }
    for (int i = 0; i < rows && rates; i++) {
        unit[i] = 1.0;
        perp_joint_gradient_turn(B_q, B_D, p->link, dg->h, unit);
        unit[i] = 0.0;
        add_rates(out->U_q + i, rows, p, B_q, v_1, 1.0);
        add_rates(out->U_D + i, rows, p, B_D, v_1, 1.0);
        add_rates(out->S_q + i, rows, p, B_q, v_s, late);
        add_rates(out->S_D + i, rows, p, B_D, v_s, late);
        if (rows == 1) {
            add_forces(out->L_q, whole->nv, p, p->factor * whole->lambda[0], B_q);
            add_forces(out->L_D, whole->nv, p, p->factor * whole->lambda[0], B_D);
        }
    }
}

void perp_tape_turn_coordinate(perp_tape_gradient_turn *out, const perp_link *link,
                               const perp_dg *dg, const double *v_1, const double *v_s)
{
    if (!link->coupling) {
        part p = part_of(link, link, 1.0);
        add_part(out, link, &p, dg, v_1, v_s);
    }
    for (int k = 0; perp_coupling_part(link, k); k++) {
        part p = part_of(link, perp_coupling_part(link, k), perp_coupling_factor(link, k));
        add_part(out, link, &p, dg, v_1, v_s);
    }
}
