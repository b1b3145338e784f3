/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad input: each is a clear error that names its place, before the first step. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/kernel_rig.h"

static const double one = 1.0, zeros[3] = {0.0, 0.0, 0.0};

static int callback(double *out, double t, const double *x, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)x, (void)v, (void)z, (void)user;
    *out = 0.0;
    return 0;
}

static void refused(perp_status status, perp_status expected, const perp_where *where,
                    const char *what)
{
    ck_assert_msg(status == expected, "%s: %s instead of %s", what, perp_status_name(status),
                  perp_status_name(expected));
    ck_assert_msg(where->what && strcmp(where->what, what) == 0, "%s named instead of %s",
                  where->what ? where->what : "nothing", what);
}

START_TEST(bad_systems)
{
    perp_model *model;
    perp_where where = {NULL, -1, -1};
    const double indefinite[] = {1.0, 0.0, 0.0, -1.0}, singular[] = {1.0, 1.0, 1.0, 1.0};
    const double nan_in[] = {0.0, NAN}, unsymmetric[] = {2.0, 0.5, -0.3, 1.0};
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    perp_lagrangian_def def, good;
    perp_lagrangian_def_init(&good, sizeof good);
    good.n = 2;
    good.q0 = zeros;

    def = good;
    def.n = 0;
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where, "n");
    def = good;
    def.M = rig_dense(&one, 1, 1);
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where, "M");
    def = good;
    def.M = rig_dense(singular, 2, 2);
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_SINGULAR, &where, "M");
    def = good;
    def.M = rig_dense(indefinite, 2, 2);
    ck_assert_int_lt(perp_model_add_lagrangian(model, &def, NULL, &where), 0);
    ck_assert_str_eq(where.what, "M");
    def = good;
    def.M = rig_dense(unsymmetric, 2, 2);
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where, "M");
    ck_assert_int_eq(where.index, 0);
    const int colptr[] = {0, 1, 3}, row[] = {0, 0, 1};
    const double upper[] = {1.0, 0.5, 1.0};
    ck_assert_int_eq(perp_mat_init_csc(&def.M, 2, 2, colptr, row, upper), PERP_SOLVED);
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where, "M");
    def = good;
    def.q0 = nan_in;
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_NONFINITE, &where, "q0");
    ck_assert_int_eq(where.index, 1);
    def = good;
    def.F_int = callback;
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "F_int_q");
    def.F_int_q = callback;
    refused(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "F_int_v");

    perp_body_def body, round;
    perp_body_def_init(&round, sizeof round);
    body = round;
    body.mass = -1.0;
    refused(perp_model_add_body(model, &body, NULL, &where), PERP_ERR_ARGUMENT, &where, "mass");
    body = round;
    body.mass = 0.0;
    refused(perp_model_add_body(model, &body, NULL, &where), PERP_ERR_ARGUMENT, &where, "mass");
    body = round;
    body.inertia[4] = -1.0;
    ck_assert_int_lt(perp_model_add_body(model, &body, NULL, &where), 0);
    ck_assert_str_eq(where.what, "inertia");
    body = round;
    memset(body.quaternion, 0, sizeof body.quaternion);
    refused(perp_model_add_body(model, &body, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "quaternion");

    perp_first_order_def first;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 2;
    first.x0 = zeros;
    first.M = rig_dense(singular, 2, 2);
    refused(perp_model_add_first_order(model, &first, NULL, &where), PERP_ERR_SINGULAR, &where,
            "M");
    ck_assert_int_eq(perp_model_systems(model), 0);
    perp_model_destroy(model);
}
END_TEST

typedef struct change {
    const char *what; /* that has to be named */
    double e, e_t, mu, lo, hi;
    perp_law_kind kind;
    int dim, rows;
} change;

