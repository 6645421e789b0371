"""open_clip: never random weights, never the wrong activation, never a cut prompt."""

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
from oodexp.scorer.open_clip import OpenClip


@pytest.fixture
def tiny_names(tmp_path: Path, open_clip_folder: Path) -> Any:
    """The names `oodexp-tiny` and `oodexp-tiny-quickgelu`, known to open_clip for one test."""
    import open_clip
    from open_clip import factory

    config = json.loads((open_clip_folder / "open_clip_config.json").read_text())["model_cfg"]
    (tmp_path / "oodexp-tiny.json").write_text(json.dumps(config))
    quick = {**config, "quick_gelu": True}
    (tmp_path / "oodexp-tiny-quickgelu.json").write_text(json.dumps(quick))
    paths, configs = list(factory._MODEL_CONFIG_PATHS), dict(factory._MODEL_CONFIGS)
    open_clip.add_model_config(tmp_path)
    yield open_clip_folder / "open_clip_model.safetensors"
    factory._MODEL_CONFIG_PATHS[:] = paths
    factory._MODEL_CONFIGS.clear()
    factory._MODEL_CONFIGS.update(configs)


def test_a_folder_keeps_the_promises_of_a_scorer(
    open_clip_folder: Path, keeps_promises: Callable[..., None]
) -> None:
    keeps_promises(OpenClip(f"local-dir:{open_clip_folder}"), ["cat", "dog", "red house"])


def test_logits_equal_those_of_open_clip_itself(
    open_clip_folder: Path, images: list[Image.Image]
) -> None:
    import open_clip
    import torch

    name = f"local-dir:{open_clip_folder}"
    net, _, transform = open_clip.create_model_and_transforms(name)
    net.eval()
    texts = open_clip.get_tokenizer(name)(["a photo of a cat", "a photo of a dog"])
    with torch.no_grad():
        seen, read, scale = net(torch.stack([transform(i) for i in images]), texts)
    scorer = OpenClip(name)
    scorer.load("cpu")
    pixels = torch.stack([scorer.preprocess(i) for i in images])
    ours = scorer.logits(scorer.encode_images(pixels).numpy(), scorer.encode_texts(["cat", "dog"]))
    np.testing.assert_allclose(ours, (scale * seen @ read.T).numpy(), atol=1e-4)


def test_templates_are_averaged_as_directions(open_clip_folder: Path) -> None:
    name = f"local-dir:{open_clip_folder}"
    banks = []
    for templates in (["a photo of a {}"], ["a drawing of a {}"]):
        scorer = OpenClip(name, templates=templates)
        scorer.load("cpu")
        banks.append(scorer.encode_texts(["cat"]).embeddings[0])
    both = OpenClip(name, templates=["a photo of a {}", "a drawing of a {}"])
    both.load("cpu")
    mean = banks[0] + banks[1]
    expected = mean / np.linalg.norm(mean)
    np.testing.assert_allclose(both.encode_texts(["cat"]).embeddings[0], expected, atol=1e-5)


def test_the_scale_is_the_learned_one_or_a_number(open_clip_folder: Path) -> None:
    learned, given = (OpenClip(f"local-dir:{open_clip_folder}", scale=s) for s in ("learned", 7.5))
    learned.load("cpu")
    given.load("cpu")
    assert learned.encode_texts(["cat"]).scale == pytest.approx(1 / 0.07, rel=1e-5)
    assert given.encode_texts(["cat"]).scale == 7.5


def test_a_logit_bias_is_added(make_open_clip: Callable[..., Path]) -> None:
    folder = make_open_clip(init_logit_bias=-10.0, custom_text=True)
    scorer = OpenClip(f"local-dir:{folder}")
    scorer.load("cpu")
    bank = scorer.encode_texts(["cat"])
    assert bank.bias == -10
    same = bank.embeddings.copy()
    assert scorer.logits(same, bank)[0, 0] == pytest.approx(bank.scale - 10, abs=1e-3)


def test_bfloat16_keeps_the_learned_scale(open_clip_folder: Path) -> None:
    banks = []
    for precision in ("float32", "bfloat16"):
        scorer = OpenClip(f"local-dir:{open_clip_folder}", precision=precision)
        scorer.load("cpu")
        banks.append(scorer.encode_texts(["cat"]))
    assert banks[0].scale == banks[1].scale


def test_bfloat16_is_the_weights_own_format_and_not_a_cast_in_each_pass(
    open_clip_folder: Path,
) -> None:
    import torch

    scorer = OpenClip(f"local-dir:{open_clip_folder}", precision="bfloat16")
    scorer.load("cpu")
    for blocks in (scorer._net.visual.transformer.resblocks, scorer._net.transformer.resblocks):
        for block in blocks:
            parts = (block.mlp.c_fc, block.mlp.c_proj, block.attn.into, block.attn.out)
            assert {part.laid.dtype for part in parts} == {torch.bfloat16}


