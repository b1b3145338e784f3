/* SPDX-License-Identifier: BSD-3-Clause */
#include "local/local_rolling.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "linalg/small.h"
#include "local/convex.h"
#include "local/slip.h"
#include "reform/reform_rolling.h"
#include "sets/cone.h"
#include "sets/set.h"

enum { NEWTON_STEPS = 30, HALVINGS = 6 };

/* An error from which Newton is tried in six rows. */
static const double near = 1e-2;

static void image(double *w, const perp_roll *roll, const double *z)
{
    memcpy(w, roll->b, (size_t)roll->dim * sizeof(double));
    perp_small_gemv(w, roll->A, z, roll->dim, roll->dim);
}

/* Keeps z of a point with this error. */
static double keep(perp_roll *roll, const double *z, double error)
{
    if (error < roll->error) {
        roll->error = error;
        memcpy(roll->z, z, (size_t)roll->dim * sizeof(double));
    }
    return error;
}

int perp_roll_lift(double *z, const perp_roll *five, const double *from)
{
    const double six[] = {from[0], from[1], from[2], 0.0, from[3], from[4]};
    int finite = 1;
    memcpy(z, six, sizeof six);
    z[3] = -five->lift[5];
    for (int i = 0; i < 5; i++)
        z[3] -= five->lift[i] * from[i];
    for (int i = 0; i < PERP_ROLLING_ROWS; i++)
        finite &= isfinite(z[i]) != 0;
    return finite;
}

/* Of five rows: the point in the whole, and Newton from there where it is near. */
static double consider_whole(perp_roll *roll, const double *z)
{
    double own[PERP_ROLLING_ROWS];
    if (!perp_roll_lift(own, roll, z))
        return HUGE_VAL;
    double error = perp_roll_consider(roll->whole, own);
    if (error > PERP_LOCAL_ACCEPT && error < near) {
        perp_roll_newton(roll->whole, own);
        error = fmin(error, roll->whole->error);
    }
    return keep(roll, z, error);
}

double perp_roll_consider(perp_roll *roll, const double *z)
{
    const int dim = roll->dim;
    if (roll->whole)
        return consider_whole(roll, z);
    double w[PERP_ROLLING_ROWS], y[PERP_ROLLING_ROWS], x[PERP_ROLLING_ROWS], p[PERP_ROLLING_ROWS];
    double sum = 0.0;
    image(w, roll, z);
    memcpy(y, w, sizeof y);
    y[0] += perp_set_rolling.shift(w, roll->par, dim);
    for (int i = 0; i < dim; i++)
        x[i] = z[i] - y[i] / roll->norm;
    perp_set_rolling.project(p, x, roll->par, dim);
    for (int i = 0; i < dim; i++) {
        double e = p[i] == x[i] ? y[i] : roll->norm * (z[i] - p[i]);
        sum += e * e;
    }
    double scale = fmax(perp_norm(roll->b, dim), roll->norm * perp_norm(z, dim));
    scale = fmax(scale, perp_norm(w, dim));
    return keep(roll, z, scale > 0.0 ? sqrt(sum) / scale : 0.0);
}

/* |F|; J too where it is not NULL. */
static double equations(double *F, double *J, const perp_roll *roll, const double *z)
{
    const int dim = roll->dim;
    const perp_block block = {.dim = (short)dim,
                              .set = PERP_ROLLING,
                              .par = {roll->par[0], roll->par[1], roll->par[2]},
                              .length = 1.0};
    double w[PERP_ROLLING_ROWS], Fw[PERP_ROLL_ENTRIES];
    image(w, roll, z);
    perp_reform_rolling(F, J ? Fw : NULL, J, &block, roll->rho, w, z, 0);
    for (int j = 0; J && j < dim; j++)
        for (int k = 0; k < dim; k++)
            for (int i = 0; i < dim; i++)
                J[i + j * dim] += Fw[i + k * dim] * roll->A[k + j * dim];
    return perp_norm(F, dim);
}

