# SPDX-License-Identifier: BSD-3-Clause
"""A diode bridge: an oscillator loses its energy through four ideal diodes."""
import math

import perp

L, C, R = 1e-2, 1e-6, 1e3
scene = perp.Scene(until=5e-3, step=1e-6, title="A diode bridge")
scene.system("circuit", "first-order", x0=[10, 0], A=[[0, -1 / C], [1 / L, 0]])
scene.interaction(
    "bridge", ["circuit"],
    {"type": "linear", "C": [[0, 0], [0, 0], [-1, 0], [1, 0]], "B": [[0, 0, -1 / C, 1 / C], [0, 0, 0, 0]],
     "D": [[1 / R, 1 / R, -1, 0], [1 / R, 1 / R, 0, -1], [1, 0, 0, 0], [0, 1, 0, 0]]},
    {"type": "complementarity"})
sim = scene.simulation()
r = sim.run(record=["circuit.x"], every=50)
for k in range(0, len(r.t), 10):
    voltage, current = r["circuit.x"][k]
    print(f"t = {1e3 * r.t[k]:.2f} ms  voltage {voltage:8.4f} V  current {1e3 * current:8.4f} mA")
assert sim.verdict.figures["unsolved"].value == 0 and abs(r["circuit.x[0]"][-1]) < 10
assert math.isfinite(r["circuit.x[1]"][-1])


def picture(axis):
    axis.plot(1e3 * r.t, r["circuit.x[0]"], label="voltage in V")
    axis.plot(1e3 * r.t, 1e3 * r["circuit.x[1]"], label="current in mA")
    axis.set(xlabel="time in ms")
    axis.legend()
