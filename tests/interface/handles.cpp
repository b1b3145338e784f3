// SPDX-License-Identifier: BSD-3-Clause
/* <perp/perp.hpp>: every matrix and set, what is refused and how, and that handles are destroyed once. */
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <perp/perp.hpp>
#if __cplusplus >= 202002L
#include <span>
#endif

static int number, failed;

static void ok(bool good, const char *what)
{
    std::printf("%s %d - %s\n", good ? "ok" : "not ok", ++number, what);
    failed += !good;
}

template <class Call> static std::string refused(Call call, perp_status status)
{
    try {
        call();
    } catch (const perp::error &wrong) {
        return wrong.status == status ? wrong.what() : "another status";
    }
    return "nothing was thrown";
}

static bool has(const std::string &text, const char *part)
{
    if (text.find(part) != std::string::npos)
        return true;
    std::printf("# %s\n", text.c_str());
    return false;
}

static bool near(const std::vector<double> &x, std::initializer_list<double> y)
{
    std::size_t k = 0;
    for (double value : y)
        if (std::abs(x[k++] - value) > 1e-7)
            return false;
    return k == x.size();
}

using view = perp::span<const double>;
static_assert(std::is_constructible_v<view, std::vector<double> &>, "a vector");
static_assert(std::is_constructible_v<view, const std::array<double, 3> &>, "an array");
static_assert(!std::is_constructible_v<view, std::vector<double>>, "no temporary");
static_assert(!std::is_constructible_v<view, std::vector<float> &>, "no other type");
static_assert(!std::is_constructible_v<perp::span<double>, const std::vector<double> &>, "const stays");
static_assert(!std::is_copy_constructible_v<perp::solver> && std::is_move_constructible_v<perp::solver>, "moved");

static const std::vector<double> eye{1, 0, 0, 0, 1, 0, 0, 0, 1}, q{-1, 2, 0}, bounds{0.5, 2, 3};
static const std::vector<int> start{0, 1, 2, 3}, row{0, 1, 2}, block{0, 1}, first{0};
static const std::vector<double> ones{1, 1, 1};

static void matrices()
{
    const std::initializer_list<double> r = {1, -0.3, 0};
    const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    ok(near(perp::solve({perp::dense(3, W), q, {perp::coulomb(0.3)}}).z, r), "dense, of a C array");
    ok(near(perp::solve({perp::csc(3, start, row, ones), q, {perp::coulomb(0.3)}}).z, r), "compressed columns");
    ok(near(perp::solve({perp::bsr(3, block, first, eye), q, {perp::coulomb(0.3)}}).z, r), "blocks");
    const perp_mat M = perp::dense(3, eye);
    const perp::mass mass = perp::make<perp::mass>(perp_mass_create, &M, nullptr);
    const perp_mat D = perp::delassus(perp::csc(3, start, row, ones), mass);
    ok(near(perp::solve({D, q, {perp::coulomb(0.3)}}).z, r), "the product of factors");
#if __cplusplus >= 202002L
    const std::span<const double> seen(q);
    ok(near(perp::solve({perp::dense(3, W), seen, {perp::coulomb(0.3)}}).z, r), "std::span");
#endif
}

static void sets()
{
    const perp_mat M = perp::dense(3, eye);
    const double inf = std::numeric_limits<double>::infinity();
    ok(near(perp::solve({M, q, {perp::free()}}).z, {1, -2, 0}), "free");
    ok(near(perp::solve({M, q, {perp::nonneg()}}).z, {1, 0, 0}), "nonneg");
    ok(near(perp::solve({M, q, {perp::box(bounds, inf)}}).z, {1, 2, 3}), "box, bounds of an array");
    ok(near(perp::solve({M, q, {perp::tresca(0.5)}}).z, {1, -0.5, 0}), "tresca");
    ok(perp::solve({M, q, {perp::soc(0.5)}}).solved(), "soc");
    ok(perp::solve({M, q, {perp::rolling(0.5, 0.1, 3)}}).solved(), "rolling");
    /* On the identity each group sticks, or moves with its own bound: here T sticks, S and R do not. */
    std::vector<double> eye6(36, 0.0);
    for (int i = 0; i < 6; i++)
        eye6[std::size_t(7 * i)] = 1.0;
    const std::vector<double> q6{-1, 0.1, 0, 2, 0.5, 0};
    ok(near(perp::solve({perp::dense(6, eye6), q6, {perp::rolling_torsion(0.5, 0.2, 0.25)}}).z,
            {1, -0.1, 0, -0.25, -0.2, 0}),
       "rolling and torsion");
    ok(near(perp::solve({M, q, {perp::free(1), perp::nonneg()}}).z, {1, 0, 0}), "the rows that are left");
}

