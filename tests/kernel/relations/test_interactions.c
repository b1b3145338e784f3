/* SPDX-License-Identifier: BSD-3-Clause */
/* Laws, bad definitions of interactions, memory that runs out, relative degrees. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "tests/fixtures/relation_cases.h"

START_TEST(laws_become_sets)
{
    perp_law friction = perp_law_friction(3, 0.5, 0.3), relay = perp_law_relay(-1.0, 2.0);
    perp_law equality = perp_law_equality(), complementarity = perp_law_complementarity();
    perp_law impact = perp_law_impact(0.8);
    perp_law both = perp_law_rolling_torsion(0.0, 0.3, 0.2, 0.1);
    perp_law torsion = perp_law_torsion(0.0, 0.3, 0.1);
    double par[PERP_PARAMETERS];
    ck_assert_int_eq(perp_law_set(&friction), PERP_COULOMB);
    ck_assert_int_eq(perp_law_set(&relay), PERP_BOX);
    ck_assert_int_eq(perp_law_set(&equality), PERP_FREE);
    ck_assert_int_eq(perp_law_set(&complementarity), PERP_NONNEG);
    ck_assert_int_eq(perp_law_set(&impact), PERP_NONNEG);
    ck_assert_int_eq(perp_law_set(&both), PERP_ROLLING);
    perp_law_parameters(par, &friction);
    ck_assert(par[0] == 0.3 && par[1] == 0.0 && par[2] == 0.0);
    perp_law_parameters(par, &relay);
    ck_assert(par[0] == -1.0 && par[1] == 2.0 && par[2] == 0.0);
    perp_law_parameters(par, &torsion);
    ck_assert(par[0] == 0.3 && par[1] == 0.1 && par[2] == 0.0);
    perp_law_parameters(par, &both);
    ck_assert(par[0] == 0.3 && par[1] == 0.2 && par[2] == 0.1);
    ck_assert(perp_law_is_impact(&friction) && perp_law_is_impact(&impact));
    ck_assert(!perp_law_is_impact(&relay) && !perp_law_is_impact(&equality));
    for (int dim = 2; dim <= 3; dim++)
        ck_assert_int_eq(perp_law_friction(dim, 0.0, 1.0).dim, dim);
}
END_TEST

START_TEST(restitution_and_violation_go_by_rows)
{
    double u[6] = {-1.0, 2.0, 3.0, -4.0, 5.0, 6.0}, q[6] = {0.0};
    double y[6] = {-0.5, -9.0, 9.0, 0.25, -8.0, 8.0};
    perp_law friction = perp_law_friction(3, 0.5, 0.3), impact = perp_law_impact(0.25);
    perp_law equality = perp_law_equality(), relay = perp_law_relay(-1.0, 1.0);
    friction.e_t = 0.1;
    equality.e = 1.0; /* not read */
    perp_law_restitution(q, &friction, u, 6);
    double expected[6] = {-0.5, 0.2, 0.3, -2.0, 0.5, 0.6};
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(q[k], expected[k], 1e-15);
    perp_law_restitution(q, &equality, u, 6);
    perp_law_restitution(q, &relay, u, 6);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(q[k], expected[k], 1e-15);
    perp_law_restitution(q, &impact, u, 6);
    for (int k = 0; k < 6; k++)
        ck_assert_double_eq_tol(q[k], expected[k] + 0.25 * u[k], 1e-15);
    ck_assert_double_eq(perp_law_violation(&friction, y, 6), 0.5);
    ck_assert_double_eq(perp_law_violation(&impact, y, 6), 9.0);
    ck_assert_double_eq(perp_law_violation(&equality, y, 6), 9.0);
    ck_assert_double_eq(perp_law_violation(&relay, y, 6), 0.0);
    ck_assert_double_eq(perp_law_violation(&impact, y + 3, 1), 0.0);
}
END_TEST

