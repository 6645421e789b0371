"""Part names that may be left out on the command line."""

from __future__ import annotations

import pytest

from oodexp.short import groups, lengthen


def written_out(*arguments: str, chosen: dict[str, list[str]] | None = None) -> list[str]:
    names = {key: ["c"] for key in groups()} | {"source": ["coco"], "scorer": ["a", "b"]}
    names |= {"vlm": ["x"]} | (chosen or {})
    return lengthen(arguments, lambda _: {k: dict.fromkeys(v) for k, v in names.items()})


def test_the_groups_of_several_parts_are_known():
    of_evidence = ["corpus", "evidence", "feature", "train"]
    of_concepts = ["common", "rare", "negative"]
    assert set(groups()) == {"source", "scorer", "vlm", "export", *of_evidence, *of_concepts}


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("source.images=DIR", "source.coco.images=DIR"),
        ("source.coco.images=DIR", "source.coco.images=DIR"),
        ("+source.labels.car=auto", "+source.coco.labels.car=auto"),
        ("++vlm.seed=1", "++vlm.x.seed=1"),
        ("~vlm.seed", "~vlm.x.seed"),
        ("division.cap=1", "division.cap=1"),
        ("source=coco", "source=coco"),
        ("source.images=a.b=c", "source.coco.images=a.b=c"),
        ("source.misspelt", "source.coco.misspelt"),
    ],
)
def test_the_name_of_a_lone_part_may_be_left_out(given, meant):
    assert written_out(given) == [meant]


def test_with_several_parts_nothing_is_guessed():
    assert written_out("scorer.scale=1") == ["scorer.scale=1"]


def test_nothing_is_composed_when_every_name_is_there():
    def refuse(_: list[str]) -> dict[str, object]:
        raise AssertionError("composed for nothing")

    line = ["experiment=main", "source=coco", "division.threshold=0.1", "--multirun"]
    assert lengthen(line, refuse) == line


def test_only_choices_decide_which_parts_there_are():
    asked: list[list[str]] = []

    def compose(overrides: list[str]) -> dict[str, dict[str, None]]:
        asked.append(overrides)
        return {key: {} for key in groups()} | {"source": {"coco": None}}

    line = ["source=coco", "source@train=lvis", "source.images=a", "division.cap=1"]
    lengthen([*line, "experiment=inspect"], compose)
    assert asked == [["source=coco", "source@train=lvis", "experiment=inspect"]]


def test_a_choice_that_cannot_be_composed_is_left_to_the_check():
    def broken(_: list[str]) -> dict[str, object]:
        raise ValueError("no such choice")

    assert lengthen(["source=cooc", "source.images=a"], broken) == [
        "source=cooc",
        "source.images=a",
    ]


@pytest.mark.parametrize("node", [None, 1.5, "x", ["coco"], {}])
def test_a_group_that_holds_no_parts_is_left_to_the_check(node):
    for config in ({"source": node, "vlm": {"x": None}}, {"vlm": {"x": None}}):
        line = ["source=1", "source.images=a", "vlm.seed=1"]
        said = lengthen(line, lambda _, config=config: config)
        assert said == ["source=1", "source.images=a", "vlm.x.seed=1"]
