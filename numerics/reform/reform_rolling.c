/* SPDX-License-Identifier: BSD-3-Clause */
#include "reform/reform_rolling.h"

#include <string.h>

#include "reform/natural.h"
#include "sets/cone.h"
#include "sets/rolling.h"

/* The disk of n: its coefficient, and dn/dw_N, dn/dz_N. */
typedef struct disk {
    double mu, n, by_w, by_z;
} disk;

/* Rows first .. first + rows - 1 with the step rho. */
static void disk_rows(double *F, double *Fw, double *Fz, int dim, int first, int rows, double rho,
                      const disk *d, const double *w, const double *z)
{
    double t[2] = {0.0, 0.0}, radius = d->mu * d->n;
    for (int i = 0; i < rows; i++)
        t[i] = z[first + i] - rho * w[first + i];
    double length = perp_cone_length(t, rows);
    if (length <= radius) {
        for (int i = first; i < first + rows; i++) {
            F[i] = rho * w[i];
            if (Fw)
                Fw[i + i * dim] = rho;
        }
        return;
    }
    double turn = radius / length;
    for (int i = 0; i < rows; i++) {
        t[i] /= length;
        F[first + i] = z[first + i] - radius * t[i];
        if (Fw)
            Fw[first + i] = -d->mu * d->by_w * t[i];
        if (Fz)
            Fz[first + i] = -d->mu * d->by_z * t[i];
    }
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < rows; i++) {
            int at = first + i + (first + j) * dim;
            double one = i == j ? 1.0 : 0.0, gamma = turn * (one - t[i] * t[j]);
            if (Fw)
                Fw[at] = rho * gamma;
            if (Fz)
                Fz[at] = one - gamma;
        }
}

void perp_reform_rolling(double *F, double *Fw, double *Fz, const perp_block *block,
                         const double *rho, const double *w, const double *z, int force)
{
    const int dim = block->dim;
    double l2 = block->length * block->length, n = force ? z[0] : z[0] - rho[0] * w[0];
    size_t bytes = (size_t)(dim * dim) * sizeof(double);
    disk d = {block->par[0], 0.0, 0.0, 0.0};
    if (n > 0.0)
        d = (disk){block->par[0], n, force ? 0.0 : -rho[0], 1.0};
    if (Fw)
        memset(Fw, 0, bytes);
    if (Fz)
        memset(Fz, 0, bytes);
    perp_reform_normal_row(F, Fw, Fz, dim, rho, w, z);
    for (int k = 0; k < perp_rolling_disks(dim); k++) {
        d.mu = block->par[k];
        disk_rows(F, Fw, Fz, dim, perp_rolling_first(dim, k), perp_rolling_count(dim, k),
                  k ? rho[1] * l2 : rho[1], &d, w, z);
    }
}
