/* SPDX-License-Identifier: BSD-3-Clause */
/* series.csv and contacts.csv, row by row. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scene/verify/contacts_h5.h"
#include "scene/verify/impacts.h"
#include "scene/verify/series_h5.h"

int perp_verify_open(perp_verification *v, FILE **stream, const char *name)
{
    char path[4200];

    snprintf(path, sizeof path, "%.4000s/%s", v->folder, name);
    *stream = fopen(path, "rb");
    if (*stream != NULL || errno == ENOENT)
        return 0;
    return perp_verify_fail(v, PERP_ERR_OPEN, "%.400s/%s: %s", v->folder, name, strerror(errno));
}

void perp_verify_line(perp_verification *v, FILE *stream, const char *name, char **line,
                      size_t *capacity)
{
    if (getline(line, capacity, stream) > 0)
        return;
    if (!feof(stream))
        perp_verify_fail(v, errno == ENOMEM ? PERP_ERR_MEMORY : PERP_ERR_OPEN, "%.400s/%s: %s",
                         v->folder, name, strerror(errno));
    free(*line);
    *line = NULL;
}

/* The column of NAME.FIELD, or of NAME.FIELD[0] where all `count` entries follow; else -1. */
static int find_columns(const perp_verification *v, const char *name, const char *field, int count)
{
    char wanted[300];

    for (int k = 1; k < v->columns; k++) {
        int all = k + count <= v->columns;
        for (int i = 0; i < count && all; i++) {
            if (count == 1)
                snprintf(wanted, sizeof wanted, "%s%s%s", name, name[0] != '\0' ? "." : "", field);
            else
                snprintf(wanted, sizeof wanted, "%s.%s[%d]", name, field, i);
            all = strcmp(v->names[k + i], wanted) == 0;
        }
        if (all && count > 0)
            return k;
    }
    return -1;
}

static void find_all(perp_verification *v)
{
    static const char *const of_point[] = {"lambda", "u", "y"};

    for (int k = 0; k < v->nsystems; k++) {
        perp_verify_system *s = v->systems[k];
        int first = s->kind == PERP_VERIFY_FIRST_ORDER;
        if (s->fixed)
            continue;
        s->q_at = find_columns(v, s->name, first ? "x" : "q", s->nq);
        s->v_at = first ? -1 : find_columns(v, s->name, "v", s->nv);
        s->p_at = find_columns(v, s->name, first ? "r" : "p", s->nv);
        s->kinetic_at = find_columns(v, s->name, "kinetic", 1);
        s->potential_at = find_columns(v, s->name, "potential", 1);
    }
    for (int k = 0; k < v->ninteractions; k++) {
        perp_verify_interaction *i = &v->interactions[k];
        i->y_at = find_columns(v, i->name, "y", i->rows);
        i->sum_at = i->nterms > 0 ? find_columns(v, i->name, "y", 1) : -1;
        i->u_at = find_columns(v, i->name, "u", i->rows);
        i->lambda_at = find_columns(v, i->name, "lambda", i->rows);
        i->active_at = find_columns(v, i->name, "active", 1);
        for (int n = 0; n < 3; n++)
            i->point_columns[n] = find_columns(v, i->name, of_point[n], i->point_rows);
    }
    v->kinetic_at = find_columns(v, "", "kinetic", 1);
    v->potential_at = find_columns(v, "", "potential", 1);
    v->energy_at = find_columns(v, "", "energy", 1);
    v->halvings_at = find_columns(v, "", "halvings", 1);
    v->instants = find_columns(v, "", "instant", 1);
}

static int read_names(perp_verification *v)
{
    int count = 1;

    v->line[strcspn(v->line, "\r\n")] = '\0';
    for (const char *c = v->line; *c != '\0'; c++)
        count += *c == ',';
    v->names = perp_verify_take(v, (size_t)count, sizeof *v->names);
    v->now = perp_verify_take(v, (size_t)count, sizeof *v->now);
    v->before = perp_verify_take(v, (size_t)count, sizeof *v->before);
    char *kept = perp_verify_take(v, strlen(v->line) + 1, 1);
    if (v->names == NULL || v->now == NULL || v->before == NULL || kept == NULL)
        return -1;
    strcpy(kept, v->line);
    for (v->columns = 0; v->columns < count; v->columns++) {
        v->names[v->columns] = kept;
        kept += strcspn(kept, ",");
        if (*kept == ',')
            *kept++ = '\0';
    }
    return strcmp(v->names[0], "t") == 0
               ? 0
               : perp_verify_fail(v, PERP_ERR_FORMAT,
                                  "%.400s/series.csv: the first column is not t", v->folder);
}