void perp_roll_newton(perp_roll *roll, const double *start)
{
    const int dim = roll->dim;
    double z[PERP_ROLLING_ROWS] = {0.0}, trial[PERP_ROLLING_ROWS] = {0.0};
    double F[PERP_ROLLING_ROWS], G[PERP_ROLLING_ROWS], J[PERP_ROLL_ENTRIES];
    memcpy(z, start, (size_t)dim * sizeof(double));
    double size = equations(F, J, roll, z);
    for (int k = 0; k < NEWTON_STEPS; k++) {
        double next = HUGE_VAL, t = 1.0;
        perp_convex_eliminate(J, F, dim);
        for (int half = 0; half <= HALVINGS; half++, t *= 0.5) {
            for (int i = 0; i < dim; i++)
                trial[i] = z[i] - t * F[i];
            next = equations(G, NULL, roll, trial);
            if (next <= (1.0 - 1e-4 * t) * size)
                break;
        }
        if (!(next < size))
            break;
        memcpy(z, trial, sizeof z);
        if (next <= 1e-4 * size || next * roll->norm <= 1e-10 * perp_norm(roll->b, dim))
            if (perp_roll_consider(roll, z) <= PERP_LOCAL_ACCEPT)
                return;
        size = equations(F, J, roll, z);
    }
    perp_set_rolling.project(trial, z, roll->par, dim);
    (void)perp_roll_consider(roll, z);
    (void)perp_roll_consider(roll, trial);
}

/* z = -A^-1 b, refined once. */
static void rest(perp_roll *roll)
{
    const int dim = roll->dim;
    double z[PERP_ROLLING_ROWS] = {0.0}, M[PERP_ROLL_ENTRIES], w[PERP_ROLLING_ROWS];
    double a[PERP_ROLLING_DISKS];
    for (int k = 0; k < 2; k++) {
        memcpy(M, roll->A, sizeof M);
        image(w, roll, z);
        perp_convex_eliminate(M, w, dim);
        for (int i = 0; i < dim; i++)
            z[i] -= w[i];
        perp_rolling_lengths(a, z, dim);
        for (int d = 0; d < perp_rolling_disks(dim); d++)
            if (!(a[d] <= 1.01 * roll->par[d] * z[0]))
                return;
        if (perp_roll_consider(roll, z) <= PERP_LOCAL_ACCEPT)
            return;
    }
}

/* Three rows: z = n (1, t, r) with t and r at +-mu, +-mu_r, or free (0) with w = 0. */
static void face3(perp_roll *roll, int slides, int rolls)
{
    const double *A = roll->A;
    const double t = slides * roll->par[0], r = rolls * roll->par[1];
    double z[3] = {0.0, 0.0, 0.0}, M[9], w[3];
    for (int k = 0; k < 3; k++) {
        image(w, roll, z);
        int size = 0, row[3] = {0, 1, 2};
        double x[3];
        for (int i = 0; i < 3; i++)
            if (i == 0 || (i == 1 && !slides) || (i == 2 && !rolls))
                row[size++] = i;
        for (int i = 0; i < size; i++) {
            x[i] = w[row[i]];
            M[i] = A[row[i]] + t * A[row[i] + 3] + r * A[row[i] + 6];
            for (int j = 1; j < size; j++)
                M[i + j * size] = A[row[i] + 3 * row[j]];
        }
        perp_convex_eliminate(M, x, size);
        for (int j = 0; j < size; j++)
            z[row[j]] -= x[j];
        z[1] = slides ? t * z[0] : z[1];
        z[2] = rolls ? r * z[0] : z[2];
        if (!(z[0] >= 0.0) || !isfinite(z[0]))
            return;
        if (perp_roll_consider(roll, z) <= PERP_LOCAL_ACCEPT)
            return;
    }
}

static void faces3(perp_roll *roll, const double *guess)
{
    int first_t =
        (guess[1] > 0.9 * roll->par[0] * guess[0]) - (guess[1] < -0.9 * roll->par[0] * guess[0]);
    int first_r =
        (guess[2] > 0.9 * roll->par[1] * guess[0]) - (guess[2] < -0.9 * roll->par[1] * guess[0]);
    face3(roll, first_t, first_r);
    for (int k = 0; k < 9 && roll->error > PERP_LOCAL_ACCEPT; k++)
        face3(roll, k % 3 == 2 ? -1 : k % 3, k / 3 == 2 ? -1 : k / 3);
}

