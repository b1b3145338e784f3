# SPDX-License-Identifier: BSD-3-Clause
"""What is copied, and what keeps what alive."""
import gc
import weakref

import numpy as np
import pytest

import perp
from perp._perp import ffi

sparse = pytest.importorskip("scipy.sparse")


def address(array):
    return array.__array_interface__["data"][0]


def pointer(c):
    return int(ffi.cast("intptr_t", c))


def test_csc_is_not_copied():
    M = sparse.csc_matrix(np.eye(4) * 2)
    assert M.indices.dtype == np.int32
    q = np.array([-1.0, 1, 2, 3])
    problem = perp.Problem(M, q, perp.Nonneg())
    view = getattr(problem._c.M, "as").csc
    assert pointer(view.x) == address(M.data)
    assert pointer(view.row) == address(M.indices)
    assert pointer(view.colptr) == address(M.indptr)
    assert pointer(problem._c.q) == address(q)


def test_blocks_are_not_copied():
    M = perp.column_blocks(sparse.bsr_matrix(np.arange(36.0).reshape(6, 6), blocksize=(3, 3)))
    problem = perp.Problem(M, np.zeros(6), perp.Coulomb(0.5))
    view = getattr(problem._c.M, "as").bsr
    assert problem._c.M.kind == ffi.typeof("perp_mat_kind").relements["PERP_BSR"]
    assert pointer(view.x) == address(M.data)
    assert pointer(view.col) == address(M.indices)
    assert pointer(view.rowptr) == address(M.indptr)
    assert np.array_equal(M.toarray(), np.arange(36.0).reshape(6, 6))


def test_blocks_of_a_file_are_not_copied():
    M = perp.generate.spheres(20, local=True)
    again = perp.Problem(M.M, M.q, M.sets)
    assert pointer(getattr(again._c.M, "as").bsr.x) == pointer(getattr(M._c.M, "as").bsr.x)


def test_fortran_order_parameters_and_delassus_are_not_copied():
    M, mu = np.asfortranarray(np.eye(6)), np.array([0.1, 0.2])
    problem = perp.Problem(M, np.zeros(6), perp.Coulomb(mu))
    assert pointer(getattr(problem._c.M, "as").dense.x) == address(M)
    assert pointer(problem._c.seg[0].par[0]) == address(mu)
    H = sparse.csc_matrix(np.ones((3, 6)))
    factors = perp.Problem(perp.Delassus(H, np.ones(3)), np.zeros(6), perp.Coulomb(mu))
    assert pointer(getattr(factors._c.M, "as").delassus.x) == address(H.data)


def test_q_of_a_solve_is_not_copied():
    q = np.array([-1.0, 1, 0])
    solver = perp.Solver(np.eye(3), np.zeros(3), perp.Coulomb(0.5))
    solver.solve(q)
    assert address(solver.problem.q) == address(q)


def test_buffers_live_as_long_as_the_handle():
    M, q = np.asfortranarray(np.eye(3)), np.array([-1.0, 0.1, 0])
    alive = weakref.ref(M)
    solver = perp.Solver(M, q, perp.Coulomb(np.array([0.5])))
    del M, q
    gc.collect()
    assert alive() is not None
    for _ in range(3):
        junk = np.random.default_rng(0).normal(size=1000)
        assert np.allclose(solver.solve().z, [1, -0.1, 0], atol=1e-7)
        solver.solve(np.array([-2.0, 0.1, 0]))
        del junk
        gc.collect()
        assert np.allclose(solver.solve().z, [2, -0.1, 0], atol=1e-7)
        solver.solve([-1.0, 0.1, 0])
    del solver
    gc.collect()
    assert alive() is None


def test_a_file_lives_as_long_as_its_arrays():
    problem = perp.generate.spheres(20, local=True)
    M, q = problem.M, problem.q
    total = M.data.sum() + q.sum()
    del problem
    gc.collect()
    junk = [np.ones(1000) for _ in range(100)]
    assert M.data.sum() + q.sum() == total and junk
    with pytest.raises(ValueError):
        q[0] = 1


def test_answers_live_without_the_handle():
    with perp.Solver(np.eye(3), [-1, 0, 0], perp.Coulomb(0.5)) as solver:
        r = solver.solve()
    del solver
    gc.collect()
    assert np.allclose(r.z, [1, 0, 0]) and r.status is perp.Status.SOLVED and r.residuals.natural < 1e-8


