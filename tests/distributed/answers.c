/* SPDX-License-Identifier: BSD-3-Clause */
/* Residuals and answers beside those of the serial library. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "distributed/on_ranks.h"

static double relative(double a, double b)
{
    double most = fmax(fabs(a), fabs(b));
    return most > 0.0 ? fabs(a - b) / most : 0.0;
}

static double distance(const double *a, const double *b, int n)
{
    double sum = 0.0, size2 = 0.0, unit = 0.0;
    for (int i = 0; i < n; i++)
        unit = fmax(unit, fmax(fabs(a[i]), fabs(b[i])));
    for (int i = 0; i < n && unit > 0.0; i++) {
        sum += (a[i] - b[i]) / unit * ((a[i] - b[i]) / unit);
        size2 += b[i] / unit * (b[i] / unit);
    }
    return size2 > 0.0 ? sqrt(sum / size2) : unit;
}

void compare_residuals(const packing *p, divided *d, double unit)
{
    /* An assembled W is a sum of larger numbers. */
    double near = p->problem.M.kind == PERP_DELASSUS ? 1e-13 : 2e-12;
    int n = p->problem.M.rows;
    double *z = calloc((size_t)n, sizeof *z), *w = calloc((size_t)n, sizeof *w);
    double *again = calloc((size_t)n, sizeof *again);
    perp_residuals serial = {.size = sizeof serial}, parts = {.size = sizeof parts};
    uint64_t state = 7;
    if (!z || !w || !again)
        abort();
    for (int i = 0; i < n; i++)
        z[i] = i % 5 ? unit * (i % 3 ? 0.3 : 1.0) * uniform(&state) : 0.0;
    perp_status status = perp_residual(&p->problem, z, NULL, w, &serial);
    expect(status == PERP_SOLVED, "serial residual");
    expect(perp_petsc_share_scatter(d->share, z, d->z) == PERP_SOLVED, "scatter");
    status = perp_petsc_residual(d->system, d->z, d->w, &parts, NULL);
    expect(status == PERP_SOLVED, "residual: %s", perp_status_name(status));
    expect(relative(serial.natural, parts.natural) < near, "natural %.17g, serial %.17g",
           parts.natural, serial.natural);
    expect(relative(serial.scaled, parts.scaled) < near, "scaled %.17g, serial %.17g", parts.scaled,
           serial.scaled);
    expect(relative(serial.primal, parts.primal) < near, "primal");
    expect(relative(serial.dual, parts.dual) < near, "dual");
    expect(relative(serial.gap, parts.gap) < near, "gap %.17g, serial %.17g", parts.gap,
           serial.gap);
    expect(perp_petsc_share_gather(d->share, d->w, again) == PERP_SOLVED, "gather");
    expect(rank || distance(again, w, n) < 0.1 * near, "w: %g", distance(again, w, n));
    free(z);
    free(w);
    free(again);
}

static void check_residual_of(packing *p)
{
    divided d;
    if (divide(&d, p)) {
        compare_residuals(p, &d, 1.0);
        compare_residuals(p, &d, 1e-170);
        compare_residuals(p, &d, 1e170);
        compare_residuals(p, &d, 0.0);
    }
    divided_free(&d);
    packing_free(p);
}

void check_residual(void)
{
    static const char *const kinds[] = {"spheres", "boxes", "chains", "arch"};
    for (int k = 0; k < 4; k++) {
        check_residual_of(packing_make(kinds[k], 300, 0.4));
        check_residual_of(packing_make_local(kinds[k], 150, 0.4));
    }
}

/* Rows that give way make the answer unique and well conditioned: |z - z*| <= error |..| / least.
 */
static void add_compliance(packing *p)
{
    int n = p->problem.M.rows;
    double *unit = calloc((size_t)n, sizeof *unit), *column = calloc((size_t)n, sizeof *column);
    double *scratch = calloc(perp_mat_scratch(&p->problem.M) + 1, sizeof *scratch), most = 0.0;
    p->C = calloc((size_t)n, sizeof *p->C);
    if (!p->C || !unit || !column || !scratch)
        abort();
    for (int i = 0; i < n; i++) {
        unit[i] = 1.0;
        perp_mat_apply(&p->problem.M, unit, scratch, column);
        most = fmax(most, column[i]);
        unit[i] = 0.0;
    }
    for (int i = 0; i < n; i++)
        p->C[i] = 0.3 * most;
    perp_mat_set_compliance(&p->problem.M, p->C);
    free(unit);
    free(column);
    free(scratch);
}

