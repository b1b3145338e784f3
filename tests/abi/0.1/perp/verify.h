/* SPDX-License-Identifier: BSD-3-Clause */
/* The files of a run, looked at again: what the numbers of FOLDER/series.csv (FOLDER/series.h5 where
 * that is not there; else both are compared) and FOLDER/contacts.csv say of the scene in FOLDER/scene.json, recomputed by code that shares nothing
 * with the integrators: rotations, energies, momenta, joints, shapes, laws.  Link with
 * libperp-scene.
 *
 *     perp_verification *found;
 *     if (perp_verify_folder(&found, "ball", NULL, &error) == PERP_SOLVED)
 *         printf("%s\n", perp_verification_holds(found) ? "nothing contradicts" : "contradicted");
 *     perp_verification_destroy(found);
 *
 * A check holds, is contradicted, or is not known: the files do not hold what it needs, and `why`
 * says what.  A scene with "record": {"certify": true} records what all checks need.
 *
 * What no check can know: what happened between two rows; whether the step was short enough;
 * whether other motions are possible (impulses of redundant joints and contacts are not unique);
 * whether masses, shapes and laws are those of the things that were meant. */
#ifndef PERP_VERIFY_H
#define PERP_VERIFY_H

#include <perp/scene.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct perp_verification perp_verification;

/* error (may be NULL) names what cannot be read.  Errors: PERP_ERR_OPEN, PERP_ERR_FORMAT,
 * PERP_ERR_MEMORY, PERP_ERR_ARGUMENT, PERP_ERR_UNSUPPORTED (a build without jansson); *found is
 * NULL then.  Contradictions are no errors. */
PERP_API perp_status perp_verify_folder(perp_verification **found, const char *folder,
                                        const perp_allocator *allocator, perp_scene_error *error);
PERP_API void perp_verification_destroy(perp_verification *found); /* NULL is accepted */

/* 1 where no check is contradicted. */
PERP_API int perp_verification_holds(const perp_verification *found);
PERP_API long perp_verification_rows(const perp_verification *found); /* of the series */
/* Of the contradicted checks the one whose row comes first; -1: none. */
PERP_API int perp_verification_first(const perp_verification *found);

/* One check.  Strings are borrowed from the verification. */
typedef struct perp_check {
    size_t size;      /* sizeof(perp_check) of the caller, who sets it */
    const char *name; /* "joints", "energy gain" */
    const char *text; /* what is compared, and to what it is relative */
    int known;        /* 0: see why */
    int contradicted;
    double worst; /* largest deviation met, and what is allowed */
    double allowed;
    long row; /* the first row (0: the start) above `allowed`, else that of the worst; -1 */
    double t; /* its time */
    const char *where; /* whose it is: "link3", "a and b", or "" */
    const char *why;   /* not known because; or what was left out; "" */
} perp_check;
/* PERP_ERR_ARGUMENT: there is no k, or *check has no size. */
PERP_API int perp_verification_checks(const perp_verification *found);
PERP_API perp_status perp_verification_check(const perp_verification *found, int k,
                                             perp_check *check);

#ifdef __cplusplus
}
#endif
#endif