/* Columns of series.h5 alone. */
static int take_names(perp_verification *v)
{
    v->columns = perp_verify_h5_columns(v->h5);
    v->names = perp_verify_take(v, (size_t)v->columns, sizeof *v->names);
    v->now = perp_verify_take(v, (size_t)v->columns, sizeof *v->now);
    v->before = perp_verify_take(v, (size_t)v->columns, sizeof *v->before);
    if (v->names == NULL || v->now == NULL || v->before == NULL)
        return -1;
    for (int k = 0; k < v->columns; k++)
        v->names[k] = (char *)perp_verify_h5_name(v->h5, k);
    return 0;
}

/* Where the columns of series.h5 are in series.csv. */
static int compare_names(perp_verification *v)
{
    int count = perp_verify_h5_columns(v->h5);

    v->column_of = perp_verify_take(v, (size_t)count, sizeof *v->column_of);
    if (v->column_of == NULL)
        return -1;
    for (int k = 0; k < count; k++) {
        const char *name = perp_verify_h5_name(v->h5, k);
        int at = v->columns - 1;
        while (at >= 0 && strcmp(v->names[at], name) != 0)
            at--;
        v->column_of[k] = at;
        if (at < 0)
            perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY, "%.80s is in series.h5 alone", name);
    }
    if (count != v->columns)
        perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY,
                         "%d columns in series.h5, %d in series.csv", count, v->columns);
    return 0;
}

/* The same row of series.h5: the same numbers, to the bit but for what no number is. */
static int compare_row(perp_verification *v)
{
    const double *row;

    if (v->row >= perp_verify_h5_rows(v->h5)) {
        perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY, "series.h5 ends before");
        return 0;
    }
    row = perp_verify_h5_row(v, v->row);
    if (row == NULL)
        return -1;
    perp_verify_note(v, PERP_VERIFY_TABLES, 0.0, "%s", "");
    for (int k = 0; k < perp_verify_h5_columns(v->h5); k++) {
        double own = v->column_of[k] >= 0 ? v->now[v->column_of[k]] : row[k];
        if (row[k] != own && !(isnan(row[k]) && isnan(own)))
            perp_verify_note(v, PERP_VERIFY_TABLES,
                             fabs(row[k] - own) / fmax(fabs(row[k]), fabs(own)), "%.80s",
                             perp_verify_h5_name(v->h5, k));
    }
    return 0;
}

void perp_verify_end_of_tables(perp_verification *v)
{
    if (v->h5 != NULL && v->series != NULL && perp_verify_h5_rows(v->h5) > v->row + 1)
        perp_verify_note(v, PERP_VERIFY_TABLES, INFINITY, "series.h5 has %ld rows, series.csv %ld",
                         perp_verify_h5_rows(v->h5), v->row + 1);
    if (v->h5 != NULL && v->series == NULL)
        perp_verify_leave_out(v, PERP_VERIFY_TABLES, "no series.csv to compare series.h5 with");
    if (v->contact_line == NULL)
        perp_verify_contacts_h5_end(v);
    if (v->h5 == NULL)
        perp_verify_leave_out(v, PERP_VERIFY_TABLES,
                              perp_verify_has_h5() ? "no series.h5" : "a build without HDF5");
}

static int open_csv(perp_verification *v)
{
    perp_verify_line(v, v->series, "series.csv", &v->line, &v->line_capacity);
    if (v->line == NULL)
        return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/series.csv is empty", v->folder);
    return read_names(v);
}

static void next_contact_line(perp_verification *v)
{
    perp_verify_line(v, v->contact_file, "contacts.csv", &v->contact_line,
                     &v->contact_line_capacity);
}

