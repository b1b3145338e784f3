/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/explain.h"

#include <stdio.h>
#include <string.h>

#include "handle/settings_table.h"

/* "q[5]", "mu of block 3 in segment 2", ... */
static const char *name_place(char *text, size_t size, const perp_where *where)
{
    const char *what = where->what ? where->what : "an argument";
    if (where->segment >= 0 && where->index >= 0)
        snprintf(text, size, "%s of block %d in segment %d", what, where->index, where->segment);
    else if (where->segment >= 0)
        snprintf(text, size, "%s of segment %d", what, where->segment);
    else if (where->index >= 0)
        snprintf(text, size, "%s[%d]", what, where->index);
    else
        snprintf(text, size, "%s", what);
    return text;
}

static const char *matrix_name(perp_mat_kind kind)
{
    static const char *const names[] = {
        [PERP_DENSE] = "DENSE",       [PERP_CSC] = "CSC",           [PERP_BSR] = "BSR",
        [PERP_OPERATOR] = "OPERATOR", [PERP_DELASSUS] = "DELASSUS",
    };
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : "unknown";
}

static void explain_rows(char *text, size_t size, const perp_problem *problem)
{
    long long rows = 0;
    for (int k = 0; k < problem->nseg; k++)
        rows += (long long)problem->seg[k].dim * problem->seg[k].count;
    if (problem->M.rows != problem->M.cols)
        snprintf(text, size, "M is %d x %d, not square", problem->M.rows, problem->M.cols);
    else
        snprintf(text, size, "segments have %lld rows, M has %d", rows, problem->M.rows);
}

static void explain_setting(char *text, size_t size, const char *what,
                            const perp_settings *settings)
{
    const perp_option *option = perp_option_find(&perp_settings_table, what);
    if (strcmp(what, "size") == 0)
        snprintf(text, size, "settings were not filled by perp_settings_init()%s",
                 settings ? "" : ", or are of a newer release that sets what this one lacks");
    else if (!option)
        snprintf(text, size, "there is no %s of this name", what);
    else if (option->info.type == PERP_SETTING_CHOICE)
        snprintf(text, size, "%s is none of %s", what, option->info.choices);
    else if (option->info.type == PERP_SETTING_NAME)
        snprintf(text, size, "%s names no solver", what);
    else
        snprintf(text, size, "%s is outside its range, %.10g to %.10g", what, option->info.lowest,
                 option->info.highest);
}

static void explain_support(char *text, size_t size, const perp_where *where,
                            const perp_problem *problem, const char *solver)
{
    const char *what = where->what ? where->what : "";
    if (where->segment >= 0)
        snprintf(text, size, "%s does not take %s (segment %d)", solver, what, where->segment);
    else if (strcmp(what, "M") == 0 && problem)
        snprintf(text, size, "%s does not take a matrix of kind %s", solver,
                 matrix_name(problem->M.kind));
    else if (strcmp(what, "diagonal") == 0)
        snprintf(text, size, "%s needs the diagonal of an OPERATOR", solver);
    else if (strcmp(what, "measure") == 0)
        snprintf(text, size, "the scaled measure needs the diagonal of an OPERATOR");
    else if (strcmp(what, "solver") == 0)
        snprintf(text, size, "no solver takes these sets with this matrix");
    else
        snprintf(text, size, "%s does not take this problem", solver);
}

static void explain_name(char *text, size_t size, const char *name)
{
    const char *renamed = perp_solver_renamed(name);
    if (renamed)
        snprintf(text, size, "%s", renamed);
    else
        snprintf(text, size, "no solver is called \"%.60s\"", name);
}

void perp_explain(char detail[PERP_DETAIL], perp_status status, const perp_where *where,
                  const perp_problem *problem, const perp_settings *settings, const char *solver)
{
    char place[96];
    const size_t size = PERP_DETAIL;
    const char *what = where->what ? where->what : "";
    detail[0] = '\0';
    if (status >= 0)
        return;
    name_place(place, sizeof place, where);
    solver = solver ? solver : "the solver";
    if (status == PERP_ERR_STRUCTURE && strcmp(what, "M.rows") == 0 && problem)
        explain_rows(detail, size, problem);
    else if (status == PERP_ERR_SETTING && *what)
        explain_setting(detail, size, what, settings);
    else if (status == PERP_ERR_UNSUPPORTED)
        explain_support(detail, size, where, problem, solver);
    else if (status == PERP_ERR_NONFINITE)
        snprintf(detail, size, "%s is not finite", place);
    else if (status == PERP_ERR_STATE)
        snprintf(detail, size, "perp_solver_setup() has not succeeded");
    else if (strcmp(what, "size") == 0)
        snprintf(detail, size, "the size of the info was not set");
    else if (status == PERP_ERR_ARGUMENT && strcmp(what, "solver") == 0)
        explain_name(detail, size, solver);
    else if (*what)
        snprintf(detail, size, "%s: %s", place, perp_status_text(status));
    else
        snprintf(detail, size, "%s", perp_status_text(status));
}
