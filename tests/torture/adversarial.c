/* SPDX-License-Identifier: BSD-3-Clause */
/* adversarial COUNT [SEED [FROM]]: problems FROM .. FROM + COUNT - 1 of a seed, each given to `auto`
 * and to one other solver.  "Solved" is judged in quadruple precision, "no solution" in whole
 * numbers: by its proof, by the solution that was planted, and, for few rows, by going through all
 * vertices.  A number alone makes its problem:
 *     adversarial 1 SEED NUMBER
 * shows a finding again.  Exit status 1: some claim was false. */
#include "config.h"

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fixtures/judge.h"
#include "tests/torture/adversary.h"
#include "tests/torture/exact.h"

/* d of a block is a rounded number, and so is tol. */
static const double slack = 1.0 + 1e-12;
enum { CHEAP = 300, EACH = 25 }; /* vertices always gone through; of the others each 25th */

typedef struct counts {
    long solves, solved, infeasible, within, rays, other;
    long proofs, enumerated, plants, wrong;
    double worst; /* of error / tol of those solved */
} counts;

static struct {
    unsigned long seed;
    long number;
    const char *solver;
    const adversary *problem;
    counts all, family[ADVERSARY_FAMILIES];
} state;

static counts *own(void)
{
    return &state.family[state.problem->family];
}

static void wrong(const char *what, double figure)
{
    own()->wrong++;
    printf("# wrong: %s (%.17g): problem %ld of seed %lu, %s, %s, %d rows, %s\n", what, figure,
           state.number, state.seed, adversary_families[state.problem->family], state.solver,
           state.problem->p.n, storage_names[state.problem->storage]);
    fflush(stdout);
}

/* As the library sees them. */
static void show_residuals(const double *z, const perp_residuals *judged)
{
    stored_view view;
    perp_residuals r = {.size = sizeof r};
    stored_view_make(&view, &state.problem->p, state.problem->storage);
    perp_residual(&view.problem, z, NULL, NULL, &r);
    printf("# natural %.3g, judged %.3g; scaled %.3g, judged %.3g; dual %.3g, judged %.3g\n",
           r.natural, judged->natural, r.scaled, judged->scaled, r.dual, judged->dual);
    stored_view_free(&view);
}

static void judge_solved(const double *z, double tol)
{
    perp_residuals r = judge_quad(&state.problem->p, z, NULL);
    double error = fmax(fmax(r.natural, r.scaled), r.dual * r.dual);
    own()->solved++;
    own()->worst = fmax(own()->worst, error / tol);
    if (!(error <= tol * slack)) {
        wrong("solved", error / tol);
        show_residuals(z, &r);
    }
}

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static void judge_refuted(const perp_solver *solver, double reach)
{
    const stored_problem *p = &state.problem->p;
    perp_certificate_kind kind;
    double y[ADVERSARY_ROWS];
    if (state.problem->planted) {
        own()->plants++;
        if (largest(p->z, p->n) < reach)
            wrong("a solution was planted within the reach", reach);
    }
#ifdef HAVE_GMP
    double z[ADVERSARY_ROWS];
    perp_status status = perp_solver_certificate(solver, p->n, &kind, y);
    if (status == PERP_SOLVED && kind == PERP_CERTIFICATE_INFEASIBLE) {
        own()->proofs++;
        if (!exact_proof(p, y, reach))
            wrong("the proof does not hold", reach);
    } else if (kind != PERP_CERTIFICATE_EXHAUSTED) {
        wrong("a verdict without proof", reach);
    }
    double choices = exact_choices(p);
    if (choices <= CHEAP || (choices <= 20000.0 && state.number % EACH == 0)) {
        own()->enumerated++;
        if (exact_solution(p, reach, z))
            wrong("there is a solution", largest(z, p->n));
    }
#else
    (void)kind;
    (void)y;
    (void)solver;
#endif
}

