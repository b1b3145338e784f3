/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes that hold what those that are shipped do not, each in three pieces, quotes as apostrophes:
 * rigid bodies with every kind of joint, and systems with coordinates, in the plane and along a
 * line. */
#ifndef PERP_TESTS_MEMBER_SCENES_H
#define PERP_TESTS_MEMBER_SCENES_H

#define BODIES                                                                                     \
    "{'version': 1, 'time': {'t0': 0, 'until': 1, 'step': 0.01}, 'bodies': [{'name': 'a', "        \
    "'mass': 1, 'inertia': [1, 1, 1], 'position': [0, 0, 0]}, {'name': 'b', 'mass': 1, "           \
    "'inertia': [[1, 0, 0], [0, 1, 0], [0, 0, 1]], 'position': [1, 0, 0], 'rotation': [0, "        \
    "0, 0]}, {'name': 'c', 'mass': 1, 'inertia': [1, 1, 1], 'position': [2, 0, 0]}, "              \
    "{'name': 'd', 'mass': 1, 'inertia': [1, 1, 1], 'position': [3, 0, 0]}, {'name': 'e', "        \
    "'mass': 1, 'inertia': [1, 1, 1], 'position': [4, 0, 0]}, {'name': 'f', 'mass': 1, "           \
    "'inertia': [1, 1, 1], 'position': [5, 0, 0]}, {'name': 'g', 'mass': 1, 'inertia': [1, "       \
    "1, 1], 'position': [6, 0, 0]}, {'name': 'h', 'mass': 1, 'inertia': [1, 1, 1], "               \
    "'position': [7, 0, 0]}, {'name': 'i', 'mass': 1, 'inertia': [1, 1, 1], 'position': "          \
    "[8, 0, 0]}, {'name': 'j', 'mass': 1, 'inertia': [1, 1, 1], 'position': [9, 0, 0]}, "          \
    "{'name': 'k', 'mass': 1, 'inertia': [1, 1, 1], 'position': [10, 0, 0]}, {'name': "            \
    "'belt', 'fixed': true, 'position': [0, 0, -9], 'shape': {'type': 'box', 'sides': [1, "        \
    "1, 1]}, 'surface': {'velocity': [1, 0, 0], 'spin': [0, 0, 1], 'factor': {'ramp': "            \
    "{'from': 0, 'to': 1, 'by': 1}}}}, {'name': 'arm', 'position': [0, 9, 0], 'shape': "           \
    "{'type': 'capsule', 'radius': 0.1, 'length': 1}, 'motion': [{'turn': {'axis': [0, 0, "        \
    "1], 'centre': [0, 9, 0], 'polynomial': [0, 1]}}, {'slide': {'axis': [0, 0, 1], "              \
    "'table': [[0, 0], [1, 1]]}}]}], 'forces': [{'type': 'spring', 'from': {'system': 'a', "       \
    "'point': [0, 0, 0]}, 'to': {'world': [0, 0, 1]}, 'stiffness': 10, 'length': [0.5, "           \
    "1.5]}, {'type': 'turn-spring', 'from': 'b', 'stiffness': 1}, {'type': 'fluid', "              \
    "'system': 'c', 'point': [0, 0, 0], 'rotation': [0, 0, 0], 'ellipsoid': [0.1, 0.2, "           \
    "0.3], 'density': 1, 'viscosity': 0.1, 'coefficients': [0.5, 0.25, 1.5, 1, 1], 'wind': "       \
    "[1, 0, 0]}, {'type': 'load', 'system': 'd', 'vector': [0, 0, 1], 'frame': 'world', "          \
    "'point': [0, 0, 0], 'polynomial': [0, 1]}], "

