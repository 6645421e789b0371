import json

import pytest

from oodexp.answer.base import is_legal
from oodexp.answer.count import Count
from oodexp.answer.unwrap import THINK_TAGS
from oodexp.answer.yes_no import YesNo

UNPARSED = {"unknown", "ambiguous"}
# The words of g16-yesno-replies/expected.json, as sets of readings of ours.
G16 = {
    "yes": {"yes"},
    "no": {"no"},
    "contradiction": {"conflict"},
    "unparsed": UNPARSED,
    "yes-by-statement-or-unparsed": UNPARSED | {"yes"},
    "unparsed-or-yes, never no": UNPARSED | {"yes"},
}
G17 = {"truncated (no closing tag)": {"truncated"}, "no when that tag pair is configured": {"no"}}


def expected(shared, case):
    return json.loads((shared / "cases" / case / "expected.json").read_text(encoding="utf-8"))


def test_the_files_of_completions_are_whole(shared):
    answers = shared / "cases" / "answers"
    counts = {
        name: len((answers / f"{name}.jsonl").read_text(encoding="utf-8").splitlines())
        for name in ("yes_no", "count")
    }
    assert counts["yes_no"] >= 51
    assert counts["count"] >= 46


def test_a_yes_no_completion_has_its_right_reading(shared, yes_no_line):
    line = yes_no_line
    reading = YesNo().read(line["completion"], polarity=line["polarity"], category=line["category"])
    right = line["reading"] if isinstance(line["reading"], list) else [line["reading"]]
    assert is_legal(reading)
    assert (reading.value or reading.status) in right
    assert reading.flag == line["flag"]


def test_a_count_completion_has_its_right_reading(shared, count_line):
    line = count_line
    reading = Count().read(line["completion"], polarity="count", category=line["category"])
    assert is_legal(reading)
    assert (reading.value or reading.status) == str(line["reading"])
    assert reading.flag == line["flag"]


def test_a_reply_is_read_as_its_report_demands(shared, reply):
    polarity = "absent" if "not contain" in reply["question"] else "present"
    reading = YesNo().read(reply["reply"], polarity=polarity, category="bus")
    word = expected(shared, "g16-yesno-replies")[str(reply["id"])]
    assert (reading.value or reading.status) in G16[word]


def test_an_answer_is_never_taken_from_the_reasoning(shared, thought):
    reading = YesNo().read(thought["reply"], polarity="present", category="dog")
    word = expected(shared, "g17-think-tags")[str(thought["id"])]
    right = UNPARSED if word == "unparsed" else G17.get(word, {word})
    assert (reading.value or reading.status) in right


def test_a_tag_pair_can_be_taken_out_of_the_configuration():
    tags = tuple(pair for pair in THINK_TAGS if "◁" not in pair[0])
    reply = "◁think▷yes◁/think▷ no"
    assert YesNo(tags).read(reply, polarity="present", category="dog").status == "ambiguous"


def test_refusals_and_silence_lower_the_score_over_all_answers(shared):
    right = expected(shared, "g18-refusal-empty")
    path = shared / "cases" / "g18-refusal-empty" / "replies.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    read = {
        row["id"]: YesNo().read(row["reply"], polarity="present", category="dog") for row in rows
    }
    hits = sum(read[row["id"]].value == row["label"] for row in rows)
    answered = sum(reading.status == "read" for reading in read.values())
    assert [key for key in read if read[key].status == "refused"] == right["refused"]
    assert [key for key in read if read[key].status == "empty"] == right["empty"]
    assert (hits, answered - hits) == (right["correct"], right["wrong"])
    assert hits / len(rows) == right["accuracy_over_all"]
    assert hits / answered == pytest.approx(right["accuracy_over_answered"], abs=1e-6)
    assert answered / len(rows) == right["answer_rate"]
