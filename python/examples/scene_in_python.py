# SPDX-License-Identifier: BSD-3-Clause
"""A scene built in Python: a ball rolls down a step of boxes; contacts, forces, energy, verdict."""
import numpy as np

import perp

scene = perp.Scene(until=1.0, step=2e-3, gravity=[0, 0, -9.81], contacts={"e": 0.2, "mu": 0.5})
scene.body("floor", shape={"type": "plane", "normal": [0, 0, 1]})
scene.body("step", shape={"type": "box", "sides": [0.4, 0.4, 0.1]}, fixed=True, position=[0, 0, 0.05])
scene.body("ball", shape={"type": "sphere", "radius": 0.05}, density=1000, position=[0.1, 0, 0.15],
           velocity=[0.5, 0, 0])

sim = scene.simulation()
sim.on_contact(lambda event, c: event != "persists" and print(f"t = {sim.t:.3f}: {c.name} {event}"))
r = sim.run(record=["ball.q", "energy"])
print("the ball is at", sim["ball"].position.round(3))
print("forces of its contacts:", sim.contacts.forces.round(3).tolist())
print(sim.verdict)
assert np.isclose(sim["ball"].q[2], 0.05, atol=1e-3) and np.all(np.diff(r["energy"]) < 1e-6)


def picture(axis):
    axis.plot(r["ball.q"][:, 0], r["ball.q"][:, 2])
    axis.fill([-0.2, 0.2, 0.2, -0.2], [0, 0, 0.1, 0.1], color="lightgray")
    axis.set(xlabel="x in m", ylabel="z in m", xlim=(0, 0.7), aspect="equal")
