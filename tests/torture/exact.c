/* SPDX-License-Identifier: BSD-3-Clause */
#include "config.h"

#ifdef HAVE_GMP
#include <gmp.h>
#include <math.h>
#include <string.h>

#include "tests/fixtures/rolling_layout.h"
#include "tests/torture/adversary.h"
#include "tests/torture/exact.h"

/* m 2^e. */
typedef struct number {
    mpz_t m;
    long e;
} number;

static void start(number *x)
{
    mpz_init(x->m);
    x->e = 0;
}

static void set(number *x, double a)
{
    int e;
    mpz_set_d(x->m, ldexp(frexp(a, &e), 53));
    x->e = e - 53;
}

static void to_exponent(number *x, long e) /* at most its own */
{
    mpz_mul_2exp(x->m, x->m, (mp_bitcnt_t)(x->e - e));
    x->e = e;
}

/* x += a b. */
static void add_product(number *x, const number *a, const number *b)
{
    number t;
    if (mpz_sgn(a->m) == 0 || mpz_sgn(b->m) == 0)
        return;
    start(&t);
    mpz_mul(t.m, a->m, b->m);
    t.e = a->e + b->e;
    if (mpz_sgn(x->m) == 0)
        x->e = t.e;
    to_exponent(x->e > t.e ? x : &t, x->e > t.e ? t.e : x->e);
    mpz_add(x->m, x->m, t.m);
    mpz_clear(t.m);
}

static void add_doubles(number *x, double a, double b)
{
    number f, g;
    start(&f);
    start(&g);
    set(&f, a);
    set(&g, b);
    add_product(x, &f, &g);
    mpz_clear(f.m);
    mpz_clear(g.m);
}

/* x += a |v| with the length of n numbers, not below it. */
static void add_length(number *x, double a, const number *v, int n)
{
    number sum, factor;
    start(&sum);
    start(&factor);
    set(&factor, a);
    for (int i = 0; i < n; i++)
        add_product(&sum, &v[i], &v[i]);
    to_exponent(&sum, sum.e - 400 - (sum.e & 1));
    int exact = mpz_perfect_square_p(sum.m);
    mpz_sqrt(sum.m, sum.m);
    mpz_add_ui(sum.m, sum.m, !exact);
    sum.e /= 2;
    add_product(x, &factor, &sum);
    mpz_clear(sum.m);
    mpz_clear(factor.m);
}

static int sign(const number *x)
{
    return mpz_sgn(x->m);
}

/* What a proof is made of. */
typedef struct account {
    number value;  /* the supremum where nothing is broken */
    number breach; /* of the conditions on c */
    double reach;
    int signs;
} account;

/* c of a direction in which z has no bound but the reach, from the bound `at`. */
static void add_open(account *a, const number *c, int direction, double at)
{
    number one;
    start(&one);
    if (at != 0.0) {
        set(&one, at);
        add_product(&a->value, c, &one);
    }
    if (sign(c) * direction > 0) {
        /* |z - at| < reach + |at| */
        set(&one, direction);
        add_product(&a->breach, c, &one);
        set(&one, direction * fabs(at));
        add_product(&a->value, c, &one);
    }
    mpz_clear(one.m);
}

static void add_row(account *a, perp_set kind, double y, const number *c, double lo, double hi)
{
    int up = 1, down = kind == PERP_FREE;
    if (kind == PERP_BOX) {
        up = isinf(hi);
        down = isinf(lo);
    }
    double low = kind == PERP_BOX ? lo : 0.0;
    if (kind == PERP_NONNEG || (kind == PERP_BOX && !down))
        a->signs &= y >= 0.0;
    if (kind == PERP_BOX && !up)
        a->signs &= y <= 0.0;
    if (up && down)
        add_open(a, c, sign(c) >= 0 ? 1 : -1, 0.0);
    else if (up)
        add_open(a, c, 1, low);
    else if (down)
        add_open(a, c, -1, hi);
    else {
        number bound;
        start(&bound);
        set(&bound, sign(c) > 0 ? hi : lo);
        add_product(&a->value, c, &bound);
        mpz_clear(bound.m);
    }
}

