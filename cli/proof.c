/* SPDX-License-Identifier: BSD-3-Clause */
#include "cli/proof.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/commands.h"
#include "cli/message.h"
#include "cli/text_report.h"
#include "scene/files.h"

static const char *const kind_words[] = {[PERP_CERTIFICATE_NONE] = "none",
                                         [PERP_CERTIFICATE_RAY] = "ray",
                                         [PERP_CERTIFICATE_INFEASIBLE] = "infeasible",
                                         [PERP_CERTIFICATE_EXHAUSTED] = "exhausted"};

enum { KINDS = sizeof kind_words / sizeof kind_words[0], VERSION = 1, MOST_SEARCHED = 1 << 16 };

/* Nothing is left to check of an exhausted search; its reach is what the solver said. */
static perp_status check(perp_proof *proof, const perp_problem *problem, double reach)
{
    perp_status status =
        perp_certificate_check(problem, proof->kind, proof->y, NULL, &proof->figures);

    if (proof->kind == PERP_CERTIFICATE_EXHAUSTED) {
        proof->figures.reach = reach;
        proof->figures.holds = isinf(reach);
    }
    return status;
}

int perp_proof_take(perp_proof *proof, const perp_solver *solver, const perp_problem *problem,
                    const char *name)
{
    perp_status status;

    memset(proof, 0, sizeof *proof);
    proof->figures.size = sizeof proof->figures;
    proof->rows = problem->M.rows;
    proof->y = calloc((size_t)proof->rows + 1, sizeof *proof->y);
    snprintf(proof->problem, sizeof proof->problem, "%s", name);
    if (proof->y == NULL)
        return -1;
    if (perp_solver_certificate(solver, proof->rows, &proof->kind, proof->y) != PERP_SOLVED ||
        proof->kind == PERP_CERTIFICATE_NONE)
        return 0;
    status = check(proof, problem, perp_solver_info(solver)->reach);
    return status == PERP_SOLVED ? 1 : status == PERP_ERR_MEMORY ? -1 : 0;
}

void perp_proof_free(perp_proof *proof)
{
    free(proof->y);
    proof->y = NULL;
}

static void write_text(FILE *f, const perp_proof *proof)
{
    const perp_certificate_figures *seen = &proof->figures;
    int entries = proof->kind == PERP_CERTIFICATE_EXHAUSTED ? 0 : proof->rows;

    fprintf(f, "perp-proof %d\nproblem %s\nkind %s\nrows %d\n", VERSION, proof->problem,
            kind_words[proof->kind], proof->rows);
    fprintf(f, "holds %d\nsign %.17g\ncolumn %.17g\nvalue %.17g\nreach %.17g\n", seen->holds,
            seen->sign, seen->column, seen->value, seen->reach);
    fprintf(f, "y %d\n", entries);
    for (int k = 0; k < entries; k++)
        fprintf(f, "%.17g\n", proof->y[k]);
}

int perp_proof_write(const perp_proof *proof, const char *path)
{
    const char *slash = strrchr(path, '/');
    char folder[4096];
    FILE *f;

    snprintf(folder, sizeof folder, "%.*s", slash == NULL ? 1 : (int)(slash - path) + 1,
             slash == NULL ? "." : path);
    f = perp_scene_open(folder, slash == NULL ? path : slash + 1);
    if (f != NULL) {
        write_text(f, proof);
        if (perp_scene_close(f, folder, slash == NULL ? path : slash + 1) == 0)
            return PERP_EXIT_DONE;
    }
    return perp_complain("--proof '%s': %s", path, strerror(errno));
}

static int find_kind(perp_certificate_kind *kind, const char *word)
{
    for (int k = 1; k < KINDS; k++) {
        if (strcmp(word, kind_words[k]) == 0) {
            *kind = (perp_certificate_kind)k;
            return 1;
        }
    }
    return 0;
}

/* Lines "name value" up to "y N"; N, or -1. */
static int read_head(perp_proof *proof, FILE *f)
{
    char line[512], word[32];
    int version = 0, entries, known = 0;

    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = '\0';
        if (sscanf(line, "perp-proof %d", &version) == 1 && version != VERSION)
            return -1;
        if (strncmp(line, "problem ", 8) == 0)
            snprintf(proof->problem, sizeof proof->problem, "%.250s", line + 8);
        else if (sscanf(line, "kind %31s", word) == 1)
            known = find_kind(&proof->kind, word);
        else if (sscanf(line, "rows %d", &proof->rows) == 1 && proof->rows < 0)
            return -1;
        else if (sscanf(line, "y %d", &entries) == 1)
            return version == VERSION && known && (entries == proof->rows || entries == 0) ? entries
                                                                                           : -1;
    }
    return -1;
}

static int read_entries(perp_proof *proof, FILE *f, int entries)
{
    char line[128];

    for (int k = 0; k < entries; k++) {
        if (fgets(line, sizeof line, f) == NULL)
            return -1;
        line[strcspn(line, "\n")] = '\0';
        if (!perp_parse_real(&proof->y[k], line, -INFINITY, INFINITY))
            return -1;
    }
    return 0;
}

