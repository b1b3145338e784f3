# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of solutions: beside differences, adjoint beside forward, and what is refused."""
import threading

import numpy as np
import perp
import pytest

sparse = pytest.importorskip("scipy.sparse")


def contacts(count, seed, mu=0.4):
    """A stack-like problem of `count` contacts: some open, some stick, some slip."""
    rng = np.random.default_rng(seed)
    n = 3 * count
    G = rng.standard_normal((n, n))
    return G @ G.T / n + np.eye(n), rng.standard_normal(n), mu


def solved(M, q, sets):
    r = perp.solve(M, q, sets, tol=1e-12)
    assert r.error <= 1e-11
    return r


@pytest.mark.parametrize("seed", range(5))
def test_along_everything_beside_differences(seed):
    rng = np.random.default_rng(seed)
    M, q, mu = contacts(4, seed)
    dM, dq, dmu, t = rng.standard_normal(M.shape), rng.standard_normal(12), rng.standard_normal(4), 1e-6
    r = solved(M, q, perp.Coulomb(np.full(4, mu)))
    along = r.jvp(dq, M=dM, sets={"mu": dmu})
    assert along.status is perp.Status.SOLVED and along.each == [along.status]
    ends = [solved(M + s * dM, q + s * dq, perp.Coulomb(mu + s * dmu)) for s in (t, -t)]
    assert np.allclose(along.z, (ends[0].z - ends[1].z) / (2 * t), atol=2e-4)
    assert np.allclose(along.w, (ends[0].w - ends[1].w) / (2 * t), atol=2e-4)
    z, w = rng.standard_normal((2, 12))
    by = r.vjp(z, w)
    total = by.q @ dq + np.sum(by.M * dM) + by.sets[0]["mu"] @ dmu
    assert total == pytest.approx(z @ along.z + w @ along.w, rel=1e-10)


@pytest.mark.parametrize("form", ["csc", "csr", "coo", "bsr"])
def test_gradients_have_the_pattern_of_the_matrix(form):
    M, q, mu = contacts(3, 7)
    S = sparse.coo_matrix(M).asformat(form)
    if form == "bsr":
        S = sparse.bsr_matrix(M, blocksize=(3, 3))
    dense, one = solved(M, q, perp.Coulomb(mu)), solved(S, q, perp.Coulomb(mu))
    z = np.arange(9.0)
    by, other = dense.vjp(z=z), one.vjp(z=z)
    assert other.M.format == form and type(other.M) is type(S)
    assert np.allclose(other.M.toarray(), by.M) and np.allclose(other.q, by.q)
    assert other.sets[0]["mu"] == pytest.approx(by.sets[0]["mu"])
    assert np.allclose(one.jvp(M=S).z, dense.jvp(M=M).z)
    assert np.allclose(one.jvp(M=lambda x: M @ x).z, dense.jvp(M=M).z)


def test_many_at_once():
    M, q, mu = contacts(3, 3)
    r = solved(M, q, [perp.Coulomb(mu)])
    both, by = r.jvp(np.eye(9)), r.vjp(z=np.eye(9))
    assert both.z.shape == (9, 9) and len(both.each) == 9
    assert np.allclose(both.z.T, by.q)
    assert by.sets[0]["mu"].shape == (9,)
    assert np.allclose(by.sets[0]["mu"], r.jvp(sets=[{"mu": 1.0}]).z)


@pytest.mark.parametrize("dense", [True, False])
def test_factors(dense):
    rng = np.random.default_rng(5)
    H, dH, diagonal = rng.standard_normal((12, 6)), rng.standard_normal((12, 6)), np.full(6, 0.3)
    mass, dmass = np.diag(rng.uniform(1, 2, 12)), np.diag(rng.standard_normal(12))
    q = rng.standard_normal(6)

    def at(t):
        parts = (H + t * dH) if dense else sparse.csc_matrix(H + t * dH)
        return solved(perp.Delassus(parts, mass + t * dmass, diagonal + t), q, perp.Nonneg())

    r, t = at(0.0), 1e-6
    along = r.jvp(H=dH, mass=dmass, compliance=1.0)
    assert np.allclose(along.z, (at(t).z - at(-t).z) / (2 * t), atol=1e-5)
    by = r.vjp(z=np.ones(6))
    H_bar = by.H if dense else by.H.toarray()
    total = np.sum(H_bar * dH) + np.sum(by.mass * dmass) + by.compliance.sum()
    assert total == pytest.approx(along.z.sum(), rel=1e-9)
    assert by.M is None
    with pytest.raises(perp.ArgumentError, match="pattern"):
        perp.Derivative(perp.Problem(perp.Delassus(np.eye(2), [1, 1]), [-1, -1], perp.Nonneg()), [1, 1]).jvp(
            H=np.ones((2, 2)))


