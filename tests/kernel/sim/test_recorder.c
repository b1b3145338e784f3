/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of a run: each column beside what the model says at the same time, names, samples that are
 * left out, what is refused, and memory that fails. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/mixture.h"

#include <perp/recorder.h>

enum { ROWS = 400 };

static perp_recorder *recorder_of(const mixture *m, const perp_allocator *allocator)
{
    perp_recorder *recorder;
    ck_assert_int_eq(perp_recorder_create(&recorder, m->r.model, allocator), PERP_SOLVED);
    return recorder;
}

static double clock_twice(void *ctx, double t)
{
    ++*(int *)ctx;
    return 2.0 * t;
}

static perp_status add_of(perp_recorder *r, perp_record what, perp_system_id id, int component)
{
    return perp_recorder_add(r, what, id.index, id.generation, component);
}

static perp_interaction_id link_of(const mixture *m, int k)
{
    perp_interaction_id id = {0, 0};
    for (int i = 0; i <= k; i++)
        id = perp_model_next_interaction(m->r.model, id);
    ck_assert_uint_ne(id.generation, 0);
    return id;
}

/* Columns of a ball, a circuit and the contact of the ball, in this order. */
static const struct {
    perp_record what;
    int of, component; /* of: 0 ball, 1 circuit, 2 its interaction */
} columns[] = {{PERP_RECORD_Q, 0, 1},       {PERP_RECORD_V, 0, 0}, {PERP_RECORD_P, 0, 0},
               {PERP_RECORD_KINETIC, 0, 0}, {PERP_RECORD_Q, 1, 1}, {PERP_RECORD_P, 1, 0},
               {PERP_RECORD_Y, 2, 0},       {PERP_RECORD_U, 2, 1}, {PERP_RECORD_LAMBDA, 2, 0},
               {PERP_RECORD_ACTIVE, 2, 0}};
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static perp_status add_column(perp_recorder *r, const mixture *m, int k, int component)
{
    perp_interaction_id link = link_of(m, 0);
    if (columns[k].of == 2)
        return perp_recorder_add(r, columns[k].what, link.index, link.generation, component);
    return add_of(r, columns[k].what, columns[k].of == 0 ? m->ball : m->circuit, component);
}

/* The same numbers by the calls of the model. */
static double told(const mixture *m, int k)
{
    double *q, *v, energy;
    const double *p, *y, *u, *lambda;
    int nq, nv, rows, active, i = columns[k].component;
    perp_system_id id = columns[k].of == 1 ? m->circuit : m->ball;
    ck_assert_int_eq(perp_model_state(m->r.model, id, &q, &v, &nq, &nv), PERP_SOLVED);
    ck_assert_int_eq(perp_model_input(m->r.model, id, &p), PERP_SOLVED);
    ck_assert_int_eq(perp_model_output(m->r.model, link_of(m, 0), &y, &u, &lambda, &rows, &active),
                     PERP_SOLVED);
    switch (columns[k].what) {
    case PERP_RECORD_Q:
        return q[i];
    case PERP_RECORD_V:
        return v[i];
    case PERP_RECORD_P:
        return p[i];
    case PERP_RECORD_KINETIC:
        energy = 0.5 * (v[0] * v[0] + v[1] * v[1]); /* of unit mass */
        return energy;
    case PERP_RECORD_Y:
        return y[i];
    case PERP_RECORD_U:
        return u[i];
    case PERP_RECORD_LAMBDA:
        return lambda[i];
    default:
        return active;
    }
}

