/* SPDX-License-Identifier: BSD-3-Clause */
/* perp info: sizes, sets and properties of a problem file; checks proofs. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <perp/io.h>

#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/equality_report.h"
#include "cli/info_facts.h"
#include "cli/input.h"
#include "cli/json_report.h"
#include "cli/message.h"
#include "cli/proof.h"
#include "cli/read_apart.h"
#include "cli/text_report.h"

typedef struct request {
    perp_shared shared;
    const char *proof;
    perp_input input;
    perp_problem_file *file;
} request;

enum { KEY_PROOF = 256 };

static const struct argp_option options[] = {
    {"proof", KEY_PROOF, "FILE", 0,
     "Check the proof in FILE, written by perp solve --proof, against the problem", 0},
    {0}};

static error_t option(void *input, int key, char *word, struct argp_state *state)
{
    request *wish = input;

    (void)state;
    if (key != KEY_PROOF)
        return ARGP_ERR_UNKNOWN;
    wish->proof = word;
    return 0;
}

static void print_coefficients(const char *label, const perp_range *range)
{
    if (range->count == 0)
        return;
    if (range->low == range->high)
        perp_row(label, "%.6g at every contact", range->low);
    else
        perp_row(label, "%.6g to %.6g", range->low, range->high);
}

static void print_friction(const perp_info_facts *facts)
{
    print_coefficients("mu", &facts->mu);
    print_coefficients("mu_r", &facts->mu_r);
    print_coefficients("mu_s", &facts->mu_s);
    if (facts->closing >= 0)
        perp_row("closing", "%d contacts have q_N < 0", facts->closing);
    if (!isnan(facts->density))
        perp_row("density", "%.4g contact rows per degree of freedom", facts->density);
    if (facts->q.count > 0)
        perp_row("q", "%.6g to %.6g, norm %.6g", facts->q.low, facts->q.high, facts->q.norm);
}

static void print_symmetry(const perp_matrix_facts *matrix)
{
    if (matrix->asymmetry == 0.0)
        perp_row("symmetry", "M is symmetric");
    else
        perp_row("symmetry", "max |M - M'| / max |M| = %.3g", matrix->asymmetry);
}

static void print_diagonal(const perp_matrix_facts *matrix)
{
    if (matrix->diagonal.count > 0)
        perp_row("diagonal", "%.6g to %.6g%s", matrix->diagonal.low, matrix->diagonal.high,
                 matrix->sampled ? " (sampled)" : "");
}

static void print_explicit(const perp_matrix_facts *matrix)
{
    double all = (double)matrix->rows * (double)matrix->cols;

    perp_row("matrix", "%d x %d, %s, %zu entries, %zu of them not zero (%.3g %%)", matrix->rows,
             matrix->cols, matrix->kind, matrix->stored, matrix->nonzero,
             matrix->rows > 0 ? 100.0 * (double)matrix->nonzero / all : 0.0);
    print_symmetry(matrix);
    print_diagonal(matrix);
}

static void print_product(const perp_info_facts *facts, const perp_problem_file *file)
{
    const perp_matrix_facts *mass = &facts->mass;

    perp_row("matrix", "%d x %d, kept as H' M^-1 H", facts->matrix.rows, facts->matrix.cols);
    perp_row("  H", "%d x %d, %zu entries", file->H.rows, file->H.cols, facts->stored_H);
    if (file->has_G)
        perp_row("  G", "%d x %d, %zu entries", file->G.rows, file->G.cols, facts->stored_G);
    perp_row("  M", "%d x %d, %zu entries, diagonal %.6g to %.6g", mass->rows, mass->cols,
             mass->stored, mass->diagonal.low, mass->diagonal.high);
    print_symmetry(mass);
    if (facts->rank >= 0)
        perp_row("rank", "at most %d of %d", facts->rank, facts->matrix.rows);
    print_diagonal(&facts->matrix);
}

static void print_condition(const perp_info_facts *facts)
{
    const perp_spectrum *spectrum = &facts->spectrum;

    if (!facts->has_spectrum)
        return;
    if (spectrum->exact && spectrum->rank < facts->matrix.rows) {
        perp_row("condition", "singular: rank %d of %d, singular values up to %.4g", spectrum->rank,
                 facts->matrix.rows, spectrum->largest);
    } else if (spectrum->smallest <= 1e-15 * spectrum->largest) {
        perp_row("condition", "singular to working precision, singular values up to %.4g",
                 spectrum->largest);
    } else if (spectrum->exact) {
        perp_row("condition", "%.4g (singular values %.4g to %.4g)",
                 spectrum->largest / spectrum->smallest, spectrum->smallest, spectrum->largest);
    } else {
        perp_row("condition", "at least %.3g (singular values up to %.4g, down to %.4g; %d steps)",
                 spectrum->largest / spectrum->smallest, spectrum->largest, spectrum->smallest,
                 spectrum->steps);
    }
}

static void print_all(const request *wish, const perp_problem *problem,
                      const perp_info_facts *facts)
{
    perp_report_problem(wish->input.name, wish->file, problem);
    print_friction(facts);
    if (facts->product)
        print_product(facts, wish->file);
    else
        print_explicit(&facts->matrix);
    print_condition(facts);
    perp_report_equalities(problem);
    if (facts->has_solution)
        perp_row("solution", "one is stored: natural %.3e, scaled %.3e", facts->solution.natural,
                 facts->solution.scaled);
    else if (facts->unread[0] != '\0')
        perp_row("solution", "one is stored that cannot be used: %s", facts->unread);
}

static void range_json(perp_json *json, const char *key, const perp_range *range)
{
    if (range->count == 0) {
        perp_json_text(json, key, NULL);
        return;
    }
    perp_json_object(json, key);
    perp_json_real(json, "low", range->low);
    perp_json_real(json, "high", range->high);
    perp_json_end_object(json);
}

static void matrix_json(perp_json *json, const char *key, const perp_matrix_facts *matrix)
{
    perp_json_object(json, key);
    perp_json_text(json, "kind", matrix->kind);
    perp_json_integer(json, "rows", matrix->rows);
    perp_json_integer(json, "cols", matrix->cols);
    if (matrix->found) {
        perp_json_integer(json, "stored", (long long)matrix->stored);
        perp_json_integer(json, "nonzero", (long long)matrix->nonzero);
        perp_json_real(json, "asymmetry", matrix->asymmetry);
    }
    range_json(json, "diagonal", &matrix->diagonal);
    perp_json_end_object(json);
}

static void spectrum_json(perp_json *json, const perp_info_facts *facts)
{
    const perp_spectrum *spectrum = &facts->spectrum;

    if (!facts->has_spectrum) {
        perp_json_text(json, "singular_values", NULL);
        return;
    }
    perp_json_object(json, "singular_values");
    perp_json_boolean(json, "exact", spectrum->exact);
    perp_json_real(json, "largest", spectrum->largest);
    perp_json_real(json, "smallest", spectrum->smallest);
    if (spectrum->exact)
        perp_json_integer(json, "rank", spectrum->rank);
    else
        perp_json_text(json, "rank", NULL);
    perp_json_end_object(json);
}

static void print_json(const request *wish, const perp_problem *problem,
                       const perp_info_facts *facts)
{
    perp_json json;

    perp_json_open(&json, stdout, "info");
    perp_json_problem(&json, wish->input.name, wish->file, problem);
    range_json(&json, "mu", &facts->mu);
    range_json(&json, "mu_r", &facts->mu_r);
    range_json(&json, "mu_s", &facts->mu_s);
    if (facts->closing >= 0)
        perp_json_integer(&json, "closing", facts->closing);
    else
        perp_json_text(&json, "closing", NULL);
    perp_json_real(&json, "density", facts->density);
    range_json(&json, "q", &facts->q);
    perp_json_real(&json, "q_norm", facts->q.norm);
    matrix_json(&json, "matrix", &facts->matrix);
    if (facts->product)
        matrix_json(&json, "mass", &facts->mass);
    spectrum_json(&json, facts);
    perp_json_equalities(&json, problem);
    if (facts->has_solution)
        perp_json_residuals(&json, "stored_solution", &facts->solution);
    else
        perp_json_text(&json, "stored_solution", NULL);
    perp_json_integer(&json, "exit", PERP_EXIT_DONE);
    perp_json_close(&json);
}

static int proof_exit(const perp_proof *proof)
{
    return proof->figures.holds         ? PERP_EXIT_DONE
           : proof->figures.reach > 0.0 ? PERP_EXIT_STOPPED
                                        : PERP_EXIT_ERROR;
}

/* Exit status of the check: an error where the proof does not hold. */
static int check_proof(const request *wish, const perp_problem *problem)
{
    perp_proof proof;
    perp_json json;
    int code = perp_proof_read(&proof, wish->proof);

    if (code == PERP_EXIT_DONE)
        code = perp_proof_confirm(&proof, wish->proof, problem);
    if (code == PERP_EXIT_DONE && wish->shared.json) {
        perp_json_open(&json, stdout, "info");
        perp_json_problem(&json, wish->input.name, wish->file, problem);
        perp_proof_json(&json, "certificate", &proof);
        perp_json_integer(&json, "exit", proof_exit(&proof));
        perp_json_close(&json);
    } else if (code == PERP_EXIT_DONE) {
        perp_row("problem", "%s", wish->input.name);
        perp_proof_print(&proof);
        perp_row("made for", "%s", proof.problem);
    }
    int checked = code == PERP_EXIT_DONE;

    if (checked)
        code = proof_exit(&proof);
    if (checked && code == PERP_EXIT_ERROR)
        fprintf(stderr, "perp: %s: the proof does not hold for this problem\n", wish->proof);
    perp_proof_free(&proof);
    return code;
}

