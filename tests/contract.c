/* SPDX-License-Identifier: BSD-3-Clause */
#include "contract.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void complain(complaints *c, const char *format, ...)
{
    va_list args;
    if (getenv("PERP_TEST_ALL")) {
        va_start(args, format);
        vfprintf(stderr, format, args);
        va_end(args);
        fputc('\n', stderr);
    }
    c->count++;
    if (c->used + 512 > sizeof c->text)
        return;
    va_start(args, format);
    c->text[c->used++] = '\n';
    c->used += (size_t)vsnprintf(c->text + c->used, 510, format, args);
    va_end(args);
}

void complaints_end(const complaints *c)
{
    ck_assert_msg(c->count == 0, "%d complaints:%s", c->count, c->text);
}

/* 1 where set-up of an empty problem does not ask for an object that is missing. */
static int is_installed(const perp_solver_type *type)
{
    int zero[1] = {0};
    double x = 0.0;
    perp_problem empty = {.q = &x};
    perp_solver *solver;
    ck_assert_int_eq(perp_mat_init_csc(&empty.M, 0, 0, zero, zero, &x), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_create(&solver, type, NULL, NULL), PERP_SOLVED);
    perp_solver_setup(solver, &empty);
    const char *what = perp_solver_info(solver)->where.what;
    int installed = !what || strncmp(what, "libperp-", 8) != 0;
    perp_solver_destroy(solver);
    return installed;
}

const perp_solver_type *contract_solver_at(int k)
{
    static const perp_solver_type *installed[64];
    static int count, looked;
    for (int i = 0; !looked && perp_solver_at(i); i++)
        if (is_installed(perp_solver_at(i)) && count < 63)
            installed[count++] = perp_solver_at(i);
    looked = 1;
    return installed[k];
}

static void each_solver(contract_case *c, contract_body body)
{
    for (int k = 0; (c->type = contract_solver_at(k)); k++) {
        if (!perp_solver_fits(c->type, &c->view->problem))
            continue;
        snprintf(c->name, sizeof c->name, "%s, %s, %s", perp_solver_name(c->type), c->entry->name,
                 storage_names[c->kind]);
        body(c);
    }
}

void contract_each(contract_body body, zoo_level worst, int stride, unsigned storages)
{
    contract_each_changed(body, NULL, worst, stride, storages);
}

void contract_each_changed(contract_body body, void (*change)(stored_problem *p), zoo_level worst,
                           int stride, unsigned storages)
{
    complaints *all = calloc(1, sizeof *all);
    ck_assert_ptr_nonnull(all);
    for (int k = 0; zoo_at(k); k += stride) {
        if (zoo_at(k)->level > worst)
            continue;
        stored_problem stored;
        zoo_build(&stored, zoo_at(k));
        if (change)
            change(&stored);
        for (int kind = 0; kind < STORED_COUNT; kind++) {
            stored_view view;
            if (!(storages >> kind & 1u) || !stored_view_make(&view, &stored, (storage)kind))
                continue;
            contract_case c = {zoo_at(k), &stored, (storage)kind, &view, NULL, "", all};
            each_solver(&c, body);
            stored_view_free(&view);
        }
        stored_free(&stored);
    }
    complaints_end(all);
    free(all);
}

perp_residuals contract_judge(const stored_problem *p, storage kind, const double *z, double *w)
{
    return kind == STORED_OPERATOR ? judge_diagonal(p, z, w) : judge(p, z, w);
}

double contract_error(const perp_residuals *r, storage kind)
{
    double error = kind == STORED_OPERATOR_BARE ? r->natural : fmax(r->natural, r->scaled);
    return fmax(error, r->dual * r->dual);
}

int counter_fails(const counter *c)
{
    if (c->fail_at == 0)
        return 0;
    return c->once ? c->allocations == c->fail_at : c->allocations >= c->fail_at;
}

static void *counted_allocate(void *ctx, size_t bytes)
{
    counter *c = ctx;
    c->allocations++;
    if (counter_fails(c))
        return NULL;
    void *block = malloc(bytes ? bytes : 1);
    if (block) {
        memset(block, 0xa5, bytes);
        c->live++;
    }
    return block;
}

static void counted_release(void *ctx, void *block)
{
    counter *c = ctx;
    if (block)
        c->live--;
    free(block);
}

perp_allocator counter_allocator(counter *c)
{
    return (perp_allocator){counted_allocate, counted_release, c};
}

void settings_default(perp_settings *s)
{
    perp_settings_init(s, sizeof *s);
}

int contract_main(const char *name, const TTest *const *tests, int count)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create(name);
    tcase_set_timeout(tcase, 300);
    for (int k = 0; k < count; k++)
        tcase_add_test(tcase, tests[k]);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
