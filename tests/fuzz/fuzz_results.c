/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of results of perp bench. */
#include "bench/campaign/results_file.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    perp_bench_table table;
    char message[512] = "";
    if (perp_bench_table_read(&table, fuzz_file(data, size), message, sizeof message) != 0) {
        FUZZ_PROMISE(message[0] != '\0');
        return 0;
    }
    FUZZ_PROMISE(table.good_bytes <= table.bytes && table.rows >= 0);
    for (int k = 0; k < table.rows; k++)
        perp_bench_table_find(&table, &table.row[k]);
    perp_bench_table_free(&table);
    return 0;
}
