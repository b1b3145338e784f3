// SPDX-License-Identifier: BSD-3-Clause
/* Perp in C++17, all of it here: problems over the caller's arrays, handles that clean up, exceptions.
 *
 *     const std::vector<double> W{1, 0, 0, 0, 1, 0, 0, 0, 1}, q{-1, 2, 0};
 *     perp::result r = perp::solve({perp::dense(3, W), q, {perp::coulomb(0.3)}});
 *     if (r.solved())
 *         use(r.z, r.w);
 *
 * As in C, a negative status is an error: here an exception, perp::error, whose text names the array
 * and the index.  An early end, or a proof that there is no solution, is an answer: look at the status.
 * Arrays are borrowed and never copied: they live as long as the problem and the solver that use them.
 * All other calls of C take what is here: problem.c(), handle.get().  Link with what they need. */
#ifndef PERP_PERP_HPP
#define PERP_PERP_HPP

#include <initializer_list>
#include <memory>
#include <perp/derivative.h>
#include <perp/io.h>
#include <perp/kernel.h>
#include <perp/sim_derivative.h>
#include <perp/verify.h>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace perp {

/* A row of numbers of the caller: of std::vector, std::array, std::span, a C array, Eigen's vectors,
 * whatever has data() and size().  Not of a temporary, which would be gone. */
template <class T> class span {
  public:
    constexpr span() noexcept = default;
    constexpr span(T *data, std::size_t size) noexcept : data_(data), size_(size) {}
    template <std::size_t N> constexpr span(T (&array)[N]) noexcept : data_(array), size_(N) {}
    template <class C, class = std::enable_if_t<
                           std::is_convertible_v<decltype(std::declval<C &>().data()), T *> &&
                           !std::is_same_v<std::remove_const_t<C>, span>>>
    constexpr span(C &of) : data_(of.data()), size_(static_cast<std::size_t>(of.size()))
    {
    }
    constexpr T *data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr T &operator[](std::size_t k) const { return data_[k]; }
    constexpr T *begin() const noexcept { return data_; }
    constexpr T *end() const noexcept { return data_ + size_; }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0;
};

class error : public std::runtime_error {
  public:
    error(perp_status kind, const std::string &text, perp_where place = {nullptr, -1, -1})
        : std::runtime_error(text), status(kind), where(place)
    {
    }
    perp_status status;
    perp_where where;
};

/* Throws where a status is negative, else gives it back. */
inline perp_status check(perp_status status, const perp_where &where = {nullptr, -1, -1},
                         const char *detail = "")
{
    if (status >= 0)
        return status;
    std::string text = *detail != 0 ? detail : perp_status_text(status);
    if (where.what != nullptr && text.rfind(where.what, 0) != 0)
        text = where.what + (where.index >= 0 ? "[" + std::to_string(where.index) + "]: " : ": ") + text;
    if (where.segment >= 0)
        text = "segment " + std::to_string(where.segment) + ": " + text;
    throw error(status, text, where);
}

inline void check_size(const char *what, std::size_t size, std::size_t expected)
{
    if (size != expected)
        throw error(PERP_ERR_ARGUMENT,
                    std::string(what) + ": " + std::to_string(expected) + " entries are expected, not " +
                        std::to_string(size),
                    {what, -1, -1});
}

/* Handles of C that are destroyed with their owner, and only moved. */
template <auto destroy> struct destroyer {
    template <class T> void operator()(T *p) const noexcept { destroy(p); }
};
template <class T, auto destroy> using handle = std::unique_ptr<T, destroyer<destroy>>;

using mass = handle<perp_mass, perp_mass_destroy>;
using derivative = handle<perp_derivative, perp_derivative_destroy>;
using avi = handle<perp_avi, perp_avi_destroy>;
using ncp_solver = handle<perp_ncp_solver, perp_ncp_solver_destroy>;
using problem_file = handle<perp_problem_file, perp_problem_file_destroy>;
using model = handle<perp_model, perp_model_destroy>;
using sim = handle<perp_sim, perp_sim_destroy>;
using collider = handle<perp_collider, perp_collider_destroy>;
using tape = handle<perp_tape, perp_tape_destroy>;
using recorder = handle<perp_recorder, perp_recorder_destroy>;
using scene = handle<perp_scene, perp_scene_destroy>;
using verification = handle<perp_verification, perp_verification_destroy>;

/* A handle by the call of C that makes it, without its first and its last argument, the handle and
 * where an error is:   auto m = perp::make<perp::mass>(perp_mass_create, &M, nullptr); */
