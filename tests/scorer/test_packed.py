"""Packed blocks give the vectors of plain ones."""

from __future__ import annotations

import pytest
import torch

from oodexp.scorer.packed import pack, ready


def models(kind: str):
    """The same random model twice, plain and packed."""
    from open_clip import CLIP

    from tests.scorer.conftest import OPEN_CLIP

    torch.manual_seed(3)
    plain = CLIP(**OPEN_CLIP, quick_gelu=kind == "quick").eval()
    other = CLIP(**OPEN_CLIP, quick_gelu=kind == "quick").eval()
    other.load_state_dict(plain.state_dict())
    return plain, other


@pytest.mark.parametrize("kind", ["gelu", "quick"])
@pytest.mark.parametrize(("dtype", "bound"), [(torch.float32, 1e-6), (torch.bfloat16, 1e-2)])
@torch.inference_mode()
def test_vectors_are_those_of_the_plain_model_in_float32(kind, dtype, bound):
    plain, packed = models(kind)
    assert ready(packed, dtype) == torch.float32
    images, texts = torch.randn(5, 3, 32, 32), torch.randint(1, 49000, (7, 77))
    for give, what in (("encode_image", images), ("encode_text", texts)):
        want, have = (getattr(net, give)(what, normalize=True) for net in (plain, packed))
        assert have.dtype == torch.float32
        torch.testing.assert_close(have, want, rtol=0, atol=bound)


@torch.inference_mode()
def test_packed_bfloat16_is_closer_to_float32_than_a_model_of_bfloat16():
    plain, packed = models("gelu")
    rounded = models("gelu")[0].to(torch.bfloat16)
    ready(packed, torch.bfloat16)
    images = torch.randn(64, 3, 32, 32)
    want = plain.encode_image(images, normalize=True)
    mine = packed.encode_image(images, normalize=True)
    other = rounded.encode_image(images.bfloat16(), normalize=True).float()
    assert (mine - want).norm() < 0.8 * (other - want).norm()


def test_every_block_of_both_towers_is_packed():
    _, net = models("gelu")
    assert pack(net, torch.float32) == 4
    assert pack(net, torch.float32) == 0


def test_what_cannot_be_packed_is_converted_as_a_whole():
    _, net = models("gelu")
    for block in [*net.visual.transformer.resblocks, *net.transformer.resblocks]:
        block.ln_1_kv = torch.nn.Identity()  # as in a block that looks at something else
    assert ready(net, torch.bfloat16) == torch.bfloat16
    kinds = {name: p.dtype for name, p in net.named_parameters()}
    assert set(kinds.values()) == {torch.bfloat16}


@torch.inference_mode()
def test_a_text_attends_to_nothing_after_it():
    _, packed = models("gelu")
    ready(packed, torch.float32)
    texts = torch.randint(1, 49000, (1, 77))
    texts[0, 10] = 49407  # the end token, whose vector is the text's
    other = texts.clone()
    other[0, 11:] = 5
    torch.testing.assert_close(
        packed.encode_text(texts), packed.encode_text(other), rtol=0, atol=1e-6
    )


def test_what_is_no_plain_block_of_open_clip_is_left_alone():
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.MultiheadAttention(4, 2))
    assert pack(net, torch.float32) == 0
    assert isinstance(net[0], torch.nn.Linear)
