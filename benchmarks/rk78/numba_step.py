"""The Numba loop. Importing this needs Numba."""

from __future__ import annotations

import math
from typing import Any

import numba

from perfdocs.measure.packages import keeps_compiled

from .tableau import ERROR, ROWS, WEIGHTS
from .workload import END, FIRST_STEP, MOST_ATTEMPTS, TOLERANCE

# Numba takes these as constants of the compiled code.
(A1_0,) = ROWS[1].values()
A2_0, A2_1 = ROWS[2].values()
A3_0, A3_2 = ROWS[3].values()
A4_0, A4_2, A4_3 = ROWS[4].values()
A5_0, A5_3, A5_4 = ROWS[5].values()
A6_0, A6_3, A6_4, A6_5 = ROWS[6].values()
A7_0, A7_4, A7_5, A7_6 = ROWS[7].values()
A8_0, A8_3, A8_4, A8_5, A8_6, A8_7 = ROWS[8].values()
A9_0, A9_3, A9_4, A9_5, A9_6, A9_7, A9_8 = ROWS[9].values()
A10_0, A10_3, A10_4, A10_5, A10_6, A10_7, A10_8, A10_9 = ROWS[10].values()
A11_0, A11_5, A11_6, A11_7, A11_8, A11_9 = ROWS[11].values()
A12_0, A12_3, A12_4, A12_5, A12_6, A12_7, A12_8, A12_9, A12_11 = ROWS[12].values()
B5, B6, B7, B8, B9, B11, B12 = WEIGHTS.values()
NINTH, EIGHTH = -1 / 9, -1 / 8


@numba.njit  # type: ignore[untyped-decorator] # Numba has no types
def pull(x: Any, y: Any, z: Any) -> Any:
    """Minus the distance to the power -3."""
    square = x * x + y * y + z * z
    return -1.0 / (square * math.sqrt(square))


@numba.njit  # type: ignore[untyped-decorator] # Numba has no types
def over(off: Any, new: Any, old: Any) -> Any:
    """A component of the error over what is tolerated."""
    return abs(off) / (TOLERANCE + TOLERANCE * max(abs(new), abs(old)))


