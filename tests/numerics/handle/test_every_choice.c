/* SPDX-License-Identifier: BSD-3-Clause */
/* Every solver with every value of every setting that it reads, in every storage: easy problems are
 * solved, by the judge's own recomputation, and hard ones are not called solved where they are not.
 */
#include "tests/fixtures/contract.h"
#include "tests/fixtures/each_choice.h"

#include <math.h>
#include <stdlib.h>

enum { MAX_N = 64, EVERY_FORM = FEW_STORAGES | 1 << STORED_DELASSUS | 1 << STORED_DENSE };

static int is_symmetric(const stored_problem *p)
{
    double apart = 0.0;
    for (int i = 0; i < p->n; i++)
        for (int j = 0; j < i; j++)
            apart = fmax(apart, fabs(p->M[i + j * p->n] - p->M[j + i * p->n]));
    return apart < 1e-9;
}

/* What is for other problems than these: factors of symmetric matrices, steps that are too long for
 * a matrix without symmetry, a solver of symmetric problems in the outer loop of others. */
static int may_stall(const contract_case *c, const perp_setting_info *info, const char *text)
{
    return strcmp(text, "ldl") == 0 || strcmp(info->name, "inner") == 0 ||
           (strcmp(info->name, "relaxation") == 0 && !is_symmetric(c->stored));
}

static void solve_with(void *ctx, const perp_setting_info *info, const char *text)
{
    contract_case *c = ctx;
    double z[MAX_N], w[MAX_N];
    perp_settings s;
    perp_solver *solver;
    settings_default(&s);
    ck_assert_int_eq(perp_settings_set(&s, info->name, text), PERP_SOLVED);
    ck_assert_int_eq(perp_solver_create(&solver, c->type, &s, NULL, NULL), PERP_SOLVED);
    perp_status status = perp_solver_setup(solver, &c->view->problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, NULL);
    perp_solver_destroy(solver);
    /* Another solver or factorisation may not take the problem, or not be there. */
    if (status == PERP_ERR_UNSUPPORTED)
        return;
    int easy = c->entry->level == ZOO_EASY && !may_stall(c, info, text);
    if (status < 0 || (easy && status != PERP_SOLVED))
        complain(c->complaints, "%s: %s=%s ends in %s", c->name, info->name, text,
                 perp_status_name(status));
    if (status != PERP_SOLVED)
        return;
    perp_residuals r = contract_judge(c->stored, c->kind, z, NULL);
    if (!(contract_error(&r, c->kind) <= 1.001e-8) || c->entry->level == ZOO_UNSOLVABLE)
        complain(c->complaints, "%s: %s=%s, false SOLVED", c->name, info->name, text);
}

static void each_choice(contract_case *c)
{
    choice_each(perp_setting_at, perp_solver_reads(c->type), 3, solve_with, c);
}

START_TEST(easy_problems)
{
    contract_each(each_choice, ZOO_EASY, 7, EVERY_FORM);
}
END_TEST

START_TEST(all_problems)
{
    contract_each(each_choice, ZOO_UNSOLVABLE, 9, 1 << STORED_CSC | 1 << STORED_DELASSUS);
}
END_TEST

int main(void)
{
    const TTest *tests[] = {easy_problems, all_problems};
    return contract_main("every choice", tests, (int)(sizeof tests / sizeof tests[0]));
}
