/* SPDX-License-Identifier: BSD-3-Clause */
/* Steps that are not solved: masses in a press, contradicting joints, friction that jams, Newton
 * loops that do not converge; what is said of them, what is done on request, and that a step that
 * is not made changes nothing. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/contract.h"
#include "tests/fixtures/kernel_rig.h"

static const double zero[3], one = 1.0, minus_one = -1.0;

/* e = -t: what holds y >= 0 against it moves at 1. */
static int at_unit_speed(double *out, double t, const double *x, const double *lambda,
                         const double *z, void *user)
{
    (void)x, (void)lambda, (void)z, (void)user;
    *out = -t;
    return 0;
}

static int drift(double *out, double t, const double *x, const double *lambda, const double *z,
                 void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    *out = -1.0;
    return 0;
}

/* The default solver, and what to do with unsolved steps. */
static void begin(rig *r, double h, perp_unsolved then, const perp_allocator *allocator)
{
    rig_init_with(r, h, allocator);
    r->options.solver = NULL;
    r->options.on_unsolved = then;
}

/* y = q - t >= 0, or = 0. */
static perp_interaction_id follow(rig *r, perp_system_id m, perp_law law)
{
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 1);
    relation.C = &one;
    relation.e_at = at_unit_speed;
    relation.h_t = drift;
    return rig_interact(r, &m, 1, &relation, law);
}

/* A mass on a floor that rises at 1 m/s, under a ceiling at `gap`. */
typedef struct press {
    rig r;
    perp_system_id m;
    perp_interaction_id low, high;
} press;

static void press_make(press *p, double gap, perp_unsolved then, const char *scheme,
                       const perp_allocator *allocator)
{
    perp_scheme own = rig_scheme(scheme, "");
    begin(&p->r, 1e-3, then, allocator);
    p->m = rig_lagrangian(&p->r, 1, zero, NULL, NULL, NULL);
    p->low = follow(&p->r, p->m, perp_law_impact(0.0));
    p->high = rig_linear(&p->r, p->m, 1, &minus_one, &gap, perp_law_impact(0.0));
    rig_start(&p->r, &own);
}

static const char *const schemes[] = {"moreau-jean", "moreau-jean-direct-projection",
                                      "moreau-jean-adaptive"};

/* It stops at the last state that was solved and names both walls, the mass and the proof. */
START_TEST(a_press_is_infeasible)
{
    press p;
    perp_infeasibility found = {.size = sizeof found};
    press_make(&p, 0.0105, PERP_UNSOLVED_STOP, schemes[_i], NULL);
    ck_assert_int_eq(perp_sim_infeasibility(p.r.sim, &found), PERP_SOLVED);
    ck_assert_int_eq(found.rows, 0);
    ck_assert_int_eq(perp_sim_run(p.r.sim, 0.1), PERP_INFEASIBLE_STEP);
    const perp_step_info *info = perp_sim_info(p.r.sim);
    ck_assert_int_eq(info->status, PERP_INFEASIBLE_STEP);
    ck_assert_str_eq(info->where.what, "interaction");
    ck_assert_ptr_nonnull(strstr(info->detail, "system 0"));
    ck_assert_ptr_nonnull(strstr(info->detail, "squeezed between interactions 0 and 1"));
    ck_assert_int_eq((int)info->unsolved, 0);
    ck_assert_double_eq_tol(perp_sim_time(p.r.sim), 0.0105, 2e-3);
    ck_assert_int_eq(perp_sim_infeasibility(p.r.sim, &found), PERP_SOLVED);
    ck_assert_int_eq(found.rows, 2);
    ck_assert_mem_eq(&found.interaction[0], &p.low, sizeof p.low);
    ck_assert_mem_eq(&found.interaction[1], &p.high, sizeof p.high);
    for (int k = 0; k < 2; k++) {
        ck_assert_int_eq(found.component[k], 0);
        ck_assert_double_eq_tol(found.weight[k], 0.5, 1e-12);
    }
    ck_assert_int_eq(found.systems, 1);
    ck_assert_mem_eq(found.system, &p.m, sizeof p.m);
    ck_assert_double_eq_tol(found.speed, 0.5, 1e-6);
    ck_assert_double_le(found.breach, 1e-12);
    double q = *rig_q(&p.r, p.m), v = *rig_v(&p.r, p.m), y = *rig_y(&p.r, p.low);
    long step = info->step;
    ck_assert_int_eq(perp_sim_step(p.r.sim), PERP_INFEASIBLE_STEP);
    ck_assert_double_eq(*rig_q(&p.r, p.m), q);
    ck_assert_double_eq(*rig_v(&p.r, p.m), v);
    ck_assert_double_eq(*rig_y(&p.r, p.low), y);
    ck_assert_int_eq((int)info->step, (int)step);
    rig_free(&p.r);
}
END_TEST

