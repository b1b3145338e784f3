/* SPDX-License-Identifier: BSD-3-Clause */
/* Every registered solver on every problem of the zoo in every storage, judged
 * by the test's own recomputation: no false "solved", easy problems solved,
 * outputs as promised, limits and callbacks obeyed, silence. */
#include "tests/fixtures/contract.h"

#include "handle/solver_type.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_N = 64 };

static const double marker = 12345.678;

typedef struct outcome {
    perp_status status;
    double z[MAX_N], w[MAX_N];
    perp_info info;
    perp_certificate_kind kind;
    double y[MAX_N];
} outcome;

static void mark(outcome *o)
{
    for (int i = 0; i < MAX_N; i++)
        o->z[i] = o->w[i] = marker;
}

static void solve(outcome *o, const contract_case *c, const perp_settings *settings)
{
    perp_solver *solver;
    mark(o);
    ck_assert_int_le(c->stored->n, MAX_N);
    ck_assert_int_eq(perp_solver_create(&solver, c->type, settings, NULL, NULL), PERP_SOLVED);
    o->status = perp_solver_setup(solver, &c->view->problem);
    o->info = *perp_solver_info(solver);
    if (o->status == PERP_SOLVED)
        o->status = perp_solver_solve(solver, o->z, o->w, &o->info);
    ck_assert_int_eq(perp_solver_certificate(solver, c->stored->n, &o->kind, o->y), PERP_SOLVED);
    perp_solver_destroy(solver);
}

/* y proves that no z fits: y >= 0 on NONNEG rows, M'y <= 0 there and 0 on FREE
 * rows, q.y < 0. */
static void check_infeasible(const contract_case *c, const outcome *o)
{
    const stored_problem *p = c->stored;
    double size = 0.0, product = 0.0;
    for (int i = 0; i < p->n; i++)
        size = fmax(size, fabs(o->y[i]));
    for (int k = 0; k < p->nblocks; k++) {
        int i, dim;
        perp_set set = stored_block(p, k, &i, &dim);
        double column = 0.0, scale = 0.0;
        if (set != PERP_NONNEG && set != PERP_FREE)
            return;
        for (int j = 0; j < p->n; j++) {
            column += p->M[j + i * p->n] * o->y[j];
            scale = fmax(scale, fabs(p->M[j + i * p->n]));
        }
        double slack = 1e-10 * scale * size;
        product += p->q[i] * o->y[i];
        if ((set == PERP_NONNEG && (o->y[i] < -1e-10 * size || column > slack)) ||
            (set == PERP_FREE && fabs(column) > slack))
            complain(c->complaints, "%s: row %d of the certificate: y %g, M'y %g", c->name, i,
                     o->y[i], column);
    }
    if (!(product < 0.0))
        complain(c->complaints, "%s: q.y = %g proves nothing", c->name, product);
}

static void check_certificate(const contract_case *c, const outcome *o)
{
    int refuted = o->status == PERP_INFEASIBLE || o->status == PERP_INFEASIBLE_WITHIN;
    perp_certificate_kind kind = o->status == PERP_RAY          ? PERP_CERTIFICATE_RAY
                                 : refuted                      ? PERP_CERTIFICATE_INFEASIBLE
                                                                : PERP_CERTIFICATE_NONE;
    double size = 0.0;
    if (refuted && o->kind == PERP_CERTIFICATE_EXHAUSTED) {
        if (c->entry->level != ZOO_UNSOLVABLE)
            complain(c->complaints, "%s: infeasible, and it has a solution", c->name);
        return;
    }
    if (o->kind != kind) {
        complain(c->complaints, "%s: %s with certificate %d", c->name, perp_status_name(o->status),
                 (int)o->kind);
        return;
    }
    if (kind == PERP_CERTIFICATE_NONE)
        return;
    for (int i = 0; i < c->stored->n; i++)
        size += fabs(o->y[i]);
    if (!isfinite(size) || !(size > 0.0))
        complain(c->complaints, "%s: an empty certificate", c->name);
    if (c->entry->level != ZOO_UNSOLVABLE && kind == PERP_CERTIFICATE_INFEASIBLE)
        complain(c->complaints, "%s: infeasible, and it has a solution", c->name);
    if (kind == PERP_CERTIFICATE_INFEASIBLE)
        check_infeasible(c, o);
}

