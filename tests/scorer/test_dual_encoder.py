"""The dual encoders of transformers, each from a small model of its real class."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.scorer.base import TextBank
from oodexp.scorer.dual_encoder import DualEncoder
from oodexp.scorer.family import family_of
from tests.scorer.families import FAMILIES, loaded, logits_of

CATEGORIES = ["cat", "big red house", "dog"]
PROMPTS = [f"a photo of a {c}" for c in CATEGORIES]


def own_forward(folder: Path, images: list[Image.Image], texts: list[str]) -> np.ndarray:
    """Logits of the class's own forward, its inputs made here by its own processor."""
    import torch
    import transformers

    config = json.loads((folder / "config.json").read_text())
    net = getattr(transformers, config["architectures"][0]).from_pretrained(folder).eval()
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    fixed = config["model_type"].startswith("siglip")
    width = {"padding": "max_length", "max_length": 64} if fixed else {"padding": True}
    tokens = tokenizer(texts, **width, padding_side="right", return_tensors="pt")
    tokens = {k: tokens[k] for k in (["input_ids"] if fixed else ["input_ids", "attention_mask"])}
    seen = transformers.AutoImageProcessor.from_pretrained(folder)(images, return_tensors="pt")
    with torch.no_grad():
        return net(**tokens, **seen).logits_per_image.numpy()


@pytest.mark.parametrize("name", FAMILIES)
def test_a_family_keeps_the_promises_of_a_scorer(
    name: str, folders: Callable[[str], Path], keeps_promises: Callable[..., None]
) -> None:
    keeps_promises(DualEncoder(str(folders(name))), CATEGORIES)


@pytest.mark.parametrize("name", FAMILIES)
def test_logits_equal_those_of_the_class_itself(
    name: str, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    ours = logits_of(loaded(folders(name)), images, CATEGORIES)
    own = own_forward(folders(name), images, PROMPTS)
    assert np.ptp(own) > 0.1
    np.testing.assert_allclose(ours, own, atol=2e-4)


@pytest.mark.parametrize("name", FAMILIES)
def test_an_image_scores_the_same_alone_and_among_64_in_any_order(
    name: str, folders: Callable[[str], Path]
) -> None:
    import torch

    scorer = loaded(folders(name))
    rng = np.random.default_rng(11)
    sizes = rng.integers(20, 90, (64, 2))
    many = [Image.fromarray(rng.integers(0, 256, (h, w, 3), np.uint8)) for h, w in sizes]
    pixels = torch.stack([scorer.preprocess(image) for image in many])
    bank = scorer.encode_texts(CATEGORIES)
    unscaled = TextBank(bank.embeddings, 1.0, 0.0)
    together = scorer.logits(scorer.encode_images(pixels).numpy(), unscaled)
    backwards = scorer.logits(scorer.encode_images(pixels.flip(0)).numpy(), unscaled)[::-1]
    np.testing.assert_allclose(backwards, together, atol=1e-5)
    for index in (0, 13, 63):
        alone = scorer.logits(scorer.encode_images(pixels[index : index + 1]).numpy(), unscaled)
        np.testing.assert_allclose(alone[0], together[index], atol=1e-5)


@pytest.mark.parametrize("name", FAMILIES)
def test_scale_and_bias_are_the_models_own(name: str, folders: Callable[[str], Path]) -> None:
    bank = loaded(folders(name)).encode_texts(["cat"])
    assert bank.scale == pytest.approx(1 / 0.07 if name == "align" else np.exp(3.3), rel=1e-5)
    assert bank.bias == (-4.5 if name.startswith("siglip") else 0)


def test_a_number_replaces_the_learned_scale(folders: Callable[[str], Path]) -> None:
    bank = loaded(folders("siglip"), scale=7.5).encode_texts(["cat"])
    assert (bank.scale, bank.bias) == (7.5, -4.5)


@pytest.mark.parametrize("name", FAMILIES)
def test_a_fingerprint_is_stable_and_builds_no_network(
    name: str, folders: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("a network was built")

    first = DualEncoder(str(folders(name))).fingerprint()
    monkeypatch.setattr(torch.nn.Module, "__init__", refuse)
    assert DualEncoder(str(folders(name))).fingerprint() == first
    assert first["class"].endswith("Model")


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("templates", ["a drawing of a {}"]), ("scale", 50.0), ("precision", "bfloat16"),
        ("text_length", 32), ("clean", "as_is"),
    ],
)  # fmt: skip
def test_a_setting_changes_the_fingerprint(
    folders: Callable[[str], Path], setting: str, value: Any
) -> None:
    name = str(folders("siglip"))
    assert DualEncoder(name).fingerprint() != DualEncoder(name, **{setting: value}).fingerprint()


def test_the_link_changes_no_vector_and_so_no_fingerprint(folders: Callable[[str], Path]) -> None:
    name = str(folders("siglip"))
    apart = DualEncoder(name, link="sigmoid")
    assert apart.link == "sigmoid"
    assert apart.fingerprint() == DualEncoder(name).fingerprint()


