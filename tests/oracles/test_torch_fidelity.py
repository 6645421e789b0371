"""Fréchet distance as the package torch-fidelity 0.4.0 computes the FID from features."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.evidence.frechet import frechet, moments
from tests.oracles.asked import ask

pytestmark = pytest.mark.oracle

SCRIPT = """
import json, sys
import numpy as np, torch
from torch_fidelity.metric_fid import fid_features_to_statistics, fid_statistics_to_metric

held = np.load(sys.argv[1])
both = [fid_features_to_statistics(torch.from_numpy(held[name])) for name in ("x", "y")]
print(json.dumps(fid_statistics_to_metric(*both, verbose=False)))
"""


@pytest.mark.parametrize(("n", "m", "d"), [(500, 300, 16), (1000, 1000, 64), (40, 30, 64)])
def test_it_is_the_fid_of_torch_fidelity(tmp_path, n, m, d):
    rng = np.random.default_rng(d + n)
    mix = rng.normal(size=(d, d)) / d**0.5
    x, y = rng.normal(size=(n, d)) @ mix, rng.normal(0.2, 1.3, (m, d)) @ mix
    file = tmp_path / "features.npz"
    np.savez(file, x=x, y=y)
    (expected,) = ask("torch_fidelity", SCRIPT, str(file)).values()
    # Its roots of eigenvalues that should be 0 leave 1e-8 each where the covariance is singular.
    assert frechet(moments(x), moments(y)).value == pytest.approx(expected, rel=1e-6)
