# SPDX-License-Identifier: BSD-3-Clause
"""What a user may do wrong, and what is said then."""
import numpy as np
import pytest

import perp

sparse = pytest.importorskip("scipy.sparse")
EYE, Q = np.eye(3), [-1.0, 0, 0]


@pytest.mark.parametrize("call, kind, words", [
    (lambda: perp.solve(np.eye(2), Q, perp.Coulomb(0.5)), ValueError, r"M: shape \(3, 3\) .* it is \(2, 2\)"),
    (lambda: perp.solve(np.ones((3, 2)), Q, perp.Coulomb(0.5)), ValueError, r"M: .* \(3, 2\)"),
    (lambda: perp.solve(np.ones(3), Q, perp.Coulomb(0.5)), ValueError, r"M: a matrix is expected"),
    (lambda: perp.solve(EYE, [[1, 2, 3]], perp.Coulomb(0.5)), ValueError, r"q: .*\(1, 3\)"),
    (lambda: perp.solve(EYE, [1, 2j, 3], perp.Coulomb(0.5)), TypeError, "q: real numbers .* complex128"),
    (lambda: perp.solve(EYE, ["a", "b", "c"], perp.Coulomb(0.5)), TypeError, "q: real numbers"),
    (lambda: perp.solve(EYE, [1, None, 3], perp.Coulomb(0.5)), TypeError, "q: real numbers"),
    (lambda: perp.solve(EYE, [1, np.nan, 3], perp.Coulomb(0.5)), perp.NonfiniteError, r"q\[1\]"),
    (lambda: perp.solve(np.diag([1, np.inf, 1]), Q, perp.Coulomb(0.5)), perp.NonfiniteError, r"M\[1, 1\]"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(-0.5)), ValueError, r"sets\[0\].mu"),
    (lambda: perp.solve(np.eye(6), np.ones(6), perp.Coulomb([0.5, -1])), ValueError, r"sets\[0\].mu\[1\]"),
    (lambda: perp.solve(EYE, Q, perp.Box(1, 0)), ValueError, r"sets\[0\].lo"),
    (lambda: perp.solve(EYE, Q, perp.Nonneg(2)), ValueError, "sets: they have 2 rows, and q has 3"),
    (lambda: perp.solve(EYE, Q, [perp.Nonneg(), perp.Free()]), ValueError, r"sets\[0\] and sets\[1\]"),
    (lambda: perp.solve(EYE, Q, [perp.Free(1), perp.Coulomb(0.5)]), ValueError, r"sets\[1\]: 2 rows are left"),
    (lambda: perp.solve(EYE, Q, ["nonneg"]), TypeError, r"sets\[0\]: a set .* str"),
    (lambda: perp.solve(EYE, Q), ValueError, "sets: is missing"),
    (lambda: perp.solve(None, Q, perp.Coulomb(0.5)), TypeError, "M: real numbers"),
    (lambda: perp.solve(EYE.astype(object), Q, perp.Coulomb(0.5)), TypeError, "M: .* object"),
    (lambda: perp.solve(np.zeros((3, 3, 3)), Q, perp.Coulomb(0.5)), ValueError, r"M: .* \(3, 3, 3\)"),
    (lambda: perp.solve(sparse.csc_matrix(1j * EYE), Q, perp.Coulomb(0.5)), TypeError, "M.data: .* complex128"),
    (lambda: perp.solve(EYE, 1.0, perp.Coulomb(0.5)), ValueError, r"q: .* \(\)"),
    (lambda: perp.solve(EYE, np.array([1, 2, 3], "M8[s]"), perp.Coulomb(0.5)), TypeError, "q: .* datetime64"),
    (lambda: perp.solve(EYE, np.zeros(3, [("a", "f8")]), perp.Coulomb(0.5)), TypeError, "q: real numbers"),
    (lambda: perp.solve(EYE, np.ma.masked_array(Q, [0, 1, 0]), perp.Coulomb(0.5)), TypeError, "q: .* masked"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(np.nan)), perp.NonfiniteError, r"sets\[0\].mu"),
    (lambda: perp.solve(EYE, Q, perp.Box(np.nan, 1)), perp.NonfiniteError, r"sets\[0\].lo"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), z0=[0, np.nan, 0]), perp.NonfiniteError, r"z\[1\]"),
    (lambda: perp.Operator(lambda x: x, 2**40), OverflowError, "n: "),
    (lambda: perp.Coulomb(0.5, dim=4), ValueError, "dim: 2 or 3"),
    (lambda: perp.Coulomb([0.5, 0.5], count=3), ValueError, "mu: 3 entries are expected, it has 2"),
    (lambda: perp.Coulomb([[0.5]]), ValueError, "mu: one number or an array"),
    (lambda: perp.Free(-1), ValueError, "count: -1"),
    (lambda: perp.Free(1.5), TypeError, "count: a whole number"),
    (lambda: perp.SOC(0.5, dim=1), ValueError, "dim: at least 2"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), tol=-1), ValueError, "tol: -1 is not within"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), tool=1), ValueError, "tool: .* 'tol' is near"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), sweep="up"), ValueError, "sweep: 'up' is none of forward"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), tol=[1]), TypeError, "tol: a number or a word"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), solver="gz"), ValueError, "'gz'; 'gs' is near"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), solver=3), TypeError, "solver: a name"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), solver="lemke"), NotImplementedError, ""),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), z0=[1]), ValueError, "z0: 3 entries"),
    (lambda: perp.Delassus(np.ones((2, 3)), np.ones(3)), ValueError, "H: 3 rows are expected"),
    (lambda: perp.Mass(np.zeros((2, 2))), np.linalg.LinAlgError, "mass"),
    (lambda: perp.Operator(3, 3), TypeError, "apply: a function"),
    (lambda: perp.solve(lambda z: z * [1, np.nan, 1], Q, perp.Nonneg()), perp.NonfiniteError, r"M: .* at \[1\]"),
    (lambda: perp.Delassus(EYE, np.ones(3)) @ [1, 2], perp.ArgumentError, "z: 3 entries"),
    (lambda: perp.column_blocks(EYE), TypeError, "BSR"),
    (lambda: perp.load("/nonexistent/x.dat"), OSError, "/nonexistent/x.dat"),
    (lambda: perp.load("x", kind="lcq"), ValueError, "kind: one of"),
    (lambda: perp.ncp(1, 2, [0.0]), TypeError, "F: a function"),
    (lambda: perp.ncp(lambda z: z[:1], np.diag, [0.0, 1.0]), ValueError, r"F: shape \(2,\)"),
    (lambda: perp.ncp(lambda z: z, lambda z: np.eye(3), [0.0, 1.0]), ValueError, r"J: shape \(2, 2\)"),
    (lambda: perp.ncp(lambda z: z, lambda z: 2 * np.eye(2), [0.0, 1.0], check_jacobian=True), ValueError, "J: entry"),
    (lambda: perp.avi(np.eye(2), [0, 0], [[1, 1, 1]], [2]), ValueError, r"A: shape \(1, 2\)"),
    (lambda: perp.mlcp(np.eye(2), [0, 0], 3), ValueError, "free: 3 is more"),
    (lambda: perp.generate.family("none"), ValueError, "name: one of pd"),
    (lambda: perp.generate.spheres(0), ValueError, "size: 0"),
    (lambda: perp.solve(EYE, Q, perp.Nonneg), TypeError, "sets: a set .*Nonneg"),
    (lambda: perp.solve(EYE, Q, perp.Coulomb(0.5), max_iter=10.5), ValueError, "max_iter: a whole number"),
    (lambda: perp.solve(lambda z: 1j * z, Q, perp.Coulomb(0.5)), TypeError, "M: real numbers .* complex128"),
    (lambda: perp.solve(lambda z: None, Q, perp.Coulomb(0.5)), TypeError, "M: real numbers .* None"),
    (lambda: perp.ncp(lambda z: z + 1j, np.diag, [0.0]), TypeError, "F: real numbers .* complex128"),
    (lambda: perp.solve([[0.0]], [-1.0], perp.Nonneg()).jvp([1.0]), RuntimeError, "no solution .* INFEASIBLE"),
])
def test_errors_say_what_is_wrong(call, kind, words):
    with pytest.raises(kind, match=words) as caught:
        call()
    assert isinstance(caught.value, perp.PerpError)


