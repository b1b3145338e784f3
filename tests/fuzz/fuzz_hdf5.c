/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem files as HDF5, whole and in parts.  What is damaged so much that HDF5 itself fails is
 * none of our matter: see docs/reliability.md. */
#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

static void check_entries(const perp_part_entries *e, int rows, int cols)
{
    for (int k = 0; k < e->count; k++)
        FUZZ_PROMISE(e->row[k] >= 0 && e->row[k] < rows && e->col[k] >= 0 && e->col[k] < cols);
}

/* Two parts of the four that a file may be read in. */
static void read_parts(const char *path)
{
    for (int k = 0; k < 4; k += 3) {
        perp_problem_part *part = NULL;
        perp_io_error error;
        perp_status status =
            perp_problem_part_read(&part, path, k, 4, fuzz_allocator((size_t)1 << 26), &error);
        FUZZ_PROMISE((status == PERP_SOLVED) == (part != NULL));
        if (part != NULL) {
            check_entries(&part->M, part->dofs, part->dofs);
            check_entries(&part->H, part->dofs, part->spacedim * part->contacts);
        }
        perp_problem_part_destroy(part);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_io_error error;
    perp_status status = perp_problem_file_read(&file, fuzz_file(data, size), PERP_CLASS_AUTO,
                                                fuzz_allocator((size_t)1 << 26), &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (file != NULL));
    if (file != NULL && perp_problem_file_get(file, &problem, &error) == PERP_SOLVED)
        FUZZ_PROMISE(perp_problem_check(&problem, NULL, NULL) <= PERP_SOLVED);
    perp_problem_file_destroy(file);
    read_parts(fuzz_file(data, size));
    return 0;
}
