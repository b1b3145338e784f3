/* SPDX-License-Identifier: BSD-3-Clause */
/* impacts.csv, the rows of one step at a time. */
#include <string.h>

#include "scene/plain_number.h"
#include "scene/verify/impacts.h"

/* Past the comma at `at`; the word there, and behind it. */
static const char *take_word(const char *at, char *word, size_t size)
{
    if (at == NULL || *at != ',')
        return NULL;
    size_t length = strcspn(++at, ",\n");
    snprintf(word, size, "%.*s", (int)(length < size ? length : size - 1), at);
    return at + length;
}

static const char *take_reals(const char *at, double *out, int count)
{
    for (int k = 0; k < count && at != NULL; k++)
        at = *at == ',' ? perp_number_read(at + 1, &out[k]) : NULL;
    return at;
}

static const char *take_integers(const char *at, int *out, int count)
{
    double number = 0.0;

    for (int k = 0; k < count && at != NULL; k++) {
        at = take_reals(at, &number, 1);
        out[k] = perp_verify_integer(number);
    }
    return at;
}

static const perp_verify_interaction *interaction_of(const perp_verification *v, const char *name)
{
    for (int k = 0; k < v->ninteractions; k++)
        if (strcmp(v->interactions[k].name, name) == 0)
            return &v->interactions[k];
    return NULL;
}

/* The rows that a line names are rows of its matrix. */
static int has_its_rows(const perp_verify_impact *i)
{
    const perp_verify_interaction *own = i->interaction;

    if (i->is_point || own == NULL || own->relation != PERP_VERIFY_MATRIX)
        return 1;
    return i->relation >= 0 && i->rows >= 1 && i->rows <= own->rows &&
           i->relation < own->rows / i->rows;
}

static int take_impact(perp_verification *v, double *t, perp_verify_impact *i)
{
    static const char *const laws[] = {"carried", "newton", "compression", "expansion"};
    char law[PERP_VERIFY_NAME], name[PERP_VERIFY_NAME], first[PERP_VERIFY_NAME],
        second[PERP_VERIFY_NAME];
    int numbers[5] = {0}, known = 0;
    const char *at = perp_number_read(v->impact_line, t);

    at = take_integers(at, &i->stage, 1);
    at = take_word(at, law, sizeof law);
    at = take_word(at, name, sizeof name);
    at = take_integers(at, &i->relation, 1);
    at = take_word(at, first, sizeof first);
    at = take_word(at, second, sizeof second);
    at = take_integers(at, numbers, 5);
    at = take_reals(at, &i->time, 3);
    at = take_reals(at, i->normal, 21);
    if (at == NULL)
        return 0;
    for (int k = 0; k < 4; k++)
        if (strcmp(law, laws[k]) == 0) {
            i->law = (perp_verify_impact_law)k;
            known = 1;
        }
    i->shape[0] = numbers[0];
    i->shape[1] = numbers[1];
    i->feature = numbers[2];
    i->rows = numbers[3];
    i->is_point = numbers[4];
    i->interaction = name[0] != '\0' ? interaction_of(v, name) : NULL;
    i->first = first[0] != '\0' ? perp_verify_find(v, first) : NULL;
    i->second = second[0] != '\0' ? perp_verify_find(v, second) : NULL;
    if (i->is_point && i->interaction != NULL && i->interaction->nsystems > 0) {
        i->first = i->interaction->systems[0];
        i->second = i->interaction->nsystems > 1 ? i->interaction->systems[1] : NULL;
    }
    return known && has_its_rows(i);
}

static int add_impact(perp_verification *v, const perp_verify_impact *impact)
{
    if (v->nimpacts == v->impacts_capacity) {
        int more = 2 * v->impacts_capacity + 32;
        perp_verify_impact *grown = perp_verify_take(v, (size_t)more, sizeof *grown);
        if (grown == NULL)
            return -1;
        if (v->nimpacts > 0)
            memcpy(grown, v->impacts, (size_t)v->nimpacts * sizeof *grown);
        v->impacts = grown;
        v->impacts_capacity = more;
    }
    v->impacts[v->nimpacts++] = *impact;
    return 0;
}

void perp_verify_next_impact_line(perp_verification *v)
{
    perp_verify_line(v, v->impact_file, "impacts.csv", &v->impact_line, &v->impact_line_capacity);
}

int perp_verify_next_impacts(perp_verification *v)
{
    perp_verify_impact impact = {0};
    double t;

    v->nimpacts = 0;
    for (; v->impact_line != NULL; perp_verify_next_impact_line(v)) {
        if (!take_impact(v, &t, &impact))
            return perp_verify_fail(v, PERP_ERR_FORMAT, "%.400s/impacts.csv: '%.60s' is no impact",
                                    v->folder, v->impact_line);
        if (t > v->t)
            return 0;
        if (t < v->t)
            perp_verify_note(v, PERP_VERIFY_IMPACTS, INFINITY,
                             "impacts at t = %.10g, which is no row of the series", t);
        else if (add_impact(v, &impact) != 0)
            return -1;
    }
    return 0;
}
