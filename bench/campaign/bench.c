/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/bench.h"

#include <string.h>

#include "bench/campaign/accuracy/accuracy.h"
#include "cli/commands.h"

int perp_cmd_bench(int argc, char **argv)
{
    perp_bench_options options;
    if (argc > 1 && !strcmp(argv[1], "--run"))
        return perp_bench_child(argc - 2, argv + 2);
    if (argc > 1 && !strcmp(argv[1], "report"))
        return perp_bench_report(argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "order"))
        return perp_bench_accuracy(PERP_ACCURACY_ORDER, argc - 1, argv + 1);
    if (argc > 1 && !strcmp(argv[1], "precision"))
        return perp_bench_accuracy(PERP_ACCURACY_PRECISION, argc - 1, argv + 1);
    int status = perp_bench_options_read(&options, argc, argv);
    if (status == 0)
        status = perp_bench_campaign(&options);
    perp_bench_options_free(&options);
    return status;
}
