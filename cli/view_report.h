/* SPDX-License-Identifier: BSD-3-Clause */
/* The page of a campaign of perp bench. */
#ifndef PERP_CLI_VIEW_REPORT_H
#define PERP_CLI_VIEW_REPORT_H

/* 1: its name ends in .csv. */
int perp_is_campaign(const char *path);
/* Writes the page of the results in `path` to `out`; an exit status, after a message. */
int perp_view_campaign(const char *path, const char *out, int quiet);

#endif
