/* SPDX-License-Identifier: BSD-3-Clause */
#include "linalg/factor/lu.h"

static void gather(double *work, const perp_lu *lu, const double *b, const int *at)
{
    for (int k = 0; k < lu->n; k++) {
        double t = b[at ? at[lu->p[k]] : lu->p[k]];
        work[k] = lu->scale ? t / lu->scale[k] : t;
    }
}

void perp_lu_solve_at(double *x, const perp_lu *lu, const double *b, const int *at, double *work)
{
    gather(work, lu, b, at);
    /* A column of H has few entries: most of what it reaches stays 0. */
    for (int k = 0; k < lu->n; k++) {
        double t = work[k];
        for (int p = t != 0.0 ? lu->lp[k] : lu->lp[k + 1]; p < lu->lp[k + 1]; p++)
            work[lu->li[p]] -= lu->lx[p] * t;
    }
    if (lu->up) {
        for (int k = lu->n - 1; k >= 0; k--) {
            double t = work[k] /= lu->diagonal[k];
            for (int p = lu->up[k]; p < lu->up[k + 1]; p++)
                work[lu->ui[p]] -= lu->ux[p] * t;
        }
    } else {
        for (int k = lu->n - 1; k >= 0; k--) {
            double t = work[k] / lu->diagonal[k];
            for (int p = lu->lp[k]; p < lu->lp[k + 1]; p++)
                t -= lu->lx[p] * work[lu->li[p]];
            work[k] = t;
        }
    }
    for (int k = 0; k < lu->n; k++)
        x[at ? at[lu->q[k]] : lu->q[k]] = work[k];
}

void perp_lu_solve_transposed(double *x, const perp_lu *lu, const double *b, const int *at,
                              double *work)
{
    for (int k = 0; k < lu->n; k++)
        work[k] = b[at ? at[lu->q[k]] : lu->q[k]];
    for (int k = 0; k < lu->n; k++) {
        double t = work[k];
        if (lu->up) {
            for (int p = lu->up[k]; p < lu->up[k + 1]; p++)
                t -= lu->ux[p] * work[lu->ui[p]];
            work[k] = t / lu->diagonal[k];
        } else {
            for (int p = lu->lp[k]; p < lu->lp[k + 1]; p++)
                work[lu->li[p]] -= lu->lx[p] * t;
        }
    }
    for (int k = lu->n - 1; k >= 0; k--) {
        double t = lu->up ? work[k] : work[k] / lu->diagonal[k];
        for (int p = lu->lp[k]; p < lu->lp[k + 1]; p++)
            t -= lu->lx[p] * work[lu->li[p]];
        work[k] = t;
    }
    for (int k = 0; k < lu->n; k++)
        x[at ? at[lu->p[k]] : lu->p[k]] = lu->scale ? work[k] / lu->scale[k] : work[k];
}