int perp_proof_read(perp_proof *proof, const char *path)
{
    FILE *f = fopen(path, "r");
    struct stat st;
    int entries, bad;

    memset(proof, 0, sizeof *proof);
    if (f == NULL)
        return perp_complain("%s: %s", path, strerror(errno));
    entries = read_head(proof, f);
    bad = entries < 0 || (entries == 0 && proof->kind != PERP_CERTIFICATE_EXHAUSTED);
    /* An entry is a line of two bytes at least, so that the file pays for the memory; a search that
     * was exhausted is one of few rows. */
    bad = bad || fstat(fileno(f), &st) != 0 ||
          (entries == 0 ? proof->rows > MOST_SEARCHED
                        : S_ISREG(st.st_mode) && proof->rows > st.st_size / 2);
    if (!bad && (proof->y = calloc((size_t)proof->rows + 1, sizeof *proof->y)) == NULL) {
        fclose(f);
        return perp_complain("%s: no memory for %d rows", path, proof->rows);
    }
    bad = bad || read_entries(proof, f, entries) != 0;
    fclose(f);
    return bad ? perp_complain("%s: not a proof that 'perp solve --proof' wrote", path)
               : PERP_EXIT_DONE;
}

static int show_nothing(void *ctx, int k, const double *z, const double *w, int piece)
{
    (void)ctx;
    (void)k;
    (void)z;
    (void)w;
    (void)piece;
    return 1;
}

/* An exhausted search has no vector: it is made again. */
static perp_status search_again(perp_proof *proof, const perp_problem *problem)
{
    perp_enumerate_info info = {.size = sizeof info};
    perp_status status = perp_enumerate(problem, NULL, show_nothing, NULL, NULL, &info);

    if (status < 0)
        return status;
    proof->figures.row = -1;
    proof->figures.holds = status == PERP_INFEASIBLE;
    if (status == PERP_INFEASIBLE || status == PERP_INFEASIBLE_WITHIN)
        proof->figures.reach = info.reach;
    return PERP_SOLVED;
}

int perp_proof_confirm(perp_proof *proof, const char *path, const perp_problem *problem)
{
    perp_status status;

    if (proof->rows != problem->M.rows)
        return perp_complain("%s: the proof has %d rows, the problem has %d", path, proof->rows,
                             problem->M.rows);
    proof->figures.size = sizeof proof->figures;
    status = proof->kind == PERP_CERTIFICATE_EXHAUSTED
                 ? search_again(proof, problem)
                 : perp_certificate_check(problem, proof->kind, proof->y, NULL, &proof->figures);
    return status == PERP_SOLVED ? PERP_EXIT_DONE
                                 : perp_complain("%s: %s", path, perp_status_text(status));
}

void perp_proof_print(const perp_proof *proof)
{
    const perp_certificate_figures *seen = &proof->figures;

    if (proof->kind == PERP_CERTIFICATE_EXHAUSTED && isinf(seen->reach))
        perp_row("proof", "no solution exists: every complementary choice was refuted");
    else if (proof->kind == PERP_CERTIFICATE_EXHAUSTED && !(seen->reach > 0.0))
        perp_row("proof", "not every complementary choice could be refuted");
    else if (proof->kind == PERP_CERTIFICATE_EXHAUSTED)
        perp_row("proof",
                 "every complementary choice was refuted where all |z_i| are below the reach "
                 "%.3g",
                 seen->reach);
    else if (!seen->holds && proof->kind != PERP_CERTIFICATE_RAY && seen->reach > 0.0)
        perp_row("proof",
                 "no solution has all |z_i| below the reach %.3g (checked: value %.2g, columns "
                 "%.2g); nothing is shown beyond it",
                 seen->reach, seen->value, seen->column);
    else if (!seen->holds && proof->kind != PERP_CERTIFICATE_RAY)
        perp_row("proof",
                 "it does not hold for this problem (value %.2g, columns %.2g, signs %.2g)",
                 seen->value, seen->column, seen->sign);
    else if (proof->kind == PERP_CERTIFICATE_RAY)
        perp_row("proof", "a secondary ray%s; it proves nothing for a general matrix",
                 seen->holds ? " (checked)" : "");
    else
        perp_row("proof",
                 "no solution exists: some y has y.w >= 0 where w may be, y.(M z + q) < 0 "
                 "for z in K (checked with every rounding bounded: value %.2g)",
                 seen->value);
}

void perp_proof_json(perp_json *json, const char *key, const perp_proof *proof)
{
    const perp_certificate_figures *seen;

    if (proof == NULL) {
        perp_json_text(json, key, NULL);
        return;
    }
    seen = &proof->figures;
    perp_json_object(json, key);
    perp_json_text(json, "kind", kind_words[proof->kind]);
    perp_json_boolean(json, "holds", seen->holds);
    perp_json_real(json, "sign", seen->sign);
    perp_json_real(json, "column", seen->column);
    perp_json_real(json, "value", seen->value);
    perp_json_real(json, "reach", seen->reach);
    perp_json_integer(json, "row", seen->row);
    if (proof->kind != PERP_CERTIFICATE_EXHAUSTED)
        perp_json_reals(json, "y", proof->y, proof->rows);
    perp_json_end_object(json);
}
