/* SPDX-License-Identifier: BSD-3-Clause */
/* Definitions of systems that are refused, each with the field that is wrong. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/dense_reference.h"
#include "tests/fixtures/model_zoo.h"

static const double zeros[64];
static const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static perp_mat dense(const double *x, int rows, int cols)
{
    perp_mat A;
    ck_assert_int_eq(perp_mat_init_dense(&A, rows, cols, x, rows), 0);
    return A;
}

static perp_model *new_model(void)
{
    perp_model *model;
    ck_assert_int_eq(perp_model_create(&model, NULL), PERP_SOLVED);
    return model;
}

static const double bad_vector[3] = {0.0, 0.0, NAN};
static const double bad_matrix[9] = {1.0, 0.0, 0.0, 0.0, INFINITY, 0.0, 0.0, 0.0, 1.0};
static const double rank_two[9] = {0.1, 0.2, 0.3, 0.2, 0.5, 0.7, 0.3, 0.7, 1.0};
static const double negative[9] = {1.0, 0.0, 0.0, 0.0, -2.0, 0.0, 0.0, 0.0, 1.0};
static const double hole[9] = {1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0};

/* One change that makes a good definition bad. */
#define BAD(name, type, change)                                                                    \
    static void name(type *d)                                                                      \
    {                                                                                              \
        change;                                                                                    \
    }

#define FIRST(X)                                                                                   \
    X(f1, d->n = 0, ARGUMENT, "n", -1)                                                             \
    X(f2, d->n = -3, ARGUMENT, "n", -1)                                                            \
    X(f3, d->x0 = NULL, ARGUMENT, "x0", -1)                                                        \
    X(f4, d->x0 = bad_vector, NONFINITE, "x0", 2)                                                  \
    X(f5, d->M = dense(zeros, 2, 2), ARGUMENT, "M", -1)                                            \
    X(f6, d->M = dense(bad_matrix, 3, 3), NONFINITE, "M", 4)                                       \
    X(f7, d->M = dense(hole, 3, 3), SINGULAR, "M", 1)                                              \
    X(f8, d->M = dense(rank_two, 3, 3), SINGULAR, "M", 2)                                          \
    X(f9, d->A = dense(zeros, 3, 2), ARGUMENT, "A", -1)                                            \
    X(f10, d->A.kind = PERP_BSR; d->A.rows = d->A.cols = 3, ARGUMENT, "A", -1)                     \
    X(f11, d->A = dense(identity, 3, 3); d->A_at = zoo_A_at, ARGUMENT, "A_at", -1)                 \
    X(f12, d->b = zeros; d->b_at = zoo_b_at, ARGUMENT, "b_at", -1)                                 \
    X(f13, d->b = bad_vector, NONFINITE, "b", 2)                                                   \
    X(f14, d->f = zoo_f, ARGUMENT, "f_x", -1)                                                      \
    X(f15, d->T = zoo_T; d->u = zoo_u, ARGUMENT, "controls", -1)                                   \
    X(f16, d->controls = -1, ARGUMENT, "controls", -1)                                             \
    X(f17, d->controls = 2; d->u = zoo_u, ARGUMENT, "T", -1)                                       \
    X(f18, d->controls = 2; d->T = zoo_T, ARGUMENT, "u", -1)                                       \
    X(f19, d->controls = 2; d->T = zoo_T; d->u = zoo_u, ARGUMENT, "control_x", -1)                 \
    X(f20, d->nz = -1, ARGUMENT, "nz", -1)                                                         \
    X(f21, d->nz = 1, ARGUMENT, "z", -1)                                                           \
    X(f22, d->nz = 3; d->z = bad_vector, NONFINITE, "z", 2)

