/* SPDX-License-Identifier: BSD-3-Clause */
/* Damped semismooth Newton on the Alart-Curnier equation of one contact: [SDN] (16.4)-(16.16), with
 * U = A P + b inserted. */
#include "local/slip.h"

/* Of the error, to which one factor with all starts is to bring it, or the others are not tried. */
static const double FALL = 0.9;

/* Phi and its derivative J (row-major) in r. */
static double equation(double phi[3], double J[9], const perp_contact *contact, double rho,
                       const double r[3])
{
    const double *A = contact->A, mu = contact->mu;
    double y[3], dy[9];
    for (int i = 0; i < 3; i++) {
        const double u = contact->b[i] + (A[i] * r[0] + A[3 + i] * r[1] + A[6 + i] * r[2]);
        y[i] = r[i] - rho * u;
        for (int j = 0; j < 3; j++)
            dy[3 * i + j] = (i == j ? 1.0 : 0.0) - rho * A[3 * j + i];
    }
    for (int k = 0; k < 9; k++)
        J[k] = k % 4 == 0 ? 1.0 : 0.0;
    for (int i = 0; i < 3; i++)
        phi[i] = r[i];
    if (y[0] > 0.0) {
        const double disk = mu * y[0], size = sqrt(y[1] * y[1] + y[2] * y[2]);
        const double d[2] = {size > 0.0 ? y[1] / size : 0.0, size > 0.0 ? y[2] / size : 0.0};
        const int slips = size > disk;
        phi[0] -= y[0];
        for (int i = 1; i < 3; i++)
            phi[i] -= slips ? disk * d[i - 1] : y[i];
        for (int j = 0; j < 3; j++) {
            const double along = d[0] * dy[3 + j] + d[1] * dy[6 + j];
            J[j] -= dy[j];
            for (int i = 1; i < 3; i++) {
                const double inside = dy[3 * i + j];
                const double turned = slips ? disk / size * (inside - d[i - 1] * along) : inside;
                J[3 * i + j] -= turned + (slips ? mu * d[i - 1] * dy[j] : 0.0);
            }
        }
    }
    return phi[0] * phi[0] + phi[1] * phi[1] + phi[2] * phi[2];
}

/* x = -J^-1 f by elimination with row pivoting; zero pivots are moved to eps. */
static void solve(double x[3], const double J[9], const double f[3])
{
    double M[3][4];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++)
            M[i][j] = J[3 * i + j];
        M[i][3] = -f[i];
    }
    for (int k = 0; k < 3; k++) {
        int p = k;
        for (int i = k + 1; i < 3; i++)
            p = fabs(M[i][k]) > fabs(M[p][k]) ? i : p;
        for (int j = 0; j < 4 && p != k; j++) {
            const double t = M[k][j];
            M[k][j] = M[p][j];
            M[p][j] = t;
        }
        if (fabs(M[k][k]) < 1e-15)
            M[k][k] = copysign(1e-15, M[k][k]);
        for (int i = k + 1; i < 3; i++) {
            const double l = M[i][k] / M[k][k];
            for (int j = k; j < 4; j++)
                M[i][j] -= l * M[k][j];
        }
    }
    for (int k = 3; k-- > 0;) {
        double sum = M[k][3];
        for (int j = k + 1; j < 3; j++)
            sum -= M[k][j] * x[j];
        x[k] = sum / M[k][k];
    }
}

static void descend(perp_candidate *best, const perp_contact *contact, double rho,
                    const double start[3])
{
    double r[3] = {start[0], start[1], start[2]}, phi[3], J[9];
    double merit = equation(phi, J, contact, rho, r), stuck = 0.0;
    for (int k = 0; k < 40; k++) {
        (void)perp_contact_consider(best, contact, r);
        if (best->error <= PERP_LOCAL_ACCEPT || stuck > 3.0)
            return;
        double step[3], x[3], next = HUGE_VAL, t = 1.0;
        solve(step, J, phi);
        for (int trial = 0; trial < 12; trial++, t *= 0.5) {
            for (int i = 0; i < 3; i++)
                x[i] = r[i] + t * step[i];
            next = equation(phi, J, contact, rho, x);
            if (next <= (1.0 - 2e-4 * t) * merit)
                break;
        }
        /* No descent, at a kink or a singular Jacobian: a few full steps out of it. */
        if (!(next <= merit)) {
            stuck += 1.0;
            for (int i = 0; i < 3; i++)
                x[i] = r[i] + step[i];
            next = equation(phi, J, contact, rho, x);
        }
        if (!isfinite(next))
            return;
        merit = next;
        for (int i = 0; i < 3; i++)
            r[i] = x[i];
    }
    (void)perp_contact_consider(best, contact, r);
}

perp_status perp_local_newton(double r[3], const double A[9], const perp_local_prep *prep,
                              const double b[3], double mu)
{
    perp_status status;
    if (perp_contact_trivial(r, A, b, mu, &status))
        return status;
    const perp_contact contact = {.A = A, .b = b, .norm = prep->norm, .mu = mu};
    perp_candidate best = {.error = HUGE_VAL};
    descend(&best, &contact, 1.0 / contact.norm, r);
    /* From elsewhere: pressed only, sliding against the free velocity, stuck; with other rho. */
    const double normal = -b[0] / (A[0] > 0.0 ? A[0] : contact.norm), *inv = prep->inverse;
    const perp_circle circle = perp_slip_circle(A, b, mu);
    const double size = hypot(circle.p0, circle.p1);
    const double slide = size > 0.0 ? -mu * normal / size : 0.0;
    double starts[3][3] = {{normal, 0.0, 0.0}, {normal, slide * circle.p0, slide * circle.p1}};
    for (int i = 0; i < 3; i++)
        starts[2][i] = -(inv[i] * b[0] + inv[3 + i] * b[1] + inv[6 + i] * b[2]);
    static const double factors[3] = {1.0, 10.0, 0.1};
    double before = HUGE_VAL;
    for (int k = 0; k < 9 && best.error > PERP_LOCAL_SOLVED; k++) {
        if (k % 3 == 0 && best.error > FALL * before)
            break;
        before = k % 3 == 0 ? best.error : before;
        descend(&best, &contact, factors[k / 3] / contact.norm, starts[k % 3]);
    }
    return perp_contact_finish(r, &best, 0);
}