static int untouched(const outcome *o)
{
    for (int i = 0; i < MAX_N; i++)
        if (o->z[i] != marker || o->w[i] != marker)
            return 0;
    return 1;
}

/* a is b, up to rounding in numbers of size `size`. */
static int near(double a, double b, double size)
{
    return fabs(a - b) <= 1e-11 * (fabs(a) + fabs(b)) + 1e-13 * size || (isnan(a) && isnan(b));
}

/* What info reports is what the judge finds. */
static void check_report(const contract_case *c, const outcome *o, const perp_residuals *r,
                         const double *w)
{
    const perp_residuals *s = &o->info.residual;
    double size = 0.0;
    for (int i = 0; i < c->stored->n; i++)
        size = fmax(size, fmax(fabs(o->z[i]), fabs(w[i])));
    for (int i = 0; i < c->stored->n; i++)
        if (!near(w[i], o->w[i], 1e2 * size))
            complain(c->complaints, "%s: w[%d] is %g, M z + q is %g", c->name, i, o->w[i], w[i]);
    double scaled = c->kind == STORED_OPERATOR_BARE ? NAN : r->scaled;
    if (!near(s->natural, r->natural, 1e2) || !near(s->scaled, scaled, 1e3) ||
        !near(s->primal, r->primal, 1e2) || !near(s->dual, r->dual, 1e2) ||
        !near(s->gap, r->gap, 1e3))
        complain(c->complaints, "%s: reports %g %g %g %g %g, judged %g %g %g %g %g", c->name,
                 s->natural, s->scaled, s->primal, s->dual, s->gap, r->natural, r->scaled,
                 r->primal, r->dual, r->gap);
    if (!near(o->info.error, contract_error(r, c->kind), 1e3))
        complain(c->complaints, "%s: error is %g, judged %g", c->name, o->info.error,
                 contract_error(r, c->kind));
}

/* The rules that hold for every outcome under the tolerance tol. */
static void check_outcome(const contract_case *c, const outcome *o, double tol)
{
    if (o->status < 0) {
        if (!untouched(o))
            complain(c->complaints, "%s: %s, and outputs touched", c->name,
                     perp_status_name(o->status));
        return;
    }
    double w[MAX_N];
    perp_residuals r = contract_judge(c->stored, c->kind, o->z, w);
    double error = contract_error(&r, c->kind);
    for (int i = c->stored->n; i < MAX_N; i++)
        if (o->z[i] != marker || o->w[i] != marker)
            complain(c->complaints, "%s: wrote past the end", c->name);
    if (!isfinite(error))
        complain(c->complaints, "%s: %s with a worthless iterate", c->name,
                 perp_status_name(o->status));
    if (o->status == PERP_SOLVED && !(error <= tol * 1.001 + 1e-15))
        complain(c->complaints, "%s: false SOLVED, %g", c->name, error);
    if (o->info.status != o->status || strcmp(o->info.solver, perp_solver_name(c->type)) != 0)
        complain(c->complaints, "%s: info names another status or solver", c->name);
    if (!(o->info.notes & PERP_NOTE_NO_SCALED) != (c->kind != STORED_OPERATOR_BARE))
        complain(c->complaints, "%s: wrong note on the scaled measure", c->name);
    check_report(c, o, &r, w);
}

static void solve_default(contract_case *c)
{
    outcome o;
    perp_settings s;
    settings_default(&s);
    solve(&o, c, &s);
    check_outcome(c, &o, s.tol);
    check_certificate(c, &o);
    if (c->entry->level == ZOO_UNSOLVABLE && o.status == PERP_SOLVED)
        complain(c->complaints, "%s: solved what has no solution", c->name);
    if (zoo_expects(c->entry, contract_solver_name(c->type)) && o.status != PERP_SOLVED)
        complain(c->complaints, "%s: %s after %d iterations, error %g, %s %s", c->name,
                 perp_status_name(o.status), o.info.iterations, o.info.error,
                 o.info.where.what ? o.info.where.what : "", o.info.detail);
}

