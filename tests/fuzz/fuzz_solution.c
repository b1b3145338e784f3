/* SPDX-License-Identifier: BSD-3-Clause */
/* Solutions, of one problem of three rows. */
#include <math.h>
#include <string.h>

#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char lcp[] = "3 0 3 3 3 3 2 0 0 0 2 0 0 0 2 -1 1 -1\n";
    static perp_problem_file *problem;
    perp_io_error error;
    double z[3] = {NAN, NAN, NAN};
    if (problem == NULL)
        FUZZ_PROMISE(perp_problem_file_read(&problem, fuzz_file((const uint8_t *)lcp, strlen(lcp)),
                                            PERP_CLASS_LCP, NULL, &error) == PERP_SOLVED);
    perp_status status = perp_solution_read(problem, fuzz_file(data, size), z, &error);
    if (status == PERP_SOLVED)
        FUZZ_PROMISE(isfinite(z[0]) && isfinite(z[1]) && isfinite(z[2]));
    return 0;
}
