# SPDX-License-Identifier: BSD-3-Clause
"""Answers, against closed forms and identities."""
import numpy as np
import pytest

import perp

sparse = pytest.importorskip("scipy.sparse")


def contacts(n, seed=0, mu=0.5):
    """Random contacts with a positive definite matrix."""
    rng = np.random.default_rng(seed)
    G = rng.normal(size=(3 * n, 4 * n))
    M = G @ G.T / (4 * n) + 0.1 * np.eye(3 * n)
    return M, rng.normal(size=3 * n), perp.Coulomb(np.full(n, mu))


def test_one_contact_slides():
    r = perp.solve(np.eye(3), [-1, 2, 0], [perp.Coulomb(0.3, dim=3)], tol=1e-10)
    assert r.status is perp.Status.SOLVED and r.solved
    assert np.allclose(r.z, [1, -0.3, 0], atol=1e-9)
    assert np.allclose(r.w, [0, 1.7, 0], atol=1e-9)
    assert r.residuals.natural <= 1e-10 and r.error <= 1e-10
    assert r.certificate is None


def test_one_contact_sticks_and_one_opens():
    M, sets = np.eye(6), perp.Coulomb([0.5, 0.5])
    r = perp.solve(M, [-1, 0.2, 0, 1, 3, 0], sets, tol=1e-10)
    assert np.allclose(r.z, [1, -0.2, 0, 0, 0, 0], atol=1e-9)


@pytest.mark.parametrize("form", ["csc", "csr", "bsr", "coo", "lil", "dense", "fortran", "int64", "columns", "array"])
def test_forms_of_a_matrix_agree(form):
    M, q, sets = contacts(4)
    expected = perp.solve(M, q, sets, tol=1e-12).z
    made = {
        "dense": lambda: M,
        "fortran": lambda: np.asfortranarray(M),
        "bsr": lambda: sparse.bsr_matrix(M, blocksize=(3, 3)),
        "columns": lambda: perp.column_blocks(sparse.bsr_matrix(M, blocksize=(3, 3))),
        "array": lambda: sparse.csc_array(M),
    }
    matrix = made[form]() if form in made else sparse.csc_matrix(M)
    if form == "int64":
        matrix.indices, matrix.indptr = matrix.indices.astype(np.int64), matrix.indptr.astype(np.int64)
    elif form not in made:
        matrix = matrix.asformat(form)
    r = perp.solve(matrix, q, sets, tol=1e-12)
    assert r.solved and np.allclose(r.z, expected, atol=1e-9)


def test_unsymmetric_blocks_are_not_transposed():
    rng = np.random.default_rng(3)
    M = np.eye(6) * 4 + rng.normal(size=(6, 6))
    q = rng.normal(size=6)
    for matrix in (sparse.bsr_matrix(M, blocksize=(3, 3)), sparse.bsr_matrix(M, blocksize=(2, 3))):
        r = perp.solve(matrix, q, perp.Free())
        assert np.allclose(M @ r.z, -q)


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, bool])
def test_other_dtypes_are_converted(dtype):
    M = np.eye(2, dtype=dtype)
    assert np.allclose(perp.lcp(M, np.array([-1, 1]).astype(dtype if dtype != bool else int)).z, [1, 0])


def test_delassus_is_the_product_of_its_factors():
    rng = np.random.default_rng(1)
    H, mass = rng.normal(size=(8, 6)), np.diag(rng.uniform(1, 2, 8))
    q, sets = rng.normal(size=6), perp.Coulomb([0.4, 0.4])
    W = H.T @ np.linalg.inv(mass) @ H
    expected = perp.solve(W, q, sets, tol=1e-12).z
    shared = perp.Mass(mass)
    for made in (perp.Delassus(H, mass), perp.Delassus(sparse.csc_matrix(H), np.diag(mass)),
                 perp.Delassus(H, sparse.csr_matrix(mass)), perp.Delassus(H, shared)):
        assert np.allclose(perp.solve(made, q, sets, tol=1e-12).z, expected, atol=1e-8)
    eased = perp.solve(perp.Delassus(H, shared, compliance=0.5), q, sets, tol=1e-12)
    assert np.allclose(eased.z, perp.solve(W + 0.5 * np.eye(6), q, sets, tol=1e-12).z, atol=1e-8)