/* Steps that are accepted are counted, in checkpoints too, and the run says so. */
START_TEST(accepted_on_request)
{
    press p;
    perp_infeasibility found = {.size = sizeof found};
    press_make(&p, 0.0105, PERP_UNSOLVED_ACCEPT, schemes[_i], NULL);
    ck_assert_int_eq(perp_sim_run(p.r.sim, 0.02), PERP_INFEASIBLE_STEP);
    const perp_step_info *info = perp_sim_info(p.r.sim);
    ck_assert_double_eq_tol(perp_sim_time(p.r.sim), 0.02, 1e-12);
    ck_assert_int_ge((int)info->unsolved, 8);
    ck_assert_int_ge((int)info->infeasible, 8);
    ck_assert_int_le((int)info->infeasible, (int)info->unsolved);
    ck_assert_int_eq(perp_sim_infeasibility(p.r.sim, &found), PERP_SOLVED);
    ck_assert_int_eq(found.rows, 2);
    long unsolved = info->unsolved;
    size_t bytes = 0;
    ck_assert_int_eq(perp_sim_save(p.r.sim, NULL, &bytes), PERP_SOLVED);
    void *saved = malloc(bytes);
    ck_assert_int_eq(perp_sim_save(p.r.sim, saved, &bytes), PERP_SOLVED);
    ck_assert_int_gt(perp_sim_step(p.r.sim), 0);
    ck_assert_int_eq((int)info->unsolved, (int)unsolved + 1);
    ck_assert_int_eq(perp_sim_load(p.r.sim, saved, bytes), PERP_SOLVED);
    ck_assert_int_eq((int)info->unsolved, (int)unsolved);
    free(saved);
    rig_free(&p.r);
}
END_TEST

/* Both gaps give way alike, so each overlap is half of what the walls have closed by. */
START_TEST(least_on_request)
{
    press p;
    press_make(&p, 0.01, PERP_UNSOLVED_LEAST, "moreau-jean", NULL);
    ck_assert_int_eq(perp_sim_run(p.r.sim, 0.03), PERP_INFEASIBLE_STEP);
    const perp_step_info *info = perp_sim_info(p.r.sim);
    ck_assert_double_eq_tol(*rig_y(&p.r, p.low) + *rig_y(&p.r, p.high), -0.02, 1e-12);
    ck_assert_double_eq_tol(*rig_y(&p.r, p.low), -0.01, 1.1e-3); /* but for the steps at first */
    ck_assert_double_eq_tol(*rig_v(&p.r, p.m), 0.5, 1e-6);
    ck_assert_double_eq(perp_sim_info(p.r.sim)->solver->status, PERP_SOLVED);
    ck_assert_int_eq((int)info->unsolved, (int)info->infeasible);
    ck_assert_int_ge((int)info->infeasible, 19);
    ck_assert_int_le((int)info->infeasible, 21);
    rig_free(&p.r);
}
END_TEST

