# SPDX-License-Identifier: BSD-3-Clause
"""Derivatives of motions beside differences of runs, and what is refused."""
import gc

import numpy as np
import pytest

import perp


def scene(mu=0.3, mass=2.0, velocity=(1.0, 0.2), steps=40):
    """A block on the ground pulls a second one on a spring."""
    first = {"name": "first", "type": "lagrangian", "q0": [0, -0.001], "v0": [velocity[0], 0], "F": [0.1, -9.81 * 2],
             "M": [[mass, 0], [0, 2.0]]}
    second = {"name": "second", "type": "lagrangian", "q0": [0.5], "v0": [velocity[1]], "K": [[3.0]], "C": [[0.1]]}
    ground = {"name": "ground", "systems": ["first"], "relation": {"type": "linear", "C": [[0, 1], [1, 0]]},
              "law": {"type": "friction", "dim": 2, "mu": mu}}
    stop = {"name": "stop", "systems": ["second"], "relation": {"type": "linear", "C": [[1]], "e": [-0.45]},
            "law": {"type": "impact", "e": 0.5}}
    return {"time": {"until": 0.01 * steps, "step": 0.01}, "systems": [first, second],
            "interactions": [ground, stop]}


def run(parameters=(), tape=True, **choices):
    sim = perp.Simulation(scene(**choices), scheme="moreau-jean", tol=1e-12)
    if tape:
        sim.tape(parameters)
    sim.run()
    return sim


def state(sim):
    return np.concatenate([sim["first"].q, sim["second"].q, sim["first"].v, sim["second"].v])


def difference(name, value, by=1e-5):
    plus, minus = (run(tape=False, **{name: value + s * by}) for s in (1, -1))
    return (state(plus) - state(minus)) / (2 * by)


def test_forward():
    sim = run([("mu", "ground"), ("mass", "first", 0, 0)])
    for k, (name, value) in enumerate((("mu", 0.3), ("mass", 2.0))):
        d = sim.jvp(parameters=np.eye(2)[k])
        assert d.status is perp.Status.SOLVED and d.step is None
        assert np.allclose(np.concatenate([d.q, d.v]), difference(name, value), atol=1e-8)
    d = sim.jvp(v={"first": [1, 0], "second": [-2]})
    assert np.allclose(np.concatenate([d.q, d.v]), by_velocity(), atol=1e-8)


def by_velocity(by=1e-5):
    plus, minus = (run(tape=False, velocity=(1.0 + s * by, 0.2 - 2 * s * by)) for s in (1, -1))
    return (state(plus) - state(minus)) / (2 * by)


def test_adjoint_and_shapes():
    sim = run([("mu",), ("e", "stop")])
    tape, rng = sim._tape, np.random.default_rng(1)
    n, steps = tape.dofs, tape.steps
    assert (n, steps) == (3, 40)
    q, v, p, f = (rng.standard_normal(s) for s in ((2, n), (2, n), (2, 2), (2, steps, n)))
    for path in (False, True):
        along = sim.jvp(q, v, p, f, path=path)
        shape = (2, steps + 1, n) if path else (2, n)
        assert along.q.shape == along.v.shape == shape and len(along.each) == 2
        bars = rng.standard_normal((2,) + shape)
        of = sim.vjp(bars[0], bars[1], path=path)
        for k in range(2):
            left = np.sum(bars[0][k] * along.q[k]) + np.sum(bars[1][k] * along.v[k])
            right = sum(np.sum(a * b) for a, b in ((of.q[k], q[k]), (of.v[k], v[k]), (of.parameters[k], p[k]),
                                                   (of.forces[k], f[k])))
            assert abs(left - right) <= 1e-12 * (abs(left) + abs(right) + 1)
    one = sim.vjp(q={"second": [1.0]})
    assert one.q.shape == (n,) and one.forces.shape == (steps, n) and one.parameters.shape == (2,)
    assert tape.place("second") == slice(2, 3)


