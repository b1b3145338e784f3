/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of motions with more velocities than the small factors take, and with more rows than
 * are worth a dense matrix: beside central differences of whole runs, and the adjoint beside the
 * forward product. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "tests/fixtures/kernel_rig.h"

enum { MOST = 400, STEPS = 9 };

/* Columns of beads that fall onto the ground and onto each other, each with a spring of its own to
 * its side: two coordinates, rows with friction between them. */
typedef struct columns {
    rig r;
    perp_system_id bead[MOST];
    int count, dofs;
} columns;

static const char *const schemes[] = {"discrete-gradient", "moreau-jean"};

static void open_columns(columns *c, int ncolumns, int high, const char *scheme)
{
    static const double first[4] = {1.0, 0.0, 0.0, 1.0};
    static const double between[8] = {-1.0, 0.0, 0.0, -1.0, 1.0, 0.0, 0.0, 1.0};
    static const double K[4] = {0.0, 0.0, 0.0, 30.0}, C[4] = {0.0, 0.0, 0.0, 0.4};
    const double ground[2] = {-0.1, 0.0}, apart[2] = {-0.2, 0.0}, F[2] = {-9.81, 0.7};
    rig_init(&c->r, 1e-2);
    c->r.options.solver = NULL;
    c->r.options.newton_tol = 1e-12;
    c->count = ncolumns * high;
    c->dofs = 2 * c->count;
    ck_assert_int_le(c->dofs, MOST);
    for (int k = 0; k < c->count; k++) {
        int level = k % high;
        double own = fmod(0.61803398875 * k, 1.0); /* no two hits at one time */
        double q0[2] = {0.1 + 0.2 * level + 0.004 * (level + 1 + 0.3 * own), 0.01 * own};
        double v0[2] = {-1.0 - 0.02 * own, 0.3 + 0.02 * own};
        perp_lagrangian_def def;
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 2;
        def.q0 = q0;
        def.v0 = v0;
        def.F = F;
        def.K = rig_dense(K, 2, 2);
        def.C = rig_dense(C, 2, 2);
        c->bead[k] = rig_add_lagrangian(&c->r, &def);
    }
    for (int k = 0; k < c->count; k++) {
        perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 2);
        relation.C = k % high ? between : first;
        relation.e = k % high ? apart : ground;
        rig_interact(&c->r, c->bead + k - (k % high ? 1 : 0), k % high ? 2 : 1, &relation,
                     perp_law_friction(2, 0.0, 0.3));
    }
    perp_scheme s = rig_scheme(scheme, "");
    rig_start(&c->r, &s);
}

static void shift(columns *c, const double *dq, const double *dv, double by)
{
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < 2; i++) {
            rig_q(&c->r, c->bead[k])[i] += by * dq[2 * k + i];
            rig_v(&c->r, c->bead[k])[i] += by * dv[2 * k + i];
        }
    perp_model_changed(c->r.model);
}

static void ends(double *q, double *v, columns *c)
{
    for (int k = 0; k < STEPS; k++)
        rig_step(&c->r);
    for (int k = 0; k < c->count; k++)
        for (int i = 0; i < 2; i++) {
            q[2 * k + i] = rig_q(&c->r, c->bead[k])[i];
            v[2 * k + i] = rig_v(&c->r, c->bead[k])[i];
        }
}

static const int sizes[][2] = {{40, 1}, {20, 3}, {60, 2}, {12, 4}};

START_TEST(beside_differences)
{
    const int *size = sizes[_i % 4];
    const char *scheme = schemes[_i / 4];
    static columns c, plus, minus;
    static double q[3][MOST], v[3][MOST], dq[MOST], dv[MOST], oq[MOST], ov[MOST], bq[MOST],
        bv[MOST], gq[MOST], gv[MOST];
    const double by = 1e-7;
    perp_rng rng = {(uint64_t)_i + 11};
    perp_tape *tape;
    open_columns(&c, size[0], size[1], scheme);
    ck_assert_int_eq(perp_tape_create(&tape, c.r.sim, NULL, NULL, NULL), PERP_SOLVED);
    ends(q[0], v[0], &c);
    perp_tape_info info = {.size = sizeof info};
    perp_tape_info_get(tape, &info);
    ck_assert_msg(info.status == PERP_SOLVED, "%s", info.detail);
    for (int i = 0; i < c.dofs; i++) {
        dq[i] = 0.1 * perp_rng_signed(&rng);
        dv[i] = perp_rng_signed(&rng);
        bq[i] = perp_rng_signed(&rng);
        bv[i] = perp_rng_signed(&rng);
    }
    perp_tape_tangent along = {.size = sizeof along, .q = dq, .v = dv};
    ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, oq, ov, NULL, NULL), PERP_SOLVED);
    open_columns(&plus, size[0], size[1], scheme);
    open_columns(&minus, size[0], size[1], scheme);
    shift(&plus, dq, dv, by);
    shift(&minus, dq, dv, -by);
    ends(q[1], v[1], &plus);
    ends(q[2], v[2], &minus);
    for (int i = 0; i < c.dofs; i++) {
        ck_assert_double_eq_tol(oq[i], (q[1][i] - q[2][i]) / (2.0 * by), 1e-4);
        ck_assert_double_eq_tol(ov[i], (v[1][i] - v[2][i]) / (2.0 * by), 1e-3);
    }
    perp_tape_gradient of = {.size = sizeof of, .q = gq, .v = gv};
    ck_assert_int_ge(perp_tape_vjp(tape, 1, 0, bq, bv, &of, NULL), 0);
    double forward = 0.0, adjoint = 0.0, scale = 0.0;
    for (int i = 0; i < c.dofs; i++) {
        forward += bq[i] * oq[i] + bv[i] * ov[i];
        adjoint += gq[i] * dq[i] + gv[i] * dv[i];
        scale += fabs(bq[i] * oq[i]) + fabs(bv[i] * ov[i]);
    }
    ck_assert_double_eq_tol(forward, adjoint, 1e-9 * scale);
    perp_tape_destroy(tape);
    rig_free(&c.r);
    rig_free(&plus.r);
    rig_free(&minus.r);
}
END_TEST