#define LAGRANGIAN(X)                                                                              \
    X(l1, d->n = 0, ARGUMENT, "n", -1)                                                             \
    X(l2, d->q0 = NULL, ARGUMENT, "q0", -1)                                                        \
    X(l3, d->q0 = bad_vector, NONFINITE, "q0", 2)                                                  \
    X(l4, d->v0 = bad_vector, NONFINITE, "v0", 2)                                                  \
    X(l5, d->M = dense(identity, 1, 1), ARGUMENT, "M", -1)                                         \
    X(l6, d->M = dense(bad_matrix, 3, 3), NONFINITE, "M", 4)                                       \
    X(l7, d->M = dense(negative, 3, 3), ARGUMENT, "M", 1)                                          \
    X(l8, d->M = dense(hole, 3, 3), SINGULAR, "M", 1)                                              \
    X(l9, d->M = dense(rank_two, 3, 3), SINGULAR, "M", 2)                                          \
    X(l10, d->C = dense(zeros, 2, 3), ARGUMENT, "C", -1)                                           \
    X(l11, d->K = dense(bad_matrix, 3, 3), NONFINITE, "K", 4)                                      \
    X(l12, d->F = bad_vector, NONFINITE, "F", 2)                                                   \
    X(l13, d->M = dense(identity, 3, 3); d->mass = zoo_mass, ARGUMENT, "mass", -1)                 \
    X(l14, d->N = zoo_f, ARGUMENT, "N_q", -1)                                                      \
    X(l15, d->N = zoo_f; d->N_q = zoo_f_x, ARGUMENT, "N_v", -1)                                    \
    X(l16, d->F_int = zoo_f; d->F_int_v = zoo_f_v, ARGUMENT, "F_int_q", -1)                        \
    X(l17, d->F_int = zoo_f; d->F_int_q = zoo_f_x, ARGUMENT, "F_int_v", -1)                        \
    X(l18, d->T = zoo_T, ARGUMENT, "controls", -1)                                                 \
    X(l19, d->controls = 2; d->u = zoo_u, ARGUMENT, "T", -1)                                       \
    X(l20, d->controls = 2; d->T = zoo_T, ARGUMENT, "u", -1)                                       \
    X(l21, d->controls = 2; d->T = zoo_T; d->u = zoo_u, ARGUMENT, "control_q", -1)                 \
    X(l22, d->controls = 2; d->T = zoo_T; d->u = zoo_u;                                            \
      d->control_q = zoo_control_x, ARGUMENT, "control_v", -1)                                     \
    X(l23, d->nz = 2, ARGUMENT, "z", -1)

#define BODY(X)                                                                                    \
    X(b1, d->mass = 0.0, ARGUMENT, "mass", -1)                                                     \
    X(b2, d->mass = -1.0, ARGUMENT, "mass", -1)                                                    \
    X(b3, d->mass = NAN, NONFINITE, "mass", -1)                                                    \
    X(b4, d->mass = INFINITY, NONFINITE, "mass", -1)                                               \
    X(b5, d->inertia[3] = 0.1, ARGUMENT, "inertia", 3)                                             \
    X(b6, d->inertia[4] = 0.0, ARGUMENT, "inertia", 4)                                             \
    X(b7, d->inertia[8] = -1.0, ARGUMENT, "inertia", 8)                                            \
    X(b8, d->inertia[1] = d->inertia[3] = 1.0, ARGUMENT, "inertia", 4)                             \
    X(b9, d->inertia[5] = NAN, NONFINITE, "inertia", 5)                                            \
    X(b10, d->quaternion[0] = 0.0, ARGUMENT, "quaternion", -1)                                     \
    X(b11, d->quaternion[3] = INFINITY, NONFINITE, "quaternion", 3)                                \
    X(b12, d->position[1] = NAN, NONFINITE, "position", 1)                                         \
    X(b13, d->velocity[0] = NAN, NONFINITE, "velocity", 0)                                         \
    X(b14, d->angular[2] = NAN, NONFINITE, "angular", 2)                                           \
    X(b15, d->force[2] = NAN, NONFINITE, "force", 2)                                               \
    X(b16, d->moment[1] = NAN, NONFINITE, "moment", 1)                                             \
    X(b17, d->f = zoo_wrench, ARGUMENT, "f_q", -1)                                                 \
    X(b18, d->f = zoo_wrench; d->f_q = zoo_wrench_q, ARGUMENT, "f_v", -1)                          \
    X(b19, d->m = zoo_wrench; d->m_v = zoo_wrench_v, ARGUMENT, "m_q", -1)                          \
    X(b20, d->m = zoo_wrench; d->m_q = zoo_wrench_q, ARGUMENT, "m_v", -1)                          \
    X(b21, d->C = dense(zeros, 6, 7), ARGUMENT, "C", -1)                                           \
    X(b22, d->K = dense(zeros, 6, 6), ARGUMENT, "K", -1)                                           \
    X(b23, d->force_frame = (perp_frame)2, ARGUMENT, "force_frame", -1)                            \
    X(b24, d->moment_frame = (perp_frame)7, ARGUMENT, "moment_frame", -1)                          \
    X(b25, d->nz = -2, ARGUMENT, "nz", -1)

