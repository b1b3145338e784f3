/* SPDX-License-Identifier: BSD-3-Clause */
/* Matrices in the format of Matrix Market. */
#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_problem_file *owner = NULL;
    perp_io_error error;
    perp_mat A;
    /* Some columns without entries are free. */
    if (perp_problem_file_create(&owner, fuzz_allocator(((size_t)1 << 24) + 512 * size)) !=
        PERP_SOLVED)
        return 0;
    perp_status status = perp_mtx_read(owner, fuzz_file(data, size), &A, &error);
    FUZZ_PROMISE(status != PERP_ERR_MEMORY);
    if (status == PERP_SOLVED)
        FUZZ_PROMISE(A.rows >= 0 && A.cols >= 0);
    perp_problem_file_destroy(owner);
    return 0;
}
