/* SPDX-License-Identifier: BSD-3-Clause */
/* Heads of callbacks of relations and systems. */
#ifndef PERP_TESTS_CALLBACKS_H
#define PERP_TESTS_CALLBACKS_H

#define RELATION(name)                                                                             \
    static int name(double *out, double t, const double *x, const double *lambda, const double *z, \
                    void *user)
#define SYSTEM(name)                                                                               \
    static int name(double *out, double t, const double *x, const double *v, const double *z,      \
                    void *user)

#endif