static void add_cone(account *a, perp_set kind, int dim, const double *y, const number *c,
                     const double *mu)
{
    int n = kind == PERP_ROLLING ? rolling_part(dim, 0).rows : dim - 1;
    number sum, one;
    start(&sum);
    start(&one);
    set(&one, 1.0);
    add_product(&sum, &c[0], &one);
    a->signs &= y[0] >= 0.0;
    if (kind == PERP_SOC) {
        number excess;
        start(&excess);
        for (int i = 1; i < dim; i++)
            add_doubles(&excess, -y[i], y[i]);
        number side;
        start(&side);
        add_doubles(&side, mu[0], y[0]);
        add_product(&excess, &side, &side);
        a->signs &= sign(&excess) >= 0;
        mpz_clear(excess.m);
        mpz_clear(side.m);
    } else {
        for (int i = 1; i < dim; i++)
            a->signs &= y[i] == 0.0;
    }
    if (kind == PERP_TRESCA) {
        add_length(&a->value, mu[0], c + 1, n);
    } else {
        add_length(&sum, mu[0], c + 1, n);
        for (int k = 1; kind == PERP_ROLLING && k < LAYOUT_PARTS; k++)
            if (rolling_part(dim, k).rows)
                add_length(&sum, mu[k], c + rolling_part(dim, k).first, rolling_part(dim, k).rows);
    }
    add_open(a, &sum, 1, 0.0);
    mpz_clear(sum.m);
    mpz_clear(one.m);
}

int exact_proof(const stored_problem *p, const double *y, double reach)
{
    account a = {.reach = reach, .signs = 1};
    number c[ADVERSARY_ROWS];
    start(&a.value);
    start(&a.breach);
    for (int j = 0; j < p->n; j++) {
        start(&c[j]);
        for (int i = 0; i < p->n; i++)
            add_doubles(&c[j], p->M[i + j * p->n], y[i]);
        add_doubles(&a.value, p->q[j], y[j]);
    }
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set kind = stored_block(p, k, &row, &dim);
        double par[3] = {p->par[0][k], p->par[1][k], p->par[2][k]};
        if (dim == 1)
            add_row(&a, kind, y[row], &c[row], par[0], par[1]);
        else
            add_cone(&a, kind, dim, y + row, c + row, par);
    }
    int shown = a.signs && (isfinite(reach) || sign(&a.breach) == 0);
    if (sign(&a.breach) > 0 && shown) {
        number r;
        start(&r);
        set(&r, reach);
        add_product(&a.value, &a.breach, &r);
        /* z is below the reach, not at it. */
        shown = sign(&a.value) <= 0;
        mpz_clear(r.m);
    } else {
        shown = shown && sign(&a.value) < 0;
    }
    for (int j = 0; j < p->n; j++)
        mpz_clear(c[j].m);
    mpz_clear(a.value.m);
    mpz_clear(a.breach.m);
    return shown;
}

/* What a row of a vertex does; those with a variable are BASIC_. */
typedef enum state { AT_LOW, AT_HIGH, BASIC_Z, W_AT_LOW, W_AT_HIGH, STATES } state;

/* M 2^em, q and products of M with bounds 2^eq, all whole. */
typedef struct whole {
    const stored_problem *p;
    int n;
    long em, eq;
    mpz_t M[EXACT_MOST * EXACT_MOST], q[EXACT_MOST], low[EXACT_MOST], high[EXACT_MOST];
    unsigned long rest_M[EXACT_MOST * EXACT_MOST];
    double lo[EXACT_MOST], hi[EXACT_MOST];
    mpz_t a[EXACT_MOST][EXACT_MOST + 1], old, t;
} whole;

static const unsigned long prime = 2305843009213693951ul; /* 2^61 - 1 */

static unsigned long times(unsigned long a, unsigned long b)
{
    __extension__ typedef unsigned __int128 wide;
    return (unsigned long)((wide)a * b % prime);
}

static unsigned long inverse(unsigned long a)
{
    unsigned long r = 1;
    for (unsigned long e = prime - 2; e > 0; e >>= 1) {
        if (e & 1)
            r = times(r, a);
        a = times(a, a);
    }
    return r;
}

/* 1: modulo the prime the columns are independent and the last one is in their span. */
static int fits_modulo(unsigned long a[EXACT_MOST][EXACT_MOST + 1], int rows, int cols)
{
    for (int k = 0; k < cols; k++) {
        int r = k;
        while (r < rows && a[r][k] == 0)
            r++;
        if (r == rows)
            return 0;
        for (int j = k; j <= cols; j++) {
            unsigned long t = a[k][j];
            a[k][j] = a[r][j];
            a[r][j] = t;
        }
        unsigned long pivot = inverse(a[k][k]);
        for (int i = k + 1; i < rows; i++) {
            unsigned long f = times(a[i][k], pivot);
            for (int j = k; f > 0 && j <= cols; j++)
                a[i][j] = (a[i][j] + prime - times(f, a[k][j])) % prime;
        }
    }
    for (int i = cols; i < rows; i++)
        if (a[i][cols] != 0)
            return 0;
    return 1;
}