START_TEST(every_solver_on_the_zoo)
{
    contract_each(solve_default, ZOO_UNSOLVABLE, 1, ALL_STORAGES);
}
END_TEST

/* Planted solutions are solutions: the zoo itself is in order. */
START_TEST(the_zoo_is_sound)
{
    for (int k = 0; zoo_at(k); k++) {
        stored_problem p;
        zoo_build(&p, zoo_at(k));
        double length = 0.0;
        for (int i = 0; i < p.n; i++)
            length += fabs(p.z[i]);
        perp_residuals r = judge(&p, p.z, NULL);
        if (length > 0.0)
            ck_assert_msg(r.natural < 1e-13 && r.scaled < 1e-13, "%s: %g %g", p.name, r.natural,
                          r.scaled);
        stored_free(&p);
    }
}
END_TEST

static void loose_and_tight(contract_case *c)
{
    static const double tols[] = {1e-2, 1e-5, 0.0};
    for (int k = 0; k < 3; k++) {
        outcome o;
        perp_settings s;
        settings_default(&s);
        s.tol = tols[k];
        s.max_iter = k == 2 ? 200 : 0;
        s.measure = k;
        if (k == PERP_MEASURE_SCALED && c->kind == STORED_OPERATOR_BARE)
            s.measure = PERP_MEASURE_BOTH;
        solve(&o, c, &s);
        if (o.status >= 0) {
            perp_residuals r = contract_judge(c->stored, c->kind, o.z, NULL);
            double natural = s.measure == PERP_MEASURE_SCALED ? 0.0 : r.natural;
            double scaled = s.measure == PERP_MEASURE_NATURAL || c->kind == STORED_OPERATOR_BARE
                                ? 0.0
                                : r.scaled;
            if (o.status == PERP_SOLVED && !(fmax(natural, scaled) <= s.tol * 1.001 + 1e-15))
                complain(c->complaints, "%s: tol %g, false SOLVED, %g", c->name, s.tol,
                         fmax(natural, scaled));
        } else if (!untouched(&o)) {
            complain(c->complaints, "%s: outputs touched", c->name);
        }
    }
}

START_TEST(other_tolerances_and_measures)
{
    contract_each(loose_and_tight, ZOO_UNSOLVABLE, 3, FEW_STORAGES | 1 << STORED_OPERATOR_BARE);
}
END_TEST

START_TEST(scaled_needs_a_diagonal)
{
    stored_problem p;
    stored_view v;
    zoo_build(&p, zoo_at(0));
    stored_view_make(&v, &p, STORED_OPERATOR_BARE);
    for (int k = 0; contract_solver_at(k); k++) {
        perp_settings s;
        perp_solver *solver;
        settings_default(&s);
        s.measure = PERP_MEASURE_SCALED;
        ck_assert_int_eq(perp_solver_create(&solver, contract_solver_at(k), &s, NULL, NULL), PERP_SOLVED);
        ck_assert_int_eq(perp_solver_setup(solver, &v.problem), PERP_ERR_UNSUPPORTED);
        perp_solver_destroy(solver);
    }
    stored_view_free(&v);
    stored_free(&p);
}
END_TEST

/* One iteration is enough for some; all the others stop there with an iterate. */
static void one_iteration(contract_case *c)
{
    outcome o;
    perp_settings s;
    settings_default(&s);
    s.max_iter = 1;
    solve(&o, c, &s);
    check_outcome(c, &o, s.tol);
    if (o.status < 0)
        complain(c->complaints, "%s: max_iter 1 gives %s", c->name, perp_status_name(o.status));
    if (o.info.iterations > 1)
        complain(c->complaints, "%s: %d iterations of at most 1", c->name, o.info.iterations);
}

