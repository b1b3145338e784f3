/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/impacts_csv.h"

#include <errno.h>
#include <string.h>

#include <perp/verdict.h>

#include "scene/contact_section.h"
#include "scene/plain_number.h"

static const char head[] =
    "t,stage,law,interaction,relation,first,second,first_shape,second_shape,feature,rows,point,"
    "time,restitution,at,normal[0],normal[1],normal[2],point_a[0],point_a[1],point_a[2],"
    "point_b[0],point_b[1],point_b[2],impulse[0],impulse[1],impulse[2],moment[0],moment[1],"
    "moment[2],before[0],before[1],before[2],after[0],after[1],after[2]\n";

static const char *const laws[] = {[PERP_STRIKE_JOINT] = "joint",
                                   [PERP_STRIKE_CARRIED] = "carried",
                                   [PERP_STRIKE_NEWTON] = "newton",
                                   [PERP_STRIKE_COMPRESSION] = "compression",
                                   [PERP_STRIKE_EXPANSION] = "expansion"};

int perp_scene_impacts_open(perp_scene_impacts_csv *impacts, const char *dir, long long bytes)
{
    if (bytes >= 0)
        return perp_scene_csv_resume(&impacts->csv, dir, "impacts.csv", bytes);
    if (perp_scene_csv_start(&impacts->csv, dir, "impacts.csv") != 0)
        return -1;
    return fputs(head, impacts->csv.stream) == EOF ? -1 : 0;
}

/* Which contact stands behind a slot. */
static int number_contacts(perp_scene_impacts_csv *impacts, perp_scene *scene)
{
    const perp_collider *collider = perp_scene_collider(scene);

    if (impacts->capacity > 0)
        memset(impacts->contact_of, 0, sizeof *impacts->contact_of * (size_t)impacts->capacity);
    for (int k = 0; collider != NULL && k < perp_collider_contacts(collider); k++) {
        perp_contact_info info = {.size = sizeof info};
        if (perp_collider_contact(collider, k, &info) != PERP_SOLVED)
            continue;
        int slot = (int)info.interaction.index;
        if (slot >= impacts->capacity) {
            int capacity = 2 * slot + 64;
            int *grown = perp_scene_take(scene, (size_t)capacity, sizeof *grown);
            if (grown == NULL) {
                errno = ENOMEM;
                return -1;
            }
            if (impacts->capacity > 0)
                memcpy(grown, impacts->contact_of, sizeof *grown * (size_t)impacts->capacity);
            impacts->contact_of = grown;
            impacts->capacity = capacity;
        }
        impacts->contact_of[slot] = k + 1;
    }
    return 0;
}

static const char *name_of(const perp_scene *scene, perp_interaction_id id)
{
    for (int k = 0; k < scene->ninteractions; k++)
        if (scene->interactions[k].id.index == id.index &&
            scene->interactions[k].id.generation == id.generation)
            return scene->interactions[k].name;
    return "";
}

/* ,interaction,relation,first,second,first_shape,second_shape,feature */
static void write_whose(const perp_scene_impacts_csv *impacts, const perp_scene *scene,
                        const perp_strike_info *strike, int relation)
{
    FILE *stream = impacts->csv.stream;
    perp_contact_info info = {.size = sizeof info};
    int slot = (int)strike->interaction.index;
    int contact = slot < impacts->capacity ? impacts->contact_of[slot] - 1 : -1,
        shape[2] = {-1, -1};

    if (contact < 0 ||
        perp_collider_contact(perp_scene_collider(scene), contact, &info) != PERP_SOLVED) {
        fprintf(stream, ",%s,%d,,,-1,-1,-1", name_of(scene, strike->interaction), relation);
        return;
    }
    int first = perp_scene_body_of_shape(&shape[0], scene, info.first);
    int second = perp_scene_body_of_shape(&shape[1], scene, info.second);
    fprintf(stream, ",,%d,%s,%s,%d,%d,%d", relation, first >= 0 ? scene->systems[first]->name : "?",
            second >= 0 ? scene->systems[second]->name : "?", shape[0], shape[1], info.feature);
}

/* The rows of a point as vectors of the world; of other relations as they are, three at most. */
static void vector_of(double out[3], const perp_strike_info *strike, const double *frame,
                      const double *x, int rows)
{
    int slips = rows > 3 ? 3 : rows;

    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < slips; i++)
        for (int k = 0; k < 3; k++)
            out[k] += x[i] * (strike->has_point ? frame[3 * i + k] : (double)(i == k));
}

static void moment_of(double out[3], const double *frame, const double *x, int rows)
{
    memset(out, 0, 3 * sizeof *out);
    for (int i = 3; i < rows; i++)
        for (int k = 0; k < 3; k++)
            out[k] += x[i] * frame[3 * (rows == 5 ? i - 2 : i - 3) + k];
}

static void write_vectors(FILE *stream, const perp_strike_info *strike, int first, int rows)
{
    const double *vectors[] = {strike->impulse, strike->before, strike->after};
    double frame[9] = {0.0}, out[3];

    if (strike->has_point)
        perp_contact_frame(strike->point.normal, frame);
    perp_scene_csv_numbers(stream, strike->point.normal, 3, 3);
    perp_scene_csv_numbers(stream, strike->point.point_a, 3, 3);
    perp_scene_csv_numbers(stream, strike->point.point_b, 3, 3);
    for (int k = 0; k < 3; k++) {
        vector_of(out, strike, frame, vectors[k] + first, rows);
        perp_scene_csv_numbers(stream, out, 3, 3);
        moment_of(out, frame, vectors[k] + first, rows);
        if (k == 0)
            perp_scene_csv_numbers(stream, out, 3, 3);
    }
}

static void write_strike(const perp_scene_impacts_csv *impacts, const perp_scene *scene,
                         const perp_strike_info *strike)
{
    FILE *stream = impacts->csv.stream;
    perp_scene_digits t = perp_scene_number_text(perp_sim_time(scene->sim), 17);
    int rows = strike->rows / strike->relations;

    for (int r = 0; r < strike->relations; r++) {
        if (strike->time[r] < 0.0)
            continue;
        fprintf(stream, "%s,%d,%s", t.text, strike->stage, laws[strike->kind]);
        write_whose(impacts, scene, strike, r);
        fprintf(stream, ",%d,%d", rows, strike->has_point);
        perp_scene_csv_numbers(stream, &strike->time[r], 1, 1);
        perp_scene_csv_numbers(stream, &strike->restitution[r], 1, 1);
        perp_scene_csv_numbers(stream, &strike->at, 1, 1);
        write_vectors(stream, strike, r * rows, rows);
        fputc('\n', stream);
    }
}

int perp_scene_impacts_rows(perp_scene_impacts_csv *impacts, perp_scene *scene)
{
    int count = perp_sim_strikes(scene->sim);

    if (count > 0 && number_contacts(impacts, scene) != 0)
        return -1;
    for (int k = 0; k < count; k++) {
        perp_strike_info strike = {.size = sizeof strike};
        if (perp_sim_strike(scene->sim, k, &strike) == PERP_SOLVED &&
            strike.kind != PERP_STRIKE_JOINT)
            write_strike(impacts, scene, &strike);
    }
    return ferror(impacts->csv.stream) ? -1 : 0;
}