def compressed(data, indices, indptr, shape=(2, 2)):
    """A CSC matrix that scipy has not looked at."""
    made = sparse.csc_matrix(shape)
    made.data, made.indices, made.indptr = np.asarray(data, float), np.asarray(indices), np.asarray(indptr)
    return made


@pytest.mark.parametrize("matrix, words", [
    (compressed([1, 1, 1], [0, 0, 1], [0, 2, 3]), r"M.indices\[1\]"),
    (compressed([1, 1], [0, 2], [0, 1, 2]), r"M.indices\[1\]"),
    (compressed([1, 1], [0, -1], [0, 1, 2]), r"M.indices\[1\]"),
    (compressed([1, 1], [0, 1], [0, 2, 1]), r"M.indptr"),
    (compressed([1, 1], [0, 1], [0, 1]), "M: indptr"),
    (compressed([1, 1], [0, 1], [0, 1, 5]), "M: indptr"),
])
def test_broken_index_arrays_are_refused(matrix, words):
    with pytest.raises(perp.ArgumentError, match=words):
        perp.solve(matrix, [-1, 1], perp.Nonneg())


def test_broken_index_arrays_are_refused_by_all_that_reads_them():
    matrix = compressed([1, 1], [0, 10**8], [0, 1, 2])
    problem = perp.Problem(matrix, [-1, 1], perp.Nonneg())
    for call in (lambda: problem.residuals([0.0, 1]), problem.check):
        with pytest.raises(perp.ArgumentError, match=r"M.indices\[1\]"):
            call()
    for call in (lambda: problem.save("never.dat"), lambda: perp.Mass(matrix),
                 lambda: perp.all_solutions(matrix, [-1, 1], perp.Nonneg()),
                 lambda: perp.avi(matrix, [0, 0.0], [[1, 1]], [2]),
                 lambda: perp.solve(perp.Delassus(matrix, [1.0, 1]), [-1, 1], perp.Nonneg())):
        with pytest.raises(perp.ArgumentError):
            call()


