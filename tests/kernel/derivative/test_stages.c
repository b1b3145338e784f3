/* SPDX-License-Identifier: BSD-3-Clause */
/* Derivatives of motions under discrete-gradient beside central differences of whole runs, adjoint
 * beside forward, and runs that are recorded beside those that are not. */
#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/derivative/stage_system.h"
#include "tests/fixtures/tape_build.h"

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
static double compare_by(const tape_case *c, const recorded *r, const direction *d, int which,
                         const double *dq, const double *dv, double step)
{
    double found[2][2][TAPE_DOFS], worst = 0.0;
    for (int k = 0; k < 2; k++) {
        double by = k ? 0.5 * step : step;
        tape_world plus, minus;
        run_moved(&plus, c, d, which, by, r->steps);
        run_moved(&minus, c, d, which, -by, r->steps);
        tape_world_difference(found[k][0], found[k][1], &plus, &minus);
        tape_world_close(&plus);
        tape_world_close(&minus);
        for (int i = 0; i < 2 * TAPE_DOFS; i++)
            found[k][i / TAPE_DOFS][i % TAPE_DOFS] /= 2.0 * by;
    }
    for (int i = 0; i < r->dofs; i++) {
        double q = (4.0 * found[1][0][i] - found[0][0][i]) / 3.0;
        double v = (4.0 * found[1][1][i] - found[0][1][i]) / 3.0;
        worst = fmax(worst, fabs(q - dq[i]) / (1.0 + fabs(q)));
        worst = fmax(worst, fabs(v - dv[i]) / (1.0 + fabs(v)));
    }
    return worst;
}

static const tape_case held;

/* Smaller steps where the larger ones reach over a kink; a larger one where the joint makes 2500
 * times as much of what the solver leaves. */
static double compare(const tape_case *c, const recorded *r, const direction *d, int which,
                      const double *dq, const double *dv)
{
    if (c == &held)
        return compare_by(c, r, d, which, dq, dv, 5e-3);
    double worst = compare_by(c, r, d, which, dq, dv, 2e-5);
    return worst < 1e-6 ? worst : fmin(worst, compare_by(c, r, d, which, dq, dv, 2e-6));
}

/* The case begins on an edge, y = 0 at rest, or comes to it by and by. */
static int begins_on_an_edge(const tape_case *c)
{
    return strcmp(c->name, "block") == 0 || strcmp(c->name, "rolling") == 0;
}

/* An arm of three links on pivots, a motor at its root, a servo at its elbow, and a ball at its tip
 * that strikes a floor and slides; p: mass, inertia, mu, e, rate, stiffness. */
static void build_arm(tape_world *w, const double *p)
{
    const double axis[3] = {0.1, 1.0, 0.05}, origin[3] = {0}, up[3] = {0.05, 0.0, 1.0};
    ck_assert_int_eq(perp_collider_create(&w->collider, w->r.model, NULL), PERP_SOLVED);
    perp_collider_set_material(w->collider, 0, 0, p[3], p[2]);
    perp_collider_add_plane(w->collider, origin, up, NULL, NULL);
    for (int k = 0; k < 3; k++) {
        perp_body_def def;
        perp_body_def_init(&def, sizeof def);
        def.position[0] = 0.2 + 0.4 * k;
        def.position[2] = 0.6 - 0.1 * k;
        def.mass = k == 0 ? p[0] : 0.8;
        def.force[2] = -9.81 * 0.8;
        for (int i = 0; i < 3; i++)
            def.inertia[4 * i] = (k == 0 ? p[1] : 1.0) * (0.02 + 0.01 * i);
        w->system[w->systems++] = rig_add_body(&w->r, &def);
    }
    for (int k = 0; k < 3; k++) {
        perp_relation relation = rig_relation(PERP_RELATION_JOINT, 5);
        relation.joint = PERP_JOINT_PIVOT;
        relation.anchor[0] = 0.4 * k;
        relation.anchor[2] = 0.65 - 0.1 * k;
        memcpy(relation.axis, axis, sizeof axis);
        int first = k > 0 ? k - 1 : 0, count = k > 0 ? 2 : 1;
        w->link[w->links++] =
            rig_interact(&w->r, &w->system[first], count, &relation, perp_law_equality());
        relation.joint = PERP_JOINT_ANGLE;
        relation.rows = 1;
        if (k < 2)
            w->link[w->links++] = rig_interact(&w->r, &w->system[first], count, &relation,
                                               k == 0 ? perp_law_motor(p[4], 40.0)
                                                      : perp_law_servo(p[5], 0.3, 0.4, 30.0));
    }
    perp_collider_add_sphere(w->collider, w->system[2], 0.15, NULL, NULL, NULL);
    tape_start(w, "");
}