/* A motor that drives a mass against a wall; two equalities that contradict each other. */
START_TEST(equalities_in_the_proof)
{
    rig r;
    perp_infeasibility found = {.size = sizeof found};
    begin(&r, 1e-3, PERP_UNSOLVED_STOP, NULL);
    perp_system_id m = rig_lagrangian(&r, 1, zero, &one, NULL, NULL);
    follow(&r, m, perp_law_equality());
    if (_i == 0)
        rig_linear(&r, m, 1, &minus_one, zero, perp_law_impact(0.0));
    else
        rig_linear(&r, m, 1, &minus_one, zero, perp_law_equality());
    perp_scheme own = rig_scheme("moreau-jean", "");
    rig_start(&r, &own);
    ck_assert_int_eq(perp_sim_run(r.sim, 0.1), PERP_INFEASIBLE_STEP);
    ck_assert_int_eq(perp_sim_infeasibility(r.sim, &found), PERP_SOLVED);
    ck_assert_int_eq(found.rows, 2);
    ck_assert_double_eq_tol(fabs(found.weight[0]), 1.0, 1e-12);
    ck_assert_double_eq_tol(fabs(found.weight[1]), 1.0, 1e-12);
    if (_i == 0)
        ck_assert_double_eq_tol(found.speed, 1.0, 1e-6);
    else
        ck_assert(isinf(found.speed));
    ck_assert_ptr_nonnull(
        strstr(perp_sim_info(r.sim)->detail, _i == 0 ? "squeezed" : "contradict"));
    rig_free(&r);
}
END_TEST

/* One corner of a box of side 1, and the wall it meets; z = (x, y, side): side 1 below, -1 above,
 * where the wall begins 0.02 away. */
static int corner(perp_contact_point *point, double t, const double *q_a, const double *q_b,
                  const double *z, void *user)
{
    double side = z[2], height = side > 0.0 ? t : 1.02;
    (void)q_b, (void)user;
    memset(point, 0, sizeof *point);
    point->normal[2] = side;
    point->point_a[0] = q_a[0] + z[0];
    point->point_a[1] = q_a[1] + z[1];
    point->point_a[2] = q_a[2] - 0.5 * side;
    memcpy(point->point_b, point->point_a, sizeof point->point_b);
    point->point_b[2] = height;
    point->gap = side * (point->point_a[2] - height);
    return 0;
}

static int corner_drift(double *out, double t, const double *x, const double *lambda,
                        const double *z, void *user)
{
    (void)t, (void)x, (void)lambda, (void)user;
    out[0] = z[2] > 0.0 ? -1.0 : 0.0;
    out[1] = out[2] = 0.0;
    return 0;
}

/* Four corners below and four above, with friction. */
START_TEST(a_box_between_walls)
{
    rig r;
    perp_infeasibility found = {.size = sizeof found};
    perp_body_def box;
    double sides = 0.0, sum = 0.0, moment[2] = {0.0, 0.0};
    begin(&r, 1e-3, PERP_UNSOLVED_STOP, NULL);
    perp_body_def_init(&box, sizeof box);
    box.mass = 2.0;
    for (int k = 0; k < 3; k++)
        box.inertia[4 * k] = 1.0 / 3.0;
    box.position[2] = 0.5;
    perp_system_id body = rig_add_body(&r, &box);
    perp_relation relation = rig_relation(PERP_RELATION_CONTACT, 3);
    relation.contact = corner;
    relation.h_t = corner_drift;
    relation.nz = 3;
    for (int k = 0; k < 8; k++) {
        double z[] = {k & 1 ? 0.5 : -0.5, k & 2 ? 0.5 : -0.5, k < 4 ? 1.0 : -1.0};
        relation.z = z;
        rig_interact(&r, &body, 1, &relation, perp_law_friction(3, 0.0, 0.3));
    }
    perp_scheme own = rig_scheme("moreau-jean", "");
    rig_start(&r, &own);
    ck_assert_int_eq(perp_sim_run(r.sim, 0.1), PERP_INFEASIBLE_STEP);
    ck_assert_double_eq_tol(perp_sim_time(r.sim), 0.02, 2e-3);
    ck_assert_int_eq(perp_sim_infeasibility(r.sim, &found), PERP_SOLVED);
    ck_assert_double_eq_tol(found.speed, 0.5, 1e-6);
    for (int k = 0; k < found.rows; k++) {
        int slot = (int)found.interaction[k].index;
        double side = slot < 4 ? 1.0 : -1.0;
        ck_assert_int_eq(found.component[k], 0);
        ck_assert_double_gt(found.weight[k], 0.0);
        sum += found.weight[k];
        sides += side * found.weight[k];
        moment[0] += side * found.weight[k] * (slot & 1 ? 0.5 : -0.5);
        moment[1] += side * found.weight[k] * (slot & 2 ? 0.5 : -0.5);
    }
    ck_assert_double_eq_tol(sum, 1.0, 1e-12);
    ck_assert_double_eq_tol(sides, 0.0, 1e-12);
    ck_assert_double_eq_tol(moment[0], 0.0, 1e-12);
    ck_assert_double_eq_tol(moment[1], 0.0, 1e-12);
    rig_free(&r);
}
END_TEST

