"""Verdicts from files: of the page, and tables made elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

from oodexp.error import OodexpError
from oodexp.review.gather import gather
from oodexp.review.journal import Journal
from oodexp.review.sample import PAIR, population

HEAD = "rater,source,image_id,category,verdict,reason"


@pytest.fixture
def pairs(division):
    return population(division.memberships, True, ["split", "source"])


def csv(folder: Path, *rows: str, head: str = HEAD) -> Path:
    path = folder / "made_elsewhere.csv"
    path.write_text("\n".join([head, *rows]) + "\n", "utf-8")
    return path


def test_a_table_of_any_tool_is_read(tmp_path: Path, pairs) -> None:
    file = csv(tmp_path, "ann,a,0,apple,yes,", "ben,a,0,apple, NO ,wrong_label",
               "ann,bb,3,apple,unsure,Contextually weak")  # fmt: skip
    found = gather([file], "s", pairs)
    assert len(found.problems) == 0
    rows = found.verdicts[["rater", *PAIR, "verdict"]].to_numpy().tolist()
    assert rows == [
        ["ann", "a", "0", "apple", "yes"], ["ben", "a", "0", "apple", "no"],
        ["ann", "bb", "3", "apple", "unsure"],
    ]  # fmt: skip
    reasons = found.verdicts["reason"].astype(object).where(found.verdicts["reason"].notna(), None)
    assert reasons.tolist() == [None, "wrong label", "contextually weak"]
    assert found.verdicts["sample"].isna().all()


def test_the_source_may_be_left_out_where_one_pair_alone_is_meant(tmp_path: Path, pairs) -> None:
    alone = pairs[~((pairs["source"] == "bb") & (pairs["image_id"] == "0"))]
    file = csv(
        tmp_path, "ann,0,apple,yes", "ann,1,apple,yes", head="rater,image_id,category,verdict"
    )
    found = gather([file], "s", alone)
    assert found.verdicts[PAIR].to_numpy().tolist() == [["a", "0", "apple"]]
    (problem,) = found.problems.itertuples()
    assert problem.subject == "made_elsewhere.csv, row 3"
    assert problem.reason == "in several sources (a, bb); give the column source"


def test_what_cannot_be_used_is_named_row_by_row(tmp_path: Path, pairs) -> None:
    file = csv(
        tmp_path, "ann,a,0,apple,perhaps,", "ann,a,99,apple,yes,", ",a,0,apple,yes,",
        "ann,a,0,apple,yes,dark", "ann,a,1,apple,yes,,too,many", "ann,a,2,apple,yes,",
        "ann,a,2,apple,no,",
    )  # fmt: skip
    found = gather([file], "s", pairs)
    told = {row.subject.rpartition(" ")[2]: row.reason for row in found.problems.itertuples()}
    assert list(told) == ["2", "3", "4", "5", "6", "8"]
    assert told["2"].startswith("verdict='perhaps': expected one of yes, no, unsure")
    assert told["3"].startswith("no present pair of the run")
    assert told["4"].startswith("rater=None")
    assert told["5"].startswith("reason='dark'")
    assert told["6"].startswith("more values than columns")
    assert told["8"].startswith("note:")
    assert found.verdicts[["image_id", "verdict"]].to_numpy().tolist() == [["2", "no"]]


@pytest.mark.parametrize(
    "head", ["rater,image_id,verdict", f"{HEAD},colour", "rater,rater,image_id,category,verdict"]
)
def test_a_table_of_other_columns_is_refused(tmp_path: Path, pairs, head: str) -> None:
    with pytest.raises(OodexpError, match="expected a CSV file with the columns rater, image_id"):
        gather([csv(tmp_path, head=head)], "s", pairs)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path, pairs) -> None:
    path = tmp_path / "x.csv"
    path.write_bytes(b"rater,image_id,category,verdict\n\xff\xfe,1,2,3\n")
    with pytest.raises(OodexpError, match=r"x\.csv: cannot be read"):
        gather([path], "s", pairs)


def test_files_that_are_not_there_or_unknown_are_refused(tmp_path: Path, pairs) -> None:
    with pytest.raises(OodexpError, match="no such file; expected verdicts"):
        gather([tmp_path / "none.jsonl"], "s", pairs)
    other = tmp_path / "verdicts.xlsx"
    other.touch()
    with pytest.raises(OodexpError, match=r"expected a \.jsonl file of the review page"):
        gather([other], "s", pairs)


def test_a_journal_and_a_table_are_one_and_the_torn_line_is_a_note(
    tmp_path: Path, pairs, sample, session, journal: Journal
) -> None:
    said = {"verdict": "yes", "reason": None, "note": "n", "seconds": 2.0}
    session.judge("ann", 0, {"id": "one-and-two", **said})
    with journal.path.open("ab") as file:
        file.write(b'{"kind": "verd')
    table = csv(tmp_path, "ben,a,0,apple,no,")
    found = gather([journal.path, table], sample.digest, pairs)
    assert found.verdicts["rater"].tolist() in (["ann", "ben"], ["ben", "ann"])
    (problem,) = found.problems.itertuples()
    assert problem.subject == f"{journal.path.name}, line 2"
    assert problem.reason.startswith("note:")


def test_a_journal_of_another_sample_is_refused(pairs, session, journal: Journal) -> None:
    said = {"id": "one-and-two", "verdict": "yes", "reason": None, "note": None, "seconds": 2.0}
    session.judge("ann", 0, said)
    with pytest.raises(OodexpError, match="is a verdict on sample"):
        gather([journal.path], "f" * 64, pairs)
