# SPDX-License-Identifier: BSD-3-Clause
"""Scenes that run, against closed forms."""
import copy
import gc
import os
import pickle
import signal
import threading

import numpy as np
import pytest

import perp


class Mine(Exception):
    pass


def test_a_ball_falls_and_rests(falling):
    sim = perp.Simulation(falling)
    r = sim.run(record=["ball.q", "ball.v", "energy"])
    assert r.status is perp.Status.SOLVED and r.t[0] == 0 and np.isclose(r.t[-1], 1) and len(r.t) == 101
    free = r.t < 0.19
    assert np.allclose(r["ball.q"][free, 2], 0.3 - 5 * r.t[free] ** 2, atol=1e-9)
    assert np.isclose(r["ball.q[2]"][-1], 0.1, atol=1e-6) and np.allclose(r["ball.v"][-1], 0, atol=1e-9)
    assert np.all(np.diff(r["energy"]) < 1e-9)
    contacts = sim.contacts
    assert contacts and contacts.names == ["ball, floor"] and contacts.states[0] != "open"
    assert np.allclose(contacts.normals, [[0, 0, 1]]) and np.allclose(contacts.forces, [[0, 0, 10]], atol=1e-7)
    assert np.allclose(contacts.points_a, [[0, 0, 0]], atol=1e-6)
    assert np.allclose(contacts.impulses, contacts.forces * 0.01)
    assert sim.verdict.kind in ("verified", "done with remarks") and sim.verdict.steps == 100
    assert sim.verdict.figures["unsolved"].value == 0


def test_a_ball_spins_down(falling):
    falling["bodies"][1].update(position=[0, 0, 0.1], angular=[0, 0, 5])
    falling["contacts"]["torsion"] = 0.004
    sim = perp.Simulation(falling)
    sim.run(until=0.2)
    assert np.isclose(sim["ball"].v[5], 3, atol=1e-9)  # 5 - torsion m g t / inertia
    assert sim.contacts.states == ["spinning"]
    assert np.allclose(sim.contacts.moments, [[0, 0, -0.0004]], atol=1e-12)
    sim.run(until=0.8)
    assert np.isclose(sim["ball"].v[5], 0, atol=1e-12) and sim.contacts.states == ["sticking"]


def test_each_state(falling):
    sim = perp.Simulation(falling, until=0.1)
    states = list(sim)
    assert [s.step for s in states] == list(range(1, 11))
    assert np.allclose([s["ball"].q[2] for s in states], [0.3 - 5 * s.t**2 for s in states])
    assert len(states[-1].contacts.names) == len(states[-1].contacts.gap)
    with pytest.raises(perp.StateError, match="gone on"):
        states[0].contacts
    with pytest.raises(KeyError, match="cube"):
        states[0]["cube"]
    assert list(sim) == []


def test_steps_and_runs_are_the_same_motion(scenes):
    path = scenes / "box_stack.json"
    stepped, run = perp.Simulation(path, until=0.1), perp.Simulation(path, until=0.1)
    for _ in stepped:
        pass
    run.run(0.05, record=["energy"])
    run.run(record=["ball.q"], every=5)
    assert np.array_equal(stepped["ball"].q, run["ball"].q) and stepped.steps == run.steps == 50
    assert run.record["ball.q"].shape == (6, 7)


def test_record_takes_functions(falling):
    sim = perp.Simulation(falling)
    r = sim.run(0.1, record=["ball.q[2]", ("height", lambda s: s["ball"].q[2]), ("count", lambda s: s.steps)])
    assert np.array_equal(r["height"], r["ball.q[2]"]) and set(r) == {"t", "ball.q[2]", "height", "count"}
    mine = Mine()

    def fail(_):
        raise mine

    with pytest.raises(Mine) as caught:
        sim.run(0.2, record=[("x", fail)])
    assert caught.value is mine
    assert sim.run(0.3, record=["energy"])["energy"].shape[0] > 2


