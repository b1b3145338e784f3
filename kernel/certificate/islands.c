/* SPDX-License-Identifier: BSD-3-Clause */
/* Islands: bodies that hang together by what acts between them keep their momentum. */
#include <math.h>

#include "kernel/certificate/certificate.h"

static double norm3(const double *x)
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

perp_system *perp_certificate_root(perp_system *s)
{
    while (s->ledger.island != s) {
        s->ledger.island = s->ledger.island->ledger.island;
        s = s->ledger.island;
    }
    return s;
}

/* Contacts and joints act between their bodies; what other relations know of the world is not
 * known here. */
void perp_certificate_join(perp_link *link)
{
    perp_system *root = perp_certificate_root(link->systems[0]);
    perp_relation_kind kind = link->relation.kind;
    root->ledger.world |=
        link->nsystems < 2 || (kind != PERP_RELATION_CONTACT && kind != PERP_RELATION_JOINT);
    for (int k = 1; k < link->nsystems; k++) {
        perp_system *other = perp_certificate_root(link->systems[k]);
        if (other == root)
            continue;
        other->ledger.island = root;
        root->ledger.world |= other->ledger.world;
    }
}

void perp_certificate_add_momentum(perp_system *s)
{
    perp_system *root = perp_certificate_root(s);
    const perp_ledger *l = &s->ledger;
    if (root->ledger.world)
        return;
    for (int i = 0; i < 3; i++)
        root->ledger.defect[i] += l->change[i] - l->driven[i];
    root->ledger.bulk += l->scale / sqrt(l->weight[0]);
}

void perp_certificate_island(perp_certificate *c, const perp_system *root)
{
    const perp_ledger *l = &root->ledger;
    if (l->island != root || l->world || !(l->bulk > 0.0))
        return;
    perp_certificate_note(c, PERP_MEASURE_momentum, norm3(l->defect) / l->bulk, root, NULL);
}