def test_the_exact_twin_differs_in_its_number_format_only(open_clip_folder: Path) -> None:
    fast = OpenClip(
        f"local-dir:{open_clip_folder}", None, ["a {}"], 5.0, "bfloat16", "gelu", "sigmoid"
    )
    twin = fast.exact()
    assert fast.fingerprint() | {"dtype": "float32"} == twin.fingerprint()
    assert (twin.precision, twin.link, twin.activation) == ("float32", "sigmoid", "gelu")


def test_more_texts_than_a_pass_holds_keep_their_order(
    open_clip_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = OpenClip(f"local-dir:{open_clip_folder}")
    scorer.load("cpu")
    names = ["cat", "dog", "red house"]
    whole = scorer.encode_texts(names).embeddings
    monkeypatch.setattr("oodexp.scorer.open_clip._TEXTS", 2)
    np.testing.assert_allclose(scorer.encode_texts(names).embeddings, whole, atol=1e-5)


def test_bfloat16_agrees_with_float32(open_clip_folder: Path, images: list[Image.Image]) -> None:
    import torch

    vectors = []
    for precision in ("float32", "bfloat16"):
        scorer = OpenClip(f"local-dir:{open_clip_folder}", precision=precision)
        scorer.load("cpu")
        pixels = torch.stack([scorer.preprocess(i) for i in images])
        vectors.append(scorer.encode_images(pixels))
        assert scorer.encode_texts(["cat"]).embeddings.dtype == np.float32
    assert vectors[1].dtype == torch.float32
    assert (vectors[0] * vectors[1]).sum(-1).min() > 0.999


def test_names_that_would_be_cut_are_listed(shared: Path, open_clip_folder: Path) -> None:
    case = shared / "cases" / "g14-long-names"
    named = {c["id"]: c["name"] for c in json.loads((case / "categories.json").read_text())}
    expected = json.loads((case / "expected.json").read_text())
    scorer = OpenClip(f"local-dir:{open_clip_folder}")
    scorer.load("cpu")
    with pytest.raises(OodexpError) as caught:
        scorer.encode_texts(list(named.values()))
    message = str(caught.value)
    cut = [named[i] for i in expected["flagged_too_long"]]
    equal = [[named[i] for i in g] for g in expected["names_that_become_the_same_prompt"]]
    assert f"would be cut: {cut}" in message
    assert f"the same tokens for the model: {equal}" in message


def test_a_name_that_just_fits_is_not_cut(open_clip_folder: Path) -> None:
    scorer = OpenClip(f"local-dir:{open_clip_folder}", templates=["{}"])
    scorer.load("cpu")
    scorer.encode_texts(["cat " * 74 + "dog", "dog"])
    with pytest.raises(OodexpError, match="would be cut"):
        scorer.encode_texts(["cat " * 75 + "dog", "dog"])


@pytest.mark.parametrize("model", ["ViT-B-32", "RN50-quickgelu"])
def test_an_architecture_without_weights_is_refused(model: str) -> None:
    with pytest.raises(OodexpError, match="random"):
        OpenClip(model)


def test_a_folder_with_a_tag_is_refused(open_clip_folder: Path) -> None:
    with pytest.raises(OodexpError, match="carry their own"):
        OpenClip(f"local-dir:{open_clip_folder}", pretrained="openai")


def test_a_folder_without_weights_is_refused(open_clip_folder: Path, tmp_path: Path) -> None:
    shutil.copy(open_clip_folder / "open_clip_config.json", tmp_path)
    scorer = OpenClip(f"local-dir:{tmp_path}")
    for step in (scorer.fingerprint, lambda: scorer.load("cpu")):
        with pytest.raises(OodexpError, match="no weight file"):
            step()


def test_a_tag_of_the_other_activation_is_refused_with_the_right_name() -> None:
    with pytest.raises(OodexpError, match="use 'ViT-B-32-quickgelu'"):
        OpenClip("ViT-B-32", "openai").fingerprint()


def test_a_folder_of_the_other_activation_is_refused(open_clip_folder: Path) -> None:
    with pytest.raises(OodexpError, match="builds gelu, but the setting `activation`"):
        OpenClip(f"local-dir:{open_clip_folder}", activation="quick_gelu").fingerprint()


def test_an_unknown_tag_is_refused_with_the_known_ones() -> None:
    with pytest.raises(OodexpError, match="openai"):
        OpenClip("ViT-B-32-quickgelu", "no-such-tag").fingerprint()


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(OodexpError, match="no architecture 'ViT-Q'"):
        OpenClip("ViT-Q", "openai").fingerprint()


def test_missing_weights_of_a_tag_are_named_with_the_remedy(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from open_clip import pretrained

    def offline(*_: Any, **__: Any) -> str:
        raise FileNotFoundError("offline")

    monkeypatch.setattr(pretrained, "download_pretrained", offline)
    with pytest.raises(OodexpError, match=r"ViT-B-32-quickgelu/openai.*where there is network"):
        OpenClip("ViT-B-32-quickgelu", "openai").fingerprint()


def test_a_file_under_a_plain_name_needs_its_activation(tiny_names: Path) -> None:
    with pytest.raises(OodexpError, match="activation=gelu or activation=quick_gelu"):
        OpenClip("oodexp-tiny", str(tiny_names)).fingerprint()


def test_a_file_whose_stated_activation_is_not_the_names_is_refused(tiny_names: Path) -> None:
    with pytest.raises(OodexpError, match="use 'oodexp-tiny-quickgelu'"):
        OpenClip("oodexp-tiny", str(tiny_names), activation="quick_gelu").fingerprint()
    with pytest.raises(OodexpError, match="use 'oodexp-tiny'"):
        OpenClip("oodexp-tiny-quickgelu", str(tiny_names), activation="gelu").fingerprint()


def test_activations_give_different_vectors_and_fingerprints(
    tiny_names: Path, images: list[Image.Image], shared: Path
) -> None:
    import torch

    case = json.loads((shared / "cases" / "g12-activation" / "expected.json").read_text())
    x = torch.tensor(case["x"], dtype=torch.float32)
    from open_clip.transformer import QuickGELU

    torch.testing.assert_close(QuickGELU()(x), torch.tensor(case["quick_gelu"]), atol=1e-5, rtol=0)
    plain = OpenClip("oodexp-tiny", str(tiny_names), activation="gelu")
    quick = OpenClip("oodexp-tiny-quickgelu", str(tiny_names))
    prints = [plain.fingerprint(), quick.fingerprint()]
    assert [p["activation"] for p in prints] == ["gelu", "quick_gelu"]
    assert prints[0]["weights"] == prints[1]["weights"]
    for scorer in (plain, quick):
        scorer.load("cpu")
    pixels = torch.stack([plain.preprocess(i) for i in images])
    assert not torch.allclose(plain.encode_images(pixels), quick.encode_images(pixels), atol=1e-4)


def test_an_openai_state_dict_tells_its_activation(tiny_names: Path, tmp_path: Path) -> None:
    import torch

    file = tmp_path / "openai.pt"
    torch.save({"input_resolution": torch.tensor(32), "a.weight": torch.zeros(2)}, file)
    with pytest.raises(OodexpError, match=r"the file openai.pt.*use 'oodexp-tiny-quickgelu'"):
        OpenClip("oodexp-tiny", str(file)).fingerprint()
    assert OpenClip("oodexp-tiny-quickgelu", str(file)).fingerprint()["activation"] == "quick_gelu"


def test_a_torchscript_archive_is_a_program_and_not_opened(
    tiny_names: Path, tmp_path: Path
) -> None:
    import torch

    file = tmp_path / "archive.pt"
    torch.jit.save(torch.jit.trace(torch.nn.Linear(2, 2), torch.zeros(1, 2)), file)
    scorer = OpenClip("oodexp-tiny", str(file))
    for step in (scorer.fingerprint, lambda: scorer.load("cpu")):
        with pytest.raises(OodexpError, match="a TorchScript archive, which is a program"):
            step()


@pytest.mark.parametrize(
    ("setting", "value"),
    [("templates", ["a drawing of a {}"]), ("scale", 50.0), ("precision", "bfloat16")],
)
def test_a_setting_changes_the_fingerprint(
    open_clip_folder: Path, setting: str, value: Any
) -> None:
    name = f"local-dir:{open_clip_folder}"
    assert OpenClip(name).fingerprint() != OpenClip(name, **{setting: value}).fingerprint()


def test_other_weights_or_preprocessing_change_the_fingerprint(
    open_clip_folder: Path, tmp_path: Path
) -> None:
    before = OpenClip(f"local-dir:{open_clip_folder}").fingerprint()
    copy = tmp_path / "copy"
    shutil.copytree(open_clip_folder, copy)
    assert OpenClip(f"local-dir:{copy}").fingerprint() == before
    weights = copy / "open_clip_model.safetensors"
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    changed = OpenClip(f"local-dir:{copy}").fingerprint()
    assert changed["weights"] != before["weights"]
    described = json.loads((copy / "open_clip_config.json").read_text())
    described["preprocess_cfg"]["interpolation"] = "bilinear"
    (copy / "open_clip_config.json").write_text(json.dumps(described))
    after = OpenClip(f"local-dir:{copy}").fingerprint()
    assert after["preprocessing"] != changed["preprocessing"]