template <class Handle, class Create, class... In> Handle make(Create create, In... in)
{
    using pointer = typename Handle::pointer *;
    typename Handle::pointer made = nullptr;
    if constexpr (std::is_invocable_v<Create, pointer, In..., perp_where *>) {
        perp_where where = {nullptr, -1, -1};
        check(create(&made, in..., &where), where);
    } else if constexpr (std::is_invocable_v<Create, pointer, In..., perp_io_error *>) {
        perp_io_error found = {};
        check(create(&made, in..., &found), {nullptr, -1, -1}, found.text);
    } else if constexpr (std::is_invocable_v<Create, pointer, In..., perp_scene_error *>) {
        perp_scene_error found = {};
        found.size = sizeof found;
        check(create(&made, in..., &found), {nullptr, -1, -1}, found.text);
    } else {
        check(create(&made, in...));
    }
    return Handle(made);
}

/* Matrices: views as in <perp/matrix.h>.  dense: column by column. */
inline perp_mat dense(int n, span<const double> x)
{
    perp_mat made;
    check_size("x", x.size(), static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
    check(perp_mat_init_dense(&made, n, n, x.data(), n > 0 ? n : 1));
    return made;
}
inline perp_mat csc(int rows, span<const int> colptr, span<const int> row, span<const double> x)
{
    perp_mat made;
    const int cols = static_cast<int>(colptr.size()) - 1;
    check(perp_mat_init_csc(&made, rows, cols, colptr.data(), row.data(), x.data()));
    check_size("row", row.size(), static_cast<std::size_t>(colptr[colptr.size() - 1]));
    check_size("x", x.size(), row.size());
    return made;
}
inline perp_mat bsr(int block, span<const int> rowptr, span<const int> col, span<const double> x)
{
    perp_mat made;
    const int rows = static_cast<int>(rowptr.size()) - 1;
    check(perp_mat_init_bsr(&made, rows, block, rowptr.data(), col.data(), x.data()));
    check_size("col", col.size(), static_cast<std::size_t>(rowptr[rowptr.size() - 1]));
    check_size("x", x.size(), col.size() * static_cast<std::size_t>(block * block));
    return made;
}
/* H' mass^-1 H, from H as csc() made it. */
inline perp_mat delassus(const perp_mat &H, const mass &of)
{
    perp_mat made;
    if (H.kind != PERP_CSC)
        throw error(PERP_ERR_ARGUMENT, "H: compressed columns are expected");
    check(perp_mat_init_delassus(&made, H.rows, H.cols, H.as.csc.colptr, H.as.csc.row, H.as.csc.x,
                                 of.get()));
    return made;
}

/* A parameter of a set: one number for all blocks, or the caller's array with one for each. */
class parameter {
  public:
    parameter(double value) : value_(value) {}
    parameter(span<const double> each) : each_(each) {}
    template <class C, class = std::enable_if_t<std::is_constructible_v<span<const double>, C &> &&
                                                !std::is_same_v<std::remove_const_t<C>, parameter>>>
    parameter(C &each) : each_(each)
    {
    }
    bool one() const noexcept { return each_.data() == nullptr; }
    const double *data() const noexcept { return one() ? &value_ : each_.data(); }
    std::size_t size() const noexcept { return each_.size(); }

  private:
    double value_ = 0.0;
    span<const double> each_;
};

/* `count` blocks; rest: as many as an array of parameters has, else (in one set) all rows that are left. */
constexpr int rest = -1;
struct set {
    perp_set kind;
    int dim, count;
    std::vector<parameter> par;
};
inline set free(int count = rest) { return {PERP_FREE, 1, count, {}}; }
inline set nonneg(int count = rest) { return {PERP_NONNEG, 1, count, {}}; }
inline set box(parameter lo, parameter hi, int count = rest) { return {PERP_BOX, 1, count, {lo, hi}}; }
inline set coulomb(parameter mu, int dim = 3, int count = rest) { return {PERP_COULOMB, dim, count, {mu}}; }
inline set tresca(parameter r, int dim = 3, int count = rest) { return {PERP_TRESCA, dim, count, {r}}; }
inline set soc(parameter mu, int dim = 3, int count = rest) { return {PERP_SOC, dim, count, {mu}}; }
inline set rolling(parameter mu, parameter mu_r, int dim = 5, int count = rest)
{
    return {PERP_ROLLING, dim, count, {mu, mu_r}};
}
/* Six rows. */
inline set rolling_torsion(parameter mu, parameter mu_r, parameter mu_s, int count = rest)
{
    return {PERP_ROLLING, 6, count, {mu, mu_r, mu_s}};
}

/* w = M z + q, -(w + s(w)) in N_K(z).  Copies share their list of sets. */
class problem {
  public:
    problem(const perp_mat &M, span<const double> q, std::vector<set> sets)
        : parts_(std::make_shared<parts>()), size_(q.size())
    {
        check_size("q", size_, static_cast<std::size_t>(M.rows));
        parts_->sets = std::move(sets);
        perp_segment *open = nullptr;
        parts_->segments.reserve(parts_->sets.size());
        long long left = M.rows;
        for (const set &s : parts_->sets) {
            perp_segment made = {s.kind, s.dim, s.count, {}, {}};
            for (std::size_t p = 0; p < s.par.size(); p++) {
                made.par[p] = s.par[p].data();
                made.stride[p] = s.par[p].one() ? 0 : 1;
                if (made.count == rest && !s.par[p].one())
                    made.count = static_cast<int>(s.par[p].size());
            }
            for (std::size_t p = 0; p < s.par.size(); p++)
                if (!s.par[p].one())
                    check_size(perp_set_parameter(s.kind, static_cast<int>(p)), s.par[p].size(),
                               static_cast<std::size_t>(made.count));
            parts_->segments.push_back(made);
            if (made.count != rest)
                left -= static_cast<long long>(made.count) * made.dim;
            else if (open != nullptr)
                throw error(PERP_ERR_ARGUMENT, "sets: one alone may take the rows that are left");
            else
                open = &parts_->segments.back();
        }
        if (open != nullptr)
            open->count = left > 0 && open->dim > 0 ? static_cast<int>(left / open->dim) : 0;
        c_ = {M, q.data(), parts_->segments.data(), static_cast<int>(parts_->segments.size())};
    }
    const perp_problem *c() const noexcept { return &c_; }
    std::size_t size() const noexcept { return size_; }

  private:
    struct parts {
        std::vector<set> sets;
        std::vector<perp_segment> segments;
    };
    std::shared_ptr<parts> parts_;
    std::size_t size_;
    perp_problem c_;
};

/* The struct of C, with the defaults: s.tol = 1e-10, or by name. */
struct settings : perp_settings {
    settings() { perp_settings_init(this, sizeof(perp_settings)); }
    settings &set(const char *name, const char *value)
    {
        check(perp_settings_set(this, name, value), {name, -1, -1});
        return *this;
    }
};

struct result {
    perp_status status;
    std::vector<double> z, w;
    perp_info info;
    bool solved() const noexcept { return status == PERP_SOLVED; }
};

/* Set up once, solved as often as wanted; solve() into the caller's arrays allocates nothing. */
class solver {
  public:
    /* name: NULL for the one that fits the problem. */
    explicit solver(problem of, const settings &with = {}, const char *name = nullptr)
        : problem_(std::move(of))
    {
        const perp_solver_type *type =
            name != nullptr ? perp_solver_find(name) : perp_solver_choose(problem_.c());
        if (type == nullptr && name != nullptr)
            throw error(PERP_ERR_ARGUMENT, "no solver is called " + std::string(name));
        c_ = make<handle<perp_solver, perp_solver_destroy>>(
            perp_solver_create, type, static_cast<const perp_settings *>(&with), nullptr);
        check_call(perp_solver_setup(c_.get(), problem_.c()));
    }
    /* New numbers in the same pattern; new q alone. */
    void update(problem to)
    {
        check_call(perp_solver_update(c_.get(), to.c()));
        problem_ = std::move(to);
    }
    void update_q(span<const double> q)
    {
        check_size("q", q.size(), problem_.size());
        check_call(perp_solver_update_q(c_.get(), q.data()));
    }
    /* z is the first iterate where the setting warm_start is not 0. */
    perp_status solve(span<double> z, span<double> w, perp_info *info = nullptr)
    {
        check_size("z", z.size(), problem_.size());
        check_size("w", w.size(), problem_.size());
        if (info != nullptr)
            info->size = sizeof *info;
        return check_call(perp_solver_solve(c_.get(), z.data(), w.data(), info));
    }
    result solve()
    {
        result r = {PERP_SOLVED, std::vector<double>(problem_.size()), std::vector<double>(problem_.size()), {}};
        r.status = solve(r.z, r.w, &r.info);
        return r;
    }
    perp_solver *get() const noexcept { return c_.get(); }

  private:
    perp_status check_call(perp_status status) const
    {
        const perp_info *last = perp_solver_info(c_.get());
        return check(status, last->where, last->detail);
    }
    problem problem_;
    handle<perp_solver, perp_solver_destroy> c_;
};

inline result solve(const problem &of, const settings &with = {}, const char *name = nullptr)
{
    return solver(of, with, name).solve();
}

} // namespace perp

#endif
