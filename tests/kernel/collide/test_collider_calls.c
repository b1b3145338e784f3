/* SPDX-License-Identifier: BSD-3-Clause */
/* Calls of a collider, one by one: what is out of range is refused and changes nothing; masks and
 * exclusions in any order; laws that change one number at a time. */
#include "tests/fixtures/collide_scene.h"

enum { BALLS = 6 };

/* Balls that all touch each other. */
static void heap(scene *s, perp_shape_id *id, const int *category, const int *touch)
{
    open_scene(s, BALLS);
    for (int i = 0; i < BALLS; i++) {
        double at[3] = {0.05 * i, 0.01 * i * i, 0.0};
        perp_shape_def def;
        perp_shape_def_init(&def, sizeof def);
        s->bodies[i] = add_body(s->model, at, NULL);
        def.body = s->bodies[i];
        def.radius = 0.3;
        def.category = category ? (uint32_t)category[i] : 0;
        def.touches = touch ? (uint32_t)touch[i] : 0;
        ck_assert_int_eq(perp_collider_add(s->collider, &def, &id[i], NULL), PERP_SOLVED);
    }
}

/* Contacts of a checkpoint are the same bytes before and after. */
typedef struct picture {
    size_t bytes;
    unsigned char *data;
} picture;

static picture picture_of(const scene *s)
{
    picture p = {0};
    ck_assert_int_eq(perp_collider_save(s->collider, NULL, &p.bytes), PERP_SOLVED);
    p.data = malloc(p.bytes);
    ck_assert_int_eq(perp_collider_save(s->collider, p.data, &p.bytes), PERP_SOLVED);
    return p;
}

static perp_status broken_law(perp_collider *c, int k)
{
    perp_law law = k == 0   ? perp_law_equality()
                   : k == 1 ? perp_law_friction(5, 0.5, 0.5)
                   : k == 2 ? perp_law_friction(3, 0.5, -1.0)
                   : k == 3 ? perp_law_impact(2.0)
                            : perp_law_impact(0.5);
    return perp_collider_set_law(c, k == 4 ? -1 : 0, k == 5 ? -1 : 0, k == 6 ? NULL : &law);
}

static perp_status refused(perp_collider *c, const perp_shape_id *id, int k)
{
    perp_contact_info info = {.size = sizeof info};
    perp_shape_id old = id[0], far = {1000, 1};
    old.generation++;
    switch (k) {
    case 0:
        return perp_collider_set_margin(c, -1.0);
    case 1:
        return perp_collider_set_margin(c, INFINITY);
    case 2:
        return perp_collider_set_skin(c, 0, 0, NAN);
    case 3:
        return perp_collider_set_skin(c, -1, 0, 0.1);
    case 4:
        return perp_collider_set_coefficients(c, -1, 0.0, 0.0, 0.0);
    case 5:
        return perp_collider_set_coefficients(c, 1 << 30, 0.0, 0.0, 0.0);
    case 6:
        return perp_collider_set_coefficients(c, 0, -0.1, 0.0, 0.0);
    case 7:
        return perp_collider_set_coefficients(c, 0, 1.1, 0.0, 0.0);
    case 8:
        return perp_collider_set_coefficients(c, 0, 0.0, -1.0, 0.0);
    case 9:
        return perp_collider_set_coefficients(c, 0, 0.0, INFINITY, 0.0);
    case 10:
        return perp_collider_set_coefficients(c, 0, 0.0, 0.0, -1.0);
    case 11:
        return perp_collider_set_coefficients(c, 0, 0.0, 0.0, INFINITY);
    case 12:
        return perp_collider_set_torsion(c, 0, -1.0);
    case 13:
        return perp_collider_set_torsion(c, 0, INFINITY);
    case 14:
        return perp_collider_set_torsion(c, 7, 0.1);
    case 15:
        return perp_collider_set_torsion(c, -1, 0.1);
    case 16:
        return perp_collider_exclude(c, id[0], id[0]);
    case 17:
        return perp_collider_exclude(c, id[1], old);
    case 18:
        return perp_collider_exclude(c, far, id[1]);
    case 19:
        return perp_collider_remove(c, old);
    case 20:
        return perp_collider_contact(c, -1, &info);
    case 21:
        return perp_collider_contact(c, 1000, &info);
    case 22:
        return perp_collider_contact(c, 0, NULL);
    case 23:
        return perp_collider_detect(c, NAN, 0.1);
    case 24:
        return perp_collider_detect(c, 0.0, INFINITY);
    default:
        return broken_law(c, k - 25);
    }
}
enum { REFUSALS = 32 };

START_TEST(what_is_refused_changes_nothing)
{
    scene s;
    perp_shape_id id[BALLS];
    heap(&s, id, NULL, NULL);
    detect(&s, 0.0);
    ck_assert_int_eq(perp_collider_contacts(s.collider), BALLS * (BALLS - 1) / 2);
    picture before = picture_of(&s);
    for (int k = 0; k < REFUSALS; k++) {
        perp_status status = refused(s.collider, id, k);
        ck_assert_msg(status == PERP_ERR_ARGUMENT || status == PERP_ERR_STATE, "%d: %d", k,
                      (int)status);
    }
    detect(&s, 0.0);
    picture after = picture_of(&s);
    ck_assert_uint_eq(before.bytes, after.bytes);
    ck_assert_mem_eq(before.data, after.data, before.bytes);
    free(before.data);
    free(after.data);
    close_scene(&s);
}
END_TEST