START_TEST(laws)
{
    static const change changes[] = {
        {"law.e", -0.1, 0, 0, 0, 0, PERP_LAW_IMPACT, 1, 1},
        {"law.e", 1.1, 0, 0, 0, 0, PERP_LAW_IMPACT, 1, 1},
        {"law.e", NAN, 0, 0, 0, 0, PERP_LAW_IMPACT, 1, 1},
        {"law.mu", 0.5, 0, -0.1, 0, 0, PERP_LAW_FRICTION, 2, 2},
        {"law.mu", 0.5, 0, NAN, 0, 0, PERP_LAW_FRICTION, 2, 2},
        {"law.e_t", 0.5, 2, 0.1, 0, 0, PERP_LAW_FRICTION, 2, 2},
        {"law.dim", 0.5, 0, 0.1, 0, 0, PERP_LAW_FRICTION, 4, 4},
        {"law.dim", 0.5, 0, 0, 0, 0, PERP_LAW_IMPACT, 2, 2},
        {"law.lo", 0, 0, 0, 1, -1, PERP_LAW_BOX, 1, 1},
        {"relation.rows", 0.5, 0, 0.1, 0, 0, PERP_LAW_FRICTION, 2, 3},
        {"relation.rows", 0.5, 0, 0, 0, 0, PERP_LAW_IMPACT, 1, 0},
    };
    const double C[16] = {1.0};
    rig r;
    rig_init(&r, 1e-2);
    perp_system_id ball = rig_lagrangian(&r, 2, zeros, NULL, NULL, NULL);
    for (size_t k = 0; k < sizeof changes / sizeof changes[0]; k++) {
        const change *c = &changes[k];
        perp_interaction_def def;
        perp_where where = {NULL, -1, -1};
        perp_interaction_def_init(&def, sizeof def);
        def.systems = &ball;
        def.nsystems = 1;
        def.relation.kind = PERP_RELATION_LINEAR;
        def.relation.rows = c->rows;
        def.relation.C = C;
        def.law = (perp_law){.size = sizeof(perp_law),
                             .kind = c->kind,
                             .dim = c->dim,
                             .e = c->e,
                             .e_t = c->e_t,
                             .mu = c->mu,
                             .lo = c->lo,
                             .hi = c->hi};
        perp_status status = perp_model_add_interaction(r.model, &def, NULL, &where);
        ck_assert_msg(status < 0, "change %zu was taken", k);
        ck_assert_msg(where.what && strstr(c->what, where.what), "change %zu: %s named", k,
                      where.what ? where.what : "nothing");
    }
    ck_assert_int_eq(perp_model_interactions(r.model), 0);
    rig_free(&r);
}
END_TEST

START_TEST(relations)
{
    rig r;
    perp_where where = {NULL, -1, -1};
    perp_interaction_def def, good;
    rig_init(&r, 1e-2);
    perp_system_id systems[] = {rig_lagrangian(&r, 1, zeros, NULL, NULL, NULL),
                                rig_first_order(&r, 1, zeros, NULL)};
    perp_system_id twice[] = {systems[0], systems[0]}, stale = {77, 3};
    perp_interaction_def_init(&good, sizeof good);
    good.systems = systems;
    good.nsystems = 1;
    good.relation.kind = PERP_RELATION_SCLERONOMOUS;
    good.relation.rows = 1;
    good.relation.h = callback;
    good.relation.h_x = callback;
    good.law = perp_law_impact(0.5);

    def = good;
    def.relation.h_x = NULL;
    refused(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "relation.h_x");
    def.relation.differences = 1;
    ck_assert_int_eq(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_SOLVED);
    def = good;
    def.relation.kind = PERP_RELATION_RHEONOMOUS;
    refused(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "relation.h_t");
    def = good;
    def.relation.kind = PERP_RELATION_TYPE1;
    refused(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "relation.kind");
    def = good;
    def.nsystems = 2;
    refused(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "systems");
    def.systems = twice;
    refused(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "systems");
    def.systems = &stale;
    def.nsystems = 1;
    ck_assert_int_eq(perp_model_add_interaction(r.model, &def, NULL, &where), PERP_ERR_STATE);
    rig_free(&r);
}
END_TEST

static void refused_options(rig *r, const char *what)
{
    perp_sim *sim = (perp_sim *)1;
    perp_where where = {NULL, -1, -1};
    perp_status status = perp_sim_create(&sim, r->model, &r->options, NULL, &where);
    ck_assert_msg(status < 0, "%s was taken", what);
    ck_assert_ptr_null(sim);
    ck_assert_msg(where.what && strcmp(where.what, what) == 0, "%s named instead of %s",
                  where.what ? where.what : "nothing", what);
    perp_sim_options_init(&r->options, sizeof r->options);
}