def test_a_function_is_a_matrix():
    M, q, sets = contacts(3)
    expected = perp.solve(M, q, sets, tol=1e-10).z
    with_diagonal = perp.Operator(lambda x: M @ x, 9, np.diag(M))
    assert np.allclose(perp.solve(with_diagonal, q, sets, tol=1e-10).z, expected, atol=1e-7)
    assert np.allclose(perp.solve(lambda x: M @ x, q, sets, tol=1e-9).z, expected, atol=1e-6)
    linear = pytest.importorskip("scipy.sparse.linalg").aslinearoperator(M)
    assert np.allclose(perp.solve(linear, q, sets, tol=1e-9).z, expected, atol=1e-6)


def test_sets_take_the_rows_that_are_left():
    n = 3 + 1 + 6
    r = perp.solve(np.eye(n), -np.ones(n), [perp.Free(3), perp.Coulomb(0.5, dim=3), perp.Nonneg(1)])
    assert np.allclose(r.z[:3], 1) and np.isclose(r.z[-1], 1)
    assert perp.solve(np.eye(4), -np.ones(4), [perp.Box([0, 0], [0.5, 2]), perp.Nonneg()]).z.tolist() == [0.5, 1, 1, 1]


def test_every_set_has_its_answer():
    q = np.array([-1.0, 5, 0])
    assert np.allclose(perp.solve(np.eye(3), q, perp.Tresca(0.7), tol=1e-10).z, [1, -0.7, 0])
    # SOC: the projection of -q on the cone.
    z = perp.solve(np.eye(3), q, perp.SOC(0.5), tol=1e-12).z
    t = (1 + 0.5 * 5) / 1.25
    assert np.allclose(z, [t, -0.5 * t, 0], atol=1e-8)
    r = perp.solve(np.eye(5), [-1.0, 3, 0, 2, 0], perp.Rolling(0.5, 0.25), tol=1e-10)
    assert np.allclose(r.z, [1, -0.5, 0, -0.25, 0], atol=1e-8)
    r = perp.solve(np.eye(4), [-1.0, 0, 3, -2], perp.Rolling(0.5, 0.25, dim=4), tol=1e-10)
    assert np.allclose(r.z, [1, 0, -0.5, 0.25], atol=1e-8)
    r = perp.solve(np.eye(6), [-1.0, 3, 0, -2, 0, 2], perp.Rolling(0.5, 0.25, mu_s=0.125), tol=1e-10)
    assert np.allclose(r.z, [1, -0.5, 0, 0.125, 0, -0.25], atol=1e-8)
    assert list(perp.Rolling(0.5, 0.25, mu_s=[0.1, 0.2]).parameters) == ["mu", "mu_r", "mu_s"]
    assert perp.Rolling(0.5, 0.25, mu_s=[0.1, 0.2]).rows == 12
    with pytest.raises(perp.ArgumentError):
        perp.Rolling(0.5, 0.25, dim=5, mu_s=0.1)
    assert np.allclose(perp.solve(np.eye(2), [-1.0, 3], perp.Coulomb(0.5, dim=2)).z, [1, -0.5])


def test_packings_with_torsion():
    p = perp.generate.spheres(20, mu=0.5, mu_s=0.005)
    assert p.n % 4 == 0 and [type(s) for s in p.sets] == [perp.Rolling]
    assert perp.solve(p, tol=1e-8).solved
    p = perp.generate.spheres(20, mu=0.5, mu_r=0.01, mu_s=0.005)
    assert p.n % 6 == 0 and set(p.sets[0].parameters) == {"mu", "mu_r", "mu_s"}
    assert perp.solve(p, tol=1e-8).solved


