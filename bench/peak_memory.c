/* SPDX-License-Identifier: BSD-3-Clause */
/* Peak memory of a solve beside the problem's own arrays.
 *
 *     memory [--solver NAME] [--set name=value] FILE...
 *
 * arrays   bytes of the problem: matrix, q, parameters; of a global problem M and
 *          H, f and w, q, parameters (its mass inverse is not counted)
 * handle   most bytes that the handle held, counted by its allocator
 * ratio    (arrays + handle) / arrays
 * growth   growth of the process's resident memory from before the handle was
 *          made to the peak, as the kernel counts it (includes z and w)
 */
#include <fcntl.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/measure.h"

/* What was freed goes back, and the kernel's peak starts again from the present size. */
static void reset_peak(void)
{
    malloc_trim(0);
    int fd = open("/proc/self/clear_refs", O_WRONLY);
    if (fd >= 0) {
        if (write(fd, "5", 1) != 1)
            fprintf(stderr, "memory: the kernel does not reset VmHWM\n");
        close(fd);
    }
}

static int solve(perp_info *info, const perp_solver_type *type, const perp_settings *settings,
                 const perp_problem *problem, perp_measure_counter *c)
{
    const perp_allocator allocator = perp_measure_allocator(c);
    size_t n = (size_t)problem->M.rows;
    perp_solver *solver = NULL;
    double *z = calloc(n + 1, sizeof *z), *w = calloc(n + 1, sizeof *w);
    perp_status status = PERP_ERR_MEMORY;
    if (z && w)
        status = perp_solver_create(&solver, type, settings, &allocator, NULL);
    if (status == PERP_SOLVED)
        status = perp_solver_setup(solver, problem);
    if (status == PERP_SOLVED)
        status = perp_solver_solve(solver, z, w, info);
    if (status < 0)
        fprintf(stderr, "memory: %s\n", perp_status_text(status));
    perp_solver_destroy(solver);
    free(z);
    free(w);
    return status < 0 ? -1 : 0;
}

static int one_file(const char *path, const perp_solver_type *type, const perp_settings *settings)
{
    perp_problem_file *file = NULL;
    perp_problem problem;
    perp_info info = {.size = sizeof info};
    perp_measure_counter c = {0, 0};
    const char *name = strrchr(path, '/');
    int bad = perp_measure_load(&file, &problem, path);
    if (!bad) {
        size_t arrays = perp_measure_file_bytes(file, &problem);
        reset_peak();
        long before = perp_measure_status_kb("VmRSS");
        bad = solve(&info, type, settings, &problem, &c);
        long growth = perp_measure_status_kb("VmHWM") - before;
        if (!bad) {
            printf("%-40s %-9s %8d %12zu %12zu %12zu %7.3f %10ld\n", name ? name + 1 : path,
                   problem.M.kind == PERP_DELASSUS ? "DELASSUS" : "", problem.M.rows, arrays,
                   c.peak, info.bytes, (double)(arrays + c.peak) / (double)arrays, growth);
        }
    }
    perp_problem_file_destroy(file);
    return bad;
}

int main(int argc, char **argv)
{
    const perp_solver_type *type = perp_solver_find("gs");
    perp_settings settings;
    int k = 1, bad = 0;
    perp_settings_init(&settings, sizeof settings);
    for (; k + 1 < argc && argv[k][0] == '-'; k += 2)
        if (!strcmp(argv[k], "--solver"))
            type = perp_solver_find(argv[k + 1]);
        else if (strcmp(argv[k], "--set") || perp_measure_setting(&settings, argv[k + 1]))
            type = NULL;
    if (!type || k >= argc) {
        fprintf(stderr, "usage: memory [--solver NAME] [--set name=value] FILE...\n");
        return 2;
    }
    printf("solver %s\n%-40s %-9s %8s %12s %12s %12s %7s %10s\n", perp_solver_name(type), "file",
           "matrix", "n", "arrays B", "handle B", "info.bytes", "ratio", "growth kB");
    for (; k < argc; k++)
        bad |= one_file(argv[k], type, &settings) != 0;
    return bad;
}
