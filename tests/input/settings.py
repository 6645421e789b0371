"""Command lines with mistakes: each is refused by name before anything is opened, or right."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import hydra
from omegaconf import DictConfig, ListConfig, OmegaConf

from oodexp.command import check
from oodexp.error import OodexpError
from oodexp.setting import register_resolvers
from oodexp.short import lengthen
from tests.input.kind import Kind, Result

CHOICES = [
    "experiment=main", "experiment=search", "experiment=export", "source=coco",
    "source=[coco,lvis]",
    "scorer=[clip_b32]", "vlm=openai_api", "vlm=[qwen2_vl,gpt_4o]", "tracker=folder",
    "source=manifest", "export=[pope,hub]", "corpus=[llava]", "question=polling",
]  # fmt: skip
WRONG = [
    "null", "-1", "0", "1e400", "nan", "inf", "true", "[]", "{}", "''", "???", "[1,[2,[3]]]", "x",
    "${nothing}", "${paths.runs}", "${source}", "${oc.env:NOT_SET}", "${oc.env:HOME}", "9" * 400,
    "'a b'", "[a,", "{a:", "'", '"', "${", "}", "\\", "é", "日本", "\x1b[31m", "a=b", "choice(1,2)",
    "range(1,3)", "{_target_: os.system}", "{_target_: nowhere.X}", "{_target_: 3}", "$HOME", "~",
    "{a: {b: {c: ${a}}}}", "'\\n'", "!!python/object:os", "${eval:1}", "${package:..}", "<a>", "*",
]  # fmt: skip
ODD = [
    "", "=", "==", "=x", "x=", "x", "+", "++", "~", "~source", "+x=1", "++x.y.z=1", "source",
    "a.b=c",
    "source=", "source=[]", "source=null", "source=nowhere", "source=[coco", "vlm=[a,b,c]", "..=1",
    "experiment=nowhere", "experiment=../main", "experiment=/etc/passwd", "source=../vlm/gpt_4o",
    "hydra.run.dir=/proc/nowhere", "hydra/launcher=nowhere", "source@=coco", "source@x=coco", "@=1",
    "paths.runs=${paths.exports}", "paths.data=${paths.data}", "a" * 3_000, "\udcff=1", "x=\udcff",
    "source.coco.nowhere=1", "vlm.fastvlm_miniature.dtype=5", "--cfg=job", "-m", "x=1,2",
    "division.threshold=choice(a,b)", "recipe=os.system", "recipe=nowhere", "recipe=null",
]  # fmt: skip


@cache
def ready() -> None:
    register_resolvers()


def compose(overrides: list[str]) -> DictConfig:
    return hydra.compose("config", overrides)


@cache
def keys(choices: tuple[str, ...]) -> list[str]:
    """Dotted names of all settings of some choices."""

    def below(node: Any, path: str) -> list[str]:
        found = [path] if path else []
        if isinstance(node, DictConfig):
            for key in node:
                inner = node._get_node(key)
                found += below(inner, f"{path}.{key}" if path else str(key))
        return found

    return [key for key in below(compose(list(choices)), "") if not key.startswith("hydra")]


def line(random: Random, folder: Path) -> Result:
    """A command line of choices, settings and mistakes, through all that is checked first."""
    ready()
    with hydra.initialize_config_module("oodexp.conf", version_base="1.3"):
        choices = tuple(random.sample(CHOICES, random.randint(0, 2)))
        try:
            known = keys(choices)
        except Exception:  # choices that do not go together
            known = keys(())
        arguments = [*choices]
        for _ in range(random.randint(0, 3)):
            arguments.append(_mistake(known, random))
        random.shuffle(arguments)
        try:
            settled = check(lengthen(arguments, compose), compose)
        except SystemExit as end:  # argparse has told the mistake
            return _named(end.code == 2)
        except OodexpError as error:
            return _named(str(error).count("\n") < 60)
        whole = compose([a for a in settled if not a.startswith("-")])
    assert isinstance(whole, (DictConfig, ListConfig))
    OmegaConf.to_container(whole, resolve=True)
    return "right"


def _named(well: bool) -> Result:
    assert well
    return "named"


def _mistake(known: list[str], random: Random) -> str:
    if random.random() < 0.35:
        return random.choice(ODD)
    key = random.choice(known)
    if random.random() < 0.3:
        at = random.randrange(len(key))
        key = key[:at] + random.choice(["", "_", "x", ".", key[at] * 2]) + key[at + 1 :]
    mark = random.choice(["", "", "", "+", "++", "~"])
    return f"{mark}{key}={random.choice(WRONG)}"


KINDS = [Kind("settings: command lines", line, 0.7)]