/* Rows of torsion and rolling: of six rows 3 and 4, 5. */
START_TEST(impulses_shrink_into_their_cones)
{
    const perp_law impact = perp_law_impact(0.5), plane = perp_law_friction(2, 0.0, 0.5);
    const perp_law friction = perp_law_friction(3, 0.0, 0.5);
    const perp_law both = perp_law_rolling_torsion(0.0, 0.5, 0.2, 0.1);
    double pulls[3] = {-1.0, 0.3, -0.4}, slides[3] = {2.0, 3.0, -4.0}, sticks[3] = {2.0, 0.3, -0.4};
    double line[2] = {2.0, -7.0}, none[1] = {-2.0};
    double all[6] = {10.0, 3.0, 4.0, -2.0, 0.6, 0.8};
    perp_law_shrink(&friction, pulls);
    perp_law_shrink(&friction, slides);
    perp_law_shrink(&friction, sticks);
    perp_law_shrink(&plane, line);
    perp_law_shrink(&impact, none);
    perp_law_shrink(&both, all);
    const double slid[3] = {2.0, 0.6, -0.8}, turned[6] = {10.0, 3.0, 4.0, -1.0, 0.6, 0.8};
    ck_assert(pulls[0] == 0.0 && pulls[1] == 0.0 && pulls[2] == 0.0 && none[0] == 0.0);
    ck_assert(sticks[0] == 2.0 && sticks[1] == 0.3 && sticks[2] == -0.4);
    ck_assert(line[0] == 2.0 && line[1] == -1.0);
    for (int i = 0; i < 3; i++)
        ck_assert_double_eq_tol(slides[i], slid[i], 1e-15);
    for (int i = 0; i < 6; i++)
        ck_assert_double_eq_tol(all[i], turned[i], 1e-15);
}
END_TEST

static void law_refused(perp_law law, int rows, perp_status status, const char *what)
{
    perp_where where = {"", -1, -1};
    ck_assert_int_eq(perp_law_check(&law, rows, &where), status);
    ck_assert_str_eq(where.what, what);
    ck_assert_int_eq(perp_law_check(&law, rows, NULL), status);
}