static int floor_at(double *out, double t, const double *x, const double *lambda, const double *z,
                    void *user)
{
    (void)x, (void)lambda, (void)z, (void)user;
    out[0] = -t;
    out[1] = 0.0;
    return 0;
}

static int floor_drift(double *out, double t, const double *x, const double *lambda,
                       const double *z, void *user)
{
    (void)t, (void)x, (void)lambda, (void)z, (void)user;
    out[0] = -1.0;
    out[1] = 0.0;
    return 0;
}

/* A point on a floor that rises at 1, under a ceiling that leans by 0.2: to the side there is a way
 * out, which friction above tan 0.1 forbids. */
static perp_system_id make_wedge(rig *r, double mu, perp_unsolved then)
{
    const double C[] = {0.0, 1.0, 1.0, 0.0}, lean = 0.2;
    const double ceiling[] = {sin(lean), cos(lean), -cos(lean), sin(lean)};
    begin(r, 1e-3, then, NULL);
    perp_system_id m = rig_lagrangian(r, 2, zero, NULL, NULL, NULL);
    perp_relation relation = rig_relation(PERP_RELATION_LINEAR, 2);
    relation.C = C;
    relation.e_at = floor_at;
    relation.h_t = floor_drift;
    rig_interact(r, &m, 1, &relation, perp_law_friction(2, 0.0, mu));
    rig_linear(r, m, 2, ceiling, NULL, perp_law_friction(2, 0.0, mu));
    perp_scheme own = rig_scheme("moreau-jean", "");
    rig_start(r, &own);
    return m;
}

START_TEST(jamming_is_unsolved)
{
    rig r;
    double before[4];
    perp_system_id m = make_wedge(&r, 0.05, PERP_UNSOLVED_STOP);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_SOLVED);
    ck_assert_double_eq_tol(rig_v(&r, m)[1], 1.0, 1e-9);
    ck_assert_double_eq_tol(rig_v(&r, m)[0], 1.0 / tan(0.2), 1e-8);
    rig_free(&r);
    m = make_wedge(&r, 0.5, PERP_UNSOLVED_STOP);
    perp_status status = perp_sim_step(r.sim);
    ck_assert_int_gt(status, 0);
    ck_assert_int_ne(status, PERP_INFEASIBLE_STEP);
    const perp_step_info *info = perp_sim_info(r.sim);
    ck_assert_int_eq(info->halvings, 20);
    ck_assert_ptr_nonnull(strstr(info->detail, "not solved"));
    ck_assert_str_eq(info->where.what, "solver");
    ck_assert_int_eq((int)info->step, 0);
    memcpy(before, rig_q(&r, m), 2 * sizeof(double));
    memcpy(before + 2, rig_v(&r, m), 2 * sizeof(double));
    ck_assert_mem_eq(before, (double[4]){0.0}, sizeof before);
    rig_free(&r);
    make_wedge(&r, 0.5, PERP_UNSOLVED_ACCEPT);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->unsolved, 1);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->infeasible, 0);
    rig_free(&r);
    make_wedge(&r, 0.5, PERP_UNSOLVED_LEAST); /* no gap needs to give way */
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 0);
    rig_free(&r);
}
END_TEST

/* A stiff cubic spring, more than two Newton iterations for this h: halves need fewer. */
static int spring(double *out, double t, const double *q, const double *v, const double *z,
                  void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    *out = 1e4 * *q * *q * *q;
    return 0;
}

static int spring_q(double *out, double t, const double *q, const double *v, const double *z,
                    void *user)
{
    (void)t, (void)v, (void)z, (void)user;
    *out = 3e4 * *q * *q;
    return 0;
}

