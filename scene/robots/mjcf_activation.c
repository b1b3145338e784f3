/* SPDX-License-Identifier: BSD-3-Clause */
/* Activations of actuators: functions of time, for controls are constant. */
#include <math.h>
#include <string.h>

#include "scene/robots/mjcf.h"

perp_mjcf_dynamics perp_mjcf_dynamics_of(const perp_mjcf_reader *r)
{
    static const char *const words[] = {"none", "integrator", "filter", "filterexact", "muscle"};
    static const perp_mjcf_dynamics kinds[] = {PERP_MJCF_DIRECT, PERP_MJCF_INTEGRATOR,
                                               PERP_MJCF_FILTER, PERP_MJCF_FILTER,
                                               PERP_MJCF_MUSCLE};
    const char *word = "none";
    double constant = 0.0;

    if (perp_xml_is(r->at, "muscle"))
        return PERP_MJCF_MUSCLE;
    if (perp_xml_is(r->at, "intvelocity"))
        return PERP_MJCF_INTEGRATOR;
    if (perp_xml_is(r->at, "cylinder"))
        return PERP_MJCF_FILTER;
    if (perp_xml_is(r->at, "position"))
        return perp_mjcf_numbers(r, "timeconst", &constant, 1) > 0 && constant > 0.0
                   ? PERP_MJCF_FILTER
                   : PERP_MJCF_DIRECT;
    if (perp_xml_is(r->at, "general") && perp_mjcf_get(r->at, r->from, r->tag, "dyntype") != NULL)
        word = perp_mjcf_get(r->at, r->from, r->tag, "dyntype");
    for (int k = 0; k < 5; k++)
        if (strcmp(word, words[k]) == 0)
            return kinds[k];
    return PERP_MJCF_OTHER;
}

/* What an activation follows. */
typedef struct law {
    perp_mjcf_dynamics kind;
    double control, constant[3];
} law;

/* 0 up to x = 0, 1 from x = 1 on, with continuous curvature. */
static double rise(double x)
{
    x = fmin(fmax(x, 0.0), 1.0);
    return x * x * x * (10.0 + x * (-15.0 + 6.0 * x));
}

static double rate_of(const law *l, double activation)
{
    double clamped = fmin(fmax(activation, 0.0), 1.0), stretch = 0.5 + 1.5 * clamped;
    double way = l->control - activation, up = l->constant[0] * stretch;
    double down = l->constant[1] / stretch, constant = way > 0.0 ? up : down;

    if (l->kind == PERP_MJCF_FILTER)
        return way / l->constant[0];
    if (l->constant[2] > 0.0)
        constant = down + (up - down) * rise(way / l->constant[2] + 0.5);
    return way / fmax(constant, 1e-15);
}

/* By steps of the classical method of order 4. */
static double advance(const law *l, double a, double h)
{
    enum { STEPS = 8 };

    for (int k = 0; k < STEPS; k++) {
        double s = h / STEPS, k1 = rate_of(l, a), k2 = rate_of(l, a + 0.5 * s * k1);
        double k3 = rate_of(l, a + 0.5 * s * k2), k4 = rate_of(l, a + s * k3);
        a += s / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
    }
    return a;
}

static int read_law(const perp_mjcf_reader *r, law *l)
{
    static const char *const words[] = {"dynprm", "timeconst"};
    int general = perp_xml_is(r->at, "general");
    double of_kind[3] = {1.0, 0.0, 0.0}, many[10];
    int count;

    if (l->kind == PERP_MJCF_MUSCLE && !general) {
        of_kind[0] = 0.01;
        of_kind[1] = 0.04;
        if (perp_mjcf_exactly(r, "tausmooth", of_kind + 2, 1) < 0)
            return -1;
    }
    count = perp_mjcf_numbers(r, words[!general], many, 10);
    if (count < 0)
        return -1;
    memcpy(of_kind, many,
           (size_t)(count < (general ? 3 : 2) ? count
                    : general                 ? 3
                                              : 2) *
               sizeof *of_kind);
    memcpy(l->constant, of_kind, sizeof of_kind);
    if (l->kind == PERP_MJCF_MUSCLE)
        l->control = fmin(fmax(l->control, 0.0), 1.0);
    if (l->kind != PERP_MJCF_INTEGRATOR && !(l->constant[0] > 0.0))
        return perp_robot_fail(r->m->job, r->at, "a time constant is not positive");
    return l->kind == PERP_MJCF_MUSCLE && !(l->constant[1] > 0.0)
               ? perp_robot_fail(r->m->job, r->at, "a time constant is not positive")
               : 0;
}

static int add_entry(const perp_mjcf_reader *r, perp_robot_table *table, int *capacity, double t,
                     double value)
{
    perp_robot_entry *made =
        perp_robot_add(r->m->job, (void **)&table->entries, &table->count, capacity, sizeof *made);
    if (made == NULL)
        return -1;
    made->t = t;
    made->value = value;
    return 0;
}

/* Straight, within the range; longer than any run. */
static int integrate(const perp_mjcf_reader *r, perp_robot_table *table, double start,
                     double control, const double *range)
{
    static const double until = 1e5;
    double bound = control > 0.0 ? range[1] : range[0], reached = (bound - start) / control;
    int capacity = 0;

    table->straight = 1;
    if (add_entry(r, table, &capacity, 0.0, start) != 0)
        return -1;
    if (isfinite(reached) && reached < until)
        return reached > 0.0 ? add_entry(r, table, &capacity, reached, bound) : 0;
    return add_entry(r, table, &capacity, until, start + control * until);
}

int perp_mjcf_activation(const perp_mjcf_reader *r, double start, double control,
                         const double *range, perp_robot_table *table)
{
    law l = {.kind = perp_mjcf_dynamics_of(r), .control = control};
    double a, t = 0.0, step;
    int capacity = 0;

    if (l.kind == PERP_MJCF_DIRECT)
        return add_entry(r, table, &capacity, 0.0, control);
    if (read_law(r, &l) != 0)
        return -1;
    a = fmin(fmax(start, range[0]), range[1]);
    if (l.kind == PERP_MJCF_INTEGRATOR && control != 0.0)
        return integrate(r, table, a, control, range);
    step = (l.kind == PERP_MJCF_MUSCLE ? fmin(l.constant[0], l.constant[1]) : l.constant[0]) / 80.0;
    if (add_entry(r, table, &capacity, 0.0, a) != 0)
        return -1;
    while (l.kind != PERP_MJCF_INTEGRATOR && fabs(l.control - a) > 1e-9 && table->count < 400) {
        a = fmin(fmax(advance(&l, a, step), range[0]), range[1]);
        t += step;
        step *= 1.015;
        if (add_entry(r, table, &capacity, t, a) != 0)
            return -1;
    }
    return 0;
}
