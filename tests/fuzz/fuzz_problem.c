/* SPDX-License-Identifier: BSD-3-Clause */
/* Problem files as text: every class.  The first byte chooses the class that is asked for.  What
 * was read holds what it promises, can be asked for its problem, and is read again from what it
 * writes. */
#include <string.h>
#include <unistd.h>

#include <perp/io.h>

#include "tests/fuzz/fuzz.h"

/* A text pays with a byte for at most this many bytes of memory, after a fixed part. */
enum { FIXED = 1 << 20, EACH = 512 };

static void write_again(perp_problem_file *file)
{
    perp_io_error error;
    perp_problem_file *again = NULL;
    const char *place = fuzz_output();
    if (perp_problem_file_write(file, place, PERP_FORMAT_SICONOS, &error) != PERP_SOLVED)
        return;
    perp_status status = perp_problem_file_read(&again, place, file->cls, NULL, &error);
    FUZZ_PROMISE(status == PERP_SOLVED);
    FUZZ_PROMISE(again->M.rows == file->M.rows && again->contacts == file->contacts);
    perp_problem_file_destroy(again);
    unlink(place);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const perp_problem_class classes[] = {
        PERP_CLASS_AUTO, PERP_CLASS_FRICTION, PERP_CLASS_GLOBAL, PERP_CLASS_LCP,
        PERP_CLASS_MLCP, PERP_CLASS_RELAY,    PERP_CLASS_ROLLING};
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_io_error error;
    if (size < 1 || (size > 8 && memcmp(data + 1, "\211HDF", 4) == 0))
        return 0;
    const perp_allocator *allocator = fuzz_allocator(FIXED + EACH * size);
    perp_status status = perp_problem_file_read(&file, fuzz_file(data + 1, size - 1),
                                                classes[data[0] % 7], allocator, &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (file != NULL));
    FUZZ_PROMISE(status == PERP_SOLVED || status < 0);
    FUZZ_PROMISE(status != PERP_ERR_MEMORY); /* what is taken is paid for */
    if (file == NULL)
        return 0;
    if (perp_problem_file_get(file, &problem, &error) == PERP_SOLVED)
        FUZZ_PROMISE(perp_problem_check(&problem, NULL, NULL) <= PERP_SOLVED);
    write_again(file);
    perp_problem_file_destroy(file);
    return 0;
}
