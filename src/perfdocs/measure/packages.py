"""The packages that arms are written in, opened where they are needed, with one reason where they cannot be.

Nothing here is imported before it is asked for: a machine that lacks a package lacks the arms that use it, no more.
"""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from .arm import Cannot, Kind

__all__ = [
    "import_cupy",
    "import_cupyx_profiler",
    "import_numba",
    "import_nvbench",
    "import_torch",
    "keeps_compiled",
    "open_jax",
    "open_warp",
]


def import_cupy() -> Any:
    """CuPy. Raises :class:`Cannot` where it is not installed."""
    try:
        import cupy
    except ImportError:
        raise Cannot("not_installed", "CuPy is not installed") from None
    return cupy


def import_cupyx_profiler() -> Any:
    """CuPy's ``cupyx.profiler``. Raises :class:`Cannot` where it is not installed."""
    try:
        import cupyx.profiler
    except ImportError:
        raise Cannot("not_installed", "CuPy's profiler is not installed (cupyx.profiler)") from None
    return cupyx.profiler


def import_nvbench() -> Any:
    """NVBench's Python package, its part for this CUDA loaded.

    Raises :class:`Cannot` where it is not installed, or has no part that loads here.
    """
    try:
        import cuda.bench
    except ImportError:
        raise Cannot("not_installed", "NVBench is not installed (cuda-bench)") from None
    try:
        _ = cuda.bench.State  # the package loads its part for CUDA 12 or 13 when it is first asked for something of it
    except ImportError as error:
        raise Cannot("unsupported", f"NVBench does not load: {error}") from None
    return cuda.bench


def import_numba() -> Any:
    """Numba. Raises :class:`Cannot` where it is absent or does not load, as beside a NumPy that it does not know."""
    try:
        import numba
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and error.name == "numba":
            raise Cannot("not_installed", "Numba is not installed") from None
        raise Cannot("unsupported", f"Numba does not load: {error}") from None
    return numba


def keeps_compiled() -> bool:
    """Whether Numba is to keep what it compiles: where the environment names a folder for it.

    Numba looks at one file to tell whether what it kept is stale, and arms have constants in others: only a folder that
    is new for a run is safe.
    """
    return bool(os.environ.get("NUMBA_CACHE_DIR"))


def import_torch(kind: Kind) -> Any:
    """PyTorch. Raises :class:`Cannot` where it is absent, or sees no GPU and one is asked for."""
    try:
        import torch
    except ImportError:
        raise Cannot("not_installed", "PyTorch is not installed") from None
    if kind == "gpu" and not torch.cuda.is_available():
        raise Cannot("unsupported", "PyTorch sees no GPU")
    return torch


@cache
def open_jax(kind: Kind) -> tuple[Any, Any]:
    """JAX with 64-bit types, and the device to use. Raises :class:`Cannot` where there is no JAX or no such device."""
    # Without this JAX takes three quarters of a GPU's memory at its first use, and starves the other arms.
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    try:
        import jax
    except ImportError:
        raise Cannot("not_installed", "JAX is not installed") from None
    jax.config.update("jax_enable_x64", True)
    try:
        return jax, jax.devices(kind)[0]
    except RuntimeError:
        raise Cannot("unsupported", f"JAX sees no {kind.upper()}") from None


@cache
def open_warp(kind: Kind, build: Path) -> tuple[Any, Any]:
    """Warp, what it compiles kept below ``build`` unless the environment says where, and the device to use.

    Raises :class:`Cannot` where there is no Warp or no such device.
    """
    os.environ.setdefault("WARP_CACHE_PATH", str(build / "warp"))
    try:
        import warp
    except ImportError:
        raise Cannot("not_installed", "Warp is not installed (warp-lang)") from None
    warp.config.log_level = warp.LOG_WARNING  # a greeting on standard output would stand between the progress lines
    warp.init()
    if kind == "gpu" and not warp.is_cuda_available():
        raise Cannot("unsupported", "Warp sees no GPU")
    return warp, warp.get_device("cuda:0" if kind == "gpu" else "cpu")
