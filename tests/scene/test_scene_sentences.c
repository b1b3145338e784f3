/* SPDX-License-Identifier: BSD-3-Clause */
/* Scenes that are refused, one sentence each: a world of systems of every kind, and what does not
 * go with them.  Quotes are apostrophes here. */
#include <check.h>
#include <stdio.h>

#include "tests/fixtures/scene_text.h"

/* clang-format off */
#define WORLD(rest)                                                                                \
    "{'version': 1, 'time': {'until': 1, 'step': 0.01}, 'systems': [{'name': 'b', 'type': 'lagrangian', 'q0': [1]}, " \
    "{'name': 'two', 'type': 'lagrangian', 'q0': [1, 2]}, {'name': 'x', 'type': 'first-order', 'x0': [1], 'A': [[-1]]}, " \
    "{'name': 'disc', 'type': 'planar', 'mass': 1, 'inertia': 1, 'radius': 0.1, 'material': 'wood'}, " \
    "{'name': 'flock', 'type': 'point-masses', 'positions': [[9, 9, 9]], 'masses': [1]}], " \
    "'bodies': [{'name': 's', 'mass': 1, 'inertia': [1, 1, 1]}, {'name': 'r', 'mass': 1, 'inertia': [1, 1, 1], " \
    "'position': [1, 0, 0]}, {'name': 'still', 'fixed': true, 'position': [5, 5, 5], 'shape': {'type': 'sphere', 'radius': 0.1}}, " \
    "{'name': 'moved', 'position': [9, 0, 0], 'shape': {'type': 'sphere', 'radius': 0.1}, 'motion': {'slide': {'axis': [0, 0, 1], " \
    "'polynomial': [0, 1]}}}], " rest "}"

