/* SPDX-License-Identifier: BSD-3-Clause */
/* Linear complementarity of the families of generators/lcp_families.h, of circuits and of boxed
 * contacts, in any storage. */
#include "generators/friction_problems.h"
#include "generators/ladder.h"
#include "generators/small_problem.h"

enum { FEW_ROWS = 12, ROWS = 60 };

/* Most have few rows, so that every complementary choice can be tried. */
static int choose_rows(perp_rng *rng)
{
    return perp_rng_below(rng, 4) ? 2 + perp_rng_below(rng, FEW_ROWS - 1)
                                  : FEW_ROWS + perp_rng_below(rng, ROWS);
}

static void spread_columns(double *dense, const perp_mat *M)
{
    size_t n = (size_t)M->rows;
    for (size_t j = 0; j < n; j++)
        for (int k = M->as.csc.colptr[j]; k < M->as.csc.colptr[j + 1]; k++)
            dense[(size_t)M->as.csc.row[k] + j * n] = M->as.csc.x[k];
}

static perp_status make_family(small_problem *p, perp_rng *rng)
{
    static const perp_problem_class classes[] = {PERP_CLASS_LCP, PERP_CLASS_MLCP, PERP_CLASS_RELAY};
    perp_family_options options = {.family = (perp_family)(p->family - SMALL_LINEAR)};
    options.rows = choose_rows(rng);
    options.cls = classes[perp_rng_below(rng, 3)];
    options.seed = perp_rng_next(rng);
    return perp_generate_family(&p->file, &p->planted, &options, NULL);
}

static perp_status make_circuit(small_problem *p, perp_rng *rng)
{
    perp_ladder_options options = {.rows = choose_rows(rng)};
    options.relays = perp_rng_below(rng, 2);
    options.seed = perp_rng_next(rng);
    return perp_generate_ladder(&p->file, &options, NULL);
}

/* Of a scene in the plane, with a bound of the size of an impulse of its weight. */
static perp_status make_pyramid(small_problem *p, perp_rng *rng)
{
    const perp_generator *generator = perp_generator_find("grains");
    perp_problem_file *global = NULL, *local = NULL;
    perp_generate_options options;
    perp_generate_options_init(&options, generator);
    options.size = 1 + choose_rows(rng) / 2;
    options.mu = small_mu(rng);
    options.seed = perp_rng_next(rng);
    perp_status status = perp_generate(&global, generator, &options, NULL);
    if (status == PERP_SOLVED)
        status = perp_problem_file_to_local(&local, global, NULL, NULL);
    if (status == PERP_SOLVED)
        status = perp_generate_pyramid(&p->file, local, small_between(rng, 0.05, 1.0), NULL);
    perp_problem_file_destroy(global);
    perp_problem_file_destroy(local);
    return status;
}

int small_build_linear(small_problem *p, perp_rng *rng)
{
    perp_status status = p->family == SMALL_CIRCUIT   ? make_circuit(p, rng)
                         : p->family == SMALL_PYRAMID ? make_pyramid(p, rng)
                                                      : make_family(p, rng);
    if (status != PERP_SOLVED || perp_problem_file_get(p->file, &p->problem, NULL) != PERP_SOLVED)
        return -1;
    int n = p->problem.M.rows;
    p->contacts = n;
    p->dense = small_take(p, (size_t)n * (size_t)n);
    if (!p->dense)
        return -1;
    spread_columns(p->dense, &p->file->M);
    return small_store(p, rng, n, 1);
}
