"""The Warp kernels, one for each precision. Importing this needs Warp, which reads their source from this file.

No annotation here may be a text: Warp wants the types themselves.
"""

# mypy: disable-error-code="valid-type"
from typing import Any, no_type_check

import warp as wp

from .workload import STEP

UNROLL = 16  # steps between two looks at the count: the most that Warp unrolls unasked


@no_type_check  # an annotation is an object here, made for the precision
def make(real: Any) -> Any:
    """The kernel in ``wp.float64`` or ``wp.float32``: each thread runs its sample to its end.

    A sum is in the order of the CUDA kernels, so that Warp's compiler fuses the same multiply-adds. No gradient is
    asked for, and no grid-stride loop around the thread's own: there is a thread for every sample.
    """
    step_of, half_of, third_of, sixth_of = real(STEP), real(STEP / 2), real(STEP / 3), real(STEP / 6)
    h, half, third, sixth = (wp.constant(factor) for factor in (step_of, half_of, third_of, sixth_of))
    minus_two = wp.constant(real(-2.0))

    @wp.func
    def acceleration(x: real, v: real, damping: real, stiffness: real):
        return damping * v + stiffness * x

    @wp.func
    def advance(x: real, v: real, damping: real, stiffness: real):
        a1 = acceleration(x, v, damping, stiffness)
        v2 = half * a1 + v
        x2 = half * v + x
        a2 = acceleration(x2, v2, damping, stiffness)
        v3 = half * a2 + v
        x3 = half * v2 + x
        a3 = acceleration(x3, v3, damping, stiffness)
        v4 = h * a3 + v
        x4 = h * v3 + x
        a4 = acceleration(x4, v4, damping, stiffness)
        next_x = sixth * v4 + (third * v3 + (third * v2 + (sixth * v + x)))
        next_v = sixth * a4 + (third * a3 + (third * a2 + (sixth * a1 + v)))
        return next_x, next_v

    @wp.kernel(enable_backward=False, grid_stride=False, module="unique")
    def rk4_warp(
        omega: wp.array(dtype=real),
        zeta: wp.array(dtype=real),
        x0: wp.array(dtype=real),
        v0: wp.array(dtype=real),
        nstop: wp.array(dtype=wp.int64),
        x_out: wp.array(dtype=real),
        v_out: wp.array(dtype=real),
        steps_out: wp.array(dtype=wp.int64),
    ):
        i = wp.tid()
        w = omega[i]
        damping = minus_two * zeta[i] * w
        stiffness = -w * w
        x = x0[i]
        v = v0[i]
        limit = wp.int32(nstop[i])
        count = wp.int32(0)
        while count + wp.static(UNROLL) <= limit:
            for _ in range(wp.static(UNROLL)):
                x, v = advance(x, v, damping, stiffness)
            count += wp.static(UNROLL)
        while count < limit:
            x, v = advance(x, v, damping, stiffness)
            count += 1
        x_out[i] = x
        v_out[i] = v
        steps_out[i] = wp.int64(count)

    return rk4_warp
