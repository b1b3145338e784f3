/* SPDX-License-Identifier: BSD-3-Clause */
#include "solvers/interior/jordan.h"

#include <math.h>

static double dot(const double *a, const double *b, int from, int dim)
{
    double sum = 0.0;
    for (int i = from; i < dim; i++)
        sum += a[i] * b[i];
    return sum;
}

static double tail(const double *x, int dim)
{
    return sqrt(dot(x, x, 1, dim));
}

double perp_jordan_det(const double *x, int dim)
{
    double t = tail(x, dim);
    return (x[0] - t) * (x[0] + t);
}

double perp_jordan_least(double x0, const double *tangent, int dim)
{
    return x0 - sqrt(dot(tangent, tangent, 0, dim - 1));
}

void perp_jordan_product(double *out, const double *a, const double *b, int dim)
{
    double head = dot(a, b, 0, dim), a0 = a[0], b0 = b[0];
    for (int i = 1; i < dim; i++)
        out[i] = a0 * b[i] + b0 * a[i];
    out[0] = head;
}

void perp_jordan_divide(double *out, const double *lambda, const double *b, int dim)
{
    double head = (lambda[0] * b[0] - dot(lambda, b, 1, dim)) / perp_jordan_det(lambda, dim);
    for (int i = 1; i < dim; i++)
        out[i] = (b[i] - head * lambda[i]) / lambda[0];
    out[0] = head;
}

void perp_jordan_inverse(double *out, const double *x, int dim)
{
    double det = perp_jordan_det(x, dim);
    out[0] = x[0] / det;
    for (int i = 1; i < dim; i++)
        out[i] = -x[i] / det;
}

/* In the frame where x is sqrt(det) e the step is one over minus the least eigenvalue. */
double perp_jordan_step(const double *x, const double *d, int dim)
{
    double root = sqrt(perp_jordan_det(x, dim)), square = 0.0;
    double head = (x[0] * d[0] - dot(x, d, 1, dim)) / root;
    double factor = (head + d[0]) / (x[0] / root + 1.0) / root;
    for (int i = 1; i < dim; i++) {
        double t = d[i] - factor * x[i];
        square += t * t;
    }
    double least = (head - sqrt(square)) / root;
    return least < 0.0 ? -1.0 / least : INFINITY;
}

static double clipped(double value, double low, double high, double least)
{
    double target = value < low ? low : value > high ? high : value;
    return fmax(target - value, least);
}

void perp_jordan_push(double *move, const double *x, double low, double high, double least, int dim)
{
    double t = tail(x, dim);
    double small = clipped(x[0] - t, low, high, least), large = clipped(x[0] + t, low, high, least);
    if (dim == 1) {
        move[0] = large;
        return;
    }
    double factor = t > 0.0 ? 0.5 * (large - small) / t : 0.0;
    for (int i = 1; i < dim; i++)
        move[i] = factor * x[i];
    move[0] = 0.5 * (small + large);
}

int perp_nt_scaling(double *p, double *r, double *eta, const double *x, const double *y, int dim)
{
    double dx = perp_jordan_det(x, dim), dy = perp_jordan_det(y, dim);
    if (!(dx > 0.0 && dy > 0.0 && x[0] > 0.0 && y[0] > 0.0) || isinf(dx) || isinf(dy))
        return 0;
    double fx = 1.0 / sqrt(dx), fy = 1.0 / sqrt(dy);
    double g = sqrt(0.5 * (1.0 + fx * fy * dot(x, y, 0, dim)));
    for (int i = 1; i < dim; i++)
        p[i] = 0.5 * (fy * y[i] - fx * x[i]) / g;
    p[0] = sqrt(1.0 + dot(p, p, 1, dim));
    r[0] = sqrt(0.5 * (p[0] + 1.0));
    for (int i = 1; i < dim; i++)
        r[i] = 0.5 * p[i] / r[0];
    *eta = sqrt(fx / fy);
    return isfinite(p[0]) && isfinite(*eta) && *eta > 0.0;
}

void perp_nt_apply(double *out, double factor, const double *p, const double *v, int dim)
{
    double twice = 2.0 * dot(p, v, 0, dim), head = v[0];
    for (int i = 1; i < dim; i++)
        out[i] = factor * (twice * p[i] + v[i]);
    out[0] = factor * (twice * p[0] - head);
}

void perp_nt_undo(double *out, double factor, const double *p, const double *v, int dim)
{
    double twice = 2.0 * (p[0] * v[0] - dot(p, v, 1, dim)), head = v[0];
    for (int i = 1; i < dim; i++)
        out[i] = (v[i] - twice * p[i]) / factor;
    out[0] = (twice * p[0] - head) / factor;
}