static int open_contacts(perp_verification *v)
{
    if (perp_verify_open(v, &v->contact_file, "contacts.csv") != 0)
        return -1;
    v->has_contact_file = v->contact_file != NULL;
    if (!v->has_contact_file)
        return 0;
    next_contact_line(v); /* the names */
    if (v->contact_line == NULL)
        return 0;
    if (perp_verify_contacts_h5_open(v, v->contact_line) != 0)
        return -1;
    next_contact_line(v);
    return 0;
}

int perp_verify_open_series(perp_verification *v)
{
    if (perp_verify_open(v, &v->series, "series.csv") != 0 || perp_verify_h5_open(v) < 0)
        return -1;
    if (v->series == NULL && v->h5 == NULL)
        return perp_verify_fail(v, PERP_ERR_OPEN, "%.400s/series.csv: no such file%s", v->folder,
                                perp_verify_has_h5() ? ", nor series.h5"
                                                     : " (series.h5 needs a build with HDF5)");
    if ((v->series != NULL ? open_csv(v) : take_names(v)) != 0)
        return -1;
    find_all(v);
    if (v->series != NULL && v->h5 != NULL && compare_names(v) != 0)
        return -1;
    v->row = -1;
    if (open_contacts(v) != 0 || perp_verify_open(v, &v->impact_file, "impacts.csv") != 0)
        return -1;
    if (v->impact_file != NULL)
        perp_verify_next_impact_line(v); /* the names */
    if (v->impact_line != NULL)
        perp_verify_next_impact_line(v);
    return v->status == PERP_SOLVED ? 0 : -1;
}

/* The numbers of the next row in out: 1, 0 at the end, -1. */
static int next_numbers(perp_verification *v, double *out)
{
    const char *at;

    if (v->series == NULL) {
        if (v->row + 1 >= perp_verify_h5_rows(v->h5))
            return 0;
        const double *row = perp_verify_h5_row(v, v->row + 1);
        if (row == NULL)
            return -1;
        memcpy(out, row, (size_t)v->columns * sizeof *out);
        return 1;
    }
    perp_verify_line(v, v->series, "series.csv", &v->line, &v->line_capacity);
    if (v->line == NULL)
        return v->status == PERP_SOLVED ? 0 : -1;
    at = v->line;
    for (int k = 0; k < v->columns; k++) {
        at = perp_number_read(at, &out[k]);
        if (at == NULL || (*at != ',' && k + 1 < v->columns))
            return perp_verify_fail(v, PERP_ERR_FORMAT,
                                    "%.400s/series.csv, row %ld: column %d, '%.80s', is no number",
                                    v->folder, v->row + 1, k, v->names[k]);
        at += *at == ',';
    }
    return 1;
}

int perp_verify_next_row(perp_verification *v)
{
    double *next = v->before;
    int more = next_numbers(v, next);

    if (more <= 0)
        return more;
    v->before = v->now;
    v->now = next;
    v->row++;
    v->h = v->row > 0 ? v->now[0] - v->t : 0.0;
    v->t = v->now[0];
    v->every_step = v->row > 0 && fabs(v->h - v->step) <= 1e-6 * v->step;
    return v->h5 != NULL && v->series != NULL && compare_row(v) != 0 ? -1 : 1;
}

static const char *take_numbers(const char *at, double *out, int count)
{
    for (int k = 0; k < count && at != NULL; k++) {
        if (*at == ',')
            at++;
        at = perp_number_read(at, &out[k]);
    }
    return at;
}

static const char *take_shape(perp_verification *v, const char *at, perp_verify_system **shape)
{
    char name[PERP_VERIFY_NAME];
    size_t length;

    if (at == NULL || *at != ',')
        return NULL;
    length = strcspn(++at, ",");
    snprintf(name, sizeof name, "%.*s", (int)(length < 111 ? length : 111), at);
    *shape = perp_verify_find(v, name);
    return at + length;
}

