/* SPDX-License-Identifier: BSD-3-Clause */
/* The file: a head, what the contact detection and the simulation save, and a checksum.  It
 * belongs to one scene (but for time.until) and one build. */
#include "scene/run_checkpoint.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scene/contact_section.h"
#include "scene/caller_struct.h"
#include "scene/files.h"

static const char name[] = "checkpoint";

typedef struct head {
    char magic[16];
    uint64_t scene;
    perp_scene_done done;
    uint64_t collider_bytes, sim_bytes, controller_bytes;
} head;

static const char magic[16] = "perp run 2\n";

/* FNV-1a. */
static uint64_t hash(uint64_t state, const void *data, size_t bytes)
{
    const unsigned char *at = data;

    for (size_t k = 0; k < bytes; k++)
        state = (state ^ at[k]) * 0x100000001b3u;
    return state;
}

static const uint64_t seed = 0xcbf29ce484222325u;

/* Of all that the scene says but its end, so that a run can be prolonged. */
static int scene_hash(uint64_t *value, const perp_scene *scene)
{
    json_t *copy = json_deep_copy(scene->json);
    char *text;

    if (copy == NULL)
        return -1;
    json_object_del(json_object_get(copy, "time"), "until");
    json_object_del(copy, "title");
    text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(copy);
    if (text == NULL)
        return -1;
    *value = hash(seed, text, strlen(text));
    free(text);
    return 0;
}

/* Their numbers, by way of memory that is aligned. */
static int write_controllers(perp_scene *scene, unsigned char *to, size_t bytes)
{
    double *state = bytes > 0 ? perp_scene_zeroed(&scene->memory, bytes, 1) : NULL;

    if (bytes > 0 && state == NULL)
        return -1;
    perp_scene_controller_state(scene, state, 1);
    if (bytes > 0)
        memcpy(to, state, bytes);
    perp_scene_release(&scene->memory, state);
    return 0;
}

static int read_controllers(perp_scene *scene, const unsigned char *from, size_t bytes)
{
    double *state = bytes > 0 ? perp_scene_zeroed(&scene->memory, bytes, 1) : NULL;

    if (bytes != sizeof(double) * (size_t)perp_scene_controller_state(scene, NULL, 0) ||
        (bytes > 0 && state == NULL))
        return -1;
    if (bytes > 0)
        memcpy(state, from, bytes);
    perp_scene_controller_state(scene, state, 0);
    perp_scene_release(&scene->memory, state);
    return 0;
}

/* Head and states, then a checksum.  *bytes: the size of block, then what is needed; block may be
 * NULL. */
static perp_status pack(perp_scene *scene, const perp_scene_done *done, unsigned char *block,
                        size_t *bytes)
{
    perp_collider *collider = perp_scene_collider(scene);
    size_t capacity = *bytes, collider_bytes = 0, sim_bytes = 0;
    uint64_t sum;
    head h;

    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.done = *done;
    if (scene_hash(&h.scene, scene) != 0 ||
        (collider != NULL && perp_collider_save(collider, NULL, &collider_bytes) < 0) ||
        perp_sim_save(scene->sim, NULL, &sim_bytes) < 0)
        return PERP_ERR_MEMORY;
    h.collider_bytes = collider_bytes;
    h.sim_bytes = sim_bytes;
    size_t controller_bytes =
        sizeof(double) * (size_t)perp_scene_controller_state(scene, NULL, 1);
    h.controller_bytes = controller_bytes;
    *bytes = sizeof h + collider_bytes + sim_bytes + controller_bytes + sizeof sum;
    if (block == NULL)
        return PERP_SOLVED;
    if (capacity < *bytes)
        return PERP_ERR_ARGUMENT;
    memcpy(block, &h, sizeof h);
    if ((collider != NULL &&
         perp_collider_save(collider, block + sizeof h, &collider_bytes) != PERP_SOLVED) ||
        perp_sim_save(scene->sim, block + sizeof h + collider_bytes, &sim_bytes) != PERP_SOLVED)
        return PERP_ERR_MEMORY;
    if (write_controllers(scene, block + sizeof h + collider_bytes + sim_bytes, controller_bytes))
        return PERP_ERR_MEMORY;
    sum = hash(seed, block, *bytes - sizeof sum);
    memcpy(block + *bytes - sizeof sum, &sum, sizeof sum);
    return PERP_SOLVED;
}

