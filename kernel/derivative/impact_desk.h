/* SPDX-License-Identifier: BSD-3-Clause */
/* What the stages of impacts have in common, differentiated: follow_impacts.c, follow_changes.c. */
#ifndef PERP_KERNEL_IMPACT_DESK_H
#define PERP_KERNEL_IMPACT_DESK_H

#include "kernel/derivative/stage_build.h"

/* dH and H of the rows of a contact that are in a stage. */
typedef struct perp_tape_impact_desk {
    double *block, *x, *G, *drift, *work;
    double *v, *change, *dv, *start; /* nv each: v', change, increment, v_k */
    double *H;                       /* count x nv, of the tape */
    double *H_t, *h_tt;              /* rows x nv, rows: what moves with time alone, or NULL */
    int *on, count;
} perp_tape_impact_desk;

/* 0: memory is out; block is to be given back. */
int perp_tape_lay_out_impact(perp_tape_impact_desk *d, perp_tape *tape, perp_link *link);
/* v, change, dv and start of the link. */
void perp_tape_gather_impact(perp_tape_impact_desk *d, const perp_dg *dg, const perp_link *link);

/* Row i of H times v. */
double perp_tape_row_rate(const double *H, int rows, int i, int nv, const double *v);
/* Of the time of the group of a system in this stage; -1: none. */
int perp_tape_group_number(const perp_tape *tape, const perp_dg *dg, const perp_system *s);
/* The number of tau of relation r in its stage; -1: it does not move. */
int perp_tape_time_number(const perp_tape *tape, const perp_dg *dg, const perp_link *link, int r);

/* Rows of the impact law of one contact. */
typedef struct perp_tape_impact_row {
    double tau, bounce; /* bounce: e where the row has it and approaches */
    double before;
    int number, struck;
} perp_tape_impact_row;

perp_tape_impact_row perp_tape_impact_row_of(const perp_tape *tape, const perp_dg *dg,
                                             const perp_link *link, const perp_tape_impact_desk *d,
                                             int i);
/* Parameters of the law in its rows; 0: memory is out. */
int perp_tape_impact_terms(perp_tape *tape, perp_tape_solve_stage *solve,
                           const perp_tape_part *part, const perp_dg *dg, const perp_link *link,
                           const perp_tape_impact_desk *d);
/* z of the rows of a stage, and w of its problem; 0: memory is out. */
int perp_tape_impact_values(perp_tape *tape, const perp_tape_impact_desk *d, const perp_link *link,
                            const perp_one_step *one, double **z, double **w);
/* out += (dH)' z of the rows that are on. */
void perp_tape_impact_turns(double *out, const perp_tape_impact_desk *d, const perp_link *link,
                            const double *z);

/* follow_changes.c: changes without impacts, y in work; until tau contacts carried; the step is
 * made again with the changes that came out of it. */
perp_status perp_tape_follow_changes(perp_tape *tape, perp_step *step, const perp_dg *dg,
                                     int carrying);
perp_status perp_tape_follow_carried(perp_tape *tape, const perp_dg *dg);
perp_status perp_tape_follow_again(perp_tape *tape, perp_step *step, const perp_dg *dg);

#endif