START_TEST(laws_out_of_range_are_named)
{
    const double inf = (double)INFINITY, nan = (double)NAN;
    perp_law law = perp_law_friction(3, 0.5, 0.3), all = perp_law_relay(-inf, inf);
    ck_assert_int_eq(perp_law_check(&law, 6, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_law_check(&all, 2, NULL), PERP_SOLVED);
    law_refused(law, 4, PERP_ERR_ARGUMENT, "relation.rows");
    law_refused(law, 0, PERP_ERR_ARGUMENT, "relation.rows");
    law_refused(perp_law_friction(1, 0.5, 0.3), 3, PERP_ERR_ARGUMENT, "law.dim");
    law_refused(perp_law_friction(0, 0.5, 0.3), 3, PERP_ERR_ARGUMENT, "law.dim");
    law_refused(perp_law_friction(3, 1.5, 0.3), 3, PERP_ERR_ARGUMENT, "law.e");
    law_refused(perp_law_friction(3, 0.5, -0.1), 3, PERP_ERR_ARGUMENT, "law.mu");
    law_refused(perp_law_friction(3, 0.5, nan), 3, PERP_ERR_NONFINITE, "law.mu");
    law_refused(perp_law_friction(3, 0.5, inf), 3, PERP_ERR_NONFINITE, "law.mu");
    law.e_t = -0.5;
    law_refused(law, 3, PERP_ERR_ARGUMENT, "law.e_t");
    law_refused(perp_law_impact(-0.1), 1, PERP_ERR_ARGUMENT, "law.e");
    law_refused(perp_law_impact(nan), 1, PERP_ERR_NONFINITE, "law.e");
    law_refused(perp_law_relay(1.0, -1.0), 1, PERP_ERR_ARGUMENT, "law.lo");
    law_refused(perp_law_relay(inf, inf), 1, PERP_ERR_ARGUMENT, "law.lo");
    law_refused(perp_law_relay(-inf, -inf), 1, PERP_ERR_ARGUMENT, "law.hi");
    law_refused(perp_law_relay(nan, 1.0), 1, PERP_ERR_NONFINITE, "law.lo");
    law_refused(perp_law_relay(0.0, nan), 1, PERP_ERR_NONFINITE, "law.hi");
    law = perp_law_equality();
    law.dim = 2;
    law_refused(law, 2, PERP_ERR_ARGUMENT, "law.dim");
    law.kind = (perp_law_kind)17;
    law_refused(law, 2, PERP_ERR_ARGUMENT, "law.kind");
}
END_TEST

/* A definition that is good, to be spoilt in one place. */
typedef struct sample {
    scene s;
    perp_interaction_def def;
    smooth_case user;
    double numbers[CASE_ROWS * CASE_MOST];
} sample;

static int no_contact(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                      const double *z, void *user)
{
    (void)t;
    (void)q_a;
    (void)q_b;
    (void)z;
    (void)user;
    *point = (perp_contact_point){.gap = 1.0, .normal = {1.0, 0.0, 0.0}};
    return 0;
}

static int never(double *out, double t, const double *x, const double *lambda, const double *z,
                 void *user)
{
    (void)out;
    (void)t;
    (void)x;
    (void)lambda;
    (void)z;
    (void)user;
    return 1;
}

static sample good(cast which, perp_relation_kind kind)
{
    sample a;
    perp_rng rng = {99};
    memset(&a, 0, sizeof a);
    a.s = case_scene(which, &rng);
    perp_interaction_def_init(&a.def, sizeof a.def);
    a.def.nsystems = a.s.count;
    a.def.law = perp_law_equality();
    case_fill(&rng, a.numbers, CASE_ROWS * CASE_MOST);
    if (kind == PERP_RELATION_LINEAR) {
        a.def.relation = (perp_relation){
            .size = sizeof(perp_relation), .kind = kind, .rows = CASE_ROWS, .nz = 1};
    } else if (kind == PERP_RELATION_CONTACT) {
        a.def.relation = (perp_relation){
            .size = sizeof(perp_relation), .kind = kind, .rows = 3, .contact = no_contact};
        a.def.law = perp_law_friction(3, 0.5, 0.3);
    } else if (kind == PERP_RELATION_JOINT) {
        a.def.relation = (perp_relation){
            .size = sizeof(perp_relation), .kind = kind, .rows = 5, .joint = PERP_JOINT_PIVOT};
        a.def.relation.axis[1] = 2.0;
    } else {
        a.def.relation = case_smooth(kind, &a.user, &a.s);
    }
    return a;
}

/* Pointers into the sample, which the caller now holds. */
static void attach(sample *a)
{
    perp_relation *r = &a->def.relation;
    a->def.systems = a->s.id;
    if (r->kind == PERP_RELATION_LINEAR) {
        r->C = r->D = r->F = r->e = r->z = a->numbers;
        if (a->s.systems[0]->kind == PERP_SYSTEM_FIRST_ORDER)
            r->B = a->numbers;
    } else {
        r->user = &a->user;
    }
}

static void refused(sample *a, perp_status status, const char *what)
{
    perp_where where = {"", -1, -1};
    perp_interaction_id id = {77, 77};
    int before = perp_model_interactions(a->s.model);
    perp_status got = perp_model_add_interaction(a->s.model, &a->def, &id, &where);
    ck_assert_msg(got == status, "%s: %s, %s", what, perp_status_name(got), where.what);
    ck_assert_msg(strcmp(where.what, what) == 0, "%s instead of %s", where.what, what);
    ck_assert_uint_eq(id.index, 77);
    ck_assert_int_eq(perp_model_add_interaction(a->s.model, &a->def, &id, NULL), status);
    ck_assert_int_eq(perp_model_interactions(a->s.model), before);
}

#define SPOIL(which, kind, change, status, what)                                                   \
    do {                                                                                           \
        sample a = good(which, kind);                                                              \
        attach(&a);                                                                                \
        perp_relation *r = &a.def.relation;                                                        \
        perp_interaction_id made;                                                                  \
        ck_assert_int_eq(perp_model_add_interaction(a.s.model, &a.def, &made, NULL), PERP_SOLVED); \
        change;                                                                                    \
        (void)r;                                                                                   \
        refused(&a, status, what);                                                                 \
        case_free(&a.s);                                                                           \
    } while (0)

START_TEST(kinds_go_with_their_systems)
{
    const perp_status bad = PERP_ERR_ARGUMENT;
    SPOIL(CAST_FIRST, PERP_RELATION_TYPE1, r->kind = PERP_RELATION_SCLERONOMOUS, bad,
          "relation.kind");
    SPOIL(CAST_FIRST, PERP_RELATION_TYPE1, r->kind = PERP_RELATION_RHEONOMOUS, bad,
          "relation.kind");
    SPOIL(CAST_FIRST, PERP_RELATION_TYPE1, r->kind = PERP_RELATION_COMPLIANT, bad, "relation.kind");
    SPOIL(CAST_MIXED, PERP_RELATION_RHEONOMOUS, r->kind = PERP_RELATION_TYPE1, bad,
          "relation.kind");
    SPOIL(CAST_BODY, PERP_RELATION_COMPLIANT, r->kind = PERP_RELATION_TYPE2, bad, "relation.kind");
    SPOIL(CAST_BODY, PERP_RELATION_COMPLIANT, r->kind = (perp_relation_kind)55, bad,
          "relation.kind");
    SPOIL(CAST_MIXED, PERP_RELATION_COMPLIANT, r->kind = PERP_RELATION_CONTACT, bad, "systems");
    SPOIL(CAST_FIRST, PERP_RELATION_NONLINEAR, r->kind = PERP_RELATION_JOINT, bad, "systems");
    SPOIL(CAST_BODY, PERP_RELATION_NONLINEAR, a.def.nsystems = 0, bad, "nsystems");
}
END_TEST

START_TEST(orders_do_not_mix_and_pairs_are_pairs)
{
    perp_rng rng = {1};
    scene s = case_scene(CAST_TWO_BODIES, &rng);
    perp_first_order_def first;
    perp_body_def third;
    double x0 = 1.0, C[22] = {1.0};
    perp_system_id id[4] = {s.id[0], s.id[1]};
    perp_interaction_def def;
    perp_where where;
    perp_first_order_def_init(&first, sizeof first);
    first.n = 1;
    first.x0 = &x0;
    ck_assert_int_eq(perp_model_add_first_order(s.model, &first, &id[2], NULL), PERP_SOLVED);
    perp_interaction_def_init(&def, sizeof def);
    def.systems = id;
    def.nsystems = 3;
    def.relation = (perp_relation){
        .size = sizeof(perp_relation), .kind = PERP_RELATION_LINEAR, .rows = 1, .C = C};
    ck_assert_int_eq(perp_model_add_interaction(s.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "systems");
    ck_assert_int_eq(where.index, 2);
    perp_body_def_init(&third, sizeof third);
    ck_assert_int_eq(perp_model_add_body(s.model, &third, &id[2], NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_model_add_interaction(s.model, &def, NULL, &where), PERP_SOLVED);
    def.relation =
        (perp_relation){.size = sizeof(perp_relation), .kind = PERP_RELATION_JOINT, .rows = 3};
    def.law = perp_law_equality();
    ck_assert_int_eq(perp_model_add_interaction(s.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "nsystems");
    id[1] = id[0];
    def.nsystems = 2;
    ck_assert_int_eq(perp_model_add_interaction(s.model, &def, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "systems");
    case_free(&s);
}
END_TEST

START_TEST(missing_functions_are_named)
{
    const perp_status bad = PERP_ERR_ARGUMENT;
    const perp_relation_kind full = PERP_RELATION_NONLINEAR;
    SPOIL(CAST_FIRST, full, r->h = NULL, bad, "relation.h");
    SPOIL(CAST_FIRST, full, r->g = NULL, bad, "relation.g");
    SPOIL(CAST_FIRST, full, r->h_x = NULL, bad, "relation.h_x");
    SPOIL(CAST_FIRST, full, r->h_lambda = NULL, bad, "relation.h_lambda");
    SPOIL(CAST_FIRST, full, r->g_x = NULL, bad, "relation.g_x");
    SPOIL(CAST_FIRST, full, r->g_lambda = NULL, bad, "relation.g_lambda");
    SPOIL(CAST_BODY, full, r->h_t = NULL, bad, "relation.h_t");
    SPOIL(CAST_FIRST, PERP_RELATION_TYPE1, r->g_lambda = NULL, bad, "relation.g_lambda");
    SPOIL(CAST_FIRST, PERP_RELATION_TYPE2, r->h_lambda = NULL, bad, "relation.h_lambda");
    SPOIL(CAST_LAGRANGIAN, PERP_RELATION_SCLERONOMOUS, r->h_x = NULL, bad, "relation.h_x");
    SPOIL(CAST_LAGRANGIAN, PERP_RELATION_RHEONOMOUS, r->h_t = NULL, bad, "relation.h_t");
    SPOIL(CAST_LAGRANGIAN, PERP_RELATION_COMPLIANT, r->h_lambda = NULL, bad, "relation.h_lambda");
    SPOIL(CAST_BODY, PERP_RELATION_CONTACT, r->contact = NULL, bad, "relation.contact");
    /* Differences stand for Jacobians, not for the functions. */
    SPOIL(CAST_FIRST, full, (r->differences = 1, r->h = NULL), bad, "relation.h");
    SPOIL(CAST_FIRST, full, (r->differences = 1, r->g = NULL), bad, "relation.g");
    SPOIL(CAST_BODY, PERP_RELATION_LINEAR, (r->e = NULL, r->e_at = never), bad, "relation.h_t");
}
END_TEST

START_TEST(bad_numbers_are_named)
{
    const perp_status bad = PERP_ERR_ARGUMENT, not_finite = PERP_ERR_NONFINITE;
    const perp_relation_kind linear = PERP_RELATION_LINEAR, joint = PERP_RELATION_JOINT;
    double spoilt[CASE_ROWS * CASE_MOST] = {0.0};
    spoilt[0] = (double)NAN;
    SPOIL(CAST_FIRST, linear, r->C = spoilt, not_finite, "relation.C");
    SPOIL(CAST_FIRST, linear, r->D = spoilt, not_finite, "relation.D");
    SPOIL(CAST_FIRST, linear, r->F = spoilt, not_finite, "relation.F");
    SPOIL(CAST_FIRST, linear, r->e = spoilt, not_finite, "relation.e");
    SPOIL(CAST_FIRST, linear, r->B = spoilt, not_finite, "relation.B");
    SPOIL(CAST_FIRST, linear, r->z = spoilt, not_finite, "relation.z");
    SPOIL(CAST_FIRST, linear, r->z = NULL, bad, "relation.z");
    SPOIL(CAST_FIRST, linear, r->nz = -1, bad, "relation.nz");
    SPOIL(CAST_FIRST, linear, r->nz = 0, bad, "relation.F");
    SPOIL(CAST_FIRST, linear, (r->C = NULL, r->D = NULL), bad, "relation.C");
    SPOIL(CAST_FIRST, linear, r->C_at = never, bad, "relation.C_at");
    SPOIL(CAST_FIRST, linear, r->B_at = never, bad, "relation.B_at");
    SPOIL(CAST_BODY, linear, r->B = a.numbers, bad, "relation.B");
    SPOIL(CAST_BODY, linear, r->C = NULL, bad, "relation.C");
    SPOIL(CAST_FIRST, linear, r->rows = 0, bad, "relation.rows");
    SPOIL(CAST_FIRST, linear, r->rows = -2, bad, "relation.rows");
    SPOIL(CAST_FIRST, linear, r->rows = 1 << 30, PERP_ERR_OVERFLOW, "relation.rows");
    SPOIL(CAST_FIRST, linear, a.def.law = perp_law_impact(2.0), bad, "law.e");
    SPOIL(CAST_FIRST, linear, a.def.law = perp_law_friction(2, 0.0, 1.0), bad, "relation.rows");
    SPOIL(CAST_BODY, joint, r->axis[1] = 0.0, bad, "relation.axis");
    SPOIL(CAST_BODY, joint, r->axis[0] = (double)INFINITY, not_finite, "relation.axis");
    SPOIL(CAST_BODY, joint, r->anchor[2] = (double)NAN, not_finite, "relation.anchor");
    SPOIL(CAST_BODY, joint, r->rows = 3, bad, "relation.rows");
    SPOIL(CAST_BODY, joint, r->joint = (perp_joint)(PERP_JOINT_SPIN + 1), bad, "relation.joint");
    SPOIL(CAST_BODY, joint, (r->joint = PERP_JOINT_DISTANCE, r->rows = 1), bad,
          "relation.anchor_b");
    SPOIL(CAST_TWO_BODIES, joint,
          (r->joint = PERP_JOINT_DISTANCE, r->rows = 1, r->anchor_b[0] = (double)NAN), not_finite,
          "relation.anchor_b");
    SPOIL(CAST_BODY, joint,
          (r->joint = PERP_JOINT_POINT, r->rows = 3, a.def.law = perp_law_friction(3, 0.0, 1.0)),
          bad, "law.kind");
    SPOIL(CAST_BODY, PERP_RELATION_CONTACT, (r->rows = 2, a.def.law = perp_law_equality()), bad,
          "relation.rows");
    SPOIL(CAST_BODY, PERP_RELATION_CONTACT, a.def.law = perp_law_impact(0.5), bad, "law.kind");
}
END_TEST

/* An allocator that fails at call number `fail` and counts what lives. */
typedef struct meter {
    long calls, fail, live;
} meter;

static void *meter_allocate(void *ctx, size_t bytes)
{
    meter *m = ctx;
    if (m->calls++ == m->fail)
        return NULL;
    m->live++;
    return malloc(bytes);
}

static void meter_release(void *ctx, void *block)
{
    meter *m = ctx;
    m->live -= block != NULL;
    free(block);
}

static void link_with_failures(cast which, perp_relation_kind kind)
{
    sample a = good(which, kind);
    attach(&a);
    perp_status status = PERP_ERR_MEMORY;
    for (long k = 0; status == PERP_ERR_MEMORY; k++) {
        meter m = {0, k, 0};
        perp_allocator allocator = {meter_allocate, meter_release, &m};
        perp_pool pool;
        perp_link *link = NULL;
        perp_pool_init(&pool, &allocator);
        status = perp_link_make(&link, &a.def, a.s.systems, &pool, NULL);
        ck_assert(status == PERP_SOLVED || status == PERP_ERR_MEMORY);
        ck_assert((status == PERP_SOLVED) == (link != NULL));
        ck_assert_int_lt(k, 20);
        if (link) {
            /* Contacts that come and go stop at the high-water mark. */
            long before = m.calls;
            for (int trial = 0; trial < 10; trial++) {
                perp_link_free(link, &pool);
                status = perp_link_make(&link, &a.def, a.s.systems, &pool, NULL);
                ck_assert_int_eq(status, PERP_SOLVED);
            }
            ck_assert_int_eq(m.calls, before);
            perp_link_free(link, &pool);
        }
        perp_pool_free(&pool);
        ck_assert_int_eq(m.live, 0);
    }
    case_free(&a.s);
}

START_TEST(links_without_memory)
{
    perp_pool pool;
    link_with_failures(CAST_TWO_FIRST, PERP_RELATION_LINEAR);
    link_with_failures(CAST_TWO_FIRST, PERP_RELATION_NONLINEAR);
    link_with_failures(CAST_MIXED, PERP_RELATION_NONLINEAR);
    link_with_failures(CAST_TWO_BODIES, PERP_RELATION_CONTACT);
    link_with_failures(CAST_TWO_BODIES, PERP_RELATION_JOINT);
    perp_pool_init(&pool, NULL);
    perp_link_free(NULL, &pool);
    perp_pool_free(&pool);
}
END_TEST

static void assert_degree(int expected, const double *M, const double *A, const double *B,
                          const double *C, const double *D, int n, int m, const int *rows)
{
    int degree = -7, relative[4] = {-7, -7, -7, -7};
    ck_assert_int_eq(perp_relative_degree(M, A, B, C, D, n, m, NULL, &degree, relative),
                     PERP_SOLVED);
    ck_assert_int_eq(degree, expected);
    for (int i = 0; i < m; i++)
        ck_assert_int_eq(relative[i], rows[i]);
    ck_assert_int_eq(perp_relative_degree(M, A, B, C, D, n, m, NULL, &degree, NULL), PERP_SOLVED);
    ck_assert_int_eq(degree, expected);
}

START_TEST(relative_degrees)
{
    /* Two masses on springs: x = (q, v); A columns first. */
    double A[16] = {0, 0, -2, 1, 0, 0, 1, -2, 1, 0, -0.1, 0, 0, 1, 0, -0.2};
    double B[8] = {0, 0, 1, 0, 0, 0, 0, 1}, C[8] = {1, 0, 0, 1, 0, 0, 0, 0};
    double M[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 2, 0.5, 0, 0, 0.5, 3};
    double rates[8] = {0, 0, 0, 0, 1, 0, 0, 1}, mixed[8] = {1, 0, 0, 0, 0, 0, 0, 1};
    double D[4] = {1, 0.5, -0.5, 2}, half[4] = {1, 0, 0, 0}, flat[4] = {1, 2, 2, 4};
    double none[8] = {0}, collocated[8] = {1, 1, 1, 1, 0, 0, 0, 0};
    assert_degree(0, NULL, A, B, C, D, 4, 2, (int[]){0, 0});
    assert_degree(0, M, A, B, C, D, 4, 2, (int[]){0, 0});
    assert_degree(1, M, A, B, rates, NULL, 4, 2, (int[]){1, 1});
    assert_degree(2, M, A, B, C, NULL, 4, 2, (int[]){2, 2});
    assert_degree(2, NULL, A, B, C, none, 4, 2, (int[]){2, 2});
    assert_degree(-1, M, A, B, mixed, NULL, 4, 2, (int[]){2, 1});
    assert_degree(-1, NULL, A, B, C, half, 4, 2, (int[]){0, 2});
    assert_degree(-1, NULL, A, B, C, flat, 4, 2, (int[]){0, 0});
    assert_degree(-1, NULL, A, B, collocated, NULL, 4, 2, (int[]){2, 2});
    assert_degree(5, NULL, A, none, C, NULL, 4, 2, (int[]){5, 5});
    assert_degree(5, NULL, A, B, none, NULL, 4, 2, (int[]){5, 5});
}
END_TEST

/* x_n' = lambda, x_k' = x_k+1, y = x_1, in coordinates z = S x and badly chosen units: degree n. */
START_TEST(chains_of_integrators)
{
    perp_rng rng = {21};
    for (int n = 1; n <= 8; n++)
        for (int trial = 0; trial < 20; trial++) {
            double M[64], A[64] = {0.0}, B[8], C[8] = {0.0}, S[64];
            int relative, degree;
            /* M = S with M z' = (S N) z + S e_n lambda keeps z = x; S is any regular matrix. */
            case_fill(&rng, S, n * n);
            for (int k = 0; k < n; k++)
                S[k + k * n] += 3.0;
            for (int i = 0; i < n; i++) {
                double unit = pow(10.0, 4.0 * case_uniform(&rng));
                for (int k = 0; k < n; k++) {
                    M[i + k * n] = unit * S[i + k * n];
                    if (k + 1 < n)
                        A[i + (k + 1) * n] = unit * S[i + k * n];
                }
                B[i] = 1e-5 * unit * S[i + (n - 1) * n];
            }
            C[0] = 1e-3;
            ck_assert_int_eq(perp_relative_degree(M, A, B, C, NULL, n, 1, NULL, &degree, &relative),
                             PERP_SOLVED);
            ck_assert_int_eq(degree, n);
            ck_assert_int_eq(relative, n);
        }
}
END_TEST

START_TEST(relative_degrees_of_nonsense)
{
    double one = 1.0, zero = 0.0, nan = (double)NAN;
    double rank_one[4] = {0.1, 0.3, 0.7, 2.1}, two[4] = {1.0, 1.0, 1.0, 1.0};
    int degree = -7;
    ck_assert_int_eq(perp_relative_degree(rank_one, two, two, two, NULL, 2, 1, NULL, &degree, NULL),
                     PERP_ERR_SINGULAR);
    ck_assert_int_eq(perp_relative_degree(NULL, &one, &one, &one, NULL, 1, 1, NULL, NULL, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_relative_degree(NULL, NULL, &one, &one, NULL, 1, 1, NULL, &degree, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_relative_degree(NULL, &one, &one, &one, NULL, 1, 0, NULL, &degree, NULL),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_relative_degree(&zero, &one, &one, &one, NULL, 1, 1, NULL, &degree, NULL),
                     PERP_ERR_SINGULAR);
    ck_assert_int_eq(perp_relative_degree(NULL, &one, &nan, &one, NULL, 1, 1, NULL, &degree, NULL),
                     PERP_ERR_NONFINITE);
    ck_assert_int_eq(degree, -7);
    /* A relation without a state. */
    assert_degree(0, NULL, NULL, NULL, NULL, &one, 0, 1, (int[]){0});
    assert_degree(1, NULL, NULL, NULL, NULL, &zero, 0, 1, (int[]){1});
    perp_status status = PERP_ERR_MEMORY;
    for (long k = 0; status == PERP_ERR_MEMORY; k++) {
        meter m = {0, k, 0};
        perp_allocator allocator = {meter_allocate, meter_release, &m};
        degree = -7;
        status =
            perp_relative_degree(&one, &one, &one, &one, NULL, 1, 1, &allocator, &degree, NULL);
        ck_assert_int_eq(degree, status == PERP_SOLVED ? 1 : -7);
        ck_assert_int_eq(m.live, 0);
    }
    ck_assert_int_eq(status, PERP_SOLVED);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("definitions of relations");
    TCase *tcase = tcase_create("definitions of relations");
    tcase_add_test(tcase, laws_become_sets);
    tcase_add_test(tcase, restitution_and_violation_go_by_rows);
    tcase_add_test(tcase, impulses_shrink_into_their_cones);
    tcase_add_test(tcase, laws_out_of_range_are_named);
    tcase_add_test(tcase, kinds_go_with_their_systems);
    tcase_add_test(tcase, orders_do_not_mix_and_pairs_are_pairs);
    tcase_add_test(tcase, missing_functions_are_named);
    tcase_add_test(tcase, bad_numbers_are_named);
    tcase_add_test(tcase, links_without_memory);
    tcase_add_test(tcase, relative_degrees);
    tcase_add_test(tcase, chains_of_integrators);
    tcase_add_test(tcase, relative_degrees_of_nonsense);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