static void list_arm(perp_tape_parameter *out, const tape_world *w)
{
    out[0] = (perp_tape_parameter){.quantity = PERP_TAPE_MASS, .system = w->system[0]};
    out[1] = (perp_tape_parameter){.quantity = PERP_TAPE_INERTIA, .system = w->system[0]};
    out[2] = (perp_tape_parameter){.quantity = PERP_TAPE_MU};
    out[3] = (perp_tape_parameter){.quantity = PERP_TAPE_E, .interaction = {0, 0}};
    out[4] = (perp_tape_parameter){.quantity = PERP_TAPE_RATE, .interaction = w->link[1]};
    out[5] = (perp_tape_parameter){.quantity = PERP_TAPE_STIFFNESS, .interaction = w->link[3]};
}

static const tape_case arm = {"arm",     5e-3,    120, 0, 6, {0.9, 1.0, 0.3, 0.2, 1.5, 3.0},
                              build_arm, list_arm};

/* Masses on springs before walls.  The first spring is so stiff that impacts would give energy by
 * the forces at their start: these are made again, with those of the other mass as they were.
 * p: e of the first, of the second, stiffness of the first. */
static void build_springs(tape_world *w, const double *p)
{
    const double one[1] = {1.0}, q0[2][1] = {{0.02}, {0.03}}, v0[2][1] = {{-3.0}, {-2.0}};
    for (int k = 0; k < 2; k++) {
        double K[1] = {k == 0 ? p[2] : 1e3};
        perp_lagrangian_def def = tape_definition(1, q0[k], v0[k], NULL);
        def.K = rig_dense(K, 1, 1);
        tape_add(w, &def);
        tape_tie_linear(w, k, 1, 1, one, NULL, perp_law_impact(p[k]));
    }
    tape_start(w, "");
}

static void list_springs(perp_tape_parameter *out, const tape_world *w)
{
    tape_of_link(&out[0], w, 0, PERP_TAPE_E);
    tape_of_link(&out[1], w, 1, PERP_TAPE_E);
    tape_of_system(&out[2], w, 0, PERP_TAPE_K, 0, 0);
}

static const tape_case springs = {"springs",        5e-3,          40,          0, 3,
                                  {0.95, 0.6, 3e4}, build_springs, list_springs};

/* A ball on a rail that a joint is, a plane that leans by a little towards the floor: it slides
 * along the floor, across the slope, and the joint leaves its contact next to nothing of what the
 * ball alone would give it.  The contact carries the ball, with a friction that counts.  p: mass,
 * mu, a force along the floor and one down on it. */
static void build_held(tape_world *w, const double *p)
{
    const double lean = 0.02, radius = 0.1, origin[3] = {0}, up[3] = {0.0, 0.0, 1.0};
    const double offset[3] = {0.1, 0.0, 0.0};
    ck_assert_int_eq(perp_collider_create(&w->collider, w->r.model, NULL), PERP_SOLVED);
    perp_collider_set_material(w->collider, 0, 0, 0.0, p[1]);
    perp_collider_add_plane(w->collider, origin, up, NULL, NULL);
    perp_body_def def;
    perp_body_def_init(&def, sizeof def);
    def.position[2] = radius - 1e-9;
    def.velocity[1] = 0.4;
    def.mass = p[0];
    def.force[1] = p[2];
    def.force[2] = p[3];
    for (int i = 0; i < 3; i++)
        def.inertia[4 * i] = i == 1 ? 0.002 : 0.05;
    w->system[w->systems++] = rig_add_body(&w->r, &def);
    perp_relation relation = rig_relation(PERP_RELATION_JOINT, 3);
    relation.joint = PERP_JOINT_PLANAR;
    relation.anchor[2] = 0.3;
    relation.axis[0] = sin(lean);
    relation.axis[2] = cos(lean);
    w->link[w->links++] = rig_interact(&w->r, w->system, 1, &relation, perp_law_equality());
    perp_collider_add_sphere(w->collider, w->system[0], radius, offset, NULL, NULL);
    tape_start(w, "");
}

static void list_held(perp_tape_parameter *out, const tape_world *w)
{
    out[0] = (perp_tape_parameter){.quantity = PERP_TAPE_MASS, .system = w->system[0]};
    out[1] = (perp_tape_parameter){.quantity = PERP_TAPE_MU};
    out[2] = (perp_tape_parameter){.quantity = PERP_TAPE_FORCE, .row = 1, .system = w->system[0]};
    out[3] = (perp_tape_parameter){.quantity = PERP_TAPE_FORCE, .row = 2, .system = w->system[0]};
}