static int no_damping(double *out, double t, const double *q, const double *v, const double *z,
                      void *user)
{
    (void)t, (void)q, (void)v, (void)z, (void)user;
    *out = 0.0;
    return 0;
}

START_TEST(newton_loops_are_halved)
{
    for (int then = PERP_UNSOLVED_STOP; then <= PERP_UNSOLVED_ACCEPT; then++) {
        rig r;
        perp_lagrangian_def def;
        begin(&r, 0.02, (perp_unsolved)then, NULL);
        perp_lagrangian_def_init(&def, sizeof def);
        def.n = 1;
        def.q0 = def.v0 = &one;
        def.F_int = spring;
        def.F_int_q = spring_q;
        def.F_int_v = no_damping;
        rig_add_lagrangian(&r, &def);
        r.options.newton_iter = 4;
        r.options.newton_tol = 1e-9;
        perp_scheme own = rig_scheme("moreau-jean", "");
        rig_start(&r, &own);
        perp_status status = perp_sim_step(r.sim);
        const perp_step_info *info = perp_sim_info(r.sim);
        if (then == PERP_UNSOLVED_STOP) {
            ck_assert_int_eq(status, PERP_SOLVED);
            ck_assert_int_gt(info->halvings, 0);
            ck_assert_int_eq((int)info->unsolved, 0);
        } else {
            ck_assert_int_eq(status, PERP_ITERATION_LIMIT);
            ck_assert_int_eq(info->halvings, 0);
            ck_assert_int_eq((int)info->unsolved, 1);
            ck_assert_int_eq((int)info->infeasible, 0);
        }
        rig_free(&r);
    }
}
END_TEST

/* The tolerance is never met: halves do not help for ever, and the state stays. */
START_TEST(newton_loops_stop)
{
    rig r;
    perp_lagrangian_def def;
    begin(&r, 0.02, PERP_UNSOLVED_STOP, NULL);
    perp_lagrangian_def_init(&def, sizeof def);
    def.n = 1;
    def.q0 = def.v0 = &one;
    def.F_int = spring;
    def.F_int_q = spring_q;
    def.F_int_v = no_damping;
    perp_system_id m = rig_add_lagrangian(&r, &def);
    r.options.newton_iter = 2;
    r.options.newton_tol = 0.0;
    perp_scheme own = rig_scheme("moreau-jean", "");
    rig_start(&r, &own);
    ck_assert_int_eq(perp_sim_step(r.sim), PERP_ITERATION_LIMIT);
    ck_assert_double_eq(*rig_q(&r, m), 1.0);
    ck_assert_double_eq(*rig_v(&r, m), 1.0);
    ck_assert_int_le(perp_sim_info(r.sim)->halvings, 300);
    ck_assert_ptr_nonnull(strstr(perp_sim_info(r.sim)->detail, "Newton"));
    rig_free(&r);
}
END_TEST

static perp_failure_action once_more(void *ctx, const perp_sim *sim, const perp_info *info,
                                     int attempt, const char **solver)
{
    (void)sim, (void)info;
    ++*(int *)ctx;
    *solver = "gs";
    return attempt == 0 ? PERP_FAILURE_RETRY : PERP_FAILURE_DEFAULT;
}

/* The hook of the user may leave it to the option. */
START_TEST(a_hook_falls_back)
{
    rig r;
    int calls = 0;
    make_wedge(&r, 0.5, PERP_UNSOLVED_ACCEPT);
    perp_sim_set_on_failure(r.sim, once_more, &calls);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq(calls, 2);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->unsolved, 1);
    rig_free(&r);
    make_wedge(&r, 0.5, PERP_UNSOLVED_STOP);
    perp_sim_set_on_failure(r.sim, once_more, &calls);
    ck_assert_int_gt(perp_sim_step(r.sim), 0);
    ck_assert_int_eq((int)perp_sim_info(r.sim)->step, 0);
    ck_assert_int_eq(perp_sim_info(r.sim)->halvings, 20);
    rig_free(&r);
}
END_TEST

/* A step that fails for want of memory, wherever, leaves the state; so does the one after it that
 * ends with the proof. */