# contract: fused multiply-adds as in the compiled attempt; nothing that reorders sums.
@numba.njit(fastmath={"contract"})  # type: ignore[untyped-decorator] # Numba has no types
def integrate_one(x: Any, y: Any, z: Any, u: Any, v: Any, w: Any) -> Any:
    """One orbit to its end: place, speed, time, steps accepted and rejected."""
    t, h = 0.0, FIRST_STEP
    taken, refused = 0, 0
    while h > 0.0 and taken + refused < MOST_ATTEMPTS:
        p = pull(x, y, z)
        u0, v0, w0, a0, b0, c0 = u, v, w, p * x, p * y, p * z
        u1 = u + h * (A1_0 * a0)
        v1 = v + h * (A1_0 * b0)
        w1 = w + h * (A1_0 * c0)
        xs = x + h * (A1_0 * u0)
        ys = y + h * (A1_0 * v0)
        zs = z + h * (A1_0 * w0)
        p = pull(xs, ys, zs)
        a1, b1, c1 = p * xs, p * ys, p * zs
        u2 = u + h * (A2_0 * a0 + A2_1 * a1)
        v2 = v + h * (A2_0 * b0 + A2_1 * b1)
        w2 = w + h * (A2_0 * c0 + A2_1 * c1)
        xs = x + h * (A2_0 * u0 + A2_1 * u1)
        ys = y + h * (A2_0 * v0 + A2_1 * v1)
        zs = z + h * (A2_0 * w0 + A2_1 * w1)
        p = pull(xs, ys, zs)
        a2, b2, c2 = p * xs, p * ys, p * zs
        u3 = u + h * (A3_0 * a0 + A3_2 * a2)
        v3 = v + h * (A3_0 * b0 + A3_2 * b2)
        w3 = w + h * (A3_0 * c0 + A3_2 * c2)
        xs = x + h * (A3_0 * u0 + A3_2 * u2)
        ys = y + h * (A3_0 * v0 + A3_2 * v2)
        zs = z + h * (A3_0 * w0 + A3_2 * w2)
        p = pull(xs, ys, zs)
        a3, b3, c3 = p * xs, p * ys, p * zs
        u4 = u + h * (A4_0 * a0 + A4_2 * a2 + A4_3 * a3)
        v4 = v + h * (A4_0 * b0 + A4_2 * b2 + A4_3 * b3)
        w4 = w + h * (A4_0 * c0 + A4_2 * c2 + A4_3 * c3)
        xs = x + h * (A4_0 * u0 + A4_2 * u2 + A4_3 * u3)
        ys = y + h * (A4_0 * v0 + A4_2 * v2 + A4_3 * v3)
        zs = z + h * (A4_0 * w0 + A4_2 * w2 + A4_3 * w3)
        p = pull(xs, ys, zs)
        a4, b4, c4 = p * xs, p * ys, p * zs
        u5 = u + h * (A5_0 * a0 + A5_3 * a3 + A5_4 * a4)
        v5 = v + h * (A5_0 * b0 + A5_3 * b3 + A5_4 * b4)
        w5 = w + h * (A5_0 * c0 + A5_3 * c3 + A5_4 * c4)
        xs = x + h * (A5_0 * u0 + A5_3 * u3 + A5_4 * u4)
        ys = y + h * (A5_0 * v0 + A5_3 * v3 + A5_4 * v4)
        zs = z + h * (A5_0 * w0 + A5_3 * w3 + A5_4 * w4)
        p = pull(xs, ys, zs)
        a5, b5, c5 = p * xs, p * ys, p * zs
        u6 = u + h * (A6_0 * a0 + A6_3 * a3 + A6_4 * a4 + A6_5 * a5)
        v6 = v + h * (A6_0 * b0 + A6_3 * b3 + A6_4 * b4 + A6_5 * b5)
        w6 = w + h * (A6_0 * c0 + A6_3 * c3 + A6_4 * c4 + A6_5 * c5)
        xs = x + h * (A6_0 * u0 + A6_3 * u3 + A6_4 * u4 + A6_5 * u5)
        ys = y + h * (A6_0 * v0 + A6_3 * v3 + A6_4 * v4 + A6_5 * v5)
        zs = z + h * (A6_0 * w0 + A6_3 * w3 + A6_4 * w4 + A6_5 * w5)
        p = pull(xs, ys, zs)
        a6, b6, c6 = p * xs, p * ys, p * zs
        u7 = u + h * (A7_0 * a0 + A7_4 * a4 + A7_5 * a5 + A7_6 * a6)
        v7 = v + h * (A7_0 * b0 + A7_4 * b4 + A7_5 * b5 + A7_6 * b6)
        w7 = w + h * (A7_0 * c0 + A7_4 * c4 + A7_5 * c5 + A7_6 * c6)
        xs = x + h * (A7_0 * u0 + A7_4 * u4 + A7_5 * u5 + A7_6 * u6)
        ys = y + h * (A7_0 * v0 + A7_4 * v4 + A7_5 * v5 + A7_6 * v6)
        zs = z + h * (A7_0 * w0 + A7_4 * w4 + A7_5 * w5 + A7_6 * w6)
        p = pull(xs, ys, zs)
        a7, b7, c7 = p * xs, p * ys, p * zs
        u8 = u + h * (A8_0 * a0 + A8_3 * a3 + A8_4 * a4 + A8_5 * a5 + A8_6 * a6 + A8_7 * a7)
        v8 = v + h * (A8_0 * b0 + A8_3 * b3 + A8_4 * b4 + A8_5 * b5 + A8_6 * b6 + A8_7 * b7)
        w8 = w + h * (A8_0 * c0 + A8_3 * c3 + A8_4 * c4 + A8_5 * c5 + A8_6 * c6 + A8_7 * c7)
        xs = x + h * (A8_0 * u0 + A8_3 * u3 + A8_4 * u4 + A8_5 * u5 + A8_6 * u6 + A8_7 * u7)
        ys = y + h * (A8_0 * v0 + A8_3 * v3 + A8_4 * v4 + A8_5 * v5 + A8_6 * v6 + A8_7 * v7)
        zs = z + h * (A8_0 * w0 + A8_3 * w3 + A8_4 * w4 + A8_5 * w5 + A8_6 * w6 + A8_7 * w7)
        p = pull(xs, ys, zs)
        a8, b8, c8 = p * xs, p * ys, p * zs
        u9 = u + h * (A9_0 * a0 + A9_3 * a3 + A9_4 * a4 + A9_5 * a5 + A9_6 * a6 + A9_7 * a7 + A9_8 * a8)
        v9 = v + h * (A9_0 * b0 + A9_3 * b3 + A9_4 * b4 + A9_5 * b5 + A9_6 * b6 + A9_7 * b7 + A9_8 * b8)
        w9 = w + h * (A9_0 * c0 + A9_3 * c3 + A9_4 * c4 + A9_5 * c5 + A9_6 * c6 + A9_7 * c7 + A9_8 * c8)
        xs = x + h * (A9_0 * u0 + A9_3 * u3 + A9_4 * u4 + A9_5 * u5 + A9_6 * u6 + A9_7 * u7 + A9_8 * u8)
        ys = y + h * (A9_0 * v0 + A9_3 * v3 + A9_4 * v4 + A9_5 * v5 + A9_6 * v6 + A9_7 * v7 + A9_8 * v8)
        zs = z + h * (A9_0 * w0 + A9_3 * w3 + A9_4 * w4 + A9_5 * w5 + A9_6 * w6 + A9_7 * w7 + A9_8 * w8)
        p = pull(xs, ys, zs)
        a9, b9, c9 = p * xs, p * ys, p * zs
        u10 = u + h * (
            A10_0 * a0 + A10_3 * a3 + A10_4 * a4 + A10_5 * a5 + A10_6 * a6 + A10_7 * a7 + A10_8 * a8 + A10_9 * a9
        )
        v10 = v + h * (
            A10_0 * b0 + A10_3 * b3 + A10_4 * b4 + A10_5 * b5 + A10_6 * b6 + A10_7 * b7 + A10_8 * b8 + A10_9 * b9
        )
        w10 = w + h * (
            A10_0 * c0 + A10_3 * c3 + A10_4 * c4 + A10_5 * c5 + A10_6 * c6 + A10_7 * c7 + A10_8 * c8 + A10_9 * c9
        )
        xs = x + h * (
            A10_0 * u0 + A10_3 * u3 + A10_4 * u4 + A10_5 * u5 + A10_6 * u6 + A10_7 * u7 + A10_8 * u8 + A10_9 * u9
        )
        ys = y + h * (
            A10_0 * v0 + A10_3 * v3 + A10_4 * v4 + A10_5 * v5 + A10_6 * v6 + A10_7 * v7 + A10_8 * v8 + A10_9 * v9
        )
        zs = z + h * (
            A10_0 * w0 + A10_3 * w3 + A10_4 * w4 + A10_5 * w5 + A10_6 * w6 + A10_7 * w7 + A10_8 * w8 + A10_9 * w9
        )
        p = pull(xs, ys, zs)
        a10, b10, c10 = p * xs, p * ys, p * zs
        u11 = u + h * (A11_0 * a0 + A11_5 * a5 + A11_6 * a6 + A11_7 * a7 + A11_8 * a8 + A11_9 * a9)
        v11 = v + h * (A11_0 * b0 + A11_5 * b5 + A11_6 * b6 + A11_7 * b7 + A11_8 * b8 + A11_9 * b9)
        w11 = w + h * (A11_0 * c0 + A11_5 * c5 + A11_6 * c6 + A11_7 * c7 + A11_8 * c8 + A11_9 * c9)
        xs = x + h * (A11_0 * u0 + A11_5 * u5 + A11_6 * u6 + A11_7 * u7 + A11_8 * u8 + A11_9 * u9)
        ys = y + h * (A11_0 * v0 + A11_5 * v5 + A11_6 * v6 + A11_7 * v7 + A11_8 * v8 + A11_9 * v9)
        zs = z + h * (A11_0 * w0 + A11_5 * w5 + A11_6 * w6 + A11_7 * w7 + A11_8 * w8 + A11_9 * w9)
        p = pull(xs, ys, zs)
        a11, b11, c11 = p * xs, p * ys, p * zs
        u12 = u + h * (
            A12_0 * a0
            + A12_3 * a3
            + A12_4 * a4
            + A12_5 * a5
            + A12_6 * a6
            + A12_7 * a7
            + A12_8 * a8
            + A12_9 * a9
            + A12_11 * a11
        )
        v12 = v + h * (
            A12_0 * b0
            + A12_3 * b3
            + A12_4 * b4
            + A12_5 * b5
            + A12_6 * b6
            + A12_7 * b7
            + A12_8 * b8
            + A12_9 * b9
            + A12_11 * b11
        )
        w12 = w + h * (
            A12_0 * c0
            + A12_3 * c3
            + A12_4 * c4
            + A12_5 * c5
            + A12_6 * c6
            + A12_7 * c7
            + A12_8 * c8
            + A12_9 * c9
            + A12_11 * c11
        )
        xs = x + h * (
            A12_0 * u0
            + A12_3 * u3
            + A12_4 * u4
            + A12_5 * u5
            + A12_6 * u6
            + A12_7 * u7
            + A12_8 * u8
            + A12_9 * u9
            + A12_11 * u11
        )
        ys = y + h * (
            A12_0 * v0
            + A12_3 * v3
            + A12_4 * v4
            + A12_5 * v5
            + A12_6 * v6
            + A12_7 * v7
            + A12_8 * v8
            + A12_9 * v9
            + A12_11 * v11
        )
        zs = z + h * (
            A12_0 * w0
            + A12_3 * w3
            + A12_4 * w4
            + A12_5 * w5
            + A12_6 * w6
            + A12_7 * w7
            + A12_8 * w8
            + A12_9 * w9
            + A12_11 * w11
        )
        p = pull(xs, ys, zs)
        a12, b12, c12 = p * xs, p * ys, p * zs
        xn = x + h * (B5 * u5 + B6 * u6 + B7 * u7 + B8 * u8 + B9 * u9 + B11 * u11 + B12 * u12)
        yn = y + h * (B5 * v5 + B6 * v6 + B7 * v7 + B8 * v8 + B9 * v9 + B11 * v11 + B12 * v12)
        zn = z + h * (B5 * w5 + B6 * w6 + B7 * w7 + B8 * w8 + B9 * w9 + B11 * w11 + B12 * w12)
        un = u + h * (B5 * a5 + B6 * a6 + B7 * a7 + B8 * a8 + B9 * a9 + B11 * a11 + B12 * a12)
        vn = v + h * (B5 * b5 + B6 * b6 + B7 * b7 + B8 * b8 + B9 * b9 + B11 * b11 + B12 * b12)
        wn = w + h * (B5 * c5 + B6 * c6 + B7 * c7 + B8 * c8 + B9 * c9 + B11 * c11 + B12 * c12)
        e = h * ERROR
        ratio = max(
            over(e * (u0 + u10 - u11 - u12), xn, x),
            over(e * (v0 + v10 - v11 - v12), yn, y),
            over(e * (w0 + w10 - w11 - w12), zn, z),
            over(e * (a0 + a10 - a11 - a12), un, u),
            over(e * (b0 + b10 - b11 - b12), vn, v),
            over(e * (c0 + c10 - c11 - c12), wn, w),
        )
        # Beyond 1e-10 the limit of five holds anyway.
        if ratio < 1.0:
            x, y, z, u, v, w = xn, yn, zn, un, vn, wn
            t += h
            taken += 1
            grow = 0.9 * max(ratio, 1e-10) ** NINTH
        else:
            refused += 1
            grow = 0.9 * ratio**EIGHTH
        h = min(h * min(max(grow, 0.2), 5.0), END - t)
    return x, y, z, u, v, w, t, taken, refused


@numba.njit(parallel=True, cache=keeps_compiled())  # type: ignore[untyped-decorator] # Numba has no types
def integrate(start: Any, end: Any, accepted: Any, rejected: Any) -> None:
    """Every orbit from its start (6, n) to its end (7, n): place, speed, time."""
    for i in numba.prange(start.shape[1]):
        x, y, z, u, v, w, t, taken, refused = integrate_one(
            start[0, i], start[1, i], start[2, i], start[3, i], start[4, i], start[5, i]
        )
        end[0, i], end[1, i], end[2, i] = x, y, z
        end[3, i], end[4, i], end[5, i] = u, v, w
        end[6, i] = t
        accepted[i], rejected[i] = taken, refused