def test_bits_stay():
    assert np.array_equal(state(run([("mu",)])), state(run(tape=False)))


def test_refusals():
    sim = perp.Simulation(scene(), scheme="moreau-jean-adaptive", tol=1e-12)
    with pytest.raises(perp.StateError, match="no tape"):
        sim.jvp()
    sim.tape()
    with pytest.raises(perp.StateError, match="no step"):
        sim.vjp(q=[0, 0, 0])
    sim.step()
    with pytest.raises(perp.UnsupportedError, match="moreau-jean-adaptive"):
        sim.jvp(q=[1, 0, 0])
    assert "moreau-jean-adaptive" in sim._tape.detail and sim._tape.status is perp.Status.ERR_UNSUPPORTED
    with pytest.raises(perp.ArgumentError, match="no interaction 'floor'"):
        sim.tape([("mu", "floor")])
    with pytest.raises(perp.ArgumentError, match="'friction' is none of mu"):
        sim.tape([("friction", "ground")])
    with pytest.raises(perp.ArgumentError):
        sim.tape([("mass", "first", 0, 7)])
    sim = run([("mu",)])
    for wrong in ({"q": [1, 2]}, {"forces": np.zeros((3, 3))}, {"q": {"first": [1.0]}}, {"q": [np.nan, 0, 0]}):
        with pytest.raises(perp.ArgumentError):
            sim.jvp(**wrong)
    with pytest.raises(KeyError):
        sim.jvp(q={"third": [1.0]})
    tape = sim._tape
    sim.end_tape()
    with pytest.raises(perp.StateError):
        sim.vjp(q=[1, 0, 0])
    with pytest.raises(perp.StateError, match="was ended"):
        tape.vjp(q=[1, 0, 0])
    assert "ended" in repr(tape)


def test_a_tape_outlives_its_simulation():
    tape = run([("mu",)])._tape
    gc.collect()
    assert tape.jvp(parameters=[1.0]).status is perp.Status.SOLVED


def test_threshold():
    """A block that lies exactly on the ground: lifted it leaves it, in the first step."""
    data = scene()
    data["systems"][0]["q0"] = [0, 0]
    sim = perp.Simulation(data, scheme="moreau-jean", tol=1e-12)
    sim.tape()
    sim.run()
    up, down = sim.jvp(q={"first": [0, 1]}), sim.jvp(q={"first": [0, -1]})
    assert up.status is perp.Status.NOT_DIFFERENTIABLE and up.step == 1
    assert down.status is perp.Status.ONE_SIDED
    assert sim.jvp(v={"first": [1, 0]}).status is perp.Status.SOLVED


def test_record_is_chosen_first():
    sim = perp.Simulation(scene(), scheme="moreau-jean", tol=1e-12)
    sim.tape()
    with pytest.raises(perp.StateError, match="before tape"):
        sim.run(record=["first.q"])
    sim.end_tape()
    sim.run(sim.t, record=["first.q"])
    sim.tape()
    assert sim.run().data.shape[0] > 10 and sim._tape.steps == 40


def ball_scene():
    scene = perp.Scene(until=1, step=0.01, gravity=[0, 0, -9.81], contacts={"e": 0.3, "mu": 0.02})
    scene.body("floor", shape={"type": "plane", "normal": [0.1, 0, 1]})
    scene.body("ball", shape={"type": "sphere", "radius": 0.1}, density=1000, position=[0, 0, 0.25])
    return scene


