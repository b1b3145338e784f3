/* SPDX-License-Identifier: BSD-3-Clause */
/* perp-boxed-ode: ODE's boxed LCP solver in the race of bench/boxed.  ODE does not offer it to
 * users, but its library exports it; its memory is a bump allocator given by four pointers. */
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/boxed_race.h"

class dxWorldProcessMemArena
{
  public:
    char *current, *begin, *end, *arena;
    const void *manager;
};
void dxSolveLCP(dxWorldProcessMemArena *memory, unsigned n, double *A, double *bx, double *w,
                unsigned unbounded, double *lohi, int *findex);
std::size_t dxEstimateSolveLCPMemoryReq(unsigned n, bool outer_w);
extern "C" void dInitODE(void);

/* Rows of four doubles each. */
static std::size_t width(int n)
{
    return n > 1 ? (static_cast<std::size_t>(n - 1) | 3) + 1 : static_cast<std::size_t>(n);
}

static int solve(const boxed_problem *p, double *z, double *seconds)
{
    const unsigned n = static_cast<unsigned>(p->n);
    std::vector<double> A(n * width(p->n), 0.0), bx(2 * n, 0.0), lohi(2 * n), w(n, 0.0);
    std::vector<int> findex(n, -1);
    for (unsigned i = 0; i < n; i++) {
        std::copy_n(p->M + i * n, n, &A[i * width(p->n)]);
        bx[2 * i] = -p->q[i];
        lohi[2 * i] = p->lo[i];
        lohi[2 * i + 1] = p->hi[i];
    }
    const std::size_t bytes = dxEstimateSolveLCPMemoryReq(n, true) + 4096;
    std::vector<char> memory(bytes + 64);
    char *at = memory.data() + (64 - reinterpret_cast<std::uintptr_t>(memory.data()) % 64) % 64;
    dxWorldProcessMemArena arena = {at, at, at + bytes, at, nullptr};
    const double start = boxed_now();
    dxSolveLCP(&arena, n, A.data(), bx.data(), w.data(), 0, lohi.data(), findex.data());
    *seconds = boxed_now() - start;
    for (unsigned i = 0; i < n; i++)
        z[i] = bx[2 * i + 1];
    return 0;
}

int main(int argc, char **argv)
{
    static const boxed_peer peers[] = {{"ODE Dantzig", solve}};
    dInitODE();
    return boxed_peer_main(argc, argv, peers, 1);
}
