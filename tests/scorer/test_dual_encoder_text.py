"""What dual encoders make of category names: width, cleaning, length, templates."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from tests.scorer.families import loaded, logits_of

CATEGORIES = ["cat", "big red house", "dog"]


@pytest.mark.parametrize("name", ["siglip", "siglip2"])
def test_every_siglip_text_has_the_trained_width(
    name: str, shared: Path, folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    prompts = json.loads((shared / "cases" / "g13-siglip-width" / "prompts.json").read_text())
    scorer = loaded(folders(name), templates=["{}"])
    assert [scorer.tokens([p])["input_ids"].shape[1] for p in prompts] == [64, 64]
    assert set(scorer.tokens(prompts)) == {"input_ids"}
    alone, pair = (logits_of(scorer, images, p) for p in (prompts[:1], prompts))
    np.testing.assert_allclose(alone[:, 0], pair[:, 0], atol=1e-5)


def test_padding_to_the_longest_would_have_changed_a_siglip_score(
    folders: Callable[[str], Path], images: list[Image.Image]
) -> None:
    wide, narrow = (
        logits_of(loaded(folders("siglip"), text_length=n), images, CATEGORIES) for n in (64, 9)
    )
    assert np.abs(wide - narrow).max() > 1e-2


@pytest.mark.parametrize("name", ["siglip", "siglip2"])
def test_siglip_texts_are_canonical(name: str, folders: Callable[[str], Path]) -> None:
    scorer = loaded(folders(name))
    plain, odd = (scorer.encode_texts([c]).embeddings for c in ("big red house", "Big_RED  house!"))
    np.testing.assert_array_equal(plain, odd)


def test_canonical_text_is_a_setting(folders: Callable[[str], Path]) -> None:
    scorer = loaded(folders("siglip"), clean="as_is")
    texts = [scorer.encode_texts([c]).embeddings for c in ("big red house", "big RED house")]
    assert not np.allclose(*texts, atol=1e-3)


def test_names_that_canonical_text_makes_equal_are_refused(folders: Callable[[str], Path]) -> None:
    with pytest.raises(
        OodexpError, match=r"same tokens for the model: \[\['red car', 'Red- car'\]\]"
    ):
        loaded(folders("siglip")).encode_texts(["red car", "Red- car", "dog"])


@pytest.mark.parametrize("name", ["clip", "groupvit"])
def test_names_that_would_be_cut_are_listed(
    name: str, shared: Path, folders: Callable[[str], Path]
) -> None:
    case = shared / "cases" / "g14-long-names"
    named = {c["id"]: c["name"] for c in json.loads((case / "categories.json").read_text())}
    expected = json.loads((case / "expected.json").read_text())
    with pytest.raises(OodexpError) as caught:
        loaded(folders(name)).encode_texts(list(named.values()))
    cut = [named[i] for i in expected["flagged_too_long"]]
    assert f"longer than the model's {expected['clip_context']} tokens" in str(caught.value)
    assert f"would be cut: {cut}" in str(caught.value)


@pytest.mark.parametrize(("name", "limit"), [("siglip", 64), ("align", 64), ("clip", 77)])
def test_the_longest_text_that_fits_is_the_trained_one(
    name: str, limit: int, folders: Callable[[str], Path]
) -> None:
    marks = 1 if name == "siglip" else 2
    scorer = loaded(folders(name), templates=["{}"])
    fits = " ".join(["cat"] * (limit - marks))
    scorer.encode_texts([fits])
    with pytest.raises(OodexpError, match=f"{limit} tokens and would be cut"):
        scorer.encode_texts([fits + " dog"])


def test_templates_are_averaged_as_directions(folders: Callable[[str], Path]) -> None:
    templates = ["a photo of a {}", "a drawing of the {}"]
    parts = [loaded(folders("clip"), templates=[t]).encode_texts(["cat"]) for t in templates]
    mean = sum(part.embeddings[0] for part in parts)
    both = loaded(folders("clip"), templates=templates).encode_texts(["cat"]).embeddings[0]
    np.testing.assert_allclose(both, mean / np.linalg.norm(mean), atol=1e-5)


def test_more_texts_than_a_pass_holds_keep_their_order(
    folders: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    scorer = loaded(folders("clip"))
    whole = scorer.encode_texts(CATEGORIES).embeddings
    monkeypatch.setattr("oodexp.scorer.dual_encoder._TEXTS", 2)
    np.testing.assert_allclose(scorer.encode_texts(CATEGORIES).embeddings, whole, atol=1e-5)
