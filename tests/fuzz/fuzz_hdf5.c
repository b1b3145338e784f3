/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem files as HDF5.  What is damaged so much that HDF5 itself fails is none of our matter: see
 * docs/reliability.md. */
#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

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
    return 0;
}
