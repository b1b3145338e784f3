/* SPDX-License-Identifier: BSD-3-Clause */
/* Status codes, memory, and the conventions that every Perp call keeps.
 *
 * In a call the object comes first, then its inputs, an allocator as the last of them, the outputs
 * and at the very end a perp_where that says where an error is.
 *
 * A struct that may grow with the library has `size_t size` as its first member: sizeof where the
 * caller was compiled.  An init call (perp_settings_init(&s, sizeof s)) fills it in; the caller
 * does it for outputs: perp_info info = {.size = sizeof info}.  Programs that were compiled with
 * an older or a newer header then work with this library: of an output, what the caller has is
 * written, and what the library does not know becomes zero; of an input, what the caller does not
 * have takes its default, and what the library does not know must be zero bytes.  A size below
 * that of the member itself or above 65536 (a struct that was not initialised) is refused with
 * PERP_ERR_ARGUMENT (settings and schemes: PERP_ERR_SETTING), where "size".
 *
 * A property of NULL is answered with NULL, 0 or -1, or PERP_ERR_ARGUMENT.
 *
 * Status by sign: 0 is solved, a positive value means that the call stopped
 * early and left a valid iterate, a negative value is an error and outputs
 * are untouched.  No call prints, exits, changes global state or keeps any.
 * Distinct handles may be used in distinct threads at the same time.  A child of fork() uses the
 * handles that it got, with the setting threads = 1; with more it would wait for ever for threads of
 * its parent, unless that called omp_pause_resource_all(omp_pause_soft) before.
 *
 * Calls that compute do so in the default floating-point environment, whatever the host has set:
 * rounding to nearest, no traps, denormal numbers kept.  So a host with traps, or with other
 * rounding, gets the same bits and no signal.  On return its environment is back.  Callbacks are
 * called in the default environment.
 */
#ifndef PERP_BASE_H
#define PERP_BASE_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PERP_API __attribute__((visibility("default")))
#else
#define PERP_API
#endif

