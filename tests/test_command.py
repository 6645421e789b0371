"""The command line: every mistake named at once, with exit status 2, before an image is opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import hydra
import pytest

from oodexp.command import USAGE, check, clean_exit
from oodexp.error import OodexpError
from oodexp.setting import register_resolvers

ROOT = Path(__file__).resolve().parents[1]
HEAVY = (
    "torch", "torchvision", "transformers", "open_clip", "timm", "pytorch_lightning",
    "torchmetrics", "mlflow", "optuna", "sklearn", "matplotlib",
)  # fmt: skip


def said(*arguments: str) -> list[str]:
    """What `check` finds wrong with a command line, line by line; empty when nothing is."""
    register_resolvers()
    with hydra.initialize_config_module("oodexp.conf", version_base="1.3"):
        try:
            check(arguments, lambda overrides: hydra.compose("config", overrides))
        except OodexpError as error:
            return [line.strip() for line in str(error).splitlines()[1:]]
    return []


def oodexp(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """The real command; it could open no image: the drawn world is hidden from it."""
    return subprocess.run(
        [sys.executable, "-c", BLIND, *arguments],
        capture_output=True, text=True, timeout=120, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
    )  # fmt: skip


def shipped(folder: str) -> str:
    """The choices of a folder, as a message lists them."""
    return str(sorted(file.stem for file in (ROOT / folder).glob("*.yaml")))


BLIND = """
import sys
from oodexp.source.miniature import Miniature
def refuse(*_): raise SystemExit("an image was opened")
Miniature.read = Miniature.images = Miniature.pairs = refuse
from oodexp.run import main
main()
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A `--config-dir` folder whose name is not plain."""
    place = tmp_path / "my parts, a=b"
    (place / "experiment").mkdir(parents=True)
    return place


def experiment(folder: Path, content: str, name: str = "mine") -> None:
    text = "# @package _global_\n" + textwrap.dedent(content)
    (folder / "experiment" / f"{name}.yaml").write_text(text)


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("experiment=main",),
        ("division.threshold=0.01", "division.cap=null"),
        ("scorer=[open_clip_miniature]", "vlm=[always_yes]", "tracker=folder"),
        ("+division.thresholds.open_clip_miniature=0.1",),
        ("answer.reader=paper",),
        ("~scorer.blip2_miniature",),
        ("hydra.job.chdir=false",),
        ("tracker=folder", "tracker.uri='a, b=c'"),
        ("question.templates.present='Is there, then, a {}?'",),
    ],
)
def test_a_command_that_can_be_run_has_no_mistakes(arguments):
    assert said(*arguments) == []


def test_every_mistake_of_a_command_is_named_at_once():
    found = said(
        "division.threshhold=0.01", "vllm=[always_yes]", "answr.reader=paper",
        "experiment=mian", "division.cap=many", "metric.resamples=1.5", "scorer=[blip2,cilp_b32]",
    )  # fmt: skip
    assert found == [
        "experiment=mian: no such choice (did you mean main?); expected one of "
        + shipped("experiments"),
        "scorer=cilp_b32: no such choice (did you mean clip_b32?); expected one of "
        + shipped("conf/scorer"),
        "vllm (did you mean vlm?): unknown key",
        "answr (did you mean answer?): unknown key",
        "division.threshhold (did you mean division.threshold?): unknown key",
        "division.cap='many': expected a whole number or null",
        "metric.resamples=1.5: expected a whole number",
    ]


def test_a_value_that_is_left_open_is_asked_for():
    assert said("division.seed=???", "paths.runs=???") == [
        "division.seed: missing; give it on the command line, division.seed=...",
        "paths.runs: missing; give it on the command line, paths.runs=...",
    ]


def test_an_experiment_with_unknown_keys_is_refused(folder):
    experiment(folder, "division: {threshhold: 0.01}\nzzz: {repeats: 3}\n")
    assert said("--config-dir", str(folder), "experiment=mine") == [
        "zzz: unknown key",
        "division.threshhold (did you mean division.threshold?): unknown key",
    ]


def test_an_experiment_with_broken_references_is_refused(folder, monkeypatch):
    monkeypatch.delenv("OODEXP_NO_SUCH_VAR", raising=False)
    experiment(
        folder,
        """
        paths: {runs: "${pahts.out}/runs"}
        source: {name: "${oc.env:OODEXP_NO_SUCH_VAR}"}
        division: {cap: "${division.cpa}"}
        """,
    )
    found = said(f"--config-dir={folder}", "experiment=mine")
    assert {line.partition(":")[0] for line in found} >= {
        "paths.runs -> pahts.out", "source.name -> OODEXP_NO_SUCH_VAR",
        "division.cap -> division.cpa",
    }  # fmt: skip


def test_an_experiment_that_chooses_what_is_not_there_is_refused(folder):
    experiment(folder, "defaults: [{override /tracker: mlfow}]\n")
    (found,) = said(f"--config-dir={folder}", "experiment=mine")
    assert found.startswith("tracker=mlfow: no such choice (did you mean mlflow?)")


def test_a_persons_own_parts_are_found_and_suggested(folder):
    (folder / "vlm").mkdir()
    own = "echo:\n  _target_: oodexp.vlm.scripted.Scripted\n  replies: 'No'\n"
    (folder / "vlm/echo.yaml").write_text(own)
    assert said(f"--config-dir={folder}", "vlm=[echo,always_yes]") == []
    assert said(f"--config-dir={folder}", "vlm=[echo]", "vlm.echo.replies=Yes") == []
    (found,) = said(f"--config-dir={folder}", "vlm=[ecco]")
    assert found.startswith("vlm=ecco: no such choice (did you mean echo?)")


def test_a_persons_part_with_a_wrong_argument_is_refused(folder):
    (folder / "vlm").mkdir()
    own = "echo:\n  _target_: oodexp.vlm.scripted.Scripted\n  reply: 'No'\n"
    (folder / "vlm/echo.yaml").write_text(own)
    assert said(f"--config-dir={folder}", "vlm=[echo]") == [
        "vlm.echo.reply (did you mean vlm.echo.replies?): unknown key",
        "vlm.echo.replies: missing; oodexp.vlm.scripted.Scripted needs it",
    ]


def test_a_config_folder_that_is_not_there_is_named(tmp_path):
    (found,) = said(f"--config-dir={tmp_path / 'nowhere'}")
    assert "nowhere" in found


@pytest.mark.parametrize("override", ["division.threshold", "=3", "division.threshold=[", "a b=c"])
def test_an_override_that_is_none_is_named(override):
    (found, *_) = said(override)
    assert found


@pytest.mark.parametrize(
    "arguments",
    [
        ("division.threshold=0.05,0.01",),
        ("division.threshold=choice(0.05,0.01)", "division.rule=all,majority"),
        ("scorer=[open_clip_miniature,blip2_miniature],[open_clip_miniature]",),
        ("metric.paper=paper,yes_no",),
        ("division.seed=range(0,3)",),
        ("tracker=folder,mlflow",),
    ],
)
def test_a_sweep_that_can_be_run_has_no_mistakes(arguments):
    assert said("--multirun", *arguments) == []


def test_a_mistake_in_any_value_of_a_sweep_is_found_before_the_first_run():
    found = said(
        "-m", "division.threshhold=0.05,0.01", "division.cap=3,many", "vlm=[always_yes],[alwys_yes]"
    )
    assert [line.partition(";")[0] for line in found] == [
        "division.threshhold (did you mean division.threshold?): unknown key",
        "division.cap='many': expected a whole number or null",
        "vlm=alwys_yes: no such choice (did you mean always_yes?)",
    ]


def test_without_multirun_a_comma_is_no_sweep():
    found = said("division.threshold=0.05,0.01")
    assert any("division.threshold=0.05,0.01" in line for line in found)


def test_a_mistake_that_another_library_wrapped_is_told_without_a_traceback(capsys):
    def instantiate() -> None:
        try:
            raise OodexpError("division.rule=most: expected one of ...")
        except OodexpError as error:
            raise RuntimeError("in some library") from error

    with pytest.raises(SystemExit) as ended, clean_exit():
        instantiate()
    assert ended.value.code == USAGE
    assert capsys.readouterr().err == "oodexp: division.rule=most: expected one of ...\n"


def test_a_defect_is_told_with_its_traceback():
    with pytest.raises(ZeroDivisionError), clean_exit():
        _ = 1 / 0


@pytest.mark.parametrize("arguments", [("--help",), ("--cfg", "job"), ("--version",)])
def test_help_and_settings_are_shown_without_any_heavy_library(arguments):
    script = (
        "import json, sys\n"
        "from oodexp.run import main\n"
        "try:\n    main()\n"
        "except SystemExit as end:\n    status = end.code or 0\n"
        f"sys.stderr.write(json.dumps([status, [m for m in {HEAVY} if m in sys.modules]]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        capture_output=True, text=True, timeout=60, check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    assert json.loads(done.stderr.splitlines()[-1]) == [0, []]
    assert done.stdout.strip()


def test_help_names_the_groups_and_choices():
    done = oodexp("--help")
    assert done.returncode == 0
    for word in ("scorer: ", "clip_l14_336", "vlm: ", "experiment=main", "--config-dir"):
        assert word in done.stdout


def test_the_settings_can_be_looked_at_while_a_value_is_still_open():
    done = oodexp("--cfg", "job", "division.seed=???")
    assert done.returncode == 0
    assert "seed: ???" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("division.threshhold=0.01",), "division.threshhold (did you mean division.threshold?)"),
        (("vllm=always_yes",), "vllm (did you mean vlm?)"),
        (("answr.reader=paper",), "answr (did you mean answer?)"),
        (("experiment=mian",), "experiment=mian: no such choice (did you mean main?)"),
        (("division.threshold=low",), "division.threshold='low': expected a number"),
        (("division.rule=most",), "division.rule=most: expected one of all, majority"),
        (("source.seed=tset",), "source.seed=tset: expected one of test, dev"),
    ],
)
def test_a_mistake_ends_the_command_with_status_2_before_an_image_is_opened(
    arguments, told, tmp_path
):
    runs = tmp_path / "runs"
    done = oodexp(*arguments, f"paths.runs={runs}")
    assert done.returncode == USAGE, done.stderr
    assert told in done.stderr
    assert done.stderr.startswith("oodexp: ")
    assert "Traceback" not in done.stderr
    assert not runs.exists()


def test_a_late_reference_ends_the_command_with_status_2_before_an_image_is_opened(
    folder, tmp_path
):
    experiment(
        folder,
        """
        metric: {paper: "${report.reader}"}
        question: {population: "${oc.env:OODEXP_NO_SUCH_VAR}"}
        """,
    )
    done = oodexp("--config-dir", str(folder), "experiment=mine", f"paths.runs={tmp_path / 'runs'}")
    assert done.returncode == USAGE
    assert "metric.paper -> report.reader" in done.stderr
    assert "question.population -> OODEXP_NO_SUCH_VAR" in done.stderr
    assert not (tmp_path / "runs").exists()


def test_nothing_is_written_to_a_folder_that_everybody_may_write_to():
    settings = (ROOT / "conf/config.yaml").read_text("utf-8")
    assert 'sweep: {dir: "${paths.runs}/sweep"' in settings
    assert "/tmp/" not in settings


def test_a_lack_of_memory_is_told_in_one_line(capsys):
    with pytest.raises(SystemExit) as ended, clean_exit():
        raise MemoryError("Unable to allocate 8.00 TiB")
    assert ended.value.code == USAGE
    assert capsys.readouterr().err.startswith("oodexp: not enough memory (Unable to allocate 8.00")
