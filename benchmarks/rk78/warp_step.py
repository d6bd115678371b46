"""The Warp kernel. Importing this needs Warp, which reads the kernel's source from this file.

No annotation here may be a text: Warp wants the types themselves.
"""

# mypy: disable-error-code="valid-type"
from typing import Any, no_type_check

import warp as wp

from .tableau import ERROR, ROWS, WEIGHTS
from .workload import END, FIRST_STEP, MOST_ATTEMPTS, TOLERANCE

real = wp.float64


def _constants(coefficients: dict[int, float]) -> list[Any]:
    return [wp.constant(real(a)) for a in coefficients.values()]


# Numbers in double precision: a literal in a kernel would be a float.
(A1_0,) = _constants(ROWS[1])
A2_0, A2_1 = _constants(ROWS[2])
A3_0, A3_2 = _constants(ROWS[3])
A4_0, A4_2, A4_3 = _constants(ROWS[4])
A5_0, A5_3, A5_4 = _constants(ROWS[5])
A6_0, A6_3, A6_4, A6_5 = _constants(ROWS[6])
A7_0, A7_4, A7_5, A7_6 = _constants(ROWS[7])
A8_0, A8_3, A8_4, A8_5, A8_6, A8_7 = _constants(ROWS[8])
A9_0, A9_3, A9_4, A9_5, A9_6, A9_7, A9_8 = _constants(ROWS[9])
A10_0, A10_3, A10_4, A10_5, A10_6, A10_7, A10_8, A10_9 = _constants(ROWS[10])
A11_0, A11_5, A11_6, A11_7, A11_8, A11_9 = _constants(ROWS[11])
A12_0, A12_3, A12_4, A12_5, A12_6, A12_7, A12_8, A12_9, A12_11 = _constants(ROWS[12])
B5, B6, B7, B8, B9, B11, B12 = _constants(WEIGHTS)

ONE = wp.constant(real(1.0))
T_END, H_FIRST, MOST = wp.constant(real(END)), wp.constant(real(FIRST_STEP)), wp.constant(MOST_ATTEMPTS)
TOL, ERR = wp.constant(real(TOLERANCE)), wp.constant(real(ERROR))
NINTH, EIGHTH = wp.constant(real(-1 / 9)), wp.constant(real(-1 / 8))
SAFETY, LEAST, LARGEST = wp.constant(real(0.9)), wp.constant(real(0.2)), wp.constant(real(5.0))


@no_type_check
@wp.func
def pull(r: wp.vec3d) -> wp.vec3d:
    """Acceleration at a place."""
    square = wp.dot(r, r)
    return r * (-ONE / (square * wp.sqrt(square)))


@no_type_check
@wp.func
def ratio_of(error: wp.vec3d, new: wp.vec3d, old: wp.vec3d) -> wp.float64:
    """Largest of the components of an error over what is tolerated."""
    x = wp.abs(error[0]) / (TOL + TOL * wp.max(wp.abs(new[0]), wp.abs(old[0])))
    y = wp.abs(error[1]) / (TOL + TOL * wp.max(wp.abs(new[1]), wp.abs(old[1])))
    z = wp.abs(error[2]) / (TOL + TOL * wp.max(wp.abs(new[2]), wp.abs(old[2])))
    return wp.max(x, wp.max(y, z))