def test_a_kink_is_one_sided():
    r = perp.solve(np.eye(1), [0.0], perp.Nonneg())
    assert r.jvp([-1.0]).status is perp.Status.ONE_SIDED
    assert r.jvp([-1.0]).z[0] == pytest.approx(1.0) and r.jvp([1.0]).z[0] == pytest.approx(0.0)
    assert r.derivative.kinks.tolist() == [True]
    assert r.vjp(z=[1.0]).status is perp.Status.ONE_SIDED


def test_forces_that_are_not_unique():
    G = np.array([[1, 1, 1], [1, -1, 1], [1, -1, -1], [1, 1, -1.0]])
    d = perp.Derivative(perp.Problem(G @ G.T, np.full(4, -4.0), perp.Nonneg()), np.ones(4))
    assert d.status is perp.Status.NOT_UNIQUE and d.free == 1
    assert not d.z_unique.any() and d.w_unique.all() and "NOT_UNIQUE" in repr(d.vjp(z=np.ones(4)))
    along = d.jvp(np.full(4, -1.0))
    assert np.allclose(along.z, 0.25) and np.allclose(along.w, 0)
    assert d.jvp([1, -1, 1, -1]).status is perp.Status.NOT_DIFFERENTIABLE


def test_what_is_refused():
    M, q, mu = contacts(2, 1)
    problem = perp.Problem(M, q, [perp.Coulomb(mu)])
    d = solved(M, q, problem.sets).derivative
    with pytest.raises(perp.ArgumentError, match="z"):
        perp.Derivative(problem, np.ones(6))
    with pytest.raises(perp.ArgumentError, match="entries"):
        perp.Derivative(problem, np.ones(5))
    with pytest.raises(perp.NonfiniteError):
        d.jvp([np.nan] * 6)
    with pytest.raises(perp.ArgumentError, match="shape"):
        d.jvp(np.ones(5))
    with pytest.raises(perp.ArgumentError, match="nu"):
        d.jvp(sets={"nu": 1.0})
    with pytest.raises(perp.ArgumentError, match="sets"):
        d.jvp(sets=[None, {"mu": 1.0}])
    with pytest.raises(perp.ArgumentError, match="needed"):
        d.vjp()
    with pytest.raises(perp.ArgumentError, match="Delassus"):
        d.jvp(H=np.ones((6, 6)))
    with pytest.raises(perp.SettingError):
        perp.Derivative(problem, np.zeros(6), kink=-1.0)
    with pytest.raises(perp.UnsupportedError):
        perp.Derivative(perp.Problem(perp.Operator(lambda x: x, 1, [1.0]), [-1.0], perp.Nonneg()), [1.0])


def test_a_handle_with_another_q():
    M, q, mu = contacts(2, 9)
    with perp.Solver(M, q, perp.Coulomb(mu), tol=1e-12) as solver:
        first, second = solver.solve(), solver.solve(q=2 * q)
        third = solver.solve()
    assert np.allclose(first.jvp(q).z, first.z) and np.allclose(second.jvp(q).z, first.z)
    assert np.allclose(third.jvp(q).z, first.z)


def test_threads_share_a_derivative():
    M, q, mu = contacts(8, 2)
    d = solved(M, q, perp.Coulomb(mu)).derivative
    wanted, wrong = d.jvp(q).z, []

    def work():
        for _ in range(200):
            if not np.array_equal(d.jvp(q).z, wanted):
                wrong.append(1)

    threads = [threading.Thread(target=work) for _ in range(2)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_torch():
    torch = pytest.importorskip("torch")
    import perp.torch

    M, q, mu = contacts(3, 3)
    tensors = [torch.tensor(x, dtype=torch.float64, requires_grad=True) for x in (M, q, mu)]

    def both(M, q, mu):
        z, w = perp.torch.solve(M, q, [perp.Coulomb(0.1)], {(0, "mu"): mu}, tol=1e-13)
        return torch.cat([z, w])

    assert torch.autograd.gradcheck(both, tensors, eps=1e-6, atol=1e-4)
    with pytest.warns(perp.torch.NotSmoothWarning):
        z, _ = perp.torch.solve(np.eye(1), torch.zeros(1, dtype=torch.float64, requires_grad=True),
                                perp.Nonneg())
        z.sum().backward()