def test_contacts_and_checkpoints():
    """The same gradient with checkpoints as by a tape of all steps; contacts are detected."""
    gradients = []
    for checkpoints in (True, False):
        sim = perp.Simulation(ball_scene(), scheme="moreau-jean", tol=1e-12)
        tape, asked = sim.tape([("mu",), ("e",), ("mass", "ball")]), []

        def cotangent(simulation, step):
            asked.append(step)
            ball = simulation["ball"]
            return {"ball": np.concatenate([ball.q[:3], np.zeros(3)])}, (ball.v if step % 2 else None)

        if checkpoints:
            gradients.append(tape.gradient_of_run(60, cotangent))
            assert sorted(asked) == list(range(61)) and sim.steps == 60
            continue
        q, v = np.zeros((2, 61, 6))
        for k in range(61):
            if k:
                sim.step()
            bars = cotangent(sim, k)
            q[k] = bars[0]["ball"]
            v[k] = 0 if bars[1] is None else bars[1]
        gradients.append(sim.vjp(q, v, path=True))
    for a, b in zip(gradients[0][:4], gradients[1][:4]):
        assert np.allclose(a, b, rtol=1e-7, atol=1e-9)
    assert np.all(np.abs(gradients[0].parameters[:2]) > 1e-6) and gradients[0].status is perp.Status.SOLVED


def test_what_a_cotangent_raises():
    sim = perp.Simulation(ball_scene(), scheme="moreau-jean", tol=1e-12)
    tape, fault = sim.tape(), KeyError("mine")

    def raises(simulation, step):
        if step == 27:
            raise fault

    with pytest.raises(KeyError) as caught:
        tape.gradient_of_run(30, raises)
    assert caught.value is fault
    with pytest.raises(perp.ArgumentError, match="shape"):
        tape.gradient_of_run(30, lambda simulation, step: (np.zeros(3), None))
    with pytest.raises(perp.ArgumentError):
        tape.gradient_of_run(0, raises)
    sim.before_step(lambda s: s["ball"].set_force([0, np.random.default_rng().normal(), -1.0]))
    with pytest.raises(perp.StateError, match="second run"):
        tape.gradient_of_run(9, lambda simulation, step: None)


def throw(velocity, mu=0.2, until=1.2, **choices):
    """A ball that bounces twice on a rough floor, and slides and rolls on."""
    ball = {"name": "ball", "shape": {"type": "sphere", "radius": 0.1}, "mass": 0.3, "position": [0, 0, 0.4],
            "velocity": velocity[:3], "angular": velocity[3:]}
    floor = {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}
    scene = {"version": 1, "time": {"until": until, "step": 0.005}, "gravity": [0, 0, -9.81],
             "newton": {"tol": 1e-13}, "bodies": [floor, ball], "contacts": {"e": 0.5, "mu": mu}}
    return perp.Simulation(scene, tol=1e-12, **choices)


FIRST = np.array([1.5, 0.1, 0.5, 0.0, -3.0, 1.0])


def ended(velocity, mu=0.2):
    sim = throw(list(velocity), mu)
    sim.run()
    return np.concatenate([sim["ball"].q[:3], sim["ball"].v])


def test_default_scheme():
    sim = throw(list(FIRST))
    tape = sim.tape([("mu",), ("e",)])
    sim.run()
    assert tape.steps == 240
    by = np.array([sim.jvp(v=np.eye(6)[k]).v for k in range(6)]).T
    for k in range(6):
        d = 1e-5 * np.eye(6)[k]
        slope = (ended(FIRST + d) - ended(FIRST - d)) / 2e-5
        assert np.allclose(by[:, k], slope[3:], atol=2e-5)
    mu = (ended(FIRST, 0.2 + 1e-5) - ended(FIRST, 0.2 - 1e-5)) / 2e-5
    along = sim.jvp(parameters=[1.0, 0.0])
    assert np.allclose(np.concatenate([along.q[:3], along.v]), mu, atol=2e-5)
    bar = np.random.default_rng(2).standard_normal(6)
    assert np.allclose(sim.vjp(v=bar).v, by.T @ bar, rtol=1e-10, atol=1e-12)


def test_motion_in_torch():
    torch = pytest.importorskip("torch")
    import perp.torch

    mu = torch.tensor([0.2], dtype=torch.float64, requires_grad=True)
    v = torch.tensor(FIRST, requires_grad=True)

    def run(mu, v):
        q, u = perp.torch.motion(lambda p: throw([0.0] * 6, p[0]), mu, [("mu",)], v)
        return torch.cat([q, u])

    assert torch.autograd.gradcheck(run, (mu, v), eps=1e-5, atol=1e-3)
    with pytest.raises(perp.ArgumentError):
        perp.torch.motion(lambda p: throw([0.0] * 6), mu, [])


