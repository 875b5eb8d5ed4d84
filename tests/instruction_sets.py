"""The instruction sets of the native module, as parameters of tests; a test of one that cannot run here is skipped."""

import pytest

from gdl_miner.agent import _native

__all__ = ["BASELINE", "EACH_SET", "FASTER_SETS", "RUNNING_SET", "SUPPORTED"]

BASELINE = "baseline"
SUPPORTED = _native.supported_instruction_sets()
_REASON = "the module was not built for {}, or this processor lacks it (GDL_MINER_INSTRUCTION_SETS=all builds all sets)"


def _sets(*names: str) -> list[object]:
    return [
        pytest.param(name, marks=pytest.mark.skipif(name not in SUPPORTED, reason=_REASON.format(name)))
        for name in names
    ]


FASTER_SETS = _sets("avx512", "avx2")  # to be compared with the baseline
EACH_SET = [*FASTER_SETS, *_sets(BASELINE)]
RUNNING_SET = SUPPORTED[0]  # the best, which runs unless another one is asked for
