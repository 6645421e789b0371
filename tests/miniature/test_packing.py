"""Several questions in one sequence."""

from __future__ import annotations

import numpy as np
import pytest

from oodexp.miniature.packing import pack
from oodexp.miniature.quiz import CONTAIN, COUNT, Ask

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture
def encode():
    from oodexp.miniature.vocabulary import make_tokenizer

    tokenizer = make_tokenizer("chat", 256)
    return lambda text: tokenizer(text, add_special_tokens=False)["input_ids"]


def _states(model, pixels, packed):
    import torch

    with torch.no_grad():
        states = model.model(
            input_ids=packed.ids,
            pixel_values=pixels,
            attention_mask=packed.mask,
            position_ids=packed.positions,
            use_cache=False,
        ).last_hidden_state
    return torch.gather(states, 1, packed.heads[..., None].expand(-1, -1, states.shape[-1]))


def test_packed_questions_are_read_as_if_each_stood_alone(encode):
    import torch

    from oodexp.miniature.fastvlm import fresh_model

    torch.manual_seed(0)
    model = fresh_model().eval()
    pixels = torch.rand(1, 3, 64, 64) * 2 - 1
    asks = [Ask(CONTAIN.format("car"), "yes"), Ask(COUNT.format("fish"), "2"), Ask("so?", "no")]
    together = _states(model, pixels, pack([asks], encode))[0]
    alone = torch.cat([_states(model, pixels, pack([[one]], encode))[0] for one in asks])
    np.testing.assert_allclose(together.numpy(), alone.numpy(), atol=1e-5)


def test_targets_are_the_answer_and_then_the_end(encode):
    from oodexp.miniature.vocabulary import words

    packed = pack([[Ask("how many car", "3"), Ask("is it", "no")]], encode)
    assert [words()[i] for i in packed.targets[0]] == ["3", "<end>", "no", "<end>"]


def test_the_answer_is_predicted_from_the_word_assistant(encode):
    from oodexp.miniature.vocabulary import words

    packed = pack([[Ask("how many car", "3")], [Ask("is the car in it now", "no")]], encode)
    for row in range(2):
        assert words()[packed.ids[row, packed.heads[row, 0]]] == "assistant"
