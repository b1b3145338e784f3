/* SPDX-License-Identifier: BSD-3-Clause */
/* A problem from one of the generators. */
#ifndef PERP_TESTS_GENERATED_H
#define PERP_TESTS_GENERATED_H

#include <perp/io.h>

/* kind: "spheres", ...; about so many contacts.  The problem borrows the dump. */
void generated_make(perp_dump **dump, perp_problem *problem, const char *kind, int size);

#endif