#define BODY_TIES                                                                                  \
    "'interactions': [ {'name': 'rod', 'systems': ['a', 'b'], 'relation': {'type': "               \
    "'joint', 'joint': 'cylindrical', 'anchor': [0.5, 0, 0], 'axis': [1, 0, 0], 'angle': "         \
    "{'limits': [-1, null], 'friction': 0.1, 'e': 0.1, 'start': 0.1}, 'slide': {'limits': "        \
    "[null, 2], 'motor': {'speed': 0.1, 'force': 3}, 'damping': 0.1, 'load': 0.1}}}, "             \
    "{'name': 'cross', 'systems': ['b', 'c'], 'relation': {'type': 'joint', 'joint': "             \
    "'universal', 'anchor': [1.5, 0, 0], 'axis': [0, 1, 0], 'axis_b': [0, 0, 1]}}, "               \
    "{'name': 'bar', 'systems': ['c'], 'relation': {'type': 'joint', 'joint': 'distance', "        \
    "'anchor': [2, 0, 0], 'anchor_b': [2, 0, 1]}}, {'name': 'wrist', 'systems': ['d', "            \
    "'e'], 'relation': {'type': 'joint', 'joint': 'point', 'anchor': [3.5, 0, 0], "                \
    "'friction': 0.1, 'damping': 0.2, 'limits': [0, 2], 'e': 0, 'turned': [0, 0, 0.1]}}, "         \
    "{'name': 'way', 'systems': ['e'], 'relation': {'type': 'rate', 'along': [1, 0, 0], "          \
    "'anchor': [4, 0, 0]}, 'law': {'type': 'motor', 'speed': 0.1, 'force': [-1, null]}}, "         \
    "{'name': 'spin', 'systems': ['d'], 'relation': {'type': 'rate', 'about': [0, 0, 1]}, "        \
    "'law': {'type': 'dry-friction', 'force': 1}}, {'name': 'near', 'systems': ['a', 'e'], "       \
    "'relation': {'type': 'distance', 'point': [0, 0, 0], 'to': [0, 0, 0], 'length': 9, "          \
    "'side': 'at-most'}, 'law': {'type': 'impact', 'e': 0}}, {'name': 'touch', 'systems': "        \
    "['a', 'd'], 'relation': {'type': 'sphere-sphere', 'radii': [0.1, 0.1], 'points': [[0, "       \
    "0, 0], [0, 0, 0]]}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3, 'e': 0.1, 'e_t': "       \
    "0.1}}, {'name': 'ground', 'systems': ['a'], 'relation': {'type': 'sphere-plane', "            \
    "'normal': [0, 0, 1], 'offset': -5, 'radius': 0.1, 'point': [0, 0, 0]}, 'law': "               \
    "{'type': 'impact', 'e': 0.1}}, {'name': 'screw', 'systems': ['f'], 'relation': "              \
    "{'type': 'joint', 'joint': 'screw', 'lead': 0.1, 'anchor': [5, 0, 0], 'axis': [0, 0, "        \
    "1]}}, {'name': 'table', 'systems': ['g'], 'relation': {'type': 'joint', 'joint': "            \
    "'planar', 'anchor': [6, 0, 0], 'axis': [0, 0, 1], 'friction': 0}}, {'name': 'hinge', "        \
    "'systems': ['h'], 'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [7, 0, "          \
    "0], 'axis': [0, 0, 1], 'friction': 0}}, {'name': 'wheel', 'systems': ['i', 'k'], "            \
    "'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [8, 0, 0], 'axis': [0, 0, "         \
    "1], 'motor': {'speed': {'amplitude': 1, 'frequency': 2, 'phase': 0.1}, 'torque': "            \
    "[null, 3]}}}, {'name': 'gear', 'relation': {'type': 'gear', 'of': 'hinge', 'with': "          \
    "'wheel', 'ratio': -2, 'offset': 0}}, {'name': 'rail', 'systems': ['j'], 'relation': "         \
    "{'type': 'joint', 'joint': 'prismatic', 'anchor': [9, 0, 0], 'axis': [1, 0, 0], "             \
    "'servo': {'target': {'ramp': {'from': 0, 'to': 1, 'by': 1}}, 'stiffness': 5, "                \
    "'damping': 1, 'force': 3}, 'load': 0.1}}, {'name': 'rack', 'relation': {'type': "             \
    "'gear', 'of': 'screw.slide', 'with': 'rail', 'ratio': 1}}, {'name': 'tie', 'systems': "       \
    "['h', 'j'], 'relation': {'type': 'coupling', 'terms': [{'joint': 'hinge', 'factor': "         \
    "1}, {'joint': 'rail', 'factor': 2}], 'offset': 0}, 'law': {'type': 'box', 'lo': null, "       \
    "'hi': null}}, {'name': 'cable', 'systems': ['a', 'b', 'c'], 'relation': {'type': "            \
    "'path', 'points': [{'system': 'a', 'point': [0, 0, 0.5]}, {'world': [0.5, 0, 1], "            \
    "'sphere': 0.1, 'side': [0.5, 0, 2], 'side_of': null}, {'world': [0.7, 0, 1]}, "               \
    "{'system': 'b', 'point': [0, 0, 1], 'cylinder': 0.1, 'axis': [0, 1, 0], 'side': [0, "         \
    "0, 2], 'side_of': 'b'}, {'system': 'c', 'point': [0, 0, 1]}], 'factor': -1, 'offset': "       \
    "-9}, 'law': {'type': 'impact', 'e': 0}}], 'controllers': [{'name': 'mode', 'type': "          \
    "'sliding-mode', 'joint': 'hinge', 'period': 0.05, 'target': {'polynomial': [0, 0.1]}, "       \
    "'gain': 1, 'slope': 2, 'implicit': true, 'inertia': 1, 'largest': 9}, {'name': "              \
    "'other', 'type': 'sliding-mode', 'joint': 'rod.slide', 'period': 0.05, 'target': 0, "         \
    "'gain': 1, 'slope': 2}], "