static void run(const perp_solver_type *type, const perp_problem *problem,
                const perp_settings *settings)
{
    double z[ADVERSARY_ROWS] = {0.0}, w[ADVERSARY_ROWS];
    perp_info info = {.size = sizeof info};
    perp_solver *solver = NULL;
    state.solver = perp_solver_name(type);
    own()->solves++;
    if (perp_solver_create(&solver, type, settings, NULL, NULL) != PERP_SOLVED ||
        perp_solver_setup(solver, problem) != PERP_SOLVED) {
        own()->other++;
        perp_solver_destroy(solver);
        return;
    }
    perp_status status = perp_solver_solve(solver, z, w, &info);
    if (status >= 0)
        for (int i = 0; i < problem->M.rows; i++)
            if (!isfinite(z[i]))
                wrong("z is not finite", z[i]);
    if (status == PERP_SOLVED) {
        judge_solved(z, settings->tol);
    } else if (status == PERP_INFEASIBLE) {
        own()->infeasible++;
        judge_refuted(solver, INFINITY);
    } else if (status == PERP_INFEASIBLE_WITHIN) {
        own()->within++;
        judge_refuted(solver, info.reach);
    } else {
        *(status == PERP_RAY ? &own()->rays : &own()->other) += 1;
    }
    perp_solver_destroy(solver);
}

static void one(void)
{
    perp_rng rng = {state.seed * 0x9e3779b97f4a7c15u ^ ((uint64_t)state.number << 20)};
    adversary a;
    stored_view view;
    perp_settings settings;
    perp_rng_next(&rng);
    adversary_draw(&a, &rng);
    state.problem = &a;
    stored_view_make(&view, &a.p, a.storage);
    perp_settings_init(&settings, sizeof settings);
    settings.tol = (const double[]){1e-8, 1e-8, 1e-8, 1e-4, 1e-12}[perp_rng_below(&rng, 5)];
    settings.budget = perp_rng_below(&rng, 500) == 0 ? 2000.0 : 40.0;
    settings.timing = 0;
    if (perp_problem_check(&view.problem, NULL, NULL) == PERP_SOLVED) {
        int count = 0;
        run(perp_solver_find("auto"), &view.problem, &settings);
        while (perp_solver_at(count))
            count++;
        const perp_solver_type *other = perp_solver_at(perp_rng_below(&rng, count));
        if (perp_solver_fits(other, &view.problem) && strcmp(perp_solver_name(other), "auto") != 0)
            run(other, &view.problem, &settings);
    }
    stored_view_free(&view);
    stored_free(&a.p);
}

static void sum_up(void)
{
    state.all = (counts){0};
    for (int f = 0; f < ADVERSARY_FAMILIES; f++) {
        const counts *c = &state.family[f];
        state.all.solves += c->solves;
        state.all.solved += c->solved;
        state.all.infeasible += c->infeasible;
        state.all.within += c->within;
        state.all.rays += c->rays;
        state.all.other += c->other;
        state.all.proofs += c->proofs;
        state.all.enumerated += c->enumerated;
        state.all.plants += c->plants;
        state.all.wrong += c->wrong;
        state.all.worst = fmax(state.all.worst, c->worst);
    }
}

static void show(const char *name, const counts *c)
{
    printf("# %s: %ld solves; solved %ld, worst error %.6g tol; no solution %ld, within a reach %ld, rays "
           "%ld, other %ld; proofs judged %ld, gone through %ld, planted %ld; false %ld\n",
           name, c->solves, c->solved, c->worst, c->infeasible, c->within, c->rays, c->other,
           c->proofs, c->enumerated, c->plants, c->wrong);
    fflush(stdout);
}

static long count = 3000, from;

START_TEST(campaign)
{
    for (state.number = from; state.number < from + count; state.number++) {
        one();
        if ((state.number + 1) % 10000 == 0) {
            char name[40];
            snprintf(name, sizeof name, "to %ld", state.number + 1);
            sum_up();
            show(name, &state.all);
        }
    }
    sum_up();
    ck_assert_int_eq(state.all.wrong, 0);
}
END_TEST

/* As a test, since what is shared with tests makes assertions; in this process. */
int main(int argc, char **argv)
{
    count = argc > 1 ? atol(argv[1]) : count;
    state.seed = argc > 2 ? strtoul(argv[2], NULL, 10) : 1;
    from = argc > 3 ? atol(argv[3]) : 0;
    Suite *suite = suite_create("adversarial");
    TCase *tcase = tcase_create("adversarial");
    tcase_add_test(tcase, campaign);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_set_fork_status(runner, CK_NOFORK);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    for (int f = 0; f < ADVERSARY_FAMILIES; f++)
        show(adversary_families[f], &state.family[f]);
    sum_up();
    show("all", &state.all);
    printf("# %ld problems of seed %lu from %ld\n", count, state.seed, from);
    return failed != 0;
}
