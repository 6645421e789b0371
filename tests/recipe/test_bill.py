"""What asking will take, counted by hand."""

from __future__ import annotations

import pandas as pd
import pytest

from oodexp import table
from oodexp.recipe.bill import bound, estimate
from oodexp.record import Completion, Estimate
from oodexp.report.bill import show_bill
from oodexp.vlm.base import Tariff

PRICED = Tariff(max_tokens=16, image_tokens=765, prompt_price=5.0, completion_price=15.0)
NOTHING = table.frame(Completion)


def to_ask(*rows: tuple[str, str, int | None]) -> pd.DataFrame:
    frame = pd.DataFrame(list(rows), columns=["image_id", "prompt", "max_tokens"])
    return frame.astype({"max_tokens": "Int64"})


def stored(*rows: tuple[int | None, int | None, float]) -> pd.DataFrame:
    return table.frame(
        Completion,
        [Completion("m", str(n), "Yes", "ok", None, new, seconds, prompt)
         for n, (new, prompt, seconds) in enumerate(rows)],
    )  # fmt: skip


def test_before_the_first_answer_prompts_are_counted_by_letters_and_images():
    asked = to_ask(("1", "x" * 40, None), ("1", "x" * 41, None), ("2", "x", 100))
    found = estimate("m", "s", asked, NOTHING, PRICED)
    assert found.prompt_tokens == (10 + 11 + 1) + 3 * 10 + 3 * 765
    assert found.most_tokens == 16 + 16 + 100
    assert found.most_cost == pytest.approx((found.prompt_tokens * 5 + 132 * 15) / 1e6)
    assert (found.new_tokens, found.cost, found.seconds) == (None, None, None)
    assert (found.questions, found.stored, found.images) == (3, 0, 2)
    assert found.basis == "4 characters a token, 765 tokens an image"


def test_stored_answers_tell_what_the_others_will_take():
    found = estimate(
        "m", "s", to_ask(("1", "x", None), ("2", "x", None)),
        stored((2, 800, 1.0), (4, 900, 2.0), (None, None, 3.0)), PRICED,
    )  # fmt: skip
    assert found.prompt_tokens == 2 * 850
    assert found.new_tokens == 2 * 3
    assert found.seconds == pytest.approx(2 * 2.0)
    assert found.cost == pytest.approx((1700 * 5 + 6 * 15) / 1e6)
    assert (found.questions, found.stored) == (5, 3)


def test_all_stored_costs_nothing():
    found = estimate("m", "s", to_ask(), stored((2, 800, 1.0)), PRICED)
    assert (found.prompt_tokens, found.cost, found.most_cost, found.seconds) == (0, 0, 0, 0)


def test_a_local_model_costs_no_money_and_an_unknown_limit_is_no_number():
    found = estimate("m", "s", to_ask(("1", "x", None)), NOTHING, None)
    assert (found.most_cost, found.most_tokens, found.prompt_tokens) == (0, None, None)


def test_a_price_without_a_size_is_not_guessed():
    tariff = Tariff(max_tokens=16, prompt_price=5.0, completion_price=15.0)
    assert estimate("m", "s", to_ask(("1", "x", None)), NOTHING, tariff).most_cost is None


def test_the_caps_bound_what_can_be_asked():
    found = bound("m", "coco", 18_000, PRICED)
    assert found.questions == 18_000
    assert found.most_tokens == 18_000 * 16
    longest = len("Does this image not contain a " + "x" * 45 + "? (yes or no)") / 4
    assert found.prompt_tokens >= 18_000 * (765 + longest)


def test_the_bill_prints_its_total_and_says_what_is_unknown(capsys):
    rows = [bound("paid", "coco", 1000, PRICED), estimate("m", "s", to_ask(("1", "x", None)),
            NOTHING, Tariff(16, None, 5.0, 15.0))]  # fmt: skip
    show_bill(table.frame(Estimate, rows))
    out = capsys.readouterr().out
    assert "1 rows of unknown cost" in out
    assert f"{rows[0].most_cost:,.2f}" in out