#define COORDINATES                                                                                \
    "{'version': 1, 'time': {'t0': 0, 'until': 1, 'step': 0.01}, 'title': 'coordinates', "         \
    "'systems': [{'name': 'p', 'type': 'pendulum', 'mass': 1, 'length': 1, 'gravity': "            \
    "9.81, 'damping': 0.1, 'angle': 0.3, 'rate': 0.1}, {'name': 'm', 'type': 'lagrangian', "       \
    "'q0': [1, 2, 3], 'v0': [0, 0, 0], 'M': {'diagonal': {'all': 1, 'n': 3}}, 'K': "               \
    "{'tridiagonal': [-1, 2, -1], 'n': 3, 'corners': [1, 1], 'scale': 2}, 'C': {'entries': "       \
    "[[0, 0, 1], [1, 1, 2]], 'rows': 3, 'cols': 3, 'scale': 0.5}, 'F': {'all': 1, 'n': "           \
    "3}}, {'name': 'x', 'type': 'first-order', 'x0': [1, 0], 'A': [[0, 1], [-1, 0]], 'M': "        \
    "{'diagonal': 1, 'n': 2}, 'b': [0, 0]}, {'name': 'disc', 'type': 'planar', 'mass': 1, "        \
    "'inertia': 0.1, 'radius': 0.1, 'position': [0, 1]}, {'name': 'other', 'type': "               \
    "'planar', 'mass': 1, 'inertia': 0.1, 'radius': 0.1, 'position': [1, 1]}, {'name': "           \
    "'square', 'type': 'planar', 'mass': 1, 'inertia': 1, 'polygon': [[0, 0], [1, 0], [1, "        \
    "1], [0, 1]], 'position': [3, 1], 'material': 'wood'}, {'name': 'line', 'type': "              \
    "'point-masses', 'positions': [[0], [1]], 'masses': [1, 2], 'velocities': [[0], [0]]}, "       \
    "{'name': 'crank', 'type': 'slider-crank', 'lengths': [0.1, 0.3], 'masses': [1, 1, 1], "       \
    "'inertias': [0.1, 0.1, 0.1], 'slider': [0.1, 0.1], 'gravity': 9.81, 'angles': [0, 0, "        \
    "0], 'rates': [1, 0, 0]}], 'bodies': [{'name': 'a', 'mass': 1, 'inertia': [1, 1, 1], "         \
    "'position': [5, 0, 0]}], 'forces': [{'type': 'muscle', 'system': 'm', 'coordinate': "         \
    "0, 'force': 10, 'lengths': [0.5, 2], 'range': [0.7, 1.1], 'lmin': 0.5, 'lmax': 1.6, "         \
    "'vmax': 1.5, 'fpmax': 1.3, 'fvmax': 1.2, 'activation': {'polynomial': [0, 1]}}, "             \
    "{'type': 'load', 'system': 'x', 'vector': [0, 1], 'amplitude': 1, 'frequency': 2, "           \
    "'phase': 0.1}, {'type': 'load', 'system': 'm', 'vector': [0, 1, 0], 'table': [[0, 0], "       \
    "[1, 1]]}, {'type': 'spring', 'from': {'system': 'm', 'coordinate': 0}, 'to': "                \
    "{'system': 'p', 'coordinate': 0}, 'stiffness': 3, 'damping': 0.1, 'length': 0.1}, "           \
    "{'type': 'spring', 'from': {'system': 'disc', 'point': [0.1, 0]}, 'to': {'system': "          \
    "'p', 'point': 0}, 'stiffness': 3, 'damping': 0.1, 'length': 0.1}, {'type': 'spring', "        \
    "'from': {'system': 'disc', 'point': [0.1, 0]}, 'to': {'world': [0, 3]}, 'stiffness': "        \
    "3}, {'type': 'drag', 'system': 'p', 'point': 0, 'damping': 0.1}, {'type': 'drag', "           \
    "'system': 'line', 'point': 1, 'damping': 0.1}], "

