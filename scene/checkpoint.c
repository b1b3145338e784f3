/* SPDX-License-Identifier: BSD-3-Clause */
/* The file: a head, what the contact detection and the simulation save, and a checksum.  It
 * belongs to one scene (but for time.until) and one build. */
#include "scene/checkpoint.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/message.h"
#include "scene/contacts.h"
#include "scene/files.h"

static const char name[] = "checkpoint";

typedef struct head {
    char magic[16];
    uint64_t scene;
    perp_run_progress progress;
    uint64_t collider_bytes, sim_bytes;
} head;

static const char magic[16] = "perp run 1\n";

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
static int scene_hash(uint64_t *value, const perp_run_scene *scene)
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

/* Head and states in one block of memory, with room for the checksum. */
static unsigned char *pack(size_t *bytes, perp_run_scene *scene, const perp_run_progress *progress)
{
    perp_collider *collider = perp_run_collider(scene->contacts);
    size_t collider_bytes = 0, sim_bytes = 0;
    unsigned char *block = NULL;
    head h;

    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof magic);
    h.progress = *progress;
    if (scene_hash(&h.scene, scene) != 0 ||
        (collider != NULL && perp_collider_save(collider, NULL, &collider_bytes) < 0) ||
        perp_sim_save(scene->sim, NULL, &sim_bytes) < 0)
        return NULL;
    h.collider_bytes = collider_bytes;
    h.sim_bytes = sim_bytes;
    *bytes = sizeof h + collider_bytes + sim_bytes;
    block = calloc(*bytes + sizeof(uint64_t), 1);
    if (block == NULL)
        return NULL;
    memcpy(block, &h, sizeof h);
    if ((collider != NULL &&
         perp_collider_save(collider, block + sizeof h, &collider_bytes) != PERP_SOLVED) ||
        perp_sim_save(scene->sim, block + sizeof h + collider_bytes, &sim_bytes) != PERP_SOLVED) {
        free(block);
        return NULL;
    }
    return block;
}

int perp_run_checkpoint_write(const char *dir, perp_run_scene *scene,
                              const perp_run_progress *progress)
{
    size_t bytes = 0;
    unsigned char *block = pack(&bytes, scene, progress);
    uint64_t sum;
    FILE *f;

    if (block == NULL) {
        perp_complain("%s/checkpoint: the state cannot be saved", dir);
        return -1;
    }
    sum = hash(seed, block, bytes);
    memcpy(block + bytes, &sum, sizeof sum);
    f = perp_run_open(dir, name);
    if (f != NULL && fwrite(block, 1, bytes + sizeof sum, f) == bytes + sizeof sum &&
        perp_run_close(f, dir, name) == 0) {
        free(block);
        return 0;
    }
    perp_complain("%s/checkpoint: %s", dir, strerror(errno));
    free(block);
    return -1;
}

static unsigned char *read_all(const char *dir, size_t *bytes)
{
    FILE *f = fopen(perp_run_join(dir, name).text, "rb");
    unsigned char *block = NULL;
    off_t size;

    if (f == NULL)
        return NULL;
    if (fseeko(f, 0, SEEK_END) == 0 && (size = ftello(f)) >= 0 && fseeko(f, 0, SEEK_SET) == 0) {
        block = calloc((size_t)size + 1, 1);
        if (block != NULL && fread(block, 1, (size_t)size, f) != (size_t)size) {
            free(block);
            block = NULL;
        }
        *bytes = (size_t)size;
    }
    fclose(f);
    return block;
}

/* NULL, or why the file is of no use. */
static const char *unpack(perp_run_scene *scene, perp_run_progress *progress,
                          const unsigned char *block, size_t bytes)
{
    perp_collider *collider = perp_run_collider(scene->contacts);
    uint64_t sum, wanted;
    size_t body = bytes - sizeof sum;
    head h;

    if (bytes < sizeof h + sizeof sum || memcmp(block, magic, sizeof magic) != 0)
        return "is no checkpoint of perp run";
    memcpy(&h, block, sizeof h);
    memcpy(&sum, block + body, sizeof sum);
    if (sum != hash(seed, block, body) || h.collider_bytes > bytes || h.sim_bytes > bytes ||
        sizeof h + h.collider_bytes + h.sim_bytes != body)
        return "is damaged";
    if (scene_hash(&wanted, scene) != 0 || wanted != h.scene)
        return "belongs to another scene, or to other options";
    block += sizeof h;
    if (collider != NULL &&
        perp_collider_load(collider, block, (size_t)h.collider_bytes) != PERP_SOLVED)
        return "holds contacts that do not fit the scene";
    if (perp_sim_load(scene->sim, block + h.collider_bytes, (size_t)h.sim_bytes) != PERP_SOLVED)
        return "holds a state that does not fit the scene";
    *progress = h.progress;
    return NULL;
}

int perp_run_checkpoint_read(const char *dir, perp_run_scene *scene, perp_run_progress *progress)
{
    size_t bytes = 0;
    unsigned char *block = read_all(dir, &bytes);
    const char *reason;

    if (block == NULL) {
        perp_complain("--resume: %s/checkpoint: %s", dir, strerror(errno));
        return -1;
    }
    reason = unpack(scene, progress, block, bytes);
    free(block);
    if (reason != NULL)
        perp_complain("--resume: %s/checkpoint %s", dir, reason);
    return reason != NULL ? -1 : 0;
}
