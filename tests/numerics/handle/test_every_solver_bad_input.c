/* SPDX-License-Identifier: BSD-3-Clause */
/* Bad input to every solver: each number in turn made NaN or infinite, sizes that
 * cannot be, settings out of range, calls in the wrong order.  Each is refused
 * by name and leaves the outputs as they were. */
#include "tests/fixtures/contract.h"

#include "handle/solver_type.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_N = 64 };

static const double marker = 77.25;

/* Segment and block of parameter k, and whether this set reads it. */
static int parameter_place(const stored_view *v, int which, int k, perp_where *place)
{
    for (int s = 0; s < v->problem.nseg; s++) {
        const perp_segment *seg = &v->problem.seg[s];
        if (k < seg->count) {
            *place = (perp_where){perp_set_parameter(seg->set, which), s, k};
            return which < perp_set_parameters(seg->set, seg->dim);
        }
        k -= seg->count;
    }
    return 0;
}

/* Where the error must be reported for entry k of array a; 0: it is not read. */
static int expected_place(const stored_view *v, const stored_array *a, int k, perp_where *place)
{
    const perp_mat *M = &v->problem.M;
    *place = (perp_where){a->what, -1, k};
    if (strcmp(a->what, "par") == 0)
        return parameter_place(v,
                               a->x == v->seg[0].par[2]   ? 2
                               : a->x == v->seg[0].par[1] ? 1
                                                          : 0,
                               k, place);
    if (M->kind == PERP_DENSE && a->x == M->as.dense.x)
        return k % M->as.dense.ld < M->rows;
    return 1;
}

static int is_box(const stored_view *v, const perp_where *place)
{
    return place->segment >= 0 && v->seg[place->segment].set == PERP_BOX;
}

static void expect_refusal(contract_case *c, perp_solver *solver, perp_status status,
                           const perp_where *place, const char *call)
{
    const perp_where *where = &perp_solver_info(solver)->where;
    if (status != PERP_ERR_NONFINITE || !where->what || strcmp(where->what, place->what) != 0 ||
        where->segment != place->segment || where->index != place->index)
        complain(c->complaints, "%s: %s with bad %s[%d, %d] gives %s at %s[%d, %d]", c->name, call,
                 place->what, place->segment, place->index, perp_status_name(status),
                 where->what ? where->what : "-", where->segment, where->index);
}

/* One bad number in setup, then in an update of a handle that works. */
static void one_bad_number(contract_case *c, perp_solver *solver, const stored_array *a, int k,
                           double bad)
{
    stored_view other;
    perp_where place;
    double z[MAX_N], w[MAX_N], kept = a->x[k];
    if (!expected_place(c->view, a, k, &place) || (isinf(bad) && is_box(c->view, &place)))
        return;
    a->x[k] = bad;
    expect_refusal(c, solver, perp_solver_setup(solver, &c->view->problem), &place, "setup");
    z[0] = w[0] = marker;
    if (perp_solver_solve(solver, z, w, NULL) != PERP_ERR_STATE || z[0] != marker || w[0] != marker)
        complain(c->complaints, "%s: solve after a refused setup", c->name);
    ck_assert(stored_view_make(&other, c->stored, c->kind));
    ck_assert_int_eq(perp_solver_setup(solver, &other.problem), PERP_SOLVED);
    expect_refusal(c, solver, perp_solver_update(solver, &c->view->problem), &place, "update");
    if (perp_solver_solve(solver, z, w, NULL) != PERP_SOLVED)
        complain(c->complaints, "%s: a refused update spoils the handle", c->name);
    perp_solver_setup(solver, &c->view->problem);
    stored_view_free(&other);
    a->x[k] = kept;
}

static void bad_numbers(contract_case *c)
{
    static const double bad[] = {NAN, INFINITY, -INFINITY};
    perp_solver *solver;
    ck_assert_int_eq(perp_solver_create(&solver, c->type, NULL, NULL, NULL), PERP_SOLVED);
    for (int a = 0; a < c->view->nreal; a++)
        for (int k = 0, step = 0; k < c->view->real[a].count; k += 1 + c->view->real[a].count / 9)
            one_bad_number(c, solver, &c->view->real[a], k, bad[step++ % 3]);
    perp_solver_destroy(solver);
}

START_TEST(every_number_is_checked)
{
    contract_each(bad_numbers, ZOO_EASY, 2, ALL_STORAGES);
}
END_TEST