START_TEST(bad_options)
{
    rig r;
    rig_init(&r, 0.0);
    refused_options(&r, "h");
    r.options.h = -1e-3;
    refused_options(&r, "h");
    r.options.h = NAN;
    refused_options(&r, "h");
    r.options.h = INFINITY;
    refused_options(&r, "h");
    r.options.t0 = NAN;
    refused_options(&r, "t0");
    r.options.newton_iter = 0;
    refused_options(&r, "newton_iter");
    r.options.newton_tol = NAN;
    refused_options(&r, "newton_tol");
    r.options.solver = "no such solver";
    refused_options(&r, "solver");
    r.options.form = (perp_form)17;
    refused_options(&r, "form");
    r.settings.tol = -1.0;
    r.options.settings = &r.settings;
    refused_options(&r, "tol");
    r.options.size = sizeof(size_t) - 1;
    refused_options(&r, "size");
    r.options.size = 65537;
    refused_options(&r, "size");
    rig_free(&r);
}
END_TEST

START_TEST(schemes)
{
    rig r;
    perp_scheme scheme;
    rig_init(&r, 1e-2);
    perp_system_id ball = rig_lagrangian(&r, 1, &one, NULL, NULL, NULL);
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_scheme_init(&scheme, "no such scheme", sizeof scheme), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&scheme, NULL, sizeof scheme), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", 4), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_scheme_set(&scheme, "thetta", "0.5"), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_set(&scheme, "theta", "1.5"), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_set(&scheme, "theta", "half"), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_set(&scheme, "variant", "fuller"), PERP_ERR_SETTING);
    scheme.theta = NAN;
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, ball, &scheme), PERP_ERR_SETTING);
    ck_assert_int_eq(perp_scheme_init(&scheme, "euler-moreau", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, ball, &scheme), PERP_ERR_UNSUPPORTED);
    perp_model_remove_system(r.model, ball);
    ck_assert_int_eq(perp_scheme_init(&scheme, "moreau-jean", sizeof scheme), PERP_SOLVED);
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, ball, &scheme), PERP_ERR_STATE);
    rig_free(&r);
}
END_TEST

/* check() and the first step say the same; nothing moved. */
static void refused_step(rig *r, perp_system_id system, perp_status expected, const char *text)
{
    double before = *rig_q(r, system);
    for (int k = 0; k < 2; k++) {
        perp_status status = k == 0 ? perp_sim_check(r->sim) : perp_sim_step(r->sim);
        const perp_step_info *info = perp_sim_info(r->sim);
        ck_assert_msg(status == expected, "%s: %s", text, perp_status_name(status));
        ck_assert_int_eq(info->status, expected);
        ck_assert_msg(strstr(info->detail, text) != NULL, "'%s' does not say '%s'", info->detail,
                      text);
        ck_assert_ptr_nonnull(info->where.what);
        ck_assert_int_eq((int)info->step, 0);
        if (strcmp(info->where.what, "interaction") == 0 && expected == PERP_ERR_UNSUPPORTED)
            ck_assert_msg(strstr(info->detail, "interaction 0") != NULL, "%s", info->detail);
    }
    ck_assert_double_eq(*rig_q(r, system), before);
    rig_free(r);
}

static int mass_of_user(double *out, double t, const double *x, const double *v, const double *z,
                        void *user)
{
    (void)t, (void)x, (void)v, (void)z;
    memcpy(out, user, 4 * sizeof *out);
    return 0;
}

/* A ball of radius 1 on the plane z = 0, by a normal of the length in `user`. */
static int long_normal(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                       const double *z, void *user)
{
    (void)t, (void)q_b, (void)z;
    const double low[3] = {q_a[0], q_a[1], q_a[2] - 1.0}, below[3] = {q_a[0], q_a[1], 0.0};
    *point = (perp_contact_point){.gap = low[2], .normal = {0.0, 0.0, *(const double *)user}};
    memcpy(point->point_a, low, sizeof low);
    memcpy(point->point_b, below, sizeof below);
    return 0;
}

/* What callbacks give is looked at before the first step, where nothing later would show it: masses
 * that are no masses, normals that are not unit. */
