"""The configuration checked whole, before anything is opened."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_type_hints

import pytest
import yaml
from omegaconf import OmegaConf

from oodexp.setting import AnyParts, Part, Parts, Settings, closest, mistakes, register_resolvers

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Scoring:
    batch_size: int
    threshold: float = 0.05


@dataclass(frozen=True)
class Evaluation:
    repeats: int = 1


@dataclass(frozen=True)
class Run:
    scoring: Scoring
    evaluation: Evaluation | None = None


@dataclass(frozen=True)
class Paths:
    out: str


@dataclass(frozen=True)
class Report:
    file: str
    title: str


@dataclass(frozen=True)
class Late:
    paths: Paths
    report: Report


@dataclass(frozen=True)
class Plan:
    name: str
    one: Part
    many: Parts


class Thing:
    """A part of all kinds of arguments."""

    def __init__(
        self, size: int, share: float = 0.5, label: str | None = None, on: bool = True,
        limits: Mapping[str, float] | None = None, names: Sequence[str] = (),
        mode: Literal["a", "b"] = "a", inner: Any = None,
    ) -> None:  # fmt: skip
        """Takes anything."""


class Open:
    """A part that hands its arguments on."""

    def __init__(self, size: int, *rest: int, **options: Any) -> None:
        """Takes anything."""


THING, OPEN = f"{__name__}.Thing", f"{__name__}.Open"


def found(text: str, shape: type) -> list[str]:
    return mistakes(OmegaConf.create(text), shape)


def plan(**one: Any) -> list[str]:
    """What is wrong with a plan whose part `one` has these arguments."""
    part = {"_target_": THING, "size": 1} | one
    content = {"name": "n", "one": part, "many": {"a": {"_target_": THING, "size": 1}}}
    return mistakes(OmegaConf.create(content), Plan)


def test_misspelt_keys_are_named_with_their_paths_and_suggestions(shared):
    case = shared / "cases/g33-typo"
    expected = json.loads((case / "expected.json").read_text())
    said = mistakes(OmegaConf.load(case / "run.yaml"), Run)
    assert len(said) == len(expected["names"])
    for name in expected["names"]:
        assert sum(name in line for line in said) == 1, said


def test_broken_references_are_named_all_at_once(shared, monkeypatch):
    monkeypatch.delenv("OODEXP_NO_SUCH_VAR", raising=False)
    case = shared / "cases/g34-late-interpolation"
    expected = json.loads((case / "expected.json").read_text())
    said = mistakes(OmegaConf.load(case / "run.yaml"), Late)
    assert len(said) == len(expected["names"])
    for line, name in zip(said, expected["names"], strict=True):
        assert line.startswith(name)


def test_a_configuration_as_it_should_be_has_no_mistakes():
    assert found("scoring: {batch_size: 8, threshold: 0.01}", Run) == []
    assert plan(share=1, label=None, on=False, limits={"x": 1}, names=["a"], mode="b") == []


def test_references_that_lead_somewhere_are_no_mistake(monkeypatch):
    monkeypatch.setenv("OODEXP_SUCH_VAR", "t")
    text = """
    paths: {out: /data}
    report: {file: "${paths.out}/r.json", title: "${oc.env:OODEXP_SUCH_VAR}"}
    """
    assert found(text, Late) == []
    assert found(text.replace("SUCH_VAR}", "NONE,default}"), Late) == []


def test_a_reference_within_a_list_or_a_part_is_followed():
    said = plan(names=["a", "${nowhere}"], inner={"deep": "${name.x}"})
    assert said == [
        "one.names.1 -> nowhere: this reference leads nowhere",
        "one.inner.deep -> name.x: this reference leads nowhere",
    ]


def test_a_reference_that_leads_to_itself_is_a_mistake():
    said = found("paths: {out: '${report.file}'}\nreport: {file: '${paths.out}', title: t}", Late)
    assert [line.partition(" ->")[0] for line in said] == ["paths.out", "report.file"]


def test_a_key_that_is_needed_and_not_there_is_named():
    assert found("scoring: {threshold: 0.1}", Run) == ["scoring.batch_size: missing"]


@pytest.mark.parametrize("key", ["name", "one.size"])
def test_a_value_that_is_left_open_is_asked_for(key):
    content = {"name": "n", "one": {"_target_": THING, "size": 1}}
    config = OmegaConf.create(content | {"many": {"a": content["one"]}})
    OmegaConf.update(config, key, "???")
    said = mistakes(config, Plan)
    assert said == [f"{key}: missing; give it on the command line, {key}=..."]


@pytest.mark.parametrize("text", ["scoring: 3", "scoring: [1]", "scoring: null"])
def test_a_value_in_place_of_keys_is_named(text):
    (said,) = found(text, Run)
    assert said.startswith("scoring=")
    assert said.endswith("expected the keys batch_size, threshold")


@pytest.mark.parametrize(
    ("argument", "said"),
    [
        ({"size": "8"}, "one.size='8': expected a whole number"),
        ({"size": 1.5}, "one.size=1.5: expected a whole number"),
        ({"size": True}, "one.size=True: expected a whole number"),
        ({"size": None}, "one.size=None: expected a whole number"),
        ({"share": "low"}, "one.share='low': expected a number"),
        ({"share": False}, "one.share=False: expected a number"),
        ({"label": 3}, "one.label=3: expected text or null"),
        ({"on": 1}, "one.on=1: expected true or false"),
        ({"on": "yes"}, "one.on='yes': expected true or false"),
        ({"limits": [1]}, "one.limits=[1]: expected"),
        ({"limits": {"x": "low"}}, "one.limits={'x': 'low'}: expected"),
        ({"names": "a"}, "one.names='a': expected"),
        ({"names": ["a", 1]}, "one.names=['a', 1]: expected"),
        ({"mode": "c"}, "one.mode='c': expected"),
        ({"sise": 2}, "one.sise (did you mean one.size?): unknown key"),
        ({"zzz": 2}, "one.zzz: unknown key"),
    ],
)
def test_an_argument_that_a_part_does_not_take_is_named(argument, said):
    lines = plan(**argument)
    assert len(lines) == 1
    assert lines[0].startswith(said)


def test_a_missing_argument_is_named_with_the_part_that_needs_it():
    content = {"name": "n", "one": {"_target_": THING}, "many": {"a": {"_target_": THING}}}
    assert mistakes(OmegaConf.create(content), Plan) == [
        f"one.size: missing; {THING} needs it",
        f"many.a.size: missing; {THING} needs it",
    ]


def test_a_part_within_a_part_is_checked_too():
    said = plan(inner={"_target_": THING, "size": "x", "sahre": 1})
    assert said == [
        "one.inner.sahre (did you mean one.inner.share?): unknown key",
        "one.inner.size='x': expected a whole number",
    ]


def test_a_part_that_hands_its_arguments_on_takes_any():
    content = {"_target_": OPEN, "size": 1, "anything": 2, "rest": 3}
    assert plan(inner=content) == []


@pytest.mark.parametrize(
    "target",
    ["nowhere.Thing", "oodexp.setting.Thing", "Thing", "", "os.path", "builtins.type",
     "antigravity..x", "os.sep", ".", "a b.c"],
)  # fmt: skip
def test_a_part_that_cannot_be_imported_is_named(target):
    content = {"name": "n", "one": {"_target_": target}, "many": {"a": {"_target_": target}}}
    said = mistakes(OmegaConf.create(content), Plan)
    assert [line.partition("=")[0] for line in said] == ["one._target_", "many.a._target_"]
    assert all("cannot be imported" in line for line in said)


@pytest.mark.parametrize("one", [None, 3, "x", {"size": 1}, []])
def test_something_else_in_place_of_a_part_is_named(one):
    content = {"name": "n", "one": one, "many": {"a": {"_target_": THING, "size": 1}}}
    (said,) = mistakes(OmegaConf.create(content), Plan)
    assert said.startswith("one: expected a part with _target_")


@pytest.mark.parametrize("many", [None, {}, "x", ["a"]])
def test_an_empty_set_of_parts_is_named(many):
    content = {"name": "n", "one": {"_target_": THING, "size": 1}, "many": many}
    (said,) = mistakes(OmegaConf.create(content), Plan)
    assert "expected one or more parts, as in many=[a,b]" in said


def test_scorers_may_be_none_and_other_groups_may_not():
    assert mistakes(compose("scorer=[]")) == []
    assert any(line.startswith("vlm: missing") for line in mistakes(compose("vlm=[]")))


def test_all_mistakes_are_named_at_once_and_in_the_same_order_each_time():
    content = {
        "nmae": "n", "one": {"_target_": THING, "b": 1, "a": 2, "c": 3, "share": "x"},
        "many": {"x": {"_target_": "no.where"}},
    }  # fmt: skip
    said = mistakes(OmegaConf.create(content), Plan)
    assert [line.partition(":")[0].partition(" ")[0].partition("=")[0] for line in said] == [
        "nmae", "name", "one.b", "one.a", "one.c", "one.size", "one.share", "many.x._target_",
    ]  # fmt: skip


def test_nothing_is_suggested_for_a_name_that_is_like_nothing():
    assert closest("xyz", ["threshold", "cap"]) == ""
    assert closest("treshold", ["threshold", "cap"], "division.") == (
        " (did you mean division.threshold?)"
    )


def compose(*overrides: str):
    import hydra

    register_resolvers()
    with hydra.initialize_config_module("oodexp.conf", version_base="1.3"):
        return hydra.compose("config", list(overrides))


def choices(folder: str) -> list[Any]:
    files = sorted((ROOT / folder).rglob("*.yaml"))
    parts = [f for f in files if f.name != "config.yaml"]
    return [pytest.param(f, id=f"{f.parent.name}-{f.stem}") for f in parts]


IN_LISTS = [name for name, shape in get_type_hints(Settings).items() if shape in (Parts, AnyParts)]


@pytest.mark.parametrize("file", choices("conf"))
def test_every_choice_that_ships_can_be_run_or_asks_for_a_value(file):
    group = file.parent.name
    choice = f"[{file.stem}]" if group in IN_LISTS else file.stem
    # What stands in a bundle is taken from the one that the source names.
    beside = ROOT / "conf/source/bundle.yaml" if "${source.bundle." in file.read_text() else None
    said = mistakes(compose(f"{group}={choice}", *(["source=bundle"] if beside else [])))
    texts = [f.read_text() for f in (file, beside) if f]
    lines = [line.partition("#")[0].rstrip() for text in texts for line in text.splitlines()]
    left_open = sum(line.endswith("???") for line in lines)
    assert len(said) == left_open
    assert all("give it on the command line" in line for line in said)


@pytest.mark.parametrize("file", choices("experiments"))
def test_every_experiment_that_ships_can_be_run(file):
    given = ["source.bundle.folder=DIR"] if file.stem == "bundle" else []
    assert mistakes(compose(f"experiment={file.stem}", *given)) == []


@pytest.mark.parametrize("file", choices("experiments"))
def test_every_experiment_says_its_command_and_time(file):
    head = file.read_text()
    assert f"python -m oodexp.run experiment={file.stem}" in head
    assert "# Time:" in head


@pytest.mark.parametrize("file", choices("conf"))
def test_a_yaml_says_in_its_first_line_what_it_is(file):
    first = file.read_text().splitlines()[0]
    assert first.startswith("# ")
    yaml.safe_load(file.read_text())


def test_the_headline_must_be_a_reader_that_is_there():
    (said,) = mistakes(compose("answer.reader=papr"))
    assert said.startswith("answer.reader=papr: no such reader (did you mean paper?)")


def test_a_packaged_file_is_found_from_anywhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = Path(compose().scorer.open_clip_miniature.model.removeprefix("local-dir:"))
    assert path.is_absolute()
    assert path == ROOT / "oodexp/miniature/models/open_clip"


@pytest.mark.parametrize("recipe", ["os.system", "nowhere.main", "main", "oodexp.recipe.main"])
def test_a_recipe_that_is_none_is_named(recipe):
    said = list(Settings.also({"recipe": recipe}, ""))
    assert [line.partition(":")[0] for line in said] == [f"recipe={recipe}"]


def test_a_recipe_is_a_function_of_run_and_parts():
    assert list(Settings.also({"recipe": "oodexp.recipe.main.main"}, "")) == []
