/* SPDX-License-Identifier: BSD-3-Clause */
/* One block of ROLLING: planted solutions in every regime, of every kind of
 * matrix, judged by the error of the answer alone. */
#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/rng.h"
#include "linalg/small.h"
#include "local/local.h"
#include "local/local_rolling.h"
#include "sets/rolling.h"
#include "sets/set.h"
#include "tests/fixtures/rolling_layout.h"

typedef enum family {
    SPD,
    NEARLY_SINGULAR, /* singular values down to 1e-15 of the largest */
    LOW_RANK,        /* 1 .. dim - 1 */
    UNSYMMETRIC,     /* SPD and a few per cent of anything */
    SKEW,            /* SPD and a skew part as large */
    SPHERE,          /* a sphere on a plane or on another one */
    FAMILIES
} family;

/* A part rests (|z| < mu z_N) or moves; of six rows S moves too with `SPINS` added. */
typedef enum regime { OPEN, REST, SLIDES, ROLLS, BOTH, REGIMES } regime;
enum { SPINS = 8 };

typedef struct planted {
    perp_block block;
    double A[36], b[6], z[6];
} planted;

static double between(perp_rng *rng, double lo, double hi)
{
    return lo + (hi - lo) * perp_rng_uniform(rng);
}

static void unit(double *x, int n, perp_rng *rng)
{
    double square;
    do {
        square = 0.0;
        for (int i = 0; i < n; i++) {
            x[i] = between(rng, -1.0, 1.0);
            square += x[i] * x[i];
        }
    } while (square > 1.0 || square < 1e-2);
    for (int i = 0; i < n; i++)
        x[i] /= sqrt(square);
}

static void add(double *A, int dim, double s, perp_rng *rng)
{
    double v[6];
    unit(v, dim, rng);
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++)
            A[dim * j + i] += s * v[i] * v[j];
}

static void make_matrix(double *A, int dim, family kind, perp_rng *rng)
{
    const int rows = rolling_part(dim, 0).rows;
    int rank = kind == LOW_RANK ? 1 + perp_rng_below(rng, dim - 1) : dim;
    memset(A, 0, 36 * sizeof(double));
    if (kind == SPHERE) {
        for (int i = 0; i < dim; i++)
            A[i * (dim + 1)] = i == 0 ? 1.0 : i <= rows ? 3.5 : 2.5;
        add(A, dim, between(rng, 0.0, 1.0), rng);
    }
    for (int k = 0; k < rank && kind != SPHERE; k++) {
        double low = kind == NEARLY_SINGULAR && k > 0 ? -15.0 : -1.3;
        add(A, dim, k ? pow(10.0, between(rng, low, 0.0)) : 1.0, rng);
    }
    for (int i = 0; i < dim && (kind == SPD || kind == UNSYMMETRIC || kind == SKEW); i++)
        A[i * (dim + 1)] += 0.05;
    for (int j = 0; j < dim; j++)
        for (int i = 0; i < dim; i++) {
            double skew = kind == SKEW && i < j ? between(rng, -1.0, 1.0) : 0.0;
            A[i + j * dim] += skew;
            A[j + i * dim] -= skew;
            A[i + j * dim] += kind == UNSYMMETRIC ? between(rng, -0.02, 0.02) : 0.0;
        }
}

static double pick(perp_rng *rng)
{
    static const double values[] = {0.0, 1e-3, 0.1, 0.3, 0.7, 1.0, 3.0};
    return values[perp_rng_below(rng, 7)];
}

/* z and w of one part for a normal force n. */
static void plant_part(double *z, double *w, int rows, double mu, double n, int moves, double speed,
                       perp_rng *rng)
{
    double c[2] = {perp_rng_below(rng, 2) ? 1.0 : -1.0, 0.0};
    if (rows == 2)
        unit(c, 2, rng);
    double share = moves ? 1.0 : perp_rng_uniform(rng);
    for (int i = 0; i < rows; i++) {
        z[i] = mu * n * share * c[i];
        w[i] = moves ? -speed * c[i] : 0.0;
    }
}

