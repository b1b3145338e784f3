/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices that are kept from step to step: after any change of the parameters a simulation goes on
 * as one that makes all of them again in each step. */
#include <check.h>
#include <math.h>
#include <string.h>

#include <perp/kernel.h>

/* A circuit with two diodes, and two masses whose two contacts, in one interaction, share both. */
typedef struct pair {
    perp_model *model;
    perp_sim *sim;
    perp_system_id circuit, masses;
    perp_interaction_id diodes, contacts;
} pair;

static void add_circuit(pair *p)
{
    double x0[2] = {1.0, -0.4}, A[4] = {-1, 5, -7, -0.3}, C[4] = {1, 0.2, -0.4, 1};
    double B[4] = {1, 0.3, -0.2, 1}, D[4] = {0.1, 0, 0, 0.2};
    perp_first_order_def def;
    perp_interaction_def link;
    perp_first_order_def_init(&def, sizeof def);
    def.n = 2;
    def.x0 = x0;
    perp_mat_init_dense(&def.A, 2, 2, A, 2);
    ck_assert_int_eq(perp_model_add_first_order(p->model, &def, &p->circuit, NULL), PERP_SOLVED);
    perp_interaction_def_init(&link, sizeof link);
    link.systems = &p->circuit;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 2;
    link.relation.C = C;
    link.relation.B = B;
    link.relation.D = D;
    ck_assert_int_eq(perp_model_add_interaction(p->model, &link, &p->diodes, NULL), PERP_SOLVED);
}

static void add_masses(pair *p)
{
    double q0[2] = {0.03, 0.1}, v0[2] = {-1.0, 0.2}, F[2] = {-9.81, -9.81}, K[4] = {9, 2, 2, 4};
    double M[4] = {2, 0.5, 0.5, 1}, C[4] = {1, 1, 0, 0.7};
    perp_lagrangian_def def;
    perp_interaction_def link;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = q0;
    def.v0 = v0;
    def.F = F;
    perp_mat_init_dense(&def.M, 2, 2, M, 2);
    perp_mat_init_dense(&def.K, 2, 2, K, 2);
    ck_assert_int_eq(perp_model_add_lagrangian(p->model, &def, &p->masses, NULL), PERP_SOLVED);
    perp_interaction_def_init(&link, sizeof link);
    link.systems = &p->masses;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 2;
    link.relation.C = C;
    link.law = perp_law_impact(0.5);
    ck_assert_int_eq(perp_model_add_interaction(p->model, &link, &p->contacts, NULL), PERP_SOLVED);
}

