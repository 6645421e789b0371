"""Every corpus of the configuration by its YAML, and what every corpus promises."""

from __future__ import annotations

import inspect
import json
import pickle
from pathlib import Path
from typing import Any

import pytest
from hydra.utils import get_class
from omegaconf import OmegaConf

from oodexp import table
from oodexp.corpus.base import Corpus, Lost, Text
from oodexp.corpus.file import OneFile
from oodexp.error import OodexpError
from oodexp.record import Problem
from tests.corpus.made import MADE

FOLDER = Path(__file__).resolve().parents[2] / "conf" / "corpus"
FILES = sorted(FOLDER.glob("*.yaml"))


@pytest.fixture(params=MADE)
def corpus(request: pytest.FixtureRequest, tmp_path: Path) -> Corpus:
    return MADE[request.param](tmp_path)


def part(file: Path) -> Any:
    return dict(OmegaConf.to_container(OmegaConf.load(file), resolve=False)[file.stem])


def test_every_kind_of_corpus_of_the_folder_is_held_to_the_contract(tmp_path):
    kinds = {type(make(tmp_path / name)) for name, make in MADE.items()}
    assert {get_class(part(f)["_target_"]) for f in FILES} == kinds


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_only_key_of_a_file_is_its_name(file):
    assert list(OmegaConf.load(file)) == [file.stem]


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_says_on_its_first_line_what_it_is(file):
    assert file.read_text("utf-8").startswith("# ")


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_a_file_gives_every_argument_of_the_constructor_with_its_own_default(file):
    node = part(file)
    signature = inspect.signature(get_class(node.pop("_target_")))
    assert set(node) == set(signature.parameters)
    for name in set(node) - {"name"}:  # one class reads several corpora
        default = signature.parameters[name].default
        plain = list(default) if isinstance(default, tuple) else default
        assert node[name] == ("???" if default is inspect.Parameter.empty else plain)


@pytest.mark.parametrize("file", FILES, ids=lambda f: f.stem)
def test_the_corpus_is_named_as_its_file(file):
    assert part(file)["name"] == file.stem


def test_texts_are_pairs_of_text_and_there_are_some(corpus):
    found = list(corpus.read(Lost(corpus.name)))
    assert len(found) > 1
    for text in found:
        assert isinstance(text, Text)
        assert isinstance(text.image, str)
        assert isinstance(text.text, str)
        assert text.image


def test_reading_twice_gives_the_same(corpus):
    first, second = Lost("a"), Lost("a")
    assert list(corpus.read(first)) == list(corpus.read(second))
    assert first.problems() == second.problems()


def test_a_key_is_its_own_key(corpus):
    for text in corpus.read(Lost("a")):
        assert corpus.key(text.image) == text.image


def test_cocos_image_139_has_one_key_by_every_name(corpus):
    if isinstance(corpus, OneFile):
        found = {text.image for text in corpus.read(Lost("a"))}
        for name in ("139", "COCO_train2014_000000000139.jpg", "train2017/000000000139.jpg"):
            assert corpus.key(name) in found


def test_the_fingerprint_is_plain_and_the_same_each_time(corpus):
    told = json.loads(json.dumps(corpus.fingerprint()))
    assert told == json.loads(json.dumps(corpus.fingerprint()))
    assert all(len(digest) == 64 for digest in told["files"].values())


def test_another_process_reads_the_same(corpus):
    copied = pickle.loads(pickle.dumps(corpus))
    assert list(copied.read(Lost("a"))) == list(corpus.read(Lost("a")))


def test_a_file_that_is_not_there_is_named_when_the_corpus_is_made(corpus):
    if isinstance(corpus, OneFile):
        more = [None] if "genome" in inspect.signature(type(corpus)).parameters else []
        kind = type(corpus)
        with pytest.raises(OodexpError, match=rf"corpus\.{corpus.name}\.path=none\.json"):
            kind("none.json", *more) if corpus.name == "visual_genome" else kind("none.json")


def test_problems_are_rows_of_the_table(corpus):
    lost = Lost(corpus.name)
    list(corpus.read(lost))
    assert len(table.frame(Problem, lost.problems())) == len(lost.problems())


def test_lost_rows_are_counted_by_reason_with_the_first_place():
    lost = Lost("c")
    for number in range(1500):
        lost.add(f"line {number}", "no JSON" if number % 3 else "no image")
    assert lost.number() == 1500
    found = [(p.subject, p.reason) for p in lost.problems()]
    assert found == [("line 0", "no image (500)"), ("line 1", "no JSON (1,000)")]
