/* SPDX-License-Identifier: BSD-3-Clause */
#include "generated.h"

#include <check.h>

#include "bench/generate/generate.h"

void generated_make(perp_dump **dump, perp_problem *problem, const char *kind, int size)
{
    const perp_generator *g = perp_generator_find(kind);
    perp_generate_options options;
    perp_generate_options_init(&options, g);
    options.size = size;
    ck_assert_int_eq(perp_generate(dump, g, &options, NULL), PERP_SOLVED);
    ck_assert_int_eq(perp_dump_problem(*dump, problem, NULL), PERP_SOLVED);
}