static double part_norm(const double *A, int dim, int first, int rows)
{
    double part[9];
    for (int i = 0; i < rows * rows; i++)
        part[i] = A[first + i % rows + (first + i / rows) * dim];
    return perp_small_norm2(part, rows);
}

static void make(planted *p, int dim, family kind, int state, perp_rng *rng)
{
    const int rows = rolling_part(dim, 0).rows, how = state % SPINS;
    const int moves[3] = {how == SLIDES || how == BOTH, how == ROLLS || how == BOTH,
                          state >= SPINS};
    double w[6] = {0.0}, n = pow(10.0, between(rng, -6.0, 6.0)), size = 0.0;
    memset(p, 0, sizeof *p);
    make_matrix(p->A, dim, kind, rng);
    double scale = pow(10.0, between(rng, -9.0, 9.0)), l = pow(10.0, between(rng, -3.0, 3.0));
    for (int i = 0; i < dim * dim; i++)
        size = fmax(size, fabs(p->A[i] *= scale));
    double speed = size * n * pow(10.0, between(rng, -2.0, 2.0));
    double mu[3] = {0.0};
    for (int k = 0; k < (dim == 6 ? 3 : 2); k++)
        mu[k] = pick(rng);
    if (how == OPEN) {
        w[0] = speed * perp_rng_uniform(rng);
        for (int i = 1; i < dim; i++)
            w[i] = between(rng, -speed, speed);
    } else {
        p->z[0] = n;
        for (int k = 0; k < LAYOUT_PARTS && rolling_part(dim, k).rows; k++) {
            layout_part part = rolling_part(dim, k);
            plant_part(p->z + part.first, w + part.first, part.rows, mu[k], n, moves[k],
                       k ? speed * pow(10.0, between(rng, -2.0, 2.0)) : speed, rng);
        }
    }
    /* w_R is free where mu_r = 0. */
    for (int i = 0; i < dim; i++) {
        long double sum = w[i];
        for (int j = 0; j < dim; j++)
            sum -= (long double)p->A[i + j * dim] * p->z[j];
        p->b[i] = (double)sum;
    }
    /* Another unit of length for the rolling rows. */
    for (int i = 1 + rows; i < dim; i++) {
        p->z[i] *= l;
        p->b[i] /= l;
        for (int j = 0; j < dim; j++) {
            p->A[i + j * dim] /= l;
            p->A[j + i * dim] /= l;
        }
    }
    double sliding = part_norm(p->A, dim, 1, rows);
    double rolling = part_norm(p->A, dim, 1 + rows, dim - 1 - rows);
    p->block = (perp_block){.dim = (short)dim,
                            .set = PERP_ROLLING,
                            .par = {mu[0], mu[1] * l, mu[2] * l},
                            .length = sqrt(sliding) / sqrt(rolling)};
    if (!(p->block.length > 0.0) || !isfinite(p->block.length))
        p->block.length = 1.0;
}

/* |z - P(z - (w + s)/a)| a / max(|b|, a |z|, |w|) in the unit of the block. */
static double error_of(const planted *p, const double *z_in)
{
    const int dim = p->block.dim, rows = rolling_part(dim, 0).rows;
    const double l = p->block.length;
    double A[36] = {0.0}, b[6], z[6], w[6], y[6], x[6], q[6], sum = 0.0;
    double par[3] = {p->block.par[0], p->block.par[1] / l, p->block.par[2] / l};
    for (int j = 0; j < dim; j++) {
        double up = j > rows ? l : 1.0;
        b[j] = p->b[j] * up;
        z[j] = z_in[j] / up;
        for (int i = 0; i < dim; i++)
            A[i + j * dim] = p->A[i + j * dim] * up * (i > rows ? l : 1.0);
    }
    double a = perp_small_norm2(A, dim);
    for (int i = 0; i < dim; i++) {
        w[i] = b[i];
        for (int j = 0; j < dim; j++)
            w[i] += A[i + j * dim] * z[j];
        y[i] = w[i];
    }
    y[0] += perp_set_rolling.shift(w, par, dim);
    for (int i = 0; i < dim; i++)
        x[i] = z[i] - y[i] / a;
    perp_set_rolling.project(q, x, par, dim);
    for (int i = 0; i < dim; i++) {
        double e = q[i] == x[i] ? y[i] : a * (z[i] - q[i]);
        sum += e * e;
    }
    return sqrt(sum) / fmax(fmax(perp_norm(b, dim), a * perp_norm(z, dim)), perp_norm(w, dim));
}