/* A body on whose place and quaternion a matrix gives two gaps, which close as it falls and turns.
 */
static perp_system_id open_turning(rig *r)
{
    static const double C[14] = {0,     0,    0.1,  -0.2,  1.0,  0.9,  0.02,
                                 -0.03, 0.08, 0.05, -0.06, 0.11, 0.04, 0.02},
                        e[2] = {-0.12, 0.03};
    static const double inertia[9] = {0.02, 0, 0, 0, 0.03, 0, 0, 0, 0.045};
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.mass = 1.5;
    memcpy(def.inertia, inertia, sizeof inertia);
    def.position[2] = 0.15;
    def.velocity[0] = 0.3;
    def.velocity[2] = -1.0;
    def.angular[0] = 1.2;
    def.angular[1] = -0.7;
    def.angular[2] = 2.0;
    def.force[2] = -15.0;
    rig_init(r, 1e-2);
    r->options.solver = NULL;
    r->options.newton_tol = 1e-13;
    perp_system_id id = rig_add_body(r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 2);
    relation.C = C;
    relation.e = e;
    rig_interact(r, &id, 1, &relation, perp_law_impact(0.5));
    perp_scheme scheme = rig_scheme("discrete-gradient", "");
    rig_start(r, &scheme);
    return id;
}

/* Of a start that is shifted by so much along velocity j < 6, or place j - 6. */
static void end_of_turning(double *place, double *v, int *struck, int j, double by)
{
    enum { LONG = 30 };
    rig r;
    perp_system_id id = open_turning(&r);
    (j < 6 ? rig_v(&r, id) : rig_q(&r, id))[j % 6] += by;
    perp_model_changed(r.model);
    *struck = 0;
    for (int k = 0; k < LONG; k++) {
        rig_step(&r);
        *struck += perp_sim_info(r.sim)->impacts;
    }
    memcpy(place, rig_q(&r, id), 3 * sizeof *place);
    memcpy(v, rig_v(&r, id), 6 * sizeof *v);
    rig_free(&r);
}

START_TEST(matrices_on_quaternions)
{
    enum { LONG = 30 };
    const double by = 1e-6;
    rig r;
    perp_tape *tape;
    int struck[2], hits = 0;
    perp_tape_settings options;
    perp_tape_settings_init(&options, sizeof options);
    options.differences = 1;
    open_turning(&r);
    ck_assert_int_eq(perp_tape_create(&tape, r.sim, &options, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < LONG; k++) {
        rig_step(&r);
        hits += perp_sim_info(r.sim)->impacts;
    }
    perp_tape_info info = {.size = sizeof info};
    perp_tape_info_get(tape, &info);
    ck_assert_msg(info.status == PERP_SOLVED, "%s", info.detail);
    ck_assert_int_ge(hits, 2);
    for (int j = 0; j < 9; j++) {
        double dq[6] = {0.0}, dv[6] = {0.0}, oq[6], ov[6], place[2][3], v[2][6];
        perp_tape_tangent along = {.size = sizeof along, .q = dq, .v = dv};
        (j < 6 ? dv : dq)[j % 6] = 1.0;
        ck_assert_int_eq(perp_tape_jvp(tape, 1, &along, 0, oq, ov, NULL, NULL), PERP_SOLVED);
        end_of_turning(place[0], v[0], &struck[0], j, by);
        end_of_turning(place[1], v[1], &struck[1], j, -by);
        ck_assert_int_eq(struck[0], struck[1]);
        for (int i = 0; i < 6; i++)
            ck_assert_double_eq_tol(ov[i], (v[0][i] - v[1][i]) / (2.0 * by),
                                    1e-5 * (1.0 + fabs(ov[i])));
        for (int i = 0; i < 3; i++)
            ck_assert_double_eq_tol(oq[i], (place[0][i] - place[1][i]) / (2.0 * by),
                                    1e-5 * (1.0 + fabs(oq[i])));
    }
    perp_tape_destroy(tape);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("derivatives of large motions");
    TCase *test = tcase_create("differences");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, beside_differences, 0, 8);
    tcase_add_test(test, matrices_on_quaternions);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