#define DEFINE_FIRST(name, change, status, what, index) BAD(name, perp_first_order_def, change)
#define DEFINE_LAGRANGIAN(name, change, status, what, index) BAD(name, perp_lagrangian_def, change)
#define DEFINE_BODY(name, change, status, what, index) BAD(name, perp_body_def, change)
#define ENTRY(name, change, status, what, index) {name, PERP_ERR_##status, what, index},
FIRST(DEFINE_FIRST)
LAGRANGIAN(DEFINE_LAGRANGIAN)
BODY(DEFINE_BODY)

static void assert_refused(perp_model *model, perp_status got, const perp_where *where,
                           perp_status status, const char *what, int index)
{
    ck_assert_msg(got == status && where->what && strcmp(where->what, what) == 0 &&
                      where->index == index && where->segment == -1,
                  "%s %d: got %s at %s %d", what, index, perp_status_name(got),
                  where->what ? where->what : "nothing", where->index);
    ck_assert_int_eq(perp_model_systems(model), 0);
    ck_assert_uint_eq(perp_model_next_system(model, (perp_system_id){0, 0}).generation, 0);
}

START_TEST(bad_definitions_name_their_field)
{
    static const struct {
        void (*spoil)(perp_first_order_def *);
        perp_status status;
        const char *what;
        int index;
    } first[] = {FIRST(ENTRY)};
    static const struct {
        void (*spoil)(perp_lagrangian_def *);
        perp_status status;
        const char *what;
        int index;
    } second[] = {LAGRANGIAN(ENTRY)};
    static const struct {
        void (*spoil)(perp_body_def *);
        perp_status status;
        const char *what;
        int index;
    } bodies[] = {BODY(ENTRY)};
    perp_model *model = new_model();
    perp_system_id id = {5, 5};
    perp_where where;
    for (size_t k = 0; k < sizeof first / sizeof *first; k++) {
        perp_first_order_def def;
        perp_first_order_def_init(&def, sizeof def);
        def.n = 3;
        def.x0 = zeros;
        first[k].spoil(&def);
        perp_status got = perp_model_add_first_order(model, &def, &id, &where);
        assert_refused(model, got, &where, first[k].status, first[k].what, first[k].index);
        ck_assert_int_eq(perp_model_add_first_order(model, &def, NULL, NULL), got);
    }
    for (size_t k = 0; k < sizeof second / sizeof *second; k++) {
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 3;
        def.q0 = zeros;
        second[k].spoil(&def);
        perp_status got = perp_model_add_lagrangian(model, &def, &id, &where);
        assert_refused(model, got, &where, second[k].status, second[k].what, second[k].index);
    }
    for (size_t k = 0; k < sizeof bodies / sizeof *bodies; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        bodies[k].spoil(&def);
        perp_status got = perp_model_add_body(model, &def, &id, &where);
        assert_refused(model, got, &where, bodies[k].status, bodies[k].what, bodies[k].index);
    }
    ck_assert(id.index == 5 && id.generation == 5);
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    ck_assert_int_eq(perp_model_add_body(NULL, &def, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_model_add_body(model, NULL, &id, &where), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_model_add_body(model, &def, &id, &where), PERP_SOLVED);
    ck_assert_ptr_null(where.what);
    perp_model_destroy(model);
    perp_model_destroy(NULL);
    ck_assert_int_eq(perp_model_create(NULL, NULL), PERP_ERR_ARGUMENT);
}
END_TEST

/* A mass matrix in units far apart is not singular; a big one that lacks rank is. */
START_TEST(masses_in_other_units)
{
    perp_model *model = new_model();
    double mixed[4] = {1e20, 0.5, 0.5, 1e-18}, big[400];
    perp_lagrangian_def def;
    perp_where where;
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 2;
    def.q0 = zeros;
    def.M = dense(mixed, 2, 2);
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_SOLVED);
    perp_rng rng = {31};
    double *half = ref_random(&rng, 20, 19), *other = ref_transpose(half, 20, 19);
    double *product = ref_multiply(half, other, 20, 19, 20);
    memcpy(big, product, sizeof big);
    def.n = 20;
    def.M = dense(big, 20, 20);
    ck_assert_int_eq(perp_model_add_lagrangian(model, &def, NULL, &where), PERP_ERR_SINGULAR);
    ck_assert_str_eq(where.what, "M");
    free(half);
    free(other);
    free(product);
    perp_model_destroy(model);
}
END_TEST

int main(void)
{
    Suite *s = suite_create("refused definitions");
    TCase *tests = tcase_create("definitions");
    tcase_add_test(tests, bad_definitions_name_their_field);
    tcase_add_test(tests, masses_in_other_units);
    suite_add_tcase(s, tests);
    SRunner *runner = srunner_create(s);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
