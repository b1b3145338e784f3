/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of motions under discrete-gradient beside central differences of whole runs, adjoint
 * beside forward, and runs that are recorded beside those that are not. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/tape_world.h"

typedef struct recorded {
    tape_world w;
    perp_tape *tape;
    int dofs, count, steps;
} recorded;

static perp_status record(recorded *r, const tape_case *c, int steps)
{
    perp_tape_settings settings;
    perp_tape_parameter list[TAPE_PARAMETERS];
    perp_where where = {NULL, -1, -1};
    perp_tape_info info = {.size = sizeof info};
    tape_use_scheme("discrete-gradient");
    tape_world_open(&r->w, c, c->p, NULL);
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = c->differences;
    ck_assert_int_eq(perp_tape_create(&r->tape, r->w.r.sim, &settings, NULL, &where), PERP_SOLVED);
    c->list(list, &r->w);
    perp_status status = perp_tape_set_parameters(r->tape, c->count, list, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s of %d", c->name, where.what, where.index);
    tape_world_run(&r->w, steps);
    ck_assert_int_eq(perp_tape_info_get(r->tape, &info), PERP_SOLVED);
    r->dofs = tape_world_dofs(&r->w);
    r->count = c->count;
    r->steps = steps;
    if (info.status != PERP_SOLVED && getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%s: %s %s %d at step %ld: %s\n", c->name, perp_status_name(info.status),
                info.where.what, info.where.index, info.step, info.detail);
    return info.status;
}

static void forget(recorded *r)
{
    perp_tape_destroy(r->tape);
    tape_world_close(&r->w);
}

/* One direction in everything. */
typedef struct direction {
    double q[TAPE_DOFS], v[TAPE_DOFS], p[TAPE_PARAMETERS], *forces;
} direction;

static void draw(direction *d, const recorded *r, perp_rng *rng)
{
    size_t numbers = (size_t)r->steps * (size_t)r->dofs;
    for (int i = 0; i < TAPE_DOFS; i++) {
        d->q[i] = perp_rng_signed(rng);
        d->v[i] = perp_rng_signed(rng);
    }
    for (int i = 0; i < TAPE_PARAMETERS; i++)
        d->p[i] = perp_rng_signed(rng);
    d->forces = calloc(numbers + 1, sizeof(double));
    for (size_t i = 0; i < numbers; i++)
        d->forces[i] = perp_rng_signed(rng);
}

/* The motion with everything moved by `by`; which: or of 1 state, 2 parameters, 4 forces. */
static void run_moved(tape_world *w, const tape_case *c, const direction *d, int which, double by,
                      int steps)
{
    double p[TAPE_PARAMETERS];
    for (int i = 0; i < TAPE_PARAMETERS; i++)
        p[i] = c->p[i] + (which & 2 ? by * d->p[i] : 0.0);
    tape_world_open(w, c, p, NULL);
    int dofs = tape_world_dofs(w);
    size_t numbers = (size_t)(steps * dofs);
    double *forces = calloc(numbers + 1, sizeof(double));
    for (size_t i = 0; i < numbers; i++)
        forces[i] = by * d->forces[i];
    if (which & 1)
        tape_world_shift(w, d->q, d->v, by);
    if (which & 4)
        w->forces = forces;
    tape_world_run(w, steps);
    w->forces = NULL;
    free(forces);
}

/* Largest difference between differences of two step lengths, and of the better one from dq, dv. */
static double compare(const tape_case *c, const recorded *r, const direction *d, int which,
                      const double *dq, const double *dv)
{
    static const double by[2] = {2e-5, 1e-5};
    double found[2][2][TAPE_DOFS], worst = 0.0;
    for (int k = 0; k < 2; k++) {
        tape_world plus, minus;
        run_moved(&plus, c, d, which, by[k], r->steps);
        run_moved(&minus, c, d, which, -by[k], r->steps);
        tape_world_difference(found[k][0], found[k][1], &plus, &minus);
        tape_world_close(&plus);
        tape_world_close(&minus);
        for (int i = 0; i < 2 * TAPE_DOFS; i++)
            found[k][i / TAPE_DOFS][i % TAPE_DOFS] /= 2.0 * by[k];
    }
    for (int i = 0; i < r->dofs; i++) {
        double q = (4.0 * found[1][0][i] - found[0][0][i]) / 3.0;
        double v = (4.0 * found[1][1][i] - found[0][1][i]) / 3.0;
        worst = fmax(worst, fabs(q - dq[i]) / (1.0 + fabs(q)));
        worst = fmax(worst, fabs(v - dv[i]) / (1.0 + fabs(v)));
    }
    return worst;
}

static int has_joints(const tape_case *c)
{
    return strstr(c->name, " and ") || strcmp(c->name, "gear") == 0 ||
           strcmp(c->name, "limit") == 0;
}

/* State, parameters and forces, each alone; a state moved off its joints is no state. */
START_TEST(forward_is_the_derivative)
{
    static const char *const names[] = {"state", "parameters", "forces"};
    const tape_case *c = tape_case_at(_i);
    perp_rng rng = {(uint64_t)_i + 3};
    double dq[TAPE_DOFS], dv[TAPE_DOFS];
    recorded r;
    direction d;
    int steps = getenv("PERP_TEST_STEPS") ? atoi(getenv("PERP_TEST_STEPS")) : c->steps;
    ck_assert_int_eq(record(&r, c, steps), PERP_SOLVED);
    draw(&d, &r, &rng);
    for (int k = has_joints(c) ? 1 : 0; k < (r.w.collider ? 2 : 3); k++) {
        perp_tape_tangent along = {.size = sizeof along};
        perp_tape_report report = {.size = sizeof report};
        along.q = k == 0 ? d.q : NULL;
        along.v = k == 0 ? d.v : NULL;
        along.parameters = k == 1 ? d.p : NULL;
        along.forces = k == 2 ? d.forces : NULL;
        perp_status status = perp_tape_jvp(r.tape, 1, &along, 0, dq, dv, NULL, &report);
        double worst = compare(c, &r, &d, 1 << k, dq, dv);
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "%-22s %-10s %.1e %s at %ld\n", c->name, names[k], worst,
                    perp_status_name(status), report.step);
        else {
        ck_assert_msg(status == PERP_SOLVED, "%s, %s: %s at step %ld", c->name, names[k],
                      perp_status_name(status), report.step);
        ck_assert_msg(worst < 1e-6, "%s, %s: %.3g", c->name, names[k], worst);
        }
    }
    free(d.forces);
    forget(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives of motions in stages");
    TCase *test = tcase_create("stages");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, forward_is_the_derivative, 0, tape_case_count());
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