/* NULL, or why the bytes are of no use. */
static const char *unpack(perp_scene *scene, perp_scene_done *done, const unsigned char *block,
                          size_t bytes)
{
    perp_collider *collider = perp_scene_collider(scene);
    uint64_t sum, wanted;
    size_t body = bytes - sizeof sum;
    head h;

    if (bytes < sizeof h + sizeof sum || memcmp(block, magic, sizeof magic) != 0)
        return "is no checkpoint of a scene";
    memcpy(&h, block, sizeof h);
    memcpy(&sum, block + body, sizeof sum);
    if (sum != hash(seed, block, body) || h.collider_bytes > bytes || h.sim_bytes > bytes ||
        h.controller_bytes > bytes ||
        sizeof h + h.collider_bytes + h.sim_bytes + h.controller_bytes != body)
        return "is damaged";
    if (scene_hash(&wanted, scene) != 0 || wanted != h.scene)
        return "belongs to another scene, or to other options";
    block += sizeof h;
    if (collider != NULL &&
        perp_collider_load(collider, block, (size_t)h.collider_bytes) != PERP_SOLVED)
        return "holds contacts that do not fit the scene";
    if (perp_sim_load(scene->sim, block + h.collider_bytes, (size_t)h.sim_bytes) != PERP_SOLVED)
        return "holds a state that does not fit the scene";
    if (read_controllers(scene, block + h.collider_bytes + h.sim_bytes,
                         (size_t)h.controller_bytes) != 0)
        return "holds controllers that do not fit the scene";
    *done = h.done;
    scene->saw_start = scene->saw_overlaps = 1; /* of the run that was saved */
    return NULL;
}

perp_status perp_scene_save(perp_scene *scene, void *buf, size_t *bytes)
{
    perp_scene_done done;

    if (scene == NULL || bytes == NULL)
        return PERP_ERR_ARGUMENT;
    memset(&done, 0, sizeof done);
    return pack(scene, &done, buf, bytes);
}

perp_status perp_scene_load(perp_scene *scene, const void *buf, size_t bytes,
                            perp_scene_error *error)
{
    perp_scene_error own;
    perp_scene_done done;
    const char *reason;

    if (scene == NULL || buf == NULL)
        return PERP_ERR_ARGUMENT;
    reason = unpack(scene, &done, buf, bytes);
    if (reason == NULL)
        return PERP_SOLVED;
    memset(&own, 0, sizeof own);
    snprintf(own.text, sizeof own.text, "%s: the saved state %s", scene->name, reason);
    perp_scene_give(error, &own, sizeof own);
    return PERP_ERR_FORMAT;
}

static perp_status failed(perp_status status, const char *dir, const char *reason, char *text,
                          size_t size)
{
    snprintf(text, size, "%s/checkpoint: %s", dir, reason);
    return status;
}

perp_status perp_scene_checkpoint_write(const char *dir, perp_scene *scene,
                                        const perp_scene_done *done, char *text, size_t size)
{
    size_t bytes = 0;
    unsigned char *block = NULL;
    perp_status status = pack(scene, done, NULL, &bytes);
    FILE *f;
    int bad;

    if (status == PERP_SOLVED) {
        block = perp_scene_zeroed(&scene->memory, bytes, 1);
        status = block != NULL ? pack(scene, done, block, &bytes) : PERP_ERR_MEMORY;
    }
    if (status != PERP_SOLVED) {
        perp_scene_release(&scene->memory, block);
        snprintf(text, size, "%s/checkpoint: the state cannot be saved: %s", dir,
                 perp_status_text(status));
        return status;
    }
    f = perp_scene_open(dir, name);
    bad = f == NULL || fwrite(block, 1, bytes, f) != bytes;
    perp_scene_release(&scene->memory, block);
    if (f != NULL && bad)
        perp_scene_drop(f, dir, name);
    if (bad || perp_scene_close(f, dir, name) != 0)
        return failed(PERP_ERR_OPEN, dir, strerror(errno), text, size);
    return PERP_SOLVED;
}

static unsigned char *read_all(const perp_scene *scene, const char *dir, size_t *bytes)
{
    FILE *f = fopen(perp_scene_join(dir, name).text, "rb");
    unsigned char *block = NULL;
    off_t size;

    if (f == NULL)
        return NULL;
    if (fseeko(f, 0, SEEK_END) == 0 && (size = ftello(f)) >= 0 && fseeko(f, 0, SEEK_SET) == 0) {
        block = perp_scene_zeroed(&scene->memory, (size_t)size + 1, 1);
        if (block != NULL && fread(block, 1, (size_t)size, f) != (size_t)size) {
            perp_scene_release(&scene->memory, block);
            block = NULL;
        }
        *bytes = (size_t)size;
    }
    fclose(f);
    return block;
}

perp_status perp_scene_checkpoint_read(const char *dir, perp_scene *scene, perp_scene_done *done,
                                       char *text, size_t size)
{
    size_t bytes = 0;
    unsigned char *block = read_all(scene, dir, &bytes);
    const char *reason;

    if (block == NULL)
        return failed(PERP_ERR_OPEN, dir, strerror(errno), text, size);
    reason = unpack(scene, done, block, bytes);
    perp_scene_release(&scene->memory, block);
    if (reason == NULL)
        return PERP_SOLVED;
    snprintf(text, size, "%s/checkpoint %s", dir, reason);
    return PERP_ERR_FORMAT;
}