/* Number of blocks without an answer. */
static int misses(int dim, family kind, int how, int count, uint64_t seed, double limit)
{
    perp_rng rng = {seed};
    int missed = 0;
    for (int n = 0; n < count; n++) {
        planted p;
        double z[6] = {0.0};
        make(&p, dim, kind, how, &rng);
        for (int i = 0; i < dim && n % 2; i++)
            z[i] = p.z[0] * between(&rng, -1.0, 1.0);
        perp_status status = perp_local_solve(z, &p.block, p.A, NULL, p.b, PERP_LOCAL_HYBRID, NULL);
        double error = error_of(&p, z);
        if (status == PERP_SOLVED)
            ck_assert_double_le(error, limit);
        missed += status != PERP_SOLVED;
    }
    return missed;
}

START_TEST(planted_blocks)
{
    for (int dim = 3; dim <= 6; dim++)
        for (int kind = 0; kind < FAMILIES; kind++)
            for (int how = 0; how < (dim == 6 ? SPINS + (int)REGIMES : (int)REGIMES); how++) {
                if (how % SPINS >= (int)REGIMES || how == SPINS + (int)OPEN)
                    continue;
                int missed = misses(dim, (family)kind, how, 1700, 50 + (uint64_t)how, 1e-12);
                ck_assert_msg(missed == 0, "%d rows, family %d, regime %d: %d missed", dim, kind,
                              how, missed);
            }
}
END_TEST

/* A solution exists for every b where A is positive definite. */
START_TEST(any_offset)
{
    static const family kinds[] = {SPD, SKEW, SPHERE};
    perp_rng rng = {7};
    for (int n = 0; n < 20000; n++) {
        int dim = 3 + n / 3 % 4;
        planted p;
        double z[6] = {0.0};
        make(&p, dim, kinds[n % 3], REST, &rng);
        double size = perp_norm(p.b, dim);
        for (int i = 0; i < dim; i++)
            p.b[i] =
                size * between(&rng, -1.0, 1.0) / (rolling_moment(dim, i) ? p.block.length : 1.0);
        p.block.par[0] *= perp_rng_below(&rng, 4) ? 1.0 : 100.0;
        ck_assert_int_eq(perp_local_solve(z, &p.block, p.A, NULL, p.b, PERP_LOCAL_HYBRID, NULL),
                         PERP_SOLVED);
        ck_assert_double_le(error_of(&p, z), 1e-12);
    }
}
END_TEST

/* w_N < 0 whatever z is. */
START_TEST(never_loaded)
{
    for (int dim = 3; dim <= 6; dim++) {
        double A[36] = {0.0}, b[6] = {-1.0, 0.3, 0.2, 0.1, 0.0}, z[6] = {0.0};
        perp_block block = {.dim = (short)dim, .set = PERP_ROLLING, .par = {0.5, 0.5, 0.5}};
        block.length = 1.0;
        for (int i = 0; i < dim; i++)
            A[i * (dim + 1)] = i ? 1.0 : -0.1;
        ck_assert_int_eq(perp_local_solve(z, &block, A, NULL, b, PERP_LOCAL_HYBRID, NULL),
                         PERP_INFEASIBLE);
        memset(A, 0, sizeof A);
        ck_assert_int_eq(perp_local_solve(z, &block, A, NULL, b, PERP_LOCAL_HYBRID, NULL),
                         PERP_INFEASIBLE);
        b[0] = 0.0;
        z[0] = z[1] = 3.0;
        ck_assert_int_eq(perp_local_solve(z, &block, A, NULL, b, PERP_LOCAL_HYBRID, NULL),
                         PERP_SOLVED);
        for (int i = 0; i < dim; i++)
            ck_assert(z[i] == 0.0);
    }
}
END_TEST

