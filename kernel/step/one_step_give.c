/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/step/one_step_give.h"

#include <math.h>

#include "kernel/laws/law.h"

/* Largest eigenvalue of a symmetric positive semidefinite matrix of order 2 or 3 without angles, so
 * that it has the same bits everywhere. */
static double largest_of_two(double a, double b, double c)
{
    return 0.5 * (a + c + sqrt((a - c) * (a - c) + 4.0 * b * b));
}

/* Newton's method on the characteristic polynomial from the trace, above all of its zeros, goes down
 * to the largest of them. */
static double largest_of_three(const double A[9])
{
    double b = 0.5 * (A[1] + A[3]), c = 0.5 * (A[2] + A[6]), f = 0.5 * (A[5] + A[7]);
    double trace = A[0] + A[4] + A[8], x = trace;
    double minors =
        A[0] * A[4] - b * b + (A[0] * A[8] - c * c) + (A[4] * A[8] - f * f);
    double det = A[0] * (A[4] * A[8] - f * f) - b * (b * A[8] - f * c) + c * (b * f - A[4] * c);
    for (int k = 0; k < 60; k++) {
        double slope = (3.0 * x - 2.0 * trace) * x + minors;
        double next = slope > 0.0 ? x - (((x - trace) * x + minors) * x - det) / slope : x;
        if (!(next < x))
            break;
        x = next;
    }
    return x;
}

static double norm(const double *block, int ld, int dim)
{
    double A[9];
    if (dim == 1)
        return fabs(block[0]);
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            A[i + j * dim] = block[i + j * ld];
    return dim == 2 ? largest_of_two(A[0], 0.5 * (A[1] + A[2]), A[3]) : largest_of_three(A);
}

void perp_one_step_soften(perp_link *link, const double *block, int ld)
{
    double eps = link->law.relative_compliance;
    int dim = link->law.dim;
    for (int r = 0; eps > 0.0 && r < link->relations; r++) {
        double size = link->on[r] ? eps * norm(block + r * dim * (ld + 1), ld, dim) : 0.0;
        for (int i = r * dim; i < (r + 1) * dim; i++)
            link->soft[i] = size;
    }
}

double perp_one_step_give(const perp_link *link, int i)
{
    int dim = link->law.dim;
    if (!perp_law_is_impact(&link->law) || !link->on[i / dim])
        return 0.0;
    double soft = link->law.relative_compliance > 0.0 ? link->soft[i] : 0.0;
    return soft + (i % dim == 0 ? link->give : 0.0);
}

double perp_one_step_given(const perp_link *link, int i, const double *lambda)
{
    double centred = link->law.relative_compliance > 0.0 && perp_law_is_impact(&link->law)
                         ? link->soft[i] * link->centre[i]
                         : 0.0;
    return perp_one_step_give(link, i) * lambda[i] - centred;
}
