/* SPDX-License-Identifier: BSD-3-Clause */
/* Two boxes come to rest, one on the other, on the ground.  Boxes against each other need a narrow
 * phase; <perp/narrow_phase.h> has one.  The lower box carries both weights: the impulses of its
 * contacts with the ground in one step are (m1 + m2) g h. */
#include <math.h>
#include <stdio.h>

#include <perp/kernel.h>
#include <perp/narrow_phase.h>

static const double g = 9.81, h = 1e-3;

static perp_system_id add_box(perp_model *model, perp_collider *collider, const double *half,
                              double mass, double x, double z)
{
    perp_system_id id = {0, 0};
    perp_body_def def;

    perp_body_def_init(&def, sizeof def);
    def.mass = mass;
    for (int k = 0; k < 3; k++) {
        double a = half[(k + 1) % 3], b = half[(k + 2) % 3];
        def.inertia[4 * k] = mass / 3.0 * (a * a + b * b);
    }
    def.position[0] = x;
    def.position[2] = z;
    def.force[2] = -mass * g;
    perp_model_add_body(model, &def, &id, NULL);
    perp_collider_add_box(collider, id, half, NULL, NULL);
    return id;
}

/* The state at the end, judged. */
static int report(perp_model *model, const perp_collider *collider, perp_system_id lower,
                  perp_system_id upper)
{
    double *low = NULL, *high = NULL, *speed = NULL, carried = 0.0;

    perp_model_state(model, lower, &low, NULL, NULL, NULL);
    perp_model_state(model, upper, &high, &speed, NULL, NULL);
    for (int k = 0; k < perp_collider_contacts(collider); k++) {
        perp_contact_info contact = {.size = sizeof contact};
        const double *lambda = NULL;
        perp_collider_contact(collider, k, &contact);
        perp_model_output(model, contact.interaction, NULL, NULL, &lambda, NULL, NULL);
        if (contact.point.point_b[2] < 0.1 && lambda != NULL)
            carried += lambda[0];
    }
    printf("heights %.4f and %.4f m, %d contacts, carried %.3f of the weights\n", low[2], high[2],
           perp_collider_contacts(collider), carried / (3.0 * g * h));
    return fabs(low[2] - 0.2) < 1e-3 && fabs(high[2] - 0.5) < 2e-3 && fabs(speed[2]) < 1e-3 &&
           fabs(carried / (3.0 * g * h) - 1.0) < 1e-2;
}

int main(void)
{
    static const double wide[3] = {0.4, 0.3, 0.2}, narrow_box[3] = {0.1, 0.1, 0.1};
    static const double origin[3] = {0, 0, 0}, up[3] = {0, 0, 1};
    perp_narrow_phase narrow;
    perp_collider *collider = NULL;
    perp_model *model = NULL;
    perp_sim *sim = NULL;
    perp_sim_options options;
    perp_system_id lower, upper;
    perp_status status = perp_narrow_phase_create(&narrow, NULL);
    int good;

    if (status == PERP_ERR_UNSUPPORTED) {
        printf("this build has no ODE (Debian: libode-dev)\n");
        return 0;
    }
    perp_model_create(&model, NULL);
    perp_collider_create(&collider, model, NULL);
    perp_collider_set_narrow_phase(collider, &narrow);
    perp_collider_set_material(collider, 0, 0, 0.0, 0.5);
    perp_collider_add_plane(collider, origin, up, NULL, NULL);
    lower = add_box(model, collider, wide, 2.0, 0.0, 0.21);
    upper = add_box(model, collider, narrow_box, 1.0, 0.1, 0.52);

    perp_sim_options_init(&options, sizeof options);
    options.h = h;
    perp_sim_create(&sim, model, &options, NULL, NULL);
    perp_sim_set_before_step(sim, perp_collider_step, collider);
    status = perp_sim_run(sim, 1.0);
    if (perp_collider_status(collider) < 0)
        printf("contact detection: %s\n", perp_status_text(perp_collider_status(collider)));
    good = status == PERP_SOLVED && report(model, collider, lower, upper);

    perp_sim_destroy(sim);
    perp_collider_destroy(collider);
    perp_narrow_phase_destroy(&narrow);
    perp_model_destroy(model);
    return good ? 0 : 1;
}