static void bad_guess(contract_case *c)
{
    double z[MAX_N] = {0.0}, w[MAX_N];
    perp_settings s;
    perp_solver *solver;
    perp_info info = {.size = sizeof info};
    settings_default(&s);
    s.warm_start = 1;
    s.max_iter = 200;
    ck_assert_int_eq(perp_solver_create(&solver, c->type, &s, NULL, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_setup(solver, &c->view->problem), PERP_SOLVED);
    int last = c->stored->n - 1;
    z[last] = NAN;
    w[0] = marker;
    perp_status status = perp_solver_solve(solver, z, w, &info);
    if (status != PERP_ERR_NONFINITE || !info.where.what || strcmp(info.where.what, "z") != 0 ||
        info.where.index != last || w[0] != marker)
        complain(c->complaints, "%s: a NaN to start from gives %s", c->name,
                 perp_status_name(status));
    z[last] = 1e300;
    status = perp_solver_solve(solver, z, w, &info);
    for (int i = 0; status >= 0 && i < c->stored->n; i++)
        if (!isfinite(z[i]))
            complain(c->complaints, "%s: 1e300 to start from ends in %s, not finite", c->name,
                     perp_status_name(status));
    perp_solver_destroy(solver);
}

START_TEST(guesses_are_checked)
{
    contract_each(bad_guess, ZOO_EASY, 3, FEW_STORAGES);
}
END_TEST

/* Sizes and structure: each change of the problem is an error for every solver. */
static void bad_structure(contract_case *c)
{
    perp_solver *solver;
    perp_problem good = c->view->problem;
    perp_segment seg = c->view->seg[0];
    ck_assert_int_eq(perp_solver_create(&solver, c->type, NULL, NULL, NULL), PERP_SOLVED);
    for (int k = 0; k < 12; k++) {
        perp_problem p = good;
        perp_segment *first = &c->view->seg[0];
        static const int counts[] = {INT_MAX, INT_MIN, -1, 0};
        if (k < 4)
            first->count = counts[k];
        else if (k < 6)
            first->dim = k == 4 ? 0 : INT_MAX;
        else if (k == 6)
            first->set = (perp_set)99;
        else if (k == 7)
            p.nseg = INT_MIN;
        else if (k == 8)
            p.q = NULL;
        else if (k == 9)
            p.M.cols = INT_MAX;
        else if (k == 10)
            p.M.rows = p.M.cols = INT_MAX;
        else
            p.M.kind = (perp_mat_kind)17;
        perp_status status = perp_solver_setup(solver, &p);
        if (status >= 0)
            complain(c->complaints, "%s: bad structure %d is accepted", c->name, k);
        if (status < 0 && perp_solver_info(solver)->status != status)
            complain(c->complaints, "%s: bad structure %d is not in the info", c->name, k);
        *first = seg;
    }
    ck_assert_int_eq(perp_solver_setup(solver, NULL), PERP_ERR_ARGUMENT);
    if (perp_solver_setup(solver, &good) != PERP_SOLVED)
        complain(c->complaints, "%s: refused problems spoil the handle", c->name);
    perp_solver_destroy(solver);
}

START_TEST(structure_is_checked)
{
    contract_each(bad_structure, ZOO_EASY, 5, ALL_STORAGES);
}
END_TEST

START_TEST(calls_in_the_wrong_order)
{
    double z[1] = {marker}, w[1] = {marker};
    size_t bytes = 0;
    perp_problem none;
    memset(&none, 0, sizeof none);
    for (int k = 0; contract_solver_at(k); k++) {
        perp_solver *solver;
        perp_certificate_kind kind;
        ck_assert_int_eq(perp_solver_create(&solver, contract_solver_at(k), NULL, NULL, NULL),
                         PERP_SOLVED);
        ck_assert_int_eq(perp_solver_solve(solver, z, w, NULL), PERP_ERR_STATE);
        ck_assert_int_eq(perp_solver_update(solver, &none), PERP_ERR_STATE);
        ck_assert_int_eq(perp_solver_save(solver, NULL, &bytes), PERP_ERR_STATE);
        ck_assert_int_eq(perp_solver_load(solver, z, sizeof z), PERP_ERR_STATE);
        ck_assert_int_eq(perp_solver_certificate(solver, 0, &kind, NULL), PERP_SOLVED);
        ck_assert_int_eq(kind, PERP_CERTIFICATE_NONE);
        ck_assert(z[0] == marker && w[0] == marker);
        ck_assert_int_eq(perp_solver_solve(solver, NULL, w, NULL), PERP_ERR_ARGUMENT);
        ck_assert_int_eq(perp_solver_set_settings(solver, NULL), PERP_ERR_ARGUMENT);
        perp_solver_destroy(solver);
        ck_assert_int_eq(perp_solver_create(NULL, contract_solver_at(k), NULL, NULL, NULL),
                         PERP_ERR_ARGUMENT);
    }
    perp_solver *solver = (perp_solver *)&none;
    ck_assert_int_eq(perp_solver_create(&solver, NULL, NULL, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(solver);
    ck_assert_int_eq(perp_solver_solve(NULL, z, w, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(perp_solver_info(NULL));
    perp_solver_destroy(NULL);
}
END_TEST

/* Settings that no solver may be made with. */
START_TEST(settings_out_of_range)
{
    perp_settings good;
    settings_default(&good);
    for (int k = 0; k < 12; k++) {
        perp_settings s = good;
        switch (k) {
        case 0:
            s.size = 0;
            break;
        case 1:
            s.tol = NAN;
            break;
        case 2:
            s.tol = -1e-300;
            break;
        case 3:
            s.max_iter = -1;
            break;
        case 4:
            s.time_limit = -1.0;
            break;
        case 5:
            s.warm_start = 6;
            break;
        case 6:
            s.measure = 3;
            break;
        case 7:
            s.relaxation = 2.0;
            break;
        case 8:
            s.sweep = -1;
            break;
        case 9:
            s.check_every = 0;
            break;
        case 10:
            s.step = INFINITY;
            break;
        default:
            s.stall_window = INT_MIN;
        }
        for (int t = 0; contract_solver_at(t); t++) {
            perp_solver *solver;
            const perp_solver_type *type = contract_solver_at(t);
            ck_assert_int_eq(perp_solver_create(&solver, type, &s, NULL, NULL), PERP_ERR_SETTING);
            ck_assert_ptr_null(solver);
            ck_assert_int_eq(perp_solver_create(&solver, type, &good, NULL, NULL), PERP_SOLVED);
            ck_assert_int_eq(perp_solver_set_settings(solver, &s), PERP_ERR_SETTING);
            perp_solver_destroy(solver);
        }
    }
}
END_TEST

static int has_word(const char *words, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)); at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return 1;
    return 0;
}

/* A text for setting k that is not its default. */
static void other_value(char *text, size_t size, const perp_setting_info *info)
{
    if (info->choices) {
        const char *second = strchr(info->choices, '|');
        const char *from = info->initial > 0.0 || !second ? info->choices : second + 1;
        snprintf(text, size, "%.*s", (int)strcspn(from, "|"), from);
    } else if (info->type == PERP_SETTING_NAME) {
        snprintf(text, size, "gs");
    } else if (info->type == PERP_SETTING_INTEGER) {
        double next = info->initial + 1.0 <= info->highest ? 1.0 : -1.0;
        snprintf(text, size, "%.0f", info->initial + next);
    } else {
        snprintf(text, size, "%g", 0.5 * (info->initial + fmin(info->highest, 1.5)));
    }
}

static void change_one_setting(contract_case *c)
{
    static const char common[] = "tol max_iter time_limit budget warm_start measure "
                                 "stall_window timing";
    for (int k = 0; perp_setting_at(k); k++) {
        const perp_setting_info *setting = perp_setting_at(k);
        double z[MAX_N], w[MAX_N];
        char text[64];
        perp_settings s;
        perp_info info = {.size = sizeof info};
        if (has_word(common, setting->name))
            continue;
        settings_default(&s);
        other_value(text, sizeof text, setting);
        ck_assert_int_eq(perp_settings_set(&s, setting->name, text), PERP_SOLVED);
        perp_status status =
            contract_solve(c->type, &c->view->problem, &s, z, w, &info);
        int reads = has_word(c->type->reads, setting->name);
        int noted = (info.notes & PERP_NOTE_UNREAD) != 0;
        if (status < 0 && !reads)
            complain(c->complaints, "%s: %s=%s gives %s", c->name, setting->name, text,
                     perp_status_name(status));
        if (status >= 0 && noted == reads)
            complain(c->complaints, "%s: %s is %sread and %snoted", c->name, setting->name,
                     reads ? "" : "not ", noted ? "" : "not ");
        if (status >= 0 && noted && strcmp(info.where.what, setting->name) != 0)
            complain(c->complaints, "%s: %s is noted as %s", c->name, setting->name,
                     info.where.what);
        if (status >= 0 && status != PERP_SOLVED)
            complain(c->complaints, "%s: %s=%s ends in %s", c->name, setting->name, text,
                     perp_status_name(status));
    }
}

START_TEST(settings_are_read_or_noted)
{
    contract_each(change_one_setting, ZOO_EASY, 1, 1 << STORED_BSR | 1 << STORED_DELASSUS);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {
        every_number_is_checked,  guesses_are_checked,   structure_is_checked,
        calls_in_the_wrong_order, settings_out_of_range, settings_are_read_or_noted,
    };
    return contract_main("contract-input", tests, (int)(sizeof tests / sizeof tests[0]));
}
