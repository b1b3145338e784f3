/* SPDX-License-Identifier: BSD-3-Clause */
/* Easy problems in other units and with tiny and huge numbers: still solved,
 * and at the ends of the range nothing false is said. */
#include "tests/fixtures/contract.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_N = 64 };

/* q and bounds times t: the same problem, its answer times t. */
static void rescale(stored_problem *p, double t)
{
    for (int i = 0; i < p->n; i++) {
        p->q[i] *= t;
        p->z[i] *= t;
    }
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set set = stored_block(p, k, &row, &dim);
        if (set == PERP_BOX || set == PERP_TRESCA) {
            p->par[0][k] *= t;
            p->par[1][k] *= t;
        }
    }
}

/* z / a and w a in block k: other units, the same problem to the scaled measure. */
static void change_units(stored_problem *p, int reach)
{
    perp_rng rng = {7};
    double *a = calloc((size_t)p->n, sizeof(double));
    ck_assert_ptr_nonnull(a);
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set set = stored_block(p, k, &row, &dim);
        double unit = ldexp(1.0, perp_rng_below(&rng, 2 * reach + 1) - reach);
        for (int i = 0; i < dim; i++)
            a[row + i] = unit;
        if (set == PERP_BOX || set == PERP_TRESCA) {
            p->par[0][k] /= unit;
            p->par[1][k] /= unit;
        }
    }
    for (int i = 0; i < p->n; i++) {
        p->q[i] *= a[i];
        p->z[i] /= a[i];
        for (int j = 0; j < p->n; j++)
            p->M[i + j * p->n] *= a[i] * a[j];
        for (int j = 0; j < p->dofs; j++)
            p->H[j + i * p->dofs] *= a[i];
    }
    free(a);
}

static const char *scenery;
static int scenery_must, scenery_measure;

static void solve_scenery(contract_case *c)
{
    double z[MAX_N], w[MAX_N];
    perp_info info = {.size = sizeof info};
    perp_settings s;
    settings_default(&s);
    s.measure = scenery_measure;
    s.max_iter = scenery_must ? 0 : 300;
    perp_status status = contract_solve(c->type, &c->view->problem, &s, z, w, &info);
    if (scenery_must && status != PERP_SOLVED)
        complain(c->complaints, "%s, %s: %s, error %g", c->name, scenery, perp_status_name(status),
                 info.error);
    if (status < 0)
        return;
    perp_residuals r = contract_judge(c->stored, c->kind, z, NULL);
    double error = s.measure == PERP_MEASURE_SCALED ? r.scaled : contract_error(&r, c->kind);
    if (status == PERP_SOLVED && !(error <= s.tol * 1.001 + 1e-15))
        complain(c->complaints, "%s, %s: false SOLVED, %g", c->name, scenery, error);
    for (int i = 0; i < c->stored->n; i++)
        if (!isfinite(z[i]) || !isfinite(w[i]))
            complain(c->complaints, "%s, %s: not finite", c->name, scenery);
}

static void by_powers_of_ten(stored_problem *p)
{
    rescale(p, scenery[0] == 's' ? 1e-30 : 1e30);
}

static void to_the_ends(stored_problem *p)
{
    rescale(p, scenery[0] == 'v' ? 1e-200 : 1e200);
}

static void other_units(stored_problem *p)
{
    change_units(p, 12);
}

static void each_in(const char *name, void (*change)(stored_problem *), int must, int measure)
{
    scenery = name;
    scenery_must = must;
    scenery_measure = measure;
    contract_each_changed(solve_scenery, change, ZOO_EASY, 1,
                          FEW_STORAGES | 1 << STORED_DELASSUS | 1 << STORED_OPERATOR);
}

START_TEST(small_numbers)
{
    each_in("small q", by_powers_of_ten, 1, PERP_MEASURE_BOTH);
}
END_TEST

START_TEST(large_numbers)
{
    each_in("large q", by_powers_of_ten, 1, PERP_MEASURE_BOTH);
}
END_TEST

START_TEST(vanishing_numbers)
{
    each_in("vanishing q", to_the_ends, 0, PERP_MEASURE_BOTH);
}
END_TEST

START_TEST(enormous_numbers)
{
    each_in("enormous q", to_the_ends, 0, PERP_MEASURE_BOTH);
}
END_TEST

START_TEST(mixed_units)
{
    each_in("other units", other_units, 1, PERP_MEASURE_SCALED);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {small_numbers, large_numbers, vanishing_numbers, enormous_numbers,
                            mixed_units};
    return contract_main("contract-units", tests, (int)(sizeof tests / sizeof tests[0]));
}