static const tape_case held = {"held",     5e-3,     20, 0, 4, {1.1, 0.3, 0.2, -9.81},
                               build_held, list_held};

static const tape_case *const own_cases[] = {&arm, &springs, &held};

static int case_count(void)
{
    return tape_case_count() + (int)(sizeof own_cases / sizeof own_cases[0]);
}

static const tape_case *case_at(int k)
{
    int shared = tape_case_count();
    return k < shared ? tape_case_at(k) : own_cases[k - shared];
}

static int has_joints(const tape_case *c)
{
    return strstr(c->name, " and ") || strcmp(c->name, "gear") == 0 ||
           strcmp(c->name, "limit") == 0 || strcmp(c->name, "arm") == 0 || c == &held;
}

/* State, parameters and forces, each alone; a state moved off its joints is no state. */
START_TEST(forward_is_the_derivative)
{
    static const char *const names[] = {"state", "parameters", "forces"};
    const tape_case *c = case_at(_i);
    perp_rng rng = {(uint64_t)_i + 3};
    double dq[TAPE_DOFS], dv[TAPE_DOFS];
    recorded r;
    direction d;
    int steps = getenv("PERP_TEST_STEPS") ? atoi(getenv("PERP_TEST_STEPS")) : c->steps;
    ck_assert_int_eq(record(&r, c, steps), PERP_SOLVED);
    draw(&d, &r, &rng);
    for (int k = has_joints(c) || begins_on_an_edge(c) ? 1 : 0;
         k < (r.w.collider || has_joints(c) ? 2 : 3); k++) {
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

/* Drawn piles: where the tape says that a motion is differentiable, it is, by the best of
 * these steps of the differences and of what two of them extrapolate to.  The larger ones may
 * reach another piece of the motion, the smaller ones see tolerances. */
START_TEST(what_is_said_of_piles_holds)
{
    static const double by[] = {8e-6, 4e-6, 2e-6, 1e-6, 5e-7, 2.5e-7, 1.25e-7, 6e-8, 3e-8};
    int solved = 0, recorded_piles = 0;
    for (int seed = 1; seed <= 30; seed++) {
        tape_case c = tape_pile;
        perp_rng rng = {(uint64_t)seed};
        double dq[TAPE_DOFS], dv[TAPE_DOFS], q[TAPE_DOFS], v[TAPE_DOFS];
        double last[TAPE_DOFS], best = INFINITY;
        c.p[0] = 100.0 * _i + seed;
        recorded r;
        direction d;
        perp_status status = record(&r, &c, c.steps);
        if (status != PERP_SOLVED) {
            forget(&r);
            continue;
        }
        recorded_piles++;
        draw(&d, &r, &rng);
        perp_tape_tangent along = {.size = sizeof along, .q = d.q, .v = d.v};
        status = perp_tape_jvp(r.tape, 1, &along, 0, dq, dv, NULL, NULL);
        ck_assert_msg(status >= 0, "pile %g: %s", c.p[0], perp_status_name(status));
        for (int k = 0; k < (int)(sizeof by / sizeof *by); k++) {
            tape_world plus, minus;
            double worst = 0.0, both = 0.0;
            run_moved(&plus, &c, &d, 1, by[k], c.steps);
            run_moved(&minus, &c, &d, 1, -by[k], c.steps);
            tape_world_difference(q, v, &plus, &minus);
            tape_world_close(&plus);
            tape_world_close(&minus);
            for (int i = 0; i < r.dofs; i++) {
                double now = v[i] / (2.0 * by[k]);
                double better = k > 0 ? (4.0 * now - last[i]) / 3.0 : now;
                worst = fmax(worst, fabs(now - dv[i]) / (1.0 + fabs(dv[i])));
                both = fmax(both, fabs(better - dv[i]) / (1.0 + fabs(dv[i])));
                last[i] = now;
            }
            best = fmin(best, fmin(worst, both));
        }
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "pile %g: %s %.1e\n", c.p[0], perp_status_name(status), best);
        ck_assert_msg(status != PERP_SOLVED || best < 1e-5, "pile %g: %g", c.p[0], best);
        solved += status == PERP_SOLVED;
        free(d.forces);
        forget(&r);
    }
    if (getenv("PERP_TEST_ALL"))
        fprintf(stderr, "%d recorded, %d differentiable\n", recorded_piles, solved);
    ck_assert_int_gt(solved, 27);
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
    const tape_case *c = case_at(_i);
    perp_rng rng = {(uint64_t)_i + 30};
    recorded r;
    direction d;
    ck_assert_int_eq(record(&r, c, c->steps), PERP_SOLVED);
    draw(&d, &r, &rng);
    size_t dofs = (size_t)r.dofs, count = (size_t)r.count, steps = (size_t)r.steps;
    if (has_joints(c) || begins_on_an_edge(c)) {
        memset(d.q, 0, sizeof d.q);
        memset(d.v, 0, sizeof d.v);
    }
    for (int path = 0; path < 2; path++) {
        size_t n = path ? (steps + 1) * dofs : dofs;
        double *x = calloc(4 * n + dofs * (steps + 2) + count, sizeof(double));
        double *bar_q = x, *bar_v = x + n, *dq = x + 2 * n, *dv = x + 3 * n, *q = x + 4 * n;
        double *v = q + dofs, *f = v + dofs, *p = f + dofs * steps;
        for (size_t i = 0; i < 2 * n; i++)
            bar_q[i] = perp_rng_signed(&rng);
        perp_tape_tangent along = {sizeof along, d.q, d.v, d.p, d.forces};
        perp_tape_gradient of = {sizeof of, q, v, p, f};
        ck_assert_int_ge(perp_tape_jvp(r.tape, 1, &along, path, dq, dv, NULL, NULL), 0);
        ck_assert_int_ge(perp_tape_vjp(r.tape, 1, path, bar_q, bar_v, &of, NULL), 0);
        double left = dot(bar_q, dq, n) + dot(bar_v, dv, n);
        double right = dot(q, d.q, dofs) + dot(v, d.v, dofs) + dot(p, d.p, count) +
                       dot(f, d.forces, dofs * steps);
        double scale = size(bar_q, dq, n) + size(bar_v, dv, n) + size(q, d.q, dofs) +
                       size(v, d.v, dofs) + size(p, d.p, count) + size(f, d.forces, dofs * steps);
        if (getenv("PERP_TEST_ALL"))
            fprintf(stderr, "%-22s adjoint %.1e\n", c->name, fabs(left - right) / scale);
        ck_assert_msg(fabs(left - right) <= 1e-11 * scale, "%s: %.17g beside %.17g", c->name, left,
                      right);
        free(x);
    }
    free(d.forces);
    forget(&r);
}
END_TEST

/* Where a joint holds a contact all rows of the system are kept; where it holds none, they are
 * eliminated with the velocities. */
START_TEST(rows_of_joints_are_kept_where_they_hold_a_contact)
{
    const tape_case *c = _i ? &held : &arm;
    double dq[TAPE_DOFS], dv[TAPE_DOFS], p[TAPE_PARAMETERS] = {0.0, 1.0};
    perp_tape_tangent along = {.size = sizeof along, .parameters = p};
    int kept = 0, eliminated = 0;
    recorded r;
    ck_assert_int_eq(record(&r, c, 5), PERP_SOLVED);
    for (int k = 0; k < 2; k++)
        ck_assert_int_ge(perp_tape_jvp(r.tape, 1, &along, 0, dq, dv, NULL, NULL), 0);
    for (const perp_tape_stage_system *s = r.tape->kept_system; s; s = s->next) {
        eliminated += s->equalities > 0;
        kept += s->equalities == 0 && s->rest > (_i ? 3 : 0);
    }
    ck_assert(_i ? kept >= 5 : eliminated >= 5);
    forget(&r);
}
END_TEST

/* Recording changes no bit of a run. */
START_TEST(recording_changes_nothing)
{
    const tape_case *c = case_at(_i);
    unsigned char with[8 * 64] = {0}, without[8 * 64] = {0};
    recorded r;
    ck_assert_int_eq(record(&r, c, c->steps), PERP_SOLVED);
    tape_world_run(&r.w, 5);
    tape_world_bits(with, sizeof with, &r.w);
    forget(&r);
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
    Suite *suite = suite_create("derivatives of motions in stages");
    TCase *test = tcase_create("stages");
    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, forward_is_the_derivative, 0, case_count());
    tcase_add_loop_test(test, what_is_said_of_piles_holds, 0, 2);
    tcase_add_loop_test(test, adjoint_is_the_transpose, 0, case_count());
    tcase_add_loop_test(test, rows_of_joints_are_kept_where_they_hold_a_contact, 0, 2);
    tcase_add_loop_test(test, recording_changes_nothing, 0, case_count());
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
