# SPDX-License-Identifier: BSD-3-Clause
"""A ball is thrown with backspin so that it is at a mark after two bounces, a slide and a roll, and the friction and restitution of
a throw that was recorded are found again: with the derivative of the motion itself, under the default scheme, in which
the instants of impacts move with the throw."""
import numpy as np

import perp

mark = 2.5


def throw(velocity, spin, mu=0.3, e=0.3):
    ball = {"name": "ball", "shape": {"type": "sphere", "radius": 0.05}, "mass": 0.2, "position": [0, 0, 0.4],
            "velocity": [velocity, 0, 1.0], "angular": [0, spin, 0]}
    floor = {"name": "floor", "shape": {"type": "plane", "normal": [0, 0, 1]}}
    return perp.Simulation({"version": 1, "time": {"until": 1.8, "step": 0.01}, "gravity": [0, 0, -9.81],
                            "newton": {"tol": 1e-13}, "bodies": [floor, ball], "contacts": {"e": e, "mu": mu}},
                           tol=1e-12)


def run(*given):
    """The tape of a run, and the places (steps + 1, 3)."""
    sim = throw(*given)
    tape = sim.tape([("mu",), ("e",)])
    places = [[0, 0, 0.4]] + [list(state["ball"].q[:3]) for state in sim]
    return tape, np.array(places)


# The velocity by which the ball is at the mark, by the adjoint of the whole motion.
speed, tried = 3.0, []
for _ in range(15):
    tape, places = run(speed, -120.0)
    by = tape.vjp(q={"ball": [1, 0, 0, 0, 0, 0]})
    tried.append((speed, places))
    print(f"throw {speed:.9f} m/s: ends at {places[-1, 0]:.9f} m, {by.v[0]:.4f} m more for 1 m/s")
    if abs(places[-1, 0] - mark) < 1e-10:
        break
    speed += (mark - places[-1, 0]) / by.v[0]
assert abs(places[-1, 0] - mark) < 1e-10
slope = (run(speed + 1e-5, -120.0)[1][-1, 0] - run(speed - 1e-5, -120.0)[1][-1, 0]) / 2e-5
assert abs(slope - by.v[0]) < 1e-5 * abs(slope)

# Friction and restitution of a recorded throw, by Gauss and Newton's method with the forward derivative.
recorded, found = run(3.0, -120.0, 0.23, 0.33)[1], np.array([0.26, 0.32])
for _ in range(15):
    tape, places = run(3.0, -120.0, *found)
    change = tape.jvp(parameters=np.eye(2), path=True).q[:, :, :3]
    off = (places - recorded).ravel()
    print(f"mu {found[0]:.9f}  e {found[1]:.9f}  misfit {np.linalg.norm(off):.1e}")
    if np.linalg.norm(off) < 1e-9:
        break
    found -= np.linalg.lstsq(change.reshape(2, -1).T, off, rcond=None)[0]
assert np.allclose(found, [0.23, 0.33], atol=1e-8)


def picture(axis):
    for guess, places in tried[:3] + tried[-1:]:
        axis.plot(places[:, 0], places[:, 2], label=f"thrown at {guess:.3f} m/s")
    axis.plot([mark], [0.05], "kv")
    axis.set(xlabel="x [m]", ylabel="height [m]")
    axis.legend()
