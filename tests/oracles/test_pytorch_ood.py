"""OOD detection as the package pytorch-ood 0.4.0 measures it."""

from __future__ import annotations

import json

import numpy as np
import pytest

from oodexp.metric.ood import aupr_in, aupr_out, auroc, fpr95_in, fpr95_out
from tests.oracles.asked import ask

pytestmark = pytest.mark.oracle

SCRIPT = """
import json, sys
import torch
from pytorch_ood.metrics import OODMetrics

score, label = (torch.tensor(one) for one in json.load(open(sys.argv[1])))
inward = OODMetrics().update(-score, 2 * label - 1).compute()
outward = OODMetrics().update(score, 1 - 2 * label).compute()
print(json.dumps([inward, outward]))
"""


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_every_metric_is_that_of_pytorch_ood_in_both_orientations(tmp_path, seed, ties):
    rng = np.random.default_rng(seed)
    inside = rng.random(3000) < 0.3
    confidence = rng.normal(inside * 1.2, 1).round(1 if ties else 6)
    file = tmp_path / "scores.json"
    file.write_text(json.dumps([confidence.tolist(), inside.astype(int).tolist()]))
    told, turned = ask("pytorch_ood", SCRIPT, str(file))
    found = {
        "AUROC": auroc(confidence, inside),
        "AUPR-IN": aupr_in(confidence, inside).trapezoid,
        "AUPR-OUT": aupr_out(confidence, inside).trapezoid,
        "FPR95TPR": fpr95_out(confidence, inside).value,
    }
    for name, value in found.items():
        assert value == pytest.approx(told[name], abs=1e-6), name
    # Its only FPR95 treats OOD as positive: with the classes turned around it is the other one.
    assert fpr95_in(confidence, inside).value == pytest.approx(turned["FPR95TPR"], abs=1e-6)