def test_a_matrix_that_changes_is_seen_after_update():
    M = np.asfortranarray(np.eye(3))
    solver = perp.Solver(M, [-1, 0, 0], perp.Coulomb(0.5), tol=1e-12)
    assert np.isclose(solver.solve().z[0], 1)
    M[:] = 2 * np.eye(3)
    solver.update()
    assert np.isclose(solver.solve().z[0], 0.5)
    M[0, 0] = np.nan
    with pytest.raises(perp.NonfiniteError):
        solver.update()


def test_a_change_without_update_never_gives_a_wrong_solved():
    M = np.asfortranarray(np.eye(3))
    solver = perp.Solver(M, [-1, 0, 0], perp.Coulomb(0.5))
    solver.solve()
    M[:] = 5 * np.eye(3)
    r = solver.solve()
    if r.solved:
        assert solver.problem.residuals(r.z)[0].natural <= 1e-7


@pytest.mark.parametrize("kind", ["csc", "bsr", "Delassus"])
def test_index_arrays_that_change_under_a_handle_are_noticed(kind):
    M = sparse.csc_matrix(np.eye(6) + 0.1)
    if kind == "bsr":
        M = perp.column_blocks(sparse.bsr_matrix(M, blocksize=(3, 3)))
    solver = perp.Solver(perp.Delassus(M, np.ones(6)) if kind == "Delassus" else M, -np.ones(6), perp.Coulomb(0.5))
    first = solver.solve().z
    for array in (M.indices, M.indptr):
        was = array.copy()
        for place in range(array.size):
            for bad in (10**9, -1, was[place] ^ 1):
                array[place] = bad
                with pytest.raises(perp.StateError, match="changed under the handle"):
                    solver.solve(-np.ones(6))
                array[place] = was[place]
    assert np.array_equal(solver.solve().z, first)


def test_a_mass_that_changes_under_a_handle_is_noticed():
    mass = perp.Mass(np.eye(3))
    solver = perp.Solver(perp.Delassus(np.eye(3), mass), [-1, 0, 0], perp.Coulomb(0.5))
    for matrix, answer in ((2 * np.eye(3), 2), (0.5 * np.eye(3), 0.5)):
        mass.update(matrix)
        with pytest.raises(perp.StateError, match="updated"):
            solver.solve()
        solver.update()
        assert np.allclose(solver.solve().z, [answer, 0, 0])


def test_values_that_change_at_random_never_end_the_program():
    rng = np.random.default_rng(5)
    problem = perp.generate.spheres(6, local=True)
    M = sparse.csc_matrix(problem.M.toarray())
    solver = perp.Solver(M, problem.q, problem.sets, solver="gs", max_iter=30, timing=0)
    for bad in (np.nan, np.inf, -1e300, 0.0, 1e-310):
        M.data[rng.integers(M.data.size, size=5)] = bad
        try:
            r = solver.solve()
        except perp.PerpError:
            continue
        assert not r.solved or np.all(np.isfinite(r.z))


def test_addresses_while_a_handle_is_used():
    """What C reads in each solve is what the user has, q too, and the answer is made once."""
    M = sparse.csc_matrix(np.eye(3) * 2)
    q, other = np.array([-1.0, 0, 0]), np.array([-2.0, 0, 0])
    solver = perp.Solver(M, q, perp.Coulomb(0.5))
    r = solver.solve(other)
    assert pointer(getattr(solver.problem._c.M, "as").csc.x) == address(M.data)
    assert pointer(solver.problem._c.q) == address(other)
    assert r.z.base is r.w.base and address(r.w) == address(r.z) + r.z.nbytes


def test_memory_does_not_grow_with_solves(resident):
    """1e5 on a handle, and some of all that is made for each solve."""
    q = np.array([-1.0, 0.1, 0])
    problem = perp.Problem(np.eye(3), q, perp.Coulomb(0.5))

    def make(count, several):
        solver = perp.Solver(problem)
        for k in range(count):
            q[0] = -1.0 - k % 7
            assert solver.solve(q).solved
        for k in range(several):
            r = perp.solve(lambda x: 2 * x, q, perp.Coulomb(0.5))
            perp.solve([[0.0]], [-1.0], perp.Nonneg()).certificate.holds
            perp.solve(problem).vjp(z=q)
            with pytest.raises(perp.PerpError):
                perp.solve(np.eye(2), q, perp.Coulomb(0.5))
            assert r.solved
        gc.collect()

    make(1000, 300)
    before = resident()
    make(100000, 1000)
    assert resident() - before < 4 << 20