def test_states_may_be_set(falling):
    sim = perp.Simulation(falling)
    sim["ball"].q = [0, 0, 5, 1, 0, 0, 0]
    sim["ball"].v = [1, 0, 0, 0, 0, 0]
    r = sim.run(0.5, record=["ball.q"])
    assert np.allclose(r["ball.q"][-1, :3], [0.5, 0, 5 - 5 * 0.25])
    with pytest.raises(ValueError, match="ball.q: 7 entries"):
        sim["ball"].q = [1, 2]
    copy = sim["ball"].q
    copy[:] = 0
    assert sim["ball"].q[2] != 0


def test_forces_by_feedback(falling):
    sim = perp.Simulation(falling)

    def hover(s):
        s["ball"].set_force([0, 0, -50 * (s["ball"].q[2] - 0.5) - 15 * s["ball"].v[2]])

    sim.before_step(hover)
    assert np.isclose(sim.run(5, record=["ball.q[2]"])["ball.q[2]"][-1], 0.5, atol=1e-4)
    sim.before_step(None)


def test_sampled_control_and_events(scenes):
    sim, times, once = perp.Simulation(scenes / "box_stack.json", until=0.1), [], []
    sim.every(0.02, lambda s: times.append(s.t))
    sim.at(0.05, lambda s: once.append(s.t))
    sim.run(0.03, record=["energy"])
    sim.run(record=["ball.q"])  # the scene is made again at the same state
    assert np.allclose(times, [0, 0.02, 0.04, 0.06, 0.08]) and np.allclose(once, [0.05])


def test_contacts_are_told(falling):
    sim, told = perp.Simulation(falling), []
    sim.on_contact(lambda event, contact: told.append((event, contact.name, contact.impulse[2])))
    sim.run()
    assert told[0][0] == "begins" and told[0][1] == "ball, floor" and told[0][2] > 1
    assert {event for event, *_ in told} == {"begins", "persists"}


@pytest.mark.parametrize("hook", ["before_step", "after_step", "every", "at", "on_contact"])
def test_what_a_hook_raises_arrives_unchanged(falling, hook):
    sim, mine, fail = perp.Simulation(falling), Mine(), [True]

    def function(*_):
        if fail[0]:
            raise mine

    getattr(sim, hook)(*([0.01] if hook in ("every", "at") else []), function)
    with pytest.raises(Mine) as caught:
        sim.run()
    assert caught.value is mine
    fail[0] = False
    assert sim.run().status is perp.Status.SOLVED


@pytest.mark.parametrize("hook", ["before_step", "after_step", "on_contact", "every", "at", "record"])
def test_what_raises_ends_the_run_where_it_raises(falling, hook):
    sim, calls = perp.Simulation(falling), []

    def stop(*_):
        calls.append(sim.t)
        if len(calls) == (1 if hook == "at" else 3):
            raise Mine
        return 0.0

    record = None
    if hook == "every":
        sim.every(0.02, stop)
    elif hook == "at":
        sim.at(0.05, stop)
    elif hook == "record":
        record = [("mine", stop)]
    else:
        getattr(sim, hook)(stop)
    with pytest.raises(Mine):
        sim.run(record=record)
    assert calls[-1] <= sim.t <= calls[-1] + 1.5 * sim.h and len(calls) <= 3
    reached = sim.t
    sim.run(reached + 0.05)
    assert np.isclose(sim.t, reached + 0.05)


@pytest.mark.parametrize("value, words", [(None, "None"), ("x", "'x'"), (1j, "1j"), (np.ones(7), r"shape \(7,\)")])
def test_what_is_recorded_is_one_number(falling, value, words):
    with pytest.raises(TypeError, match=f"'mine' returned {words}"):
        perp.Simulation(falling).run(record=[("mine", lambda _: value)])
    assert perp.Simulation(falling).run(0.1, record=[("mine", lambda _: np.ones(1))])["mine"].sum() == 11


