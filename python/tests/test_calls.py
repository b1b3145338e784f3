# SPDX-License-Identifier: BSD-3-Clause
"""Functions of the user, threads, Ctrl-C, fork, pickle, and the end of the interpreter."""
import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import perp

Q, CONTACT = [-1.0, 0.1, 0], perp.Coulomb(0.5)


class Mine(Exception):
    pass


def test_what_a_matrix_raises_arrives_unchanged():
    mine = Mine("mine")

    def apply(_):
        raise mine

    with pytest.raises(Mine) as caught:
        perp.solve(apply, Q, CONTACT)
    assert caught.value is mine and caught.value.__traceback__ is not None
    problem = perp.Problem(apply, Q, CONTACT)
    with pytest.raises(Mine):
        problem.residuals([0, 0, 0])


def test_what_progress_and_ncp_raise_arrives_unchanged():
    mine = Mine()

    def stop(*_):
        raise mine

    with pytest.raises(Mine) as caught:
        perp.solve(perp.generate.spheres(60), progress=stop)
    assert caught.value is mine
    for F, J in ((stop, np.diag), (lambda z: z - 1, stop)):
        with pytest.raises(Mine) as caught:
            perp.ncp(F, J, [0.5])
        assert caught.value is mine


def test_a_handle_lives_after_its_function_raised():
    fail = [True]

    def apply(x):
        if fail[0]:
            raise Mine()
        return 2 * x

    fail[0] = False
    solver = perp.Solver(apply, Q, CONTACT)
    fail[0] = True
    with pytest.raises(Mine):
        solver.solve()
    fail[0] = False
    assert np.allclose(solver.solve().z, [0.5, -0.05, 0], atol=1e-6)


def test_progress_is_told():
    told = []
    r = perp.solve(perp.generate.spheres(60), progress=told.append)
    assert r.solved and told
    assert all(p.error >= 0 and p.stage and p.iteration >= 0 for p in told)


def test_a_function_may_not_use_the_handle_that_calls_it():
    caught = []

    def apply(x):
        try:
            solver.solve()
        except perp.StateError as error:
            caught.append(error)
        return x

    solver = perp.Solver(apply, Q, CONTACT)
    caught.clear()
    solver.solve()
    assert caught and "at work" in str(caught[0])


def test_a_function_may_solve_with_another_handle():
    inner = perp.Solver(np.eye(3), Q, CONTACT)
    r = perp.solve(lambda x: x + 0 * inner.solve().z, Q, CONTACT)
    assert np.allclose(r.z, inner.solve().z, atol=1e-6)


def slow_problem():
    """One that no solver finishes at once."""
    return perp.generate.boxes(600, seed=2)


def test_two_threads_solve_at_once():
    problem = slow_problem()
    expected = perp.solve(problem, solver="gs", max_iter=400, timing=0)
    answers = [None] * 4

    def work(k):
        answers[k] = perp.solve(problem, solver="gs", max_iter=400, timing=0)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a.z, expected.z) for a in answers)


def test_the_interpreter_runs_on_while_a_solve_runs():
    count, done = 0, threading.Event()

    def work():
        perp.solve(slow_problem(), solver="gs", tol=1e-15, time_limit=0.5)
        done.set()

    thread = threading.Thread(target=work)
    thread.start()
    while not done.is_set():
        count += 1
        time.sleep(0.0001)
    thread.join()
    assert count > 3


def test_one_handle_in_two_threads_is_refused():
    started = threading.Event()
    solver = perp.Solver(slow_problem(), solver="gs", tol=1e-15, time_limit=1.0,
                         progress=lambda _: started.set())
    thread = threading.Thread(target=solver.solve)
    thread.start()
    started.wait(20)
    with pytest.raises(perp.StateError, match="another thread"):
        solver.solve()
    with pytest.raises(perp.StateError):
        solver.close()
    thread.join()
    assert solver.solve(np.zeros(solver.problem.n)).solved


def test_ctrl_c_ends_a_solve_with_its_best_iterate():
    problem = slow_problem()
    solver = perp.Solver(problem, solver="gs", tol=1e-15, time_limit=60)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    r = solver.solve()
    assert r.status is perp.Status.INTERRUPTED
    assert np.all(np.isfinite(r.z)) and r.error == pytest.approx(max(problem.residuals(r.z)[0][:2]), rel=1e-6)


