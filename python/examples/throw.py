# SPDX-License-Identifier: BSD-3-Clause
"""A ball is thrown so that it comes to rest at a mark, after two bounces, a slide and a roll.

Where it stops is differentiated backwards through every contact problem (the adjoint of the whole
motion); flights between impacts are known in closed form, so that the instants of impacts move with the throw."""
import numpy as np

import perp

m, R, g, h, mark = 0.2, 0.05, 9.81, 0.005, 4.0
J = 0.4 * m * R**2
# Columns: what the contact velocities (normal, tangent, rolling) are made of: x, z and spin.
H = np.array([[0.0, 1, 0], [1, 0, 0], [0, R, 1]])
mass = np.array([m, m, J])
W = H.T @ (H / mass[:, None])
ground = perp.Rolling(mu=0.3, mu_r=0.01, dim=3)
# Of the contacts, one behind the other: restitution, and the time that passes before: a flight, or a step.
contacts = [(0.7, None), (0.7, None), (0.0, None)] + [(0.0, h)] * 500


def forward(throw):
    """Where it is at the end, its velocity, and the contacts that were met."""
    x, v, met = 0.0, np.array(throw, float), []
    with perp.Solver(W, np.zeros(3), ground, tol=1e-12) as solver:
        for e, step in contacts:
            before = v.copy()
            if step is None:
                x, v = x + v[0] * 2 * v[1] / g, v * [1, -1, 1]
            else:
                v = v - [0, h * g, 0]
            q = H.T @ v + [e * v[1], 0, 0]
            r = solver.solve(q=q)
            assert r.error < 1e-9
            v = v + H @ r.z / mass
            x += v[0] * (step or 0)
            met.append((before, r))
    return x, v, met


def gradient(met):
    """Of the place at the end by the throw: every contact once, from the last to the first."""
    v_bar = np.zeros(3)
    for (e, step), (before, r) in zip(contacts[::-1], met[::-1]):
        v_bar[0] += step or 0
        q_bar = r.vjp(z=H.T @ (v_bar / mass)).q
        v_bar = v_bar + H @ q_bar + [0, e * q_bar[0], 0]
        if step is None:
            v_bar = v_bar * [1, -1, 1] + [2 * before[1] / g, 2 * before[0] / g, 0]
    return v_bar


throw, tried = np.array([1.0, 2.5, -20.0]), []
for _ in range(20):
    x, v, met = forward(throw)
    by = gradient(met)
    tried.append((throw[0], x, by[0]))
    print(f"throw {throw[0]:.8f} m/s: rests at {x:.8f} m, {by[0]:.4f} m more for 1 m/s")
    if abs(x - mark) < 1e-9:
        break
    throw[0] += (mark - x) / by[0]
assert abs(x - mark) < 1e-9 and np.abs(v).max() < 1e-9
for k in range(3):  # the gradient beside differences
    d = 1e-5 * np.eye(3)[k]
    assert abs((forward(throw + d)[0] - forward(throw - d)[0]) / 2e-5 - by[k]) < 1e-4 * (1 + abs(by[k]))


def picture(axis):
    for k, (speed, place, slope) in enumerate(tried):
        ahead = np.array([0, (mark - place) / slope])
        axis.plot(speed + ahead, place + slope * ahead, "-", color="gray")
        axis.plot(speed, place, "o", color=f"C{k}", label=f"throw {k + 1}" if k < 4 else None)
    axis.axhline(mark, color="gray", linestyle=":")
    axis.set(xlabel="thrown at m/s", ylabel="rests at m")
    axis.legend()


def picture(axis):
    for speed, name in ((1.0, "first throw"), (throw[0], "at the mark")):
        at, _, met = forward([speed, *throw[1:]])
        x, xs, zs = 0.0, [], []
        for before, _ in met[:3]:
            t = np.linspace(0, 2 * before[1] / g, 50)
            xs, zs = [*xs, *(x + before[0] * t)], [*zs, *(before[1] * t - g * t**2 / 2)]
            x = xs[-1]
        axis.plot([*xs, at], [*zs, 0], label=name)
    axis.plot([mark], [0], "kv")
    axis.set(xlabel="x [m]", ylabel="height [m]")
    axis.legend()
