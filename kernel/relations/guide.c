/* SPDX-License-Identifier: BSD-3-Clause */
/* Contacts and joints with a body whose motion is prescribed: relations of the other body alone
 * that depend on time.  They are evaluated with both, and the columns of the guide become the
 * drift. */
#include <string.h>

#include "kernel/relations/link.h"

static double *own_part(const perp_link *link, const double *x)
{
    memcpy(link->both + (link->guide_first ? 7 : 0), x, 7 * sizeof(double));
    return link->both + (link->guide_first ? 0 : 7);
}

const double *perp_link_both(perp_link *link, double t, const double *x)
{
    double twist[6];
    if (!link->guide)
        return x;
    return perp_system_prescribed(own_part(link, x), twist, link->guide, t) ? NULL : link->both;
}

const double *perp_link_both_at(const perp_link *link, perp_moment moment, const double *x)
{
    if (!link->guide)
        return x;
    memcpy(own_part(link, x), link->guide->q[moment], 7 * sizeof(double));
    return link->both;
}

void perp_link_take_own(double *H, const perp_link *link)
{
    size_t part = 6 * (size_t)link->rows;
    memcpy(H, link->both_H + (link->guide_first ? part : 0), part * sizeof(double));
}

void perp_link_add_guide_rate(double *rows, const perp_link *link, const double *v)
{
    const double *H = link->both_H + (link->guide_first ? 0 : 6 * (size_t)link->rows);
    for (int j = 0; j < 6; j++, H += link->rows)
        for (int i = 0; i < link->rows; i++)
            rows[i] += H[i] * v[j];
}

int perp_link_guide_drift(double *h_t, perp_link *link, double t, const double *x)
{
    double twist[6];
    if (perp_system_prescribed(own_part(link, x), twist, link->guide, t))
        return 1;
    if (link->relation.kind == PERP_RELATION_JOINT)
        perp_joint_jacobian(link->both_H, link, link->both);
    else if (perp_contact_rows(NULL, link->both_H, link, t, link->both))
        return 1;
    memset(h_t, 0, sizeof(double) * (size_t)link->rows);
    perp_link_add_guide_rate(h_t, link, twist);
    return 0;
}
