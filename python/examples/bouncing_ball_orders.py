# SPDX-License-Identifier: BSD-3-Clause
"""How fast schemes converge on a ball that bounces: the error after one impact, against the step."""
import math

import numpy as np

import perp

E, G, END = 0.5, 9.81, 0.8
IMPACT = math.sqrt(2 / G)
STEPS = (1e-2, 1e-3, 1e-4)
EXACT = E * G * IMPACT * (END - IMPACT) - 0.5 * G * (END - IMPACT) ** 2

ball = {"name": "ball", "type": "lagrangian", "q0": [1.0], "F": [-G]}
floor = {"systems": ["ball"], "relation": {"type": "linear", "C": [[1]]}, "law": {"type": "impact", "e": E}}
scene = {"time": {"until": END, "step": 0.1}, "systems": [ball], "interactions": [floor]}

errors = {}
for scheme in ("moreau-jean", "discrete-gradient", "event-driven"):
    errors[scheme] = []
    for h in STEPS:
        sim = perp.Simulation(scene, step=h, scheme=scheme)
        sim.run()
        errors[scheme].append(abs(sim["ball"].q[0] - EXACT))
    print(f"{scheme:18} " + "  ".join(f"{e:.1e}" for e in errors[scheme]))
assert np.all(np.array(errors["event-driven"]) < 1e-6)
assert errors["moreau-jean"][-1] < errors["moreau-jean"][0]


def picture(axis):
    for name, error in errors.items():
        axis.loglog(STEPS, np.maximum(error, 1e-16), "o-", label=name)
    axis.set(xlabel="step in s", ylabel="error of the height in m")
    axis.legend()
