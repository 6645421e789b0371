"""The table of polling as a person reads it."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from oodexp import table
from oodexp.record import SPLITS, Measurement
from oodexp.report.layout import PIPE_WIDTH
from oodexp.report.polling import sections

STRATEGIES = ("random", "popular", "adversarial")


def measured(vlm="fastvlm_miniature", share=0.95, splits=SPLITS, ends=(0.111, 0.888)):
    """Values that tell VLM, split, strategy and metric apart."""
    rows = []

    def add(split, contrast, group, metric, value):
        reason = "the interval of the drop contains 0" if value is None else None
        told = (None, None) if value is None else ends
        rows.append(
            Measurement(vlm, "polling", "pooled", split, contrast, f"strategy: {group}", "headline",
                        metric, value, *told, 5012, 17, 805, reason)
        )  # fmt: skip

    for s, split in enumerate(splits):
        add(split, "none", "present", "miss_rate", 0.1 + s / 10)
        for n, strategy in enumerate(STRATEGIES):
            for m, metric in enumerate(("invention_rate", "accuracy")):
                add(split, "none", strategy, metric, 0.5 + s / 10 + n / 100 + m / 1000)
            for metric, value in (("f1", 0.881), ("yes_ratio", 0.442)):
                add(split, "none", f"{strategy}, as POPE asks", metric, value)
            if s:
                add(split, "ID", strategy, "accuracy", 0.3)
                add(split, "ID", strategy, "drop_by_missing", 0.285)
                add(split, "ID", strategy, "drop_by_inventing", 0.015)
                add(split, "ID", strategy, "missing_share", share)
    return table.frame(Measurement, rows)


def shown(measurements, width=PIPE_WIDTH):
    screen = Console(width=width, file=io.StringIO())
    for section in sections("polling", measurements):
        screen.print(section)
    return screen.file.getvalue()


def cells(text, name):
    """The rows of a name, cell by cell."""
    lines = [line.strip("│ ").split("│") for line in text.splitlines() if line.startswith("│")]
    return [[c.strip() for c in line] for line in lines if line[0].strip() == name]


def test_every_value_stands_in_its_row_and_no_number_is_folded():
    text = shown(measured())
    assert [r[1] for s in SPLITS for r in cells(text, s)] == ["10.0", "20.0", "30.0"]
    first, second, third = cells(text, "adversarial")
    assert first[2:] == ["52.0", "52.1", "", "", "", "88.1", "5012"]
    assert second[2:] == ["62.0", "62.1", "30.0", "28.5 (95 %)", "1.5", "88.1", "5012"]
    assert third[2:4] == ["72.0", "72.1"]
    assert text.count("11.1..88.8") == 3 + 3 * 6 + 6 * 3  # missed, two rates, three of a drop
    assert text.count(" 44.2 ") == text.count(" 17 ") == 9


def test_a_share_that_is_unknown_is_left_out():
    assert cells(shown(measured(share=None)), "random")[1][5] == "28.5"


def test_the_table_is_no_wider_than_a_pipe():
    text = shown(measured("a_rather_long_name"))
    assert max(map(len, text.splitlines())) <= PIPE_WIDTH
    assert "a_rather_long_name" in text
    widest = shown(measured("a_rather_long_name", ends=(-0.999, 0.999)))
    assert max(map(len, widest.splitlines())) <= PIPE_WIDTH
    assert widest.count("-99.9..99.9") == text.count("11.1..88.8")


def test_every_vlm_has_its_rows():
    both = table.concat(Measurement, [measured("one"), measured("two")])
    text = shown(both)
    assert len(cells(text, "one")) == len(cells(text, "two")) == 1
    assert len(cells(text, "popular")) == 6


@pytest.mark.parametrize("splits", [("ID",), ("ID", "OOD-H")])
def test_a_split_without_pairs_has_no_rows(splits):
    text = shown(measured(splits=splits))
    assert len(cells(text, "random")) == len(splits)
    assert cells(text, "OOD-S") == []