def test_ctrl_c_in_a_function_ends_too():
    count = [0]

    def apply(x):
        count[0] += 1
        if count[0] == 4:
            raise KeyboardInterrupt
        return np.array([[2.0, 1, 0], [1, 2, 0], [0, 0, 1]]) @ x

    r = perp.solve(apply, Q, CONTACT)
    assert r.status is perp.Status.INTERRUPTED and np.all(np.isfinite(r.z))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_fork_uses_handles():
    solver = perp.Solver(np.eye(3), Q, CONTACT)
    solver.solve()
    child = os.fork()
    if child == 0:
        good = solver.solve(np.array([-2.0, 0, 0])).solved and perp.solve(perp.generate.spheres(30)).solved
        os._exit(0 if good else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert solver.solve().solved


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_of_fork_uses_threads_as_its_parent_did():
    problem, how = slow_problem(), {"solver": "gs", "max_iter": 20, "timing": 0, "threads": 2}
    solver = perp.Solver(problem, **how)
    expected = solver.solve().z
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for threads of its parent would wait for ever
        same = np.array_equal(perp.solve(problem, **how).z, expected) and np.array_equal(solver.solve().z, expected)
        os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert np.array_equal(solver.solve().z, expected)


def figures(r):
    return (r.z.tobytes(), r.w.tobytes(), r.status, r.residuals, r.stages, r.solver, r.detail, r.work,
            repr(r.certificate))


def test_results_are_copied_and_pickled():
    answers = [perp.solve(perp.generate.spheres(60)), perp.solve(np.zeros((1, 1)), [-1.0], perp.Nonneg(1))]
    assert answers[0].solved and answers[0].stages and answers[1].certificate.holds
    for r in answers:
        for other in (copy.copy(r), copy.deepcopy(r), pickle.loads(pickle.dumps(r))):
            assert figures(other) == figures(r) and not np.shares_memory(other.z, r.z)
        again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(r))))
        assert figures(again) == figures(r)
    with pytest.raises(perp.StateError, match="its problem was not"):
        again.jvp(q=[1.0])
    memory, *rest = answers[0].__reduce__()[1]
    with pytest.raises(perp.StateError, match="another version"):
        answers[0].__reduce__()[0](memory[:-1], *rest)


def test_problems_are_pickled():
    sparse = pytest.importorskip("scipy.sparse")
    for M in (np.eye(3), sparse.eye(6, format="csc"), perp.column_blocks(sparse.eye(6).tobsr((3, 3)))):
        n = M.shape[0]
        problem = perp.Problem(M, np.arange(n) - 2.0, perp.Coulomb(0.5))
        other = pickle.loads(pickle.dumps(problem))
        assert repr(other) == repr(problem)
        assert np.array_equal(perp.solve(other).z, perp.solve(problem).z)
    with pytest.raises(TypeError, match="pickle the matrix"):
        pickle.dumps(perp.Mass([1.0]))


def test_what_holds_handles_is_not_copied():
    for held, words in ((perp.Solver(np.eye(3), Q, CONTACT), "a Solver is neither"),
                        (perp.solve(np.eye(3), Q, CONTACT).derivative, "a Derivative is neither")):
        for make in (copy.copy, copy.deepcopy, pickle.dumps):
            with pytest.raises(TypeError, match=words):
                make(held)


def run(code):
    return subprocess.run([sys.executable, "-X", "dev", "-c", code], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=120, check=False)


def test_the_interpreter_ends_with_live_handles():
    done = run("import numpy as np, perp\n"
               "s = perp.Solver(lambda x: x, [-1., 0, 0], perp.Coulomb(.5))\n"
               "t = perp.Solver(np.eye(3), [-1., 0, 0], perp.Coulomb(.5), progress=print)\n"
               "class Ring: pass\n"
               "ring = Ring(); ring.self = ring; ring.s = perp.Solver(np.eye(3), [-1., 0, 0], perp.Coulomb(.5))\n"
               "p = perp.generate.spheres(20); r = s.solve(); M = p.M\n"
               "print(r.status.name)\n")
    assert done.returncode == 0 and done.stdout.strip().endswith("SOLVED"), done.stdout


def test_the_interpreter_ends_while_a_thread_solves():
    done = run("import threading, time, perp\n"
               "p = perp.generate.boxes(600)\n"
               "work = lambda: perp.solve(p, solver='gs', tol=1e-15, time_limit=30)\n"
               "threading.Thread(target=work, daemon=True).start()\n"
               "time.sleep(0.3)\nprint('out')\n")
    assert done.returncode == 0 and "out" in done.stdout, done.stdout