START_TEST(callbacks_of_no_sense)
{
    const double zero[2] = {0.0, 0.0};
    double unsymmetric[] = {2.0, 0.5, -0.3, 1.0}, negative[] = {1.0, 0.0, 0.0, -1.0}, length = 2.0;
    double *wrong[] = {unsymmetric, negative};
    const char *const text[] = {"its mass is not symmetric", "its mass has a negative diagonal"};
    rig r;
    for (int k = 0; k < 2; k++) {
        perp_lagrangian_def def;
        rig_init(&r, 1e-2);
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 2;
        def.q0 = zero;
        def.mass = mass_of_user;
        def.user = wrong[k];
        perp_system_id system = rig_add_lagrangian(&r, &def);
        rig_start(&r, NULL);
        refused_step(&r, system, PERP_ERR_ARGUMENT, text[k]);
    }
    rig_init(&r, 1e-2);
    perp_body_def body;
    perp_system_id ball;
    perp_interaction_def contact;
    perp_body_def_init(&body, sizeof body);
    body.position[2] = 1.0;
    body.force[2] = -1.0;
    ck_assert_int_eq(perp_model_add_body(r.model, &body, &ball, NULL), PERP_SOLVED);
    perp_interaction_def_init(&contact, sizeof contact);
    contact.systems = &ball;
    contact.nsystems = 1;
    contact.relation.kind = PERP_RELATION_CONTACT;
    contact.relation.rows = 3;
    contact.relation.contact = long_normal;
    contact.relation.user = &length;
    contact.law = perp_law_friction(3, 0.0, 0.5);
    ck_assert_int_eq(perp_model_add_interaction(r.model, &contact, NULL, NULL), PERP_SOLVED);
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_check(r.sim), PERP_ERR_ARGUMENT);
    length = 1.0 + 1e-7;
    ck_assert_int_eq(perp_sim_check(r.sim), PERP_SOLVED);
    length = 2.0;
    perp_model_changed(r.model);
    refused_step(&r, ball, PERP_ERR_ARGUMENT, "the normal of its contact point is not a unit");
}
END_TEST

/* A refusal names the scheme or the solver, and what it does not take. */
START_TEST(refusals_have_names)
{
    rig r;
    perp_scheme scheme;
    const double C[] = {0.0, 1.0, 1.0, 0.0}, q0[] = {0.0, 0.0}, F[] = {0.0, -1.0};

    rig_init(&r, 1e-2);
    perp_system_id ball = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
    rig_linear(&r, ball, 2, C, NULL, perp_law_friction(2, 0.0, 0.5));
    scheme = rig_scheme("schatzman-paoli", "");
    rig_start(&r, &scheme);
    refused_step(&r, ball, PERP_ERR_UNSUPPORTED, "schatzman-paoli does not take interaction 0: it");

    rig_init(&r, 1e-2); /* lemke */
    ball = rig_lagrangian(&r, 2, q0, NULL, NULL, F);
    rig_linear(&r, ball, 2, C, NULL, perp_law_friction(2, 0.0, 0.5));
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_ERR_UNSUPPORTED);
    const perp_step_info *info = perp_sim_info(r.sim);
    ck_assert_str_eq(info->detail, "lemke does not take interaction 0: its rows are COULOMB");
    ck_assert_str_eq(info->where.what, "interaction");
    ck_assert_int_eq(info->where.index, 0);
    ck_assert_double_eq(rig_q(&r, ball)[1], 0.0);
    rig_free(&r);
    ck_assert_ptr_null(strstr(perp_status_text(PERP_ERR_UNSUPPORTED), "this solver"));
}
END_TEST