static const struct {
    const char *scene, *words;
} all[] = {
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'distance', 'anchor': [0, 0, 0], 'length': 1, 'side': 'at-most'}, 'law': {'type': 'impact', 'e': 0}}]"),
     "an anchor in the world goes with one system"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'distance', 'length': 1}, 'law': {'type': 'impact', 'e': 0}}]"),
     "a rod is the relation"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'distance', 'length': 1, 'side': 'at-most'}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3}}]"),
     "a law without friction is expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'universal', 'axis': [0, 0, 1]}}]"),
     "axis_b: missing"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'distance'}}]"),
     "anchor_b: missing"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'pivot'}}]"),
     "axis: missing"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'rate', 'along': [1, 0, 0], 'about': [1, 0, 0]}, 'law': {'type': 'motor', 'speed': 1}}]"),
     "along or about: one axis is expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'rate', 'along': [1, 0, 0]}}]"),
     "a law on a rate is expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'rate', 'along': [1, 0, 0]}, 'law': {'type': 'servo', 'target': 1, 'stiffness': 1, 'damping': 1}}]"),
     "a rate has no target"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'sphere-sphere', 'points': [[0, 0, 0], [0, 0, 'x']]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "a number is expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'sphere-sphere', 'points': [[0, 0, 0]]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "2 points expected, 1 given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'sphere-sphere', 'points': [[0, 0, 0], [0, 0, 0, 1]]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "3 numbers expected, 4 given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'sphere-plane', 'normal': [0, 0, 1]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "takes 1 system, not 2"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'sphere-sphere'}, 'law': {'type': 'impact', 'e': 0}}]"),
     "takes 2 systems, not 1"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['moved'], 'relation': {'type': 'linear', 'C': [[1, 0, 0, 0, 0, 0, 0]]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "the motion of 'moved' is given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'coupling', 'terms': [{'system': 'two', 'coordinate': 0, 'factor': 1}]}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3}}]"),
     "it has one row, its law 3"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'coupling', 'terms': []}}]"),
     "1 to 64 terms are expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'curve', 'of': {'system': 'two', 'coordinate': 0}, 'with': {'system': 'two', 'coordinate': 1}, 'polynomial': [0, 1]}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3}}]"),
     "it has one row, its law 3"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'curve', 'of': {'system': 'two', 'coordinate': 0}, 'with': {'system': 'two', 'coordinate': 0}, 'polynomial': [0, 1]}}]"),
     "two coordinates are expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'curve', 'of': {'system': 'two', 'coordinate': 0}, 'with': {'system': 'two', 'coordinate': 1}}}]"),
     "missing; [c0, c1, ...]"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['b'], 'relation': {'type': 'curve', 'of': {'system': 'two', 'coordinate': 0}, 'with': {'system': 'two', 'coordinate': 1}, 'polynomial': [0, 1]}}]"),
     "it is to be one of 'systems', with coordinates"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'curve', 'of': {'system': 's', 'coordinate': 0}, 'with': {'system': 's', 'coordinate': 1}, 'polynomial': [0, 1]}}]"),
     "it is to be one of 'systems', with coordinates"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'sphere': 0.1, 'cylinder': 0.1}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "sphere and cylinder are both given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'sphere': 0.1, 'axis': [0, 0, 1]}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "this is of a cylinder"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'cylinder': 0.1, 'axis': [0, 0, 0]}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "the zero vector is no axis"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'sphere': 0.1, 'side': [1, 0, 1], 'side_of': 'r'}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "it is to be a body of 'systems'"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'sphere': 0.1, 'side_of': 's'}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "it says whose the side is, and there is none"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0], 'side': [1, 0, 1]}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "a side without a sphere or cylinder"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [7, {'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0]}, {'world': [2, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "an object is expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'world': [0, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "2 to "},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0]}, {'world': [2, 0, 0]}]}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3}}]"),
     "it has one row, its law 3"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['b'], 'relation': {'type': 'path', 'points': [{'world': [0, 0, 0]}, {'world': [1, 0, 0]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "'b' is no body"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'path', 'points': [{'system': 's', 'point': [0, 0, 0]}, {'world': [1, 0, 0]}, {'world': [2, 0, 0]}], 'follower': {'system': 's', 'coordinate': 0}}}]"),
     "it is to be the last one of 'systems', with coordinates"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['b'], 'relation': {'type': 'point-line', 'normal': [0, 1]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "'b' has no points in the plane"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['disc', 'flock'], 'relation': {'type': 'distance', 'to': 0, 'length': 1}}]"),
     "one point is in the plane, the other is not"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['b', 'two'], 'relation': {'type': 'distance', 'length': 1}}]"),
     "has no points for it"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': [[1, 0]]}, 'law': {'type': 'friction', 'mu': 0.1, 'dim': 3}}]"),
     "1 rows do not divide by the 3 of the law"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': [[1, 0]], 'D': [[1]], 'motion': [{'row': 0, 'polynomial': [1]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "a motion on a mechanical system goes without D"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'D': [[1]], 'motion': [{'row': 0, 'polynomial': [1]}]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "needs C"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear'}, 'law': {'type': 'impact', 'e': 0}}]"),
     "C: missing"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': {'all': 1}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "an array of rows, or an object with diagonal"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': [[1, 0]], 'e': {'all': 1, 'n': 3}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "1 numbers expected, n is 3"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': [[1, 0], [1]]}, 'law': {'type': 'impact', 'e': 0}}]"),
     "2 numbers expected, 1 given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': {'entries': [[0.5, 0, 1]], 'rows': 2, 'cols': 2}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "row and column are whole numbers"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': {'entries': [[0, 0]], 'rows': 1, 'cols': 2}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "row, column and value expected"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': {'entries': [[0, 0, 1]], 'cols': 2}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "needs rows and cols"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': {'diagonal': 1, 'n': 3}}, 'law': {'type': 'impact', 'e': 0}}]"),
     "3 given"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'motion'}}]"),
     "is none of"},
    {WORLD("'interactions': [{'name': 'h', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'cylindrical', 'anchor': [0, 0, 0], 'axis': [0, 0, 1]}}, {'name': 'g', 'relation': {'type': 'gear', 'of': 'h', 'with': 'h.slide', 'ratio': 1}}]"),
     "which of its coordinates"},
    {WORLD("'interactions': [{'name': 'h', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [0, 0, 0], 'axis': [0, 0, 1]}}, {'name': 'g', 'relation': {'type': 'gear', 'of': 'h', 'with': 'h.slide', 'ratio': 1}}]"),
     "'h' has no such coordinate"},
    {WORLD("'interactions': [{'name': 'g', 'relation': {'type': 'gear', 'of': 'h', 'with': 'k', 'ratio': 1}}]"),
     "no joint before this one is called 'h'"},
    {WORLD("'interactions': [{'name': 'g', 'relation': {'type': 'gear', 'with': 'k', 'ratio': 1}}]"),
     "missing; the name of a joint"},
    {WORLD("'interactions': [{'name': 'h', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [0, 0, 0], 'axis': [0, 0, 1]}}, {'name': 'k', 'systems': ['r'], 'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [0, 0, 0], 'axis': [0, 0, 1]}}, {'name': 'g', 'relation': {'type': 'gear', 'of': 'h', 'with': 'k', 'ratio': 0}}]"),
     "0 ties nothing"},
    {WORLD("'interactions': [{'name': 'h', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'point', 'anchor': [0, 0, 0], 'limits': [-1, 1]}}]"),
     "of a ball joint the lower limit is 0"},
    {WORLD("'interactions': [{'name': 'h', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'pivot', 'anchor': [0, 0, 0], 'axis': [0, 0, 1], 'limits': [-1]}}]"),
     "a lower and an upper limit are expected"},
    {WORLD("'certificate': {'sizes': {'s': 0}}"),
     "a positive length is expected"},
    {WORLD("'certificate': {'sizes': {'zzzzzz': 1}}"),
     "nothing is called 'zzzzzz'"},
    {WORLD("'certificate': {'sizes': {'still': 1}}"),
     "'still' stands still"},
    {WORLD("'certificate': {'sizes': 7}"),
     "an object is expected"},
    {WORLD("'certificate': 7"),
     "an object is expected"},
    {WORLD("'certificate': {'energi': 1}"),
     "did you mean 'energy'?"},
    {WORLD("'certificate': {'qqqqqqqqqq': 1}"),
     "unknown measure; 'man perp' lists them"},
    {WORLD("'certificate': {'energy': -1}"),
     "a number from 0 to 1e300 is expected"},
    {WORLD("'contacts': {'materials': [{'name': 'woo', 'mu': 0}]}"),
     "did you mean 'wood'?"},
    {WORLD("'contacts': {'materials': [{'name': 'qqqqqqqq', 'mu': 0}]}"),
     "no shape has the material 'qqqqqqqq'"},
    {WORLD("'contacts': {'materials': [{'name': 7, 'mu': 0}]}"),
     "a string is expected"},
    {WORLD("'contacts': {'materials': [{'between': ['wood', 7], 'mu': 0}]}"),
     "a string is expected"},
    {WORLD("'contacts': {'compliance': 0.1, 'mu': 0.1, 'rolling': 0.1}"),
     "contacts with rolling friction are rigid"},
    {WORLD("'controllers': [{'name': 'c', 'type': 'table', 'system': 's', 'coordinate': 0, 'period': 0.1, 'force': 1}]"),
     "a controller acts on a joint, or on a coordinate"},
    {WORLD("'controllers': [{'name': 'c', 'type': 'table', 'system': 'two', 'coordinate': 5, 'period': 0.1, 'force': 1}]"),
     "'two' has 2 coordinates, from 0"},
    {WORLD("'controllers': [{'name': 'c', 'type': 'table', 'period': 0.1, 'force': 1}]"),
     "one of joint, system is expected"},
    {WORLD("'controllers': [{'name': 'c', 'type': 'sliding-mode', 'system': 'two', 'period': 0.1, 'target': 0, 'gain': 1, 'slope': 1, 'implicit': true}]"),
     "the implicit control wants that of the plant"},
    {WORLD("'controllers': [7]"),
     "an object is expected"},
    {WORLD("'forces': [{'type': 'load', 'system': 'b', 'vector': [1], 'polynomial': [1], 'frame': 'body'}]"),
     "'b' is no body in space"},
    {WORLD("'forces': [{'type': 'load', 'system': 'b', 'vector': [1], 'polynomial': [1], 'point': [0, 0, 0]}]"),
     "'b' is no body in space"},
    {WORLD("'forces': [{'type': 'load', 'system': 'still', 'vector': [1, 0, 0]}]"),
     "'still' stands still"},
    {WORLD("'forces': [{'type': 'load', 'system': 'moved', 'vector': [1, 0, 0]}]"),
     "the motion of 'moved' is given; no force changes it"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'world': [0, 0, 0]}, 'to': {'system': 's', 'point': [0, 0, 0]}, 'stiffness': 1}]"),
     "the world can only be the end 'to'"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'two', 'coordinate': 0}, 'to': {'system': 'two', 'coordinate': 1}, 'stiffness': 1}]"),
     "both ends are on 'two'"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'two', 'coordinate': 0}, 'to': {'world': [0, 0, 1]}, 'stiffness': 1}]"),
     "one end is a point, the other a coordinate"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'disc', 'point': [0, 0]}, 'to': {'system': 's', 'point': [0, 0, 1]}, 'stiffness': 1}]"),
     "one end is in the plane, the other is not"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's', 'point': [0, 0, 0]}, 'to': {'world': [0, 0, 1]}, 'stiffness': 1, 'length': [2, 1]}]"),
     "1 is less than the shortest length, 2"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's', 'point': [0, 0, 0]}, 'to': {'world': [0, 0, 1], 'system': 'r'}, 'stiffness': 1}]"),
     "an end is a system or the world, not both"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's', 'point': [0, 0, 0]}, 'to': {'world': 1}, 'stiffness': 1}]"),
     "a point of the world is an array"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's', 'point': [0, 0, 0]}, 'to': {'world': [0, 0, 0, 0]}, 'stiffness': 1}]"),
     "at most 3 numbers expected"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'x', 'coordinate': 0}, 'stiffness': 1}]"),
     "a first-order system takes no spring"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's', 'coordinate': 0}, 'stiffness': 1}]"),
     "a body takes springs at points"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'still', 'point': [0, 0, 0]}, 'stiffness': 1}]"),
     "'still' stands still; use the world"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 'b', 'point': 0}, 'stiffness': 1}]"),
     "'b' has no points; give a coordinate"},
    {WORLD("'forces': [{'type': 'drag', 'system': 'x', 'damping': 1}]"),
     "'x' takes no drag"},
    {WORLD("'forces': [{'type': 'drag', 'system': 'moved', 'damping': 1}]"),
     "'moved' takes no drag"},
    {WORLD("'forces': [{'type': 'muscle', 'system': 's', 'coordinate': 0, 'lengths': [1, 2]}]"),
     "a muscle acts along a coordinate"},
    {WORLD("'forces': [{'type': 'wind'}]"),
     "is none of"},
    {WORLD("'forces': [7]"),
     "an object is expected"},
    {WORLD("'record': {'quantities': ['certificate.energi']}"),
     "the certificate has no 'energi'"},
    {WORLD("'record': {'quantities': ['certificate.qqqqqqqq']}"),
     "the certificate has no 'qqqqqqqq'"},
    {WORLD("'record': {'quantities': ['x.q']}"),
     "x and r"},
    {WORLD("'record': {'quantities': ['s.x']}"),
     "q, v, p, kinetic and potential"},
    {WORLD("'record': {'quantities': ['s.q', 's.q']}"),
     "'s.q' is given twice"},
    {WORLD("'record': {'quantities': ['s.q[9]']}"),
     "there are 7 entries"},
    {WORLD("'record': {'quantities': ['s.q[']}"),
     "is not NAME.FIELD, NAME.FIELD[INDEX] or FIELD"},
    {WORLD("'record': {'every': 'instant', 'stride': 2}"),
     "every instant is recorded"},
    {WORLD("'record': {'certify': true, 'stride': 2}"),
     "certify records every step"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['two'], 'relation': {'type': 'linear', 'C': [[1, 0]]}, 'law': {'type': 'impact', 'e': 0}}], 'record': {'quantities': ['i.z']}"),
     "an interaction has y, u, lambda and active"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'world'], 'relation': {'type': 'joint', 'joint': 'point'}}]"),
     "the world is no system: leave it out"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'hinge', 'axis': [0, 0, 1]}}]"),
     "did you mean 'joint'?"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s', 'r'], 'relation': {'type': 'rope', 'length': 1}}]"),
     "did you mean 'distance'?"},
    {WORLD("'interactions': [{'name': 'i', 'systems': ['s'], 'relation': {'type': 'joint', 'joint': 'pivot', 'axis': [0, 0, 1]}}], 'record': {'quantities': ['i.angle']}"),
     "\"friction\": 0 in its relation lets them be recorded"},
    {WORLD("'forces': [{'type': 'spring', 'from': {'system': 's'}, 'to': {'system': 'world'}, 'stiffness': 1}]"),
     "a place in the world is"},
};
/* clang-format on */

START_TEST(sentence)
{
    perp_scene_error error;
    char text[4000];
    snprintf(text, sizeof text, "%s", all[_i].scene);
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    ck_assert_int_eq(scene_refusal(&error, text, all[_i].words), PERP_ERR_FORMAT);
}
END_TEST

/* The world alone is a scene. */
START_TEST(world)
{
    char text[] = WORLD("'gravity': [0, 0, 0]");
    for (char *c = text; *c != '\0'; c++)
        *c = *c == '\'' ? '"' : *c;
    perp_scene_destroy(scene_of(text, NULL));
}
END_TEST

int main(void)
{
    perp_scene *scene;
    if (perp_scene_create_from_text(&scene, "{}", NULL, NULL, NULL) == PERP_ERR_UNSUPPORTED)
        return 77; /* configured without jansson */
    Suite *suite = suite_create("scene sentences");
    TCase *tcase = tcase_create("scene sentences");
    tcase_add_test(tcase, world);
    tcase_add_loop_test(tcase, sentence, 0, (int)(sizeof all / sizeof all[0]));
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