static perp_status make(void **own, void *ctx, const perp_shape_def *def)
{
    (void)ctx, (void)def;
    *own = NULL;
    return PERP_SOLVED;
}

static void drop(void *own, void *ctx)
{
    (void)own, (void)ctx;
}

static int collide(perp_contact_point *points, int capacity, void *ctx, void *a,
                   const double *pose_a, void *b, const double *pose_b, double reach)
{
    (void)points, (void)capacity, (void)ctx, (void)a, (void)pose_a, (void)b, (void)pose_b;
    (void)reach;
    return 0;
}

START_TEST(calls_without_a_collider)
{
    scene s;
    perp_collider *none = NULL;
    perp_contact_info info = {.size = sizeof info};
    perp_law law = perp_law_impact(0.0);
    open_scene(&s, 1);
    ck_assert_int_eq(perp_collider_create(NULL, s.model, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_create(&none, NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_ptr_null(none);
    ck_assert_int_eq(perp_collider_set_margin(NULL, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_law(NULL, 0, 0, &law), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_skin(NULL, 0, 0, 0.1), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_coefficients(NULL, 0, 0, 0, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_set_torsion(NULL, 0, 0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_exclude(NULL, (perp_shape_id){0, 1}, (perp_shape_id){1, 1}),
                     PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_detect(NULL, 0.0, 0.0), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_contact(NULL, 0, &info), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_status(NULL), PERP_ERR_ARGUMENT);
    ck_assert_str_eq(perp_collider_detail(NULL), "");
    ck_assert_int_eq(perp_collider_shapes(NULL), 0);
    ck_assert_int_eq(perp_collider_lacks_narrow_phase(NULL), 0);
    ck_assert_int_eq(perp_collider_set_narrow_phase(NULL, NULL), PERP_ERR_ARGUMENT);
    ck_assert_int_eq(perp_collider_after_step(NULL, NULL, s.model, 0.0, 0.1), 0);
    ck_assert_int_eq(perp_collider_step(NULL, NULL, s.model, 0.0, 0.1), 1);
    perp_collider_set_on_contact(NULL, NULL, NULL);
    perp_collider_set_on_new(NULL, NULL, NULL);
    perp_collider_destroy(NULL);
    /* A narrow phase that lacks one of its calls. */
    for (int k = 0; k < 4; k++) {
        perp_narrow_phase narrow = {.size = k == 3 ? 0 : sizeof narrow,
                                    .make = k == 0 ? NULL : make,
                                    .drop = k == 1 ? NULL : drop,
                                    .collide = k == 2 ? NULL : collide};
        ck_assert_int_eq(perp_collider_set_narrow_phase(s.collider, &narrow), PERP_ERR_ARGUMENT);
    }
    close_scene(&s);
}
END_TEST

/* Who touches whom by masks: one of them is what the other one touches; 0 and 0 stand for 1 and 1.
 */
START_TEST(masks)
{
    static const int category[BALLS] = {0, 1, 2, 4, 6, 0}, touch[BALLS] = {0, 1, 4, 2, 0, 2};
    scene s;
    perp_shape_id id[BALLS];
    int wanted = 0;
    heap(&s, id, category, touch);
    detect(&s, 0.0);
    for (int i = 0; i < BALLS; i++)
        for (int j = i + 1; j < BALLS; j++) {
            int a = category[i] || touch[i] ? category[i] : 1,
                b = category[j] || touch[j] ? category[j] : 1;
            int on_a = category[i] || touch[i] ? touch[i] : 1,
                on_b = category[j] || touch[j] ? touch[j] : 1;
            wanted += (a & on_b) != 0 || (b & on_a) != 0;
        }
    ck_assert_int_gt(wanted, 2);
    ck_assert_int_lt(wanted, BALLS * (BALLS - 1) / 2);
    ck_assert_int_eq(perp_collider_contacts(s.collider), wanted);
    close_scene(&s);
}
END_TEST

/* Pairs that are excluded from the last to the first, and back. */
START_TEST(exclusions_in_any_order)
{
    for (int way = 0; way < 2; way++) {
        scene s;
        perp_shape_id id[BALLS];
        int left = BALLS * (BALLS - 1) / 2;
        heap(&s, id, NULL, NULL);
        for (int k = 0; k < BALLS * BALLS; k++) {
            int at = way ? BALLS * BALLS - 1 - k : k, i = at / BALLS, j = at % BALLS;
            if (i >= j || (i + j) % 2 == 0)
                continue;
            ck_assert_int_eq(perp_collider_exclude(s.collider, id[i], id[j]), PERP_SOLVED);
            left--;
            detect(&s, 0.0);
            ck_assert_int_eq(perp_collider_contacts(s.collider), left);
        }
        for (int k = 0; k < left; k++) {
            perp_contact_info info = {.size = sizeof info};
            ck_assert_int_eq(perp_collider_contact(s.collider, k, &info), PERP_SOLVED);
            ck_assert_int_eq((int)(info.first.index + info.second.index) % 2, 0);
        }
        close_scene(&s);
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("calls of a collider");
    TCase *tcase = tcase_create("calls");
    tcase_add_test(tcase, what_is_refused_changes_nothing);
    tcase_add_test(tcase, calls_without_a_collider);
    tcase_add_test(tcase, masks);
    tcase_add_test(tcase, exclusions_in_any_order);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