/* What follows state: 0 where the file has less. */
static int take_more(const char *at, perp_verify_contact *c)
{
    double numbers[21];
    const char *end;

    if (at == NULL || *at != ',')
        return 0;
    at += 1 + strcspn(at + 1, ",\n");
    end = take_numbers(at, numbers, 21);
    if (end == NULL)
        return 0;
    memcpy(c->impulse, numbers, sizeof c->impulse);
    memcpy(c->turns, numbers + 3, 2 * sizeof *c->turns);
    memcpy(c->twists, numbers + 5, 2 * sizeof *c->twists);
    memcpy(c->spin, numbers + 10, sizeof c->spin);
    memcpy(c->moment, numbers + 13, sizeof c->moment);
    c->shape[0] = perp_verify_integer(numbers[16]);
    c->shape[1] = perp_verify_integer(numbers[17]);
    memcpy(c->law, numbers + 18, 3 * sizeof *c->law);
    c->law[3] = c->turns[2] = c->twists[2] = 0.0; /* files of before end here, or after the next */
    end = take_numbers(*end == ',' ? end : NULL, c->law + 3, 1);
    end = take_numbers(end != NULL && *end == ',' ? end : NULL, c->turns + 2, 1);
    end = take_numbers(end, c->twists + 2, 1);
    if (end != NULL && *end == ',') {
        size_t length = strcspn(++end, ",\r\n"), most = sizeof c->interaction - 1;
        snprintf(c->interaction, sizeof c->interaction, "%.*s",
                 (int)(length < most ? length : most), end);
    }
    return 1;
}

static int take_contact(perp_verification *v, double *t, perp_verify_contact *c)
{
    double whole[3];
    const char *at = take_numbers(v->contact_line, t, 1);

    at = take_shape(v, at, &c->first);
    at = take_shape(v, at, &c->second);
    at = take_numbers(at, whole, 3);
    at = take_numbers(at, &c->gap, 1);
    at = take_numbers(at, c->normal, 3);
    at = take_numbers(at, c->point_a, 3);
    at = take_numbers(at, c->point_b, 3);
    at = take_numbers(at, c->u, 3);
    at = take_numbers(at, c->lambda, 3);
    c->feature = at != NULL ? perp_verify_integer(whole[0]) : 0;
    c->rows = at != NULL ? perp_verify_integer(whole[1]) : 0;
    c->active = at != NULL && whole[2] != 0.0;
    c->interaction[0] = '\0';
    c->more = take_more(at, c);
    if (c->first != NULL && c->first->planar && c->rows == 3) { /* rolling friction: a moment */
        c->rows = 2;
        c->turns[0] = c->u[2];
        c->twists[0] = c->lambda[2];
        c->u[2] = c->lambda[2] = 0.0;
    }
    return at != NULL;
}

static int add_contact(perp_verification *v, const perp_verify_contact *c)
{
    if (v->ncontacts == v->contacts_capacity) {
        int more = 2 * v->contacts_capacity + 64;
        perp_verify_contact *grown = perp_verify_take(v, (size_t)more, sizeof *grown);
        if (grown == NULL)
            return -1;
        if (v->ncontacts > 0)
            memcpy(grown, v->contacts, (size_t)v->ncontacts * sizeof *grown);
        v->contacts = grown;
        v->contacts_capacity = more;
    }
    v->contacts[v->ncontacts++] = *c;
    return 0;
}

/* The table has every step, the series with a stride has not. */
static int has_all_steps(const perp_verification *v)
{
    return perp_verify_whole(json_object_get(v->json, "record"), "stride", 1) <= 1;
}

int perp_verify_next_contacts(perp_verification *v)
{
    perp_verify_contact c = {0};
    double t;

    v->ncontacts = 0;
    while (v->contact_line != NULL) {
        if (!take_contact(v, &t, &c))
            return perp_verify_fail(v, PERP_ERR_FORMAT,
                                    "%.400s/contacts.csv: '%.60s' is no contact", v->folder,
                                    v->contact_line);
        if (t > v->t)
            return 0;
        if (c.interaction[0] != '\0')
            perp_verify_named_contact(v, t, &c);
        else if (t < v->t && has_all_steps(v))
            perp_verify_note(v, PERP_VERIFY_CONTACTS, INFINITY,
                             "contacts at t = %.10g, which is no row of the series", t);
        else if (t == v->t && add_contact(v, &c) != 0)
            return -1;
        if (perp_verify_contacts_h5_next(v, v->contact_line) != 0)
            return -1;
        next_contact_line(v);
    }
    return 0;
}

const double *perp_verify_q(const perp_verify_system *s, const double *row)
{
    if (s->fixed)
        return s->q0 != NULL ? s->q0 : s->position;
    return s->q_at >= 0 ? row + s->q_at : NULL;
}
