/* SPDX-License-Identifier: BSD-3-Clause */
/* series.h5 as perp verify reads it, of which whole datasets are changed; the first byte says whether
 * series.csv stands beside it, and whether it is read twice. */
#include "config.h"

#include <perp/verify.h>

#include "tests/fuzz/fuzz.h"

#if defined HAVE_HDF5 && defined HAVE_JANSSON
#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/fuzz/fuzz_scenes.h"
#include "tests/fuzz/hdf5_change.h"

enum { MOST_BYTES = 1 << 17 };

static char folder[64], table[96], text[96], aside[96];
static uint8_t whole[MOST_BYTES];
static size_t length;

static void clear(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fputs("a folder stays\n", stderr);
}

static void begin(void)
{
    snprintf(folder, sizeof folder, "%s/perp-fuzz-series-XXXXXX", fuzz_folder());
    FUZZ_PROMISE(mkdtemp(folder) != NULL);
    atexit(clear);
    FUZZ_PROMISE(fuzz_run(fuzz_certified, folder) == 0);
    snprintf(table, sizeof table, "%s/series.h5", folder);
    snprintf(text, sizeof text, "%s/series.csv", folder);
    snprintf(aside, sizeof aside, "%s/aside", folder);
    FILE *f = fopen(table, "rb");
    FUZZ_PROMISE(f != NULL);
    length = fread(whole, 1, sizeof whole, f);
    fclose(f);
    FUZZ_PROMISE(length > 0 && length < sizeof whole);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
}

/* What the verification says of the two tables: 1 contradicted, 0 the same, -1 it ended with an
 * error. */
static int verify(void)
{
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found = NULL;
    int said = -1;
    perp_status status =
        perp_verify_folder(&found, folder, fuzz_allocator((size_t)1 << 25), &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (found != NULL));
    FUZZ_PROMISE(status == PERP_SOLVED || error.text[0] != '\0');
    for (int k = 0; found != NULL && k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        FUZZ_PROMISE(perp_verification_check(found, k, &check) == PERP_SOLVED);
        if (strcmp(check.name, "series.h5") == 0)
            said = check.known && check.contradicted;
    }
    perp_verification_destroy(found);
    return said;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (length == 0)
        begin();
    if (size < 1)
        return 0;
    FILE *f = fopen(table, "wb");
    FUZZ_PROMISE(f != NULL && fwrite(whole, 1, length, f) == length && fclose(f) == 0);
    if (size >= 5)
        fuzz_hdf5_change(table, data + 1, size - 1);
    if (data[0] % 2)
        FUZZ_PROMISE(rename(text, aside) == 0);
    int said = verify();
    /* What is untouched is right, and errors are found again. */
    FUZZ_PROMISE(size >= 5 || said == 0);
    if (data[0] % 4 >= 2)
        FUZZ_PROMISE(verify() == said);
    if (data[0] % 2)
        FUZZ_PROMISE(rename(aside, text) == 0);
    return 0;
}
#else
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    (void)data;
    (void)size;
    return 0;
}
#endif
