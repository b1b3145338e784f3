/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a campaign of perp bench. */
#ifndef PERP_CLI_VIEW_REPORT_H
#define PERP_CLI_VIEW_REPORT_H

#include "cli/arguments.h"
#include "viewer/serve.h"

/* 1: its name ends in .csv. */
int perp_is_campaign(const char *path);

/* 1: the folder is a report of perp bench, whose file of results is in path, "" where it is not
 * beside it; 0: it is none. */
int perp_report_source(char *path, size_t size, const char *folder);
/* Writes the page of the results in `path` to `out`, and beside it those of the problems, whose files
 * are in the folder `problems` (NULL: only those that are there are linked); notes which those are; an
 * exit status, after a message. */
int perp_view_campaign(const perp_shared *shared, const char *path, const char *problems,
                       const char *out, perp_serve_links *links);

#endif