/* Near an answer modes alone find one, and where they do not the guess is as it was. */
START_TEST(modes_near_an_answer)
{
    static const family kinds[] = {SPD, UNSYMMETRIC, SPHERE};
    perp_rng rng = {11};
    int tried = 0, found = 0;
    for (int n = 0; n < 20000; n++) {
        int dim = 3 + n % 4, how = 1 + n / 4 % (REGIMES - 1);
        planted p;
        double z[6] = {0.0}, guess[6];
        make(&p, dim, kinds[n % 3], dim == 6 && n % 5 == 0 ? SPINS + how : how, &rng);
        if (p.block.par[0] == 0.0 || p.block.par[1] == 0.0 || (dim == 6 && p.block.par[2] == 0.0))
            continue;
        for (int i = 0; i < dim; i++)
            z[i] = p.z[i] * between(&rng, 0.99, 1.01);
        memcpy(guess, z, sizeof z);
        tried++;
        if (perp_roll_modes(z, &p.block, p.A, p.b)) {
            ck_assert_double_le(error_of(&p, z), 1e-13);
            found++;
        } else {
            ck_assert_mem_eq(z, guess, sizeof z);
        }
    }
    ck_assert_msg(found > 0.95 * tried, "%d of %d", found, tried);
}
END_TEST

/* mu_r = 0 is the contact without rolling, to the bit. */
START_TEST(without_rolling)
{
    perp_rng rng = {8};
    for (int n = 0; n < 2000; n++) {
        planted p;
        double z[6] = {0.0}, r[3] = {0.0}, A[9];
        perp_local_prep prep;
        const int dim = 4 + n / (int)REGIMES % 3;
        make(&p, dim, SPD, n % (int)REGIMES, &rng);
        p.block.par[1] = p.block.par[2] = 0.0;
        for (int i = 0; i < 9; i++)
            A[i] = p.A[i % 3 + i / 3 * dim];
        perp_local_prepare(&prep, A, 3);
        perp_status status = perp_local_hybrid(r, A, &prep, p.b, p.block.par[0]);
        ck_assert_int_eq(perp_local_solve(z, &p.block, p.A, NULL, p.b, PERP_LOCAL_HYBRID, NULL),
                         status);
        ck_assert_mem_eq(z, r, sizeof r);
        ck_assert(z[3] == 0.0 && z[4] == 0.0 && z[5] == 0.0);
    }
}
END_TEST

/* Six rows with one coefficient 0 are the block of the other two parts, as closely as that
 * determines its answer. */
START_TEST(without_a_part)
{
    static const int rows[3][5] = {{0, 4, 5, 3, 3}, {0, 1, 2, 3, 3}, {0, 1, 2, 4, 5}};
    perp_rng rng = {9};
    for (int n = 0; n < 2000; n++) {
        planted p, few = {.block.set = PERP_ROLLING};
        double z[6] = {0.0}, r[6] = {0.0};
        const int out = n % 3, dim = out == 2 ? 5 : 4;
        make(&p, 6, SPD, n / 3 % (int)REGIMES, &rng);
        p.block.par[out] = 0.0;
        few.block.dim = (short)dim;
        few.block.length = p.block.length;
        few.block.par[0] = p.block.par[out == 0];
        few.block.par[1] = p.block.par[out == 2 ? 1 : 2];
        if (out == 0) /* rows R in the place of T */
            few.block.length = p.block.length = 1.0;
        for (int j = 0; j < dim; j++) {
            few.b[j] = p.b[rows[out][j]];
            for (int i = 0; i < dim; i++)
                few.A[i + j * dim] = p.A[rows[out][i] + 6 * rows[out][j]];
        }
        perp_status status = perp_local_solve(z, &p.block, p.A, NULL, p.b, PERP_LOCAL_HYBRID, NULL);
        ck_assert_int_eq(
            perp_local_solve(r, &few.block, few.A, NULL, few.b, PERP_LOCAL_HYBRID, NULL), status);
        ck_assert_double_le(error_of(&few, r), 1e-12);
        for (int i = 0; i < dim; i++)
            r[i] = z[rows[out][i]];
        ck_assert_double_le(error_of(&few, r), 1e-12);
    }
}
END_TEST

