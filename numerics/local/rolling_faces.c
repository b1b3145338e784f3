/* SPDX-License-Identifier: BSD-3-Clause */
/* Four to six rows, loaded: both parts in motion, or one of them. */
#include <math.h>
#include <string.h>

#include "local/convex.h"
#include "local/local_rolling.h"
#include "local/slip.h"

enum { ANGLES = 24 };

/* Rows of N and of a part: 0 is N, the part begins at `first`. */
static int row_of(int first, int i)
{
    return i ? first + i - 1 : 0;
}

/* The part that begins at `moving` moves, the other is at rest: w = 0 there gives
 * z_other = -(C z + c) with C = A_oo^-1 A_o., and a contact in N and the moving part. */
static void one_moves(perp_roll *roll, int moving, int resting, double mu)
{
    const double *A = roll->A;
    double C[8], M[4], S[9], b[3]; /* C: columns N, moving, moving, and c */
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 2; i++) {
            C[2 * j + i] = j < 3 ? A[resting + i + 5 * row_of(moving, j)] : roll->b[resting + i];
            M[i] = A[resting + i + 5 * resting];
            M[2 + i] = A[resting + i + 5 * (resting + 1)];
        }
        perp_convex_eliminate(M, C + 2 * j, 2);
    }
    for (int i = 0; i < 3; i++) {
        const double *a = A + row_of(moving, i);
        b[i] = roll->b[row_of(moving, i)] - a[5 * resting] * C[6] - a[5 * resting + 5] * C[7];
        for (int j = 0; j < 3; j++)
            S[i + 3 * j] = a[5 * row_of(moving, j)] - a[5 * resting] * C[2 * j] -
                           a[5 * resting + 5] * C[2 * j + 1];
    }
    const perp_circle circle = perp_slip_circle(S, b, mu);
    double c[24];
    const int count = perp_circle_roots(c, &circle);
    for (int k = 0; k < count && roll->error > PERP_LOCAL_ACCEPT; k++) {
        const double m0 = mu * c[2 * k], m1 = mu * c[2 * k + 1];
        const double normal = -b[0] / (S[0] + m0 * S[3] + m1 * S[6]);
        if (!(normal >= 0.0) || !isfinite(normal))
            continue;
        double z[5] = {normal};
        z[moving] = m0 * normal;
        z[moving + 1] = m1 * normal;
        for (int i = 0; i < 2; i++)
            z[resting + i] = -(normal * (C[i] + m0 * C[2 + i] + m1 * C[4 + i]) + C[6 + i]);
        if (perp_roll_consider(roll, z) > PERP_LOCAL_ACCEPT)
            perp_roll_newton(roll, z);
    }
}

/* Rolling directions for the sliding direction c: a contact in N and R whose normal
 * column is that of N and T together. */
static void both_move(perp_roll *roll, const double c[2])
{
    const double *A = roll->A, m0 = roll->par[0] * c[0], m1 = roll->par[0] * c[1];
    const double mu = roll->par[1];
    double S[9], d[24];
    const double b[3] = {roll->b[0], roll->b[3], roll->b[4]};
    for (int i = 0; i < 3; i++) {
        const double *a = A + row_of(3, i);
        S[i] = a[0] + m0 * a[5] + m1 * a[10];
        S[3 + i] = a[15];
        S[6 + i] = a[20];
    }
    const perp_circle circle = perp_slip_circle(S, b, mu);
    const int count = perp_circle_roots(d, &circle);
    for (int k = 0; k < count && roll->error > PERP_LOCAL_SOLVED; k++) {
        const double r0 = mu * d[2 * k], r1 = mu * d[2 * k + 1];
        const double n = -b[0] / (S[0] + r0 * S[3] + r1 * S[6]);
        const double z[5] = {n, m0 * n, m1 * n, r0 * n, r1 * n};
        if (n > 0.0 && isfinite(n))
            perp_roll_newton(roll, z);
    }
}

/* Four rows: what is left in N and T, z_S = -(C[0] z_N + C[1] z_T1 + C[2] z_T2 + C[3]). */
typedef struct spin_face {
    double S[9], b[3], C[4];
} spin_face;

/* S at rest (sign 0), or at the edge: sign mu_s z_N. */
static spin_face spin_face_of(const perp_roll *roll, int sign)
{
    const double *A = roll->A;
    spin_face f = {.C = {-sign * roll->par[1], 0.0, 0.0, 0.0}};
    for (int j = 0; sign == 0 && j < 4; j++)
        f.C[j] = (j < 3 ? A[3 + 4 * j] : roll->b[3]) / A[15];
    for (int i = 0; i < 3; i++) {
        f.b[i] = roll->b[i] - A[12 + i] * f.C[3];
        for (int j = 0; j < 3; j++)
            f.S[i + 3 * j] = A[i + 4 * j] - A[12 + i] * f.C[j];
    }
    return f;
}