START_TEST(iteration_limit)
{
    contract_each(one_iteration, ZOO_HARD, 1, FEW_STORAGES);
}
END_TEST

/* A limit that has passed before the first look at the clock. */
static void no_time(contract_case *c)
{
    outcome o;
    perp_settings s;
    settings_default(&s);
    s.time_limit = 1e-300;
    s.tol = 0.0;
    solve(&o, c, &s);
    check_outcome(c, &o, s.tol);
    if (o.status < 0 || (o.status != PERP_TIME_LIMIT && o.info.iterations > 1))
        complain(c->complaints, "%s: no time gives %s after %d iterations", c->name,
                 perp_status_name(o.status), o.info.iterations);
}

START_TEST(time_limit)
{
    contract_each(no_time, ZOO_EASY, 1, FEW_STORAGES);
}
END_TEST

typedef struct listener {
    contract_case *c;
    int calls, stop_after, last;
    double best;
} listener;

static int listen(void *ctx, const perp_progress *progress)
{
    listener *l = ctx;
    if (strcmp(progress->solver, perp_solver_name(l->c->type)) != 0 ||
        progress->iteration < l->last || progress->best > l->best || progress->seconds < 0.0)
        complain(l->c->complaints, "%s: progress runs backwards at iteration %d", l->c->name,
                 progress->iteration);
    l->last = progress->iteration;
    l->best = progress->best;
    return ++l->calls == l->stop_after;
}

static void interrupted(contract_case *c)
{
    for (int stop_after = 0; stop_after <= 3; stop_after++) {
        outcome o;
        perp_settings s;
        listener l = {c, 0, stop_after, 0, INFINITY};
        settings_default(&s);
        s.tol = 0.0;
        s.max_iter = 300;
        s.progress = listen;
        s.progress_ctx = &l;
        solve(&o, c, &s);
        check_outcome(c, &o, s.tol);
        int asked = stop_after > 0 && l.calls >= stop_after;
        if (l.calls == 0 && o.status != PERP_SOLVED)
            complain(c->complaints, "%s: the callback is never called", c->name);
        int stopped = o.status == PERP_INTERRUPTED || o.status == PERP_SOLVED;
        if (asked && (!stopped || l.calls > stop_after))
            complain(c->complaints, "%s: %s after the callback's no, %d more calls", c->name,
                     perp_status_name(o.status), l.calls - stop_after);
        if (!asked && o.status == PERP_INTERRUPTED)
            complain(c->complaints, "%s: interrupted by nobody", c->name);
    }
}

START_TEST(callbacks)
{
    contract_each(interrupted, ZOO_EASY, 2, FEW_STORAGES);
}
END_TEST

/* A problem may happen to be solved where it is stopped. */
static void operator_stops(contract_case *c)
{
    for (int stop_after = 1; stop_after <= 6; stop_after++) {
        outcome o;
        perp_settings s;
        settings_default(&s);
        s.tol = 0.0;
        s.max_iter = 50;
        c->view->applies = 0;
        c->view->stop_after = stop_after;
        solve(&o, c, &s);
        int stopped = o.status == PERP_INTERRUPTED || o.status == PERP_SOLVED;
        if (c->view->applies >= stop_after && !stopped)
            complain(c->complaints, "%s: %s after product %d asked to stop", c->name,
                     perp_status_name(o.status), stop_after);
        for (int i = 0; o.status >= 0 && i < c->stored->n; i++)
            if (!isfinite(o.z[i]) || o.z[i] == marker)
                complain(c->complaints, "%s: no iterate after an interruption", c->name);
    }
    c->view->stop_after = 0;
}

START_TEST(operators_may_stop)
{
    contract_each(operator_stops, ZOO_EASY, 2, 1 << STORED_OPERATOR | 1 << STORED_OPERATOR_BARE);
}
END_TEST

