/* SPDX-License-Identifier: BSD-3-Clause */
#include "bench/campaign/accuracy/accuracy.h"

#include <math.h>
#include <string.h>

/* Label, scheme, parameters, first: a ladder of steps. */
#define STEPS(label, scheme, set, first)                                                           \
    {                                                                                              \
        label, scheme, set, NULL, first, NAN, NAN, NULL                                            \
    }
/* Label, scheme, parameters, steps over the horizon, loosest and tightest tolerance. */
#define TOLS(label, scheme, set, steps, coarse, fine)                                              \
    {                                                                                              \
        label, scheme, set, "atol rtol", steps, coarse, fine, NULL                                 \
    }
/* The same; impacts that accumulate are left when the time to their end is below the root of the
 * tolerance, which then is what it leaves in q. */
#define EVENTS(label, set, steps, coarse, fine)                                                    \
    {                                                                                              \
        label, "event-driven", set, "atol rtol sqrt:zeno_time", steps, coarse, fine, NULL          \
    }
#define PEER(label, program, first)                                                                \
    {                                                                                              \
        label, NULL, NULL, NULL, first, NAN, NAN, program                                          \
    }
#define PEER_TOLS(label, program, steps, coarse, fine)                                             \
    {                                                                                              \
        label, NULL, NULL, "tol", steps, coarse, fine, program                                     \
    }

/* One line each.  Lines of a scheme that this library has not are passed over; a scheme that has no
 * line gets a ladder of steps with its defaults. */
static const perp_accuracy_series table[] = {
    STEPS("discrete-gradient", "discrete-gradient", NULL, 160),
    STEPS("moreau-jean", "moreau-jean", NULL, 160),
    STEPS("schatzman-paoli", "schatzman-paoli", NULL, 160),
    STEPS("generalized-alpha", "generalized-alpha", NULL, 160),
    STEPS("capturing midpoint (2)", "event-capturing-rk", "tableau=midpoint", 20),
    STEPS("capturing heun3 (3)", "event-capturing-rk", "tableau=heun3", 15),
    STEPS("capturing rk4 (4)", "event-capturing-rk", "tableau=rk4", 10),
    STEPS("capturing dormand-prince (5)", "event-capturing-rk", "tableau=dormand-prince", 8),
    STEPS("capturing dormand-prince (8)", "event-capturing-rk", "tableau=dormand-prince8", 6),
    STEPS("capturing radau3 (3)", "event-capturing-rk", "tableau=radau3", 15),
    STEPS("capturing radau5 (5)", "event-capturing-rk", "tableau=radau5", 8),
    STEPS("splitting rk4", "splitting", "tableau=rk4", 160),
    STEPS("splitting rk4 continuous", "splitting", "tableau=rk4 contact_forces=continuous", 160),
    TOLS("adaptive 0", "moreau-jean-adaptive", "error_order=0 step_control=error", 20, 1e-2, 1e-6),
    TOLS("adaptive 1", "moreau-jean-adaptive", "error_order=1 step_control=error", 20, 1e-2, 1e-6),
    TOLS("adaptive 2", "moreau-jean-adaptive", "error_order=2 step_control=error", 20, 1e-2, 1e-6),
    TOLS("adaptive 0 and violation", "moreau-jean-adaptive", "error_order=0", 20, 1e-2, 1e-6),
    TOLS("adaptive 1 and violation", "moreau-jean-adaptive", "error_order=1", 20, 1e-2, 1e-6),
    TOLS("adaptive variable", "moreau-jean-adaptive", "error_order=variable", 20, 1e-2, 1e-6),
    TOLS("discrete-gradient adaptive", "discrete-gradient-adaptive", NULL, 20, 1e-2, 1e-6),
    TOLS("extrapolated 2", "moreau-jean-extrapolated", "levels=2", 20, 1e-2, 1e-6),
    TOLS("extrapolated 4", "moreau-jean-extrapolated", "levels=4", 20, 1e-2, 1e-6),
    EVENTS("event-driven dormand-prince", "tableau=dormand-prince", 5, 1e-3, 1e-12),
    EVENTS("event-driven fehlberg", "tableau=fehlberg", 5, 1e-3, 1e-12),
    EVENTS("event-driven dormand-prince8", "tableau=dormand-prince8", 5, 1e-3, 1e-12),
    EVENTS("event-driven radau5", "tableau=radau5", 5, 1e-3, 1e-12),
    PEER("siconos: moreau-jean", "perp-peer-impacts", 160),
    PEER_TOLS("siconos: event-driven", "perp-peer-impacts", 5, 1e-3, 1e-12),
};

enum { LINES = sizeof table / sizeof table[0] };

static int has_line(const char *scheme)
{
    for (int k = 0; k < LINES; k++)
        if (table[k].scheme && !strcmp(table[k].scheme, scheme))
            return 1;
    return 0;
}

static int is_there(const char *scheme)
{
    const char *name;
    for (int k = 0; (name = perp_scheme_at(k)) != NULL; k++)
        if (!strcmp(name, scheme))
            return 1;
    return 0;
}

/* The order is one in h: series over tolerances and peers are for the precision alone. */
int perp_accuracy_series_list(perp_accuracy_series *series, perp_accuracy_kind kind)
{
    const char *name;
    int count = 0;
    for (int k = 0; k < LINES; k++) {
        const perp_accuracy_series *one = &table[k];
        if (kind == PERP_ACCURACY_ORDER && (one->tols || one->peer))
            continue;
        if (one->peer || is_there(one->scheme))
            series[count++] = *one;
    }
    for (int k = 0; (name = perp_scheme_at(k)) != NULL && count < PERP_ACCURACY_SERIES; k++)
        if (!has_line(name))
            series[count++] = (perp_accuracy_series)STEPS(name, name, NULL, 160);
    return count;
}