def test_states_that_are_none_are_refused(falling):
    ball = perp.Simulation(falling)["ball"]
    before = ball.q
    for bad, words in (([0, 0, np.nan, 1, 0, 0, 0], "NaN"), ([0, 0, 1, 0, 0, 0, 0], "quaternion"),
                       ([1, 2, 3], "7 entries")):
        with pytest.raises(ValueError, match=words):
            ball.q = bad
    with pytest.raises(perp.NonfiniteError):
        ball.v = [np.inf] + [0] * 5
    assert np.array_equal(ball.q, before)
    ball.q = [0, 0, 1, 3, 0, 4, 0]
    assert np.allclose(ball.q, [0, 0, 1, 0.6, 0, 0.8, 0])
    ball.q[2] = 7  # of a copy
    assert ball.q[2] == 1


def test_what_a_system_does_not_have_is_not_set(falling):
    """Assigning what is misspelt, or cannot be changed, would change nothing without a word."""
    hinge = {"name": "nail", "systems": ["ball"],
             "relation": {"type": "joint", "joint": "point", "anchor": [0, 0, 1]}}
    falling["interactions"] = [hinge]
    sim = perp.Simulation(falling)
    for part, name in ((sim["ball"], "mass"), (sim["ball"], "vel"), (sim["ball"], "position"), (sim["nail"], "mu")):
        with pytest.raises(AttributeError):
            setattr(part, name, 1)
    with pytest.raises(KeyError, match="did you mean 'ball'"):
        sim["bal"]


def test_a_simulation_is_gone_through_once(falling):
    sim = perp.Simulation(falling)
    one, other = iter(sim), iter(sim)
    times = [next(one).t, next(other).t, next(one).t]
    assert np.allclose(times, [0.01, 0.02, 0.03])
    assert len(list(sim)) == 97 and not list(sim) and not list(one)


def test_states_are_pickled_and_simulations_are_not(falling):
    sim = perp.Simulation(falling)
    state = next(iter(sim))
    for again in (pickle.loads(pickle.dumps(state)), copy.deepcopy(state)):
        assert again.t == state.t and np.array_equal(again["ball"].q, state["ball"].q)
        with pytest.raises(perp.StateError, match="the simulation was not"):
            again.contacts
    for make in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="a Simulation is neither"):
            make(sim)
    other = perp.Simulation(pickle.loads(pickle.dumps(sim.scene)))
    other.load(sim.save())
    assert np.array_equal(other["ball"].q, sim["ball"].q)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_simulations_run_in_children_of_fork(falling):
    sim = perp.Simulation(falling)
    sim.run(0.2)
    child = os.fork()
    if child == 0:
        sim.run(0.4)
        os._exit(0 if np.isclose(sim.t, 0.4) else 1)
    assert os.waitpid(child, 0)[1] == 0
    sim.run(0.4)
    assert np.isclose(sim.t, 0.4)


def test_memory_does_not_grow_with_simulations(falling, resident):
    def make(count):
        for _ in range(count):
            sim = perp.Simulation(falling)
            sim.before_step(lambda s: s["ball"].q)
            sim.run(0.05, record=["ball.q"])
            sim.on_contact(lambda *_: None)
        gc.collect()

    make(50)
    before = resident()
    make(400)
    assert resident() - before < 4 << 20


def test_a_hook_may_not_run_its_simulation(falling):
    sim = perp.Simulation(falling)
    sim.before_step(lambda s: s.run())
    with pytest.raises(perp.StateError, match="running"):
        sim.run()


def test_motor():
    scene = perp.Scene(until=1, step=0.01)
    scene.body("wheel", shape={"type": "sphere", "radius": 0.1}, mass=1)
    scene.interaction("axle", ["wheel"], {"type": "joint", "joint": "pivot", "anchor": [0, 0, 0], "axis": [0, 0, 1],
                                          "motor": {"speed": 1, "torque": 10}})
    try:
        sim = scene.simulation()
    except perp.FormatError as error:
        pytest.skip(f"words of motors differ: {error}")
    sim.run(record=["wheel.v"])
    assert np.isclose(abs(sim["wheel"].v[5]), 1)