#define COORDINATE_TIES                                                                            \
    "'interactions': [ {'name': 'curve', 'systems': ['m'], 'relation': {'type': 'curve', "         \
    "'of': {'system': 'm', 'coordinate': 0}, 'with': {'system': 'm', 'coordinate': 1}, "           \
    "'polynomial': [0, 0, 0.25]}, 'law': {'type': 'equality'}}, {'name': 'relay', "                \
    "'systems': ['x'], 'relation': {'type': 'linear', 'C': [[1, 0]], 'D': [[1]], 'B': "            \
    "[[1], [0]], 'e': [0], 'motion': [{'row': 0, 'amplitude': 1, 'frequency': 3, 'phase': "        \
    "0}]}, 'law': {'type': 'box', 'lo': null, 'hi': 1}}, {'name': 'tip', 'systems': ['p'], "       \
    "'relation': {'type': 'point-line', 'point': 0, 'normal': [0, 1], 'offset': -3}, "             \
    "'law': {'type': 'friction', 'e': 0.1, 'e_t': 0.1, 'mu': 0.3, 'dim': 2}}, {'name': "           \
    "'discs', 'systems': ['disc', 'other'], 'relation': {'type': 'disc-disc'}, 'law': "            \
    "{'type': 'friction', 'mu': 0.3, 'dim': 2, 'compliance': 0.001, 'damping': 0.1}}, "            \
    "{'name': 'floor', 'systems': ['disc'], 'relation': {'type': 'disc-line', 'normal': "          \
    "[0, 1], 'offset': 0}, 'law': {'type': 'impact', 'e': 0, 'relative_compliance': "              \
    "0.0001}}, {'name': 'rope', 'systems': ['disc', 'other'], 'relation': {'type': "               \
    "'distance', 'point': [0, 0], 'to': [0, 0], 'length': 2, 'side': 'at-most'}, 'law': "          \
    "{'type': 'impact', 'e': 0}}, {'name': 'stick', 'systems': ['p'], 'relation': {'type': "       \
    "'distance', 'point': 0, 'anchor': [0, 2], 'length': 1, 'side': 'at-least'}, 'law': "          \
    "{'type': 'impact', 'e': 0}}, {'name': 'follow', 'systems': ['a', 'm'], 'relation': "          \
    "{'type': 'path', 'points': [{'system': 'a', 'point': [0, 0, 0]}, {'world': [2, 0, "           \
    "0]}], 'factor': 1, 'offset': 0, 'follower': {'system': 'm', 'coordinate': 2}}}, "             \
    "{'name': 'drive', 'systems': ['m'], 'relation': {'type': 'linear', 'C': [[0, 1, 0]]}, "       \
    "'law': {'type': 'servo', 'target': 1, 'speed': 2, 'acceleration': 3, 'force': 4}}, "          \
    "{'name': 'guide', 'systems': ['crank'], 'relation': {'type': 'point-line', 'point': "         \
    "0, 'normal': [0, -1], 'offset': -9}, 'law': {'type': 'impact', 'e': 0}}], "                   \
    "'controllers': [{'name': 'pid', 'type': 'pid', 'system': 'p', 'coordinate': 0, "              \
    "'period': 0.05, 'target': 0.1, 'kp': 1, 'ki': 0.1, 'kd': 0.01}], 'contacts': {'e': 0, "       \
    "'mu': 0.3, 'margin': 0.01, 'compliance': 0.0001, 'damping': 0.1, 'materials': "               \
    "[{'name': 'wood', 'e': 0, 'mu': 0.2}]}, "

static const char *const member_scenes[][3] = {
    {BODIES, BODY_TIES,
     "'record': {'quantities': ['hinge.angle', 'hinge.rate', 'hinge.torque', 'rail.slide', "
     "'rail.speed', 'rail.force', 'cross.reaction', 'wrist.angle', 'a.kinetic', "
     "'a.potential', 'certificate.energy', 'evaluations', 'impacts', 'rows', 'newton', "
     "'solves', 'iterations', 'error', 'violation', 'inner', 'rejected', 'halvings', "
     "'mode.u', 'touch.lambda[1]']}} "},
    {COORDINATES, COORDINATE_TIES,
     "'record': {'every': 'instant', 'quantities': ['p.q[0]', 'x.x', 'x.r', 'm.p', "
     "'kinetic', 'instant', 'active']}} "},
};

/* Their runs have in their folders what all checks need. */
static const char *const member_runs[][3] = {
    {BODIES, BODY_TIES, "'record': {'certify': true}}"},
    {COORDINATES, COORDINATE_TIES, "'record': {'certify': true}}"},
};

#undef BODIES
#undef BODY_TIES
#undef COORDINATES
#undef COORDINATE_TIES

#endif
