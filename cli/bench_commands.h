/* SPDX-License-Identifier: BSD-3-Clause */
/* What perp bench does beside its campaigns. */
#ifndef PERP_CLI_BENCH_COMMANDS_H
#define PERP_CLI_BENCH_COMMANDS_H

/* argv[0] is the name to show in messages.  Exit statuses. */
int perp_bench_command_report(int argc, char **argv);
int perp_bench_command_list(int argc, char **argv);
int perp_bench_command_order(int argc, char **argv);
int perp_bench_command_precision(int argc, char **argv);
int perp_bench_command_scenes(int argc, char **argv);

#endif