static void set_scheme(pair *p, const char *name, const char *parameter, const char *value)
{
    perp_scheme scheme;
    ck_assert_int_eq(perp_scheme_init(&scheme, name, sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_set(&scheme, parameter, value), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(p->sim, (perp_system_id){0, 0}, &scheme), PERP_SOLVED);
}

static void open_pair(pair *p, perp_form form)
{
    perp_sim_options options;
    perp_settings settings;
    ck_assert_int_eq(perp_model_create(&p->model, NULL), PERP_SOLVED);
    perp_sim_options_init(&options, sizeof options);
    perp_settings_init(&settings, sizeof settings);
    options.settings = &settings;
    if (form != PERP_FORM_DELASSUS)
        add_circuit(p);
    add_masses(p);
    options.h = 4e-3;
    options.form = form;
    options.solver = "nsn";
    settings.tol = 1e-13;
    ck_assert_int_eq(perp_sim_create(&p->sim, p->model, &options, NULL, NULL), PERP_SOLVED);
}

/* What is done before step k; each keeps some of the blocks and changes others. */
static void change(pair *p, int what, int k, int first_order)
{
    double *x, F[2] = {-2.0, -20.0};
    perp_law law = perp_law_impact(0.1);
    if (what == 0 && k == 20)
        perp_sim_set_h(p->sim, 1e-3);
    if (what == 1 && k % 3 == 2 && first_order)
        set_scheme(p, "euler-moreau", "gamma", k % 2 ? "0.7" : "1");
    if (what == 2 && k == 0 && first_order)
        set_scheme(p, "euler-moreau", "theta", "0");
    if (what == 2 && k % 3 == 2)
        perp_sim_set_h(p->sim, k % 2 ? 7e-3 : 4e-3);
    if (what == 3 && k == 20)
        set_scheme(p, "moreau-jean", "theta", "1");
    if (what == 4 && k == 20)
        perp_model_set_force(p->model, p->masses, F);
    if (what == 5 && k == 20) {
        perp_model_state(p->model, p->masses, &x, NULL, NULL, NULL);
        x[0] += 0.05;
        perp_model_changed(p->model);
    }
    if (what == 6 && k == 20)
        perp_model_set_law(p->model, p->contacts, &law);
    if (what == 7 && k == 20 && first_order)
        set_scheme(p, "euler-moreau", "variant", "full");
    if (what == 8 && k == 20)
        set_scheme(p, "schatzman-paoli", "theta", "0.5");
    if (what == 8 && k == 40)
        set_scheme(p, "moreau-jean", "theta", "0.5");
}

/* A new version of the model makes the next step begin from nothing. */
static void touch(pair *p, perp_law law)
{
    perp_model_remove_interaction(p->model, p->contacts);
    double C[4] = {1, 1, 0, 0.7};
    perp_interaction_def link;
    perp_interaction_def_init(&link, sizeof link);
    link.systems = &p->masses;
    link.nsystems = 1;
    link.relation.kind = PERP_RELATION_LINEAR;
    link.relation.rows = 2;
    link.relation.C = C;
    link.law = law;
    ck_assert_int_eq(perp_model_add_interaction(p->model, &link, &p->contacts, NULL), PERP_SOLVED);
}

static void compare(const pair *a, const pair *b, int what, int k, int first_order)
{
    const perp_system_id systems[2][2] = {{a->masses, a->circuit}, {b->masses, b->circuit}};
    for (int i = 0; i < 1 + first_order; i++) {
        double *x, *y;
        int n;
        perp_model_state(a->model, systems[0][i], &x, NULL, &n, NULL);
        perp_model_state(b->model, systems[1][i], &y, NULL, NULL, NULL);
        for (int j = 0; j < n; j++)
            ck_assert_msg(fabs(x[j] - y[j]) <= 1e-9 * (1.0 + fabs(y[j])),
                          "change %d, step %d, system %d: %.12g, not %.12g", what, k, i, x[j],
                          y[j]);
    }
}

static const perp_form forms[] = {PERP_FORM_DENSE, PERP_FORM_CSC, PERP_FORM_DELASSUS};

START_TEST(kept_matrices_follow_changes)
{
    int what = _i % 9, first_order = forms[_i / 9] != PERP_FORM_DELASSUS;
    pair kept, anew;
    open_pair(&kept, forms[_i / 9]);
    open_pair(&anew, forms[_i / 9]);
    int partly = 0;
    for (int k = 0; k < 80; k++) {
        change(&kept, what, k, first_order);
        change(&anew, what, k, first_order);
        touch(&anew, perp_law_impact(what == 6 && k >= 20 ? 0.1 : 0.5));
        if (first_order)
            perp_model_changed(anew.model);
        ck_assert_int_eq(perp_sim_step(kept.sim), PERP_SOLVED);
        ck_assert_int_eq(perp_sim_step(anew.sim), PERP_SOLVED);
        compare(&kept, &anew, what, k, first_order);
        const double *lambda;
        perp_model_output(kept.model, kept.contacts, NULL, NULL, &lambda, NULL, NULL);
        partly += (lambda[0] > 1e-9) != (lambda[1] > 1e-9);
    }
    ck_assert_int_gt(partly, 0);
    perp_sim_destroy(kept.sim);
    perp_model_destroy(kept.model);
    perp_sim_destroy(anew.sim);
    perp_model_destroy(anew.model);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim change");
    TCase *tcase = tcase_create("kept matrices");
    tcase_add_loop_test(tcase, kept_matrices_follow_changes, 0, 27);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
