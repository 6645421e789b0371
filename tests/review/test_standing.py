"""Which verdicts stand: against a plain list of what each rater sees."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from oodexp.review.standing import UNDO, VERDICT, last_of, standing


def line(kind: str, rater: str, image: str, verdict: str = "yes", **more: Any) -> dict[str, Any]:
    pair = {"source": "s", "image_id": image, "category": "dog"}
    return {"kind": kind, "rater": rater, **pair, "verdict": verdict, **more}


def stands(lines: list[dict[str, Any]]) -> dict[tuple[str, str], str]:
    return {(one["rater"], one["image_id"]): one["verdict"] for one in standing(lines).rows}


def test_the_last_line_on_a_pair_holds() -> None:
    lines = [line(VERDICT, "ann", "1", "yes"), line(VERDICT, "ann", "1", "no")]
    assert stands(lines) == {("ann", "1"): "no"}
    assert len(standing(lines).table) == 1


def test_an_undo_brings_the_verdict_before_back_and_then_none() -> None:
    lines = [line(VERDICT, "ann", "1", "yes"), line(VERDICT, "ann", "1", "no")]
    lines.append(line(UNDO, "ann", "1"))
    assert stands(lines) == {("ann", "1"): "yes"}
    assert stands([*lines, line(UNDO, "ann", "1")]) == {}
    assert stands([*lines, line(UNDO, "ann", "1"), line(UNDO, "ann", "1")]) == {}


def test_raters_and_pairs_do_not_touch_one_another() -> None:
    lines = [line(VERDICT, "ann", "1"), line(VERDICT, "ben", "1", "no"), line(UNDO, "ann", "1")]
    assert stands(lines) == {("ben", "1"): "no"}


def test_what_an_undo_takes_back_is_the_last_that_stands() -> None:
    lines = [line(VERDICT, "ann", "1"), line(VERDICT, "ann", "2"), line(VERDICT, "ben", "3")]
    assert last_of(lines, "ann")["image_id"] == "2"
    assert last_of([*lines, line(UNDO, "ann", "2")], "ann")["image_id"] == "1"
    assert last_of([], "ann") is None


def test_lines_that_say_nothing_are_named() -> None:
    lines = [
        line(VERDICT, "ann", "1", "maybe"), line("guess", "ann", "1"), line(VERDICT, "", "1"),
        line(VERDICT, "ann", "1", reason="bad light"), line(VERDICT, "a\x1b[2J", "1"),
        line(VERDICT, "ann", "1", seconds="1"), line(VERDICT, "ann", "1", seconds=float("nan")),
        line(VERDICT, "ann", "1", seconds=-1), line(VERDICT, "ann", "1", note=["n"]),
    ]  # fmt: skip
    held = standing(lines)
    assert held.rows == []
    whys = [why for _, why in held.refused]
    assert [why.partition("=")[0] for why in whys] == [
        "verdict", "kind", "rater", "reason", "rater", "seconds", "seconds", "seconds", "note",
    ]  # fmt: skip


steps = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from(["undo", "1", "2", "3"]),
              st.sampled_from(["yes", "no"])),
    max_size=25,
)  # fmt: skip


@given(steps)
def test_any_row_of_keys_leaves_what_a_person_would_expect(keys: list[tuple[str, str, str]]):
    lines: list[dict[str, Any]] = []
    seen: dict[str, list[tuple[str, str]]] = {"a": [], "b": []}
    for rater, what, verdict in keys:
        if what == "undo":
            last = last_of(lines, rater)
            if last is not None:
                lines.append(line(UNDO, rater, last["image_id"]))
                # The last of the pairs as they stand, in the order of their last verdicts.
                at = max(n for n, (image, _) in enumerate(seen[rater]) if image == last["image_id"])
                del seen[rater][at]
        else:
            lines.append(line(VERDICT, rater, what, verdict))
            seen[rater].append((what, verdict))
    expected = {(r, image): verdict for r, said in seen.items() for image, verdict in said}
    assert stands(lines) == expected
