/* SPDX-License-Identifier: BSD-3-Clause */
/* The one-step problem against (1.15)-(1.18) of [SDN] written out densely: random linear systems
 * with random relations on one to three of them, every form of the matrix. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <perp/kernel.h>

#include "tests/fixtures/dense_reference.h"

enum { SYSTEMS = 7, LINKS = 9, MOST = 4 };

/* A scene and, beside it, its dense matrices over all velocities. */
typedef struct scene {
    perp_model *model;
    perp_sim *sim;
    int n[SYSTEMS], first[SYSTEMS], dofs;
    perp_system_id systems[SYSTEMS];
    double *W; /* dofs x dofs: M + h theta C + h^2 theta^2 K */
    double *H; /* rows x dofs, all links */
    int rows;
    double *q, *v;                    /* state at the start */
    double restitution[LINKS * MOST]; /* of each row: e on normal rows */
    double h, theta;
} scene;

static double *random_spd(perp_rng *rng, int n, double weight)
{
    double *B = ref_random(rng, n, n), *T = ref_transpose(B, n, n);
    double *A = ref_multiply(B, T, n, n, n);
    for (int i = 0; i < n * n; i++)
        A[i] *= weight;
    for (int i = 0; i < n; i++)
        A[i + i * n] += weight;
    free(B);
    free(T);
    return A;
}

static void add_system(scene *s, perp_rng *rng, int k, double **rhs)
{
    int n = s->n[k];
    double *M = random_spd(rng, n, 1.0), *C = random_spd(rng, n, 0.3), *K = random_spd(rng, n, 2.0);
    double *q = ref_random(rng, n, 1), *v = ref_random(rng, n, 1), *F = ref_random(rng, n, 1);
    perp_lagrangian_def def;
    perp_where where;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = n;
    def.q0 = q;
    def.v0 = v;
    def.F = F;
    perp_mat_init_dense(&def.M, n, n, M, n);
    perp_mat_init_dense(&def.C, n, n, C, n);
    perp_mat_init_dense(&def.K, n, n, K, n);
    ck_assert_int_eq(perp_model_add_lagrangian(s->model, &def, &s->systems[k], &where),
                     PERP_SOLVED);
    double h = s->h, theta = s->theta;
    *rhs = ref_zero(n, 1);
    for (int i = 0; i < n; i++) {
        s->q[s->first[k] + i] = q[i];
        s->v[s->first[k] + i] = v[i];
        (*rhs)[i] = h * F[i];
        for (int j = 0; j < n; j++) {
            size_t at = (size_t)(s->first[k] + i) + (size_t)(s->first[k] + j) * (size_t)s->dofs;
            s->W[at] =
                M[i + j * n] + h * theta * C[i + j * n] + h * h * theta * theta * K[i + j * n];
            (*rhs)[i] -= h * C[i + j * n] * v[j] + h * K[i + j * n] * (q[j] + h * theta * v[j]);
        }
    }
    free(M), free(C), free(K), free(q), free(v), free(F);
}

static void add_link(scene *s, perp_rng *rng)
{
    perp_system_id chosen[3];
    int of[3], count = 1 + (int)perp_rng_below(rng, 3), N = 0;
    for (int i = 0; i < count; i++) {
        of[i] = ((int)perp_rng_below(rng, SYSTEMS / 3) + i * SYSTEMS / 3) % SYSTEMS;
        for (int j = 0; j < i; j++)
            if (of[j] == of[i])
                of[i] = (of[i] + 1) % SYSTEMS, j = -1;
        chosen[i] = s->systems[of[i]];
        N += s->n[of[i]];
    }
    perp_law laws[] = {perp_law_equality(), perp_law_impact(0.5), perp_law_friction(2, 0.3, 0.4),
                       perp_law_friction(3, 0.0, 0.7)};
    perp_law law = laws[perp_rng_below(rng, 4)];
    int rows = law.dim * (1 + (int)perp_rng_below(rng, MOST / law.dim > 1 ? 2 : 1));
    double *C = ref_random(rng, rows, N), *e = ref_zero(rows, 1);
    for (int i = 0; i < rows; i += law.dim)
        e[i] = -100.0; /* closed */
    perp_interaction_def def;
    perp_interaction_id id;
    perp_where where;
    perp_interaction_def_init(&def, sizeof def);
    def.systems = chosen;
    def.nsystems = count;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = rows;
    def.relation.C = C;
    def.relation.e = e;
    def.law = law;
    ck_assert_int_eq(perp_model_add_interaction(s->model, &def, &id, &where), PERP_SOLVED);
    for (int i = 0, at = 0; i < count; at += s->n[of[i]], i++)
        for (int j = 0; j < s->n[of[i]]; j++)
            for (int r = 0; r < rows; r++)
                s->H[s->rows + r + (s->first[of[i]] + j) * LINKS * MOST] = C[r + (at + j) * rows];
    for (int i = 0; i < rows; i += law.dim)
        s->restitution[s->rows + i] = law.kind == PERP_LAW_EQUALITY ? 0.0 : law.e;
    s->rows += rows;
    free(C), free(e);
}