def heap(count, move=None, **settings):
    """Spheres in two layers, a little apart, with small velocities; `move` is added to these."""
    rng = np.random.default_rng(1)
    scene = perp.Scene(until=1, step=0.004, gravity=[0, 0, -9.81], contacts={"e": 0, "mu": 0.4})
    scene.body("floor", shape={"type": "plane", "normal": [0, 0, 1]})
    side = int(np.ceil(np.sqrt(count / 2)))
    for i in range(count):
        layer, k = divmod(i, side * side)
        velocity = np.concatenate([rng.uniform(-0.3, 0.3, 3), rng.uniform(-1, 1, 3)])
        if move is not None:
            velocity += move[6 * i:6 * i + 6]
        radius = 0.1 - 0.004 * rng.random()
        scene.body(f"b{i}", shape={"type": "sphere", "radius": radius}, mass=1.0, velocity=velocity[:3].tolist(),
                   angular=velocity[3:].tolist(),
                   position=[0.203 * (k % side) + 0.1 * layer, 0.203 * (k // side) + 0.1 * layer,
                             radius + 1e-3 + 0.145 * layer])
    return perp.Simulation(scene, **{"tol": 1e-10, **settings})


@pytest.mark.parametrize("count, until", [(18, 0.12), (32, 0.12), (72, 0.08), (150, 0.08)])
def test_corrections_of_positions(count, until):
    """They are the least ones, however many rows there are (150 spheres: 370), and have a derivative."""
    sim = heap(count)
    tape = sim.tape()
    sim.run(until)
    along = np.random.default_rng(3).uniform(-1, 1, tape.dofs)
    d, by = sim.jvp(v=along), sim.vjp(v=along)
    ends = []
    for step in (1e-7, 0.0):
        other = heap(count, step * along)
        other.run(until)
        ends.append(np.concatenate([other[f"b{i}"].v for i in range(count)]))
    assert d.status in (perp.Status.SOLVED, perp.Status.ONE_SIDED)
    assert by.status in (perp.Status.SOLVED, perp.Status.ONE_SIDED)
    assert np.allclose(d.v, (ends[0] - ends[1]) / 1e-7, atol=1e-4 * np.abs(d.v).max())


def test_steps_that_are_solved_loosely():
    sim = heap(32, solver="gs", tol=1e-2, settings={"max_iter": 20})
    tape = sim.tape()
    sim.run(0.08)
    for product in (sim.jvp, sim.vjp):
        with pytest.raises(perp.PerpError, match="^step [0-9]+: .* solved too loosely"):
            product(v=np.ones(tape.dofs))


@pytest.mark.parametrize("scheme", ["moreau-jean", "discrete-gradient"])
def test_factors_are_kept(scheme):
    """From the second product on, within the bytes that are given, until a reset; they change no answer."""
    found = []
    for factors in (1 << 28, 0, 300000):
        sim = throw(list(FIRST), scheme=scheme)
        tape = sim.tape([("mu",)], factors=factors)
        sim.run(0.4)
        record, along = tape.memory, np.ones(tape.dofs)
        first = sim.jvp(v=along, parameters=[1.0])
        assert tape.memory == record
        products = [first] + [sim.jvp(v=along, parameters=[1.0]) for _ in range(2)]
        found += [np.concatenate([p.q, p.v]) for p in products]
        kept = tape.memory - record
        assert 0 < kept <= factors if factors else kept == 0
        for _ in range(2):
            by = sim.vjp(v=along)
            assert abs(by.v @ along + by.parameters[0] - along @ first.v) < 1e-10 * np.abs(first.v).max()
        tape.reset()
        assert tape.memory == 0
    for other in found:
        assert np.allclose(other, found[0], rtol=1e-11, atol=1e-12)
