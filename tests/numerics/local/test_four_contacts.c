/* SPDX-License-Identifier: BSD-3-Clause */
/* Four contacts at once against the solver of one. */
#include <check.h>
#include <math.h>
#include <string.h>

#include "core/rng.h"
#include "local/four_contacts.h"

static const int entry[9] = {0, 1, 2, 1, 3, 4, 2, 4, 5};

typedef struct lane {
    double A[9], b[3], guess[3], mu;
    perp_local_prep prep;
} lane;

/* A = B B' with B of 3 x 4. */
static void draw(lane *l, perp_rng *rng)
{
    double B[12];
    for (int i = 0; i < 12; i++)
        B[i] = 2.0 * perp_rng_uniform(rng) - 1.0;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = 0.0;
            for (int k = 0; k < 4; k++)
                sum += B[i + 3 * k] * B[j + 3 * k];
            l->A[i + 3 * j] = l->A[j + 3 * i] = sum;
        }
        l->b[i] = 2.0 * perp_rng_uniform(rng) - 1.0;
        l->guess[i] = perp_rng_uniform(rng) < 0.3 ? 0.0 : perp_rng_uniform(rng);
    }
    l->mu = perp_rng_uniform(rng) < 0.1 ? 0.0 : perp_rng_uniform(rng);
    perp_local_prepare(&l->prep, l->A, 3);
}

static int solve(double r[4][3], const lane *l)
{
    perp_four A[6], V[6], b[3], z[3], norm, mu;
    perp_four_mask solved;
    int bits = 0;
    for (int k = 0; k < 4; k++) {
        for (int i = 0; i < 9; i++) {
            A[entry[i]][k] = l[k].A[i];
            V[entry[i]][k] = l[k].prep.inverse[i];
        }
        for (int i = 0; i < 3; i++) {
            b[i][k] = l[k].b[i];
            z[i][k] = l[k].guess[i];
        }
        norm[k] = l[k].prep.norm;
        mu[k] = l[k].mu;
    }
    perp_four_contacts(z, &solved, A, V, &norm, b, &mu);
    for (int k = 0; k < 4; k++) {
        bits |= solved[k] ? 1 << k : 0;
        for (int i = 0; i < 3; i++)
            r[k][i] = z[i][k];
    }
    return bits;
}

/* What is called solved is, whatever the guess, and next to nothing is left. */
START_TEST(answers)
{
    perp_rng rng = {11};
    int left = 0, count = 20000;
    for (int trial = 0; trial < count / 4; trial++) {
        lane l[4];
        double r[4][3];
        for (int k = 0; k < 4; k++)
            draw(&l[k], &rng);
        int solved = solve(r, l);
        for (int k = 0; k < 4; k++) {
            perp_contact contact = {l[k].A, l[k].b, l[k].prep.norm, l[k].mu};
            if (!(solved >> k & 1) && l[k].mu > 0.0)
                left++;
            if (!(solved >> k & 1))
                ck_assert_mem_eq(r[k], l[k].guess, sizeof r[k]);
            else
                ck_assert_double_lt(perp_contact_error(&contact, r[k]), 1e-13);
        }
    }
    ck_assert_int_lt(left, count / 100);
}
END_TEST

/* A lane is what it is beside any others. */
START_TEST(lanes_do_not_mix)
{
    perp_rng rng = {12};
    for (int trial = 0; trial < 500; trial++) {
        lane l[4], alone[4];
        double r[4][3], again[4][3];
        for (int k = 0; k < 4; k++)
            draw(&l[k], &rng);
        int solved = solve(r, l);
        for (int k = 0; k < 4; k++) {
            for (int j = 0; j < 4; j++)
                draw(&alone[j], &rng);
            alone[3 - k] = l[k];
            ck_assert_int_eq(solve(again, alone) >> (3 - k) & 1, solved >> k & 1);
            ck_assert_mem_eq(again[3 - k], r[k], sizeof r[k]);
        }
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("four contacts");
    TCase *tests = tcase_create("four contacts");
    tcase_add_test(tests, answers);
    tcase_add_test(tests, lanes_do_not_mix);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