/* Bareiss; afterwards row k says a[k][k] x_k = a[k][cols], and all pivots are equal. */
static void eliminate(whole *s, int rows, int cols)
{
    mpz_set_ui(s->old, 1);
    for (int k = 0; k < cols; k++) {
        int r = k;
        while (mpz_sgn(s->a[r][k]) == 0)
            r++;
        for (int j = 0; r != k && j <= cols; j++)
            mpz_swap(s->a[k][j], s->a[r][j]);
        for (int i = 0; i < rows; i++) {
            for (int j = cols; i != k && j >= 0; j--) {
                if (j == k || (j < k && j != i))
                    continue;
                mpz_mul(s->t, s->a[i][k], s->a[k][j]);
                mpz_mul(s->a[i][j], s->a[i][j], s->a[k][k]);
                mpz_sub(s->a[i][j], s->a[i][j], s->t);
                mpz_divexact(s->a[i][j], s->a[i][j], s->old);
            }
            if (i != k)
                mpz_set_ui(s->a[i][k], 0);
        }
        mpz_set(s->old, s->a[k][k]);
    }
}

/* 1: num / den lies where row i may have it.  Bounds are whole multiples of the same unit. */
static int is_allowed(whole *s, int i, state how, const mpz_t num, const mpz_t den)
{
    int positive = mpz_sgn(num) * mpz_sgn(den);
    if (how == W_AT_LOW)
        return positive >= 0;
    if (how == W_AT_HIGH)
        return positive <= 0;
    if (isfinite(s->lo[i])) {
        mpz_mul(s->t, s->low[i], den);
        if (mpz_cmp(num, s->t) * mpz_sgn(den) < 0)
            return 0;
    }
    if (isfinite(s->hi[i])) {
        mpz_mul(s->t, s->high[i], den);
        if (mpz_cmp(num, s->t) * mpz_sgn(den) > 0)
            return 0;
    }
    return 1;
}

static double nearest(const mpz_t num, const mpz_t den, long e)
{
    long en, ed;
    double n = mpz_get_d_2exp(&en, num), d = mpz_get_d_2exp(&ed, den);
    return ldexp(n / d, (int)(en - ed + e));
}

/* The vertex with these states. */
static int attempt(whole *s, const state *how, double *z)
{
    int n = s->n, column[EXACT_MOST], m = 0;
    unsigned long r[EXACT_MOST][EXACT_MOST + 1];
    for (int i = 0; i < n; i++)
        if (how[i] >= BASIC_Z)
            column[m++] = i;
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < m; k++) {
            int j = column[k];
            unsigned long entry = s->rest_M[i + j * n];
            r[i][k] = how[j] == BASIC_Z ? (entry ? prime - entry : 0) : i == j;
        }
        mpz_set(s->a[i][m], s->q[i]);
        for (int j = 0; j < n; j++) {
            int fixed = how[j] == AT_HIGH || how[j] == W_AT_HIGH ? 2 : how[j] != BASIC_Z;
            if (fixed)
                mpz_addmul(s->a[i][m], s->M[i + j * n], fixed == 2 ? s->high[j] : s->low[j]);
        }
        r[i][m] = mpz_fdiv_ui(s->a[i][m], prime);
    }
    if (!fits_modulo(r, n, m))
        return 0;
    for (int i = 0; i < n; i++)
        for (int k = 0; k < m; k++) {
            int j = column[k];
            if (how[j] == BASIC_Z)
                mpz_neg(s->a[i][k], s->M[i + j * n]);
            else
                mpz_set_ui(s->a[i][k], i == j);
        }
    eliminate(s, n, m);
    for (int i = m; i < n; i++)
        if (mpz_sgn(s->a[i][m]) != 0)
            return 0;
    for (int j = 0; j < n; j++)
        z[j] = how[j] == AT_HIGH || how[j] == W_AT_HIGH ? s->hi[j]
               : isfinite(s->lo[j])                     ? s->lo[j]
                                                        : 0.0;
    for (int k = 0; k < m; k++) {
        int j = column[k];
        if (!is_allowed(s, j, how[j], s->a[k][m], s->a[k][k]))
            return 0;
        if (how[j] == BASIC_Z)
            z[j] = nearest(s->a[k][m], s->a[k][k], s->eq - s->em);
    }
    return 1;
}

static int may_be(const whole *s, int i, state how)
{
    int low = isfinite(s->lo[i]), high = isfinite(s->hi[i]);
    if (how == BASIC_Z)
        return 1;
    if (how == AT_LOW)
        return low || !high; /* a FREE one may stand at 0 */
    if (how == W_AT_LOW)
        return low;
    return high;
}

