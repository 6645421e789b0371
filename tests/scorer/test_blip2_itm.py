"""BLIP-2's matching head: the model's own probability, the image seen once, the cells asked for."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from oodexp.error import OodexpError
from oodexp.scorer.base import Pairwise
from oodexp.scorer.blip2_itm import Blip2Itm

CATEGORIES = ["cat", "big red house", "dog", "tree"]


def loaded(folder: Path, **settings: Any) -> Blip2Itm:
    head = Blip2Itm(str(folder), **settings)
    head.load("cpu")
    return head


def pixels_of(head: Blip2Itm, images: list[Image.Image]) -> Any:
    import torch

    return torch.stack([head.preprocess(image) for image in images])


def own_probabilities(folder: Path, pixels: Any, texts: list[str]) -> np.ndarray:
    """P(match) of the class's own forward, each image with each text, (image, text)."""
    import torch
    from transformers import AutoTokenizer, Blip2ForImageTextRetrieval

    net = Blip2ForImageTextRetrieval.from_pretrained(folder).eval()
    tokens = AutoTokenizer.from_pretrained(folder)(
        texts, padding=True, padding_side="right", return_tensors="pt"
    )
    rows = []
    for image in pixels:
        with torch.no_grad():
            found = net(
                pixel_values=image.expand(len(texts), -1, -1, -1),
                input_ids=tokens.input_ids,
                attention_mask=tokens.attention_mask,
                use_image_text_matching_head=True,
            ).logits_per_image
        rows.append(found.softmax(1)[:, 1].numpy())
    return np.stack(rows)


