/* SPDX-License-Identifier: BSD-3-Clause */
#include "kernel/flow/cvode.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <string.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>
#include <sunnonlinsol/sunnonlinsol_fixedpoint.h>

struct perp_cvode {
    SUNContext context;
    void *memory;
    N_Vector x, inside;
    SUNMatrix matrix;
    SUNLinearSolver linear;
    SUNNonlinearSolver fixed_point;
    int n, begun;
    perp_rate_fn f;
    void *ctx;
    double
        origin; /* time of the start; CVODE counts from it, so that rounding of t does not add up */
    double at, length;   /* start and length of the last step, from the origin */
    perp_status refused; /* what f said that ends the step */
};

static void quiet(int code, const char *module, const char *function, char *message, void *user)
{
    (void)code, (void)module, (void)function, (void)message, (void)user;
}

/* CVODE tries a shorter step where this is positive, and by fixed points also where it is negative:
 * f is not asked again. */
static int rate(realtype s, N_Vector x, N_Vector dx, void *user)
{
    perp_cvode *cvode = user;
    if (cvode->refused != PERP_SOLVED)
        return -1;
    perp_status status =
        cvode->f(N_VGetArrayPointer(dx), cvode->ctx, cvode->origin + s, N_VGetArrayPointer(x));
    if (status == PERP_SOLVED)
        return 0;
    if (status == PERP_ERR_NUMERICAL)
        return 1;
    cvode->refused = status;
    return -1;
}

static int build(perp_cvode *cvode, int stiff)
{
    if (SUNContext_Create(NULL, &cvode->context) != 0)
        return 0;
    cvode->x = N_VNew_Serial(cvode->n, cvode->context);
    cvode->inside = N_VNew_Serial(cvode->n, cvode->context);
    cvode->memory = CVodeCreate(stiff ? CV_BDF : CV_ADAMS, cvode->context);
    if (!cvode->x || !cvode->inside || !cvode->memory)
        return 0;
    N_VConst(0.0, cvode->x);
    if (CVodeSetErrHandlerFn(cvode->memory, quiet, NULL) != CV_SUCCESS ||
        CVodeInit(cvode->memory, rate, 0.0, cvode->x) != CV_SUCCESS ||
        CVodeSetUserData(cvode->memory, cvode) != CV_SUCCESS ||
        CVodeSStolerances(cvode->memory, 1e-6, 1e-6) != CV_SUCCESS)
        return 0;
    if (!stiff) {
        cvode->fixed_point = SUNNonlinSol_FixedPoint(cvode->x, 0, cvode->context);
        return cvode->fixed_point &&
               CVodeSetNonlinearSolver(cvode->memory, cvode->fixed_point) == CV_SUCCESS;
    }
    cvode->matrix = SUNDenseMatrix(cvode->n, cvode->n, cvode->context);
    cvode->linear = cvode->matrix ? SUNLinSol_Dense(cvode->x, cvode->matrix, cvode->context) : NULL;
    return cvode->linear &&
           CVodeSetLinearSolver(cvode->memory, cvode->linear, cvode->matrix) == CV_SUCCESS;
}

perp_status perp_cvode_create(perp_cvode **cvode, int n, int stiff)
{
    *cvode = calloc(1, sizeof **cvode);
    if (!*cvode)
        return PERP_ERR_MEMORY;
    (*cvode)->n = n;
    if (build(*cvode, stiff))
        return PERP_SOLVED;
    perp_cvode_destroy(*cvode);
    *cvode = NULL;
    return PERP_ERR_MEMORY;
}

void perp_cvode_destroy(perp_cvode *cvode)
{
    if (!cvode)
        return;
    if (cvode->memory)
        CVodeFree(&cvode->memory);
    if (cvode->fixed_point)
        SUNNonlinSolFree(cvode->fixed_point);
    if (cvode->linear)
        SUNLinSolFree(cvode->linear);
    if (cvode->matrix)
        SUNMatDestroy(cvode->matrix);
    if (cvode->inside)
        N_VDestroy(cvode->inside);
    if (cvode->x)
        N_VDestroy(cvode->x);
    if (cvode->context)
        SUNContext_Free(&cvode->context);
    free(cvode);
}

perp_status perp_cvode_start(perp_cvode *cvode, perp_rate_fn f, void *ctx, double t,
                             const double *x, double atol, double rtol)
{
    cvode->f = f;
    cvode->ctx = ctx;
    cvode->origin = t;
    cvode->at = cvode->length = 0.0;
    memcpy(N_VGetArrayPointer(cvode->x), x, sizeof(double) * (size_t)cvode->n);
    return CVodeReInit(cvode->memory, 0.0, cvode->x) == CV_SUCCESS &&
                   CVodeSStolerances(cvode->memory, rtol, atol) == CV_SUCCESS
               ? PERP_SOLVED
               : PERP_FLOW_FAILED;
}

/* A perp_rk_inside_fn. */
static perp_status interpolate(double *x, void *ctx, double sigma)
{
    perp_cvode *cvode = ctx;
    if (CVodeGetDky(cvode->memory, cvode->at + sigma * cvode->length, 0, cvode->inside) !=
        CV_SUCCESS)
        return PERP_FLOW_FAILED;
    memcpy(x, N_VGetArrayPointer(cvode->inside), sizeof(double) * (size_t)cvode->n);
    return PERP_SOLVED;
}

perp_status perp_cvode_step(perp_cvode *cvode, perp_rk *rk, double most)
{
    double before = cvode->at + cvode->length, reached = before;
    memcpy(rk->x0, N_VGetArrayPointer(cvode->x), sizeof(double) * (size_t)cvode->n);
    cvode->refused = PERP_SOLVED;
    int flag = CVodeSetStopTime(cvode->memory, before + most);
    if (flag == CV_SUCCESS)
        flag = CVode(cvode->memory, before + most, cvode->x, &reached, CV_ONE_STEP);
    if (cvode->refused != PERP_SOLVED)
        return cvode->refused;
    if (flag < 0 || !(reached > before))
        return flag == CV_TOO_MUCH_ACC || flag == CV_ERR_FAILURE ? PERP_STEP_LIMIT
                                                                 : PERP_FLOW_FAILED;
    cvode->at = before;
    cvode->length = reached - before;
    memcpy(rk->x1, N_VGetArrayPointer(cvode->x), sizeof(double) * (size_t)cvode->n);
    rk->t = cvode->origin + before;
    rk->h = cvode->length;
    rk->inside = interpolate;
    rk->inside_ctx = cvode;
    return PERP_SOLVED;
}
