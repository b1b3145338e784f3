/* SPDX-License-Identifier: BSD-3-Clause */
/* The order of a verification, and what it found. */
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "scene/caller_struct.h"
#include "scene/scene_memory.h"
#include "scene/verify/contacts_h5.h"
#include "scene/verify/series_h5.h"

/* Multipliers are as good as the tolerance of the solver was: see allowed_of(). */
static const struct {
    const char *name, *text;
    double allowed;
} checks[PERP_VERIFY_CHECKS] = {
    {"times", "rows follow each other by whole steps, all numbers are finite", 1e-6},
    {"start", "the first row is the start of the scene, relative to its coordinates", 1e-12},
    {"quaternions", "| |Q| - 1 |", 1e-12},
    {"kinetic energy", "recorded against that of v, relative", 1e-10},
    {"potential energy", "recorded against that of q, relative to its terms", 1e-10},
    {"energy", "recorded against kinetic and potential, relative to both", 1e-10},
    {"energy gain",
     "sum of all rises, relative to the largest kinetic energy, the range of the "
     "potential one and what constant forces give in a step from rest",
     1e-3},
    {"positions", "q against q before and the velocities of the step, relative to the coordinates",
     1e-9},
    {"dynamics", "M (v - v before) - h F against the recorded impulse, relative to momenta", 1e-8},
    {"impulses", "the momentum that a body was given against its multipliers, relative", 1e-6},
    {"inputs", "recorded p of systems with coordinates against C' lambda, relative", 1e-9},
    {"momentum", "sum over bodies that touch no world, relative to their momenta", 1e-8},
    {"angular momentum",
     "the same about their centre, but for what a step turns places and axes by", 1e-6},
    {"joints", "opening of a joint, relative to its arm", 1e-3},
    {"outputs", "recorded y and u against those of q and v, relative to their terms", 1e-9},
    {"laws", "signs, cones and complementarity of multipliers, relative to the largest", 1e-5},
    {"overlap", "largest overlap of shapes, relative to the smaller half width", 1.0},
    {"lasting overlap", "overlap of shapes in the last row, relative to the smaller half width",
     1e-3},
    {"contacts", "normals, points and gaps of contacts.csv against shapes, relative to places",
     1e-9},
    {"series.h5", "its numbers against those of series.csv and contacts.csv, relative", 0.0},
    {"impacts",
     "stages of impacts: rates by impulses, restitution and friction, none missing, relative to the "
     "rates and impulses of the stage",
     1e-6},
};

void *perp_verify_take(perp_verification *v, size_t count, size_t size)
{
    enum { HEAD = 32 };
    perp_verify_block *block = NULL;

    if (count <= (SIZE_MAX - HEAD) / (size > 0 ? size : 1))
        block = perp_scene_zeroed(&v->memory, count * size + HEAD, 1);
    if (block == NULL) {
        perp_verify_fail(v, PERP_ERR_MEMORY, "%s", perp_status_text(PERP_ERR_MEMORY));
        return NULL;
    }
    block->next = v->blocks;
    v->blocks = block;
    return (char *)block + HEAD;
}

int perp_verify_fail(perp_verification *v, perp_status status, const char *format, ...)
{
    va_list arguments;

    if (v->status != PERP_SOLVED)
        return -1;
    v->status = status;
    va_start(arguments, format);
    vsnprintf(v->error.text, sizeof v->error.text, format, arguments);
    va_end(arguments);
    return -1;
}

/* Multipliers have the error that the solver was asked for. */
static double allowed_of(const perp_verification *v, int id)
{
    return id == PERP_VERIFY_LAWS || id == PERP_VERIFY_IMPACTS
               ? fmax(checks[id].allowed, 100.0 * v->tol) : checks[id].allowed;
}

void perp_verify_note(perp_verification *v, enum perp_verify_id id, double deviation,
                      const char *format, ...)
{
    perp_verify_finding *f = &v->found[id];
    int bad = !(deviation <= allowed_of(v, (int)id)), first = bad && !f->contradicted;
    va_list arguments;

    if (f->contradicted && !(deviation > f->worst)) /* the first bad row is kept */
        return;
    if (!f->known || first || (!f->contradicted && deviation > f->worst)) {
        va_start(arguments, format);
        vsnprintf(f->where, sizeof f->where, format, arguments);
        va_end(arguments);
        f->row = v->row;
        f->t = v->t;
    }
    f->known = 1;
    f->contradicted |= bad;
    f->worst = isnan(deviation) ? INFINITY : fmax(f->worst, deviation);
}

void perp_verify_leave_out(perp_verification *v, enum perp_verify_id id, const char *format, ...)
{
    perp_verify_finding *f = &v->found[id];
    va_list arguments;

    if (f->why[0] != '\0')
        return;
    va_start(arguments, format);
    vsnprintf(f->why, sizeof f->why, format, arguments);
    va_end(arguments);
}

static int one_row(perp_verification *v)
{
    if (perp_verify_next_contacts(v) != 0 || perp_verify_next_impacts(v) != 0)
        return -1;
    perp_verify_rows(v);
    perp_verify_find_unseen(v);
    perp_verify_energies(v);
    perp_verify_motion(v);
    perp_verify_joints(v);
    if (v->row > 0)
        perp_verify_laws(v);
    perp_verify_shapes(v);
    perp_verify_contact_rows(v);
    perp_verify_impacts(v);
    return v->status == PERP_SOLVED ? 0 : -1;
}