@pytest.mark.parametrize("M", [np.eye(3, dtype=k) for k in (">f8", "f4", "f2", "g", "i8", "?")] + [
    kind(np.eye(3)) for kind in (sparse.csr_matrix, sparse.coo_matrix, sparse.lil_matrix, sparse.dia_matrix)] + [
    sparse.bsr_matrix(np.eye(3), blocksize=(3, 1)), np.asfortranarray(np.eye(3)), np.eye(6)[::2, ::2]],
    ids=lambda M: f"{type(M).__name__} {M.dtype}")
def test_any_real_matrix_is_taken(M):
    assert np.allclose(perp.solve(M, Q, perp.Coulomb(0.5)).z, [1, 0, 0])


def test_any_real_vector_is_taken():
    bytes_of = np.zeros(25, np.uint8)
    unaligned = bytes_of[1:].view(np.float64)
    unaligned[:] = Q
    assert not unaligned.flags.aligned
    fixed = np.array(Q)
    fixed.setflags(write=False)
    with perp.Solver(EYE, np.zeros(3), perp.Coulomb(0.5)) as solver:
        for q in (Q, tuple(Q), unaligned, fixed, np.array(Q[::-1])[::-1], np.array(Q, ">f8"), np.array(Q, "f4"),
                  np.array(Q, int), np.ma.masked_array(Q), np.array([Q, Q]).T.copy()[:, 0]):
            assert np.allclose(solver.solve(q).z, [1, 0, 0])
            assert np.allclose(perp.solve(EYE, q, perp.Coulomb(0.5)).z, [1, 0, 0])
    assert perp.solve(np.zeros((0, 0)), [], perp.Nonneg()).solved


def test_indices_that_do_not_fit():
    matrix = compressed([1, 1], np.array([0, 2**40]), [0, 1, 2])
    with pytest.raises(OverflowError, match="indices"):
        perp.solve(matrix, [-1, 1], perp.Nonneg())


