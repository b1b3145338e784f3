/* SPDX-License-Identifier: BSD-3-Clause */
#include "scene/motion_record.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <perp/verdict.h>

#include "scene/files.h"
#include "scene/shapes.h"

/* Poses of a run where the scene does not say how many, and the bounds of that. */
enum { POSES = 100000, LEAST = 200, MOST = 20000, WITH_CONTACTS = 1000 };
enum { INSTANT = 1, LAYOUT = 3, END = 4 };
enum { CURVES = 12 };

static const char magic[16] = "perp motion 1\n";

int perp_scene_motion_entries(const perp_scene_member *s)
{
    return s->fixed ? 0 : s->nx;
}

static int moving_shapes(const perp_scene *scene)
{
    int count = 0;

    for (int k = 0; k < scene->nsystems; k++)
        count += !scene->systems[k]->fixed;
    return count;
}

void perp_scene_motion_plan(perp_scene_motion_record *record, const perp_scene *scene)
{
    int moving = moving_shapes(scene);
    double wanted = fmin(fmax((double)POSES / (moving > 0 ? moving : 1), LEAST), MOST);

    memset(record, 0, sizeof *record);
    if (scene->frames == 0)
        return;
    record->about.every = scene->frames > 0 ? scene->frames : 1;
    record->about.many = scene->frames > 0 ? 0 : (long)wanted;
    record->about.contacts =
        perp_scene_collider(scene) != NULL && (scene->record.contacts || scene->record.certify ||
                                               (scene->frames < 0 && moving <= WITH_CONTACTS));
    record->about.contacts |= scene->touches > 0;
}

int perp_scene_motion_is_due(const perp_scene_motion_record *record, int64_t steps)
{
    int64_t every = record->about.every;

    while (record->about.many > 0 && steps > every * record->about.many)
        every *= 2;
    return steps % every == 0;
}

int perp_scene_motion_plan_stream(perp_scene_motion_record *record, perp_scene *scene)
{
    memset(record, 0, sizeof *record);
    record->about.every = 1;
    record->about.contacts =
        perp_scene_collider(scene) != NULL &&
        (scene->record.contacts || scene->record.certify || moving_shapes(scene) <= WITH_CONTACTS);
    record->about.contacts |= scene->touches > 0;
    return record->about.contacts ? perp_scene_motion_take_contacts(record, scene) : 0;
}

void perp_scene_motion_put(FILE *f, int tag, size_t bytes, const void *data)
{
    uint32_t words[2] = {(uint32_t)tag, (uint32_t)bytes};

    fwrite(words, sizeof *words, 2, f);
    if (data != NULL)
        fwrite(data, 1, bytes, f);
}

/* A character for each number of an instant: p begins a position, u a unit quaternion, blanks go
 * with what is before them, q stands by itself. */
static void put_layout(FILE *f, const perp_scene *scene)
{
    size_t entries = 0;

    for (int k = 0; k < scene->nsystems; k++)
        entries += (size_t)perp_scene_motion_entries(scene->systems[k]);
    perp_scene_motion_put(f, LAYOUT, entries, NULL);
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        for (int i = 0; i < perp_scene_motion_entries(s); i++)
            fputc(s->kind == PERP_SCENE_BODY ? "p  u   "[i] : 'q', f);
    }
}

int perp_scene_motion_write_head(perp_scene_motion_record *record, perp_scene *scene)
{
    char *text = perp_scene_motion_head(&record->about, scene);
    size_t length = text != NULL ? strlen(text) : 0, padded = (length + 7) / 8 * 8;
    uint32_t words[2] = {0x01020304u, (uint32_t)padded};
    FILE *f = record->file.stream;

    if (text == NULL || padded > UINT32_MAX) {
        free(text);
        errno = ENOMEM;
        return -1;
    }
    fwrite(magic, 1, sizeof magic, f);
    fwrite(words, sizeof *words, 2, f);
    fwrite(text, 1, length, f);
    for (; length < padded; length++)
        fputc(' ', f);
    put_layout(f, scene);
    free(text);
    return ferror(f) ? -1 : 0;
}

int perp_scene_motion_open(perp_scene_motion_record *record, perp_scene *scene, const char *dir,
                           long long bytes)
{
    if (record->about.every == 0)
        return 0;
    if (record->about.contacts && perp_scene_motion_take_contacts(record, scene) != 0) {
        errno = ENOMEM;
        return -1;
    }
    if (bytes >= 0)
        return perp_scene_csv_resume(&record->file, dir, "motion.bin", bytes);
    if (perp_scene_csv_start(&record->file, dir, "motion.bin") != 0)
        return -1;
    return perp_scene_motion_write_head(record, scene);
}

void perp_scene_motion_note(perp_scene_motion_record *record, perp_scene *scene)
{
    const perp_step_info *step = perp_sim_info(scene->sim);
    perp_scene_interval *now = &record->pending;
    perp_step_figure figure = {.size = sizeof figure};

    if (record->file.stream == NULL)
        return;
    now->steps += 1.0;
    now->unsolved += step->status > 0;
    now->violation = fmax(now->violation, step->violation);
    if (step->rows > 0)
        now->error = fmax(now->error, step->solver->error);
    (void)perp_sim_step_figure(scene->sim, &figure, sizeof figure);
    if (figure.over > now->certificate) {
        now->certificate = figure.over;
        now->measure = figure.measure;
    }
    if (figure.failed && now->first == 0.0)
        now->first = (double)step->step;
    if (step->status > 0 && now->first == 0.0)
        now->first = (double)step->step;
}

int perp_scene_motion_instant(perp_scene_motion_record *record, perp_scene *scene)
{
    const perp_step_info *step = perp_sim_info(scene->sim);
    const perp_scene_interval *now = &record->pending;
    double kinetic = 0.0, potential = perp_scene_spring_energy(scene);
    FILE *f = record->file.stream;
    int entries = 0;

    if (f == NULL)
        return 0;
    for (int k = 0; k < scene->nsystems; k++) {
        entries += perp_scene_motion_entries(scene->systems[k]);
        kinetic += perp_scene_kinetic(scene, scene->systems[k]);
        potential += perp_scene_potential(scene, scene->systems[k]);
    }
    const struct {
        uint32_t head[2]; /* as perp_scene_motion_put() has it */
        double curves[CURVES];
    } all = {{INSTANT, (uint32_t)((CURVES + (size_t)entries) * sizeof(double))},
             {perp_sim_time(scene->sim), step->h, now->steps, now->unsolved, kinetic, potential,
              now->violation, now->error, now->certificate, now->measure, now->first,
              (double)step->active}};
    fwrite(&all, sizeof all, 1, f); /* one, since there is one for each step */
    for (int k = 0; k < scene->nsystems; k++) {
        const perp_scene_member *s = scene->systems[k];
        double *x = NULL;
        if (perp_scene_motion_entries(s) > 0 &&
            perp_model_state(scene->model, s->id, &x, NULL, NULL, NULL) == PERP_SOLVED)
            fwrite(x, sizeof *x, (size_t)s->nx, f);
    }
    if (record->about.contacts)
        perp_scene_motion_put_contacts(record, scene);
    memset(&record->pending, 0, sizeof record->pending);
    return ferror(f) ? -1 : 0;
}

int perp_scene_motion_end(perp_scene_motion_record *record, const char *why)
{
    perp_scene_motion_put(record->file.stream, END, strlen(why), why);
    return ferror(record->file.stream) ? -1 : 0;
}