static double *right_sides[SYSTEMS];

static void make(scene *s, int seed, perp_form form)
{
    perp_rng rng;
    perp_sim_options options;
    perp_where where;
    memset(s, 0, sizeof *s);
    rng.state = (uint64_t)seed;
    s->h = 0.1;
    s->theta = 0.7;
    for (int k = 0; k < SYSTEMS; k++) {
        s->n[k] = 1 + (int)perp_rng_below(&rng, 5);
        s->first[k] = s->dofs;
        s->dofs += s->n[k];
    }
    s->W = ref_zero(s->dofs, s->dofs);
    s->H = ref_zero(LINKS * MOST, s->dofs);
    s->q = ref_zero(s->dofs, 1);
    s->v = ref_zero(s->dofs, 1);
    ck_assert_int_eq(perp_model_create(&s->model, NULL), PERP_SOLVED);
    for (int k = 0; k < SYSTEMS; k++)
        add_system(s, &rng, k, &right_sides[k]);
    for (int k = 0; k < LINKS; k++)
        add_link(s, &rng);
    perp_sim_options_init(&options, sizeof options);
    options.h = s->h;
    options.form = form;
    options.on_unsolved = PERP_UNSOLVED_ACCEPT; /* random laws need not have a solution */
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    scheme.theta = s->theta;
    ck_assert_int_eq(perp_sim_create(&s->sim, s->model, &options, NULL, &where), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(s->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
}

static void drop(scene *s)
{
    perp_sim_destroy(s->sim);
    perp_model_destroy(s->model);
    for (int k = 0; k < SYSTEMS; k++)
        free(right_sides[k]);
    free(s->W), free(s->H), free(s->q), free(s->v);
}

/* The rows of H in use, rows x dofs. */
static double *packed(const scene *s)
{
    double *H = ref_zero(s->rows, s->dofs);
    for (int j = 0; j < s->dofs; j++)
        for (int i = 0; i < s->rows; i++)
            H[i + j * s->rows] = s->H[i + j * LINKS * MOST];
    return H;
}

static void compare(const scene *s, const perp_problem *problem)
{
    int n = s->rows;
    double *H = packed(s), *Ht = ref_transpose(H, n, s->dofs);
    double *WH = ref_solve(s->W, Ht, s->dofs, n), *M = ref_multiply(H, WH, n, s->dofs, n);
    double *unit = ref_zero(n, 1), *column = ref_zero(n, 1);
    double *scratch = ref_zero((int)perp_mat_scratch(&problem->M), 1);
    ck_assert_int_eq(problem->M.rows, n);
    for (int j = 0; j < n; j++) {
        unit[j] = 1.0;
        perp_mat_apply(&problem->M, unit, scratch, column);
        unit[j] = 0.0;
        for (int i = 0; i < n; i++)
            ck_assert_double_eq_tol(column[i], M[i + j * n], 1e-12 * (1.0 + fabs(M[i + j * n])));
    }
    double *rhs = ref_zero(s->dofs, 1);
    for (int k = 0; k < SYSTEMS; k++)
        memcpy(rhs + s->first[k], right_sides[k], sizeof(double) * (size_t)s->n[k]);
    double *change = ref_solve(s->W, rhs, s->dofs, 1);
    for (int i = 0; i < n; i++) {
        double free_rate = 0.0, rate = 0.0;
        for (int j = 0; j < s->dofs; j++) {
            free_rate += H[i + j * n] * (s->v[j] + change[j]);
            rate += H[i + j * n] * s->v[j];
        }
        ck_assert_double_eq_tol(problem->q[i], free_rate + s->restitution[i] * rate, 1e-11);
    }
    free(H), free(Ht), free(WH), free(M), free(unit), free(column), free(scratch), free(rhs);
    free(change);
}

/* p and the new velocities follow from z. */
static void compare_result(const scene *s, const double *z)
{
    double *H = packed(s), *Ht = ref_transpose(H, s->rows, s->dofs);
    double *p = ref_multiply(Ht, z, s->dofs, s->rows, 1);
    double *sum = ref_zero(s->dofs, 1);
    for (int k = 0; k < SYSTEMS; k++)
        for (int i = 0; i < s->n[k]; i++)
            sum[s->first[k] + i] = p[s->first[k] + i] + right_sides[k][i];
    double *change = ref_solve(s->W, sum, s->dofs, 1);
    for (int k = 0; k < SYSTEMS; k++) {
        const double *input;
        double *q, *v;
        perp_model_input(s->model, s->systems[k], &input);
        perp_model_state(s->model, s->systems[k], &q, &v, NULL, NULL);
        for (int i = 0; i < s->n[k]; i++) {
            int j = s->first[k] + i;
            double v_new = s->v[j] + change[j];
            ck_assert_double_eq_tol(input[i], p[j], 1e-10 * (1.0 + fabs(p[j])));
            ck_assert_double_eq_tol(v[i], v_new, 1e-10 * (1.0 + fabs(v_new)));
            ck_assert_double_eq_tol(q[i],
                                    s->q[j] + s->h * (s->theta * v_new + (1 - s->theta) * s->v[j]),
                                    1e-10 * (1.0 + fabs(v_new)));
        }
    }
    free(H), free(Ht), free(p), free(sum), free(change);
}

START_TEST(test_forms)
{
    static const perp_form forms[] = {PERP_FORM_AUTO, PERP_FORM_DENSE, PERP_FORM_CSC,
                                      PERP_FORM_DELASSUS};
    for (int seed = 1; seed <= 12; seed++) {
        scene s;
        perp_problem problem;
        const double *z, *w;
        make(&s, seed, forms[_i]);
        perp_status status = perp_sim_step(s.sim);
        ck_assert_msg(status >= 0, "%d %s", status, perp_sim_info(s.sim)->detail);
        perp_sim_last_problem(s.sim, &problem, &z, &w);
        compare(&s, &problem);
        compare_result(&s, z);
        drop(&s);
    }
}
END_TEST

/* Relations of one interaction leave the index set one by one. */
START_TEST(test_partly_active)
{
    perp_form form = _i ? PERP_FORM_DELASSUS : PERP_FORM_AUTO;
    double q0[2] = {1e-3, 5.0}, v0[2] = {-1.0, -1.0}, C[4] = {1, 0, 0, 1};
    perp_lagrangian_def def;
    perp_interaction_def link;
    perp_system_id id;
    perp_interaction_id contact;
    perp_sim_options options;
    perp_model *model;
    perp_sim *sim;
    perp_model_create(&model, NULL);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, &id, NULL), PERP_SOLVED);
    perp_interaction_def_init(&link, sizeof link);
    link.systems = &id;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 2;
    link.relation.C = C;
    link.law = perp_law_impact(0.5);
    ck_assert_int_eq(perp_model_add_interaction(model, &link, &contact, NULL), PERP_SOLVED);
    perp_sim_options_init(&options, sizeof options);
    options.h = 0.1;
    options.form = form;
    ck_assert_int_eq(perp_sim_create(&sim, model, &options, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_step(sim), PERP_SOLVED);
    const double *lambda;
    double *v;
    perp_model_output(model, contact, NULL, NULL, &lambda, NULL, NULL);
    perp_model_state(model, id, NULL, &v, NULL, NULL);
    ck_assert_double_eq_tol(lambda[0], 1.5, 1e-7);
    ck_assert_double_eq_tol(lambda[1], 0.0, 1e-7);
    ck_assert_double_eq_tol(v[0], 0.5, 1e-7);
    ck_assert_double_eq_tol(v[1], -1.0, 1e-7);
    perp_sim_destroy(sim);
    perp_model_destroy(model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("one_step");
    TCase *tcase = tcase_create("assembly");
    tcase_add_loop_test(tcase, test_forms, 0, 4);
    tcase_add_loop_test(tcase, test_partly_active, 0, 2);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