def test_linear_problems_by_name():
    M = np.array([[2.0, 1], [1, 2]])
    assert np.allclose(perp.lcp(M, [-5, -6]).z, [4 / 3, 7 / 3])
    assert np.allclose(perp.mlcp(M, [5, -6], 1).z, np.linalg.solve(M, [-5, 6]))
    assert np.allclose(perp.mlcp(M, [5, -6], [True, False]).z, np.linalg.solve(M, [-5, 6]))
    assert np.allclose(perp.boxed_lcp(M, [-5, -6], 0, [1, 10]).z, [1, 2.5])
    assert np.allclose(perp.relay(np.eye(2), [0.5, -3]).z, [-0.5, 1])
    r = perp.avi(np.eye(2), [0, 0], [[1, 1]], [2], lo=0, hi=[0.5, 9])
    assert np.allclose(r.z, [0.5, 1.5]) and np.allclose(r.multipliers, [1.5]) and np.allclose(r.slack, [0])


@pytest.mark.parametrize("name", ["lemke", "nsn", "ipm", "gs", "direct"])
def test_solvers_agree(name):
    if name not in perp.solvers():
        pytest.skip("not in this build")
    rng = np.random.default_rng(5)
    G = rng.normal(size=(6, 8))
    M, q = G @ G.T, rng.normal(size=6)
    z = perp.lcp(M, q, solver=name, tol=1e-10).z
    assert np.allclose(z, perp.lcp(M, q, tol=1e-12).z, atol=1e-7)
    assert np.all(z >= -1e-9) and np.all(M @ z + q >= -1e-7)


def test_no_solution_is_an_answer_with_its_proof():
    r = perp.lcp([[0, 0], [0, 0]], [-1, 1])
    assert r.status is perp.Status.INFEASIBLE and not r.solved
    proof = r.certificate
    assert proof and proof.kind is perp.CertificateKind.INFEASIBLE and proof.reach == np.inf
    # By hand: y >= 0, M'y <= 0, q.y < 0.
    assert np.all(proof.y >= 0) and proof.y @ [-1, 1] < 0
    again = perp.check_certificate(perp.Problem(np.zeros((2, 2)), [-1, 1], perp.Nonneg()), proof.y)
    assert again.holds
    assert not perp.check_certificate(perp.Problem(np.eye(2), [-1, 1], perp.Nonneg()), proof.y).holds


def test_all_solutions():
    found = perp.all_solutions([[1, 2], [2, 1]], [-1, -1], perp.Nonneg())
    assert found.status is perp.Status.SOLVED and len(found.solutions) == 3
    for s in found.solutions:
        assert np.allclose(s.w, np.array([[1, 2], [2, 1]]) @ s.z - 1) and abs(s.z @ s.w) < 1e-9
    none = perp.all_solutions([[-1.0]], [-1.0], perp.Nonneg())
    assert none.status is perp.Status.INFEASIBLE and not none.solutions


@pytest.mark.parametrize("method", ["josephy", "fischer"])
def test_kojima_shindo(method):
    def F(z):
        a, b, c, d = z
        return np.array([3 * a * a + 2 * a * b + 2 * b * b + c + 3 * d - 6, 2 * a * a + b * b + a + 10 * c + 2 * d - 2,
                         3 * a * a + a * b + 2 * b * b + 2 * c + 9 * d - 9, a * a + 3 * b * b + 2 * c + 3 * d - 3])

    def J(z):
        a, b, _, _ = z
        return np.array([[6 * a + 2 * b, 2 * a + 4 * b, 1, 3], [4 * a + 1, 2 * b, 10, 2], [6 * a + b, a + 4 * b, 2, 9],
                         [2 * a, 6 * b, 2, 3]])

    r = perp.ncp(F, J, np.ones(4), method=method, tol=1e-12, check_jacobian=True)
    assert r.solved and np.all(r.z >= 0) and np.all(r.F >= -1e-8) and abs(r.z @ r.F) < 1e-7
    pattern = sparse.csc_matrix(np.ones((4, 4)))
    same = perp.ncp(F, lambda z: sparse.csc_matrix(J(z)), r.z + 0.01, method=method, pattern=pattern)
    assert same.solved