START_TEST(columns_are_what_the_model_says)
{
    mixture m;
    static double wanted[ROWS][COLUMNS];
    int calls = 0, active = 0;
    mixture_make(&m, WITH_BALL | WITH_CIRCUIT, NULL, NULL);
    perp_recorder *r = recorder_of(&m, NULL);
    rig_step(&m.r); /* outputs are known */
    for (int k = 0; k < COLUMNS; k++) {
        ck_assert_int_eq(add_column(r, &m, k, columns[k].component), PERP_SOLVED);
        ck_assert_int_eq(add_column(r, &m, k, 77), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(add_column(r, &m, k, -1), PERP_ERR_ARGUMENT);
    }
    ck_assert_int_eq(perp_recorder_add_value(r, clock_twice, &calls), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_add(r, PERP_RECORD_INSTANT, 0, 0, 0), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_add(r, PERP_RECORD_INSTANT, 0, 0, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_columns(r), COLUMNS + 3);
    ck_assert_int_eq(perp_recorder_reserve(r, ROWS), PERP_SOLVED);
    for (int i = 0; i < ROWS; i++) {
        rig_step(&m.r);
        ck_assert_int_eq(perp_recorder_sample(r, perp_sim_time(m.r.sim)), PERP_SOLVED);
        for (int k = 0; k < COLUMNS; k++)
            wanted[i][k] = told(&m, k);
        active += wanted[i][COLUMNS - 1] > 0.0;
    }
    ck_assert(active > 0 && active < ROWS);
    ck_assert_int_eq(calls, ROWS);
    ck_assert_int_eq(perp_recorder_rows(r), ROWS);
    for (int i = 0; i < ROWS; i++) {
        const double *row = perp_recorder_data(r) + (size_t)i * (COLUMNS + 3);
        for (int k = 0; k < COLUMNS; k++)
            ck_assert_double_eq_tol(row[k + 1], wanted[i][k], 1e-14 * (1.0 + fabs(wanted[i][k])));
        ck_assert_double_eq_tol(row[0], 2e-3 * (i + 2), 1e-12);
        ck_assert_double_eq(row[COLUMNS + 1], 2.0 * row[0]);
        ck_assert_double_eq(row[COLUMNS + 2], PERP_INSTANT_SMOOTH);
    }
    perp_recorder_destroy(r);
    mixture_free(&m);
}
END_TEST

START_TEST(names_and_refusals)
{
    mixture m;
    perp_recorder *r, *none = NULL;
    mixture_make(&m, WITH_BALL | WITH_BODY, NULL, NULL);
    ck_assert_int_eq(perp_recorder_create(NULL, m.r.model, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_create(&none, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(none);
    r = recorder_of(&m, NULL);
    ck_assert_int_eq(add_of(r, PERP_RECORD_Q, m.ball, 0), PERP_SOLVED);
    ck_assert_int_eq(add_of(NULL, PERP_RECORD_Q, m.ball, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(add_of(r, (perp_record)-1, m.ball, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(add_of(r, (perp_record)99, m.ball, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(add_of(r, PERP_RECORD_Q, (perp_system_id){7, 99}, 0), PERP_ERR_STATE);
    ck_assert_int_eq(add_of(r, PERP_RECORD_P, (perp_system_id){7, 99}, 0), PERP_ERR_STATE);
    ck_assert_int_eq(add_of(r, PERP_RECORD_KINETIC, (perp_system_id){7, 99}, 0), PERP_ERR_STATE);
    ck_assert_int_eq(perp_recorder_add(r, PERP_RECORD_Y, 7, 99, 0), PERP_ERR_STATE);
    ck_assert_int_eq(perp_recorder_add(r, PERP_RECORD_ACTIVE, 7, 99, 0), PERP_ERR_STATE);
    ck_assert_int_eq(perp_recorder_add_value(r, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_add_value(NULL, clock_twice, NULL), PERP_ERR_ARGUMENT);

    ck_assert_ptr_null(perp_recorder_name(r, 1));
    ck_assert_int_eq(perp_recorder_set_name(r, 1, "first"), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_set_name(r, 1, "height"), PERP_SOLVED);
    ck_assert_str_eq(perp_recorder_name(r, 0), "t");
    ck_assert_str_eq(perp_recorder_name(r, 1), "height");
    for (int k = -1; k < 3; k += 3) {
        ck_assert_int_eq(perp_recorder_set_name(r, k, "x"), PERP_ERR_ARGUMENT);
        ck_assert_ptr_null(perp_recorder_name(r, k));
    }
    ck_assert_int_eq(perp_recorder_set_name(r, 0, "time"), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_set_name(r, 1, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_set_name(NULL, 1, "x"), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_recorder_name(NULL, 0));

    ck_assert_int_eq(perp_recorder_reserve(r, -1), PERP_ERR_OVERFLOW);
    ck_assert_int_eq(perp_recorder_reserve(r, 2000000000), PERP_ERR_OVERFLOW);
    ck_assert_int_eq(perp_recorder_reserve(NULL, 1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_sample(NULL, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_recorder_step(NULL, m.r.sim, m.r.model, 0.0, 0.0), 1);
    ck_assert_int_eq(perp_recorder_instant(NULL, m.r.sim, m.r.model, NULL), 1);
    ck_assert_int_eq(perp_recorder_instant(r, m.r.sim, m.r.model, NULL), 1);
    ck_assert_int_eq(perp_recorder_rows(NULL), 0);
    ck_assert_int_eq(perp_recorder_columns(NULL), 0);
    ck_assert_ptr_null(perp_recorder_data(NULL));
    perp_recorder_set_every(NULL, 3);
    perp_recorder_clear(NULL);
    perp_recorder_destroy(NULL);

    /* After the first sample no column, and of what is gone no number. */
    ck_assert_int_eq(perp_recorder_sample(r, 0.5), PERP_SOLVED);
    ck_assert_int_eq(add_of(r, PERP_RECORD_Q, m.ball, 1), PERP_ERR_STATE);
    ck_assert_int_eq(perp_model_remove_system(m.r.model, m.ball), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_sample(r, 0.75), PERP_SOLVED);
    ck_assert_int_eq(perp_recorder_rows(r), 2);
    const double *data = perp_recorder_data(r);
    ck_assert(data[0] == 0.5 && data[1] == 0.3 && data[2] == 0.75 && isnan(data[3]));
    perp_recorder_clear(r);
    ck_assert_int_eq(perp_recorder_rows(r), 0);
    ck_assert_int_eq(add_of(r, PERP_RECORD_Q, m.body, 1), PERP_SOLVED);
    perp_recorder_destroy(r);
    mixture_free(&m);
}
END_TEST

START_TEST(every_third_step)
{
    mixture m;
    mixture_make(&m, WITH_BALL, NULL, NULL);
    perp_recorder *r = recorder_of(&m, NULL);
    ck_assert_int_eq(add_of(r, PERP_RECORD_Q, m.ball, 0), PERP_SOLVED);
    perp_recorder_set_every(r, 3);
    perp_sim_set_after_step(m.r.sim, perp_recorder_step, r);
    for (int k = 0; k < 10; k++)
        rig_step(&m.r);
    ck_assert_int_eq(perp_recorder_rows(r), 3);
    for (int k = 0; k < 3; k++)
        ck_assert_double_eq_tol(perp_recorder_data(r)[2 * k], 2e-3 * (3 * k + 3), 1e-14);
    perp_recorder_set_every(r, 0); /* each */
    for (int k = 0; k < 2; k++)
        rig_step(&m.r);
    ck_assert_int_eq(perp_recorder_rows(r), 5);
    perp_recorder_destroy(r);
    mixture_free(&m);
}
END_TEST

/* Each allocation of a table fails once: it is said, and what was in the table stays. */
START_TEST(memory_fails)
{
    mixture m;
    int done = 0;
    mixture_make(&m, WITH_BALL, NULL, NULL);
    for (long k = 1; !done && k < 100; k++) {
        counter memory = {.fail_at = k, .once = 1};
        perp_allocator allocator = block_allocator(&memory);
        perp_recorder *r = NULL;
        perp_status worst = perp_recorder_create(&r, m.r.model, &allocator);
        ck_assert_int_eq(r == NULL, worst != PERP_SOLVED);
        for (int tries = 0; r && tries < 2; tries++) {
            perp_status status[] = {add_of(r, PERP_RECORD_Q, m.ball, 0),
                                    perp_recorder_set_name(r, 1, "height"),
                                    perp_recorder_reserve(r, 3), perp_recorder_sample(r, 0.25)};
            for (int i = 0; i < 4; i++) {
                int fine = status[i] == PERP_SOLVED || status[i] == PERP_ERR_MEMORY ||
                           status[i] == PERP_ERR_ARGUMENT || (tries && status[i] == PERP_ERR_STATE);
                ck_assert_msg(fine, "allocation %ld: call %d: %d", k, i, (int)status[i]);
                worst = status[i] == PERP_ERR_MEMORY ? PERP_ERR_MEMORY : worst;
            }
            ck_assert_int_ge(perp_recorder_rows(r), tries);
        }
        done = memory.allocations < k;
        ck_assert_int_eq(worst, done ? PERP_SOLVED : PERP_ERR_MEMORY);
        perp_recorder_destroy(r);
        ck_assert_int_eq((int)memory.live, 0);
    }
    ck_assert_int_eq(done, 1);
    mixture_free(&m);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {columns_are_what_the_model_says, names_and_refusals, every_third_step,
                            memory_fails};
    return contract_main("recorder", tests, (int)(sizeof tests / sizeof tests[0]));
}