@pytest.mark.parametrize("name", [f for f in FAMILIES if f != "groupvit"])
def test_bfloat16_weights_give_float32_vectors_and_the_learned_scale(
    name: str, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    import torch

    exact, fast = (loaded(folders(name), precision=p) for p in ("float32", "bfloat16"))
    assert {p.dtype for p in fast._net.parameters()} == {torch.bfloat16}
    vectors = [
        scorer.encode_images(torch.stack([scorer.preprocess(i) for i in images]))
        for scorer in (exact, fast)
    ]
    assert vectors[1].dtype == torch.float32
    assert (vectors[0] * vectors[1]).sum(-1).min() > 0.999
    assert not torch.equal(*vectors)
    banks = [scorer.encode_texts(CATEGORIES) for scorer in (exact, fast)]
    assert banks[0].scale == banks[1].scale
    assert banks[0].bias == banks[1].bias
    assert banks[1].embeddings.dtype == np.float32


def test_the_exact_twin_differs_in_its_number_format_only(folders: Callable[[str], Path]) -> None:
    fast = DualEncoder(
        str(folders("siglip")), ["a {}"], 5.0, "sigmoid", "bfloat16", 32, "lower"
    )  # fmt: skip
    twin = fast.exact()
    assert fast.fingerprint() | {"dtype": "float32"} == twin.fingerprint()
    assert (twin.precision, twin.link) == ("float32", "sigmoid")


def test_bfloat16_is_refused_where_rounding_moves_image_regions(
    folders: Callable[[str], Path],
) -> None:
    with pytest.raises(OodexpError, match="GroupViTModel to another group; use precision=float32"):
        DualEncoder(str(folders("groupvit")), precision="bfloat16").fingerprint()


def test_a_processor_keeps_an_image_of_any_shape_whole_for_naflex(
    folders: Callable[[str], Path],
) -> None:
    scorer = loaded(folders("siglip2"))
    tall, wide = (scorer.preprocess(Image.new("RGB", size)) for size in ((20, 80), (80, 20)))
    assert tall.shape == wide.shape == (25, 192)
    assert tall[0, :2].tolist() == wide[0, :2].tolist()[::-1] != [4, 4]


def test_the_activation_is_part_of_the_fingerprint_and_of_the_scores(
    folders: Callable[[str], Path], images: list[Image.Image], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders("clip"), copy)
    config = json.loads((copy / "config.json").read_text())
    config["vision_config"]["hidden_act"] = "gelu"
    (copy / "config.json").write_text(json.dumps(config))
    prints = [DualEncoder(str(f)).fingerprint() for f in (folders("clip"), copy)]
    assert [p["activation"] for p in prints] == [
        ["quick_gelu", "quick_gelu"], ["gelu", "quick_gelu"],
    ]  # fmt: skip
    assert prints[0]["weights"] == prints[1]["weights"]
    assert prints[0] != prints[1]
    one, other = (logits_of(loaded(f), images, CATEGORIES) for f in (folders("clip"), copy))
    assert np.abs(one - other).max() > 1e-3


def test_an_activation_that_the_file_leaves_out_is_the_classs_own(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders("siglip"), copy)
    config = json.loads((copy / "config.json").read_text())
    del config["vision_config"]["hidden_act"]
    (copy / "config.json").write_text(json.dumps(config))
    assert DualEncoder(str(copy)).fingerprint()["activation"][0] == "gelu_pytorch_tanh"


@pytest.mark.parametrize(
    ("name", "lost"),
    [("clip", "visual_projection.weight"), ("siglip", "logit_bias"), ("align", "temperature")],
)
def test_missing_weights_are_an_error_not_random_numbers(
    name: str, lost: str, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    copy = tmp_path / "copy"
    shutil.copytree(folders(name), copy)
    state = load_file(copy / "model.safetensors")
    del state[lost]
    save_file(state, copy / "model.safetensors", metadata={"format": "pt"})
    with pytest.raises(OodexpError, match=rf"'{lost}'.*would be random"):
        DualEncoder(str(copy)).load("cpu")


def test_a_folder_without_weights_is_refused(
    folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders("clip"), copy)
    (copy / "model.safetensors").unlink()
    with pytest.raises(OodexpError, match="no weight file"):
        DualEncoder(str(copy)).fingerprint()


@pytest.mark.parametrize(
    ("file", "part"),
    [
        ("preprocessor_config.json", "AutoImageProcessor could not be read"),
        ("tokenizer", "no vocabulary"),
    ],
)
def test_a_folder_without_a_part_is_refused(
    file: str, part: str, folders: Callable[[str], Path], tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folders("clip"), copy)
    for gone in copy.glob(f"{file}*"):
        gone.unlink()
    with pytest.raises(OodexpError, match=part):
        DualEncoder(str(copy)).load("cpu")


def test_a_model_of_another_kind_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    from transformers import BertConfig

    with pytest.raises(OodexpError, match=r"'bert'.*clip, siglip, .*scorer=blip2"):
        family_of(BertConfig(), tmp_path)


@pytest.mark.parametrize(
    "wrong",
    [
        {"scale": "big"}, {"link": "none"}, {"precision": "float16"}, {"text_length": 0},
        {"clean": "tidy"}, {"templates": ["a photo"]},
    ],
)  # fmt: skip
def test_a_setting_that_is_none_of_its_values_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(OodexpError, match=next(iter(wrong))):
        DualEncoder("some/model", **wrong)
