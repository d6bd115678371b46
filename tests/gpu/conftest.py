"""What the tests on a real device share."""

from __future__ import annotations

import pytest

from perfdocs.measure.arm import Context
from perfdocs.measure.cuda import open_gpu


@pytest.fixture(scope="module")
def context(tmp_path_factory: pytest.TempPathFactory) -> Context:
    gpu = open_gpu()
    if isinstance(gpu, str):
        pytest.skip(gpu)
    return Context(kind="gpu", build=tmp_path_factory.mktemp("build"), threads=2, sm_count=gpu.facts().sm_count)
