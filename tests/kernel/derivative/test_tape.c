/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of motions beside central differences of whole runs, adjoint beside forward, and runs
 * that are recorded beside those that are not. */
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

static void record(recorded *r, const tape_case *c)
{
    perp_tape_settings settings;
    perp_tape_parameter list[TAPE_PARAMETERS];
    perp_where where = {NULL, -1, -1};
    perp_tape_info info = {.size = sizeof info};
    tape_world_open(&r->w, c, c->p, NULL);
    perp_tape_settings_init(&settings, sizeof settings);
    settings.differences = c->differences;
    ck_assert_int_eq(perp_tape_create(&r->tape, r->w.r.sim, &settings, NULL, &where), PERP_SOLVED);
    c->list(list, &r->w);
    perp_status status = perp_tape_set_parameters(r->tape, c->count, list, &where);
    ck_assert_msg(status == PERP_SOLVED, "%s: %s of %d", c->name, where.what, where.index);
    tape_world_run(&r->w, c->steps);
    ck_assert_int_eq(perp_tape_info_get(r->tape, &info), PERP_SOLVED);
    ck_assert_msg(info.status == PERP_SOLVED, "%s: %s %d at step %ld: %s", c->name, info.where.what,
                  info.where.index, info.step, info.detail);
    ck_assert_int_eq(info.steps, c->steps);
    r->dofs = tape_world_dofs(&r->w);
    r->count = c->count;
    r->steps = c->steps;
    ck_assert_int_eq(info.dofs, r->dofs);
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
static void run_moved(tape_world *w, const tape_case *c, const direction *d, int which, double by)
{
    double p[TAPE_PARAMETERS];
    int dofs = 0;
    for (int i = 0; i < TAPE_PARAMETERS; i++)
        p[i] = c->p[i] + (which & 2 ? by * d->p[i] : 0.0);
    tape_world_open(w, c, p, NULL);
    dofs = tape_world_dofs(w);
    size_t numbers = (size_t)(c->steps * dofs);
    double *forces = calloc(numbers + 1, sizeof(double));
    for (size_t i = 0; i < numbers; i++)
        forces[i] = by * d->forces[i];
    if (which & 1)
        tape_world_shift(w, d->q, d->v, by);
    if (which & 4)
        w->forces = forces;
    tape_world_run(w, c->steps);
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
        run_moved(&plus, c, d, which, by[k]);
        run_moved(&minus, c, d, which, -by[k]);
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

/* State, parameters and forces, each alone. */
START_TEST(forward_is_the_derivative)
{
    static const char *const names[] = {"state", "parameters", "forces"};
    const tape_case *c = tape_case_at(_i);
    perp_rng rng = {(uint64_t)_i + 3};
    double dq[TAPE_DOFS], dv[TAPE_DOFS];
    recorded r;
    direction d;
    record(&r, c);
    draw(&d, &r, &rng);
    int bodies = r.w.collider != NULL || c->count <= 2 || strcmp(c->name, "gear") == 0 ||
                 strcmp(c->name, "limit") == 0;
    for (int k = 0; k < (bodies ? 2 : 3); k++) {
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
        ck_assert_msg(status == PERP_SOLVED, "%s, %s: %s at step %ld", c->name, names[k],
                      perp_status_name(status), report.step);
        ck_assert_msg(worst < 1e-6, "%s, %s: %.3g", c->name, names[k], worst);
    }
    free(d.forces);
    forget(&r);
}
END_TEST

/* Where the tape says that a motion is differentiable, it is: drawn piles, by the best of three
 * steps of the differences, since some of them lead over an impact or a contact that stops to slip.
 */
START_TEST(what_is_said_of_piles_holds)
{
    static const double by[3] = {1e-6, 1e-7, 1e-8};
    int solved = 0;
    for (int seed = 1; seed <= 30; seed++) {
        tape_case c = tape_pile;
        perp_rng rng = {(uint64_t)seed};
        double dq[TAPE_DOFS], dv[TAPE_DOFS], q[TAPE_DOFS], v[TAPE_DOFS], best = INFINITY;
        c.p[0] = 100.0 * _i + seed;
        recorded r;
        direction d;
        record(&r, &c);
        draw(&d, &r, &rng);
        perp_tape_tangent along = {.size = sizeof along, .q = d.q, .v = d.v};
        perp_status status = perp_tape_jvp(r.tape, 1, &along, 0, dq, dv, NULL, NULL);
        ck_assert_int_ge(status, 0);
        for (int k = 0; k < 3 && status == PERP_SOLVED; k++) {
            tape_world plus, minus;
            double worst = 0.0;
            run_moved(&plus, &c, &d, 1, by[k]);
            run_moved(&minus, &c, &d, 1, -by[k]);
            tape_world_difference(q, v, &plus, &minus);
            tape_world_close(&plus);
            tape_world_close(&minus);
            for (int i = 0; i < r.dofs; i++)
                worst = fmax(worst, fabs(v[i] / (2.0 * by[k]) - dv[i]) / (1.0 + fabs(dv[i])));
            best = fmin(best, worst);
        }
        ck_assert_msg(status != PERP_SOLVED || best < 1e-5, "pile %g: %g", c.p[0], best);
        solved += status == PERP_SOLVED;
        free(d.forces);
        forget(&r);
    }
    ck_assert_int_gt(solved, 20);
}
END_TEST

/* Each parameter counts: the case has it at work. */
START_TEST(every_parameter_counts)
{
    const tape_case *c = tape_case_at(_i);
    double p[TAPE_PARAMETERS * TAPE_PARAMETERS] = {0}, dq[TAPE_PARAMETERS * TAPE_DOFS];
    recorded r;
    record(&r, c);
    for (int k = 0; k < r.count; k++)
        p[k * (r.count + 1)] = 1.0;
    perp_tape_tangent along = {.size = sizeof along, .parameters = p};
    ck_assert_int_eq(perp_tape_jvp(r.tape, r.count, &along, 0, dq, NULL, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < r.count; k++) {
        double largest = 0.0;
        for (int i = 0; i < r.dofs; i++)
            largest = fmax(largest, fabs(dq[k * r.dofs + i]));
        ck_assert_msg(largest > 1e-4, "%s: parameter %d has a derivative of %g", c->name, k,
                      largest);
    }
    forget(&r);
}
END_TEST

static double dot(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

static double size(const double *a, const double *b, size_t n)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++)
        sum += fabs(a[i] * b[i]);
    return sum;
}

/* <bar, J x> = <J' bar, x>, of the last state and of the whole path. */
START_TEST(adjoint_is_the_transpose)
{
    const tape_case *c = tape_case_at(_i);
    perp_rng rng = {(uint64_t)_i + 30};
    recorded r;
    direction d;
    record(&r, c);
    draw(&d, &r, &rng);
    size_t dofs = (size_t)r.dofs, count = (size_t)r.count, steps = (size_t)r.steps;
    for (int path = 0; path < 2; path++) {
        size_t n = path ? (steps + 1) * dofs : dofs;
        double *x = calloc(4 * n + dofs * (steps + 2) + count, sizeof(double));
        double *bar_q = x, *bar_v = x + n, *dq = x + 2 * n, *dv = x + 3 * n, *q = x + 4 * n;
        double *v = q + dofs, *f = v + dofs, *p = f + dofs * steps;
        for (size_t i = 0; i < 2 * n; i++)
            bar_q[i] = perp_rng_signed(&rng);
        perp_tape_tangent along = {sizeof along, d.q, d.v, d.p, d.forces};
        perp_tape_gradient of = {sizeof of, q, v, p, f};
        ck_assert_int_eq(perp_tape_jvp(r.tape, 1, &along, path, dq, dv, NULL, NULL), PERP_SOLVED);
        ck_assert_int_ge(perp_tape_vjp(r.tape, 1, path, bar_q, bar_v, &of, NULL), PERP_SOLVED);
        double left = dot(bar_q, dq, n) + dot(bar_v, dv, n);
        double right = dot(q, d.q, dofs) + dot(v, d.v, dofs) + dot(p, d.p, count) +
                       dot(f, d.forces, dofs * steps);
        double scale = size(bar_q, dq, n) + size(bar_v, dv, n) + size(q, d.q, dofs) +
                       size(v, d.v, dofs) + size(p, d.p, count) + size(f, d.forces, dofs * steps);
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "%-22s %.1e\n", c->name, fabs(left - right) / scale);
        ck_assert_msg(fabs(left - right) <= 1e-12 * scale, "%s: %.17g beside %.17g", c->name, left,
                      right);
        free(x);
    }
    free(d.forces);
    forget(&r);
}
END_TEST

/* Recording changes no bit of a run, and two recordings have the same derivatives. */
START_TEST(recording_changes_nothing)
{
    const tape_case *c = tape_case_at(_i);
    unsigned char with[8 * 64], without[8 * 64] = {0};
    perp_rng rng = {(uint64_t)_i + 300};
    double dq[2][TAPE_DOFS], dv[2][TAPE_DOFS];
    memset(with, 0, sizeof with);
    for (int k = 0; k < 2; k++) {
        recorded r;
        direction d;
        perp_tape_tangent along = {.size = sizeof along};
        record(&r, c);
        if (k == 0)
            draw(&d, &r, &rng);
        rng.state = (uint64_t)_i + 300;
        if (k == 1)
            draw(&d, &r, &rng);
        along.q = d.q;
        along.v = d.v;
        ck_assert_int_ge(perp_tape_jvp(r.tape, 1, &along, 0, dq[k], dv[k], NULL, NULL), 0);
        tape_world_run(&r.w, 5);
        tape_world_bits(with, sizeof with, &r.w);
        ck_assert_mem_eq(dq[0], dq[k], sizeof(double) * (size_t)r.dofs);
        ck_assert_mem_eq(dv[0], dv[k], sizeof(double) * (size_t)r.dofs);
        free(d.forces);
        forget(&r);
    }
    tape_world w;
    tape_world_open(&w, c, c->p, NULL);
    tape_world_run(&w, c->steps + 5);
    tape_world_bits(without, sizeof without, &w);
    tape_world_close(&w);
    ck_assert_mem_eq(with, without, sizeof with);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives of motions");
    TCase *test = tcase_create("tape");
    tcase_set_timeout(test, 60);
    tcase_add_loop_test(test, forward_is_the_derivative, 0, tape_case_count());
    tcase_add_loop_test(test, what_is_said_of_piles_holds, 0, 2);
    tcase_add_loop_test(test, every_parameter_counts, 0, tape_case_count());
    tcase_add_loop_test(test, adjoint_is_the_transpose, 0, tape_case_count());
    tcase_add_loop_test(test, recording_changes_nothing, 0, tape_case_count());
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