static void answers()
{
    const std::vector<double> none{0, 0, 0, 0, 0, 0, 0, 0, 0};
    const perp::result r = perp::solve({perp::dense(3, none), q, {perp::nonneg()}});
    ok(r.status == PERP_INFEASIBLE && !r.solved(), "no solution is an answer");
    perp::settings settings;
    settings.set("tol", "1e-12").max_iter = 1;
    ok(settings.tol == 1e-12 && settings.max_iter == 1, "settings by name and by member");
}

static void refusals()
{
    const perp_mat M = perp::dense(3, eye);
    const std::vector<double> two{1, 2}, bad{1, std::numeric_limits<double>::quiet_NaN(), 3};
    std::vector<double> z(3);
    perp::solver solver({M, q, {perp::coulomb(0.3)}});
    ok(has(refused([&] { perp::problem(M, two, {perp::free()}); }, PERP_ERR_ARGUMENT), "q: 3 entries"), "a short q");
    ok(has(refused([&] { perp::dense(3, two); }, PERP_ERR_ARGUMENT), "x: 9 entries"), "a short matrix");
    ok(has(refused([&] { perp::csc(3, start, row, two); }, PERP_ERR_ARGUMENT), "x: 3"), "too few values");
    ok(has(refused([&] { perp::problem(M, q, {perp::box(bounds, two)}); }, PERP_ERR_ARGUMENT), "hi: 3"),
       "bounds of two lengths");
    ok(has(refused([&] { perp::problem(M, q, {perp::free(), perp::nonneg()}); }, PERP_ERR_ARGUMENT), "sets"),
       "two open sets");
    ok(has(refused([&] { perp::solve({M, q, {perp::free(2)}}); }, PERP_ERR_STRUCTURE), "seg"), "rows without a set");
    ok(has(refused([&] { perp::solve({M, q, {perp::coulomb(-1)}}); }, PERP_ERR_ARGUMENT), "mu"), "mu < 0");
    ok(has(refused([&] { perp::solve({M, bad, {perp::free()}}); }, PERP_ERR_NONFINITE), "q[1]"), "NaN in q");
    ok(has(refused([&] { solver.update_q(bad); }, PERP_ERR_NONFINITE), "q[1]"), "NaN in a new q");
    ok(has(refused([&] { solver.solve(z, two.size() == 2 ? perp::span<double>(z.data(), 2) : z); }, PERP_ERR_ARGUMENT),
           "w: 3"), "a short w");
    ok(solver.solve().solved(), "after refusals the handle is as it was");
    ok(has(refused([] { perp::settings().set("tool", "1"); }, PERP_ERR_SETTING), "tool"), "an unknown setting");
    ok(has(refused([&] { perp::solver({M, q, {perp::free()}}, {}, "gz"); }, PERP_ERR_ARGUMENT), "gz"),
       "an unknown solver");
    ok(has(refused([] { perp::make<perp::problem_file>(perp_problem_file_read, "/nonexistent.dat", PERP_CLASS_AUTO,
                                                       nullptr); }, PERP_ERR_OPEN), "/nonexistent.dat"),
       "no such file");
    try {
        perp::make<perp::scene>(perp_scene_create_from_file, "/nonexistent.json", nullptr, nullptr);
        ok(false, "no such scene");
    } catch (const perp::error &wrong) {
        ok(wrong.status == PERP_ERR_UNSUPPORTED || has(wrong.what(), "/nonexistent.json"), "no such scene");
    }
}