/* Without one of the two parts: the contact of N and rows first .. first + rows - 1. */
static perp_status contact(double *z, const perp_roll *roll, int first, int rows, double mu)
{
    const int n = 1 + rows, dim = roll->dim;
    double A[9], b[3], r[3];
    for (int j = 0; j < n; j++) {
        int col = j ? first + j - 1 : 0;
        b[j] = roll->b[col];
        r[j] = z[col];
        for (int i = 0; i < n; i++)
            A[i + j * n] = roll->A[(i ? first + i - 1 : 0) + col * dim];
    }
    perp_status status;
    if (n == 2) {
        status = perp_local_contact2(r, A, b, mu);
    } else {
        perp_local_prep prep;
        perp_local_prepare(&prep, A, 3);
        status = perp_local_hybrid(r, A, &prep, b, mu);
    }
    memset(z, 0, (size_t)dim * sizeof(double));
    z[0] = r[0];
    for (int j = 1; j < n; j++)
        z[first + j - 1] = r[j];
    return status;
}

/* Steps of the equations: 1 / |A_NN| and 1 / |A_TT|, |A_RR| being the same. */
void perp_roll_measure(perp_roll *roll)
{
    const int dim = roll->dim;
    double sum[2] = {0.0, 0.0}, row[PERP_ROLLING_ROWS] = {0.0};
    for (int j = 0; j < dim; j++) {
        double col = 0.0;
        for (int i = 0; i < dim; i++) {
            double size = fabs(roll->A[i + j * dim]);
            col += size;
            row[i] += size;
        }
        sum[0] = fmax(sum[0], col);
    }
    for (int i = 0; i < dim; i++)
        sum[1] = fmax(sum[1], row[i]);
    roll->norm = sqrt(sum[0] * sum[1]);
    if (!(roll->norm > 0.0))
        roll->norm = 1.0;
    double normal = roll->A[0], tangent = 0.0;
    for (int i = 1; i < dim; i++)
        tangent = fmax(tangent, fabs(roll->A[i * (dim + 1)]));
    roll->rho[0] = 1.0 / (normal > 1e-3 * roll->norm ? normal : roll->norm);
    roll->rho[1] = 1.0 / (tangent > 1e-3 * roll->norm ? tangent : roll->norm);
}

/* A power of two near to 1 / |x|. */
static double unit_of(const double *x, int count)
{
    double most = 0.0;
    int e = 0;
    for (int i = 0; i < count; i++)
        most = fmax(most, fabs(x[i]));
    if (!(most > 0.0) || !isfinite(most))
        return 1.0;
    (void)frexp(most, &e);
    return ldexp(1.0, e > 1000 ? -1000 : e < -1000 ? 1000 : -e);
}

/* The block in its own unit of length, with A and b near to 1: z is then that of the
 * caller times *shrink, rows R divided by the length before. */
static void load(perp_roll *roll, const perp_block *block, const double *A, const double *b,
                 double *shrink)
{
    const int dim = block->dim;
    double up[PERP_ROLLING_ROWS];
    memset(roll, 0, sizeof *roll);
    roll->dim = dim;
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        roll->par[k] = k ? block->par[k] / block->length : block->par[k];
    roll->error = HUGE_VAL;
    for (int j = 0; j < dim; j++) {
        up[j] = j > perp_rolling_rows(dim) ? block->length : 1.0;
        roll->b[j] = up[j] * b[j];
    }
    for (int k = 0; k < dim * dim; k++)
        roll->A[k] = up[k % dim] * up[k / dim] * A[k];
    double small_a = unit_of(roll->A, dim * dim), small_b = unit_of(roll->b, dim);
    for (int k = 0; k < dim * dim; k++)
        roll->A[k] *= small_a;
    for (int j = 0; j < dim; j++)
        roll->b[j] *= small_b;
    *shrink = small_b / small_a;
    perp_roll_measure(roll);
}

