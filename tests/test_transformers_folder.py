"""Networks and parts from the folder of a transformers model: whole, or refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oodexp.error import OodexpError
from oodexp.transformers_folder import image_processor, read_part, whole_net


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A small ViT without its pooler, as a classifier's checkpoint is."""
    import torch
    from transformers import ViTConfig, ViTForImageClassification

    torch.manual_seed(3)
    config = ViTConfig(
        hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=1,
        image_size=16, patch_size=8,
    )  # fmt: skip
    ViTForImageClassification(config).save_pretrained(tmp_path)
    return tmp_path


def kind() -> Any:
    from transformers import ViTModel

    return ViTModel


def test_weights_that_are_not_there_are_named(folder):
    with pytest.raises(OodexpError, match=r"'pooler\.dense\.bias'.*of ViTModel.*would be random"):
        whole_net(kind(), folder)


def test_weights_that_nothing_depends_on_may_be_missing(folder):
    from transformers import ViTForImageClassification

    net = whole_net(kind(), folder, unused=lambda name: name.startswith("pooler."))
    state = ViTForImageClassification.from_pretrained(folder).vit.state_dict()
    own = net.state_dict()
    kept = [name for name in own if not name.startswith("pooler.")]
    assert len(kept) > 10
    for name in kept:
        assert own[name].equal(state[name])


def test_what_transformers_says_of_the_weights_is_not_shown_and_its_level_is_put_back(
    folder, capfd, caplog
):
    from transformers.utils import logging

    before = logging.get_verbosity()
    for unused in (lambda _: True, lambda _: False):
        try:
            whole_net(kind(), folder, unused=unused)
        except OodexpError:
            assert not unused("")
        assert logging.get_verbosity() == before
    assert "REPORT" not in capfd.readouterr().err + caplog.text


def test_a_part_that_is_not_there_is_named(folder):
    import transformers

    with pytest.raises(OodexpError, match="AutoImageProcessor could not be read"):
        image_processor(folder)
    assert read_part(transformers.AutoConfig, folder).hidden_size == 16