START_TEST(failing_memory)
{
    for (int extra = 1;; extra++) {
        press p;
        counter c = {0, 0, 0, 0};
        const perp_allocator memory = counter_allocator(&c);
        press_make(&p, 0.0105, PERP_UNSOLVED_STOP, "moreau-jean", &memory);
        for (int k = 0; k < 10; k++)
            ck_assert_int_eq(perp_sim_step(p.r.sim), PERP_SOLVED);
        perp_status status = PERP_SOLVED;
        c.once = 1;
        c.fail_at = c.allocations + extra;
        double q = 0.0, v = 0.0;
        for (int k = 0; k < 3 && status == PERP_SOLVED; k++) {
            q = *rig_q(&p.r, p.m);
            v = *rig_v(&p.r, p.m);
            status = perp_sim_step(p.r.sim);
        }
        int met = c.allocations >= c.fail_at;
        ck_assert_int_eq(status, met ? PERP_ERR_MEMORY : PERP_INFEASIBLE_STEP);
        ck_assert_double_eq(*rig_q(&p.r, p.m), q);
        ck_assert_double_eq(*rig_v(&p.r, p.m), v);
        for (int k = 0; k < 3 && status != PERP_INFEASIBLE_STEP; k++)
            status = perp_sim_step(p.r.sim);
        ck_assert_int_eq(status, PERP_INFEASIBLE_STEP);
        long before = c.allocations;
        ck_assert_int_eq(perp_sim_step(p.r.sim), PERP_INFEASIBLE_STEP);
        ck_assert_int_eq((int)c.allocations, (int)before);
        rig_free(&p.r);
        ck_assert_int_eq((int)c.live, 0);
        if (!met)
            break;
    }
}
END_TEST

/* A tolerance so wide that the solver meets it in a press: impulses without any momentum give the
 * step away. */
START_TEST(met_tolerances_are_doubted)
{
    press p;
    press_make(&p, 0.0, (perp_unsolved)_i, "moreau-jean", NULL);
    perp_sim_destroy(p.r.sim);
    p.r.settings.tol = 0.9;
    p.r.options.solver = "nsn";
    perp_scheme own = rig_scheme("moreau-jean", "");
    rig_start(&p.r, &own);
    ck_assert_int_eq(perp_sim_step(p.r.sim), PERP_INFEASIBLE_STEP);
    const perp_step_info *info = perp_sim_info(p.r.sim);
    ck_assert_int_eq(info->solver->status, PERP_SOLVED);
    ck_assert_int_eq((int)info->step, _i == PERP_UNSOLVED_STOP ? 0 : 1);
    ck_assert_int_eq((int)info->infeasible, (int)info->step);
    rig_free(&p.r);
}
END_TEST

START_TEST(bad_input)
{
    rig r;
    perp_sim *sim;
    perp_where where;
    perp_infeasibility found = {.size = 0};
    begin(&r, 1e-3, (perp_unsolved)3, NULL);
    ck_assert_int_eq(perp_sim_create(&sim, r.model, &r.options, NULL, &where), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(where.what, "on_unsolved");
    r.options.on_unsolved = PERP_UNSOLVED_STOP;
    rig_start(&r, NULL);
    ck_assert_int_eq(perp_sim_infeasibility(r.sim, &found), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_sim_infeasibility(NULL, &found), PERP_ERR_ARGUMENT);
    rig_free(&r);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("unsolved steps");
    TCase *tcase = tcase_create("steps");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, a_press_is_infeasible, 0, 3);
    tcase_add_loop_test(tcase, accepted_on_request, 0, 2);
    tcase_add_test(tcase, least_on_request);
    tcase_add_loop_test(tcase, equalities_in_the_proof, 0, 2);
    tcase_add_test(tcase, a_box_between_walls);
    tcase_add_test(tcase, jamming_is_unsolved);
    tcase_add_test(tcase, newton_loops_are_halved);
    tcase_add_test(tcase, newton_loops_stop);
    tcase_add_test(tcase, a_hook_falls_back);
    tcase_add_test(tcase, failing_memory);
    tcase_add_loop_test(tcase, met_tolerances_are_doubted, 0, 3);
    tcase_add_test(tcase, bad_input);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
