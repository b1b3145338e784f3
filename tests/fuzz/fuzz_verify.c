/* SPDX-License-Identifier: BSD-3-Clause */
/* Folders of runs, as perp verify reads them: scene.json, series.csv, contacts.csv or impacts.csv
 * of a run that is made here is replaced by the input; its first byte says which. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <perp/verify.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/fuzz_scenes.h"

static char folder[64];

static void put(const char *name, const uint8_t *data, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "wb");
    FUZZ_PROMISE(f != NULL && fwrite(data, 1, size, f) == size && fclose(f) == 0);
}

static void clear(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r %s", folder);
    if (system(command) != 0)
        fputs("a folder stays\n", stderr);
}

static uint8_t *read_back(const char *name, size_t *size)
{
    static uint8_t bytes[4][65536];
    static int used;
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    *size = f != NULL ? fread(bytes[used], 1, sizeof bytes[used], f) : 0;
    if (f != NULL)
        fclose(f);
    return bytes[used++];
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"scene.json", "series.csv", "contacts.csv", "impacts.csv"};
    static uint8_t *whole[4];
    static size_t length[4];
    perp_scene_error error = {.size = sizeof error};
    perp_verification *found = NULL;
    if (whole[0] == NULL) {
        char path[128];
        snprintf(folder, sizeof folder, "%s/perp-fuzz-run-XXXXXX", fuzz_folder());
        FUZZ_PROMISE(mkdtemp(folder) != NULL);
        atexit(clear);
        FUZZ_PROMISE(fuzz_run(fuzz_certified, folder) == 0);
        for (int k = 0; k < 4; k++)
            whole[k] = read_back(names[k], &length[k]);
        snprintf(path, sizeof path, "%s/series.h5", folder);
        unlink(path);
    }
    if (size < 1)
        return 0;
    int which = data[0] % 4;
    put(names[which], data + 1, size - 1);
    perp_status status =
        perp_verify_folder(&found, folder, fuzz_allocator((size_t)1 << 26), &error);
    FUZZ_PROMISE((status == PERP_SOLVED) == (found != NULL));
    for (int k = 0; found != NULL && k < perp_verification_checks(found); k++) {
        perp_check check = {.size = sizeof check};
        FUZZ_PROMISE(perp_verification_check(found, k, &check) == PERP_SOLVED);
    }
    perp_verification_destroy(found);
    put(names[which], whole[which], length[which]);
    return 0;
}
