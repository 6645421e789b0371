"""Other files of a run: labels, synonyms, registries, training corpora, predictions, indices."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from random import Random
from tempfile import mkdtemp
from typing import Any

import yaml

from oodexp.corpus.base import Lost
from oodexp.evidence import concept_registry, registry, synonym
from oodexp.source.labels import Labels
from oodexp.vlm.recorded import Recorded
from tests.corpus import made as corpora
from tests.input.kind import Kind, Result
from tests.input.odd import changed, damaged, dumped
from tests.vlm import recorded_made

TABLE = {"dog": "hound", "traffic light": None, "a_b": "a b", "cat": "cat"}
NAMES = list(TABLE)


def _written(value: Any, ending: str, random: Random, header: str) -> bytes:
    """A mapping as YAML, JSON or CSV, damaged."""
    if ending == ".json":
        return damaged(dumped(value, random), random)
    if ending == ".csv":
        pairs = value.items() if isinstance(value, dict) else [(value, "")]
        lines = [header, *(f"{k},{v}" for k, v in pairs)]
        return damaged("\n".join(lines).encode("utf-8", "replace"), random)
    try:
        text = yaml.safe_dump(value)
    except (yaml.YAMLError, RecursionError):
        text = repr(value)
    if random.random() < 0.3:
        text += random.choice(
            ["2001-99-99: x\n", "? [a]\n: b\n", "&a [*a]\n", "a: &a [*a]\n",
             "!!python/object:os {}", "a: !!binary x\n", "? {a: b}\n: c\n", "- x\n",
             "<<: {a: b}\n", "a: 0o9\n", "\ta: b\n",
             "x: &x [a, a]\ny: &y [*x, *x]\nz: [*y, *y]\n", "a: b: c\n", "%TAG ! x\n---\n"]
        )  # fmt: skip
    return damaged(text.encode("utf-8", "replace"), random)


def labels(random: Random, folder: Path) -> Result:
    file = folder / f"labels{random.choice(['.yaml', '.json', '.csv'])}"
    file.write_bytes(_written(changed(TABLE, random, 2), file.suffix, random, "name,text"))
    found = Labels.of(str(file))
    assert found is not None
    texts = found.texts(NAMES, "set")
    assert texts == [found.table.get(name, name) for name in NAMES]
    return "right"


def synonyms(random: Random, folder: Path) -> Result:
    file = folder / f"synonyms{random.choice(['.json', '.csv'])}"
    table = {"dog": ["hound", "puppy"], "cat": ["kitten"], "": ["hot dog"]}
    file.write_bytes(_written(changed(table, random, 2), file.suffix, random, "category,phrases"))
    found = synonym.names(["dog", "cat"], str(file))
    assert set(found.of) == {"dog", "cat"}
    return "right"


@cache
def _shipped(name: str) -> list[dict[str, Any]]:
    home = Path(registry.__file__).parent / "data"
    found: list[dict[str, Any]] = yaml.safe_load((home / name).read_text())["models"][:3]
    return found


def registries(random: Random, folder: Path) -> Result:
    name = random.choice(["models.yaml", "concept_models.yaml"])
    read = registry.models if name == "models.yaml" else concept_registry.concept_models
    file = folder / "more.yaml"
    file.write_bytes(_written(changed({"models": _shipped(name)}, random), ".yaml", random, ""))
    assert len(read(str(file))) >= len(read())
    return "right"


def corpus(random: Random, folder: Path) -> Result:
    name = random.choice(["llava", "coco_captions", "refcoco", "visual_genome", "jsonl"])
    made = corpora.MADE[name](folder)
    file = random.choice(sorted(folder.iterdir()))
    data = file.read_bytes()
    if file.suffix == ".json":
        data = dumped(changed(json.loads(data), random), random)
    elif random.random() < 0.6:
        rows = [json.loads(line) for line in data.splitlines()]
        data = b"\n".join(dumped(changed(row, random), random) for row in rows)
    file.write_bytes(damaged(data, random))
    if name == "coco_captions" and random.random() < 0.5:
        made = type(made)(str(folder / "captions.json"), keys="file")
    lost = Lost(name)
    texts = list(made.read(lost))
    assert all(isinstance(t.image, str) and isinstance(t.text, str) for t in texts)
    assert made.key("9" * 5_000)
    problems = lost.problems()
    assert all(len(problem.reason) < 2_000 for problem in problems)
    return "named" if problems else "right"


@cache
def _export(name: str) -> Path:
    folder = Path(mkdtemp(prefix="oodexp-input-")) / "export"
    recorded_made.exported(name, folder)
    return folder


def predictions(random: Random, folder: Path) -> Result:
    """Predictions in the form of each program, and the index of the export, with mistakes."""
    name = random.choice(["lmms_eval", "vlmevalkit", "pope", "inspect"])
    shutil.copytree(_export(name), folder / "export")
    index = [json.loads(x) for x in (folder / "export/index.jsonl").read_text().splitlines()]
    part = random.choice(index)["part"]
    mine = [row for row in index if row["part"] == part]
    rows = changed([_answered(name, row, random) for row in mine], random, 2)
    rows = [row if isinstance(row, dict) else {"a": row} for row in rows if row] if isinstance(
        rows, list) else [{"a": rows}]  # fmt: skip
    file = folder / f"model_{part}{random.choice(['.jsonl', '.json', '.csv', '.tsv', '.xlsx'])}"
    file.write_bytes(damaged(_table(rows, file, random), random))
    if random.random() < 0.2:
        told = b"\n".join(dumped(changed(row, random, 1), random) for row in index)
        (folder / "export/index.jsonl").write_bytes(damaged(told, random))
    vlm = Recorded(str(file), str(folder / "export"), form=random.choice(["auto", "auto", "plain"]))
    vlm.fingerprint()
    asked = [recorded_made.content_of(row) for row in mine[:4]]
    replies = recorded_made.ask(vlm, *asked)
    assert all((reply.text is None) == (reply.status == "error") for reply in replies)
    return "right" if all(reply.status == "ok" for reply in replies) else "named"


def _answered(name: str, row: dict[str, Any], random: Random) -> dict[str, Any]:
    said = random.choice(["Yes", "No.", "", "\x1b[31mYes", "None", "yes\n\nno", "=1"])
    return {
        "lmms_eval": {"doc_id": row["row"], "resps": [[said]], "input": row["prompt"]},
        "vlmevalkit": {"index": row["row"], "prediction": said, "question": row["prompt"]},
        "pope": {"question": row["prompt"], "answer": said},
        "inspect": {"question_id": row["question_id"], "completion": said},
    }[name]


def _table(rows: list[dict[str, Any]], file: Path, random: Random) -> bytes:
    columns = list(dict.fromkeys(str(key) for row in rows for key in row)) or ["a"]
    if file.suffix == ".jsonl":
        return b"\n".join(dumped(row, random) for row in rows)
    if file.suffix == ".json":
        return dumped(rows, random)
    texts = [[_cell(row.get(column)) for column in columns] for row in rows]
    columns = [_cell(column) for column in columns]
    if file.suffix == ".xlsx":
        said = [dict(zip(columns, values, strict=True)) for values in texts] or [{"a": "b"}]
        return recorded_made.workbook(file, said, shared=random.random() < 0.5).read_bytes()
    mark = "\t" if file.suffix == ".tsv" else ","
    lines = [columns, *texts]
    return "\n".join(mark.join(f'"{c}"' for c in line) for line in lines).encode("utf-8", "replace")


def _cell(value: Any) -> str:
    text = "" if value is None else repr(value)[:200] if isinstance(value, int) else str(value)
    return "".join(c for c in text if c.isprintable() or c in "\n\t")[:3_000]


KINDS = [
    Kind("files: labels", labels, 0.5),
    Kind("files: synonyms", synonyms, 0.5),
    Kind("files: registries of models", registries, 0.3),
    Kind("annotations: training corpora", corpus, 1.5),
    Kind("predictions of other programs", predictions, 1.0),
]