static void finish(perp_verification *v)
{
    perp_verify_finding *f;

    perp_verify_gain(v);
    perp_verify_end_of_tables(v);
    if (v->found[PERP_VERIFY_OVERLAP].known && v->lasting_pair[0] != NULL)
        perp_verify_note(v, PERP_VERIFY_LASTING, v->lasting, "%s and %s", v->lasting_pair[0]->name,
                         v->lasting_pair[1]->name);
    else if (v->found[PERP_VERIFY_OVERLAP].known)
        perp_verify_note(v, PERP_VERIFY_LASTING, 0.0, "%s", "");
    if (v->impact_line != NULL)
        perp_verify_note(v, PERP_VERIFY_IMPACTS, INFINITY, "impacts after the last row");
    if (v->contact_line != NULL)
        perp_verify_note(v, PERP_VERIFY_CONTACTS, INFINITY, "contacts after the last row");
    if (v->has_contacts && !v->has_contact_file)
        perp_verify_leave_out(v, PERP_VERIFY_CONTACTS, "no contacts.csv: record.certify writes it");
    for (int k = 0; k < PERP_VERIFY_CHECKS; k++) {
        f = &v->found[k];
        if (!f->known && f->why[0] == '\0')
            snprintf(f->why, sizeof f->why, "nothing of the kind is in the scene or in the series");
    }
}

static int verify(perp_verification *v)
{
    int more;

    if (perp_verify_read_scene(v) != 0 || perp_verify_open_series(v) != 0)
        return -1;
    while ((more = perp_verify_next_row(v)) > 0)
        if (one_row(v) != 0)
            return -1;
    if (more < 0)
        return -1;
    if (v->row < 0)
        return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/%s", v->folder,
                                v->series != NULL
                                    ? "series.csv has no row"
                                    : "series.h5 has no row, and there is no series.csv");
    finish(v);
    return 0;
}

static void close_files(perp_verification *v)
{
    if (v->series != NULL)
        fclose(v->series);
    if (v->contact_file != NULL)
        fclose(v->contact_file);
    if (v->impact_file != NULL)
        fclose(v->impact_file);
    perp_verify_contacts_h5_close(v);
    perp_verify_h5_close(v);
    json_decref(v->json);
    free(v->line);
    free(v->contact_line);
    free(v->impact_line);
    v->series = v->contact_file = v->impact_file = NULL;
    v->json = NULL;
    v->line = v->contact_line = v->impact_line = NULL;
}

perp_status perp_verify_folder(perp_verification **found, const char *folder,
                               const perp_allocator *allocator, perp_scene_error *error)
{
    perp_allocator memory = perp_scene_memory(allocator);
    perp_verification *v;
    perp_status status;

    if (found == NULL)
        return PERP_ERR_ARGUMENT;
    *found = NULL;
    if (folder == NULL || (error != NULL && error->size == 0))
        return PERP_ERR_ARGUMENT;
    v = perp_scene_zeroed(&memory, 1, sizeof *v);
    if (v == NULL) {
        perp_scene_error none = {.size = sizeof none};
        snprintf(none.text, sizeof none.text, "%s", perp_status_text(PERP_ERR_MEMORY));
        if (error != NULL)
            perp_scene_give(error, &none, sizeof none);
        return PERP_ERR_MEMORY;
    }
    v->memory = memory;
    v->folder = folder;
    v->error.size = sizeof v->error;
    verify(v);
    close_files(v);
    v->folder = NULL;
    status = v->status;
    if (error != NULL)
        perp_scene_give(error, &v->error, sizeof v->error);
    if (status == PERP_SOLVED)
        *found = v;
    else
        perp_verification_destroy(v);
    return status;
}

void perp_verification_destroy(perp_verification *v)
{
    if (v == NULL)
        return;
    perp_allocator memory = v->memory;
    for (perp_verify_block *block = v->blocks, *next; block != NULL; block = next) {
        next = block->next;
        perp_scene_release(&memory, block);
    }
    perp_scene_release(&memory, v);
}

int perp_verification_first(const perp_verification *v)
{
    int first = -1;

    for (int k = 0; v != NULL && k < PERP_VERIFY_CHECKS; k++)
        if (v->found[k].contradicted && (first < 0 || v->found[k].row < v->found[first].row))
            first = k;
    return first;
}

int perp_verification_holds(const perp_verification *v)
{
    return v != NULL && perp_verification_first(v) < 0;
}

long perp_verification_rows(const perp_verification *v)
{
    return v != NULL ? v->row + 1 : 0;
}

int perp_verification_checks(const perp_verification *v)
{
    return v != NULL ? PERP_VERIFY_CHECKS : 0;
}

perp_status perp_verification_check(const perp_verification *v, int k, perp_check *check)
{
    if (v == NULL || k < 0 || k >= PERP_VERIFY_CHECKS)
        return PERP_ERR_ARGUMENT;
    const perp_verify_finding *f = &v->found[k];
    const perp_check own = {.size = sizeof own,
                            .name = checks[k].name,
                            .text = checks[k].text,
                            .known = f->known,
                            .contradicted = f->contradicted,
                            .worst = f->worst,
                            .allowed = allowed_of(v, k),
                            .row = f->known ? f->row : -1,
                            .t = f->t,
                            .where = f->where,
                            .why = f->why};
    return perp_scene_give(check, &own, sizeof own);
}