#define PERP_VERSION_MAJOR 0
#define PERP_VERSION_MINOR 1
#define PERP_VERSION_PATCH 0
/* Of the headers: 10000 major + 100 minor + patch, for the preprocessor. */
#define PERP_VERSION_NUM                                                                           \
    (10000 * PERP_VERSION_MAJOR + 100 * PERP_VERSION_MINOR + PERP_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/* Every status: name, value, one sentence.  Early ends of a solve count from 1, those of a step of
 * a simulation from 100; errors from -1, those of files from -100. */
#define PERP_STATUS_LIST(X)                                                                        \
    X(PERP_SOLVED, 0, "the residual was recomputed and is within the tolerance")                   \
    X(PERP_ITERATION_LIMIT, 1, "the iteration limit was reached")                                  \
    X(PERP_TIME_LIMIT, 2, "the time limit was reached")                                            \
    X(PERP_STALLED, 3, "the residual no longer decreases")                                         \
    X(PERP_RAY, 4, "pivoting ended on a secondary ray")                                            \
    X(PERP_INFEASIBLE, 5, "the problem was shown to have no solution")                             \
    X(PERP_INTERRUPTED, 6, "a callback asked to stop")                                             \
    X(PERP_INFEASIBLE_WITHIN, 7, "no solution has all |z_i| below the reach of its proof: shown")  \
    X(PERP_WORK_LIMIT, 8, "the budget of counted work was spent")                                  \
    X(PERP_ONE_SIDED, 9, "the solution is on a kink: its derivative is one-sided")                 \
    X(PERP_NOT_UNIQUE, 10, "the derivative is not unique: the one of least norm was given")        \
    X(PERP_NOT_DIFFERENTIABLE, 11, "no derivative in this direction was found")                    \
    X(PERP_STEP_LIMIT, 100, "the tolerance asks for steps smaller than can be made")               \
    X(PERP_EVENT_LOST, 101, "an event could not be localised")                                     \
    X(PERP_ZENO, 102, "impacts accumulate and the scheme was not allowed to switch")               \
    X(PERP_UNDETERMINED, 103, "the next mode of a contact could not be determined")                \
    X(PERP_FLOW_FAILED, 104, "the integrator of the smooth motion failed")                         \
    X(PERP_INFEASIBLE_STEP, 105, "no motion satisfies the interactions of the step: shown")        \
    X(PERP_ERR_ARGUMENT, -1, "an argument is out of its range")                                    \
    X(PERP_ERR_MEMORY, -2, "the allocator returned no memory")                                     \
    X(PERP_ERR_NONFINITE, -3, "the input holds a NaN or an infinity")                              \
    X(PERP_ERR_STRUCTURE, -4, "index arrays or sizes are inconsistent")                            \
    X(PERP_ERR_UNSUPPORTED, -5, "what was chosen does not take this set, matrix, law or system")             \
    X(PERP_ERR_SETTING, -6, "a setting is unknown or out of its range")                            \
    X(PERP_ERR_SINGULAR, -7, "a matrix that must be inverted is singular")                         \
    X(PERP_ERR_STATE, -8, "the calls came in the wrong order")                                     \
    X(PERP_ERR_OVERFLOW, -9, "a size exceeds the range of its type")                               \
    X(PERP_ERR_NUMERICAL, -10, "the computation broke down before a first iterate")                \
    X(PERP_ERR_OPEN, -100, "the file cannot be opened or written")                                 \
    X(PERP_ERR_FORMAT, -101, "the file does not hold what its format demands")

typedef enum perp_status {
#define PERP_STATUS_ENUM(name, value, text) name = value,
    PERP_STATUS_LIST(PERP_STATUS_ENUM)
#undef PERP_STATUS_ENUM
} perp_status;

/* Name ("PERP_SOLVED") and sentence of a status.  Static strings, never NULL. */
PERP_API const char *perp_status_name(perp_status status);
PERP_API const char *perp_status_text(perp_status status);

/* Reads the decimal number at the start of text ("-1.5e-3", "inf", "nan"; no blanks before it),
 * rounded to the nearest double, the same in every locale; beyond the range of double it becomes
 * an infinity or 0.  Returns the first character after it; NULL, and *value is untouched, where
 * no number begins or an argument is NULL. */
PERP_API const char *perp_number_read(const char *text, double *value);

/* What was meant by `word`, for messages: of `count` names (NULL ones are passed over) the one that
 * differs least, whatever the case; NULL where none is near or an argument is NULL.  Equal
 * distances: the first. */
PERP_API const char *perp_nearest_name(const char *word, const char *const *names, int count);
/* The same for a list in one string, separated by blanks, '|' or ',' ("forward|symmetric"): where
 * the nearest name begins in it, and its length (may be NULL; 0 where none is near). */
PERP_API const char *perp_nearest_in_list(const char *word, const char *list, size_t *length);

/* Of the library that runs: "0.1.0" (static), and as a number like PERP_VERSION_NUM. */
PERP_API const char *perp_version(void);
PERP_API int perp_version_num(void);

/* Where an error was found.  `what` is a static string naming an array, an
 * argument or a setting; segment and index are -1 where they mean nothing. */
typedef struct perp_where {
    const char *what;
    int segment;
    int index;
} perp_where;

/* Memory for everything that Perp itself allocates.  allocate returns at
 * least `bytes` bytes aligned for any scalar type, or NULL; release accepts
 * NULL.  Both are called by create, setup, update and destroy and by calls that
 * are given an allocator; by solve only of solvers for which perp_solver_allocates()
 * is 1 (auto where it begins another stage, lp).  Sparse factorisations (SuiteSparse,
 * METIS, MUMPS) take their memory from malloc.
 * Where a call takes a const perp_allocator *, NULL means malloc and free. */
typedef struct perp_allocator {
    void *(*allocate)(void *ctx, size_t bytes);
    void (*release)(void *ctx, void *block);
    void *ctx;
} perp_allocator;

#ifdef __cplusplus
}
#endif
#endif