struct count {
    long taken, released;
};
static void *take(void *ctx, std::size_t bytes)
{
    static_cast<count *>(ctx)->taken++;
    return std::malloc(bytes);
}
static void give(void *ctx, void *memory)
{
    static_cast<count *>(ctx)->released += memory != nullptr;
    std::free(memory);
}

static void ownership()
{
    count memory = {0, 0};
    const perp_allocator allocator = {take, give, &memory};
    {
        const perp_mat M = perp::dense(3, eye);
        perp::mass one = perp::make<perp::mass>(perp_mass_create, &M, &allocator);
        perp::mass other = std::move(one);
        perp::model model = perp::make<perp::model>(perp_model_create, &allocator);
        perp_sim_options options;
        perp_sim_options_init(&options, sizeof options);
        options.h = 1e-3;
        perp::sim sim = perp::make<perp::sim>(perp_sim_create, model.get(), &options, &allocator);
        ok(perp_mass_size(other.get()) == 3 && !one && memory.taken > memory.released, "handles move");
    }
    ok(memory.taken > 0 && memory.taken == memory.released, "and are destroyed once");

    std::vector<perp::solver> several;
    for (int k = 0; k < 8; k++)
        several.emplace_back(perp::problem(perp::dense(3, eye), q, {perp::coulomb(0.1 * k)}));
    bool good = true;
    for (std::size_t k = 0; k < several.size(); k++)
        good = good && near(several[k].solve().z, {1, -0.1 * static_cast<double>(k), 0});
    ok(good, "solvers in a vector, each with its sets");
    perp::solver moved = std::move(several[3]);
    moved.update({perp::dense(3, eye), q, {perp::coulomb(0.6)}});
    ok(near(moved.solve().z, {1, -0.6, 0}), "a moved solver takes new parameters");
}

/* Factors of a derivative, and the record of a simulation. */
static void derivatives()
{
    double q_bar[3] = {0, 0, 0};
    const double along[3] = {1, 0, 0};
    double dz[3];
    const perp::problem problem(perp::dense(3, eye), q, {perp::coulomb(0.3)});
    const perp::result r = perp::solve(problem);
    perp::derivative d = perp::make<perp::derivative>(perp_derivative_create, nullptr, nullptr);
    perp_tangent by_q = {};
    perp_gradient of = {};
    by_q.size = sizeof by_q;
    by_q.q = along;
    of.size = sizeof of;
    of.q = q_bar;
    perp::check(perp_derivative_factor(d.get(), problem.c(), r.z.data(), nullptr));
    perp::check(perp_derivative_jvp(d.get(), 1, &by_q, dz, nullptr, nullptr));
    perp::check(perp_derivative_vjp(d.get(), 1, along, nullptr, &of));
    ok(std::fabs(dz[0] + 1) < 1e-12 && std::fabs(q_bar[0] + 1) < 1e-12, "a derivative");

    perp::model model = perp::make<perp::model>(perp_model_create, nullptr);
    perp_sim_options options;
    perp_sim_options_init(&options, sizeof options);
    options.h = 1e-3;
    perp::sim sim = perp::make<perp::sim>(perp_sim_create, model.get(), &options, nullptr);
    perp::tape tape = perp::make<perp::tape>(perp_tape_create, sim.get(), nullptr, nullptr);
    perp::check(perp_sim_step(sim.get()));
    perp_tape_info info = {};
    info.size = sizeof info;
    perp_tape_info_get(tape.get(), &info);
    ok(info.steps == 1, "a tape");
}

int main()
{
    matrices();
    sets();
    answers();
    refusals();
    ownership();
    derivatives();
    std::printf("1..%d\n", number);
    return failed != 0;
}