static long exponent(double x)
{
    return x == 0.0 || isinf(x) ? 4000 : (long)ilogb(x) - 52;
}

static void scale(mpz_t to, double x, long e)
{
    number a;
    start(&a);
    set(&a, isfinite(x) ? x : 0.0);
    mpz_set(to, a.m);
    if (a.e >= e)
        mpz_mul_2exp(to, to, (mp_bitcnt_t)(a.e - e));
    else
        mpz_fdiv_q_2exp(to, to, (mp_bitcnt_t)(e - a.e)); /* exact: e is the least of all */
    mpz_clear(a.m);
}

static void whole_start(whole *s, const stored_problem *p)
{
    int n = s->n = p->n;
    long eb = 4000;
    s->em = s->eq = 4000;
    for (int i = 0; i < n * n; i++)
        s->em = exponent(p->M[i]) < s->em ? exponent(p->M[i]) : s->em;
    for (int i = 0; i < n; i++) {
        int row, dim;
        perp_set kind = stored_block(p, i, &row, &dim);
        s->lo[i] = kind == PERP_FREE ? -INFINITY : kind == PERP_NONNEG ? 0.0 : p->par[0][i];
        s->hi[i] = kind == PERP_BOX ? p->par[1][i] : INFINITY;
        eb = exponent(s->lo[i]) < eb ? exponent(s->lo[i]) : eb;
        eb = exponent(s->hi[i]) < eb ? exponent(s->hi[i]) : eb;
        s->eq = exponent(p->q[i]) < s->eq ? exponent(p->q[i]) : s->eq;
    }
    s->em = s->em == 4000 ? 0 : s->em;
    s->eq = s->eq < s->em + eb ? s->eq : s->em + eb;
    for (int i = 0; i < n * n; i++) {
        mpz_init(s->M[i]);
        scale(s->M[i], p->M[i], s->em);
        s->rest_M[i] = mpz_fdiv_ui(s->M[i], prime);
    }
    for (int i = 0; i < n; i++) {
        mpz_inits(s->q[i], s->low[i], s->high[i], NULL);
        scale(s->q[i], p->q[i], s->eq);
        scale(s->low[i], s->lo[i], s->eq - s->em);
        scale(s->high[i], s->hi[i], s->eq - s->em);
        for (int j = 0; j <= EXACT_MOST; j++)
            mpz_init(s->a[i][j]);
    }
    mpz_inits(s->old, s->t, NULL);
}

static void whole_end(whole *s)
{
    for (int i = 0; i < s->n * s->n; i++)
        mpz_clear(s->M[i]);
    for (int i = 0; i < s->n; i++) {
        mpz_clears(s->q[i], s->low[i], s->high[i], NULL);
        for (int j = 0; j <= EXACT_MOST; j++)
            mpz_clear(s->a[i][j]);
    }
    mpz_clears(s->old, s->t, NULL);
}

static int next(const whole *s, state *how)
{
    for (int i = 0; i < s->n; i++) {
        do {
            how[i]++;
        } while (how[i] < STATES && !may_be(s, i, how[i]));
        if (how[i] < STATES)
            return 1;
        for (how[i] = AT_LOW; !may_be(s, i, how[i]);)
            how[i]++;
    }
    return 0;
}

double exact_choices(const stored_problem *p)
{
    double choices = 1.0;
    for (int k = 0; k < p->nblocks; k++) {
        int row, dim;
        perp_set kind = stored_block(p, k, &row, &dim);
        int low = kind == PERP_NONNEG || (kind == PERP_BOX && isfinite(p->par[0][k]));
        int high = kind == PERP_BOX && isfinite(p->par[1][k]);
        choices *= dim > 1 ? INFINITY : low && high ? 5 : low || high ? 3 : 2;
    }
    return p->n <= EXACT_MOST ? choices : INFINITY;
}

int exact_solution(const stored_problem *p, double reach, double *z)
{
    whole s;
    state how[EXACT_MOST];
    int found = 0;
    s.p = p;
    whole_start(&s, p);
    for (int i = 0; i < s.n; i++)
        for (how[i] = AT_LOW; !may_be(&s, i, how[i]);)
            how[i]++;
    do {
        found = attempt(&s, how, z);
        for (int i = 0; found && i < s.n; i++)
            found = fabs(z[i]) < reach * (1.0 - 1e-15) || isinf(reach);
    } while (!found && next(&s, how));
    whole_end(&s);
    return found;
}
#endif