/* No rows at all: solved, with nothing to write. */
START_TEST(empty_problems)
{
    for (int k = 0; contract_solver_at(k); k++) {
        const perp_solver_type *type = contract_solver_at(k);
        double x = marker, z = marker, w = marker;
        int zero[1] = {0};
        perp_problem p = {.q = &x};
        ck_assert_int_eq(perp_mat_init_csc(&p.M, 0, 0, zero, zero, &x), PERP_SOLVED);
        perp_status status = contract_solve(type, &p, NULL, &z, &w, NULL);
        ck_assert_msg(status == PERP_SOLVED, "%s on nothing: %s", contract_solver_name(type),
                      perp_status_name(status));
        ck_assert(z == marker && w == marker);
    }
}
END_TEST

/* What a solver does not take is refused before any work, by name. */
START_TEST(unsupported_is_refused)
{
    complaints all = {0};
    for (int k = 0; zoo_at(k); k++) {
        stored_problem p;
        zoo_build(&p, zoo_at(k));
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            stored_view v;
            if (!stored_view_make(&v, &p, (storage)kind))
                continue;
            for (int t = 0; contract_solver_at(t); t++) {
                if (perp_solver_fits(contract_solver_at(t), &v.problem))
                    continue;
                double z[MAX_N] = {marker}, w[MAX_N] = {marker};
                perp_info info = {.size = sizeof info};
                const char *name = contract_solver_name(contract_solver_at(t));
                perp_status status =
                    contract_solve(contract_solver_at(t), &v.problem, NULL, z, w, &info);
                if (status != PERP_ERR_UNSUPPORTED || !info.where.what || z[0] != marker ||
                    w[0] != marker || info.status != status)
                    complain(&all, "%s takes %s, %s: %s", name, p.name, storage_names[kind],
                             perp_status_name(status));
            }
            stored_view_free(&v);
        }
        stored_free(&p);
    }
    complaints_end(&all);
}
END_TEST

static void solve_quietly(contract_case *c)
{
    outcome o;
    perp_settings s;
    settings_default(&s);
    s.max_iter = 100;
    solve(&o, c, &s);
}

START_TEST(nothing_is_printed)
{
    char path[] = "/tmp/perp-silence-XXXXXX";
    fflush(NULL);
    int file = mkstemp(path), out = dup(1), err = dup(2);
    ck_assert_int_ge(file, 0);
    ck_assert(dup2(file, 1) == 1 && dup2(file, 2) == 2);
    contract_each(solve_quietly, ZOO_UNSOLVABLE, 1, FEW_STORAGES | 1 << STORED_DELASSUS);
    fflush(NULL);
    ck_assert(dup2(out, 1) == 1 && dup2(err, 2) == 2);
    off_t written = lseek(file, 0, SEEK_END);
    close(file);
    close(out);
    close(err);
    unlink(path);
    ck_assert_int_eq(written, 0);
}
END_TEST

/* Descriptors: unique names, summaries, settings that exist. */
START_TEST(descriptors_are_complete)
{
    for (int k = 0; contract_solver_at(k); k++) {
        const perp_solver_type *type = contract_solver_at(k);
        const perp_solver_type *named = perp_solver_find(perp_solver_name(type));
        ck_assert(named == type || (type->variant && !type->variants && named->variants));
        ck_assert(strlen(perp_solver_summary(type)) > 10);
        char words[512], *rest = words;
        strncpy(words, perp_solver_reads(type), sizeof words - 1);
        words[sizeof words - 1] = '\0';
        for (char *word; (word = strtok_r(rest, " ", &rest));) {
            int known = 0;
            for (int i = 0; perp_setting_at(i); i++)
                known |= strcmp(perp_setting_at(i)->name, word) == 0;
            ck_assert_msg(known, "%s reads %s", perp_solver_name(type), word);
        }
    }
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        the_zoo_is_sound,
        descriptors_are_complete,
        every_solver_on_the_zoo,
        other_tolerances_and_measures,
        scaled_needs_a_diagonal,
        iteration_limit,
        time_limit,
        callbacks,
        operators_may_stop,
        empty_problems,
        unsupported_is_refused,
        nothing_is_printed,
    };
    return contract_main("contract", tests, (int)(sizeof tests / sizeof tests[0]));
}
