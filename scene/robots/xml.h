/* SPDX-License-Identifier: BSD-3-Clause */
/* An XML file as a tree of elements with their lines.  Text between elements is not kept: neither
 * MJCF nor URDF has any that matters.  No document type is accepted, so that there are no entities
 * but the five of the language; nothing is fetched from anywhere. */
#ifndef PERP_SCENE_ROBOTS_XML_H
#define PERP_SCENE_ROBOTS_XML_H

#include "scene/robots/robot_job.h"

typedef struct perp_xml_attribute {
    const char *name, *value;
    int told; /* that it is not done, of a default that several elements have */
    struct perp_xml_attribute *next;
} perp_xml_attribute;

typedef struct perp_xml {
    const char *name, *file; /* file: for messages */
    const char *folder;      /* that of its file; NULL: not known */
    int line, part; /* part: of an MJCF, the number of the model that is attached; 0: none */
    perp_xml_attribute *attributes;
    struct perp_xml *up, *first, *last, *next;
} perp_xml;

/* NULL after a failure. */
perp_xml *perp_xml_read(perp_robot_job *job, const char *path, const char *name);
perp_xml *perp_xml_parse(perp_robot_job *job, const char *bytes, size_t size, const char *name);

/* So many bytes, and a 0; NULL after a failure. */
char *perp_xml_copy(perp_robot_job *job, const char *text, size_t length);
/* The bytes of a file without what is no XML in it and can be read over, with remarks; NULL after a
 * failure. */
const char *perp_xml_repair(perp_robot_job *job, const char *file, const char *bytes, size_t *size);

/* The value of an attribute; NULL where it is absent. */
const char *perp_xml_get(const perp_xml *at, const char *name);
/* The first child of this name, or the next one after `after`; NULL: none. */
perp_xml *perp_xml_child(const perp_xml *at, const char *name, const perp_xml *after);
int perp_xml_is(const perp_xml *at, const char *name);

/* Numbers separated by blanks: how many there are, at most `most`; -1 after a failure.  `attribute`
 * is for the message. */
int perp_xml_numbers(perp_robot_job *job, double *values, int most, const perp_xml *at,
                     const char *attribute, const char *text);
/* The bytes of a file, at most `most`, in memory of the job; NULL after a failure. */
char *perp_robot_bytes(perp_robot_job *job, size_t *size, const char *path, size_t most,
                       const perp_xml *at);

#endif