/* Each scheme says of each law and relation that it does not take, why.  D: y depends on lambda. */
START_TEST(each_refusal_of_a_scheme)
{
    static const double C[] = {0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0}, F[] = {0.0, -1.0, 0.0};
    static const double eye[] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const perp_law impact = perp_law_impact(0.5), motor = perp_law_motor(1.0, 2.0);
    const perp_law servo = perp_law_servo(10.0, 1.0, 0.0, 5.0), relay = perp_law_relay(-1.0, 1.0);
    const perp_law soft = perp_law_soft_contact(3, 1e3, 1.0, 0.3);
    const perp_law rolling = perp_law_rolling(3, 0.0, 0.3, 0.01);
    const perp_law wanting = perp_law_complementarity();
    static const char others[] = "have the schemes discrete-gradient and moreau-jean";
    const struct {
        const char *scheme, *parameters;
        perp_law law;
        int rows, feeds_through;
        const char *words;
    } all[] = {
        {"moreau-jean", "", impact, 1, 1, "relative degree 0"},
        {"moreau-jean", "", wanting, 1, 0, "relative degree 2"},
        {"moreau-jean", "theta=0", servo, 1, 0, "a servo acts on the mean rate"},
        {"moreau-jean", "theta=0", soft, 3, 0, "a soft contact acts on the mean rate"},
        {"discrete-gradient", "theta=0.4", impact, 1, 0, "theta below 1/2 is not stable"},
        {"discrete-gradient", "impacts=poisson", rolling, 3, 0, "Poisson's law knows no rolling"},
        {"schatzman-paoli", "", perp_law_friction(2, 0.0, 0.3), 2, 0, "it has no friction"},
        {"schatzman-paoli", "", relay, 1, 0, "a box bounds a force on a rate"},
        {"schatzman-paoli", "", rolling, 3, 0, "rolling and torsional friction are taken by"},
        {"schatzman-paoli", "", soft, 3, 0, "friction"},
        {"schatzman-paoli", "", wanting, 1, 1, "its multiplier is no force"},
        {"generalized-alpha", "", impact, 1, 1, "its constraints are rigid"},
        {"generalized-alpha", "", wanting, 1, 0, "relative degree 2: use an impact law"},
        {"generalized-alpha", "", rolling, 3, 0, "rolling and torsional friction are taken by"},
        {"generalized-alpha", "", soft, 3, 0, others},
        {"generalized-alpha", "", motor, 1, 0, others},
    };
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
        rig r;
        perp_scheme scheme = rig_scheme(all[k].scheme, all[k].parameters);
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, all[k].rows);
        rig_init(&r, 1e-2);
        perp_system_id ball = rig_lagrangian(&r, 3, zeros, NULL, NULL, F);
        relation.C = C;
        relation.D = all[k].feeds_through ? eye : NULL;
        rig_interact(&r, &ball, 1, &relation, all[k].law);
        rig_start(&r, &scheme);
        refused_step(&r, ball, PERP_ERR_UNSUPPORTED, all[k].words);
    }
}
END_TEST

/* Which law goes with which scheme and relation. */
START_TEST(levels)
{
    rig r;
    perp_system_id ball, other;
    perp_scheme scheme;
    const double C[] = {1.0, -1.0}, pair[] = {1.0, 0.0, 0.0, 1.0};

    rig_init(&r, 1e-2);
    ball = rig_lagrangian(&r, 1, &one, NULL, NULL, NULL);
    rig_linear(&r, ball, 1, &one, NULL, perp_law_complementarity());
    rig_start(&r, NULL);
    refused_step(&r, ball, PERP_ERR_UNSUPPORTED, "relative degree 2");

    rig_init(&r, 1e-2);
    ball = rig_lagrangian(&r, 1, &one, NULL, NULL, NULL);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = relation.D = &one;
    rig_interact(&r, &ball, 1, &relation, perp_law_impact(0.5));
    rig_start(&r, NULL);
    refused_step(&r, ball, PERP_ERR_UNSUPPORTED, "relative degree 0");

    rig_init(&r, 1e-2);
    ball = rig_lagrangian(&r, 2, pair, NULL, NULL, NULL);
    rig_linear(&r, ball, 2, pair, NULL, perp_law_friction(2, 0.5, 0.1));
    scheme = rig_scheme("schatzman-paoli", "");
    rig_start(&r, &scheme);
    refused_step(&r, ball, PERP_ERR_UNSUPPORTED, "friction");

    /* Two schemes on one interaction. */
    rig_init(&r, 1e-2);
    perp_system_id both[] = {rig_lagrangian(&r, 1, &one, NULL, NULL, NULL),
                             rig_lagrangian(&r, 1, zeros, NULL, NULL, NULL)};
    other = both[1];
    relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = C;
    rig_interact(&r, both, 2, &relation, perp_law_impact(0.5));
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, other, &scheme), PERP_SOLVED);
    refused_step(&r, both[0], PERP_ERR_UNSUPPORTED, "10.4");

    /* An impact law on a first-order system. */
    rig_init(&r, 1e-2);
    perp_interaction_def def;
    perp_system_id circuit = rig_first_order(&r, 1, &one, NULL);
    perp_interaction_def_init(&def, sizeof def);
    def.systems = &circuit;
    def.nsystems = 1;
    def.relation.kind = PERP_RELATION_LINEAR;
    def.relation.rows = 1;
    def.relation.C = def.relation.B = &one;
    def.law = perp_law_impact(0.5);
    if (perp_model_add_interaction(r.model, &def, NULL, NULL) == PERP_SOLVED) {
        rig_start(&r, NULL);
        ck_assert_int_lt(perp_sim_check(r.sim), 0);
        ck_assert_int_lt(perp_sim_step(r.sim), 0);
        ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 0);
    }
    rig_free(&r);
}
END_TEST