static void try_spin(perp_roll *roll, const spin_face *f, double n, double t0, double t1)
{
    const double z[4] = {n, t0, t1, -(f->C[0] * n + f->C[1] * t0 + f->C[2] * t1 + f->C[3])};
    for (int i = 0; i < 4; i++)
        if (!isfinite(z[i]))
            return;
    if (n >= 0.0 && perp_roll_consider(roll, z) > PERP_LOCAL_ACCEPT)
        perp_roll_newton(roll, z);
}

static void spin_faces(perp_roll *roll)
{
    static const int signs[] = {0, 1, -1};
    const double mu = roll->par[0];
    for (int k = 0; k < 3 && roll->error > PERP_LOCAL_SOLVED; k++) {
        if (signs[k] == 0 && roll->A[15] == 0.0)
            continue;
        const spin_face f = spin_face_of(roll, signs[k]);
        double M[9], x[3] = {f.b[0], f.b[1], f.b[2]}, c[24];
        memcpy(M, f.S, sizeof M);
        perp_convex_eliminate(M, x, 3);
        try_spin(roll, &f, -x[0], -x[1], -x[2]);
        const perp_circle circle = perp_slip_circle(f.S, f.b, mu);
        const int count = perp_circle_roots(c, &circle);
        for (int i = 0; i < count && roll->error > PERP_LOCAL_SOLVED; i++) {
            const double m0 = mu * c[2 * i], m1 = mu * c[2 * i + 1];
            const double n = -f.b[0] / (f.S[0] + m0 * f.S[3] + m1 * f.S[6]);
            try_spin(roll, &f, n, m0 * n, m1 * n);
        }
    }
}

static void faces5(perp_roll *roll)
{
    one_moves(roll, 1, 3, roll->par[0]);
    if (roll->error > PERP_LOCAL_SOLVED)
        one_moves(roll, 3, 1, roll->par[1]);
    /* cos and sin of 2 pi / ANGLES turn one direction into the next. */
    const double turn0 = 0.96592582628906828675, turn1 = 0.25881904510252076235;
    double c[2] = {1.0, 0.0};
    for (int k = 0; k < ANGLES && roll->error > PERP_LOCAL_SOLVED; k++) {
        const double x = turn0 * c[0] - turn1 * c[1];
        both_move(roll, c);
        c[1] = turn1 * c[0] + turn0 * c[1];
        c[0] = x;
    }
}

/* Six rows, S at rest (sign 0) or at its edge: what is left in N, T and R.  Its answer begins a
 * Newton iteration; where it has several, each point is judged in the whole. */
static void five_rows(perp_roll *roll, int sign, int several)
{
    static const int row[5] = {0, 1, 2, 4, 5};
    const double *A = roll->A, none[PERP_ROLLING_ROWS] = {0.0};
    perp_roll five = {.dim = 5, .par = {roll->par[0], roll->par[1]}, .error = HUGE_VAL};
    double *C = five.lift, z[PERP_ROLLING_ROWS];
    C[0] = -sign * roll->par[2];
    for (int j = 0; sign == 0 && j < 6; j++)
        C[j] = (j < 5 ? A[3 + 6 * row[j]] : roll->b[3]) / A[21];
    for (int i = 0; i < 5; i++) {
        five.b[i] = roll->b[row[i]] - A[row[i] + 18] * C[5];
        for (int j = 0; j < 5; j++)
            five.A[i + 5 * j] = A[row[i] + 6 * row[j]] - A[row[i] + 18] * C[j];
    }
    five.whole = several ? roll : NULL;
    perp_roll_measure(&five);
    perp_roll_search(&five, none);
    if (!several && isfinite(five.error) && perp_roll_lift(z, &five, five.z) &&
        perp_roll_consider(roll, z) > PERP_LOCAL_ACCEPT)
        perp_roll_newton(roll, z);
}

void perp_roll_faces(perp_roll *roll)
{
    if (roll->dim == 4) {
        spin_faces(roll);
        return;
    }
    if (roll->dim == 5) {
        faces5(roll);
        return;
    }
    for (int k = 0; k < 6 && roll->error > PERP_LOCAL_SOLVED; k++)
        if (k % 3 != 1 || roll->A[21] != 0.0)
            five_rows(roll, k % 3 - 1, k / 3);
}
