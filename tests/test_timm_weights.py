"""Weights of timm's networks: all there, from a file or from timm, with a classifier or not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from oodexp.error import OodexpError
from oodexp.timm_weights import (
    HUB,
    classifier_net,
    feature_net,
    fill_weights,
    settings_of,
    transform_settings,
    weight_file,
)


@pytest.fixture
def whole() -> Any:
    """A random network of 1000 classes."""
    import timm
    import torch

    torch.manual_seed(6)
    return timm.create_model("test_vit", num_classes=1000).eval()


def saved(state: dict[str, Any], file: Path) -> Path:
    import torch
    from safetensors.torch import save_file

    if file.suffix == ".safetensors":
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, file)
    else:
        torch.save(state, file)
    return file


def pooled(net: Any, pixels: Any) -> Any:
    """What the classifier of a network would see, by timm's own two halves of a forward pass."""
    import torch

    with torch.no_grad():
        return net.forward_head(net.forward_features(pixels), pre_logits=True)


def gave(net: Any, pixels: Any) -> Any:
    import torch

    with torch.no_grad():
        return net.eval()(pixels)


@pytest.mark.parametrize("weights", ["a file", HUB])
@pytest.mark.parametrize("suffix", [".pth", ".safetensors"])
def test_features_are_what_the_classifier_would_see(whole, tmp_path, weights, suffix):
    import torch

    file = saved(whole.state_dict(), tmp_path / f"weights{suffix}")
    pixels = torch.randn(3, 3, 160, 160)
    found = gave(feature_net("test_vit", weights, file), pixels)
    assert found.shape == (3, 64)
    torch.testing.assert_close(found, pooled(whole, pixels))
    logits = gave(classifier_net("test_vit", weights, file), pixels)
    torch.testing.assert_close(logits, gave(whole, pixels))


def test_a_file_without_the_classifier_gives_the_same_features(whole, tmp_path):
    import torch

    state = {k: v for k, v in whole.state_dict().items() if not k.startswith("head.")}
    file = saved(state, tmp_path / "weights.pth")
    pixels = torch.randn(2, 3, 160, 160)
    found = gave(feature_net("test_vit", "a file", file), pixels)
    torch.testing.assert_close(found, pooled(whole, pixels))
    with pytest.raises(OodexpError, match="entries, the architecture has"):
        classifier_net("test_vit", "a file", file)


@pytest.mark.parametrize("weights", ["a file", HUB])
def test_a_file_that_lacks_a_weight_is_refused(whole, tmp_path, weights):
    state = dict(whole.state_dict())
    del state["blocks.0.attn.qkv.weight"]
    file = saved(state, tmp_path / "weights.pth")
    with pytest.raises(OodexpError, match=r"entries|blocks\.0\.attn\.qkv"):
        feature_net("test_vit", weights, file)


def test_a_weight_that_only_the_network_without_classifier_has_is_refused(
    whole, tmp_path, monkeypatch
):
    import timm
    import torch

    file = saved(whole.state_dict(), tmp_path / "weights.pth")
    made = timm.create_model

    def odd(*args: Any, **options: Any) -> Any:
        net = made(*args, **options)
        if options.get("num_classes") == 0:
            net.added = torch.nn.Linear(2, 2, bias=False)
        return net

    monkeypatch.setattr(timm, "create_model", odd)
    with pytest.raises(OodexpError, match=r"added\.weight.*would be random"):
        feature_net("test_vit", "a file", file)


def test_an_architecture_that_timm_does_not_know_is_named():
    with pytest.raises(OodexpError, match="'no_such_net'"):
        settings_of("no_such_net")


def test_an_architecture_without_hub_weights_asks_for_a_file():
    with pytest.raises(OodexpError, match="no hub weights for 'x'; give a file"):
        weight_file("x", HUB, {})


def test_the_transform_is_that_of_the_weights():
    told = transform_settings(settings_of("vit_base_patch16_224.dino"))
    assert told["input_size"] == (3, 224, 224)
    assert told["mean"] == (0.485, 0.456, 0.406)
    assert told["interpolation"] == "bicubic"


def test_weights_under_other_names_are_taken_in_order() -> None:
    import torch

    net = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.BatchNorm1d(3))
    names = ["_fc.weight", "_fc.bias", "_bn.weight", "_bn.bias", "_bn.running_mean"]
    names += ["_bn.running_var", "_bn.num_batches_tracked"]
    values = [torch.rand_like(t.float()) for t in net.state_dict().values()]
    state = dict(zip(names, values, strict=True))
    fill_weights(net, state, "file")
    for own, given in zip(net.state_dict().values(), state.values(), strict=True):
        torch.testing.assert_close(own, given.to(own.dtype))


@pytest.mark.parametrize(
    ("names", "shapes", "message"),
    [
        (["a.weight", "a.bias"], [(3, 2), (4,)], r"a\.bias \(4,\) does not fit bias \(3,\)"),
        (["a.bias", "a.weight"], [(3, 2), (3,)], r"a\.bias \(3, 2\) does not fit weight"),
        (["a.weight"], [(3, 2)], "1 entries, the architecture has 2"),
        (["weight", "bias"], [(2, 3), (3,)], r"weight \(2, 3\) != \(3, 2\)"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    names: list[str], shapes: list[tuple[int, ...]], message: str
) -> None:
    import torch

    state = {n: torch.zeros(s) for n, s in zip(names, shapes, strict=True)}
    with pytest.raises(OodexpError, match=message):
        fill_weights(torch.nn.Linear(2, 3), state, "file")