def test_the_sigmoid_of_a_logit_is_the_models_own_probability(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    head = loaded(blip2_folder)
    pixels = pixels_of(head, images)
    ours = 1 / (1 + np.exp(-head.pair_logits(pixels, CATEGORIES).numpy()))
    own = own_probabilities(blip2_folder, pixels, [f"a photo of a {c}" for c in CATEGORIES])
    assert np.ptp(own, axis=0).min() > 1e-4
    assert np.ptp(own, axis=1).min() > 1e-4
    np.testing.assert_allclose(ours, own, atol=1e-6)


def test_the_probabilities_of_several_templates_are_averaged(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    head = loaded(blip2_folder, templates=["a photo of a {}", "the {}"])
    pixels = pixels_of(head, images)
    ours = 1 / (1 + np.exp(-head.pair_logits(pixels, CATEGORIES).numpy()))
    parts = [
        own_probabilities(blip2_folder, pixels, [t.format(c) for c in CATEGORIES])
        for t in ("a photo of a {}", "the {}")
    ]
    np.testing.assert_allclose(ours, np.mean(parts, axis=0), atol=1e-6)


def test_a_cell_scores_the_same_alone_and_among_all(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    head = loaded(blip2_folder)
    many = pixels_of(head, images).repeat(13, 1, 1, 1)[:64]
    whole = head.pair_logits(many, CATEGORIES).numpy()
    for row, column in ((0, 0), (3, 1), (63, 3)):
        alone = head.pair_logits(many[row : row + 1], [CATEGORIES[column]]).numpy()
        np.testing.assert_allclose(alone[0, 0], whole[row, column], atol=1e-5)


def test_only_the_cells_asked_for_are_scored_and_each_image_is_seen_once(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    import torch

    head = loaded(blip2_folder)
    pixels = pixels_of(head, images)
    whole = head.pair_logits(pixels, CATEGORIES)
    seen, read = [], []
    net = head._model.net
    net.vision_model.register_forward_hook(
        lambda _, __, kwargs, ___: seen.append(len(kwargs["pixel_values"])), with_kwargs=True
    )
    net.qformer.register_forward_hook(
        lambda _, __, kwargs, ___: read.append(len(kwargs["query_embeds"])), with_kwargs=True
    )
    asked = torch.tensor([[1, 0, 0, 1], [0, 0, 0, 0], [0, 1, 0, 0], [0, 0, 0, 0], [1, 1, 1, 1]])
    part = head.pair_logits(pixels, CATEGORIES, asked.bool())
    assert (seen, read) == ([3], [2, 1, 4])
    assert torch.equal(part.isnan(), asked == 0)
    torch.testing.assert_close(part[asked.bool()], whole[asked.bool()], atol=1e-5, rtol=0)


def test_no_cell_asked_for_runs_no_model(blip2_folder: Path, images: list[Image.Image]) -> None:
    import torch

    head = loaded(blip2_folder)
    pixels = pixels_of(head, images)
    head._model.net = None
    asked = torch.zeros(len(images), len(CATEGORIES), dtype=torch.bool)
    assert head.pair_logits(pixels, CATEGORIES, asked).isnan().all()


def test_cells_of_another_shape_are_refused(blip2_folder: Path, images: list[Image.Image]) -> None:
    import torch

    head = loaded(blip2_folder)
    with pytest.raises(OodexpError, match=r"\(4, 5\); expected \(5, 4\)"):
        head.pair_logits(pixels_of(head, images), CATEGORIES, torch.ones(4, 5, dtype=torch.bool))


def test_more_texts_than_a_pass_holds_keep_their_order(
    blip2_folder: Path, images: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    head = loaded(blip2_folder)
    pixels = pixels_of(head, images)
    whole = head.pair_logits(pixels, CATEGORIES)
    monkeypatch.setattr("oodexp.scorer.blip2_itm._TEXTS", 3)
    np.testing.assert_allclose(head.pair_logits(pixels, CATEGORIES), whole, atol=1e-5)


def test_a_damaged_image_loses_its_own_row_only(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    head = loaded(blip2_folder)
    pixels = pixels_of(head, images)
    pixels[1] = np.nan
    found = head.pair_logits(pixels, CATEGORIES)
    assert found.isnan().any(1).tolist() == [False, True, False, False, False]


def test_over_a_list_its_vectors_are_rows_of_logits(
    blip2_folder: Path, images: list[Image.Image]
) -> None:
    head = Blip2Itm(str(blip2_folder))
    assert isinstance(head, Pairwise)
    rows = pickle.loads(pickle.dumps(head.over(CATEGORIES)))  # as a spawned process gets it
    text = json.dumps(rows.fingerprint(), sort_keys=True)
    rows.load("cpu")
    assert json.dumps(rows.fingerprint(), sort_keys=True) == text
    assert rows.link == "sigmoid"
    pixels = pixels_of(rows, images)
    bank = rows.encode_texts(CATEGORIES)
    logits = rows.logits(rows.encode_images(pixels).numpy(), bank)
    assert logits.dtype == np.float32
    np.testing.assert_array_equal(logits, loaded(blip2_folder).pair_logits(pixels, CATEGORIES))


def test_the_categories_and_their_order_are_part_of_the_fingerprint(blip2_folder: Path) -> None:
    head = Blip2Itm(str(blip2_folder))
    prints = [head.over(c).fingerprint() for c in (CATEGORIES, CATEGORIES[::-1], CATEGORIES[:2])]
    assert [p["categories"] for p in prints] == [CATEGORIES, CATEGORIES[::-1], CATEGORIES[:2]]
    assert "categories" not in head.fingerprint()


def test_two_lists_load_the_weights_once(
    blip2_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from transformers import Blip2ForImageTextRetrieval

    loads: list[Path] = []
    real: Callable[..., Any] = Blip2ForImageTextRetrieval.from_pretrained

    def counted(folder: Path, **kwargs: Any) -> Any:
        loads.append(folder)
        return real(folder, **kwargs)

    monkeypatch.setattr(Blip2ForImageTextRetrieval, "from_pretrained", counted)
    head = Blip2Itm(str(blip2_folder))
    for categories in (CATEGORIES, CATEGORIES[:2]):
        head.over(categories).load("cpu")
    assert len(loads) == 1


def test_names_that_the_model_cannot_tell_apart_are_refused(blip2_folder: Path) -> None:
    names = ["zebra", "cat", "giraffe"]
    rows = Blip2Itm(str(blip2_folder)).over(names)
    rows.load("cpu")
    with pytest.raises(OodexpError, match=r"same tokens for the model: \[\['zebra', 'giraffe'\]\]"):
        rows.encode_texts(names)


def test_bfloat16_runs_the_vision_tower_only(blip2_folder: Path, images: list[Image.Image]) -> None:
    import torch

    exact, fast = (loaded(blip2_folder, precision=p) for p in ("float32", "bfloat16"))
    kinds = {n.split(".")[0]: p.dtype for n, p in fast._model.net.named_parameters()}
    assert kinds.pop("vision_model") == torch.bfloat16
    assert set(kinds.values()) == {torch.float32}
    one, other = (h.pair_logits(pixels_of(h, images), CATEGORIES) for h in (exact, fast))
    assert other.dtype == torch.float32
    np.testing.assert_allclose(one, other, atol=0.05)
    assert not torch.equal(one, other)
    assert fast.exact().fingerprint() == exact.fingerprint()


def test_a_link_that_is_none_is_refused() -> None:
    with pytest.raises(OodexpError, match="link 'odds': expected `softmax` or `sigmoid`"):
        Blip2Itm("some/model", link="odds")  # type: ignore[arg-type]
