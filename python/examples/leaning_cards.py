# SPDX-License-Identifier: BSD-3-Clause
"""Two cards lean on each other and stand by friction alone; with less friction they fall."""
import math

import numpy as np

import perp

LENGTH, THICK, ANGLE = 0.09, 0.002, math.radians(20)
paths = {}


def stands(mu):
    scene = perp.Scene(until=0.5, step=1e-3, gravity=[0, 0, -9.81], contacts={"e": 0, "mu": mu})
    scene.body("table", shape={"type": "plane", "normal": [0, 0, 1]})
    high = 0.5 * (LENGTH * math.cos(ANGLE) + THICK * math.sin(ANGLE))
    wide = 0.5 * (LENGTH * math.sin(ANGLE) + THICK * math.cos(ANGLE))
    for name, side in (("left", -1), ("right", 1)):
        scene.body(name, shape={"type": "box", "sides": [THICK, 0.06, LENGTH]}, mass=0.0018,
                   position=[side * wide, 0, high], rotation=[0, -side * ANGLE, 0])
    sim = scene.simulation()
    paths[mu] = sim.run(record=["left.q", "right.q"], every=25)
    top = sim["left"].q[2]
    print(f"mu = {mu}: centre of the left card at {1e3 * top:.2f} mm of {1e3 * high:.2f} mm; {sim.verdict}")
    return top > 0.95 * high


assert stands(0.6)
assert not stands(0.1)


def picture(axis):
    for place, (mu, path) in enumerate(paths.items()):
        for card in ("left.q", "right.q"):
            for k, q in enumerate(path[card]):  # x, y, z, and a rotation by 2 atan2(q[5], q[3]) about y
                half = 0.5 * LENGTH * np.exp(2j * math.atan2(q[5], q[3]))
                axis.plot(0.15 * place + q[0] + half.imag * np.array([-1, 1]), q[2] + half.real * np.array([-1, 1]),
                          color=f"C{place}", alpha=0.3 + 0.7 * (k == len(path.t) - 1),
                          label=f"mu = {mu}" if k == 0 and card == "left.q" else None)
    axis.set(xlabel="x in m", ylabel="z in m", aspect="equal")
    axis.legend()