static int work_through(request *wish, int *documented)
{
    perp_problem problem;
    perp_info_facts facts;
    perp_io_error error;
    perp_where where = {NULL, -1, -1};
    perp_status status;

    memset(&error, 0, sizeof error);
    if (perp_input_open(&wish->input, wish->shared.word[0]) != PERP_EXIT_DONE)
        return PERP_EXIT_ERROR;
    status = perp_read_problem_apart(&wish->file, wish->input.open, wish->shared.cls, NULL, NULL,
                                     &error);
    if (status == PERP_SOLVED)
        status = perp_problem_file_get(wish->file, &problem, &error);
    if (status != PERP_SOLVED)
        return perp_input_complain(&wish->input, status, &error);
    status = perp_problem_check(&problem, NULL, &where);
    if (status != PERP_SOLVED)
        return perp_complain_where(wish->input.name, status, &where, NULL);
    if (wish->proof != NULL) {
        int code = check_proof(wish, &problem);
        *documented = perp_last_complaint()[0] == '\0';
        return code;
    }
    if (!perp_info_gather(&facts, wish->file, &problem, wish->input.open))
        return facts.unread[0] != '\0'
                   ? perp_complain("%s", facts.unread)
                   : perp_complain("%s: no memory for what it holds", wish->input.name);
    if (wish->shared.json)
        print_json(wish, &problem, &facts);
    else
        print_all(wish, &problem, &facts);
    return PERP_EXIT_DONE;
}

int perp_cmd_info(int argc, char **argv)
{
    perp_command_line line = {
        .options = options,
        .option = option,
        .takes = PERP_TAKES_CLASS | PERP_TAKES_JSON,
        .words = "FILE",
        .about = "Prints sizes, sets, friction, contact density, symmetry, range of the diagonal "
                 "and an estimate of the condition number of the problem in FILE (- reads "
                 "standard input).",
        .missing = "no FILE given",
        .least = 1,
        .most = 1};
    request wish;
    int code, documented = 0;

    memset(&wish, 0, sizeof wish);
    perp_read_arguments(&wish.shared, &line, &wish, argc, argv);
    code = work_through(&wish, &documented);
    if (code == PERP_EXIT_ERROR && wish.shared.json && !documented)
        perp_json_failure("info");
    perp_problem_file_destroy(wish.file);
    perp_input_close(&wish.input);
    free(wish.shared.word);
    return code;
}