def test_stages_and_work_are_told():
    problem = perp.generate.boxes(40)
    r = perp.solve(problem)
    assert r.solved and r.solver and r.iterations > 0 and r.work > 0
    assert r.stages and all(stage.solver and stage.why for stage in r.stages)


def test_a_handle_is_used_again():
    M, q, sets = contacts(3)
    with perp.Solver(M, q, sets, tol=1e-12) as solver:
        first = solver.solve()
        second = solver.solve(q=2 * q)
        assert np.allclose(second.z, 2 * first.z, atol=1e-8)
        assert np.allclose(solver.problem.q, 2 * q)
        solver.update(M=2 * M)
        assert np.allclose(solver.solve().z, first.z, atol=1e-8)
        solver.update(sets=perp.Coulomb([0.0, 0.0, 0.0]), q=q)
        assert np.allclose(solver.solve().z.reshape(-1, 3)[:, 1:], 0, atol=1e-9)
    assert solver.closed


def test_q_of_any_layout():
    with perp.Solver(np.eye(3), np.zeros(3), perp.Coulomb(0.5)) as solver:
        table = np.array([[-1.0, 9], [0.1, 9], [0, 9]])
        for q in (table[:, 0], table[:, 0].astype(np.float32), [-1, 0.1, 0], table[:, :1].ravel(), table[::-1, 0][::-1]):
            assert np.allclose(solver.solve(q).z, [1, -0.1, 0], atol=1e-6)


def test_warm_start():
    problem = perp.generate.spheres(60)
    cold = perp.solve(problem, solver="gs")
    warm = perp.solve(problem, solver="gs", z0=cold.z)
    assert warm.iterations < cold.iterations
    with perp.Solver(problem, solver="gs", warm_start=1) as solver:
        assert solver.solve().iterations > solver.solve().iterations
    with perp.Solver(problem, solver="gs") as solver:
        first = solver.solve().iterations
        assert solver.solve(z0=cold.z).iterations < first
        assert solver.solve().iterations == first


def test_files(tmp_path):
    problem = perp.generate.spheres(20, local=True)
    r = perp.solve(problem, tol=1e-10)
    path = tmp_path / "problem.hdf5"
    problem.save(path)
    again = perp.load(path)
    assert np.array_equal(again.q, problem.q) and (again.M != problem.M).nnz == 0
    solution = tmp_path / "solution.hdf5"
    again.save(solution, r.z)
    assert np.allclose(perp.load_solution(again, solution), r.z)
    mine = perp.Problem(np.eye(2) * 2, [-1, 1], perp.Nonneg())
    mine.save(tmp_path / "lcp.dat")
    assert np.allclose(perp.solve(perp.load(tmp_path / "lcp.dat", "lcp")).z, [0.5, 0])
    parts = perp.generate.spheres(20)
    W = parts.M
    assert isinstance(W, perp.Delassus)
    assert np.allclose(perp.solve(perp.Delassus(W.H, W.mass), parts.q, parts.sets, tol=1e-10).w,
                       perp.solve(parts, tol=1e-10).w, atol=1e-6)


def test_generators_make_the_same_numbers_again():
    assert np.array_equal(perp.generate.grains(30, seed=3).q, perp.generate.grains(30, seed=3).q)
    for made in (perp.generate.arch(40), perp.generate.chains(30), perp.generate.ladder(40),
                 perp.generate.family("pd", 30)):
        assert perp.solve(made).solved
    proof = perp.solve(perp.generate.family("infeasible", 20))
    assert proof.status is perp.Status.INFEASIBLE and proof.certificate.holds


def test_empty_problem():
    r = perp.solve(np.zeros((0, 0)), np.zeros(0), [])
    assert r.solved and r.z.shape == (0,)
