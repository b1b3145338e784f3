# SPDX-License-Identifier: BSD-3-Clause
"""A puck is pushed so that it comes to rest in a goal, behind a second puck that it strikes on the way: the
gradient of the place at the end by the push, through every step (adjoint), and the friction that a recorded run
had (forward)."""
import numpy as np

import perp

goal = 1.6


def scene(push, mu):
    weight = [0, -9.81]
    return {"time": {"until": 2.0, "step": 0.01},
            "systems": [{"name": "first", "type": "lagrangian", "q0": [0, -1e-6], "v0": [push, 0], "F": weight},
                        {"name": "second", "type": "lagrangian", "q0": [0.9, -1e-6], "F": weight}],
            "interactions": [
                {"name": "first-table", "systems": ["first"], "law": {"type": "friction", "dim": 2, "mu": mu},
                 "relation": {"type": "linear", "C": [[0, 1], [1, 0]]}},
                {"name": "second-table", "systems": ["second"], "law": {"type": "friction", "dim": 2, "mu": mu},
                 "relation": {"type": "linear", "C": [[0, 1], [1, 0]]}},
                {"name": "both", "systems": ["first", "second"], "law": {"type": "impact", "e": 0.8},
                 "relation": {"type": "linear", "C": [[-1, 0, 1, 0]], "e": [-0.1]}}]}


def run(push, mu):
    """The tape of the whole run, and the places (steps + 1, 2) of both pucks."""
    sim = perp.Simulation(scene(push, mu), scheme="moreau-jean", tol=1e-12)
    tape = sim.tape([("mu",)])
    places = [[0, 0.9]] + [[s["first"].q[0], s["second"].q[0]] for s in sim]
    return tape, np.array(places)


# The push by which the second puck stops in the goal.
push, tried = 2.5, []
for _ in range(12):
    tape, places = run(push, 0.2)
    by = tape.vjp(q={"second": [1, 0]}).v[0]
    tried.append((push, places))
    print(f"push {push:.9f}: the second rests at {places[-1, 1]:.9f}, {by:.4f} more for 1 m/s")
    if abs(places[-1, 1] - goal) < 1e-9:
        break
    push += np.clip((goal - places[-1, 1]) / by, -0.2, 0.2)
assert abs(places[-1, 1] - goal) < 1e-9

# The friction of a run that was recorded: the first number of each puck is its place.
recorded, mu = run(push, 0.23)[1], 0.2
for _ in range(12):
    tape, places = run(push, mu)
    by = tape.jvp(parameters=[1.0], path=True).q[:, [tape.place("first").start, tape.place("second").start]]
    off = (places - recorded).ravel()
    print(f"mu {mu:.9f}  misfit {np.linalg.norm(off):.1e}")
    if np.linalg.norm(off) < 1e-10:
        break
    mu -= by.ravel() @ off / (by.ravel() @ by.ravel())
assert abs(mu - 0.23) < 1e-9


def picture(axis):
    t = 0.01 * np.arange(len(recorded))
    for guess, places in tried[:3] + tried[-1:]:
        axis.plot(t, places[:, 1], label=f"push {guess:.3f} m/s")
    axis.axhline(goal, color="k", lw=0.5)
    axis.set(xlabel="t [s]", ylabel="second puck [m]")
    axis.legend()