def test_where_a_scene_of_python_is_wrong():
    for position, words in [([0, 0, np.nan], r"^scene: bodies\[1\].position\[2\]: .* NaN"),
                            (np.array([0, np.inf, 0]), r"^scene: bodies\[1\].position\[1\]: ")]:
        scene = perp.Scene(until=1, step=0.01)
        scene.body("floor", shape={"type": "plane", "normal": [0, 0, 1]})
        scene.body("ball", shape={"type": "sphere", "radius": 0.1}, mass=1, position=position)
        with pytest.raises(perp.NonfiniteError, match=words):
            scene.simulation()
    with pytest.raises(perp.FormatError, match=r"^scene: bodies\[0\].shape.type: .*'sphere'\?$"):
        perp.Scene(until=1, step=0.01).body("ball", shape={"type": "spere"}, mass=1).simulation()


def test_save_and_load_go_on_with_the_same_bits(scenes):
    sim = perp.Simulation(scenes / "box_stack.json", until=0.1)
    sim.run(0.05)
    saved = sim.save()
    sim.run()
    end = sim["ball"].q
    sim.load(saved)
    assert np.isclose(sim.t, 0.05)
    sim.run()
    assert np.array_equal(sim["ball"].q, end)
    with pytest.raises(perp.FormatError):
        sim.load(saved[:-5] + b"abcde")


def test_files_of_a_run_are_verified(falling, tmp_path):
    falling["record"] = {"certify": True}
    sim = perp.Simulation(falling)
    sim.run(folder=tmp_path / "run")
    found = perp.verify(tmp_path / "run")
    assert found and found.holds and any(c.known for c in found.checks) and found.rows > 50
    with pytest.raises(perp.FileError):
        perp.verify(tmp_path / "nothing")


def test_scenes_are_built_and_saved(tmp_path, falling):
    scene = perp.Scene(until=1, step=0.01, gravity=np.array([0, 0, -10.0]), contacts={"e": 0, "mu": 0.5})
    scene.body("floor", shape={"type": "plane", "normal": [0, 0, 1]})
    scene.body("ball", shape={"type": "sphere", "radius": 0.1}, mass=np.float64(1), position=np.array([0, 0, 0.3]))
    scene.save(tmp_path / "scene.json")
    again = perp.Simulation(tmp_path / "scene.json")
    mine, given = scene.simulation(), perp.Simulation(falling)
    for sim in (again, mine, given):
        sim.run()
    assert np.array_equal(mine["ball"].q, given["ball"].q) and np.array_equal(mine["ball"].q, again["ball"].q)


def test_robots(tmp_path):
    model = tmp_path / "pendulum.xml"
    model.write_text('<mujoco><worldbody><body name="arm" pos="0 0 1"><joint name="hinge" type="hinge" axis="0 1 0"/>'
                     '<geom type="capsule" size="0.02 0.2" pos="0 0 -0.2" mass="1"/></body></worldbody></mujoco>')
    try:
        scene = perp.Scene(model, robot={"until": 1, "step": 0.01, "floor": True})
    except perp.UnsupportedError:
        pytest.skip("a build without libxml2")
    sim = scene.simulation()
    assert sim.run().status is perp.Status.SOLVED and "arm" in sim.systems
    with pytest.raises(perp.ArgumentError, match="no URDF"):
        (tmp_path / "x.json").write_text("{}")
        perp.Scene(tmp_path / "x.json", robot={})
    with pytest.raises(perp.ArgumentError, match="colour"):
        perp.Scene(model, robot={"colour": 1})


