# SPDX-License-Identifier: BSD-3-Clause
"""A pendulum with a motor: feedback in Python swings it up to a target and holds it there."""
import numpy as np

import perp

scene = perp.Scene(until=4, step=2e-3, gravity=[0, 0, -9.81])
scene.body("arm", shape={"type": "capsule", "radius": 0.02, "length": 0.4}, mass=1, position=[0, 0, -0.2])
scene.interaction("hinge", ["arm"], {"type": "joint", "joint": "pivot", "anchor": [0, 0, 0], "axis": [0, 1, 0],
                                     "motor": {"speed": 0, "torque": 5}})
sim = scene.simulation()
motor = next(i for name, i in sim.interactions.items() if name != "hinge")
TARGET = 2.0


def control(s):
    angle = np.arctan2(-s["arm"].q[0], -s["arm"].q[2])
    motor.set_law(perp.laws.motor(4 * (TARGET - angle), 5))


sim.every(0.01, control)
r = sim.run(record=["arm.q", ("angle", lambda s: np.arctan2(-s["arm"].q[0], -s["arm"].q[2]))], every=20)
for t, angle in zip(r.t[::10], r["angle"][::10]):
    print(f"t = {t:.1f}  angle {angle:6.3f}")
print("torque that holds it:", motor.multiplier.round(4), sim.verdict)
assert abs(r["angle"][-1] - TARGET) < 1e-3
assert np.isclose(abs(motor.multiplier[0]), 9.81 * 0.2 * np.sin(TARGET), rtol=1e-3)


def picture(axis):
    axis.plot(r.t, r["angle"])
    axis.axhline(TARGET, color="gray", linestyle=":")
    axis.set(xlabel="time in s", ylabel="angle in rad")