void solve_serial(const packing *p, double *z)
{
    perp_settings settings;
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-12;
    double *w = calloc((size_t)p->problem.M.rows, sizeof *w);
    perp_status status = perp_solve("gs", &p->problem, &settings, z, w, NULL);
    expect(status == PERP_SOLVED, "serial gs: %s", perp_status_name(status));
    free(w);
}

static void check_info(const perp_petsc_info *info, const perp_petsc_share *share, int rows)
{
    const perp_petsc_cut *cut = perp_petsc_share_cut(share);
    expect(info->status == PERP_SOLVED && info->ranks == size, "info");
    expect(info->own.rows == cut->own_rows && info->sum.rows == rows, "rows of the ranks");
    expect(alike(info->iterations) && info->iterations > 0, "iterations are alike");
    expect(info->imbalance >= 1.0 && info->imbalance <= size + 1e-9, "imbalance");
    expect(size > 1 || info->sum.messages == 0.0, "one rank sends nothing");
    expect(info->own.unknowns >= info->own.shared, "shared unknowns");
    expect(cut->cut <= cut->edges && (size > 1 || cut->cut == 0), "cut");
}

/* One solver on one problem, to 1e-9, beside the serial answer, and again with a warm start. */
static void compare_answers(const packing *p, const char *solver, const double *serial, int unique)
{
    int n = p->problem.M.rows;
    double *z = calloc((size_t)n, sizeof *z);
    perp_settings settings;
    perp_petsc_info info = {.size = sizeof info};
    perp_petsc_where where;
    divided d;
    if (!z || !divide(&d, p))
        abort();
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-9;
    perp_status status = perp_petsc_solve(d.system, solver, &settings, d.z, d.w, &info, &where);
    expect(status == PERP_SOLVED, "%s: %s, error %g, %s", solver, perp_status_name(status),
           info.error, where.text);
    expect(info.error <= settings.tol, "error within tol");
    check_info(&info, d.share, n);
    perp_petsc_share_gather(d.share, d.z, z);
    perp_residuals r = {.size = sizeof r};
    int judged = rank || perp_residual(&p->problem, z, NULL, NULL, &r) == PERP_SOLVED;
    expect(judged && (rank || fmax(r.natural, r.scaled) <= 1.01 * settings.tol),
           "%s: the serial residual is %g, %g", solver, r.natural, r.scaled);
    expect(rank || fabs(r.scaled - info.residual.scaled) <= 1e-12, "the same certificate");
    if (unique)
        expect(rank || distance(z, serial, n) < 1e-6, "%s: %g from the serial answer", solver,
               distance(z, serial, n));
    settings.warm_start = 1;
    status = perp_petsc_solve(d.system, solver, &settings, d.z, NULL, &info, &where);
    expect(status == PERP_SOLVED && info.iterations == 0, "warm start: %d iterations",
           info.iterations);
    settings.warm_start = 0;
    settings.max_iter = 1;
    status = perp_petsc_solve(d.system, solver, &settings, d.z, NULL, &info, &where);
    expect(status == PERP_ITERATION_LIMIT || status == PERP_SOLVED, "one iteration: %s",
           perp_status_name(status));
    divided_free(&d);
    free(z);
}

void check_answers(void)
{
    static const struct {
        const char *kind;
        int contacts, compliant;
        double mu;
    } cases[] = {{"spheres", 200, 1, 0.3},
                 {"boxes", 120, 1, 0.3},
                 {"spheres", 150, 0, 0.0},
                 {"chains", 60, 1, 0.2},
                 {"arch", 60, 1, 0.4}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        packing *p = packing_make(cases[k].kind, cases[k].contacts, cases[k].mu);
        if (cases[k].compliant)
            add_compliance(p);
        double *serial = calloc((size_t)p->problem.M.rows, sizeof *serial);
        if (!serial)
            abort();
        solve_serial(p, serial);
        for (int s = 0; perp_petsc_solver_name(s); s++)
            compare_answers(p, perp_petsc_solver_name(s), serial, cases[k].compliant);
        free(serial);
        packing_free(p);
    }
}

