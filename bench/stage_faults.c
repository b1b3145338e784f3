/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/stage_faults.h"

#include <math.h>
#include <string.h>

#include "kernel/laws/law.h"
#include "kernel/sim/scheme_list.h"
#include "kernel/step/stepper.h"

enum { LINKS = 16, ROWS = 24 };

/* The step that is made: functions of a scheme have no context of their own. */
static struct {
    char letter;
    double amount;
    int kept; /* what follows is to be put back */
    double e[LINKS], mu[LINKS], y[LINKS][ROWS], u[LINKS][ROWS];
} now;

void perp_stage_fault_set(char letter, double amount)
{
    memset(&now, 0, sizeof now);
    now.letter = letter;
    now.amount = amount;
}

static void err(perp_link *link)
{
    perp_law *law = &link->law;
    size_t bytes = sizeof(double) * (size_t)link->rows;
    if (!(law->e > 0.0))
        return;
    if (now.letter == 'E')
        law->e *= 1.0 - now.amount;
    if (now.letter == 'V')
        law->e += now.amount * (1.0 + law->e);
    if (now.letter == 'F')
        law->mu *= 1.0 + now.amount;
    for (int i = 0; now.letter == 'G' && i < link->rows; i += law->dim)
        link->y_start[i] += now.amount * link->systems[0]->h_kept * fabs(link->u_start[i]);
    if (now.letter != 'N')
        return;
    memset(link->u_start, 0, bytes);
    for (int i = 0; i < link->rows; i++)
        link->y_start[i] = link->y_start[i] < 0.01 ? 0.0 : link->y_start[i];
}

static void keep(perp_step *step)
{
    for (int k = 0; k < step->nlinks && k < LINKS; k++) {
        perp_link *link = step->links[k];
        size_t bytes = sizeof(double) * (size_t)link->rows;
        now.e[k] = link->law.e;
        now.mu[k] = link->law.mu;
        memcpy(now.y[k], link->y_start, bytes);
        memcpy(now.u[k], link->u_start, bytes);
        err(link);
    }
    now.kept = 1;
}

static void restore(perp_step *step)
{
    for (int k = 0; k < step->nlinks && k < LINKS; k++) {
        perp_link *link = step->links[k];
        size_t bytes = sizeof(double) * (size_t)link->rows;
        link->law.e = now.e[k];
        link->law.mu = now.mu[k];
        memcpy(link->y_start, now.y[k], bytes);
        memcpy(link->u_start, now.u[k], bytes);
    }
    now.kept = 0;
}

/* What is told of the stages. */
static void tell_wrong(perp_impacts *impacts)
{
    const perp_strike *strike = impacts->strikes;
    if (impacts->nstages == 0)
        return;
    if (now.letter == 'D')
        perp_impacts_shorten(impacts, impacts->nstages - 1);
    for (int i = 0; now.letter == 'I' && i < strike->link->rows; i++)
        impacts->numbers[strike->first + i] *= 1.0 + now.amount;
}

static perp_status finish(perp_step *step, int scheme, int *again)
{
    keep(step);
    perp_status status = perp_discrete_gradient.finish(step, scheme, again);
    if (now.kept)
        restore(step);
    return status;
}

/* The certificate asks this first: it is to see the model as it is. */
static int balance(perp_step *step, perp_system *s, perp_balance *balance)
{
    if (now.kept) {
        restore(step);
        tell_wrong(&step->stepper->certificate.impacts);
    }
    return perp_discrete_gradient.balance(step, s, balance);
}

void perp_stage_fault_table(perp_integrator *table)
{
    *table = perp_discrete_gradient;
    table->finish = finish;
    table->balance = balance;
}
