/* SPDX-License-Identifier: BSD-3-Clause */
/* <sensor>: those that a scene has as quantities become records. */
#include <stdio.h>
#include <string.h>

#include "scene/robots/mjcf.h"

/* The record of a sensor: 1; 0: there is none; 2: every run has it. */
static int record_of(perp_mjcf *m, const perp_xml *at, perp_robot_record *record)
{
    static const char *const of_joints[][2] = {
        {"jointpos", "angle"}, {"jointvel", "rate"}, {"jointactuatorfrc", "torque"}};
    static const char *const of_bodies[][2] = {
        {"framepos", "q"}, {"framequat", "q"}, {"framelinvel", "v"}, {"frameangvel", "v"}};
    static const char *const of_all[][2] = {{"e_kinetic", "kinetic"}, {"e_potential", "potential"}};
    const char *joint = perp_xml_get(at, "joint"), *body = perp_xml_get(at, "objname");
    const char *type = perp_xml_get(at, "objtype");

    *record = (perp_robot_record){NULL, -1, -1};
    if (type != NULL && strcmp(type, "body") != 0 && strcmp(type, "xbody") != 0)
        body = NULL;
    for (int k = 0; k < 3 && joint != NULL; k++)
        if (perp_xml_is(at, of_joints[k][0])) {
            record->field = of_joints[k][1];
            record->joint = perp_robot_find_joint(m->robot, joint);
            return record->joint >= 0;
        }
    for (int k = 0; k < 4 && body != NULL; k++)
        if (perp_xml_is(at, of_bodies[k][0])) {
            record->field = of_bodies[k][1];
            record->body = perp_robot_find_body(m->robot, body);
            return record->body >= 0;
        }
    for (int k = 0; k < 2; k++)
        if (perp_xml_is(at, of_all[k][0])) {
            record->field = of_all[k][1];
            return 1;
        }
    return perp_xml_is(at, "clock") ? 2 : 0;
}

/* A word at the end of a list, once. */
static void list_word(char *list, size_t size, const char *word)
{
    size_t used = strlen(list), length = strlen(word);
    const char *at = list;

    while ((at = strstr(at, word)) != NULL) {
        if ((at == list || at[-1] == ' ') && (at[length] == ',' || at[length] == '\0'))
            return;
        at++;
    }
    snprintf(list + used, size - used, "%s%s", used > 0 ? ", " : "", word);
}

int perp_mjcf_read_sensors(perp_mjcf *m)
{
    const perp_xml *section = NULL, *first = NULL;
    char others[300] = "";
    int lost = 0;

    while ((section = perp_xml_child(m->root, "sensor", section)) != NULL)
        for (const perp_xml *at = section->first; at != NULL; at = at->next) {
            perp_robot_record record, *made;
            int kind = record_of(m, at, &record);
            if (kind == 0 && first != NULL)
                list_word(others, sizeof others, at->name);
            if (kind == 0) {
                first = first != NULL ? first : at;
                lost++;
            }
            if (kind != 1)
                continue;
            made = PERP_ROBOT_ADD(m->robot, records);
            if (made == NULL)
                return -1;
            *made = record;
        }
    if (lost == 1)
        perp_robot_note(m->job, first, "this sensor is not recorded");
    else if (lost > 1)
        perp_robot_note(m->job, first, "this sensor is not recorded, nor %s: %s",
                        lost == 2 ? "is another one" : "are others", others);
    return 0;
}