/* Moments are lengths times forces in the scaled measure. */
static void check_moments(double mu_s)
{
    packing *p = packing_make_rolling("spheres", 150, 0.3, 0.01, mu_s);
    divided d;
    if (divide(&d, p)) {
        compare_residuals(p, &d, 1.0);
        compare_residuals(p, &d, 1e-170);
        compare_residuals(p, &d, 1e170);
    }
    divided_free(&d);
    add_compliance(p);
    double *serial = calloc((size_t)p->problem.M.rows, sizeof *serial);
    if (!serial)
        abort();
    solve_serial(p, serial);
    for (int s = 0; perp_petsc_solver_name(s); s++)
        compare_answers(p, perp_petsc_solver_name(s), serial, 1);
    free(serial);
    packing_free(p);
}

/* Rolling friction, then torsional friction beside it. */
void check_rolling(void)
{
    check_moments(-1.0);
    check_moments(0.005);
}

double *make_dense(packing *p)
{
    size_t n = (size_t)p->problem.M.rows, entries = n * n;
    double *dense = calloc(entries, sizeof *dense), *x = calloc(n, sizeof *x), most = 0.0;
    if (!dense || !x)
        abort();
    for (size_t j = 0; j < n; j++) {
        x[j] = 1.0;
        perp_mat_apply(&p->problem.M, x, NULL, dense + j * n);
        most = fmax(most, dense[j + j * n]);
        x[j] = 0.0;
    }
    for (size_t j = 0; j < n; j++)
        dense[j + j * n] += 0.3 * most;
    for (size_t k = 0; k < entries; k += 7)
        dense[k] += dense[k] != 0.0 ? 1e-3 * most : 0.0;
    perp_mat_init_dense(&p->problem.M, (int)n, (int)n, dense, (int)n);
    free(x);
    return dense;
}

/* An assembled W, not quite symmetric: the serial gs and these solve the same numbers. */
void check_assembled(void)
{
    packing *p = packing_make_local("boxes", 60, 0.3);
    double *dense = make_dense(p), *serial = calloc((size_t)p->problem.M.rows, sizeof *serial);
    if (!serial)
        abort();
    solve_serial(p, serial);
    for (int s = 0; perp_petsc_solver_name(s); s++)
        compare_answers(p, perp_petsc_solver_name(s), serial, 1);
    free(dense);
    free(serial);
    packing_free(p);
}

/* FNV-1a of the bits of an answer, and of its certificate and counts. */
void print_bits(const char *solver)
{
    packing *p = packing_make("spheres", 400, 0.5);
    size_t n = (size_t)p->problem.M.rows;
    double *z = calloc(n, sizeof *z);
    perp_settings settings;
    perp_petsc_info info = {.size = sizeof info};
    uint64_t hash = 14695981039346656037u;
    divided d;
    if (!z || !divide(&d, p))
        abort();
    perp_settings_init(&settings, sizeof settings);
    settings.tol = 1e-4;
    perp_status status = perp_petsc_solve(d.system, solver, &settings, d.z, d.w, &info, NULL);
    expect(status == PERP_SOLVED, "%s: %s", solver, perp_status_name(status));
    perp_petsc_share_gather(d.share, d.z, z);
    const unsigned char *bytes = (const unsigned char *)z;
    for (size_t i = 0; i < n * sizeof *z; i++)
        hash = (hash ^ bytes[i]) * 1099511628211u;
    if (rank == 0)
        printf("%016llx %a %d %.17g %.17g\n", (unsigned long long)hash, info.error, info.iterations,
               info.sum.bytes, info.sum.flops);
    divided_free(&d);
    free(z);
    packing_free(p);
}