/* No answer: a direction in which A is negative, and one that A hardly sees and b pulls along, as
 * of a body that is held between others.  The block says so, and leaves a finite point. */
START_TEST(without_an_answer)
{
    static const struct {
        short dim;
        double par[3], A[36], b[6];
    } of[] = {
        {4,
         {0.3, 8.0564732252974615e-07},
         {-3.0933056759953084e-08, -4.1810539925009036e-07, 4.456510319382142e-08,
          0.00010797403696906367, -3.3242212751916078e-07, 0.9280139189966532, -0.10100876628244349,
          0.0089540316189144278, 4.148775462411991e-08, -0.10100875829718496, 0.010994199659637174,
          -0.00099219543099476307, 0.00025956807034040251, 0.0096885050394110925,
          -0.0010220087192916809, -0.9390081183868022},
         {-0.00026869345813807118, 0.058140746553711722, 0.018485271423843826,
          -0.65142287442350044}},
        {6,
         {1, 0.0069463765809963645, 0.0069463765809963645},
         {0.00012229533684904195, 0.00083646465215212124, 0.0092850543460496534,
          0.0021449276933003607,  0.0028729509444429856,  0.0086525040775917317,
          0.00083646465215202052, 0.0092579641872499851,  0.083903580192469754,
          0.013046480359299284,   0.027384434816004305,   0.07858166437109522,
          0.009285054346049525,   0.083903580192469948,   0.82257681583152409,
          0.15348308494240803,    0.26272691697210587,    0.76881082367150555,
          0.0021449276933001075,  0.013046480359300318,   0.15348308494240664,
          0.038365592238958329,   0.046836623101174125,   0.14284598270775151,
          0.0028729509444424179,  0.027384434816005377,   0.26272691697210143,
          0.046836623101166396,   0.084404507912553106,   0.24569023212729854,
          0.0086525040775915791,  0.078581664371095275,   0.76881082367150655,
          0.14284598270775267,    0.24569023212730379,    0.71859676041100495},
         {-0.17172728284100167, -0.23175735505948886, 0.035584156994592941, 0.17061686292527195,
          0.29595627297227184, 0.86485025484207223}}};
    for (int k = 0; k < 2; k++) {
        perp_block block = {.dim = of[k].dim, .set = PERP_ROLLING, .length = 1.0};
        double z[6] = {0.0};
        memcpy(block.par, of[k].par, sizeof of[k].par);
        perp_status status =
            perp_local_solve(z, &block, of[k].A, NULL, of[k].b, PERP_LOCAL_HYBRID, NULL);
        ck_assert_int_eq(status, PERP_STALLED);
        for (int i = 0; i < of[k].dim; i++)
            ck_assert(isfinite(z[i]));
    }
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("local rolling");
    TCase *tcase = tcase_create("blocks");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, planted_blocks);
    tcase_add_test(tcase, any_offset);
    tcase_add_test(tcase, never_loaded);
    tcase_add_test(tcase, modes_near_an_answer);
    tcase_add_test(tcase, without_rolling);
    tcase_add_test(tcase, without_a_part);
    tcase_add_test(tcase, without_an_answer);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