def test_errors_name_their_place(tmp_path, falling):
    path = tmp_path / "bad.json"
    path.write_text('{"version": 1,\n "time": {"until": 1, "step": -1},\n "bodies": []}')
    with pytest.raises(perp.FormatError, match=r"bad.json: .*line 2"):
        perp.Simulation(path)
    with pytest.raises(perp.FileError, match="nowhere.json"):
        perp.Simulation(tmp_path / "nowhere.json")
    with pytest.raises(perp.FormatError, match="stepp"):
        perp.Simulation({**falling, "stepp": 1})
    for call, kind, words in [
            (lambda: perp.Simulation(3), TypeError, "a path or a dict"),
            (lambda: perp.Simulation(falling, until="x"), TypeError, "until: a number"),
            (lambda: perp.Simulation(falling, solver="gz"), perp.PerpError, "gz"),
            (lambda: perp.Simulation(falling, settings={"tool": 1}), perp.PerpError, "tool"),
            (lambda: perp.Simulation(falling)["cube"], KeyError, "cube"),
            (lambda: perp.Simulation(falling).run(record="ball.q"), TypeError, "a list of names"),
            (lambda: perp.Simulation(falling).run(record=["cube.q"]), ValueError, "cube"),
            (lambda: perp.Simulation(falling).run(record=[3]), TypeError, "3 is neither"),
            (lambda: perp.Simulation(falling).run(until=np.inf), ValueError, "until"),
            (lambda: perp.Simulation(falling).run().plot and perp.Simulation(falling).plot(), perp.StateError, "plot"),
            (lambda: perp.Simulation(falling).before_step(3), TypeError, "a function"),
            (lambda: perp.Simulation(falling).every(-1, print), ValueError, "period"),
            (lambda: perp.Simulation(falling)["ball"].set_force([1]), ValueError, "ball: force: 3 entries"),
            (lambda: perp.Scene("nothing.json"), OSError, "nothing.json: No such file"),
            (lambda: perp.Scene({"a": {1, 2}}).simulation(), TypeError, "set cannot stand")]:
        with pytest.raises(kind, match=words):
            call()


def test_a_step_without_a_solution_says_so():
    squeeze = {"time": {"until": 1, "step": 0.01},
               "systems": [{"name": "m", "type": "lagrangian", "q0": [0.001]}],
               "interactions": [
                   {"name": "lo", "systems": ["m"], "law": {"type": "impact", "e": 0},
                    "relation": {"type": "linear", "C": [[1]], "motion": [{"row": 0, "polynomial": [0, 1]}]}},
                   {"name": "hi", "systems": ["m"], "law": {"type": "impact", "e": 0},
                    "relation": {"type": "linear", "C": [[-1]], "e": [0.002],
                                 "motion": [{"row": 0, "polynomial": [0, 1]}]}}]}
    sim = perp.Simulation(squeeze)
    r = sim.run()
    assert r.status is perp.Status.INFEASIBLE_STEP and "squeezed" in r.detail
    assert {name for name, _, _ in sim.infeasibility} == {"lo", "hi"}
    with pytest.raises(perp.StepError, match="squeezed"):
        for _ in perp.Simulation(squeeze):
            pass


def test_ctrl_c_ends_a_run(scenes):
    sim = perp.Simulation(scenes / "sphere_pile.json")
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    r = sim.run(1000)
    assert r.status is perp.Status.INTERRUPTED
    assert r.t[-1] == pytest.approx(sim.t)


def test_two_simulations_run_at_once(scenes):
    paths = [scenes / "bouncing_ball.json", scenes / "double_pendulum.json"]
    expected = [perp.Simulation(p).run().data for p in paths]
    found = [None] * 2

    def work(k):
        found[k] = perp.Simulation(paths[k]).run().data

    threads = [threading.Thread(target=work, args=(k,)) for k in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(a, b) for a, b in zip(expected, found))


def test_parts_live_as_long_as_they_are_used(falling):
    ball = perp.Simulation(falling)["ball"]
    r = perp.Simulation(falling).run(record=["ball.q"])
    gc.collect()
    assert ball.q[2] == 0.3 and r["ball.q"][0, 2] == 0.3


def test_plot(falling):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("Agg")
    sim = perp.Simulation(falling)
    sim.run(record=["ball.q", "energy"])
    figure = sim.plot()
    assert [a.get_ylabel() for a in figure.axes] == ["ball.q", "energy"]
    pyplot.close(figure)