void perp_roll_search(perp_roll *roll, const double *guess)
{
    if (roll->dim == 3)
        faces3(roll, guess);
    else
        rest(roll);
    if (roll->error > PERP_LOCAL_ACCEPT)
        perp_roll_newton(roll, guess);
    if (roll->error > PERP_LOCAL_SOLVED) {
        const double none[PERP_ROLLING_ROWS] = {0.0};
        perp_roll_newton(roll, none);
    }
    if (roll->error > PERP_LOCAL_SOLVED && roll->dim > 3)
        perp_roll_faces(roll);
}

/* Disks of six rows without `out`, whose coefficient is 0: a block of those. */
static perp_status two_disks(double *z, const perp_roll *roll, int out)
{
    const int first = out == 0, second = 3 - first - out;
    const int dim = 3 + perp_rolling_count(6, second);
    const perp_block block = {.dim = (short)dim,
                              .set = PERP_ROLLING,
                              .par = {roll->par[first], roll->par[second]},
                              .length = 1.0};
    int row[5] = {0, perp_rolling_first(6, first), perp_rolling_first(6, first) + 1};
    double A[25], b[5], r[5];
    row[3] = perp_rolling_first(6, second);
    row[4] = row[3] + 1;
    for (int j = 0; j < dim; j++) {
        b[j] = roll->b[row[j]];
        r[j] = z[row[j]];
        for (int i = 0; i < dim; i++)
            A[i + j * dim] = roll->A[row[i] + 6 * row[j]];
    }
    perp_status status = perp_local_rolling(r, &block, A, b);
    memset(z, 0, 6 * sizeof(double));
    for (int j = 0; j < dim; j++)
        z[row[j]] = r[j];
    return status;
}

/* With a disk of coefficient 0; -1: there is none. */
static int without(const perp_roll *roll)
{
    int disk = perp_rolling_disks(roll->dim) - 1;
    while (disk >= 0 && roll->par[disk] != 0.0)
        disk--;
    return disk;
}

static perp_status solve(double *z, perp_roll *roll)
{
    const int dim = roll->dim, rows = perp_rolling_rows(dim), out = without(roll);
    if (out >= 0 && dim == 6)
        return two_disks(z, roll, out);
    if (out == 1)
        return contact(z, roll, 1, rows, roll->par[0]);
    if (out == 0)
        return contact(z, roll, 1 + rows, perp_rolling_turns(dim), roll->par[1]);
    perp_roll_search(roll, z);
    if (roll->error > PERP_LOCAL_SOLVED)
        perp_roll_shift(roll);
    if (roll->error < DBL_MAX)
        memcpy(z, roll->z, (size_t)dim * sizeof(double));
    return roll->error <= PERP_LOCAL_SOLVED ? PERP_SOLVED : PERP_STALLED;
}

perp_status perp_local_rolling(double *z, const perp_block *block, const double *A, const double *b)
{
    const int dim = block->dim, rows = perp_rolling_rows(dim);
    double shrink, size[PERP_ROLLING_DISKS] = {0.0};
    perp_roll roll;
    if (b[0] >= 0.0) {
        memset(z, 0, (size_t)dim * sizeof(double));
        return PERP_SOLVED;
    }
    if (perp_roll_modes(z, block, A, b))
        return PERP_SOLVED;
    load(&roll, block, A, b, &shrink);
    double reach = roll.A[0];
    for (int k = 0; k < perp_rolling_disks(dim); k++)
        for (int i = 0; i < perp_rolling_count(dim, k); i++)
            size[k] = perp_length2(size[k], roll.A[(perp_rolling_first(dim, k) + i) * dim]);
    reach += perp_rolling_lever(size, roll.par, dim);
    if (!(reach > 0.0))
        return PERP_INFEASIBLE;
    for (int i = 0; i < dim; i++)
        z[i] *= i > rows ? shrink / block->length : shrink;
    perp_status status = solve(z, &roll);
    for (int i = 0; i < dim; i++)
        z[i] *= i > rows ? block->length / shrink : 1.0 / shrink;
    return status;
}