static int vanishing(double *out, double t, const double *x, const double *v, const double *z,
                     void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    *out = x[0] < 1.5 ? 1.0 : 0.0;
    return 0;
}

static int to_nan(double *out, double t, const double *x, const double *v, const double *z,
                  void *user)
{
    (void)x, (void)v, (void)z, (void)user;
    *out = t < 0.5 ? 0.0 : NAN;
    return 0;
}

/* What can only be seen on the way ends the step with the state at its start. */
START_TEST(on_the_way)
{
    for (int k = 0; k < 2; k++) {
        rig r;
        perp_lagrangian_def def;
        rig_init(&r, 1e-2);
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = def.v0 = &one;
        if (k == 0)
            def.mass = vanishing;
        else
            def.F_ext = to_nan;
        perp_system_id ball = rig_add_lagrangian(&r, &def);
        rig_linear(&r, ball, 1, &one, NULL, perp_law_impact(0.5));
        rig_start(&r, NULL);
        perp_status status = perp_sim_run(r.sim, 1.0);
        ck_assert_msg(status < 0, "case %d: %s", k, perp_status_name(status));
        ck_assert_double_eq_tol(perp_sim_time(r.sim), 0.5, 2e-2);
        ck_assert(isfinite(*rig_q(&r, ball)));
        ck_assert(isfinite(*rig_v(&r, ball)));
        ck_assert_ptr_nonnull(perp_sim_info(r.sim)->where.what);
        rig_free(&r);
    }
}
END_TEST

START_TEST(null_arguments)
{
    perp_sim_options options;
    perp_sim *sim;
    size_t bytes = 0;
    perp_sim_options_init(&options, sizeof options);
    perp_where where = {NULL, -1, -1};
    ck_assert_int_eq(perp_sim_create(&sim, NULL, &options, NULL, NULL), PERP_ERR_ARGUMENT);
    refused(perp_sim_create(&sim, NULL, &options, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "model");
    ck_assert_int_eq(perp_sim_create(NULL, NULL, &options, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_step(NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_run(NULL, 1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_check(NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_h(NULL, 1.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_save(NULL, NULL, &bytes), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_sim_info(NULL));
    perp_sim_destroy(NULL);
    rig r;
    rig_init(&r, 1e-2);
    refused(perp_sim_create(&sim, r.model, NULL, NULL, &where), PERP_ERR_ARGUMENT, &where,
            "options");
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_run(r.sim, NAN), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_schedule(r.sim, 1.0, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_set_scheme(r.sim, (perp_system_id){0, 0}, NULL), PERP_ERR_ARGUMENT);
    /* Nothing to simulate is no error. */
    rig_run(&r, 0.1);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim input");
    TCase *tcase = tcase_create("sim input");
    tcase_add_test(tcase, bad_systems);
    tcase_add_test(tcase, laws);
    tcase_add_test(tcase, relations);
    tcase_add_test(tcase, bad_options);
    tcase_add_test(tcase, schemes);
    tcase_add_test(tcase, levels);
    tcase_add_test(tcase, callbacks_of_no_sense);
    tcase_add_test(tcase, refusals_have_names);
    tcase_add_test(tcase, each_refusal_of_a_scheme);
    tcase_add_test(tcase, on_the_way);
    tcase_add_test(tcase, null_arguments);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
