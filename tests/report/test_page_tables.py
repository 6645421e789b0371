"""Numbers of the report page against the tables they come from."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from oodexp import record, table
from oodexp.record import SPLITS
from oodexp.report.page import page
from oodexp.report.page_chart import histogram
from oodexp.report.page_measure import sheets
from oodexp.report.page_sentence import sentences
from oodexp.report.page_sheet import percent, written
from tests.report.page_run import META, Tree, cells, make_tables, no_picture


@pytest.fixture(scope="module")
def tables():
    return make_tables()


@pytest.fixture(scope="module")
def text(tables):
    return page(tables, META, no_picture, {})


def test_every_pooled_value_stands_in_the_row_of_its_vlm_and_split(tables, text):
    found = cells(text)
    for row in tables["measurements"].query("convention == 'headline'").to_dict("records"):
        if row["metric"] != "accuracy" and (row["source"] != "pooled" or row["group"] != "all"):
            continue
        vlm = row["vlm"].replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        cell = written(row)
        mine = [line for line in found if line and line[0] == vlm]
        if cell.text == "undefined":
            assert any("no &lt;question&gt; was asked" in c for line in mine for c in line)
        else:
            want = re.compile(re.escape(cell.text) + r"( \(n = 1,234\))?\|" + re.escape(cell.below))
            assert any(want.fullmatch(c) for line in mine for c in line), row


def test_the_split_s_accuracy_is_in_the_split_s_own_row(tables, text):
    first = tables["measurements"].query(
        "vlm == 'strong' and source == 'pooled' and group == 'all' and split == 'OOD-H'"
        " and contrast == 'none' and convention == 'headline' and metric == 'accuracy'"
    )
    row = next(line for line in cells(text) if line[:2] == ["strong", "OOD-H"])
    assert row[2].split("|")[0] == percent(first["value"].item())
    assert row[-3:] == ["1,234", "17", "605"]


def test_accuracy_by_category_is_that_of_a_plain_loop_over_drawn_pairs(tables, text):
    drawn = {
        (m.image_id, m.category): m.split for m in tables["memberships"].itertuples() if m.drawn
    }
    asked = {q.question_id: q for q in tables["questions"].itertuples()}
    right, n = 0, 0
    for a in tables["answers"].itertuples():
        q = asked[a.question_id]
        key = (q.image_id, q.category)
        if a.vlm == "strong" and a.reader == "yes_no" and key in drawn and q.category == "chair":
            assert drawn[key] == "ID"
            right, n = right + a.correct, n + 1
    row = next(line for line in cells(text) if line and line[0] == "chair")
    assert row[1] == f"{100 * right / n:.1f}|n = {n}"
    assert n == 6  # of four images one chair was not drawn
    assert row[4] == "-|not in both splits"


def test_sizes_of_the_splits_are_those_of_the_memberships(tables, text):
    row = next(line for line in cells(text) if line[:2] == ["src", "ID"])
    assert row[2:] == ["4", "33.3", "3", "3"]


def test_findings_and_trials_are_shown_where_a_run_has_them(tables):
    finding = record.Finding(
        "overlap", "coco", "claim <x>", "null", "share", 0.0123, 0.01, 0.0212, 0.95, None, 0.0005,
        0.0005, 10, 4, 1999, 0, "holds", "it holds & stands", "nothing", None,
    )  # fmt: skip
    trial = record.Trial("T<hresh>", 0, "T=0.05", "{}", "{}", "complete", True, "r", None)
    value = record.TrialValue("T<hresh>", 0, "weak", "OOD-H", "none", "own", "accuracy", 0.4321,
                              0.4, 0.5, 77, 0, 1.0, None)  # fmt: skip
    more = tables | {
        "findings": table.frame(record.Finding, [finding]),
        "trials": table.frame(record.Trial, [trial]),
        "trial_values": table.frame(record.TrialValue, [value]),
    }
    found = cells(page(more, META, no_picture, {}))
    row = next(line for line in found if line and line[0] == "coco")
    assert row[3:] == ["share = 0.0123|0.01 to 0.0212", "0.0005", "10", "4"]
    assert ["T=0.05", "weak", "43.2 (n = 77)|40.0 to 50.0"] in found


def test_without_measurements_the_trials_are_told_and_without_them_the_findings(tables):
    bare = tables | {
        "measurements": table.frame(record.Measurement), "trials": table.frame(record.Trial),
        "findings": table.frame(record.Finding),
    }  # fmt: skip
    assert sentences(bare, "yes_no")[1] == "The tables below show what was found."
    held = record.Finding(
        "overlap", "coco", "claim", "null", "share", 0.1, None, None, None, None, None, None,
        10, 4, None, None, "holds", "words", "", None,
    )  # fmt: skip
    tested = bare | {"findings": table.frame(record.Finding, [held])}
    assert sentences(tested, "yes_no")[1] == "1 findings, by test: overlap (1 holds)."
    trials = [
        record.Trial("T", n, f"T={n}", "{}", "{}", "complete", n == 1, "r", None) for n in range(3)
    ]
    tried = tested | {"trials": table.frame(record.Trial, trials)}
    assert sentences(tried, "yes_no")[1].startswith("3 trials of 1 study (T) regrouped")


def test_problems_beyond_the_page_s_number_are_counted(tables):
    rows = [record.Problem("decode", "", "src", str(n), "f", f"lost {n}") for n in range(502)]
    made = page(tables | {"problems": table.frame(record.Problem, rows)}, META, no_picture, {})
    assert "and 2 more in the table" in made
    assert "lost 499" in made
    assert "lost 500" not in made


def test_an_undefined_value_says_why():
    row = pd.Series({"value": np.nan, "lower": None, "upper": None, "n": 3, "reason": "one class"})
    assert written(row.to_dict()) == ("undefined", "one class")
    assert percent(-0.0311) == "\N{MINUS SIGN}3.1"


def test_a_histogram_is_that_of_numpy():
    values = {"ID": np.array([0.01, 0.02, 0.99, 1.0]), "OOD-S": np.array([]), "OOD-H": np.ones(2)}
    svg = histogram("S", values, 0.0, 1.0).svg
    paths = dict(re.findall(r'class="(split\d)" d="M([^"]*)"', svg))
    assert set(paths) == {"split0", "split2"}
    heights = [float(p.split()[1]) for p in paths["split0"].split("L")][::2]
    share = np.histogram(values["ID"], np.linspace(0, 1, 21))[0] / 4
    assert heights == pytest.approx(150 - 138 * share, abs=0.06)


def row(vlm, split, metric, value, contrast="none", convention="headline", kind="progression"):
    return record.Measurement(vlm, kind, "pooled", split, contrast, "all", convention, metric,
                              value, value - 0.01, value + 0.01, 50, 0, 20, None)  # fmt: skip


def test_levels_stand_beside_the_best_constant_answer_and_breaks_apart():
    rows = [row("m", "OOD-H", "l_acc", 0.1, convention="constant")]
    rows += [row("m", s, m, v) for s, m, v in (
        ("OOD-H", "l_acc", 0.2), ("ID", "l_acc", 0.3), ("ID", "c_acc", 0.4), ("ID", "complete", 0.5)
    )]  # fmt: skip
    levels, breaks = sheets(table.frame(record.Measurement, rows))
    assert levels.head[3:5] == ["C-Acc", "L-Acc"]
    assert [[c.text for c in line[:5]] for line in levels.rows] == [
        ["m", "ID", "unread is wrong", "40.0", "30.0"],
        ["m", "OOD-H", "unread is wrong", "-", "20.0"],
        ["m", "OOD-H", "best constant answer", "-", "10.0"],
    ]
    assert breaks.head[2] == "not at all"
    assert [line[2] for line in breaks.rows] == [("50.0", "49.0 to 51.0")]


def test_of_many_models_the_one_with_the_least_and_the_one_with_the_largest_loss_are_told(tables):
    lost = {"b": 0.2, "a": 0.5, "c": 0.05}
    rows = []
    for vlm, drop in lost.items():
        rows += [row(vlm, s, "accuracy", 0.9 - drop * n / 2, kind="existence")
                 for n, s in enumerate(SPLITS)]  # fmt: skip
        rows += [row(vlm, s, "accuracy", drop * n / 2, "ID", kind="existence")
                 for n, s in enumerate(SPLITS) if n]  # fmt: skip
    found = sentences(tables | {"measurements": table.frame(record.Measurement, rows)}, "yes_no")[1]
    assert found.startswith("Of 3 models, from the least loss on OOD-H to the largest: c reached")
    assert "85.0 % on OOD-H (drop 5.0 points, 4.0 to 6.0); a reached 90.0 % on ID" in found
    assert "b reached" not in found


def test_an_undefined_value_is_called_so_in_the_sentence(tables):
    found = sentences(tables, "yes_no")[1]
    assert found.startswith("strong reached no defined value on ID, ")


def test_a_scorer_s_name_cannot_leave_the_drawing_s_attributes():
    name = 'S of "><script>alert(1)</script>'
    made = Tree(histogram(name, {"ID": np.ones(1)}, 0.0, 1.0).svg)
    assert made.all("svg")[0]["aria-label"] == name
    assert made.all("script") == []
    assert name in made.text
