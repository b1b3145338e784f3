/* SPDX-License-Identifier: BSD-3-Clause */
#include "handle/explain.h"

#include <math.h>
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

static double parameter(const perp_segment *seg, int p, int block)
{
    return seg->par[p][(size_t)block * (size_t)seg->stride[p]];
}

/* Of a parameter of a set: NULL, bounds that contradict each other, or negative. */
static void explain_parameter(char *text, size_t size, const perp_where *where, const char *place,
                              const perp_segment *seg)
{
    int p = 0;
    while (p < PERP_PARAMETERS - 1 && strcmp(perp_set_parameter(seg->set, p), where->what) != 0)
        p++;
    if (!seg->par[p])
        snprintf(text, size, "%s is NULL", place);
    else if (seg->set == PERP_BOX)
        snprintf(text, size, "bounds of block %d in segment %d: lo %.10g, hi %.10g", where->index,
                 where->segment, parameter(seg, 0, where->index), parameter(seg, 1, where->index));
    else
        snprintf(text, size, "%s is %.10g, negative", place, parameter(seg, p, where->index));
}

static void explain_segment(char *text, size_t size, const perp_where *where, const char *place,
                            const perp_problem *problem)
{
    const perp_segment *seg = &problem->seg[where->segment];
    const char *set = perp_set_name(seg->set);
    if (strcmp(where->what, "set") == 0)
        snprintf(text, size, "%s is %d, which names no set", place, (int)seg->set);
    else if (strcmp(where->what, "dim") == 0)
        snprintf(text, size, "%s is %d: %s has no blocks of so many rows", place, seg->dim, set);
    else if (strcmp(where->what, "count") == 0)
        snprintf(text, size, "%s is %d, negative", place, seg->count);
    else if (strcmp(where->what, "stride") == 0)
        snprintf(text, size, "stride[%d] of segment %d is %d, negative", where->index,
                 where->segment, seg->stride[where->index]);
    else
        explain_parameter(text, size, where, place, seg);
}

/* 1: one of the words, each between two blanks. */
static int is_named(const char *words, const char *what)
{
    char word[16];
    snprintf(word, sizeof word, " %.12s ", what);
    return strstr(words, word) != NULL;
}

/* Of an array, a size or a kind of M, or of the problem itself. */
static void explain_argument(char *text, size_t size, const perp_where *where, const char *place,
                             const perp_problem *problem)
{
    const perp_mat *M = &problem->M;
    if (where->segment >= 0)
        explain_segment(text, size, where, place, problem);
    else if (is_named(" seg q x colptr row rowptr col apply mass ", where->what))
        snprintf(text, size, "%s is NULL", place);
    else if (strcmp(where->what, "nseg") == 0)
        snprintf(text, size, "nseg is %d, negative", problem->nseg);
    else if (strcmp(where->what, "ld") == 0)
        snprintf(text, size, "ld is %d, less than the %d rows of M", M->as.dense.ld, M->rows);
    else if (strcmp(where->what, "kind") == 0)
        snprintf(text, size, "kind of M is %d, which names none", (int)M->kind);
    else if (strcmp(where->what, "diagonal") == 0 && M->kind == PERP_DELASSUS)
        snprintf(text, size, "%s is %.10g, negative", place, M->as.delassus.diagonal[where->index]);
    else
        snprintf(text, size, "%s: %s", place, perp_status_text(PERP_ERR_ARGUMENT));
}

/* Of the index arrays of M: pointers that fall, an index out of its range, or one that is there
 * twice. */
static void explain_indices(char *text, size_t size, const perp_where *where, const char *place,
                            const perp_mat *M)
{
    int rowwise = M->kind == PERP_BSR;
    const int *ptr = rowwise                    ? M->as.bsr.rowptr
                     : M->kind == PERP_DELASSUS ? M->as.delassus.colptr
                                                : M->as.csc.colptr;
    const int *index = rowwise                    ? M->as.bsr.col
                       : M->kind == PERP_DELASSUS ? M->as.delassus.row
                                                  : M->as.csc.row;
    int minor = rowwise                    ? M->rows / M->as.bsr.block
                : M->kind == PERP_DELASSUS ? M->as.delassus.dofs
                                           : M->rows;
    int k = where->index, j = 0;
    if (strcmp(where->what, rowwise ? "rowptr" : "colptr") == 0) {
        snprintf(text, size, "%s is %d, %s", place, ptr[k],
                 k == 0 ? "not 0" : "less than the one before");
        return;
    }
    while (ptr[j + 1] <= k)
        j++;
    if (index[k] < 0 || index[k] >= minor)
        snprintf(text, size, "%s is %d, not within 0 to %d", place, index[k], minor - 1);
    else
        snprintf(text, size, "%s: %d is twice in %s %d", place, index[k],
                 rowwise ? "block row" : "column", j);
}

/* 1: the place is one of the index arrays of M. */
static int is_index(const perp_where *where, const perp_problem *problem)
{
    int sparse = problem->M.kind == PERP_CSC || problem->M.kind == PERP_BSR ||
                 problem->M.kind == PERP_DELASSUS;
    return sparse && where->index >= 0 &&
           (strncmp(where->what, "col", 3) == 0 || strncmp(where->what, "row", 3) == 0);
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
    else if (status == PERP_ERR_STRUCTURE && *what && problem && is_index(where, problem))
        explain_indices(detail, size, where, place, &problem->M);
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
    else if (status == PERP_ERR_ARGUMENT && *what && problem)
        explain_argument(detail, size, where, place, problem);
    else if (status == PERP_ERR_ARGUMENT && is_named(" problem q z w ", what))
        snprintf(detail, size, "%s is NULL", what);
    else if (*what)
        snprintf(detail, size, "%s: %s", place, perp_status_text(status));
    else
        snprintf(detail, size, "%s", perp_status_text(status));
}

void perp_explain_not_finite(perp_info *info, const double *w, int n)
{
    int i = 0;
    while (i < n && isfinite(w[i]))
        i++;
    if (i < n) {
        info->where = (perp_where){"w", -1, i};
        snprintf(info->detail, sizeof info->detail,
                 "w[%d] of w = M z + q is not finite: numbers beyond the range of doubles, or an "
                 "operator that gives none",
                 i);
    } else {
        snprintf(info->detail, sizeof info->detail,
                 "the residual is not finite: numbers beyond the range of doubles");
    }
}