def test_exceptions_have_fields():
    with pytest.raises(perp.NonfiniteError) as caught:
        perp.solve(EYE, [0, np.inf, 0], perp.Coulomb(0.5))
    assert caught.value.status is perp.Status.ERR_NONFINITE
    assert caught.value.what == "q[1]" and caught.value.index == 1


def test_a_refused_update_leaves_the_handle_as_it_was():
    with perp.Solver(EYE, Q, perp.Coulomb(0.5)) as solver:
        for bad in (lambda: solver.update(M=np.eye(2)), lambda: solver.update(q=[1, np.nan, 0]),
                    lambda: solver.update(sets=perp.Nonneg()), lambda: solver.solve(q=[0, 0, np.nan]),
                    lambda: solver.solve(q=[0, 0])):
            with pytest.raises(ValueError):
                bad()
            assert np.allclose(solver.solve().z, [1, 0, 0])


def test_a_result_is_neither_true_nor_false():
    for r in (perp.solve(EYE, Q, perp.Coulomb(0.5)), perp.solve([[0.0]], [-1.0], perp.Nonneg())):
        with pytest.raises(TypeError, match="r.solved"):
            bool(r)


def test_what_is_shown_of_objects():
    problem = perp.Problem(EYE, Q, perp.Coulomb([0.5]))
    assert repr(problem) == "Problem(n=3, sets=[Coulomb(mu=[0.5], dim=3, count=1)])"
    assert repr(perp.Coulomb(np.ones(10**5))) == "Coulomb(mu=<100000 numbers>, dim=3, count=100000)"
    solver = perp.Solver(problem, solver="gs")
    assert repr(solver) == "Solver(n=3, solver='gs')"
    assert repr(perp.solve(problem).derivative) == "Derivative(SOLVED, n=3, kinks=0)"
    solver.close()
    assert repr(solver) == "Solver(closed)"


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_subclasses_of_arrays_and_all_sparse_formats():
    class Mine(np.ndarray):
        pass

    r = perp.solve(EYE.view(Mine), np.array(Q).view(Mine), perp.Coulomb(0.5))
    assert type(r.z) is np.ndarray and np.allclose(r.z, [1, 0, 0])
    twice = sparse.coo_matrix(([0.5, 0.5, 1, 1], ([0, 0, 1, 2], [0, 0, 1, 2])))
    for M in (np.matrix(EYE), twice, *(sparse.csc_array(EYE).asformat(kind) for kind in
                                       ("csr", "csc", "bsr", "coo", "lil", "dia", "dok"))):
        assert np.allclose(perp.solve(M, Q, perp.Coulomb(0.5)).z, [1, 0, 0])
    sorted_ = sparse.csc_matrix(np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]]))
    other = compressed([1, 2, 1, 2, 1], [1, 0, 0, 1, 2], [0, 2, 4, 5], (3, 3))
    assert np.array_equal(perp.solve(other, Q, perp.Coulomb(0.5)).z, perp.solve(sorted_, Q, perp.Coulomb(0.5)).z)


@pytest.mark.parametrize("call", [perp.load, perp.Problem(EYE, Q, perp.Coulomb(0.5)).save, perp.Scene, perp.verify])
def test_paths_do_not_end_at_a_nul(call, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match="NUL"):
        call("x.dat\0.hdf5")
    assert not list(tmp_path.iterdir())


def test_nothing_at_all_is_a_problem():
    for M, sets in ((np.zeros((0, 0)), []), (sparse.csc_matrix((0, 0)), perp.Nonneg()), (EYE[:0, :0], perp.Free(0))):
        r = perp.solve(M, np.zeros(0), sets)
        assert r.solved and r.z.shape == (0,)
    assert perp.solve(EYE, Q, perp.Coulomb(0.5)).jvp(np.zeros((0, 3))).z.shape == (0, 3)


def test_a_closed_handle_says_so():
    solver = perp.Solver(EYE, Q, perp.Coulomb(0.5))
    solver.close()
    solver.close()
    for call in (solver.solve, solver.update, lambda: solver.solve([1.0, 0, 0])):
        with pytest.raises(perp.StateError, match="closed"):
            call()