# No gradient is asked for, and no grid-stride loop around the thread's own: there is a thread for every orbit.
@no_type_check
@wp.kernel(enable_backward=False, grid_stride=False, module="unique")
def rk78_warp(
    place: wp.array(dtype=wp.float64, ndim=2),
    end: wp.array(dtype=wp.float64, ndim=2),
    accepted: wp.array(dtype=wp.int32),
    rejected: wp.array(dtype=wp.int32),
):
    """Each thread runs its orbit to the end; ``place`` is six planes, ``end`` seven."""
    i = wp.tid()
    r = wp.vec3d(place[0, i], place[1, i], place[2, i])
    v = wp.vec3d(place[3, i], place[4, i], place[5, i])
    t = wp.float64(0.0)
    h = wp.float64(1.0) * H_FIRST  # a constant given another name would be changed with it
    taken = wp.int32(0)
    refused = wp.int32(0)
    while t < T_END and taken + refused < MOST:
        v0 = v
        a0 = pull(r)
        v1 = v + h * (A1_0 * a0)
        a1 = pull(r + h * (A1_0 * v0))
        v2 = v + h * (A2_0 * a0 + A2_1 * a1)
        a2 = pull(r + h * (A2_0 * v0 + A2_1 * v1))
        v3 = v + h * (A3_0 * a0 + A3_2 * a2)
        a3 = pull(r + h * (A3_0 * v0 + A3_2 * v2))
        v4 = v + h * (A4_0 * a0 + A4_2 * a2 + A4_3 * a3)
        a4 = pull(r + h * (A4_0 * v0 + A4_2 * v2 + A4_3 * v3))
        v5 = v + h * (A5_0 * a0 + A5_3 * a3 + A5_4 * a4)
        a5 = pull(r + h * (A5_0 * v0 + A5_3 * v3 + A5_4 * v4))
        v6 = v + h * (A6_0 * a0 + A6_3 * a3 + A6_4 * a4 + A6_5 * a5)
        a6 = pull(r + h * (A6_0 * v0 + A6_3 * v3 + A6_4 * v4 + A6_5 * v5))
        v7 = v + h * (A7_0 * a0 + A7_4 * a4 + A7_5 * a5 + A7_6 * a6)
        a7 = pull(r + h * (A7_0 * v0 + A7_4 * v4 + A7_5 * v5 + A7_6 * v6))
        v8 = v + h * (A8_0 * a0 + A8_3 * a3 + A8_4 * a4 + A8_5 * a5 + A8_6 * a6 + A8_7 * a7)
        a8 = pull(r + h * (A8_0 * v0 + A8_3 * v3 + A8_4 * v4 + A8_5 * v5 + A8_6 * v6 + A8_7 * v7))
        v9 = v + h * (A9_0 * a0 + A9_3 * a3 + A9_4 * a4 + A9_5 * a5 + A9_6 * a6 + A9_7 * a7 + A9_8 * a8)
        a9 = pull(r + h * (A9_0 * v0 + A9_3 * v3 + A9_4 * v4 + A9_5 * v5 + A9_6 * v6 + A9_7 * v7 + A9_8 * v8))
        p10 = A10_0 * a0 + A10_3 * a3 + A10_4 * a4 + A10_5 * a5 + A10_6 * a6 + A10_7 * a7 + A10_8 * a8 + A10_9 * a9
        q10 = A10_0 * v0 + A10_3 * v3 + A10_4 * v4 + A10_5 * v5 + A10_6 * v6 + A10_7 * v7 + A10_8 * v8 + A10_9 * v9
        v10 = v + h * p10
        a10 = pull(r + h * q10)
        v11 = v + h * (A11_0 * a0 + A11_5 * a5 + A11_6 * a6 + A11_7 * a7 + A11_8 * a8 + A11_9 * a9)
        a11 = pull(r + h * (A11_0 * v0 + A11_5 * v5 + A11_6 * v6 + A11_7 * v7 + A11_8 * v8 + A11_9 * v9))
        p12 = A12_0 * a0 + A12_3 * a3 + A12_4 * a4 + A12_5 * a5 + A12_6 * a6 + A12_7 * a7 + A12_8 * a8 + A12_9 * a9
        q12 = A12_0 * v0 + A12_3 * v3 + A12_4 * v4 + A12_5 * v5 + A12_6 * v6 + A12_7 * v7 + A12_8 * v8 + A12_9 * v9
        v12 = v + h * (p12 + A12_11 * a11)
        a12 = pull(r + h * (q12 + A12_11 * v11))
        new_r = r + h * (B5 * v5 + B6 * v6 + B7 * v7 + B8 * v8 + B9 * v9 + B11 * v11 + B12 * v12)
        new_v = v + h * (B5 * a5 + B6 * a6 + B7 * a7 + B8 * a8 + B9 * a9 + B11 * a11 + B12 * a12)
        off_r = h * ERR * (v0 + v10 - v11 - v12)
        off_v = h * ERR * (a0 + a10 - a11 - a12)
        ratio = wp.max(ratio_of(off_r, new_r, r), ratio_of(off_v, new_v, v))
        power = NINTH
        if ratio < ONE:
            r = new_r
            v = new_v
            t += h
            taken += 1
        else:
            power = EIGHTH
            refused += 1
        h = wp.min(h * wp.clamp(SAFETY * wp.pow(ratio, power), LEAST, LARGEST), T_END - t)
    end[0, i] = r[0]
    end[1, i] = r[1]
    end[2, i] = r[2]
    end[3, i] = v[0]
    end[4, i] = v[1]
    end[5, i] = v[2]
    end[6, i] = t
    accepted[i] = taken
    rejected[i] = refused
